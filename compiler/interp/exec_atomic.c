// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomics: the elements of a tile one after another, in row-major order.
//
// Note that elements that share an address are updated one after another, and each gets the old
// value of its own update; a GPU may use another order.
#include <math.h>

#include "interp/races.h"

enum {
    AND = 1,
    OR = 2,
    XOR = 3,
    ADD = 4,
    FADD = 5,
    MAX = 6,
    MIN = 7,
    UMAX = 8,
    UMIN = 9,
    EXCHANGE = 10,
    INC = 11,
    DEC = 12
};

// Of zeros, -0 is the less one, as for arith.minnumf.
static uint64_t pick_float(kiln_number_t n, uint64_t old, uint64_t value, bool greater)
{
    const double a = kiln_number_decode(n, old), b = kiln_number_decode(n, value);
    if (isnan(a) || isnan(b))
        return isnan(a) ? value : old;
    if (a == b)
        return !signbit(b) == greater ? value : old;
    return (b > a) == greater ? value : old;
}

uint64_t kiln_atomic_apply(int64_t op, kiln_number_t n, uint64_t old, uint64_t value)
{
    bool is_float = kiln_number_is_float(n);
    int64_t a = kiln_number_signed(n, old), b = kiln_number_signed(n, value);
    switch (op) {
    case AND:
        return old & value;
    case OR:
        return old | value;
    case XOR:
        return old ^ value;
    case ADD:
    case FADD:
        return is_float ? kiln_number_encode(n, kiln_number_decode(n, old) +
                                                    kiln_number_decode(n, value))
                        : (old + value) & kiln_number_mask(n);
    case MAX:
        return is_float ? pick_float(n, old, value, true) : b > a ? value : old;
    case MIN:
        return is_float ? pick_float(n, old, value, false) : b < a ? value : old;
    case UMAX:
        return value > old ? value : old;
    case UMIN:
        return value < old ? value : old;
    case INC: // wraps around to 0 above value
        return old >= value ? 0 : old + 1;
    case DEC:
        return old == 0 || old > value ? value : old - 1;
    default:
        return value;
    }
}

// Finds the memory of an element and its old value.
static kiln_status_t locate(kiln_iframe_t *frame, const kiln_iop_t *op, const kiln_itype_t *type,
                            size_t i, unsigned char **out_host, uint64_t *out_old)
{
    const kiln_itile_t *pointers = kiln_in(frame, op, 0);
    unsigned bytes = kiln_number_bytes(type->number);
    if (kiln_itile_undefined(pointers, i))
        return kiln_fail_undefined(frame, op, type, i, pointers->undefined[i],
                                   "the address of an atomic operation");
    if (pointers->bits[i] % bytes)
        return kiln_fail_element(frame, op, type, i,
                                 "misaligned atomic operation on %u bytes at 0x%llx", bytes,
                                 (unsigned long long)pointers->bits[i]);
    KILN_TRY(kiln_access(frame, op, type, i, pointers->bits[i], bytes, "updates", out_host));
    *out_old = kiln_bytes_read(*out_host, bytes);
    return KILN_OK;
}

static kiln_status_t look_for_races(kiln_iframe_t *frame, const kiln_iop_t *op,
                                    const kiln_itype_t *type, size_t i, kiln_atomic_effect_t effect)
{
    return kiln_race_atomic(frame, op, type, i, kiln_in(frame, op, 0)->bits[i],
                            kiln_number_bytes(type->number), effect);
}

static void write_back(kiln_iframe_t *frame, kiln_number_t n, unsigned char *host, uint64_t old,
                       uint64_t value)
{
    if (old == value)
        return;
    kiln_bytes_write(host, kiln_number_bytes(n), value);
    frame->machine->changes++;
}

// Sets the result of an element that is masked off.
static kiln_status_t mask_off(kiln_iframe_t *frame, const kiln_iop_t *op, const kiln_itile_t *mask,
                              size_t i, kiln_itile_t *out, bool *out_is_off)
{
    *out_is_off = mask && !mask->bits[i];
    if (mask && kiln_itile_undefined(mask, i))
        return kiln_fail_undefined(frame, op, op->result_types[0], i, mask->undefined[i],
                                   "the mask of an atomic operation");
    if (*out_is_off) {
        out->bits[i] = 0;
        kiln_itile_set_undefined(
            out, i,
            kiln_machine_undefined_reason(frame->machine, op, "a masked-off atomic operation"));
    }
    return KILN_OK;
}

