// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products: with every kind of operand, alone, in the loop of a GEMM, in a chain as in
// attention, and micro-scaled.
//
// bf16 parts and xf32 have fewer bits than f32, so operands must be small numbers even for f32.
#include <math.h>

#include "generate.h"

typedef struct product {
    type_t a, b, c;
    const char *precision;
    double limit; // of the operands
} product_t;

static const product_t products[] = {
    {KILN_ELEMENT_F16, KILN_ELEMENT_F16, KILN_ELEMENT_F32, "", 8},
    {KILN_ELEMENT_F32, KILN_ELEMENT_F32, KILN_ELEMENT_F32, "", 8},
    {KILN_ELEMENT_BF16, KILN_ELEMENT_BF16, KILN_ELEMENT_F32, "", 8},
    {KILN_ELEMENT_I8, KILN_ELEMENT_I8, KILN_ELEMENT_I32, "", 0},
    {KILN_ELEMENT_F32, KILN_ELEMENT_F32, KILN_ELEMENT_F32, ", inputPrecision = tf32", 8},
    {KILN_ELEMENT_F32, KILN_ELEMENT_F32, KILN_ELEMENT_F32, ", inputPrecision = bf16x3", 8},
    {KILN_ELEMENT_F16, KILN_ELEMENT_F16, KILN_ELEMENT_F16, "", 2},
    {KILN_ELEMENT_F64, KILN_ELEMENT_F64, KILN_ELEMENT_F64, "", 8},
    {KILN_ELEMENT_F8E4M3FNUZ, KILN_ELEMENT_F8E4M3FNUZ, KILN_ELEMENT_F32, "", 8},
    {KILN_ELEMENT_F8E5M2FNUZ, KILN_ELEMENT_F8E4M3FNUZ, KILN_ELEMENT_F32, "", 4},
    {KILN_ELEMENT_F8E4M3FN, KILN_ELEMENT_F8E5M2, KILN_ELEMENT_F32, "", 4},
    {KILN_ELEMENT_F32, KILN_ELEMENT_F32, KILN_ELEMENT_F32, ", inputPrecision = tf32x3", 8},
    {KILN_ELEMENT_F32, KILN_ELEMENT_F32, KILN_ELEMENT_F32, ", inputPrecision = bf16x6", 8},
};

static const product_t *some_product(generator_t *g)
{
    return &products[draw(g, sizeof products / sizeof *products)];
}

static int some_size(generator_t *g)
{
    static const int sizes[] = {16, 32, 64, 8, 128, 4, 2, 1};
    return sizes[draw(g, 12) % 8];
}

static value_t dot_of(generator_t *g, const product_t *p, value_t a, value_t b, value_t c)
{
    value_t d = new_value(g, p->c, c.shape);
    line(g, "%%v%d = tt.dot %%v%d, %%v%d, %%v%d%s : %s * %s -> %s", d.id, a.id, b.id, c.id,
         p->precision, type_text(p->a, a.shape), type_text(p->b, b.shape),
         type_text(p->c, c.shape));
    if (is_float(p->c)) {
        int k = a.shape.dims[a.shape.rank - 1], fraction = a.fraction + b.fraction;
        d.max = c.max + a.max * b.max * k;
        d.fraction = fraction > c.fraction ? fraction : c.fraction;
        d.has_sign = d.any_zero = true;
    }
    return d;
}

bool make_dot(generator_t *g)
{
    const product_t *p = some_product(g);
    int m = some_size(g), n = some_size(g), k = some_size(g),
        batch = chance(g, 4) ? 1 << draw(g, 3) : 0, b = batch ? batch : 1;
    if (b * m * n > g->largest || b * m * k > g->largest || b * k * n > g->largest)
        return false;
    shape_t sa = {2, {m, k}}, sb = {2, {k, n}}, sc = {2, {m, n}};
    if (batch) {
        sa = (shape_t){3, {batch, m, k}};
        sb = (shape_t){3, {batch, k, n}};
        sc = (shape_t){3, {batch, m, n}};
    }
    bool real = is_float(p->c);
    request_t wa = {.type = p->a, .shape = sa, .max = p->limit, .fraction = 1},
              wb = {.type = p->b, .shape = sb, .max = p->limit, .fraction = 1},
              wc = {.type = p->c, .shape = sc, .max = real ? 64 : 0, .fraction = 2};
    value_t a = need(g, &wa), bb = need(g, &wb), c = need(g, &wc);
    // bf16 parts and xf32 have fewer bits than f32: operands of at most 7 bits are exact.
    if (real &&
        (!fits(p->c, c.max + a.max * bb.max * k,
               a.fraction + bb.fraction > c.fraction ? a.fraction + bb.fraction : c.fraction) ||
         !fits(KILN_ELEMENT_BF16, a.max, a.fraction) ||
         !fits(KILN_ELEMENT_BF16, bb.max, bb.fraction)))
        return false;
    add_value(g, dot_of(g, p, a, bb, c));
    return true;
}

