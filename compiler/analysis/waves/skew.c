// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Proves by how many barriers waves may be apart.
//
// The distance between waves at a program point is a sum: for each condition that differs from wave
// to wave, the number of additional barriers executed by the waves for which it is true; and a rest
// that no condition explains. Opposite conditions cancel, so a program that moves waves apart and
// together again is back at 0:
//
//   amdg.cond_barrier %second                  %second: 1
//   …
//   scf.if %first { rocdl.s.barrier }          0, where %first is %second's opposite
//
// A loop must end its iterations at the distance at which it started them; one that waves may leave
// at different times must not contain a barrier.
//
// Note that if the lanes of one wave disagree on a branch, the wave executes both sides.
#include "analysis/waves/waves.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/pointer_map.h"
#include "builder/compare.h"
#include "builder/ir.h"

enum {
    MAX_CONDITIONS = 8,
    MAX_APART = 64, // a barrier repeated that often is not worthwhile
    MANY = 1 << 20,
};

typedef struct distance {
    MlirValue conditions[MAX_CONDITIONS];
    int ahead[MAX_CONDITIONS]; // number of additional barriers of the waves for which the
                               // condition is true
    int count;
    int rest;
} distance_t;

// Cached for each function: how far apart waves that enter it together may be inside and at its
// end; and how many barriers a wave executes in it that calls it independently of others. Both are
// 0 while the function is being analysed.
typedef struct functions {
    kiln_pointer_map_t inside, left, min, max;
} functions_t;

typedef struct skew {
    const kiln_uniformity_t *uniformity;
    functions_t functions;
    int max;
    kiln_status_t failure;
} skew_t;

// How many barriers waves may execute.
typedef struct range {
    int min, max;
} range_t;

static void remember(skew_t *skew, kiln_pointer_map_t *map, MlirOperation function, int value)
{
    if (!kiln_pointer_map_put(map, function.ptr, value) && !skew->failure)
        skew->failure = kiln_status_out_of_memory();
}

static void refuse(skew_t *skew, MlirOperation op, const char *why)
{
    if (!skew->failure)
        skew->failure = kiln_op_unsupported(op, "%s", why);
}

static int limited(int64_t count)
{
    return count < MANY ? (int)count : MANY;
}

// Distances ---------------------------------------------------------------------------------------

static int bound(const distance_t *distance)
{
    int64_t sum = distance->rest;
    for (int i = 0; i < distance->count; i++)
        sum += abs(distance->ahead[i]);
    return limited(sum);
}

static void note(skew_t *skew, const distance_t *distance)
{
    int apart = bound(distance);
    skew->max = apart > skew->max ? apart : skew->max;
}

static bool are_opposite(MlirValue a, MlirValue b)
{
    MlirOperation first, second;
    int64_t one;
    kiln_op_t of_a = kiln_value_op(a, &first), of_b = kiln_value_op(b, &second);
    if (of_a == KILN_OP_ARITH_XORI && mlirValueEqual(kiln_op_operand(first, 0), b))
        return kiln_ir_constant_int(kiln_op_operand(first, 1), &one) && one != 0;
    if (of_b == KILN_OP_ARITH_XORI && mlirValueEqual(kiln_op_operand(second, 0), a))
        return kiln_ir_constant_int(kiln_op_operand(second, 1), &one) && one != 0;
    return of_a == KILN_OP_ARITH_CMPI && of_b == KILN_OP_ARITH_CMPI &&
           kiln_cmpi_opposite(kiln_cmpi_of(first)) == kiln_cmpi_of(second) &&
           mlirValueEqual(kiln_op_operand(first, 0), kiln_op_operand(second, 0)) &&
           mlirValueEqual(kiln_op_operand(first, 1), kiln_op_operand(second, 1));
}

