// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Building block pointers and tensor descriptors: a tensor in memory, accessed by blocks.
//
// A block pointer has offsets, which `advance` changes; a descriptor has none, each access gives
// them. A block pointer's sizes are i64, a descriptor's i32.
#include "builder/builder_internal.h"

static MlirType type_of(kiln_value_t value)
{
    return mlirValueGetType(kiln_unwrap(value));
}

static const int reduce_numbers[] = {
#define KILN_VIEW_REDUCE_ROW(id, value) value,
#include "kiln/builder.def"
};

static bool are_integers(kiln_builder_t *builder, const char *what, const kiln_value_t *values,
                         int count, unsigned bits)
{
    if (!kiln_builder_requires(builder, what, values) ||
        !kiln_builder_accepts(builder, what, values, (size_t)count))
        return false;
    for (int i = 0; i < count; i++)
        if (!mlirTypeEqual(type_of(values[i]), mlirIntegerTypeGet(builder->context, bits))) {
            kiln_builder_fail(builder, "%s must be scalars of i%u", what, bits);
            return false;
        }
    return true;
}

// The pointee type of the base; null on error.
static MlirType pointee(kiln_builder_t *builder, kiln_value_t base)
{
    MlirType type = type_of(base);
    if (kiln_type_is_ptr(type) && !kiln_type_is_tensor(kiln_ptr_pointee(type)))
        return kiln_ptr_pointee(type);
    kiln_builder_fail(builder, "the base of a tensor must be a scalar pointer");
    return (MlirType){NULL};
}

static MlirType block_type(kiln_builder_t *builder, int rank, const int64_t *block,
                           MlirType element)
{
    if (rank < 1 || rank > KILN_BUILDER_RANK_LIMIT ||
        !kiln_builder_requires(builder, "block", block)) {
        kiln_builder_fail(builder, "a block has 1 to %d dimensions", KILN_BUILDER_RANK_LIMIT);
        return (MlirType){NULL};
    }
    kiln_value_type_t type = {.element = KILN_VALUE_I8, .rank = rank};
    for (int i = 0; i < rank; i++)
        type.shape[i] = block[i];
    MlirType checked = kiln_builder_type(builder, &type);
    return mlirTypeIsNull(checked) ? checked : kiln_type_with_element(checked, element);
}

static MlirOperation create(kiln_builder_t *builder, kiln_op_t kind, const MlirValue *operands,
                            int count, const MlirType *result, const MlirNamedAttribute *attributes,
                            int attribute_count)
{
    kiln_ir_op_t op = {.kind = kind,
                       .operand_count = count,
                       .operands = operands,
                       .result_count = result != NULL,
                       .results = result,
                       .attribute_count = attribute_count,
                       .attributes = attributes};
    return kiln_ir_create(&builder->ir, &op);
}

static kiln_value_t first_result(MlirOperation op)
{
    return kiln_wrap(mlirOperationGetResult(op, 0));
}

// Block pointers ----------------------------------------------------------------------------------

kiln_value_t kiln_build_block_pointer(kiln_builder_t *builder, kiln_value_t base, int rank,
                                      const kiln_value_t *sizes, const kiln_value_t *strides,
                                      const kiln_value_t *offsets, const int64_t *block,
                                      const int32_t *order)
{
    KILN_BUILD_VALUE(builder);
    if (!kiln_builder_accepts(builder, "a block pointer", &base, 1))
        return (kiln_value_t){NULL};
    MlirType element = pointee(builder, base);
    MlirType type = mlirTypeIsNull(element) ? element : block_type(builder, rank, block, element);
    if (mlirTypeIsNull(type) || !are_integers(builder, "sizes", sizes, rank, 64) ||
        !are_integers(builder, "strides", strides, rank, 64) ||
        !are_integers(builder, "offsets", offsets, rank, 32) ||
        !kiln_builder_requires(builder, "order", order))
        return (kiln_value_t){NULL};
    MlirValue operands[1 + 3 * KILN_BUILDER_RANK_LIMIT] = {kiln_unwrap(base)};
    for (int i = 0; i < rank; i++) {
        operands[1 + i] = kiln_unwrap(sizes[i]);
        operands[1 + rank + i] = kiln_unwrap(strides[i]);
        operands[1 + 2 * rank + i] = kiln_unwrap(offsets[i]);
    }
    MlirType result = kiln_ptr_type(type, 1);
    MlirNamedAttribute attribute = kiln_ir_named(
        builder->context, "order", mlirDenseI32ArrayGet(builder->context, rank, order));
    return first_result(create(builder, KILN_OP_TT_MAKE_TENSOR_PTR, operands, 1 + 3 * rank, &result,
                               &attribute, 1));
}

