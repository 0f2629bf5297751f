// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Building matrix products, plain and scaled.
//
// tt.dot_scaled has optional operands in the middle of its list, so it has operandSegmentSizes.
#include "builder/builder_internal.h"

static const int precisions[] = {
#define KILN_PRECISION_ROW(id, value) value,
#include "kiln/builder.def"
};
static const int formats[] = {
#define KILN_SCALED_ROW(id, value) value,
#include "kiln/builder.def"
};

kiln_value_t kiln_build_dot(kiln_builder_t *builder, kiln_value_t a, kiln_value_t b,
                            kiln_value_t accumulator)
{
    KILN_BUILD_VALUE(builder);
    return kiln_build_dot_with(builder, a, b, accumulator, KILN_PRECISION_IEEE, 0);
}

kiln_value_t kiln_build_dot_with(kiln_builder_t *builder, kiln_value_t a, kiln_value_t b,
                                 kiln_value_t accumulator, kiln_precision_t precision,
                                 int32_t max_imprecise)
{
    KILN_BUILD_VALUE(builder);
    kiln_value_t all[] = {a, b, accumulator};
    MlirContext context = builder->context;
    if (!kiln_builder_accepts(builder, "dot", all, 3))
        return (kiln_value_t){NULL};
    if ((unsigned)precision >= KILN_PRECISION_COUNT || max_imprecise < 0)
        return kiln_builder_fail(builder, "dot: invalid precision");
    MlirNamedAttribute attributes[2];
    int count = 0;
    if (precision != KILN_PRECISION_IEEE)
        attributes[count++] = kiln_ir_named(context, "inputPrecision",
                                            kiln_ir_i32_attr(context, precisions[precision]));
    if (max_imprecise)
        attributes[count++] =
            kiln_ir_named(context, "maxNumImpreciseAcc", kiln_ir_i32_attr(context, max_imprecise));
    MlirValue operands[] = {kiln_unwrap(a), kiln_unwrap(b), kiln_unwrap(accumulator)};
    MlirType result = mlirValueGetType(operands[2]);
    kiln_ir_op_t op = {.kind = KILN_OP_TT_DOT,
                       .operand_count = 3,
                       .operands = operands,
                       .result_count = 1,
                       .results = &result,
                       .attribute_count = count,
                       .attributes = attributes};
    return kiln_wrap(mlirOperationGetResult(kiln_ir_create(&builder->ir, &op), 0));
}

kiln_value_t kiln_build_dot_scaled(kiln_builder_t *builder, const kiln_scaled_operand_t *a,
                                   const kiln_scaled_operand_t *b, kiln_value_t accumulator,
                                   bool fast_math)
{
    KILN_BUILD_VALUE(builder);
    if (!kiln_builder_requires(builder, "a", a) || !kiln_builder_requires(builder, "b", b))
        return (kiln_value_t){NULL};
    kiln_value_t all[] = {a->tile, b->tile, accumulator};
    MlirContext context = builder->context;
    if (!kiln_builder_accepts(builder, "dot_scaled", all, 3))
        return (kiln_value_t){NULL};
    if ((unsigned)a->format >= KILN_SCALED_COUNT || (unsigned)b->format >= KILN_SCALED_COUNT)
        return kiln_builder_fail(builder, "dot_scaled: invalid format");
    MlirValue operands[5] = {kiln_unwrap(a->tile), kiln_unwrap(b->tile), kiln_unwrap(accumulator)};
    int32_t segments[5] = {1, 1, 1, a->scale.handle != NULL, b->scale.handle != NULL};
    int count = 3;
    if (a->scale.handle)
        operands[count++] = kiln_unwrap(a->scale);
    if (b->scale.handle)
        operands[count++] = kiln_unwrap(b->scale);
    MlirNamedAttribute attributes[] = {
        kiln_ir_named(context, "a_elem_type", kiln_ir_i32_attr(context, formats[a->format])),
        kiln_ir_named(context, "b_elem_type", kiln_ir_i32_attr(context, formats[b->format])),
        kiln_ir_named(context, "fastMath", mlirBoolAttrGet(context, fast_math)),
        kiln_ir_named(context, "lhs_k_pack", mlirBoolAttrGet(context, !a->packs_other)),
        kiln_ir_named(context, "rhs_k_pack", mlirBoolAttrGet(context, !b->packs_other)),
        kiln_ir_named(context, "operandSegmentSizes", mlirDenseI32ArrayGet(context, 5, segments)),
    };
    MlirType result = mlirValueGetType(operands[2]);
    kiln_ir_op_t op = {.kind = KILN_OP_TT_DOT_SCALED,
                       .operand_count = count,
                       .operands = operands,
                       .result_count = 1,
                       .results = &result,
                       .attribute_count = 6,
                       .attributes = attributes};
    return kiln_wrap(mlirOperationGetResult(kiln_ir_create(&builder->ir, &op), 0));
}
