// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements that move elements or combine them: shapes, reductions, scans, gathers, histograms.
//
// A sum of floats is exact only while all partial sums are within bounds. Reductions over signed
// zeros may return either zero.
#include <math.h>
#include <string.h>

#include "generate.h"

static value_t like(generator_t *g, value_t a, shape_t shape)
{
    value_t v = a;
    v.id = ++g->next_id;
    v.shape = shape;
    v.mask = 0;
    return v;
}

static bool pick_tensor(generator_t *g, value_t *out)
{
    request_t request = {.any_type = true, .any_shape = true, .specials = true};
    for (int i = 0; i < 4; i++)
        if (pick(g, &request, out) && out->shape.rank)
            return true;
    request = (request_t){.type = some_integer(g), .shape = some_shape(g, 3)};
    *out = need(g, &request);
    return true;
}

static bool reshape(generator_t *g, value_t a)
{
    shape_t to = {.rank = 1 + (int)draw(g, MAX_DIMS)};
    int left = count_of(a.shape);
    for (int d = 0; d < to.rank; d++) {
        int most = 0;
        while (2 << most <= left)
            most++;
        to.dims[d] = d == to.rank - 1 ? left : 1 << draw(g, (uint32_t)most + 1);
        left /= to.dims[d];
    }
    value_t v = like(g, a, to);
    line(g, "%%v%d = tt.reshape %%v%d : %s -> %s", v.id, a.id, type_text(a.type, a.shape),
         type_text(a.type, to));
    add_value(g, v);
    return true;
}

static bool transpose(generator_t *g, value_t a)
{
    static const char *const orders2[] = {"1, 0"},
                             *const orders3[] = {"0, 2, 1", "1, 0, 2", "2, 0, 1", "1, 2, 0",
                                                 "2, 1, 0"},
                             *const orders4[] = {"3, 2, 1, 0", "0, 2, 1, 3", "1, 3, 0, 2"};
    if (a.shape.rank < 2)
        return reshape(g, a);
    const char *order = a.shape.rank == 2   ? orders2[0]
                        : a.shape.rank == 3 ? orders3[draw(g, 5)]
                                            : orders4[draw(g, 3)];
    shape_t to = a.shape;
    for (int d = 0; d < to.rank; d++)
        to.dims[d] = a.shape.dims[order[3 * d] - '0'];
    value_t v = like(g, a, to);
    line(g, "%%v%d = tt.trans %%v%d {order = array<i32: %s>} : %s -> %s", v.id, a.id, order,
         type_text(a.type, a.shape), type_text(a.type, to));
    add_value(g, v);
    return true;
}

static bool expand(generator_t *g, value_t a)
{
    if (a.shape.rank == MAX_DIMS)
        return false;
    int axis = (int)draw(g, (uint32_t)a.shape.rank + 1), times = 1 << draw(g, 6);
    shape_t one = {.rank = a.shape.rank + 1};
    for (int d = 0, from = 0; d < one.rank; d++)
        one.dims[d] = d == axis ? 1 : a.shape.dims[from++];
    value_t v = like(g, a, one);
    line(g, "%%v%d = tt.expand_dims %%v%d {axis = %d : i32} : %s -> %s", v.id, a.id, axis,
         type_text(a.type, a.shape), type_text(a.type, one));
    add_value(g, v);
    if (times == 1 || count_of(one) * times > g->largest)
        return true;
    shape_t many = one;
    many.dims[axis] = times;
    value_t w = like(g, v, many);
    line(g, "%%v%d = tt.broadcast %%v%d : %s -> %s", w.id, v.id, type_text(a.type, one),
         type_text(a.type, many));
    add_value(g, w);
    return true;
}

static bool join(generator_t *g, value_t a)
{
    request_t request = {.type = a.type, .shape = a.shape, .specials = true};
    if (a.shape.rank == MAX_DIMS || 2 * count_of(a.shape) > g->largest)
        return false;
    value_t b = need(g, &request);
    shape_t to = a.shape;
    to.dims[to.rank++] = 2;
    value_t v = like(g, a, to);
    v.max = a.max > b.max ? a.max : b.max;
    v.fraction = a.fraction > b.fraction ? a.fraction : b.fraction;
    v.is_special |= b.is_special;
    v.has_sign |= b.has_sign;
    v.any_zero |= b.any_zero;
    line(g, "%%v%d = tt.join %%v%d, %%v%d : %s -> %s", v.id, a.id, b.id, type_text(a.type, a.shape),
         type_text(a.type, to));
    add_value(g, v);
    return true;
}