static void add(skew_t *skew, distance_t *distance, MlirValue condition, int ahead)
{
    int at = 0, sign = 1;
    for (; at < distance->count; at++) {
        if (mlirValueEqual(distance->conditions[at], condition))
            break;
        // If opposite, all waves execute one more, except those for which it is true.
        if (are_opposite(distance->conditions[at], condition)) {
            sign = -1;
            break;
        }
    }
    if (at == MAX_CONDITIONS) {
        distance->rest = limited((int64_t)distance->rest + abs(ahead));
    } else {
        if (at == distance->count) {
            distance->conditions[distance->count] = condition;
            distance->ahead[distance->count++] = 0;
        }
        distance->ahead[at] += sign * ahead;
        if (distance->ahead[at] == 0) {
            distance->count--;
            distance->conditions[at] = distance->conditions[distance->count];
            distance->ahead[at] = distance->ahead[distance->count];
        }
    }
    note(skew, distance);
}

static void add_rest(skew_t *skew, distance_t *distance, int64_t more)
{
    distance->rest = limited(distance->rest + more);
    note(skew, distance);
}

static bool has(const distance_t *distance, MlirValue condition, int ahead)
{
    for (int i = 0; i < distance->count; i++)
        if (mlirValueEqual(distance->conditions[i], condition))
            return distance->ahead[i] == ahead;
    return false;
}

// Keeps the conditions that both share, and the larger rest.
static distance_t join(const distance_t *a, const distance_t *b)
{
    distance_t both = {.count = 0};
    for (int i = 0; i < a->count; i++)
        if (has(b, a->conditions[i], a->ahead[i])) {
            both.conditions[both.count] = a->conditions[i];
            both.ahead[both.count++] = a->ahead[i];
        }
    int explained = bound(&both), rest_of_a = bound(a) - explained,
        rest_of_b = bound(b) - explained;
    both.rest = rest_of_a > rest_of_b ? rest_of_a : rest_of_b;
    return both;
}

static bool are_equal(const distance_t *a, const distance_t *b)
{
    bool equal = a->count == b->count && a->rest == b->rest;
    for (int i = 0; equal && i < a->count; i++)
        equal = has(b, a->conditions[i], a->ahead[i]);
    return equal;
}

// Assembly ----------------------------------------------------------------------------------------

static bool has_word(MlirStringRef text, const char *word)
{
    size_t length = strlen(word);
    for (size_t i = 0; i + length <= text.length; i++) {
        size_t same = 0;
        while (same < length && (text.data[i + same] | 0x20) == word[same])
            same++;
        if (same == length)
            return true;
    }
    return false;
}

// A directive, which may encode any instruction: .long, .macro, …
static bool has_directive(MlirStringRef text)
{
    bool at_start = true;
    for (size_t i = 0; i < text.length; i++) {
        char c = text.data[i];
        if (c == '.' && at_start)
            return true;
        at_start =
            c == '\n' || c == ';' || c == ':' || (at_start && (c == ' ' || c == '\t' || c == '\r'));
    }
    return false;
}

static bool may_be_barrier(MlirOperation assembly)
{
    MlirStringRef text = mlirStringAttrGetValue(kiln_ir_attr(assembly, "asm_string"));
    return has_word(text, "barrier") || has_directive(text);
}

static bool may_jump(MlirOperation assembly)
{
    static const char *const words[] = {"branch", "setpc", "swappc", "s_call", "endpgm", "trap"};
    MlirStringRef text = mlirStringAttrGetValue(kiln_ir_attr(assembly, "asm_string"));
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (has_word(text, words[i]))
            return true;
    return false;
}

// Counting ----------------------------------------------------------------------------------------

static int barriers_of(MlirOperation op)
{
    int64_t rounds;
    switch (kiln_op_kind(op)) {
    case KILN_OP_GPU_BARRIER:
    case KILN_OP_ROCDL_S_BARRIER:
        return 1;
    case KILN_OP_TTG_BARRIER:
    case KILN_OP_TTG_LOCAL_BARRIER:
        rounds = kiln_ir_int_attr(op, "kiln.rounds", 1);
        return rounds < 0 ? 0 : limited(rounds);
    default:
        return 0;
    }
}

