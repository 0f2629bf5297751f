// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two tables: what operations do to memory, and which of them have a mask.
#include "passes/loop_effects.h"

enum {
    NO_OBJECT = -1,
    RESULT = -2, // the object is the operation's result
    DEPTH = 16,  // of the search for an object
};

typedef struct effect_row {
    int effects;
    int global, lds; // operand groups that say what is accessed
} effect_row_t;

#define ROW(id, effects, global, lds) [KILN_OP_##id] = {effects, global, lds}
static const effect_row_t EFFECTS[KILN_OP_COUNT] = {
    ROW(UNKNOWN, KILN_ORDERED, NO_OBJECT, NO_OBJECT),
    ROW(TT_LOAD, KILN_READS_GLOBAL, 0, NO_OBJECT),
    ROW(TT_STORE, KILN_WRITES_GLOBAL, 0, NO_OBJECT),
    ROW(TT_ATOMIC_RMW, KILN_ORDERED, NO_OBJECT, NO_OBJECT),
    ROW(TT_ATOMIC_CAS, KILN_ORDERED, NO_OBJECT, NO_OBJECT),
    ROW(TT_ATOMIC_LOAD, KILN_ORDERED, NO_OBJECT, NO_OBJECT),
    ROW(TT_ATOMIC_POLL, KILN_ORDERED, NO_OBJECT, NO_OBJECT),
    ROW(TT_GRID_DEPENDENCY_WAIT, KILN_ORDERED, NO_OBJECT, NO_OBJECT),
    ROW(TT_GRID_DEPENDENCY_LAUNCH_DEPENDENTS, KILN_ORDERED, NO_OBJECT, NO_OBJECT),
    ROW(TT_PRINT, KILN_ORDERED, NO_OBJECT, NO_OBJECT),
    ROW(TT_ASSERT, KILN_ORDERED, NO_OBJECT, NO_OBJECT),
    ROW(CF_ASSERT, KILN_ORDERED, NO_OBJECT, NO_OBJECT),
    ROW(TT_CALL, KILN_ORDERED, NO_OBJECT, NO_OBJECT),
    ROW(TT_DESCRIPTOR_LOAD, KILN_ORDERED, NO_OBJECT, NO_OBJECT),
    ROW(TT_DESCRIPTOR_STORE, KILN_ORDERED, NO_OBJECT, NO_OBJECT),
    ROW(TT_EXPERIMENTAL_DESCRIPTOR_LOAD, KILN_ORDERED, NO_OBJECT, NO_OBJECT),
    ROW(TT_EXPERIMENTAL_DESCRIPTOR_STORE, KILN_ORDERED, NO_OBJECT, NO_OBJECT),
    ROW(TT_DESCRIPTOR_REDUCE, KILN_ORDERED, NO_OBJECT, NO_OBJECT),
    ROW(TT_DESCRIPTOR_GATHER, KILN_ORDERED, NO_OBJECT, NO_OBJECT),
    ROW(TT_DESCRIPTOR_SCATTER, KILN_ORDERED, NO_OBJECT, NO_OBJECT),
    ROW(TTG_LOCAL_ALLOC, KILN_WRITES_LDS, NO_OBJECT, RESULT),
    ROW(TTG_LOCAL_DEALLOC, KILN_WRITES_LDS, NO_OBJECT, 0),
    ROW(TTG_LOCAL_LOAD, KILN_READS_LDS, NO_OBJECT, 0),
    ROW(TTG_LOCAL_GATHER, KILN_READS_LDS, NO_OBJECT, 0),
    ROW(TTG_LOCAL_STORE, KILN_WRITES_LDS, NO_OBJECT, 1),
    ROW(TTG_ASYNC_COPY_GLOBAL_TO_LOCAL, KILN_READS_GLOBAL | KILN_WRITES_LDS, 0, 1),
    ROW(TTG_ASYNC_COMMIT_GROUP, KILN_ASYNC, NO_OBJECT, NO_OBJECT),
    ROW(TTG_ASYNC_WAIT, KILN_ASYNC, NO_OBJECT, NO_OBJECT),
    ROW(AMDG_ASYNC_WAIT, KILN_ASYNC, NO_OBJECT, NO_OBJECT),
    ROW(TTG_LOCAL_BARRIER, KILN_ORDERED, NO_OBJECT, NO_OBJECT),
    ROW(TTG_BARRIER, KILN_ORDERED, NO_OBJECT, NO_OBJECT),
    ROW(GPU_BARRIER, KILN_ORDERED, NO_OBJECT, NO_OBJECT),
    ROW(AMDG_BUFFER_LOAD, KILN_READS_GLOBAL, 0, NO_OBJECT),
    ROW(AMDG_BUFFER_STORE, KILN_WRITES_GLOBAL, 1, NO_OBJECT),
    ROW(AMDG_BUFFER_ATOMIC_RMW, KILN_ORDERED, NO_OBJECT, NO_OBJECT),
    ROW(AMDG_BUFFER_ATOMIC_CAS, KILN_ORDERED, NO_OBJECT, NO_OBJECT),
    ROW(AMDG_BUFFER_LOAD_TO_LOCAL, KILN_READS_GLOBAL | KILN_WRITES_LDS, 1, 0),
    ROW(AMDG_COND_BARRIER, KILN_ORDERED, NO_OBJECT, NO_OBJECT),
    ROW(AMDG_MEMORY_COUNTER_WAIT, KILN_ORDERED, NO_OBJECT, NO_OBJECT),
    ROW(AMDG_INSTRUCTION_SCHED_HINT, KILN_ORDERED, NO_OBJECT, NO_OBJECT),
    ROW(ROCDL_S_SETPRIO, KILN_ORDERED, NO_OBJECT, NO_OBJECT),
    ROW(ROCDL_SCHED_BARRIER, KILN_ORDERED, NO_OBJECT, NO_OBJECT),
    ROW(ROCDL_SCHED_GROUP_BARRIER, KILN_ORDERED, NO_OBJECT, NO_OBJECT),
    ROW(ROCDL_IGLP_OPT, KILN_ORDERED, NO_OBJECT, NO_OBJECT),
    ROW(ROCDL_S_BARRIER, KILN_ORDERED, NO_OBJECT, NO_OBJECT),
    ROW(ROCDL_S_WAITCNT, KILN_ORDERED, NO_OBJECT, NO_OBJECT),
};
#undef ROW

