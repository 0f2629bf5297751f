// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Building constants, shapes and arithmetic.
//
// Types are checked here only where a wrong one would yield an operation that MLIR cannot
// represent; the verifier checks the rest in kiln_builder_finish.
#include <string.h>

#include "builder/builder_internal.h"
#include "builder/compare.h"

static const kiln_op_t unary_ops[] = {
#define KILN_UNARY_ROW(id, op) KILN_OP_##op,
#include "kiln/builder.def"
};
static const kiln_op_t binary_ops[] = {
#define KILN_BINARY_ROW(id, op) KILN_OP_##op,
#include "kiln/builder.def"
};
static const kiln_op_t convert_ops[] = {
#define KILN_CONVERT_ROW(id, op) KILN_OP_##op,
#include "kiln/builder.def"
};
static const struct {
    kiln_op_t op;
    int predicate;
} compare_ops[] = {
#define KILN_COMPARE_ROW(id, op) {KILN_OP_ARITH_##op, KILN_##op##_##id},
#include "kiln/builder.def"
};
static MlirType type_of(kiln_value_t value)
{
    return mlirValueGetType(kiln_unwrap(value));
}

static bool same_types(kiln_builder_t *builder, const char *what, kiln_value_t a, kiln_value_t b)
{
    if (mlirTypeEqual(type_of(a), type_of(b)))
        return true;
    kiln_builder_fail(builder, "the operands of %s have different types", what);
    return false;
}

static bool same_shapes(kiln_builder_t *builder, const char *what, kiln_value_t a, kiln_value_t b)
{
    MlirType ta = type_of(a), tb = type_of(b);
    bool is_same = kiln_type_rank(ta) == kiln_type_rank(tb);
    for (int i = 0; is_same && i < kiln_type_rank(ta); i++)
        is_same = kiln_type_dim(ta, i) == kiln_type_dim(tb, i);
    if (!is_same)
        kiln_builder_fail(builder, "the operands of %s have different shapes", what);
    return is_same;
}

// Whether NumPy's rules broadcast `from` to this shape.
static bool fits_shape(MlirType from, int rank, const int64_t *shape)
{
    int own = kiln_type_rank(from);
    for (int i = 0; own <= rank && i < own; i++)
        if (kiln_type_dim(from, i) != 1 && kiln_type_dim(from, i) != shape[i + rank - own])
            return false;
    return own <= rank;
}

kiln_value_t kiln_builder_broadcast_like(kiln_builder_t *builder, kiln_value_t value, MlirType like)
{
    int rank = kiln_type_rank(like);
    int64_t shape[KILN_BUILDER_RANK_LIMIT];
    for (int i = 0; i < rank && i < KILN_BUILDER_RANK_LIMIT; i++)
        shape[i] = kiln_type_dim(like, i);
    return rank <= KILN_BUILDER_RANK_LIMIT && fits_shape(type_of(value), rank, shape)
               ? kiln_build_broadcast(builder, value, rank, shape)
               : value;
}

// Broadcasts operands to a common shape. If there is none they stay as they are, and the caller
// reports an error.
static void broadcast_together(kiln_builder_t *builder, kiln_value_t *values, int count)
{
    int rank = 0;
    int64_t shape[KILN_BUILDER_RANK_LIMIT];
    for (int i = 0; i < count; i++)
        if (kiln_type_rank(type_of(values[i])) > rank)
            rank = kiln_type_rank(type_of(values[i]));
    for (int i = 0; i < rank; i++) {
        shape[i] = 1;
        for (int k = 0; k < count; k++) {
            MlirType type = type_of(values[k]);
            int own = i + kiln_type_rank(type) - rank;
            if (own >= 0 && shape[i] == 1)
                shape[i] = kiln_type_dim(type, own);
        }
    }
    for (int i = 0; i < count; i++)
        if (!fits_shape(type_of(values[i]), rank, shape))
            return;
    for (int i = 0; i < count; i++)
        values[i] = kiln_build_broadcast(builder, values[i], rank, shape);
}

