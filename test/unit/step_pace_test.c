// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the steps of a small loop are predicted to take (passes/steps/step_pace.h): the cycles of
// each operation come from step_cycles.h, and the tests add them up as that header says.
#include <stdio.h>

#include "analysis_module.h"

#include "analysis/machine/step_cycles.h"
#include "base/gfx942.h"
#include "passes/rewrite/sched_barrier.h"
#include "passes/steps/step_pace.h"

enum { DOT = 1, READ_A, READ_B, STORE, LOAD, LOOP };

// A step that loads the next tile of A, multiplies, and stores what it has loaded: by `waves` waves
// in `rows` rows.
static const char TEXT[] =
    "#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [%d, 1], "
    "order = [1, 0]}>\n"
    "#mma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [%d, 2], instrShape = [16, 16, 16], "
    "isTransposed = true}>\n"
    "#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>\n"
    "#c = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>\n"
    "#s = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 16, order = [1, 0]}>\n"
    "#smem = #ttg.shared_memory\n"
    "module attributes {\"ttg.num-warps\" = %d : i32} {\n"
    "tt.func @f(%%n: i32, %%p: tensor<%dx32x!tt.ptr<f16>, #b>, %%zero: tensor<%dx64xf32, #mma>) {\n"
    "  %%c0 = arith.constant 0 : i32\n"
    "  %%c1 = arith.constant 1 : i32\n"
    "  %%A = ttg.local_alloc : () -> !ttg.memdesc<%dx32xf16, #s, #smem, mutable>\n"
    "  %%B = ttg.local_alloc : () -> !ttg.memdesc<32x64xf16, #s, #smem, mutable>\n"
    "  %%r = scf.for %%i = %%c0 to %%n step %%c1 iter_args(%%sum = %%zero) -> "
    "(tensor<%dx64xf32, #mma>) : i32 {\n"
    "    %%x = tt.load %%p {tag = 5 : i32} : tensor<%dx32x!tt.ptr<f16>, #b>\n"
    "    %%a = ttg.local_load %%A {tag = 2 : i32} : !ttg.memdesc<%dx32xf16, #s, #smem, mutable> -> "
    "tensor<%dx32xf16, #a>\n"
    "    %%b = ttg.local_load %%B {tag = 3 : i32} : !ttg.memdesc<32x64xf16, #s, #smem, mutable> -> "
    "tensor<32x64xf16, #c>\n"
    "    %%d = tt.dot %%a, %%b, %%sum {tag = 1 : i32} : tensor<%dx32xf16, #a> * "
    "tensor<32x64xf16, #c> -> tensor<%dx64xf32, #mma>\n"
    "    ttg.local_store %%x, %%A {tag = 4 : i32} : tensor<%dx32xf16, #b> -> "
    "!ttg.memdesc<%dx32xf16, #s, #smem, mutable>\n"
    "    scf.yield %%d : tensor<%dx64xf32, #mma>\n"
    "  } {tag = 6 : i32}\n"
    "  tt.return\n"
    "}\n"
    "}\n";

typedef struct fixture {
    test_module_t test;
    kiln_step_kernel_t kernel;
    kiln_step_schedule_t schedule;
    int64_t matrix, reads, store, load; // cycles
} fixture_t;

static fixture_t create(int waves, int rows, unsigned workgroups)
{
    enum { ROUND = KILN_GFX942_LANES * KILN_GFX942_SIMDS, HALF = 2 };
    char text[sizeof TEXT + 512];
    snprintf(text, sizeof text, TEXT, waves, waves / 2, waves, rows, rows, rows, rows, rows, rows,
             rows, rows, rows, rows, rows, rows);
    fixture_t f = {.test = parse_module(text),
                   .kernel = {.waves = waves, .lds_bytes = KILN_GFX942_LDS_BYTES / workgroups}};
    assert_null(kiln_step_schedule_create(tagged(&f.test, LOOP), &f.schedule));
    f.matrix = kiln_op_cycles(tagged(&f.test, DOT), waves).matrix;
    f.reads = kiln_op_cycles(tagged(&f.test, READ_A), waves).lds +
              kiln_op_cycles(tagged(&f.test, READ_B), waves).lds;
    f.store = kiln_op_cycles(tagged(&f.test, STORE), waves).lds;
    f.load = (int64_t)rows * 32 * HALF / waves * KILN_GFX942_SIMDS / KILN_GFX942_L1_CYCLE_BYTES;
    assert_true(f.matrix > 0 && f.reads > 0 && f.store > 0);
    return f;
}

