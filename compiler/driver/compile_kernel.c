// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of compilation that concern the kernel function: selecting it, its arguments, and its
// description in the finished code object.
//
// An argument's name is taken from its location, as MLIR does not keep the %names of its text.
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

#include "artifact/code_object.h"
#include "artifact/loader_facts.h"
#include "artifact/manifest.h"
#include "base/array.h"
#include "base/gfx942.h"
#include "base/limits.h"
#include "base/string.h"
#include "builder/ir.h"
#include "builder/ir_text.h"
#include "driver/compile_internal.h"
#include "frontend/frontend.h"
#include "inspect/occupancy.h"

// Tile C ------------------------------------------------------------------------------------------

static void forward_diagnostic(const kiln_diagnostic_t *diagnostic, void *session)
{
    kiln_session_emit(session, diagnostic);
}

static bool is_noted(const kiln_kernel_t *kernel, const char *name)
{
    for (size_t i = 0; i < kernel->include_count; i++)
        if (strcmp(kernel->includes[i], name) == 0)
            return true;
    return false;
}

// The names of the files that were read, for build systems that track dependencies.
static kiln_status_t note_includes(kiln_kernel_t *kernel, const kiln_expanded_t *expanded)
{
    kernel->includes = calloc(expanded->file_count, sizeof *kernel->includes);
    if (!kernel->includes)
        return kiln_status_out_of_memory();
    for (size_t i = 1; i < expanded->file_count; i++) {
        const kiln_text_file_t *file = &expanded->files[i];
        if (file->is_in_memory || is_noted(kernel, file->name))
            continue;
        kernel->includes[kernel->include_count] = strdup(file->name);
        if (!kernel->includes[kernel->include_count])
            return kiln_status_out_of_memory();
        kernel->include_count++;
    }
    return KILN_OK;
}

kiln_status_t kiln_compile_tile(kiln_compilation_t *c)
{
    KILN_TRY(kiln_frontend_parse(c->session->mlir, c->source, &c->options, forward_diagnostic,
                                 c->session, &c->kernel->constants, &c->diagnostics->expanded,
                                 &c->module));
    return c->diagnostics->expanded ? note_includes(c->kernel, c->diagnostics->expanded) : KILN_OK;
}

// Selecting the function --------------------------------------------------------------------------

static MlirStringRef function_name(MlirOperation func)
{
    return mlirStringAttrGetValue(kiln_ir_attr(func, "sym_name"));
}

enum { MAX_INLINED = 1 << 20, MAX_NAME = 4096 };

typedef struct functions {
    MlirOperation *all;
    bool *reached;
    size_t *inlined; // operations of each, including those of its callees
    size_t count, capacity;
    size_t current; // the function that is being walked
    unsigned depth;
    kiln_status_t failure;
} functions_t;

static kiln_status_t find_functions(MlirModule module, functions_t *functions)
{
    for (MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
         !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
        if (kiln_op_kind(op) != KILN_OP_TT_FUNC)
            continue;
        if (!KILN_ARRAY_RESERVE(&functions->all, &functions->capacity, functions->count + 1))
            return kiln_status_out_of_memory();
        functions->all[functions->count++] = op;
    }
    functions->reached = calloc(functions->count + 1, sizeof *functions->reached);
    functions->inlined = calloc(functions->count + 1, sizeof *functions->inlined);
    return functions->reached && functions->inlined ? KILN_OK : kiln_status_out_of_memory();
}

static MlirWalkResult visit_call(MlirOperation op, void *user);

// Calls are inlined, so a few functions that call each other twice would grow a program
// exponentially.
static void limit_calls(functions_t *functions, MlirOperation call)
{
    const char *excess =
        functions->depth > KILN_DEPTH_LIMIT
            ? "calls are nested more than " KILN_LIMIT_TEXT(KILN_DEPTH_LIMIT) " deep"
        : functions->inlined[functions->current] > MAX_INLINED
            ? "inlining would create more than 1048576 operations; mark functions noinline"
            : NULL;
    if (excess && !functions->failure)
        functions->failure =
            kiln_status_at_op(kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES, "%s", excess), call);
}

static void reach(functions_t *functions, size_t index)
{
    if (functions->reached[index])
        return;
    size_t caller = functions->current;
    functions->reached[index] = true;
    functions->current = index;
    functions->depth++;
    kiln_walk(functions->all[index], MlirWalkPreOrder, visit_call, functions);
    functions->depth--;
    functions->current = caller;
}

