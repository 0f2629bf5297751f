// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tt.load and tt.store: a thread's registers are moved in groups of up to 16 bytes, as many as axis
// information proves contiguous, aligned and under one mask. Where registers of a load are proved
// to be equal, as in p + i / 2, the bytes are loaded once and the elements repeated:
//
//     registers  0 1 2 3 4 5 6 7        vector 4, repeat 2, span 8
//     elements   0 0 1 1 2 2 3 3
//
// Where a buffer resource is used (resource.c), a lane that is masked off gets an offset
// beyond the buffer's end, which the hardware answers with zero or ignores, so no branch is needed.
// All other masked accesses are predicated by a branch. Groups in which a mask changes are in
// split.c.
//
// Note that a tensor smaller than the workgroup is held by several threads at once. All of them may
// load; only the first may store.
#include "memory.h"
#include "analysis/axis/axis_info.h"
#include "analysis/axis/mask_order.h"
#include "analysis/memory/pointer_sign.h"
#include "lower/emit.h"
#include "lower/tile.h"

#include <mlir-c/BuiltinAttributes.h>

enum {
    CACHE_SC0 = 1,
    CACHE_NT = 2,
    CACHE_SC1 = 16,
};

// tt's cache modifiers as an intrinsic's cache policy and as flags of plain accesses.
typedef enum modifier {
    MODIFIER_NONE = 1,
    MODIFIER_CA,
    MODIFIER_CG,
    MODIFIER_WB,
    MODIFIER_CS,
    MODIFIER_WT,
    MODIFIER_CV,
    MODIFIERS
} modifier_t;
static const struct {
    int load_policy, store_policy;
    bool load_nontemporal, store_nontemporal, is_volatile;
} modifiers[MODIFIERS] = {
    [MODIFIER_CG] = {CACHE_SC0 | CACHE_NT, 0, true, false, false},
    [MODIFIER_CS] = {CACHE_SC0 | CACHE_NT, CACHE_SC0 | CACHE_NT, true, true, false},
    [MODIFIER_WT] = {0, CACHE_SC0 | CACHE_SC1, false, true, true},
    [MODIFIER_CV] = {CACHE_SC0 | CACHE_SC1, 0, true, false, true},
};

static modifier_t cache_modifier(MlirOperation op)
{
    int64_t modifier = kiln_ir_int_attr(op, "cache", MODIFIER_NONE);
    return modifier > 0 && modifier < MODIFIERS ? (modifier_t)modifier : MODIFIER_NONE;
}

// Whether each register's access must happen.
static bool is_volatile(MlirOperation op)
{
    return kiln_ir_int_attr(op, "isVolatile", 0) || modifiers[cache_modifier(op)].is_volatile;
}

// Addresses ---------------------------------------------------------------------------------------

// The mask that remains to be applied when the operation is lowered; null if none.
static MlirValue mask_at_hand(kiln_lowering_t *l, MlirValue mask)
{
    MlirValue none = {NULL};
    return l->guard.is_open && mlirValueEqual(mask, l->guard.mask) ? none : mask;
}

// Accesses wider groups than those that share a mask, if there are any.
static void choose_split(kiln_lowering_t *l, MlirOperation op, MlirValue mask, kiln_access_t *out)
{
    if (mlirValueIsNull(mask_at_hand(l, mask)) || is_volatile(op))
        return;
    const kiln_axis_access_t wide = kiln_split_access(l->axis, op, l->num_waves);
    if ((uint32_t)wide.elements <= out->vector * out->repeat)
        return;
    out->vector = (uint32_t)wide.elements;
    out->repeat = 1;
    out->alignment = (unsigned)wide.alignment;
    out->split = kiln_mask_order(l->axis, mask, wide.dim).falls >= wide.elements ? KILN_SPLIT_FALLS
                                                                                 : KILN_SPLIT_RISES;
}

