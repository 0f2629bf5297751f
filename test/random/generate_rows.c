// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of a tensor through a descriptor: gathered, scattered, reduced into. Operations without
// results: assertions that hold, and prints. Concatenations, whose order of elements is
// unspecified.
//
// Scattered rows must differ, and sums in memory must not depend on their order.
#include "generate.h"

#include <math.h>

// A descriptor of a buffer with blocks of `rows` rows.
static int descriptor(generator_t *g, int buffer, int rows, int columns, const char *block)
{
    int r = integer(g, "i32", rows), c = integer(g, "i32", columns),
        stride = integer(g, "i64", columns), one = integer(g, "i64", 1), made = ++g->next_id;
    line(g, "%%v%d = tt.make_tensor_descriptor %%b%d, [%%v%d, %%v%d], [%%v%d, %%v%d] : <%s>, <%s>",
         made, buffer, r, c, stride, one, kiln_element_type_name(g->program->buffers[buffer].type),
         block);
    return made;
}

// Indices of rows, some of them out of bounds.
static int row_numbers(generator_t *g, shape_t flat)
{
    request_t request = {.type = KILN_ELEMENT_I32, .shape = flat};
    value_t any = need(g, &request), fifteen = constant(g, KILN_ELEMENT_I32, flat, 15),
            one = constant(g, KILN_ELEMENT_I32, flat, 1);
    int cut = ++g->next_id, out = ++g->next_id;
    const char *tt = type_text(KILN_ELEMENT_I32, flat);
    line(g, "%%v%d = arith.andi %%v%d, %%v%d : %s", cut, any.id, fifteen.id, tt);
    line(g, "%%v%d = arith.subi %%v%d, %%v%d : %s", out, cut, one.id, tt);
    return out;
}

static bool gather_rows(generator_t *g, type_t type, int rows, int columns)
{
    shape_t shape = {2, {8 << draw(g, 3), 16 << draw(g, 2)}}, block = {2, {1, shape.dims[1]}},
            flat = {1, {shape.dims[0]}};
    if (count_of(shape) > g->largest)
        return false;
    int buffer = add_buffer(g, type, (size_t)rows * (size_t)columns), at = row_numbers(g, flat);
    value_t v = new_value(g, type, shape);
    g->program->buffers[buffer].max = v.max = is_float(type) ? 8 : (double)INFINITY;
    int made = descriptor(g, buffer, rows, columns, type_text(type, block)),
        column = integer(g, "i32", (int)draw(g, 9));
    line(g,
         "%%v%d = tt.descriptor_gather %%v%d[%%v%d, %%v%d] : (!tt.tensordesc<%s>, %s, i32) -> %s",
         v.id, made, at, column, type_text(type, block), type_text(KILN_ELEMENT_I32, flat),
         type_text(type, shape));
    add_value(g, v);
    return true;
}

static bool scatter_rows(generator_t *g, int rows, int columns)
{
    request_t request = {.any_type = true, .any_shape = true};
    value_t v;
    if (!pick(g, &request, &v) || v.shape.rank != 2 || v.shape.dims[0] < 8 || v.shape.dims[1] < 8 ||
        v.has_sign || programs(g) > 1 || g->is_nested)
        return false;
    shape_t block = {2, {1, v.shape.dims[1]}}, flat = {1, {v.shape.dims[0]}};
    int buffer = add_buffer(g, v.type, (size_t)rows * (size_t)columns);
    g->program->buffers[buffer].is_output = true;
    value_t at = linear_index(g, flat, NULL);
    int made = descriptor(g, buffer, rows, columns, type_text(v.type, block)),
        column = integer(g, "i32", (int)draw(g, 9));
    line(g, "tt.descriptor_scatter %%v%d[%%v%d, %%v%d], %%v%d : !tt.tensordesc<%s>, %s, i32, %s",
         made, at.id, column, v.id, type_text(v.type, block), type_text(KILN_ELEMENT_I32, flat),
         type_text(v.type, v.shape));
    return true;
}

static bool reduce_block(generator_t *g, int rows, int columns)
{
    static const char *const kinds[] = {"add", "min", "max", "and", "or", "xor", "inc", "dec"};
    static const type_t types[] = {KILN_ELEMENT_I32, KILN_ELEMENT_F32, KILN_ELEMENT_I64,
                                   KILN_ELEMENT_F16, KILN_ELEMENT_F64};
    type_t type = types[draw(g, 5)];
    shape_t shape = {2, {1 << draw(g, 5), 16 << draw(g, 2)}};
    if (g->is_nested || count_of(shape) > g->largest)
        return false;
    // Several programs update the same location: inc and dec would depend on the order.
    uint32_t kind = draw(g, is_float(type) ? 3 : programs(g) == 1 ? 8 : 6);
    request_t request = {.type = type, .shape = shape, .max = is_float(type) ? 32 : 0};
    value_t v = need(g, &request);
    int buffer = add_buffer(g, type, (size_t)rows * (size_t)columns);
    g->program->buffers[buffer].takes_sums = true;
    g->program->buffers[buffer].max = 16;
    int made = descriptor(g, buffer, rows, columns, type_text(type, shape)),
        row = integer(g, "i32", (int)draw(g, 5) - 2),
        column = integer(g, "i32", (int)draw(g, 9) - 4);
    line(g, "tt.descriptor_reduce %s, %%v%d[%%v%d, %%v%d], %%v%d : !tt.tensordesc<%s>, %s",
         kinds[kind], made, row, column, v.id, type_text(type, shape), type_text(type, shape));
    return true;
}

