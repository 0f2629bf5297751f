// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small helpers over LLVM-C's IRBuilder, which folds constants as it goes.
//
// Note that LLVMBuild… may return a constant instead of an instruction, and setters such as
// LLVMSetNSW accept instructions only.
#include "emit.h"
#include "tile.h"

#include <string.h>

#include "layout/span.h"

LLVMValueRef kiln_emit_i32(kiln_lowering_t *l, int64_t value)
{
    return LLVMConstInt(l->i32, (uint64_t)value, 1);
}
LLVMValueRef kiln_emit_i64(kiln_lowering_t *l, int64_t value)
{
    return LLVMConstInt(l->i64, (uint64_t)value, 1);
}
LLVMValueRef kiln_emit_i1(kiln_lowering_t *l, bool value)
{
    return LLVMConstInt(l->i1, value, 0);
}

bool kiln_llvm_const_int(LLVMValueRef value, int64_t *out)
{
    if (!LLVMIsAConstantInt(value) || LLVMGetIntTypeWidth(LLVMTypeOf(value)) > 64)
        return false;
    *out = LLVMConstIntGetSExtValue(value);
    return true;
}

unsigned kiln_llvm_bits(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(type);
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind:
        return 16;
    case LLVMFloatTypeKind:
        return 32;
    case LLVMDoubleTypeKind:
        return 64;
    case LLVMPointerTypeKind: {
        unsigned space = LLVMGetPointerAddressSpace(type);
        return space == KILN_LLVM_AS_LDS || space == 5 ? 32 : 64;
    }
    case LLVMVectorTypeKind:
        return LLVMGetVectorSize(type) * kiln_llvm_bits(LLVMGetElementType(type));
    default:
        return 0;
    }
}

LLVMValueRef kiln_emit_bits(kiln_lowering_t *l, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMTypeRef bits = LLVMIntTypeInContext(l->context, kiln_llvm_bits(type));
    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
        return LLVMBuildPtrToInt(l->builder, value, bits, "");
    return type == bits ? value : LLVMBuildBitCast(l->builder, value, bits, "");
}

LLVMValueRef kiln_emit_from_bits(kiln_lowering_t *l, LLVMValueRef bits, LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
        return LLVMBuildIntToPtr(l->builder, bits, type, "");
    return LLVMTypeOf(bits) == type ? bits : LLVMBuildBitCast(l->builder, bits, type, "");
}

LLVMValueRef kiln_emit_add(kiln_lowering_t *l, LLVMValueRef a, LLVMValueRef b)
{
    if (!a || !b)
        return a ? a : b;
    return LLVMBuildAdd(l->builder, a, b, "");
}

LLVMValueRef kiln_emit_intrinsic(kiln_lowering_t *l, const char *name, const LLVMTypeRef *overloads,
                                 unsigned overload_count, LLVMValueRef *args, unsigned arg_count)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMTypeRef *types = (LLVMTypeRef *)(uintptr_t)overloads;
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(l->module, id, types, overload_count);
    return LLVMBuildCall2(l->builder, LLVMIntrinsicGetType(l->context, id, types, overload_count),
                          function, args, arg_count, "");
}

static void add_enum_attribute(kiln_lowering_t *l, LLVMValueRef function, const char *name,
                               uint64_t value)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(l->context, kind, value));
}

LLVMValueRef kiln_emit_call(kiln_lowering_t *l, const char *symbol, LLVMTypeRef result,
                            LLVMValueRef *args, unsigned arg_count, bool pure)
{
    LLVMTypeRef *types = KILN_LOWER_ARRAY(l, LLVMTypeRef, arg_count ? arg_count : 1);
    for (unsigned i = 0; i < arg_count; i++)
        types[i] = LLVMTypeOf(args[i]);
    LLVMTypeRef type = LLVMFunctionType(result, types, arg_count, 0);
    LLVMValueRef function = LLVMGetNamedFunction(l->module, symbol);
    if (!function) {
        function = LLVMAddFunction(l->module, symbol, type);
        add_enum_attribute(l, function, "nounwind", 0);
        add_enum_attribute(l, function, "willreturn", 0);
        if (pure) {
            add_enum_attribute(l, function, "memory", 0); // memory(none)
            add_enum_attribute(l, function, "nosync", 0);
        } else {
            add_enum_attribute(l, function, "convergent", 0);
        }
    }
    return LLVMBuildCall2(l->builder, type, function, args, arg_count, "");
}