static MlirWalkResult find_barrier(MlirOperation op, void *user)
{
    MlirOperation *found = user;
    kiln_op_t kind = kiln_op_kind(op);
    if (barriers_of(op) || kind == KILN_OP_AMDG_COND_BARRIER ||
        (kind == KILN_OP_TT_ELEMENTWISE_INLINE_ASM && may_be_barrier(op)))
        *found = op;
    return mlirOperationIsNull(*found) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

static void refuse_barriers_in(skew_t *skew, MlirOperation op)
{
    MlirOperation found = {NULL};
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
        for (MlirBlock block = kiln_op_body(op, (int)r); !mlirBlockIsNull(block);
             block = mlirBlockGetNextInRegion(block))
            for (MlirOperation at = mlirBlockGetFirstOperation(block);
                 !mlirOperationIsNull(at) && mlirOperationIsNull(found);
                 at = mlirOperationGetNextInBlock(at))
                kiln_walk(at, MlirWalkPreOrder, find_barrier, &found);
    if (!mlirOperationIsNull(found) && !skew->failure)
        skew->failure =
            kiln_op_unsupported(found, "a barrier in '%s'", kiln_op_name(kiln_op_kind(op)));
}

static bool is_single(MlirRegion region)
{
    MlirBlock first = mlirRegionGetFirstBlock(region);
    return mlirBlockIsNull(first) || mlirBlockIsNull(mlirBlockGetNextInRegion(first));
}

static range_t count_operation(skew_t *skew, MlirOperation op);

static range_t count_region(skew_t *skew, MlirRegion region)
{
    range_t sum = {0, 0};
    MlirBlock block = mlirRegionGetFirstBlock(region);
    for (MlirOperation op = mlirBlockIsNull(block) ? (MlirOperation){NULL}
                                                   : mlirBlockGetFirstOperation(block);
         !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
        range_t count = count_operation(skew, op);
        sum = (range_t){limited(sum.min + count.min), limited(sum.max + count.max)};
    }
    return sum;
}

// A branch of which a wave executes one side, or both if its lanes differ.
static range_t count_branches(skew_t *skew, MlirOperation op)
{
    range_t then = count_region(skew, mlirOperationGetRegion(op, 0)),
            other = count_region(skew, mlirOperationGetRegion(op, 1));
    int min = then.min < other.min ? then.min : other.min,
        max = then.max > other.max ? then.max : other.max;
    if (kiln_divergence_of_regions(skew->uniformity, op) == KILN_DIVERGENT)
        max = limited(then.max + other.max);
    return (range_t){min, max};
}

static range_t count_call(skew_t *skew, MlirOperation callee)
{
    functions_t *functions = &skew->functions;
    range_t count = {0, 0};
    if (mlirOperationIsNull(callee))
        return count;
    if (kiln_pointer_map_get(&functions->min, callee.ptr) < 0) {
        remember(skew, &functions->min, callee, 0);
        remember(skew, &functions->max, callee, 0);
        if (is_single(mlirOperationGetRegion(callee, 0)) && !skew->failure)
            count = count_region(skew, mlirOperationGetRegion(callee, 0));
        else
            refuse_barriers_in(skew, callee);
        remember(skew, &functions->min, callee, count.min);
        remember(skew, &functions->max, callee, count.max);
    }
    return (range_t){kiln_pointer_map_get(&functions->min, callee.ptr),
                     kiln_pointer_map_get(&functions->max, callee.ptr)};
}

// How many barriers a wave executes in the operation if it reaches it independently of others.
static range_t count_operation(skew_t *skew, MlirOperation op)
{
    range_t none = {0, 0};
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
        if (!is_single(mlirOperationGetRegion(op, r))) {
            refuse_barriers_in(skew, op);
            return none;
        }
    switch (kiln_op_kind(op)) {
    case KILN_OP_AMDG_COND_BARRIER:
        return (range_t){0, 1};
    case KILN_OP_SCF_IF:
        return count_branches(skew, op);
    case KILN_OP_SCF_EXECUTE_REGION:
        return count_region(skew, mlirOperationGetRegion(op, 0));
    case KILN_OP_SCF_FOR:
    case KILN_OP_SCF_WHILE:
        for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
            if (count_region(skew, mlirOperationGetRegion(op, r)).max)
                refuse(skew, op, "a loop with a barrier that not all waves execute equally often");
        return none;
    case KILN_OP_TT_ELEMENTWISE_INLINE_ASM:
        if (may_be_barrier(op))
            refuse(skew, op, "assembly that may hold a barrier where not all waves execute it");
        return none;
    case KILN_OP_TT_CALL:
        return count_call(skew, kiln_ir_callee(op));
    default:
        refuse_barriers_in(skew, op);
        return (range_t){barriers_of(op), barriers_of(op)};
    }
}

// The walk ----------------------------------------------------------------------------------------

static void walk_region(skew_t *skew, MlirRegion region, distance_t *distance);

static void walk_if(skew_t *skew, MlirOperation op, distance_t *distance)
{
    if (kiln_divergence_of_regions(skew->uniformity, op) == KILN_UNIFORM) {
        distance_t other = *distance;
        walk_region(skew, mlirOperationGetRegion(op, 0), distance);
        walk_region(skew, mlirOperationGetRegion(op, 1), &other);
        *distance = join(distance, &other);
        return;
    }
    range_t both = count_operation(skew, op);
    range_t then = count_region(skew, mlirOperationGetRegion(op, 0)),
            other = count_region(skew, mlirOperationGetRegion(op, 1));
    if (kiln_divergence_of_regions(skew->uniformity, op) == KILN_UNIFORM_IN_WAVES &&
        then.min == then.max && other.min == other.max)
        add(skew, distance, kiln_op_operand(op, 0), then.max - other.max);
    else
        add_rest(skew, distance, both.max - both.min);
}

static void walk_loop(skew_t *skew, MlirOperation op, distance_t *distance)
{
    if (kiln_divergence_of_regions(skew->uniformity, op) != KILN_UNIFORM) {
        count_operation(skew, op); // reports the error
        return;
    }
    distance_t around = *distance;
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++) {
        walk_region(skew, mlirOperationGetRegion(op, r), &around);
        // scf.while is left after its first region.
        if (r == 0 && mlirOperationGetNumRegions(op) > 1) {
            distance_t left = around;
            walk_region(skew, mlirOperationGetRegion(op, 1), &around);
            if (are_equal(distance, &around)) {
                *distance = left;
                return;
            }
            break;
        }
    }
    if (are_equal(distance, &around) || skew->failure)
        return;
    MlirOperation found = {NULL};
    kiln_walk(op, MlirWalkPreOrder, find_barrier, &found);
    skew->failure = kiln_op_unsupported(
        mlirOperationIsNull(found) ? op : found,
        "a barrier of some waves without a matching barrier of all waves in '%s'",
        kiln_op_name(kiln_op_kind(op)));
}

