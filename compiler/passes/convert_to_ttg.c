// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives every tensor a layout, so that later passes and the lowering know which thread holds which
// element.
//
//   %x = tt.make_range … : tensor<256xi32>      →     %x = tt.make_range … : tensor<256xi32, #blocked>
//   %y = tt.expand_dims %x {axis = 1}           →     %s = ttg.convert_layout %x : … -> tensor<256xi32, #ttg.slice<{dim = 1, parent = #blocked1}>>
//                                                     %y = tt.expand_dims %s : … -> tensor<256x1xi32, #blocked1>
//
// One invariant makes a single walk sufficient: every value that an operation uses has the default
// blocked layout of its shape. An operation whose operands or results need another layout gets
// conversions around it; remove_layout_conversions cancels the unnecessary ones.
//
// Types change in place, so a definition must be visited before its uses: blocks are walked in
// order, and an operation before its regions.
#include <string.h>

#include "builder/ir.h"
#include "layout/blocked.h"
#include "layout/layout.h"
#include "passes/pass.h"

typedef struct conversion {
    MlirContext mlir;
    int num_warps;
    kiln_status_t status; // the first failure
} conversion_t;

static int shape_of(MlirType type, int64_t shape[KILN_MAX_RANK])
{
    int rank = kiln_type_rank(type);
    for (int i = 0; i < rank; ++i)
        shape[i] = kiln_type_dim(type, i);
    return rank;
}

static MlirAttribute default_encoding(const conversion_t *c, MlirType type)
{
    int64_t shape[KILN_MAX_RANK];
    int rank = shape_of(type, shape);
    kiln_blocked_t blocked = kiln_blocked_default(rank, shape, c->num_warps);
    return kiln_blocked_attr(c->mlir, &blocked);
}

// Returns a tensor type with its default layout; other types, and tensors that already have a
// layout, are unchanged.
static MlirType laid_out(const conversion_t *c, MlirType type)
{
    if (!kiln_type_is_tensor(type) || !mlirAttributeIsNull(kiln_type_encoding(type)))
        return type;
    return kiln_type_with_encoding(type, default_encoding(c, type));
}

static MlirValue converted(MlirOperation before, MlirValue value, MlirAttribute encoding)
{
    MlirType type = mlirValueGetType(value);
    if (mlirAttributeEqual(kiln_type_encoding(type), encoding))
        return value;
    kiln_ir_t ir = kiln_ir_before(before);
    return kiln_ir_unary(&ir, KILN_OP_TTG_CONVERT_LAYOUT, kiln_type_with_encoding(type, encoding),
                         value);
}

static void convert_operand(MlirOperation op, int index, MlirAttribute encoding)
{
    mlirOperationSetOperand(op, index, converted(op, kiln_op_operand(op, index), encoding));
}

// Gives a result `encoding`, and its users the default layout.
static void convert_result(const conversion_t *c, MlirOperation op, int index,
                           MlirAttribute encoding)
{
    MlirValue result = kiln_op_result(op, index);
    MlirType bare = mlirValueGetType(result);
    MlirType wanted = laid_out(c, bare);
    MlirType made = kiln_type_with_encoding(bare, encoding);
    mlirValueSetType(result, made);
    if (mlirTypeEqual(made, wanted))
        return;
    kiln_ir_t ir = kiln_ir_after(op);
    MlirValue back = kiln_ir_unary(&ir, KILN_OP_TTG_CONVERT_LAYOUT, wanted, result);
    MlirOperation conversion = mlirOpResultGetOwner(back);
    mlirValueReplaceAllUsesExcept(result, back, 1, &conversion);
}

// Layouts that move no data: the operand keeps its layout and the result's follows from it --------

static kiln_status_t layout_of(const conversion_t *c, MlirValue value, kiln_layout_t *out)
{
    return kiln_layout_of_type(mlirValueGetType(value), c->num_warps, out);
}

static kiln_status_t convert_reshape(const conversion_t *c, MlirOperation op)
{
    kiln_layout_t layout;
    KILN_TRY(layout_of(c, kiln_op_operand(op, 0), &layout));
    int64_t shape[KILN_MAX_RANK];
    int rank = shape_of(mlirValueGetType(kiln_op_result(op, 0)), shape);
    layout = kiln_layout_reshape(&layout, rank, shape);
    convert_result(c, op, 0, kiln_layout_to_linear_attr(c->mlir, &layout));
    return KILN_OK;
}

static void convert_trans(const conversion_t *c, MlirOperation op)
{
    kiln_blocked_t blocked =
        kiln_blocked_get(kiln_type_encoding(mlirValueGetType(kiln_op_operand(op, 0))));
    MlirAttribute order = kiln_ir_attr(op, "order");
    int32_t dims[KILN_MAX_RANK];
    for (int i = 0; i < blocked.rank; ++i)
        dims[i] = mlirDenseI32ArrayGetElement(order, i);
    blocked = kiln_blocked_transpose(&blocked, dims);
    convert_result(c, op, 0, kiln_blocked_attr(c->mlir, &blocked));
}