LLVMValueRef kiln_emit_extract(kiln_lowering_t *l, LLVMValueRef vector, uint32_t index)
{
    if (LLVMGetTypeKind(LLVMTypeOf(vector)) != LLVMVectorTypeKind)
        return vector;
    return LLVMBuildExtractElement(l->builder, vector, kiln_emit_i32(l, index), "");
}

// The vector of which values[0 … count) are all elements in order, or NULL.
static LLVMValueRef source_vector(LLVMValueRef *values, uint32_t count)
{
    LLVMValueRef vector = NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (!LLVMIsAExtractElementInst(values[i]))
            return NULL;
        LLVMValueRef from = LLVMGetOperand(values[i], 0), index = LLVMGetOperand(values[i], 1);
        if ((vector && from != vector) || !LLVMIsAConstantInt(index) ||
            LLVMConstIntGetZExtValue(index) != i)
            return NULL;
        vector = from;
    }
    return LLVMGetVectorSize(LLVMTypeOf(vector)) == count ? vector : NULL;
}

// Concatenates whole vectors that fill registers; NULL if the values are not such vectors.
static LLVMValueRef join_vectors(kiln_lowering_t *l, LLVMTypeRef element, LLVMValueRef *values,
                                 uint32_t count)
{
    enum { MAX = 16 };
    if (!LLVMIsAExtractElementInst(values[0]) || count > MAX)
        return NULL;
    uint32_t width = LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(values[0], 0)));
    if (width >= count || count % width || width * kiln_llvm_bits(element) % 32)
        return NULL;
    LLVMValueRef parts[MAX], indices[MAX];
    for (uint32_t i = 0; i < count / width; i++)
        if (!(parts[i] = source_vector(values + (size_t)i * width, width)))
            return NULL;
    for (uint32_t i = 0; i < MAX; i++)
        indices[i] = kiln_emit_i32(l, i);
    for (; width < count; width *= 2)
        for (uint32_t i = 0; i < count / width / 2; i++)
            parts[i] = LLVMBuildShuffleVector(l->builder, parts[2 * i], parts[2 * i + 1],
                                              LLVMConstVector(indices, 2 * width), "");
    return parts[0];
}

LLVMValueRef kiln_emit_vector(kiln_lowering_t *l, LLVMTypeRef element, LLVMValueRef *values,
                              uint32_t count)
{
    if (count == 1)
        return values[0];
    LLVMValueRef vector = source_vector(values, count);
    if (!vector)
        vector = join_vectors(l, element, values, count);
    if (vector)
        return vector;
    bool constant = true;
    for (uint32_t i = 0; i < count; i++)
        constant = constant && LLVMIsConstant(values[i]);
    if (constant)
        return LLVMConstVector(values, count);
    vector = LLVMGetPoison(LLVMVectorType(element, count));
    for (uint32_t i = 0; i < count; i++)
        vector = LLVMBuildInsertElement(l->builder, vector, values[i], kiln_emit_i32(l, i), "");
    return vector;
}

LLVMValueRef kiln_emit_uniform(kiln_lowering_t *l, LLVMValueRef value)
{
    if (LLVMIsConstant(value))
        return value;
    LLVMTypeRef type = LLVMTypeOf(value);
    unsigned bits = kiln_llvm_bits(type);
    LLVMValueRef raw = kiln_emit_bits(l, value);
    LLVMTypeRef word = bits > 32 ? l->i64 : l->i32;
    if (bits < 32)
        raw = LLVMBuildZExt(l->builder, raw, l->i32, "");
    raw = kiln_emit_intrinsic(l, "llvm.amdgcn.readfirstlane", &word, 1, &raw, 1);
    if (bits < 32)
        raw = LLVMBuildTrunc(l->builder, raw, LLVMIntTypeInContext(l->context, bits), "");
    return kiln_emit_from_bits(l, raw, type);
}