static bool is_inlined(MlirOperation func)
{
    MlirAttribute noinline_attr =
        mlirOperationGetAttributeByName(func, mlirStringRefCreateFromCString("noinline"));
    return mlirAttributeIsNull(noinline_attr) || !mlirAttributeIsABool(noinline_attr) ||
           !mlirBoolAttrGetValue(noinline_attr);
}

static MlirWalkResult visit_call(MlirOperation op, void *user)
{
    functions_t *functions = user;
    functions->inlined[functions->current]++;
    if (kiln_op_kind(op) != KILN_OP_TT_CALL)
        return MlirWalkResultAdvance;
    MlirStringRef callee = mlirFlatSymbolRefAttrGetValue(kiln_ir_attr(op, "callee"));
    for (size_t i = 0; i < functions->count && !functions->failure; i++)
        if (mlirStringRefEqual(function_name(functions->all[i]), callee)) {
            if (mlirBlockIsNull(kiln_op_body(functions->all[i], 0)))
                functions->failure =
                    kiln_status_at_op(kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                                       "called function '%.*s' has no body",
                                                       (int)callee.length, callee.data),
                                      op);
            reach(functions, i);
            if (is_inlined(functions->all[i]))
                functions->inlined[functions->current] += functions->inlined[i];
            limit_calls(functions, op);
        }
    return functions->failure ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static kiln_status_t choose(const kiln_compilation_t *c, const functions_t *functions,
                            size_t *out_index)
{
    kiln_string_t names = {0};
    size_t count = 0;
    for (size_t i = 0; i < functions->count; i++) {
        if (!kiln_func_is_public(functions->all[i]))
            continue;
        MlirStringRef name = function_name(functions->all[i]);
        if (c->options.kernel &&
            !mlirStringRefEqual(name, mlirStringRefCreateFromCString(c->options.kernel))) {
            kiln_string_appendf(&names, "%s'%.*s'", names.length ? ", " : "", (int)name.length,
                                name.data);
            continue;
        }
        kiln_string_appendf(&names, "%s'%.*s'", names.length ? ", " : "", (int)name.length,
                            name.data);
        *out_index = i;
        count++;
    }
    kiln_status_t status = KILN_OK;
    if (names.failed)
        status = kiln_status_out_of_memory();
    else if (!names.length)
        status = kiln_status_at_op(kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                                    "%s has no kernel; expected a public tt.func",
                                                    c->source->name),
                                   mlirModuleGetOperation(c->module));
    else if (!count)
        status = kiln_status_make(KILN_STATUS_INVALID_INPUT, "%s has no kernel '%s'; it has %s",
                                  c->source->name, c->options.kernel, names.data);
    else if (count > 1)
        status =
            kiln_status_make(KILN_STATUS_USAGE, "%s has several kernels, %s; choose one (`kernel`)",
                             c->source->name, names.data);
    kiln_string_free(&names);
    return status;
}

// Arguments ---------------------------------------------------------------------------------------

static char *type_name(MlirType type)
{
    kiln_string_t name = {0};
    for (; kiln_type_is_ptr(type); type = kiln_ptr_pointee(type))
        kiln_string_append_char(&name, '*');
    mlirTypePrint(type, kiln_ir_append, &name);
    return kiln_string_take(&name);
}

static char *argument_name(MlirLocation location, intptr_t index)
{
    if (mlirLocationIsAName(location)) {
        MlirStringRef name = mlirIdentifierStr(mlirLocationNameGetName(location));
        if (name.length && kiln_string_is_utf8(name.data, name.length) &&
            !memchr(name.data, '\0', name.length))
            return kiln_ir_copy(name);
    }
    return kiln_string_print("arg%d", (int)index);
}

// 0 if the argument lacks the attribute.
static unsigned number_attribute(MlirOperation func, intptr_t index, const char *name)
{
    MlirAttribute all = kiln_ir_attr(func, "arg_attrs");
    if (mlirAttributeIsNull(all) || index >= mlirArrayAttrGetNumElements(all))
        return 0;
    MlirAttribute value = mlirDictionaryAttrGetElementByName(mlirArrayAttrGetElement(all, index),
                                                             mlirStringRefCreateFromCString(name));
    return !mlirAttributeIsNull(value) && mlirAttributeIsAInteger(value)
               ? (unsigned)mlirIntegerAttrGetValueInt(value)
               : 0;
}

