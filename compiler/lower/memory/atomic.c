// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic operations on global memory: one for each element, by the first thread that holds it, in
// LLVM's atomics with the scope that tt names.
//
//   relaxed  the operations alone
//   release  a release fence by every wave before them; a scalar's operation waits for all waves' fences
//   acquire  an acquire fence by every wave after them; for a scalar's operation all waves wait
//
// Waves wait at a barrier, which is repeated for the barriers that waves may be apart
// (analysis/waves/waves.h).
//
// A relaxed operation whose old value is unused goes through a buffer resource (resource.c) where a
// store would: a lane that is masked off has no branch, so that waits for loads around it need not
// count as if it had not been issued.
//
// Old values reach the threads that hold copies of an element through LDS. Values of fewer than 32
// bits use a compare-and-swap of the dword around them, in a loop; additions of f16 and bf16 whose
// old values are unused, and that a thread has in pairs under one mask, are one instruction a pair.
// Note that a scalar operation is executed once for the whole workgroup, yet it must order the
// memory accesses of all its waves.
#include "analysis/axis/axis_info.h"
#include "analysis/plan/index.h"
#include "layout/rearrange.h"
#include "lower/emit.h"
#include "lower/lds/lds.h"
#include "lower/tile.h"
#include "memory.h"

typedef enum semantics {
    SEMANTICS_RELAXED = 1,
    SEMANTICS_ACQUIRE,
    SEMANTICS_RELEASE,
    SEMANTICS_ACQ_REL
} semantics_t;

typedef struct atomic {
    MlirOperation op;
    semantics_t semantics;
    const char *scope; // LLVM's name
    unsigned scope_id;
    kiln_tile_t *pointers, *mask;
    kiln_access_t access;
    LLVMTypeRef element; // of the result
    uint32_t group;      // elements of one operation: 2, or 1
} atomic_t;

// How tt's kinds map to LLVM's, for integers and for floats; -1 where there is none. And the
// operations of buffer resources.
#define BUFFER(name) "llvm.amdgcn.raw.ptr.buffer.atomic." name
static const struct {
    int on_integers, on_floats;
    const char *buffer;
} kinds[] = {
    [1] = {LLVMAtomicRMWBinOpAnd, -1, BUFFER("and")},
    [2] = {LLVMAtomicRMWBinOpOr, -1, BUFFER("or")},
    [3] = {LLVMAtomicRMWBinOpXor, -1, BUFFER("xor")},
    [4] = {LLVMAtomicRMWBinOpAdd, -1, BUFFER("add")},
    [5] = {-1, LLVMAtomicRMWBinOpFAdd, BUFFER("fadd")},
    [6] = {LLVMAtomicRMWBinOpMax, LLVMAtomicRMWBinOpFMax, NULL},
    [7] = {LLVMAtomicRMWBinOpMin, LLVMAtomicRMWBinOpFMin, NULL},
    [8] = {LLVMAtomicRMWBinOpUMax, -1, BUFFER("umax")},
    [9] = {LLVMAtomicRMWBinOpUMin, -1, BUFFER("umin")},
    [10] = {LLVMAtomicRMWBinOpXchg, LLVMAtomicRMWBinOpXchg, NULL},
    [11] = {LLVMAtomicRMWBinOpUIncWrap, -1, NULL},
    [12] = {LLVMAtomicRMWBinOpUDecWrap, -1, NULL},
};
#undef BUFFER

static bool acquires(const atomic_t *atomic)
{
    return atomic->semantics == SEMANTICS_ACQUIRE || atomic->semantics == SEMANTICS_ACQ_REL;
}
static bool releases(const atomic_t *atomic)
{
    return atomic->semantics == SEMANTICS_RELEASE || atomic->semantics == SEMANTICS_ACQ_REL;
}