LLVMBasicBlockRef kiln_emit_block(kiln_lowering_t *l, const char *name)
{
    return LLVMAppendBasicBlockInContext(l->context, l->function, name);
}

void kiln_emit_wave_barrier(kiln_lowering_t *l)
{
    if (l->num_waves > 1)
        kiln_emit_intrinsic(l, "llvm.amdgcn.s.barrier", NULL, 0, NULL, 0);
}

// Rejects a barrier that only some waves execute: they would wait for the other waves' next one.
static void expect_all_waves(kiln_lowering_t *l)
{
    if (l->num_waves > 1 && !kiln_is_executed_by_all_waves(l->uniformity, l->op))
        kiln_lower_fail(
            l, kiln_op_unsupported(
                   l->op, "an exchange between waves in control flow that not all waves execute"));
}

// Of two waves that are a barrier apart, the later one reaches its second s_barrier when the
// earlier one reaches its first.
void kiln_emit_rendezvous(kiln_lowering_t *l)
{
    expect_all_waves(l);
    for (int i = 0; i <= l->skew; i++)
        kiln_emit_wave_barrier(l);
}

// LLVM's MachineSink moves a load below fences and s_barrier into a branch that alone uses it,
// because it treats neither as a store. Empty assembly emits nothing and counts as a store
// (codegen/machine/empty_assembly_shim.cpp). Loads sink only past the end of a block, so the last
// one in a block is enough.
void kiln_emit_no_sinking(kiln_lowering_t *l)
{
    if (l->no_sinking && LLVMGetInstructionParent(l->no_sinking) == LLVMGetInsertBlock(l->builder))
        LLVMInstructionEraseFromParent(l->no_sinking);
    LLVMTypeRef type = LLVMFunctionType(l->void_type, NULL, 0, 0);
    LLVMValueRef assembly = LLVMGetInlineAsm(type, "", 0, "", 0, 1, 0, LLVMInlineAsmDialectATT, 0);
    l->no_sinking = LLVMBuildCall2(l->builder, type, assembly, NULL, 0, "");
}

// After a release fence, waits for the accesses that it orders. LLVM 22 inserts this wait too, but
// if a loop begins with a fence and no access is in flight on entry, it considers the wait
// redundant before it looks at the back edge.
void kiln_emit_release_wait(kiln_lowering_t *l, kiln_wait_t what)
{
    LLVMValueRef counters = kiln_emit_i32(l, what);
    kiln_emit_intrinsic(l, "llvm.amdgcn.s.waitcnt", NULL, 0, &counters, 1);
}

void kiln_emit_barrier(kiln_lowering_t *l)
{
    expect_all_waves(l);
    kiln_emit_barriers(l, l->skew + 1);
}

// As in Triton, the fences order only LDS, so that no wave waits for global accesses in flight.
void kiln_emit_barriers(kiln_lowering_t *l, int rounds)
{
    kiln_emit_no_sinking(l);

    if (!l->local_only) {
        LLVMMetadataRef strings[2] = {
            LLVMMDStringInContext2(l->context, "amdgpu-synchronize-as", 21),
            LLVMMDStringInContext2(l->context, "local", 5)};
        l->local_only =
            LLVMMetadataAsValue(l->context, LLVMMDNodeInContext2(l->context, strings, 2));
    }
    unsigned scope = LLVMGetSyncScopeID(l->context, "workgroup", 9),
             kind = LLVMGetMDKindIDInContext(l->context, "mmra", 4);
    LLVMValueRef release =
        LLVMBuildFenceSyncScope(l->builder, LLVMAtomicOrderingRelease, scope, "");
    LLVMSetMetadata(release, kind, l->local_only);
    if (l->num_waves > 1)
        kiln_emit_release_wait(l, KILN_WAIT_LDS);
    for (int i = 0; i < rounds; i++)
        kiln_emit_wave_barrier(l);
    LLVMValueRef acquire =
        LLVMBuildFenceSyncScope(l->builder, LLVMAtomicOrderingAcquire, scope, "");
    LLVMSetMetadata(acquire, kind, l->local_only);
}

