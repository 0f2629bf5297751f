// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products: exact products, summed in double, rounded to the result's type once.
//
// Compiled sums may differ by their roundings and order. `tf32` truncates f32 operands to 10 bits
// of mantissa, as the xf32 instructions do; `tf32x3`, `bf16x3` and `bf16x6` approximate f32 and are
// computed exactly here.
//
// Note that the right scales of tt.dot_scaled have the shape N×K, the left ones M×K.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "interp/machine.h"

enum { TF32 = 0 };
enum { E4M3 = 0, E5M2 = 1, E2M3 = 2, E3M2 = 3, E2M1 = 4, BF16 = 5, FP16 = 6 };

typedef struct product {
    size_t batch, m, n, k;
    double *a, *b; // batch × m × k, batch × k × n
    double *sums;  // m × n
} product_t;

static kiln_status_t begin(const kiln_itype_t *a, const kiln_itype_t *d, size_t k, product_t *p)
{
    (void)a;
    *p = (product_t){.batch = d->rank == 3 ? d->dims[0] : 1,
                     .m = d->dims[d->rank - 2],
                     .n = d->dims[d->rank - 1],
                     .k = k};
    p->a = malloc(p->batch * p->m * p->k * sizeof *p->a + 1);
    p->b = malloc(p->batch * p->k * p->n * sizeof *p->b + 1);
    p->sums = malloc(p->m * p->n * sizeof *p->sums + 1);
    return p->a && p->b && p->sums ? KILN_OK : kiln_status_out_of_memory();
}

static void end(product_t *p)
{
    free(p->a);
    free(p->b);
    free(p->sums);
}

// sums += a · b of one batch. Sums in f64 round once per term, as the hardware does.
static void multiply(const product_t *p, size_t batch)
{
    const double *a = p->a + batch * p->m * p->k, *b = p->b + batch * p->k * p->n;
    for (size_t i = 0; i < p->m; i++)
        for (size_t k = 0; k < p->k; k++) {
            double x = a[i * p->k + k], *row = p->sums + i * p->n;
            for (size_t j = 0; j < p->n; j++)
                row[j] += x * b[k * p->n + j];
        }
}

static double to_tf32(double value)
{
    static const kiln_number_t tf32 = {KILN_NUMBER_FLOAT, 19, 8, 10, 127};
    return kiln_number_decode(tf32, kiln_number_convert(tf32, value, KILN_FLOAT_TO_ZERO));
}

static uint8_t first_undefined(const kiln_itile_t *tile)
{
    for (size_t i = 0; tile && tile->undefined && i < tile->count; i++)
        if (tile->undefined[i])
            return tile->undefined[i];
    return 0;
}

// An undefined element of a or b makes its row or column of the result undefined.
static void spread_undefined(const product_t *p, const kiln_itile_t *a, const kiln_itile_t *b,
                             kiln_itile_t *out)
{
    if (!first_undefined(a) && !first_undefined(b))
        return;
    for (size_t batch = 0; batch < p->batch; batch++)
        for (size_t i = 0; i < p->m; i++)
            for (size_t j = 0; j < p->n; j++)
                for (size_t k = 0; k < p->k; k++) {
                    size_t at = (batch * p->m + i) * p->n + j;
                    kiln_itile_set_undefined(
                        out, at, kiln_itile_undefined(a, (batch * p->m + i) * p->k + k));
                    kiln_itile_set_undefined(
                        out, at, kiln_itile_undefined(b, (batch * p->k + k) * p->n + j));
                }
}

static kiln_status_t finish(kiln_iframe_t *frame, const kiln_iop_t *op, product_t *p,
                            const kiln_itile_t *c, kiln_itile_t **out)
{
    kiln_number_t n = op->result_types[0]->number;
    *out = kiln_itile_create(frame->machine, c->count);
    for (size_t batch = 0; *out && batch < p->batch; batch++) {
        size_t size = p->m * p->n;
        for (size_t i = 0; i < size; i++)
            p->sums[i] = kiln_number_decode(n, c->bits[batch * size + i]);
        multiply(p, batch);
        for (size_t i = 0; i < size; i++)
            (*out)->bits[batch * size + i] = kiln_number_encode(n, p->sums[i]);
    }
    if (*out)
        kiln_itile_inherit_undefined(*out, c);
    return KILN_OK;
}

static kiln_itile_t *dot_integers(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    const kiln_itile_t *a = kiln_in(frame, op, 0), *b = kiln_in(frame, op, 1),
                       *c = kiln_in(frame, op, 2);
    const kiln_itype_t *ta = op->operand_types[0], *td = op->result_types[0];
    size_t batch = td->rank == 3 ? td->dims[0] : 1, m = td->dims[td->rank - 2],
           n = td->dims[td->rank - 1], depth = ta->dims[ta->rank - 1];
    kiln_itile_t *out = kiln_itile_copy(frame->machine, c);
    for (size_t s = 0; out && s < batch; s++)
        for (size_t i = 0; i < m; i++)
            for (size_t k = 0; k < depth; k++) {
                int64_t x = kiln_number_signed(ta->number, a->bits[(s * m + i) * depth + k]);
                for (size_t j = 0; j < n; j++) {
                    int64_t y = kiln_number_signed(op->operand_types[1]->number,
                                                   b->bits[(s * depth + k) * n + j]);
                    out->bits[(s * m + i) * n + j] += (uint64_t)x * (uint64_t)y; // i64 may wrap
                }
            }
    for (size_t i = 0; out && i < out->count; i++)
        out->bits[i] &= kiln_number_mask(td->number);
    return out;
}

