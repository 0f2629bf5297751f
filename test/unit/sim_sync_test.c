// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Control flow and synchronization that compilers seldom use: the branch stack (s_cbranch_*_fork,
// s_cbranch_join), s_rfe_*, and GWS barriers and semaphores across workgroups; waves that wait
// forever. The kernels are in sim_kernels/sync.s, lanes.hip and waits.hip.
//
// Everything runs twice, in processes with one and with two host threads, because the scheduler
// handles waves that wait for each other differently; quick tests run once more in the order of the
// clock.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "hip_sim/entry.h"
#include "sim_vectors.h"

enum { LANES = 64 };

static hipModule_t module, of_lanes, of_waits;
static uint32_t *out; // 4 KB

static hipError_t run(const char *name, unsigned groups, unsigned items, const void *arguments,
                      size_t size)
{
    hipFunction_t function;
    assert_int_equal(hipModuleGetFunction(&function, module, name), 0);
    void *extra[] = {(void *)1, (void *)(uintptr_t)arguments, (void *)2, &size, (void *)3};
    return hipModuleLaunchKernel(function, groups, 1, 1, items, 1, 1, 0, NULL, NULL, extra);
}

static void must_run(const char *name, unsigned groups, unsigned items, const void *arguments,
                     size_t size)
{
    memset(out, 0, 4096);
    if (run(name, groups, items, arguments, size) != 0)
        fail_msg("%s: %s", name, kilnSimGetLastErrorMessage());
}

static void assert_message(const char *part)
{
    const char *message = kilnSimGetLastErrorMessage();
    if (!strstr(message, part))
        fail_msg("'%s' is not in '%s'", part, message);
}

// Which side of a fork runs first: the smaller one, or the taken one if both are equal.
static void check_branches(uint64_t outer, uint64_t inner, unsigned items)
{
    const struct {
        uint32_t *out;
        uint64_t outer, inner;
    } arguments = {out, outer, inner};
    must_run("branch_stack", 1, items, &arguments, sizeof arguments);
    uint64_t lanes = items == 64 ? UINT64_MAX : (1ull << items) - 1;
    int taken = __builtin_popcountll(outer & lanes), passed = __builtin_popcountll(~outer & lanes);
    uint32_t taken_order = passed != 0 && passed < taken ? 2 : 1,
             passed_order = taken_order == 1 && taken ? 2 : 1;
    for (unsigned lane = 0; lane < items; lane++) {
        uint32_t way = !(outer >> lane & 1) ? 0x1 : inner >> lane & 1 ? 0x245 : 0x235;
        assert_int_equal(out[2 * lane], way);
        assert_int_equal(out[2 * lane + 1], outer >> lane & 1 ? taken_order : passed_order);
    }
    sim_vectors_add("s_cbranch_i_fork", 1);
    sim_vectors_add("s_cbranch_g_fork", 1);
    sim_vectors_add("s_cbranch_join", 1);
}

static void forked_lanes_go_both_ways(void **state)
{
    (void)state;
    const uint64_t masks[] = {0,
                              UINT64_MAX,
                              1,
                              0xffffffff,
                              0xffffffff00000000,
                              0x5555555555555555,
                              0xfffffffffffffffe,
                              0x123456789abcdef0};
    for (unsigned i = 0; i < 8; i++)
        for (unsigned j = 0; j < 8; j++)
            check_branches(masks[i], masks[j], i % 2 ? 64 : 37);
    assert_int_equal(run("join_without_fork", 1, 64, NULL, 0), KILN_SIM_LAUNCH_FAILURE);
    assert_message("branch stack underflow");
}

static void returns_jump(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 8; i++) {
        const struct {
            uint32_t *out;
            uint32_t first, second;
        } arguments = {out, i, i * 5 % 8};
        must_run("returns", 1, 1, &arguments, sizeof arguments);
        assert_int_equal(out[0], 100 + i);
        assert_int_equal(out[1], 200 + i * 5 % 8);
        sim_vectors_add("s_rfe_b64", 1);
        sim_vectors_add("s_rfe_restore_b64", 1);
    }
}