// Linear maps over F2 -----------------------------------------------------------------------------

typedef struct kiln_linear_memo {
    struct kiln_linear_memo *next;
    LLVMValueRef source, value;
    int bits;
    uint32_t bases[2 * KILN_LAYOUT_MAX_BITS];
} linear_memo_t;

// A linear map is a sum of "diagonals": for one distance d, the bits i of the source that also set
// bit i + d of the result. Each costs an AND and a shift.
static LLVMValueRef build_linear(kiln_lowering_t *l, LLVMValueRef source, int bits,
                                 const uint32_t *bases)
{
    LLVMValueRef value = NULL;
    uint32_t taken = 0;
    for (int distance = -bits; distance < 32; distance++) {
        uint32_t from = 0, to = 0;
        for (int bit = 0; bit < bits; bit++) {
            int result_bit = bit + distance;
            if (result_bit >= 0 && result_bit < 32 && (bases[bit] >> result_bit & 1)) {
                from |= 1u << bit;
                to |= 1u << result_bit;
            }
        }
        if (!from)
            continue;
        LLVMValueRef term = source;
        if (from != (1u << bits) - 1)
            term = LLVMBuildAnd(l->positions, term, kiln_emit_i32(l, from), "");
        if (distance > 0)
            term = LLVMBuildShl(l->positions, term, kiln_emit_i32(l, distance), "");
        else if (distance < 0)
            term = LLVMBuildLShr(l->positions, term, kiln_emit_i32(l, -distance), "");
        if (!value) {
            value = term;
        } else if (taken & to) {
            value = LLVMBuildXor(l->positions, value, term, "");
        } else {
            value = LLVMBuildOr(l->positions, value, term, "");
            if (LLVMIsAInstruction(value))
                LLVMSetIsDisjoint(value, 1);
        }
        taken |= to;
    }
    return value;
}

LLVMValueRef kiln_emit_linear(kiln_lowering_t *l, LLVMValueRef source, int bits,
                              const uint32_t *bases)
{
    for (linear_memo_t *memo = l->linear_memo; memo; memo = memo->next)
        if (memo->source == source && memo->bits == bits &&
            !memcmp(memo->bases, bases, sizeof(uint32_t) * (size_t)bits))
            return memo->value;
    linear_memo_t *memo = kiln_lower_arena_alloc(l->arena, sizeof *memo);
    *memo = (linear_memo_t){.next = l->linear_memo,
                            .source = source,
                            .bits = bits,
                            .value = source ? build_linear(l, source, bits, bases) : NULL};
    memcpy(memo->bases, bases, sizeof(uint32_t) * (size_t)bits);
    l->linear_memo = memo;
    return memo->value;
}

static uint32_t support(const kiln_layout_t *map, kiln_place_t place)
{
    uint32_t bits = 0;
    for (int i = 0; i < map->bits[place]; i++)
        bits |= map->basis[place][i];
    return bits;
}

// Lanes and waves as bits of the thread's number, where that is one map over both: a shift of the
// whole number, mostly, instead of two parts that must be added.
static LLVMValueRef emit_thread_linear(kiln_lowering_t *l, const kiln_layout_t *map)
{
    uint32_t bases[2 * KILN_LAYOUT_MAX_BITS];
    int lanes = map->bits[KILN_LANE], waves = map->bits[KILN_WARP];
    memcpy(bases, map->basis[KILN_LANE], sizeof *bases * (size_t)lanes);
    memcpy(bases + lanes, map->basis[KILN_WARP], sizeof *bases * (size_t)waves);
    return kiln_emit_linear(l, l->thread, lanes + waves, bases);
}

