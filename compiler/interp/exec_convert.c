// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between widths, formats, integers and floats, and bitcasts.
//
// Note that a true i1 as a signed number is −1, and that a float out of the integer's range has an
// undefined result.
#include <float.h>
#include <math.h>

#include "interp/machine.h"

kiln_status_t kiln_exec_resize(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    const kiln_itile_t *a = kiln_in(frame, op, 0);
    kiln_number_t from = op->operand_types[0]->number, to = op->result_types[0]->number;
    bool extends_sign = op->kind == KILN_OP_ARITH_EXTSI || op->kind == KILN_OP_ARITH_INDEX_CAST;
    kiln_itile_t *out = kiln_itile_create(frame->machine, a->count);
    for (size_t i = 0; out && i < a->count; i++)
        out->bits[i] =
            (extends_sign ? (uint64_t)kiln_number_signed(from, a->bits[i]) : a->bits[i]) &
            kiln_number_mask(to);
    if (out)
        kiln_itile_inherit_undefined(out, a);
    return kiln_out(frame, op, 0, out);
}

kiln_status_t kiln_exec_same_bits(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    return kiln_out(frame, op, 0, kiln_itile_retain(frame->slots[op->operands[0]]));
}

kiln_status_t kiln_exec_convert_float(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    const kiln_itile_t *a = kiln_in(frame, op, 0);
    kiln_number_t from = op->operand_types[0]->number, to = op->result_types[0]->number;
    // tt.fp_to_fp: rtz = 0, rtne = 1. arith's: to_nearest_even = 0, toward_zero = 3.
    bool is_tt = op->kind == KILN_OP_TT_FP_TO_FP;
    if (!is_tt && op->attribute != 0 && op->attribute != 3)
        return kiln_fail(
            frame, op, KILN_STATUS_UNSUPPORTED,
            "a rounding mode other than to_nearest_even and toward_zero is not supported");
    kiln_float_rounding_t rounding =
        op->attribute == (is_tt ? 0 : 3) ? KILN_FLOAT_TO_ZERO : KILN_FLOAT_NEAREST_EVEN;
    kiln_itile_t *out = kiln_itile_create(frame->machine, a->count);
    bool saturates = is_tt && to.bits <= 8 && rounding == KILN_FLOAT_NEAREST_EVEN;
    for (size_t i = 0; out && i < a->count; i++) {
        double value = kiln_number_decode(from, a->bits[i]);
        if (saturates && isinf(value))
            value = copysign(DBL_MAX, value); // Triton's tests expect infinity to saturate as well
        out->bits[i] = kiln_number_convert(to, value, rounding);
    }
    if (out)
        kiln_itile_inherit_undefined(out, a);
    return kiln_out(frame, op, 0, out);
}

// Converting a 64-bit integer through double to a format of at most 24 bits of precision would
// round twice. Rounding to odd prevents it: the last bit is set if double cannot hold the value.
static double to_odd_double(uint64_t magnitude)
{
    int excess = magnitude >> 53 ? 11 - __builtin_clzll(magnitude) : 0;
    if (excess <= 0)
        return (double)magnitude;
    uint64_t kept = magnitude >> excess, lost = magnitude & ((UINT64_C(1) << excess) - 1);
    return ldexp((double)(kept | (lost != 0)), excess);
}

kiln_status_t kiln_exec_integer_to_float(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    const kiln_itile_t *a = kiln_in(frame, op, 0);
    kiln_number_t from = op->operand_types[0]->number, to = op->result_types[0]->number;
    bool is_signed = op->kind == KILN_OP_ARITH_SITOFP;
    kiln_itile_t *out = kiln_itile_create(frame->machine, a->count);
    for (size_t i = 0; out && i < a->count; i++) {
        int64_t value = kiln_number_signed(from, a->bits[i]);
        bool negative = is_signed && value < 0;
        uint64_t magnitude = negative ? 0 - (uint64_t)value : a->bits[i];
        double wide = to.bits == 64 ? (double)magnitude : to_odd_double(magnitude);
        if (to.bits == kiln_number_bf16.bits && to.mantissa_bits == kiln_number_bf16.mantissa_bits)
            wide = (float)wide; // Triton, PyTorch and the machine convert to bf16 through f32
        out->bits[i] = kiln_number_encode(to, negative ? -wide : wide);
    }
    if (out)
        kiln_itile_inherit_undefined(out, a);
    return kiln_out(frame, op, 0, out);
}

kiln_status_t kiln_exec_float_to_integer(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    const kiln_itile_t *a = kiln_in(frame, op, 0);
    kiln_number_t from = op->operand_types[0]->number, to = op->result_types[0]->number;
    bool is_signed = op->kind == KILN_OP_ARITH_FPTOSI;
    double low = is_signed ? -ldexp(1, to.bits - 1) : 0,
           beyond = ldexp(1, is_signed ? to.bits - 1 : to.bits);
    kiln_itile_t *out = kiln_itile_create(frame->machine, a->count);
    for (size_t i = 0; out && i < a->count; i++) {
        double value = trunc(kiln_number_decode(from, a->bits[i]));
        if (!(value >= low && value < beyond)) {
            uint64_t largest = kiln_number_mask(to) >> is_signed, min = is_signed ? largest + 1 : 0;
            out->bits[i] = isnan(value) ? 0 : value < 0 ? min : largest;
            kiln_itile_set_undefined(out, i,
                                     kiln_machine_undefined_reason(
                                         frame->machine, op, "a float out of the integer's range"));
        } else {
            out->bits[i] =
                (value < 0 ? (uint64_t)(int64_t)value : (uint64_t)value) & kiln_number_mask(to);
        }
    }
    if (out)
        kiln_itile_inherit_undefined(out, a);
    return kiln_out(frame, op, 0, out);
}
