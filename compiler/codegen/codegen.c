// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code generation's state, LLVM's diagnostics, and the steps that are a single call each.
//
// Note that "amdgpu-no-*" attributes are promises about the whole call tree; they are derived here,
// after every body is linked, from the intrinsics that the module mentions.
#include "codegen/codegen.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>

#include "codegen/codegen_internal.h"
#include "codegen/ir/walk.h"
#include "codegen/llvm_shim.h"
#include "codegen/target.h"

// Maps a diagnostic to a status code. A kind without a row is not known to be the user's fault, so
// it counts as Kiln's own.
static kiln_status_t make_error(kiln_shim_subject_t subject, const char *message)
{
    static const struct {
        kiln_status_code_t code;
        const char *format;
    } rows[] = {
        [KILN_SHIM_SUBJECT_UNKNOWN] = {KILN_STATUS_INTERNAL, "code generation failed: %s"},
        [KILN_SHIM_SUBJECT_ASSEMBLY] = {KILN_STATUS_INVALID_INPUT, "code generation: %s"},
        [KILN_SHIM_SUBJECT_LDS] = {KILN_STATUS_OUT_OF_RESOURCES,
                                   "%s; lower num_stages or use smaller tiles"},
        [KILN_SHIM_SUBJECT_REGISTERS] = {KILN_STATUS_OUT_OF_RESOURCES,
                                         "%s; raise num_warps or use smaller tiles"},
        [KILN_SHIM_SUBJECT_BITCODE] = {KILN_STATUS_INVALID_INPUT, "linked bitcode: %s"},
    };
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" // each format in rows takes the message
    return kiln_status_make(rows[subject].code, rows[subject].format, message);
#pragma GCC diagnostic pop
}

static void on_diagnostic(LLVMDiagnosticInfoRef info, void *user)
{
    kiln_codegen_t *codegen = user;
    static const kiln_codegen_severity_t severities[] = {[LLVMDSError] = KILN_CODEGEN_ERROR,
                                                         [LLVMDSWarning] = KILN_CODEGEN_WARNING,
                                                         [LLVMDSRemark] = KILN_CODEGEN_REMARK,
                                                         [LLVMDSNote] = KILN_CODEGEN_REMARK};
    kiln_codegen_severity_t severity = severities[LLVMGetDiagInfoSeverity(info)];
    char *message = kiln_shim_diagnostic_message(info);
    if (severity == KILN_CODEGEN_ERROR && !codegen->error) {
        codegen->error_place = kiln_shim_assembly_place(info);
        codegen->error = make_error(kiln_shim_diagnostic_subject(info), message);
    }
    if (codegen->handler)
        codegen->handler(severity, message, codegen->user);
    LLVMDisposeMessage(message);
}

kiln_status_t kiln_codegen_take_error(kiln_codegen_t *codegen)
{
    kiln_status_t error = codegen->error;
    codegen->error = KILN_OK;
    return error;
}

kiln_status_t kiln_codegen_create(LLVMContextRef context, const char *arch,
                                  kiln_codegen_handler_t handler, void *user,
                                  kiln_codegen_t **out_codegen)
{
    *out_codegen = NULL;
    kiln_codegen_t *codegen = calloc(1, sizeof *codegen);
    if (!codegen)
        return kiln_status_out_of_memory();
    codegen->context = context;
    codegen->mark = kiln_shim_create_mark(context);
    codegen->handler = handler;
    codegen->user = user;
    kiln_status_t status = kiln_target_machine_create(arch, &codegen->machine);
    if (!status)
        status = kiln_device_libraries_create(context, codegen->machine, &codegen->libraries);
    if (status) {
        kiln_codegen_release(codegen);
        return status;
    }
    codegen->layout = LLVMCreateTargetDataLayout(codegen->machine);
    LLVMContextSetDiagnosticHandler(context, on_diagnostic, codegen);
    *out_codegen = codegen;
    return KILN_OK;
}

void kiln_codegen_release(kiln_codegen_t *codegen)
{
    if (!codegen)
        return;
    LLVMContextSetDiagnosticHandler(codegen->context, NULL, NULL);
    kiln_status_free(codegen->error);
    kiln_device_libraries_release(codegen->libraries);
    if (codegen->layout)
        LLVMDisposeTargetData(codegen->layout);
    if (codegen->machine)
        LLVMDisposeTargetMachine(codegen->machine);
    free(codegen);
}

static void add_module_flag(LLVMModuleRef module, const char *name, unsigned value)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetModuleContext(module));
    if (!LLVMGetModuleFlag(module, name, strlen(name)))
        LLVMAddModuleFlag(module, LLVMModuleFlagBehaviorError, name, strlen(name),
                          LLVMValueAsMetadata(LLVMConstInt(i32, value, 0)));
}

