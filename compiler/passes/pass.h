// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a pass is, and the pipeline that runs the list in pipeline.def.
//
// A pass changes a module in place and returns a status; it reads options only from its context. Where a pass cannot
// improve something it leaves it as it is; only a program that can't be compiled at all is a failure, with its source
// location.
//
// The thing one gets wrong: a pass must leave the module valid (it is verified after each stage), but it may leave dead
// operations behind; canonicalize and cse rows clean up.
#ifndef KILN_PASS_H
#define KILN_PASS_H

#include <stdbool.h>
#include <stddef.h>

#include <mlir-c/IR.h>

#include "kiln/kiln.h"
#include "kiln/status.h"

enum { KILN_WARP_SIZE = 64 };

typedef struct kiln_pass_context {
    MlirContext mlir;
    const kiln_compile_options_t
        *options; // num_warps, num_stages, matrix_instr_nonkdim, kpack, arch, disabled_passes …
} kiln_pass_context_t;

typedef kiln_status_t (*kiln_pass_function_t)(const kiln_pass_context_t *context, MlirModule module);

typedef enum kiln_pass_stage {
    KILN_PASS_TT,
    KILN_PASS_TTG,
    KILN_PASS_FOREIGN
} kiln_pass_stage_t; // what a pass works on: before or after layouts are there; or ttg text that was the input

typedef struct kiln_pass {
    const char *id; // for --disable-pass, dumps and timing; a pass may stand in the list several times
    kiln_pass_function_t run;
    kiln_pass_stage_t stage;
    bool on; // by default
    const char *what;
} kiln_pass_t;

// The list in order.
const kiln_pass_t *kiln_pipeline_passes(size_t *out_count);

// Told before and after each pass that runs; `milliseconds` is 0 before it.
typedef enum kiln_pass_event { KILN_PASS_BEFORE, KILN_PASS_AFTER } kiln_pass_event_t;
typedef void (*kiln_pass_observer_t)(kiln_pass_event_t event, const kiln_pass_t *pass, MlirModule module,
                                     double milliseconds, void *user);

// Runs the passes of one stage that are on and not in options->disabled_passes, then verifies the module. Unknown ids
// in disabled_passes are KILN_STATUS_USAGE.
kiln_status_t kiln_pipeline_run(const kiln_pass_context_t *context, MlirModule module, kiln_pass_stage_t stage,
                                kiln_pass_observer_t observer, void *user);

// Runs just the named passes, in the order given and whatever their stage: for tests of one pass.
kiln_status_t kiln_pipeline_run_only(const kiln_pass_context_t *context, MlirModule module, const char *const *ids,
                                     size_t count, kiln_pass_observer_t observer, void *user);

#define KILN_PASS(id, run, stage, on, what) kiln_status_t run(const kiln_pass_context_t *context, MlirModule module);
#include "pipeline.def"
#undef KILN_PASS

#endif
