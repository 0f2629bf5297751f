// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows an operand of a dot back to its loads; see operand_loads.h.
#include "passes/layouts/operand_loads.h"

#include "builder/op_facts.h"

enum { MAX_VISITED = 64 };

typedef struct search {
    kiln_operand_loads_t *out;
    MlirValue visited[MAX_VISITED];
    int count;
} search_t;

static bool visit_operand(search_t *search, MlirValue value, bool *out_varies);

static bool is_visited(const search_t *search, MlirValue value)
{
    for (int i = 0; i < search->count; i++)
        if (mlirValueEqual(search->visited[i], value))
            return true;
    return false;
}

static bool add_load(search_t *search, MlirOperation op)
{
    kiln_operand_loads_t *out = search->out;
    if (kiln_ir_int_attr(op, "isVolatile", 0) || out->count == KILN_MAX_OPERAND_LOADS)
        return false;
    out->loads[out->count++] = op;
    return true;
}

static bool visit_all(search_t *search, MlirOperation op)
{
    int varying = 0;
    bool has_broadcast = false;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        MlirOperation from;
        MlirValue operand = mlirOperationGetOperand(op, i);
        bool varies;
        if (!visit_operand(search, operand, &varies))
            return false;
        varying += varies;
        has_broadcast |= kiln_value_op(operand, &from) == KILN_OP_TT_BROADCAST;
    }
    search->out->combines |= varying > 1;
    search->out->scales |= varying > 0 && has_broadcast;
    return true;
}

// Returns false if the value is of another kind. *out_varies: it is not a constant or a broadcast.
static bool visit_operand(search_t *search, MlirValue value, bool *out_varies)
{
    MlirOperation op;
    const kiln_op_t kind = kiln_value_op(value, &op);
    *out_varies = false;
    if (!kiln_type_is_tensor(mlirValueGetType(value)) || kind == KILN_OP_ARITH_CONSTANT ||
        kind == KILN_OP_TT_SPLAT || kind == KILN_OP_TT_BROADCAST)
        return true;
    *out_varies = true;
    if (is_visited(search, value))
        return true;
    if (search->count == MAX_VISITED)
        return false;
    search->visited[search->count++] = value;
    if (kind == KILN_OP_TT_LOAD)
        return add_load(search, op);
    if (kind == KILN_OP_TTG_CONVERT_LAYOUT)
        return visit_operand(search, kiln_op_operand(op, 0), out_varies);
    return kiln_op_has(kind, KILN_ELEMENTWISE) && kiln_op_own_effects(op) == 0 &&
           visit_all(search, op);
}

bool kiln_find_operand_loads(MlirOperation dot, int operand, kiln_operand_loads_t *out)
{
    search_t search = {.out = out};
    bool varies;
    *out = (kiln_operand_loads_t){0};
    return visit_operand(&search, kiln_op_operand(dot, operand), &varies) &&
           (out->combines || out->scales) && out->count > 0;
}

int64_t kiln_operand_loads_width(const kiln_axis_analysis_t *axis, int operand,
                                 const kiln_operand_loads_t *loads, int64_t *out_bytes)
{
    int64_t most = 0, width = 1;
    for (int i = 0; i < loads->count; i++) {
        MlirOperation load = loads->loads[i];
        const kiln_axis_access_t access =
            kiln_axis_access_along(axis, kiln_op_operand(load, 0), kiln_op_segment(load, 1),
                                   KILN_AXIS_SHARED, operand == 0);
        const int64_t bits =
            access.elements * (int64_t)kiln_type_bits(mlirValueGetType(kiln_op_result(load, 0)));
        if (bits > most)
            width = (int64_t)access.elements * access.repeat;
        most = bits > most ? bits : most;
    }
    *out_bytes = most / 8;
    return width;
}

static MlirValue convert(const kiln_ir_t *ir, MlirValue value, MlirType type)
{
    return kiln_ir_unary(ir, KILN_OP_TTG_CONVERT_LAYOUT, type, value);
}

void kiln_convert_access(MlirOperation op, MlirAttribute encoding)
{
    const kiln_ir_t before = kiln_ir_before(op), after = kiln_ir_after(op);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        MlirValue operand = mlirOperationGetOperand(op, i);
        MlirType type = mlirValueGetType(operand);
        if (kiln_type_is_tensor(type))
            mlirOperationSetOperand(
                op, i, convert(&before, operand, kiln_type_with_encoding(type, encoding)));
    }
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
        MlirValue result = mlirOperationGetResult(op, i);
        MlirType type = mlirValueGetType(result);
        if (!kiln_type_is_tensor(type))
            continue;
        mlirValueSetType(result, kiln_type_with_encoding(type, encoding));
        if (!kiln_value_has_uses(result))
            continue;
        MlirValue back = convert(&after, result, type);
        MlirOperation conversion = mlirOpResultGetOwner(back);
        mlirValueReplaceAllUsesExcept(result, back, 1, &conversion);
    }
}
