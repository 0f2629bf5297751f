// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches loaded kernels: loads the variant's code onto the device, converts its arguments to
// cells and evaluates its grid.
//
// Two threads may look up a variant's function at the same time; both get the same one, from the
// module.
#include <stdlib.h>
#include <string.h>

#include "base/require.h"
#include "hip/device.h"
#include "jit/specialize.h"
#include "load/program.h"

enum { FEW_ARGUMENTS = 48 };

void kiln_program_call_initialize_sized(kiln_program_call_t *call, size_t struct_size)
{
    static const kiln_program_call_t defaults = {0};
    kiln_struct_initialize(call, struct_size, &defaults, sizeof defaults);
}

static kiln_status_t check_call(const char *function, const kiln_program_call_t *call)
{
    const char *wrong = NULL;
    if (!call->arguments && call->argument_count)
        wrong = "call->arguments is NULL";
    else if (!call->constants && call->constant_count)
        wrong = "call->constants is NULL";
    for (size_t i = 0; i < call->argument_count && !wrong; i++)
        if (!call->arguments[i].value.name)
            wrong = "an argument has no name";
    for (size_t i = 0; i < call->constant_count && !wrong; i++)
        if (!call->constants[i].name || !call->constants[i].value)
            wrong = "a constant has no name or no value";
    return wrong ? kiln_status_make(KILN_STATUS_USAGE, "%s: %s", function, wrong) : KILN_OK;
}

// Takes the caller's struct of any version, and rejects NULL in its lists.
#define TAKE_CALL(out_call, call)                                                                  \
    do {                                                                                           \
        kiln_program_call_initialize(out_call);                                                    \
        KILN_REQUIRE_STRUCT(kiln_program_call_t, out_call, call);                                  \
        KILN_TRY(check_call(__func__, out_call));                                                  \
    } while (0)

kiln_status_t kiln_program_choose(const kiln_program_t *program, const kiln_program_call_t *call,
                                  const kiln_variant_t **out_variant)
{
    kiln_program_call_t taken;
    KILN_REQUIRE_OUT(out_variant);
    KILN_REQUIRE(program);
    TAKE_CALL(&taken, call);
    return kiln_program_choose_complete(program, &taken, out_variant);
}

// Grids -------------------------------------------------------------------------------------------

typedef struct names {
    const kiln_variant_t *variant;
    const kiln_program_call_t *call;
} names_t;

static bool elements_of(const names_t *names, const char *name, size_t length, int64_t *out_value)
{
    const kiln_description_t *d = &names->variant->d;
    const kiln_described_argument_t *pointer = kiln_description_argument(d, name, length);
    const kiln_typed_argument_t *given =
        pointer ? kiln_given_argument(names->call, (size_t)(pointer - d->arguments), pointer->name)
                : NULL;
    if (!given || given->value.kind != KILN_JIT_POINTER || !kiln_size_is_known(&given->value))
        return false;
    *out_value = (int64_t)(given->value.address_size / kiln_element_size(pointer->element));
    return true;
}

static bool value_of(const char *name, size_t length, void *user, int64_t *out_value)
{
    const names_t *names = user;
    const kiln_description_t *d = &names->variant->d;
    const char *buffer;
    size_t buffer_length;
    if (kiln_expression_buffer(name, length, &buffer, &buffer_length))
        return elements_of(names, buffer, buffer_length, out_value);
    const kiln_described_argument_t *argument = kiln_description_argument(d, name, length);
    const kiln_described_constant_t *constant =
        argument ? NULL : kiln_description_constant(d, name, length);
    if (constant) {
        *out_value = constant->integer;
        return constant->is_integer;
    }
    const kiln_typed_argument_t *given =
        argument
            ? kiln_given_argument(names->call, (size_t)(argument - d->arguments), argument->name)
            : NULL;
    *out_value = given ? given->value.integer : 0;
    return given && given->value.kind == KILN_JIT_INTEGER;
}

static kiln_status_t compute_grid(const kiln_variant_t *v, const kiln_program_call_t *call,
                                  unsigned out_grid[3])
{
    names_t names = {v, call};
    if (!v->d.has_grid)
        return kiln_status_make(KILN_STATUS_NOT_FOUND,
                                "the manifest of kernel '%s' has no grid; pass one with the call, "
                                "or compile with `grid`",
                                v->d.name);
    for (int i = 0; i < 3; i++) {
        int64_t extent;
        KILN_TRY_NOTE(kiln_expression_run(&v->d.grid[i], value_of, &names, &extent),
                      "in the grid of kernel '%s'", v->d.name);
        if (extent < 0 || extent > INT32_MAX)
            return kiln_status_make(
                KILN_STATUS_INVALID_INPUT,
                "the grid '%s' of kernel '%s' is %lld; expected 0 to 2147483647", v->d.grid[i].text,
                v->d.name, (long long)extent);
        out_grid[i] = (unsigned)extent;
    }
    return KILN_OK;
}

