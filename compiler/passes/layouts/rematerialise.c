// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recomputes a value in another layout, with the operations that define it:
//
//   %o = arith.addi %r, %s : tensor<128xi32, #a>              %r2, %s2 = … in #b
//   %c = ttg.convert_layout %o : #a -> #b               →     %c = arith.addi %r2, %s2 : tensor<128xi32, #b>
//
// Index arithmetic starts at ranges and splats, which are free in any layout, so recomputing it is
// nearly always cheaper than a conversion through LDS. The value of a load or a reduction must be
// moved, but it is often smaller than the result of the broadcast that follows; and if its own
// layout holds copies, as after a reduction across lanes, later operations are cheaper in the other
// layout.
//
// A load of no more elements than there are threads, such as a row of scales, is repeated in the
// wanted layout: its cache lines are present, and no data goes through LDS.
//
// A clone is inserted directly after its original, so that it dominates everything that the
// original dominates.
#include "passes/layouts/rematerialise.h"

#include "builder/ir.h"
#include "builder/op_facts.h"
#include "layout/infer.h"
#include "passes/pass.h"

enum {
    MAX_DEPTH = 48,
    MAX_OPERANDS = 4,
    CONVERT_FIXED = 2048, // an LDS conversion's barriers and latency, in units of one element-wise
                          // operation on one element
    CONVERT_ELEMENT = 8,
    PLAIN_ELEMENT = 1,
    MATH_ELEMENT = 4,
    DIVISION = 10,
    LOADED_REGISTER = 128, // for each thread
    // Fewer, as in a small dot, do not justify leaving the dot's layout before the store.
    MANY_COPIES = 4,
};
typedef int64_t cost_t;
#define TOO_EXPENSIVE (INT64_MAX / 64)

static cost_t convert_cost(MlirValue value)
{
    return CONVERT_FIXED + CONVERT_ELEMENT * (cost_t)kiln_type_count(mlirValueGetType(value));
}

static cost_t load_cost(const kiln_layout_names_t *names, MlirType type, MlirAttribute encoding)
{
    return LOADED_REGISTER * kiln_names_places(names, type, encoding) /
           (KILN_GFX942_LANES * (cost_t)names->num_warps);
}

// A dot's operands reach LDS through the passes that stage them, however small they are.
bool kiln_may_load_in(const kiln_layout_names_t *names, MlirOperation load, MlirAttribute encoding)
{
    MlirValue loaded = kiln_op_result(load, 0);
    MlirType type = mlirValueGetType(loaded);
    return kiln_type_is_tensor(type) &&
           kiln_type_count(type) <= KILN_GFX942_LANES * (int64_t)names->num_warps &&
           kiln_op_may_be_erased(load) &&
           kiln_encoding_kind(encoding) != KILN_ENCODING_DOT_OPERAND &&
           load_cost(names, type, encoding) < convert_cost(loaded);
}

static bool can_clone(MlirOperation op, kiln_op_t kind)
{
    if (mlirOperationIsNull(op) || mlirOperationGetNumResults(op) != 1 ||
        mlirOperationGetNumOperands(op) > MAX_OPERANDS)
        return false;
    return kiln_op_facts(kind)->remat != KILN_REMAT_NEVER;
}

// Finds the encoding that a clone's operands need; false if the operation cannot be cloned.
static bool find_operand_encoding(const kiln_rematerialiser_t *self, MlirOperation op,
                                  kiln_op_t kind, MlirAttribute encoding, MlirAttribute *out)
{
    *out = encoding;
    if (kind == KILN_OP_TT_LOAD)
        return kiln_may_load_in(self->names, op, encoding);
    return can_clone(op, kind) &&
           (kiln_op_is_leaf(kind) || kiln_names_infer_operand(self->names, op, encoding, out));
}

static cost_t weight_of(kiln_op_t kind)
{
    static const cost_t weights[] = {[KILN_REMAT_NEVER] = TOO_EXPENSIVE,
                                     [KILN_REMAT_FREE] = 0,
                                     [KILN_REMAT_CHEAP] = PLAIN_ELEMENT,
                                     [KILN_REMAT_MATH] = MATH_ELEMENT,
                                     [KILN_REMAT_DIVISION] = DIVISION};
    return weights[kiln_op_facts(kind)->remat];
}

