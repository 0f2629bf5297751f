// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The builder's context and module, locations, types, kernels and errors.
//
// After the first error nothing more is built, so that later calls, which get null values, do not
// hide it.
#include "builder/builder_internal.h"
#include "builder/ir_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mlir-c/Diagnostics.h>
#include <mlir-c/Support.h>

#include "base/require.h"
#include "base/string.h"

static MlirStringRef string_ref(const char *text)
{
    return mlirStringRefCreateFromCString(text);
}

// Errors ------------------------------------------------------------------------------------------

kiln_value_t kiln_builder_fail(kiln_builder_t *builder, const char *format, ...)
{
    if (!builder->error) {
        va_list arguments;
        va_start(arguments, format);
        char *message = kiln_string_vprint(format, arguments);
        va_end(arguments);
        // Users of Tile C do not know these calls.
        const char *call = builder->owns_context && builder->call ? builder->call : "";
        builder->error =
            kiln_status_at_loc(message ? kiln_status_make(KILN_STATUS_INVALID_INPUT, "%s%s%s", call,
                                                          *call ? ": " : "", message)
                                       : kiln_status_out_of_memory(),
                               builder->ir.loc);
        free(message);
    }
    return (kiln_value_t){NULL};
}

void kiln_builder_fail_memory(kiln_builder_t *builder)
{
    if (!builder->error)
        builder->error = kiln_status_out_of_memory();
}

bool kiln_builder_requires(kiln_builder_t *builder, const char *name, const void *pointer)
{
    if (!pointer)
        kiln_builder_fail(builder, "%s is NULL", name);
    return pointer != NULL;
}

bool kiln_builder_clears(kiln_builder_t *builder, const char *name, kiln_value_t *out_values,
                         size_t count)
{
    if (!count)
        return true;
    if (out_values)
        memset(out_values, 0, count * sizeof *out_values);
    return kiln_builder_requires(builder, name, out_values);
}

bool kiln_builder_accepts(kiln_builder_t *builder, const char *what, const kiln_value_t *values,
                          size_t count)
{
    if (builder->error)
        return false;
    if (mlirBlockIsNull(builder->ir.block)) {
        kiln_builder_fail(builder, "%s outside of a kernel", what);
        return false;
    }
    if (count && !values) {
        kiln_builder_fail(builder, "the values of %s are NULL", what);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (values[i].handle)
            continue;
        kiln_builder_fail(builder, "operand %zu of %s is the null value", i, what);
        return false;
    }
    return true;
}

// Life --------------------------------------------------------------------------------------------

kiln_status_t kiln_builder_create_in(MlirContext context, kiln_builder_t **out_builder)
{
    *out_builder = NULL;
    kiln_builder_t *builder = calloc(1, sizeof *builder);
    if (!builder)
        return kiln_status_out_of_memory();
    MlirLocation loc = mlirLocationUnknownGet(context);
    builder->context = context;
    builder->module = mlirModuleCreateEmpty(loc);
    builder->ir = (kiln_ir_t){.context = context, .loc = loc};
    *out_builder = builder;
    return KILN_OK;
}

kiln_status_t kiln_builder_create(kiln_builder_t **out_builder)
{
    KILN_REQUIRE_OUT(out_builder);
    MlirContext context = mlirContextCreateWithThreading(false);
    kiln_status_t status = kiln_context_load_dialects(context)
                               ? kiln_builder_create_in(context, out_builder)
                               : kiln_status_out_of_memory();
    if (status) {
        mlirContextDestroy(context);
        return status;
    }
    (*out_builder)->owns_context = true;
    return KILN_OK;
}

static void release_frame(kiln_build_frame_t *frame)
{
    for (int i = 1; i >= 0; i--) // inner regions use values of outer ones, so they go first
        if (!mlirRegionIsNull(frame->regions[i]))
            mlirRegionDestroy(frame->regions[i]);
    free(frame->operands);
    free(frame->results);
}

void kiln_builder_release(kiln_builder_t *builder)
{
    if (!builder)
        return;
    while (builder->frame_count)
        release_frame(&builder->frames[--builder->frame_count]);
    free(builder->frames);
    if (!mlirModuleIsNull(builder->module))
        mlirModuleDestroy(builder->module);
    if (builder->owns_context)
        mlirContextDestroy(builder->context);
    kiln_status_free(builder->error);
    free(builder->text);
    free(builder);
}

// The verifier's first error becomes the status.
static MlirLogicalResult keep_diagnostic(MlirDiagnostic diagnostic, void *user)
{
    kiln_status_t *status = user;
    kiln_string_t text = {0};
    if (mlirDiagnosticGetSeverity(diagnostic) != MlirDiagnosticError || *status)
        return mlirLogicalResultSuccess();
    mlirDiagnosticPrint(diagnostic, kiln_ir_append, &text);
    *status = kiln_status_at_loc(kiln_status_make(KILN_STATUS_INVALID_INPUT, "%s",
                                                  text.data ? text.data : "verification failed"),
                                 mlirDiagnosticGetLocation(diagnostic));
    free(text.data);
    return mlirLogicalResultSuccess();
}

