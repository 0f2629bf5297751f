// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translates a ttg module to an LLVM module, operation by operation, through a table from operation
// to handler.
//
// A handler reads its operands' tiles, emits instructions and binds its results' tiles. Helpers
// that return values record an error in l->failure, which the walk reports with the location of the
// current operation.
#include "lower/debug/info.h"
#include "lower/functions/functions.h"
#include "tile.h"

#include <string.h>

#include <mlir-c/BuiltinAttributes.h>

#include "analysis/axis/axis_info.h"
#include "analysis/memory/global_access.h"
#include "analysis/waves/waves.h"
#include "codegen/codegen.h"

static const kiln_lower_handler_t handlers[KILN_OP_COUNT] = {
#define KILN_LOWER(kind, function) [KILN_OP_##kind] = function,
#include "handlers.def"
#undef KILN_LOWER
#define KILN_ELEMENTWISE(kind, ...) [KILN_OP_##kind] = kiln_lower_elementwise,
#include "elementwise.def"
#undef KILN_ELEMENTWISE
};

kiln_status_t kiln_lower_take_failure(kiln_lowering_t *l)
{
    kiln_status_t failure = l->failure;
    l->failure = KILN_OK;
    return failure;
}

kiln_status_t kiln_lower_region_end(kiln_lowering_t *l, MlirOperation op)
{
    (void)l;
    (void)op;
    return KILN_OK;
}

kiln_status_t kiln_lower_operation(kiln_lowering_t *l, MlirOperation op)
{
    kiln_lower_handler_t handler = handlers[kiln_op_kind(op)];
    if (!handler) {
        MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
        return kiln_status_at_op(kiln_status_make(KILN_STATUS_UNSUPPORTED,
                                                  "operation '%.*s' has no lowering to gfx942",
                                                  (int)name.length, name.data),
                                 op);
    }
    if (l->debug)
        kiln_lower_debug_at(l, mlirOperationGetLocation(op));
    MlirOperation outer = l->op;
    l->op = op;
    kiln_status_t status = handler(l, op);
    l->op = outer;
    if (!status)
        status = kiln_lower_take_failure(l);
    if (!status && l->debug)
        kiln_lower_debug_name_results(l, op);
    return status && !kiln_status_line(status) ? kiln_status_at_op(status, op) : status;
}

kiln_status_t kiln_lower_block(kiln_lowering_t *l, MlirBlock block)
{
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
        KILN_TRY(kiln_lower_operation(l, op));
    return KILN_OK;
}

kiln_status_t kiln_lower_inline_region(kiln_lowering_t *l, MlirRegion region, LLVMValueRef *args,
                                       int result_count, LLVMValueRef *results)
{
    MlirBlock block = mlirRegionGetFirstBlock(region);
    bool scalars_diverge = l->scalars_diverge;
    l->scalars_diverge = true;
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++) {
        MlirValue argument = mlirBlockGetArgument(block, i);
        kiln_tile_t *tile = kiln_tile_create(l, mlirValueGetType(argument));
        if (!tile)
            return kiln_lower_take_failure(l);
        tile->values[0] = args[i];
        kiln_lower_bind(l, argument, tile);
    }
    if (!mlirBlockIsNull(mlirBlockGetNextInRegion(block))) {
        KILN_TRY(kiln_lower_scalar_blocks(l, region, result_count, results));
    } else {
        KILN_TRY(kiln_lower_block(l, block));
        MlirOperation terminator = kiln_block_terminator(block);
        for (int i = 0; i < result_count; i++)
            results[i] = kiln_lower_scalar(l, terminator, i);
    }
    l->scalars_diverge = scalars_diverge;
    return kiln_lower_take_failure(l);
}

static void create_types(kiln_lowering_t *l)
{
    LLVMContextRef context = l->context;
    l->void_type = LLVMVoidTypeInContext(context);
    l->i1 = LLVMInt1TypeInContext(context);
    l->i8 = LLVMInt8TypeInContext(context);
    l->i16 = LLVMInt16TypeInContext(context);
    l->i32 = LLVMInt32TypeInContext(context);
    l->i64 = LLVMInt64TypeInContext(context);
    l->f16 = LLVMHalfTypeInContext(context);
    l->bf16 = LLVMBFloatTypeInContext(context);
    l->f32 = LLVMFloatTypeInContext(context);
    l->f64 = LLVMDoubleTypeInContext(context);
    l->global_ptr = LLVMPointerTypeInContext(context, KILN_LLVM_AS_GLOBAL);
    l->lds_ptr = LLVMPointerTypeInContext(context, KILN_LLVM_AS_LDS);
    l->constant_ptr = LLVMPointerTypeInContext(context, KILN_LLVM_AS_CONSTANT);
    l->resource_ptr = LLVMPointerTypeInContext(context, KILN_LLVM_AS_RESOURCE);
}

