// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses layouts for all values between the operations with fixed layouts, so that conversions
// cancel.
//
//   %a  = tt.load %p : tensor<…, #coalesced>                        %a = tt.load %p : tensor<…, #coalesced>
//   %a1 = ttg.convert_layout %a : #coalesced -> #default      →     %b = arith.addf %a, %c1 : tensor<…, #coalesced>
//   %b  = arith.addf %a1, %c : tensor<…, #default>
//
// Four steps:
//
//   1. Forward. Results of dots and of large loads keep their layout; values computed from them take
//      it over, dots first, then the largest and innermost. A value takes the first layout that
//      reaches it.
//   2. Backward. Other operands of such values and of memory operations (pointers, masks) get the
//      same layout, back to ranges, splats and small loads, through loops.
//   3. Types are changed in place, with a conversion wherever an operand's layout differs from the
//      one its user needs. Where not all waves execute the user, the conversion stands outside, as
//      it may need an exchange between them.
//   4. Each remaining conversion is replaced by recomputing its value (rematerialise.h) if that is
//      cheaper; the conversion of a dot's operand moves before the operation that widens it.
//
// Note that a loop-carried value is one choice for four values: initial operand, block argument,
// yielded operand and result.
#include <stdlib.h>

#include "analysis/uniformity.h"
#include "base/array.h"
#include "builder/erase_unused.h"
#include "builder/ir.h"
#include "layout/infer.h"
#include "passes/for_loop.h"
#include "passes/layout_names.h"
#include "passes/pass.h"
#include "passes/rematerialise.h"

typedef struct values {
    MlirValue *items;
    size_t count, capacity;
} values_t;

typedef struct anchor {
    MlirOperation op;
    int64_t weight; // largest first
} anchor_t;

typedef struct use { // an operand and its layout before types changed
    MlirOperation op;
    int index;
    MlirAttribute encoding;
} use_t;

typedef struct assignment {
    kiln_value_map_t chosen; // value → MlirAttribute.ptr
    values_t worklist;
    anchor_t *anchors;
    size_t anchor_count, anchor_capacity;
    use_t *uses;
    size_t use_count, use_capacity;
    MlirOperation *converts;
    size_t convert_count, convert_capacity;
    int64_t threads;
    kiln_layout_names_t names;
    kiln_uniformity_t *uniformity;
    bool out_of_memory;
} assignment_t;

static const MlirAttribute PLAIN = {NULL};

static MlirAttribute encoding_of(MlirValue value)
{
    return kiln_type_encoding(mlirValueGetType(value));
}

static MlirAttribute chosen_or_own(const assignment_t *a, MlirValue value)
{
    const void *chosen = kiln_value_map_get(&a->chosen, value, PLAIN);
    return chosen ? (MlirAttribute){chosen} : encoding_of(value);
}

static bool is_chosen(const assignment_t *a, MlirValue value)
{
    return kiln_value_map_get(&a->chosen, value, PLAIN) != NULL;
}

// Returns true if the value had no layout yet and now has this one.
static bool choose(assignment_t *a, MlirValue value, MlirAttribute encoding)
{
    if (!kiln_type_is_tensor(mlirValueGetType(value)) || is_chosen(a, value))
        return false;
    if (!kiln_value_map_put(&a->chosen, value, PLAIN, encoding.ptr) ||
        !KILN_ARRAY_RESERVE(&a->worklist.items, &a->worklist.capacity, a->worklist.count + 1)) {
        a->out_of_memory = true;
        return false;
    }
    a->worklist.items[a->worklist.count++] = value;
    return true;
}

// Values tied together by control flow ------------------------------------------------------------

// scf.for's operands before the initial values: lower bound, upper bound, step.
enum { FOR_BOUNDS = 3 };

