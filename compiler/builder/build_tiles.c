// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Building split, cat, unsplat and histogram.
//
// tt.cat may reorder the elements; to keep their order, join, transpose and reshape instead.
#include "builder/builder_internal.h"

static MlirType type_of(kiln_value_t value)
{
    return mlirValueGetType(kiln_unwrap(value));
}

static MlirOperation create(kiln_builder_t *builder, kiln_op_t kind, const MlirValue *operands,
                            int count, const MlirType *results, int result_count)
{
    kiln_ir_op_t op = {.kind = kind,
                       .operand_count = count,
                       .operands = operands,
                       .result_count = result_count,
                       .results = results};
    return kiln_ir_create(&builder->ir, &op);
}

void kiln_build_split(kiln_builder_t *builder, kiln_value_t tile, kiln_value_t *out_first,
                      kiln_value_t *out_second)
{
    KILN_BUILD_CALL(builder);
    if (!kiln_builder_clears(builder, "out_first", out_first, 1) ||
        !kiln_builder_clears(builder, "out_second", out_second, 1))
        return;
    if (!kiln_builder_accepts(builder, "split", &tile, 1))
        return;
    MlirType type = type_of(tile);
    int rank = kiln_type_rank(type) - 1;
    int64_t shape[KILN_BUILDER_RANK_LIMIT];
    if (rank < 1 || kiln_type_dim(type, rank) != 2) {
        kiln_builder_fail(builder, "split takes a tile of two or more dimensions, the last of 2");
        return;
    }
    for (int i = 0; i < rank; i++)
        shape[i] = kiln_type_dim(type, i);
    MlirType half = kiln_type_tensor(rank, shape, kiln_type_element(type), (MlirAttribute){NULL});
    MlirType results[] = {half, half};
    MlirValue operand = kiln_unwrap(tile);
    MlirOperation made = create(builder, KILN_OP_TT_SPLIT, &operand, 1, results, 2);
    *out_first = kiln_wrap(mlirOperationGetResult(made, 0));
    *out_second = kiln_wrap(mlirOperationGetResult(made, 1));
}

kiln_value_t kiln_build_cat(kiln_builder_t *builder, kiln_value_t a, kiln_value_t b)
{
    KILN_BUILD_VALUE(builder);
    kiln_value_t both[] = {a, b};
    if (!kiln_builder_accepts(builder, "cat", both, 2))
        return (kiln_value_t){NULL};
    if (!mlirTypeEqual(type_of(a), type_of(b)) || kiln_type_rank(type_of(a)) != 1)
        return kiln_builder_fail(builder, "cat takes two tiles of one dimension and one type");
    int64_t size = 2 * kiln_type_dim(type_of(a), 0);
    MlirType result =
        kiln_type_tensor(1, &size, kiln_type_element(type_of(a)), (MlirAttribute){NULL});
    MlirValue operands[] = {kiln_unwrap(a), kiln_unwrap(b)};
    return kiln_wrap(
        mlirOperationGetResult(create(builder, KILN_OP_TT_CAT, operands, 2, &result, 1), 0));
}

kiln_value_t kiln_build_unsplat(kiln_builder_t *builder, kiln_value_t tile)
{
    KILN_BUILD_VALUE(builder);
    if (!kiln_builder_accepts(builder, "unsplat", &tile, 1))
        return (kiln_value_t){NULL};
    if (!kiln_type_rank(type_of(tile)) || kiln_type_count(type_of(tile)) != 1)
        return kiln_builder_fail(builder, "unsplat takes a tile of one element");
    MlirType result = kiln_type_element(type_of(tile));
    MlirValue operand = kiln_unwrap(tile);
    return kiln_wrap(
        mlirOperationGetResult(create(builder, KILN_OP_TT_UNSPLAT, &operand, 1, &result, 1), 0));
}

kiln_value_t kiln_build_histogram(kiln_builder_t *builder, kiln_value_t tile, kiln_value_t mask,
                                  int64_t bins)
{
    KILN_BUILD_VALUE(builder);
    if (!kiln_builder_accepts(builder, "histogram", &tile, 1))
        return (kiln_value_t){NULL};
    MlirType type = type_of(tile), bits = mlirIntegerTypeGet(builder->context, 1);
    if (kiln_type_rank(type) != 1 || !mlirTypeIsAInteger(kiln_type_element(type)))
        return kiln_builder_fail(builder, "histogram takes a one-dimensional tile of integers");
    if (mask.handle && !mlirTypeEqual(type_of(mask), kiln_type_with_element(type, bits)))
        return kiln_builder_fail(builder, "histogram: the mask must be i1 with the tile's shape");
    kiln_value_type_t wanted = {.element = KILN_VALUE_I32, .rank = 1, .shape = {bins}};
    MlirType result = kiln_builder_type(builder, &wanted);
    if (mlirTypeIsNull(result))
        return (kiln_value_t){NULL};
    MlirValue operands[] = {kiln_unwrap(tile), kiln_unwrap(mask)};
    MlirOperation made =
        create(builder, KILN_OP_TT_HISTOGRAM, operands, mask.handle ? 2 : 1, &result, 1);
    return kiln_wrap(mlirOperationGetResult(made, 0));
}