// A promise may be made if the module mentions none of its intrinsics. Everything else reached
// through the implicit arguments depends only on that pointer.
static const struct {
    const char *promise, *intrinsic;
} PROMISES[] = {
    {"amdgpu-no-workgroup-id-x", "llvm.amdgcn.workgroup.id.x"},
    {"amdgpu-no-workgroup-id-y", "llvm.amdgcn.workgroup.id.y"},
    {"amdgpu-no-workgroup-id-z", "llvm.amdgcn.workgroup.id.z"},
    {"amdgpu-no-workitem-id-x", "llvm.amdgcn.workitem.id.x"},
    {"amdgpu-no-workitem-id-y", "llvm.amdgcn.workitem.id.y"},
    {"amdgpu-no-workitem-id-z", "llvm.amdgcn.workitem.id.z"},
    {"amdgpu-no-dispatch-ptr", "llvm.amdgcn.dispatch.ptr"},
    {"amdgpu-no-dispatch-id", "llvm.amdgcn.dispatch.id"},
    {"amdgpu-no-lds-kernel-id", "llvm.amdgcn.lds.kernel.id"},
    {"amdgpu-no-implicitarg-ptr", "llvm.amdgcn.implicitarg.ptr"},
    {"amdgpu-no-hostcall-ptr", "llvm.amdgcn.implicitarg.ptr"},
    {"amdgpu-no-heap-ptr", "llvm.amdgcn.implicitarg.ptr"},
    {"amdgpu-no-default-queue", "llvm.amdgcn.implicitarg.ptr"},
    {"amdgpu-no-completion-action", "llvm.amdgcn.implicitarg.ptr"},
    {"amdgpu-no-multigrid-sync-arg", "llvm.amdgcn.implicitarg.ptr"},
    {"amdgpu-no-queue-ptr", "llvm.amdgcn.queue.ptr"}, // gfx942 takes apertures from registers, so
                                                      // traps and flat casts need no queue
    {"amdgpu-no-flat-scratch-init", NULL},            // gfx942 has architected flat scratch
};

static void make_promises(LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    for (size_t i = 0; i < sizeof PROMISES / sizeof *PROMISES; i++) {
        if (PROMISES[i].intrinsic && LLVMGetNamedFunction(module, PROMISES[i].intrinsic))
            continue;
        LLVMAttributeRef attribute = LLVMCreateStringAttribute(
            context, PROMISES[i].promise, (unsigned)strlen(PROMISES[i].promise), "", 0);
        for (LLVMValueRef f = kiln_first_definition(module); f; f = kiln_next_definition(f))
            LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attribute);
    }
}

static void internalize(LLVMModuleRef module)
{
    for (LLVMValueRef f = kiln_first_definition(module); f; f = kiln_next_definition(f))
        if (LLVMGetFunctionCallConv(f) != LLVMAMDGPUKERNELCallConv) {
            LLVMSetVisibility(f, LLVMDefaultVisibility);
            LLVMSetLinkage(f, LLVMInternalLinkage);
        }
}

kiln_status_t kiln_codegen_prepare(kiln_codegen_t *codegen, LLVMModuleRef module)
{
    LLVMSetTarget(module, KILN_TARGET_TRIPLE);
    LLVMSetModuleDataLayout(module, codegen->layout);
    add_module_flag(module, "amdhsa_code_object_version", KILN_TARGET_CODE_OBJECT_VERSION);
    KILN_TRY(kiln_device_libraries_link(codegen->libraries, module));
    internalize(module);
    make_promises(module);
    return kiln_codegen_take_error(codegen);
}

kiln_status_t kiln_codegen_verify(LLVMModuleRef module)
{
    char *message = NULL;
    kiln_status_t status = KILN_OK;
    if (LLVMVerifyModule(module, LLVMReturnStatusAction, &message))
        status = kiln_status_make(KILN_STATUS_INTERNAL, "invalid LLVM module: %s", message);
    LLVMDisposeMessage(message);
    return status;
}

static size_t count_instructions(LLVMModuleRef module)
{
    size_t count = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                count++;
    return count;
}

kiln_status_t kiln_codegen_check_size(LLVMModuleRef module, uint32_t limit)
{
    const size_t count = limit ? count_instructions(module) : 0;
    return count <= limit
               ? KILN_OK
               : kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES,
                                  "generating its code would take too long: %zu LLVM instructions, "
                                  "but the limit is %" PRIu32 " (`max_instructions`)",
                                  count, limit);
}

// An error of inline assembly in a program without any is about Kiln's own assembly, which needs
// only registers.
static kiln_status_t blame_registers(const kiln_codegen_t *codegen, LLVMModuleRef module,
                                     kiln_status_t status)
{
    if (kiln_status_code(status) != KILN_STATUS_INVALID_INPUT || codegen->has_bitcode ||
        kiln_codegen_find_assembly(module, NULL))
        return status;
    kiln_status_t named = make_error(KILN_SHIM_SUBJECT_REGISTERS, kiln_status_message(status));
    kiln_status_free(status);
    return named;
}

void kiln_codegen_report_live(kiln_codegen_t *codegen,
                              void (*take)(const char *text, size_t length, void *user), void *user)
{
    codegen->live = (kiln_shim_live_registers_t){take, user};
}

kiln_status_t kiln_codegen_emit(kiln_codegen_t *codegen, LLVMModuleRef module,
                                LLVMCodeGenFileType type, kiln_codegen_effect_t effect,
                                const kiln_register_plan_t *plan, LLVMMemoryBufferRef *out_buffer)
{
    *out_buffer = NULL;
    LLVMModuleRef clone = effect == KILN_CODEGEN_PRESERVE ? LLVMCloneModule(module) : NULL;
    kiln_shim_emit(codegen->machine, clone ? clone : module, type, plan->exceeds_registers,
                   codegen->mark, codegen->live.take ? &codegen->live : NULL, out_buffer);
    if (clone)
        LLVMDisposeModule(clone);
    kiln_status_t status = blame_registers(codegen, module, kiln_codegen_take_error(codegen));
    if (status && codegen->error_place)
        status = kiln_codegen_at_assembly(status, module, codegen->error_place);
    if (!status && !*out_buffer)
        status = kiln_status_make(KILN_STATUS_INTERNAL,
                                  "LLVM's target machine cannot emit this file type");
    if (status && *out_buffer) {
        LLVMDisposeMemoryBuffer(*out_buffer);
        *out_buffer = NULL;
    }
    return status;
}
