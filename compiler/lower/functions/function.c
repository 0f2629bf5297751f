// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions: kernels with the ABI of amdgpu_kernel, device functions that are called, and the
// values that a kernel needs from its dispatch.
//
// A kernel's arguments are exactly those of its tt.func. A device function passes each register of
// a tensor as one argument and returns its results as a struct. Note that attributes such as
// "amdgpu-no-workgroup-id-y" are promises; they may be given only after the whole body is known.
#include "analysis/memory/pointer_root.h"
#include "functions.h"
#include "lower/debug/info.h"
#include "lower/emit.h"
#include "lower/lds/lds.h"
#include "lower/tile.h"

#include <stdio.h>
#include <string.h>

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

static void add_string_attribute(kiln_lowering_t *l, const char *name, const char *value)
{
    LLVMAttributeRef attribute = LLVMCreateStringAttribute(l->context, name, (unsigned)strlen(name),
                                                           value, (unsigned)strlen(value));
    LLVMAddAttributeAtIndex(l->function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attribute);
}

static void add_enum_attribute_at(kiln_lowering_t *l, LLVMAttributeIndex index, const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(l->function, index, LLVMCreateEnumAttribute(l->context, kind, 0));
}

static void add_enum_attribute(kiln_lowering_t *l, const char *name)
{
    add_enum_attribute_at(l, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, name);
}

MlirStringRef kiln_lower_function_name(MlirOperation func)
{
    return mlirStringAttrGetValue(kiln_ir_attr(func, "sym_name"));
}

// The parts of a value of type `type` when it is passed to or from a function: one per register.
static uint32_t part_count(kiln_lowering_t *l, MlirType type)
{
    if (kiln_type_is_memdesc(type))
        return kiln_memdesc_parts(type);
    if (!kiln_type_is_tensor(type))
        return 1;
    const kiln_layout_t *layout = kiln_lower_layout(l, type);
    return layout ? kiln_layout_registers(layout) : 0;
}

static kiln_status_t function_type(kiln_lowering_t *l, MlirOperation func, bool kernel,
                                   LLVMTypeRef *out)
{
    MlirType type = mlirTypeAttrGetValue(kiln_ir_attr(func, "function_type"));
    intptr_t inputs = mlirFunctionTypeGetNumInputs(type),
             results = mlirFunctionTypeGetNumResults(type);
    if (kernel && results)
        return kiln_op_unsupported(func, "a kernel that returns a value");
    size_t input_parts = 0, result_parts = 0;
    for (intptr_t i = 0; i < inputs; i++)
        input_parts += part_count(l, mlirFunctionTypeGetInput(type, i));
    for (intptr_t i = 0; i < results; i++)
        result_parts += part_count(l, mlirFunctionTypeGetResult(type, i));
    LLVMTypeRef *types = KILN_LOWER_ARRAY(l, LLVMTypeRef, input_parts + result_parts + 2);
    size_t lds_parts = kernel ? 0 : 1; // a device function's LDS is part of its caller's
    size_t n = 0;
    for (intptr_t i = 0; i < inputs + results; i++) {
        if (i == inputs && lds_parts)
            types[n++] = l->lds_ptr;
        MlirType part = i < inputs ? mlirFunctionTypeGetInput(type, i)
                                   : mlirFunctionTypeGetResult(type, i - inputs);
        if (kernel && kiln_type_is_tensor(part))
            return kiln_op_unsupported(func, "a kernel with a tensor as argument %d", (int)i);
        LLVMTypeRef element =
            kiln_type_is_memdesc(part) ? l->i32 : kiln_lower_element_type(l, part);
        if (!element)
            return kiln_op_unsupported(func, "argument or result %d of function '%.*s'", (int)i,
                                       (int)kiln_lower_function_name(func).length,
                                       kiln_lower_function_name(func).data);
        for (uint32_t r = part_count(l, part); r; r--)
            types[n++] = element;
    }
    if (!results && lds_parts)
        types[n++] = l->lds_ptr;
    input_parts += lds_parts;
    LLVMTypeRef result = l->void_type;
    if (result_parts == 1)
        result = types[input_parts];
    else if (result_parts > 1)
        result =
            LLVMStructTypeInContext(l->context, types + input_parts, (unsigned)result_parts, 0);
    *out = LLVMFunctionType(result, types, (unsigned)input_parts, 0);
    return KILN_OK;
}

