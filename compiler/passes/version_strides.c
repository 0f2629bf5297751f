// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creates two versions of a kernel of whose arguments nothing is promised, if the accesses of its
// loops are wide only where sizes and strides are multiples of 16:
//
//   scf.for … {                             scf.if %lda mod 16 == 0 {
//     %p = %a + %row · %lda + %k                %l = arith.andi %lda, −16
//     tt.load %p, %k < %K            →          … as before, with %l for %lda
//   }                                       } else {
//                                               … as before
//                                           } {kiln.versions}
//
// A group of consecutive numbers that starts at a multiple of its size neither wraps nor contains a
// bound that is a multiple of it, and its quotients are equal. Other passes find wide accesses at
// run time, too, but not for every form of an index, and mostly by a branch in the loop. So they
// are tried on a copy of the kernel first: if no load of a loop gains that they leave narrow or in
// a branch, one version suffices. Two take more time to compile, and each has the registers of the
// one that needs more. The second version is what it would be alone: rows of 4097 numbers are as
// usual as those of 4096.
//
// A caller that promises something of an argument, as the JIT does, promises all that holds: what
// it leaves out is not so, and there is one version. Only integers that are needed are tested.
#include "analysis/axis/mask_order.h"
#include "builder/compare.h"
#include "builder/ir.h"
#include "builder/op_facts.h"
#include "passes/pass.h"
#include "passes/pipelining/schedule.h"
#include "passes/rewrite/branch.h"
#include "passes/rewrite/clones.h"
#include "passes/rewrite/suppositions.h"

enum { MULTIPLE = 16 };

static MlirValue multiple_of(const kiln_ir_t *ir, MlirValue argument)
{
    return kiln_ir_binary(ir, KILN_OP_ARITH_ANDI, argument,
                          kiln_ir_const_int(ir, mlirValueGetType(argument), -MULTIPLE));
}

// Arguments ---------------------------------------------------------------------------------------

static bool has_promises(MlirOperation function)
{
    MlirAttribute all = kiln_ir_attr(function, "arg_attrs");
    for (intptr_t i = 0; !mlirAttributeIsNull(all) && i < mlirArrayAttrGetNumElements(all); i++)
        if (mlirDictionaryAttrGetNumElements(mlirArrayAttrGetElement(all, i)) > 0)
            return true;
    return false;
}

// The arguments that might have to be multiples.
static kiln_suppositions_t collect_arguments(MlirOperation function)
{
    kiln_suppositions_t all = {
        .function = function, .suppose = multiple_of, .width = KILN_WIDTH_OR_EQUAL};
    MlirBlock entry = kiln_op_body(function, 0);
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry); i++) {
        MlirValue argument = mlirBlockGetArgument(entry, i);
        MlirType type = mlirValueGetType(argument);
        if (mlirTypeIsAInteger(type) && kiln_type_bits(type) >= 32 &&
            kiln_value_has_uses(argument) && all.count < KILN_SUPPOSITIONS_MAX)
            all.integers[all.count++] = argument;
    }
    return all;
}

// Gain --------------------------------------------------------------------------------------------

// Whether a loop executes the access in most iterations: not after whole iterations, nor in a
// version that is rarely executed. `out_branches` tells whether the loop branches to it.
static bool is_usual_in_loop(MlirOperation access, bool *out_branches)
{
    *out_branches = false;
    for (MlirOperation op = kiln_op_parent(access); !mlirOperationIsNull(op);
         op = kiln_op_parent(op)) {
        const kiln_op_t kind = kiln_op_kind(op);
        if (kind == KILN_OP_SCF_IF && kiln_op_kind(access) == KILN_OP_TT_STORE)
            return false;
        *out_branches |= kiln_op_loads_tensor(op);
        if (kind == KILN_OP_SCF_WHILE)
            return true;
        if (kind == KILN_OP_SCF_FOR)
            return !kiln_is_peeled_rest(op) &&
                   mlirAttributeIsNull(kiln_ir_attr(op, KILN_LOOP_IS_FALLBACK));
    }
    return false;
}

typedef enum gain_kind {
    GAIN_WIDTH,         // a loop accesses more at once
    GAIN_WIDTH_OR_PATH, // … or branches to a load, for the sake of its width
} gain_kind_t;

static bool loops_gain(const kiln_access_widths_t *now, const kiln_access_widths_t *before,
                       gain_kind_t kind)
{
    bool branches;
    for (int i = 0; i < now->count; i++)
        if (is_usual_in_loop(now->access[i], &branches) &&
            (now->of[i] > before->of[i] || (branches && kind == GAIN_WIDTH_OR_PATH)))
            return true;
    return false;
}

// Whether loops gain although other passes do what they can.
static kiln_status_t gains_after_others(const kiln_pass_context_t *context, MlirModule module,
                                        size_t kernel, bool *out)
{
    static const kiln_pass_function_t others[] = {kiln_slide_tiles,   kiln_linear_remainders,
                                                  kiln_version_signs, kiln_licm,
                                                  kiln_peel_masks,    kiln_whole_tiles};
    MlirModule copy = mlirModuleFromOperation(mlirOperationClone(mlirModuleGetOperation(module)));
    kiln_status_t status = KILN_OK;
    for (size_t i = 0; i < sizeof others / sizeof *others && !status; i++)
        status = others[i](context, copy);
    MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(copy));
    for (size_t i = 0; i < kernel; i++)
        op = mlirOperationGetNextInBlock(op);
    kiln_suppositions_t arguments = collect_arguments(op);
    kiln_access_widths_t before, with_all;
    if (!status)
        status = kiln_suppositions_try(&arguments, &before, &with_all);
    if (!status)
        *out = loops_gain(&with_all, &before, GAIN_WIDTH_OR_PATH);
    mlirModuleDestroy(copy);
    return status;
}

