// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes loads whose index is a remainder wide, although the remainders of consecutive dividends are
// not known to be consecutive:
//
//   %x = splat(%s) + range(128)                  %last = (%s + last of the group of 8) % %n
//   %c = %x % splat(%n)                          %lin = %last − 7 + position in the group
//   %p = tt.addptr %row, %c                      %v = scf.if a group may be broken {
//   %v = tt.load %p                       →          %w = tt.load (%row + %lin), group is whole
//                                                    %o = tt.load (%row + %c), group is broken
//                                                    select group is broken, %o, %w
//                                                } else {
//                                                    tt.load (%row + %lin)
//                                                }
//
// A group is broken if a multiple of %n lies in it. The exception is a non-negative multiple at the
// start of a group, whose remainders are still consecutive; negative numbers break there, since the
// first of (−8 … −1) % 8 is 0 instead of −8. No group is broken if all remainders of the tile are
// consecutive, or if %s and %n are multiples of the group's size and not negative. A test of two
// scalars decides at run time, so %n may be any number, and only tiles at the edge load single
// elements. Loops may carry the pointers; other uses of %c keep it. schedule_loops treats the
// branch as a load.
//
// If %s and %n are known to be such multiples, only a group's first element can differ from %lin,
// and only that element is loaded separately. The wide load then includes one address that the
// program does not access. The load must be aligned to its size, so that this address lies in
// memory that the program does access.
//
// The test of a group's ends suffices: x % n = x − n·q, and q, rounded towards 0, never falls (n >
// 0) or never rises (n < 0) as x grows. If the first remainder equals the last one minus the
// distance, both have the same q, and so do all numbers between them. Numbers that wrap within the
// group are tested, too.
#include <stdlib.h>

#include "analysis/axis/axis_info.h"
#include "analysis/waves/uniformity.h"
#include "base/array.h"
#include "builder/compare.h"
#include "builder/erase_unused.h"
#include "builder/ir.h"
#include "builder/op_facts.h"
#include "passes/pass.h"
#include "passes/rewrite/branch.h"
#include "passes/rewrite/clones.h"
#include "passes/rewrite/tile_ops.h"

enum { MAX_VALUES = 64, MAX_STARTS = 8, MAX_LOADS = 16, CHAIN = 8 };

// A value, and its dimension along which the remainder varies.
typedef struct along {
    MlirValue value;
    int dim;
} along_t;

typedef struct load {
    MlirOperation op;
    int dim;
    int64_t width; // before the rewrite
} load_t;

// A loop-carried value; operand 3 + index of the loop is its initial value.
typedef struct slot {
    MlirOperation loop;
    int index;
} slot_t;

typedef struct remainder {
    MlirOperation op;
    kiln_op_t kind;                  // signed or unsigned
    MlirValue start, range, divisor; // start and divisor: scalars; divisor: null if constant
    int64_t group, count;
    bool are_multiples;         // start and divisor, of the group's size
    bool firsts_only;           // load only a broken group's first element separately
    along_t starts[MAX_STARTS]; // results of tt.addptr that add the remainder
    MlirValue offsets[MAX_STARTS];
    along_t pointers[MAX_VALUES];
    load_t loads[MAX_LOADS];
    slot_t slots[MAX_VALUES];
    int start_count, pointer_count, load_count, slot_count;
} remainder_t;

// Remainders --------------------------------------------------------------------------------------

static bool find_dividend(MlirOperation op, remainder_t *r)
{
    MlirOperation sum, part, divisor;
    int64_t number;
    *r = (remainder_t){.op = op, .kind = kiln_op_kind(op)};
    if (r->kind != KILN_OP_ARITH_REMSI && r->kind != KILN_OP_ARITH_REMUI)
        return false;
    MlirType type = mlirValueGetType(kiln_op_result(op, 0));
    if (kiln_type_rank(type) != 1 || kiln_type_bits(type) != 32 ||
        kiln_value_op(kiln_op_operand(op, 0), &sum) != KILN_OP_ARITH_ADDI)
        return false;
    for (int i = 0; i < 2; i++) {
        MlirValue value = kiln_op_operand(sum, i);
        kiln_op_t kind = kiln_value_op(value, &part);
        if (kind == KILN_OP_TT_SPLAT)
            r->start = kiln_op_operand(part, 0);
        else if (kind == KILN_OP_TT_MAKE_RANGE && kiln_ir_int_attr(part, "start", -1) == 0)
            r->range = value;
    }
    if (kiln_value_op(kiln_op_operand(op, 1), &divisor) == KILN_OP_TT_SPLAT)
        r->divisor = kiln_op_operand(divisor, 0);
    bool is_constant = kiln_ir_constant_int(kiln_op_operand(op, 1), &number) && number != 0;
    return !mlirValueIsNull(r->start) && !mlirValueIsNull(r->range) &&
           (is_constant || !mlirValueIsNull(r->divisor));
}

