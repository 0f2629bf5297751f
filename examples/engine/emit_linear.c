// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// y = activation(x · w + bias) + residual. A program computes a block of y and keeps its sums in
// registers until bias, activation and residual are applied to them.
//
// The last block of rows may extend beyond x. Its row numbers wrap around, which costs less than a
// mask in the loop; only the store is masked.
#include <stdio.h>

#include "kernels.h"

enum { BLOCK_N = 64, BLOCK_K = 64 };

// x/2 · (1 + erf(x/√2))
static tile_t gelu(emit_t *e, tile_t x)
{
    tile_t erf = kiln_build_unary(e->b, KILN_UNARY_ERF, mul(e, x, f32(e, 0.70710678118654752)));
    return mul(e, mul(e, x, f32(e, 0.5)), add(e, erf, f32(e, 1)));
}

// x/2 · (1 + tanh(√(2/π) · (x + 0.044715 x³)))
static tile_t gelu_tanh(emit_t *e, tile_t x)
{
    tile_t cube = mul(e, mul(e, x, x), mul(e, x, f32(e, 0.044715)));
    tile_t tanh = kiln_build_unary(e->b, KILN_UNARY_TANH,
                                   mul(e, add(e, x, cube), f32(e, 0.79788456080286536)));
    return mul(e, mul(e, x, f32(e, 0.5)), add(e, tanh, f32(e, 1)));
}

// x · w for this program's rows and columns, in f32.
static tile_t product(emit_t *e, tile_t x, tile_t w, tile_t rows, tile_t columns)
{
    const int *c = e->kernel->constant;
    bool transposed = c[LINEAR_TRANSPOSED], is_masked = c[LINEAR_K] % BLOCK_K;
    tile_t k = kiln_build_range(e->b, 0, BLOCK_K), stride = i32(e, c[LINEAR_W_STRIDE]), first;
    tile_t px = at(e, at(e, x, column(e, mul(e, rows, i32(e, c[LINEAR_X_STRIDE])))), row(e, k));
    tile_t pw = transposed ? at(e, at(e, w, row(e, mul(e, columns, stride))), column(e, k))
                           : at(e, at(e, w, column(e, mul(e, k, stride))), row(e, columns));
    tile_t zero =
        kiln_build_float(e->b, kiln_tile_type(KILN_VALUE_F32, c[LINEAR_BLOCK], BLOCK_N), 0);
    tile_t initial[] = {zero, px, pw}, now[3];
    for_begin(e, i32(e, c[LINEAR_K]), BLOCK_K, initial, 3, &first, now);
    tile_t inside = is_masked ? less(e, k, sub(e, i32(e, c[LINEAR_K]), first)) : no_tile;
    tile_t a = load_where(e, now[1], is_masked ? row(e, inside) : no_tile);
    tile_t b = load_where(e, now[2], is_masked ? column(e, inside) : no_tile);
    tile_t next[] = {kiln_build_dot(e->b, a, b, now[0]), at(e, now[1], i32(e, BLOCK_K)),
                     at(e, now[2], transposed ? i32(e, BLOCK_K) : mul(e, stride, i32(e, BLOCK_K)))};
    kiln_build_for_end(e->b, next, now);
    return now[0];
}

void emit_linear(emit_t *e, char grid[64])
{
    const int *c = e->kernel->constant;
    tile_t x, w, bias, residual, y, first_row, m;
    EMIT_BEGIN(e, {"x", "*f16", &x}, {"w", "*f16", &w},
               {"bias", "*f16", c[LINEAR_PARTS] & LINEAR_HAS_BIAS ? &bias : NULL},
               {"residual", "*f16", c[LINEAR_PARTS] & LINEAR_HAS_RESIDUAL ? &residual : NULL},
               {"y", c[LINEAR_WIDE] ? "*f32" : "*f16", &y},
               {"first_row", "*i32", c[LINEAR_PARTS] & LINEAR_APPENDS ? &first_row : NULL},
               {"m", "i32", &m});
    snprintf(grid, 64, "cdiv(m, %d), %d", c[LINEAR_BLOCK], (c[LINEAR_N] + BLOCK_N - 1) / BLOCK_N);

    tile_t n = i32(e, c[LINEAR_N]), all_rows = block_range(e, 0, c[LINEAR_BLOCK]),
           all_columns = block_range(e, 1, BLOCK_N);
    tile_t rows = rest(e, all_rows, m),
           columns = c[LINEAR_N] % BLOCK_N ? rest(e, all_columns, n) : all_columns;
    tile_t sum = product(e, x, w, rows, columns);
    if (c[LINEAR_PARTS] & LINEAR_HAS_BIAS)
        sum = add(e, sum, row(e, wide(e, load(e, at(e, bias, columns)))));
    if (c[LINEAR_ACTIVATION] != ACTIVATION_NONE)
        sum = c[LINEAR_ACTIVATION] == ACTIVATION_GELU ? gelu(e, sum) : gelu_tanh(e, sum);
    if (c[LINEAR_PARTS] & LINEAR_HAS_RESIDUAL) {
        tile_t stride = i32(e, c[LINEAR_RESIDUAL_STRIDE]);
        sum = add(e, sum,
                  wide(e, load(e, at(e, at(e, residual, column(e, mul(e, rows, stride))),
                                     row(e, columns)))));
    }
    tile_t inside = both(e, column(e, less(e, all_rows, m)), row(e, less(e, all_columns, n)));
    if (c[LINEAR_PARTS] & LINEAR_APPENDS)
        all_rows = add(e, all_rows, load(e, first_row));
    tile_t py = at(e, at(e, y, column(e, mul(e, all_rows, i32(e, c[LINEAR_Y_STRIDE])))),
                   row(e, all_columns));
    kiln_build_store(e->b, py, c[LINEAR_WIDE] ? sum : narrow(e, sum), inside);
}
