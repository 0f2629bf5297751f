// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bridge from a JIT's request to kiln_compile.
//
// What is easily got wrong: whatever is read here beside the request must be in the text of kiln_jit_identify, which is
// why both go by the table of options. TTIR carries its specialisation in the text, so hints are only for Tile C.
#include "kiln/jit_compile.h"

#include <stdlib.h>
#include <string.h>

#include "base/require.h"
#include "base/string.h"
#include "options.h"

// Copies what a kernel has to give into malloc'd memory.
static kiln_status_t hand_out(const kiln_kernel_t *kernel, void **out_code_object, size_t *out_size,
                              char **out_manifest)
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

static kiln_status_t compile(const kiln_jit_request_t *request, const kiln_jit_compiler_t *compiler,
                             const kiln_compile_options_t *options, void **out_code_object, size_t *out_size,
                             char **out_manifest)
{
    kiln_session_t *session = NULL;
    kiln_kernel_t *kernel = NULL;
    kiln_status_t status = kiln_session_create(&session);
    if (!status) {
        kiln_session_set_diagnostic_handler(session, compiler->diagnostic, compiler->diagnostic_user);
        status = kiln_compile(session, &request->source, options, &kernel);
    }
    if (!status)
        status = hand_out(kernel, out_code_object, out_size, out_manifest);
    kiln_kernel_release(kernel);
    kiln_session_release(session);
    return status;
}

static kiln_status_t take_compiler(const char *function, const void *user, kiln_jit_compiler_t *out_compiler)
{
    *out_compiler = (kiln_jit_compiler_t){.struct_size = sizeof *out_compiler};
    return user
               ? kiln_struct_take(function, "compiler", "kiln_jit_compiler_t", out_compiler, sizeof *out_compiler, user)
               : KILN_OK;
}

kiln_status_t kiln_jit_compile(const kiln_jit_request_t *request, void *user, void **out_code_object,
                               size_t *out_code_object_size, char **out_manifest)
{
    KILN_REQUIRE_OUT(out_code_object);
    KILN_REQUIRE_OUT(out_code_object_size);
    KILN_REQUIRE_OUT(out_manifest);
    kiln_jit_request_t taken = {.struct_size = sizeof taken};
    kiln_jit_compiler_t compiler;
    kiln_compile_options_t options;
    KILN_REQUIRE_STRUCT(kiln_jit_request_t, &taken, request);
    KILN_REQUIRE_ARRAY(taken.settings, taken.setting_count);
    KILN_REQUIRE_ARRAY(taken.arguments, taken.argument_count);
    KILN_TRY(take_compiler(__func__, user, &compiler));
    KILN_TRY(kiln_options_take(__func__, "compiler->base", compiler.base, &options));
    options.arch = taken.arch;
    options.kernel = taken.kernel;
    options.last_stage = KILN_STAGE_HSACO;
    if (taken.source.stage == KILN_STAGE_TILE) {
        options.args = taken.arguments;
        options.arg_count = taken.argument_count;
    }
    kiln_setting_t *defines = calloc(taken.setting_count + options.define_count + 1, sizeof *defines);
    if (!defines)
        return kiln_status_out_of_memory();
    kiln_status_t status = kiln_compile_options_apply(&options, taken.settings, taken.setting_count, defines);
    if (!status)
        status = compile(&taken, &compiler, &options, out_code_object, out_code_object_size, out_manifest);
    free(defines);
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
    *out_identity = kiln_string_print("%s\n%s", kiln_build_id(), options);
    free(options);
    return *out_identity ? KILN_OK : kiln_status_out_of_memory();
}