// Whether `user` is the only user of the value: if it gets another value, this one becomes dead.
static bool is_only_for(MlirValue value, MlirOperation user)
{
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use))
        if (!mlirOperationEqual(mlirOpOperandGetOwner(use), user))
            return false;
    return true;
}

// Returns the operation `op` of `value` if it becomes dead together with `user`, else null.
static MlirOperation replaced_with(MlirOperation op, MlirValue value, MlirOperation user)
{
    bool replaces =
        !mlirOperationIsNull(user) && !mlirOperationIsNull(op) && is_only_for(value, user);
    return replaces ? op : (MlirOperation){NULL};
}

// Returns the cost of computing the value in another layout. It is negative if the original becomes
// dead and its layout holds more copies, as after a reduction. Copies in the new layout are not
// counted: most are of indices, of which lowering keeps one.
static cost_t clone_cost(const kiln_rematerialiser_t *self, kiln_op_t kind, MlirValue value,
                         MlirAttribute encoding, bool replaces)
{
    cost_t weight = weight_of(kind);
    MlirType type = mlirValueGetType(value);
    if (kind == KILN_OP_TT_LOAD)
        return load_cost(self->names, type, encoding);
    if (weight == 0)
        return 0;
    cost_t cost = weight * kiln_type_count(type);
    if (!replaces || weight == PLAIN_ELEMENT)
        return cost;
    cost_t own = kiln_names_places(self->names, type, kiln_type_encoding(type));
    cost_t other = kiln_names_places(self->names, type, encoding);
    return own >= MANY_COPIES * other ? weight * (other - own) : cost;
}

static bool same_encoding(MlirValue value, MlirAttribute encoding)
{
    return mlirAttributeEqual(kiln_type_encoding(mlirValueGetType(value)), encoding);
}

// Returns the cost of `value` in `encoding`. `seen` holds the values this query has already
// counted; `user` is the operation that becomes dead if it gets the new value, or null.
static cost_t cost_of(kiln_rematerialiser_t *self, kiln_value_map_t *seen, MlirValue value,
                      MlirAttribute encoding, MlirOperation user, int depth)
{
    if (!kiln_type_is_tensor(mlirValueGetType(value)) || same_encoding(value, encoding))
        return 0;
    if (kiln_value_map_get(&self->made, value, encoding) ||
        kiln_value_map_get(seen, value, encoding))
        return 0;
    if (depth == 0)
        return TOO_EXPENSIVE;
    if (!kiln_value_map_put(seen, value, encoding, value.ptr)) {
        self->out_of_memory = true;
        return TOO_EXPENSIVE;
    }
    MlirOperation op;
    kiln_op_t kind = kiln_value_op(value, &op);
    MlirOperation replaced = replaced_with(op, value, user);
    if (kind == KILN_OP_TTG_CONVERT_LAYOUT) // one conversion instead of two if this one is not used
        return cost_of(self, seen, kiln_op_operand(op, 0), encoding, replaced, depth - 1) -
               (mlirOperationIsNull(replaced) ? 0 : convert_cost(value));
    cost_t moved = convert_cost(value);
    MlirAttribute operand_encoding;
    if (mlirOperationIsNull(op) ||
        !find_operand_encoding(self, op, kind, encoding, &operand_encoding))
        return moved;
    cost_t cost = clone_cost(self, kind, value, encoding, !mlirOperationIsNull(replaced));
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && cost < moved; ++i)
        if (!kiln_op_is_leaf(kind))
            cost += cost_of(self, seen, mlirOperationGetOperand(op, i), operand_encoding, replaced,
                            depth - 1);
    return cost < moved ? cost : moved;
}

static MlirValue make(kiln_rematerialiser_t *self, MlirValue value, MlirAttribute encoding,
                      MlirOperation user, int depth);