static void gws_barriers_hold_all_waves(void **state)
{
    (void)state;
    enum { ROUNDS = 9 };
    const struct {
        unsigned groups, waves;
    } shapes[] = {{1, 1}, {1, 4}, {2, 1}, {3, 2}, {16, 1}, {37, 3}, {100, 2}, {304, 1}};
    for (unsigned i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        uint32_t waves = shapes[i].groups * shapes[i].waves;
        const uint32_t init[2] = {waves - 1, 7};
        must_run("gws_init", 1, 64, init, sizeof init);
        const struct {
            uint32_t *out;
            uint32_t value, rounds;
        } arguments = {out, waves - 1, ROUNDS};
        must_run("gws_barrier", shapes[i].groups, shapes[i].waves * LANES, &arguments,
                 sizeof arguments);
        for (unsigned round = 0; round < ROUNDS; round++)
            assert_int_equal(out[round], waves);
        assert_int_equal(out[ROUNDS], 0);
        sim_vectors_add("ds_gws_init", 1);
        sim_vectors_add("ds_gws_barrier", ROUNDS);
    }
}

static void gws_semaphores_let_waves_through(void **state)
{
    (void)state;
    static const char *const names[] = {"ds_gws_sema_v", "ds_gws_sema_br",
                                        "ds_gws_sema_release_all", "ds_gws_sema_br"};
    for (uint32_t how = 0; how < 4; how++) {
        for (uint32_t waiters = 1; waiters < 200; waiters += waiters / 2 + 1) {
            const uint32_t init[2] = {0, 11};
            must_run("gws_init", 1, 64, init, sizeof init);
            const struct {
                uint32_t *out;
                uint32_t how, waiters;
            } arguments = {out, how, waiters};
            must_run("gws_semaphore", waiters + 1, 64, &arguments, sizeof arguments);
            assert_int_equal(out[0], waiters);
            assert_int_equal(out[1], waiters);
            sim_vectors_add(names[how], 1);
            sim_vectors_add("ds_gws_sema_p", 1);
        }
    }
}

static void waiting_for_nobody_ends(void **state)
{
    (void)state;
    for (unsigned groups = 1; groups < 1000; groups *= 9) {
        assert_int_equal(run("gws_forever", groups, 256, NULL, 0), KILN_SIM_LAUNCH_FAILURE);
        assert_message(
            "deadlock: the wave waits for GWS resource 60, which no other wave can release");
        assert_message("ds_gws_sema_p");
    }
    // The barrier has one wave too few.
    const uint32_t init[2] = {8, 7};
    must_run("gws_init", 1, 64, init, sizeof init);
    const struct {
        uint32_t *out;
        uint32_t value, rounds;
    } arguments = {out, 8, 1};
    assert_int_equal(run("gws_barrier", 8, 64, &arguments, sizeof arguments),
                     KILN_SIM_LAUNCH_FAILURE);
    assert_message("GWS resource 7");
    // The waves that waited do not disturb later launches.
    gws_barriers_hold_all_waves(state);
    gws_semaphores_let_waves_through(state);
}

static int load_kernels(void **state)
{
    (void)state;
    void *pointer;
    if (hipModuleLoad(&module, KILN_BINARY_DIR "/test/sim_kernels/sync.hsaco") != 0 ||
        hipModuleLoad(&of_lanes, KILN_BINARY_DIR "/test/sim_kernels/lanes.hsaco") != 0 ||
        hipModuleLoad(&of_waits, KILN_BINARY_DIR "/test/sim_kernels/waits.hsaco") != 0 ||
        hipMalloc(&pointer, 4096) != 0)
        return 1;
    out = pointer;
    return 0;
}

// Waves that spin on memory that will never change, in several forms; far from KILN_SIM_LIMIT.
static void deadlocks_end(void **state)
{
    (void)state;
    static const char *const kernels[] = {"spin_by_lanes", "spin_by_one"};
    for (unsigned k = 0; k < 2; k++) {
        for (unsigned groups = 1; groups < 100; groups *= 9) {
            out[0] = 1;
            assert_int_equal(run(kernels[k], groups, 128, &out, sizeof out),
                             KILN_SIM_LAUNCH_TIMEOUT);
            assert_message("deadlock: the wave and every other runnable wave wait in a loop for "
                           "memory to change");
            assert_message(kernels[k]);
        }
        must_run(kernels[k], 100, 128, &out, sizeof out); // out[0] is zero
    }
}

