// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pointers: a tensor of pointers is one uniform base and a byte offset per register, as long as that can be known.
//
// Where the base is a kernel argument with tt.pointer_range = 32, the buffer behind it is below 2 GiB, so that the
// offset of every byte that is accessed lies in [0, 2^31): arithmetic modulo 2^32 is exact, whatever the intermediate
// values were. Everywhere else offsets have 64 bits and 32-bit steps are sign-extended.
//
// The thing one gets wrong: offsets count bytes. tt.addptr counts elements of the pointee, and tt.bitcast changes the
// pointee.
#include "lowering.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

int64_t kiln_pointee_bytes(MlirType pointer)
{
    MlirType pointee = kiln_ptr_pointee(kiln_type_element(pointer));
    if (kiln_type_is_tensor(pointee))
        return 0;
    int bits = kiln_type_bits(pointee);
    return bits < 8 ? 1 : bits / 8;
}

void kiln_lower_root_pointer(kiln_lowering_t *l, kiln_tile_t *tile, LLVMValueRef base, bool range32)
{
    tile->values[0] = base;
    tile->base = base;
    tile->range32 = range32;
    tile->sum_bits = range32 ? 32 : 64;
    tile->sums = KILN_LOWER_ARRAY(l, kiln_sum_t, 1);
}

static LLVMValueRef resize(kiln_lowering_t *l, LLVMValueRef value, LLVMTypeRef type)
{
    return value ? LLVMBuildIntCast2(l->builder, value, type, 1, "") : NULL;
}

// An offset of the operand's width as a sum of the pointer's width. Truncation works part by part; an extension needs
// the whole value first.
static kiln_sum_t resized_offset(kiln_lowering_t *l, kiln_tile_t *offsets, uint32_t reg, unsigned sum_bits)
{
    kiln_sum_t sum = kiln_tile_sum(l, offsets, reg);
    unsigned bits = LLVMGetIntTypeWidth(offsets->element);
    LLVMTypeRef type = sum_bits == 32 ? l->i32 : l->i64;
    if (bits == sum_bits)
        return sum;
    if (bits > sum_bits)
        return (kiln_sum_t){resize(l, sum.lane, type), resize(l, sum.uniform, type), (int64_t)(int32_t)sum.imm};
    if (!sum.lane && !sum.uniform)
        return sum;
    bool uniform = !sum.lane;
    return kiln_sum_of(resize(l, kiln_tile_value(l, offsets, reg), type), uniform);
}

static bool same_sum(kiln_sum_t a, kiln_sum_t b)
{
    return a.lane == b.lane && a.uniform == b.uniform;
}

kiln_tile_t *kiln_lower_add_bytes(kiln_lowering_t *l, kiln_tile_t *pointers, kiln_tile_t *offsets, int64_t scale)
{
    kiln_tile_t *result = kiln_tile_like(l, pointers, pointers->type);
    if (!result)
        return NULL;
    kiln_sum_t *before = KILN_LOWER_ARRAY(l, kiln_sum_t, result->count);
    LLVMTypeRef type = pointers->sum_bits == 32 ? l->i32 : l->i64;
    for (uint32_t r = 0; r < result->count; r++) {
        uint32_t offset_reg = offsets->layout ? r : 0;
        if (!pointers->base) {
            LLVMValueRef offset = resize(l, kiln_tile_value(l, offsets, offset_reg), l->i64);
            offset = LLVMBuildMul(l->builder, offset, kiln_emit_i64(l, scale), "");
            result->values[r] = LLVMBuildGEP2(l->builder, l->i8, kiln_tile_value(l, pointers, r), &offset, 1, "");
            continue;
        }
        // Registers with the same variable parts, before and after, share all of the work.
        kiln_sum_t raw = kiln_tile_sum(l, offsets, offset_reg);
        before[r] = raw;
        uint32_t twin = r;
        bool same_width = LLVMGetIntTypeWidth(offsets->element) >= pointers->sum_bits;
        for (uint32_t i = 0; i < r && twin == r; i++)
            if (same_sum(before[i], raw) && same_sum(pointers->sums[i], pointers->sums[r]) &&
                (same_width || before[i].imm == raw.imm))
                twin = i;
        if (twin < r) {
            result->sums[r] = result->sums[twin];
            int64_t difference = (same_width ? (raw.imm - before[twin].imm) * scale : 0) + pointers->sums[r].imm -
                                 pointers->sums[twin].imm;
            result->sums[r] =
                kiln_sum_add(l, result->sums[r], (kiln_sum_t){NULL, NULL, difference}, pointers->sum_bits);
            continue;
        }
        kiln_sum_t offset = kiln_sum_scale(l, resized_offset(l, offsets, offset_reg, pointers->sum_bits), scale, type);
        result->sums[r] = kiln_sum_add(l, pointers->sums[r], offset, pointers->sum_bits);
    }
    return result;
}

kiln_status_t kiln_lower_addptr(kiln_lowering_t *l, MlirOperation op)
{
    kiln_tile_t *pointers = kiln_lower_operand(l, op, 0), *offsets = kiln_lower_operand(l, op, 1);
    if (!pointers || !offsets)
        return KILN_OK;
    int64_t bytes = kiln_pointee_bytes(pointers->type);
    if (!bytes)
        return kiln_lower_unsupported(op, "a block pointer");
    kiln_tile_t *result = kiln_lower_add_bytes(l, pointers, offsets, bytes);
    kiln_lower_bind_result(l, op, 0, result);
    return KILN_OK;
}

