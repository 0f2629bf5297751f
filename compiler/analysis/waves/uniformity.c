// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uniformity by data flow: values start as uniform and only become more divergent, until nothing
// changes. The map contains the values known not to be uniform.
#include "analysis/waves/uniformity.h"

#include <stdlib.h>

#include "analysis/pointer_map.h"
#include "base/gfx942.h"
#include "builder/compare.h"
#include "builder/device_function.h"
#include "builder/ir.h"
#include "builder/op_facts.h"

struct kiln_uniformity {
    bool has_one_wave;
    kiln_pointer_map_t values;   // of MlirValue
    kiln_pointer_map_t branches; // of operations with regions of several blocks: the divergence of
                                 // branches in them
    kiln_pointer_map_t callees;  // functions that are not called by all waves alike
    bool changed, out_of_memory;
};

static kiln_divergence_t more_divergent(kiln_divergence_t a, kiln_divergence_t b)
{
    return a > b ? a : b;
}

static kiln_divergence_t get(const kiln_pointer_map_t *map, const void *key)
{
    int known = kiln_pointer_map_get(map, key);
    return known < 0 ? KILN_UNIFORM : (kiln_divergence_t)known;
}

static void raise(kiln_uniformity_t *u, kiln_pointer_map_t *map, const void *key,
                  kiln_divergence_t divergence)
{
    if (divergence <= get(map, key))
        return;
    u->out_of_memory |= !kiln_pointer_map_put(map, key, (int)divergence);
    u->changed = true;
}

static kiln_divergence_t of_value(const kiln_uniformity_t *u, MlirValue value)
{
    return get(&u->values, value.ptr);
}

static void raise_value(kiln_uniformity_t *u, MlirValue value, kiln_divergence_t divergence)
{
    raise(u, &u->values, value.ptr, divergence);
}

static kiln_divergence_t of_operands(const kiln_uniformity_t *u, MlirOperation op)
{
    kiln_divergence_t max = KILN_UNIFORM;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        max = more_divergent(max, of_value(u, mlirOperationGetOperand(op, i)));
    return max;
}

// Control flow ------------------------------------------------------------------------------------

// The divergence of the condition or bounds of an scf operation, without branches between blocks.
// False for other operations.
static bool of_control(const kiln_uniformity_t *u, MlirOperation op, kiln_divergence_t *out)
{
    *out = KILN_UNIFORM;
    switch (kiln_op_kind(op)) {
    case KILN_OP_SCF_IF:
    case KILN_OP_SCF_INDEX_SWITCH:
        *out = of_value(u, kiln_op_operand(op, 0));
        return true;
    case KILN_OP_SCF_FOR:
        for (int i = 0; i < 3; i++)
            *out = more_divergent(*out, of_value(u, kiln_op_operand(op, i)));
        return true;
    case KILN_OP_SCF_WHILE:
        for (MlirBlock block = kiln_op_body(op, 0); !mlirBlockIsNull(block);
             block = mlirBlockGetNextInRegion(block)) {
            MlirOperation end = mlirBlockGetTerminator(block);
            if (kiln_op_kind(end) == KILN_OP_SCF_CONDITION)
                *out = more_divergent(*out, of_value(u, kiln_op_operand(end, 0)));
        }
        return true;
    case KILN_OP_SCF_EXECUTE_REGION:
    case KILN_OP_TT_FUNC:
    case KILN_OP_BUILTIN_MODULE:
        return true;
    default:
        return false;
    }
}

static kiln_divergence_t of_regions(const kiln_uniformity_t *u, MlirOperation op)
{
    kiln_divergence_t control;
    return of_control(u, op, &control) ? more_divergent(control, get(&u->branches, op.ptr))
                                       : KILN_DIVERGENT;
}

// The divergence of operand `number` of the terminators of one kind in the operation's regions.
static kiln_divergence_t of_given(const kiln_uniformity_t *u, MlirOperation op,
                                  kiln_op_t terminator, intptr_t number)
{
    kiln_divergence_t max = KILN_UNIFORM;
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
        for (MlirBlock block = kiln_op_body(op, (int)r); !mlirBlockIsNull(block);
             block = mlirBlockGetNextInRegion(block)) {
            MlirOperation end = mlirBlockGetTerminator(block);
            if (!mlirOperationIsNull(end) && kiln_op_kind(end) == terminator &&
                number < mlirOperationGetNumOperands(end))
                max = more_divergent(max, of_value(u, mlirOperationGetOperand(end, number)));
        }
    return max;
}

