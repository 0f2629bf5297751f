// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creates two versions of a kernel if its accesses are wide only for a non-negative index and the
// index is not known to be non-negative:
//
//   %s = arith.muli %pid_n, 128                       %s = arith.muli %pid_n, 128
//   %n = splat(%s) + range(128)                       scf.if %s >= 0 {
//   %c = arith.remsi %n, %columns                         %t = arith.maxsi %s, 0
//   … loads from %b + %c, 8 columns at once    →          … as before, with %t for %s
//                                                     } else {
//                                                         … as before: of (−8 … −1) % 8 the first is 0
//                                                     }
//
// A branch taken by all lanes costs almost nothing; narrow accesses in a loop of matrix products
// cost a quarter of its time. The code after the last access that becomes wider, such as the stores
// of a product, is not duplicated. The rarely executed version is not pipelined, so that it is
// small and compiles quickly.
//
// Two versions take more time to compile, so they are created only if an access really becomes
// wider, and only the indices required for that are tested. Waves must agree on the version, since
// there may be barriers in it, so an index that depends on a volatile load is not tested.
#include <stdlib.h>

#include "analysis/axis/axis_info.h"
#include "analysis/range/integer_range.h"
#include "analysis/waves/uniformity.h"
#include "builder/compare.h"
#include "builder/ir.h"
#include "builder/op_facts.h"
#include "passes/pass.h"
#include "passes/pipelining/schedule.h"
#include "passes/rewrite/branch.h"
#include "passes/rewrite/clones.h"
#include "passes/rewrite/suppositions.h"

enum { MAX_ROOTS = 4, DEPTH = 8 };
_Static_assert((int)MAX_ROOTS <= (int)KILN_SUPPOSITIONS_MAX, "roots are suppositions");

typedef struct search {
    const kiln_range_analysis_t *ranges;
    const kiln_uniformity_t *uniformity;
    kiln_suppositions_t roots; // scalars that must not be negative
    MlirOperation last;        // in the kernel's block: the last one with an access that gets wider
} search_t;

// Roots -------------------------------------------------------------------------------------------

static MlirBlock entry_of(const search_t *search)
{
    return kiln_op_body(search->roots.function, 0);
}

// Returns the scalar whose sign decides the tensor's; null if there are several, or if it is not
// defined in the kernel's block.
static MlirValue find_root(const search_t *search, MlirValue value, int depth)
{
    MlirOperation op;
    const MlirValue none = {NULL};
    kiln_op_t kind = kiln_value_op(value, &op);
    if (depth == 0)
        return none;
    switch (kind) {
    case KILN_OP_TT_SPLAT:
        return find_root(search, kiln_op_operand(op, 0), 1);
    case KILN_OP_TT_EXPAND_DIMS:
    case KILN_OP_TT_BROADCAST:
        return find_root(search, kiln_op_operand(op, 0), depth - 1);
    case KILN_OP_ARITH_EXTSI:
        if (kiln_type_is_tensor(mlirValueGetType(value)))
            return find_root(search, kiln_op_operand(op, 0), depth - 1);
        break;
    case KILN_OP_ARITH_ADDI:
        if (kiln_type_is_tensor(mlirValueGetType(value)))
            for (int i = 0; i < 2; i++)
                if (kiln_is_known_non_negative(search->ranges, kiln_op_operand(op, i)))
                    return find_root(search, kiln_op_operand(op, 1 - i), depth - 1);
        break;
    default:
        break;
    }
    bool is_scalar = !mlirOperationIsNull(op) && !kiln_type_is_tensor(mlirValueGetType(value));
    return is_scalar && mlirBlockEqual(mlirOperationGetBlock(op), entry_of(search)) ? value : none;
}

