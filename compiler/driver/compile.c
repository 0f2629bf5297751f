// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles one kernel, from source text to code object:
//
//   Tile C ─ front end ─┐
//   TTIR ─── parse ─────┴→ tt ─ passes → ttg ─ passes → ttg ─ lower → LLVM IR ─ optimize → object ─ link → code object
//                                                                                                          + manifest
//
// Compilation can start at Tile C, tt or ttg and end at any stage: the text of tt or ttg, compiled
// as a source of that stage, leads to the same code.
//
// Note that of the passes only those of the stages EXTERNAL and FINAL (passes/pipeline.def) run on
// a source that is already ttg; FINAL ones are idempotent.
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

#include "analysis/program_facts.h"
#include "analysis/waves/waves.h"
#include "artifact/code_object.h"
#include "artifact/loader_facts.h"
#include "artifact/manifest.h"
#include "base/clock.h"
#include "base/require.h"
#include "base/string.h"
#include "builder/ir.h"
#include "builder/ir_text.h"
#include "driver/compile_internal.h"
#include "driver/lds_map.h"
#include "driver/options.h"
#include "frontend/frontend.h"
#include "lower/lower.h"
#include "passes/pass.h"

// Records the duration of the phase that started at *begin, and starts the next.
static void record_phase(kiln_compilation_t *c, const char *phase, double *begin)
{
    double now = kiln_now_ms();
    kiln_kernel_add_timing(c->kernel, phase, now - *begin);
    *begin = now;
}

// Text --------------------------------------------------------------------------------------------

static bool keeps(const kiln_compilation_t *c, kiln_stage_t stage)
{
    return c->options.last_stage == stage || (c->options.keep_stages & (1u << stage));
}

static bool dumps(const kiln_compilation_t *c, kiln_dump_point_t point)
{
    return c->options.dump && (c->options.dump_points & (1u << point)) &&
           (!c->options.dump_kernel ||
            (c->kernel->name && strcmp(c->options.dump_kernel, c->kernel->name) == 0));
}

static char *print_mlir(const kiln_compilation_t *c)
{
    kiln_string_t text = {0};
    MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
    mlirOpPrintingFlagsEnableDebugInfo(flags, !c->options.no_line_info, false);
    mlirOpPrintingFlagsPrintNameLocAsPrefix(flags); // %acc, if the source names it
    // A dump after a broken pass must not crash in the verifier.
    mlirOpPrintingFlagsAssumeVerified(flags);
    mlirOperationPrintWithFlags(mlirModuleGetOperation(c->module), flags, kiln_ir_append, &text);
    mlirOpPrintingFlagsDestroy(flags);
    kiln_string_append_char(&text, '\n');
    return kiln_string_take(&text);
}

static kiln_status_t keep_mlir(kiln_compilation_t *c, kiln_stage_t stage)
{
    if (!keeps(c, stage))
        return KILN_OK;
    c->kernel->texts[stage] = print_mlir(c);
    return c->kernel->texts[stage] ? KILN_OK : kiln_status_out_of_memory();
}

// Text for which memory was exhausted cannot be dumped. Record this, so that the pass does not seem
// to have been skipped.
static void dump_text(kiln_compilation_t *c, kiln_dump_point_t point, const char *pass,
                      const char *text)
{
    if (text)
        c->options.dump(point, pass, text, strlen(text), c->options.dump_user);
    else
        c->kernel->out_of_memory = true;
}

static void observe(kiln_pass_event_t event, const kiln_pass_t *pass, MlirModule module,
                    double milliseconds, void *user)
{
    (void)module;
    kiln_compilation_t *c = user;
    kiln_dump_point_t point =
        event == KILN_PASS_BEFORE ? KILN_DUMP_BEFORE_PASS : KILN_DUMP_AFTER_PASS;
    if (event == KILN_PASS_AFTER)
        kiln_kernel_add_timing(c->kernel, pass->id, milliseconds);
    if (!dumps(c, point))
        return;
    char *text = print_mlir(c);
    dump_text(c, point, pass->id, text);
    free(text);
}