kiln_status_t kiln_access_begin(kiln_lowering_t *l, MlirOperation op, kiln_tile_t *pointers,
                                MlirValue mask, kiln_access_t *out)
{
    MlirType pointee = kiln_ptr_pointee(kiln_type_element(pointers->type));
    const kiln_op_t kind = kiln_op_kind(op);
    const bool may_share = kind == KILN_OP_TT_LOAD && !is_volatile(op),
               is_atomic = kind != KILN_OP_TT_LOAD && kind != KILN_OP_TT_STORE;
    *out = (kiln_access_t){.pointers = pointers, .vector = 1, .repeat = 1};
    out->element = kiln_lower_element_type(l, pointee);
    if (kiln_type_is_tensor(pointee))
        return kiln_op_unsupported(op, "a block pointer that was not rewritten");
    if (!out->element)
        return kiln_op_unsupported(op, "this element type");
    out->memory = kiln_llvm_bits(out->element) == 1
                      ? l->i8
                      : LLVMIntTypeInContext(l->context, kiln_llvm_bits(out->element));
    out->bytes = out->alignment = kiln_llvm_bits(out->memory) / 8;
    if (pointers->layout && !is_atomic) { // an atomic operation accesses one element
        const kiln_axis_access_t proved =
            kiln_axis_access(l->axis, mlirOperationGetOperand(op, 0), mask,
                             may_share ? KILN_AXIS_SHARED : KILN_AXIS_DISTINCT, l->num_waves);
        out->vector = (uint32_t)proved.elements;
        out->repeat = (uint32_t)proved.repeat;
        out->alignment = (unsigned)proved.alignment;
        choose_split(l, op, mask, out);
    }
    if (out->repeat > pointers->count)
        out->repeat = pointers->count;
    if (out->vector > pointers->count / out->repeat)
        out->vector = pointers->count / out->repeat;
    while (out->vector * out->bytes > 16)
        out->vector /= 2;
    out->span = out->vector * out->repeat;
    if (out->alignment > out->vector * out->bytes)
        out->alignment = out->vector * out->bytes;
    out->is_after = pointers->is_after;
    if (pointers->range32 && !pointers->is_after && !pointers->shifted)
        KILN_TRY(kiln_access_is_at_or_after_root(kiln_axis_ranges(l->axis), op, &out->is_after));
    // With one access per pointer, creating a resource costs more than its offsets save.
    if (!l->guard.is_open || !l->guard.each_is_one)
        kiln_access_choose_resource(out);
    return KILN_OK;
}

// The integer type that moves one group.
static LLVMTypeRef group_type(kiln_lowering_t *l, const kiln_access_t *access)
{
    unsigned bytes = access->vector * access->bytes;
    return bytes <= 4 ? LLVMIntTypeInContext(l->context, 8 * bytes)
                      : LLVMVectorType(l->i32, bytes / 4);
}

// The address of register `reg` without its constant, which becomes the instruction's immediate.
static LLVMValueRef emit_pointer_parts(kiln_lowering_t *l, LLVMValueRef pointer, kiln_sum_t sum)
{
    if (sum.uniform)
        pointer = LLVMBuildGEP2(l->builder, l->i8, pointer, &sum.uniform, 1, "");
    return sum.lane ? LLVMBuildGEP2(l->builder, l->i8, pointer, &sum.lane, 1, "") : pointer;
}

// Emits the common part of the pointers to register `first` and the following ones before a branch,
// so that the next access can reuse it.
static void prepare_pointers(kiln_lowering_t *l, kiln_access_t *access, uint32_t first)
{
    const kiln_tile_t *pointers = access->pointers;
    if (!pointers->base || pointers->sum_bits == 32)
        return;
    kiln_sum_t sum = pointers->sums[first];
    if (access->pointer && access->pointer_lane == sum.lane &&
        access->pointer_uniform == sum.uniform)
        return;
    access->pointer = emit_pointer_parts(l, pointers->base, sum);
    access->pointer_lane = sum.lane;
    access->pointer_uniform = sum.uniform;
}

