// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that wait for the clock, and the time that copies take.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hip_sim/entry.h"

#define GHZ 2.1 // of an MI300X

static hipModule_t clocks;

typedef struct waited {
    uint64_t cycles;
    uint32_t looks, pad;
    uint64_t rest[62];
} waited_t;

static waited_t *out;

static kiln_sim_launch_stats_t wait_for(const char *name, uint64_t ticks)
{
    hipFunction_t function;
    struct {
        void *out;
        uint64_t ticks;
    } arguments = {out, ticks};
    size_t size = sizeof arguments;
    void *extra[] = {(void *)1, &arguments, (void *)2, &size, (void *)3};
    kiln_sim_launch_stats_t stats = {.struct_size = sizeof stats};
    memset(out, 0, sizeof *out);
    assert_int_equal(hipModuleGetFunction(&function, clocks, name), 0);
    assert_int_equal(hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra), 0);
    assert_int_equal(hipDeviceSynchronize(), 0);
    assert_int_equal(kilnSimGetLaunchStats(&stats), 0);
    return stats;
}

static void waiting_for_the_clock_takes_time_and_few_instructions(void **state)
{
    (void)state;
    hipEvent_t begin, end;
    float ms = 0;
    assert_int_equal(kilnSimSetOption("async", "0"), 0);
    assert_int_equal(hipEventCreate(&begin), 0);
    assert_int_equal(hipEventCreate(&end), 0);
    assert_int_equal(hipEventRecord(begin, NULL), 0);
    const uint64_t ticks = 20000000000u; // ten seconds
    kiln_sim_launch_stats_t stats = wait_for("wait", ticks);
    assert_int_equal(hipEventRecord(end, NULL), 0);
    assert_in_range(out->cycles, ticks, ticks + ticks / 63);
    assert_in_range(out->looks, 256, 3000);
    assert_in_range(stats.instructions, 256, 50000);
    assert_in_range(stats.waited_cycles, ticks - 4 * stats.instructions - 64 * out->looks,
                    out->cycles);
    assert_int_equal(hipEventElapsedTime(&ms, begin, end), 0);
    assert_true(ms > (double)stats.waited_cycles / (GHZ * 1e6) &&
                ms < (double)out->cycles / (GHZ * 1e6) + 10);
    stats = wait_for("wait_asleep", ticks / 21);
    assert_in_range(out->cycles, ticks - 21, ticks + ticks / 63);
    assert_in_range(stats.instructions, 256, 50000);
    // Neither short waits nor waits that access memory are shortened.
    stats = wait_for("wait", 10000);
    assert_int_equal(stats.waited_cycles, 0);
    assert_in_range(out->cycles, 10000, 10200);
    stats = wait_for("wait_for_word", 1000000);
    assert_int_equal(stats.waited_cycles, 0);
    assert_in_range(out->cycles, 1000000, 1000200);
    stats = wait_for("log", 1000000);
    assert_int_equal(stats.waited_cycles, 0);
    // A sleep of ten times 64 cycles.
    stats = wait_for("wait_asleep", 10000 / 21);
    assert_int_equal(stats.waited_cycles, 0);
    assert_in_range(out->looks, 10000 / 800, 10000 / 640 + 1);
    assert_int_equal(hipEventDestroy(begin), 0);
    assert_int_equal(hipEventDestroy(end), 0);
}

static void streams_are_busy_for_as_long(void **state)
{
    (void)state;
    hipStream_t stream;
    hipFunction_t function;
    struct {
        void *out;
        uint64_t ticks;
    } arguments = {out, 105000000}; // 50 ms
    size_t size = sizeof arguments;
    void *extra[] = {(void *)1, &arguments, (void *)2, &size, (void *)3};
    struct timespec before, after;
    assert_int_equal(kilnSimSetOption("async", "1"), 0);
    assert_int_equal(hipStreamCreate(&stream), 0);
    assert_int_equal(hipModuleGetFunction(&function, clocks, "wait"), 0);
    clock_gettime(CLOCK_MONOTONIC, &before);
    assert_int_equal(hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, NULL, extra), 0);
    assert_int_equal(hipStreamSynchronize(stream), 0);
    clock_gettime(CLOCK_MONOTONIC, &after);
    const double ms = (double)(after.tv_sec - before.tv_sec) * 1e3 +
                      (double)(after.tv_nsec - before.tv_nsec) * 1e-6;
    assert_true(ms >= 49);
    assert_int_equal(hipStreamDestroy(stream), 0);
    assert_int_equal(kilnSimSetOption("async", "0"), 0);
}

// Without a prediction: at least the time that the bandwidth of memory and link requires.
static void copies_take_what_they_must(void **state)
{
    (void)state;
    enum { BYTES = 1 << 20 };
    hipEvent_t events[3];
    char *memory, *host = calloc(1, BYTES);
    float ms;
    assert_int_equal(hipMalloc((void **)&memory, BYTES), 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(hipEventCreate(&events[i]), 0);
    assert_int_equal(hipEventRecord(events[0], NULL), 0);
    assert_int_equal(hipMemset(memory, 0, BYTES), 0);
    assert_int_equal(hipEventRecord(events[1], NULL), 0);
    assert_int_equal(hipMemcpy(memory, host, BYTES, 1), 0);
    assert_int_equal(hipEventRecord(events[2], NULL), 0);
    assert_int_equal(hipEventElapsedTime(&ms, events[0], events[1]), 0);
    assert_true(fabs((double)ms - BYTES / 5324.8e6) < 1e-6);
    assert_int_equal(hipEventElapsedTime(&ms, events[1], events[2]), 0);
    assert_true(fabs((double)ms - BYTES / 64e6) < 1e-6);
    for (int i = 0; i < 3; i++)
        assert_int_equal(hipEventDestroy(events[i]), 0);
    assert_int_equal(hipFree(memory), 0);
    free(host);
}

static int load(void **state)
{
    (void)state;
    return hipModuleLoad(&clocks, KILN_BINARY_DIR "/test/sim_kernels/clock.hsaco") ||
           hipMalloc((void **)&out, sizeof *out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waiting_for_the_clock_takes_time_and_few_instructions),
        cmocka_unit_test(streams_are_busy_for_as_long),
        cmocka_unit_test(copies_take_what_they_must)};
    return cmocka_run_group_tests(tests, load, NULL);
}
