// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pointers: a tensor of pointers is one uniform base and a byte offset per register, as long as the
// base is known.
//
// If the base is a kernel argument with tt.pointer_range = 32, all accesses are less than 2 GiB
// before or after it: arithmetic modulo 2^32 is exact, whatever the intermediate values were, and
// the result is signed (pointer_range.c). Otherwise offsets have 64 bits and 32-bit steps are
// sign-extended.
//
// Note that offsets count bytes. tt.addptr counts elements of the pointee, and tt.bitcast changes
// the pointee.
#include "analysis/axis/axis_info.h"
#include "analysis/range/integer_range.h"
#include "lower/elements/elements.h"
#include "lower/emit.h"
#include "lower/tile.h"

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
    tile->range32 = tile->is_after = range32;
    tile->sum_bits = range32 ? 32 : 64;
    tile->sums = KILN_LOWER_ARRAY(l, kiln_sum_t, 1);
}

static LLVMValueRef resize(kiln_lowering_t *l, LLVMValueRef value, LLVMTypeRef type)
{
    return value ? LLVMBuildIntCast2(l->builder, value, type, 1, "") : NULL;
}

// Converts an offset of the operand's width to a sum of the pointer's width. Truncation works part
// by part; extension needs the whole value first, unless no carry between the parts is possible.
static kiln_sum_t resized_offset(kiln_lowering_t *l, kiln_tile_t *offsets, uint32_t reg,
                                 unsigned sum_bits, bool by_parts)
{
    kiln_sum_t sum = kiln_tile_sum(l, offsets, reg);
    unsigned bits = LLVMGetIntTypeWidth(offsets->element);
    LLVMTypeRef type = sum_bits == 32 ? l->i32 : l->i64;
    if (bits == sum_bits)
        return sum;
    if (bits > sum_bits)
        return (kiln_sum_t){resize(l, sum.lane, type), resize(l, sum.uniform, type),
                            (int64_t)(int32_t)sum.imm};
    if (by_parts || (!sum.lane && !sum.uniform))
        return (kiln_sum_t){resize(l, sum.lane, type), resize(l, sum.uniform, type), sum.imm};
    bool uniform = !sum.lane;
    return kiln_sum_of(resize(l, kiln_tile_value(l, offsets, reg), type), uniform);
}

// Registers whose offsets and pointers have the same variable parts share all code. Finds the first
// of them.
typedef struct duplicates {
    const kiln_sum_t *offsets, *pointers; // of each register
    const bool *any_imm; // of each register: offsets that differ in imm alone are alike
    uint32_t *registers; // hashed; number + 1, or 0
    uint32_t capacity;   // a power of two
} duplicates_t;

static bool same_parts(kiln_sum_t a, kiln_sum_t b)
{
    return a.lane == b.lane && a.uniform == b.uniform;
}

static uint32_t first_duplicate(duplicates_t *duplicates, uint32_t reg)
{
    kiln_sum_t offset = duplicates->offsets[reg], pointer = duplicates->pointers[reg];
    int64_t imm = duplicates->any_imm[reg] ? 0 : offset.imm;
    uint64_t hash = (uint64_t)imm;
    const void *parts[] = {offset.lane, offset.uniform, pointer.lane, pointer.uniform};
    for (int i = 0; i < 4; i++)
        hash = (hash ^ (uintptr_t)parts[i]) * UINT64_C(0x9E3779B97F4A7C15);
    for (uint32_t slot = (uint32_t)(hash >> 32);; slot++) {
        uint32_t *held = &duplicates->registers[slot & (duplicates->capacity - 1)],
                 duplicate = *held - 1;
        if (!*held) {
            *held = reg + 1;
            return reg;
        }
        if (same_parts(duplicates->offsets[duplicate], offset) &&
            same_parts(duplicates->pointers[duplicate], pointer) &&
            (duplicates->any_imm[reg] || duplicates->offsets[duplicate].imm == offset.imm))
            return duplicate;
    }
}

// For each register's offset, whether to extend it part by part. That pays off if several accesses
// share the parts; if each pointer is used for one access, extending the whole offset saves an
// operation per access.
static bool *find_extensions(kiln_lowering_t *l, const kiln_sum_t *offsets, uint32_t count,
                             bool narrow)
{
    bool *by_parts = KILN_LOWER_ARRAY(l, bool, count);
    int64_t min = 0, max = 0;
    for (uint32_t r = 0; r < count; r++) {
        min = offsets[r].imm < min ? offsets[r].imm : min;
        max = offsets[r].imm > max ? offsets[r].imm : max;
    }
    for (uint32_t r = 0; r < count; r++)
        if (r && same_parts(offsets[r], offsets[r - 1]))
            by_parts[r] = by_parts[r - 1];
        else
            by_parts[r] =
                !narrow ||
                (!(l->guard.each_is_one && offsets[r].lane && offsets[r].uniform) &&
                 kiln_sum_extends_by_parts(l, offsets[r].lane, offsets[r].uniform, min, max));
    return by_parts;
}