// Conditions left over in a function count as rest: they are different values in another call.
static void walk_call(skew_t *skew, MlirOperation op, distance_t *distance)
{
    functions_t *functions = &skew->functions;
    MlirOperation callee = kiln_ir_callee(op);
    if (mlirOperationIsNull(callee))
        return;
    if (kiln_pointer_map_get(&functions->inside, callee.ptr) < 0) {
        distance_t inside = {.count = 0};
        const int max = skew->max;
        skew->max = 0;
        remember(skew, &functions->inside, callee, 0);
        remember(skew, &functions->left, callee, 0);
        if (!skew->failure)
            walk_region(skew, mlirOperationGetRegion(callee, 0), &inside);
        remember(skew, &functions->inside, callee, skew->max);
        remember(skew, &functions->left, callee, bound(&inside));
        skew->max = max;
    }
    distance_t farthest = *distance;
    add_rest(skew, &farthest, kiln_pointer_map_get(&functions->inside, callee.ptr));
    add_rest(skew, distance, kiln_pointer_map_get(&functions->left, callee.ptr));
}

static void walk_operation(skew_t *skew, MlirOperation op, distance_t *distance)
{
    if (skew->failure)
        return;
    switch (kiln_op_kind(op)) {
    case KILN_OP_AMDG_COND_BARRIER:
        if (kiln_divergence_of(skew->uniformity, kiln_op_operand(op, 0)) != KILN_UNIFORM)
            add(skew, distance, kiln_op_operand(op, 0), 1);
        break;
    case KILN_OP_SCF_IF:
        walk_if(skew, op, distance);
        break;
    case KILN_OP_SCF_FOR:
    case KILN_OP_SCF_WHILE:
        walk_loop(skew, op, distance);
        break;
    case KILN_OP_SCF_EXECUTE_REGION:
        walk_region(skew, mlirOperationGetRegion(op, 0), distance);
        break;
    case KILN_OP_TT_CALL:
        walk_call(skew, op, distance);
        break;
    case KILN_OP_TT_ELEMENTWISE_INLINE_ASM:
        if (may_be_barrier(op) && may_jump(op))
            refuse(skew, op, "assembly that may hold a barrier and branches");
        break;
    default:
        refuse_barriers_in(skew, op);
        break;
    }
}

