// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers, element by element, in 64 bits and truncated to their width.
//
// Note that an undefined result (of a division by zero, of a shift by at least the width) only
// marks the element as undefined; it is not an error yet, since masked code computes such elements
// and discards them.
#include "builder/compare.h"
#include "interp/machine.h"

// Two operands and a result of the same width.
typedef struct pair {
    kiln_itile_t *out;
    const kiln_itile_t *a, *b;
    kiln_number_t number; // of the operands
} pair_t;

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static bool begin_pair(kiln_iframe_t *frame, const kiln_iop_t *op, pair_t *p)
{
    p->a = kiln_in(frame, op, 0);
    p->b = kiln_in(frame, op, 1);
    p->number = op->operand_types[0]->number;
    p->out = kiln_itile_create(frame->machine, larger(p->a->count, p->b->count));
    return p->out != NULL;
}

static kiln_status_t end_pair(kiln_iframe_t *frame, const kiln_iop_t *op, const pair_t *p)
{
    kiln_itile_inherit_undefined(p->out, p->a);
    kiln_itile_inherit_undefined(p->out, p->b);
    return kiln_out(frame, op, 0, p->out);
}

// x and y are the operands' bits, sx and sy their values as signed numbers.
#define EACH(expression)                                                                           \
    for (size_t i = 0, sa = kiln_itile_step(p->a), sb = kiln_itile_step(p->b), n = p->out->count;  \
         i < n; i++) {                                                                             \
        uint64_t x = p->a->bits[i * sa], y = p->b->bits[i * sb];                                   \
        int64_t sx = kiln_number_signed(p->number, x), sy = kiln_number_signed(p->number, y);      \
        (void)sx, (void)sy;                                                                        \
        p->out->bits[i] = (uint64_t)(expression) & mask;                                           \
    }