static MlirWalkResult collect_root(MlirOperation op, void *user)
{
    search_t *search = user;
    kiln_op_t kind = kiln_op_kind(op);
    if ((kind != KILN_OP_ARITH_DIVSI && kind != KILN_OP_ARITH_REMSI) ||
        !kiln_type_is_tensor(mlirValueGetType(kiln_op_result(op, 0))) ||
        kiln_is_known_non_negative(search->ranges, kiln_op_operand(op, 0)))
        return MlirWalkResultAdvance;
    MlirValue root = find_root(search, kiln_op_operand(op, 0), DEPTH);
    if (mlirValueIsNull(root) || kiln_range_of(search->ranges, root).signed_max < 0 ||
        !kiln_is_same_in_all_waves(search->uniformity, root))
        return MlirWalkResultAdvance;
    for (int i = 0; i < search->roots.count; i++)
        if (mlirValueEqual(search->roots.integers[i], root))
            return MlirWalkResultAdvance;
    if (search->roots.count < MAX_ROOTS)
        search->roots.integers[search->roots.count++] = root;
    return MlirWalkResultAdvance;
}

// Gain of the versions ----------------------------------------------------------------------------

static MlirValue not_negative(const kiln_ir_t *ir, MlirValue root)
{
    return kiln_ir_binary(ir, KILN_OP_ARITH_MAXSI, root,
                          kiln_ir_const_int(ir, mlirValueGetType(root), 0));
}

// Returns the operation of the block that is or contains another one; null if there is none.
static MlirOperation ancestor_in(MlirBlock block, MlirOperation op)
{
    while (!mlirOperationIsNull(op) && !mlirBlockEqual(mlirOperationGetBlock(op), block))
        op = kiln_op_parent(op);
    return op;
}

static MlirOperation last_wider(const search_t *search, const kiln_access_widths_t *now,
                                const kiln_access_widths_t *before)
{
    for (int i = now->count - 1; i >= 0; i--)
        if (now->of[i] > before->of[i])
            return ancestor_in(entry_of(search), now->access[i]);
    return (MlirOperation){NULL};
}

// Keeps only the roots without which some access would not be wide.
static kiln_status_t remove_useless_roots(search_t *search)
{
    kiln_access_widths_t before, with_all;
    KILN_TRY(kiln_suppositions_try(&search->roots, &before, &with_all));
    search->last = last_wider(search, &with_all, &before);
    return kiln_suppositions_keep_needed(&search->roots, &with_all,
                                         kiln_access_widths_gain(&with_all, &before));
}

// The two versions --------------------------------------------------------------------------------

static MlirWalkResult leave_unpipelined(MlirOperation op, void *user)
{
    MlirContext context = mlirOperationGetContext(op);
    (void)user;
    if (kiln_op_kind(op) == KILN_OP_SCF_FOR) {
        mlirOperationSetDiscardableAttributeByName(
            op, mlirStringRefCreateFromCString("tt.num_stages"), kiln_ir_i32_attr(context, 1));
        mlirOperationSetDiscardableAttributeByName(
            op, mlirStringRefCreateFromCString(KILN_LOOP_IS_FALLBACK), mlirUnitAttrGet(context));
    }
    return MlirWalkResultAdvance;
}

static bool is_before(MlirOperation a, MlirOperation b)
{
    for (MlirOperation at = mlirOperationGetNextInBlock(a); !mlirOperationIsNull(at);
         at = mlirOperationGetNextInBlock(at))
        if (mlirOperationEqual(at, b))
            return true;
    return false;
}

static MlirValue is_not_negative(const kiln_ir_t *ir, MlirValue root)
{
    return kiln_ir_compare(ir, KILN_CMPI_SGE, root,
                           kiln_ir_const_int(ir, mlirValueGetType(root), 0));
}

// Operations between two roots that may be cloned for the wide version.
static bool is_index_arithmetic(kiln_op_t kind)
{
    return kiln_op_has(kind, KILN_PLAIN) || kiln_op_has(kind, KILN_DIVIDES) ||
           kiln_op_has(kind, KILN_NEAR);
}

static bool is_root(const search_t *search, MlirOperation op)
{
    for (int i = 0; i < search->roots.count; i++)
        if (mlirOperationEqual(mlirOpResultGetOwner(search->roots.integers[i]), op))
            return true;
    return false;
}

// Depends only on its operands and may be recomputed any number of times.
static bool is_computed_only(MlirOperation op)
{
    const kiln_op_facts_t *facts = kiln_op_facts(kiln_op_kind(op));
    return facts->remat != KILN_REMAT_NEVER && facts->effects == 0 &&
           mlirOperationGetNumRegions(op) == 0;
}

