// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bridge from a JIT's request to kiln_compile.
//
// What is easily got wrong: TTIR carries its specialisation in the text, so hints are only for Tile C.
#include "kiln/jit_compile.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    size_t offset; // of an int
} option_rows[] = {
    {"num_warps", offsetof(kiln_compile_options_t, num_warps)},
    {"num_stages", offsetof(kiln_compile_options_t, num_stages)},
    {"waves_per_eu", offsetof(kiln_compile_options_t, waves_per_eu)},
    {"matrix_instr_nonkdim", offsetof(kiln_compile_options_t, matrix_instr_nonkdim)},
    {"kpack", offsetof(kiln_compile_options_t, kpack)},
};

// Sets an option; false where the setting is none.
static bool set_option(kiln_compile_options_t *options, const kiln_setting_t *setting, kiln_status_t *out_status)
{
    for (size_t i = 0; i < sizeof option_rows / sizeof *option_rows; i++) {
        if (strcmp(setting->name, option_rows[i].name) != 0)
            continue;
        char *end;
        long value = strtol(setting->value, &end, 10);
        if (end == setting->value || *end || value < 0 || value > 1024)
            *out_status =
                kiln_status_make(KILN_STATUS_USAGE, "%s=%s: a small number is wanted", setting->name, setting->value);
        int number = (int)value;
        memcpy((char *)options + option_rows[i].offset, &number, sizeof number);
        return true;
    }
    return false;
}

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
        return kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES, "out of memory");
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
        if (compiler && compiler->diagnostic)
            kiln_session_set_diagnostic_handler(session, compiler->diagnostic, compiler->diagnostic_user);
        status = kiln_compile(session, &request->source, options, &kernel);
    }
    if (!status)
        status = hand_out(kernel, out_code_object, out_size, out_manifest);
    kiln_kernel_release(kernel);
    kiln_session_release(session);
    return status;
}

kiln_status_t kiln_jit_compile(const kiln_jit_request_t *request, void *user, void **out_code_object,
                               size_t *out_code_object_size, char **out_manifest)
{
    const kiln_jit_compiler_t *compiler = user;
    *out_code_object = NULL;
    *out_code_object_size = 0;
    *out_manifest = NULL;
    kiln_compile_options_t options;
    kiln_compile_options_initialize(&options);
    if (compiler && compiler->base)
        options = *compiler->base;
    options.arch = request->arch;
    options.kernel = request->kernel;

    kiln_status_t status = KILN_OK;
    kiln_setting_t *defines = calloc(request->setting_count + options.define_count + 1, sizeof *defines);
    if (!defines) {
        status = kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES, "out of memory");
        goto cleanup;
    }
    size_t define_count = options.define_count;
    if (define_count)
        memcpy(defines, options.defines, define_count * sizeof *defines);
    for (size_t i = 0; i < request->setting_count && !status; i++)
        if (!set_option(&options, &request->settings[i], &status))
            defines[define_count++] = request->settings[i];
    options.defines = defines;
    options.define_count = define_count;
    if (request->source.stage == KILN_STAGE_TILE) {
        options.args = request->arguments;
        options.arg_count = request->argument_count;
    }
    if (!status)
        status = compile(request, compiler, &options, out_code_object, out_code_object_size, out_manifest);
cleanup:
    free(defines);
    return status;
}
