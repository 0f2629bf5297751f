// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Building conversions with a rounding mode, calls of device library functions, inline assembly,
// prints and assertions.
#include <stdlib.h>

#include "builder/builder_internal.h"
#include "builder/print_format.h"

static MlirType type_of(kiln_value_t value)
{
    return mlirValueGetType(kiln_unwrap(value));
}

static MlirAttribute string_attr(kiln_builder_t *builder, const char *text)
{
    return mlirStringAttrGet(builder->context, mlirStringRefCreateFromCString(text));
}

kiln_value_t kiln_build_round(kiln_builder_t *builder, kiln_value_t a, kiln_element_t element,
                              kiln_rounding_t rounding)
{
    static const int numbers[] = {[KILN_ROUNDING_NEAREST_EVEN] = 1,
                                  [KILN_ROUNDING_TOWARD_ZERO] = 0};
    KILN_BUILD_VALUE(builder);
    if (!kiln_builder_accepts(builder, "round", &a, 1))
        return (kiln_value_t){NULL};
    MlirType to = kiln_builder_element_type(builder, element), from = kiln_type_element(type_of(a));
    if (mlirTypeIsNull(to) || !mlirTypeIsAFloat(to) || !mlirTypeIsAFloat(from) ||
        kiln_type_bits(to) >= kiln_type_bits(from))
        return kiln_builder_fail(builder,
                                 "rounding applies only to conversions to a smaller float");
    if ((unsigned)rounding >= KILN_ROUNDING_COUNT)
        return kiln_builder_fail(builder, "invalid rounding mode");
    if (mlirTypeIsAF64(from))
        return kiln_builder_fail(builder, "use TRUNCF to round f64");
    return kiln_wrap(kiln_ir_unary_attr(
        &builder->ir, KILN_OP_TT_FP_TO_FP, kiln_type_with_element(type_of(a), to), kiln_unwrap(a),
        "rounding", kiln_ir_i32_attr(builder->context, numbers[rounding])));
}