static MlirOpOperand first_use_outside(MlirValue value, MlirBlock block)
{
    MlirOpOperand use = mlirValueGetFirstUse(value);
    while (!mlirOpOperandIsNull(use) &&
           !mlirOperationIsNull(ancestor_in(block, mlirOpOperandGetOwner(use))))
        use = mlirOpOperandGetNextUse(use);
    return use;
}

static void replace_outside(MlirValue value, MlirBlock block, MlirValue by)
{
    if (mlirValueIsNull(by)) // out of memory
        return;
    for (MlirOpOperand use; !mlirOpOperandIsNull(use = first_use_outside(value, block));)
        mlirOperationSetOperand(mlirOpOperandGetOwner(use), mlirOpOperandGetOperandNumber(use), by);
}

static void erase_if_unused(MlirOperation op)
{
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        if (kiln_value_has_uses(mlirOperationGetResult(op, i)))
            return;
    kiln_op_erase(op);
}

// Clones pure operations of a block whose operands are defined outside it to `ir`, if they are used
// there.
static kiln_status_t compute_outside(MlirBlock block, intptr_t max, const kiln_ir_t *ir)
{
    kiln_clones_t copies = {0};
    MlirOperation *made = calloc((size_t)max + 1, sizeof *made); // each has a result
    intptr_t count = 0;
    if (!made)
        return kiln_status_out_of_memory();
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        bool can_be = is_computed_only(op) && mlirOperationGetNumResults(op) > 0;
        for (intptr_t i = 0; can_be && i < mlirOperationGetNumOperands(op); i++) {
            MlirValue operand = mlirOperationGetOperand(op, i);
            can_be = mlirValueIsABlockArgument(operand) ||
                     !mlirBlockEqual(mlirOperationGetBlock(mlirOpResultGetOwner(operand)), block) ||
                     !mlirValueIsNull(kiln_clones_find(&copies, operand));
        }
        if (can_be)
            made[count++] = kiln_clone(ir, op, &copies);
        for (intptr_t i = 0; can_be && i < mlirOperationGetNumResults(op); i++)
            replace_outside(mlirOperationGetResult(op, i), block,
                            kiln_clones_find(&copies, mlirOperationGetResult(op, i)));
    }
    while (count > 0)
        erase_if_unused(made[--count]);
    free(made);
    return kiln_clones_free(&copies) ? KILN_OK : kiln_status_out_of_memory();
}

// Values that the following code uses become results of the branch.
static void close(kiln_branch_t *branch, const kiln_ir_t *ir, const kiln_clones_t *clones)
{
    MlirBlock block = branch->else_ir.block;
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
        for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
            MlirValue value = mlirOperationGetResult(op, i);
            if (!mlirOpOperandIsNull(first_use_outside(value, block)))
                kiln_branch_yield(branch, kiln_clones_get(clones, value), value);
        }
    MlirOperation made = kiln_branch_close(branch, ir), yield = kiln_block_terminator(block);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(made); i++)
        replace_outside(mlirOperationGetOperand(yield, i), block, mlirOperationGetResult(made, i));
}