static void walk_block(skew_t *skew, MlirBlock block, distance_t *distance)
{
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
        walk_operation(skew, op, distance);
}

// Several blocks must leave waves as far apart as they were on entry, except those that end a
// function.
static void walk_region(skew_t *skew, MlirRegion region, distance_t *distance)
{
    MlirBlock block = mlirRegionGetFirstBlock(region);
    if (mlirBlockIsNull(block))
        return;
    if (is_single(region)) {
        walk_block(skew, block, distance);
        return;
    }
    MlirOperation parent = mlirBlockGetParentOperation(block);
    if (kiln_divergence_of_regions(skew->uniformity, parent) != KILN_UNIFORM) {
        refuse_barriers_in(skew, parent);
        return;
    }
    distance_t first = *distance;
    for (; !mlirBlockIsNull(block) && !skew->failure; block = mlirBlockGetNextInRegion(block)) {
        distance_t at = first;
        walk_block(skew, block, &at);
        if (!are_equal(&first, &at) && !skew->failure)
            refuse(skew, mlirBlockGetTerminator(block),
                   "a barrier of some waves without one that brings them together "
                   "in a region of several blocks");
    }
}

kiln_status_t kiln_waves_skew(MlirModule module, const kiln_uniformity_t *uniformity, int *out_skew)
{
    skew_t skew = {.uniformity = uniformity};
    MlirOperation any = {NULL};
    int waves;
    *out_skew = 0;
    KILN_TRY(kiln_waves_of_module(module, &waves));
    if (waves == 1)
        return KILN_OK;
    kiln_walk(mlirModuleGetOperation(module), MlirWalkPreOrder, find_barrier, &any);
    if (mlirOperationIsNull(any))
        return KILN_OK;
    for (MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
         !mlirOperationIsNull(op) && !skew.failure; op = mlirOperationGetNextInBlock(op)) {
        distance_t distance = {.count = 0};
        if (kiln_op_kind(op) == KILN_OP_TT_FUNC)
            walk_region(&skew, mlirOperationGetRegion(op, 0), &distance);
    }
    kiln_pointer_map_free(&skew.functions.inside);
    kiln_pointer_map_free(&skew.functions.left);
    kiln_pointer_map_free(&skew.functions.min);
    kiln_pointer_map_free(&skew.functions.max);
    if (!skew.failure && skew.max > MAX_APART)
        skew.failure = kiln_status_make(KILN_STATUS_UNSUPPORTED,
                                        "waves may be %d barriers apart; at most %d are supported",
                                        skew.max, MAX_APART);
    *out_skew = skew.max;
    return skew.failure;
}