// Finds the values that receive a terminator's or loop's operand. There are up to two: a loop's
// argument and its result.
static int carried_to(MlirOperation user, int index, MlirValue out[2])
{
    MlirOperation parent = kiln_op_parent(user);
    switch (kiln_op_kind(user)) {
    case KILN_OP_SCF_FOR:
        if (index < FOR_BOUNDS)
            return 0;
        out[0] = mlirBlockGetArgument(kiln_op_body(user, 0), index - FOR_BOUNDS + 1);
        out[1] = kiln_op_result(user, index - FOR_BOUNDS);
        return 2;
    case KILN_OP_SCF_WHILE:
        out[0] = mlirBlockGetArgument(kiln_op_body(user, 0), index);
        return 1;
    case KILN_OP_SCF_CONDITION:
        if (index == 0)
            return 0;
        out[0] = mlirBlockGetArgument(kiln_op_body(parent, 1), index - 1);
        out[1] = kiln_op_result(parent, index - 1);
        return 2;
    case KILN_OP_SCF_YIELD:
        if (kiln_op_kind(parent) == KILN_OP_SCF_FOR) {
            out[0] = mlirBlockGetArgument(kiln_op_body(parent, 0), index + 1);
            out[1] = kiln_op_result(parent, index);
            return 2;
        }
        out[0] = kiln_op_kind(parent) == KILN_OP_SCF_WHILE
                     ? mlirBlockGetArgument(kiln_op_body(parent, 0), index)
                     : kiln_op_result(parent, index);
        return 1;
    default:
        return 0;
    }
}

// Finds the operands that flow into a block argument or into a result of an operation with regions;
// at most two.
static int carried_from(MlirValue value, MlirValue out[2])
{
    bool is_argument = mlirValueIsABlockArgument(value);
    MlirOperation op = is_argument ? mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value))
                                   : mlirOpResultGetOwner(value);
    int index = (int)(is_argument ? mlirBlockArgumentGetArgNumber(value)
                                  : mlirOpResultGetResultNumber(value));
    switch (kiln_op_kind(op)) {
    case KILN_OP_SCF_FOR:
        if (is_argument && index == 0)
            return 0;
        index -= is_argument;
        out[0] = kiln_op_operand(op, FOR_BOUNDS + index);
        out[1] = kiln_op_operand(kiln_block_terminator(kiln_op_body(op, 0)), index);
        return 2;
    case KILN_OP_SCF_IF:
        for (int i = 0; i < 2; ++i)
            out[i] = kiln_op_operand(kiln_block_terminator(kiln_op_body(op, i)), index);
        return 2;
    case KILN_OP_SCF_WHILE:
        if (is_argument && mlirBlockEqual(mlirBlockArgumentGetOwner(value), kiln_op_body(op, 0))) {
            out[0] = kiln_op_operand(op, index);
            out[1] = kiln_op_operand(kiln_block_terminator(kiln_op_body(op, 1)), index);
            return 2;
        }
        out[0] = kiln_op_operand(kiln_block_terminator(kiln_op_body(op, 0)), index + 1);
        return 1;
    default:
        return 0;
    }
}

// Chooses the layout for all values that must have the same type as `value` because of control
// flow: a loop's argument and its result.
static void choose_carried(assignment_t *a, MlirValue value, MlirAttribute encoding)
{
    bool is_argument = mlirValueIsABlockArgument(value);
    MlirOperation op = is_argument ? mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value))
                                   : mlirOpResultGetOwner(value);
    int index = (int)(is_argument ? mlirBlockArgumentGetArgNumber(value)
                                  : mlirOpResultGetResultNumber(value));
    kiln_op_t kind = kiln_op_kind(op);
    if (kind == KILN_OP_SCF_FOR)
        choose(a,
               is_argument ? kiln_op_result(op, index - 1)
                           : mlirBlockGetArgument(kiln_op_body(op, 0), index + 1),
               encoding);
    if (kind == KILN_OP_SCF_WHILE && !is_argument)
        choose(a, mlirBlockGetArgument(kiln_op_body(op, 1), index), encoding);
    if (kind == KILN_OP_SCF_WHILE && is_argument &&
        mlirBlockEqual(mlirBlockArgumentGetOwner(value), kiln_op_body(op, 1)))
        choose(a, kiln_op_result(op, index), encoding);
}

