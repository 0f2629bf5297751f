// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the scf.for of a counted loop. The distance between two numbers of n bits, low and high,
// always fits in n bits without a sign, so loops other than i < high count the distance from the
// start:
//
//   i < high                    scf.for i = start to high step c
//   i > low, and i ≤ high,      scf.for d = 0 to max(high, low) − low step c {unsignedCmp}      i = start ± d
//   i ≥ low if an end can be moved by 1
//   i ≤ high, i ≥ low           scf.for k = 0 to (high − low) / c + 1 step 1 {unsignedCmp}      i = start ± k · c
//
// Pitfall: i ≤ high differs from i < high + 1 if high is the type's last number. So the range is
// extended by 1 only at an end that is a constant other than that. The only trip count that no
// distance represents is 2^n, all numbers of the type with a step of 1; there the last iteration is
// not executed (docs/tile-c.md).
#include "frontend/emit/emit.h"

// An end of the counter's range, with the facts known about it.
typedef struct end {
    kiln_value_t value;
    bool is_constant;
    int64_t constant;
} end_t;

// `narrow` is the same number, before it was widened.
static end_t end_of(kiln_value_t value, kiln_value_t narrow)
{
    end_t end = {.value = value};
    end.is_constant = kiln_ir_constant_int(kiln_unwrap(narrow), &end.constant);
    return end;
}

static bool move_end(kiln_emitter_t *emitter, const kiln_tile_type_t *type, end_t *end, int by)
{
    const int64_t last = by > 0 ? (type->scalar == KILN_SCALAR_I32 ? INT32_MAX : INT64_MAX)
                                : (type->scalar == KILN_SCALAR_I32 ? INT32_MIN : INT64_MIN);
    if (!end->is_constant || end->constant == last)
        return false;
    end->constant += by;
    end->value = kiln_emit_int(emitter, type, end->constant);
    return true;
}

static kiln_value_t difference(kiln_emitter_t *emitter, const end_t *high, const end_t *low)
{
    if (low->is_constant && low->constant == 0)
        return high->value;
    return kiln_build_binary(emitter->builder, KILN_BINARY_SUBI, high->value, low->value);
}

// Unsigned; 0 if high is not above low.
static kiln_value_t distance(kiln_emitter_t *emitter, const kiln_tile_type_t *type,
                             const end_t *high, const end_t *low)
{
    if (high->is_constant && low->is_constant) {
        uint64_t span =
            high->constant > low->constant ? (uint64_t)high->constant - (uint64_t)low->constant : 0;
        return kiln_emit_int(emitter, type, kiln_constant_int(type->scalar, (int64_t)span).integer);
    }
    end_t max = {
        .value = kiln_build_binary(emitter->builder, KILN_BINARY_MAXSI, high->value, low->value)};
    return difference(emitter, &max, low);
}

// (high − low) / step + 1, unsigned; 0 if high is below low.
static kiln_value_t count(kiln_emitter_t *emitter, const kiln_tile_type_t *type, const end_t *high,
                          const end_t *low, kiln_value_t step)
{
    kiln_builder_t *builder = emitter->builder;
    kiln_value_t more =
        kiln_build_binary(builder, KILN_BINARY_DIVUI, difference(emitter, high, low), step);
    more = kiln_build_binary(builder, KILN_BINARY_MINUI, more, kiln_emit_int(emitter, type, -2));
    more = kiln_build_binary(builder, KILN_BINARY_ADDI, more, kiln_emit_int(emitter, type, 1));
    return kiln_build_select(builder,
                             kiln_build_compare(builder, KILN_COMPARE_SLE, low->value, high->value),
                             more, kiln_emit_int(emitter, type, 0));
}

kiln_counted_for_t kiln_emit_counted_for(kiln_emitter_t *emitter, const kiln_action_t *loop,
                                         const kiln_counted_t *counted)
{
    const kiln_tile_type_t *type = &counted->type;
    bool is_inclusive =
        counted->comparison == KILN_OPERATOR_LE || counted->comparison == KILN_OPERATOR_GE;
    kiln_counted_for_t counted_for = {0};
    counted_for.start =
        kiln_emit_convert(emitter, loop->counter->value, &loop->counter->type, type);
    kiln_value_t last = kiln_emit_node(emitter, counted->bound);
    end_t start = end_of(counted_for.start, loop->counter->value), bound = end_of(last, last);
    bool begins_at_zero = start.is_constant && start.constant == 0;
    if (counted->constant_step)
        counted_for.step = kiln_emit_int(emitter, type, counted->constant_step);
    else
        counted_for.step = kiln_emit_convert(emitter, kiln_emit_node(emitter, counted->step),
                                             &counted->step->type, type);
    kiln_emit_locate(emitter, loop->span, loop->site);
    end_t *low = counted->is_downward ? &bound : &start,
          *high = counted->is_downward ? &start : &bound;
    if (is_inclusive && (move_end(emitter, type, high, 1) || move_end(emitter, type, low, -1)))
        is_inclusive = false;
    counted_for.is_unsigned =
        is_inclusive || counted->is_downward || low->value.handle != counted_for.start.handle;
    counted_for.is_counter =
        !counted_for.is_unsigned || (begins_at_zero && !is_inclusive && !counted->is_downward);
    counted_for.low = counted_for.is_unsigned ? kiln_emit_int(emitter, type, 0) : counted_for.start;
    counted_for.high = !counted_for.is_unsigned ? bound.value
                       : is_inclusive           ? count(emitter, type, high, low, counted_for.step)
                                                : distance(emitter, type, high, low);
    if (is_inclusive && counted->constant_step != 1)
        counted_for.scale = counted_for.step;
    if (is_inclusive)
        counted_for.step = kiln_emit_int(emitter, type, 1);
    return counted_for;
}

kiln_value_t kiln_emit_counter(kiln_emitter_t *emitter, const kiln_counted_t *counted,
                               const kiln_counted_for_t *counted_for, kiln_value_t induction)
{
    kiln_builder_t *builder = emitter->builder;
    if (counted_for->is_counter)
        return induction;
    if (counted_for->scale.handle)
        induction = kiln_build_binary(builder, KILN_BINARY_MULI, induction, counted_for->scale);
    kiln_binary_t op = counted->is_downward ? KILN_BINARY_SUBI : KILN_BINARY_ADDI;
    return kiln_build_binary(builder, op, counted_for->start, induction);
}