static kiln_status_t begin_atomic(kiln_lowering_t *l, MlirOperation op, atomic_t *out)
{
    static const char *const scopes[] = {"agent", "agent", "workgroup", ""};
    int64_t scope = kiln_ir_int_attr(op, "scope", 1),
            semantics = kiln_ir_int_attr(op, "sem", SEMANTICS_ACQ_REL);
    *out = (atomic_t){.op = op,
                      .semantics = (semantics_t)semantics,
                      .scope = scopes[scope < 0 || scope > 3 ? 3 : scope],
                      .group = 1};
    out->scope_id = LLVMGetSyncScopeID(l->context, out->scope, strlen(out->scope));
    out->pointers = kiln_lower_operand(l, op, 0);
    if (!out->pointers)
        return kiln_lower_take_failure(l);
    return kiln_access_begin(l, op, out->pointers, (MlirValue){NULL}, &out->access);
}

static void add_flag(kiln_lowering_t *l, LLVMValueRef instruction, const char *name)
{
    LLVMSetMetadata(instruction, LLVMGetMDKindIDInContext(l->context, name, (unsigned)strlen(name)),
                    LLVMMetadataAsValue(l->context, LLVMMDNodeInContext2(l->context, NULL, 0)));
}

// Memory that a kernel's arguments point to is neither fine-grained nor on another device, which
// lets float additions be single instructions.
static LLVMValueRef emit_rmw(kiln_lowering_t *l, const atomic_t *atomic, LLVMAtomicRMWBinOp kind,
                             LLVMValueRef pointer, LLVMValueRef value)
{
    LLVMValueRef rmw = LLVMBuildAtomicRMWSyncScope(l->builder, kind, pointer, value,
                                                   LLVMAtomicOrderingMonotonic, atomic->scope_id);
    add_flag(l, rmw, "amdgpu.no.fine.grained.memory");
    add_flag(l, rmw, "amdgpu.no.remote.memory");
    if (kind == LLVMAtomicRMWBinOpFAdd && LLVMTypeOf(value) == l->f32)
        add_flag(l, rmw, "amdgpu.ignore.denormal.mode");
    return rmw;
}

// Buffer resources ----------------------------------------------------------------------------------

// Whether the operation may use its resource: it has no order that fences would have to make, its
// old value is unused, and no wider scope than the device needs other bits of the instruction.
static bool is_buffer_update(const kiln_lowering_t *l, const atomic_t *atomic, const char *name,
                             bool has_predicate)
{
    const kiln_resource_use_t use = atomic->access.resource;
    return name && kiln_llvm_bits(atomic->element) * atomic->group >= 32 &&
           (atomic->group == 1 || atomic->element == l->f16) && // no pairs of bf16
           atomic->semantics == SEMANTICS_RELAXED && atomic->scope[0] &&
           !kiln_value_has_uses(kiln_op_result(atomic->op, 0)) &&
           (use == KILN_RESOURCE_ALWAYS || (use == KILN_RESOURCE_MASKED && has_predicate));
}

static LLVMValueRef emit_buffer_update(kiln_lowering_t *l, atomic_t *atomic, const char *name,
                                       LLVMValueRef value, uint32_t reg, LLVMValueRef predicate)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMValueRef args[5] = {value, NULL, NULL, NULL, kiln_emit_i32(l, 0)};
    kiln_access_resource_address(l, &atomic->access, reg, predicate, args + 1);
    return kiln_emit_intrinsic(l, name, &type, 1, args, 5);
}

// The dword around an element of 8 or 16 bits.
typedef struct part {
    LLVMValueRef word;        // the dword's address
    LLVMValueRef shift, mask; // where the element is in it
    LLVMTypeRef bits;         // the element as an integer
} part_t;

static bool is_part(LLVMTypeRef type)
{
    return kiln_llvm_bits(type) < 32;
}

