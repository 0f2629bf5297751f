// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs test cases (kiln/case.h) on both devices and compares all buffers with each other. `kiln
// case` compares them with the expected contents.
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "kiln/case.h"
#include "kiln/kiln.h"
#include "verify/launch.h"

kiln_status_t kiln_verify_list_cases(kiln_verify_run_t *io_run)
{
    for (size_t i = 0; i < io_run->options->case_count; i++)
        KILN_TRY(kiln_verify_add(io_run, KILN_VERIFY_cases, io_run->options->cases[i], i));
    return KILN_OK;
}

static kiln_status_t compile_text(const kiln_case_t *test_case, const kiln_source_t *source,
                                  kiln_verify_code_t *out)
{
    kiln_setting_t none[1]; // all of a case's settings are options
    kiln_compile_options_t options;
    kiln_session_t *session;
    kiln_kernel_t *kernel = NULL;
    kiln_compile_options_initialize(&options);
    KILN_TRY(
        kiln_compile_options_apply(&options, test_case->settings, test_case->setting_count, none));
    options.kernel = test_case->entry;
    KILN_TRY(kiln_session_create(&session));
    kiln_status_t status = kiln_compile(session, source, &options, &kernel);
    if (!status) {
        const void *bytes = kiln_kernel_code_object(kernel, &out->size);
        out->bytes = malloc(out->size);
        out->symbol = strdup(kiln_kernel_name(kernel));
        out->block = kiln_kernel_block_size(kernel);
        if (out->bytes && out->symbol)
            memcpy(out->bytes, bytes, out->size);
        else
            status = kiln_status_out_of_memory();
    }
    kiln_kernel_release(kernel);
    kiln_session_release(session);
    return status;
}

static kiln_status_t compile_case(const kiln_case_t *test_case, kiln_verify_code_t *out)
{
    size_t length;
    char *text = NULL, *path = kiln_path_join(test_case->directory, "kernel.ttir");
    kiln_status_t status =
        path ? kiln_file_read(path, &text, &length) : kiln_status_out_of_memory();
    if (!status) {
        const kiln_source_t source = {
            .stage = KILN_STAGE_TT, .name = path, .text = text, .length = length};
        status = compile_text(test_case, &source, out);
    }
    free(text);
    free(path);
    return status;
}

// The buffers of a case on one device, and their contents after the launch.
typedef struct side {
    kiln_buffer_t **buffers;
    void **contents;
    uint64_t *values;
    void **args;
} side_t;

static void release_side(side_t *side, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (side->buffers)
            kiln_buffer_release(side->buffers[i]);
        if (side->contents)
            free(side->contents[i]);
    }
    free(side->buffers);
    free(side->contents);
    free(side->values);
    free(side->args);
}

static kiln_status_t prepare(kiln_device_t *device, const kiln_case_t *test_case, side_t *out)
{
    const size_t count = test_case->argument_count;
    *out = (side_t){calloc(count + 1, sizeof *out->buffers), calloc(count + 1, sizeof(void *)),
                    calloc(count + 1, sizeof *out->values), calloc(count + 1, sizeof(void *))};
    if (!out->buffers || !out->contents || !out->values || !out->args)
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < count; i++) {
        const kiln_case_argument_t *argument = &test_case->arguments[i];
        out->values[i] = argument->value;
        out->args[i] = &out->values[i];
        if (!argument->is_pointer)
            continue;
        KILN_TRY(kiln_buffer_create(device, argument->size, &out->buffers[i]));
        KILN_TRY(kiln_buffer_write(out->buffers[i], 0, argument->input, argument->size));
        out->values[i] = kiln_buffer_address(out->buffers[i]);
        if (!(out->contents[i] = malloc(argument->size + 1)))
            return kiln_status_out_of_memory();
    }
    return KILN_OK;
}

static kiln_status_t run_side(kiln_device_t *device, const kiln_case_t *test_case,
                              const kiln_verify_code_t *code, side_t *out)
{
    KILN_TRY(prepare(device, test_case, out));
    KILN_TRY(kiln_verify_launch_code(device, code, test_case->grid, out->args));
    for (size_t i = 0; i < test_case->argument_count; i++)
        if (out->buffers[i])
            KILN_TRY(kiln_buffer_read(out->buffers[i], 0, out->contents[i],
                                      test_case->arguments[i].size));
    return KILN_OK;
}

void kiln_verify_run_cases(kiln_verify_context_t *context, size_t index,
                           kiln_verify_result_t *result)
{
    kiln_case_t *test_case = NULL;
    kiln_verify_code_t code = {0};
    side_t gpu = {0}, simulator = {0};
    const char *where = "case";
    kiln_status_t status = kiln_case_read(context->run->options->cases[index], &test_case);
    if (!status)
        status = compile_case(test_case, &code), where = "compiler";
    if (!status)
        status = run_side(context->simulator, test_case, &code, &simulator), where = "simulator";
    if (!status)
        status = run_side(context->gpu, test_case, &code, &gpu), where = "GPU";
    if (status)
        kiln_verify_fail(result, where, status);
    for (size_t i = 0; !status && i < test_case->argument_count; i++)
        if (gpu.buffers[i])
            kiln_verify_compare(test_case->arguments[i].name, test_case->arguments[i].type,
                                gpu.contents[i], simulator.contents[i],
                                test_case->arguments[i].size, result);
    release_side(&gpu, test_case ? test_case->argument_count : 0);
    release_side(&simulator, test_case ? test_case->argument_count : 0);
    kiln_verify_code_release(&code);
    kiln_case_release(test_case);
}
