// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Propagates ranges: walks the whole function repeatedly until no range grows.
//
// Every value keeps one range, which only grows. Values joined from several others (block
// arguments, results of loops and branches) are widened to their type's bounds after a few changes,
// so that the iteration converges quickly, however deeply loops are nested. Floats and pointers
// have no range and cost almost nothing.
//
// Note that a value without a range has not been reached by a walk yet, and its users wait for it;
// that differs from an arbitrary number. A value that is never reached is never computed; queries
// for it return the full range.
#include "analysis/range/integer_range.h"

#include <stdlib.h>

#include "analysis/pointer_map.h"
#include "analysis/range/program_bound.h"
#include "base/array.h"
#include "builder/compare.h"
#include "builder/ir.h"

enum {
    MAX_OPERANDS = 4,
    LOOKUP_DEPTH = 8,
    GROW_FREELY = 3, // number of times that a joined range may grow before its bounds are widened,
    GROW_AT_ALL = 12 // and before it becomes the full range
};

typedef struct entry {
    kiln_range_t range;
    int grown;
} entry_t;

struct kiln_range_analysis {
    kiln_pointer_map_t map; // value → entry
    entry_t *entries;
    int count;
    size_t capacity;
    kiln_pointer_map_t assumed; // value → assumption
    kiln_range_t *assumptions;
    int assumption_count;
    size_t assumption_capacity;
    int num_warps;
    uint64_t erasures;    // kiln_ir_erasures() when the analysis was created
    bool grown;           // an existing range has grown in this walk,
    bool waited, reached; // an operation's operand had no range; a value has got its first range
    bool out_of_memory;
};

static bool holds(const kiln_range_analysis_t *analysis)
{
    return analysis->erasures == kiln_ir_erasures();
}

static const kiln_range_t *lookup(const kiln_range_analysis_t *analysis, MlirValue value)
{
    int index = holds(analysis) ? kiln_pointer_map_get(&analysis->map, value.ptr) : -1;
    return index < 0 ? NULL : &analysis->entries[index].range;
}

static kiln_range_t full_of(MlirValue value)
{
    return kiln_range_full(mlirValueGetType(value));
}

static kiln_range_t under_assumptions(const kiln_range_analysis_t *analysis, MlirValue value,
                                      kiln_range_t range)
{
    int index = analysis->assumption_count && holds(analysis)
                    ? kiln_pointer_map_get(&analysis->assumed, value.ptr)
                    : -1;
    return index < 0 ? range : kiln_range_meet(&range, &analysis->assumptions[index]);
}

// Adds `range` to the values that the value may have.
static void add(kiln_range_analysis_t *analysis, MlirValue value, kiln_range_t range, bool widens)
{
    int index = kiln_pointer_map_get(&analysis->map, value.ptr);
    if (index >= 0) {
        entry_t *entry = &analysis->entries[index];
        kiln_range_t grown = kiln_range_join(&entry->range, &range);
        if (kiln_range_equal(&grown, &entry->range))
            return;
        if (widens && ++entry->grown > GROW_AT_ALL)
            grown = full_of(value);
        else if (widens && entry->grown > GROW_FREELY)
            grown = kiln_range_widen(&entry->range, &grown);
        analysis->grown = true;
        entry->range = grown;
        return;
    }
    if (!KILN_ARRAY_RESERVE(&analysis->entries, &analysis->capacity, (size_t)analysis->count + 1) ||
        !kiln_pointer_map_put(&analysis->map, value.ptr, analysis->count)) {
        analysis->out_of_memory = true;
        return;
    }
    analysis->entries[analysis->count++] = (entry_t){.range = range};
    analysis->reached = true;
}

static void set(kiln_range_analysis_t *analysis, MlirValue value, kiln_range_t range)
{
    if (range.bits)
        add(analysis, value, under_assumptions(analysis, value, range), false);
}