static part_t find_part(kiln_lowering_t *l, LLVMValueRef pointer, LLVMTypeRef type)
{
    LLVMBuilderRef b = l->builder;
    LLVMTypeRef overloads[2] = {LLVMTypeOf(pointer), l->i64};
    LLVMValueRef args[2] = {pointer, kiln_emit_i64(l, ~INT64_C(3))};
    LLVMValueRef low =
        LLVMBuildAnd(b, LLVMBuildTrunc(b, LLVMBuildPtrToInt(b, pointer, l->i64, ""), l->i32, ""),
                     kiln_emit_i32(l, 3), "");
    unsigned bits = kiln_llvm_bits(type);
    part_t part = {.word = kiln_emit_intrinsic(l, "llvm.ptrmask", overloads, 2, args, 2),
                   .shift = LLVMBuildShl(b, low, kiln_emit_i32(l, 3), ""),
                   .bits = LLVMIntTypeInContext(l->context, bits)};
    part.mask = LLVMBuildShl(b, kiln_emit_i32(l, (INT64_C(1) << bits) - 1), part.shift, "");
    return part;
}

static LLVMValueRef part_of(kiln_lowering_t *l, const part_t *part, LLVMValueRef word)
{
    return LLVMBuildTrunc(l->builder, LLVMBuildLShr(l->builder, word, part->shift, ""), part->bits,
                          "");
}

static LLVMValueRef with_part(kiln_lowering_t *l, const part_t *part, LLVMValueRef word,
                              LLVMValueRef value)
{
    LLVMValueRef others =
        LLVMBuildAnd(l->builder, word, LLVMBuildNot(l->builder, part->mask, ""), "");
    LLVMValueRef mine = LLVMBuildZExt(l->builder, kiln_emit_bits(l, value), l->i32, "");
    return LLVMBuildOr(l->builder, others, LLVMBuildShl(l->builder, mine, part->shift, ""), "");
}

static LLVMValueRef swap_word(kiln_lowering_t *l, const atomic_t *atomic, const part_t *part,
                              LLVMValueRef expected, LLVMValueRef desired)
{
    return LLVMBuildAtomicCmpXchgSyncScope(l->builder, part->word, expected, desired,
                                           LLVMAtomicOrderingMonotonic, LLVMAtomicOrderingMonotonic,
                                           atomic->scope_id);
}

static LLVMValueRef combine(kiln_lowering_t *l, LLVMAtomicRMWBinOp kind, LLVMValueRef old,
                            LLVMValueRef value)
{
    LLVMBuilderRef b = l->builder;
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMValueRef both[2] = {old, value}, zero = LLVMConstNull(type);
    switch (kind) {
    case LLVMAtomicRMWBinOpAnd:
        return LLVMBuildAnd(b, old, value, "");
    case LLVMAtomicRMWBinOpOr:
        return LLVMBuildOr(b, old, value, "");
    case LLVMAtomicRMWBinOpXor:
        return LLVMBuildXor(b, old, value, "");
    case LLVMAtomicRMWBinOpAdd:
        return LLVMBuildAdd(b, old, value, "");
    case LLVMAtomicRMWBinOpFAdd:
        return LLVMBuildFAdd(b, old, value, "");
    case LLVMAtomicRMWBinOpMax:
        return kiln_emit_intrinsic(l, "llvm.smax", &type, 1, both, 2);
    case LLVMAtomicRMWBinOpMin:
        return kiln_emit_intrinsic(l, "llvm.smin", &type, 1, both, 2);
    case LLVMAtomicRMWBinOpUMax:
        return kiln_emit_intrinsic(l, "llvm.umax", &type, 1, both, 2);
    case LLVMAtomicRMWBinOpUMin:
        return kiln_emit_intrinsic(l, "llvm.umin", &type, 1, both, 2);
    case LLVMAtomicRMWBinOpFMax:
        return kiln_emit_intrinsic(l, "llvm.maxnum", &type, 1, both, 2);
    case LLVMAtomicRMWBinOpFMin:
        return kiln_emit_intrinsic(l, "llvm.minnum", &type, 1, both, 2);
    case LLVMAtomicRMWBinOpUIncWrap:
        return LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntUGE, old, value, ""), zero,
                               LLVMBuildAdd(b, old, LLVMConstInt(type, 1, 0), ""), "");
    case LLVMAtomicRMWBinOpUDecWrap: {
        LLVMValueRef wraps = LLVMBuildOr(b, LLVMBuildICmp(b, LLVMIntEQ, old, zero, ""),
                                         LLVMBuildICmp(b, LLVMIntUGT, old, value, ""), "");
        return LLVMBuildSelect(b, wraps, value, LLVMBuildSub(b, old, LLVMConstInt(type, 1, 0), ""),
                               "");
    }
    default:
        return value;
    }
}

