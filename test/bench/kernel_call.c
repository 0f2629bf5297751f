// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel_call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

enum { TRITON_SCRATCH = 2 };

void bench_check(kiln_status_t status)
{
    if (!status)
        return;
    char *text = kiln_status_format(status);
    fprintf(stderr, "bench: %s", text ? text : "out of memory\n");
    exit(1);
}

static void add_settings(const json_t *settings, kernel_call_t *call)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)settings, name, value)
    {
        size_t at = 0;
        while (at < call->setting_count && strcmp(call->settings[at].name, name) != 0)
            at++;
        char *text = call->values[at];
        if (json_is_boolean(value))
            snprintf(text, sizeof call->values[0], "%s", json_is_true(value) ? "true" : "false");
        else if (json_is_string(value)) // a type
            snprintf(text, sizeof call->values[0], "%s", json_string_value(value));
        else
            snprintf(text, sizeof call->values[0], "%d", (int)json_integer_value(value));
        call->settings[at] = (kiln_setting_t){name, text};
        call->setting_count += at == call->setting_count;
    }
}

void kernel_call_read(const json_t *json, const json_t *settings, kernel_call_t *call)
{
    *call =
        (kernel_call_t){.json = json, .kernel = json_string_value(json_object_get(json, "kernel"))};
    add_settings(json_object_get(json, "settings"), call);
    add_settings(settings, call);
}

static const char *value_of(const kernel_call_t *call, const char *name, size_t length)
{
    for (size_t i = 0; i < call->setting_count; i++)
        if (strlen(call->settings[i].name) == length &&
            memcmp(call->settings[i].name, name, length) == 0)
            return call->settings[i].value;
    return call->folder && length == strlen("folder") && memcmp(name, "folder", length) == 0
               ? call->folder
               : NULL;
}

// The word with values for {NAME}.
static void expand(const kernel_call_t *call, const char *word, char *out, size_t size)
{
    size_t used = 0;
    while (*word && used + 1 < size) {
        const char *end = *word == '{' ? strchr(word, '}') : NULL;
        const char *value = end ? value_of(call, word + 1, (size_t)(end - word - 1)) : NULL;
        if (value) {
            used += (size_t)snprintf(out + used, size - used, "%s", value);
            word = end + 1;
        } else {
            out[used++] = *word++;
        }
    }
    if (*word || used >= size)
        exit((fprintf(stderr, "bench: %s: too long\n", word), 1));
    out[used] = 0;
}

static kiln_arguments_t *make_arguments(const kernel_call_t *call, kiln_device_t *device)
{
    kiln_arguments_t *arguments;
    size_t index;
    json_t *word;
    bench_check(kiln_arguments_create(device, &arguments));
    kiln_arguments_define(arguments, call->settings, call->setting_count);
    json_array_foreach(json_object_get(call->json, "words"), index, word)
    {
        char text[4096];
        expand(call, json_string_value(word), text, sizeof text);
        bench_check(kiln_arguments_add(arguments, text));
    }
    return arguments;
}

// A launch ----------------------------------------------------------------------------------------

void kernel_call_launch(const kernel_call_t *call, const kernel_code_t *code, kiln_device_t *device)
{
    kiln_arguments_t *arguments = make_arguments(call, device);
    size_t value_count, count = kiln_kernel_argument_count(code->kernel);
    const kiln_jit_argument_t *values = kiln_arguments_values(arguments, &value_count);
    kiln_parameter_t parameters[KERNEL_CALL_ARGUMENTS];
    uint64_t cells[KERNEL_CALL_ARGUMENTS] = {0};
    void *args[KERNEL_CALL_ARGUMENTS + TRITON_SCRATCH];
    for (size_t i = 0; i < count; i++) {
        const kiln_argument_t *argument = kiln_kernel_argument(code->kernel, i);
        parameters[i] = (kiln_parameter_t){argument->name, argument->type, argument->sign};
    }
    bench_check(kiln_jit_bind(call->kernel, parameters, count, values, value_count, cells));
    static uint64_t none;
    for (size_t i = 0; i < count + TRITON_SCRATCH; i++)
        args[i] = i < count ? &cells[i] : &none;
    kiln_launch_t launch;
    kiln_launch_initialize(&launch);
    bench_check(kiln_arguments_grid(
        arguments, json_string_value(json_object_get(call->json, "grid")), launch.grid));
    launch.block[0] = code->block;
    launch.dynamic_lds_bytes = code->is_tritons ? code->lds_bytes : 0;
    launch.args = args;
    kiln_module_t *module;
    kiln_function_t *function;
    bench_check(kiln_module_load(device, code->bytes, code->size, &module));
    bench_check(kiln_module_function(module, code->symbol, &function));
    bench_check(kiln_function_launch(function, &launch));
    bench_check(kiln_device_synchronize(device));
    kiln_module_release(module);
    kiln_arguments_release(arguments);
}