// Waves that leave a loop in different iterations have different results.
static void visit_for(kiln_uniformity_t *u, MlirOperation op)
{
    MlirBlock body = kiln_op_body(op, 0);
    kiln_divergence_t index =
        more_divergent(of_value(u, kiln_op_operand(op, 0)), of_value(u, kiln_op_operand(op, 2)));
    kiln_divergence_t left = of_regions(u, op);
    raise_value(u, mlirBlockGetArgument(body, 0), index);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
        kiln_divergence_t carried = more_divergent(of_value(u, mlirOperationGetOperand(op, 3 + i)),
                                                   of_given(u, op, KILN_OP_SCF_YIELD, i));
        raise_value(u, mlirBlockGetArgument(body, 1 + i), carried);
        raise_value(u, mlirOperationGetResult(op, i), more_divergent(carried, left));
    }
}

static void visit_while(kiln_uniformity_t *u, MlirOperation op)
{
    MlirBlock before = kiln_op_body(op, 0), after = kiln_op_body(op, 1);
    kiln_divergence_t left = of_regions(u, op);
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(before); i++)
        raise_value(u, mlirBlockGetArgument(before, i),
                    more_divergent(of_value(u, mlirOperationGetOperand(op, i)),
                                   of_given(u, op, KILN_OP_SCF_YIELD, i)));
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
        kiln_divergence_t given = of_given(u, op, KILN_OP_SCF_CONDITION, 1 + i);
        raise_value(u, mlirBlockGetArgument(after, i), given);
        raise_value(u, mlirOperationGetResult(op, i), more_divergent(given, left));
    }
}

static void visit_call(kiln_uniformity_t *u, MlirOperation op)
{
    MlirOperation callee = kiln_ir_callee(op);
    bool is_known = !mlirOperationIsNull(callee) && !mlirBlockIsNull(kiln_op_body(callee, 0));
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        raise_value(u, mlirOperationGetResult(op, i),
                    is_known ? more_divergent(of_given(u, callee, KILN_OP_TT_RETURN, i),
                                              get(&u->branches, callee.ptr))
                             : KILN_DIVERGENT);
    if (!is_known)
        return;
    if (!kiln_is_executed_by_all_waves(u, op))
        raise(u, &u->callees, callee.ptr, KILN_DIVERGENT);
    MlirBlock entry = kiln_op_body(callee, 0);
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry) && i < mlirOperationGetNumOperands(op);
         i++)
        raise_value(u, mlirBlockGetArgument(entry, i), of_value(u, mlirOperationGetOperand(op, i)));
}

// A branch between blocks; its operands are not mapped to the individual successors.
static void visit_branch(kiln_uniformity_t *u, MlirOperation op)
{
    MlirBlock block = mlirOperationGetBlock(op);
    kiln_divergence_t max = of_operands(u, op);
    if (mlirBlockGetNumSuccessors(block) > 1)
        raise(u, &u->branches, kiln_op_parent(op).ptr, of_value(u, kiln_op_operand(op, 0)));
    for (intptr_t s = 0; s < mlirBlockGetNumSuccessors(block); s++) {
        MlirBlock to = mlirBlockGetSuccessor(block, s);
        for (intptr_t i = 0; i < mlirBlockGetNumArguments(to); i++)
            raise_value(u, mlirBlockGetArgument(to, i), max);
    }
}

// Operations --------------------------------------------------------------------------------------