// The first guess is 0 instead of a loaded value as in LLVM's own loop: that load would read beyond
// a buffer that ends within the dword, which is not an error of the program. A wrong guess costs a
// round, as the load would have.
static LLVMValueRef emit_part_rmw(kiln_lowering_t *l, const atomic_t *atomic,
                                  LLVMAtomicRMWBinOp kind, LLVMValueRef pointer, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    part_t part = find_part(l, pointer, type);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(l->builder), loop = kiln_emit_block(l, "swap"),
                      done = kiln_emit_block(l, "swapped");
    LLVMBuildBr(l->builder, loop);
    LLVMPositionBuilderAtEnd(l->builder, loop);
    LLVMValueRef word = LLVMBuildPhi(l->builder, l->i32, ""), guess = kiln_emit_i32(l, 0);
    LLVMValueRef old = kiln_emit_from_bits(l, part_of(l, &part, word), type);
    LLVMValueRef pair =
        swap_word(l, atomic, &part, word, with_part(l, &part, word, combine(l, kind, old, value)));
    LLVMValueRef seen = LLVMBuildExtractValue(l->builder, pair, 0, "");
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(l->builder);
    LLVMBuildCondBr(l->builder, LLVMBuildExtractValue(l->builder, pair, 1, ""), done, loop);
    LLVMAddIncoming(word, &guess, &before, 1);
    LLVMAddIncoming(word, &seen, &latch, 1);
    LLVMPositionBuilderAtEnd(l->builder, done);
    return old;
}

// Swaps again if only the dword's other bytes differed from the guess.
static LLVMValueRef emit_part_cas(kiln_lowering_t *l, const atomic_t *atomic, LLVMValueRef pointer,
                                  LLVMValueRef expected, LLVMValueRef desired)
{
    part_t part = find_part(l, pointer, LLVMTypeOf(expected));
    LLVMBasicBlockRef before = LLVMGetInsertBlock(l->builder), loop = kiln_emit_block(l, "swap"),
                      done = kiln_emit_block(l, "swapped");
    LLVMBuildBr(l->builder, loop);
    LLVMPositionBuilderAtEnd(l->builder, loop);
    LLVMValueRef word = LLVMBuildPhi(l->builder, l->i32, ""), guess = kiln_emit_i32(l, 0);
    LLVMValueRef pair = swap_word(l, atomic, &part, with_part(l, &part, word, expected),
                                  with_part(l, &part, word, desired));
    LLVMValueRef seen = LLVMBuildExtractValue(l->builder, pair, 0, "");
    LLVMValueRef old = part_of(l, &part, seen);
    LLVMValueRef again = LLVMBuildAnd(
        l->builder, LLVMBuildNot(l->builder, LLVMBuildExtractValue(l->builder, pair, 1, ""), ""),
        LLVMBuildICmp(l->builder, LLVMIntEQ, old, expected, ""), "");
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(l->builder);
    LLVMBuildCondBr(l->builder, again, loop, done);
    LLVMAddIncoming(word, &guess, &before, 1);
    LLVMAddIncoming(word, &seen, &latch, 1);
    LLVMPositionBuilderAtEnd(l->builder, done);
    return old;
}

static void fence(kiln_lowering_t *l, const atomic_t *atomic, LLVMAtomicOrdering ordering)
{
    LLVMBuildFenceSyncScope(l->builder, ordering, atomic->scope_id, "");
}

// Waits for an acquiring scalar operation even if its result is unused, because other accesses may
// rely on its order.
static void await_operation(kiln_lowering_t *l, const atomic_t *atomic)
{
    if (!acquires(atomic) || atomic->pointers->layout || l->num_waves == 1 ||
        !strcmp(atomic->scope, "workgroup"))
        return;
    kiln_emit_no_sinking(l);
    kiln_emit_release_wait(l, KILN_WAIT_MEMORY);
    kiln_emit_rendezvous(l);
}