// Step 1 ------------------------------------------------------------------------------------------

static bool is_expanded_at_once(MlirValue value)
{
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        kiln_op_t kind = kiln_op_kind(user);
        if (kind == KILN_OP_TTG_CONVERT_LAYOUT ? !is_expanded_at_once(kiln_op_result(user, 0))
                                               : kind != KILN_OP_TT_EXPAND_DIMS)
            return false;
    }
    return true;
}

// Sorting networks reshape a tensor until each pair to compare is a dimension of its own, so a
// layout that passes through a reshape affects every step of the network. Layouts of matrix
// instructions, whose neighbours are in other lanes, and layouts with copies therefore do not pass.
// The layout of the halved tensor of a top-k does not pass either if it then has copies, because
// the tensor is halved again.
static bool is_worth_spreading(assignment_t *a, MlirOperation user, MlirValue value,
                               MlirAttribute encoding)
{
    kiln_op_t kind = kiln_op_kind(user);
    if (kind == KILN_OP_TT_RESHAPE || kind == KILN_OP_TT_JOIN || kind == KILN_OP_TT_SPLIT)
        return kiln_names_is_lean(&a->names, mlirValueGetType(value), encoding);
    if (kind != KILN_OP_TT_REDUCE || kiln_encoding_kind(encoding) != KILN_ENCODING_LINEAR)
        return true;
    MlirValue result = kiln_op_result(user, 0);
    MlirType type = mlirValueGetType(result);
    MlirAttribute slice;
    return !kiln_type_is_tensor(type) || kiln_type_count(type) < a->threads ||
           is_expanded_at_once(result) ||
           (kiln_infer_result_encoding(user, encoding, &slice) &&
            kiln_names_is_lean(&a->names, type, slice));
}

static void flow_forward(assignment_t *a, MlirValue value, MlirAttribute encoding)
{
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        MlirValue carried[2];
        int count = carried_to(user, (int)mlirOpOperandGetOperandNumber(use), carried);
        for (int i = 0; i < count; ++i)
            choose(a, carried[i], encoding);
        if (count)
            continue;
        MlirAttribute result = encoding;
        kiln_op_t kind = kiln_op_kind(user);
        if (!is_worth_spreading(a, user, value, encoding))
            continue;
        if (kind != KILN_OP_TTG_CONVERT_LAYOUT &&
            !kiln_names_infer_result(&a->names, user, encoding, &result))
            continue;
        for (intptr_t i = 0; i < mlirOperationGetNumResults(user); ++i)
            choose(a, mlirOperationGetResult(user, i), result);
    }
}

static void run_forward(assignment_t *a)
{
    while (a->worklist.count) {
        MlirValue value = a->worklist.items[--a->worklist.count];
        flow_forward(a, value, chosen_or_own(a, value));
    }
}

// Step 2 ------------------------------------------------------------------------------------------

// Requests `value` in this layout. A value that already has a layout, or whose operation fixes it,
// keeps it: step 3 converts.
static void demand(assignment_t *a, MlirValue value, MlirAttribute encoding)
{
    MlirOperation op;
    kiln_op_t kind = kiln_value_op(value, &op);
    MlirValue from[2];
    MlirAttribute unused;
    bool is_free = kiln_op_is_leaf(kind) || kind == KILN_OP_TTG_CONVERT_LAYOUT ||
                   carried_from(value, from) > 0;
    if (kind == KILN_OP_TT_LOAD)
        is_free = kiln_may_load_in(&a->names, op, encoding);
    else if (!is_free && kind != KILN_OP_UNKNOWN)
        is_free = kind != KILN_OP_TT_REDUCE && kind != KILN_OP_TT_SCAN &&
                  kiln_infer_operand_encoding(op, encoding, &unused);
    if (!is_free || !choose(a, value, encoding) || mlirOperationIsNull(op) ||
        carried_from(value, from))
        return;
    // All results of an operation have one layout (both halves of an extended product).
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
        choose(a, mlirOperationGetResult(op, i), encoding);
}

