// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim_corpus.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "base/string.h"

const char *const sim_corpus_makers[2] = {"Triton", "Kiln"};

static kiln_status_t out_of_memory(void)
{
    return kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES, "out of memory");
}

static kiln_status_t read_file(const char *directory, const char *name, char **out_bytes,
                               size_t *out_size)
{
    char *path = kiln_path_join(directory, name);
    if (!path)
        return out_of_memory();
    kiln_status_t status = kiln_file_read(path, out_bytes, out_size);
    free(path);
    return status;
}

static void entry_free(sim_corpus_entry_t *entry)
{
    kiln_case_release(entry->test_case);
    free(entry->code[0]);
    free(entry->code[1]);
}

void sim_corpus_free(sim_corpus_t *corpus)
{
    for (size_t i = 0; i < corpus->count; i++)
        entry_free(&corpus->entries[i]);
    free(corpus->entries);
    *corpus = (sim_corpus_t){0};
}

static kiln_status_t options_of(const kiln_case_t *test_case, kiln_compile_options_t *out_options)
{
    kiln_setting_t none[1]; // all of a case's settings are options
    kiln_compile_options_initialize(out_options);
    out_options->kernel = test_case->entry;
    return kiln_compile_options_apply(out_options, test_case->settings, test_case->setting_count,
                                      none);
}

kiln_status_t sim_corpus_read(char *const *directories, size_t count, sim_corpus_t *out)
{
    *out = (sim_corpus_t){.entries = calloc(count + 1, sizeof *out->entries)};
    if (!out->entries)
        return out_of_memory();
    for (size_t i = 0; i < count; i++) {
        sim_corpus_entry_t *entry = &out->entries[out->count++];
        KILN_TRY(kiln_case_read(directories[i], &entry->test_case));
        KILN_TRY(read_file(directories[i], "triton.hsaco", &entry->code[0], &entry->size[0]));
        kiln_compile_options_t options;
        KILN_TRY(options_of(entry->test_case, &options));
        entry->block_size[0] = 64 * (unsigned)options.num_warps;
    }
    return KILN_OK;
}

static kiln_status_t compile(sim_corpus_entry_t *entry)
{
    const kiln_case_t *test_case = entry->test_case;
    kiln_source_t source = {.stage = KILN_STAGE_TT, .name = "kernel.ttir"};
    char *text = NULL;
    KILN_TRY(read_file(test_case->directory, "kernel.ttir", &text, &source.length));
    source.text = text;
    kiln_compile_options_t options;
    kiln_session_t *session = NULL;
    kiln_kernel_t *kernel = NULL;
    kiln_status_t status = options_of(test_case, &options);
    if (!status)
        status = kiln_session_create(&session);
    if (!status)
        status = kiln_compile(session, &source, &options, &kernel);
    if (!status) {
        const void *bytes = kiln_kernel_code_object(kernel, &entry->size[1]);
        entry->block_size[1] = kiln_kernel_block_size(kernel);
        entry->code[1] = malloc(entry->size[1]);
        if (entry->code[1])
            memcpy(entry->code[1], bytes, entry->size[1]);
        else
            status = out_of_memory();
    }
    kiln_kernel_release(kernel);
    kiln_session_release(session);
    free(text);
    return status;
}

kiln_status_t sim_corpus_choose(sim_corpus_t *corpus, const bool *keep)
{
    size_t kept = 0;
    for (size_t i = 0; i < corpus->count; i++) {
        if (keep[i])
            corpus->entries[kept++] = corpus->entries[i];
        else
            entry_free(&corpus->entries[i]);
    }
    corpus->count = kept;
    for (size_t i = 0; i < kept; i++)
        KILN_TRY_NOTE(compile(&corpus->entries[i]), "in case '%s'",
                      corpus->entries[i].test_case->name);
    return KILN_OK;
}

static double processor_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static kiln_status_t launch(kiln_device_t *device, kiln_function_t *function,
                            const kiln_launch_t *config, int repeats,
                            kiln_sim_launch_stats_t *out_stats, double *out_seconds)
{
    for (int i = 0; i < repeats; i++) {
        double start = processor_seconds();
        KILN_TRY(kiln_function_launch(function, config));
        KILN_TRY(kiln_stream_synchronize(device, NULL));
        double spent = processor_seconds() - start;
        if (i == 0 || spent < *out_seconds)
            *out_seconds = spent;
    }
    *out_stats = (kiln_sim_launch_stats_t){.struct_size = sizeof *out_stats};
    return kiln_device_launch_stats(device, out_stats);
}

kiln_status_t sim_corpus_run(kiln_device_t *device, const sim_corpus_entry_t *entry, int maker,
                             int repeats, kiln_sim_launch_stats_t *out_stats, double *out_seconds)
{
    const kiln_case_t *test_case = entry->test_case;
    size_t count = test_case->argument_count;
    // Triton's objects take two scratch pointers after the arguments, which may be null.
    kiln_buffer_t **buffers = calloc(count + 1, sizeof *buffers);
    uint64_t *values = calloc(count + 2, sizeof *values);
    void **args = calloc(count + 2, sizeof *args);
    kiln_module_t *module = NULL;
    kiln_function_t *function;
    kiln_status_t status = buffers && values && args ? KILN_OK : out_of_memory();
    for (size_t i = 0; !status && i < count + 2; i++) {
        const kiln_case_argument_t *argument = &test_case->arguments[i];
        args[i] = &values[i];
        if (i >= count)
            continue;
        values[i] = argument->value;
        if (!argument->is_pointer)
            continue;
        status = kiln_buffer_create(device, argument->size, &buffers[i]);
        if (!status)
            status = kiln_buffer_write(buffers[i], 0, argument->input, argument->size);
        if (!status)
            values[i] = kiln_buffer_address(buffers[i]);
    }
    kiln_launch_t config;
    kiln_launch_initialize(&config);
    memcpy(config.grid, test_case->grid, sizeof config.grid);
    config.block[0] = entry->block_size[maker];
    config.args = args;
    config.dynamic_lds_bytes = maker == 0 ? test_case->triton_lds_bytes : 0;
    if (!status)
        status = kiln_module_load(device, entry->code[maker], entry->size[maker], &module);
    if (!status)
        status = kiln_module_function(module, test_case->entry, &function);
    if (!status)
        status = launch(device, function, &config, repeats, out_stats, out_seconds);
    for (size_t i = 0; buffers && i < count; i++)
        kiln_buffer_release(buffers[i]);
    kiln_module_release(module);
    free(buffers);
    free(values);
    free(args);
    return status;
}