// If threads other than those that hold a result need it, all waves meet at a barrier.
static kiln_status_t share_results(kiln_lowering_t *l, const atomic_t *atomic, kiln_tile_t *result,
                                   LLVMValueRef writes, bool *out_have_synchronized)
{
    uint32_t offset;
    kiln_atomic_plan_t plan;
    KILN_TRY(kiln_plan_atomic(atomic->op, l->num_waves, &plan));
    *out_have_synchronized = plan.shares;
    if (!plan.shares)
        return KILN_OK;
    KILN_TRY(kiln_lower_scratch(atomic->op, &offset));
    kiln_layout_t map = kiln_layout_row_major(&plan.places);
    LLVMTypeRef stored = kiln_stored_type(l, result->element);
    kiln_lds_transfer_t transfer = {
        .map = &map, .base = {NULL, NULL, offset}, .element = stored, .predicate = writes};
    for (uint32_t r = 0; r < result->count; r++)
        result->values[r] = kiln_to_stored(l, result->values[r]);
    kiln_lds_store(l, &transfer, result->values);
    kiln_emit_barrier(l);
    kiln_lds_load(l, &transfer, result->values);
    for (uint32_t r = 0; r < result->count; r++) {
        result->values[r] = kiln_from_stored(l, result->values[r], result->element);
        if (!result->layout)
            result->values[r] = kiln_emit_uniform(l, result->values[r]);
    }
    return KILN_OK;
}

// The value of register `reg`, or of the pair that begins there.
static LLVMValueRef group_value(kiln_lowering_t *l, const atomic_t *atomic, kiln_tile_t *tile,
                                uint32_t reg)
{
    LLVMValueRef first = kiln_tile_value(l, tile, tile->layout ? reg : 0);
    if (atomic->group == 1)
        return first;
    LLVMValueRef pair = LLVMGetPoison(LLVMVectorType(LLVMTypeOf(first), atomic->group));
    for (uint32_t k = 0; k < atomic->group; k++)
        pair = LLVMBuildInsertElement(l->builder, pair, kiln_tile_value(l, tile, reg + k),
                                      kiln_emit_i32(l, k), "");
    return pair;
}

typedef LLVMValueRef (*emit_atomic_t)(kiln_lowering_t *l, const atomic_t *atomic,
                                      LLVMValueRef pointer, kiln_tile_t *const *operands,
                                      uint32_t reg);

