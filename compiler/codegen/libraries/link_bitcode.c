// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links functions of the user's bitcode that the module calls.
//
// Note that with opaque pointers a call with the wrong type links and is then undefined behaviour,
// so types are compared first. And a library's target attributes and module flags are those of its
// compiler; they would prevent its functions from being inlined, or the modules from being linked.
#include "codegen/codegen.h"

#include <string.h>

#include <llvm-c/BitReader.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm/Config/llvm-config.h>

#include "base/string.h"
#include "codegen/codegen_internal.h"
#include "codegen/ir/walk.h"
#include "codegen/libraries/device_libraries.h"
#include "codegen/llvm_shim.h"
#include "codegen/target.h"

static bool is_called(LLVMValueRef function)
{
    return LLVMIsDeclaration(function) && !LLVMGetIntrinsicID(function) &&
           LLVMGetFirstUse(function);
}

static kiln_status_t read_library(kiln_codegen_t *codegen, const kiln_header_t *file,
                                  LLVMModuleRef *out_library)
{
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(file->text, file->length, file->name);
    bool failed = LLVMParseBitcodeInContext2(codegen->context, buffer, out_library);
    LLVMDisposeMemoryBuffer(buffer);
    if (failed) {
        kiln_status_t why = kiln_codegen_take_error(codegen);
        kiln_status_t status = kiln_status_make(
            KILN_STATUS_INVALID_INPUT, "'%s' is not bitcode that LLVM %s can read: %s", file->name,
            LLVM_VERSION_STRING, kiln_status_message(why));
        kiln_status_free(why);
        return status;
    }
    const char *triple = LLVMGetTarget(*out_library);
    if (*triple && !kiln_string_starts_with(triple, "amdgcn")) {
        kiln_status_t status =
            kiln_status_make(KILN_STATUS_INVALID_INPUT, "'%s' is bitcode for %s, expected amdgcn",
                             file->name, triple);
        LLVMDisposeModule(*out_library);
        return status;
    }
    return KILN_OK;
}

static kiln_status_t check_types(LLVMModuleRef module, LLVMModuleRef library, const char *file)
{
    for (LLVMValueRef wanted = LLVMGetFirstFunction(module); wanted;
         wanted = LLVMGetNextFunction(wanted)) {
        size_t length;
        const char *name = LLVMGetValueName2(wanted, &length);
        LLVMValueRef found = is_called(wanted) ? LLVMGetNamedFunction(library, name) : NULL;
        if (!found || LLVMIsDeclaration(found) ||
            LLVMGlobalGetValueType(found) == LLVMGlobalGetValueType(wanted))
            continue;
        char *called = LLVMPrintTypeToString(LLVMGlobalGetValueType(wanted)),
             *actual = LLVMPrintTypeToString(LLVMGlobalGetValueType(found));
        kiln_status_t status =
            kiln_status_make(KILN_STATUS_INVALID_INPUT, "'%s' of '%s' has type %s, expected %s",
                             name, file, actual, called);
        LLVMDisposeMessage(called);
        LLVMDisposeMessage(actual);
        return kiln_codegen_at_call(status, wanted);
    }
    return KILN_OK;
}

static kiln_status_t link_one(kiln_codegen_t *codegen, LLVMModuleRef module,
                              const kiln_header_t *file)
{
    LLVMModuleRef library;
    KILN_TRY(read_library(codegen, file, &library));
    kiln_status_t status = check_types(module, library, file->name);
    if (status) {
        LLVMDisposeModule(library);
        return status;
    }
    LLVMSetTarget(library, KILN_TARGET_TRIPLE);
    LLVMSetModuleDataLayout(library, codegen->layout);
    LLVMStripModuleDebugInfo(library);
    for (LLVMValueRef f = kiln_first_definition(library); f; f = kiln_next_definition(f))
        if (LLVMGetFunctionCallConv(f) != LLVMAMDGPUKERNELCallConv)
            kiln_device_function_adopt(f);
    if (!kiln_shim_link_needed(module, library)) // consumes the library
        return kiln_status_annotate(kiln_codegen_take_error(codegen), "while linking '%s'",
                                    file->name);
    return KILN_OK;
}

kiln_status_t kiln_codegen_link_bitcode(kiln_codegen_t *codegen, LLVMModuleRef module,
                                        const kiln_header_t *files, size_t count)
{
    codegen->has_bitcode = count > 0;
    LLVMSetTarget(module, KILN_TARGET_TRIPLE);
    LLVMSetModuleDataLayout(module, codegen->layout);
    for (size_t i = 0; i < count; i++)
        KILN_TRY(link_one(codegen, module, &files[i]));
    for (LLVMValueRef function = LLVMGetFirstFunction(module); function && count;
         function = LLVMGetNextFunction(function)) {
        size_t length;
        const char *name = LLVMGetValueName2(function, &length);
        bool is_ours =
            kiln_string_starts_with(name, "__ocml_") || kiln_string_starts_with(name, "__ockl_");
        if (is_called(function) && !is_ours)
            return kiln_codegen_at_call(
                kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                 "no function '%s' in the device libraries or the linked bitcode",
                                 name),
                function);
    }
    kiln_device_constants_define(module);
    return KILN_OK;
}