kiln_status_t kiln_lower_declare_function(kiln_lowering_t *l, MlirOperation func)
{
    bool kernel = kiln_func_is_public(func);
    LLVMTypeRef type = NULL;
    KILN_TRY(function_type(l, func, kernel, &type));
    MlirStringRef name = kiln_lower_function_name(func);
    char *symbol = KILN_LOWER_ARRAY(l, char, name.length + 1);
    if (name.length)
        memcpy(symbol, name.data, name.length);
    LLVMValueRef function = LLVMAddFunction(l->module, symbol, type);
    if (kernel) {
        LLVMSetFunctionCallConv(function, LLVMAMDGPUKERNELCallConv);
        LLVMSetVisibility(function, LLVMProtectedVisibility);
    } else {
        LLVMSetLinkage(function, LLVMInternalLinkage);
    }
    if (!kiln_lower_map_set(l->functions, func.ptr, function))
        return kiln_status_out_of_memory();
    return KILN_OK;
}

// Launchers read the block size from the code object's metadata.
static void require_block(kiln_lowering_t *l)
{
    LLVMMetadataRef extents[3];
    for (int i = 0; i < 3; i++)
        extents[i] = LLVMValueAsMetadata(
            LLVMConstInt(l->i32, i ? 1 : (unsigned)(l->num_waves * KILN_GFX942_LANES), 0));
    LLVMGlobalSetMetadata(l->function,
                          LLVMGetMDKindIDInContext(l->context, "reqd_work_group_size", 20),
                          LLVMMDNodeInContext2(l->context, extents, 3));
}

// Preloads as many arguments into scalar registers as fit, so that the wave need not wait for a
// load.
static void preload_arguments(kiln_lowering_t *l)
{
    for (unsigned i = 0; i < LLVMCountParams(l->function); i++)
        add_enum_attribute_at(l, i + 1, "inreg");
}

static void set_attributes(kiln_lowering_t *l)
{
    char text[64];
    snprintf(text, sizeof text, "%d,%d", l->num_waves * KILN_GFX942_LANES,
             l->num_waves * KILN_GFX942_LANES);
    add_string_attribute(l, "amdgpu-flat-work-group-size", text);
    add_string_attribute(l, "uniform-work-group-size", "true");
    const int waves = l->options->waves_per_eu;
    if (waves > 0) {
        snprintf(text, sizeof text, "%d,%d", waves, waves);
        add_string_attribute(l, "amdgpu-waves-per-eu", text);
    }
    if (l->options->allow_flush_denorm)
        add_string_attribute(l, "denormal-fp-math-f32", "preserve-sign,preserve-sign");
    if (l->is_kernel) {
        require_block(l);
        preload_arguments(l);
    }
    // Without IEEE mode, minima and maxima need not quiet signalling NaNs first.
    if (l->is_kernel)
        add_string_attribute(l, "amdgpu-ieee", "false");
    add_enum_attribute(l, "nounwind");
    if (!l->is_kernel) {
        add_enum_attribute(l, "noinline");
        add_enum_attribute(l, "convergent");
    }
    if (l->features_used & KILN_FEATURE_CALLS)
        return; // the callee's needs are unknown here; LLVM's attributor determines them
    static const struct {
        uint32_t features; // any of these keeps the promise from being made
        const char *name;
    } promises[] = {
        {KILN_FEATURE_WORKGROUP_ID_X, "amdgpu-no-workgroup-id-x"},
        {KILN_FEATURE_WORKGROUP_ID_Y, "amdgpu-no-workgroup-id-y"},
        {KILN_FEATURE_WORKGROUP_ID_Z, "amdgpu-no-workgroup-id-z"},
        {0, "amdgpu-no-workitem-id-y"},
        {0, "amdgpu-no-workitem-id-z"},
        {0, "amdgpu-no-dispatch-ptr"},
        {0, "amdgpu-no-dispatch-id"},
        {0, "amdgpu-no-queue-ptr"},
        {0, "amdgpu-no-heap-ptr"},
        {0, "amdgpu-no-default-queue"},
        {0, "amdgpu-no-completion-action"},
        {0, "amdgpu-no-multigrid-sync-arg"},
        {0, "amdgpu-no-lds-kernel-id"},
        {0, "amdgpu-no-flat-scratch-init"},
        {KILN_FEATURE_HOSTCALL, "amdgpu-no-hostcall-ptr"},
        {KILN_FEATURE_IMPLICIT_ARGS | KILN_FEATURE_HOSTCALL, "amdgpu-no-implicitarg-ptr"},
    };
    for (size_t i = 0; i < sizeof promises / sizeof *promises; i++)
        if (!(l->features_used & promises[i].features))
            add_string_attribute(l, promises[i].name, "");
}