bool kiln_builder_accepts_together(kiln_builder_t *builder, const char *what, kiln_value_t *values,
                                   int count)
{
    if (!kiln_builder_accepts(builder, what, values, (size_t)count))
        return false;
    broadcast_together(builder, values, count);
    return true;
}

bool kiln_builder_has_axis(kiln_builder_t *builder, const char *what, kiln_value_t tile, int axis)
{
    if (axis >= 0 && axis < kiln_type_rank(type_of(tile)))
        return true;
    kiln_builder_fail(builder, "%s has no axis %d", what, axis);
    return false;
}

static kiln_value_t create(kiln_builder_t *builder, kiln_op_t kind, MlirType result,
                           const MlirValue *operands, int count,
                           const MlirNamedAttribute *attributes, int attribute_count)
{
    kiln_ir_op_t op = {.kind = kind,
                       .operand_count = count,
                       .operands = operands,
                       .result_count = 1,
                       .results = &result,
                       .attribute_count = attribute_count,
                       .attributes = attributes};
    return kiln_wrap(mlirOperationGetResult(kiln_ir_create(&builder->ir, &op), 0));
}

// Constants and the grid --------------------------------------------------------------------------

kiln_value_t kiln_build_int(kiln_builder_t *builder, kiln_value_type_t type, int64_t value)
{
    KILN_BUILD_VALUE(builder);
    if (!kiln_builder_accepts(builder, "a constant", NULL, 0))
        return (kiln_value_t){NULL};
    MlirType mlir = kiln_builder_type(builder, &type);
    if (mlirTypeIsNull(mlir) || !mlirTypeIsAInteger(kiln_type_element(mlir)))
        return kiln_builder_fail(builder, "an integer constant must have an integer type");
    if (type.element == KILN_VALUE_I1)
        value = value != 0;
    return kiln_wrap(kiln_ir_const_int(&builder->ir, mlir, value));
}

kiln_value_t kiln_build_float(kiln_builder_t *builder, kiln_value_type_t type, double value)
{
    KILN_BUILD_VALUE(builder);
    if (!kiln_builder_accepts(builder, "a constant", NULL, 0))
        return (kiln_value_t){NULL};
    MlirType mlir = kiln_builder_type(builder, &type);
    if (mlirTypeIsNull(mlir) || !mlirTypeIsAFloat(kiln_type_element(mlir)))
        return kiln_builder_fail(builder, "a float constant must have a float type");
    return kiln_wrap(kiln_ir_const_float(&builder->ir, mlir, value));
}

kiln_value_t kiln_build_undefined(kiln_builder_t *builder, kiln_value_type_t type)
{
    KILN_BUILD_VALUE(builder);
    if (!kiln_builder_accepts(builder, "an undefined value", NULL, 0))
        return (kiln_value_t){NULL};
    MlirType mlir = kiln_builder_type(builder, &type);
    return mlirTypeIsNull(mlir) ? (kiln_value_t){NULL}
                                : create(builder, KILN_OP_UB_POISON, mlir, NULL, 0, NULL, 0);
}

static kiln_value_t build_grid(kiln_builder_t *builder, kiln_op_t kind, int axis)
{
    if (!kiln_builder_accepts(builder, "a program id", NULL, 0))
        return (kiln_value_t){NULL};
    if (axis < 0 || axis > 2)
        return kiln_builder_fail(builder, "grid axis %d is out of range", axis);
    MlirNamedAttribute attribute =
        kiln_ir_named(builder->context, "axis", kiln_ir_i32_attr(builder->context, axis));
    return create(builder, kind, mlirIntegerTypeGet(builder->context, 32), NULL, 0, &attribute, 1);
}

kiln_value_t kiln_build_program_id(kiln_builder_t *builder, int axis)
{
    KILN_BUILD_VALUE(builder);
    return build_grid(builder, KILN_OP_TT_GET_PROGRAM_ID, axis);
}

kiln_value_t kiln_build_num_programs(kiln_builder_t *builder, int axis)
{
    KILN_BUILD_VALUE(builder);
    return build_grid(builder, KILN_OP_TT_GET_NUM_PROGRAMS, axis);
}

