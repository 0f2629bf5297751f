// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of bytes as floats, as in kernels with weights of four bits. Any dimension may have the
// same bytes everywhere, so that what a wave loads may be uniform.
#include "generate.h"

// Applies an operation with a constant to a tile.
static int apply(generator_t *g, const char *operation, type_t type, value_t v, int id, int number)
{
    const int c = constant(g, type, v.shape, number).id, out = ++g->next_id;
    line(g, "%%v%d = arith.%s %%v%d, %%v%d : %s", out, operation, id, c, type_text(type, v.shape));
    return out;
}

bool make_bytes(generator_t *g)
{
    static const int masks[] = {15, 1, 3, 7, 0x3f, 0x55, 0x71, 0x7f, 0x3c};
    const shape_t shape = some_shape(g, 2);
    int strides[MAX_DIMS], span = 1;
    if (!shape.rank || !has_room(g))
        return false;
    for (int d = 0; d < shape.rank; d++) {
        strides[d] = (int)draw(g, 3);
        span += (shape.dims[d] - 1) * strides[d];
    }
    const value_t index = linear_index(g, shape, strides);
    const int pointers = pointers_at(g, add_buffer(g, KILN_ELEMENT_I8, (size_t)span), index);
    value_t v = new_value(g, KILN_ELEMENT_F32, shape);
    type_t type = KILN_ELEMENT_I8;
    int id = ++g->next_id;
    line(g, "%%v%d = tt.load %%v%d : %s", id, pointers, pointer_text(type, shape));
    if (chance(g, 2)) {
        const int wide = ++g->next_id;
        line(g, "%%v%d = arith.extui %%v%d : %s to %s", wide, id, type_text(type, shape),
             type_text(KILN_ELEMENT_I32, shape));
        type = KILN_ELEMENT_I32;
        id = wide;
    }
    for (uint32_t n = 1 + draw(g, 2); n > 0; n--)
        id = chance(g, 2) ? apply(g, "shrui", type, v, id, 1 + (int)draw(g, 7))
                          : apply(g, "andi", type, v, id, masks[draw(g, 9)]);
    const bool adds = type == KILN_ELEMENT_I32 && chance(g, 2);
    if (adds)
        id = apply(g, "addi", type, v, id, (int)draw(g, 256) - 128);
    line(g, "%%v%d = arith.%s %%v%d : %s to %s", v.id, adds ? "sitofp" : "uitofp", id,
         type_text(type, shape), type_text(KILN_ELEMENT_F32, shape));
    v.max = adds ? 511 : 255;
    v.is_integer = true;
    add_value(g, v);
    return true;
}