// The values every thread starts from. The wave number is uniform over a wave, which LLVM does not
// infer.
static void begin_thread(kiln_lowering_t *l)
{
    LLVMValueRef thread = kiln_emit_intrinsic(l, "llvm.amdgcn.workitem.id.x", NULL, 0, NULL, 0);
    l->lane = l->thread = thread;
    l->wave = NULL;
    if (l->num_waves == 1)
        return;
    l->thread = LLVMBuildAnd(l->builder, thread,
                             kiln_emit_i32(l, l->num_waves * KILN_GFX942_LANES - 1), "thread");
    l->lane = LLVMBuildAnd(l->builder, thread, kiln_emit_i32(l, KILN_GFX942_LANES - 1), "lane");
    LLVMValueRef wave = LLVMBuildLShr(l->builder, thread, kiln_emit_i32(l, 6), "");
    wave = kiln_emit_uniform(l, wave);
    l->wave = LLVMBuildAnd(l->builder, wave, kiln_emit_i32(l, l->num_waves - 1), "wave");
}

static void bind_descriptor(kiln_lowering_t *l, kiln_tile_t *tile)
{
    tile->sums = KILN_LOWER_ARRAY(l, kiln_sum_t, tile->count);
    for (uint32_t r = 0; r < tile->count; r++)
        tile->sums[r].uniform = tile->values[r];
}

static kiln_status_t bind_arguments(kiln_lowering_t *l, MlirOperation func)
{
    MlirBlock block = kiln_op_body(func, 0);
    MlirAttribute attributes = kiln_ir_attr(func, "arg_attrs");
    unsigned next = 0;
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++) {
        MlirValue argument = mlirBlockGetArgument(block, i);
        kiln_tile_t *tile = kiln_tile_create(l, mlirValueGetType(argument));
        if (!tile)
            return kiln_lower_take_failure(l);
        for (uint32_t r = 0; r < tile->count; r++)
            tile->values[r] = LLVMGetParam(l->function, next++);
        if (kiln_type_is_memdesc(tile->type)) {
            bind_descriptor(l, tile);
        } else if (!tile->layout && kiln_type_is_ptr(tile->type)) {
            MlirAttribute range = {NULL};
            if (!mlirAttributeIsNull(attributes) && i < mlirArrayAttrGetNumElements(attributes))
                range = mlirDictionaryAttrGetElementByName(
                    mlirArrayAttrGetElement(attributes, i),
                    mlirStringRefCreateFromCString("tt.pointer_range"));
            bool range32 = !mlirAttributeIsNull(range) && mlirIntegerAttrGetValueInt(range) == 32;
            bool escapes = false;
            if (range32)
                KILN_TRY(kiln_pointer_escapes(argument, &escapes));
            kiln_lower_root_pointer(l, tile, tile->values[0], range32 && !escapes);
        }
        if (!l->is_kernel && !tile->layout && !kiln_lanes_differ(l, argument))
            for (uint32_t r = 0; r < tile->count; r++)
                LLVMAddAttributeAtIndex(
                    l->function, next,
                    LLVMCreateEnumAttribute(l->context, LLVMGetEnumAttributeKindForName("inreg", 5),
                                            0));
        kiln_lower_bind(l, argument, tile);
    }
    return KILN_OK;
}

kiln_status_t kiln_lower_function(kiln_lowering_t *l, MlirOperation func)
{
    MlirRegion body = mlirOperationGetRegion(func, 0);
    if (mlirBlockIsNull(mlirRegionGetFirstBlock(body)))
        return KILN_OK; // a declaration
    kiln_lower_map_clear(l->values);
    kiln_lower_map_clear(l->bases);
    kiln_lower_map_clear(l->multiples);
    l->func = func;
    l->guard = (kiln_guard_t){.is_open = false};
    l->function = kiln_lower_map_get(l->functions, func.ptr);
    l->is_kernel = LLVMGetFunctionCallConv(l->function) == LLVMAMDGPUKERNELCallConv;
    l->return_type = LLVMGetReturnType(LLVMGlobalGetValueType(l->function));
    l->lds = l->is_kernel ? l->lds_global : LLVMGetLastParam(l->function);
    l->features_used = 0;
    l->has_program_ids = false;
    memset(l->program_ids, 0, sizeof l->program_ids);
    l->linear_memo = NULL;
    if (l->debug)
        kiln_lower_debug_begin_function(l);

    LLVMBasicBlockRef entry = kiln_emit_block(l, "entry"), start = kiln_emit_block(l, "start");
    LLVMPositionBuilderAtEnd(l->builder, entry);
    if (l->debug)
        kiln_lower_debug_at(l, mlirOperationGetLocation(func));
    begin_thread(l);
    LLVMValueRef jump = LLVMBuildBr(l->builder, start);
    LLVMPositionBuilderBefore(l->entry, jump);
    LLVMSetCurrentDebugLocation2(l->entry, LLVMGetCurrentDebugLocation2(l->builder));
    LLVMPositionBuilderBefore(l->positions, jump);
    LLVMSetCurrentDebugLocation2(l->positions, LLVMGetCurrentDebugLocation2(l->builder));
    LLVMPositionBuilderAtEnd(l->builder, start);
    KILN_TRY(bind_arguments(l, func));
    if (l->debug)
        kiln_lower_debug_name_arguments(l, mlirRegionGetFirstBlock(body));
    KILN_TRY(kiln_lower_function_body(l, body));
    set_attributes(l);
    return KILN_OK;
}