// Keeps only the arguments without which some access would not be as wide; none if no loop gains.
static kiln_status_t remove_useless_arguments(kiln_suppositions_t *arguments)
{
    kiln_access_widths_t before, with_all;
    KILN_TRY(kiln_suppositions_try(arguments, &before, &with_all));
    return kiln_suppositions_keep_needed(arguments, &with_all,
                                         loops_gain(&with_all, &before, GAIN_WIDTH));
}

// The two versions --------------------------------------------------------------------------------

static MlirWalkResult leave_without_findings(MlirOperation op, void *user)
{
    (void)user;
    if (kiln_op_kind(op) == KILN_OP_SCF_FOR)
        mlirOperationSetDiscardableAttributeByName(
            op, mlirStringRefCreateFromCString(KILN_LOOP_IS_FALLBACK),
            mlirUnitAttrGet(mlirOperationGetContext(op)));
    return MlirWalkResultAdvance;
}

static MlirValue are_multiples(const kiln_ir_t *ir, const kiln_suppositions_t *arguments)
{
    MlirValue all = {NULL};
    for (int i = 0; i < arguments->count; i++) {
        MlirType type = mlirValueGetType(arguments->integers[i]);
        MlirValue low = kiln_ir_binary(ir, KILN_OP_ARITH_ANDI, arguments->integers[i],
                                       kiln_ir_const_int(ir, type, MULTIPLE - 1)),
                  one = kiln_ir_compare(ir, KILN_CMPI_EQ, low, kiln_ir_const_int(ir, type, 0));
        all = i ? kiln_ir_binary(ir, KILN_OP_ARITH_ANDI, all, one) : one;
    }
    return all;
}

static kiln_status_t split(const kiln_suppositions_t *arguments)
{
    MlirBlock entry = kiln_op_body(arguments->function, 0);
    MlirOperation first = mlirBlockGetFirstOperation(entry), end = kiln_block_terminator(entry);
    kiln_ir_t ir = kiln_ir_before(first);
    kiln_branch_t branch;
    if (!kiln_branch_open(&branch, &ir, are_multiples(&ir, arguments), 0))
        return kiln_status_out_of_memory();
    kiln_clones_t clones = {0};
    for (int i = 0; i < arguments->count; i++)
        kiln_clones_put(&clones, arguments->integers[i],
                        multiple_of(&branch.then_ir, arguments->integers[i]));
    for (MlirOperation op = first, next; !mlirOperationEqual(op, end); op = next) {
        next = mlirOperationGetNextInBlock(op);
        kiln_clone(&branch.then_ir, op, &clones);
        kiln_walk(op, MlirWalkPreOrder, leave_without_findings, NULL);
        mlirOperationRemoveFromParent(op);
        mlirBlockAppendOwnedOperation(branch.else_ir.block, op);
    }
    ir = kiln_ir_before(end);
    mlirOperationSetDiscardableAttributeByName(kiln_branch_close(&branch, &ir),
                                               mlirStringRefCreateFromCString(KILN_IF_HAS_VERSIONS),
                                               mlirUnitAttrGet(ir.context));
    return kiln_clones_free(&clones) ? KILN_OK : kiln_status_out_of_memory();
}

// The pass ----------------------------------------------------------------------------------------

typedef struct contents {
    bool loops, calls, is_versioned;
} contents_t;

static MlirWalkResult find_contents(MlirOperation op, void *user)
{
    contents_t *contents = user;
    const kiln_op_t kind = kiln_op_kind(op);
    contents->loops |= kind == KILN_OP_SCF_FOR || kind == KILN_OP_SCF_WHILE;
    contents->calls |= kind == KILN_OP_TT_CALL;
    contents->is_versioned |=
        kind == KILN_OP_SCF_IF && !mlirAttributeIsNull(kiln_ir_attr(op, KILN_IF_HAS_VERSIONS));
    return MlirWalkResultAdvance;
}

// A kernel of one block without results.
static bool can_be_split(MlirOperation function)
{
    MlirBlock entry = kiln_op_body(function, 0);
    return kiln_op_kind(function) == KILN_OP_TT_FUNC && !mlirBlockIsNull(entry) &&
           mlirBlockIsNull(mlirBlockGetNextInRegion(entry)) &&
           mlirOperationGetNumOperands(kiln_block_terminator(entry)) == 0;
}

static kiln_status_t version(const kiln_pass_context_t *context, MlirModule module,
                             MlirOperation function, size_t kernel)
{
    bool pays = false;
    kiln_suppositions_t arguments = collect_arguments(function);
    if (arguments.count)
        KILN_TRY(remove_useless_arguments(&arguments));
    if (arguments.count)
        KILN_TRY(gains_after_others(context, module, kernel, &pays));
    return pays ? split(&arguments) : KILN_OK;
}

kiln_status_t kiln_version_strides(const kiln_pass_context_t *context, MlirModule module)
{
    contents_t contents = {0};
    size_t kernel = 0; // position in the module
    kiln_walk(mlirModuleGetOperation(module), MlirWalkPreOrder, find_contents, &contents);
    if (!contents.loops || contents.calls || contents.is_versioned)
        return KILN_OK;
    for (MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
         !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op), kernel++)
        if (can_be_split(op) && !has_promises(op))
            KILN_TRY(version(context, module, op, kernel));
    return KILN_OK;
}