// Moves everything from the last root to the last access that becomes wider into the branches: a
// clone if no root is negative, the original otherwise. The code after it is not duplicated.
// Indices that it uses are recomputed, since otherwise the branches would return them in registers.
static kiln_status_t split(search_t *search)
{
    MlirOperation end = kiln_block_terminator(entry_of(search)),
                  first = mlirOpResultGetOwner(search->roots.integers[0]), last = first;
    for (int i = 1; i < search->roots.count; i++) {
        MlirOperation root = mlirOpResultGetOwner(search->roots.integers[i]);
        first = is_before(root, first) ? root : first;
        last = is_before(last, root) ? root : last;
    }
    MlirOperation rest = mlirOperationGetNextInBlock(last);
    if (!mlirOperationIsNull(search->last) && is_before(last, search->last))
        end = mlirOperationGetNextInBlock(search->last);
    kiln_ir_t ir = kiln_ir_before(rest);
    MlirValue all = {NULL};
    for (int i = 0; i < search->roots.count; i++) {
        MlirValue truth = is_not_negative(&ir, search->roots.integers[i]);
        all = i ? kiln_ir_binary(&ir, KILN_OP_ARITH_ANDI, all, truth) : truth;
    }
    intptr_t room = 0;
    for (MlirOperation op = rest; !mlirOperationEqual(op, end);
         op = mlirOperationGetNextInBlock(op))
        room += mlirOperationGetNumResults(op);
    kiln_branch_t branch;
    if (!kiln_branch_open(&branch, &ir, all, room))
        return kiln_status_out_of_memory();
    kiln_clones_t clones = {0};
    for (int i = 0; i < search->roots.count; i++)
        kiln_clones_put(&clones, search->roots.integers[i],
                        not_negative(&branch.then_ir, search->roots.integers[i]));
    for (MlirOperation op = first; !mlirOperationEqual(op, last);
         op = mlirOperationGetNextInBlock(op))
        if (!is_root(search, op) && is_index_arithmetic(kiln_op_kind(op)))
            kiln_clone(&branch.then_ir, op, &clones);
    for (MlirOperation op = rest, next; !mlirOperationEqual(op, end); op = next) {
        next = mlirOperationGetNextInBlock(op);
        kiln_clone(&branch.then_ir, op, &clones);
        kiln_walk(op, MlirWalkPreOrder, leave_unpipelined, NULL);
        mlirOperationRemoveFromParent(op);
        mlirBlockAppendOwnedOperation(branch.else_ir.block, op);
    }
    ir = kiln_ir_before(end);
    kiln_status_t status = compute_outside(branch.else_ir.block, room, &ir);
    close(&branch, &ir, &clones);
    bool had_memory = kiln_clones_free(&clones);
    return status ? status : had_memory ? KILN_OK : kiln_status_out_of_memory();
}

static MlirWalkResult find_call(MlirOperation op, void *user)
{
    bool *found = user;
    *found = kiln_op_kind(op) == KILN_OP_TT_CALL;
    return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// A kernel of one block without results.
static bool can_be_split(MlirOperation function)
{
    MlirBlock entry = kiln_op_body(function, 0);
    return !mlirBlockIsNull(entry) && mlirBlockIsNull(mlirBlockGetNextInRegion(entry)) &&
           mlirOperationGetNumOperands(kiln_block_terminator(entry)) == 0;
}

static kiln_status_t version(MlirOperation function, const kiln_uniformity_t *uniformity)
{
    kiln_range_analysis_t *ranges;
    KILN_TRY(kiln_range_analysis_create(function, &ranges));
    search_t search = {
        .ranges = ranges,
        .uniformity = uniformity,
        .roots = {.function = function, .suppose = not_negative, .width = KILN_WIDTH_OF_MEMORY}};
    kiln_walk(function, MlirWalkPreOrder, collect_root, &search);
    kiln_range_analysis_destroy(ranges);
    search.ranges = NULL;
    if (search.roots.count == 0)
        return KILN_OK;
    KILN_TRY(remove_useless_roots(&search));
    return search.roots.count ? split(&search) : KILN_OK;
}

static MlirWalkResult find_division(MlirOperation op, void *user)
{
    bool *found = user;
    kiln_op_t kind = kiln_op_kind(op);
    *found = (kind == KILN_OP_ARITH_DIVSI || kind == KILN_OP_ARITH_REMSI) &&
             kiln_type_is_tensor(mlirValueGetType(kiln_op_result(op, 0)));
    return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

kiln_status_t kiln_version_signs(const kiln_pass_context_t *context, MlirModule module)
{
    bool calls = false;
    kiln_walk(mlirModuleGetOperation(module), MlirWalkPreOrder, find_call, &calls);
    for (MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
         !calls && !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
        bool divides = false;
        if (kiln_op_kind(op) == KILN_OP_TT_FUNC && can_be_split(op))
            kiln_walk(op, MlirWalkPreOrder, find_division, &divides);
        if (!divides)
            continue;
        kiln_uniformity_t *uniformity; // not of what an earlier function became
        KILN_TRY(kiln_uniformity_create(module, context->options->num_warps, &uniformity));
        kiln_status_t status = version(op, uniformity);
        kiln_uniformity_destroy(uniformity);
        KILN_TRY(status);
    }
    return KILN_OK;
}