static void flow_backward(assignment_t *a, MlirValue value, MlirAttribute encoding)
{
    choose_carried(a, value, encoding);
    MlirValue from[2];
    int count = carried_from(value, from);
    for (int i = 0; i < count; ++i)
        demand(a, from[i], encoding);
    MlirOperation op;
    kiln_op_t kind = kiln_value_op(value, &op);
    if (count || kind == KILN_OP_UNKNOWN || kiln_op_is_leaf(kind))
        return;
    MlirAttribute operand = encoding;
    if (kind != KILN_OP_TTG_CONVERT_LAYOUT && kind != KILN_OP_TT_LOAD &&
        !kiln_names_infer_operand(&a->names, op, encoding, &operand))
        return;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
        if (kiln_type_is_tensor(mlirValueGetType(mlirOperationGetOperand(op, i))))
            demand(a, mlirOperationGetOperand(op, i), operand);
}

static void run_backward(assignment_t *a)
{
    while (a->worklist.count) {
        MlirValue value = a->worklist.items[--a->worklist.count];
        flow_backward(a, value, chosen_or_own(a, value));
    }
}

// Large values that step 2 laid out also propagate their layout forward, as step 1's anchors do:
// otherwise a reduction of one would recompute it in another layout.
static MlirWalkResult spread_demanded(MlirOperation op, void *user)
{
    assignment_t *a = user;
    if (mlirOperationGetNumResults(op) == 0 || kiln_op_is_leaf(kiln_op_kind(op)))
        return MlirWalkResultAdvance;
    MlirValue result = mlirOperationGetResult(op, 0);
    if (is_chosen(a, result) && kiln_type_count(mlirValueGetType(result)) >= a->threads)
        flow_forward(a, result, chosen_or_own(a, result));
    return MlirWalkResultAdvance;
}

// Values laid out by step 1 request the same layout for their other operands.
static MlirWalkResult demand_siblings(MlirOperation op, void *user)
{
    assignment_t *a = user;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
        MlirValue result = mlirOperationGetResult(op, i);
        if (is_chosen(a, result))
            flow_backward(a, result, chosen_or_own(a, result));
    }
    return MlirWalkResultAdvance;
}

// Anchors -----------------------------------------------------------------------------------------

static bool is_memory(kiln_op_t kind)
{
    return kind == KILN_OP_TT_LOAD || kind == KILN_OP_TT_STORE || kind == KILN_OP_TT_ATOMIC_RMW ||
           kind == KILN_OP_TT_ATOMIC_CAS || kind == KILN_OP_TT_ATOMIC_LOAD ||
           kind == KILN_OP_TTG_LOCAL_LOAD || kind == KILN_OP_TTG_LOCAL_STORE ||
           kind == KILN_OP_TTG_LOCAL_ALLOC;
}

static int loop_depth(MlirOperation op)
{
    int depth = 0;
    for (op = kiln_op_parent(op); !mlirOperationIsNull(op); op = kiln_op_parent(op))
        depth += kiln_op_kind(op) == KILN_OP_SCF_FOR || kiln_op_kind(op) == KILN_OP_SCF_WHILE;
    return depth;
}

// Dots come before memory operations, inner loops before outer ones, large before small. 0: not an
// anchor, because it is too small to matter.
static int64_t weigh(const assignment_t *a, MlirOperation op, kiln_op_t kind)
{
    if (mlirOperationGetNumOperands(op) == 0)
        return 0;
    MlirType type = mlirValueGetType(mlirOperationGetOperand(op, 0));
    int64_t count = kiln_type_is_tensor(type) ? kiln_type_count(type) : 0;
    int64_t depth = loop_depth(op) < 15 ? loop_depth(op) : 15;
    if (kind == KILN_OP_TT_DOT)
        return (INT64_C(1) << 62) | depth << 40 | count;
    return count >= a->threads ? depth << 40 | count : 0;
}

