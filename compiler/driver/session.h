// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A session's state: the contexts, the code generator, and the destination of diagnostics.
//
// The code generator belongs to the LLVM context, so it must be destroyed first.
#ifndef KILN_SESSION_H
#define KILN_SESSION_H

#include <llvm-c/Types.h>
#include <mlir-c/Diagnostics.h>
#include <mlir-c/IR.h>

#include "base/string.h"
#include "codegen/codegen.h"
#include "diagnostics/warnings.h"
#include "frontend/lex/preprocess.h"
#include "kiln/kiln.h"

// The diagnostics of one compilation: what they refer to, and what has been reported. A zeroed one
// is ready for kiln_session_begin.
typedef struct kiln_diagnostics {
    const kiln_source_t *source;
    kiln_expanded_t *expanded; // the source if it was preprocessed; else NULL
    char *found;               // lines of the findings that were found; NULL: none
    struct json_t *noted;      // these, for the code object (artifact/findings_section.h)
    bool out_of_memory;        // some of them are lost
    kiln_status_t first_error; // the first error passed to the handler, as a status
    kiln_warnings_t warnings;
    kiln_warnings_t searched;       // warnings, and all findings if the code object shall have them
    struct kiln_diagnostics *outer; // those of the session before
} kiln_diagnostics_t;

struct kiln_session {
    MlirContext mlir;
    MlirDiagnosticHandlerID mlir_handler;
    LLVMContextRef llvm;
    kiln_codegen_t *codegen; // created on first use
    kiln_diagnostic_handler_t handler;
    void *user;
    kiln_diagnostics_t *diagnostics; // of the compilation in progress; NULL between them
};

// The code generator for `arch`.
kiln_status_t kiln_session_codegen(kiln_session_t *session, const char *arch,
                                   kiln_codegen_t **out_codegen);

// Diagnostics -------------------------------------------------------------------------------------

// Between these calls diagnostics refer to `source`, and are recorded in `diagnostics`. Between
// compilations they are passed on without a source line, and warnings are disabled.
void kiln_session_begin(kiln_session_t *session, kiln_diagnostics_t *diagnostics,
                        const kiln_source_t *source);
void kiln_session_end(kiln_session_t *session);
void kiln_diagnostics_free(kiln_diagnostics_t *diagnostics);

// Passes a diagnostic to the handler; adds the source line if the file is the current source, and
// records the first error.
void kiln_session_emit(kiln_session_t *session, const kiln_diagnostic_t *diagnostic);

// Reports a warning, remark or error, depending on the flags; returns false if it is disabled. An
// error fails the compilation at its end.
bool kiln_session_warn(kiln_session_t *session, kiln_warning_id_t id,
                       const kiln_diagnostic_t *diagnostic);

// Reports a finding unless it is disabled or has been reported for another copy of the same code: a
// remark, and notes with the reason for the cost and advice. `advice` may be NULL: that of the
// table.
void kiln_session_find(kiln_session_t *session, kiln_warning_id_t id, const kiln_diagnostic_t *seen,
                       const char *advice);
// The same at an operation's location.
void kiln_session_find_at(kiln_session_t *session, kiln_warning_id_t id, MlirOperation op,
                          const char *seen, const char *advice);
// Likewise, with a text that may lack memory.
void kiln_session_find_text(kiln_session_t *session, kiln_warning_id_t id, MlirOperation op,
                            const kiln_string_t *seen, const char *advice);

// Passes a failure that has not been reported yet to the handler, with its notes, and returns it. A
// failure that only states that MLIR reported errors is replaced by the first of these.
kiln_status_t kiln_session_report(kiln_session_t *session, kiln_status_t status);

// The file of a location, from malloc, with line and column; NULL if it has none.
char *kiln_session_place(MlirLocation location, unsigned *out_line, unsigned *out_column);

// The handlers for kiln_codegen_create and mlirContextAttachDiagnosticHandler; `user` is the
// session.
void kiln_session_on_llvm(kiln_codegen_severity_t severity, const char *message, void *user);
MlirLogicalResult kiln_session_on_mlir(MlirDiagnostic diagnostic, void *user);

#endif