static int64_t floor_divide(int64_t a, int64_t b)
{
    int64_t q = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

static int64_t ceil_divide(int64_t a, int64_t b)
{
    int64_t q = a / b;
    return a % b != 0 && (a < 0) == (b < 0) ? q + 1 : q;
}

// Marks the elements whose quotient is undefined and sets their divisors to 1.
static kiln_itile_t *safe_divisors(kiln_iframe_t *frame, const kiln_iop_t *op, pair_t *p,
                                   bool is_signed)
{
    kiln_itile_t *safe = kiln_itile_create(frame->machine, p->out->count);
    if (!safe)
        return NULL;
    uint64_t min = UINT64_C(1) << (p->number.bits - 1), all = kiln_number_mask(p->number);
    size_t sa = kiln_itile_step(p->a), sb = kiln_itile_step(p->b);
    for (size_t i = 0; i < safe->count; i++) {
        uint64_t y = p->b->bits[i * sb];
        bool overflows = is_signed && y == all && p->a->bits[i * sa] == min;
        safe->bits[i] = y && !overflows ? y : 1;
        if (!y)
            kiln_itile_set_undefined(
                p->out, i, kiln_machine_undefined_reason(frame->machine, op, "a division by zero"));
        else if (overflows)
            kiln_itile_set_undefined(
                p->out, i,
                kiln_machine_undefined_reason(frame->machine, op, "a division that overflows"));
    }
    return safe;
}

static kiln_status_t divide(kiln_iframe_t *frame, const kiln_iop_t *op, pair_t *p)
{
    bool is_unsigned = op->kind == KILN_OP_ARITH_DIVUI || op->kind == KILN_OP_ARITH_REMUI ||
                       op->kind == KILN_OP_ARITH_CEILDIVUI;
    const kiln_itile_t *divisors = p->b;
    uint64_t mask = kiln_number_mask(p->number);
    kiln_itile_t *safe = safe_divisors(frame, op, p, !is_unsigned);
    if (!safe)
        return kiln_out(frame, op, 0, NULL);
    p->b = safe;
    switch (op->kind) {
    case KILN_OP_ARITH_DIVSI:
        EACH(sx / sy)
        break;
    case KILN_OP_ARITH_REMSI:
        EACH(sx % sy)
        break;
    case KILN_OP_ARITH_DIVUI:
        EACH(x / y)
        break;
    case KILN_OP_ARITH_REMUI:
        EACH(x % y)
        break;
    case KILN_OP_ARITH_FLOORDIVSI:
        EACH(floor_divide(sx, sy))
        break;
    case KILN_OP_ARITH_CEILDIVSI:
        EACH(ceil_divide(sx, sy))
        break;
    default: // ceildivui
        EACH(x / y + (x % y != 0))
        break;
    }
    for (size_t i = 0; p->out->undefined && i < p->out->count; i++)
        if (p->out->undefined[i])
            p->out->bits[i] = 0;
    kiln_itile_release(frame->machine, safe);
    p->b = divisors;
    return end_pair(frame, op, p);
}

static kiln_status_t shift(kiln_iframe_t *frame, const kiln_iop_t *op, pair_t *p)
{
    uint64_t mask = kiln_number_mask(p->number), width = (uint64_t)p->number.bits;
    switch (op->kind) {
    case KILN_OP_ARITH_SHLI:
        EACH(y < width ? x << y : 0)
        break;
    case KILN_OP_ARITH_SHRUI:
        EACH(y < width ? x >> y : 0)
        break;
    default:
        EACH(y < width ? sx >> y : 0)
        break;
    }
    size_t step = kiln_itile_step(p->b);
    for (size_t i = 0; i < p->out->count; i++)
        if (p->b->bits[i * step] >= width)
            kiln_itile_set_undefined(
                p->out, i,
                kiln_machine_undefined_reason(frame->machine, op, "a shift by at least the width"));
    return end_pair(frame, op, p);
}

// 0 & anything, 0 * anything and ~0 | anything are defined.
static kiln_status_t end_bitwise(kiln_iframe_t *frame, const kiln_iop_t *op, const pair_t *p,
                                 uint64_t decides)
{
    size_t sa = kiln_itile_step(p->a), sb = kiln_itile_step(p->b);
    for (size_t i = 0; (p->a->undefined || p->b->undefined) && i < p->out->count; i++) {
        uint8_t fa = kiln_itile_undefined(p->a, i * sa), fb = kiln_itile_undefined(p->b, i * sb);
        bool decided =
            (!fa && p->a->bits[i * sa] == decides) || (!fb && p->b->bits[i * sb] == decides);
        if (decided)
            p->out->bits[i] = decides;
        else
            kiln_itile_set_undefined(p->out, i, fa ? fa : fb);
    }
    return kiln_out(frame, op, 0, p->out);
}

static uint64_t high_half(uint64_t a, uint64_t b, int bits)
{
    return (uint64_t)((unsigned __int128)a * b >> bits);
}

kiln_status_t kiln_exec_integer(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    pair_t pair, *p = &pair;
    if (!begin_pair(frame, op, p))
        return kiln_out(frame, op, 0, NULL);
    uint64_t mask = kiln_number_mask(p->number);
    switch (op->kind) {
    case KILN_OP_ARITH_ADDI:
        EACH(x + y)
        break;
    case KILN_OP_ARITH_SUBI:
        EACH(x - y)
        break;
    case KILN_OP_ARITH_MULI:
        EACH(x * y)
        return end_bitwise(frame, op, p, 0);
    case KILN_OP_ARITH_ANDI:
        EACH(x & y)
        return end_bitwise(frame, op, p, 0);
    case KILN_OP_ARITH_ORI:
        EACH(x | y)
        return end_bitwise(frame, op, p, mask);
    case KILN_OP_ARITH_XORI:
        EACH(x ^ y)
        break;
    case KILN_OP_ARITH_MINSI:
        EACH(sx < sy ? x : y)
        break;
    case KILN_OP_ARITH_MAXSI:
        EACH(sx > sy ? x : y)
        break;
    case KILN_OP_ARITH_MINUI:
        EACH(x < y ? x : y)
        break;
    case KILN_OP_ARITH_MAXUI:
        EACH(x > y ? x : y)
        break;
    case KILN_OP_TT_MULHIUI:
        EACH(high_half(x, y, p->number.bits))
        break;
    case KILN_OP_ARITH_SHLI:
    case KILN_OP_ARITH_SHRUI:
    case KILN_OP_ARITH_SHRSI:
        return shift(frame, op, p);
    case KILN_OP_ARITH_DIVSI:
    case KILN_OP_ARITH_REMSI:
    case KILN_OP_ARITH_DIVUI:
    case KILN_OP_ARITH_REMUI:
    case KILN_OP_ARITH_FLOORDIVSI:
    case KILN_OP_ARITH_CEILDIVSI:
    case KILN_OP_ARITH_CEILDIVUI:
        return divide(frame, op, p);
    default:
        kiln_itile_release(frame->machine, p->out);
        return kiln_fail_without_code(frame, op);
    }
    return end_pair(frame, op, p);
}

kiln_status_t kiln_exec_compare_integers(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    pair_t pair, *p = &pair;
    const uint64_t mask = 1;
    if (!begin_pair(frame, op, p))
        return kiln_out(frame, op, 0, NULL);
    switch (op->attribute) {
    case KILN_CMPI_EQ:
        EACH(x == y)
        break;
    case KILN_CMPI_NE:
        EACH(x != y)
        break;
    case KILN_CMPI_SLT:
        EACH(sx < sy)
        break;
    case KILN_CMPI_SLE:
        EACH(sx <= sy)
        break;
    case KILN_CMPI_SGT:
        EACH(sx > sy)
        break;
    case KILN_CMPI_SGE:
        EACH(sx >= sy)
        break;
    case KILN_CMPI_ULT:
        EACH(x < y)
        break;
    case KILN_CMPI_ULE:
        EACH(x <= y)
        break;
    case KILN_CMPI_UGT:
        EACH(x > y)
        break;
    default:
        EACH(x >= y)
        break;
    }
    return end_pair(frame, op, p);
}

// Products of twice the width and sums with a carry: two results.
kiln_status_t kiln_exec_extended(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    pair_t pair, *p = &pair;
    if (!begin_pair(frame, op, p))
        return kiln_out(frame, op, 0, NULL);
    uint64_t mask = kiln_number_mask(p->number);
    int bits = p->number.bits;
    pair_t high = *p;
    high.out = kiln_itile_create(frame->machine, p->out->count);
    if (!high.out)
        return kiln_out(frame, op, 1, NULL);
    if (op->kind == KILN_OP_ARITH_ADDUI_EXTENDED)
        EACH(x + y)
    else
        EACH(x * y)
    p = &high;
    if (op->kind == KILN_OP_ARITH_ADDUI_EXTENDED)
        EACH((uint64_t)(((unsigned __int128)x + y) >> bits) & 1)
    else if (op->kind == KILN_OP_ARITH_MULUI_EXTENDED)
        EACH(high_half(x, y, bits))
    else
        EACH((uint64_t)((__int128)sx * sy >> bits))
    kiln_itile_inherit_undefined(high.out, pair.a);
    kiln_itile_inherit_undefined(high.out, pair.b);
    kiln_itile_inherit_undefined(pair.out, pair.a);
    kiln_itile_inherit_undefined(pair.out, pair.b);
    KILN_TRY(kiln_out(frame, op, 0, pair.out));
    return kiln_out(frame, op, 1, high.out);
}

kiln_status_t kiln_exec_integer_unary(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    const kiln_itile_t *a = kiln_in(frame, op, 0);
    kiln_number_t number = op->operand_types[0]->number;
    kiln_itile_t *out = kiln_itile_create(frame->machine, a->count);
    for (size_t i = 0; out && i < a->count; i++) {
        uint64_t x = a->bits[i];
        int64_t sx = kiln_number_signed(number, x);
        switch (op->kind) {
        case KILN_OP_MATH_ABSI:
            out->bits[i] = (sx < 0 ? 0 - x : x) & kiln_number_mask(number);
            break;
        case KILN_OP_MATH_CTPOP:
            out->bits[i] = (uint64_t)__builtin_popcountll(x);
            break;
        case KILN_OP_MATH_CTLZ:
            out->bits[i] = (uint64_t)(x ? __builtin_clzll(x) - (64 - number.bits) : number.bits);
            break;
        case KILN_OP_MATH_CTTZ:
            out->bits[i] = (uint64_t)(x ? __builtin_ctzll(x) : number.bits);
            break;
        default:
            kiln_itile_release(frame->machine, out);
            return kiln_fail_without_code(frame, op);
        }
    }
    if (out)
        kiln_itile_inherit_undefined(out, a);
    return kiln_out(frame, op, 0, out);
}

kiln_status_t kiln_exec_select(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    const kiln_itile_t *condition = kiln_in(frame, op, 0), *a = kiln_in(frame, op, 1),
                       *b = kiln_in(frame, op, 2);
    kiln_itile_t *out =
        kiln_itile_create(frame->machine, larger(condition->count, larger(a->count, b->count)));
    size_t sc = kiln_itile_step(condition), sa = kiln_itile_step(a), sb = kiln_itile_step(b);
    for (size_t i = 0; out && i < out->count; i++)
        out->bits[i] = condition->bits[i * sc] ? a->bits[i * sa] : b->bits[i * sb];
    for (size_t i = 0;
         out && (condition->undefined || a->undefined || b->undefined) && i < out->count; i++) {
        uint8_t chosen = condition->bits[i * sc] ? kiln_itile_undefined(a, i * sa)
                                                 : kiln_itile_undefined(b, i * sb);
        uint8_t reason = kiln_itile_undefined(condition, i * sc);
        kiln_itile_set_undefined(out, i, reason ? reason : chosen);
    }
    return kiln_out(frame, op, 0, out);
}

kiln_status_t kiln_exec_addptr(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    pair_t pair, *p = &pair;
    if (!begin_pair(frame, op, p))
        return kiln_out(frame, op, 0, NULL);
    uint64_t size = kiln_number_bytes(op->result_types[0]->pointee), mask = ~UINT64_C(0);
    p->number = op->operand_types[1]->number; // for sy
    EACH(x + (uint64_t)sy * size)
    return end_pair(frame, op, p);
}