static MlirWalkResult collect(MlirOperation op, void *user)
{
    assignment_t *a = user;
    kiln_op_t kind = kiln_op_kind(op);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
        MlirAttribute encoding = encoding_of(mlirOperationGetOperand(op, i));
        if (mlirAttributeIsNull(encoding))
            continue;
        if (!KILN_ARRAY_RESERVE(&a->uses, &a->use_capacity, a->use_count + 1)) {
            a->out_of_memory = true;
            return MlirWalkResultInterrupt;
        }
        a->uses[a->use_count++] = (use_t){op, (int)i, encoding};
    }
    int64_t weight = kind == KILN_OP_TT_DOT || is_memory(kind) ? weigh(a, op, kind) : 0;
    if (weight) {
        if (!KILN_ARRAY_RESERVE(&a->anchors, &a->anchor_capacity, a->anchor_count + 1)) {
            a->out_of_memory = true;
            return MlirWalkResultInterrupt;
        }
        a->anchors[a->anchor_count++] = (anchor_t){op, weight};
    }
    return MlirWalkResultAdvance;
}

// Sorts by weight, in program order if equal. There are few anchors, so insertion sort suffices.
static void sort_anchors(assignment_t *a)
{
    for (size_t i = 1; i < a->anchor_count; ++i) {
        anchor_t moving = a->anchors[i];
        size_t j = i;
        for (; j > 0 && a->anchors[j - 1].weight < moving.weight; --j)
            a->anchors[j] = a->anchors[j - 1];
        a->anchors[j] = moving;
    }
}

static void assign(assignment_t *a, MlirOperation module)
{
    sort_anchors(a);
    for (size_t i = 0; i < a->anchor_count; ++i) {
        MlirOperation op = a->anchors[i].op;
        for (intptr_t r = 0; r < mlirOperationGetNumResults(op); ++r)
            choose(a, mlirOperationGetResult(op, r), encoding_of(mlirOperationGetResult(op, r)));
        run_forward(a);
    }
    kiln_walk(module, MlirWalkPreOrder, demand_siblings, a);
    run_backward(a);
    for (size_t i = 0; i < a->anchor_count; ++i) {
        MlirOperation op = a->anchors[i].op;
        if (kiln_op_kind(op) == KILN_OP_TT_DOT)
            continue; // step 1 requested its operands, or they are converted
        for (intptr_t o = 0; o < mlirOperationGetNumOperands(op); ++o) {
            MlirValue operand = mlirOperationGetOperand(op, o);
            if (!mlirAttributeIsNull(encoding_of(operand)))
                demand(a, operand, encoding_of(operand));
        }
        run_backward(a);
    }
    kiln_walk(module, MlirWalkPreOrder, spread_demanded, a);
    run_forward(a);
    kiln_walk(module, MlirWalkPreOrder, demand_siblings, a);
    run_backward(a);
}

// Step 3 ------------------------------------------------------------------------------------------

static void retype(const assignment_t *a, MlirValue value)
{
    MlirAttribute chosen = chosen_or_own(a, value);
    if (mlirAttributeIsNull(chosen) || mlirAttributeEqual(chosen, encoding_of(value)))
        return;
    MlirType type = kiln_type_with_encoding(mlirValueGetType(value), chosen);
    MlirOperation op;
    if (kiln_value_op(value, &op) == KILN_OP_ARITH_CONSTANT)
        mlirOperationSetAttributeByName(
            op, mlirStringRefCreateFromCString("value"),
            mlirDenseElementsAttrReshapeGet(kiln_ir_attr(op, "value"), type));
    mlirValueSetType(value, type);
}