static int64_t bytes_of_element(MlirOperation load)
{
    const int bits = kiln_type_bits(mlirValueGetType(kiln_op_result(load, 0)));
    return bits > 8 ? bits / 8 : 1;
}

// The most elements that a load accesses together.
static int64_t max_together(MlirOperation load)
{
    enum { BYTES = 16 };
    const int64_t bytes = bytes_of_element(load);
    return bytes < BYTES ? BYTES / bytes : 1;
}

// Chooses the size of groups, which divides the tile's size. Returns false if a group would be one
// element, or if the tile starts at a constant that is not a multiple: then it is the only tile,
// and it may well contain a broken group.
static bool choose_group(const kiln_axis_analysis_t *axis, remainder_t *r)
{
    int64_t constant;
    r->count = kiln_type_count(mlirValueGetType(r->range));
    r->group = 1;
    for (int i = 0; i < r->load_count; i++)
        if (max_together(r->loads[i].op) > r->group)
            r->group = max_together(r->loads[i].op);
    while (r->count % r->group)
        r->group /= 2;
    r->are_multiples =
        r->kind == KILN_OP_ARITH_REMSI &&
        kiln_axis_info(axis, r->start).divisibility[0] % r->group == 0 &&
        kiln_axis_info(axis, kiln_op_operand(r->op, 1)).divisibility[0] % r->group == 0;
    return r->group > 1 && (r->are_multiples || !kiln_ir_constant_int(r->start, &constant));
}

// Uses of a remainder -----------------------------------------------------------------------------

static int dim_after(MlirOperation op, int dim)
{
    return dim +
           (kiln_op_kind(op) == KILN_OP_TT_EXPAND_DIMS && kiln_ir_int_attr(op, "axis", 0) <= dim);
}

static bool reshapes(kiln_op_t kind)
{
    return kind == KILN_OP_TT_EXPAND_DIMS || kind == KILN_OP_TT_BROADCAST;
}