// Returns the layout of join's result for operands laid out as `parts`: register bit 0 selects
// along the new last dimension.
static kiln_layout_t joined(const kiln_layout_t *parts)
{
    kiln_layout_t layout = *parts;
    layout.log2_shape[layout.rank++] = 1;
    for (int place = 0; place < KILN_PLACES; ++place) {
        int shift = place == KILN_REGISTER;
        for (int bit = parts->bits[place]; bit-- > 0;)
            layout.basis[place][bit + shift] = parts->basis[place][bit] << 1;
    }
    layout.basis[KILN_REGISTER][0] = 1;
    layout.bits[KILN_REGISTER]++;
    return layout;
}

static kiln_status_t convert_join(const conversion_t *c, MlirOperation op)
{
    kiln_layout_t layout;
    KILN_TRY(layout_of(c, kiln_op_operand(op, 0), &layout));
    layout = joined(&layout);
    convert_result(c, op, 0, kiln_layout_to_linear_attr(c->mlir, &layout));
    return KILN_OK;
}

static kiln_status_t convert_split(const conversion_t *c, MlirOperation op)
{
    for (int i = 0; i < 2; ++i) {
        MlirValue result = kiln_op_result(op, i);
        mlirValueSetType(result, laid_out(c, mlirValueGetType(result)));
    }
    kiln_layout_t layout;
    KILN_TRY(layout_of(c, kiln_op_result(op, 0), &layout));
    layout = joined(&layout);
    convert_operand(op, 0, kiln_layout_to_linear_attr(c->mlir, &layout));
    return KILN_OK;
}

// cat may order elements arbitrarily: the second operand follows the first in each thread's
// registers.
static kiln_status_t convert_cat(const conversion_t *c, MlirOperation op)
{
    kiln_layout_t layout;
    KILN_TRY(layout_of(c, kiln_op_operand(op, 0), &layout));
    int total = 0;
    for (int i = 0; i < layout.rank; ++i)
        total += layout.log2_shape[i];
    layout.log2_shape[0]++;
    layout.basis[KILN_REGISTER][layout.bits[KILN_REGISTER]++] = 1u << total;
    convert_result(c, op, 0, kiln_layout_to_linear_attr(c->mlir, &layout));
    return KILN_OK;
}

// Operations that require a layout ----------------------------------------------------------------

static void convert_expand_dims(const conversion_t *c, MlirOperation op)
{
    MlirValue result = kiln_op_result(op, 0);
    mlirValueSetType(result, laid_out(c, mlirValueGetType(result)));
    int axis = (int)kiln_ir_int_attr(op, "axis", 0);
    convert_operand(op, 0, kiln_slice_attr(axis, kiln_type_encoding(mlirValueGetType(result))));
}

static void convert_reduce(const conversion_t *c, MlirOperation op)
{
    MlirValue source = kiln_op_operand(op, 0);
    if (kiln_type_rank(mlirValueGetType(source)) < 2)
        return; // a scalar result, which has no layout
    int axis = (int)kiln_ir_int_attr(op, "axis", 0);
    MlirAttribute slice = kiln_slice_attr(axis, kiln_type_encoding(mlirValueGetType(source)));
    for (int i = 0; i < (int)mlirOperationGetNumResults(op); ++i)
        convert_result(c, op, i, slice);
}

// A dot without matrix instructions: each thread computes a square of the result, as large as the
// number of elements allows.
static void convert_dot(const conversion_t *c, MlirOperation op)
{
    MlirType type = mlirValueGetType(kiln_op_result(op, 0));
    int64_t shape[KILN_MAX_RANK];
    int rank = shape_of(type, shape);
    int64_t per_thread = kiln_type_count(type) / (KILN_GFX942_LANES * c->num_warps);
    int32_t side = per_thread >= 16 ? 4 : per_thread >= 4 ? 2 : 1;
    int32_t size[KILN_MAX_RANK], order[KILN_MAX_RANK];
    for (int i = 0; i < rank; ++i) {
        size[i] = i < rank - 2 ? 1 : side < shape[i] ? side : (int32_t)shape[i];
        order[i] = rank - 1 - i;
    }
    kiln_blocked_t blocked = kiln_blocked_choose(rank, shape, size, order, c->num_warps);
    MlirAttribute encoding = kiln_blocked_attr(c->mlir, &blocked);
    convert_operand(op, 0, kiln_dot_operand_attr(0, encoding, 0));
    convert_operand(op, 1, kiln_dot_operand_attr(1, encoding, 0));
    convert_operand(op, 2, encoding);
    convert_result(c, op, 0, encoding);
}

