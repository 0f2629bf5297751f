// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   %o = arith.addi %r, %s : tensor<128xi32, #a>              %r2, %s2 = … in #b
//   %c = ttg.convert_layout %o : #a -> #b               →     %c = arith.addi %r2, %s2 : tensor<128xi32, #b>
//
// Index arithmetic starts at ranges and splats, which any layout can make for nothing, so doing it again is nearly
// always cheaper than a trip through LDS. Behind a load or a reduction the value must be moved, but often there is less
// of it there than behind the broadcast that follows; and where the own layout holds copies, as behind a reduction along
// the lanes, what follows is cheaper in the other.
//
// A load of no more elements than there are threads, a row of scales say, is done again where it is wanted: its lines are
// in the cache, and nothing goes through LDS.
//
// The thing one gets wrong: a clone goes right after the operation it copies, so that it dominates whatever the
// original dominates.
#include "passes/rematerialise.h"

#include "builder/ir.h"
#include "layout/infer.h"
#include "passes/pass.h"

enum {
    MAX_DEPTH = 48,
    MAX_OPERANDS = 4,
    CONVERT_FIXED =
        2048, // an LDS conversion's barriers and latency, in units of one element-wise operation on one element
    CONVERT_ELEMENT = 8,
    PLAIN_ELEMENT = 1,
    MATH_ELEMENT = 4,
    DIVISION = 10,
    LOADED_REGISTER = 128, // of each thread
    MANY_COPIES = 4,       // fewer, as a small dot has, are no reason to leave the dot's layout before the store
};
typedef int64_t cost_t;
static const cost_t TOO_DEAR = INT64_MAX / 64;

static cost_t convert_cost(MlirValue value)
{
    return CONVERT_FIXED + CONVERT_ELEMENT * (cost_t)kiln_type_count(mlirValueGetType(value));
}

static cost_t load_cost(const kiln_layout_names_t *names, MlirType type, MlirAttribute encoding)
{
    return LOADED_REGISTER * kiln_names_places(names, type, encoding) / (KILN_WARP_SIZE * (cost_t)names->num_warps);
}

// A dot's operands are brought to LDS by whoever stages them, however small.
bool kiln_may_load_in(const kiln_layout_names_t *names, MlirOperation load, MlirAttribute encoding)
{
    MlirValue loaded = kiln_op_result(load, 0);
    MlirType type = mlirValueGetType(loaded);
    return kiln_type_is_tensor(type) && kiln_type_count(type) <= KILN_WARP_SIZE * (int64_t)names->num_warps &&
           !kiln_ir_int_attr(load, "isVolatile", 0) && kiln_encoding_kind(encoding) != KILN_ENCODING_DOT_OPERAND &&
           load_cost(names, type, encoding) < convert_cost(loaded);
}

static bool can_clone(MlirOperation op, kiln_op_t kind)
{
    if (mlirOperationIsNull(op) || mlirOperationGetNumResults(op) != 1 ||
        mlirOperationGetNumOperands(op) > MAX_OPERANDS)
        return false;
    if (kind == KILN_OP_TT_EXTERN_ELEMENTWISE || kind == KILN_OP_TT_ELEMENTWISE_INLINE_ASM ||
        kind == KILN_OP_TT_MAP_ELEMENTWISE)
        return false;
    return kiln_op_is_elementwise(kind) || kiln_op_is_leaf(kind) || kind == KILN_OP_TT_BROADCAST ||
           kind == KILN_OP_TT_EXPAND_DIMS || kind == KILN_OP_TT_TRANS || kind == KILN_OP_TT_RESHAPE;
}

// The encoding that a clone's operands need; false where there can be no clone.
static bool find_operand_encoding(const kiln_rematerialiser_t *self, MlirOperation op, kiln_op_t kind,
                                  MlirAttribute encoding, MlirAttribute *out)
{
    *out = encoding;
    if (kind == KILN_OP_TT_LOAD)
        return kiln_may_load_in(self->names, op, encoding);
    return can_clone(op, kind) && (kiln_op_is_leaf(kind) || kiln_names_infer_operand(self->names, op, encoding, out));
}

static cost_t weight_of(kiln_op_t kind)
{
    if (kiln_op_is_leaf(kind) || kind == KILN_OP_TT_BROADCAST || kind == KILN_OP_TT_EXPAND_DIMS ||
        kind == KILN_OP_TT_TRANS || kind == KILN_OP_TT_RESHAPE)
        return 0;
    if (kind == KILN_OP_TT_PRECISE_DIVF || kind == KILN_OP_TT_PRECISE_SQRT || kind == KILN_OP_ARITH_DIVF)
        return DIVISION;
    bool is_math = kind >= KILN_OP_MATH_EXP || (kind >= KILN_OP_ARITH_DIVSI && kind <= KILN_OP_ARITH_REMUI);
    return is_math ? MATH_ELEMENT : PLAIN_ELEMENT;
}