// Sources -----------------------------------------------------------------------------------------

// MLIR's lexer reads one byte past the text, which must be a NUL.
static char *copy_terminated(const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

// The first error that MLIR reported for a source that it rejected.
static kiln_status_t refusal(const kiln_compilation_t *c)
{
    kiln_status_t first = c->diagnostics->first_error;
    return kiln_status_at(
        kiln_status_make(KILN_STATUS_INVALID_INPUT, "%s",
                         first ? kiln_status_message(first) : "cannot parse the IR"),
        first ? kiln_status_file(first) : c->source->name, first ? kiln_status_line(first) : 0,
        first ? kiln_status_column(first) : 0);
}

static kiln_status_t parse_mlir(kiln_compilation_t *c)
{
    const kiln_source_t *source = c->source;
    char *text = copy_terminated(source->text, source->length);
    if (!text)
        return kiln_status_out_of_memory();
    const MlirStringRef string = mlirStringRefCreate(text, source->length),
                        name = mlirStringRefCreateFromCString(source->name ? source->name : "-");
    MlirOperation op = kiln_parse_module(c->session->mlir, string, name);
    free(text);
    if (!mlirOperationIsNull(op) && !kiln_normalize_forms(op)) {
        mlirOperationDestroy(op);
        op = (MlirOperation){NULL};
    }
    if (mlirOperationIsNull(op))
        return refusal(c);
    c->module = mlirModuleFromOperation(op);
    if (!mlirModuleIsNull(c->module))
        return KILN_OK;
    // A single function: put it into a module and verify again, as callees are only looked up
    // there.
    c->module = mlirModuleCreateEmpty(mlirOperationGetLocation(op));
    mlirBlockAppendOwnedOperation(mlirModuleGetBody(c->module), op);
    return mlirOperationVerify(mlirModuleGetOperation(c->module)) ? KILN_OK : refusal(c);
}

kiln_status_t kiln_compile_load_source(kiln_compilation_t *c)
{
    if (kiln_source_is_bytecode(c->source))
        KILN_TRY(kiln_compile_check_bytecode(c->session->mlir, c->source));
    else
        KILN_TRY(kiln_compile_check_source(c->source));
    if (c->source->stage == KILN_STAGE_TT || c->source->stage == KILN_STAGE_TTG)
        return parse_mlir(c);
    if (c->source->stage == KILN_STAGE_TILE)
        return kiln_compile_tile(c);
    return kiln_status_make(KILN_STATUS_USAGE,
                            "unsupported source stage; expected Tile C, tt or ttg");
}

// Passes and lowering -----------------------------------------------------------------------------

static void warn(kiln_compilation_t *c, kiln_warning_id_t id, MlirOperation op, const char *what)
{
    kiln_diagnostic_t warning = {.message = what};
    char *file = kiln_session_place(mlirOperationGetLocation(op), &warning.line, &warning.column);
    warning.file = file;
    kiln_session_warn(c->session, id, &warning);
    free(file);
}

static void warn_of_refusal(MlirOperation op, const char *what, void *user)
{
    warn(user, KILN_WARNING_PASS_FAILED, op, what);
}

static void report_missed(kiln_missed_t finding, MlirOperation op, const char *what,
                          const char *advice, void *user)
{
    const kiln_compilation_t *c = user;
    kiln_session_find_at(c->session, (kiln_warning_id_t)finding, op, what, advice);
}

static kiln_pass_context_t pass_context(kiln_compilation_t *c)
{
    kiln_pass_context_t context = {.mlir = c->session->mlir,
                                   .options = &c->options,
                                   .refused = warn_of_refusal,
                                   .refused_user = c,
                                   .pipeline_stages = &c->kernel->pipeline_stages};
    if (kiln_finding_is_enabled(&c->diagnostics->searched, KILN_FINDING_PASS))
        context.missed = report_missed;
    return context;
}

static kiln_status_t select_kernel(kiln_compilation_t *c)
{
    MlirOperation kernel;
    KILN_TRY(kiln_compile_select_kernel(c, &kernel));
    const kiln_pass_context_t context = pass_context(c);
    KILN_TRY(kiln_pipeline_run(&context, c->module, KILN_PASS_INPUT, observe, c));
    return kiln_compile_note_arguments(c, kernel);
}

static MlirWalkResult find_layout(MlirOperation op, void *user)
{
    MlirOperation *found = user;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
        MlirType type = mlirValueGetType(mlirOperationGetResult(op, i));
        if (kiln_type_is_tensor(type) && !mlirAttributeIsNull(kiln_type_encoding(type)))
            *found = op;
    }
    return mlirOperationIsNull(*found) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

// Passes from tt to ttg expect that no tensor has a layout.
static kiln_status_t refuse_layouts(MlirModule module)
{
    MlirOperation found = {NULL};
    kiln_walk(mlirModuleGetOperation(module), MlirWalkPreOrder, find_layout, &found);
    if (mlirOperationIsNull(found))
        return KILN_OK;
    return kiln_status_at_op(kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                              "a tensor of a tt program has a layout (for a ttg "
                                              "program set its `stage` to ttg)"),
                             found);
}

