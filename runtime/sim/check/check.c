// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The observer that runs the enabled checks in their order, and their state per host thread and
// workgroup.
//
// A workgroup's storage is reused for the next one, so it is cleared when a workgroup begins, not
// when the storage is allocated.
#include <stdlib.h>

#include "check/hazard.h"
#include "check/undefined.h"
#include "memory/ignore_races.h"

static const struct {
    const char *name;
    unsigned bit;
    bool in_all;
} check_names[] = {
#define CHECK(id, name, in_all) {name, KILN_SIM_CHECK_##id, in_all},
#include "check/list.def"
#undef CHECK
};

const char *kiln_sim_checks(void)
{
    static const char *const list = ""
#define CHECK(id, name, in_all) "," name
#include "check/list.def"
#undef CHECK
        ;
    return list + 1;
}

bool kiln_sim_check_parse(const char *text, unsigned *out, kiln_sim_error_t *error)
{
    unsigned set = 0;
    const bool off = strcmp(text, "off") == 0;
    for (const char *item = off ? "" : text; *item;
         item += strcspn(item, ","), item += *item == ',') {
        const size_t length = strcspn(item, ",");
        const bool all = length == 3 && memcmp(item, "all", 3) == 0;
        bool known = all;
        for (size_t i = 0; i < KILN_SIM_CHECK_COUNT; i++) {
            const bool named = strlen(check_names[i].name) == length &&
                               memcmp(item, check_names[i].name, length) == 0;
            set |= named || (all && check_names[i].in_all) ? check_names[i].bit : 0;
            known = known || named;
        }
        if (!known)
            return kiln_sim_fail(error, KILN_SIM_INVALID_VALUE,
                                 "KILN_SIM_CHECK: unknown check '%.*s'; this simulator supports %s",
                                 (int)length, item, kiln_sim_checks());
    }
    *out = set;
    return true;
}

// ---- threads and workgroups

static bool thread_begin(void *user, kiln_sim_thread_t *thread, void **state)
{
    (void)user;
    struct kiln_sim_thread_checks *c = *state = calloc(1, sizeof *c);
    const bool undefined = thread->launch->options->checks & KILN_SIM_CHECK_UNDEFINED;
    if (c && undefined)
        c->trial = aligned_alloc(64, kiln_sim_check_trial_size());
    return c && (c->trial || !undefined) && kiln_sim_launch_alias_begin(thread->launch);
}

static void thread_end(void *user, kiln_sim_thread_t *thread, void *state)
{
    (void)user;
    (void)thread;
    struct kiln_sim_thread_checks *c = state;
    if (c) {
        free(c->facts);
        free(c->trial);
    }
    free(c);
}

// The marks of bytes have an unmarked margin on both sides, because checks also read the marks of
// neighbouring bytes.
enum { MARGIN = 16 };

static uint8_t *new_marks(size_t size)
{
    uint8_t *marks = calloc(1, size + 2 * MARGIN);
    return marks ? marks + MARGIN : NULL;
}

static void free_marks(uint8_t *marks)
{
    free(marks ? marks - MARGIN : NULL);
}

// False if memory is exhausted.
static bool make_storage(struct kiln_sim_group_checks *c, const kiln_sim_launch_t *launch,
                         const kiln_sim_workgroup_t *group)
{
    const unsigned on = launch->options->checks, count = group->wave_count;
    const size_t scratch = (size_t)launch->scratch_bytes * KILN_GFX942_LANES * count;
    if (!(c->waves = calloc(count, sizeof *c->waves)))
        return false;
    const bool races = (on & KILN_SIM_CHECK_RACE) && group->lds_size && count > 1;
    if (races && !(c->race = kiln_sim_check_race_new(group->lds_size, count)))
        return false;
    if (kiln_sim_launch_global(launch) && !(c->global_waves = kiln_sim_check_global_waves(count)))
        return false;
    if (kiln_sim_launch_alias(launch) && !(c->alias_waves = kiln_sim_check_alias_waves(count)))
        return false;
    if (!(on & KILN_SIM_CHECK_UNDEFINED))
        return true;
    if (!(c->shadows = malloc(count * sizeof *c->shadows)))
        return false;
    if (group->lds_size && !(c->lds_written = new_marks(group->lds_size)))
        return false;
    return !scratch || (c->scratch_written = new_marks(scratch));
}