// Whether `user` alone needs the value: if it gets another one instead, this one is never computed.
static bool is_only_for(MlirValue value, MlirOperation user)
{
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
        if (!mlirOperationEqual(mlirOpOperandGetOwner(use), user))
            return false;
    return true;
}

// The operation `op` of `value` where it goes away together with `user`, else null.
static MlirOperation replaced_with(MlirOperation op, MlirValue value, MlirOperation user)
{
    bool replaces = !mlirOperationIsNull(user) && !mlirOperationIsNull(op) && is_only_for(value, user);
    return replaces ? op : (MlirOperation){NULL};
}

// What computing the value in another layout adds; less than nothing where it is not computed in its own any more and
// that one holds more copies, as behind a reduction. Copies in the new layout are not counted: most are of indices, of
// which lowering keeps one.
static cost_t clone_cost(const kiln_rematerialiser_t *self, kiln_op_t kind, MlirValue value, MlirAttribute encoding,
                         bool replaces)
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

// What it costs to have `value` in `encoding`. `seen` holds what this query has counted already; `user` is the only
// operation that goes away if it gets the value so, null where none does.
static cost_t cost_of(kiln_rematerialiser_t *self, kiln_value_map_t *seen, MlirValue value, MlirAttribute encoding,
                      MlirOperation user, int depth)
{
    if (!kiln_type_is_tensor(mlirValueGetType(value)) || same_encoding(value, encoding))
        return 0;
    if (kiln_value_map_get(&self->made, value, encoding) || kiln_value_map_get(seen, value, encoding))
        return 0;
    if (depth == 0)
        return TOO_DEAR;
    if (!kiln_value_map_put(seen, value, encoding, value.ptr)) {
        self->out_of_memory = true;
        return TOO_DEAR;
    }
    MlirOperation op;
    kiln_op_t kind = kiln_value_op(value, &op);
    MlirOperation replaced = replaced_with(op, value, user);
    if (kind == KILN_OP_TTG_CONVERT_LAYOUT)
        return cost_of(self, seen, kiln_op_operand(op, 0), encoding, replaced, depth - 1);
    cost_t moved = convert_cost(value);
    MlirAttribute operand_encoding;
    if (mlirOperationIsNull(op) || !find_operand_encoding(self, op, kind, encoding, &operand_encoding))
        return moved;
    cost_t cost = clone_cost(self, kind, value, encoding, !mlirOperationIsNull(replaced));
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && cost < moved; ++i)
        if (!kiln_op_is_leaf(kind))
            cost += cost_of(self, seen, mlirOperationGetOperand(op, i), operand_encoding, replaced, depth - 1);
    return cost < moved ? cost : moved;
}

static MlirValue make(kiln_rematerialiser_t *self, MlirValue value, MlirAttribute encoding, MlirOperation user,
                      int depth);

static MlirValue clone_in(kiln_rematerialiser_t *self, MlirOperation op, MlirAttribute encoding,
                          MlirAttribute operand_encoding, MlirOperation replaced, int depth)
{
    // The operands come first: a clone would be one user more of what they are now.
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
        mlirOperationSetAttributeByName(clone, mlirStringRefCreateFromCString("value"),
                                        mlirDenseElementsAttrReshapeGet(kiln_ir_attr(op, "value"), type));
    mlirBlockInsertOwnedOperationAfter(mlirOperationGetBlock(op), op, clone);
    return result;
}

static MlirValue convert_here(MlirValue value, MlirAttribute encoding)
{
    MlirOperation op;
    kiln_value_op(value, &op);
    kiln_ir_t ir = mlirOperationIsNull(op)
                       ? kiln_ir_at_start(mlirBlockArgumentGetOwner(value), mlirValueGetLocation(value))
                       : kiln_ir_after(op);
    return kiln_ir_unary(&ir, KILN_OP_TTG_CONVERT_LAYOUT, kiln_type_with_encoding(mlirValueGetType(value), encoding),
                         value);
}

// Does what cost_of counted.
static MlirValue make(kiln_rematerialiser_t *self, MlirValue value, MlirAttribute encoding, MlirOperation user,
                      int depth)
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
    bool clones = !mlirOperationIsNull(op) && find_operand_encoding(self, op, kind, encoding, &operand_encoding) &&
                  cost_of(self, &seen, value, encoding, user, depth) < convert_cost(value);
    kiln_value_map_free(&seen);
    MlirValue result = kind == KILN_OP_TTG_CONVERT_LAYOUT
                           ? make(self, kiln_op_operand(op, 0), encoding, replaced_with(op, value, user), depth - 1)
                       : clones ? clone_in(self, op, encoding, operand_encoding, replaced_with(op, value, user), depth)
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
    return can_clone(op, kind) || (kind == KILN_OP_TT_LOAD && !kiln_ir_int_attr(op, "isVolatile", 0));
}
