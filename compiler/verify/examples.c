// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the kernels of examples/ on both devices and compares all buffers.
//
// The sources are embedded, so that the command needs no files.
#include "verify/examples.h"

#include <stdlib.h>
#include <string.h>

#include "base/string.h"
#include "kiln/jit.h"

// clang-format off
#define EXAMPLE(file, kernel, ...)                                                                 \
    __asm__(".section .rodata\n"                                                                   \
            "kiln_verify_source_" #kernel ":\n"                                                    \
            ".incbin \"" KILN_EXAMPLES_DIR "/" #file ".tile.c\"\n"                                 \
            "kiln_verify_source_end_" #kernel ":\n.byte 0\n.previous\n");                          \
    extern const char kiln_verify_source_##kernel[], kiln_verify_source_end_##kernel[];
// clang-format on
#include "verify/examples.def"

typedef struct example {
    const char *file, *kernel, *settings, *sizes[2], *grid, *words, *source, *source_end;
} example_t;

static const example_t examples[] = {
#define EXAMPLE(file, kernel, settings, small, large, grid, words)                                 \
    {#file ".tile.c",                                                                              \
     #kernel,                                                                                      \
     settings,                                                                                     \
     {small, large},                                                                               \
     grid,                                                                                         \
     words,                                                                                        \
     kiln_verify_source_##kernel,                                                                  \
     kiln_verify_source_end_##kernel},
#include "verify/examples.def"
};

size_t kiln_verify_example_count(void)
{
    return sizeof examples / sizeof *examples;
}

const char *kiln_verify_example_name(size_t index)
{
    return examples[index].kernel;
}

// Splits a copied "A=1 B=2" into settings that point into it; returns the new count.
static size_t split(char *text, kiln_setting_t *settings, size_t count)
{
    char *rest = NULL;
    for (char *word = strtok_r(text, " ", &rest); word && count < KILN_VERIFY_MAX_SETTINGS;
         word = strtok_r(NULL, " ", &rest)) {
        char *equals = strchr(word, '=');
        *equals = 0;
        settings[count++] = (kiln_setting_t){word, equals + 1};
    }
    return count;
}

kiln_status_t kiln_verify_example_arguments(const kiln_verify_example_t *example,
                                            kiln_device_t *device, kiln_arguments_t **out_arguments)
{
    kiln_arguments_t *arguments = NULL;
    char *rest = NULL, *words = strdup(examples[example->index].words);
    kiln_status_t status =
        words ? kiln_arguments_create(device, &arguments) : kiln_status_out_of_memory();
    if (!status)
        kiln_arguments_define(arguments, example->settings, example->setting_count);
    for (char *word = words ? strtok_r(words, " ", &rest) : NULL; word && !status;
         word = strtok_r(NULL, " ", &rest))
        status = kiln_arguments_add(arguments, word);
    free(words);
    if (status) {
        kiln_arguments_release(arguments);
        arguments = NULL;
    }
    *out_arguments = arguments;
    return status;
}

kiln_status_t kiln_verify_example_call(const kiln_verify_example_t *example,
                                       const kiln_arguments_t *arguments, kiln_verify_call_t *out)
{
    kiln_parameter_t parameters[KILN_VERIFY_MAX_ARGUMENTS];
    const size_t count = kiln_kernel_argument_count(example->kernel);
    size_t value_count;
    const kiln_jit_argument_t *values = kiln_arguments_values(arguments, &value_count);
    *out = (kiln_verify_call_t){.grid = {1, 1, 1}};
    for (size_t i = 0; i < count; i++) {
        const kiln_argument_t *argument = kiln_kernel_argument(example->kernel, i);
        parameters[i] = (kiln_parameter_t){argument->name, argument->type, argument->sign};
        out->args[i] = &out->cells[i];
    }
    KILN_TRY(
        kiln_jit_bind(example->code.symbol, parameters, count, values, value_count, out->cells));
    return kiln_arguments_grid(arguments, examples[example->index].grid, out->grid);
}

static kiln_status_t compile(const example_t *row, kiln_session_t *session,
                             kiln_verify_example_t *example)
{
    const kiln_source_t source = {.stage = KILN_STAGE_TILE,
                                  .name = row->file,
                                  .text = row->source,
                                  .length = (size_t)(row->source_end - row->source)};
    kiln_setting_t defines[KILN_VERIFY_MAX_SETTINGS];
    kiln_arg_hint_t hints[KILN_VERIFY_MAX_ARGUMENTS];
    kiln_arguments_t *arguments;
    kiln_compile_options_t options;
    kiln_compile_options_initialize(&options);
    KILN_TRY(kiln_compile_options_apply(&options, example->settings, example->own_count, defines));
    KILN_TRY(kiln_verify_example_arguments(example, NULL, &arguments));
    const kiln_jit_argument_t *values = kiln_arguments_values(arguments, &options.arg_count);
    for (size_t i = 0; i < options.arg_count; i++)
        hints[i] = kiln_jit_argument_hint(&values[i]);
    options.args = hints;
    options.kernel = row->kernel;
    kiln_status_t status = kiln_compile(session, &source, &options, &example->kernel);
    kiln_arguments_release(arguments);
    return status;
}

kiln_status_t kiln_verify_example_compile(size_t index, kiln_verify_size_t size,
                                          kiln_verify_example_t *out)
{
    const example_t *row = &examples[index];
    *out = (kiln_verify_example_t){.index = index,
                                   .texts = {strdup(row->settings), strdup(row->sizes[size])}};
    if (!out->texts[0] || !out->texts[1])
        return kiln_status_out_of_memory();
    out->own_count = split(out->texts[0], out->settings, 0);
    out->setting_count = split(out->texts[1], out->settings, out->own_count);

    kiln_session_t *session;
    KILN_TRY(kiln_session_create(&session));
    kiln_status_t status = compile(row, session, out);
    kiln_session_release(session);
    if (status)
        return status;
    const void *bytes = kiln_kernel_code_object(out->kernel, &out->code.size);
    out->code.block = kiln_kernel_block_size(out->kernel);
    out->code.symbol = strdup(kiln_kernel_name(out->kernel));
    out->code.bytes = malloc(out->code.size);
    if (!out->code.symbol || !out->code.bytes)
        return kiln_status_out_of_memory();
    memcpy(out->code.bytes, bytes, out->code.size);
    return KILN_OK;
}

void kiln_verify_example_release(kiln_verify_example_t *example)
{
    kiln_verify_code_release(&example->code);
    kiln_kernel_release(example->kernel);
    free(example->texts[0]);
    free(example->texts[1]);
    *example = (kiln_verify_example_t){0};
}

// Items ------------------------------------------------------------------------------------------

kiln_status_t kiln_verify_list_examples(kiln_verify_run_t *io_run)
{
    for (size_t i = 0; i < kiln_verify_example_count(); i++)
        KILN_TRY(kiln_verify_add(io_run, KILN_VERIFY_examples, examples[i].kernel, i));
    return KILN_OK;
}

static kiln_status_t launch_on(kiln_device_t *device, const kiln_verify_example_t *example,
                               kiln_arguments_t **out_arguments)
{
    kiln_verify_call_t call;
    KILN_TRY(kiln_verify_example_arguments(example, device, out_arguments));
    KILN_TRY(kiln_verify_example_call(example, *out_arguments, &call));
    return kiln_verify_launch_code(device, &example->code, call.grid, call.args);
}

static kiln_status_t compare_all(const kiln_arguments_t *gpu, const kiln_arguments_t *simulator,
                                 kiln_verify_result_t *result)
{
    kiln_status_t status = KILN_OK;
    for (size_t i = 0; i < kiln_arguments_buffer_count(gpu) && !status; i++) {
        const kiln_named_buffer_t *a = kiln_arguments_buffer(gpu, i),
                                  *b = kiln_arguments_buffer(simulator, i);
        char *left = malloc(a->size + 1), *right = malloc(b->size + 1);
        status = left && right ? kiln_named_buffer_read(a, left) : kiln_status_out_of_memory();
        if (!status)
            status = kiln_named_buffer_read(b, right);
        if (!status)
            kiln_verify_compare(a->name, a->type, left, right, a->size, result);
        free(left);
        free(right);
    }
    return status;
}

void kiln_verify_run_examples(kiln_verify_context_t *context, size_t index,
                              kiln_verify_result_t *result)
{
    kiln_verify_example_t example;
    kiln_arguments_t *gpu = NULL, *simulator = NULL;
    const char *where = "compiler";
    kiln_status_t status = kiln_verify_example_compile(index, KILN_VERIFY_SMALL, &example);
    if (!status)
        status = launch_on(context->simulator, &example, &simulator), where = "simulator";
    if (!status)
        status = launch_on(context->gpu, &example, &gpu), where = "GPU";
    if (!status)
        status = compare_all(gpu, simulator, result);
    if (status)
        kiln_verify_fail(result, where, status);
    kiln_arguments_release(gpu);
    kiln_arguments_release(simulator);
    kiln_verify_example_release(&example);
}
