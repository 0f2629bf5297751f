// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A session's insides: the contexts, the code generator, and where diagnostics go.
//
// What is easily got wrong: the code generator belongs to the LLVM context, so it goes first when a session ends.
#ifndef KILN_SESSION_H
#define KILN_SESSION_H

#include <llvm-c/Types.h>
#include <mlir-c/Diagnostics.h>
#include <mlir-c/IR.h>

#include "codegen/codegen.h"
#include "frontend/preprocess.h"
#include "frontend/warnings.h"
#include "kiln/kiln.h"

struct kiln_session {
    MlirContext mlir;
    MlirDiagnosticHandlerID mlir_handler;
    LLVMContextRef llvm;
    kiln_codegen_t *codegen; // made when first needed
    kiln_diagnostic_handler_t handler;
    void *user;
    // Of the compilation at hand.
    const kiln_source_t *source;
    kiln_expanded_t *expanded; // the source, where it was preprocessed; else NULL
    kiln_status_t first_error; // what a handler was told first, as a status
    kiln_warnings_t warnings;
};

// The code generator for `arch`.
kiln_status_t kiln_session_codegen(kiln_session_t *session, const char *arch, kiln_codegen_t **out_codegen);

// Diagnostics --------------------------------------------------------------------------------------------------------

// Tells the handler; fills in the source line where the file is the source at hand, and remembers the first error.
void kiln_session_tell(kiln_session_t *session, const kiln_diagnostic_t *diagnostic);

// Tells it as a warning, remark or error, as the flags say; false where they say nothing of it. An error fails the
// compilation at its end.
bool kiln_session_warn(kiln_session_t *session, kiln_warning_id_t id, const kiln_diagnostic_t *diagnostic);

// Tells the handler a failure that it does not know yet, with its notes, and returns it. A failure that only says that
// MLIR has reported errors gives way to the first of these.
kiln_status_t kiln_session_report(kiln_session_t *session, kiln_status_t status);

// The file that a location leads to, from malloc, with line and column; NULL where it leads to none.
char *kiln_session_place(MlirLocation location, unsigned *out_line, unsigned *out_column);

// The handler for kiln_codegen_create and for mlirContextAttachDiagnosticHandler; `user` is the session.
void kiln_session_on_llvm(kiln_codegen_severity_t severity, const char *message, void *user);
MlirLogicalResult kiln_session_on_mlir(MlirDiagnostic diagnostic, void *user);

#endif
