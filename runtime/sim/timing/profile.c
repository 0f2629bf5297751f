// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the host time of each instruction by reading the host's clock before and after it.
//
// The overhead of reading the clock is measured once per thread and subtracted. The remainder for
// an instruction that does nothing is noise.
#ifdef __x86_64__
#include <x86intrin.h>
#else
#include <time.h>
#endif

#include <stdlib.h>

#include "timing/profile.h"

#define PREEMPTED                                                                                  \
    (1u << 18) // ticks: no instruction takes a tenth of a millisecond, so the thread was preempted

typedef struct profile {
    uint64_t own; // overhead of reading the clock
    uint64_t begun;
} profile_t;

static uint64_t ticks(void)
{
#ifdef __x86_64__
    return __rdtsc();
#else
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
#endif
}

static bool thread_begin(void *user, kiln_sim_thread_t *thread, void **state)
{
    (void)user;
    (void)thread;
    profile_t *profile = *state = calloc(1, sizeof *profile);
    if (!profile)
        return false;
    profile->own = UINT64_MAX;
    for (unsigned i = 0; i < 16; i++) {
        const uint64_t begin = ticks(), spent = ticks() - begin;
        profile->own = spent < profile->own ? spent : profile->own;
    }
    return true;
}

static void thread_end(void *user, kiln_sim_thread_t *thread, void *state)
{
    (void)user;
    (void)thread;
    free(state);
}

static void instruction(void *user, kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                        const kiln_sim_inst_t *as_run)
{
    (void)user;
    (void)inst;
    (void)as_run;
    profile_t *profile = wave->thread->observed[KILN_SIM_PLACE_PROFILE];
    profile->begun = ticks();
}

static void executed(void *user, kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                     const kiln_sim_inst_t *as_run)
{
    (void)user;
    (void)as_run;
    const profile_t *profile = wave->thread->observed[KILN_SIM_PLACE_PROFILE];
    const uint64_t spent = ticks() - profile->begun;
    if (spent > profile->own && spent < PREEMPTED)
        wave->thread->ticks[inst->row->class_] += spent - profile->own;
}

const kiln_sim_observer_t kiln_sim_profile_observer = {.thread_begin = thread_begin,
                                                       .thread_end = thread_end,
                                                       .instruction = instruction,
                                                       .executed = executed};