kiln_value_t kiln_build_range(kiln_builder_t *builder, int64_t start, int64_t end)
{
    KILN_BUILD_VALUE(builder);
    if (!kiln_builder_accepts(builder, "a range", NULL, 0))
        return (kiln_value_t){NULL};
    if (start < INT32_MIN || end > INT32_MAX)
        return kiln_builder_fail(builder, "a range must fit in i32");
    MlirContext context = builder->context;
    MlirNamedAttribute attributes[] = {
        kiln_ir_named(context, "start", kiln_ir_i32_attr(context, start)),
        kiln_ir_named(context, "end", kiln_ir_i32_attr(context, end))};
    kiln_value_type_t type = {.element = KILN_VALUE_I32, .rank = 1, .shape = {end - start}};
    MlirType mlir = kiln_builder_type(builder, &type);
    return mlirTypeIsNull(mlir)
               ? (kiln_value_t){NULL}
               : create(builder, KILN_OP_TT_MAKE_RANGE, mlir, NULL, 0, attributes, 2);
}

// Shapes ------------------------------------------------------------------------------------------

// The type of `value` with another shape, checked.
static MlirType shaped_like(kiln_builder_t *builder, kiln_value_t value, int rank,
                            const int64_t *shape)
{
    kiln_value_type_t type = kiln_value_type(builder, value);
    type.rank = rank;
    if (rank > 0 && !kiln_builder_requires(builder, "shape", shape))
        return (MlirType){NULL};
    for (int i = 0; i < rank && i < KILN_BUILDER_RANK_LIMIT; i++)
        type.shape[i] = shape[i];
    return kiln_builder_type(builder, &type);
}

kiln_value_t kiln_build_splat(kiln_builder_t *builder, kiln_value_t scalar, int rank,
                              const int64_t *shape)
{
    KILN_BUILD_VALUE(builder);
    if (!kiln_builder_accepts(builder, "splat", &scalar, 1))
        return (kiln_value_t){NULL};
    if (kiln_type_rank(type_of(scalar)))
        return kiln_builder_fail(builder, "only a scalar can be splat");
    MlirType type = shaped_like(builder, scalar, rank, shape);
    return mlirTypeIsNull(type) ? (kiln_value_t){NULL}
                                : kiln_wrap(kiln_ir_unary(&builder->ir, KILN_OP_TT_SPLAT, type,
                                                          kiln_unwrap(scalar)));
}

kiln_value_t kiln_build_expand_dims(kiln_builder_t *builder, kiln_value_t tile, int axis)
{
    KILN_BUILD_VALUE(builder);
    if (!kiln_builder_accepts(builder, "expand_dims", &tile, 1))
        return (kiln_value_t){NULL};
    MlirType from = type_of(tile);
    int rank = kiln_type_rank(from);
    int64_t shape[KILN_BUILDER_RANK_LIMIT + 1];
    if (axis < 0 || axis > rank || rank >= KILN_BUILDER_RANK_LIMIT)
        return kiln_builder_fail(builder, "expand_dims cannot add axis %d to %d dimensions", axis,
                                 rank);
    for (int i = 0; i <= rank; i++)
        shape[i] = i == axis ? 1 : kiln_type_dim(from, i < axis ? i : i - 1);
    MlirType type = shaped_like(builder, tile, rank + 1, shape);
    return kiln_wrap(kiln_ir_unary_attr(&builder->ir, KILN_OP_TT_EXPAND_DIMS, type,
                                        kiln_unwrap(tile), "axis",
                                        kiln_ir_i32_attr(builder->context, axis)));
}

