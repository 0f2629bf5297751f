// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Connects a JIT's request to kiln_compile.
//
// Everything that is read here besides the request must be part of the text of kiln_jit_identify,
// which is why both use the table of options. TTIR contains its specialization, so hints are only
// for Tile C.
#include "kiln/jit_compile.h"

#include <stdlib.h>
#include <string.h>

#include "base/require.h"
#include "base/string.h"
#include "driver/options.h"
#include "frontend/lex/preprocess.h"

// Copies a kernel's results to malloc'd memory.
static kiln_status_t copy_results(const kiln_kernel_t *kernel, void **out_code_object,
                                  size_t *out_size, char **out_manifest)
{
    size_t size;
    const void *code_object = kiln_kernel_code_object(kernel, &size);
    void *copy = malloc(size ? size : 1);
    char *manifest = strdup(kiln_kernel_manifest(kernel));
    if (!copy || !manifest) {
        free(copy);
        free(manifest);
        return kiln_status_out_of_memory();
    }
    memcpy(copy, code_object, size);
    *out_code_object = copy;
    *out_size = size;
    *out_manifest = manifest;
    return KILN_OK;
}

// Forwards the compiler's diagnostics to the caller's handler, and keeps them if the JIT wants to
// report them again.
typedef struct listener {
    const kiln_jit_compiler_t *compiler;
    bool keeps;
    char *diagnostics;
    kiln_status_t failure; // of keeping them
} listener_t;

static void listen(const kiln_diagnostic_t *diagnostic, void *user)
{
    listener_t *listener = user;
    if (listener->compiler->diagnostic)
        listener->compiler->diagnostic(diagnostic, listener->compiler->diagnostic_user);
    if (listener->keeps && !listener->failure)
        listener->failure = kiln_diagnostic_serialize(diagnostic, &listener->diagnostics);
}

static kiln_status_t compile(const kiln_jit_request_t *request, const kiln_jit_compiler_t *compiler,
                             const kiln_compile_options_t *options, void **out_code_object,
                             size_t *out_size, char **out_manifest)
{
    listener_t listener = {.compiler = compiler, .keeps = request->out_diagnostics != NULL};
    kiln_session_t *session = NULL;
    kiln_kernel_t *kernel = NULL;
    kiln_status_t status = kiln_session_create(&session);
    if (!status) {
        kiln_session_set_diagnostic_handler(session, listen, &listener);
        status = kiln_compile(session, &request->source, options, &kernel);
    }
    if (status)
        kiln_status_free(listener.failure);
    else
        status = listener.failure;
    if (!status)
        status = copy_results(kernel, out_code_object, out_size, out_manifest);
    if (!status && request->out_diagnostics) {
        *request->out_diagnostics = listener.diagnostics;
        listener.diagnostics = NULL;
    }
    free(listener.diagnostics);
    kiln_kernel_release(kernel);
    kiln_session_release(session);
    return status;
}

static kiln_status_t take_compiler(const char *function, const void *user,
                                   kiln_jit_compiler_t *out_compiler)
{
    *out_compiler = (kiln_jit_compiler_t){.struct_size = sizeof *out_compiler};
    return user ? kiln_struct_take(function, "compiler", "kiln_jit_compiler_t", out_compiler,
                                   sizeof *out_compiler, user)
                : KILN_OK;
}

static bool is_preprocessed(const kiln_source_t *source)
{
    return source->stage == KILN_STAGE_TILE && source->text &&
           kiln_preprocess_is_needed(source->text, source->length);
}

// A request with the compiler's options, completed.
typedef struct job {
    kiln_jit_request_t request;
    kiln_jit_compiler_t compiler;
    kiln_compile_options_t options;
    kiln_setting_t *defines; // from malloc
} job_t;