static kiln_status_t lower_atomic(kiln_lowering_t *l, atomic_t *atomic,
                                  kiln_tile_t *const *operands, emit_atomic_t emit,
                                  const char *buffer)
{
    kiln_tile_t *result =
        kiln_tile_create(l, mlirValueGetType(mlirOperationGetResult(atomic->op, 0)));
    if (!result)
        return KILN_OK;
    atomic->element = result->element;
    const kiln_layout_t *layout = atomic->pointers->layout;
    LLVMValueRef writes = kiln_lower_writes(l, layout);
    uint32_t copies = layout ? kiln_layout_free_bits(layout, KILN_REGISTER) : 0;
    if (releases(atomic)) {
        kiln_emit_no_sinking(l);
        fence(l, atomic, LLVMAtomicOrderingRelease);
        kiln_emit_release_wait(l, KILN_WAIT_MEMORY);
        if (!layout)
            kiln_emit_rendezvous(l);
    }
    for (uint32_t r = 0; r < result->count; r++) {
        if (r % atomic->group) { // unused, as all of a pair
            result->values[r] = LLVMConstNull(result->element);
            continue;
        }
        if (r & copies) {
            result->values[r] = result->values[kiln_layout_canonical_register(layout, r)];
            continue;
        }
        LLVMValueRef predicate =
            atomic->mask ? kiln_tile_value(l, atomic->mask, atomic->mask->layout ? r : 0) : NULL;
        if (predicate && LLVMIsAConstantInt(predicate) && LLVMConstIntGetZExtValue(predicate))
            predicate = NULL;
        if (writes)
            predicate = predicate ? LLVMBuildAnd(l->builder, predicate, writes, "") : writes;
        // Values that the new block uses must be emitted before it.
        for (int i = 0; operands[i]; i++)
            for (uint32_t k = 0; k < atomic->group; k++)
                kiln_tile_value(l, operands[i], operands[i]->layout ? r + k : 0);
        if (is_buffer_update(l, atomic, buffer, predicate != NULL)) {
            LLVMValueRef value = group_value(l, atomic, operands[0], r);
            LLVMValueRef old = emit_buffer_update(l, atomic, buffer, value, r, predicate);
            result->values[r] = atomic->group > 1 ? LLVMConstNull(result->element) : old;
            continue;
        }
        LLVMBasicBlockRef before = LLVMGetInsertBlock(l->builder), body = NULL, after = NULL;
        if (predicate) {
            body = kiln_emit_block(l, "atomic");
            after = kiln_emit_block(l, "atomic.done");
            LLVMBuildCondBr(l->builder, predicate, body, after);
            LLVMPositionBuilderAtEnd(l->builder, body);
        }
        LLVMValueRef old = emit(l, atomic, kiln_access_pointer(l, &atomic->access, r), operands, r);
        if (atomic->group > 1)
            old = LLVMConstNull(result->element);
        else if (LLVMTypeOf(old) != result->element)
            old = kiln_emit_from_bits(l, old, result->element);
        if (after) {
            LLVMBasicBlockRef body_end = LLVMGetInsertBlock(l->builder);
            LLVMBuildBr(l->builder, after);
            LLVMPositionBuilderAtEnd(l->builder, after);
            LLVMValueRef none = LLVMConstNull(result->element),
                         phi = LLVMBuildPhi(l->builder, result->element, "");
            LLVMAddIncoming(phi, &old, &body_end, 1);
            LLVMAddIncoming(phi, &none, &before, 1);
            old = phi;
        }
        result->values[r] = old;
    }
    bool have_synchronized;
    KILN_TRY(share_results(l, atomic, result, writes, &have_synchronized));
    if (!have_synchronized)
        await_operation(l, atomic);
    if (acquires(atomic))
        fence(l, atomic, LLVMAtomicOrderingAcquire);
    result->block = LLVMGetInsertBlock(l->builder);
    kiln_lower_bind_result(l, atomic->op, 0, result);
    return KILN_OK;
}

static LLVMValueRef emit_atomic_rmw(kiln_lowering_t *l, const atomic_t *atomic,
                                    LLVMValueRef pointer, kiln_tile_t *const *operands,
                                    uint32_t reg)
{
    int64_t kind = kiln_ir_int_attr(atomic->op, "atomic_rmw_op", 0);
    LLVMValueRef value = group_value(l, atomic, operands[0], reg);
    bool is_integer = LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMIntegerTypeKind;
    LLVMAtomicRMWBinOp how =
        (LLVMAtomicRMWBinOp)(is_integer ? kinds[kind].on_integers : kinds[kind].on_floats);
    return (is_part(LLVMTypeOf(value)) ? emit_part_rmw : emit_rmw)(l, atomic, how, pointer, value);
}

// Whether all pairs of registers hold neighbours of one dword, under one mask.
static bool is_in_pairs(const kiln_lowering_t *l, const atomic_t *atomic)
{
    const MlirOperation op = atomic->op;
    const MlirValue none = {NULL};
    if (!kiln_atomic_takes_pairs(op) || !atomic->pointers->layout)
        return false;
    const kiln_axis_access_t proved = kiln_axis_access(
        l->axis, mlirOperationGetOperand(op, 0),
        atomic->mask ? mlirOperationGetOperand(op, 2) : none, KILN_AXIS_DISTINCT, l->num_waves);
    return proved.elements >= 2 && proved.alignment >= 4;
}