// Runs an operation's verifier; an error names the call that created the operation.
static void verify_operation(kiln_builder_t *builder, MlirOperation operation)
{
    kiln_status_t status = KILN_OK;
    MlirDiagnosticHandlerID handler =
        mlirContextAttachDiagnosticHandler(builder->context, keep_diagnostic, &status, NULL);
    bool is_valid = mlirOperationVerify(operation);
    mlirContextDetachDiagnosticHandler(builder->context, handler);
    if (!is_valid) {
        MlirLocation loc = builder->ir.loc;
        builder->ir.loc = mlirOperationGetLocation(operation);
        kiln_builder_fail(builder, "%s",
                          status ? kiln_status_message(status) : "invalid operation");
        builder->ir.loc = loc;
    }
    kiln_status_free(status);
}

// Verifies the operations added to the block since the last time. The operations of a finished
// block are verified with the operation that contains it.
static void verify_new(kiln_builder_t *builder)
{
    MlirBlock block = builder->ir.block;
    if (builder->error || mlirBlockIsNull(block))
        return;
    if (!mlirBlockEqual(block, builder->checked_block)) {
        builder->checked_block = block;
        builder->checked = (MlirOperation){NULL};
    }
    MlirOperation next = mlirOperationIsNull(builder->checked)
                             ? mlirBlockGetFirstOperation(block)
                             : mlirOperationGetNextInBlock(builder->checked);
    for (; !mlirOperationIsNull(next) && !builder->error;
         next = mlirOperationGetNextInBlock(next)) {
        verify_operation(builder, next);
        builder->checked = next;
    }
}

kiln_builder_t *kiln_builder_enter(kiln_builder_t *builder, const char *call)
{
    if (!builder || builder->call_depth++)
        return builder;
    if (builder->owns_context)
        verify_new(builder);
    builder->call = call;
    return builder;
}

static kiln_status_t verify(kiln_builder_t *builder)
{
    if (!builder->error && builder->frame_count)
        kiln_builder_fail(builder, "%zu unterminated loops or branches", builder->frame_count);
    if (!builder->error && !mlirOperationIsNull(builder->function))
        kiln_builder_fail(builder, "unterminated kernel");
    if (builder->error) {
        kiln_status_t status = builder->error;
        builder->error = NULL;
        kiln_builder_fail(builder, "the builder has failed before");
        return status;
    }
    kiln_status_t status = KILN_OK;
    MlirDiagnosticHandlerID handler =
        mlirContextAttachDiagnosticHandler(builder->context, keep_diagnostic, &status, NULL);
    bool is_valid = mlirOperationVerify(mlirModuleGetOperation(builder->module));
    mlirContextDetachDiagnosticHandler(builder->context, handler);
    if (!is_valid && !status)
        status = kiln_status_make(KILN_STATUS_INVALID_INPUT, "invalid program");
    return status;
}

kiln_status_t kiln_builder_finish(kiln_builder_t *builder, kiln_source_t *out_source)
{
    KILN_REQUIRE_OUT(out_source);
    KILN_REQUIRE(builder);
    KILN_BUILD_ENTER(builder);
    KILN_TRY(verify(builder));
    kiln_string_t text = {0};
    MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
    mlirOpPrintingFlagsEnableDebugInfo(flags, true, false);
    mlirOperationPrintWithFlags(mlirModuleGetOperation(builder->module), flags, kiln_ir_append,
                                &text);
    mlirOpPrintingFlagsDestroy(flags);
    free(builder->text);
    builder->text = text.data;
    if (text.failed)
        return kiln_status_out_of_memory();
    *out_source = (kiln_source_t){KILN_STAGE_TT, "builder", builder->text, text.length};
    return KILN_OK;
}

kiln_status_t kiln_builder_take_module(kiln_builder_t *builder, MlirModule *out_module)
{
    *out_module = (MlirModule){NULL};
    KILN_TRY(verify(builder));
    *out_module = builder->module;
    builder->module = (MlirModule){NULL};
    return KILN_OK;
}

void kiln_builder_set_mlir_location(kiln_builder_t *builder, MlirLocation loc)
{
    builder->ir.loc = loc;
}

void kiln_builder_set_location(kiln_builder_t *builder, const char *file, unsigned line,
                               unsigned column)
{
    if (!builder)
        return;
    builder->ir.loc =
        file ? mlirLocationFileLineColGet(builder->context, string_ref(file), line, column)
             : mlirLocationUnknownGet(builder->context);
}

// Types -------------------------------------------------------------------------------------------

