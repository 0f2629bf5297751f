// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Building what tt leaves to others: conversions with a rounding mode, functions of the device libraries, assembly, and
// text for the host.
#include "builder/builder_internal.h"

static MlirType type_of(kiln_value_t value)
{
    return mlirValueGetType(kiln_unwrap(value));
}

static MlirAttribute string_attr(kiln_builder_t *builder, const char *text)
{
    return mlirStringAttrGet(builder->context, mlirStringRefCreateFromCString(text));
}

kiln_value_t kiln_build_round(kiln_builder_t *builder, kiln_value_t a, kiln_element_t element, kiln_rounding_t rounding)
{
    static const int numbers[] = {[KILN_ROUNDING_NEAREST_EVEN] = 1, [KILN_ROUNDING_TOWARD_ZERO] = 0};
    KILN_BUILD_VALUE(builder);
    if (!kiln_builder_accepts(builder, "round", &a, 1))
        return (kiln_value_t){NULL};
    MlirType to = kiln_builder_element_type(builder, element), from = kiln_type_element(type_of(a));
    if (mlirTypeIsNull(to) || !mlirTypeIsAFloat(to) || !mlirTypeIsAFloat(from) ||
        kiln_type_bits(to) >= kiln_type_bits(from))
        return kiln_builder_fail(builder, "only a conversion to a smaller float rounds");
    if ((unsigned)rounding >= KILN_ROUNDING_COUNT)
        return kiln_builder_fail(builder, "there is no such rounding");
    if (mlirTypeIsAF64(from))
        return kiln_builder_fail(builder, "f64 is rounded by TRUNCF");
    return kiln_wrap(kiln_ir_unary_attr(&builder->ir, KILN_OP_TT_FP_TO_FP, kiln_type_with_element(type_of(a), to),
                                        kiln_unwrap(a), "rounding",
                                        kiln_ir_i32_attr(builder->context, numbers[rounding])));
}

kiln_value_t kiln_build_extern(kiln_builder_t *builder, const char *symbol, const kiln_value_t *arguments, size_t count,
                               kiln_element_t result)
{
    KILN_BUILD_VALUE(builder);
    if (!kiln_builder_requires(builder, "symbol", symbol) || !kiln_builder_requires(builder, "arguments", arguments))
        return (kiln_value_t){NULL};
    if (!count || count > KILN_BUILDER_EXTERN_LIMIT)
        return kiln_builder_fail(builder, "a library function takes 1 to %d arguments", KILN_BUILDER_EXTERN_LIMIT);
    if (!kiln_builder_accepts(builder, "a library function", arguments, count))
        return (kiln_value_t){NULL};
    MlirType element = kiln_builder_element_type(builder, result);
    if (mlirTypeIsNull(element))
        return kiln_builder_fail(builder, "there is no element type %d", (int)result);
    MlirValue operands[KILN_BUILDER_EXTERN_LIMIT];
    for (size_t i = 0; i < count; i++)
        operands[i] = kiln_unwrap(arguments[i]);
    MlirNamedAttribute attributes[] = {
        kiln_ir_named(builder->context, "libname", string_attr(builder, "")),
        kiln_ir_named(builder->context, "libpath", string_attr(builder, "")),
        kiln_ir_named(builder->context, "symbol", string_attr(builder, symbol)),
        kiln_ir_named(builder->context, "pure", mlirBoolAttrGet(builder->context, 1)),
    };
    MlirType type = kiln_type_with_element(type_of(arguments[0]), element);
    kiln_ir_op_t op = {.kind = KILN_OP_TT_EXTERN_ELEMENTWISE,
                       .operand_count = (int)count,
                       .operands = operands,
                       .result_count = 1,
                       .results = &type,
                       .attribute_count = 4,
                       .attributes = attributes};
    return kiln_wrap(mlirOperationGetResult(kiln_ir_create(&builder->ir, &op), 0));
}