static kiln_status_t run_passes(kiln_compilation_t *c)
{
    const kiln_pass_context_t context = pass_context(c);
    bool ends_at_tt = c->options.last_stage == KILN_STAGE_TT;
    kiln_note_program_ids(c);
    c->kernel->pipeline_stages = ends_at_tt ? 0 : 1;
    int waves;
    if (c->source->stage == KILN_STAGE_TTG &&
        (c->options.only_pass_count || c->options.last_stage > KILN_STAGE_TTG))
        KILN_TRY(kiln_waves_of_module(c->module, &waves)); // passes depend on it
    if (!c->options.num_warps)
        KILN_TRY(kiln_waves_choose(c->module, &c->options.num_warps));
    if (c->options.only_pass_count) { // tests of single passes
        KILN_TRY(kiln_pipeline_run_only(&context, c->module, observe, c));
        KILN_TRY(keep_mlir(c, KILN_STAGE_TT));
        if (c->options.last_stage > KILN_STAGE_TTG) // required for lowering
            KILN_TRY(kiln_pipeline_run(&context, c->module, KILN_PASS_FINAL, observe, c));
        return keep_mlir(c, KILN_STAGE_TTG);
    }
    if (c->source->stage != KILN_STAGE_TTG) {
        KILN_TRY(kiln_override_mlir(c, KILN_STAGE_TT));
        KILN_TRY(keep_mlir(c, KILN_STAGE_TT));
        c->kernel->has_facts = ends_at_tt;
        if (ends_at_tt)
            return kiln_program_facts_of(c->module, &c->kernel->facts);
        KILN_TRY(refuse_layouts(c->module));
        KILN_TRY(kiln_pipeline_run(&context, c->module, KILN_PASS_TT, observe, c));
        KILN_TRY(kiln_compile_find_narrow_accesses(c));
        kiln_compile_find_operations(c);
        KILN_TRY(kiln_pipeline_run(&context, c->module, KILN_PASS_TTG, observe, c));
    }
    bool is_foreign = c->source->stage == KILN_STAGE_TTG,
         continues = c->options.last_stage > KILN_STAGE_TTG;
    if (is_foreign && continues)
        KILN_TRY(kiln_pipeline_run(&context, c->module, KILN_PASS_EXTERNAL, observe, c));
    if (!is_foreign || continues)
        KILN_TRY(kiln_pipeline_run(&context, c->module, KILN_PASS_FINAL, observe, c));
    KILN_TRY(kiln_override_mlir(c, KILN_STAGE_TTG));
    return keep_mlir(c, KILN_STAGE_TTG);
}

static kiln_status_t dump_lds(kiln_compilation_t *c)
{
    kiln_string_t text = {0};
    if (!dumps(c, KILN_DUMP_LDS))
        return KILN_OK;
    kiln_status_t status = kiln_lds_map_write(c->module, &text);
    if (!status)
        dump_text(c, KILN_DUMP_LDS, NULL, text.data ? text.data : "");
    kiln_string_free(&text);
    return status;
}

