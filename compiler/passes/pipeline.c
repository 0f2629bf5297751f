// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the list in pipeline.def.
#include <string.h>

#include "base/clock.h"
#include "base/suggest.h"
#include "builder/ir.h"
#include "passes/pass.h"
#include "passes/views/views.h"

// is_ID_requested for each REQUESTED row.
#define OPTIMIZE(id)
#define LEGALIZE(id)
#define REQUIRED(id)
#define REQUESTED(id)                                                                              \
    static bool is_##id##_requested(const kiln_compile_options_t *options)                         \
    {                                                                                              \
        return options->id;                                                                        \
    }
#define KILN_PASS(id, run, stage, role, what) role(id)
#include "pipeline.def"
#undef KILN_PASS
#undef REQUESTED
#undef REQUIRED
#undef LEGALIZE
#undef OPTIMIZE

static const kiln_pass_t PASSES[] = {
#define OPTIMIZE(id) NULL
#define LEGALIZE(id) NULL
#define REQUIRED(id) NULL
#define REQUESTED(id) is_##id##_requested
#define KILN_PASS(id, run, stage, role, what)                                                      \
    {#id, run, KILN_PASS_##stage, KILN_PASS_##role, what, role(id)},
#include "pipeline.def"
#undef KILN_PASS
#undef REQUESTED
#undef REQUIRED
#undef LEGALIZE
#undef OPTIMIZE
};
enum { PASS_COUNT = sizeof PASSES / sizeof PASSES[0] };

const char *kiln_pass_stage_name(kiln_pass_stage_t stage)
{
    static const char *const names[] = {
#define KILN_PASS_STAGE(id, name) [KILN_PASS_##id] = name,
        KILN_PASS_STAGES(KILN_PASS_STAGE)
#undef KILN_PASS_STAGE
    };
    return names[stage];
}

const kiln_pass_t *kiln_pipeline_passes(size_t *out_count)
{
    *out_count = PASS_COUNT;
    return PASSES;
}

const char *const *kiln_optimize_passes(size_t *out_count)
{
    static const char *const ids[] = {
#define OPTIMIZE(id) #id,
#define LEGALIZE(id)
#define REQUIRED(id)
#define REQUESTED(id)
#define KILN_PASS(id, run, stage, role, what) role(id)
#include "pipeline.def"
#undef KILN_PASS
#undef REQUESTED
#undef REQUIRED
#undef LEGALIZE
#undef OPTIMIZE
    };
    if (out_count)
        *out_count = sizeof ids / sizeof *ids;
    return ids;
}

static const kiln_pass_t *find_pass(const char *id)
{
    for (size_t i = 0; i < PASS_COUNT; ++i)
        if (strcmp(PASSES[i].id, id) == 0)
            return &PASSES[i];
    return NULL;
}

static kiln_advice_t advise(const char *id)
{
    size_t count;
    const kiln_pass_t *passes = kiln_pipeline_passes(&count);
    kiln_suggestion_t near = kiln_suggestion(id);
    for (size_t i = 0; i < count; ++i)
        kiln_suggestion_consider(&near, passes[i].id);
    return kiln_suggestion_advice(&near);
}

static bool is_disabled(const kiln_compile_options_t *options, const char *id)
{
    for (size_t i = 0; i < options->disabled_pass_count; ++i)
        if (strcmp(options->disabled_passes[i], id) == 0)
            return true;
    return false;
}

kiln_status_t kiln_pipeline_check(const kiln_compile_options_t *options)
{
    for (size_t i = 0; i < options->disabled_pass_count; ++i) {
        const char *id = options->disabled_passes[i];
        const kiln_pass_t *pass = find_pass(id);
        if (!pass)
            return kiln_status_make(KILN_STATUS_USAGE, "cannot disable unknown pass '%s'%s", id,
                                    advise(id).text);
        if (pass->role == KILN_PASS_REQUIRED)
            return kiln_status_make(KILN_STATUS_USAGE,
                                    "pass '%s' is required and cannot be disabled", id);
        if (pass->is_requested)
            return kiln_status_make(KILN_STATUS_USAGE,
                                    "pass '%s' runs only if the option `%s` is set and cannot be "
                                    "disabled",
                                    id, id);
    }
    for (size_t i = 0; i < options->only_pass_count; ++i) {
        const char *id = options->only_passes[i];
        const kiln_pass_t *pass = find_pass(id);
        if (!pass)
            return kiln_status_make(KILN_STATUS_USAGE, "unknown pass '%s'%s", id, advise(id).text);
        if (pass->is_requested && options->last_stage > KILN_STAGE_TTG)
            return kiln_status_make(KILN_STATUS_USAGE,
                                    "pass '%s' changes the kernel's arguments after they are "
                                    "recorded; set the option `%s` instead",
                                    id, id);
        if (is_disabled(options, id))
            return kiln_status_make(KILN_STATUS_USAGE,
                                    "pass '%s' is both selected (`only_passes`) and disabled "
                                    "(`disabled_passes`)",
                                    id);
    }
    return KILN_OK;
}

// Operations without a lowering, and the passes that legalize them: even if disabled, these run for
// a program that contains such operations.
static MlirWalkResult find_scaled_dot(MlirOperation op, void *found)
{
    *(bool *)found = kiln_op_kind(op) == KILN_OP_TT_DOT_SCALED;
    return *(bool *)found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static MlirWalkResult find_view(MlirOperation op, void *found)
{
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
        *(bool *)found |= kiln_type_is_view(mlirValueGetType(mlirOperationGetResult(op, i)));
    if (kiln_op_kind(op) == KILN_OP_TT_FUNC && !mlirBlockIsNull(kiln_op_body(op, 0)))
        for (intptr_t i = 0; i < mlirBlockGetNumArguments(kiln_op_body(op, 0)); ++i)
            *(bool *)found |=
                kiln_type_is_view(mlirValueGetType(mlirBlockGetArgument(kiln_op_body(op, 0), i)));
    return *(bool *)found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static const struct {
    const char *pass;
    MlirOperationWalkCallback find;
} legalizers[] = {{"rewrite_tensor_pointers", find_view}, {"decompose_dots", find_scaled_dot}};

static bool is_needed(const char *id, MlirModule module)
{
    bool found = false;
    for (size_t i = 0; i < sizeof legalizers / sizeof *legalizers; ++i)
        if (strcmp(id, legalizers[i].pass) == 0)
            kiln_walk(mlirModuleGetOperation(module), MlirWalkPreOrder, legalizers[i].find, &found);
    return found;
}

static kiln_status_t run_one(const kiln_pass_context_t *context, const kiln_pass_t *pass,
                             MlirModule module, kiln_pass_observer_t observer, void *user)
{
    if (observer)
        observer(KILN_PASS_BEFORE, pass, module, 0, user);
    double begin = kiln_now_ms();
    KILN_TRY_NOTE(pass->run(context, module), "in pass '%s'", pass->id);
    if (observer)
        observer(KILN_PASS_AFTER, pass, module, kiln_now_ms() - begin, user);
    return KILN_OK;
}

// The verifier's findings go to the context's diagnostic handler. The input was valid, so an
// invalid module is a bug of Kiln.
static kiln_status_t verify(MlirModule module, const char *after, const char *what)
{
    if (mlirOperationVerify(mlirModuleGetOperation(module)))
        return KILN_OK;
    return kiln_status_make(KILN_STATUS_INTERNAL, "invalid module after the %s %s", after, what);
}

kiln_status_t kiln_pipeline_run(const kiln_pass_context_t *context, MlirModule module,
                                kiln_pass_stage_t stage, kiln_pass_observer_t observer, void *user)
{
    bool ran = false;
    for (size_t i = 0; i < PASS_COUNT; ++i) {
        const kiln_pass_t *pass = &PASSES[i];
        if (pass->stage != stage || (pass->is_requested && !pass->is_requested(context->options)) ||
            (is_disabled(context->options, pass->id) && !is_needed(pass->id, module)))
            continue;
        KILN_TRY(run_one(context, pass, module, observer, user));
        ran = true;
    }
    return ran ? verify(module, kiln_pass_stage_name(stage), "passes") : KILN_OK;
}

kiln_status_t kiln_pipeline_run_only(const kiln_pass_context_t *context, MlirModule module,
                                     kiln_pass_observer_t observer, void *user)
{
    for (size_t i = 0; i < context->options->only_pass_count; ++i) {
        const kiln_pass_t *pass = find_pass(context->options->only_passes[i]); // checked
        KILN_TRY(run_one(context, pass, module, observer, user));
        KILN_TRY(verify(module, "pass", pass->id));
    }
    return KILN_OK;
}