LLVMValueRef kiln_access_pointer(kiln_lowering_t *l, kiln_access_t *access, uint32_t reg)
{
    kiln_tile_t *pointers = access->pointers;
    if (!pointers->base)
        return kiln_tile_value(l, pointers, reg);
    kiln_sum_t sum = pointers->sums[reg];
    if (pointers->sum_bits == 32) // exact only as a whole
        return kiln_range32_pointer(l, pointers, reg, access->is_after);
    bool prepared = access->pointer && access->pointer_lane == sum.lane &&
                    access->pointer_uniform == sum.uniform;
    LLVMValueRef pointer = prepared ? access->pointer : emit_pointer_parts(l, pointers->base, sum),
                 imm = kiln_emit_i64(l, sum.imm);
    return sum.imm ? LLVMBuildGEP2(l->builder, l->i8, pointer, &imm, 1, "") : pointer;
}

static bool same_pointer(kiln_tile_t *pointers, uint32_t a, uint32_t b)
{
    if (!pointers->base)
        return pointers->values[a] && pointers->values[a] == pointers->values[b];
    kiln_sum_t x = pointers->sums[a], y = pointers->sums[b];
    return x.lane == y.lane && x.uniform == y.uniform && x.imm == y.imm;
}

static bool is_const_i1(LLVMValueRef value, bool truth)
{
    return value && LLVMIsAConstantInt(value) && (LLVMConstIntGetZExtValue(value) != 0) == truth;
}

static bool is_zero(LLVMValueRef value)
{
    return LLVMIsConstant(value) && LLVMIsNull(value);
}

// Values and memory -------------------------------------------------------------------------------

// Registers first … first + vector of a tile as the type that memory sees.
static LLVMValueRef to_memory(kiln_lowering_t *l, const kiln_access_t *access, kiln_tile_t *tile,
                              uint32_t first, LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(access->element);
    if (kind == LLVMIntegerTypeKind && access->memory == access->element)
        return LLVMBuildBitCast(l->builder, kiln_tile_vector(l, tile, first, access->vector), type,
                                "");
    if (kind != LLVMPointerTypeKind && kind != LLVMIntegerTypeKind)
        return LLVMBuildBitCast(l->builder, kiln_tile_vector(l, tile, first, access->vector), type,
                                "");
    LLVMValueRef *values = KILN_LOWER_ARRAY(l, LLVMValueRef, access->vector);
    for (uint32_t i = 0; i < access->vector; i++) {
        LLVMValueRef value = kiln_tile_value(l, tile, first + i);
        values[i] = kind == LLVMPointerTypeKind
                        ? LLVMBuildPtrToInt(l->builder, value, access->memory, "")
                        : LLVMBuildZExt(l->builder, value, access->memory, "");
    }
    return LLVMBuildBitCast(l->builder, kiln_emit_vector(l, access->memory, values, access->vector),
                            type, "");
}

// Whether a register holds an element as memory does.
static bool is_plain(const kiln_access_t *access)
{
    LLVMTypeKind kind = LLVMGetTypeKind(access->element);
    return (kind != LLVMPointerTypeKind && kind != LLVMIntegerTypeKind) ||
           access->memory == access->element;
}

// Distributes the loaded value over the registers first … of the result. A tile with vectors keeps
// it whole.
static void from_memory(kiln_lowering_t *l, const kiln_access_t *access, LLVMValueRef loaded,
                        kiln_tile_t *result, uint32_t first)
{
    const bool plain = is_plain(access);
    LLVMTypeRef lane_type = plain ? access->element : access->memory;
    LLVMValueRef vector = LLVMBuildBitCast(
        l->builder, loaded,
        access->vector > 1 ? LLVMVectorType(lane_type, access->vector) : lane_type, "");
    if (result->vectors) {
        result->vectors[first / access->vector] = vector;
        return;
    }
    for (uint32_t i = 0; i < access->span; i++) {
        if (i % access->repeat) {
            result->values[first + i] = result->values[first + i - 1];
            continue;
        }
        LLVMValueRef value = kiln_emit_extract(l, vector, i / access->repeat);
        if (!plain)
            value = LLVMGetTypeKind(access->element) == LLVMPointerTypeKind
                        ? LLVMBuildIntToPtr(l->builder, value, access->element, "")
                        : LLVMBuildICmp(l->builder, LLVMIntNE, value, LLVMConstNull(access->memory),
                                        "");
        result->values[first + i] = value;
    }
}