bool make_rows(generator_t *g)
{
    static const type_t types[] = {KILN_ELEMENT_I32, KILN_ELEMENT_F16, KILN_ELEMENT_I8,
                                   KILN_ELEMENT_F32, KILN_ELEMENT_I64};
    if (!has_room(g))
        return false;
    int rows = 1 + (int)draw(g, 20), columns = 16 + (int)draw(g, 40);
    switch (draw(g, 3)) {
    case 0:
        return gather_rows(g, types[draw(g, 5)], rows, columns);
    case 1:
        return scatter_rows(g, rows, columns);
    default:
        return reduce_block(g, rows, columns);
    }
}

// The sum of a concatenation.
bool make_cat(generator_t *g)
{
    request_t request = {.type = some_integer(g), .any_shape = true};
    value_t a;
    if (!pick(g, &request, &a) || a.shape.rank != 1 || 2 * count_of(a.shape) > g->largest)
        return false;
    request.any_shape = false;
    request.shape = a.shape;
    value_t b = need(g, &request), sum = new_value(g, a.type, (shape_t){0});
    shape_t shape = {1, {2 * a.shape.dims[0]}};
    const char *element = kiln_element_type_name(a.type);
    int id = g->next_id;
    g->next_id += 4;
    line(g, "%%v%d = tt.cat %%v%d, %%v%d : %s -> %s", id + 1, a.id, b.id,
         type_text(a.type, a.shape), type_text(a.type, shape));
    line(g, "%%v%d = \"tt.reduce\"(%%v%d) <{axis = 0 : i32}> ({", sum.id, id + 1);
    line(g, "^bb0(%%v%d: %s, %%v%d: %s):", id + 2, element, id + 3, element);
    line(g, "  %%v%d = arith.addi %%v%d, %%v%d : %s", id + 4, id + 2, id + 3, element);
    line(g, "  tt.reduce.return %%v%d : %s", id + 4, element);
    line(g, "}) : (%s) -> %s", type_text(a.type, shape), element);
    add_value(g, sum);
    return true;
}

bool make_assert(generator_t *g)
{
    request_t request = {.type = KILN_ELEMENT_I32, .any_shape = true};
    value_t a;
    if (!pick(g, &request, &a))
        return false;
    value_t seven = constant(g, KILN_ELEMENT_I32, a.shape, 7);
    int cut = ++g->next_id, holds = ++g->next_id;
    const char *tt = type_text(KILN_ELEMENT_I32, a.shape);
    line(g, "%%v%d = arith.remui %%v%d, %%v%d : %s", cut, a.id, seven.id, tt);
    line(g, "%%v%d = arith.cmpi ult, %%v%d, %%v%d : %s", holds, cut, seven.id, tt);
    line(g, "tt.assert %%v%d, \"less than seven\" : %s", holds,
         type_text(KILN_ELEMENT_I1, a.shape));
    return true;
}

// Prints integers, and exact floats, of one or two small tiles: each element is a line. A scalar is
// printed once per program (kiln.once), because the interpreter has no threads.
bool make_print(generator_t *g)
{
    static const type_t types[] = {KILN_ELEMENT_I32, KILN_ELEMENT_F32, KILN_ELEMENT_F16,
                                   KILN_ELEMENT_I64, KILN_ELEMENT_I8,  KILN_ELEMENT_I16,
                                   KILN_ELEMENT_F64, KILN_ELEMENT_BF16};
    request_t request = {.any_shape = true, .type = types[draw(g, sizeof types / sizeof *types)]};
    value_t a, b;
    if (!pick(g, &request, &a) || count_of(a.shape) > 256 || g->depth > 1 || programs(g) > 4)
        return false;
    bool two =
        chance(g, 3) && pick(g, &(request_t){.type = KILN_ELEMENT_I32, .shape = a.shape}, &b);
    int is_signed = 1 - (int)draw(g, 2);
    const char *hex = chance(g, 5) && !is_float(a.type) ? "true" : "false";
    if (two)
        line(g,
             "tt.print \" p: \" {hex = %s, isSigned = array<i32: %d, 1>, kiln.once} : %%v%d, %%v%d "
             ": %s, %s",
             hex, is_signed, a.id, b.id, type_text(a.type, a.shape), type_text(b.type, b.shape));
    else
        line(g, "tt.print \" p: \" {hex = %s, isSigned = array<i32: %d>, kiln.once} : %%v%d : %s",
             hex, is_signed, a.id, type_text(a.type, a.shape));
    return true;
}