static void flow(kiln_range_analysis_t *analysis, MlirValue from, MlirValue to)
{
    const kiln_range_t *known = lookup(analysis, from);
    if (known)
        add(analysis, to, under_assumptions(analysis, to, *known), true);
    else if (full_of(from).bits)
        analysis->waited = true;
}

static void set_results_full(kiln_range_analysis_t *analysis, MlirOperation op)
{
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        set(analysis, mlirOperationGetResult(op, i), full_of(mlirOperationGetResult(op, i)));
}

static void set_arguments_full(kiln_range_analysis_t *analysis, MlirBlock block)
{
    for (intptr_t i = 0; !mlirBlockIsNull(block) && i < mlirBlockGetNumArguments(block); i++)
        set(analysis, mlirBlockGetArgument(block, i), full_of(mlirBlockGetArgument(block, i)));
}

// Assumptions -------------------------------------------------------------------------------------

// Whether `op` is executed whenever the value is defined.
static bool always_follows(MlirOperation op, MlirValue value)
{
    MlirBlock block = mlirOperationGetBlock(op);
    MlirOperation at = mlirBlockGetFirstOperation(block);
    if (mlirValueIsAOpResult(value)) {
        MlirOperation def = mlirOpResultGetOwner(value);
        if (!mlirBlockEqual(mlirOperationGetBlock(def), block))
            return false;
        at = mlirOperationGetNextInBlock(def);
    } else if (!mlirBlockEqual(mlirBlockArgumentGetOwner(value), block)) {
        return false;
    }
    for (; !mlirOperationIsNull(at) && !mlirOperationEqual(at, op);
         at = mlirOperationGetNextInBlock(at))
        if (!kiln_op_always_continues(at))
            return false;
    return true;
}

static void assume_range(kiln_range_analysis_t *analysis, MlirValue value, kiln_range_t range)
{
    int index = kiln_pointer_map_get(&analysis->assumed, value.ptr);
    if (index >= 0) {
        analysis->assumptions[index] = kiln_range_meet(&analysis->assumptions[index], &range);
        return;
    }
    if (!KILN_ARRAY_RESERVE(&analysis->assumptions, &analysis->assumption_capacity,
                            (size_t)analysis->assumption_count + 1) ||
        !kiln_pointer_map_put(&analysis->assumed, value.ptr, analysis->assumption_count)) {
        analysis->out_of_memory = true;
        return;
    }
    analysis->assumptions[analysis->assumption_count++] = range;
}

// Derives ranges of the compared values from a condition assumed to be true; only for comparisons
// with constants.
static void assume_true(kiln_range_analysis_t *analysis, MlirOperation assume, MlirValue truth,
                        int depth)
{
    MlirOperation op;
    kiln_op_t kind = kiln_value_op(truth, &op);
    if (kind == KILN_OP_ARITH_ANDI && depth > 0) {
        assume_true(analysis, assume, kiln_op_operand(op, 0), depth - 1);
        assume_true(analysis, assume, kiln_op_operand(op, 1), depth - 1);
        return;
    }
    const kiln_cmpi_t predicate = kiln_cmpi_of(op);
    int64_t number;
    for (int i = 0; i < 2 && predicate != KILN_CMPI_NONE; i++) {
        MlirValue value = kiln_op_operand(op, i), other = kiln_op_operand(op, 1 - i);
        kiln_range_t all = full_of(value);
        if (!all.bits || !kiln_ir_constant_int(other, &number) || !always_follows(assume, value))
            continue;
        kiln_range_t bound = kiln_range_of_signed(all.bits, number, number);
        assume_range(
            analysis, value,
            kiln_range_where(&all, i == 0 ? predicate : kiln_cmpi_mirrored(predicate), &bound));
    }
}