kiln_device_t *kernel_call_device(const char *clock)
{
    const kiln_sim_setting_t settings[] = {{"clock", clock}, {"caches", "warm"}, {"lds", "160k"}};
    kiln_device_options_t options;
    kiln_device_t *device;
    kiln_device_options_initialize(&options);
    options.kind = KILN_DEVICE_SIM;
    options.sim_settings = settings;
    options.sim_setting_count = sizeof settings / sizeof *settings;
    bench_check(kiln_device_open(&options, &device));
    return device;
}

static kiln_sim_prediction_t predict(const kernel_call_t *call, const kernel_code_t *code)
{
    kiln_sim_prediction_t prediction = {.struct_size = sizeof prediction};
    kiln_device_t *device = kernel_call_device("only");
    kernel_call_launch(call, code, device);
    bench_check(kiln_device_launch_prediction(device, &prediction));
    kiln_device_release(device);
    return prediction;
}

// Code --------------------------------------------------------------------------------------------

static void show(const kiln_diagnostic_t *diagnostic, void *user)
{
    (void)user;
    kiln_diagnostic_print(diagnostic, stderr);
}

kiln_kernel_t *kernel_call_compile(kiln_session_t *session, const kernel_call_t *call,
                                   kiln_stage_t stage, const char *path,
                                   kiln_compile_options_t *options)
{
    char *text;
    size_t length;
    bench_check(kiln_file_read(path, &text, &length));
    kiln_source_t source = {stage, path, text, length};
    kiln_setting_t defines[KERNEL_CALL_SETTINGS];
    kiln_arg_hint_t hints[KERNEL_CALL_ARGUMENTS];
    kiln_arguments_t *arguments = make_arguments(call, NULL);
    const kiln_jit_argument_t *values = kiln_arguments_values(arguments, &options->arg_count);
    kiln_compile_options_initialize(options);
    bench_check(kiln_compile_options_apply(options, call->settings, call->setting_count, defines));
    if (stage == KILN_STAGE_TILE) { // TTIR contains these itself
        kiln_arguments_values(arguments, &options->arg_count);
        for (size_t i = 0; i < options->arg_count; i++) {
            hints[i] = kiln_jit_argument_hint(&values[i]);
            hints[i].pointer_range_32 =
                call->has_small_buffers && hints[i].type && hints[i].type[0] == '*';
        }
        options->args = hints;
    } else {
        options->define_count = 0;
    }
    options->kernel = call->kernel;
    kiln_session_set_diagnostic_handler(session, show, NULL);
    kiln_kernel_t *kernel;
    bench_check(kiln_compile(session, &source, options, &kernel));
    kiln_arguments_release(arguments);
    free(text);
    options->args = NULL;
    options->arg_count = 0;
    options->defines = NULL;
    options->define_count = 0;
    return kernel;
}

kernel_code_t kernel_call_code(const kiln_kernel_t *kernel)
{
    kernel_code_t code = {.symbol = kiln_kernel_name(kernel),
                          .kernel = kernel,
                          .block = kiln_kernel_block_size(kernel)};
    code.bytes = kiln_kernel_code_object(kernel, &code.size);
    return code;
}

kiln_sim_prediction_t kernel_call_predict_settings(kiln_session_t *session, const json_t *json,
                                                   const json_t *settings, const char *folder)
{
    char path[4096];
    const char *tile = json_string_value(json_object_get(json, "tile"));
    kiln_compile_options_t options;
    kernel_call_t call;
    kernel_call_read(json, settings, &call);
    call.has_small_buffers = true;
    call.folder = folder;
    snprintf(path, sizeof path, KILN_BENCH_DIR "/kernels/%s.tile.c", tile);
    if (access(path, R_OK) != 0)
        snprintf(path, sizeof path, KILN_EXAMPLES_DIR "/%s.tile.c", tile);
    kiln_kernel_t *kernel = kernel_call_compile(session, &call, KILN_STAGE_TILE, path, &options);
    const kernel_code_t code = kernel_call_code(kernel);
    const kiln_sim_prediction_t prediction = predict(&call, &code);
    kiln_kernel_release(kernel);
    return prediction;
}
