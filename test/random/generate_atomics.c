// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic operations: with old values where each element has an address of its own, so that they do
// not depend on the order. Sums of floats are exact.
#include "generate.h"

// index + a few, so that pairs of neighbours may straddle dwords.
static value_t displaced(generator_t *g, value_t index, int by)
{
    const value_t distance = constant(g, KILN_ELEMENT_I32, index.shape, by);
    value_t sum = new_value(g, KILN_ELEMENT_I32, index.shape);
    line(g, "%%v%d = arith.addi %%v%d, %%v%d : %s", sum.id, index.id, distance.id,
         type_text(KILN_ELEMENT_I32, index.shape));
    return sum;
}

static type_t type_of_atomic(generator_t *g, bool adds_floats)
{
    static const type_t floats[] = {KILN_ELEMENT_F16, KILN_ELEMENT_BF16, KILN_ELEMENT_F32,
                                    KILN_ELEMENT_F32, KILN_ELEMENT_F64};
    return adds_floats ? floats[draw(g, 5)] : chance(g, 3) ? KILN_ELEMENT_I64 : KILN_ELEMENT_I32;
}

bool make_atomic(generator_t *g)
{
    static const char *const operations[] = {"add", "max",  "min",  "and",  "or",
                                             "xor", "umax", "umin", "fadd", "exch"};
    static const char *const orders[] = {"acq_rel, gpu", "relaxed, gpu", "acquire, sys",
                                         "release, cta"};
    enum { FADD = 8, EXCH, BINS = 16, SMALL = 16, MOST = 32 };
    if (!has_room(g) || g->is_nested)
        return false;
    shape_t shape = chance(g, 6) ? (shape_t){0} : some_shape(g, 2);
    uint32_t op = draw(g, 11);
    op = op > EXCH ? FADD : op;
    type_t type = type_of_atomic(g, op == FADD);
    request_t request = {.type = type, .shape = shape, .max = op == FADD ? MOST : 0};
    value_t v = need(g, &request);
    // With separate addresses, old values don't depend on the order.
    bool unique =
        op == EXCH || chance(g, 2) ||
        (op == FADD && !fits(type, SMALL + MOST * (double)count_of(shape) * programs(g), 0));
    int span, start = chance(g, 2) ? 0 : (int)draw(g, 4), limit = 0;
    value_t index;
    if (unique) {
        index = some_index(g, shape, &span);
        index = displaced(g, of_program(g, index, span), start);
        limit = span * (int)programs(g) + start;
    } else {
        request_t any = {.type = KILN_ELEMENT_I32, .shape = shape};
        index = need(g, &any);
        index.id = below(g, index, BINS);
    }
    int buffer = add_buffer(g, type, unique ? (size_t)limit : (size_t)BINS),
        pointers = pointers_at(g, buffer, index);
    buffer_t *b = &g->program->buffers[buffer];
    b->takes_sums = true;
    b->max = SMALL;
    value_t old = new_value(g, type, shape);
    const char *tt = type_text(type, shape), *pt = pointer_text(type, shape),
               *mt = type_text(KILN_ELEMENT_I1, shape);
    request_t wanted = {.type = KILN_ELEMENT_I1, .shape = shape};
    value_t mask = {0};
    if (unique && chance(g, 4))
        mask.id = limit_mask(g, index, (int)draw(g, (uint32_t)limit + 1));
    else if (chance(g, 3))
        pick(g, &wanted, &mask);
    if (mask.id) {
        line(g, "%%v%d = tt.atomic_rmw %s, %s, %%v%d, %%v%d, %%v%d : (%s, %s, %s) -> %s", old.id,
             operations[op], orders[draw(g, 4)], pointers, v.id, mask.id, pt, tt, mt, tt);
        old.mask = mask.id;
    } else {
        line(g, "%%v%d = tt.atomic_rmw %s, %s, %%v%d, %%v%d : (%s, %s) -> %s", old.id,
             operations[op], orders[draw(g, 4)], pointers, v.id, pt, tt, tt);
    }
    if (is_float(type))
        old.max = SMALL;
    if (unique && !chance(g, 3)) // many operations are others if nothing uses the old values
        add_value(g, old);
    return true;
}

// Compare-and-swap, each element at a separate address.
bool make_cas(generator_t *g)
{
    if (!has_room(g) || g->is_nested)
        return false;
    shape_t shape = chance(g, 6) ? (shape_t){0} : some_shape(g, 2);
    type_t type = chance(g, 3) ? KILN_ELEMENT_I64 : KILN_ELEMENT_I32;
    request_t request = {.type = type, .shape = shape};
    value_t expected = need(g, &request), v = need(g, &request), old = new_value(g, type, shape);
    int span, low = below(g, expected, 4);
    value_t index = some_index(g, shape, &span);
    index = of_program(g, index, span);
    if (!has_room(g))
        return false;
    int buffer = add_buffer(g, type, (size_t)span * programs(g)),
        pointers = pointers_at(g, buffer, index);
    g->program->buffers[buffer].takes_sums = true;
    g->program->buffers[buffer].max = 3;
    line(g, "%%v%d = tt.atomic_cas acq_rel, gpu, %%v%d, %%v%d, %%v%d : (%s, %s, %s) -> %s", old.id,
         pointers, low, v.id, pointer_text(type, shape), type_text(type, shape),
         type_text(type, shape), type_text(type, shape));
    add_value(g, old);
    return true;
}