// Static LDS. A kernel without any gets no global, only its address (zero), which nothing uses.
static void create_lds(kiln_lowering_t *l)
{
    int64_t bytes = kiln_ir_int_attr(mlirModuleGetOperation(l->ttg), "ttg.shared", 0);
    if (bytes <= 0) {
        l->lds_global = LLVMConstNull(l->lds_ptr);
        return;
    }
    LLVMTypeRef type = LLVMArrayType2(l->i8, (uint64_t)bytes);
    l->lds_global = LLVMAddGlobalInAddressSpace(l->module, type, "lds", KILN_LLVM_AS_LDS);
    LLVMSetLinkage(l->lds_global, LLVMInternalLinkage);
    LLVMSetInitializer(l->lds_global, LLVMGetPoison(type));
    LLVMSetAlignment(l->lds_global, 16);
}

static kiln_status_t lower_module(kiln_lowering_t *l)
{
    KILN_TRY(kiln_waves_of_module(l->ttg, &l->num_waves));
    KILN_TRY(kiln_program_order_read(mlirModuleGetOperation(l->ttg), &l->program_order));
    if (!l->options->no_line_info)
        KILN_TRY(kiln_lower_debug_create(l));
    KILN_TRY(kiln_uniformity_create(l->ttg, l->num_waves, &l->uniformity));
    KILN_TRY(kiln_waves_skew(l->ttg, l->uniformity, &l->skew));
    l->waves_release_alone = kiln_waves_release_alone(l->ttg);
    KILN_TRY(kiln_axis_analysis_create(mlirModuleGetOperation(l->ttg), &l->axis));
    MlirBlock body = mlirModuleGetBody(l->ttg);
    for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
        if (kiln_op_kind(op) == KILN_OP_TT_FUNC)
            KILN_TRY(kiln_lower_declare_function(l, op));
    create_lds(l); // after the functions, whose names must not change
    for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        if (kiln_op_kind(op) != KILN_OP_TT_FUNC)
            return kiln_op_unsupported(op, "this operation at module level");
        KILN_TRY(kiln_lower_function(l, op));
    }
    if (l->debug)
        kiln_lower_debug_finish(l);
    return KILN_OK;
}

// A separate function, so that its frame has no variables that setjmp could clobber.
static kiln_status_t lower_guarded(kiln_lowering_t *l)
{
    jmp_buf exhausted;
    if (setjmp(exhausted))
        return kiln_status_out_of_memory();
    kiln_lower_arena_on_exhausted(l->arena, &exhausted);
    return lower_module(l);
}

kiln_status_t kiln_lower_to_llvm(MlirModule ttg, const kiln_compile_options_t *options,
                                 const char *file, LLVMContextRef context,
                                 LLVMModuleRef *out_module)
{
    *out_module = NULL;
    kiln_lowering_t lowering = {.options = options, .file = file, .ttg = ttg, .context = context};
    kiln_lowering_t *l = &lowering;
    kiln_status_t status = KILN_OK;
    l->arena = kiln_lower_arena_create();
    l->values = kiln_lower_map_create();
    l->layouts = kiln_lower_map_create();
    l->functions = kiln_lower_map_create();
    l->blocks = kiln_lower_map_create();
    l->bases = kiln_lower_map_create();
    l->multiples = kiln_lower_map_create();
    l->module = LLVMModuleCreateWithNameInContext("kiln", context);
    LLVMSetDataLayout(
        l->module,
        "A5"); // puts the builder's allocas in scratch memory; the caller sets the rest
    l->builder = LLVMCreateBuilderInContext(context);
    l->entry = LLVMCreateBuilderInContext(context);
    l->positions = LLVMCreateBuilderInContext(context);
    create_types(l);
    if (l->arena && l->values && l->layouts && l->functions && l->blocks && l->bases &&
        l->multiples)
        status = lower_guarded(l);
    else
        status = kiln_status_out_of_memory();
    kiln_status_t late = kiln_lower_take_failure(l);
    if (status)
        kiln_status_free(late);
    else
        status = late;

    kiln_lower_debug_release(l);
    kiln_axis_analysis_destroy(l->axis);
    kiln_uniformity_destroy(l->uniformity);
    LLVMDisposeBuilder(l->positions);
    LLVMDisposeBuilder(l->entry);
    LLVMDisposeBuilder(l->builder);
    kiln_lower_map_release(l->bases);
    kiln_lower_map_release(l->multiples);
    kiln_lower_map_release(l->blocks);
    kiln_lower_map_release(l->functions);
    kiln_lower_map_release(l->layouts);
    kiln_lower_map_release(l->values);
    kiln_lower_arena_release(l->arena);
    if (status)
        LLVMDisposeModule(l->module);
    else
        *out_module = l->module;
    return status;
}