// Registers that share an element in memory may have different values where the mask is false.
static void choose_others(kiln_lowering_t *l, const kiln_access_t *access, LLVMValueRef predicate,
                          kiln_tile_t *other, kiln_tile_t *result, uint32_t first)
{
    for (uint32_t reg = first; reg < first + access->span; reg++) {
        LLVMValueRef value = kiln_tile_value(l, other, reg);
        if (is_const_i1(predicate, false))
            result->values[reg] = value;
        else if (!is_zero(value))
            result->values[reg] =
                LLVMBuildSelect(l->builder, predicate, result->values[reg], value, "");
    }
}

static void set_flags(kiln_lowering_t *l, LLVMValueRef instruction, unsigned alignment,
                      bool is_volatile, bool nontemporal)
{
    LLVMSetAlignment(instruction, alignment);
    if (is_volatile)
        LLVMSetVolatile(instruction, 1);
    if (nontemporal) {
        LLVMMetadataRef one = LLVMValueAsMetadata(kiln_emit_i32(l, 1));
        LLVMSetMetadata(instruction, LLVMGetMDKindIDInContext(l->context, "nontemporal", 11),
                        LLVMMetadataAsValue(l->context, LLVMMDNodeInContext2(l->context, &one, 1)));
    }
}

// Loads -------------------------------------------------------------------------------------------

static LLVMValueRef plain_load(kiln_lowering_t *l, kiln_access_t *access, uint32_t reg,
                               LLVMTypeRef type, kiln_access_flags_t flags)
{
    LLVMValueRef load = LLVMBuildLoad2(l->builder, type, kiln_access_pointer(l, access, reg), "");
    set_flags(l, load, access->alignment, flags.is_volatile, flags.nontemporal);
    return load;
}

void kiln_load_run(kiln_lowering_t *l, kiln_access_t *access, uint32_t first, uint32_t end,
                   LLVMValueRef predicate, kiln_tile_t *other, kiln_tile_t *result,
                   kiln_access_flags_t flags)
{
    LLVMTypeRef type = group_type(l, access);
    uint32_t groups = (end - first) / access->span;
    const bool in_memory = access->repeat == 1; // then `other` is arranged like the elements
    LLVMValueRef *loaded = KILN_LOWER_ARRAY(l, LLVMValueRef, groups),
                 *others = KILN_LOWER_ARRAY(l, LLVMValueRef, groups);
    for (uint32_t g = 0; g < groups; g++)
        others[g] = predicate ? (other && in_memory
                                     ? to_memory(l, access, other, first + g * access->span, type)
                                     : LLVMConstNull(type))
                              : NULL;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(l->builder), after = NULL, body = NULL;
    bool never = is_const_i1(predicate, false);
    bool buffer =
        !flags.is_volatile && (access->resource == KILN_RESOURCE_ALWAYS
                                   ? predicate || access->pointers->sums[first].lane
                                   : access->resource == KILN_RESOURCE_MASKED && predicate);
    if (!never && predicate && !buffer) {
        prepare_pointers(l, access, first);
        body = kiln_emit_block(l, "load");
        after = kiln_emit_block(l, "loaded");
        LLVMBuildCondBr(l->builder, predicate, body, after);
        LLVMPositionBuilderAtEnd(l->builder, body);
    }
    for (uint32_t g = 0; g < groups; g++) {
        uint32_t reg = first + g * access->span, duplicate = 0;
        while (duplicate < g &&
               !same_pointer(access->pointers, first + duplicate * access->span, reg))
            duplicate++;
        if (never) {
            loaded[g] = others[g];
        } else if (duplicate < g && !flags.is_volatile) {
            loaded[g] = loaded[duplicate];
        } else if (buffer) {
            LLVMValueRef args[4] = {NULL, NULL, kiln_emit_i32(l, 0),
                                    kiln_emit_i32(l, flags.policy)};
            kiln_access_resource_address(l, access, reg, predicate, args);
            loaded[g] =
                kiln_emit_intrinsic(l, "llvm.amdgcn.raw.ptr.buffer.load", &type, 1, args, 4);
        } else {
            loaded[g] = plain_load(l, access, reg, type, flags);
        }
    }
    if (after) {
        LLVMBasicBlockRef body_end = LLVMGetInsertBlock(l->builder);
        LLVMBuildBr(l->builder, after);
        LLVMPositionBuilderAtEnd(l->builder, after);
        LLVMValueRef *merged = KILN_LOWER_ARRAY(l, LLVMValueRef, groups);
        for (uint32_t g = 0; g < groups; g++) {
            uint32_t same = 0;
            while (same < g && (loaded[same] != loaded[g] || others[same] != others[g]))
                same++;
            merged[g] = same < g ? merged[same] : LLVMBuildPhi(l->builder, type, "");
            if (same == g) {
                LLVMAddIncoming(merged[g], &loaded[g], &body_end, 1);
                LLVMAddIncoming(merged[g], &others[g], &before, 1);
            }
        }
        loaded = merged;
    }
    for (uint32_t g = 0; g < groups; g++) {
        LLVMValueRef value = loaded[g];
        if (buffer && predicate && !never && !is_zero(others[g]))
            value = LLVMBuildSelect(l->builder, predicate, value, others[g], "");
        from_memory(l, access, value, result, first + g * access->span);
        if (predicate && other && !in_memory)
            choose_others(l, access, predicate, other, result, first + g * access->span);
    }
}