static kiln_status_t take_job(const char *function, const kiln_jit_request_t *request,
                              const void *user, job_t *out)
{
    *out = (job_t){.request.struct_size = sizeof out->request};
    KILN_TRY(kiln_struct_take(function, "request", "kiln_jit_request_t", &out->request,
                              sizeof out->request, request));
    const kiln_jit_request_t *taken = &out->request;
    bool lacks_settings = taken->setting_count && !taken->settings;
    if (lacks_settings || (taken->argument_count && !taken->arguments))
        return kiln_status_make(KILN_STATUS_USAGE, "%s: request->%s is NULL and its count is not 0",
                                function, lacks_settings ? "settings" : "arguments");
    KILN_TRY(take_compiler(function, user, &out->compiler));
    KILN_TRY(kiln_options_take(function, "compiler->base", out->compiler.base, &out->options));
    out->options.arch = taken->arch;
    out->options.kernel = taken->kernel;
    out->options.last_stage = KILN_STAGE_HSACO;
    if (taken->source.stage == KILN_STAGE_TILE) {
        out->options.args = taken->arguments;
        out->options.arg_count = taken->argument_count;
    }
    out->defines =
        calloc(taken->setting_count + out->options.define_count + 1, sizeof *out->defines);
    return out->defines ? kiln_compile_options_apply(&out->options, taken->settings,
                                                     taken->setting_count, out->defines)
                        : kiln_status_out_of_memory();
}

kiln_status_t kiln_jit_compile(const kiln_jit_request_t *request, void *user,
                               void **out_code_object, size_t *out_code_object_size,
                               char **out_manifest)
{
    KILN_REQUIRE_OUT(out_code_object);
    KILN_REQUIRE_OUT(out_code_object_size);
    KILN_REQUIRE_OUT(out_manifest);
    job_t job;
    kiln_status_t status = take_job(__func__, request, user, &job);
    bool lacks_keys = !status && is_preprocessed(&job.request.source) && !job.request.dependencies;
    if (lacks_keys)
        job.options.no_include_files = true;
    if (!status)
        status = compile(&job.request, &job.compiler, &job.options, out_code_object,
                         out_code_object_size, out_manifest);
    if (lacks_keys && kiln_status_code(status) == KILN_STATUS_INVALID_INPUT)
        status = kiln_status_annotate(status, "#include needs kiln_jit_depend as options.depend, "
                                              "so that the JIT's keys cover included files");
    free(job.defines);
    return status;
}

kiln_status_t kiln_jit_depend(const kiln_jit_request_t *request, void *user,
                              char **out_dependencies)
{
    KILN_REQUIRE_OUT(out_dependencies);
    job_t job;
    kiln_status_t status = take_job(__func__, request, user, &job);
    if (!status && is_preprocessed(&job.request.source)) {
        // Compilation reports errors.
        kiln_expanded_t *expanded = kiln_preprocess(&job.request.source, &job.options);
        *out_dependencies = calloc(1, 33);
        status = expanded && *out_dependencies ? kiln_expanded_hash(expanded, *out_dependencies)
                                               : kiln_status_out_of_memory();
        kiln_expanded_free(expanded);
    }
    free(job.defines);
    if (status) {
        free(*out_dependencies);
        *out_dependencies = NULL;
    }
    return status;
}

kiln_status_t kiln_jit_identify(void *user, char **out_identity)
{
    KILN_REQUIRE_OUT(out_identity);
    kiln_jit_compiler_t compiler;
    char *options = NULL;
    KILN_TRY(take_compiler(__func__, user, &compiler));
    kiln_compile_options_t base;
    KILN_TRY(kiln_options_take(__func__, "compiler->base", compiler.base, &base));
    KILN_TRY(kiln_compile_options_text(&base, &options));
    kiln_string_t text = {0};
    kiln_string_append(&text, kiln_build_id());
    // The diagnostics kept with a kernel depend on these.
    for (size_t i = 0; i < base.warning_count; i++)
        kiln_string_appendf(&text, " %s", base.warnings[i]);
    kiln_string_appendf(&text, "\n%s", options);
    free(options);
    *out_identity = kiln_string_take(&text);
    return *out_identity ? KILN_OK : kiln_status_out_of_memory();
}

void kiln_jit_replay_diagnostics(const char *diagnostics, void *user)
{
    kiln_jit_compiler_t compiler;
    kiln_status_t status = take_compiler(__func__, user, &compiler);
    if (!status && compiler.diagnostic)
        status =
            kiln_diagnostics_replay(diagnostics, compiler.diagnostic, compiler.diagnostic_user);
    kiln_status_free(status); // the kernel is valid regardless
}