kiln_status_t kiln_lower_atomic_rmw(kiln_lowering_t *l, MlirOperation op)
{
    atomic_t atomic;
    KILN_TRY(begin_atomic(l, op, &atomic));
    kiln_tile_t *operands[2] = {kiln_lower_operand(l, op, 1), NULL};
    if (mlirOperationGetNumOperands(op) > 2 && !(atomic.mask = kiln_lower_operand(l, op, 2)))
        return KILN_OK;
    if (!operands[0])
        return KILN_OK;
    int64_t kind = kiln_ir_int_attr(op, "atomic_rmw_op", 0);
    bool is_integer = LLVMGetTypeKind(operands[0]->element) == LLVMIntegerTypeKind;
    if (kind < 1 || kind >= (int64_t)(sizeof kinds / sizeof *kinds) ||
        (is_integer ? kinds[kind].on_integers : kinds[kind].on_floats) < 0)
        return kiln_op_unsupported(op, "this kind of operation on this type");
    if (is_in_pairs(l, &atomic))
        atomic.group = 2;
    return lower_atomic(l, &atomic, operands, emit_atomic_rmw, kinds[kind].buffer);
}

static LLVMValueRef emit_cas(kiln_lowering_t *l, const atomic_t *atomic, LLVMValueRef pointer,
                             kiln_tile_t *const *operands, uint32_t reg)
{
    LLVMValueRef expected =
        kiln_emit_bits(l, kiln_tile_value(l, operands[0], operands[0]->layout ? reg : 0));
    LLVMValueRef desired =
        kiln_emit_bits(l, kiln_tile_value(l, operands[1], operands[1]->layout ? reg : 0));
    if (is_part(LLVMTypeOf(expected)))
        return emit_part_cas(l, atomic, pointer, expected, desired);
    LLVMValueRef pair = LLVMBuildAtomicCmpXchgSyncScope(
        l->builder, pointer, expected, desired, LLVMAtomicOrderingMonotonic,
        LLVMAtomicOrderingMonotonic, atomic->scope_id);
    return LLVMBuildExtractValue(l->builder, pair, 0, "");
}

kiln_status_t kiln_lower_atomic_cas(kiln_lowering_t *l, MlirOperation op)
{
    atomic_t atomic;
    KILN_TRY(begin_atomic(l, op, &atomic));
    kiln_tile_t *operands[3] = {kiln_lower_operand(l, op, 1), kiln_lower_operand(l, op, 2), NULL};
    if (!operands[0] || !operands[1])
        return KILN_OK;
    return lower_atomic(l, &atomic, operands, emit_cas, NULL);
}

static LLVMValueRef load_once(kiln_lowering_t *l, const atomic_t *atomic, LLVMTypeRef type,
                              LLVMValueRef pointer)
{
    LLVMValueRef value = LLVMBuildLoad2(l->builder, type, pointer, "");
    LLVMSetAlignment(value, atomic->access.bytes);
    LLVMSetOrdering(value, LLVMAtomicOrderingMonotonic);
    LLVMSetAtomicSyncScopeID(value, atomic->scope_id);
    return value;
}

static LLVMValueRef emit_atomic_load(kiln_lowering_t *l, const atomic_t *atomic,
                                     LLVMValueRef pointer, kiln_tile_t *const *operands,
                                     uint32_t reg)
{
    (void)operands;
    (void)reg;
    return kiln_from_stored(l, load_once(l, atomic, kiln_stored_type(l, atomic->element), pointer),
                            atomic->element);
}

kiln_status_t kiln_lower_atomic_load(kiln_lowering_t *l, MlirOperation op)
{
    atomic_t atomic;
    KILN_TRY(begin_atomic(l, op, &atomic));
    if (mlirOperationGetNumOperands(op) > 1 && !(atomic.mask = kiln_lower_operand(l, op, 1)))
        return KILN_OK;
    kiln_tile_t *const none[] = {NULL};
    return lower_atomic(l, &atomic, none, emit_atomic_load, NULL);
}

typedef struct time_limit {
    LLVMValueRef start, nanoseconds; // NULL where there is none
} time_limit_t;