kiln_value_t kiln_build_broadcast(kiln_builder_t *builder, kiln_value_t value, int rank,
                                  const int64_t *shape)
{
    KILN_BUILD_VALUE(builder);
    if (!kiln_builder_accepts(builder, "broadcast", &value, 1))
        return (kiln_value_t){NULL};
    MlirType from = type_of(value);
    int own = kiln_type_rank(from);
    bool is_same = own == rank;
    if (rank > 0 && !kiln_builder_requires(builder, "shape", shape))
        return (kiln_value_t){NULL};
    if (!fits_shape(from, rank, shape))
        return kiln_builder_fail(builder, "broadcast to an incompatible shape");
    for (int i = 0; is_same && i < own; i++)
        is_same = kiln_type_dim(from, i) == shape[i];
    if (is_same)
        return value;
    if (!own)
        return kiln_build_splat(builder, value, rank, shape);
    for (; own < rank; own++)
        value = kiln_build_expand_dims(builder, value, 0);
    if (!value.handle)
        return value;
    MlirType type = shaped_like(builder, value, rank, shape);
    if (mlirTypeIsNull(type) || mlirTypeEqual(type, type_of(value)))
        return mlirTypeIsNull(type) ? (kiln_value_t){NULL} : value;
    return kiln_wrap(kiln_ir_unary(&builder->ir, KILN_OP_TT_BROADCAST, type, kiln_unwrap(value)));
}

kiln_value_t kiln_build_reshape(kiln_builder_t *builder, kiln_value_t tile, int rank,
                                const int64_t *shape)
{
    KILN_BUILD_VALUE(builder);
    if (!kiln_builder_accepts(builder, "reshape", &tile, 1))
        return (kiln_value_t){NULL};
    MlirType type = shaped_like(builder, tile, rank, shape);
    if (mlirTypeIsNull(type))
        return (kiln_value_t){NULL};
    if (!rank || !kiln_type_rank(type_of(tile)) ||
        kiln_type_count(type) != kiln_type_count(type_of(tile)))
        return kiln_builder_fail(builder, "reshape to a different number of elements");
    return kiln_wrap(kiln_ir_unary(&builder->ir, KILN_OP_TT_RESHAPE, type, kiln_unwrap(tile)));
}

kiln_value_t kiln_build_trans(kiln_builder_t *builder, kiln_value_t tile, const int32_t *order)
{
    KILN_BUILD_VALUE(builder);
    if (!kiln_builder_accepts(builder, "trans", &tile, 1))
        return (kiln_value_t){NULL};
    MlirType from = type_of(tile);
    int rank = kiln_type_rank(from);
    int64_t shape[KILN_BUILDER_RANK_LIMIT] = {0};
    if (rank && !kiln_builder_requires(builder, "order", order))
        return (kiln_value_t){NULL};
    for (int i = 0; i < rank; i++) {
        if (order[i] < 0 || order[i] >= rank)
            return kiln_builder_fail(builder, "trans: dimension %d is out of range of %d",
                                     (int)order[i], rank);
        shape[i] = kiln_type_dim(from, order[i]);
    }
    MlirType type = shaped_like(builder, tile, rank, shape);
    return kiln_wrap(kiln_ir_unary_attr(&builder->ir, KILN_OP_TT_TRANS, type, kiln_unwrap(tile),
                                        "order",
                                        mlirDenseI32ArrayGet(builder->context, rank, order)));
}

kiln_value_t kiln_build_join(kiln_builder_t *builder, kiln_value_t a, kiln_value_t b)
{
    KILN_BUILD_VALUE(builder);
    kiln_value_t both[] = {a, b};
    if (!kiln_builder_accepts(builder, "join", both, 2) || !same_types(builder, "join", a, b))
        return (kiln_value_t){NULL};
    int rank = kiln_type_rank(type_of(a));
    int64_t shape[KILN_BUILDER_RANK_LIMIT + 1];
    for (int i = 0; i < rank; i++)
        shape[i] = kiln_type_dim(type_of(a), i);
    shape[rank] = 2;
    MlirType type = shaped_like(builder, a, rank + 1, shape);
    MlirValue operands[] = {kiln_unwrap(a), kiln_unwrap(b)};
    return mlirTypeIsNull(type) ? (kiln_value_t){NULL}
                                : create(builder, KILN_OP_TT_JOIN, type, operands, 2, NULL, 0);
}

