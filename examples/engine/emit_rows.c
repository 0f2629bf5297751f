// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels with one program per row, or per sequence: layer norm, embedding, pooling.
//
// A tile's extents are powers of two, but a row's length need not be. The columns beyond it are
// masked and must not contribute to sums.
#include <stdio.h>

#include "kernels.h"

enum { TOKENS = 16 };

// The row's columns, and the mask of those that exist (no tile: all).
static tile_t columns_of(emit_t *e, int n, tile_t *out_inside)
{
    tile_t i = kiln_build_range(e->b, 0, power_of_two(n));
    *out_inside = power_of_two(n) == n ? no_tile : less(e, i, i32(e, n));
    return i;
}

static tile_t sum(emit_t *e, tile_t x, int axis)
{
    return kiln_build_reduce(e->b, KILN_REDUCE_ADDF, x, axis);
}

void emit_layer_norm(emit_t *e, char grid[64])
{
    int n = e->kernel->constant[ROW_N];
    tile_t x, w, bias, y, m, epsilon, inside;
    EMIT_BEGIN(e, {"x", "*f16", &x}, {"w", "*f16", &w}, {"bias", "*f16", &bias}, {"y", "*f16", &y},
               {"m", "i32", &m}, {"epsilon", "f32", &epsilon});
    snprintf(grid, 64, "m");

    tile_t i = columns_of(e, n, &inside), start = mul(e, kiln_build_program_id(e->b, 0), i32(e, n)),
           per = f32(e, 1.0 / n);
    tile_t value = wide(e, load_where(e, at(e, at(e, x, start), i), inside));
    tile_t centred = sub(e, value, mul(e, sum(e, value, 0), per));
    if (inside.handle)
        centred = kiln_build_select(e->b, inside, centred, f32(e, 0));
    tile_t variance = mul(e, sum(e, mul(e, centred, centred), 0), per);
    tile_t factor = kiln_build_unary(e->b, KILN_UNARY_RSQRT, add(e, variance, epsilon));
    tile_t scaled = mul(e, mul(e, centred, factor), wide(e, load_where(e, at(e, w, i), inside)));
    tile_t result = add(e, scaled, wide(e, load_where(e, at(e, bias, i), inside)));
    kiln_build_store(e->b, at(e, at(e, y, start), i), narrow(e, result), inside);
}

void emit_embed(emit_t *e, char grid[64])
{
    int n = e->kernel->constant[ROW_N];
    tile_t words, word, places, place, extra, y, m, inside;
    EMIT_BEGIN(e, {"words", "*f16", &words}, {"word", "*i32", &word}, {"places", "*f16", &places},
               {"place", "*i32", &place},
               {"extra", "*f16", e->kernel->constant[ROW_EXTRA] ? &extra : NULL}, {"y", "*f16", &y},
               {"m", "i32", &m});
    snprintf(grid, 64, "m");

    tile_t i = columns_of(e, n, &inside), program = kiln_build_program_id(e->b, 0),
           size = i32(e, n);
    tile_t w = at(e, words, mul(e, load(e, at(e, word, program)), size));
    tile_t p = at(e, places, mul(e, load(e, at(e, place, program)), size));
    tile_t result = add(e, wide(e, load_where(e, at(e, w, i), inside)),
                        wide(e, load_where(e, at(e, p, i), inside)));
    if (e->kernel->constant[ROW_EXTRA])
        result = add(e, result, wide(e, load_where(e, at(e, extra, i), inside)));
    kiln_build_store(e->b, at(e, at(e, y, mul(e, program, size)), i), narrow(e, result), inside);
}

void emit_pool(emit_t *e, char grid[64])
{
    int n = e->kernel->constant[ROW_N];
    tile_t x, counts, y, m, s, inside, first, total;
    EMIT_BEGIN(e, {"x", "*f16", &x}, {"counts", "*i32", &counts}, {"y", "*f32", &y},
               {"m", "i32", &m}, {"s", "i32", &s});
    snprintf(grid, 64, "m");

    tile_t program = kiln_build_program_id(e->b, 0), size = i32(e, n),
           count = load(e, at(e, counts, program));
    tile_t i = columns_of(e, n, &inside), token = kiln_build_range(e->b, 0, TOKENS);
    tile_t rows = at(e, x, mul(e, mul(e, program, s), size));
    tile_t zero = kiln_build_float(e->b, kiln_tile_type(KILN_VALUE_F32, power_of_two(n), 0), 0);
    for_begin(e, count, TOKENS, &zero, 1, &first, &total);
    tile_t here = add(e, first, token), taken = column(e, less(e, here, count));
    tile_t pointer = at(e, at(e, rows, column(e, mul(e, here, size))), row(e, i));
    tile_t values = load_where(e, pointer, inside.handle ? both(e, taken, row(e, inside)) : taken);
    total = add(e, total, sum(e, wide(e, values), 0));
    kiln_build_for_end(e->b, &total, &total);

    // Normalizing the mean gives the same vector as normalizing the sum: the factor cancels out.
    tile_t factor = kiln_build_unary(e->b, KILN_UNARY_RSQRT, sum(e, mul(e, total, total), 0));
    tile_t result = mul(e, total, factor);
    kiln_build_store(e->b, at(e, at(e, y, mul(e, program, size)), i), result, inside);
}