// One element's loop; its lanes leave it one by one.
static LLVMValueRef emit_poll(kiln_lowering_t *l, const atomic_t *atomic, LLVMValueRef address,
                              LLVMValueRef wanted, const time_limit_t *limit)
{
    enum { NANOSECONDS_PER_TICK = 10 };
    bool has_limit = limit->nanoseconds != NULL;
    LLVMBasicBlockRef spin = kiln_emit_block(l, "poll"),
                      late = has_limit ? kiln_emit_block(l, "poll.time") : spin,
                      done = kiln_emit_block(l, "polled");
    LLVMBuildBr(l->builder, spin);
    LLVMPositionBuilderAtEnd(l->builder, spin);
    LLVMValueRef value = load_once(l, atomic, LLVMTypeOf(wanted), address);
    LLVMBuildCondBr(l->builder, LLVMBuildICmp(l->builder, LLVMIntEQ, value, wanted, ""), done,
                    late);
    if (has_limit) {
        LLVMPositionBuilderAtEnd(l->builder, late);
        LLVMValueRef now = kiln_emit_intrinsic(l, "llvm.amdgcn.s.memrealtime", NULL, 0, NULL, 0);
        LLVMValueRef elapsed =
            LLVMBuildMul(l->builder, LLVMBuildSub(l->builder, now, limit->start, ""),
                         kiln_emit_i64(l, NANOSECONDS_PER_TICK), "");
        LLVMBuildCondBr(l->builder,
                        LLVMBuildICmp(l->builder, LLVMIntUGE, elapsed, limit->nanoseconds, ""),
                        done, spin);
    }
    LLVMPositionBuilderAtEnd(l->builder, done);
    if (!has_limit)
        return kiln_emit_i1(l, true);
    LLVMValueRef ways[] = {kiln_emit_i1(l, true), kiln_emit_i1(l, false)},
                 seen = LLVMBuildPhi(l->builder, l->i1, "");
    LLVMBasicBlockRef from[] = {spin, late};
    LLVMAddIncoming(seen, ways, from, 2);
    return seen;
}

// Every wave spins by itself, since another workgroup writes the value that it waits for. With a
// time limit, threads that hold the same element may see different values when it expires; the
// value that the first one saw is the result for all.
kiln_status_t kiln_lower_atomic_poll(kiln_lowering_t *l, MlirOperation op)
{
    kiln_tile_t *expected = kiln_lower_operand(l, op, 1);
    bool has_limit = mlirOperationGetNumOperands(op) > 2;
    time_limit_t limit = {.nanoseconds = has_limit ? kiln_lower_scalar(l, op, 2) : NULL};
    kiln_tile_t *result = kiln_tile_create(l, mlirValueGetType(mlirOperationGetResult(op, 0)));
    if (!expected || !result || (has_limit && !limit.nanoseconds))
        return KILN_OK;
    atomic_t atomic;
    KILN_TRY(begin_atomic(l, op, &atomic));
    const kiln_layout_t *layout = atomic.pointers->layout;
    uint32_t copies = layout ? kiln_layout_free_bits(layout, KILN_REGISTER) : 0;
    if (has_limit)
        limit.start = kiln_emit_intrinsic(l, "llvm.amdgcn.s.memrealtime", NULL, 0, NULL, 0);
    for (uint32_t r = 0; r < result->count; r++) {
        if (r & copies) {
            result->values[r] = result->values[kiln_layout_canonical_register(layout, r)];
            continue;
        }
        LLVMValueRef wanted = kiln_tile_value(l, expected, expected->layout ? r : 0);
        result->values[r] =
            emit_poll(l, &atomic, kiln_access_pointer(l, &atomic.access, r), wanted, &limit);
    }
    bool have_synchronized;
    if (has_limit)
        KILN_TRY(
            share_results(l, &atomic, result, kiln_lower_writes(l, layout), &have_synchronized));
    if (acquires(&atomic))
        fence(l, &atomic, LLVMAtomicOrderingAcquire);
    result->block = LLVMGetInsertBlock(l->builder);
    kiln_lower_bind_result(l, op, 0, result);
    return KILN_OK;
}
