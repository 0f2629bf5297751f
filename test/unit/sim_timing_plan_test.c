// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which workgroups the clock models, and the clock frequency that a device sustains, both through
// their interfaces.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "timing/interval.h"
#include "timing/parameters.h"
#include "timing/predict.h"
#include "timing/without.h"

// A small device: 4 compute units on 2 XCDs.
enum { UNITS = 4, XCDS = 2, WAVES = 1 };

static kiln_timing_plan_t make_plan(uint64_t grid, unsigned resident)
{
    kiln_timing_plan_t plan;
    assert_true(kiln_timing_plan_make(&plan, grid, UNITS, XCDS, resident, WAVES));
    return plan;
}

static void small_grids(void **state)
{
    (void)state;
    // Fewer workgroups than compute units: one turn, whose workgroups are all in the plan.
    kiln_timing_plan_t plan = make_plan(3, 2);
    assert_int_equal(plan.ranks, 1);
    assert_int_equal(plan.own, 1);
    assert_int_equal(plan.id_count, 3);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(plan.ids[i], i);
    kiln_timing_plan_free(&plan);
    // Workgroup 1 is on the other XCD, and is a peer; workgroup 2 is on the same.
    plan = make_plan(4, 2);
    kiln_timing_plan_choose(&plan);
    const kiln_timing_group_t *own = kiln_timing_plan_own(&plan, 0);
    assert_int_equal(own->id % XCDS, 0);
    assert_non_null(kiln_timing_plan_companion(&plan, 0, 0));
    assert_int_equal(kiln_timing_plan_companion(&plan, 0, 0)->id % XCDS, 0);
    assert_int_equal(kiln_timing_plan_peer(&plan, 0, 0)->id % XCDS, 1);
    assert_null(kiln_timing_plan_find(&plan, 4));
    kiln_timing_plan_free(&plan);
}

// A large grid: generations of co-resident workgroups, from its start to its end.
static void large_grids(void **state)
{
    (void)state;
    const unsigned resident = 2;
    const uint64_t ranks = 1000;
    kiln_timing_plan_t plan = make_plan(ranks * UNITS, resident);
    assert_int_equal(plan.ranks, ranks);
    assert_int_equal(plan.own % resident, 0);
    assert_true(plan.own < ranks);
    uint64_t before = 0;
    for (unsigned own = 0; own < plan.own; own++) {
        const uint64_t rank = kiln_timing_plan_base(&plan, own)->id / UNITS;
        if (own == 0)
            assert_int_equal(rank, 0);
        else if (own % resident)
            assert_int_equal(rank, before + 1); // neighbours are co-resident
        else
            assert_true(rank > before + resident);
        before = rank;
    }
    assert_int_equal(before, ranks - 1);
    // Each id occurs once, ascending, and every id is found.
    for (size_t i = 0; i < plan.id_count; i++) {
        assert_true(i == 0 || plan.ids[i] > plan.ids[i - 1]);
        assert_non_null(kiln_timing_plan_find(&plan, plan.ids[i]));
        assert_int_equal(kiln_timing_plan_find(&plan, plan.ids[i])->id, plan.ids[i]);
    }
    kiln_timing_plan_free(&plan);
}

// Sets the number of each workgroup's memory accesses.
static void give_work(kiln_timing_plan_t *plan, size_t (*work)(uint64_t id))
{
    for (size_t i = 0; i < plan->id_count; i++) {
        kiln_timing_group_t *group = kiln_timing_plan_find(plan, plan->ids[i]);
        group->waves[0].memory_count = work(group->id);
    }
    kiln_timing_plan_choose(plan);
}

static size_t alike(uint64_t id)
{
    (void)id;
    return 10;
}

static size_t second_xcd_more(uint64_t id)
{
    return id % XCDS ? 70 : 10;
}

static size_t second_unit_more(uint64_t id)
{
    return id % UNITS == 2 ? 30 : 10;
}

static size_t one_works(uint64_t id)
{
    return id == 0 ? 10 : 0;
}