bool kiln_op_is_view(kiln_op_t kind)
{
    return kind == KILN_OP_TTG_MEMDESC_INDEX || kind == KILN_OP_TTG_MEMDESC_SUBSLICE ||
           kind == KILN_OP_TTG_MEMDESC_TRANS || kind == KILN_OP_TTG_MEMDESC_RESHAPE ||
           kind == KILN_OP_TTG_MEMDESC_REINTERPRET;
}

// Objects --------------------------------------------------------------------------------------------------------

// Whether the operation's result points where its first operand does, or near it in the same object.
static bool passes_pointer(kiln_op_t kind)
{
    return kind == KILN_OP_TT_ADDPTR || kind == KILN_OP_TT_SPLAT || kind == KILN_OP_TT_UNSPLAT ||
           kind == KILN_OP_TT_BROADCAST || kind == KILN_OP_TT_EXPAND_DIMS || kind == KILN_OP_TT_RESHAPE ||
           kind == KILN_OP_TT_TRANS || kind == KILN_OP_TT_BITCAST || kind == KILN_OP_TTG_CONVERT_LAYOUT ||
           kiln_op_is_view(kind);
}

// The argument or buffer that a pointer or descriptor comes from. One carried around a loop must come back from where
// it started: `loops` are the loop arguments that are being followed.
static MlirValue object_of(MlirValue value, const MlirValue *loops, int loop_count)
{
    const MlirValue unknown = {NULL};
    for (;;) {
        MlirOperation op;
        kiln_op_t kind = kiln_value_op(value, &op);
        if (kind == KILN_OP_TTG_LOCAL_ALLOC)
            return value;
        if (!mlirValueIsABlockArgument(value)) {
            if (!passes_pointer(kind))
                return unknown;
            value = kiln_op_operand(op, 0);
            continue;
        }
        MlirBlock block = mlirBlockArgumentGetOwner(value);
        MlirOperation parent = mlirBlockGetParentOperation(block);
        int number = (int)mlirBlockArgumentGetArgNumber(value);
        if (kiln_op_kind(parent) == KILN_OP_TT_FUNC)
            return mlirBlockEqual(block, kiln_op_body(parent, 0)) ? value : unknown;
        if (kiln_op_kind(parent) != KILN_OP_SCF_FOR || number < 1 || loop_count == DEPTH)
            return unknown;
        for (int i = 0; i < loop_count; i++)
            if (mlirValueEqual(loops[i], value))
                return value; // came back
        MlirValue followed[DEPTH];
        for (int i = 0; i < loop_count; i++)
            followed[i] = loops[i];
        followed[loop_count] = value;
        MlirValue first = object_of(kiln_op_operand(parent, number + 2), loops, loop_count);
        MlirValue next =
            object_of(mlirOperationGetOperand(kiln_block_terminator(block), number - 1), followed, loop_count + 1);
        return !mlirValueIsNull(first) && (mlirValueEqual(next, value) || mlirValueEqual(next, first)) ? first
                                                                                                       : unknown;
    }
}