// Lanes of one wave that wait for each other depend on their masks: as on the machine, they wait
// forever if the lane that they wait for is masked.
static void lanes_wait_as_their_masks_do(void **state)
{
    (void)state;
    static const char *const kernels[] = {"wait_across_a_branch", "lock_by_lanes", "take_turns"};
    const struct {
        uint32_t *flag, *data;
    } arguments = {out, out + 1};
    for (unsigned k = 0; k < sizeof kernels / sizeof kernels[0]; k++) {
        hipFunction_t function;
        size_t size = sizeof arguments;
        void *extra[] = {(void *)1, (void *)(uintptr_t)&arguments, (void *)2, &size, (void *)3};
        memset(out, 0, 4096);
        assert_int_equal(hipModuleGetFunction(&function, of_lanes, kernels[k]), 0);
        const hipError_t error =
            hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, NULL, NULL, extra);
        assert_int_equal(error, k < 2 ? KILN_SIM_LAUNCH_TIMEOUT : 0);
        if (k < 2)
            assert_message("deadlock: the wave and every other runnable wave wait in a loop for "
                           "memory to change");
    }
    assert_int_equal(out[0], 3 * 64);
    assert_int_equal(out[1], 3 * 64);
}

// Loops that nothing ends; the limit is far away, too.
static void endless_loops_end(void **state)
{
    (void)state;
    static const char *const kernels[] = {"endless_jump", "endless_count", "endless_mask",
                                          "endless_store"};
    const struct {
        uint32_t *out;
        uint32_t rounds, zero;
    } arguments = {out, 1, 0};
    for (unsigned k = 0; k < 4; k++) {
        for (unsigned groups = 1; groups < 100; groups *= 9) {
            assert_int_equal(run(kernels[k], groups, 128, &arguments, sizeof arguments),
                             KILN_SIM_LAUNCH_TIMEOUT);
            assert_message("infinite loop");
            assert_message(kernels[k]);
        }
    }
}

static void long_loops_are_not_endless(void **state)
{
    (void)state;
    static const char *const kernels[] = {"ends_by_carry",  "ends_by_lanes",  "ends_by_exec",
                                          "ends_by_detour", "ends_by_memory", "ends_by_skipping"};
    const struct {
        uint32_t *out;
        uint32_t rounds, zero;
    } arguments = {out, 1000000, 0};
    for (unsigned k = 0; k < sizeof kernels / sizeof kernels[0]; k++) {
        must_run(kernels[k], 1, 64, &arguments, sizeof arguments);
        assert_int_equal(out[1], 1);
    }
}

// Only memory that is polled can be a reason to wait, and only for a while; other memory that the
// program might change is none.
static void pinned_memory_is_waited_for(void **state)
{
    (void)state;
    void *pinned;
    assert_int_equal(hipHostMalloc(&pinned, 4096, 0), 0);
    memset(pinned, 0, 4096);
    out[0] = 1;
    assert_int_equal(run("spin_by_one", 1, 128, &out, sizeof out), KILN_SIM_LAUNCH_TIMEOUT);
    assert_message("every other runnable wave");
    *(uint32_t *)pinned = 1;
    assert_int_equal(run("spin_by_one", 1, 128, &pinned, sizeof pinned), KILN_SIM_LAUNCH_TIMEOUT);
    assert_message("the host has not changed it for 5 s");
    assert_int_equal(hipHostFree(pinned), 0);
}

// Loops similar to these that do end.
static void patience_is_rewarded(void **state)
{
    (void)state;
    const struct {
        uint32_t *out;
        uint32_t count, last;
    } counts = {out, 400000, 0}, last = {out, 3000000, 49};
    out[0] = 1;
    out[1] = 0;
    if (run("spin_and_count", 3, 64, &counts, sizeof counts) != 0)
        fail_msg("%s", kilnSimGetLastErrorMessage());
    assert_int_equal(out[1], 3);
    out[1] = 0;
    if (run("spin_for_last", 50, 64, &last, sizeof last) != 0)
        fail_msg("%s", kilnSimGetLastErrorMessage());
    assert_int_equal(out[1], 50);
}

