// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sessions: created once, used by one thread for any number of compilations.
//
// MLIR's own threads are disabled. Kiln's parallelism is many sessions, and one thread pool per
// session would compete for the same cores.
#include "driver/session.h"

#include <stdlib.h>

#include <jansson.h>

#include <llvm-c/Core.h>

#include "base/require.h"
#include "kiln/dialects.h"

kiln_status_t kiln_session_create(kiln_session_t **out_session)
{
    KILN_REQUIRE_OUT(out_session);
    kiln_session_t *session = calloc(1, sizeof *session);
    if (!session)
        return kiln_status_out_of_memory();
    session->mlir = mlirContextCreateWithThreading(false);
    mlirContextSetAllowUnregisteredDialects(session->mlir, false);
    if (!kiln_context_load_dialects(session->mlir)) {
        mlirContextDestroy(session->mlir);
        free(session);
        return kiln_status_out_of_memory();
    }
    session->mlir_handler =
        mlirContextAttachDiagnosticHandler(session->mlir, kiln_session_on_mlir, session, NULL);
    session->llvm = LLVMContextCreate();
    *out_session = session;
    return KILN_OK;
}

void kiln_session_release(kiln_session_t *session)
{
    if (!session)
        return;
    kiln_codegen_release(session->codegen);
    LLVMContextDispose(session->llvm);
    mlirContextDetachDiagnosticHandler(session->mlir, session->mlir_handler);
    mlirContextDestroy(session->mlir);
    free(session);
}

void kiln_session_set_diagnostic_handler(kiln_session_t *session, kiln_diagnostic_handler_t handler,
                                         void *user)
{
    if (!session)
        return;
    session->handler = handler;
    session->user = user;
}

void kiln_session_begin(kiln_session_t *session, kiln_diagnostics_t *diagnostics,
                        const kiln_source_t *source)
{
    diagnostics->source = source;
    diagnostics->outer = session->diagnostics;
    session->diagnostics = diagnostics;
}

void kiln_session_end(kiln_session_t *session)
{
    session->diagnostics = session->diagnostics->outer;
}

void kiln_diagnostics_free(kiln_diagnostics_t *diagnostics)
{
    kiln_expanded_free(diagnostics->expanded);
    free(diagnostics->found);
    json_decref(diagnostics->noted);
    kiln_status_free(diagnostics->first_error);
    *diagnostics = (kiln_diagnostics_t){0};
}

kiln_status_t kiln_session_codegen(kiln_session_t *session, const char *arch,
                                   kiln_codegen_t **out_codegen)
{
    // Only one architecture exists so far, so the first generator serves all later kernels.
    if (!session->codegen)
        KILN_TRY(kiln_codegen_create(session->llvm, arch, kiln_session_on_llvm, session,
                                     &session->codegen));
    *out_codegen = session->codegen;
    return KILN_OK;
}
