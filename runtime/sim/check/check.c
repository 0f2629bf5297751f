// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which checks are on, their state by host thread and workgroup, and the order in which they look.
//
// What a reader gets wrong: a workgroup's storage is used again for the next one, so everything is cleared when a
// workgroup begins, not when its storage is made.
#include <stdlib.h>

#include "check/hazard.h"
#include "check/undefined.h"

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
    for (const char *item = off ? "" : text; *item; item += strcspn(item, ","), item += *item == ',') {
        const size_t length = strcspn(item, ",");
        const bool all = length == 3 && memcmp(item, "all", 3) == 0;
        bool known = all;
        for (size_t i = 0; i < KILN_SIM_CHECK_COUNT; i++) {
            const bool named = strlen(check_names[i].name) == length && memcmp(item, check_names[i].name, length) == 0;
            set |= named || (all && check_names[i].in_all) ? check_names[i].bit : 0;
            known = known || named;
        }
        if (!known)
            return kiln_sim_fail(error, KILN_SIM_INVALID_VALUE,
                                 "KILN_SIM_CHECK names the check '%.*s'; this simulator has %s", (int)length, item,
                                 kiln_sim_checks());
    }
    *out = set;
    return true;
}

// ---- threads and workgroups

bool kiln_sim_check_thread_begin(kiln_sim_thread_t *thread)
{
    if (!thread->launch->checks)
        return true;
    thread->checks = calloc(1, sizeof *thread->checks);
    if (thread->checks)
        thread->checks->access = aligned_alloc(64, (sizeof *thread->checks->access + 63) / 64 * 64);
    if (thread->checks && (thread->launch->options->checks & KILN_SIM_CHECK_UNDEFINED) &&
        !(thread->checks->trial = aligned_alloc(64, kiln_sim_check_trial_size())))
        return false;
    return thread->checks && thread->checks->access;
}

void kiln_sim_check_thread_end(kiln_sim_thread_t *thread)
{
    if (thread->checks) {
        free(thread->checks->footprints);
        free(thread->checks->access);
        free(thread->checks->trial);
    }
    free(thread->checks);
    thread->checks = NULL;
}

// Marks of bytes, with room on both sides where nothing is marked: who looks at a byte looks at its neighbours, too.
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

bool kiln_sim_check_group_begin(kiln_sim_thread_t *thread, kiln_sim_workgroup_t *group, kiln_sim_wave_t *waves)
{
    if (!thread->checks)
        return true;
    const size_t scratch = (size_t)thread->launch->scratch_bytes * KILN_SIM_LANES * group->wave_count;
    if (!group->checks) {
        group->checks = calloc(1, sizeof *group->checks);
        if (group->checks)
            group->checks->waves = calloc(group->wave_count, sizeof *group->checks->waves);
        if (!group->checks || !group->checks->waves)
            return false;
        bool races =
            (thread->launch->options->checks & KILN_SIM_CHECK_RACE) && group->lds_size && group->wave_count > 1;
        if (races && !(group->checks->race = kiln_sim_check_race_new(group->lds_size, group->wave_count)))
            return false;
        if (kiln_sim_launch_global(thread->launch) &&
            !(group->checks->global_waves = kiln_sim_check_global_waves(group->wave_count)))
            return false;
        bool undefined = thread->launch->options->checks & KILN_SIM_CHECK_UNDEFINED;
        if (undefined && !(group->checks->shadows = malloc(group->wave_count * sizeof *group->checks->shadows)))
            return false;
        if (undefined && group->lds_size && !(group->checks->lds_written = new_marks(group->lds_size)))
            return false;
        if (undefined && scratch && !(group->checks->scratch_written = new_marks(scratch)))
            return false;
    }
    kiln_sim_check_findings_end(group->checks); // of the workgroup that had the storage before
    group->checks->launch = thread->launch;
    group->checks->index = group->index;
    if (group->checks->lds_written)
        memset(group->checks->lds_written, 0, group->lds_size);
    if (group->checks->scratch_written)
        memset(group->checks->scratch_written, 0, scratch);
    if (group->checks->race)
        kiln_sim_check_race_begin(group->checks->race);
    if (group->checks->global_waves)
        kiln_sim_check_global_begin(group->checks->global_waves, group->index, group->wave_count);
    for (unsigned i = 0; i < group->wave_count; i++) {
        check_wave_t *wave = &group->checks->waves[i];
        memset(wave, 0, offsetof(check_wave_t, pending));
        wave->clock = CHECK_MATRIX_WINDOW; // no matrix instruction is in reach
        if (group->checks->shadows)
            kiln_sim_check_undefined_begin(&waves[i]);
    }
    return true;
}

void kiln_sim_check_group_free(kiln_sim_workgroup_t *group)
{
    if (group->checks) {
        kiln_sim_check_findings_end(group->checks);
        kiln_sim_check_race_free(group->checks->race);
        free_marks(group->checks->lds_written);
        free_marks(group->checks->scratch_written);
        free(group->checks->shadows);
        kiln_sim_check_global_waves_free(group->checks->global_waves, group->wave_count);
        free(group->checks->waves);
    }
    free(group->checks);
    group->checks = NULL;
}