kiln_status_t kiln_compile_note_arguments(kiln_compilation_t *c, MlirOperation func)
{
    MlirBlock body = kiln_op_body(func, 0);
    if (mlirBlockIsNull(body))
        return kiln_status_at_op(
            kiln_status_make(KILN_STATUS_INVALID_INPUT, "the kernel has no body"), func);
    intptr_t count = mlirBlockGetNumArguments(body);
    c->kernel->arguments = calloc((size_t)count + 1, sizeof *c->kernel->arguments);
    if (!c->kernel->arguments)
        return kiln_status_out_of_memory();
    for (intptr_t i = 0; i < count; i++) {
        MlirValue value = mlirBlockGetArgument(body, i);
        kiln_argument_t *argument = &c->kernel->arguments[c->kernel->argument_count++];
        argument->name = argument_name(mlirValueGetLocation(value), i);
        argument->type = type_name(mlirValueGetType(value));
        argument->divisibility = number_attribute(func, i, "tt.divisibility");
        argument->pointer_range_32 = number_attribute(func, i, "tt.pointer_range") == 32;
        if (!argument->name || !argument->type)
            return kiln_status_out_of_memory();
        for (size_t n = 0; n < c->kernel->constants.integer_count; n++)
            if (strcmp(c->kernel->constants.integers[n].name, argument->name) == 0)
                argument->sign = c->kernel->constants.integers[n].sign;
    }
    return KILN_OK;
}

// Checks that a name is valid as a symbol of the code object and in its metadata. '@' would start a
// version, "llvm." is reserved for intrinsics, ".text" is a section; and names of the device
// libraries' functions would resolve to the program's.
static kiln_status_t check_name(MlirStringRef name)
{
    static const char *const reserved[] = {"llvm.", "__ocml", "__ockl", "__oclc", "."};
    bool good =
        name.length && name.length <= MAX_NAME && kiln_string_is_utf8(name.data, name.length);
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved && good; i++)
        good = name.length < strlen(reserved[i]) ||
               memcmp(name.data, reserved[i], strlen(reserved[i])) != 0;
    for (size_t i = 0; i < name.length && good; i++)
        good = (unsigned char)name.data[i] >= ' ' && name.data[i] != '@' && name.data[i] != '"';
    return good
               ? KILN_OK
               : kiln_status_make(
                     KILN_STATUS_INVALID_INPUT,
                     "invalid function name: expected 1 to %d bytes of UTF-8 without control "
                     "characters, "
                     "'@' and '\"', not starting with 'llvm.', '__ocml', '__ockl', '__oclc' or '.'",
                     (int)MAX_NAME);
}

// A kernel's descriptor is a symbol, too.
static kiln_status_t check_descriptor_name(MlirStringRef name, MlirStringRef kernel)
{
    static const char descriptor[] = ".kd";
    const bool clashes = name.length == kernel.length + strlen(descriptor) &&
                         memcmp(name.data, kernel.data, kernel.length) == 0 &&
                         memcmp(name.data + kernel.length, descriptor, strlen(descriptor)) == 0;
    return clashes ? kiln_status_make(
                         KILN_STATUS_INVALID_INPUT,
                         "invalid function name '%.*s': it is the symbol of the kernel descriptor",
                         (int)name.length, name.data)
                   : KILN_OK;
}

static kiln_status_t select_from(kiln_compilation_t *c, functions_t *functions,
                                 MlirOperation *out_kernel)
{
    size_t chosen = 0;
    KILN_TRY(find_functions(c->module, functions));
    KILN_TRY(choose(c, functions, &chosen));
    reach(functions, chosen);
    KILN_TRY(functions->failure);
    for (size_t i = 0; i < functions->count; i++) {
        const MlirOperation func = functions->all[i];
        if (!functions->reached[i])
            continue;
        KILN_TRY(kiln_status_at_op(check_name(function_name(func)), func));
        KILN_TRY(kiln_status_at_op(
            check_descriptor_name(function_name(func), function_name(functions->all[chosen])),
            func));
    }
    if (c->options.symbol)
        KILN_TRY_NOTE(check_name(mlirStringRefCreateFromCString(c->options.symbol)),
                      "of the option `symbol`");
    MlirStringRef name = function_name(functions->all[chosen]);
    c->kernel->name = kiln_ir_copy(name);
    if (!c->kernel->name)
        return kiln_status_out_of_memory();
    *out_kernel = functions->all[chosen];
    for (size_t i = 0; i < functions->count; i++) {
        if (!functions->reached[i])
            mlirOperationDestroy(functions->all[i]);
        else if (i != chosen)
            mlirOperationSetAttributeByName(
                functions->all[i], mlirStringRefCreateFromCString("sym_visibility"),
                mlirStringAttrGet(c->session->mlir, mlirStringRefCreateFromCString("private")));
    }
    return KILN_OK;
}

kiln_status_t kiln_compile_select_kernel(kiln_compilation_t *c, MlirOperation *out_kernel)
{
    functions_t functions = {0};
    kiln_status_t status = select_from(c, &functions, out_kernel);
    free(functions.all);
    free(functions.reached);
    free(functions.inlined);
    return status;
}