kiln_status_t kiln_variant_grid(const kiln_variant_t *variant, const kiln_program_call_t *call,
                                unsigned out_grid[3])
{
    kiln_program_call_t taken;
    KILN_REQUIRE(out_grid);
    memset(out_grid, 0, 3 * sizeof *out_grid);
    KILN_REQUIRE(variant);
    TAKE_CALL(&taken, call);
    return compute_grid(variant, &taken, out_grid);
}

// Launches ----------------------------------------------------------------------------------------

static kiln_status_t load_function_locked(kiln_variant_t *v, kiln_function_t **out_function)
{
    kiln_program_code_t *code = &v->program->codes[v->code];
    if (!code->module)
        KILN_TRY(kiln_module_load(v->program->device, code->bytes, code->size, &code->module));
    return kiln_module_function(code->module, v->d.kernel, out_function);
}

static kiln_status_t function_of(kiln_variant_t *v, kiln_function_t **out_function)
{
    *out_function = atomic_load_explicit(&v->function, memory_order_acquire);
    if (*out_function)
        return KILN_OK;
    pthread_mutex_lock(&v->program->lock);
    kiln_status_t status = load_function_locked(v, out_function);
    pthread_mutex_unlock(&v->program->lock);
    if (!status)
        atomic_store_explicit(&v->function, *out_function, memory_order_release);
    return kiln_status_annotate(status, "while loading kernel '%s' of '%s'", v->d.name,
                                v->program->name);
}

kiln_status_t kiln_program_prepare(kiln_program_t *program)
{
    KILN_REQUIRE(program);
    for (size_t i = 0; i < program->variant_count; i++) {
        kiln_function_t *function;
        KILN_TRY(function_of(&program->variants[i], &function));
    }
    return KILN_OK;
}

static kiln_status_t launch_cells(const kiln_variant_t *v, const kiln_program_call_t *call,
                                  const unsigned grid[3], uint64_t *cells, void **args)
{
    for (size_t i = 0; i < v->d.argument_count; i++) {
        const kiln_typed_argument_t *given = kiln_given_argument(call, i, v->d.arguments[i].name);
        KILN_TRY(kiln_bind_one(&v->parameters[i], v->cells[i], &given->value, &cells[i]));
        args[i] = &cells[i];
    }
    kiln_function_t *function;
    KILN_TRY(function_of((kiln_variant_t *)(uintptr_t)v,
                         &function)); // the caller's program is not const
    kiln_launch_t launch;
    kiln_launch_initialize(&launch);
    memcpy(launch.grid, grid, sizeof launch.grid);
    memcpy(launch.block, v->d.block, sizeof launch.block);
    launch.dynamic_lds_bytes = v->d.dynamic_lds_bytes;
    launch.stream = call->stream;
    launch.args = args;
    return kiln_function_launch_complete(function, &launch);
}

kiln_status_t kiln_program_launch(kiln_program_t *program, const kiln_program_call_t *call)
{
    kiln_program_call_t taken;
    KILN_REQUIRE(program);
    TAKE_CALL(&taken, call);
    const kiln_variant_t *v;
    unsigned grid[3];
    KILN_TRY(kiln_program_choose_complete(program, &taken, &v));
    if (taken.grid)
        memcpy(grid, taken.grid, sizeof grid);
    else
        KILN_TRY(compute_grid(v, &taken, grid));
    uint64_t few_cells[FEW_ARGUMENTS], *cells = few_cells;
    void *few_args[FEW_ARGUMENTS], **args = few_args;
    if (v->d.argument_count <= FEW_ARGUMENTS)
        return launch_cells(v, &taken, grid, cells, args);
    cells = malloc(v->d.argument_count * sizeof *cells);
    args = malloc(v->d.argument_count * sizeof *args);
    kiln_status_t status =
        cells && args ? launch_cells(v, &taken, grid, cells, args) : kiln_status_out_of_memory();
    free(cells);
    free(args);
    return status;
}