static void run_waits(const char *name, unsigned groups, unsigned waves)
{
    hipFunction_t function;
    const struct {
        uint32_t *out;
        uint32_t last;
    } arguments = {out, groups - 1};
    size_t size = sizeof arguments;
    void *extra[] = {(void *)1, (void *)(uintptr_t)&arguments, (void *)2, &size, (void *)3};
    memset(out, 0, 4096);
    assert_int_equal(hipModuleGetFunction(&function, of_waits, name), 0);
    if (hipModuleLaunchKernel(function, groups, 1, 1, waves * LANES, 1, 1, 0, NULL, NULL, extra) !=
        0)
        fail_msg("%s, %u workgroups of %u waves: %s", name, groups, waves,
                 kilnSimGetLastErrorMessage());
}

// Workgroups that wait for a later one, in any way, let it run, even if there are more of them than
// host threads.
static void groups_wait_for_later_ones(void **state)
{
    (void)state;
    static const unsigned shapes[][2] = {{4, 2}, {2, 1}, {3, 8}, {40, 2}}; // workgroups, waves
    static const struct {
        const char *name;
        unsigned shapes; // the number of shapes to run
    } kernels[] = {
        {"wait_for_one", 4},
        {"wait_by_turns", 1},
        {"wait_for_all", 2},
        {"wait_for_first", 3},
        {"wait_asleep", 2},
        {"wait_asleep_by_turns", 1},
        {"wait_with_tries", 3},
        {"wait_and_count", 1}, // which never returns to an earlier state,
                               // and takes long
        {"wait_by_gws", 2},
    };
    for (unsigned k = 0; k < sizeof kernels / sizeof *kernels; k++)
        for (unsigned i = 0; i < kernels[k].shapes; i++) {
            run_waits(kernels[k].name, shapes[i][0], shapes[i][1]);
            assert_int_equal(out[1], shapes[i][0] - 1);
        }
}

// A waiting workgroup only polls once when it gets a turn, so that the one that it waits for runs
// soon: 80 such workgroups executed 19 million instructions when each had full turns.
static void waiting_costs_little(void **state)
{
    (void)state;
    kiln_sim_launch_stats_t stats = {.struct_size = sizeof stats};
    run_waits("wait_for_one", 80, 2);
    assert_int_equal(out[1], 79);
    assert_int_equal(kilnSimGetLaunchStats(&stats), 0);
    if (stats.instructions > 8000000)
        fail_msg("%llu instructions", (unsigned long long)stats.instructions);
}

// More workgroups than the machine holds at once, each of which waits for an earlier one.
static void groups_wait_for_earlier_ones(void **state)
{
    (void)state;
    run_waits("wait_for_earlier", 350, 2);
    assert_int_equal(out[0], 350);
}

static int unload_kernels(void **state)
{
    (void)state;
    return hipFree(out) != 0 || hipModuleUnload(module) != 0 || hipModuleUnload(of_lanes) != 0 ||
           hipModuleUnload(of_waits) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forked_lanes_go_both_ways),
        cmocka_unit_test(returns_jump),
        cmocka_unit_test(gws_barriers_hold_all_waves),
        cmocka_unit_test(gws_semaphores_let_waves_through),
        cmocka_unit_test(groups_wait_for_later_ones),
        cmocka_unit_test(waiting_costs_little),
        cmocka_unit_test(groups_wait_for_earlier_ones),
        cmocka_unit_test(waiting_for_nobody_ends),
        cmocka_unit_test(deadlocks_end),
        cmocka_unit_test(lanes_wait_as_their_masks_do),
        cmocka_unit_test(endless_loops_end),
        cmocka_unit_test(long_loops_are_not_endless),
        cmocka_unit_test(pinned_memory_is_waited_for),
        cmocka_unit_test(patience_is_rewarded),
    };
    enum { ALL = sizeof tests / sizeof *tests, QUICK = 8 };
    static const struct {
        const char *name, *threads, *order;
        size_t count; // of tests; the others take too long in the clock's order
    } runs[] = {{"one thread", "1", "program", ALL},
                {"two threads", "2", "program", ALL},
                {"three threads", "3", "program", QUICK},
                {"one thread, by time", "1", "time", QUICK},
                {"two threads, by time", "2", "time", QUICK}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        pid_t child = fork();
        if (child == 0) {
            setenv("KILN_SIM_THREADS", runs[i].threads, 1);
            setenv("KILN_SIM_ORDER", runs[i].order, 1);
            exit(_cmocka_run_group_tests(runs[i].name, tests, runs[i].count, load_kernels,
                                         unload_kernels));
        }
        int status = 1;
        if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0)
            return 1;
    }
    return 0;
}