kiln_status_t kiln_lower_load(kiln_lowering_t *l, MlirOperation op)
{
    MlirValue mask_value = kiln_op_segment(op, 1), other_value = kiln_op_segment(op, 2);
    kiln_tile_t *pointers = kiln_lower_operand(l, op, 0);
    kiln_tile_t *mask = mlirValueIsNull(mask_at_hand(l, mask_value))
                            ? NULL
                            : kiln_lower_value(l, mask_at_hand(l, mask_value));
    kiln_tile_t *other = mlirValueIsNull(other_value) ? NULL : kiln_lower_value(l, other_value);
    if (l->failure)
        return KILN_OK;
    kiln_access_t access;
    KILN_TRY(kiln_access_begin(l, op, pointers, mask_value, &access));
    kiln_tile_t *result = kiln_tile_create(l, mlirValueGetType(mlirOperationGetResult(op, 0)));
    if (!result)
        return KILN_OK;
    modifier_t modifier = cache_modifier(op);
    kiln_access_flags_t flags = {modifiers[modifier].load_policy, is_volatile(op),
                                 modifiers[modifier].load_nontemporal};
    if (access.vector > 1 && access.repeat == 1 && is_plain(&access)) {
        result->vectors = KILN_LOWER_ARRAY(l, LLVMValueRef, result->count / access.vector);
        result->vector_width = access.vector;
    }
    if (access.split)
        kiln_load_split(l, &access, mask, other, result, flags);
    for (uint32_t first = 0, end; first < result->count && !access.split; first = end) {
        LLVMValueRef predicate = mask ? kiln_tile_value(l, mask, mask->layout ? first : 0) : NULL;
        for (end = first + access.span; end < result->count; end += access.span)
            if (mask && mask->layout && kiln_tile_value(l, mask, end) != predicate)
                break;
        kiln_load_run(l, &access, first, end, is_const_i1(predicate, true) ? NULL : predicate,
                      other, result, flags);
    }
    result->block = LLVMGetInsertBlock(l->builder); // branches may have moved on
    if (!result->layout && kiln_type_is_ptr(result->type))
        kiln_lower_root_pointer(l, result, kiln_tile_value(l, result, 0), false);
    kiln_lower_bind_result(l, op, 0, result);
    return KILN_OK;
}

// Stores ------------------------------------------------------------------------------------------

// True in one thread of all that hold the same elements; for a scalar, in the first thread of the
// workgroup. NULL: true in every thread.
LLVMValueRef kiln_lower_writes(kiln_lowering_t *l, const kiln_layout_t *layout)
{
    if (layout)
        return kiln_emit_is_first_replica(l, layout);
    LLVMValueRef first = LLVMBuildICmp(l->builder, LLVMIntEQ, l->lane, kiln_emit_i32(l, 0), "");
    if (l->wave)
        first = LLVMBuildAnd(l->builder, first,
                             LLVMBuildICmp(l->builder, LLVMIntEQ, l->wave, kiln_emit_i32(l, 0), ""),
                             "");
    return first;
}

