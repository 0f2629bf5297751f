// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of effects (dialects/effects.def), with a check that every operation has a row.
#include "builder/op_facts.h"

#include "builder/ir.h"

// The words of the table.
enum {
    // effects
    READS_GLOBAL = KILN_READS_GLOBAL,
    WRITES_GLOBAL = KILN_WRITES_GLOBAL,
    READS_LDS = KILN_READS_LDS,
    WRITES_LDS = KILN_WRITES_LDS,
    ORDERED = KILN_ORDERED,
    ASYNC = KILN_ASYNC,
    CLAIMS = KILN_CLAIMS,
    UNLESS_PURE = 256,
    UNLESS_VOLATILE = 512,
    IF_GIVEN = 1024,
    CONDITIONS = UNLESS_PURE | UNLESS_VOLATILE | IF_GIVEN,
    // operand groups
    NONE = KILN_NO_OBJECT,
    RESULT = KILN_RESULT_OBJECT,
    // traits
    ELEMENTWISE = KILN_ELEMENTWISE,
    LEAF = KILN_LEAF,
    PLAIN = KILN_PLAIN,
    DIVIDES = KILN_DIVIDES,
    LIBRARY = KILN_LIBRARY,
    NEAR = KILN_NEAR,
    VIEW = KILN_VIEW,
    REPEATS = KILN_REPEATS,
    LOOPS = KILN_LOOPS,
    TERMINATOR = KILN_TERMINATOR,
    UNIFORM = KILN_UNIFORM_OF_OPERANDS,
};

static const kiln_op_facts_t facts[] = {
    [KILN_OP_UNKNOWN] = {ORDERED, NONE, NONE, KILN_REMAT_NEVER, LOOPS},
#define KILN_EFFECTS(id, effects, remat, traits)                                                   \
    [KILN_OP_##id] = {effects, NONE, NONE, KILN_REMAT_##remat, traits},
#define KILN_ACCESS(id, effects, global, lds)                                                      \
    [KILN_OP_##id] = {effects, global, lds, KILN_REMAT_NEVER, 0},
#include "effects.def"
#undef KILN_EFFECTS
#undef KILN_ACCESS
};

// The rows' numbers, to check that there is one for each operation, in the same order.
enum {
    ROW_UNKNOWN,
#define KILN_EFFECTS(id, effects, remat, traits) ROW_##id,
#define KILN_ACCESS(id, effects, global, lds) ROW_##id,
#include "effects.def"
#undef KILN_EFFECTS
#undef KILN_ACCESS
    ROW_COUNT
};
#define KILN_OP(id, name)                                                                          \
    _Static_assert((int)ROW_##id == (int)KILN_OP_##id, "effects.def: " name " is out of order");
#include "ops.def"
#undef KILN_OP
_Static_assert((int)ROW_COUNT == (int)KILN_OP_COUNT,
               "effects.def has a row for every operation of ops.def");

const kiln_op_facts_t *kiln_op_facts(kiln_op_t kind)
{
    return &facts[kind < KILN_OP_COUNT ? kind : KILN_OP_UNKNOWN];
}

bool kiln_op_has(kiln_op_t kind, unsigned traits)
{
    return (kiln_op_facts(kind)->traits & traits) == traits;
}

int kiln_op_own_effects(MlirOperation op)
{
    const int effects = kiln_op_facts(kiln_op_kind(op))->effects;
    if ((effects & UNLESS_PURE) && kiln_ir_int_attr(op, "pure", 0) == 0)
        return ORDERED;
    if ((effects & UNLESS_VOLATILE) && kiln_ir_int_attr(op, "isVolatile", 0) != 0)
        return ORDERED;
    if ((effects & IF_GIVEN) && mlirOperationGetNumOperands(op) == 0)
        return 0;
    return effects & ~CONDITIONS;
}

static MlirWalkResult add_effects(MlirOperation op, void *user)
{
    *(int *)user |= kiln_op_own_effects(op);
    return MlirWalkResultAdvance;
}

int kiln_op_effects(MlirOperation op)
{
    int effects = 0;
    kiln_walk(op, MlirWalkPreOrder, add_effects, &effects);
    return effects;
}

bool kiln_op_may_be_erased(MlirOperation op)
{
    return (kiln_op_effects(op) & ~(KILN_READS_GLOBAL | KILN_READS_LDS | KILN_CLAIMS)) == 0;
}

bool kiln_op_loads_tensors(MlirOperation op)
{
    const int results = (int)mlirOperationGetNumResults(op);
    for (int i = 0; i < results; i++)
        if (!kiln_type_is_tensor(mlirValueGetType(kiln_op_result(op, i))))
            return false;
    if (kiln_op_kind(op) != KILN_OP_SCF_IF)
        return kiln_op_kind(op) == KILN_OP_TT_LOAD;
    if ((kiln_op_effects(op) & ~(KILN_READS_GLOBAL | KILN_CLAIMS)) != 0)
        return false;
    for (int i = 0; i < 2 * results; i++) {
        MlirOperation last, yield = kiln_block_terminator(kiln_op_body(op, i % 2));
        kiln_op_t kind = kiln_value_op(kiln_op_operand(yield, i / 2), &last);
        if ((kind != KILN_OP_TT_LOAD && kind != KILN_OP_ARITH_SELECT) ||
            !mlirOperationEqual(kiln_op_parent(last), op))
            return false;
    }
    return results > 0;
}

bool kiln_op_loads_tensor(MlirOperation op)
{
    return mlirOperationGetNumResults(op) == 1 && kiln_op_loads_tensors(op);
}

bool kiln_op_is_speculatable(MlirOperation op)
{
    return kiln_op_effects(op) == 0 && !kiln_op_may_not_terminate(op);
}

static MlirWalkResult find_loop(MlirOperation op, void *user)
{
    *(bool *)user |= kiln_op_has(kiln_op_kind(op), KILN_LOOPS);
    return *(bool *)user ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

bool kiln_op_may_not_terminate(MlirOperation op)
{
    bool loops = false;
    kiln_walk(op, MlirWalkPreOrder, find_loop, &loops);
    return loops;
}
