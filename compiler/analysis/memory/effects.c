// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the objects that operations access through their pointers and descriptors, and which
// operations have a mask.
#include "analysis/memory/effects.h"

#include "analysis/memory/global_access.h"
#include "builder/ir.h"

enum { DEPTH = 16 }; // of the search for an object

bool kiln_op_is_view(kiln_op_t kind)
{
    return kiln_op_has(kind, KILN_VIEW);
}

// Objects -----------------------------------------------------------------------------------------

// Returns the argument or buffer that a pointer or descriptor comes from. A loop-carried one must
// return to its start: `loops` are the loop arguments on the current path.
static MlirValue object_of(MlirValue value, const MlirValue *loops, int loop_count)
{
    const MlirValue unknown = {NULL};
    for (;;) {
        MlirOperation op;
        kiln_op_t kind = kiln_value_op(value, &op);
        if (kind == KILN_OP_TTG_LOCAL_ALLOC)
            return value;
        if (!mlirValueIsABlockArgument(value)) {
            if (!kiln_op_has(kind, KILN_NEAR))
                return unknown;
            value = kiln_op_operand(op, 0);
            continue;
        }
        MlirBlock block = mlirBlockArgumentGetOwner(value);
        MlirOperation parent = mlirBlockGetParentOperation(block);
        int number = (int)mlirBlockArgumentGetArgNumber(value);
        if (kiln_op_kind(parent) == KILN_OP_TT_FUNC)
            return kiln_is_kernel_argument(value) ? value : unknown;
        if (kiln_op_kind(parent) != KILN_OP_SCF_FOR || number < 1 || loop_count == DEPTH)
            return unknown;
        for (int i = 0; i < loop_count; i++)
            if (mlirValueEqual(loops[i], value))
                return value; // returned to its start
        MlirValue followed[DEPTH];
        for (int i = 0; i < loop_count; i++)
            followed[i] = loops[i];
        followed[loop_count] = value;
        MlirValue first = object_of(kiln_op_operand(parent, number + 2), loops, loop_count);
        MlirValue next =
            object_of(mlirOperationGetOperand(kiln_block_terminator(block), number - 1), followed,
                      loop_count + 1);
        return !mlirValueIsNull(first) &&
                       (mlirValueEqual(next, value) || mlirValueEqual(next, first))
                   ? first
                   : unknown;
    }
}

// Effects -----------------------------------------------------------------------------------------

// A relaxed read-modify-write orders no other access. If its old value is unused, it is only an
// update of what it points to, which happens at any time between its neighbours there.
static bool is_update(MlirOperation op)
{
    enum { RELAXED = 1, ACQ_REL = 4 };
    return kiln_op_kind(op) == KILN_OP_TT_ATOMIC_RMW &&
           kiln_ir_int_attr(op, "sem", ACQ_REL) == RELAXED &&
           !kiln_value_has_uses(kiln_op_result(op, 0));
}

kiln_access_t kiln_op_access(MlirOperation op)
{
    if (is_update(op))
        return (kiln_access_t){.effects = KILN_READS_GLOBAL | KILN_WRITES_GLOBAL,
                               .global = object_of(kiln_op_operand(op, 0), NULL, 0)};
    const kiln_op_facts_t *facts = kiln_op_facts(kiln_op_kind(op));
    kiln_access_t access = {.effects = kiln_op_own_effects(op)};
    if (access.effects & (KILN_READS_LDS | KILN_WRITES_LDS))
        access.lds = object_of(facts->lds == KILN_RESULT_OBJECT ? kiln_op_result(op, 0)
                                                                : kiln_op_segment(op, facts->lds),
                               NULL, 0);
    if (access.effects & (KILN_READS_GLOBAL | KILN_WRITES_GLOBAL))
        access.global = object_of(kiln_op_segment(op, facts->global), NULL, 0);
    return access;
}

static bool may_meet(MlirValue a, MlirValue b)
{
    return mlirValueIsNull(a) || mlirValueIsNull(b) || mlirValueEqual(a, b);
}

bool kiln_accesses_conflict(const kiln_access_t *a, const kiln_access_t *b)
{
    static const int MEMORIES[2][2] = {{KILN_READS_GLOBAL, KILN_WRITES_GLOBAL},
                                       {KILN_READS_LDS, KILN_WRITES_LDS}};
    int of_a = a->effects & ~KILN_CLAIMS, of_b = b->effects & ~KILN_CLAIMS;
    if (((of_a & KILN_ORDERED) && of_b) || ((of_b & KILN_ORDERED) && of_a))
        return true;
    for (int m = 0; m < 2; m++) {
        int any = MEMORIES[m][0] | MEMORIES[m][1];
        if ((a->effects & any) && (b->effects & any) &&
            ((a->effects | b->effects) & MEMORIES[m][1]) &&
            (m == 0 ? may_meet(a->global, b->global) : may_meet(a->lds, b->lds)))
            return true;
    }
    return false;
}

// Masks -------------------------------------------------------------------------------------------

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

MlirValue kiln_mask_of(MlirOperation op)
{
    int mask, shape;
    return kiln_op_mask(kiln_op_kind(op), &mask, &shape) ? kiln_op_segment(op, mask)
                                                         : (MlirValue){NULL};
}

MlirValue kiln_tile_mask(MlirOperation op)
{
    const MlirValue none = {NULL};
    const kiln_op_t kind = kiln_op_kind(op);
    if ((kind != KILN_OP_TT_LOAD && kind != KILN_OP_TT_STORE) ||
        kiln_ir_int_attr(op, "isVolatile", 0))
        return none;
    const MlirValue mask = kiln_mask_of(op);
    return !mlirValueIsNull(mask) && kiln_type_is_tensor(mlirValueGetType(mask)) ? mask : none;
}