MlirType kiln_builder_element_type(const kiln_builder_t *builder, kiln_element_t element)
{
    MlirContext context = builder->context;
    switch (element) {
    case KILN_VALUE_I1:
        return mlirIntegerTypeGet(context, 1);
    case KILN_VALUE_I8:
        return mlirIntegerTypeGet(context, 8);
    case KILN_VALUE_I16:
        return mlirIntegerTypeGet(context, 16);
    case KILN_VALUE_I32:
        return mlirIntegerTypeGet(context, 32);
    case KILN_VALUE_I64:
        return mlirIntegerTypeGet(context, 64);
    case KILN_VALUE_F8E4M3FN:
        return mlirFloat8E4M3FNTypeGet(context);
    case KILN_VALUE_F8E4M3FNUZ:
        return mlirFloat8E4M3FNUZTypeGet(context);
    case KILN_VALUE_F8E5M2:
        return mlirFloat8E5M2TypeGet(context);
    case KILN_VALUE_F8E5M2FNUZ:
        return mlirFloat8E5M2FNUZTypeGet(context);
    case KILN_VALUE_F16:
        return mlirF16TypeGet(context);
    case KILN_VALUE_BF16:
        return mlirBF16TypeGet(context);
    case KILN_VALUE_F32:
        return mlirF32TypeGet(context);
    case KILN_VALUE_F64:
        return mlirF64TypeGet(context);
    case KILN_VALUE_COUNT:
        break;
    }
    return (MlirType){NULL};
}

MlirType kiln_builder_type(kiln_builder_t *builder, const kiln_value_type_t *type)
{
    MlirType element = kiln_builder_element_type(builder, type->element);
    int64_t count = 1;
    bool is_valid =
        !mlirTypeIsNull(element) && type->rank >= 0 && type->rank <= KILN_BUILDER_RANK_LIMIT;
    for (int i = 0; is_valid && i < type->rank; i++) {
        int64_t size = type->shape[i];
        is_valid = size > 0 && !(size & (size - 1)) && size <= KILN_BUILDER_COUNT_LIMIT &&
                   (count *= size) <= KILN_BUILDER_COUNT_LIMIT;
    }
    if (!is_valid) {
        kiln_builder_fail(
            builder,
            "a tile's sizes must be powers of two, with at most %d dimensions and %d elements",
            KILN_BUILDER_RANK_LIMIT, KILN_BUILDER_COUNT_LIMIT);
        return (MlirType){NULL};
    }
    if (type->is_pointer)
        element = kiln_ptr_type(element, 1);
    if (type->view && type->rank && !type->is_pointer) {
        MlirType block = kiln_type_tensor(type->rank, type->shape, element, (MlirAttribute){NULL});
        return type->view == KILN_VIEW_DESCRIPTOR ? kiln_tensordesc_type(block)
                                                  : kiln_ptr_type(block, 1);
    }
    return type->rank ? kiln_type_tensor(type->rank, type->shape, element, (MlirAttribute){NULL})
                      : element;
}

kiln_value_type_t kiln_value_type(const kiln_builder_t *builder, kiln_value_t value)
{
    kiln_value_type_t result = {.element = KILN_VALUE_COUNT};
    if (!builder || !value.handle)
        return result;
    MlirType type = mlirValueGetType(kiln_unwrap(value));
    if (kiln_type_is_tensordesc(type)) {
        result.view = KILN_VIEW_DESCRIPTOR;
        type = kiln_tensordesc_block_type(type);
    } else if (kiln_type_is_ptr(type) && kiln_type_is_tensor(kiln_ptr_pointee(type))) {
        result.view = KILN_VIEW_BLOCK_POINTER;
        type = kiln_ptr_pointee(type);
    }
    MlirType element = kiln_type_element(type);
    result.rank = kiln_type_rank(type);
    for (int i = 0; i < result.rank; i++)
        result.shape[i] = kiln_type_dim(type, i);
    result.is_pointer = kiln_type_is_ptr(element);
    if (result.is_pointer)
        element = kiln_ptr_pointee(element);
    for (int i = 0; i < KILN_VALUE_COUNT; i++)
        if (mlirTypeEqual(element, kiln_builder_element_type(builder, (kiln_element_t)i)))
            result.element = (kiln_element_t)i;
    return result;
}

// Kernels -----------------------------------------------------------------------------------------

static MlirAttribute argument_attributes(const kiln_builder_t *builder,
                                         const kiln_kernel_parameter_t *parameter)
{
    MlirNamedAttribute named[2];
    intptr_t count = 0;
    if (parameter->divisibility)
        named[count++] = kiln_ir_named(builder->context, "tt.divisibility",
                                       kiln_ir_i32_attr(builder->context, parameter->divisibility));
    if (parameter->pointer_range_32)
        named[count++] = kiln_ir_named(builder->context, "tt.pointer_range",
                                       kiln_ir_i32_attr(builder->context, 32));
    return mlirDictionaryAttrGet(builder->context, count, named);
}

