// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A custom observer (run/observe.h): its counts of a launch's events agree with the launch's
// statistics, and it gets no events of workgroups that it does not request.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run/launch.h"
#include "run/observe.h"

#define KERNELS KILN_BINARY_DIR "/test/sim_kernels/"

enum { GROUPS = 6, ITEMS = 256, BYTES = 1 << 16 };

typedef struct counts {
    unsigned modulus, wanted; // workgroups with number % modulus == wanted are watched
    uint64_t launches, groups, ended, freed, barriers, faults;
    uint64_t instructions, executed, waits, lanes, lane_bytes[3], lds_bytes, lines64, lines128,
        own_lines64, own_lines128;
    uint64_t by_group[GROUPS];
} counts_t;

static bool launch_begin(void *user, const kiln_sim_launch_t *launch, void **state)
{
    counts_t *c = user;
    c->launches++;
    *state = (void *)(uintptr_t)launch;
    return true;
}

static void launch_end(void *user, const kiln_sim_launch_t *launch, void *state)
{
    (void)user;
    assert_ptr_equal(state, launch);
}

static kiln_sim_interest_t group_begin(void *user, kiln_sim_workgroup_t *group,
                                       kiln_sim_wave_t *waves, void **state)
{
    counts_t *c = user;
    assert_true(waves->stop == KILN_SIM_STOP_NONE);
    if (group->index % c->modulus != c->wanted)
        return KILN_SIM_SKIPS;
    c->groups++;
    *state = &c->by_group[group->index];
    return KILN_SIM_WATCHES;
}

static void group_end(void *user, kiln_sim_workgroup_t *group, void *state)
{
    counts_t *c = user;
    c->ended += group->index % c->modulus == c->wanted && state;
}

static void group_free(void *user, kiln_sim_workgroup_t *group, void *state)
{
    (void)group;
    (void)state;
    ((counts_t *)user)->freed++;
}

static void instruction(void *user, kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                        const kiln_sim_inst_t *as_run)
{
    counts_t *c = user;
    assert_ptr_equal(inst, as_run);
    c->instructions++;
    c->lanes += (uint64_t)__builtin_popcountll(wave->exec);
    c->waits += inst->footprint->is_wait;
    ++*(uint64_t *)wave->group->observed[KILN_SIM_PLACE_OTHERS];
}

static void executed(void *user, kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                     const kiln_sim_inst_t *as_run)
{
    (void)wave;
    (void)inst;
    (void)as_run;
    ((counts_t *)user)->executed++;
}

static unsigned lanes_of(uint64_t mask)
{
    return (unsigned)__builtin_popcountll(mask);
}

// Counts lines as the statistics do, from the addresses alone.
static void count_lines(counts_t *c, const kiln_sim_accesses_t *a)
{
    for (unsigned shift = 6; shift <= 7; shift++) {
        uint64_t seen[2 * KILN_GFX942_LANES];
        unsigned count = 0;
        for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++) {
            for (unsigned end = 0; end < 2 && a->lanes >> lane & 1; end++) {
                const uint64_t line = (a->at[lane] + end * (a->bytes - 1u)) >> shift;
                unsigned i = 0;
                while (i < count && seen[i] != line)
                    i++;
                seen[i] = line;
                count += i == count;
            }
        }
        *(shift == 6 ? &c->own_lines64 : &c->own_lines128) += count;
    }
}

static void access(void *user, kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                   const kiln_sim_accesses_t *a)
{
    counts_t *c = user;
    (void)wave;
    (void)inst;
    c->lane_bytes[a->kind] += (uint64_t)lanes_of(a->lanes) * a->bytes;
    for (unsigned part = 0; part < a->lds_parts && !a->bytes; part++)
        c->lds_bytes +=
            (uint64_t)lanes_of(a->lds_lanes[part] | a->lds_outside[part]) * a->lds_bytes;
    c->lines64 += a->lines64;
    c->lines128 += a->lines128;
    count_lines(c, a);
}

static void barrier(void *user, kiln_sim_wave_t *waves, unsigned count)
{
    (void)waves;
    (void)count;
    ((counts_t *)user)->barriers++;
}

static void fault(void *user, kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, int lane,
                  const char *what)
{
    (void)wave;
    (void)inst;
    assert_true(lane >= -1 && *what);
    ((counts_t *)user)->faults++;
}

static const kiln_sim_observer_t counter = {.in_order = true,
                                            .launch_begin = launch_begin,
                                            .launch_end = launch_end,
                                            .group_begin = group_begin,
                                            .group_end = group_end,
                                            .group_free = group_free,
                                            .instruction = instruction,
                                            .access = access,
                                            .executed = executed,
                                            .barrier = barrier,
                                            .fault = fault};

static kiln_sim_machine_t *machine;
static kiln_sim_code_object_t *object;
static void *buffers[2];

static int open_machine(void **state)
{
    (void)state;
    static const kiln_sim_setting_t settings[] = {{"threads", "2"}, {"limit", "1000000"}};
    kiln_sim_error_t error = {0};
    FILE *file = fopen(KERNELS "launch.hsaco", "rb");
    static char bytes[1 << 20];
    const size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file)
        fclose(file);
    if (!kiln_sim_machine_create(settings, 2, &machine, &error) ||
        !kiln_sim_machine_load(machine, bytes, size, &object, &error))
        return 1;
    for (unsigned i = 0; i < 2; i++)
        buffers[i] = kiln_sim_machine_allocate(machine, BYTES, &error);
    return buffers[0] && buffers[1] ? 0 : 1;
}

