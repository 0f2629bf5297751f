// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls: finds the kernel, binds its arguments, and launches it. A known call allocates nothing: a
// small number of cells is kept on the stack.
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/require.h"
#include "jit/jit_internal.h"

// Names in a declared grid.
typedef struct grid_names {
    const kiln_jit_kernel_t *kernel;
    const kiln_jit_call_t *call;
} grid_names_t;

// The number of elements of the memory that a pointer was passed with.
static bool elements_of(const grid_names_t *names, const char *name, size_t length,
                        int64_t *out_value)
{
    const kiln_jit_argument_t *given = NULL;
    const kiln_manifest_t *manifest = &names->kernel->manifest;
    for (size_t i = 0; i < names->call->argument_count && !given; i++)
        if (strncmp(names->call->arguments[i].name, name, length) == 0 &&
            !names->call->arguments[i].name[length])
            given = &names->call->arguments[i];
    if (!given || given->kind != KILN_JIT_POINTER || !kiln_size_is_known(given))
        return false;
    for (size_t i = 0; i < manifest->parameter_count; i++) {
        const kiln_parameter_t *parameter = &manifest->parameters[i];
        kiln_element_type_t element;
        if (strcmp(parameter->name, given->name) == 0 && parameter->type[0] == '*' &&
            kiln_element_type_parse(parameter->type + 1, &element)) {
            *out_value = (int64_t)(given->address_size / kiln_element_size(element));
            return true;
        }
    }
    return false;
}

static bool value_of(const char *name, size_t length, void *user, int64_t *out_value)
{
    const grid_names_t *names = user;
    const char *buffer;
    size_t buffer_length;
    if (kiln_expression_buffer(name, length, &buffer, &buffer_length))
        return elements_of(names, buffer, buffer_length, out_value);
    for (size_t i = 0; i < names->call->argument_count; i++) {
        const kiln_jit_argument_t *argument = &names->call->arguments[i];
        if (strncmp(argument->name, name, length) == 0 && !argument->name[length]) {
            *out_value = argument->integer;
            return argument->kind == KILN_JIT_INTEGER;
        }
    }
    const kiln_manifest_t *manifest = &names->kernel->manifest;
    for (size_t i = 0; i < manifest->constant_count; i++)
        if (strncmp(manifest->constants[i].name, name, length) == 0 &&
            !manifest->constants[i].name[length]) {
            const char *value = manifest->constants[i].value;
            *out_value = strcmp(value, "true") == 0;
            return *out_value || strcmp(value, "false") == 0 ||
                   kiln_integer_parse_all(value, 0, out_value);
        }
    return false;
}

static kiln_status_t compute_declared_grid(const kiln_jit_kernel_t *kernel,
                                           const kiln_jit_call_t *call, unsigned out_grid[3])
{
    const kiln_manifest_t *manifest = &kernel->manifest;
    grid_names_t names = {kernel, call};
    if (!manifest->has_grid)
        return kiln_status_make(KILN_STATUS_NOT_FOUND,
                                "kernel '%s' declares no grid: [[grid(…)]] before it",
                                manifest->kernel);
    for (int i = 0; i < 3; i++) {
        int64_t extent;
        KILN_TRY_NOTE(kiln_expression_run(&manifest->grid[i], value_of, &names, &extent),
                      "in the grid of kernel '%s'", manifest->kernel);
        if (extent < 0 || extent > INT32_MAX)
            return kiln_status_make(
                KILN_STATUS_INVALID_INPUT,
                "the grid '%s' of kernel '%s' is %lld; expected 0 to 2147483647",
                manifest->grid[i].text, manifest->kernel, (long long)extent);
        out_grid[i] = (unsigned)extent;
    }
    return KILN_OK;
}

static kiln_status_t compute_grid(const kiln_jit_kernel_t *kernel, const kiln_jit_call_t *call,
                                  unsigned out_grid[3])
{
    memcpy(out_grid, call->grid, sizeof call->grid); // grid_of may set only some extents
    if (call->uses_declared_grid)
        return compute_declared_grid(kernel, call, out_grid);
    return call->grid_of
               ? call->grid_of(kernel->names.items, kernel->names.count, out_grid, call->grid_user)
               : KILN_OK;
}

static kiln_status_t launch_cells(const kiln_jit_kernel_t *kernel, const kiln_jit_call_t *call,
                                  uint64_t *cells, void **pointers)
{
    for (size_t i = 0; i < kernel->manifest.parameter_count; i++)
        pointers[i] = &cells[i];
    kiln_launch_t launch = {.struct_size = sizeof launch,
                            .block = {kernel->manifest.block_size},
                            .stream = call->stream,
                            .args = pointers};
    KILN_TRY(compute_grid(kernel, call, launch.grid));
    return kiln_function_launch_complete(kernel->function, &launch);
}

// A known call's arguments match the parameters by name.
static kiln_status_t launch_known(const kiln_known_call_t *known, const kiln_jit_call_t *call)
{
    const kiln_jit_kernel_t *kernel = known->kernel;
    uint64_t cells[KILN_CALL_ARGUMENT_LIMIT];
    void *pointers[KILN_CALL_ARGUMENT_LIMIT];
    for (size_t i = 0; i < kernel->manifest.parameter_count; i++)
        KILN_TRY(kiln_bind_one(&kernel->manifest.parameters[i], kernel->cells[i],
                               &call->arguments[known->order[i]], &cells[i]));
    return launch_cells(kernel, call, cells, pointers);
}