// The memory that a kernel accesses bounds the number of its programs.
static void assume_programs(kiln_range_analysis_t *analysis, MlirOperation function)
{
    const int64_t all = (int64_t)kiln_range_max_programs(0, analysis->num_warps) - 1;
    const int64_t max = kiln_program_bound(function, all);
    if (max == all)
        return;
    MlirBlock block = kiln_op_body(function, 0);
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
        if (kiln_op_kind(op) == KILN_OP_TT_GET_PROGRAM_ID && kiln_ir_int_attr(op, "axis", 0) == 0)
            assume_range(analysis, kiln_op_result(op, 0), kiln_range_of_signed(32, 0, max));
}

static MlirWalkResult collect_assumption(MlirOperation op, void *user)
{
    enum { DEPTH = 4 };
    kiln_op_t kind = kiln_op_kind(op);
    if (kind == KILN_OP_LLVM_INTR_ASSUME && mlirOperationGetNumOperands(op) > 0)
        assume_true(user, op, kiln_op_operand(op, 0), DEPTH);
    else if (kind == KILN_OP_TT_FUNC)
        assume_programs(user, op);
    return MlirWalkResultAdvance;
}

// Control flow ------------------------------------------------------------------------------------

static void visit_region(kiln_range_analysis_t *analysis, MlirRegion region);

static void visit_regions(kiln_range_analysis_t *analysis, MlirOperation op)
{
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
        visit_region(analysis, mlirOperationGetRegion(op, r));
}

static void visit_for(kiln_range_analysis_t *analysis, MlirOperation op)
{
    MlirBlock body = kiln_op_body(op, 0);
    MlirOperation yield = kiln_block_terminator(body);
    const kiln_range_t *lower = lookup(analysis, kiln_op_operand(op, 0)),
                       *upper = lookup(analysis, kiln_op_operand(op, 1)),
                       *step = lookup(analysis, kiln_op_operand(op, 2));
    if (!lower || !upper || !step) {
        analysis->waited = true;
        return;
    }
    bool is_unsigned = !mlirAttributeIsNull(kiln_ir_attr(op, "unsignedCmp"));
    set(analysis, mlirBlockGetArgument(body, 0),
        kiln_range_induction(lower, upper, step, is_unsigned));
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
        flow(analysis, mlirOperationGetOperand(op, 3 + i), mlirBlockGetArgument(body, 1 + i));
        flow(analysis, mlirOperationGetOperand(op, 3 + i), mlirOperationGetResult(op, i));
    }
    visit_regions(analysis, op);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
        flow(analysis, mlirOperationGetOperand(yield, i), mlirBlockGetArgument(body, 1 + i));
        flow(analysis, mlirOperationGetOperand(yield, i), mlirOperationGetResult(op, i));
    }
}

static void visit_while(kiln_range_analysis_t *analysis, MlirOperation op)
{
    MlirBlock before = kiln_op_body(op, 0), after = kiln_op_body(op, 1);
    MlirOperation condition = kiln_block_terminator(before), yield = kiln_block_terminator(after);
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(before); i++)
        flow(analysis, mlirOperationGetOperand(op, i), mlirBlockGetArgument(before, i));
    visit_region(analysis, mlirOperationGetRegion(op, 0));
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(after); i++)
        flow(analysis, mlirOperationGetOperand(condition, 1 + i), mlirBlockGetArgument(after, i));
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        flow(analysis, mlirOperationGetOperand(condition, 1 + i), mlirOperationGetResult(op, i));
    visit_region(analysis, mlirOperationGetRegion(op, 1));
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(before); i++)
        flow(analysis, mlirOperationGetOperand(yield, i), mlirBlockGetArgument(before, i));
}

static void visit_if(kiln_range_analysis_t *analysis, MlirOperation op)
{
    visit_regions(analysis, op);
    for (int r = 0; r < (int)mlirOperationGetNumRegions(op); r++) {
        MlirBlock block = kiln_op_body(op, r);
        for (intptr_t i = 0; !mlirBlockIsNull(block) && i < mlirOperationGetNumResults(op); i++)
            flow(analysis, mlirOperationGetOperand(kiln_block_terminator(block), i),
                 mlirOperationGetResult(op, i));
    }
}