static kiln_status_t lower(kiln_compilation_t *c)
{
    int waves;
    KILN_TRY(kiln_compile_find_layouts(c));
    KILN_TRY(kiln_compile_find_barriers(c));
    KILN_TRY(kiln_note_access(c));
    KILN_TRY(kiln_waves_of_module(c->module, &waves));
    KILN_TRY(dump_lds(c));
    KILN_TRY(kiln_plan_registers(c->module, waves, c->options.waves_per_eu, &c->registers));
    return kiln_lower_to_llvm(c->module, &c->options, c->source->name, c->session->llvm, &c->llvm);
}

// The metadata takes the arguments' names from LLVM's parameters.
static void name_parameters(const kiln_compilation_t *c)
{
    LLVMValueRef function = LLVMGetNamedFunction(c->llvm, c->kernel->name);
    for (size_t i = 0; function && i < c->kernel->argument_count && i < LLVMCountParams(function);
         i++)
        LLVMSetValueName2(LLVMGetParam(function, (unsigned)i), c->kernel->arguments[i].name,
                          strlen(c->kernel->arguments[i].name));
}

static kiln_status_t keep_llvm(kiln_compilation_t *c)
{
    if (!keeps(c, KILN_STAGE_LLVM) && !dumps(c, KILN_DUMP_LLVM_IR))
        return KILN_OK;
    char *text = LLVMPrintModuleToString(c->llvm);
    if (dumps(c, KILN_DUMP_LLVM_IR))
        dump_text(c, KILN_DUMP_LLVM_IR, NULL, text);
    if (keeps(c, KILN_STAGE_LLVM) && !(c->kernel->texts[KILN_STAGE_LLVM] = strdup(text)))
        c->kernel->out_of_memory = true;
    LLVMDisposeMessage(text);
    return KILN_OK;
}

static bool needs_asm(const kiln_compilation_t *c)
{
    return keeps(c, KILN_STAGE_ASM) || dumps(c, KILN_DUMP_ISA) || dumps(c, KILN_DUMP_REGISTERS);
}

static void dump_registers(const char *text, size_t length, void *user)
{
    kiln_compilation_t *c = user;
    char *copy = strndup(text, length);
    if (copy)
        dump_text(c, KILN_DUMP_REGISTERS, NULL, copy);
    else
        c->kernel->out_of_memory = true;
    free(copy);
}

static kiln_status_t keep_asm(kiln_compilation_t *c, kiln_codegen_t *codegen)
{
    if (!needs_asm(c))
        return KILN_OK;
    LLVMMemoryBufferRef buffer;
    if (dumps(c, KILN_DUMP_REGISTERS))
        kiln_codegen_report_live(codegen, dump_registers, c);
    kiln_status_t status = kiln_codegen_emit(codegen, c->llvm, LLVMAssemblyFile,
                                             KILN_CODEGEN_PRESERVE, &c->registers, &buffer);
    kiln_codegen_report_live(codegen, NULL, NULL);
    KILN_TRY(status);
    char *text = strndup(LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer));
    LLVMDisposeMemoryBuffer(buffer);
    if (!text)
        return kiln_status_out_of_memory();
    if (dumps(c, KILN_DUMP_ISA))
        dump_text(c, KILN_DUMP_ISA, NULL, text);
    if (keeps(c, KILN_STAGE_ASM))
        c->kernel->texts[KILN_STAGE_ASM] = text;
    else
        free(text);
    return KILN_OK;
}

// Code generation ---------------------------------------------------------------------------------

static kiln_status_t keep_object(kiln_kernel_t *kernel, const kiln_codegen_object_t *object)
{
    free(kernel->object);
    kernel->object_size = object->size;
    kernel->object = malloc(object->size);
    if (!kernel->object)
        return kiln_status_out_of_memory();
    memcpy(kernel->object, object->data, object->size);
    return KILN_OK;
}