kiln_value_t kiln_build_extern(kiln_builder_t *builder, const char *symbol,
                               const kiln_value_t *arguments, size_t count, kiln_element_t result)
{
    KILN_BUILD_VALUE(builder);
    if (!kiln_builder_requires(builder, "symbol", symbol) ||
        !kiln_builder_requires(builder, "arguments", arguments))
        return (kiln_value_t){NULL};
    if (!count || count > KILN_BUILDER_EXTERN_LIMIT)
        return kiln_builder_fail(builder, "a library function takes 1 to %d arguments",
                                 KILN_BUILDER_EXTERN_LIMIT);
    if (!kiln_builder_accepts(builder, "a library function", arguments, count))
        return (kiln_value_t){NULL};
    MlirType element = kiln_builder_element_type(builder, result);
    if (mlirTypeIsNull(element))
        return kiln_builder_fail(builder, "invalid element type %d", (int)result);
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

void kiln_build_inline_asm(kiln_builder_t *builder, const kiln_assembly_t *assembly,
                           const kiln_value_t *arguments, size_t argument_count,
                           const kiln_value_type_t *result_types, size_t result_count,
                           kiln_value_t *out_results)
{
    KILN_BUILD_CALL(builder);
    if (!kiln_builder_requires(builder, "assembly", assembly) ||
        !kiln_builder_clears(builder, "out_results", out_results, result_count) ||
        !kiln_builder_requires(builder, "text", assembly->text) ||
        !kiln_builder_requires(builder, "constraints", assembly->constraints) ||
        (argument_count && !kiln_builder_requires(builder, "arguments", arguments)) ||
        (result_count && !kiln_builder_requires(builder, "result_types", result_types)) ||
        !kiln_builder_accepts(builder, "assembly", arguments, argument_count))
        return;
    if (argument_count > KILN_BUILDER_EXTERN_LIMIT || result_count > KILN_BUILDER_EXTERN_LIMIT ||
        !result_count) {
        kiln_builder_fail(builder, "assembly needs 1 to %d results and at most as many arguments",
                          KILN_BUILDER_EXTERN_LIMIT);
        return;
    }
    if (assembly->packed < 1 || (assembly->packed & (assembly->packed - 1))) {
        kiln_builder_fail(builder, "the number of elements per assembly must be a power of two");
        return;
    }
    MlirValue operands[KILN_BUILDER_EXTERN_LIMIT];
    MlirType results[KILN_BUILDER_EXTERN_LIMIT];
    for (size_t i = 0; i < argument_count; i++)
        operands[i] = kiln_unwrap(arguments[i]);
    for (size_t i = 0; i < result_count; i++) {
        results[i] = kiln_builder_type(builder, &result_types[i]);
        if (mlirTypeIsNull(results[i]))
            return;
        MlirType own = argument_count ? type_of(arguments[0]) : results[0];
        if (!mlirTypeEqual(kiln_type_with_element(own, kiln_type_element(results[i])),
                           results[i])) {
            kiln_builder_fail(builder,
                              "the arguments and results of assembly have different shapes");
            return;
        }
    }
    MlirContext context = builder->context;
    MlirNamedAttribute attributes[] = {
        kiln_ir_named(context, "asm_string", string_attr(builder, assembly->text)),
        kiln_ir_named(context, "constraints", string_attr(builder, assembly->constraints)),
        kiln_ir_named(context, "pure", mlirBoolAttrGet(context, !assembly->has_effects)),
        kiln_ir_named(context, "packed_element", kiln_ir_i32_attr(context, assembly->packed)),
    };
    kiln_ir_op_t op = {.kind = KILN_OP_TT_ELEMENTWISE_INLINE_ASM,
                       .operand_count = (int)argument_count,
                       .operands = operands,
                       .result_count = (int)result_count,
                       .results = results,
                       .attribute_count = 4,
                       .attributes = attributes};
    MlirOperation made = kiln_ir_create(&builder->ir, &op);
    for (size_t i = 0; i < result_count; i++)
        out_results[i] = kiln_wrap(mlirOperationGetResult(made, (intptr_t)i));
}

void kiln_build_print(kiln_builder_t *builder, const char *prefix, bool hex,
                      const kiln_value_t *values, const bool *are_signed, size_t count)
{
    KILN_BUILD_CALL(builder);
    if (!kiln_builder_requires(builder, "prefix", prefix) ||
        (count && !kiln_builder_requires(builder, "values", values)) ||
        !kiln_builder_accepts(builder, "print", values, count))
        return;
    MlirValue *operands = calloc(count + 1, sizeof *operands);
    int32_t *signs = calloc(count + 1, sizeof *signs);
    if (operands && signs) {
        for (size_t i = 0; i < count; i++) {
            operands[i] = kiln_unwrap(values[i]);
            signs[i] = !are_signed || are_signed[i];
        }
        MlirNamedAttribute attributes[] = {
            kiln_ir_named(builder->context, "prefix", string_attr(builder, prefix)),
            kiln_ir_named(builder->context, "hex", mlirBoolAttrGet(builder->context, hex)),
            kiln_ir_named(builder->context, "isSigned",
                          mlirDenseI32ArrayGet(builder->context, (intptr_t)count, signs)),
            kiln_ir_named(builder->context, "kiln.once", mlirUnitAttrGet(builder->context)),
        };
        kiln_ir_op_t op = {.kind = KILN_OP_TT_PRINT,
                           .operand_count = (int)count,
                           .operands = operands,
                           .attribute_count = sizeof attributes / sizeof *attributes,
                           .attributes = attributes};
        kiln_ir_create(&builder->ir, &op);
    } else {
        kiln_builder_fail_memory(builder);
    }
    free(operands);
    free(signs);
}

void kiln_build_printf(kiln_builder_t *builder, const char *prefix, const char *conversion,
                       kiln_value_t value, bool is_signed)
{
    KILN_BUILD_CALL(builder);
    if (!kiln_builder_requires(builder, "prefix", prefix) ||
        !kiln_builder_requires(builder, "conversion", conversion) ||
        !kiln_builder_accepts(builder, "printf", &value, 1))
        return;
    const int32_t sign = is_signed;
    MlirValue operand = kiln_unwrap(value);
    MlirNamedAttribute attributes[] = {
        kiln_ir_named(builder->context, "prefix", string_attr(builder, prefix)),
        kiln_ir_named(builder->context, "hex", mlirBoolAttrGet(builder->context, false)),
        kiln_ir_named(builder->context, "isSigned",
                      mlirDenseI32ArrayGet(builder->context, 1, &sign)),
        kiln_ir_named(builder->context, KILN_PRINT_ATTRIBUTE, string_attr(builder, conversion)),
        kiln_ir_named(builder->context, "kiln.once", mlirUnitAttrGet(builder->context)),
    };
    kiln_ir_op_t op = {.kind = KILN_OP_TT_PRINT,
                       .operand_count = 1,
                       .operands = &operand,
                       .attribute_count = sizeof attributes / sizeof *attributes,
                       .attributes = attributes};
    kiln_print_format_t format;
    kiln_status_t wrong = kiln_print_format_of(kiln_ir_create(&builder->ir, &op), &format);
    if (wrong)
        kiln_builder_fail(builder, "printf: invalid conversion '%s' for this value", conversion);
    kiln_status_free(wrong);
}

void kiln_build_assert(kiln_builder_t *builder, kiln_value_t condition, const char *message)
{
    KILN_BUILD_CALL(builder);
    if (!kiln_builder_requires(builder, "message", message) ||
        !kiln_builder_accepts(builder, "assert", &condition, 1))
        return;
    if (!mlirTypeEqual(kiln_type_element(type_of(condition)),
                       mlirIntegerTypeGet(builder->context, 1))) {
        kiln_builder_fail(builder, "assert: the condition must be i1");
        return;
    }
    MlirValue operand = kiln_unwrap(condition);
    kiln_ir_with_attr(&builder->ir, KILN_OP_TT_ASSERT, KILN_NO_RESULT, 1, &operand, "message",
                      string_attr(builder, message));
}