static MlirWalkResult retype_results(MlirOperation op, void *user)
{
    const assignment_t *a = user;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
        retype(a, mlirOperationGetResult(op, i));
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r)
        for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
             !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
            for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i)
                retype(a, mlirBlockGetArgument(block, i));
    return MlirWalkResultAdvance;
}

// Returns the layout that a use needs after types have changed.
static MlirAttribute needed(assignment_t *a, const use_t *use)
{
    MlirValue carried[2];
    if (carried_to(use->op, use->index, carried))
        return encoding_of(carried[0]);
    if (kiln_op_kind(use->op) == KILN_OP_TTG_CONVERT_LAYOUT)
        return encoding_of(kiln_op_operand(use->op, 0));
    if (mlirOperationGetNumResults(use->op) > 0) {
        MlirAttribute result = encoding_of(mlirOperationGetResult(use->op, 0)), operand;
        if (!mlirAttributeIsNull(result) && kiln_op_kind(use->op) == KILN_OP_TT_LOAD)
            return result;
        if (!mlirAttributeIsNull(result) &&
            kiln_names_infer_operand(&a->names, use->op, result, &operand))
            return operand;
        // A reduction to a scalar accepts any layout, the same for all operands.
        if (mlirAttributeIsNull(result) && kiln_op_kind(use->op) == KILN_OP_TT_REDUCE)
            return encoding_of(kiln_op_operand(use->op, 0));
    }
    return use->encoding;
}

// The operation before which the operand of `user` is converted.
static MlirOperation place_of(const assignment_t *a, MlirOperation user, MlirValue operand)
{
    MlirOperation place = user;
    while (!kiln_is_executed_by_all_waves(a->uniformity, place) &&
           !kiln_is_inside(kiln_op_parent(place), operand))
        place = kiln_op_parent(place);
    return place;
}

static void convert_uses(assignment_t *a)
{
    for (size_t i = 0; i < a->use_count; ++i) {
        const use_t *use = &a->uses[i];
        MlirValue operand = kiln_op_operand(use->op, use->index);
        MlirAttribute want = needed(a, use);
        if (mlirAttributeEqual(want, encoding_of(operand)))
            continue;
        kiln_ir_t ir = kiln_ir_before(place_of(a, use->op, operand));
        MlirType type = kiln_type_with_encoding(mlirValueGetType(operand), want);
        mlirOperationSetOperand(use->op, use->index,
                                kiln_ir_unary(&ir, KILN_OP_TTG_CONVERT_LAYOUT, type, operand));
    }
}

// Step 4 ------------------------------------------------------------------------------------------

static MlirWalkResult remember(assignment_t *a, MlirOperation op)
{
    if (!KILN_ARRAY_RESERVE(&a->converts, &a->convert_capacity, a->convert_count + 1)) {
        a->out_of_memory = true;
        return MlirWalkResultInterrupt;
    }
    a->converts[a->convert_count++] = op;
    return MlirWalkResultAdvance;
}

static MlirWalkResult collect_converts(MlirOperation op, void *user)
{
    return kiln_op_kind(op) == KILN_OP_TTG_CONVERT_LAYOUT ? remember(user, op)
                                                          : MlirWalkResultAdvance;
}

// Removes conversions between equal layouts. This comes first, because they would count as users of
// their operands.
static void drop_equal(assignment_t *a)
{
    size_t kept = 0;
    for (size_t i = 0; i < a->convert_count; ++i) {
        MlirOperation convert = a->converts[i];
        MlirValue source = kiln_op_operand(convert, 0), result = kiln_op_result(convert, 0);
        if (mlirTypeEqual(mlirValueGetType(source), mlirValueGetType(result))) {
            kiln_value_replace(result, source);
            kiln_op_erase(convert);
        } else {
            a->converts[kept++] = convert;
        }
    }
    a->convert_count = kept;
}

static bool is_cast(kiln_op_t kind)
{
    return kind == KILN_OP_TT_FP_TO_FP || kind == KILN_OP_ARITH_EXTF ||
           kind == KILN_OP_ARITH_EXTSI || kind == KILN_OP_ARITH_EXTUI ||
           kind == KILN_OP_ARITH_SITOFP || kind == KILN_OP_ARITH_UITOFP;
}