// The loop of a matrix product: pointers advance along K, and a sum is carried.
bool make_gemm(generator_t *g)
{
    const product_t *p = some_product(g);
    int m = some_size(g), n = some_size(g), k = some_size(g), turns = (int)draw(g, 6);
    if (!has_room(g) || g->depth > 1 || m * n > g->largest || m * k > g->largest ||
        k * n > g->largest || (is_float(p->c) && !fits(p->c, 16 + 16.0 * k * turns, 0)))
        return false;
    int depth = k * (turns ? turns : 1);
    shape_t sa = {2, {m, k}}, sb = {2, {k, n}}, sc = {2, {m, n}};
    double limit = is_float(p->c) ? p->limit < 4 ? p->limit : 4 : (double)INFINITY;
    int ba = add_buffer(g, p->a, (size_t)m * (size_t)depth),
        bb = add_buffer(g, p->b, (size_t)depth * (size_t)n);
    g->program->buffers[ba].max = g->program->buffers[bb].max = limit;
    bool transposed = chance(g, 3); // b stored by columns
    int along_a[] = {depth, 1}, along_b[] = {transposed ? 1 : n, transposed ? depth : 1};
    value_t ia = linear_index(g, sa, along_a), ib = linear_index(g, sb, along_b);
    int pa = pointers_at(g, ba, ia), pb = pointers_at(g, bb, ib);
    request_t wc = {.type = p->c, .shape = sc, .max = is_float(p->c) ? 16 : 0};
    value_t c = need(g, &wc), step_a = constant(g, KILN_ELEMENT_I32, sa, k),
            step_b = constant(g, KILN_ELEMENT_I32, sb, transposed ? k : k * n);
    int low = integer(g, "i32", 0), high = integer(g, "i32", turns), one = integer(g, "i32", 1);
    int out_c = ++g->next_id, out_a = ++g->next_id, out_b = ++g->next_id, in_c = ++g->next_id,
        in_a = ++g->next_id, in_b = ++g->next_id, i = ++g->next_id, next_a = ++g->next_id,
        next_b = ++g->next_id;
    value_t a = new_value(g, p->a, sa), b = new_value(g, p->b, sb);
    const char *ta = pointer_text(p->a, sa), *tb = pointer_text(p->b, sb),
               *tc = type_text(p->c, sc);
    line(g,
         "%%v%d, %%v%d, %%v%d = scf.for %%v%d = %%v%d to %%v%d step %%v%d iter_args(%%v%d = %%v%d, "
         "%%v%d = %%v%d, "
         "%%v%d = %%v%d) -> (%s, %s, %s)  : i32 {",
         out_c, out_a, out_b, i, low, high, one, in_c, c.id, in_a, pa, in_b, pb, tc, ta, tb);
    g->depth++;
    line(g, "%%v%d = tt.load %%v%d : %s", a.id, in_a, ta);
    line(g, "%%v%d = tt.load %%v%d : %s", b.id, in_b, tb);
    a.max = b.max = limit;
    value_t acc = c;
    acc.id = in_c;
    value_t d = dot_of(g, p, a, b, acc);
    line(g, "%%v%d = tt.addptr %%v%d, %%v%d : %s, %s", next_a, in_a, step_a.id, ta,
         type_text(KILN_ELEMENT_I32, sa));
    line(g, "%%v%d = tt.addptr %%v%d, %%v%d : %s, %s", next_b, in_b, step_b.id, tb,
         type_text(KILN_ELEMENT_I32, sb));
    line(g, "scf.yield %%v%d, %%v%d, %%v%d : %s, %s, %s", d.id, next_a, next_b, tc, ta, tb);
    g->depth--;
    line(g, "}");
    value_t v = new_value(g, p->c, sc);
    v.id = out_c;
    if (is_float(p->c)) {
        v.max = c.max + limit * limit * k * (turns ? turns : 1);
        v.fraction = c.fraction;
        v.has_sign = v.any_zero = true;
    }
    add_value(g, v);
    return true;
}