static void convert_constant(const conversion_t *c, MlirOperation op)
{
    MlirValue result = kiln_op_result(op, 0);
    MlirType type = mlirValueGetType(result), wanted = laid_out(c, type);
    if (mlirTypeEqual(type, wanted))
        return;
    mlirOperationSetAttributeByName(
        op, mlirStringRefCreateFromCString("value"),
        mlirDenseElementsAttrReshapeGet(kiln_ir_attr(op, "value"), wanted));
    mlirValueSetType(result, wanted);
}

static void convert_function(const conversion_t *c, MlirOperation op)
{
    MlirType type = mlirTypeAttrGetValue(kiln_ir_attr(op, "function_type"));
    enum { MAX = 1024 };
    MlirType inputs[MAX], results[MAX];
    intptr_t input_count = mlirFunctionTypeGetNumInputs(type),
             result_count = mlirFunctionTypeGetNumResults(type);
    if (input_count > MAX || result_count > MAX)
        return; // the verifier reports the mismatch
    for (intptr_t i = 0; i < input_count; ++i)
        inputs[i] = laid_out(c, mlirFunctionTypeGetInput(type, i));
    for (intptr_t i = 0; i < result_count; ++i)
        results[i] = laid_out(c, mlirFunctionTypeGetResult(type, i));
    MlirType with_layouts =
        mlirFunctionTypeGet(c->mlir, input_count, inputs, result_count, results);
    mlirOperationSetAttributeByName(op, mlirStringRefCreateFromCString("function_type"),
                                    mlirTypeAttrGet(with_layouts));
}

// The walk ----------------------------------------------------------------------------------------

static void convert_block_arguments(const conversion_t *c, MlirOperation op)
{
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r)
        for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
             !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
            for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i) {
                MlirValue argument = mlirBlockGetArgument(block, i);
                mlirValueSetType(argument, laid_out(c, mlirValueGetType(argument)));
            }
}

static void convert_results(const conversion_t *c, MlirOperation op)
{
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
        MlirValue result = mlirOperationGetResult(op, i);
        mlirValueSetType(result, laid_out(c, mlirValueGetType(result)));
    }
}

static MlirWalkResult visit(MlirOperation op, void *user)
{
    conversion_t *c = user;
    kiln_op_t kind = kiln_op_kind(op);
    convert_block_arguments(c, op);
    switch (kind) {
    case KILN_OP_TT_FUNC:
        convert_function(c, op);
        break;
    case KILN_OP_ARITH_CONSTANT:
        convert_constant(c, op);
        break;
    case KILN_OP_TT_EXPAND_DIMS:
        convert_expand_dims(c, op);
        break;
    case KILN_OP_TT_BROADCAST:
        convert_result(c, op, 0, kiln_type_encoding(mlirValueGetType(kiln_op_operand(op, 0))));
        break;
    case KILN_OP_TT_REDUCE:
        convert_reduce(c, op);
        break;
    case KILN_OP_TT_TRANS:
        convert_trans(c, op);
        break;
    case KILN_OP_TT_DOT:
        convert_dot(c, op);
        break;
    case KILN_OP_TT_RESHAPE:
        c->status = convert_reshape(c, op);
        break;
    case KILN_OP_TT_JOIN:
        c->status = convert_join(c, op);
        break;
    case KILN_OP_TT_SPLIT:
        c->status = convert_split(c, op);
        break;
    case KILN_OP_TT_CAT:
        c->status = convert_cat(c, op);
        break;
    default:
        convert_results(c, op);
        break;
    }
    if (!c->status)
        return MlirWalkResultAdvance;
    c->status = kiln_status_at_op(c->status, op);
    return MlirWalkResultInterrupt;
}

static void set_module_attribute(MlirOperation module, const char *name, MlirAttribute value)
{
    mlirOperationSetDiscardableAttributeByName(module, mlirStringRefCreateFromCString(name), value);
}

kiln_status_t kiln_convert_to_ttg(const kiln_pass_context_t *context, MlirModule module)
{
    conversion_t c = {.mlir = context->mlir, .num_warps = context->options->num_warps};
    MlirOperation op = mlirModuleGetOperation(module);
    char target[64] = "hip:";
    strncat(target, context->options->arch, sizeof target - sizeof "hip:");
    set_module_attribute(op, "ttg.num-ctas", kiln_ir_i32_attr(c.mlir, 1));
    set_module_attribute(op, "ttg.num-warps", kiln_ir_i32_attr(c.mlir, c.num_warps));
    set_module_attribute(op, "ttg.target",
                         mlirStringAttrGet(c.mlir, mlirStringRefCreateFromCString(target)));
    set_module_attribute(op, "ttg.threads-per-warp", kiln_ir_i32_attr(c.mlir, KILN_GFX942_LANES));
    kiln_walk(op, MlirWalkPreOrder, visit, &c);
    return c.status;
}
