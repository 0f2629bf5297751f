// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes loads indexed by a signed remainder wide although nothing proves that the dividend is not
// negative:
//
//   %x = splat(%s) + range(128)                  %lin = (floor modulus of %x) − (%s < 0 ? |%n| : 0)
//   %c = arith.remsi %x, splat(%n)               %v = scf.if %s < 0 {
//   %p = tt.addptr %row, %c                          %w = tt.load (%row + %lin)
//   %v = tt.load %p                       →          %first = tt.load (%row + %lin + |%n|), (%lin = −|%n|)
//                                                    select (%lin = −|%n|), %first, %w
//                                                } else {
//                                                    tt.load (%row + %lin)
//                                                }
//
// %s and %n are multiples of the group's size, so the remainders of a group of negative numbers are
// consecutive except for the first if it is a multiple of %n: the first of (−8 … −1) % 8 is 0, not
// −8. That one is loaded separately. Loops may carry the pointers; other uses of %c keep it.
// schedule_loops treats such a branch as a load.
//
// Pitfall: the address −|%n| is accessed although the program does not access it. It is safe
// because all loads must become wider: then its neighbour, which the program does access, lies in
// the same aligned piece of memory.
#include <stdlib.h>

#include "analysis/axis_info.h"
#include "base/array.h"
#include "builder/compare.h"
#include "builder/erase_unused.h"
#include "builder/ir.h"
#include "builder/op_facts.h"
#include "passes/branch.h"
#include "passes/clones.h"
#include "passes/pass.h"
#include "passes/tile_ops.h"

enum { MOST_VALUES = 64, MOST_STARTS = 8, MOST_LOADS = 16, CHAIN = 8 };

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

// A loop-carried value: operand 3 + index is its initial value.
typedef struct slot {
    MlirOperation loop;
    int index;
} slot_t;

typedef struct remainder {
    MlirOperation op;
    MlirValue start, range, divisor; // start and divisor: scalars
    int64_t group;
    along_t starts[MOST_STARTS]; // results of tt.addptr that add the remainder
    MlirValue offsets[MOST_STARTS];
    along_t pointers[MOST_VALUES];
    load_t loads[MOST_LOADS];
    slot_t slots[MOST_VALUES];
    int start_count, pointer_count, load_count, slot_count;
} remainder_t;

// Remainders --------------------------------------------------------------------------------------