static bool split(generator_t *g, value_t a)
{
    if (a.shape.rank < 2 || a.shape.dims[a.shape.rank - 1] != 2)
        return join(g, a);
    shape_t to = a.shape;
    to.rank--;
    value_t v = like(g, a, to), w = like(g, a, to);
    line(g, "%%v%d, %%v%d = tt.split %%v%d : %s -> %s", v.id, w.id, a.id,
         type_text(a.type, a.shape), type_text(a.type, to));
    add_value(g, v);
    add_value(g, w);
    return true;
}

static bool splat(generator_t *g)
{
    request_t request = {.any_type = true, .specials = true};
    value_t a;
    if (!pick(g, &request, &a))
        return false;
    convert_shape(g, a, some_shape(g, 3));
    return true;
}

static bool unsplat(generator_t *g, value_t a)
{
    if (count_of(a.shape) != 1)
        return transpose(g, a);
    value_t v = like(g, a, (shape_t){0});
    line(g, "%%v%d = tt.unsplat %%v%d : %s", v.id, a.id, type_text(a.type, a.shape));
    add_value(g, v);
    return true;
}

bool make_shape(generator_t *g)
{
    value_t a;
    pick_tensor(g, &a);
    switch (draw(g, 7)) {
    case 0:
        return reshape(g, a);
    case 1:
        return transpose(g, a);
    case 2:
        return expand(g, a);
    case 3:
        return join(g, a);
    case 4:
        return split(g, a);
    case 5:
        return splat(g);
    default:
        return unsplat(g, a);
    }
}

// Reductions and scans ----------------------------------------------------------------------------

// An associative and commutative operation on the type for `length` elements; updates the facts
// about the result.
static const char *combination(generator_t *g, value_t a, int length, value_t *v)
{
    static const char *const integers[] = {"arith.addi",  "arith.maxsi", "arith.minsi",
                                           "arith.xori",  "arith.andi",  "arith.ori",
                                           "arith.maxui", "arith.minui", "arith.muli"};
    static const char *const floats[] = {"arith.maxnumf", "arith.minnumf", "arith.maximumf",
                                         "arith.minimumf"};
    if (!is_float(a.type)) {
        v->max = (double)INFINITY;
        return integers[a.type == KILN_ELEMENT_I1 ? 3 + draw(g, 3) : draw(g, 9)];
    }
    v->has_sign = true;
    if (!a.is_special && fits(a.type, a.max * length, a.fraction) && !chance(g, 3)) {
        v->max = a.max * length;
        return "arith.addf";
    }
    uint32_t which = draw(g, 4);
    v->any_zero |= which < 2;
    return floats[which];
}

static shape_t without(shape_t shape, int axis)
{
    shape_t to = {.rank = shape.rank - 1};
    for (int d = 0, at = 0; d < shape.rank; d++)
        if (d != axis)
            to.dims[at++] = shape.dims[d];
    return to;
}