// Whether the operation compares or divides thread ids such that the result is uniform in a wave.
static bool is_uniform_id_test(MlirOperation op)
{
    MlirOperation id;
    int64_t number;
    kiln_op_t kind = kiln_op_kind(op);
    if (kind != KILN_OP_ARITH_CMPI && kind != KILN_OP_ARITH_DIVSI && kind != KILN_OP_ARITH_DIVUI &&
        kind != KILN_OP_ARITH_SHRUI && kind != KILN_OP_ARITH_SHRSI)
        return false;
    bool id_first = kiln_value_op(kiln_op_operand(op, 0), &id) == KILN_OP_ROCDL_WORKITEM_ID_X;
    if ((!id_first && kiln_value_op(kiln_op_operand(op, 1), &id) != KILN_OP_ROCDL_WORKITEM_ID_X) ||
        !kiln_ir_constant_int(kiln_op_operand(op, id_first), &number))
        return false;
    bool is_multiple = number % KILN_GFX942_LANES == 0;
    if (kind == KILN_OP_ARITH_CMPI) { // id < 64·n, or 64·n > id
        const kiln_cmpi_t predicate =
            id_first ? kiln_cmpi_of(op) : kiln_cmpi_mirrored(kiln_cmpi_of(op));
        return is_multiple && (predicate == KILN_CMPI_SLT || predicate == KILN_CMPI_SGE ||
                               predicate == KILN_CMPI_ULT || predicate == KILN_CMPI_UGE);
    }
    if (kind == KILN_OP_ARITH_SHRUI || kind == KILN_OP_ARITH_SHRSI)
        return id_first && number >= 6 && number < 32;
    return id_first && is_multiple && number > 0;
}

typedef struct inner {
    const kiln_uniformity_t *u;
    kiln_divergence_t max;
} inner_t;

static MlirWalkResult add_inner(MlirOperation op, void *user)
{
    inner_t *all = user;
    all->max = more_divergent(all->max, of_operands(all->u, op));
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        all->max = more_divergent(all->max, of_value(all->u, mlirOperationGetResult(op, i)));
    return MlirWalkResultAdvance;
}

static bool is_function_of_operands(MlirOperation op)
{
    const kiln_op_facts_t *facts = kiln_op_facts(kiln_op_kind(op));
    if (facts->traits & KILN_UNIFORM_OF_OPERANDS)
        return true;
    if (kiln_op_kind(op) == KILN_OP_TT_EXTERN_ELEMENTWISE &&
        kiln_is_function_of_operands(mlirStringAttrGetValue(kiln_ir_attr(op, "symbol")),
                                     (int)mlirOperationGetNumOperands(op)))
        return true;                            // even if the program does not mark it pure
    if (kiln_op_own_effects(op) & KILN_ORDERED) // assembly that is not pure, volatile loads
        return false;
    return (facts->traits & KILN_ELEMENTWISE) || facts->global != KILN_NO_OBJECT ||
           facts->lds != KILN_NO_OBJECT;
}

static kiln_divergence_t of_results(const kiln_uniformity_t *u, MlirOperation op)
{
    kiln_op_t kind = kiln_op_kind(op);
    inner_t all = {u, KILN_UNIFORM};
    if (kind == KILN_OP_TTG_WARP_ID || is_uniform_id_test(op))
        return KILN_UNIFORM_IN_WAVES;
    if (!is_function_of_operands(op))
        return KILN_DIVERGENT;
    // Includes its regions and the values that they use from outside.
    kiln_walk(op, MlirWalkPreOrder, add_inner, &all);
    return all.max;
}

static MlirWalkResult visit(MlirOperation op, void *user)
{
    kiln_uniformity_t *u = user;
    MlirOperation parent = kiln_op_parent(op);
    kiln_divergence_t control;
    intptr_t results = mlirOperationGetNumResults(op);
    switch (kiln_op_kind(op)) {
    case KILN_OP_SCF_FOR:
        visit_for(u, op);
        break;
    case KILN_OP_SCF_WHILE:
        visit_while(u, op);
        break;
    case KILN_OP_TT_CALL:
        visit_call(u, op);
        break;
    case KILN_OP_SCF_IF:
    case KILN_OP_SCF_INDEX_SWITCH:
    case KILN_OP_SCF_EXECUTE_REGION:
        control = of_regions(u, op);
        for (intptr_t i = 0; i < results; i++)
            raise_value(u, mlirOperationGetResult(op, i),
                        more_divergent(control, of_given(u, op, KILN_OP_SCF_YIELD, i)));
        break;
    case KILN_OP_TT_FUNC:
    case KILN_OP_BUILTIN_MODULE:
        break;
    default:
        if (mlirOperationGetNumSuccessors(op) > 0)
            visit_branch(u, op);
        for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++) {
            MlirBlock entry = kiln_op_body(op, (int)r);
            for (intptr_t i = 0; !mlirBlockIsNull(entry) && i < mlirBlockGetNumArguments(entry);
                 i++)
                raise_value(u, mlirBlockGetArgument(entry, i), of_operands(u, op));
        }
        if (results > 0) {
            kiln_divergence_t divergence = of_results(u, op);
            for (intptr_t i = 0; i < results; i++)
                raise_value(u, mlirOperationGetResult(op, i), divergence);
        }
        break;
    }
    // Waves that reach a block on different paths, or leave a loop of blocks at different times.
    if (!mlirOperationIsNull(parent) && get(&u->branches, parent.ptr) != KILN_UNIFORM) {
        MlirBlock block = mlirOperationGetBlock(op);
        for (intptr_t i = 0; i < results; i++)
            raise_value(u, mlirOperationGetResult(op, i), KILN_DIVERGENT);
        for (intptr_t i = 0;
             i < mlirBlockGetNumArguments(block) &&
             !mlirBlockEqual(block, mlirRegionGetFirstBlock(mlirBlockGetParentRegion(block)));
             i++)
            raise_value(u, mlirBlockGetArgument(block, i), KILN_DIVERGENT);
    }
    return u->out_of_memory ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// Public functions --------------------------------------------------------------------------------