// Moves the conversion of a dot's operand before the operation that widens it: fewer bytes move,
// and the loaded value can wait in LDS unwidened.
//
//   %w = tt.fp_to_fp %x : f8, #blocked -> f16         →    %x1 = ttg.convert_layout %x : f8, #blocked -> #dot_op
//   %d = ttg.convert_layout %w : #blocked -> #dot_op       %d  = tt.fp_to_fp %x1 : f8, #dot_op -> f16
static MlirValue convert_before_widening(MlirOperation convert)
{
    enum { BYTE = 8 };
    MlirValue result = kiln_op_result(convert, 0);
    MlirAttribute encoding = encoding_of(result);
    MlirOperation cast;
    kiln_op_t kind = kiln_value_op(kiln_op_operand(convert, 0), &cast);
    if (!is_cast(kind) || kiln_encoding_kind(encoding) != KILN_ENCODING_DOT_OPERAND)
        return (MlirValue){NULL};
    MlirValue narrow = kiln_op_operand(cast, 0);
    MlirType type = mlirValueGetType(narrow);
    if (kiln_type_bits(type) < BYTE ||
        kiln_type_bits(type) >= kiln_type_bits(mlirValueGetType(result)))
        return (MlirValue){NULL};
    kiln_ir_t ir = kiln_ir_before(convert);
    MlirValue moved = kiln_ir_unary(&ir, KILN_OP_TTG_CONVERT_LAYOUT,
                                    kiln_type_with_encoding(type, encoding), narrow);
    MlirOperation again = mlirOperationClone(cast);
    mlirBlockInsertOwnedOperationBefore(ir.block, convert, again);
    mlirOperationSetOperand(again, 0, moved);
    mlirValueSetType(kiln_op_result(again, 0), mlirValueGetType(result));
    return kiln_op_result(again, 0);
}

static void rematerialise_converts(assignment_t *a)
{
    kiln_rematerialiser_t rematerialiser = {.names = &a->names};
    for (size_t i = 0; i < a->convert_count; ++i) {
        MlirValue again = kiln_rematerialise(&rematerialiser, a->converts[i]);
        if (mlirValueIsNull(again))
            again = convert_before_widening(a->converts[i]);
        if (!mlirValueIsNull(again))
            kiln_value_replace(kiln_op_result(a->converts[i], 0), again);
    }
    a->out_of_memory |= rematerialiser.out_of_memory;
    kiln_rematerialiser_free(&rematerialiser);
}

kiln_status_t kiln_remove_layout_conversions(const kiln_pass_context_t *context, MlirModule module)
{
    MlirOperation root = mlirModuleGetOperation(module);
    int num_warps = context->options->num_warps;
    assignment_t a = {.threads = KILN_GFX942_LANES * num_warps, .names = {.num_warps = num_warps}};
    KILN_TRY(kiln_uniformity_create(module, num_warps, &a.uniformity));
    kiln_walk(root, MlirWalkPreOrder, collect, &a);
    if (!a.out_of_memory)
        assign(&a, root);
    if (!a.out_of_memory) {
        kiln_walk(root, MlirWalkPreOrder, retype_results, &a);
        convert_uses(&a);
        kiln_walk(root, MlirWalkPreOrder, collect_converts, &a);
        drop_equal(&a);
        rematerialise_converts(&a);
        // The second run of this pass would count unused operations as users.
        a.out_of_memory |= !kiln_erase_unused(root);
    }
    kiln_value_map_free(&a.chosen);
    kiln_names_free(&a.names);
    kiln_uniformity_destroy(a.uniformity);
    free(a.worklist.items);
    free(a.anchors);
    free(a.uses);
    free(a.converts);
    return a.out_of_memory ? kiln_status_out_of_memory() : KILN_OK;
}