// The maximum and its index; among equal ones the lowest index.
static bool reduce_with_index(generator_t *g, value_t a, int axis, bool scans)
{
    if (a.shape.rank < 1 || is_small_float(a.type) || a.is_special || a.type == KILN_ELEMENT_I1)
        return false;
    shape_t flat = {1, {a.shape.dims[axis]}}, to = scans ? a.shape : without(a.shape, axis);
    int range = ++g->next_id;
    line(g, "%%v%d = tt.make_range {end = %d : i32, start = 0 : i32} : %s", range, flat.dims[0],
         type_text(KILN_ELEMENT_I32, flat));
    value_t index = {.id = range, .type = KILN_ELEMENT_I32, .shape = flat, .max = flat.dims[0]};
    for (int d = 0; d < a.shape.rank; d++) {
        if (d == axis)
            continue;
        int at = d < axis ? d : index.shape.rank;
        shape_t wider = {.rank = index.shape.rank + 1};
        for (int i = 0, from = 0; i < wider.rank; i++)
            wider.dims[i] = i == at ? 1 : index.shape.dims[from++];
        value_t next = like(g, index, wider);
        line(g, "%%v%d = tt.expand_dims %%v%d {axis = %d : i32} : %s -> %s", next.id, index.id, at,
             type_text(KILN_ELEMENT_I32, index.shape), type_text(KILN_ELEMENT_I32, wider));
        index = next;
    }
    if (!same_shape(index.shape, a.shape)) {
        value_t next = like(g, index, a.shape);
        line(g, "%%v%d = tt.broadcast %%v%d : %s -> %s", next.id, index.id,
             type_text(KILN_ELEMENT_I32, index.shape), type_text(KILN_ELEMENT_I32, a.shape));
        index = next;
    }
    value_t best = like(g, a, to), where = like(g, index, to);
    const char *element = kiln_element_type_name(a.type),
               *compare = is_float(a.type) ? "arith.cmpf" : "arith.cmpi";
    int id = g->next_id;
    const char *reverse = !scans ? "" : chance(g, 2) ? ", reverse = true" : ", reverse = false";
    line(g, "%%v%d:2 = \"tt.%s\"(%%v%d, %%v%d) <{axis = %d : i32%s}> ({", id + 9,
         scans ? "scan" : "reduce", a.id, index.id, axis, reverse);
    line(g, "^bb0(%%v%d: %s, %%v%d: i32, %%v%d: %s, %%v%d: i32):", id + 1, element, id + 2, id + 3,
         element, id + 4);
    line(g, "  %%v%d = %s %s, %%v%d, %%v%d : %s", id + 5, compare, is_float(a.type) ? "ogt" : "sgt",
         id + 1, id + 3, element);
    line(g, "  %%v%d = %s %s, %%v%d, %%v%d : %s", id + 6, compare, is_float(a.type) ? "oeq" : "eq",
         id + 1, id + 3, element);
    line(g, "  %%v%d = arith.cmpi slt, %%v%d, %%v%d : i32", id + 7, id + 2, id + 4);
    line(g, "  %%v%d = arith.andi %%v%d, %%v%d : i1", id + 8, id + 6, id + 7);
    line(g, "  %%v%d = arith.ori %%v%d, %%v%d : i1", id + 10, id + 5, id + 8);
    line(g, "  %%v%d = arith.select %%v%d, %%v%d, %%v%d : %s", id + 11, id + 10, id + 1, id + 3,
         element);
    line(g, "  %%v%d = arith.select %%v%d, %%v%d, %%v%d : i32", id + 12, id + 10, id + 2, id + 4);
    line(g, "  tt.%s.return %%v%d, %%v%d : %s, i32", scans ? "scan" : "reduce", id + 11, id + 12,
         element);
    line(g, "}) : (%s, %s) -> (%s, %s)", type_text(a.type, a.shape),
         type_text(KILN_ELEMENT_I32, a.shape), type_text(a.type, to),
         type_text(KILN_ELEMENT_I32, to));
    g->next_id = id + 13;
    // Give the two results ids of their own.
    const char *bt = type_text(a.type, to), *it = type_text(KILN_ELEMENT_I32, to);
    line(g, "%%v%d = tt.bitcast %%v%d#0 : %s -> %s", best.id, id + 9, bt, bt);
    line(g, "%%v%d = tt.bitcast %%v%d#1 : %s -> %s", where.id, id + 9, it, it);
    best.has_sign = true;
    add_value(g, best);
    add_value(g, where);
    return true;
}

