// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kiln/work.h: reads a source as a compilation does, runs the passes that remove calls, descriptors
// and needless arithmetic, and keeps what its work is counted from.
//
// Passes that copy code for special cases do not run, since each copy would count.
#include "kiln/work.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/work/program.h"
#include "base/require.h"
#include "builder/ir.h"
#include "driver/compile_internal.h"
#include "passes/pass.h"

struct kiln_work {
    kiln_kernel_t *kernel; // name, arguments, constants
    kiln_work_program_t program;
};

static const char *const passes[] = {
    "structure_regions", "inline", "rewrite_tensor_pointers", "decompose_dots", "unroll_loops",
    "canonicalize",      "cse",    "order_programs",          "licm",
};

static kiln_status_t find_kernel(const kiln_compilation_t *c, MlirOperation *out_function)
{
    const MlirStringRef name = mlirStringRefCreateFromCString(c->kernel->name);
    const MlirBlock body = mlirModuleGetBody(c->module);
    for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        const MlirAttribute symbol = kiln_ir_attr(op, "sym_name");
        if (kiln_op_kind(op) == KILN_OP_TT_FUNC && !mlirAttributeIsNull(symbol) &&
            mlirStringRefEqual(mlirStringAttrGetValue(symbol), name)) {
            *out_function = op;
            return KILN_OK;
        }
    }
    return kiln_status_make(KILN_STATUS_INTERNAL, "the module does not contain the kernel");
}

static kiln_status_t read(kiln_compilation_t *c, const kiln_compile_options_t *options,
                          kiln_work_program_t *program)
{
    MlirOperation function;
    if (c->source->stage != KILN_STAGE_TILE && c->source->stage != KILN_STAGE_TT)
        return kiln_status_make(KILN_STATUS_UNSUPPORTED,
                                "work is counted only of Tile C and tt, not of later stages");
    KILN_TRY(kiln_compile_begin("kiln_work_create", c, options));
    kiln_compile_options_t only = c->options;
    only.only_passes = passes;
    only.only_pass_count = sizeof passes / sizeof *passes;
    const kiln_pass_context_t context = {.mlir = c->session->mlir, .options = &only};
    KILN_TRY(kiln_pipeline_run_only(&context, c->module, NULL, NULL));
    KILN_TRY(find_kernel(c, &function));
    return kiln_work_program_read(c->module, function, program);
}

kiln_status_t kiln_work_create(kiln_session_t *session, const kiln_source_t *source,
                               const kiln_compile_options_t *options, kiln_work_t **out_work)
{
    KILN_REQUIRE_OUT(out_work);
    KILN_REQUIRE(session);
    KILN_REQUIRE(source);
    KILN_REQUIRE_ARRAY(source->text, source->length);
    kiln_work_t *work = calloc(1, sizeof *work);
    if (!work || !(work->kernel = calloc(1, sizeof *work->kernel))) {
        free(work);
        return kiln_status_out_of_memory();
    }
    kiln_diagnostics_t diagnostics = {0};
    kiln_compilation_t c = {
        .session = session, .diagnostics = &diagnostics, .source = source, .kernel = work->kernel};
    kiln_session_begin(session, &diagnostics, source);
    kiln_status_t status = kiln_session_report(session, read(&c, options, &work->program));
    kiln_session_end(session);
    kiln_diagnostics_free(&diagnostics);
    if (!mlirModuleIsNull(c.module))
        mlirModuleDestroy(c.module);
    if (status)
        kiln_work_release(work);
    else
        *out_work = work;
    return status;
}

void kiln_work_release(kiln_work_t *work)
{
    if (!work)
        return;
    kiln_work_program_free(&work->program);
    kiln_kernel_release(work->kernel);
    free(work);
}

const kiln_kernel_t *kiln_work_kernel(const kiln_work_t *work)
{
    return work ? work->kernel : NULL;
}

void kiln_work_launch_initialize_sized(kiln_work_launch_t *launch, size_t struct_size)
{
    static const kiln_work_launch_t defaults = {.grid = {1, 1, 1}, .dies = 8, .die_units = 38};
    kiln_struct_initialize(launch, struct_size, &defaults, sizeof defaults);
}

kiln_status_t kiln_work_measure(const kiln_work_t *work, const kiln_work_launch_t *launch,
                                kiln_workload_t **out_workload)
{
    kiln_work_launch_t taken;
    KILN_REQUIRE_OUT(out_workload);
    KILN_REQUIRE(work);
    kiln_work_launch_initialize(&taken);
    KILN_REQUIRE_STRUCT(kiln_work_launch_t, &taken, launch);
    KILN_REQUIRE_THAT(taken.dies >= 1 && taken.die_units >= 1 && taken.die_units <= 1024,
                      "launch has %u dies of %u units; expected at least one, and at most 1024 "
                      "units",
                      taken.dies, taken.die_units);
    return kiln_work_program_measure(&work->program, &taken, out_workload);
}
