// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces a stage of a compilation by a given text (the option `overrides`): what an experiment by
// hand needs. Everything else is that of the source: the manifest, constants, promises.
//
// Note that a launch passes the arguments of the source, so the text must have the same kernel with
// the same types.
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>

#include "analysis/waves/waves.h"
#include "base/string.h"
#include "builder/ir.h"
#include "driver/compile_internal.h"

static const struct {
    const char *name;
    kiln_stage_t stage;
} stages[] = {{"tt", KILN_STAGE_TT}, {"ttg", KILN_STAGE_TTG}, {"llvm", KILN_STAGE_LLVM}};
enum { STAGES = sizeof stages / sizeof *stages };

static const char *name_of(kiln_stage_t stage)
{
    for (size_t i = 0; i < STAGES; i++)
        if (stages[i].stage == stage)
            return stages[i].name;
    return "";
}

// Whether the text, named "ttg" or "ttg:FILE", replaces the stage.
static bool replaces(const kiln_header_t *text, const char *stage)
{
    const size_t length = strcspn(text->name, ":");
    return strlen(stage) == length && memcmp(text->name, stage, length) == 0;
}

// What errors call the text.
static const char *file_of(const kiln_header_t *text)
{
    const char *colon = strchr(text->name, ':');
    return colon ? colon + 1 : text->name;
}

static kiln_status_t in_file(kiln_status_t status, const kiln_header_t *text, kiln_stage_t stage)
{
    return kiln_status_annotate(status, "while replacing %s by '%s'", name_of(stage),
                                file_of(text));
}

static const kiln_header_t *override_of(const kiln_compile_options_t *options, kiln_stage_t stage)
{
    for (size_t i = 0; i < options->override_count; i++)
        if (replaces(&options->overrides[i], name_of(stage)))
            return &options->overrides[i];
    return NULL;
}

kiln_status_t kiln_override_check(const kiln_compile_options_t *options)
{
    for (size_t i = 0; i < options->override_count; i++) {
        const kiln_header_t *one = options->overrides ? &options->overrides[i] : NULL;
        if (!one || !one->name || !one->text)
            return kiln_status_make(KILN_STATUS_USAGE, "overrides contains a NULL");
        bool is_known = false;
        for (size_t s = 0; s < STAGES; s++)
            is_known |= replaces(one, stages[s].name);
        if (!is_known)
            return kiln_status_make(KILN_STATUS_USAGE,
                                    "overrides[%zu] replaces the stage '%s'; expected tt, ttg or "
                                    "llvm",
                                    i, one->name);
        for (size_t k = 0; k < i; k++)
            for (size_t s = 0; s < STAGES; s++)
                if (replaces(one, stages[s].name) &&
                    replaces(&options->overrides[k], stages[s].name))
                    return kiln_status_make(KILN_STATUS_USAGE, "overrides replaces %s twice",
                                            stages[s].name);
    }
    return KILN_OK;
}

kiln_status_t kiln_override_check_stages(const kiln_compilation_t *c)
{
    for (size_t i = 0; i < STAGES; i++)
        if (override_of(&c->options, stages[i].stage) &&
            (stages[i].stage < c->source->stage || stages[i].stage > c->options.last_stage ||
             (stages[i].stage == KILN_STAGE_TT && c->source->stage == KILN_STAGE_TTG) ||
             c->options.only_pass_count))
            return kiln_status_make(KILN_STATUS_USAGE,
                                    "`overrides` has no effect here: the compilation has no stage "
                                    "%s of its own",
                                    stages[i].name);
    return KILN_OK;
}

// MLIR ---------------------------------------------------------------------------------------------

static MlirOperation kernel_of(const kiln_compilation_t *c, MlirModule module)
{
    const MlirStringRef name = mlirStringRefCreateFromCString(c->kernel->name);
    MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
    for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
        if (kiln_op_kind(op) == KILN_OP_TT_FUNC &&
            mlirStringRefEqual(mlirStringAttrGetValue(kiln_ir_attr(op, "sym_name")), name))
            break;
    return op;
}

static kiln_status_t no_kernel(const kiln_compilation_t *c, kiln_stage_t stage)
{
    return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                            "the text that replaces %s has no kernel '%s' with the argument types "
                            "of '%s'",
                            name_of(stage), c->kernel->name, c->source->name);
}

// No pass runs after it, and facts of the kernel are those of the source's waves.
static kiln_status_t check_ttg(const kiln_compilation_t *c, MlirModule module)
{
    const MlirOperation op = mlirModuleGetOperation(module);
    int waves, own;
    KILN_TRY(kiln_waves_of_module(module, &waves));
    KILN_TRY(kiln_waves_of_module(c->module, &own));
    if (waves != own)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                "the text that replaces ttg is for num_warps = %d; the compilation "
                                "has %d",
                                waves, own);
    return mlirAttributeIsNull(kiln_ir_attr(op, "ttg.shared"))
               ? kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                  "the text that replaces ttg has no \"ttg.shared\": it must be "
                                  "ttg after all passes")
               : KILN_OK;
}

