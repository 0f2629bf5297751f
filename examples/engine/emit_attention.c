// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention of one head and a block of queries per program, with keys in steps: softmax(q · kᵀ ·
// scale) · v without ever storing the scores. examples/attention.md explains the steps; this is the
// same kernel written with the builder.
//
// The rows of q and y are those of all sequences, one sequence after the other, `s` rows each.
// Without CAUSAL a sequence's keys are its first counts[sequence] rows. With CAUSAL there is one
// sequence, whose first counts[0] keys, the cache, precede the queries.
#include <math.h>
#include <stdio.h>

#include "kernels.h"

enum { BLOCK_KEYS = 32, ACC = 0, TOP, TOTAL, KEYS, VALUES, CARRIED };

static tile_t exp2_of(emit_t *e, tile_t x)
{
    return kiln_build_unary(e->b, KILN_UNARY_EXP2, x);
}

// A rows × d block of pointers into this head's part of a matrix, starting at row `first`.
static tile_t head_of(emit_t *e, tile_t p, tile_t rows, int stride, tile_t head)
{
    int d = e->kernel->constant[ATTENTION_D];
    p = at(e, p, mul(e, head, i32(e, d)));
    return at(e, at(e, p, column(e, mul(e, rows, i32(e, stride)))),
              row(e, kiln_build_range(e->b, 0, d)));
}

// One step: processes keys and values from `first` on, of which `left` remain.
static void step(emit_t *e, tile_t q, tile_t factor, tile_t seen, tile_t inside, const tile_t *now,
                 tile_t *next)
{
    const int *c = e->kernel->constant;
    tile_t keys = kiln_build_trans(e->b, load_where(e, now[KEYS], column(e, inside)),
                                   (const int32_t[]){1, 0});
    tile_t zero =
        kiln_build_float(e->b, kiln_tile_type(KILN_VALUE_F32, c[ATTENTION_BLOCK], BLOCK_KEYS), 0);
    tile_t low = f32(e, -(double)INFINITY), nothing = f32(e, 0);
    tile_t score = mul(e, kiln_build_dot(e->b, q, keys, zero), factor);
    score = kiln_build_select(e->b, seen, score, low);
    tile_t top = kiln_build_binary(e->b, KILN_BINARY_MAXNUMF, now[TOP],
                                   kiln_build_reduce(e->b, KILN_REDUCE_MAXNUMF, score, 1));
    // A row without any keys so far keeps −∞, which must not be subtracted from itself.
    tile_t safe =
        kiln_build_select(e->b, kiln_build_compare(e->b, KILN_COMPARE_OEQ, top, low), nothing, top);
    tile_t share = exp2_of(e, sub(e, score, column(e, safe))),
           shrink = exp2_of(e, sub(e, now[TOP], safe));
    next[TOP] = top;
    next[TOTAL] =
        add(e, mul(e, now[TOTAL], shrink), kiln_build_reduce(e->b, KILN_REDUCE_ADDF, share, 1));
    next[ACC] =
        kiln_build_dot(e->b, narrow(e, share), load_where(e, now[VALUES], column(e, inside)),
                       mul(e, now[ACC], column(e, shrink)));
    next[KEYS] = at(e, now[KEYS], i32(e, BLOCK_KEYS * c[ATTENTION_K_STRIDE]));
    next[VALUES] = at(e, now[VALUES], i32(e, BLOCK_KEYS * c[ATTENTION_V_STRIDE]));
}

void emit_attention(emit_t *e, char grid[64])
{
    const int *c = e->kernel->constant;
    int block = c[ATTENTION_BLOCK], heads = c[ATTENTION_HEADS];
    tile_t q, k, v, counts, y, s, sequences, scale, first, now[CARRIED], next[CARRIED];
    EMIT_BEGIN(e, {"q", "*f16", &q}, {"k", "*f16", &k}, {"v", "*f16", &v},
               {"counts", "*i32", &counts}, {"y", "*f16", &y}, {"s", "i32", &s},
               {"sequences", "i32", &sequences}, {"scale", "f32", &scale});
    snprintf(grid, 64, "cdiv(s, %d), sequences * %d", block, heads);

    tile_t program = kiln_build_program_id(e->b, 1), head = rest(e, program, i32(e, heads));
    tile_t sequence = kiln_build_binary(e->b, KILN_BINARY_DIVSI, program, i32(e, heads)),
           before = mul(e, sequence, s);
    tile_t query = block_range(e, 0, block), n = kiln_build_range(e->b, 0, BLOCK_KEYS);
    tile_t rows = add(e, before, rest(e, query, s)), count, last;
    if (c[ATTENTION_CAUSAL]) {
        count = load(e, counts);
        tile_t end = mul(e, add(e, kiln_build_program_id(e->b, 0), i32(e, 1)), i32(e, block));
        last = add(e, count, kiln_build_binary(e->b, KILN_BINARY_MINSI, s, end));
    } else
        count = last = load(e, at(e, counts, sequence));
    tile_t x = load(e, head_of(e, q, rows, c[ATTENTION_Q_STRIDE], head));
    tile_t factor = mul(e, scale, f32(e, 1.44269504088896341)); // e^x = 2^(x · log2 e)

    now[ACC] = kiln_build_float(e->b, kiln_tile_type(KILN_VALUE_F32, block, c[ATTENTION_D]), 0);
    now[TOP] = kiln_build_float(e->b, kiln_tile_type(KILN_VALUE_F32, block, 0), -(double)INFINITY);
    now[TOTAL] = kiln_build_float(e->b, kiln_tile_type(KILN_VALUE_F32, block, 0), 0);
    now[KEYS] = head_of(e, k, add(e, before, n), c[ATTENTION_K_STRIDE], head);
    now[VALUES] = head_of(e, v, add(e, before, n), c[ATTENTION_V_STRIDE], head);
    for_begin(e, last, BLOCK_KEYS, now, CARRIED, &first, next);
    tile_t inside = less(e, n, sub(e, last, first)), seen = row(e, inside);
    if (c[ATTENTION_CAUSAL]) {
        tile_t newest = column(e, add(e, query, count));
        seen = both(e, seen,
                    kiln_build_compare(e->b, KILN_COMPARE_SLE, row(e, add(e, first, n)), newest));
    }
    step(e, x, factor, seen, inside, next, now);
    kiln_build_for_end(e->b, now, next);

    tile_t py = head_of(e, y, add(e, before, query), heads * c[ATTENTION_D], head);
    kiln_build_store(e->b, py, narrow(e, divide(e, next[ACC], column(e, next[TOTAL]))),
                     column(e, less(e, query, s)));
}