static MlirOperation create_function(kiln_builder_t *builder, const char *name,
                                     const MlirType *types, MlirAttribute *arguments, size_t count,
                                     MlirBlock body)
{
    MlirContext context = builder->context;
    MlirType type = mlirFunctionTypeGet(context, (intptr_t)count, types, 0, NULL);
    MlirNamedAttribute attributes[] = {
        kiln_ir_named(context, "sym_name", mlirStringAttrGet(context, string_ref(name))),
        kiln_ir_named(context, "function_type", mlirTypeAttrGet(type)),
        kiln_ir_named(context, "sym_visibility", mlirStringAttrGet(context, string_ref("public"))),
        kiln_ir_named(context, "arg_attrs", mlirArrayAttrGet(context, (intptr_t)count, arguments)),
        kiln_ir_named(context, "noinline", mlirBoolAttrGet(context, 0)),
    };
    MlirRegion region = mlirRegionCreate();
    mlirRegionAppendOwnedBlock(region, body);
    kiln_ir_op_t op = {.kind = KILN_OP_TT_FUNC,
                       .attribute_count = 5,
                       .attributes = attributes,
                       .region_count = 1,
                       .regions = &region};
    kiln_ir_t ir = kiln_ir_at_end(mlirModuleGetBody(builder->module), builder->ir.loc);
    return kiln_ir_create(&ir, &op);
}

static bool has_kernel(const kiln_builder_t *builder, const char *name)
{
    const MlirStringRef wanted = string_ref(name), key = string_ref("sym_name");
    for (MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(builder->module));
         !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
        if (mlirStringRefEqual(mlirStringAttrGetValue(mlirOperationGetAttributeByName(op, key)),
                               wanted))
            return true;
    return false;
}

void kiln_build_kernel_begin(kiln_builder_t *builder, const char *name,
                             const kiln_kernel_parameter_t *parameters, size_t count,
                             kiln_value_t *out_arguments)
{
    KILN_BUILD_CALL(builder);
    if (!kiln_builder_clears(builder, "out_arguments", out_arguments, count) || builder->error ||
        !kiln_builder_requires(builder, "name", name) ||
        (count && !kiln_builder_requires(builder, "parameters", parameters)))
        return;
    for (size_t i = 0; i < count; i++)
        if (!kiln_builder_requires(builder, "the name of a parameter", parameters[i].name))
            return;
    if (!mlirOperationIsNull(builder->function)) {
        kiln_builder_fail(builder, "kernel '%s' begins inside another kernel", name);
        return;
    }
    if (has_kernel(builder, name)) {
        kiln_builder_fail(builder, "duplicate kernel '%s'", name);
        return;
    }
    MlirType *types = calloc(count + 1, sizeof *types);
    MlirLocation *locs = calloc(count + 1, sizeof *locs);
    MlirAttribute *attributes = calloc(count + 1, sizeof *attributes);
    bool is_ok = types && locs && attributes;
    if (!is_ok)
        kiln_builder_fail_memory(builder);
    for (size_t i = 0; is_ok && i < count; i++) {
        types[i] = kiln_builder_type(builder, &parameters[i].type);
        locs[i] =
            mlirLocationNameGet(builder->context, string_ref(parameters[i].name), builder->ir.loc);
        attributes[i] = argument_attributes(builder, &parameters[i]);
        is_ok = !mlirTypeIsNull(types[i]);
        if (is_ok && parameters[i].type.rank) {
            kiln_builder_fail(
                builder, "parameter '%s' is a tile; kernel parameters must be scalars and pointers",
                parameters[i].name);
            is_ok = false;
        }
    }
    if (is_ok) {
        MlirBlock body = mlirBlockCreate((intptr_t)count, types, locs);
        builder->function = create_function(builder, name, types, attributes, count, body);
        builder->ir.block = body;
        builder->ir.before = (MlirOperation){NULL};
        for (size_t i = 0; i < count; i++)
            out_arguments[i] = kiln_wrap(mlirBlockGetArgument(body, (intptr_t)i));
    }
    free(types);
    free(locs);
    free(attributes);
}

void kiln_build_kernel_end(kiln_builder_t *builder)
{
    KILN_BUILD_CALL(builder);
    if (!kiln_builder_accepts(builder, "the end of a kernel", NULL, 0))
        return;
    if (builder->frame_count) {
        kiln_builder_fail(builder, "the kernel ends inside a loop or branch");
        return;
    }
    kiln_ir_op_t op = {.kind = KILN_OP_TT_RETURN};
    kiln_ir_create(&builder->ir, &op);
    builder->function = (MlirOperation){NULL};
    builder->ir.block = (MlirBlock){NULL};
}