static MlirValue clone_in(kiln_rematerialiser_t *self, MlirOperation op, MlirAttribute encoding,
                          MlirAttribute operand_encoding, MlirOperation replaced, int depth)
{
    // Operands come first, because the clone would be an additional user of the current ones.
    MlirValue operands[MAX_OPERANDS];
    intptr_t count = mlirOperationGetNumOperands(op);
    for (intptr_t i = 0; i < count; ++i) {
        operands[i] = mlirOperationGetOperand(op, i);
        if (!kiln_op_is_leaf(kiln_op_kind(op)))
            operands[i] = make(self, operands[i], operand_encoding, replaced, depth - 1);
    }
    MlirOperation clone = mlirOperationClone(op);
    for (intptr_t i = 0; i < count; ++i)
        mlirOperationSetOperand(clone, i, operands[i]);
    MlirValue result = kiln_op_result(clone, 0);
    MlirType type = kiln_type_with_encoding(mlirValueGetType(result), encoding);
    mlirValueSetType(result, type);
    if (kiln_op_kind(op) == KILN_OP_ARITH_CONSTANT)
        mlirOperationSetAttributeByName(
            clone, mlirStringRefCreateFromCString("value"),
            mlirDenseElementsAttrReshapeGet(kiln_ir_attr(op, "value"), type));
    mlirBlockInsertOwnedOperationAfter(mlirOperationGetBlock(op), op, clone);
    return result;
}

static MlirValue convert_here(MlirValue value, MlirAttribute encoding)
{
    MlirOperation op;
    kiln_value_op(value, &op);
    kiln_ir_t ir = mlirOperationIsNull(op) ? kiln_ir_at_start(mlirBlockArgumentGetOwner(value),
                                                              mlirValueGetLocation(value))
                                           : kiln_ir_after(op);
    return kiln_ir_unary(&ir, KILN_OP_TTG_CONVERT_LAYOUT,
                         kiln_type_with_encoding(mlirValueGetType(value), encoding), value);
}

// Creates the operations that cost_of has counted.
static MlirValue make(kiln_rematerialiser_t *self, MlirValue value, MlirAttribute encoding,
                      MlirOperation user, int depth)
{
    if (!kiln_type_is_tensor(mlirValueGetType(value)) || same_encoding(value, encoding))
        return value;
    const void *made = kiln_value_map_get(&self->made, value, encoding);
    if (made)
        return (MlirValue){made};
    MlirOperation op;
    kiln_op_t kind = kiln_value_op(value, &op);
    MlirAttribute operand_encoding = {NULL};
    kiln_value_map_t seen = {0};
    bool clones = !mlirOperationIsNull(op) &&
                  find_operand_encoding(self, op, kind, encoding, &operand_encoding) &&
                  cost_of(self, &seen, value, encoding, user, depth) < convert_cost(value);
    kiln_value_map_free(&seen);
    MlirValue result =
        kind == KILN_OP_TTG_CONVERT_LAYOUT ? make(self, kiln_op_operand(op, 0), encoding,
                                                  replaced_with(op, value, user), depth - 1)
        : clones
            ? clone_in(self, op, encoding, operand_encoding, replaced_with(op, value, user), depth)
            : convert_here(value, encoding);
    self->out_of_memory |= !kiln_value_map_put(&self->made, value, encoding, result.ptr);
    return result;
}

MlirValue kiln_rematerialise(kiln_rematerialiser_t *self, MlirOperation convert)
{
    MlirValue source = kiln_op_operand(convert, 0), result = kiln_op_result(convert, 0);
    MlirAttribute wanted = kiln_type_encoding(mlirValueGetType(result));
    kiln_value_map_t seen = {0};
    cost_t cost = cost_of(self, &seen, source, wanted, convert, MAX_DEPTH);
    kiln_value_map_free(&seen);
    if (cost >= convert_cost(source))
        return (MlirValue){NULL};
    return make(self, source, wanted, convert, MAX_DEPTH);
}

void kiln_rematerialiser_free(kiln_rematerialiser_t *self)
{
    kiln_value_map_free(&self->made);
}

bool kiln_can_rematerialise(MlirOperation op)
{
    kiln_op_t kind = kiln_op_kind(op);
    return (can_clone(op, kind) || kind == KILN_OP_TT_LOAD) && kiln_op_may_be_erased(op);
}