// Which workgroups are replayed, and how many each represents. Workgroups 0 and 2 are on the first
// XCD, on two compute units; 1 is the peer of 0.
static void uneven_work(void **state)
{
    (void)state;
    static const struct {
        size_t (*work)(uint64_t id);
        uint64_t grid, replayed; // id of the replayed workgroup of the first row
        double scale;
    } cases[] = {
        {alike, 4, 0, 1},
        {second_xcd_more, 4, 1, 1},  // on the XCD with the most work
        {second_unit_more, 4, 2, 1}, // no second turn: the unit with the most work
        {one_works, 8, 0,
         0.5 * 10 / 10.}, // the second turn has no work: half of the replayed unit's work
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kiln_timing_plan_t plan = make_plan(cases[i].grid, 1);
        give_work(&plan, cases[i].work);
        assert_int_equal(kiln_timing_plan_own(&plan, 0)->id, cases[i].replayed);
        assert_float_equal(plan.scale, cases[i].scale, 1e-9);
        assert_int_equal(kiln_timing_plan_companion(&plan, 0, 0)->id % XCDS, 0);
        kiln_timing_plan_free(&plan);
    }
}

static size_t last_column_more(uint64_t id)
{
    return id >= 240 ? 50 : 10;
}

// The last workgroup of a row is replayed if it has more work than others: scaling another one's
// time would count narrow accesses at the edge of a tensor like wide ones.
static void work_at_the_edge(void **state)
{
    (void)state;
    kiln_timing_plan_t plan;
    assert_true(kiln_timing_plan_make(&plan, 256, 304, 8, 1, WAVES));
    give_work(&plan, last_column_more);
    assert_int_equal(kiln_timing_plan_own(&plan, 0)->id, 31 * 8);
    assert_float_equal(plan.scale, 1, 1e-9);
    kiln_timing_plan_free(&plan);
}

// The clock that a device holds if `busy` of its compute units keep units of a kind busy.
static double held(const char *device, kiln_timing_power_t kind, double busy, double hbm_gb_s)
{
    kiln_timing_load_t load = {.hbm_gb_s = hbm_gb_s};
    load.busy[kind] = busy;
    return kiln_timing_power_clock(kiln_sim_product_find(device), &load);
}

// The programs from whose clock or power the table is derived get that clock, within what the
// rounded numbers of the table allow.
static void power(void **state)
{
    (void)state;
    const double units = 304, max = kiln_sim_product_find("mi300x")->clock_mhz;
    // Idle units, and f32 multiply-adds on all compute units (591 W), keep the full clock.
    assert_true(fabs(held("mi300x", KILN_TIMING_POWER_VECTOR, 0, 0) - max) < 1e-6);
    assert_true(fabs(held("mi300x", KILN_TIMING_POWER_VECTOR, units, 0) - max) < 1e-6);
    // MAF's products: matrix units, half of the LDS, 5 TB/s from the L2, 0.4 from memory.
    kiln_timing_load_t product = {.hbm_gb_s = 400};
    product.busy[KILN_TIMING_POWER_MATRIX_16] = 0.94 * units;
    product.busy[KILN_TIMING_POWER_LDS] = 0.47 * units;
    product.busy[KILN_TIMING_POWER_L1] = product.busy[KILN_TIMING_POWER_L2] = 0.3 * units;
    const double f16 = kiln_timing_power_clock(kiln_sim_product_find("mi300x"), &product);
    assert_true(fabs(f16 - 1160) < 25);
    product.busy[KILN_TIMING_POWER_MATRIX_16] = 0;
    product.busy[KILN_TIMING_POWER_MATRIX_8] = 0.83 * units;
    const double fp8 = kiln_timing_power_clock(kiln_sim_product_find("mi300x"), &product);
    assert_true(fabs(fp8 - 1230) < 25);
    // At the limit, half of the work is faster by the cube root of two, wherever it is.
    const double all = held("mi300x", KILN_TIMING_POWER_MATRIX_64, units, 0);
    assert_true(fabs(held("mi300x", KILN_TIMING_POWER_MATRIX_64, units / 2, 0) - all * cbrt(2)) <
                1e-6);
    // Streams from memory leave less, but always something.
    const double with_streams = held("mi300x", KILN_TIMING_POWER_MATRIX_64, units, 3000);
    assert_true(with_streams < all);
    assert_true(held("mi300x", KILN_TIMING_POWER_MATRIX_64, units, 1e6) > 0);
    // An MI325X, with a third more power, holds a clock of a fifth more.
    assert_true(fabs(held("mi325x", KILN_TIMING_POWER_MATRIX_64, units, 0) - 1.2 * all) < 1e-6);
}