static kiln_status_t launch_by_name(const kiln_jit_kernel_t *kernel, const kiln_jit_call_t *call)
{
    const kiln_manifest_t *manifest = &kernel->manifest;
    size_t count = manifest->parameter_count;
    uint64_t few_cells[KILN_CALL_ARGUMENT_LIMIT], *cells = few_cells;
    void *few_pointers[KILN_CALL_ARGUMENT_LIMIT], **pointers = few_pointers;
    if (count > KILN_CALL_ARGUMENT_LIMIT) {
        cells = calloc(count, sizeof *cells);
        pointers = calloc(count, sizeof *pointers);
    }
    kiln_status_t status =
        cells && pointers ? kiln_bind_cells(manifest->kernel, manifest->parameters, kernel->cells,
                                            count, call->arguments, call->argument_count, cells)
                          : kiln_status_out_of_memory();
    if (!status)
        status = launch_cells(kernel, call, cells, pointers);
    if (cells != few_cells)
        free(cells);
    if (pointers != few_pointers)
        free(pointers);
    return status;
}

static kiln_status_t find(kiln_jit_t *jit, const char *function, const kiln_jit_call_t *call,
                          kiln_jit_kernel_t **out_kernel, const kiln_known_call_t **out_known,
                          kiln_jit_origin_t *out_origin)
{
    kiln_call_key_t key;
    bool has_key = kiln_call_key_make(
        call, atomic_load_explicit(&jit->generation, memory_order_relaxed), &key);
    return kiln_jit_find(jit, function, call, has_key ? &key : NULL, out_kernel, out_known,
                         out_origin);
}

kiln_status_t kiln_jit_prepare(kiln_jit_t *jit, const kiln_jit_call_t *call,
                               kiln_jit_kernel_t **out_kernel, kiln_jit_origin_t *out_origin)
{
    KILN_REQUIRE_OUT(out_kernel);
    KILN_REQUIRE(jit);
    kiln_jit_call_t taken;
    KILN_TRY(kiln_jit_take_call(__func__, call, &taken));
    kiln_jit_origin_t origin;
    const kiln_known_call_t *known;
    KILN_TRY(find(jit, __func__, &taken, out_kernel, &known, &origin));
    if (out_origin)
        *out_origin = origin;
    return KILN_OK;
}

kiln_status_t kiln_jit_launch(kiln_jit_t *jit, const kiln_jit_call_t *call)
{
    KILN_REQUIRE(jit);
    kiln_jit_call_t taken;
    KILN_TRY(kiln_jit_take_call(__func__, call, &taken));
    kiln_jit_origin_t origin;
    kiln_jit_kernel_t *kernel = NULL;
    const kiln_known_call_t *known;
    KILN_TRY(find(jit, __func__, &taken, &kernel, &known, &origin));
    return known ? launch_known(known, &taken) : launch_by_name(kernel, &taken);
}

// The caller's struct completed, with arguments that have names; `function` is for errors.
static kiln_status_t take_arguments(const char *function, const kiln_jit_call_t *call,
                                    kiln_jit_call_t *out_call)
{
    KILN_TRY(kiln_jit_take_call(function, call, out_call));
    if (out_call->argument_count && !out_call->arguments)
        return kiln_jit_check_call(function, out_call);
    for (size_t i = 0; i < out_call->argument_count; i++)
        if (!out_call->arguments[i].name)
            return kiln_jit_check_call(function, out_call);
    return KILN_OK;
}

kiln_status_t kiln_jit_launch_kernel(const kiln_jit_kernel_t *kernel, const kiln_jit_call_t *call)
{
    KILN_REQUIRE(kernel);
    kiln_jit_call_t taken;
    KILN_TRY(take_arguments(__func__, call, &taken));
    return launch_by_name(kernel, &taken);
}

kiln_status_t kiln_jit_kernel_grid(const kiln_jit_kernel_t *kernel, const kiln_jit_call_t *call,
                                   unsigned out_grid[3])
{
    KILN_REQUIRE(kernel);
    KILN_REQUIRE(out_grid);
    kiln_jit_call_t taken;
    KILN_TRY(take_arguments(__func__, call, &taken));
    return compute_grid(kernel, &taken, out_grid);
}

const char *kiln_jit_kernel_name(const kiln_jit_kernel_t *kernel)
{
    return kernel ? kernel->manifest.kernel : NULL;
}

const char *kiln_jit_kernel_key(const kiln_jit_kernel_t *kernel)
{
    return kernel ? kernel->key_text : NULL;
}

const char *kiln_jit_kernel_manifest(const kiln_jit_kernel_t *kernel)
{
    return kernel ? kernel->manifest_text : NULL;
}

unsigned kiln_jit_kernel_block_size(const kiln_jit_kernel_t *kernel)
{
    return kernel ? kernel->manifest.block_size : 0;
}

size_t kiln_jit_kernel_setting_count(const kiln_jit_kernel_t *kernel)
{
    return kernel ? kernel->settings.count : 0;
}

const kiln_setting_t *kiln_jit_kernel_settings(const kiln_jit_kernel_t *kernel)
{
    return kernel ? kernel->settings.items : NULL;
}