static void destroy(fixture_t *f)
{
    kiln_step_schedule_free(&f->schedule);
    free_module(&f->test);
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static kiln_step_time_t time_of(const fixture_t *f)
{
    kiln_step_time_t time;
    assert_null(kiln_step_time(&f->kernel, &f->schedule, &time));
    return time;
}

// One barrier before the reads of A and one before the store.
static int64_t waits(void)
{
    return INT64_C(2) * 2 * KILN_GFX942_LDS_LATENCY;
}

static void a_section_takes_its_reads_and_its_busiest_unit(void **state)
{
    (void)state;
    fixture_t f = create(4, 64, 1);
    const kiln_step_time_t time = time_of(&f);
    assert_int_equal(time.waves, 1);
    // Nothing keeps the load from moving to the store.
    assert_int_equal(time.cycles, f.reads + f.matrix + f.store + f.load + waits());
    destroy(&f);
}

static void a_fence_keeps_loads_in_their_section(void **state)
{
    (void)state;
    fixture_t f = create(4, 64, 1);
    assert_null(kiln_hold_back_stores(&f.schedule));
    assert_int_equal(time_of(&f).cycles, f.reads + most(f.matrix, f.load) + f.store + waits());
    destroy(&f);
}

static void further_workgroups_add_their_busiest_unit(void **state)
{
    (void)state;
    fixture_t one = create(4, 64, 1), two = create(4, 64, 2), three = create(4, 64, 3);
    const int64_t busy = most(one.matrix, one.reads + one.store + one.load);
    const kiln_step_time_t time = time_of(&two);
    assert_int_equal(time.waves, 2);
    assert_int_equal(time.cycles, time_of(&one).cycles + busy);
    assert_int_equal(time_of(&three).waves, 3);
    // Of three waves, one always has work for that unit.
    assert_int_equal(time_of(&three).cycles, most(time.cycles, 3 * busy + waits()));
    destroy(&one);
    destroy(&two);
    destroy(&three);
}

static void waves_with_priorities_do_not_add_to_a_step(void **state)
{
    (void)state;
    fixture_t one = create(4, 64, 1), two = create(4, 64, 2);
    const int64_t busy = most(one.matrix, one.reads + one.store + one.load);
    two.schedule.clusters[0].priority = 1;
    assert_int_equal(time_of(&two).cycles, most(time_of(&one).cycles, 2 * busy + waits()));
    destroy(&one);
    destroy(&two);
}

static void waves_of_a_workgroup_take_turns_or_not(void **state)
{
    (void)state;
    fixture_t f = create(8, 128, 1);
    const int64_t memory = f.store + f.load, dot = f.reads + f.matrix;
    assert_int_equal(time_of(&f).waves, 2);
    // They meet at barriers, so each section takes its time twice.
    assert_int_equal(time_of(&f).cycles, 2 * (dot + memory) + waits());
    // In two groups one is in the part that the other has left.
    f.schedule.wave_groups = 2;
    const int64_t both = most(f.matrix, f.reads + memory);
    assert_int_equal(time_of(&f).cycles, 2 * most(most(dot, memory), both) + waits());
    destroy(&f);
}

static void without_room_there_are_no_waves(void **state)
{
    (void)state;
    fixture_t f = create(4, 64, 1);
    f.kernel.lds_bytes = KILN_GFX942_LDS_BYTES + 1;
    assert_int_equal(time_of(&f).waves, 0);
    destroy(&f);
}

// A tile whose sums leave room for one wave on a SIMD, though LDS has room for two.
static void registers_limit_the_waves(void **state)
{
    (void)state;
    fixture_t f = create(4, 1024, 2);
    assert_int_equal(time_of(&f).waves, 1);
    destroy(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_section_takes_its_reads_and_its_busiest_unit),
        cmocka_unit_test(a_fence_keeps_loads_in_their_section),
        cmocka_unit_test(further_workgroups_add_their_busiest_unit),
        cmocka_unit_test(waves_with_priorities_do_not_add_to_a_step),
        cmocka_unit_test(waves_of_a_workgroup_take_turns_or_not),
        cmocka_unit_test(without_room_there_are_no_waves),
        cmocka_unit_test(registers_limit_the_waves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