// The type of a block pointer's block; null on error.
static MlirType pointed_block(kiln_builder_t *builder, kiln_value_t pointer)
{
    MlirType type = type_of(pointer);
    if (kiln_type_is_ptr(type) && kiln_type_is_tensor(kiln_ptr_pointee(type)))
        return kiln_ptr_pointee(type);
    kiln_builder_fail(builder, "expected a block pointer");
    return (MlirType){NULL};
}

kiln_value_t kiln_build_advance(kiln_builder_t *builder, kiln_value_t pointer,
                                const kiln_value_t *offsets)
{
    KILN_BUILD_VALUE(builder);
    if (!kiln_builder_accepts(builder, "advance", &pointer, 1))
        return (kiln_value_t){NULL};
    MlirType block = pointed_block(builder, pointer), result = type_of(pointer);
    if (mlirTypeIsNull(block) ||
        !are_integers(builder, "offsets", offsets, kiln_type_rank(block), 32))
        return (kiln_value_t){NULL};
    MlirValue operands[1 + KILN_BUILDER_RANK_LIMIT] = {kiln_unwrap(pointer)};
    for (int i = 0; i < kiln_type_rank(block); i++)
        operands[1 + i] = kiln_unwrap(offsets[i]);
    return first_result(
        create(builder, KILN_OP_TT_ADVANCE, operands, 1 + kiln_type_rank(block), &result, NULL, 0));
}

// Sets boundaryCheck, padding and hints; returns their number, or -1 on error.
static int block_attributes(kiln_builder_t *builder, const char *what, MlirType block,
                            unsigned checked, kiln_block_padding_t padding,
                            const kiln_access_hints_t *hints, MlirNamedAttribute *out)
{
    MlirContext context = builder->context;
    int32_t dims[KILN_BUILDER_RANK_LIMIT];
    intptr_t dim_count = 0;
    int count = hints ? kiln_builder_hints(builder, what, hints, out) : 0;
    if (checked >> kiln_type_rank(block) || (unsigned)padding >= KILN_PADDING_COUNT) {
        kiln_builder_fail(builder, "%s: invalid dimension or padding", what);
        return -1;
    }
    for (int i = 0; i < kiln_type_rank(block); i++)
        if (checked >> i & 1)
            dims[dim_count++] = i;
    if (count < 0)
        return count;
    if (dim_count)
        out[count++] =
            kiln_ir_named(context, "boundaryCheck", mlirDenseI32ArrayGet(context, dim_count, dims));
    if (padding)
        out[count++] =
            kiln_ir_named(context, "padding", kiln_ir_i32_attr(context, (int64_t)padding));
    return count;
}

kiln_value_t kiln_build_block_load(kiln_builder_t *builder, kiln_value_t pointer, unsigned checked,
                                   kiln_block_padding_t padding, const kiln_access_hints_t *hints)
{
    KILN_BUILD_VALUE(builder);
    MlirNamedAttribute attributes[6];
    if (!kiln_builder_accepts(builder, "a block's load", &pointer, 1))
        return (kiln_value_t){NULL};
    MlirType block = pointed_block(builder, pointer);
    int count = mlirTypeIsNull(block)
                    ? -1
                    : block_attributes(builder, "load", block, checked, padding, hints, attributes);
    if (count < 0)
        return (kiln_value_t){NULL};
    const int32_t segments[3] = {1, 0, 0};
    attributes[count++] = kiln_ir_named(builder->context, "operandSegmentSizes",
                                        mlirDenseI32ArrayGet(builder->context, 3, segments));
    MlirValue operand = kiln_unwrap(pointer);
    return first_result(create(builder, KILN_OP_TT_LOAD, &operand, 1, &block, attributes, count));
}

