// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accessors of a compiled kernel. Everything that they return belongs to the kernel.
#include "artifact/kernel.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void kiln_kernel_release(kiln_kernel_t *kernel)
{
    if (!kernel)
        return;
    free(kernel->name);
    free(kernel->symbol);
    free(kernel->code_object);
    free(kernel->object);
    for (int i = 0; i < KILN_STAGE_COUNT; i++)
        free(kernel->texts[i]);
    free(kernel->manifest);
    free(kernel->findings);
    for (size_t i = 0; i < kernel->argument_count; i++) {
        free((char *)(uintptr_t)kernel->arguments[i].name);
        free((char *)(uintptr_t)kernel->arguments[i].type);
    }
    free(kernel->arguments);
    for (size_t i = 0; i < kernel->hidden_count; i++)
        free(kernel->hidden[i].kind);
    free(kernel->hidden);
    kiln_named_constants_free(&kernel->constants);
    free(kernel->source_hash);
    for (int i = 0; i < 3; i++)
        kiln_expression_free(&kernel->grid[i]);
    for (size_t i = 0; i < kernel->include_count; i++)
        free(kernel->includes[i]);
    free(kernel->includes);
    for (size_t i = 0; i < kernel->timing_count; i++)
        free((char *)(uintptr_t)kernel->timings[i].phase);
    free(kernel->timings);
    free(kernel);
}

void kiln_kernel_add_timing(kiln_kernel_t *kernel, const char *phase, double milliseconds)
{
    if (!KILN_ARRAY_RESERVE(&kernel->timings, &kernel->timing_capacity, kernel->timing_count + 1)) {
        kernel->out_of_memory = true;
        return;
    }
    char *name = strdup(phase);
    if (name)
        kernel->timings[kernel->timing_count++] = (kiln_timing_t){name, milliseconds};
    else
        kernel->out_of_memory = true;
}

const char *kiln_kernel_name(const kiln_kernel_t *kernel)
{
    return kernel ? kernel->name : NULL;
}

const void *kiln_kernel_code_object(const kiln_kernel_t *kernel, size_t *out_size)
{
    if (out_size)
        *out_size = kernel ? kernel->code_object_size : 0;
    return kernel ? kernel->code_object : NULL;
}

const char *kiln_kernel_text(const kiln_kernel_t *kernel, kiln_stage_t stage)
{
    if (!kernel)
        return NULL;
    return (int)stage >= 0 && (int)stage < KILN_STAGE_COUNT ? kernel->texts[stage] : NULL;
}

const char *kiln_kernel_manifest(const kiln_kernel_t *kernel)
{
    return kernel ? kernel->manifest : NULL;
}
unsigned kiln_kernel_block_size(const kiln_kernel_t *kernel)
{
    return kernel ? kernel->block_size : 0;
}
size_t kiln_kernel_argument_count(const kiln_kernel_t *kernel)
{
    return kernel ? kernel->argument_count : 0;
}

const kiln_argument_t *kiln_kernel_argument(const kiln_kernel_t *kernel, size_t index)
{
    return index < kiln_kernel_argument_count(kernel) ? &kernel->arguments[index] : NULL;
}

kiln_setting_t kiln_kernel_constant(const kiln_kernel_t *kernel, size_t index)
{
    if (!kernel || index >= kernel->constants.count)
        return (kiln_setting_t){NULL, NULL};
    return (kiln_setting_t){kernel->constants.items[index].name,
                            kernel->constants.items[index].value};
}

const kiln_resources_t *kiln_kernel_resources(const kiln_kernel_t *kernel)
{
    return kernel ? &kernel->resources : NULL;
}
size_t kiln_kernel_include_count(const kiln_kernel_t *kernel)
{
    return kernel ? kernel->include_count : 0;
}

const char *kiln_kernel_include(const kiln_kernel_t *kernel, size_t index)
{
    return index < kiln_kernel_include_count(kernel) ? kernel->includes[index] : NULL;
}

size_t kiln_kernel_timing_count(const kiln_kernel_t *kernel)
{
    return kernel ? kernel->timing_count : 0;
}

const kiln_timing_t *kiln_kernel_timing(const kiln_kernel_t *kernel, size_t index)
{
    return index < kiln_kernel_timing_count(kernel) ? &kernel->timings[index] : NULL;
}

int kiln_kernel_pipeline_stages(const kiln_kernel_t *kernel)
{
    return kernel ? kernel->pipeline_stages : 0;
}

bool kiln_kernel_reads_program_id(const kiln_kernel_t *kernel)
{
    return kernel && kernel->reads_program_id;
}

const kiln_program_facts_t *kiln_kernel_program_facts(const kiln_kernel_t *kernel)
{
    return kernel && kernel->has_facts ? &kernel->facts : NULL;
}

const char *kiln_kernel_declared_grid(const kiln_kernel_t *kernel)
{
    return kernel ? kernel->constants.grid : NULL;
}