kiln_value_t kiln_build_gather(kiln_builder_t *builder, kiln_value_t source, kiln_value_t indices,
                               int axis)
{
    KILN_BUILD_VALUE(builder);
    kiln_value_t both[] = {source, indices};
    if (!kiln_builder_accepts(builder, "gather", both, 2) ||
        !kiln_builder_has_axis(builder, "gather", source, axis))
        return (kiln_value_t){NULL};
    MlirType type = kiln_type_with_element(type_of(indices), kiln_type_element(type_of(source)));
    MlirValue operands[] = {kiln_unwrap(source), kiln_unwrap(indices)};
    MlirNamedAttribute attribute =
        kiln_ir_named(builder->context, "axis", kiln_ir_i32_attr(builder->context, axis));
    return create(builder, KILN_OP_TT_GATHER, type, operands, 2, &attribute, 1);
}

// Arithmetic --------------------------------------------------------------------------------------

kiln_value_t kiln_build_unary(kiln_builder_t *builder, kiln_unary_t op, kiln_value_t a)
{
    KILN_BUILD_VALUE(builder);
    if ((unsigned)op >= KILN_UNARY_COUNT)
        return kiln_builder_fail(builder, "invalid unary operation %d", (int)op);
    if (!kiln_builder_accepts(builder, kiln_op_name(unary_ops[op]), &a, 1))
        return (kiln_value_t){NULL};
    return kiln_wrap(kiln_ir_unary(&builder->ir, unary_ops[op], type_of(a), kiln_unwrap(a)));
}

kiln_value_t kiln_build_binary(kiln_builder_t *builder, kiln_binary_t op, kiln_value_t a,
                               kiln_value_t b)
{
    KILN_BUILD_VALUE(builder);
    kiln_value_t both[] = {a, b};
    if ((unsigned)op >= KILN_BINARY_COUNT)
        return kiln_builder_fail(builder, "invalid binary operation %d", (int)op);
    const char *name = kiln_op_name(binary_ops[op]);
    if (!kiln_builder_accepts_together(builder, name, both, 2) ||
        !same_types(builder, name, both[0], both[1]))
        return (kiln_value_t){NULL};
    return kiln_wrap(
        kiln_ir_binary(&builder->ir, binary_ops[op], kiln_unwrap(both[0]), kiln_unwrap(both[1])));
}

static kiln_value_t convert(kiln_builder_t *builder, kiln_convert_t op, kiln_value_t a,
                            MlirType element)
{
    MlirType from = type_of(a), type = kiln_type_with_element(from, element);
    if (op != KILN_CONVERT_FP_TO_FP || kiln_type_bits(element) >= kiln_type_bits(from))
        return kiln_wrap(kiln_ir_unary(&builder->ir, convert_ops[op], type, kiln_unwrap(a)));
    const int to_nearest_even = 1;
    return kiln_wrap(kiln_ir_unary_attr(&builder->ir, convert_ops[op], type, kiln_unwrap(a),
                                        "rounding",
                                        kiln_ir_i32_attr(builder->context, to_nearest_even)));
}

kiln_value_t kiln_build_convert(kiln_builder_t *builder, kiln_convert_t op, kiln_value_t a,
                                kiln_element_t element)
{
    KILN_BUILD_VALUE(builder);
    if ((unsigned)op >= KILN_CONVERT_COUNT || (unsigned)element >= KILN_VALUE_COUNT)
        return kiln_builder_fail(builder, "invalid conversion %d to %d", (int)op, (int)element);
    if (!kiln_builder_accepts(builder, kiln_op_name(convert_ops[op]), &a, 1))
        return (kiln_value_t){NULL};
    return convert(builder, op, a, kiln_builder_element_type(builder, element));
}

kiln_value_t kiln_build_convert_pointer(kiln_builder_t *builder, kiln_convert_t op, kiln_value_t a,
                                        kiln_element_t pointee)
{
    KILN_BUILD_VALUE(builder);
    if ((op != KILN_CONVERT_INT_TO_PTR && op != KILN_CONVERT_BITCAST) ||
        (unsigned)pointee >= KILN_VALUE_COUNT)
        return kiln_builder_fail(
            builder, "a pointer can be converted only from an integer or another pointer");
    if (!kiln_builder_accepts(builder, kiln_op_name(convert_ops[op]), &a, 1))
        return (kiln_value_t){NULL};
    return convert(builder, op, a, kiln_ptr_type(kiln_builder_element_type(builder, pointee), 1));
}