void kiln_build_block_store(kiln_builder_t *builder, kiln_value_t pointer, kiln_value_t value,
                            unsigned checked, const kiln_access_hints_t *hints)
{
    KILN_BUILD_CALL(builder);
    kiln_value_t both[] = {pointer, value};
    MlirNamedAttribute attributes[6];
    if (!kiln_builder_accepts(builder, "a block's store", both, 2))
        return;
    MlirType block = pointed_block(builder, pointer);
    int count = mlirTypeIsNull(block) ? -1
                                      : block_attributes(builder, "store", block, checked,
                                                         KILN_PADDING_NONE, hints, attributes);
    if (count < 0)
        return;
    if (!mlirTypeEqual(type_of(value), block)) {
        kiln_builder_fail(builder, "store: the value must have the block's type");
        return;
    }
    MlirValue operands[] = {kiln_unwrap(pointer), kiln_unwrap(value)};
    create(builder, KILN_OP_TT_STORE, operands, 2, NULL, attributes, count);
}

// Descriptors -------------------------------------------------------------------------------------

kiln_value_t kiln_build_descriptor(kiln_builder_t *builder, kiln_value_t base, int rank,
                                   const kiln_value_t *sizes, const kiln_value_t *strides,
                                   const int64_t *block, kiln_block_padding_t padding)
{
    KILN_BUILD_VALUE(builder);
    if (!kiln_builder_accepts(builder, "a descriptor", &base, 1))
        return (kiln_value_t){NULL};
    MlirType element = pointee(builder, base);
    MlirType type = mlirTypeIsNull(element) ? element : block_type(builder, rank, block, element);
    if (mlirTypeIsNull(type) || !are_integers(builder, "sizes", sizes, rank, 32) ||
        !are_integers(builder, "strides", strides, rank, 64))
        return (kiln_value_t){NULL};
    if ((unsigned)padding >= KILN_PADDING_COUNT)
        return kiln_builder_fail(builder, "a descriptor: invalid padding");
    MlirValue operands[1 + 2 * KILN_BUILDER_RANK_LIMIT] = {kiln_unwrap(base)};
    for (int i = 0; i < rank; i++) {
        operands[1 + i] = kiln_unwrap(sizes[i]);
        operands[1 + rank + i] = kiln_unwrap(strides[i]);
    }
    MlirType result = kiln_tensordesc_type(type);
    MlirNamedAttribute attribute = kiln_ir_named(
        builder->context, "padding", kiln_ir_i32_attr(builder->context, (int64_t)padding));
    return first_result(create(builder, KILN_OP_TT_MAKE_TENSOR_DESCRIPTOR, operands, 1 + 2 * rank,
                               &result, &attribute, padding != KILN_PADDING_NONE));
}

// The type of a descriptor's block; null on error.
static MlirType described_block(kiln_builder_t *builder, kiln_value_t descriptor)
{
    if (kiln_builder_accepts(builder, "a descriptor's access", &descriptor, 1)) {
        if (kiln_type_is_tensordesc(type_of(descriptor)))
            return kiln_tensordesc_block_type(type_of(descriptor));
        kiln_builder_fail(builder, "expected a descriptor");
    }
    return (MlirType){NULL};
}

// Sets descriptor, [value,] indices; returns the number of operands, or -1 on error.
static int access_operands(kiln_builder_t *builder, kiln_value_t descriptor,
                           const kiln_value_t *indices, const kiln_value_t *value,
                           MlirType *out_block, MlirValue *out)
{
    int count = 0;
    *out_block = described_block(builder, descriptor);
    if (mlirTypeIsNull(*out_block) ||
        !are_integers(builder, "indices", indices, kiln_type_rank(*out_block), 32) ||
        (value && !kiln_builder_accepts(builder, "a descriptor's access", value, 1)))
        return -1;
    if (value && !mlirTypeEqual(type_of(*value), *out_block)) {
        kiln_builder_fail(builder, "the value must have the type of the descriptor's block");
        return -1;
    }
    out[count++] = kiln_unwrap(descriptor);
    if (value)
        out[count++] = kiln_unwrap(*value);
    for (int i = 0; i < kiln_type_rank(*out_block); i++)
        out[count++] = kiln_unwrap(indices[i]);
    return count;
}

kiln_value_t kiln_build_descriptor_load(kiln_builder_t *builder, kiln_value_t descriptor,
                                        const kiln_value_t *indices,
                                        const kiln_access_hints_t *hints)
{
    KILN_BUILD_VALUE(builder);
    MlirValue operands[2 + KILN_BUILDER_RANK_LIMIT];
    MlirNamedAttribute attributes[3];
    MlirType block;
    int count = access_operands(builder, descriptor, indices, NULL, &block, operands);
    int attribute_count =
        count >= 0 && hints ? kiln_builder_hints(builder, "load", hints, attributes) : 0;
    if (count < 0 || attribute_count < 0)
        return (kiln_value_t){NULL};
    return first_result(create(builder, KILN_OP_TT_DESCRIPTOR_LOAD, operands, count, &block,
                               attributes, attribute_count));
}

