// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants, undefined values and assumptions.
//
// Note that a dense constant that is not a splat differs between threads, so each thread looks its
// elements up in a table in memory.
#include <string.h>

#include "base/string.h"
#include "builder/ir_text.h"
#include "elements.h"
#include "lower/emit.h"
#include "lower/lds/lds.h"
#include "lower/tile.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

// MLIR's C API returns integers of at most 64 bits; wider ones are read as it prints them:
// "18446744073709551616 : i128". NULL if out of memory.
static LLVMValueRef wide_constant(MlirAttribute attribute, LLVMTypeRef element)
{
    kiln_string_t text = {0};
    mlirAttributePrint(attribute, kiln_ir_append, &text);
    LLVMValueRef value = text.failed
                             ? NULL
                             : LLVMConstIntOfStringAndSize(element, text.data,
                                                           (unsigned)strcspn(text.data, " "), 10);
    kiln_string_free(&text);
    return value;
}

// NULL if the attribute has another kind.
static LLVMValueRef constant_of(kiln_lowering_t *l, MlirAttribute attribute, MlirType type,
                                LLVMTypeRef element)
{
    if (mlirAttributeIsABool(attribute))
        return LLVMConstInt(element, mlirBoolAttrGetValue(attribute), 0);
    if (mlirAttributeIsAInteger(attribute) && LLVMGetIntTypeWidth(element) > 64)
        return wide_constant(attribute, element);
    if (mlirAttributeIsAInteger(attribute))
        return LLVMConstInt(element, (uint64_t)mlirIntegerAttrGetValueInt(attribute), 1);
    if (!mlirAttributeIsAFloat(attribute))
        return NULL;
    double value = mlirFloatAttrGetValueDouble(attribute);
    if (LLVMGetTypeKind(element) == LLVMIntegerTypeKind) // an 8-bit float
        return LLVMConstInt(element, kiln_float8_bits(type, value), 0);
    (void)l;
    return LLVMConstReal(element, value);
}

static LLVMValueRef element_constant(kiln_lowering_t *l, MlirAttribute dense, MlirType element_type,
                                     LLVMTypeRef element, intptr_t index)
{
    if (mlirTypeIsAF32(element_type))
        return LLVMConstReal(element, (double)mlirDenseElementsAttrGetFloatValue(dense, index));
    if (mlirTypeIsAF64(element_type))
        return LLVMConstReal(element, mlirDenseElementsAttrGetDoubleValue(dense, index));
    if (mlirTypeIsAFloat(element_type)) { // 16 or 8 bits, which MLIR's C API returns only as bytes
        const void *bytes = mlirDenseElementsAttrGetRawData(dense);
        if (mlirFloatTypeGetWidth(element_type) == 8)
            return LLVMConstInt(element, ((const uint8_t *)bytes)[index], 0);
        return LLVMConstBitCast(LLVMConstInt(l->i16, ((const uint16_t *)bytes)[index], 0), element);
    }
    if (mlirTypeIsAInteger(element_type)) {
        int64_t value;
        switch (mlirIntegerTypeGetWidth(element_type)) {
        case 1:
            value = mlirDenseElementsAttrGetBoolValue(dense, index);
            break;
        case 8:
            value = mlirDenseElementsAttrGetInt8Value(dense, index);
            break;
        case 16:
            value = mlirDenseElementsAttrGetInt16Value(dense, index);
            break;
        case 32:
            value = mlirDenseElementsAttrGetInt32Value(dense, index);
            break;
        case 64:
            value = mlirDenseElementsAttrGetInt64Value(dense, index);
            break;
        default:
            return NULL;
        }
        return LLVMConstInt(element, (uint64_t)value, 1);
    }
    return NULL;
}

static kiln_status_t table_constant(kiln_lowering_t *l, MlirOperation op, MlirAttribute dense,
                                    kiln_tile_t *result)
{
    int64_t count = kiln_type_count(result->type);
    LLVMTypeRef memory = kiln_stored_type(l, result->element),
                type = LLVMArrayType2(memory, (uint64_t)count);
    LLVMValueRef *elements = KILN_LOWER_ARRAY(l, LLVMValueRef, count);
    for (int64_t i = 0; i < count; i++)
        if (!(elements[i] = element_constant(l, dense, kiln_type_element(result->type), memory, i)))
            return kiln_op_unsupported(op,
                                       "a constant with different elements, of this element type,");
    LLVMValueRef table =
        LLVMAddGlobalInAddressSpace(l->module, type, "table", KILN_LLVM_AS_CONSTANT);
    LLVMSetInitializer(table, LLVMConstArray2(memory, elements, (uint64_t)count));
    LLVMSetLinkage(table, LLVMInternalLinkage);
    LLVMSetGlobalConstant(table, 1);
    kiln_sum_t *sums = KILN_LOWER_ARRAY(l, kiln_sum_t, result->count);
    kiln_emit_layout_sums(l, result->layout, 1, sums);
    for (uint32_t r = 0; r < result->count; r++) {
        LLVMValueRef index = kiln_sum_value(l, sums[r], l->i32);
        LLVMValueRef value = LLVMBuildLoad2(
            l->builder, memory, LLVMBuildGEP2(l->builder, memory, table, &index, 1, ""), "");
        kiln_tile_set(result, r, kiln_from_stored(l, value, result->element), false);
    }
    return KILN_OK;
}

kiln_status_t kiln_lower_constant(kiln_lowering_t *l, MlirOperation op)
{
    kiln_tile_t *result =
        kiln_tile_create_result(l, mlirValueGetType(mlirOperationGetResult(op, 0)));
    MlirAttribute attribute = kiln_ir_attr(op, "value");
    if (!result)
        return KILN_OK;
    if (mlirAttributeIsADenseElements(attribute)) {
        if (!mlirDenseElementsAttrIsSplat(attribute)) {
            KILN_TRY(table_constant(l, op, attribute, result));
            kiln_lower_bind_result(l, op, 0, result);
            return KILN_OK;
        }
        attribute = mlirDenseElementsAttrGetSplatValue(attribute);
    }
    LLVMValueRef value =
        constant_of(l, attribute, kiln_type_element(result->type), result->element);
    if (!value)
        return kiln_op_unsupported(op, "a constant of this kind");
    for (uint32_t r = 0; r < result->count; r++)
        kiln_tile_set(result, r, value, true);
    kiln_lower_bind_result(l, op, 0, result);
    return KILN_OK;
}

kiln_status_t kiln_lower_poison(kiln_lowering_t *l, MlirOperation op)
{
    kiln_tile_t *result = kiln_tile_create(l, mlirValueGetType(mlirOperationGetResult(op, 0)));
    if (!result)
        return KILN_OK;
    for (uint32_t r = 0; r < result->count; r++)
        result->values[r] = LLVMGetPoison(result->element);
    if (kiln_type_is_memdesc(result->type))
        result->sums = KILN_LOWER_ARRAY(l, kiln_sum_t, result->count);
    else if (!result->layout && kiln_type_is_ptr(result->type))
        kiln_lower_root_pointer(l, result, result->values[0], false);
    kiln_lower_bind_result(l, op, 0, result);
    return KILN_OK;
}

kiln_status_t kiln_lower_assume(kiln_lowering_t *l, MlirOperation op)
{
    LLVMValueRef condition = kiln_lower_scalar(l, op, 0);
    if (condition && !LLVMIsConstant(condition))
        kiln_emit_intrinsic(l, "llvm.assume", NULL, 0, &condition, 1);
    return KILN_OK;
}