// (a₁, b₁) ∘ (a₂, b₂) = (a₁·a₂, b₁·a₂ + b₂): associative, not commutative.
static bool recurrence(generator_t *g, value_t a, int axis, bool scans)
{
    request_t request = {.type = a.type, .shape = a.shape};
    if (is_float(a.type) || a.type == KILN_ELEMENT_I1)
        return false;
    shape_t to = scans ? a.shape : without(a.shape, axis);
    value_t b = need(g, &request), v = new_value(g, a.type, to), w = new_value(g, a.type, to);
    const char *element = kiln_element_type_name(a.type), *tt = type_text(a.type, a.shape),
               *tr = type_text(a.type, to), *kind = scans ? "scan" : "reduce",
               *reverse = !scans         ? ""
                          : chance(g, 2) ? ", reverse = true"
                                         : ", reverse = false";
    int id = g->next_id;
    line(g, "%%v%d:2 = \"tt.%s\"(%%v%d, %%v%d) <{axis = %d : i32%s}> ({", id + 8, kind, a.id, b.id,
         axis, reverse);
    line(g, "^bb0(%%v%d: %s, %%v%d: %s, %%v%d: %s, %%v%d: %s):", id + 1, element, id + 2, element,
         id + 3, element, id + 4, element);
    line(g, "  %%v%d = arith.muli %%v%d, %%v%d : %s", id + 5, id + 1, id + 3, element);
    line(g, "  %%v%d = arith.muli %%v%d, %%v%d : %s", id + 6, id + 2, id + 3, element);
    line(g, "  %%v%d = arith.addi %%v%d, %%v%d : %s", id + 7, id + 6, id + 4, element);
    line(g, "  tt.%s.return %%v%d, %%v%d : %s, %s", kind, id + 5, id + 7, element, element);
    line(g, "}) : (%s, %s) -> (%s, %s)", tt, tt, tr, tr);
    g->next_id = id + 9;
    line(g, "%%v%d = tt.bitcast %%v%d#0 : %s -> %s", v.id, id + 8, tr, tr);
    line(g, "%%v%d = tt.bitcast %%v%d#1 : %s -> %s", w.id, id + 8, tr, tr);
    add_value(g, v);
    add_value(g, w);
    return true;
}

// The last element that is not zero, or with `first` the first one.
static bool last_nonzero(generator_t *g, value_t a, int axis, bool first)
{
    if (is_float(a.type))
        return false;
    value_t v = like(g, a, without(a.shape, axis));
    const char *element = kiln_element_type_name(a.type);
    int id = g->next_id;
    g->next_id += 5;
    line(g, "%%v%d = \"tt.reduce\"(%%v%d) <{axis = %d : i32}> ({", v.id, a.id, axis);
    line(g, "^bb0(%%v%d: %s, %%v%d: %s):", id + 1, element, id + 2, element);
    if (a.type == KILN_ELEMENT_I1)
        line(g, "  %%v%d = arith.constant false", id + 3);
    else
        line(g, "  %%v%d = arith.constant 0 : %s", id + 3, element);
    line(g, "  %%v%d = arith.cmpi ne, %%v%d, %%v%d : %s", id + 4, first ? id + 1 : id + 2, id + 3,
         element);
    line(g, "  %%v%d = arith.select %%v%d, %%v%d, %%v%d : %s", id + 5, id + 4,
         first ? id + 1 : id + 2, first ? id + 2 : id + 1, element);
    line(g, "  tt.reduce.return %%v%d : %s", id + 5, element);
    line(g, "}) : (%s) -> %s", type_text(a.type, a.shape), type_text(a.type, v.shape));
    add_value(g, v);
    return true;
}

bool make_reduce(generator_t *g)
{
    value_t a;
    pick_tensor(g, &a);
    if (is_small_float(a.type))
        return false;
    int axis = (int)draw(g, (uint32_t)a.shape.rank);
    if (chance(g, 4))
        return reduce_with_index(g, a, axis, false);
    if (chance(g, 4))
        return recurrence(g, a, axis, false);
    if (chance(g, 4))
        return last_nonzero(g, a, axis, chance(g, 2));
    value_t v = like(g, a, without(a.shape, axis));
    const char *element = kiln_element_type_name(a.type);
    int id = g->next_id;
    g->next_id += 3;
    const char *operation = combination(g, a, a.shape.dims[axis], &v);
    line(g, "%%v%d = \"tt.reduce\"(%%v%d) <{axis = %d : i32}> ({", v.id, a.id, axis);
    line(g, "^bb0(%%v%d: %s, %%v%d: %s):", id + 1, element, id + 2, element);
    line(g, "  %%v%d = %s %%v%d, %%v%d : %s", id + 3, operation, id + 1, id + 2, element);
    line(g, "  tt.reduce.return %%v%d : %s", id + 3, element);
    line(g, "}) : (%s) -> %s", type_text(a.type, a.shape), type_text(a.type, v.shape));
    add_value(g, v);
    return true;
}