static kiln_sim_interest_t group_begin(void *user, kiln_sim_workgroup_t *group,
                                       kiln_sim_wave_t *waves, void **state)
{
    (void)user;
    const kiln_sim_launch_t *launch = waves->thread->launch;
    struct kiln_sim_group_checks *c = *state;
    if (!c) {
        c = *state = calloc(1, sizeof *c);
        if (!c || !make_storage(c, launch, group))
            return KILN_SIM_FAILS;
    }
    c->launch = launch;
    c->index = group->index;
    if (c->lds_written)
        memset(c->lds_written, 0, group->lds_size);
    if (c->scratch_written)
        memset(c->scratch_written, 0,
               (size_t)launch->scratch_bytes * KILN_GFX942_LANES * group->wave_count);
    if (c->race)
        kiln_sim_check_race_begin(c->race);
    if (c->global_waves)
        kiln_sim_check_global_begin(c->global_waves, group->index, group->wave_count);
    if (c->alias_waves)
        kiln_sim_check_alias_begin(launch, c->alias_waves, group->wave_count);
    for (unsigned i = 0; i < group->wave_count; i++) {
        check_wave_t *wave = &c->waves[i];
        memset(wave, 0, offsetof(check_wave_t, pending));
        wave->clock = CHECK_MATRIX_WINDOW; // no earlier matrix instruction
        if (c->shadows)
            kiln_sim_check_undefined_begin(&waves[i]);
    }
    return KILN_SIM_WATCHES;
}

static void group_end(void *user, kiln_sim_workgroup_t *group, void *state)
{
    (void)user;
    (void)group;
    kiln_sim_check_findings_end(state);
}

static void group_free(void *user, kiln_sim_workgroup_t *group, void *state)
{
    (void)user;
    struct kiln_sim_group_checks *c = state;
    if (c) {
        kiln_sim_check_race_free(c->race);
        free_marks(c->lds_written);
        free_marks(c->scratch_written);
        free(c->shadows);
        free(c->alias_waves);
        kiln_sim_check_global_waves_free(c->global_waves, group->wave_count);
        free(c->waves);
    }
    free(c);
}

// ---- instructions

// Checks an instruction whose registers M0 selects, using the selected registers. Later
// instructions are not checked for hazards against it.
static void check_special(kiln_sim_wave_t *wave, const kiln_sim_inst_t *as_run, unsigned on)
{
    kiln_sim_footprint_t footprint;
    check_facts_t facts;
    kiln_sim_footprint_fill(&footprint, as_run);
    kiln_sim_check_facts_fill(&facts, as_run, &footprint);
    facts.produces = 0;
    if (kiln_sim_check_group(wave->group)->alias_waves)
        kiln_sim_check_alias(wave, as_run, &footprint);
    if (on & (KILN_SIM_CHECK_WAIT | KILN_SIM_CHECK_RACE))
        kiln_sim_check_wait(wave, as_run, &facts);
    if (on & KILN_SIM_CHECK_UNDEFINED)
        kiln_sim_check_undefined(wave, as_run, &facts);
    if (on & KILN_SIM_CHECK_HAZARD)
        kiln_sim_check_hazard(wave, as_run, &facts);
}

static void instruction(void *user, kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                        const kiln_sim_inst_t *as_run)
{
    (void)user;
    const unsigned on = wave->thread->launch->options->checks;
    const check_facts_t *facts = kiln_sim_check_facts(wave->thread, inst);
    if (!facts) {
        kiln_sim_wave_fault(wave, inst, -1, "out of host memory for the checks");
        return;
    }
    if (as_run != inst) {
        if (as_run)
            check_special(wave, as_run, on);
        return;
    }
    if (on & (KILN_SIM_CHECK_WAIT | KILN_SIM_CHECK_RACE))
        kiln_sim_check_wait(wave, inst, facts);
    if (kiln_sim_check_group(wave->group)->global_waves)
        kiln_sim_check_global(wave, inst, facts);
    if (kiln_sim_check_group(wave->group)->alias_waves)
        kiln_sim_check_alias(wave, inst, facts->uses);
    if (on & KILN_SIM_CHECK_UNDEFINED)
        kiln_sim_check_undefined(wave, inst, facts);
    if (on & KILN_SIM_CHECK_HAZARD)
        kiln_sim_check_hazard(wave, inst, facts);
    kiln_sim_check_wave(wave)->last = inst;
}