kiln_value_t kiln_build_compare(kiln_builder_t *builder, kiln_compare_t predicate, kiln_value_t a,
                                kiln_value_t b)
{
    KILN_BUILD_VALUE(builder);
    kiln_value_t both[] = {a, b};
    if ((unsigned)predicate >= KILN_COMPARE_COUNT)
        return kiln_builder_fail(builder, "invalid comparison %d", (int)predicate);
    kiln_op_t op = compare_ops[predicate].op;
    if (!kiln_builder_accepts_together(builder, kiln_op_name(op), both, 2) ||
        !same_types(builder, kiln_op_name(op), both[0], both[1]))
        return (kiln_value_t){NULL};
    MlirContext context = builder->context;
    MlirType type = kiln_type_with_element(type_of(both[0]), mlirIntegerTypeGet(context, 1));
    MlirValue operands[] = {kiln_unwrap(both[0]), kiln_unwrap(both[1])};
    MlirNamedAttribute attribute = kiln_ir_named(
        context, "predicate",
        mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), compare_ops[predicate].predicate));
    return create(builder, op, type, operands, 2, &attribute, 1);
}

kiln_value_t kiln_build_select(kiln_builder_t *builder, kiln_value_t condition, kiln_value_t a,
                               kiln_value_t b)
{
    KILN_BUILD_VALUE(builder);
    kiln_value_t all[] = {a, b, condition};
    bool is_choice =
        condition.handle && !kiln_type_rank(type_of(condition)); // selects one of two whole tiles
    if (!kiln_builder_accepts(builder, "select", all, 3))
        return (kiln_value_t){NULL};
    broadcast_together(builder, all, is_choice ? 2 : 3);
    if (!same_types(builder, "select", all[0], all[1]))
        return (kiln_value_t){NULL};
    if (!is_choice && !same_shapes(builder, "select", all[2], all[0]))
        return (kiln_value_t){NULL};
    MlirValue operands[] = {kiln_unwrap(all[2]), kiln_unwrap(all[0]), kiln_unwrap(all[1])};
    return create(builder, KILN_OP_ARITH_SELECT, type_of(all[0]), operands, 3, NULL, 0);
}

// An operation on three values of one type, which is also the result's.
static kiln_value_t ternary(kiln_builder_t *builder, const char *what, kiln_op_t op,
                            kiln_value_t all[3], const MlirNamedAttribute *attributes, int count)
{
    if (!kiln_builder_accepts_together(builder, what, all, 3) ||
        !same_types(builder, what, all[0], all[1]) || !same_types(builder, what, all[0], all[2]))
        return (kiln_value_t){NULL};
    MlirValue operands[] = {kiln_unwrap(all[0]), kiln_unwrap(all[1]), kiln_unwrap(all[2])};
    return create(builder, op, type_of(all[0]), operands, 3, attributes, count);
}

kiln_value_t kiln_build_fma(kiln_builder_t *builder, kiln_value_t a, kiln_value_t b, kiln_value_t c)
{
    KILN_BUILD_VALUE(builder);
    return ternary(builder, "fma", KILN_OP_MATH_FMA, (kiln_value_t[]){a, b, c}, NULL, 0);
}

kiln_value_t kiln_build_clamp(kiln_builder_t *builder, kiln_value_t x, kiln_value_t low,
                              kiln_value_t high)
{
    KILN_BUILD_VALUE(builder);
    MlirNamedAttribute attribute =
        kiln_ir_named(builder->context, "propagateNan", kiln_ir_i32_attr(builder->context, 0));
    return ternary(builder, "clamp", KILN_OP_TT_CLAMPF, (kiln_value_t[]){x, low, high}, &attribute,
                   1);
}