// Emits, links and describes the code object, replacing that of an earlier call.
static kiln_status_t make_code_object(kiln_compilation_t *c, kiln_codegen_t *codegen,
                                      kiln_codegen_effect_t effect)
{
    double begin = kiln_now_ms();
    LLVMMemoryBufferRef object;
    KILN_TRY(kiln_codegen_emit(codegen, c->llvm, LLVMObjectFile, effect, &c->registers, &object));
    record_phase(c, "codegen", &begin);
    free(c->kernel->code_object);
    free(c->kernel->manifest);
    c->kernel->manifest = NULL;
    const kiln_codegen_object_t part = {(char *)(uintptr_t)LLVMGetBufferStart(object),
                                        LLVMGetBufferSize(object)};
    kiln_status_t status =
        kiln_codegen_link(&part, 1, &c->kernel->code_object, &c->kernel->code_object_size);
    if (!status && c->symbol_suffix)
        status = keep_object(c->kernel, &part);
    status = kiln_codegen_explain_link(codegen, c->llvm, &part, status);
    LLVMDisposeMemoryBuffer(object);
    KILN_TRY(status);
    record_phase(c, "link", &begin);
    KILN_TRY(kiln_compile_describe(c));
    record_phase(c, "manifest", &begin);
    return KILN_OK;
}

// The results of make_code_object.
typedef struct code {
    char *code_object, *object, *manifest;
    size_t code_object_size, object_size;
    kiln_resources_t resources;
} code_t;

static code_t take_code(kiln_kernel_t *kernel)
{
    const code_t code = {kernel->code_object,      kernel->object,      kernel->manifest,
                         kernel->code_object_size, kernel->object_size, kernel->resources};
    kernel->code_object = kernel->object = kernel->manifest = NULL;
    return code;
}

static void put_code(kiln_kernel_t *kernel, const code_t *code)
{
    kernel->code_object = code->code_object;
    kernel->object = code->object;
    kernel->manifest = code->manifest;
    kernel->code_object_size = code->code_object_size;
    kernel->object_size = code->object_size;
    kernel->resources = code->resources;
}

static void free_code(const code_t *code)
{
    free(code->code_object);
    free(code->object);
    free(code->manifest);
}

// Generates the code once more, for that many waves on a SIMD, and keeps the better one.
static kiln_status_t try_waves(kiln_compilation_t *c, kiln_codegen_t *codegen, unsigned waves,
                               kiln_accumulators_t accumulators, bool *out_gains)
{
    const code_t known = take_code(c->kernel);
    kiln_codegen_request_waves(c->llvm, waves);
    kiln_codegen_place_accumulators(c->llvm, KILN_ACCUMULATORS_IN_VGPRS);
    kiln_status_t status = make_code_object(c, codegen, KILN_CODEGEN_PRESERVE);
    if (!status)
        status = kiln_compile_gains_by_waves(c, waves, out_gains);
    const bool gains = *out_gains;
    const code_t made = take_code(c->kernel);
    put_code(c->kernel, gains ? &made : &known);
    free_code(gains ? &known : &made);
    if (!gains) { // for the assembly text
        kiln_codegen_request_waves(c->llvm, 0);
        kiln_codegen_place_accumulators(c->llvm, accumulators);
    }
    if (kiln_status_is_out_of_memory(status))
        return status;
    kiln_status_free(status); // there is code for fewer waves
    return KILN_OK;
}

static bool spills(const kiln_kernel_t *kernel)
{
    return kernel->resources.vgpr_spills || kernel->resources.scratch_bytes_per_lane;
}

// Generates the code once more, with accumulators in other registers, and keeps it if it costs
// less.
static kiln_status_t try_accumulators(kiln_compilation_t *c, kiln_codegen_t *codegen,
                                      kiln_accumulators_t where, kiln_accumulators_t *io_best)
{
    size_t known_cost, cost = 0;
    KILN_TRY(kiln_compile_cost(c, &known_cost));
    const code_t known = take_code(c->kernel);
    kiln_codegen_place_accumulators(c->llvm, where);
    kiln_status_t status = make_code_object(c, codegen, KILN_CODEGEN_PRESERVE);
    if (!status)
        status = kiln_compile_cost(c, &cost);
    const bool gains = !status && cost < known_cost;
    const code_t made = take_code(c->kernel);
    put_code(c->kernel, gains ? &made : &known);
    free_code(gains ? &known : &made);
    if (gains)
        *io_best = where;
    else
        kiln_codegen_place_accumulators(c->llvm, *io_best); // for the assembly text
    return status;
}