// ---- instructions

static inline const check_footprint_t *known_footprint(const struct kiln_sim_thread_checks *c,
                                                       const kiln_sim_inst_t *inst)
{
    bool known = inst->index < c->footprint_count && c->footprints[inst->index].known;
    return known ? &c->footprints[inst->index] : NULL;
}

// NULL where memory ran out: the instruction goes unchecked, and the launch fails.
check_footprint_t *kiln_sim_check_footprint(kiln_sim_thread_t *thread, const kiln_sim_inst_t *inst)
{
    struct kiln_sim_thread_checks *c = thread->checks;
    if (inst->index >= c->footprint_count) {
        size_t count = kiln_sim_program_count(thread->launch->program) + 64;
        check_footprint_t *footprints = realloc(c->footprints, count * sizeof *footprints);
        if (!footprints)
            return NULL;
        memset(footprints + c->footprint_count, 0, (count - c->footprint_count) * sizeof *footprints);
        c->footprints = footprints;
        c->footprint_count = count;
    }
    check_footprint_t *footprint = &c->footprints[inst->index];
    if (!footprint->known)
        kiln_sim_check_footprint_fill(footprint, inst);
    return footprint;
}

// MODE.VSKIP and MODE.GPR_IDX_EN: a skipped instruction does nothing, and one whose registers M0 selects is looked at with
// those, but no later instruction is held against it. True where that was all.
static bool is_special(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, unsigned on)
{
    if (!(wave->mode & (KILN_SIM_MODE_GPR_IDX_EN | KILN_SIM_MODE_VSKIP)))
        return false;
    kiln_sim_inst_t storage;
    const kiln_sim_inst_t *resolved = kiln_sim_wave_resolve(wave, inst, &storage);
    if (resolved == inst)
        return false;
    if (!resolved)
        return true;
    check_footprint_t footprint;
    kiln_sim_check_footprint_fill(&footprint, resolved);
    footprint.produces = 0;
    if (on & (KILN_SIM_CHECK_WAIT | KILN_SIM_CHECK_RACE))
        kiln_sim_check_wait(wave, resolved, &footprint);
    if (on & KILN_SIM_CHECK_UNDEFINED)
        kiln_sim_check_undefined(wave, resolved, &footprint, NULL);
    if (on & KILN_SIM_CHECK_HAZARD)
        kiln_sim_check_hazard(wave, resolved, &footprint);
    return true;
}

void kiln_sim_check_instruction(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    unsigned on = wave->thread->launch->options->checks;
    const check_footprint_t *footprint = known_footprint(wave->thread->checks, inst);
    if (!footprint)
        footprint = kiln_sim_check_footprint(wave->thread, inst);
    if (!footprint) {
        kiln_sim_wave_fault(wave, inst, -1, "out of host memory for the checks");
        return;
    }
    if (is_special(wave, inst, on))
        return;
    const unsigned accesses = KILN_SIM_CHECK_RACE | KILN_SIM_CHECK_MEMORY | KILN_SIM_CHECK_UNDEFINED |
                              KILN_SIM_CHECK_CLAMP | KILN_SIM_CHECK_GLOBAL_RACE | KILN_SIM_CHECK_WAIT |
                              KILN_SIM_CHECK_ALIGN;
    check_access_t *access = NULL;
    if (on & accesses) {
        access = wave->thread->checks->access;
        if (!kiln_sim_check_access_find(wave, inst, footprint, access))
            access = NULL;
    }
    if (on & (KILN_SIM_CHECK_WAIT | KILN_SIM_CHECK_RACE))
        kiln_sim_check_wait(wave, inst, footprint);
    if ((on & KILN_SIM_CHECK_WAIT) && access && access->lds_parts)
        kiln_sim_check_direct(wave, inst, footprint, access);
    if ((on & KILN_SIM_CHECK_RACE) && access)
        kiln_sim_check_race(wave, inst, footprint, access);
    if (wave->group->checks->global_waves)
        kiln_sim_check_global(wave, inst, footprint, access);
    if (on & (KILN_SIM_CHECK_MEMORY | KILN_SIM_CHECK_CLAMP | KILN_SIM_CHECK_ALIGN))
        kiln_sim_check_memory(wave, inst, access);
    if (on & KILN_SIM_CHECK_UNDEFINED)
        kiln_sim_check_undefined(wave, inst, footprint, access);
    if (on & KILN_SIM_CHECK_HAZARD)
        kiln_sim_check_hazard(wave, inst, footprint);
    kiln_sim_check_wave(wave)->last = inst;
}

void kiln_sim_check_barrier_release(kiln_sim_wave_t *waves, unsigned count)
{
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
    if (waves->group->checks->global_waves)
        kiln_sim_check_global_barrier(waves->group);
}