bool make_scan(generator_t *g)
{
    value_t a;
    pick_tensor(g, &a);
    if (is_small_float(a.type))
        return false;
    int axis = (int)draw(g, (uint32_t)a.shape.rank);
    if (chance(g, 4))
        return reduce_with_index(g, a, axis, true);
    if (chance(g, 4))
        return recurrence(g, a, axis, true);
    value_t v = like(g, a, a.shape);
    const char *element = kiln_element_type_name(a.type), *tt = type_text(a.type, a.shape);
    int id = g->next_id;
    g->next_id += 3;
    const char *operation = combination(g, a, a.shape.dims[axis], &v);
    line(g, "%%v%d = \"tt.scan\"(%%v%d) <{axis = %d : i32, reverse = %s}> ({", v.id, a.id, axis,
         chance(g, 2) ? "true" : "false");
    line(g, "^bb0(%%v%d: %s, %%v%d: %s):", id + 1, element, id + 2, element);
    line(g, "  %%v%d = %s %%v%d, %%v%d : %s", id + 3, operation, id + 1, id + 2, element);
    line(g, "  tt.scan.return %%v%d : %s", id + 3, element);
    line(g, "}) : (%s) -> %s", tt, tt);
    add_value(g, v);
    return true;
}

// Data-dependent positions ------------------------------------------------------------------------

static int low_bits(generator_t *g, value_t v, int bound)
{
    value_t limit = constant(g, v.type, v.shape, bound - 1);
    int out = ++g->next_id;
    line(g, "%%v%d = arith.andi %%v%d, %%v%d : %s", out, v.id, limit.id,
         type_text(v.type, v.shape));
    return out;
}

bool make_gather(generator_t *g)
{
    value_t a;
    pick_tensor(g, &a);
    int axis = (int)draw(g, (uint32_t)a.shape.rank);
    shape_t shape = a.shape;
    if (chance(g, 3))
        shape.dims[axis] = 1 << draw(g, 7);
    if (count_of(shape) > g->largest || a.shape.dims[axis] > 64)
        return false;
    request_t request = {.type = chance(g, 4) ? KILN_ELEMENT_I64 : KILN_ELEMENT_I32,
                         .shape = shape};
    value_t index = need(g, &request), v = like(g, a, shape);
    int bounded = low_bits(g, index, a.shape.dims[axis]);
    line(g, "%%v%d = tt.gather %%v%d[%%v%d] {axis = %d : i32} : (%s, %s) -> %s", v.id, a.id,
         bounded, axis, type_text(a.type, a.shape), type_text(index.type, shape),
         type_text(a.type, shape));
    add_value(g, v);
    return true;
}

bool make_histogram(generator_t *g)
{
    request_t request = {.type = KILN_ELEMENT_I32, .any_shape = true};
    value_t a, mask;
    if (!pick(g, &request, &a) || a.shape.rank != 1)
        return false;
    shape_t bins = {1, {2 << draw(g, 5)}};
    int bounded = low_bits(g, a, bins.dims[0]);
    value_t v = new_value(g, KILN_ELEMENT_I32, bins);
    request_t masks = {.type = KILN_ELEMENT_I1, .shape = a.shape};
    if (chance(g, 2) && pick(g, &masks, &mask))
        line(g, "%%v%d = tt.histogram %%v%d, %%v%d : %s -> %s", v.id, bounded, mask.id,
             type_text(a.type, a.shape), type_text(v.type, bins));
    else
        line(g, "%%v%d = tt.histogram %%v%d : %s -> %s", v.id, bounded, type_text(a.type, a.shape),
             type_text(v.type, bins));
    add_value(g, v);
    return true;
}