// Collects the additions to pointers. Other uses of the remainder are ignored.
static bool collect_starts(remainder_t *r, along_t from, int depth)
{
    for (MlirOpOperand use = mlirValueGetFirstUse(from.value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        kiln_op_t kind = kiln_op_kind(user);
        if (depth > 0 && (reshapes(kind) || kind == KILN_OP_ARITH_EXTSI)) {
            if (!collect_starts(r, (along_t){kiln_op_result(user, 0), dim_after(user, from.dim)},
                                depth - 1))
                return false;
        } else if (kind == KILN_OP_TT_ADDPTR && mlirOpOperandGetOperandNumber(use) == 1) {
            if (r->start_count == MAX_STARTS)
                return false;
            r->offsets[r->start_count] = from.value;
            r->starts[r->start_count++] = (along_t){kiln_op_result(user, 0), from.dim};
        }
    }
    return true;
}

static int find_pointer(const remainder_t *r, MlirValue value)
{
    for (int i = 0; i < r->pointer_count; i++)
        if (mlirValueEqual(r->pointers[i].value, value))
            return i;
    return -1;
}

static bool add_pointer(remainder_t *r, along_t pointer);

static bool add_slot(remainder_t *r, MlirOperation loop, int index, int dim)
{
    for (int i = 0; i < r->slot_count; i++)
        if (mlirOperationEqual(r->slots[i].loop, loop) && r->slots[i].index == index)
            return true;
    if (r->slot_count == MAX_VALUES)
        return false;
    r->slots[r->slot_count++] = (slot_t){loop, index};
    return add_pointer(r, (along_t){mlirBlockGetArgument(kiln_op_body(loop, 0), 1 + index), dim}) &&
           add_pointer(r, (along_t){mlirOperationGetResult(loop, index), dim});
}

static bool is_volatile(MlirOperation load)
{
    return kiln_ir_int_attr(load, "isVolatile", 0) != 0;
}

static bool add_use(remainder_t *r, MlirOpOperand use, along_t pointer)
{
    MlirOperation user = mlirOpOperandGetOwner(use), parent = kiln_op_parent(user);
    const int operand = (int)mlirOpOperandGetOperandNumber(use);
    kiln_op_t kind = kiln_op_kind(user);
    if (kind == KILN_OP_TT_LOAD) {
        if (operand != 0 || r->load_count == MAX_LOADS || is_volatile(user) ||
            kiln_op_kind(parent) == KILN_OP_SCF_IF)
            return false;
        r->loads[r->load_count++] = (load_t){.op = user, .dim = pointer.dim};
        return true;
    }
    if (reshapes(kind) || (kind == KILN_OP_TT_ADDPTR && operand == 0))
        return add_pointer(r, (along_t){kiln_op_result(user, 0), dim_after(user, pointer.dim)});
    if (kind == KILN_OP_SCF_FOR && operand >= 3)
        return add_slot(r, user, operand - 3, pointer.dim);
    return kind == KILN_OP_SCF_YIELD && kiln_op_kind(parent) == KILN_OP_SCF_FOR &&
           add_slot(r, parent, operand, pointer.dim);
}

// Returns false if a pointer has other uses than loads.
static bool add_pointer(remainder_t *r, along_t pointer)
{
    int known = find_pointer(r, pointer.value);
    if (known >= 0)
        return r->pointers[known].dim == pointer.dim;
    if (r->pointer_count == MAX_VALUES)
        return false;
    r->pointers[r->pointer_count++] = pointer;
    for (MlirOpOperand use = mlirValueGetFirstUse(pointer.value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use))
        if (!add_use(r, use, pointer))
            return false;
    return true;
}

// Collects the loads from pointers to which the remainder is added once.
static bool collect_loads(remainder_t *r)
{
    if (!collect_starts(r, (along_t){kiln_op_result(r->op, 0), 0}, CHAIN))
        return false;
    for (int i = 0; i < r->start_count; i++)
        if (!add_pointer(r, r->starts[i]))
            return false;
    for (int i = 0; i < r->start_count; i++)
        if (find_pointer(r, kiln_op_operand(mlirOpResultGetOwner(r->starts[i].value), 0)) >= 0)
            return false;
    for (int i = 0; i < r->slot_count; i++) {
        MlirOperation yield = kiln_block_terminator(kiln_op_body(r->slots[i].loop, 0));
        if (find_pointer(r, mlirOperationGetOperand(r->slots[i].loop, 3 + r->slots[i].index)) < 0 ||
            find_pointer(r, mlirOperationGetOperand(yield, r->slots[i].index)) < 0)
            return false;
    }
    return r->load_count > 0;
}

static kiln_axis_access_t access_of(const kiln_axis_analysis_t *axis, const load_t *load)
{
    return kiln_axis_access_along(axis, kiln_op_operand(load->op, 0), kiln_op_segment(load->op, 1),
                                  KILN_AXIS_SHARED, load->dim);
}

static int64_t width_of(const kiln_axis_analysis_t *axis, const load_t *load)
{
    const kiln_axis_access_t access = access_of(axis, load);
    return (int64_t)access.elements * access.repeat;
}

// Whether the load would be aligned to the size of a group.
static bool is_aligned(const kiln_axis_analysis_t *axis, const remainder_t *r, const load_t *load)
{
    return access_of(axis, load).alignment % (r->group * bytes_of_element(load->op)) == 0;
}

// Linear remainders -------------------------------------------------------------------------------

typedef struct linear {
    MlirValue value;     // the remainders of whole groups, as offsets
    MlirValue last;      // of each group: the dividend,
    MlirValue of_last;   // and its remainder
    MlirValue may_break; // scalar: whether groups may be broken
    MlirValue is_apart;  // of each element: whether it is loaded separately
    MlirValue modulus;   // scalar: |divisor|, if only first elements may be loaded separately
} linear_t;

static MlirValue remainder_of(const kiln_ir_t *ir, const remainder_t *r, MlirValue dividend)
{
    MlirType type = mlirValueGetType(dividend);
    int64_t number;
    MlirValue divisor;
    if (kiln_ir_constant_int(kiln_op_operand(r->op, 1), &number))
        divisor = kiln_ir_const_int(ir, type, number);
    else
        divisor = kiln_type_is_tensor(type) ? kiln_op_operand(r->op, 1) : r->divisor;
    return kiln_ir_binary(ir, r->kind, dividend, divisor);
}

static MlirValue add(const kiln_ir_t *ir, MlirValue value, int64_t number)
{
    return kiln_ir_binary(ir, KILN_OP_ARITH_ADDI, value,
                          kiln_ir_const_int(ir, mlirValueGetType(value), number));
}

static MlirValue and(const kiln_ir_t *ir, MlirValue value, int64_t mask)
{
    return kiln_ir_binary(ir, KILN_OP_ARITH_ANDI, value,
                          kiln_ir_const_int(ir, mlirValueGetType(value), mask));
}

// Sign-extends to 64 bits, as tt.addptr does.
static MlirValue offset_of(const kiln_ir_t *ir, MlirValue value)
{
    return kiln_tile_cast(ir, KILN_OP_ARITH_EXTSI, value, mlirIntegerTypeGet(ir->context, 64));
}

// Whether the remainders of [last − distance, last], as offsets, are not consecutive.
static MlirValue is_broken(const kiln_ir_t *ir, const remainder_t *r, MlirValue last,
                           MlirValue of_last, int64_t distance)
{
    const kiln_cmpi_t less = r->kind == KILN_OP_ARITH_REMSI ? KILN_CMPI_SLT : KILN_CMPI_ULT;
    MlirValue first = add(ir, last, -distance),
              jumps = kiln_ir_compare(ir, KILN_CMPI_NE, offset_of(ir, remainder_of(ir, r, first)),
                                      add(ir, of_last, -distance)),
              wraps = kiln_ir_compare(ir, less, last, first);
    return kiln_ir_binary(ir, KILN_OP_ARITH_ORI, jumps, wraps);
}

static MlirValue divisor_of(const kiln_ir_t *ir, const remainder_t *r)
{
    int64_t number;
    return kiln_ir_constant_int(kiln_op_operand(r->op, 1), &number)
               ? kiln_ir_const_int(ir, mlirValueGetType(r->start), number)
               : r->divisor;
}

static MlirValue may_break(const kiln_ir_t *ir, const remainder_t *r)
{
    MlirValue zero = kiln_ir_const_int(ir, mlirValueGetType(r->start), 0),
              last = add(ir, r->start, r->count - 1);
    // Also if numbers wrap.
    MlirValue any_negative = kiln_ir_compare(
        ir, KILN_CMPI_SLT, kiln_ir_binary(ir, KILN_OP_ARITH_ORI, r->start, last), zero);
    if (r->are_multiples)
        return any_negative;
    MlirValue tile_breaks =
                  is_broken(ir, r, last, offset_of(ir, remainder_of(ir, r, last)), r->count - 1),
              low = and(ir, kiln_ir_binary(ir, KILN_OP_ARITH_ORI, r->start, divisor_of(ir, r)),
                        r->group - 1),
              parts = kiln_ir_compare(ir, KILN_CMPI_NE, low, zero);
    if (r->kind == KILN_OP_ARITH_REMSI)
        parts = kiln_ir_binary(ir, KILN_OP_ARITH_ORI, parts, any_negative);
    return kiln_ir_binary(ir, KILN_OP_ARITH_ANDI, tile_breaks, parts);
}

static void make_linear(const remainder_t *r, const kiln_ir_t *ir, linear_t *out)
{
    MlirType shape = mlirValueGetType(r->range);
    MlirValue first = kiln_ir_binary(ir, KILN_OP_ARITH_ADDI, kiln_tile_splat(ir, shape, r->start),
                                     and(ir, r->range, -r->group));
    out->last = add(ir, first, r->group - 1);
    out->of_last = offset_of(ir, remainder_of(ir, r, out->last));
    MlirValue base = add(ir, out->of_last, 1 - r->group);
    if (r->are_multiples)
        base = and(ir, base, -r->group); // no change; lets axis_info derive divisibility
    out->value = kiln_ir_binary(ir, KILN_OP_ARITH_ADDI, base,
                                offset_of(ir, and(ir, r->range, r->group - 1)));
}

// Tests for broken groups.
static void test_groups(const remainder_t *r, const kiln_ir_t *ir, linear_t *out)
{
    out->may_break = may_break(ir, r);
    if (!r->firsts_only) {
        out->is_apart = is_broken(ir, r, out->last, out->of_last, r->group - 1);
        return;
    }
    // A first element is wrong if it is a multiple of the divisor: it must be 0, but is −modulus.
    MlirType shape = mlirValueGetType(r->range), wide = mlirIntegerTypeGet(ir->context, 64);
    MlirValue divisor = kiln_ir_unary(ir, KILN_OP_ARITH_EXTSI, wide, divisor_of(ir, r)),
              zero = kiln_ir_const_int(ir, wide, 0),
              negated = kiln_ir_binary(ir, KILN_OP_ARITH_SUBI, zero, divisor),
              is_negative = kiln_ir_compare(ir, KILN_CMPI_SLT, divisor, zero),
              in_group = and(ir, r->range, r->group - 1);
    out->modulus = kiln_tile_select(ir, is_negative, negated, divisor);
    MlirValue min = kiln_tile_select(ir, is_negative, divisor, negated);
    out->is_apart = kiln_ir_binary(
        ir, KILN_OP_ARITH_ANDI,
        kiln_ir_compare(ir, KILN_CMPI_EQ, in_group, kiln_ir_const_int(ir, shape, 0)),
        kiln_ir_compare(ir, KILN_CMPI_EQ, out->value, kiln_tile_splat(ir, shape, min)));
}

// Recomputes the offsets that depend on the remainder, from a replacement of it.
static MlirValue recompute(const kiln_ir_t *ir, const remainder_t *r, MlirValue offsets,
                           MlirValue by)
{
    MlirOperation op;
    if (mlirValueEqual(offsets, kiln_op_result(r->op, 0)))
        return by;
    kiln_op_t kind = kiln_value_op(offsets, &op);
    MlirValue operand = recompute(ir, r, kiln_op_operand(op, 0), by);
    if (kind == KILN_OP_TT_EXPAND_DIMS)
        return kiln_tile_expand_dims(ir, operand, (int)kiln_ir_int_attr(op, "axis", 0));
    return kind == KILN_OP_TT_BROADCAST
               ? kiln_tile_broadcast(ir, mlirValueGetType(offsets), operand)
               : operand; // extended already
}

// Loads -------------------------------------------------------------------------------------------

// Broadcasts the value to the shape of the load's result.
static MlirValue shaped(const kiln_ir_t *ir, MlirValue value, MlirType type, int dim)
{
    for (int d = 0; d < kiln_type_rank(type); d++)
        if (d != dim)
            value = kiln_tile_expand_dims(ir, value, d);
    return kiln_tile_broadcast(ir, type, value);
}

// Loads where both masks are true; the first may be null.
static MlirValue load_where(const kiln_ir_t *ir, MlirOperation from, MlirValue pointers,
                            MlirValue mask, MlirValue where)
{
    static const char *const NAMES[] = {"cache", "evict"};
    MlirValue other = kiln_op_segment(from, 2);
    MlirType type = mlirValueGetType(kiln_op_result(from, 0));
    const int32_t segments[] = {1, 1, !mlirValueIsNull(other)};
    MlirNamedAttribute attributes[3];
    int count = 0;
    for (int i = 0; i < 2; i++)
        if (!mlirAttributeIsNull(kiln_ir_attr(from, NAMES[i])))
            attributes[count++] =
                kiln_ir_named(ir->context, NAMES[i], kiln_ir_attr(from, NAMES[i]));
    attributes[count++] = kiln_ir_named(ir->context, "operandSegmentSizes",
                                        mlirDenseI32ArrayGet(ir->context, 3, segments));
    if (!mlirValueIsNull(mask))
        where = kiln_ir_binary(ir, KILN_OP_ARITH_ANDI, mask, where);
    MlirValue operands[] = {pointers, where, other};
    kiln_ir_op_t op = {.kind = KILN_OP_TT_LOAD,
                       .operand_count = 2 + segments[2],
                       .operands = operands,
                       .result_count = 1,
                       .results = &type,
                       .attribute_count = count,
                       .attributes = attributes};
    return kiln_op_result(kiln_ir_create(ir, &op), 0);
}

// Returns the scalar as the result of inline assembly that does not change it. LLVM does not move
// code that depends on the result out of its block; otherwise it would compute the addresses of
// single elements before the loop and keep them in registers for all iterations. The assembly
// contains an instruction because LLVM treats it as the end of a clause of memory accesses.
static MlirValue here(const kiln_ir_t *ir, MlirValue scalar)
{
    MlirType type = mlirValueGetType(scalar);
    const MlirNamedAttribute attributes[] = {
        kiln_ir_named(ir->context, "asm_string",
                      mlirStringAttrGet(ir->context, mlirStringRefCreateFromCString("s_nop 0"))),
        kiln_ir_named(ir->context, "constraints",
                      mlirStringAttrGet(ir->context, mlirStringRefCreateFromCString("=s,0"))),
        kiln_ir_named(ir->context, "pure", mlirBoolAttrGet(ir->context, true)),
        kiln_ir_named(ir->context, "packed_element", kiln_ir_i32_attr(ir->context, 1)),
    };
    kiln_ir_op_t op = {.kind = KILN_OP_TT_ELEMENTWISE_INLINE_ASM,
                       .operand_count = 1,
                       .operands = &scalar,
                       .result_count = 1,
                       .results = &type,
                       .attribute_count = 4,
                       .attributes = attributes};
    return kiln_op_result(kiln_ir_create(ir, &op), 0);
}

// The distances of the elements' own addresses from their addresses in whole groups.
static MlirValue distances(const kiln_ir_t *ir, const remainder_t *r, const load_t *load,
                           const linear_t *linear)
{
    MlirType type = mlirValueGetType(kiln_op_result(load->op, 0));
    if (r->firsts_only)
        return kiln_tile_splat(ir, type, linear->modulus);
    MlirType shape = mlirValueGetType(r->range);
    MlirValue dividend = kiln_ir_binary(ir, KILN_OP_ARITH_ADDI,
                                        kiln_tile_splat(ir, shape, here(ir, r->start)), r->range),
              own = offset_of(ir, remainder_of(ir, r, dividend));
    return shaped(ir, kiln_ir_binary(ir, KILN_OP_ARITH_SUBI, own, linear->value), type, load->dim);
}

// Loads whole groups at once, and elements of broken groups from their own addresses.
static MlirValue load_both(const kiln_ir_t *ir, const remainder_t *r, const load_t *load,
                           const linear_t *linear, kiln_clones_t *clones)
{
    MlirType type = mlirValueGetType(kiln_op_result(load->op, 0));
    MlirValue pointers = kiln_op_operand(load->op, 0), mask = kiln_op_segment(load->op, 1),
              is_apart = shaped(ir, linear->is_apart, type, load->dim), together;
    if (r->firsts_only) {
        together = kiln_op_result(kiln_clone(ir, load->op, clones), 0);
    } else {
        MlirValue truth = kiln_ir_const_int(ir, mlirValueGetType(is_apart), 1);
        together = load_where(ir, load->op, pointers, mask,
                              kiln_ir_binary(ir, KILN_OP_ARITH_XORI, is_apart, truth));
    }
    MlirValue own = kiln_ir_binary(ir, KILN_OP_TT_ADDPTR, pointers, distances(ir, r, load, linear));
    return kiln_tile_select(ir, is_apart, load_where(ir, load->op, own, mask, is_apart), together);
}

static bool rewrite_load(const remainder_t *r, const load_t *load, const linear_t *linear)
{
    kiln_ir_t ir = kiln_ir_before(load->op);
    kiln_clones_t then_clones = {0}, else_clones = {0};
    kiln_branch_t branch;
    if (!kiln_branch_open(&branch, &ir, linear->may_break, 1))
        return false;
    MlirValue then_value = load_both(&branch.then_ir, r, load, linear, &then_clones),
              else_value = kiln_op_result(kiln_clone(&branch.else_ir, load->op, &else_clones), 0);
    kiln_branch_yield(&branch, then_value, else_value);
    kiln_value_replace(kiln_op_result(load->op, 0),
                       kiln_op_result(kiln_branch_close(&branch, &ir), 0));
    kiln_op_erase(load->op);
    const bool fits = kiln_clones_free(&then_clones);
    return kiln_clones_free(&else_clones) && fits;
}

// Adds linear remainders to the pointers, and keeps the change if all loads become wider.
static kiln_status_t linearize(MlirOperation root, remainder_t *r)
{
    kiln_axis_analysis_t *axis;
    linear_t linear = {0};
    kiln_ir_t ir = kiln_ir_after(r->op);
    make_linear(r, &ir, &linear);
    for (int i = 0; i < r->start_count; i++)
        mlirOperationSetOperand(mlirOpResultGetOwner(r->starts[i].value), 1,
                                recompute(&ir, r, r->offsets[i], linear.value));
    KILN_TRY(kiln_axis_analysis_create(root, &axis));
    bool pays = true;
    r->firsts_only = r->are_multiples;
    for (int i = 0; i < r->load_count; i++) {
        pays = pays && width_of(axis, &r->loads[i]) > r->loads[i].width;
        r->firsts_only = r->firsts_only && is_aligned(axis, r, &r->loads[i]);
    }
    kiln_axis_analysis_destroy(axis);
    if (pays)
        test_groups(r, &ir, &linear);
    for (int i = 0; i < r->load_count && pays; i++)
        if (!rewrite_load(r, &r->loads[i], &linear))
            return kiln_status_out_of_memory();
    for (int i = 0; i < r->start_count && !pays; i++)
        mlirOperationSetOperand(mlirOpResultGetOwner(r->starts[i].value), 1, r->offsets[i]);
    return KILN_OK;
}

typedef struct remainders {
    MlirOperation *ops;
    size_t count, capacity;
    bool out_of_memory;
} remainders_t;

static MlirWalkResult collect(MlirOperation op, void *user)
{
    remainders_t *all = user;
    remainder_t r;
    if (!find_dividend(op, &r))
        return MlirWalkResultAdvance;
    if (!KILN_ARRAY_RESERVE(&all->ops, &all->capacity, all->count + 1)) {
        all->out_of_memory = true;
        return MlirWalkResultInterrupt;
    }
    all->ops[all->count++] = op;
    return MlirWalkResultAdvance;
}

// Whether all waves take the same branch: a load in it may need a barrier.
static kiln_status_t find_uniform(const kiln_pass_context_t *context, MlirModule module,
                                  const remainder_t *r, bool *out)
{
    kiln_uniformity_t *uniformity;
    KILN_TRY(kiln_uniformity_create(module, context->options->num_warps, &uniformity));
    *out = kiln_is_same_in_all_waves(uniformity, r->start) &&
           (mlirValueIsNull(r->divisor) || kiln_is_same_in_all_waves(uniformity, r->divisor));
    kiln_uniformity_destroy(uniformity);
    return KILN_OK;
}

static kiln_status_t visit(const kiln_pass_context_t *context, MlirModule module, MlirOperation op)
{
    MlirOperation root = mlirModuleGetOperation(module);
    kiln_axis_analysis_t *axis;
    remainder_t r;
    bool is_uniform;
    if (!find_dividend(op, &r) || !collect_loads(&r))
        return KILN_OK;
    KILN_TRY(find_uniform(context, module, &r, &is_uniform));
    if (!is_uniform)
        return KILN_OK;
    KILN_TRY(kiln_axis_analysis_create(root, &axis));
    const bool fits = choose_group(axis, &r);
    for (int i = 0; i < r.load_count; i++)
        r.loads[i].width = width_of(axis, &r.loads[i]);
    kiln_axis_analysis_destroy(axis);
    return fits ? linearize(root, &r) : KILN_OK;
}

kiln_status_t kiln_linear_remainders(const kiln_pass_context_t *context, MlirModule module)
{
    MlirOperation root = mlirModuleGetOperation(module);
    remainders_t all = {0};
    kiln_walk(root, MlirWalkPreOrder, collect, &all);
    kiln_status_t status = all.out_of_memory ? kiln_status_out_of_memory() : KILN_OK;
    for (size_t i = 0; i < all.count && !status; i++)
        status = visit(context, module, all.ops[i]);
    free(all.ops);
    if (all.count && !status && !kiln_erase_unused(root))
        status = kiln_status_out_of_memory();
    return status;
}