LLVMValueRef kiln_conjunction(kiln_lowering_t *l, LLVMValueRef a, LLVMValueRef b)
{
    if (!a || !b)
        return a ? a : b;
    return LLVMBuildAnd(l->builder, a, b, "");
}

void kiln_store_run(kiln_lowering_t *l, kiln_access_t *access, uint32_t first, uint32_t end,
                    uint32_t skip, LLVMValueRef predicate, kiln_tile_t *value,
                    kiln_access_flags_t flags)
{
    LLVMTypeRef type = group_type(l, access);
    bool buffer = !flags.is_volatile && (access->resource == KILN_RESOURCE_ALWAYS ||
                                         (access->resource == KILN_RESOURCE_MASKED && predicate));
    uint32_t groups = (end - first) / access->vector;
    LLVMValueRef *data = KILN_LOWER_ARRAY(l, LLVMValueRef, groups);
    for (uint32_t g = 0; g < groups; g++)
        if (!((first + g * access->vector) & skip))
            data[g] = to_memory(l, access, value, first + g * access->vector, type);
    LLVMBasicBlockRef after = NULL;
    if (predicate && !buffer) {
        prepare_pointers(l, access, first);
        LLVMBasicBlockRef body = kiln_emit_block(l, "store");
        after = kiln_emit_block(l, "stored");
        LLVMBuildCondBr(l->builder, predicate, body, after);
        LLVMPositionBuilderAtEnd(l->builder, body);
    }
    for (uint32_t g = 0; g < groups; g++) {
        uint32_t reg = first + g * access->vector;
        if (!data[g])
            continue;
        if (buffer) {
            LLVMValueRef args[5] = {data[g], NULL, NULL, kiln_emit_i32(l, 0),
                                    kiln_emit_i32(l, flags.policy)};
            kiln_access_resource_address(l, access, reg, predicate, args + 1);
            kiln_emit_intrinsic(l, "llvm.amdgcn.raw.ptr.buffer.store", &type, 1, args, 5);
        } else {
            LLVMValueRef store =
                LLVMBuildStore(l->builder, data[g], kiln_access_pointer(l, access, reg));
            set_flags(l, store, access->alignment, flags.is_volatile, flags.nontemporal);
        }
    }
    if (after) {
        LLVMBuildBr(l->builder, after);
        LLVMPositionBuilderAtEnd(l->builder, after);
    }
}

kiln_status_t kiln_lower_store(kiln_lowering_t *l, MlirOperation op)
{
    MlirValue mask_value = kiln_op_segment(op, 2);
    kiln_tile_t *pointers = kiln_lower_operand(l, op, 0), *value = kiln_lower_operand(l, op, 1);
    kiln_tile_t *mask = mlirValueIsNull(mask_at_hand(l, mask_value))
                            ? NULL
                            : kiln_lower_value(l, mask_at_hand(l, mask_value));
    if (l->failure)
        return KILN_OK;
    kiln_access_t access;
    KILN_TRY(kiln_access_begin(l, op, pointers, mask_value, &access));
    modifier_t modifier = cache_modifier(op);
    kiln_access_flags_t flags = {modifiers[modifier].store_policy, modifiers[modifier].is_volatile,
                                 modifiers[modifier].store_nontemporal};
    uint32_t skip = pointers->layout ? kiln_layout_free_bits(pointers->layout, KILN_REGISTER) : 0;
    LLVMValueRef writes = kiln_lower_writes(l, pointers->layout);
    if (access.split)
        kiln_store_split(l, &access, skip, mask, writes, value, flags);
    for (uint32_t first = 0, end; first < pointers->count && !access.split; first = end) {
        LLVMValueRef chosen = mask ? kiln_tile_value(l, mask, mask->layout ? first : 0) : NULL;
        for (end = first + access.vector; end < pointers->count; end += access.vector)
            if (mask && mask->layout && kiln_tile_value(l, mask, end) != chosen)
                break;
        if (!is_const_i1(chosen, false))
            kiln_store_run(l, &access, first, end, skip,
                           kiln_conjunction(l, is_const_i1(chosen, true) ? NULL : chosen, writes),
                           value, flags);
    }
    return KILN_OK;
}