kiln_status_t kiln_exec_atomic_rmw(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    const kiln_itype_t *type = op->result_types[0];
    const kiln_itile_t *values = kiln_in(frame, op, 1), *mask = kiln_in_segment(frame, op, 2);
    kiln_itile_t *out = kiln_itile_create(frame->machine, values->count);
    frame->instance->has_read = true;
    for (size_t i = 0; out && i < values->count; i++) {
        bool is_off;
        KILN_TRY(mask_off(frame, op, mask, i, out, &is_off));
        if (is_off)
            continue;
        if (kiln_itile_undefined(values, i))
            return kiln_fail_undefined(frame, op, type, i, values->undefined[i],
                                       "the operand of an atomic operation");
        unsigned char *host;
        KILN_TRY(locate(frame, op, type, i, &host, &out->bits[i]));
        KILN_TRY(look_for_races(frame, op, type, i, KILN_ATOMIC_UPDATES));
        write_back(frame, type->number, host, out->bits[i],
                   kiln_atomic_apply(op->attribute, type->number, out->bits[i], values->bits[i]));
    }
    return kiln_out(frame, op, 0, out);
}

kiln_status_t kiln_exec_atomic_cas(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    const kiln_itype_t *type = op->result_types[0];
    const kiln_itile_t *expected = kiln_in(frame, op, 1), *values = kiln_in(frame, op, 2);
    kiln_itile_t *out = kiln_itile_create(frame->machine, values->count);
    frame->instance->has_read = true;
    for (size_t i = 0; out && i < values->count; i++) {
        uint8_t reason = kiln_itile_undefined(values, i) ? kiln_itile_undefined(values, i)
                                                         : kiln_itile_undefined(expected, i);
        if (reason)
            return kiln_fail_undefined(frame, op, type, i, reason,
                                       "an operand of an atomic operation");
        unsigned char *host;
        KILN_TRY(locate(frame, op, type, i, &host, &out->bits[i]));
        const bool swaps = out->bits[i] == expected->bits[i];
        KILN_TRY(
            look_for_races(frame, op, type, i, swaps ? KILN_ATOMIC_UPDATES : KILN_ATOMIC_READS));
        write_back(frame, type->number, host, out->bits[i], swaps ? values->bits[i] : out->bits[i]);
    }
    return kiln_out(frame, op, 0, out);
}

kiln_status_t kiln_exec_atomic_load(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    const kiln_itype_t *type = op->result_types[0];
    const kiln_itile_t *mask = kiln_in_segment(frame, op, 1);
    size_t count = kiln_in(frame, op, 0)->count;
    kiln_itile_t *out = kiln_itile_create(frame->machine, count);
    frame->instance->has_read = true;
    for (size_t i = 0; out && i < count; i++) {
        bool is_off;
        KILN_TRY(mask_off(frame, op, mask, i, out, &is_off));
        if (is_off)
            continue;
        unsigned char *host;
        KILN_TRY(locate(frame, op, type, i, &host, &out->bits[i]));
        KILN_TRY(look_for_races(frame, op, type, i, KILN_ATOMIC_READS));
    }
    return kiln_out(frame, op, 0, out);
}

// Compares each element in memory with the expected value; `out` may be NULL.
static kiln_status_t look(kiln_iframe_t *frame, const kiln_iop_t *op, kiln_itile_t *out,
                          bool *out_all)
{
    const kiln_itype_t *type = op->operand_types[1];
    const kiln_itile_t *expected = kiln_in(frame, op, 1);
    *out_all = true;
    for (size_t i = 0; i < expected->count; i++) {
        unsigned char *host;
        if (kiln_itile_undefined(expected, i))
            return kiln_fail_undefined(frame, op, type, i, expected->undefined[i],
                                       "an operand of an atomic operation");
        uint64_t now = 0;
        KILN_TRY(locate(frame, op, type, i, &host, &now));
        KILN_TRY(look_for_races(frame, op, type, i, KILN_ATOMIC_READS));
        bool equal = now == expected->bits[i];
        *out_all &= equal;
        if (out)
            out->bits[i] = equal;
    }
    return KILN_OK;
}

// Yields until memory holds the values. A time limit expires as soon as all other programs had a
// turn.
kiln_status_t kiln_exec_atomic_poll(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    bool has_limit = op->operand_count > 2, all;
    for (int turn = 0;; turn++) {
        KILN_TRY(look(frame, op, NULL, &all));
        if (all || (has_limit && turn == 2)) {
            kiln_itile_t *out = kiln_itile_create(frame->machine, kiln_in(frame, op, 1)->count);
            if (out)
                KILN_TRY(look(frame, op, out, &all));
            return kiln_out(frame, op, 0, out);
        }
        frame->instance->has_read = true;
        KILN_TRY(kiln_instance_yield(frame, op));
    }
}

kiln_status_t kiln_exec_barrier(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    (void)op;
    kiln_race_barrier(frame);
    return KILN_OK;
}