// Two products in sequence, as in attention: the result of the first, scaled down and narrowed, is
// an operand of the second.
bool make_chain(generator_t *g)
{
    static const type_t halves[] = {KILN_ELEMENT_F16, KILN_ELEMENT_BF16};
    type_t half = halves[draw(g, 2)];
    int m = 16 << draw(g, 3), n = 16 << draw(g, 3), k = 16 << draw(g, 3);
    if (!has_room(g) || m * n > g->largest || n * k > g->largest)
        return false;
    product_t p = {half, half, KILN_ELEMENT_F32, "", 4};
    shape_t sq = {2, {m, k}}, sk = {2, {k, n}}, sv = {2, {n, k}}, ss = {2, {m, n}};
    request_t wq = {.type = half, .shape = sq, .max = 4},
              wk = {.type = half, .shape = sk, .max = 4},
              wv = {.type = half, .shape = sv, .max = 4},
              wo = {.type = KILN_ELEMENT_F32, .shape = sq, .max = 64};
    value_t q = need(g, &wq), key = need(g, &wk), v = need(g, &wv), o = need(g, &wo);
    value_t zero = constant(g, KILN_ELEMENT_F32, ss, 0),
            low = constant(g, KILN_ELEMENT_F32, ss, -4),
            high = constant(g, KILN_ELEMENT_F32, ss, 4);
    value_t s = dot_of(g, &p, q, key, zero);
    add_value(g, s);
    int cut = ++g->next_id, best = ++g->next_id, column = ++g->next_id, wide = ++g->next_id,
        id = ++g->next_id;
    g->next_id += 3;
    shape_t row = {1, {m}}, column_shape = {2, {m, 1}};
    const char *tt = type_text(KILN_ELEMENT_F32, ss);
    line(g, "%%v%d = tt.clampf %%v%d, %%v%d, %%v%d, propagateNan = none : %s", cut, s.id, low.id,
         high.id, tt);
    line(g, "%%v%d = \"tt.reduce\"(%%v%d) <{axis = 1 : i32}> ({", best, cut);
    line(g, "^bb0(%%v%d: f32, %%v%d: f32):", id, id + 1);
    line(g, "  %%v%d = arith.maxnumf %%v%d, %%v%d : f32", id + 2, id, id + 1);
    line(g, "  tt.reduce.return %%v%d : f32", id + 2);
    line(g, "}) : (%s) -> %s", tt, type_text(KILN_ELEMENT_F32, row));
    line(g, "%%v%d = tt.expand_dims %%v%d {axis = 1 : i32} : %s -> %s", column, best,
         type_text(KILN_ELEMENT_F32, row), type_text(KILN_ELEMENT_F32, column_shape));
    line(g, "%%v%d = tt.broadcast %%v%d : %s -> %s", wide, column,
         type_text(KILN_ELEMENT_F32, column_shape), tt);
    value_t less = new_value(g, KILN_ELEMENT_F32, ss), narrow = new_value(g, half, ss);
    line(g, "%%v%d = arith.subf %%v%d, %%v%d : %s", less.id, cut, wide, tt);
    line(g, "%%v%d = arith.truncf %%v%d : %s to %s", narrow.id, less.id, tt, type_text(half, ss));
    narrow.max = 8;
    value_t out = dot_of(g, &p, narrow, v, o);
    out.has_sign = out.any_zero = true;
    add_value(g, out);
    return true;
}

// A micro-scaled product of 4-bit floats: scales are powers of two around 1.
bool make_scaled_dot(generator_t *g)
{
    int m = 16 << draw(g, 2), n = 16 << draw(g, 2), k = 64 << draw(g, 2);
    if (!has_room(g) || m * n > g->largest || m * k / 2 > g->largest || n * k / 2 > g->largest)
        return false;
    shape_t sa = {2, {m, k / 2}}, sb = {2, {k / 2, n}}, scale_a = {2, {m, k / 32}},
            scale_b = {2, {n, k / 32}}, sc = {2, {m, n}};
    request_t wa = {.type = KILN_ELEMENT_I8, .shape = sa},
              wb = {.type = KILN_ELEMENT_I8, .shape = sb},
              wc = {.type = KILN_ELEMENT_F32, .shape = sc, .max = 64, .fraction = 4};
    value_t a = need(g, &wa), b = need(g, &wb), c = need(g, &wc), scales[2];
    for (int side = 0; side < 2; side++) { // 126 + (anything & 3): from ½ to 4
        request_t ws = {.type = KILN_ELEMENT_I8, .shape = side ? scale_b : scale_a};
        value_t raw = need(g, &ws), three = constant(g, KILN_ELEMENT_I8, ws.shape, 3),
                base = constant(g, KILN_ELEMENT_I8, ws.shape, 124);
        int cut = ++g->next_id;
        scales[side] = new_value(g, KILN_ELEMENT_I8, ws.shape);
        line(g, "%%v%d = arith.andi %%v%d, %%v%d : %s", cut, raw.id, three.id,
             type_text(KILN_ELEMENT_I8, ws.shape));
        line(g, "%%v%d = arith.addi %%v%d, %%v%d : %s", scales[side].id, cut, base.id,
             type_text(KILN_ELEMENT_I8, ws.shape));
    }
    value_t d = new_value(g, KILN_ELEMENT_F32, sc);
    line(g,
         "%%v%d = tt.dot_scaled %%v%d scale %%v%d, %%v%d scale %%v%d, %%v%d lhs = e2m1 rhs = e2m1 "
         "{fastMath = false} : "
         "%s, %s * %s, %s -> %s",
         d.id, a.id, scales[0].id, b.id, scales[1].id, c.id, type_text(a.type, sa),
         type_text(a.type, scale_a), type_text(b.type, sb), type_text(b.type, scale_b),
         type_text(d.type, sc));
    d.max = 64 + 36.0 * k; // scales are at most 1 here; products are multiples of 2^−2 · 2^−6
    d.fraction = 8;
    d.has_sign = d.any_zero = true;
    if (fits(KILN_ELEMENT_F32, d.max, d.fraction))
        add_value(g, d);
    return true;
}
