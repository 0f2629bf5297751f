// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kinds of kernels as a table, and the helpers with which their code is emitted.
#include "kernels.h"

#include <stdio.h>

static const struct {
    const char *name;
    void (*emit)(emit_t *e, char grid[64]);
} kinds[] = {
    [KERNEL_LINEAR] = {"linear", emit_linear},
    [KERNEL_ATTENTION] = {"attention", emit_attention},
    [KERNEL_LAYER_NORM] = {"layer_norm", emit_layer_norm},
    [KERNEL_EMBED] = {"embed", emit_embed},
    [KERNEL_POOL] = {"pool", emit_pool},
};

void kernel_set_name(kernel_t *kernel)
{
    int length = snprintf(kernel->name, sizeof kernel->name, "%s", kinds[kernel->kind].name);
    int last = CONSTANTS - 1;
    while (last > 0 && !kernel->constant[last])
        last--;
    for (int i = 0; i <= last; i++)
        length += snprintf(kernel->name + length, sizeof kernel->name - (size_t)length, "_%d",
                           kernel->constant[i]);
}

kiln_status_t kernel_build(const kernel_t *kernel, kiln_builder_t *builder,
                           kiln_source_t *out_source, char out_grid[64])
{
    emit_t e = {.b = builder, .kernel = kernel};
    kinds[kernel->kind].emit(&e, out_grid);
    kiln_build_kernel_end(builder);
    KILN_TRY_NOTE(kiln_builder_finish(builder, out_source), "while building the kernel '%s'",
                  kernel->name);
    out_source->name = kernel->name;
    return KILN_OK;
}

// The engine allocates all memory itself: aligned, and each buffer below 2 GiB.
void emit_begin(emit_t *e, const parameter_t *parameters)
{
    kiln_kernel_parameter_t declared[ARGUMENTS];
    kiln_value_t arguments[ARGUMENTS];
    size_t count = 0;
    for (const parameter_t *p = parameters; p->name; p++) {
        bool is_pointer = p->type[0] == '*';
        const char *name = p->type + is_pointer;
        kiln_value_type_t type = kiln_scalar_type(name[0] == 'i'   ? KILN_VALUE_I32
                                                  : name[1] == '1' ? KILN_VALUE_F16
                                                                   : KILN_VALUE_F32);
        type.is_pointer = is_pointer;
        if (p->out)
            declared[count++] =
                (kiln_kernel_parameter_t){p->name, type, is_pointer ? 16 : 0, is_pointer};
    }
    kiln_build_kernel_begin(e->b, e->kernel->name, declared, count, arguments);
    for (size_t i = 0; parameters->name; parameters++)
        if (parameters->out)
            *parameters->out = arguments[i++];
}

static tile_t arithmetic(emit_t *e, kiln_binary_t of_floats, kiln_binary_t of_integers, tile_t x,
                         tile_t y)
{
    bool is_float = kiln_value_type(e->b, x).element >= KILN_VALUE_F16;
    return kiln_build_binary(e->b, is_float ? of_floats : of_integers, x, y);
}

// clang-format off
tile_t i32(emit_t *e, int64_t x) { return kiln_build_int(e->b, kiln_scalar_type(KILN_VALUE_I32), x); }
tile_t f32(emit_t *e, double x) { return kiln_build_float(e->b, kiln_scalar_type(KILN_VALUE_F32), x); }
tile_t add(emit_t *e, tile_t x, tile_t y) { return arithmetic(e, KILN_BINARY_ADDF, KILN_BINARY_ADDI, x, y); }
tile_t sub(emit_t *e, tile_t x, tile_t y) { return arithmetic(e, KILN_BINARY_SUBF, KILN_BINARY_SUBI, x, y); }
tile_t mul(emit_t *e, tile_t x, tile_t y) { return arithmetic(e, KILN_BINARY_MULF, KILN_BINARY_MULI, x, y); }
tile_t divide(emit_t *e, tile_t x, tile_t y) { return kiln_build_binary(e->b, KILN_BINARY_DIVF, x, y); }
tile_t rest(emit_t *e, tile_t x, tile_t y) { return kiln_build_binary(e->b, KILN_BINARY_REMSI, x, y); }
tile_t both(emit_t *e, tile_t x, tile_t y) { return kiln_build_binary(e->b, KILN_BINARY_ANDI, x, y); }
tile_t less(emit_t *e, tile_t x, tile_t y) { return kiln_build_compare(e->b, KILN_COMPARE_SLT, x, y); }
tile_t at(emit_t *e, tile_t p, tile_t i) { return kiln_build_addptr(e->b, p, i); }
tile_t load(emit_t *e, tile_t p) { return kiln_build_load(e->b, p, no_tile, no_tile); }
tile_t row(emit_t *e, tile_t x) { return kiln_build_expand_dims(e->b, x, 0); }
tile_t column(emit_t *e, tile_t x) { return kiln_build_expand_dims(e->b, x, 1); }
tile_t wide(emit_t *e, tile_t x) { return kiln_build_convert(e->b, KILN_CONVERT_EXTF, x, KILN_VALUE_F32); }
tile_t narrow(emit_t *e, tile_t x) { return kiln_build_convert(e->b, KILN_CONVERT_TRUNCF, x, KILN_VALUE_F16); }
// clang-format on

tile_t load_where(emit_t *e, tile_t p, tile_t mask)
{
    tile_t zero =
        mask.handle ? kiln_build_float(e->b, kiln_scalar_type(kiln_value_type(e->b, p).element), 0)
                    : no_tile;
    return kiln_build_load(e->b, p, mask, zero);
}

tile_t block_range(emit_t *e, int axis, int size)
{
    return add(e, mul(e, kiln_build_program_id(e->b, axis), i32(e, size)),
               kiln_build_range(e->b, 0, size));
}

void for_begin(emit_t *e, tile_t end, int step, const tile_t *initial, size_t count, tile_t *out_i,
               tile_t *out_carried)
{
    kiln_build_for_begin(e->b, i32(e, 0), end, i32(e, step), initial, count, out_i, out_carried);
}

int power_of_two(int at_least)
{
    int size = 1;
    while (size < at_least)
        size *= 2;
    return size;
}