// Tries to keep accumulators in architectural registers if they may fit; if that leads to spills,
// only those that no loop carries, and then none. If few registers, or only those, stand against
// one more wave on a SIMD, tries to generate code for it.
static kiln_status_t generate_code(kiln_compilation_t *c, kiln_codegen_t *codegen)
{
    static const kiln_accumulators_t OTHERS[] = {KILN_ACCUMULATORS_CARRIED_IN_AGPRS,
                                                 KILN_ACCUMULATORS_ANYWHERE};
    kiln_accumulators_t accumulators =
        c->registers.sums_begin_in_vgprs ? KILN_ACCUMULATORS_IN_VGPRS : KILN_ACCUMULATORS_ANYWHERE;
    const bool has_sums = kiln_codegen_place_accumulators(c->llvm, accumulators);
    KILN_TRY(kiln_compile_name_symbol(c));
    KILN_TRY(make_code_object(
        c, codegen, has_sums || needs_asm(c) ? KILN_CODEGEN_PRESERVE : KILN_CODEGEN_CONSUME));
    if (has_sums && c->registers.sums_may_be_anywhere)
        for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS && spills(c->kernel); i++)
            if (OTHERS[i] != accumulators)
                KILN_TRY(try_accumulators(c, codegen, OTHERS[i], &accumulators));
    bool spills_by_choice = false;
    const unsigned waves = has_sums ? kiln_compile_waves_to_try(c) : 0;
    if (waves)
        KILN_TRY(try_waves(c, codegen, waves, accumulators, &spills_by_choice));
    if (!spills_by_choice)
        kiln_compile_warn_of_spills(c);
    // Spills for a third wave are in no loop with matrix instructions.
    const bool spills_cost = !spills_by_choice || kiln_compile_waves_are_second(c, waves);
    kiln_compile_find_registers(c, spills_cost);
    return keep_asm(c, codegen);
}

static kiln_status_t generate(kiln_compilation_t *c)
{
    kiln_codegen_t *codegen;
    double begin = kiln_now_ms();
    KILN_TRY(kiln_session_codegen(c->session, c->options.arch, &codegen));
    record_phase(c, "target", &begin);
    KILN_TRY(lower(c));
    name_parameters(c);
    record_phase(c, "lower", &begin);
    KILN_TRY(
        kiln_codegen_link_bitcode(codegen, c->llvm, c->options.bitcode, c->options.bitcode_count));
    KILN_TRY(kiln_codegen_prepare(codegen, c->llvm));
    record_phase(c, "device_libraries", &begin);
    KILN_TRY(kiln_codegen_verify(c->llvm));
    record_phase(c, "llvm_verify", &begin);
    if (!c->options.no_llvm_passes)
        KILN_TRY(kiln_codegen_optimize(codegen, c->llvm, &c->registers));
    kiln_codegen_give_scalars(c->llvm);
    record_phase(c, "llvm_passes", &begin);
    KILN_TRY(kiln_override_llvm(c));
    KILN_TRY(keep_llvm(c));
    if (c->options.last_stage == KILN_STAGE_LLVM)
        return KILN_OK;
    KILN_TRY(kiln_codegen_check_size(c->llvm, c->options.max_instructions));
    return generate_code(c, codegen);
}

static kiln_status_t check_options(kiln_compilation_t *c)
{
    KILN_TRY(kiln_options_check(&c->options, c->source->stage));
    KILN_TRY(kiln_pipeline_check(&c->options));
    KILN_TRY(kiln_override_check_stages(c));
    KILN_TRY(kiln_warnings_read(c->options.warnings, c->options.warning_count,
                                &c->diagnostics->warnings));
    c->diagnostics->searched = c->diagnostics->warnings;
    // Findings are about lines.
    if (c->options.last_stage == KILN_STAGE_HSACO && !c->options.no_line_info)
        kiln_findings_search_all(&c->diagnostics->searched);
    return KILN_OK;
}