static void access(void *user, kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                   const kiln_sim_accesses_t *a)
{
    (void)user;
    const unsigned on = wave->thread->launch->options->checks;
    const check_facts_t *facts =
        kiln_sim_check_facts(wave->thread, inst); // filled in by `instruction`
    if ((on & KILN_SIM_CHECK_WAIT) && a->lds_parts)
        kiln_sim_check_direct(wave, inst, facts, a);
    if (on & KILN_SIM_CHECK_RACE)
        kiln_sim_check_race(wave, inst, facts, a);
    if (kiln_sim_check_group(wave->group)->global_waves)
        kiln_sim_check_global_access(wave, inst, a);
    if (kiln_sim_check_group(wave->group)->alias_waves)
        kiln_sim_check_alias_access(wave, inst, a);
    if (on & (KILN_SIM_CHECK_MEMORY | KILN_SIM_CHECK_CLAMP | KILN_SIM_CHECK_ALIGN |
              KILN_SIM_CHECK_ALIGN_GLOBAL))
        kiln_sim_check_memory(wave, inst, a);
    if (on & KILN_SIM_CHECK_UNDEFINED) {
        kiln_sim_ignore_races_begin(); // marks of shared bytes race as the bytes do, which is
                                       // allowed
        kiln_sim_check_undefined_memory(wave, inst, a);
        kiln_sim_ignore_races_end();
    }
}

static void barrier(void *user, kiln_sim_wave_t *waves, unsigned count)
{
    (void)user;
    kiln_sim_wave_t *waiting = NULL, *ended = NULL;
    for (unsigned i = 0; i < count; i++) {
        if (waves[i].stop == KILN_SIM_STOP_BARRIER && !waiting)
            waiting = &waves[i];
        if (waves[i].stop == KILN_SIM_STOP_END && !ended)
            ended = &waves[i];
    }
    if (waiting && ended && (waiting->thread->launch->options->checks & KILN_SIM_CHECK_BARRIER))
        kiln_sim_check_barrier(waiting, ended);
    kiln_sim_check_race_barrier(waves->group);
    if (kiln_sim_check_group(waves->group)->global_waves)
        kiln_sim_check_global_barrier(waves->group);
}

static void limit(void *user, kiln_sim_wave_t *waves, unsigned count, kiln_sim_wave_t *busy)
{
    (void)user;
    kiln_sim_check_barrier_stuck(waves, count, busy);
}

#define OBSERVER(order)                                                                            \
    {.in_order = (order),                                                                          \
     .thorough = true,                                                                             \
     .launch_begin = kiln_sim_checks_begin,                                                        \
     .launch_end = kiln_sim_checks_end,                                                            \
     .thread_begin = thread_begin,                                                                 \
     .thread_end = thread_end,                                                                     \
     .group_begin = group_begin,                                                                   \
     .group_end = group_end,                                                                       \
     .group_free = group_free,                                                                     \
     .instruction = instruction,                                                                   \
     .access = access,                                                                             \
     .barrier = barrier,                                                                           \
     .limit = limit,                                                                               \
     .fault = kiln_sim_check_fault}

const kiln_sim_observer_t *kiln_sim_checks_observer(unsigned checks)
{
    static const kiln_sim_observer_t any_order = OBSERVER(false), in_order = OBSERVER(true);
    if (!checks)
        return NULL;
    return checks & (KILN_SIM_CHECK_GLOBAL_RACE | KILN_SIM_CHECK_ALIAS) ? &in_order : &any_order;
}