kiln_status_t kiln_lower_int_to_ptr(kiln_lowering_t *l, MlirOperation op)
{
    kiln_tile_t *source = kiln_lower_operand(l, op, 0),
                *result = kiln_tile_create(l, mlirValueGetType(mlirOperationGetResult(op, 0)));
    if (!source || !result)
        return KILN_OK;
    for (uint32_t r = 0; r < result->count; r++)
        result->values[r] = LLVMBuildIntToPtr(l->builder, kiln_tile_value(l, source, r), result->element, "");
    if (!result->layout)
        kiln_lower_root_pointer(l, result, result->values[0], false);
    kiln_lower_bind_result(l, op, 0, result);
    return KILN_OK;
}

kiln_status_t kiln_lower_ptr_to_int(kiln_lowering_t *l, MlirOperation op)
{
    kiln_tile_t *source = kiln_lower_operand(l, op, 0),
                *result = kiln_tile_create_result(l, mlirValueGetType(mlirOperationGetResult(op, 0)));
    if (!source || !result)
        return KILN_OK;
    for (uint32_t r = 0; r < result->count; r++)
        kiln_tile_set(result, r, LLVMBuildPtrToInt(l->builder, kiln_tile_value(l, source, r), result->element, ""),
                      kiln_tile_is_uniform(source, r));
    kiln_lower_bind_result(l, op, 0, result);
    return KILN_OK;
}

// Pointers keep their offsets, which count bytes; other values keep their bits.
kiln_status_t kiln_lower_tt_bitcast(kiln_lowering_t *l, MlirOperation op)
{
    kiln_tile_t *source = kiln_lower_operand(l, op, 0);
    MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
    if (!source)
        return KILN_OK;
    bool from_ptr = kiln_type_is_ptr(kiln_type_element(source->type)),
         to_ptr = kiln_type_is_ptr(kiln_type_element(type));
    kiln_tile_t *result;
    if (from_ptr && to_ptr) {
        result = kiln_tile_like(l, source, type);
        for (uint32_t r = 0; result && r < result->count; r++)
            kiln_tile_copy_register(result, r, source, r);
    } else {
        result = kiln_tile_create_result(l, type);
        for (uint32_t r = 0; result && r < result->count; r++) {
            LLVMValueRef bits = kiln_emit_bits(l, kiln_tile_value(l, source, r));
            kiln_tile_set(result, r, kiln_emit_from_bits(l, bits, result->element), kiln_tile_is_uniform(source, r));
        }
        if (result && to_ptr && !result->layout)
            kiln_lower_root_pointer(l, result, result->values[0], false);
    }
    kiln_lower_bind_result(l, op, 0, result);
    return KILN_OK;
}

static LLVMValueRef emit_select(kiln_lowering_t *l, MlirOperation op, LLVMTypeRef type, LLVMValueRef *args)
{
    (void)op, (void)type;
    return LLVMBuildSelect(l->builder, args[0], args[1], args[2], "");
}

// Pointers from one base are selected by their offsets.
static kiln_tile_t *select_offsets(kiln_lowering_t *l, kiln_tile_t *condition, kiln_tile_t *a, kiln_tile_t *b)
{
    kiln_tile_t *result = kiln_tile_like(l, a, a->type);
    LLVMTypeRef type = a->sum_bits == 32 ? l->i32 : l->i64;
    for (uint32_t r = 0; result && r < result->count; r++) {
        uint32_t reg = condition->layout ? r : 0;
        LLVMValueRef offset =
            LLVMBuildSelect(l->builder, kiln_tile_value(l, condition, reg), kiln_sum_value(l, a->sums[r], type),
                            kiln_sum_value(l, b->sums[r], type), "");
        result->sums[r] =
            kiln_sum_of(offset, kiln_tile_is_uniform(condition, reg) && !a->sums[r].lane && !b->sums[r].lane);
    }
    return result;
}

kiln_status_t kiln_lower_select(kiln_lowering_t *l, MlirOperation op)
{
    kiln_tile_t *operands[3];
    for (int i = 0; i < 3; i++)
        if (!(operands[i] = kiln_lower_operand(l, op, i)))
            return KILN_OK;
    MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
    kiln_tile_t *result;
    if (kiln_type_is_memdesc(type)) {
        result = kiln_tile_create(l, type);
        result->sums = KILN_LOWER_ARRAY(l, kiln_sum_t, 1);
        result->sums[0].uniform = LLVMBuildSelect(l->builder, kiln_tile_value(l, operands[0], 0),
                                                  kiln_sum_value(l, operands[1]->sums[0], l->i32),
                                                  kiln_sum_value(l, operands[2]->sums[0], l->i32), "");
    } else if (operands[1]->base && operands[1]->base == operands[2]->base) {
        result = select_offsets(l, operands[0], operands[1], operands[2]);
    } else {
        result = kiln_tile_create_result(l, type);
        if (!result)
            return KILN_OK;
        kiln_lower_map_registers(l, op, operands, 3, result, emit_select);
        if (!result->layout && kiln_type_is_ptr(type))
            kiln_lower_root_pointer(l, result, result->values[0], false);
    }
    kiln_lower_bind_result(l, op, 0, result);
    return KILN_OK;
}