kiln_status_t kiln_compile_begin(const char *function, kiln_compilation_t *c,
                                 const kiln_compile_options_t *options)
{
    KILN_TRY(kiln_options_take(function, "options", options, &c->options));
    KILN_TRY(check_options(c));
    KILN_TRY(kiln_compile_load_source(c));
    KILN_TRY(select_kernel(c));
    kiln_note_program_ids(c);
    return KILN_OK;
}

static kiln_status_t compile(kiln_compilation_t *c)
{
    double begin = kiln_now_ms();
    KILN_TRY(check_options(c));
    KILN_TRY(kiln_compile_load_source(c));
    record_phase(c, c->source->stage == KILN_STAGE_TILE ? "front_end" : "parse", &begin);
    // A module that is only parsed and printed may have any contents; otherwise it must have a
    // kernel.
    bool is_round_trip = c->options.last_stage <= KILN_STAGE_TTG &&
                         (c->options.only_pass_count || c->options.last_stage == c->source->stage);
    if (!is_round_trip)
        KILN_TRY(select_kernel(c));
    KILN_TRY(run_passes(c));
    if (c->options.last_stage > KILN_STAGE_TTG)
        KILN_TRY(generate(c));
    if (c->kernel->code_object)
        KILN_TRY(kiln_compile_put_findings(c));
    if (c->kernel->out_of_memory)
        return kiln_status_out_of_memory();
    // A warning treated as an error.
    kiln_status_t first = c->diagnostics->first_error;
    return first ? kiln_status_make(kiln_status_code(first), "%s", kiln_status_message(first))
                 : KILN_OK;
}

kiln_status_t kiln_compile_once(kiln_session_t *session, const kiln_source_t *source,
                                const kiln_compile_options_t *options, const char *symbol_suffix,
                                kiln_diagnostics_t *io_diagnostics, kiln_kernel_t **out_kernel)
{
    *out_kernel = NULL;
    kiln_compilation_t c = {.session = session,
                            .diagnostics = io_diagnostics,
                            .source = source,
                            .symbol_suffix = symbol_suffix,
                            .kernel = calloc(1, sizeof *c.kernel)};
    if (!c.kernel)
        return kiln_status_out_of_memory();
    c.options = *options;
    kiln_session_begin(session, io_diagnostics, source);
    kiln_status_t status = kiln_session_report(session, compile(&c));
    kiln_session_end(session);
    if (c.llvm)
        LLVMDisposeModule(c.llvm);
    if (!mlirModuleIsNull(c.module))
        mlirModuleDestroy(c.module);
    if (status)
        kiln_kernel_release(c.kernel);
    else
        *out_kernel = c.kernel;
    return status;
}

kiln_status_t kiln_compile(kiln_session_t *session, const kiln_source_t *source,
                           const kiln_compile_options_t *options, kiln_kernel_t **out_kernel)
{
    KILN_REQUIRE_OUT(out_kernel);
    KILN_REQUIRE(session);
    KILN_REQUIRE(source);
    KILN_REQUIRE_ARRAY(source->text, source->length);
    return kiln_compile_unit(session, source, options, NULL, out_kernel);
}

kiln_status_t kiln_compile_unit(kiln_session_t *session, const kiln_source_t *source,
                                const kiln_compile_options_t *options, const char *symbol_suffix,
                                kiln_kernel_t **out_kernel)
{
    kiln_compile_options_t complete;
    *out_kernel = NULL;
    KILN_TRY(kiln_options_take("kiln_compile", "options", options, &complete));
    kiln_diagnostics_t diagnostics = {0};
    kiln_status_t status =
        kiln_compile_once(session, source, &complete, symbol_suffix, &diagnostics, out_kernel);
    if (status)
        kiln_compile_locate(session, source, &complete, &diagnostics);
    kiln_diagnostics_free(&diagnostics);
    return status;
}