kiln_status_t kiln_override_mlir(kiln_compilation_t *c, kiln_stage_t stage)
{
    const kiln_header_t *text = override_of(&c->options, stage);
    if (!text)
        return KILN_OK;
    const kiln_source_t source = {
        .stage = stage, .name = file_of(text), .text = text->text, .length = text->length};
    kiln_compilation_t parsed = *c;
    parsed.source = &source;
    parsed.module = (MlirModule){NULL};
    kiln_status_t status = kiln_compile_load_source(&parsed);
    if (!status) {
        const MlirOperation before = kernel_of(c, c->module), after = kernel_of(c, parsed.module);
        if (mlirOperationIsNull(after) || !mlirAttributeEqual(kiln_ir_attr(before, "function_type"),
                                                              kiln_ir_attr(after, "function_type")))
            status = no_kernel(c, stage);
    }
    if (!status && stage == KILN_STAGE_TTG)
        status = check_ttg(c, parsed.module);
    if (status) {
        if (!mlirModuleIsNull(parsed.module))
            mlirModuleDestroy(parsed.module);
        return in_file(status, text, stage);
    }
    mlirModuleDestroy(c->module);
    c->module = parsed.module;
    return KILN_OK;
}

// LLVM IR ------------------------------------------------------------------------------------------

// A text without a target is of the target of the module that it replaces.
static kiln_status_t check_target(const kiln_compilation_t *c, LLVMModuleRef module)
{
    const char *target = LLVMGetTarget(c->llvm), *layout = LLVMGetDataLayoutStr(c->llvm);
    if (!*LLVMGetTarget(module))
        LLVMSetTarget(module, target);
    if (!*LLVMGetDataLayoutStr(module))
        LLVMSetDataLayout(module, layout);
    return strcmp(LLVMGetTarget(module), target) == 0 &&
                   strcmp(LLVMGetDataLayoutStr(module), layout) == 0
               ? KILN_OK
               : kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                  "the text that replaces llvm has another target triple or data "
                                  "layout; expected \"%s\" and \"%s\"",
                                  target, layout);
}

static kiln_status_t parse_llvm(LLVMContextRef context, const char *text, size_t length,
                                LLVMModuleRef *out_module)
{
    char *message = NULL;
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
        text, length, name_of(KILN_STAGE_LLVM)); // released by the parser
    if (!LLVMParseIRInContext(context, buffer, out_module, &message))
        return KILN_OK;
    kiln_status_t status = kiln_status_make(
        KILN_STATUS_INVALID_INPUT, "the text that replaces llvm is not LLVM IR: %s", message);
    LLVMDisposeMessage(message);
    return status;
}

static void ignore(LLVMDiagnosticInfoRef diagnostic, void *user)
{
    (void)diagnostic;
    (void)user;
}

// Verifies the text. The parser accepts modules that abort code generation, and aborts itself if
// such a module has debug information of LLVM's version; so this parses a copy without the version.
static kiln_status_t verify_llvm(const char *text, size_t length)
{
    static const char version[] = "\"Debug Info Version\"";
    char *copy = malloc(length + 1), *message = NULL;
    if (!copy)
        return kiln_status_out_of_memory();
    memcpy(copy, text, length);
    copy[length] = '\0';
    for (char *at = copy; (at = strstr(at, version)) != NULL; at++)
        at[1] = 'd';
    LLVMContextRef context = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(context, ignore, NULL); // that there is no version
    LLVMModuleRef module;
    kiln_status_t status = parse_llvm(context, copy, length, &module);
    if (!status) {
        if (LLVMVerifyModule(module, LLVMReturnStatusAction, &message))
            status =
                kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                 "the text that replaces llvm is invalid LLVM IR: %s", message);
        LLVMDisposeMessage(message);
        LLVMDisposeModule(module);
    }
    LLVMContextDispose(context);
    free(copy);
    return status;
}

static kiln_status_t check_llvm(const kiln_compilation_t *c, LLVMModuleRef module)
{
    const LLVMValueRef before = LLVMGetNamedFunction(c->llvm, c->kernel->name),
                       after = LLVMGetNamedFunction(module, c->kernel->name);
    if (!before || !after || LLVMIsDeclaration(after) ||
        LLVMGetFunctionCallConv(before) != LLVMGetFunctionCallConv(after) ||
        LLVMGlobalGetValueType(before) != LLVMGlobalGetValueType(after))
        return no_kernel(c, KILN_STAGE_LLVM);
    return check_target(c, module);
}

kiln_status_t kiln_override_llvm(kiln_compilation_t *c)
{
    const kiln_header_t *text = override_of(&c->options, KILN_STAGE_LLVM);
    LLVMModuleRef module;
    if (!text)
        return KILN_OK;
    if (memchr(text->text, '\0', text->length))
        return in_file(kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                        "the text that replaces llvm is not LLVM IR in text form"),
                       text, KILN_STAGE_LLVM);
    kiln_status_t status = verify_llvm(text->text, text->length);
    if (!status)
        status = parse_llvm(LLVMGetModuleContext(c->llvm), text->text, text->length, &module);
    if (status)
        return in_file(status, text, KILN_STAGE_LLVM);
    status = check_llvm(c, module);
    if (status) {
        LLVMDisposeModule(module);
        return in_file(status, text, KILN_STAGE_LLVM);
    }
    LLVMDisposeModule(c->llvm);
    c->llvm = module;
    return KILN_OK;
}
