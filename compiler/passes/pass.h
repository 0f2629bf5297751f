// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of a pass, and the pipeline that runs the list in pipeline.def.
//
// A pass changes a module in place and returns a status; it reads options only from its context. A
// pass leaves code that it cannot improve unchanged; it returns an error, with a source location,
// only for a program that cannot be compiled at all.
//
// A pass must leave the module valid (it is verified after each stage), but may leave dead
// operations; canonicalize and cse rows remove them.
#ifndef KILN_PASS_H
#define KILN_PASS_H

#include <stdbool.h>
#include <stddef.h>

#include <mlir-c/IR.h>
#include <mlir-c/Pass.h>

#include "base/gfx942.h"
#include "diagnostics/findings.h"
#include "kiln/kiln.h"
#include "kiln/status.h"

typedef struct kiln_pass_context {
    MlirContext mlir;
    const kiln_compile_options_t *options;
    // Called for a request of the program that a pass does not fulfil; `what` names the request and
    // the reason. May be NULL.
    void (*refused)(MlirOperation op, const char *what, void *user);
    // Called for an optimization that is not possible because of `op`, with advice (NULL: see
    // diagnostics/findings.def). May be NULL.
    void (*missed)(kiln_missed_t finding, MlirOperation op, const char *what, const char *advice,
                   void *user);
    void *refused_user;   // passed to both
    int *pipeline_stages; // raised to the number of stages of each loop that is pipelined
} kiln_pass_context_t;

typedef kiln_status_t (*kiln_pass_function_t)(const kiln_pass_context_t *context,
                                              MlirModule module);

// The input of a pass: tt or ttg whose kernel was selected and has the parameters that its author
// gave it; tt before or ttg after layouts are assigned; ttg text that was the input; all ttg that
// is lowered. The names are those of --list-passes and of errors.
#define KILN_PASS_STAGES(STAGE)                                                                    \
    STAGE(INPUT, "input")                                                                          \
    STAGE(TT, "tt") STAGE(TTG, "ttg") STAGE(EXTERNAL, "external") STAGE(FINAL, "final")

typedef enum kiln_pass_stage {
#define KILN_PASS_STAGE(id, name) KILN_PASS_##id,
    KILN_PASS_STAGES(KILN_PASS_STAGE)
#undef KILN_PASS_STAGE
} kiln_pass_stage_t;

const char *kiln_pass_stage_name(kiln_pass_stage_t stage);

// The purpose of a pass; see pipeline.def.
typedef enum kiln_pass_role {
    KILN_PASS_OPTIMIZE,
    KILN_PASS_LEGALIZE,
    KILN_PASS_REQUIRED,
    KILN_PASS_REQUESTED
} kiln_pass_role_t;

typedef struct kiln_pass {
    const char *id; // for --disable-pass, dumps and timing; a pass may have several rows
    kiln_pass_function_t run;
    kiln_pass_stage_t stage;
    kiln_pass_role_t role;
    const char *what;
    // Of a REQUESTED pass: whether the option of its name, a FLAG of kiln/options.def, is set; else
    // NULL.
    bool (*is_requested)(const kiln_compile_options_t *options);
} kiln_pass_t;

// Returns the list in order.
const kiln_pass_t *kiln_pipeline_passes(size_t *out_count);

// Called before and after each pass that runs; `milliseconds` is 0 before it.
typedef enum kiln_pass_event { KILN_PASS_BEFORE, KILN_PASS_AFTER } kiln_pass_event_t;
typedef void (*kiln_pass_observer_t)(kiln_pass_event_t event, const kiln_pass_t *pass,
                                     MlirModule module, double milliseconds, void *user);

// Checks the lists of passes in the options. KILN_STATUS_USAGE names an unknown pass, a required or
// requested one that is disabled, one that is both selected and disabled, or a requested one that
// is selected for code.
kiln_status_t kiln_pipeline_check(const kiln_compile_options_t *options);

// Runs the passes of one stage that are not in options->disabled_passes, and of the REQUESTED ones
// those that the options request; verifies the module if any ran.
kiln_status_t kiln_pipeline_run(const kiln_pass_context_t *context, MlirModule module,
                                kiln_pass_stage_t stage, kiln_pass_observer_t observer, void *user);

// Runs only options->only_passes, in this order and regardless of stage, for tests of one pass.
kiln_status_t kiln_pipeline_run_only(const kiln_pass_context_t *context, MlirModule module,
                                     kiln_pass_observer_t observer, void *user);

// Runs one of MLIR's own passes, which the call owns; `name` is for its error.
kiln_status_t kiln_run_upstream(const kiln_pass_context_t *context, MlirModule module,
                                MlirPass pass, const char *name);

#define KILN_PASS(id, run, stage, role, what)                                                      \
    kiln_status_t run(const kiln_pass_context_t *context, MlirModule module);
#include "pipeline.def"
#undef KILN_PASS

#endif