// Effects --------------------------------------------------------------------------------------------------------

static bool is_pure_foreign_code(MlirOperation op, kiln_op_t kind)
{
    return (kind == KILN_OP_TT_ELEMENTWISE_INLINE_ASM || kind == KILN_OP_TT_EXTERN_ELEMENTWISE) &&
           kiln_ir_int_attr(op, "pure", 0) != 0;
}

kiln_access_t kiln_op_access(MlirOperation op)
{
    kiln_op_t kind = kiln_op_kind(op);
    const effect_row_t *row = &EFFECTS[kind];
    kiln_access_t access = {.effects = row->effects};
    bool is_code = kind == KILN_OP_TT_ELEMENTWISE_INLINE_ASM || kind == KILN_OP_TT_EXTERN_ELEMENTWISE;
    if (is_code && !is_pure_foreign_code(op, kind))
        access.effects = KILN_ORDERED;
    if (kind == KILN_OP_TT_LOAD && kiln_ir_int_attr(op, "isVolatile", 0) != 0)
        access.effects = KILN_ORDERED;
    if (access.effects & (KILN_READS_LDS | KILN_WRITES_LDS))
        access.lds = object_of(row->lds == RESULT ? kiln_op_result(op, 0) : kiln_op_segment(op, row->lds), NULL, 0);
    if (access.effects & (KILN_READS_GLOBAL | KILN_WRITES_GLOBAL))
        access.global = object_of(kiln_op_segment(op, row->global), NULL, 0);
    if (kind == KILN_OP_TTG_LOCAL_ALLOC && mlirOperationGetNumOperands(op) == 0)
        access.effects = 0; // only makes room
    return access;
}

static MlirWalkResult add_effects(MlirOperation op, void *user)
{
    *(int *)user |= kiln_op_access(op).effects;
    return MlirWalkResultAdvance;
}

int kiln_op_effects(MlirOperation op)
{
    int effects = 0;
    kiln_walk(op, MlirWalkPreOrder, add_effects, &effects);
    return effects;
}

static bool may_meet(MlirValue a, MlirValue b)
{
    return mlirValueIsNull(a) || mlirValueIsNull(b) || mlirValueEqual(a, b);
}

bool kiln_accesses_conflict(const kiln_access_t *a, const kiln_access_t *b)
{
    static const int MEMORIES[2][2] = {{KILN_READS_GLOBAL, KILN_WRITES_GLOBAL}, {KILN_READS_LDS, KILN_WRITES_LDS}};
    if (((a->effects & KILN_ORDERED) && b->effects) || ((b->effects & KILN_ORDERED) && a->effects))
        return true;
    for (int m = 0; m < 2; m++) {
        int any = MEMORIES[m][0] | MEMORIES[m][1];
        if ((a->effects & any) && (b->effects & any) && ((a->effects | b->effects) & MEMORIES[m][1]) &&
            (m == 0 ? may_meet(a->global, b->global) : may_meet(a->lds, b->lds)))
            return true;
    }
    return false;
}

// Masks ----------------------------------------------------------------------------------------------------------

bool kiln_op_mask(kiln_op_t kind, int *out_mask, int *out_shape)
{
    static const struct {
        kiln_op_t kind;
        int mask, shape;
    } MASKED[] = {
        {KILN_OP_TT_LOAD, 1, 0},
        {KILN_OP_TT_STORE, 2, 0},
        {KILN_OP_TTG_ASYNC_COPY_GLOBAL_TO_LOCAL, 2, 0},
        {KILN_OP_AMDG_BUFFER_LOAD, 3, 1},
        {KILN_OP_AMDG_BUFFER_STORE, 4, 2},
        {KILN_OP_AMDG_BUFFER_LOAD_TO_LOCAL, 3, 2},
    };
    for (size_t i = 0; i < sizeof MASKED / sizeof *MASKED; i++) {
        if (MASKED[i].kind != kind)
            continue;
        *out_mask = MASKED[i].mask;
        *out_shape = MASKED[i].shape;
        return true;
    }
    return false;
}