static int close_machine(void **state)
{
    (void)state;
    kiln_sim_machine_destroy(machine);
    return 0;
}

static bool launch(const char *kernel, unsigned items, kiln_sim_launch_stats_t *stats)
{
    kiln_sim_result_t *result;
    const kiln_sim_dispatch_t dispatch = {.struct_size = sizeof dispatch,
                                          .kernel = kiln_sim_object_kernel(object, kernel),
                                          .grid = {GROUPS, 1, 1},
                                          .block = {items, 1, 1},
                                          .packed = buffers,
                                          .packed_size = sizeof buffers};
    const bool good = kiln_sim_machine_launch(machine, &dispatch, &result, NULL);
    stats->struct_size = sizeof *stats;
    assert_int_equal(kiln_sim_result_stats(result, stats), good);
    kiln_sim_result_free(result);
    return good;
}

static void counts_agree_with_statistics(void **state)
{
    (void)state;
    static const char *const kernels[] = {"ids", "reverse", "count", "scratch"};
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        counts_t c = {.modulus = 1};
        kiln_sim_launch_stats_t stats;
        kiln_sim_machine_observe(machine, KILN_SIM_PLACE_OTHERS, &counter, &c);
        if (!launch(kernels[i], ITEMS, &stats))
            fail_msg("%s failed", kernels[i]);
        kiln_sim_machine_observe(machine, KILN_SIM_PLACE_OTHERS, NULL, NULL);
        assert_int_equal(c.launches, 1);
        assert_int_equal(c.groups, GROUPS);
        assert_int_equal(c.ended, GROUPS);
        assert_int_equal(c.freed, 1); // one thread with one storage, which all workgroups used
        assert_int_equal(c.faults, 0);
        assert_int_equal(c.barriers, strcmp(kernels[i], "reverse") == 0 ? GROUPS : 0);
        assert_int_equal(c.instructions, stats.instructions);
        assert_int_equal(c.executed, stats.instructions);
        assert_true(c.waits > 0 && c.waits <= stats.by_class[KILN_SIM_COUNT_SYNC]);
        assert_true(c.lanes <= 64 * stats.instructions && c.lanes > 0);
        assert_int_equal(c.lane_bytes[KILN_SIM_LOAD], stats.load_bytes);
        assert_int_equal(c.lane_bytes[KILN_SIM_STORE], stats.store_bytes);
        assert_int_equal(c.lane_bytes[KILN_SIM_ATOMIC], stats.atomic_bytes);
        assert_int_equal(c.lds_bytes, stats.lds_bytes);
        assert_int_equal(c.lines64, stats.lines64);
        assert_int_equal(c.lines128, stats.lines128);
        assert_int_equal(c.own_lines64, stats.lines64);
        assert_int_equal(c.own_lines128, stats.lines128);
        for (unsigned g = 1; g < GROUPS; g++)
            assert_int_equal(c.by_group[g], c.by_group[0]);
    }
}

// Observes every third workgroup together with the checks, which observe all of them and have the
// same findings as without the sample.
static void samples_are_left_alone(void **state)
{
    (void)state;
    for (unsigned checked = 0; checked < 2; checked++) {
        counts_t c = {.modulus = 3, .wanted = 1};
        kiln_sim_launch_stats_t stats;
        assert_true(kiln_sim_machine_set(machine, "check", checked ? "all" : "off", NULL));
        kiln_sim_machine_observe(machine, KILN_SIM_PLACE_OTHERS, &counter, &c);
        assert_true(launch("reverse", ITEMS, &stats));
        kiln_sim_machine_observe(machine, KILN_SIM_PLACE_OTHERS, NULL, NULL);
        assert_int_equal(c.groups, GROUPS / 3);
        assert_int_equal(c.ended, GROUPS / 3);
        assert_int_equal(3 * c.instructions, stats.instructions);
        assert_int_equal(3 * c.lines64, stats.lines64);
        for (unsigned g = 0; g < GROUPS; g++)
            assert_int_equal(c.by_group[g], g % 3 == 1 ? c.instructions / 2 : 0);
    }
    assert_true(kiln_sim_machine_set(machine, "check", "off", NULL));
}

static void faults_are_reported(void **state)
{
    (void)state;
    counts_t c = {.modulus = 1};
    kiln_sim_launch_stats_t stats;
    kiln_sim_machine_observe(machine, KILN_SIM_PLACE_OTHERS, &counter, &c);
    assert_false(launch("trap", ITEMS, &stats));
    kiln_sim_machine_observe(machine, KILN_SIM_PLACE_OTHERS, NULL, NULL);
    assert_int_equal(c.faults, 1);
    assert_int_equal(c.groups, 1);
    assert_int_equal(c.ended, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts_agree_with_statistics),
                                       cmocka_unit_test(samples_are_left_alone),
                                       cmocka_unit_test(faults_are_reported)};
    return cmocka_run_group_tests(tests, open_machine, close_machine);
}
