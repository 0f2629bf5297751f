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
    const kiln_compile_options_t *options;
    // Told of what the program asks for and a pass does not do; `what` says which and why. NULL: nobody.
    void (*refused)(MlirOperation op, const char *what, void *user);
    void *refused_user;
} kiln_pass_context_t;

typedef kiln_status_t (*kiln_pass_function_t)(const kiln_pass_context_t *context, MlirModule module);

// What a pass works on: before or after layouts are there; ttg text that was the input; all that is lowered.
typedef enum kiln_pass_stage { KILN_PASS_TT, KILN_PASS_TTG, KILN_PASS_FOREIGN, KILN_PASS_LAST } kiln_pass_stage_t;

// What a pass is for; see pipeline.def.
typedef enum kiln_pass_role { KILN_PASS_FASTER, KILN_PASS_WIDENS, KILN_PASS_NEEDED } kiln_pass_role_t;

typedef struct kiln_pass {
    const char *id; // for --disable-pass, dumps and timing; a pass may stand in the list several times
    kiln_pass_function_t run;
    kiln_pass_stage_t stage;
    kiln_pass_role_t role;
    const char *what;
} kiln_pass_t;

// The list in order.
const kiln_pass_t *kiln_pipeline_passes(size_t *out_count);

// Told before and after each pass that runs; `milliseconds` is 0 before it.
typedef enum kiln_pass_event { KILN_PASS_BEFORE, KILN_PASS_AFTER } kiln_pass_event_t;
typedef void (*kiln_pass_observer_t)(kiln_pass_event_t event, const kiln_pass_t *pass, MlirModule module,
                                     double milliseconds, void *user);

// Runs the passes of one stage that are not in options->disabled_passes, then verifies the module. Ids in
// disabled_passes that are unknown, or of passes that nothing compiles without, are KILN_STATUS_USAGE.
kiln_status_t kiln_pipeline_run(const kiln_pass_context_t *context, MlirModule module, kiln_pass_stage_t stage,
                                kiln_pass_observer_t observer, void *user);

// Runs just the named passes, in the order given and whatever their stage: for tests of one pass.
kiln_status_t kiln_pipeline_run_only(const kiln_pass_context_t *context, MlirModule module, const char *const *ids,
                                     size_t count, kiln_pass_observer_t observer, void *user);

#define KILN_PASS(id, run, stage, role, what) kiln_status_t run(const kiln_pass_context_t *context, MlirModule module);
#include "pipeline.def"
#undef KILN_PASS

#endif
