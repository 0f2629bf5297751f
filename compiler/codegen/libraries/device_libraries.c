// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links ocml and ockl function by function.
//
//   declare float @__ocml_erf_f32(float)      →      define internal float @__ocml_erf_f32(float) alwaysinline { … }
//
// A library's functions call each other and read control constants. Both are folded inside the
// library's own lazily parsed module when a function is first requested, so that a kernel gets one
// small body, however often it calls it. Functions that LLVM has an intrinsic for become that
// intrinsic (ocml_intrinsics.def).
#include "device_libraries.h"

#include <stdlib.h>
#include <string.h>

#include <llvm-c/BitReader.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "base/string.h"
#include "codegen/codegen_internal.h"
#include "codegen/libraries/bitcode.h"
#include "codegen/llvm_shim.h"
#include "codegen/target.h"

enum { MAX_COPIES = 4 };

struct kiln_device_libraries {
    LLVMContextRef context;
    LLVMTargetMachineRef machine;              // borrowed
    LLVMModuleRef modules[KILN_BITCODE_COUNT]; // NULL until needed
};

// Marks functions of a library that are simplified already.
static const char READY[] = "kiln-ready";

// Applied to each library function once: fold the control constants, drop the branches they decide,
// clean up.
static const char SIMPLIFY[] =
    "sroa<modify-cfg>,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,simplifycfg";

kiln_status_t kiln_device_libraries_create(LLVMContextRef context, LLVMTargetMachineRef machine,
                                           kiln_device_libraries_t **out_libraries)
{
    *out_libraries = calloc(1, sizeof **out_libraries);
    if (!*out_libraries)
        return kiln_status_out_of_memory();
    (*out_libraries)->context = context;
    (*out_libraries)->machine = machine;
    return KILN_OK;
}

void kiln_device_libraries_release(kiln_device_libraries_t *libraries)
{
    if (!libraries)
        return;
    for (int i = 0; i < KILN_BITCODE_COUNT; i++)
        if (libraries->modules[i])
            LLVMDisposeModule(libraries->modules[i]);
    free(libraries);
}

void kiln_device_constants_define(LLVMModuleRef module)
{
    static const struct {
        const char *name;
        unsigned bits;
        uint64_t value;
    } rows[] = {
#define KILN_CONTROL(name, bits, value) {name, bits, value},
#include "control_constants.def"
#undef KILN_CONTROL
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        LLVMValueRef variable = LLVMGetNamedGlobal(module, rows[i].name);
        if (!variable)
            continue;
        LLVMTypeRef type = LLVMIntTypeInContext(LLVMGetModuleContext(module), rows[i].bits);
        LLVMSetInitializer(variable, LLVMConstInt(type, rows[i].value, 0));
        LLVMSetGlobalConstant(variable, 1);
        LLVMSetLinkage(variable, LLVMInternalLinkage);
        LLVMSetVisibility(variable, LLVMDefaultVisibility);
    }
}

static kiln_status_t open_library(kiln_device_libraries_t *libraries, kiln_bitcode_t which,
                                  LLVMModuleRef *out_module)
{
    *out_module = libraries->modules[which];
    if (*out_module)
        return KILN_OK;
    size_t size;
    const char *bytes = kiln_bitcode(which, &size);
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRange(bytes, size, "device library", 1);
    // The module owns the buffer afterwards; the context's diagnostic handler receives the reason
    // of a failure.
    if (LLVMGetBitcodeModuleInContext2(libraries->context, buffer, out_module))
        return kiln_status_make(KILN_STATUS_INTERNAL, "cannot read the device libraries' bitcode");
    libraries->modules[which] = *out_module;
    kiln_device_constants_define(*out_module);
    return KILN_OK;
}

// Old target names would prevent inlining, and old frame attributes mean nothing here.
static void remove_string_attributes(LLVMValueRef function)
{
    LLVMAttributeIndex index = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    unsigned count = LLVMGetAttributeCountAtIndex(function, index);
    LLVMAttributeRef *attributes = calloc(count + 1, sizeof *attributes);
    if (!attributes)
        return;
    LLVMGetAttributesAtIndex(function, index, attributes);
    for (unsigned i = 0; i < count; i++) {
        if (!LLVMIsStringAttribute(attributes[i]))
            continue;
        unsigned length;
        const char *kind = LLVMGetStringAttributeKind(attributes[i], &length);
        LLVMRemoveStringAttributeAtIndex(function, index, kind, length);
    }
    free(attributes);
}

static void add_enum_attribute(LLVMValueRef function, const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAttributeRef attribute =
        LLVMCreateEnumAttribute(LLVMGetModuleContext(LLVMGetGlobalParent(function)), kind, 0);
    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attribute);
}