// Reading the code object -------------------------------------------------------------------------

static kiln_status_t check_resources(const kiln_kernel_t *kernel)
{
    const kiln_resources_t *r = &kernel->resources;
    if (r->lds_bytes > KILN_GFX942_LDS_BYTES)
        return kiln_status_exceeds(
            kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES,
                             "kernel '%s' needs %u bytes of LDS, but the limit is %u per "
                             "workgroup; lower num_stages or use smaller tiles",
                             kernel->name, r->lds_bytes, (unsigned)KILN_GFX942_LDS_BYTES),
            KILN_RESOURCE_LDS, r->lds_bytes, KILN_GFX942_LDS_BYTES);
    unsigned waves = kernel->block_size / KILN_GFX942_LANES,
             waves_of_simd = (waves + KILN_GFX942_SIMDS - 1) / KILN_GFX942_SIMDS;
    if (kiln_occupancy_by_registers(r->vgprs, r->agprs, r->sgprs) * KILN_GFX942_SIMDS < waves)
        return kiln_status_exceeds(
            kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES,
                             "kernel '%s' needs %u + %u vector registers in each of %u waves, "
                             "more than a CU has; lower num_warps or use smaller tiles",
                             kernel->name, r->vgprs, r->agprs, waves),
            KILN_RESOURCE_VECTOR_REGISTERS, r->vgprs + r->agprs,
            KILN_GFX942_SIMD_VGPRS / waves_of_simd / 8 * 8);
    return KILN_OK;
}

static kiln_status_t take_code_kernel(kiln_compilation_t *c, const kiln_code_kernel_t *found)
{
    kiln_kernel_t *kernel = c->kernel;
    MlirAttribute warps = kiln_ir_attr(mlirModuleGetOperation(c->module), "ttg.num-warps");
    int num_warps =
        mlirAttributeIsNull(warps) ? c->options.num_warps : (int)mlirIntegerAttrGetValueInt(warps);
    kernel->block_size = KILN_GFX942_LANES * (unsigned)num_warps;
    kiln_resources_t *r = &kernel->resources;
    *r = found->resources;
    r->occupancy = kiln_occupancy(r->vgprs, r->agprs, r->sgprs, r->lds_bytes, (unsigned)num_warps);
    if (found->argument_count < kernel->argument_count)
        return kiln_status_make(
            KILN_STATUS_INTERNAL,
            "the code object lists %zu arguments of kernel '%s', but the source has %zu",
            found->argument_count, kernel->name, kernel->argument_count);
    for (size_t i = 0; i < kernel->argument_count; i++) {
        kernel->arguments[i].offset = found->arguments[i].offset;
        kernel->arguments[i].size = found->arguments[i].size;
    }
    KILN_TRY(check_resources(kernel));
    KILN_TRY(kiln_note_loader_facts(c, found));
    kernel->manifest = kiln_manifest_make(kernel, &c->options);
    return kernel->manifest ? KILN_OK : kiln_status_out_of_memory();
}

kiln_status_t kiln_compile_describe(kiln_compilation_t *c)
{
    kiln_code_object_t object;
    kiln_status_t status =
        kiln_code_object_read(c->kernel->code_object, c->kernel->code_object_size, &object);
    if (!status) {
        const kiln_code_kernel_t *found = kiln_code_object_find(&object, c->kernel->symbol);
        status = found ? take_code_kernel(c, found)
                       : kiln_status_make(KILN_STATUS_INTERNAL,
                                          "the code object does not contain kernel '%s'",
                                          c->kernel->symbol);
    }
    kiln_code_object_free(&object);
    return status;
}

kiln_status_t kiln_compile_name_symbol(kiln_compilation_t *c)
{
    kiln_kernel_t *kernel = c->kernel;
    LLVMValueRef function = LLVMGetNamedFunction(c->llvm, kernel->name);
    kernel->symbol = kiln_string_print("%s%s", c->options.symbol ? c->options.symbol : kernel->name,
                                       c->symbol_suffix ? c->symbol_suffix : "");
    if (!kernel->symbol)
        return kiln_status_out_of_memory();
    // New name of another function with that symbol, which only its callers use.
    static const char helper[] = "function";
    LLVMValueRef other = LLVMGetNamedFunction(c->llvm, kernel->symbol);
    if (other && other != function)
        LLVMSetValueName2(other, helper, strlen(helper));
    if (function)
        LLVMSetValueName2(function, kernel->symbol, strlen(kernel->symbol));
    return KILN_OK;
}