// Whether the region adds its arguments and does nothing else.
static bool adds(MlirBlock block)
{
    MlirOperation sum, end = kiln_block_terminator(block);
    return mlirBlockGetNumArguments(block) == 2 && mlirOperationGetNumOperands(end) == 1 &&
           kiln_value_op(mlirOperationGetOperand(end, 0), &sum) == KILN_OP_ARITH_ADDI &&
           mlirValueEqual(kiln_op_operand(sum, 0), mlirBlockGetArgument(block, 0)) &&
           mlirValueEqual(kiln_op_operand(sum, 1), mlirBlockGetArgument(block, 1));
}

// tt.reduce and tt.scan: elements are combined with each other, and with intermediate results.
static void visit_combination(kiln_range_analysis_t *analysis, MlirOperation op)
{
    MlirBlock body = kiln_op_body(op, 0);
    MlirOperation end = kiln_block_terminator(body);
    intptr_t count = mlirOperationGetNumOperands(op);
    if (mlirBlockGetNumArguments(body) != 2 * count || mlirOperationGetNumResults(op) != count) {
        set_arguments_full(analysis, body);
        set_results_full(analysis, op);
        visit_regions(analysis, op);
        return;
    }
    if (adds(body)) {
        const kiln_range_t *known = lookup(analysis, kiln_op_operand(op, 0));
        MlirType type = mlirValueGetType(kiln_op_operand(op, 0));
        int64_t axis = kiln_ir_int_attr(op, "axis", -1);
        if (!known) {
            analysis->waited = true;
            return;
        }
        kiln_range_t sum = full_of(kiln_op_operand(op, 0));
        if (axis >= 0 && axis < kiln_type_rank(type))
            sum = kiln_range_sum(known, kiln_type_dim(type, (int)axis));
        for (int i = 0; i < 2; i++)
            set(analysis, mlirBlockGetArgument(body, i), sum);
        set(analysis, kiln_op_result(op, 0), sum);
        visit_regions(analysis, op);
        return;
    }
    for (intptr_t i = 0; i < count; i++)
        for (intptr_t half = 0; half < 2; half++)
            flow(analysis, mlirOperationGetOperand(op, i),
                 mlirBlockGetArgument(body, half * count + i));
    visit_regions(analysis, op);
    for (intptr_t i = 0; i < count; i++) {
        for (intptr_t half = 0; half < 2; half++)
            flow(analysis, mlirOperationGetOperand(end, i),
                 mlirBlockGetArgument(body, half * count + i));
        flow(analysis, mlirOperationGetOperand(op, i), mlirOperationGetResult(op, i));
        flow(analysis, mlirOperationGetOperand(end, i), mlirOperationGetResult(op, i));
    }
}

static void visit_branch(kiln_range_analysis_t *analysis, MlirOperation op)
{
    kiln_op_t kind = kiln_op_kind(op);
    bool is_known = kind == KILN_OP_CF_BR || kind == KILN_OP_CF_COND_BR;
    intptr_t operand = kind == KILN_OP_CF_COND_BR ? 1 : 0;
    for (intptr_t s = 0; s < mlirOperationGetNumSuccessors(op); s++) {
        MlirBlock block = mlirOperationGetSuccessor(op, s);
        if (!is_known)
            set_arguments_full(analysis, block);
        for (intptr_t i = 0; is_known && i < mlirBlockGetNumArguments(block); i++)
            flow(analysis, mlirOperationGetOperand(op, operand++), mlirBlockGetArgument(block, i));
    }
}

// Other operations --------------------------------------------------------------------------------

static bool has_integers(MlirOperation op)
{
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        if (kiln_range_full(mlirValueGetType(mlirOperationGetResult(op, i))).bits)
            return true;
    return false;
}