void kiln_build_descriptor_store(kiln_builder_t *builder, kiln_value_t descriptor,
                                 const kiln_value_t *indices, kiln_value_t value)
{
    KILN_BUILD_CALL(builder);
    MlirValue operands[2 + KILN_BUILDER_RANK_LIMIT];
    MlirType block;
    int count = access_operands(builder, descriptor, indices, &value, &block, operands);
    if (count >= 0)
        create(builder, KILN_OP_TT_DESCRIPTOR_STORE, operands, count, NULL, NULL, 0);
}

void kiln_build_descriptor_reduce(kiln_builder_t *builder, kiln_view_reduce_t op,
                                  kiln_value_t descriptor, const kiln_value_t *indices,
                                  kiln_value_t value)
{
    KILN_BUILD_CALL(builder);
    MlirValue operands[2 + KILN_BUILDER_RANK_LIMIT];
    MlirType block;
    if ((unsigned)op >= KILN_VIEW_REDUCE_COUNT) {
        kiln_builder_fail(builder, "invalid reduction into memory");
        return;
    }
    int count = access_operands(builder, descriptor, indices, &value, &block, operands);
    MlirNamedAttribute attribute = kiln_ir_named(
        builder->context, "kind", kiln_ir_i32_attr(builder->context, reduce_numbers[op]));
    if (count >= 0)
        create(builder, KILN_OP_TT_DESCRIPTOR_REDUCE, operands, count, NULL, &attribute, 1);
}

// The type of the rows of a gather or scatter: the block's row, repeated; null on error.
static MlirType rows_type(kiln_builder_t *builder, kiln_value_t descriptor, kiln_value_t rows,
                          kiln_value_t column)
{
    kiln_value_t both[] = {rows, column};
    MlirType block = described_block(builder, descriptor),
             i32 = mlirIntegerTypeGet(builder->context, 32);
    if (mlirTypeIsNull(block) || !kiln_builder_accepts(builder, "a descriptor's rows", both, 2))
        return (MlirType){NULL};
    if (kiln_type_rank(block) != 2 || kiln_type_dim(block, 0) != 1 ||
        kiln_type_rank(type_of(rows)) != 1 ||
        !mlirTypeEqual(kiln_type_element(type_of(rows)), i32) ||
        !mlirTypeEqual(type_of(column), i32)) {
        kiln_builder_fail(builder, "gather and scatter need a descriptor of one-row blocks, i32[n] "
                                   "rows and an i32 column");
        return (MlirType){NULL};
    }
    const int64_t shape[] = {kiln_type_dim(type_of(rows), 0), kiln_type_dim(block, 1)};
    return kiln_type_tensor(2, shape, kiln_type_element(block), (MlirAttribute){NULL});
}

kiln_value_t kiln_build_descriptor_gather(kiln_builder_t *builder, kiln_value_t descriptor,
                                          kiln_value_t rows, kiln_value_t column)
{
    KILN_BUILD_VALUE(builder);
    MlirType type = rows_type(builder, descriptor, rows, column);
    MlirValue operands[] = {kiln_unwrap(descriptor), kiln_unwrap(rows), kiln_unwrap(column)};
    return mlirTypeIsNull(type) ? (kiln_value_t){NULL}
                                : first_result(create(builder, KILN_OP_TT_DESCRIPTOR_GATHER,
                                                      operands, 3, &type, NULL, 0));
}

void kiln_build_descriptor_scatter(kiln_builder_t *builder, kiln_value_t descriptor,
                                   kiln_value_t rows, kiln_value_t column, kiln_value_t value)
{
    KILN_BUILD_CALL(builder);
    MlirType type = rows_type(builder, descriptor, rows, column);
    if (mlirTypeIsNull(type) || !kiln_builder_accepts(builder, "a descriptor's rows", &value, 1))
        return;
    if (!mlirTypeEqual(type, type_of(value))) {
        kiln_builder_fail(builder, "the value must have one row per index");
        return;
    }
    MlirValue operands[] = {kiln_unwrap(descriptor), kiln_unwrap(rows), kiln_unwrap(column),
                            kiln_unwrap(value)};
    create(builder, KILN_OP_TT_DESCRIPTOR_SCATTER, operands, 4, NULL, NULL, 0);
}