kiln_status_t kiln_lower_return(kiln_lowering_t *l, MlirOperation op)
{
    intptr_t count = mlirOperationGetNumOperands(op);
    if (!count) {
        LLVMBuildRetVoid(l->builder);
        return KILN_OK;
    }
    LLVMValueRef result = LLVMGetPoison(l->return_type);
    bool is_struct = LLVMGetTypeKind(l->return_type) == LLVMStructTypeKind;
    unsigned part = 0;
    for (int i = 0; i < count; i++) {
        kiln_tile_t *tile = kiln_lower_operand(l, op, i);
        if (!tile)
            return KILN_OK;
        for (uint32_t r = 0; r < tile->count; r++) {
            LLVMValueRef value = kiln_tile_value(l, tile, r);
            result =
                is_struct ? LLVMBuildInsertValue(l->builder, result, value, part++, "") : value;
        }
    }
    LLVMBuildRet(l->builder, result);
    return KILN_OK;
}

kiln_status_t kiln_lower_call(kiln_lowering_t *l, MlirOperation op)
{
    MlirStringRef name = mlirFlatSymbolRefAttrGetValue(kiln_ir_attr(op, "callee"));
    LLVMValueRef callee = LLVMGetNamedFunctionWithLength(l->module, name.data, name.length);
    if (!callee)
        return kiln_op_unsupported(op, "a call of '%.*s', which has no body,", (int)name.length,
                                   name.data);
    if (l->scalars_diverge) // a function's arguments are one for all lanes
        return kiln_op_unsupported(op, "an element-wise call of '%.*s', which has several blocks,",
                                   (int)name.length, name.data);
    l->features_used |= KILN_FEATURE_CALLS;
    LLVMTypeRef type = LLVMGlobalGetValueType(callee);
    LLVMValueRef *args = KILN_LOWER_ARRAY(l, LLVMValueRef, LLVMCountParamTypes(type));
    unsigned count = 0;
    for (int i = 0; i < mlirOperationGetNumOperands(op); i++) {
        kiln_tile_t *tile = kiln_lower_operand(l, op, i);
        if (!tile)
            return KILN_OK;
        for (uint32_t r = 0; r < tile->count; r++)
            args[count++] = kiln_tile_value(l, tile, r);
    }
    args[count++] = kiln_lds_pointer(l, (kiln_sum_t){NULL, NULL, kiln_lower_call_lds(op)});
    LLVMValueRef call = LLVMBuildCall2(l->builder, type, callee, args, count, "");
    LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(callee));
    bool is_struct = LLVMGetTypeKind(LLVMGetReturnType(type)) == LLVMStructTypeKind;
    unsigned part = 0;
    for (int i = 0; i < mlirOperationGetNumResults(op); i++) {
        kiln_tile_t *tile = kiln_tile_create(l, mlirValueGetType(mlirOperationGetResult(op, i)));
        if (!tile)
            return KILN_OK;
        bool is_shared = !tile->layout && !kiln_lanes_differ(l, kiln_op_result(op, i));
        for (uint32_t r = 0; r < tile->count; r++) {
            LLVMValueRef value =
                is_struct ? LLVMBuildExtractValue(l->builder, call, part++, "") : call;
            tile->values[r] = is_shared ? kiln_emit_uniform(l, value) : value;
        }
        if (kiln_type_is_memdesc(tile->type))
            bind_descriptor(l, tile);
        else if (!tile->layout && kiln_type_is_ptr(tile->type))
            kiln_lower_root_pointer(l, tile, tile->values[0], false);
        kiln_lower_bind_result(l, op, i, tile);
    }
    return KILN_OK;
}