static void remove_enum_attribute(LLVMValueRef function, const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMRemoveEnumAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, kind);
}

void kiln_device_function_adopt(LLVMValueRef function)
{
    LLVMAttributeIndex index = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    static const char *const REMOVED_ATTRIBUTES[] = {"noinline", "optnone"};
    remove_string_attributes(function);
    for (int i = 0; i < 2; i++)
        if (LLVMGetEnumAttributeAtIndex(function, index,
                                        LLVMGetEnumAttributeKindForName(
                                            REMOVED_ATTRIBUTES[i], strlen(REMOVED_ATTRIBUTES[i]))))
            return;
    add_enum_attribute(function, "alwaysinline");
}

static bool is_intrinsic(LLVMValueRef function)
{
    return LLVMGetIntrinsicID(function) != 0;
}

static kiln_status_t simplify(kiln_device_libraries_t *libraries, LLVMValueRef function)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPassesOnFunction(function, SIMPLIFY, libraries->machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (!error)
        return KILN_OK;
    char *message = LLVMGetErrorMessage(error);
    kiln_status_t status = kiln_status_make(KILN_STATUS_INTERNAL,
                                            "LLVM cannot simplify a device function: %s", message);
    LLVMDisposeErrorMessage(message);
    return status;
}

static kiln_status_t make_ready(kiln_device_libraries_t *libraries, LLVMValueRef function,
                                int depth);

// Replaces a call of a library function by the equivalent intrinsic.
static bool call_intrinsic(kiln_device_libraries_t *libraries, LLVMValueRef call,
                           LLVMValueRef callee)
{
    static const struct {
        const char *name, *intrinsic;
        unsigned arity;
    } rows[] = {
#define KILN_OCML_INTRINSIC(function, arity, intrinsic) {function, intrinsic, arity},
#include "ocml_intrinsics.def"
#undef KILN_OCML_INTRINSIC
    };
    size_t length;
    const char *name = LLVMGetValueName2(callee, &length);
    size_t i = 0;
    while (i < sizeof rows / sizeof *rows && strcmp(rows[i].name, name) != 0)
        i++;
    if (i == sizeof rows / sizeof *rows)
        return false;
    LLVMTypeRef type = LLVMTypeOf(call);
    const unsigned id = LLVMLookupIntrinsicID(rows[i].intrinsic, strlen(rows[i].intrinsic));
    LLVMValueRef args[3],
        function = LLVMGetIntrinsicDeclaration(LLVMGetGlobalParent(callee), id, &type, 1);
    for (unsigned a = 0; a < rows[i].arity; a++)
        args[a] = LLVMGetOperand(call, a);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(libraries->context);
    LLVMPositionBuilderBefore(builder, call);
    LLVMReplaceAllUsesWith(call, LLVMBuildCall2(builder, LLVMGlobalGetValueType(function), function,
                                                args, rows[i].arity, ""));
    LLVMInstructionEraseFromParent(call);
    LLVMDisposeBuilder(builder);
    return true;
}

// Inlines the function's calls, callees first. Recursion does not exist in the device libraries;
// the depth guards against broken bitcode.
static kiln_status_t inline_callees(kiln_device_libraries_t *libraries, LLVMValueRef function,
                                    int depth)
{
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
         block = LLVMGetNextBasicBlock(block)) {
        for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst;) {
            LLVMValueRef next = LLVMGetNextInstruction(inst);
            LLVMValueRef callee =
                LLVMIsACallInst(inst) ? LLVMIsAFunction(LLVMGetCalledValue(inst)) : NULL;
            if (callee && !is_intrinsic(callee) && !LLVMIsDeclaration(callee) &&
                !call_intrinsic(libraries, inst, callee)) {
                KILN_TRY(make_ready(libraries, callee, depth + 1));
                // Inlining may split the block: the code after the call is then in another block,
                // which the outer loop reaches.
                if (kiln_shim_inline_call(inst))
                    next = NULL;
                if (!next) {
                    block = LLVMGetFirstBasicBlock(function);
                    next = LLVMGetFirstInstruction(block);
                }
            }
            inst = next;
        }
    }
    return KILN_OK;
}