// Whether the operation may have a result that differs between waves by itself.
static MlirWalkResult find_source(MlirOperation op, void *user)
{
    bool *found = user;
    kiln_divergence_t control;
    const kiln_uniformity_t none = {.changed = false};
    *found = mlirOperationGetNumResults(op) > 0 && kiln_op_kind(op) != KILN_OP_TT_CALL &&
             !of_control(&none, op, &control) && !is_function_of_operands(op);
    return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

kiln_status_t kiln_uniformity_create(MlirModule module, int waves, kiln_uniformity_t **out)
{
    *out = NULL;
    kiln_uniformity_t *u = calloc(1, sizeof *u);
    if (!u)
        return kiln_status_out_of_memory();
    MlirOperation root = mlirModuleGetOperation(module);
    u->has_one_wave = waves == 1;
    bool has_source = false;
    kiln_walk(root, MlirWalkPreOrder, find_source, &has_source);
    u->changed = has_source;
    while (u->changed && !u->out_of_memory) {
        u->changed = false;
        kiln_walk(root, MlirWalkPreOrder, visit, u);
    }
    if (u->out_of_memory) {
        kiln_uniformity_destroy(u);
        return kiln_status_out_of_memory();
    }
    *out = u;
    return KILN_OK;
}

void kiln_uniformity_destroy(kiln_uniformity_t *u)
{
    if (!u)
        return;
    kiln_pointer_map_free(&u->values);
    kiln_pointer_map_free(&u->branches);
    kiln_pointer_map_free(&u->callees);
    free(u);
}

kiln_divergence_t kiln_divergence_of(const kiln_uniformity_t *u, MlirValue value)
{
    return of_value(u, value);
}

bool kiln_is_same_in_all_waves(const kiln_uniformity_t *uniformity, MlirValue scalar)
{
    return uniformity->has_one_wave || kiln_divergence_of(uniformity, scalar) == KILN_UNIFORM;
}

kiln_divergence_t kiln_divergence_of_regions(const kiln_uniformity_t *u, MlirOperation op)
{
    return u->has_one_wave ? KILN_UNIFORM : of_regions(u, op);
}

bool kiln_is_executed_by_all_waves(const kiln_uniformity_t *u, MlirOperation op)
{
    if (u->has_one_wave)
        return true;
    for (MlirOperation parent = kiln_op_parent(op); !mlirOperationIsNull(parent);
         op = parent, parent = kiln_op_parent(op)) {
        if (kiln_op_kind(parent) == KILN_OP_TT_FUNC && get(&u->callees, parent.ptr) != KILN_UNIFORM)
            return false;
        if (kiln_divergence_of_regions(u, parent) == KILN_UNIFORM)
            continue;
        // All waves execute a function's first block alike if nothing branches back to it.
        MlirBlock block = mlirOperationGetBlock(op);
        if (kiln_op_kind(parent) != KILN_OP_TT_FUNC ||
            !mlirBlockEqual(block, mlirRegionGetFirstBlock(mlirBlockGetParentRegion(block))))
            return false;
    }
    return true;
}
