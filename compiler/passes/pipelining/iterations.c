// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests which iterations an expanded loop has, for the steps outside the loop and for closed loops.
// If lower + number · step fits its type, it is compared with upper; if it fits as an unsigned
// number, it is compared as unsigned with an upper bound clamped to zero; otherwise each iteration
// subtracts its step from the remaining distance:
//
//   rest(0) = max(upper, lower) − lower      rest(k + 1) = max(rest(k), step) − step      iteration k exists if rest(k) ≠ 0
//
// Note that lower + stages · step may wrap to any value if the loop has fewer iterations than
// stages; the new loop's upper bound is then its lower bound.
#include "analysis/iterations.h"
#include "passes/loops/for_loop.h"
#include "passes/pipelining/expand.h"

MlirValue kiln_expand_add_times(const kiln_ir_t *ir, MlirValue value, MlirValue step, int times)
{
    if (times == 0)
        return value;
    MlirValue factor = kiln_ir_const_int(ir, mlirValueGetType(step), times);
    MlirValue product = times == 1 ? step : kiln_ir_binary(ir, KILN_OP_ARITH_MULI, step, factor);
    return kiln_ir_binary(ir, KILN_OP_ARITH_ADDI, value, product);
}

// upper, or 0 if upper is negative: there are no iterations then, because lower is not negative.
static MlirValue upper_from_zero(kiln_expansion_t *e, const kiln_ir_t *ir)
{
    if (mlirValueIsNull(e->upper_from_zero))
        e->upper_from_zero = kiln_ir_binary(ir, KILN_OP_ARITH_MAXSI, e->upper,
                                            kiln_ir_const_int(ir, mlirValueGetType(e->upper), 0));
    return e->upper_from_zero;
}

static MlirValue rest(kiln_expansion_t *e, const kiln_ir_t *ir, int number)
{
    const kiln_op_t larger =
        kiln_for_is_unsigned(e->schedule->loop) ? KILN_OP_ARITH_MAXUI : KILN_OP_ARITH_MAXSI;
    if (e->rest_count == 0)
        e->rest[e->rest_count++] = kiln_ir_binary(
            ir, KILN_OP_ARITH_SUBI, kiln_ir_binary(ir, larger, e->upper, e->lower), e->lower);
    for (; e->rest_count <= number; e->rest_count++) {
        MlirValue min =
            kiln_ir_binary(ir, KILN_OP_ARITH_MAXUI, e->rest[e->rest_count - 1], e->step);
        e->rest[e->rest_count] = kiln_ir_binary(ir, KILN_OP_ARITH_SUBI, min, e->step);
    }
    return e->rest[number];
}

static MlirValue has_rest(kiln_expansion_t *e, const kiln_ir_t *ir, int number)
{
    return kiln_ir_compare(ir, KILN_CMPI_NE, rest(e, ir, number),
                           kiln_ir_const_int(ir, mlirValueGetType(e->lower), 0));
}

MlirValue kiln_expand_has_iteration(kiln_expansion_t *e, const kiln_ir_t *ir, int number)
{
    MlirOperation loop = e->schedule->loop;
    switch (kiln_for_sum_fits(loop, number)) {
    case KILN_SUM_FITS:
        return kiln_ir_compare(ir, kiln_for_less(loop),
                               kiln_expand_add_times(ir, e->lower, e->step, number), e->upper);
    case KILN_SUM_FITS_UNSIGNED:
        return kiln_ir_compare(ir, KILN_CMPI_ULT,
                               kiln_expand_add_times(ir, e->lower, e->step, number),
                               upper_from_zero(e, ir));
    case KILN_SUM_MAY_WRAP:
        break;
    }
    return has_rest(e, ir, number);
}

// In a closed loop the induction variable is less than upper, so the difference does not wrap.
MlirValue kiln_expand_has_later(const kiln_expansion_t *e, const kiln_ir_t *ir, int by)
{
    int64_t step = 0;
    kiln_ir_constant_int(e->step, &step);
    return kiln_ir_compare(ir, KILN_CMPI_UGT, e->rest_of_loop,
                           kiln_ir_const_int(ir, mlirValueGetType(e->step), by * step));
}

// lower + stages · step stays a sum, which preserves the known multiples.
void kiln_expand_bounds(kiln_expansion_t *e, const kiln_ir_t *ir, MlirValue *out_lower,
                        MlirValue *out_upper)
{
    const int ahead = e->schedule->stages - 1;
    *out_lower = kiln_expand_add_times(ir, e->lower, e->step, ahead);
    *out_upper =
        kiln_for_sum_fits(e->schedule->loop, ahead) == KILN_SUM_FITS
            ? e->upper
            : kiln_tile_select(ir, kiln_expand_has_iteration(e, ir, ahead), e->upper, *out_lower);
}