void kiln_emit_layout_sums(kiln_lowering_t *l, const kiln_layout_t *map, int64_t scale,
                           kiln_sum_t *out)
{
    uint32_t lane_support = support(map, KILN_LANE),
             wave_support = l->wave ? support(map, KILN_WARP) : 0;
    LLVMValueRef lane, wave = NULL;
    if (lane_support && wave_support) {
        lane = emit_thread_linear(l, map);
        lane_support |= wave_support;
        wave_support = 0;
    } else {
        lane = kiln_emit_linear(l, l->lane, map->bits[KILN_LANE], map->basis[KILN_LANE]);
        if (l->wave)
            wave = kiln_emit_linear(l, l->wave, map->bits[KILN_WARP], map->basis[KILN_WARP]);
    }
    LLVMValueRef factor = kiln_emit_i32(l, scale);
    uint32_t count = kiln_layout_registers(map);
    // Registers that flip the same bits of the thread's part share it with the first such register:
    // if earlier bits already combine to the flips of a bit, they replace it.
    kiln_span_t flips = {0};
    uint32_t instead[KILN_LAYOUT_MAX_BITS];
    for (int i = 0; i < map->bits[KILN_REGISTER]; i++) {
        uint32_t flip = map->basis[KILN_REGISTER][i] & (lane_support | wave_support);
        uint64_t earlier = 0;
        bool known = kiln_span_solve(&flips, flip, &earlier);
        instead[i] = known ? (uint32_t)earlier : 1u << i;
        if (!known)
            kiln_span_insert_tagged(&flips, flip, 1ull << i);
    }
    for (uint32_t reg = 0; reg < count; reg++) {
        uint32_t value = 0;
        for (int i = 0; i < map->bits[KILN_REGISTER]; i++)
            if (reg >> i & 1)
                value ^= map->basis[KILN_REGISTER][i];
        uint32_t lane_flip = value & lane_support, wave_flip = value & wave_support;
        uint32_t duplicate = 0;
        for (int i = 0; i < map->bits[KILN_REGISTER]; i++)
            duplicate ^= reg >> i & 1 ? instead[i] : 0;
        out[reg].imm = (int64_t)(value & ~(lane_support | wave_support)) * scale;
        if (duplicate < reg) {
            out[reg].lane = out[duplicate].lane;
            out[reg].uniform = out[duplicate].uniform;
            continue;
        }
        LLVMValueRef mine = lane, shared = wave;
        if (lane_flip)
            mine = LLVMBuildXor(l->positions, lane, kiln_emit_i32(l, lane_flip), "");
        if (wave_flip)
            shared = LLVMBuildXor(l->positions, wave, kiln_emit_i32(l, wave_flip), "");
        if (mine && scale != 1)
            mine = LLVMBuildMul(l->positions, mine, factor, "");
        if (shared && scale != 1)
            shared = LLVMBuildMul(l->positions, shared, factor, "");
        out[reg].lane = mine;
        out[reg].uniform = shared;
    }
}

LLVMValueRef kiln_emit_is_first_replica(kiln_lowering_t *l, const kiln_layout_t *layout)
{
    uint32_t free_lanes = kiln_layout_free_bits(layout, KILN_LANE),
             free_waves = kiln_layout_free_bits(layout, KILN_WARP);
    LLVMValueRef first = NULL, zero = kiln_emit_i32(l, 0);
    if (free_lanes)
        first = LLVMBuildICmp(l->positions, LLVMIntEQ,
                              LLVMBuildAnd(l->positions, l->lane, kiln_emit_i32(l, free_lanes), ""),
                              zero, "");
    if (free_waves && l->wave) {
        LLVMValueRef wave = LLVMBuildICmp(
            l->positions, LLVMIntEQ,
            LLVMBuildAnd(l->positions, l->wave, kiln_emit_i32(l, free_waves), ""), zero, "");
        first = first ? LLVMBuildAnd(l->positions, first, wave, "") : wave;
    }
    return first;
}