static void visit_plain(kiln_range_analysis_t *analysis, MlirOperation op)
{
    intptr_t count = mlirOperationGetNumOperands(op);
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
        set_arguments_full(analysis, kiln_op_body(op, (int)r));
    visit_regions(analysis, op);
    if (!has_integers(op))
        return;
    if (count > MAX_OPERANDS) {
        set_results_full(analysis, op);
        return;
    }
    kiln_range_t operands[MAX_OPERANDS] = {{0}};
    for (intptr_t i = 0; i < count; i++) {
        MlirValue operand = mlirOperationGetOperand(op, i);
        const kiln_range_t *known = lookup(analysis, operand);
        if (known) {
            operands[i] = *known;
        } else if (full_of(operand).bits) {
            analysis->waited = true;
            return;
        }
    }
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        set(analysis, mlirOperationGetResult(op, i),
            kiln_range_transfer(op, (int)i, operands, analysis->num_warps));
}

static void visit_operation(kiln_range_analysis_t *analysis, MlirOperation op)
{
    switch (kiln_op_kind(op)) {
    case KILN_OP_SCF_FOR:
        visit_for(analysis, op);
        break;
    case KILN_OP_SCF_WHILE:
        visit_while(analysis, op);
        break;
    case KILN_OP_SCF_IF:
        visit_if(analysis, op);
        break;
    case KILN_OP_TT_REDUCE:
    case KILN_OP_TT_SCAN:
        visit_combination(analysis, op);
        break;
    default:
        visit_plain(analysis, op);
        break;
    }
    if (mlirOperationGetNumSuccessors(op) > 0)
        visit_branch(analysis, op);
}

static void visit_region(kiln_range_analysis_t *analysis, MlirRegion region)
{
    for (MlirBlock block = mlirRegionGetFirstBlock(region); !mlirBlockIsNull(block);
         block = mlirBlockGetNextInRegion(block))
        for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
             op = mlirOperationGetNextInBlock(op))
            visit_operation(analysis, op);
}

// The module has the number of warps of a program once that is decided.
static int warps_at(MlirOperation op)
{
    for (; !mlirOperationIsNull(op); op = kiln_op_parent(op)) {
        int64_t warps = kiln_ir_int_attr(op, "ttg.num-warps", 0);
        if (warps > 0)
            return warps > 16 ? 16 : (int)warps;
    }
    return 1;
}

kiln_status_t kiln_range_analysis_create(MlirOperation root, kiln_range_analysis_t **out)
{
    *out = NULL;
    kiln_range_analysis_t *analysis = calloc(1, sizeof *analysis);
    if (!analysis)
        return kiln_status_out_of_memory();
    analysis->num_warps = warps_at(root);
    analysis->erasures = kiln_ir_erasures();
    kiln_walk(root, MlirWalkPreOrder, collect_assumption, analysis);
    do {
        analysis->grown = analysis->waited = analysis->reached = false;
        visit_operation(analysis, root);
    } while ((analysis->grown || (analysis->waited && analysis->reached)) &&
             !analysis->out_of_memory);
    if (analysis->out_of_memory) {
        kiln_range_analysis_destroy(analysis);
        return kiln_status_out_of_memory();
    }
    *out = analysis;
    return KILN_OK;
}

void kiln_range_analysis_destroy(kiln_range_analysis_t *analysis)
{
    if (!analysis)
        return;
    kiln_pointer_map_free(&analysis->map);
    kiln_pointer_map_free(&analysis->assumed);
    free(analysis->entries);
    free(analysis->assumptions);
    free(analysis);
}

// Queries -----------------------------------------------------------------------------------------

