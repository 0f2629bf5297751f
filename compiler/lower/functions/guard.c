// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels whose whole body applies to the elements of one mask, such as elementwise kernels.
//
//     %a = tt.load %x, %m                    br %m, body, done
//     %b = tt.load %y, %m              →     body: load x, load y, add, store, br done
//     tt.store %z, (arith.addf %a, %b), %m   done: ret
//
// One branch costs less than a buffer resource for each pointer and an offset that the mask
// chooses, and nothing after it needs the mask. This applies if all accesses have the same mask and
// use several pointers, no operation reads other lanes, and the mask is the same for all elements
// of a thread.
//
// Note that values of masked-off elements are irrelevant only if all uses end in stores with that
// mask. So a kernel with an operation that is not known to stay within its lane is left alone.
#include "functions.h"
#include "lower/emit.h"

#include "analysis/axis/axis_info.h"

static const bool is_elementwise[KILN_OP_COUNT] = {
#define KILN_ELEMENTWISE(kind, ...) [KILN_OP_##kind] = true,
#include "lower/elementwise.def"
#undef KILN_ELEMENTWISE
};

// Whether the operation only computes each lane's elements from the same lane's.
static bool stays_in_lane(MlirOperation op)
{
    switch (kiln_op_kind(op)) {
    case KILN_OP_TT_EXTERN_ELEMENTWISE:
        return kiln_ir_int_attr(op, "pure", 0) != 0;
    case KILN_OP_ARITH_CONSTANT:
    case KILN_OP_ARITH_SELECT:
    case KILN_OP_TT_ADDPTR:
    case KILN_OP_TT_BITCAST:
    case KILN_OP_TT_BROADCAST:
    case KILN_OP_TT_EXPAND_DIMS:
    case KILN_OP_TT_GET_PROGRAM_ID:
    case KILN_OP_TT_MAKE_RANGE:
    case KILN_OP_TT_SPLAT:
        return true;
    default:
        return is_elementwise[kiln_op_kind(op)];
    }
}

static bool is_load(MlirOperation op)
{
    return kiln_op_kind(op) == KILN_OP_TT_LOAD;
}

// Null if the operation has no mask or one truth value for all elements.
static MlirValue mask_of(MlirOperation op)
{
    MlirValue none = {NULL};
    if (!is_load(op) && kiln_op_kind(op) != KILN_OP_TT_STORE)
        return none;
    MlirValue mask = kiln_op_segment(op, is_load(op) ? 1 : 2);
    return mlirValueIsNull(mask) || !kiln_type_is_tensor(mlirValueGetType(mask)) ? none : mask;
}

// Moves a thread's elements at once.
static bool is_one_access(kiln_lowering_t *l, MlirOperation op)
{
    MlirValue pointers = mlirOperationGetOperand(op, 0);
    MlirType type = mlirValueGetType(pointers);
    const kiln_layout_t *layout = kiln_type_is_tensor(type) ? kiln_lower_layout(l, type) : NULL;
    if (!layout)
        return false;
    const kiln_axis_access_t access =
        kiln_axis_access(l->axis, pointers, mask_of(op),
                         is_load(op) ? KILN_AXIS_SHARED : KILN_AXIS_DISTINCT, l->num_waves);
    return (uint32_t)(access.elements * access.repeat) == kiln_layout_registers(layout) &&
           access.elements * kiln_pointee_bytes(type) <= 16;
}

void kiln_lower_find_guard(kiln_lowering_t *l, MlirBlock block)
{
    MlirOperation end = kiln_block_terminator(block), none = {NULL};
    MlirValue mask = {NULL};
    l->guard = (kiln_guard_t){.first = none, .mask = mask};
    if (!l->is_kernel)
        return;
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationEqual(op, end);
         op = mlirOperationGetNextInBlock(op))
        if (!is_load(op) && !mlirValueIsNull(mask_of(op)))
            mask = mask_of(op);
    if (mlirValueIsNull(mask))
        return;
    MlirOperation first = none;
    bool each_is_one = true, several = false;
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationEqual(op, end);
         op = mlirOperationGetNextInBlock(op)) {
        if (!mlirValueEqual(mask_of(op), mask)) {
            if (!stays_in_lane(op))
                return;
            continue;
        }
        if (kiln_ir_int_attr(op, "isVolatile", 0))
            return;
        if (mlirOperationIsNull(first))
            first = op;
        several |=
            !mlirValueEqual(mlirOperationGetOperand(op, 0), mlirOperationGetOperand(first, 0));
        each_is_one &= is_one_access(l, op);
    }
    if (several)
        l->guard = (kiln_guard_t){.first = first, .mask = mask, .each_is_one = each_is_one};
}

// The truth value for all of a thread's elements; NULL if they have several, or if it is known.
static LLVMValueRef one_predicate(kiln_lowering_t *l, MlirValue mask)
{
    kiln_tile_t *tile = kiln_lower_value(l, mask);
    LLVMValueRef predicate = tile ? kiln_tile_value(l, tile, 0) : NULL;
    if (!predicate || LLVMIsConstant(predicate))
        return NULL;
    for (uint32_t r = 1; r < tile->count && !l->guard.each_is_one; r++)
        if (kiln_tile_value(l, tile, r) != predicate)
            return NULL;
    return predicate;
}

kiln_status_t kiln_lower_guarded_block(kiln_lowering_t *l, MlirBlock block)
{
    MlirOperation end = kiln_block_terminator(block);
    LLVMBasicBlockRef done = NULL;
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        LLVMValueRef predicate =
            mlirOperationEqual(op, l->guard.first) ? one_predicate(l, l->guard.mask) : NULL;
        if (predicate) {
            LLVMBasicBlockRef body = kiln_emit_block(l, "body");
            done = kiln_emit_block(l, "done");
            LLVMBuildCondBr(l->builder, predicate, body, done);
            LLVMPositionBuilderAtEnd(l->builder, body);
            l->guard.is_open = true;
        }
        if (done && mlirOperationEqual(op, end)) {
            LLVMBuildBr(l->builder, done);
            LLVMPositionBuilderAtEnd(l->builder, done);
            l->guard.is_open = false;
        }
        KILN_TRY(kiln_lower_operation(l, op));
    }
    return kiln_lower_take_failure(l);
}