static kiln_status_t make_ready(kiln_device_libraries_t *libraries, LLVMValueRef function,
                                int depth)
{
    if (LLVMGetStringAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                      READY, sizeof READY - 1))
        return KILN_OK;
    if (depth > 32)
        return kiln_status_make(KILN_STATUS_INTERNAL, "the device libraries are recursive");
    char *message;
    if (!kiln_shim_materialize(function, &message)) {
        kiln_status_t status = kiln_status_make(
            KILN_STATUS_INTERNAL, "cannot read the device libraries' bitcode: %s", message);
        LLVMDisposeMessage(message);
        return status;
    }
    remove_string_attributes(function);
    remove_enum_attribute(function, "noinline");
    KILN_TRY(simplify(libraries,
                      function)); // branches that the control constants decide go before their
                                  // callees are looked at
    KILN_TRY(inline_callees(libraries, function, depth));
    if (LLVMGetFirstBasicBlock(function) != LLVMGetLastBasicBlock(function) || depth == 0)
        KILN_TRY(simplify(libraries, function));
    LLVMAttributeRef ready =
        LLVMCreateStringAttribute(libraries->context, READY, sizeof READY - 1, "", 0);
    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, ready);
    return KILN_OK;
}

static LLVMValueRef find_definition(LLVMModuleRef library, const char *name)
{
    LLVMValueRef function = LLVMGetNamedFunction(library, name);
    return function && !LLVMIsDeclaration(function)
               ? function
               : NULL; // a body not yet read counts as a definition
}

// Functions of ockl wait for the host, except small ones, which are marked to be inlined. The cost
// of a call is negligible compared with that wait, while many inlined bodies take long to compile:
// 64 printed lines take half a minute.
static bool stays_a_function(kiln_bitcode_t library, LLVMValueRef function)
{
    static const char INLINED[] = "alwaysinline";
    if (LLVMGetEnumAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                    LLVMGetEnumAttributeKindForName(INLINED, sizeof INLINED - 1)))
        return false;
    int uses = 0;
    for (LLVMUseRef use = LLVMGetFirstUse(function); use && uses <= MAX_COPIES;
         use = LLVMGetNextUse(use))
        uses++;
    return library == KILN_BITCODE_OCKL && uses > MAX_COPIES;
}

// The functions of ockl compute with integers that wrap, but clang has compiled some of them, such
// as mul24_i32, from C in which a signed overflow is undefined: LLVM would take a square for
// non-negative. Removes those promises.
static void let_integers_wrap(LLVMValueRef function)
{
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
         block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
            switch (LLVMGetInstructionOpcode(i)) {
            case LLVMAdd:
            case LLVMSub:
            case LLVMMul:
            case LLVMShl:
                LLVMSetNSW(i, 0);
                LLVMSetNUW(i, 0);
                break;
            default:
                break;
            }
}

static kiln_status_t define(kiln_device_libraries_t *libraries, LLVMValueRef declaration)
{
    size_t length;
    const char *name = LLVMGetValueName2(declaration, &length);
    kiln_bitcode_t which =
        kiln_string_starts_with(name, "__ocml_") ? KILN_BITCODE_OCML : KILN_BITCODE_OCKL;
    LLVMModuleRef library;
    KILN_TRY(open_library(libraries, which, &library));
    LLVMValueRef function = find_definition(library, name);
    if (!function)
        return kiln_codegen_at_call(kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                                     "no function '%s' in the device libraries",
                                                     name),
                                    declaration);
    if (LLVMGlobalGetValueType(function) != LLVMGlobalGetValueType(declaration)) {
        char *wanted = LLVMPrintTypeToString(LLVMGlobalGetValueType(declaration)),
             *actual = LLVMPrintTypeToString(LLVMGlobalGetValueType(function));
        kiln_status_t status =
            kiln_status_make(KILN_STATUS_INVALID_INPUT,
                             "device function '%s' has type %s, expected %s", name, actual, wanted);
        LLVMDisposeMessage(wanted);
        LLVMDisposeMessage(actual);
        return kiln_codegen_at_call(status, declaration);
    }
    KILN_TRY(make_ready(libraries, function, 0));
    if (which == KILN_BITCODE_OCKL)
        let_integers_wrap(function);
    kiln_shim_copy_body(function, declaration);
    remove_string_attributes(declaration);
    add_enum_attribute(declaration,
                       stays_a_function(which, declaration) ? "noinline" : "alwaysinline");
    LLVMSetLinkage(declaration, LLVMInternalLinkage);
    LLVMSetVisibility(declaration, LLVMDefaultVisibility);
    return KILN_OK;
}

kiln_status_t kiln_device_libraries_link(kiln_device_libraries_t *libraries, LLVMModuleRef module)
{
    // Copied bodies may declare further functions, which are appended to the list and so are
    // reached as well.
    for (LLVMValueRef function = LLVMGetFirstFunction(module); function;
         function = LLVMGetNextFunction(function)) {
        size_t length;
        const char *name = LLVMGetValueName2(function, &length);
        if (LLVMIsDeclaration(function) && !is_intrinsic(function) &&
            (kiln_string_starts_with(name, "__ocml_") || kiln_string_starts_with(name, "__ockl_")))
            KILN_TRY(define(libraries, function));
    }
    return KILN_OK;
}