// MI308X's matrix instructions start as at 1048 MHz, those of i8 and of wide types as at 1239. Its
// clock, and other devices, are not limited.
static void limiter(void **state)
{
    (void)state;
    const kiln_sim_product_t *limited = kiln_sim_product_find("mi308x"),
                             *other = kiln_sim_product_find("mi300x");
    assert_true(fabs(kiln_timing_matrix_longer(limited, KILN_TIMING_POWER_MATRIX_8, 1850) -
                     802. / 1048) < 1e-6);
    assert_true(fabs(kiln_timing_matrix_longer(limited, KILN_TIMING_POWER_MATRIX_I8, 1850) -
                     611. / 1239) < 1e-6);
    assert_true(kiln_timing_matrix_longer(limited, KILN_TIMING_POWER_MATRIX_16, 1000) == 0);
    assert_true(kiln_timing_matrix_longer(other, KILN_TIMING_POWER_MATRIX_16, 2100) == 0);
    assert_true(fabs(held("mi308x", KILN_TIMING_POWER_MATRIX_8, 40, 0) - 1850) < 1e-6);
}

// What is left of a launch of 100 us at 2000 MHz, at another clock frequency.
static void between(void **state)
{
    (void)state;
    static const struct {
        double us, held, busy; // of the replay at 2000 MHz; the frequency then; the busiest unit
        double expected_us;    // 0: needs a replay
        double expected_mhz;
    } cases[] = {
        {70, 2000, 0, 70, 2000},       // the same frequency
        {70, 1985, 0, 70, 2000},       // within 1 percent of it
        {95, 1900, 0, 0, 0},           // 5 us longer in cycles: all of the gain
        {95, 1900, 0.9, 99.75, 1900},  // a tenth of them is unsure
        {50, 1900, 0, 51.31579, 1900}, // 2.63 us of a gain of 50
        {50, 2500, 0, 0, 0},           // 10 us shorter, a fifth of the gain
        {50, 2500, 1, 40, 2500},       // all of it scales with the frequency
        {40, 2500, 0, 36, 2500},       // 8 us shorter, of a gain of 60
        {60, 1805, 0, 63.24100, 1805}, // 6.48 us longer, almost a sixth of the gain
        {60, 1790, 0, 0, 0},           // more than a sixth of it
        {100, 1900, 0, 0, 0},          // no gain
        {110, 2500, 0, 0, 0},          // a loss
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kiln_sim_prediction_t p = {.microseconds = cases[i].us,
                                   .cycles = cases[i].us * 2000,
                                   .clock_mhz = 2000,
                                   .l1_busy = cases[i].busy};
        const bool taken = kiln_timing_take_between(100, cases[i].held, &p);
        assert_int_equal(taken, cases[i].expected_us > 0);
        assert_true(fabs(p.microseconds - (taken ? cases[i].expected_us : cases[i].us)) < 1e-4);
        assert_true(p.clock_mhz == (taken ? cases[i].expected_mhz : 2000));
        assert_true(fabs(p.cycles - p.microseconds * p.clock_mhz) < 1e-6);
    }
}

// An interval is that of measured kernels with the same length and bound.
static void interval(void **state)
{
    (void)state;
    kiln_sim_prediction_t p = {.microseconds = 50, .mfma_busy = 0.2, .hbm_busy = 0.4};
    assert_int_equal(kiln_timing_bound_of(&p), KILN_TIMING_BOUND_LATENCY);
    p.mfma_busy = 0.6;
    assert_int_equal(kiln_timing_bound_of(&p), KILN_TIMING_BOUND_COMPUTE);
    p.hbm_busy = 0.8;
    assert_int_equal(kiln_timing_bound_of(&p), KILN_TIMING_BOUND_MEMORY);
    static const double lengths[] = {1, 50, 500, 5000};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        for (unsigned bound = 0; bound < 3; bound++) {
            p = (kiln_sim_prediction_t){.microseconds = lengths[i],
                                        .valu_busy = bound == KILN_TIMING_BOUND_COMPUTE,
                                        .lds_busy = bound == KILN_TIMING_BOUND_MEMORY};
            kiln_timing_interval_fill(&p);
            assert_true(p.min_microseconds > 0.3 * lengths[i]);
            assert_true(p.min_microseconds < p.max_microseconds);
            assert_true(p.max_microseconds < 4 * lengths[i]);
            assert_true(p.similar_points >= 5);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_grids), cmocka_unit_test(large_grids),
        cmocka_unit_test(uneven_work), cmocka_unit_test(work_at_the_edge),
        cmocka_unit_test(power),       cmocka_unit_test(limiter),
        cmocka_unit_test(between),     cmocka_unit_test(interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