// `analysis` may be NULL.
static kiln_range_t range_of(const kiln_range_analysis_t *analysis, MlirValue value, int depth)
{
    const kiln_range_t *known = analysis ? lookup(analysis, value) : NULL;
    if (known)
        return *known;
    kiln_range_t all = full_of(value);
    if (!all.bits || depth == 0)
        return all;
    if (mlirValueIsABlockArgument(value)) {
        MlirOperation loop = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value));
        if (mlirOperationIsNull(loop) || kiln_op_kind(loop) != KILN_OP_SCF_FOR ||
            mlirBlockArgumentGetArgNumber(value) != 0)
            return all;
        kiln_range_t bounds[3]; // lower, upper, step
        for (int i = 0; i < 3; i++)
            bounds[i] = range_of(analysis, kiln_op_operand(loop, i), depth - 1);
        return kiln_range_induction(&bounds[0], &bounds[1], &bounds[2],
                                    !mlirAttributeIsNull(kiln_ir_attr(loop, "unsignedCmp")));
    }
    MlirOperation op;
    kiln_value_op(value, &op);
    if (mlirOperationIsNull(op) || mlirOperationGetNumRegions(op) > 0 ||
        mlirOperationGetNumOperands(op) > MAX_OPERANDS)
        return all;
    kiln_range_t operands[MAX_OPERANDS] = {{0}};
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        operands[i] = range_of(analysis, mlirOperationGetOperand(op, i), depth - 1);
    return kiln_range_transfer(op, (int)mlirOpResultGetResultNumber(value), operands,
                               analysis ? analysis->num_warps : 1);
}

kiln_range_t kiln_range_of(const kiln_range_analysis_t *analysis, MlirValue value)
{
    return range_of(analysis, value, LOOKUP_DEPTH);
}

kiln_range_t kiln_range_nearby(MlirValue value)
{
    return range_of(NULL, value, LOOKUP_DEPTH);
}

bool kiln_is_known_non_negative(const kiln_range_analysis_t *analysis, MlirValue value)
{
    kiln_range_t range = kiln_range_of(analysis, value);
    return range.bits && range.signed_min >= 0;
}

bool kiln_is_known_positive(const kiln_range_analysis_t *analysis, MlirValue value)
{
    kiln_range_t range = kiln_range_of(analysis, value);
    return range.bits && range.signed_min > 0;
}

// Whether the value is the sum of a scalar and numbers that differ by less than half of all
// numbers, and no sum exceeds the type's signed numbers.
static bool is_exact_sum(const kiln_range_analysis_t *analysis, MlirValue value)
{
    MlirOperation op;
    kiln_op_t kind = kiln_value_op(value, &op);
    while (kind == KILN_OP_TT_BROADCAST || kind == KILN_OP_TT_EXPAND_DIMS ||
           kind == KILN_OP_TTG_CONVERT_LAYOUT)
        kind = kiln_value_op(kiln_op_operand(op, 0), &op);
    if (kind != KILN_OP_ARITH_ADDI)
        return false;
    const kiln_range_t all = kiln_range_full(mlirValueGetType(value));
    for (int i = 0; i < 2; i++) {
        MlirValue number = kiln_op_operand(op, i);
        if (mlirValueIsNull(kiln_ir_scalar_of(number)))
            continue;
        const kiln_range_t scalar = kiln_range_of(analysis, number),
                           other = kiln_range_of(analysis, kiln_op_operand(op, 1 - i));
        int64_t low, high, distance;
        return scalar.bits && other.bits && scalar.bits < 64 &&
               !__builtin_add_overflow(scalar.signed_min, other.signed_min, &low) &&
               !__builtin_add_overflow(scalar.signed_max, other.signed_max, &high) &&
               !__builtin_sub_overflow(other.signed_max, other.signed_min, &distance) &&
               low >= all.signed_min && high <= all.signed_max && distance <= all.signed_max;
    }
    return false;
}

bool kiln_is_known_not_to_wrap(const kiln_range_analysis_t *analysis, MlirValue value,
                               bool has_sign)
{
    kiln_range_t range = kiln_range_of(analysis, value),
                 all = kiln_range_full(mlirValueGetType(value));
    if (!range.bits)
        return false;
    if (has_sign && is_exact_sum(analysis, value))
        return true;
    return has_sign
               ? range.signed_min > all.signed_min || range.signed_max < all.signed_max
               : range.unsigned_min > all.unsigned_min || range.unsigned_max < all.unsigned_max;
}