static bool find_dividend(MlirOperation op, remainder_t *r)
{
    MlirOperation sum, part, divisor;
    int64_t number;
    *r = (remainder_t){.op = op};
    if (kiln_op_kind(op) != KILN_OP_ARITH_REMSI)
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

// The most elements that a load accesses together.
static int64_t most_together(MlirOperation load)
{
    enum { BITS = 128 };
    const int bits = kiln_type_bits(mlirValueGetType(kiln_op_result(load, 0)));
    return bits > 0 && bits < BITS ? BITS / bits : 1;
}

// Whether all dividends have the sign of the first, and groups of more than one start at multiples
// of their size.
static bool find_group(const kiln_axis_analysis_t *axis, remainder_t *r)
{
    int64_t most = 1;
    const int64_t count = kiln_type_count(mlirValueGetType(r->range)),
                  of_start = kiln_axis_info(axis, r->start).divisibility[0],
                  of_divisor = kiln_axis_info(axis, kiln_op_operand(r->op, 1)).divisibility[0];
    for (int i = 0; i < r->load_count; i++)
        most = most_together(r->loads[i].op) > most ? most_together(r->loads[i].op) : most;
    r->group = of_divisor < count ? of_divisor : count;
    while (r->group > most)
        r->group /= 2;
    return of_start >= count && r->group > 1;
}

// What is made of them ----------------------------------------------------------------------------

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
            if (r->start_count == MOST_STARTS)
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
    if (r->slot_count == MOST_VALUES)
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
        if (r->load_count == MOST_LOADS || is_volatile(user) ||
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
    if (r->pointer_count == MOST_VALUES)
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

static int64_t width_of(const kiln_axis_analysis_t *axis, const load_t *load)
{
    const kiln_axis_access_t access =
        kiln_axis_access_along(axis, kiln_op_operand(load->op, 0), kiln_op_segment(load->op, 1),
                               KILN_AXIS_SHARED, load->dim);
    return access.elements * access.repeat;
}

// Linear remainders -------------------------------------------------------------------------------

// All computed as unsigned: |INT_MIN| is 2^31.
typedef struct linear {
    MlirValue is_negative, // scalar: the dividends are negative
        modulus,           // scalar: |divisor|
        value,             // the remainders, but −modulus for negative multiples of it
        is_multiple;       // the dividend is a multiple
} linear_t;

static MlirValue multiples_of(const kiln_ir_t *ir, MlirValue value, int64_t factor)
{
    return kiln_ir_binary(ir, KILN_OP_ARITH_ANDI, value,
                          kiln_ir_const_int(ir, mlirValueGetType(value), -factor));
}

static MlirValue modulus_of(const kiln_ir_t *ir, const remainder_t *r, MlirType type,
                            MlirValue zero)
{
    int64_t number;
    if (kiln_ir_constant_int(kiln_op_operand(r->op, 1), &number))
        return kiln_ir_const_int(ir, type, number < 0 && number != INT32_MIN ? -number : number);
    MlirValue is_negative = kiln_ir_compare(ir, KILN_CMPI_SLT, r->divisor, zero),
              negated = kiln_ir_binary(ir, KILN_OP_ARITH_SUBI, zero, r->divisor);
    return multiples_of(ir, kiln_tile_select(ir, is_negative, negated, r->divisor), r->group);
}

static bool make_linear(const remainder_t *r, const kiln_ir_t *ir, linear_t *out)
{
    MlirType type = mlirValueGetType(r->start), shape = mlirValueGetType(r->range);
    MlirValue zero = kiln_ir_const_int(ir, type, 0);
    out->modulus = modulus_of(ir, r, type, zero);
    out->is_negative = kiln_ir_compare(ir, KILN_CMPI_SLT, r->start, zero);
    kiln_branch_t branch;
    if (!kiln_branch_open(&branch, ir, out->is_negative, 2))
        return false;
    const kiln_ir_t *yes = &branch.yes;
    MlirValue before =
        kiln_ir_binary(yes, KILN_OP_ARITH_REMUI,
                       kiln_ir_binary(yes, KILN_OP_ARITH_SUBI, zero, r->start), out->modulus);
    kiln_branch_gives(&branch, kiln_ir_binary(yes, KILN_OP_ARITH_SUBI, out->modulus, before),
                      r->start);
    kiln_branch_gives(&branch, kiln_ir_binary(yes, KILN_OP_ARITH_SUBI, zero, out->modulus), zero);
    MlirOperation made = kiln_branch_close(&branch, ir);
    MlirValue start = multiples_of(ir, kiln_op_result(made, 0), r->group),
              sum = kiln_ir_binary(ir, KILN_OP_ARITH_ADDI, kiln_tile_splat(ir, shape, start),
                                   r->range),
              modulo = kiln_ir_binary(ir, KILN_OP_ARITH_REMUI, sum,
                                      kiln_tile_splat(ir, shape, out->modulus));
    out->value = kiln_ir_binary(ir, KILN_OP_ARITH_ADDI, modulo,
                                kiln_tile_splat(ir, shape, kiln_op_result(made, 1)));
    // Only the first of a group may be a multiple, and it is known by its position.
    MlirValue in_group = kiln_ir_binary(ir, KILN_OP_ARITH_ANDI, r->range,
                                        kiln_ir_const_int(ir, shape, r->group - 1)),
              is_first =
                  kiln_ir_compare(ir, KILN_CMPI_EQ, in_group, kiln_ir_const_int(ir, shape, 0)),
              is_small = kiln_ir_compare(ir, KILN_CMPI_ULT, modulo,
                                         kiln_ir_const_int(ir, shape, r->group));
    out->is_multiple = kiln_ir_binary(ir, KILN_OP_ARITH_ANDI, is_small, is_first);
    return true;
}

// Recomputes the offsets that depend on the remainder, from a replacement of it.
static MlirValue remake(const kiln_ir_t *ir, const remainder_t *r, MlirValue offsets, MlirValue by)
{
    MlirOperation op;
    if (mlirValueEqual(offsets, kiln_op_result(r->op, 0)))
        return by;
    kiln_op_t kind = kiln_value_op(offsets, &op);
    MlirValue operand = remake(ir, r, kiln_op_operand(op, 0), by);
    if (kind == KILN_OP_TT_EXPAND_DIMS)
        return kiln_tile_expand_dims(ir, operand, (int)kiln_ir_int_attr(op, "axis", 0));
    return kind == KILN_OP_TT_BROADCAST
               ? kiln_tile_broadcast(ir, mlirValueGetType(offsets), operand)
               : kiln_tile_cast(ir, KILN_OP_ARITH_EXTSI, operand,
                                kiln_type_element(mlirValueGetType(offsets)));
}

// Loads -------------------------------------------------------------------------------------------

static MlirValue load_first(const kiln_ir_t *ir, MlirOperation from, const linear_t *linear,
                            MlirValue is_multiple)
{
    static const char *const NAMES[] = {"cache", "evict"};
    MlirValue mask = kiln_op_segment(from, 1), other = kiln_op_segment(from, 2),
              pointers = kiln_op_operand(from, 0);
    MlirType type = mlirValueGetType(kiln_op_result(from, 0)),
             wide = mlirIntegerTypeGet(ir->context, 64);
    // 2^31 is not negative.
    MlirValue distance =
        kiln_tile_splat(ir, type, kiln_ir_unary(ir, KILN_OP_ARITH_EXTUI, wide, linear->modulus));
    const int32_t segments[] = {1, 1, !mlirValueIsNull(other)};
    MlirNamedAttribute attributes[3];
    int count = 0;
    for (int i = 0; i < 2; i++)
        if (!mlirAttributeIsNull(kiln_ir_attr(from, NAMES[i])))
            attributes[count++] =
                kiln_ir_named(ir->context, NAMES[i], kiln_ir_attr(from, NAMES[i]));
    attributes[count++] = kiln_ir_named(ir->context, "operandSegmentSizes",
                                        mlirDenseI32ArrayGet(ir->context, 3, segments));
    MlirValue operands[] = {kiln_ir_binary(ir, KILN_OP_TT_ADDPTR, pointers, distance),
                            mlirValueIsNull(mask)
                                ? is_multiple
                                : kiln_ir_binary(ir, KILN_OP_ARITH_ANDI, mask, is_multiple),
                            other};
    kiln_ir_op_t op = {.kind = KILN_OP_TT_LOAD,
                       .operand_count = 2 + segments[2],
                       .operands = operands,
                       .result_count = 1,
                       .results = &type,
                       .attribute_count = count,
                       .attributes = attributes};
    return kiln_op_result(kiln_ir_create(ir, &op), 0);
}

// Broadcasts the value to the shape of the load's result.
static MlirValue shaped(const kiln_ir_t *ir, MlirValue value, MlirType type, int dim)
{
    for (int d = 0; d < kiln_type_rank(type); d++)
        if (d != dim)
            value = kiln_tile_expand_dims(ir, value, d);
    return kiln_tile_broadcast(ir, type, value);
}

static bool mend(const kiln_ir_t *outside, const load_t *load, const linear_t *linear)
{
    kiln_ir_t ir = kiln_ir_before(load->op);
    kiln_clones_t none = {0}, others = {0};
    kiln_branch_t branch;
    if (!kiln_branch_open(&branch, &ir, linear->is_negative, 1))
        return false;
    MlirType type = mlirValueGetType(kiln_op_result(load->op, 0));
    MlirValue is_multiple = shaped(outside, linear->is_multiple, type, load->dim),
              yes = kiln_op_result(kiln_clone(&branch.yes, load->op, &none), 0),
              first = load_first(&branch.yes, load->op, linear, is_multiple),
              no = kiln_op_result(kiln_clone(&branch.no, load->op, &others), 0);
    kiln_branch_gives(&branch, kiln_tile_select(&branch.yes, is_multiple, first, yes), no);
    kiln_value_replace(kiln_op_result(load->op, 0),
                       kiln_op_result(kiln_branch_close(&branch, &ir), 0));
    kiln_op_erase(load->op);
    bool had_memory = kiln_clones_free(&none);
    return kiln_clones_free(&others) && had_memory;
}

// Adds linear remainders to the pointers, and keeps the change if all loads become wider.
static kiln_status_t linearize(MlirOperation root, remainder_t *r)
{
    kiln_axis_analysis_t *axis;
    linear_t linear;
    kiln_ir_t ir = kiln_ir_after(r->op);
    if (!make_linear(r, &ir, &linear))
        return kiln_status_out_of_memory();
    for (int i = 0; i < r->start_count; i++)
        mlirOperationSetOperand(mlirOpResultGetOwner(r->starts[i].value), 1,
                                remake(&ir, r, r->offsets[i], linear.value));
    KILN_TRY(kiln_axis_analysis_create(root, &axis));
    bool pays = true;
    for (int i = 0; i < r->load_count; i++)
        pays = pays && width_of(axis, &r->loads[i]) > r->loads[i].width;
    kiln_axis_analysis_destroy(axis);
    for (int i = 0; i < r->load_count && pays; i++)
        if (!mend(&ir, &r->loads[i], &linear))
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

static kiln_status_t visit(MlirOperation root, MlirOperation op)
{
    kiln_axis_analysis_t *axis;
    remainder_t r;
    if (!find_dividend(op, &r) || !collect_loads(&r))
        return KILN_OK;
    KILN_TRY(kiln_axis_analysis_create(root, &axis));
    bool fits = find_group(axis, &r);
    for (int i = 0; i < r.load_count; i++)
        r.loads[i].width = width_of(axis, &r.loads[i]);
    kiln_axis_analysis_destroy(axis);
    return fits ? linearize(root, &r) : KILN_OK;
}

kiln_status_t kiln_linear_remainders(const kiln_pass_context_t *context, MlirModule module)
{
    (void)context;
    MlirOperation root = mlirModuleGetOperation(module);
    remainders_t all = {0};
    kiln_walk(root, MlirWalkPreOrder, collect, &all);
    kiln_status_t status = all.out_of_memory ? kiln_status_out_of_memory() : KILN_OK;
    for (size_t i = 0; i < all.count && !status; i++)
        status = visit(root, all.ops[i]);
    free(all.ops);
    if (all.count && !status && !kiln_erase_unused(root))
        status = kiln_status_out_of_memory();
    return status;
}