kiln_tile_t *kiln_lower_add_bytes(kiln_lowering_t *l, kiln_tile_t *pointers, kiln_tile_t *offsets,
                                  int64_t scale)
{
    kiln_tile_t *result = kiln_tile_like(l, pointers, pointers->type);
    if (!result)
        return NULL;
    result->is_after = false; // callers with a proof set it
    if (!pointers->base) {
        for (uint32_t r = 0; r < result->count; r++) {
            LLVMValueRef offset =
                resize(l, kiln_tile_value(l, offsets, offsets->layout ? r : 0), l->i64);
            offset = LLVMBuildMul(l->builder, offset, kiln_emit_i64(l, scale), "");
            result->values[r] =
                LLVMBuildGEP2(l->builder, l->i8, kiln_tile_value(l, pointers, r), &offset, 1, "");
        }
        return result;
    }
    LLVMTypeRef type = pointers->sum_bits == 32 ? l->i32 : l->i64;
    kiln_sum_t *raw = KILN_LOWER_ARRAY(l, kiln_sum_t, result->count);
    for (uint32_t r = 0; r < result->count; r++)
        raw[r] = kiln_tile_sum(l, offsets, offsets->layout ? r : 0);
    bool narrow = LLVMGetIntTypeWidth(offsets->element) < pointers->sum_bits;
    bool *by_parts = find_extensions(l, raw, result->count, narrow);
    duplicates_t duplicates = {.offsets = raw,
                               .pointers = pointers->sums,
                               .any_imm = by_parts,
                               .registers = KILN_LOWER_ARRAY(l, uint32_t, 2 * result->count),
                               .capacity = 2 * result->count};
    for (uint32_t r = 0; r < result->count; r++) {
        uint32_t duplicate = first_duplicate(&duplicates, r);
        if (duplicate < r) {
            int64_t difference = (raw[r].imm - raw[duplicate].imm) * scale + pointers->sums[r].imm -
                                 pointers->sums[duplicate].imm;
            result->sums[r] =
                kiln_sum_add(l, result->sums[duplicate], (kiln_sum_t){NULL, NULL, difference},
                             pointers->sum_bits);
            continue;
        }
        kiln_sum_t offset =
            resized_offset(l, offsets, offsets->layout ? r : 0, pointers->sum_bits, by_parts[r]);
        result->sums[r] = kiln_sum_add(l, pointers->sums[r], kiln_sum_scale(l, offset, scale, type),
                                       pointers->sum_bits);
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
        return kiln_op_unsupported(op, "a block pointer");
    kiln_tile_t *result = kiln_lower_add_bytes(l, pointers, offsets, bytes);
    if (result && result->range32)
        result->is_after =
            pointers->is_after &&
            kiln_is_known_non_negative(kiln_axis_ranges(l->axis), mlirOperationGetOperand(op, 1));
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
        result->values[r] =
            LLVMBuildIntToPtr(l->builder, kiln_tile_value(l, source, r), result->element, "");
    if (!result->layout)
        kiln_lower_root_pointer(l, result, result->values[0], false);
    kiln_lower_bind_result(l, op, 0, result);
    return KILN_OK;
}

kiln_status_t kiln_lower_ptr_to_int(kiln_lowering_t *l, MlirOperation op)
{
    kiln_tile_t *source = kiln_lower_operand(l, op, 0),
                *result =
                    kiln_tile_create_result(l, mlirValueGetType(mlirOperationGetResult(op, 0)));
    if (!source || !result)
        return KILN_OK;
    for (uint32_t r = 0; r < result->count; r++)
        kiln_tile_set(
            result, r,
            LLVMBuildPtrToInt(l->builder, kiln_tile_value(l, source, r), result->element, ""),
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
            kiln_tile_set(result, r, kiln_emit_from_bits(l, bits, result->element),
                          kiln_tile_is_uniform(source, r));
        }
        if (result && to_ptr && !result->layout)
            kiln_lower_root_pointer(l, result, result->values[0], false);
    }
    kiln_lower_bind_result(l, op, 0, result);
    return KILN_OK;
}

static LLVMValueRef emit_select(kiln_lowering_t *l, MlirOperation op, LLVMTypeRef type,
                                LLVMValueRef *args)
{
    (void)op, (void)type;
    return LLVMBuildSelect(l->builder, args[0], args[1], args[2], "");
}

// Selects between pointers with one base by selecting their offsets.
static kiln_tile_t *select_offsets(kiln_lowering_t *l, kiln_tile_t *condition, kiln_tile_t *a,
                                   kiln_tile_t *b)
{
    kiln_tile_t *result = kiln_tile_like(l, a, a->type);
    LLVMTypeRef type = a->sum_bits == 32 ? l->i32 : l->i64;
    const bool shifts = a->shifted || b->shifted;
    if (result) {
        result->shifted = shifts;
        result->is_after = a->is_after && b->is_after;
    }
    for (uint32_t r = 0; result && r < result->count; r++) {
        uint32_t reg = condition->layout ? r : 0;
        kiln_sum_t x = shifts ? kiln_shifted_sum(a, r) : a->sums[r],
                   y = shifts ? kiln_shifted_sum(b, r) : b->sums[r];
        LLVMValueRef offset =
            LLVMBuildSelect(l->builder, kiln_tile_value(l, condition, reg),
                            kiln_sum_value(l, x, type), kiln_sum_value(l, y, type), "");
        result->sums[r] = kiln_sum_of(offset, kiln_tile_is_uniform(condition, reg) &&
                                                  !a->sums[r].lane && !b->sums[r].lane);
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
        result->sums = KILN_LOWER_ARRAY(l, kiln_sum_t, result->count);
        for (uint32_t i = 0; i < result->count; i++)
            result->sums[i].uniform =
                LLVMBuildSelect(l->builder, kiln_tile_value(l, operands[0], 0),
                                kiln_sum_value(l, operands[1]->sums[i], l->i32),
                                kiln_sum_value(l, operands[2]->sums[i], l->i32), "");
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