kiln_status_t kiln_exec_dot(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    const kiln_itile_t *a = kiln_in(frame, op, 0), *b = kiln_in(frame, op, 1);
    const kiln_itype_t *ta = op->operand_types[0], *tb = op->operand_types[1];
    product_t p;
    kiln_status_t status = begin(ta, op->result_types[0], ta->dims[ta->rank - 1], &p);
    kiln_itile_t *out = NULL;
    if (!status && !kiln_number_is_float(ta->number)) {
        out = dot_integers(frame, op);
    } else if (!status) {
        bool narrows = op->attribute == TF32 && ta->number.bits == 32;
        for (size_t i = 0; i < a->count; i++)
            p.a[i] = kiln_number_decode(ta->number, a->bits[i]);
        for (size_t i = 0; i < b->count; i++)
            p.b[i] = kiln_number_decode(tb->number, b->bits[i]);
        for (size_t i = 0; narrows && i < a->count; i++)
            p.a[i] = to_tf32(p.a[i]);
        for (size_t i = 0; narrows && i < b->count; i++)
            p.b[i] = to_tf32(p.b[i]);
        status = finish(frame, op, &p, kiln_in(frame, op, 2), &out);
    }
    if (!status && out)
        spread_undefined(&p, a, b, out);
    end(&p);
    return status ? status : kiln_out(frame, op, 0, out);
}

// Scaled ------------------------------------------------------------------------------------------

// One side of the product: how its elements are stored.
typedef struct side {
    const kiln_itile_t *tile, *scale;
    const kiln_itype_t *type, *scale_type;
    int64_t element; // E4M3, …
    bool packs_along_k;
} side_t;

static double scale_value(const kiln_itype_t *type, uint64_t bits)
{
    if (kiln_number_is_float(type->number))
        return kiln_number_decode(type->number, bits);
    return bits == 255 ? (double)NAN : ldexp(1, (int)bits - 127);
}

static double element_value(const side_t *side, size_t row, size_t column, size_t columns,
                            bool packed_in_columns)
{
    static const kiln_number_t *const formats[] = {
        &kiln_number_e4m3, &kiln_number_e5m2, &kiln_number_e2m3, &kiln_number_e3m2,
        &kiln_number_e2m1, &kiln_number_bf16, &kiln_number_f16};
    const kiln_number_t *format =
        formats[side->element < 0 || side->element > FP16 ? 0 : side->element];
    if (side->element != E2M1)
        return kiln_number_decode(*format, side->tile->bits[row * columns + column]);
    size_t at = packed_in_columns ? row * (columns / 2) + column / 2 : row / 2 * columns + column;
    uint64_t byte = side->tile->bits[at];
    return kiln_number_decode(*format,
                              (packed_in_columns ? column : row) & 1 ? byte >> 4 : byte & 15);
}

kiln_status_t kiln_exec_dot_scaled(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    side_t sides[2];
    for (int s = 0; s < 2; s++) {
        int scale = op->segments[3 + s];
        sides[s] = (side_t){
            .tile = kiln_in_segment(frame, op, s),
            .type = op->operand_types[op->segments[s]],
            .scale = scale < 0 ? NULL : kiln_in(frame, op, scale),
            .scale_type = scale < 0 ? NULL : op->operand_types[scale],
            .element = kiln_ir_int_attr(op->mlir, s ? "b_elem_type" : "a_elem_type", 0),
            .packs_along_k = kiln_ir_int_attr(op->mlir, s ? "rhs_k_pack" : "lhs_k_pack", 1) != 0};
    }
    const kiln_itype_t *ta = sides[0].type;
    size_t k =
        ta->dims[ta->rank - 1] * (sides[0].element == E2M1 && sides[0].packs_along_k ? 2 : 1);
    product_t p;
    kiln_status_t status = begin(ta, op->result_types[0], k, &p);
    for (size_t i = 0; !status && i < p.batch * p.m; i++)
        for (size_t j = 0; j < k; j++) {
            double scale = 1;
            if (sides[0].scale) {
                size_t groups = sides[0].scale_type->dims[ta->rank - 1];
                scale = scale_value(sides[0].scale_type,
                                    sides[0].scale->bits[i * groups + j / (k / groups)]);
            }
            p.a[i * k + j] = scale * element_value(&sides[0], i, j, k, sides[0].packs_along_k);
        }
    for (size_t i = 0; !status && i < p.batch * k; i++)
        for (size_t j = 0; j < p.n; j++) {
            double scale = 1;
            if (sides[1].scale) {
                size_t groups = sides[1].scale_type->dims[ta->rank - 1], row = i / k * p.n + j;
                scale = scale_value(sides[1].scale_type,
                                    sides[1].scale->bits[row * groups + i % k / (k / groups)]);
            }
            p.b[i * p.n + j] = scale * element_value(&sides[1], i, j, p.n, !sides[1].packs_along_k);
        }
    kiln_itile_t *out = NULL;
    if (!status)
        status = finish(frame, op, &p, kiln_in_segment(frame, op, 2), &out);
    // Undefined operands are so rare here that the whole result may be undefined.
    uint8_t reason = 0;
    for (int s = 0; s < 2 && !reason; s++)
        reason = first_undefined(sides[s].tile) ? first_undefined(sides[s].tile)
                                                : first_undefined(sides[s].scale);
    for (size_t i = 0; reason && out && i < out->count; i++)
        kiln_itile_set_undefined(out, i, reason);
    end(&p);
    return status ? status : kiln_out(frame, op, 0, out);
}
