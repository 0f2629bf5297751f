// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Predictions of whole launches: the same every time, regardless of who executes them and how much
// is executed; the state of the caches after launches; and workgroups that exit immediately.
#include "sim_check_run.h"

#include <math.h>
#include <sys/mman.h>

#include "kiln/sim.h"
#include "sim/port/machine.h"
#include "timing/parameters.h"

enum { ITEMS = 256, BYTES = 64 << 20 };

typedef struct machine {
    kiln_sim_machine_t *machine;
    kiln_sim_code_object_t *object;
    void *from, *to;
} machine_t;

static char *object_bytes;
static size_t object_size;

static int assemble(void **state)
{
    (void)state;
    return check_assemble_source("clock.s", &object_bytes, &object_size);
}

static int discard(void **state)
{
    (void)state;
    free(object_bytes);
    return 0;
}

static machine_t make_machine_with(const char *clock, const char *threads, const char *name,
                                   const char *value)
{
    const kiln_sim_setting_t settings[] = {
        {"clock", clock}, {"threads", threads}, {"device", "mi300x"}, {name, value}};
    machine_t m = {0};
    kiln_sim_error_t error = {0};
    assert_true(kiln_sim_machine_create(settings, 4, &m.machine, &error));
    assert_true(kiln_sim_machine_load(m.machine, object_bytes, object_size, &m.object, &error));
    m.from = kiln_sim_machine_allocate(m.machine, BYTES, &error);
    m.to = kiln_sim_machine_allocate(m.machine, BYTES, &error);
    assert_non_null(m.from);
    assert_non_null(m.to);
    return m;
}

static machine_t make_machine(const char *clock, const char *threads)
{
    return make_machine_with(clock, threads, "threads", threads);
}

static kiln_sim_prediction_t predict(const machine_t *m, const char *kernel, unsigned groups)
{
    const void *arguments[] = {m->from, m->to};
    const kiln_sim_dispatch_t dispatch = {.struct_size = sizeof dispatch,
                                          .kernel = kiln_sim_object_kernel(m->object, kernel),
                                          .grid = {groups, 1, 1},
                                          .block = {ITEMS, 1, 1},
                                          .packed = arguments,
                                          .packed_size = sizeof arguments};
    kiln_sim_error_t error = {0};
    kiln_sim_result_t *result;
    kiln_sim_prediction_t p = {.struct_size = sizeof p};
    if (!kiln_sim_machine_launch(m->machine, &dispatch, &result, &error))
        fail_msg("%s: %s", kernel, error.text);
    assert_true(kiln_sim_result_prediction(result, &p));
    kiln_sim_result_free(result);
    return p;
}

static kiln_sim_prediction_t predict_once(const char *clock, const char *threads,
                                          const char *kernel, unsigned groups)
{
    const machine_t m = make_machine(clock, threads);
    const kiln_sim_prediction_t p = predict(&m, kernel, groups);
    kiln_sim_machine_destroy(m.machine);
    return p;
}

// Predictions are equal to the cycle.
static void same_every_time(void **state)
{
    (void)state;
    static const struct {
        const char *kernel;
        unsigned groups;
    } launches[] = {{"copies", 1000}, {"passes", 700}, {"mostly_idle", 3000},
                    {"all_work", 50}, {"jumps", 400},  {"polls", 304}};
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
        const char *kernel = launches[i].kernel;
        const kiln_sim_prediction_t one = predict_once("model", "1", kernel, launches[i].groups);
        const kiln_sim_prediction_t again = predict_once("model", "1", kernel, launches[i].groups);
        const kiln_sim_prediction_t two = predict_once("model", "2", kernel, launches[i].groups);
        kiln_sim_prediction_t only = predict_once("only", "2", kernel, launches[i].groups);
        assert_true(only.unexecuted && !one.unexecuted);
        only.unexecuted = false;
        assert_true(one.cycles > 0);
        assert_memory_equal(&one, &again, sizeof one);
        assert_memory_equal(&one, &two, sizeof one);
        assert_memory_equal(&one, &only, sizeof one);
    }
}

static void caches_stay_warm(void **state)
{
    (void)state;
    enum { GROUPS = 304 }; // 20 MB each way: more than the L2s hold, less than the Infinity Cache
    const machine_t m = make_machine("model", "1");
    const double cold = predict(&m, "copies", GROUPS).cycles;
    const double warm = predict(&m, "copies", GROUPS).cycles;
    assert_true(warm < 0.95 * cold);
    assert_float_equal(predict(&m, "copies", GROUPS).cycles, warm, 1e-6);
    kiln_sim_machine_flush(m.machine, UINT64_MAX);
    const double flushed = predict(&m, "copies", GROUPS).cycles;
    assert_true(flushed > warm && flushed <= cold); // code is not flushed
    assert_float_equal(predict(&m, "copies", GROUPS).cycles, warm, 1e-6);
    kiln_sim_machine_destroy(m.machine);
}

// What other work has used replaces as much in the Infinity Cache as does not fit beside it.
static void flushes_by_bytes(void **state)
{
    (void)state;
    enum { GROUPS = 304, FEW = 4 }; // 20 MB each way
    const machine_t m = make_machine("model", "1");
    const uint64_t bytes[] = {0, 64 << 20, 256 << 20, 1 << 30, UINT64_MAX};
    double hbm[sizeof bytes / sizeof *bytes];
    predict(&m, "copies", GROUPS);
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        kiln_sim_machine_flush(m.machine, bytes[i] / 2);
        kiln_sim_machine_flush(m.machine, bytes[i] - bytes[i] / 2);
        hbm[i] = predict(&m, "copies", GROUPS).hbm_bytes;
    }
    assert_float_equal(hbm[1], hbm[0], 1e-6);
    assert_true(hbm[2] > 1.1 * hbm[1]);
    assert_true(hbm[3] > 1.1 * hbm[2]);
    assert_float_equal(hbm[4], hbm[3], 1e-6);

    // What little a launch uses stays, although as much as the Infinity Cache holds is written: the
    // L2s have not written back the last of it.
    predict(&m, "copies", FEW);
    kiln_sim_machine_flush(m.machine, 0);
    const double few = predict(&m, "copies", FEW).hbm_bytes;
    kiln_sim_machine_flush(m.machine, 256 << 20);
    assert_float_equal(predict(&m, "copies", FEW).hbm_bytes, few, 1e-6);
    kiln_sim_machine_flush(m.machine, 512 << 20);
    assert_true(predict(&m, "copies", FEW).hbm_bytes > 1.1 * few);
    kiln_sim_machine_destroy(m.machine);
}

// Data that fits into the L2 comes from there, unless other work has replaced it.
static void l2_stays_warm(void **state)
{
    (void)state;
    const machine_t m = make_machine("model", "1");
    predict(&m, "passes", 1);
    const kiln_sim_prediction_t warm = predict(&m, "passes", 1);
    kiln_sim_machine_flush(m.machine, 0);
    const kiln_sim_prediction_t flushed = predict(&m, "passes", 1);
    assert_true(warm.l2_hits > flushed.l2_hits);
    assert_true(warm.cycles < flushed.cycles);
    kiln_sim_machine_destroy(m.machine);
}

// Each XCD has an L2 of its own for its eighth of the workgroups. A launch whose data exceeds one
// L2 but fits all of them finds the data there again, including data that the same XCD has written,
// and an eighth of the data that all XCDs have written.
static void each_xcd_has_its_l2(void **state)
{
    (void)state;
    enum { GROUPS = 304 * 3 }; // 3.7 MB each way
    const machine_t m = make_machine("model", "1");
    machine_t back = m;
    back.from = m.to;
    back.to = m.from;
    const double cold = predict(&m, "passes", GROUPS).l2_hits;
    const double warm = predict(&m, "passes", GROUPS).l2_hits;
    assert_true(warm > cold + 0.4);
    assert_true(predict(&back, "passes", GROUPS).l2_hits > cold + 0.4);
    const double other = predict(&m, "passes_next", GROUPS).l2_hits;
    assert_true(other < warm - 0.2);
    assert_true(predict(&m, "passes_next", GROUPS).l2_hits > other + 0.2);
    kiln_sim_machine_destroy(m.machine);
}

// The fuller an L2 is, the less of its data is found again: sets are filled unevenly, and one that
// has more lines than ways keeps none of them.
static void full_l2_loses_lines(void **state)
{
    (void)state;
    // Eighths of the L2 that an XCD touches (64 KB each way for a workgroup), and the fraction of
    // lines that it finds again: that a set has at most 15 others, by the Poisson distribution.
    static const struct {
        unsigned eighths;
        double found;
    } cases[] = {{2, 1}, {4, 0.992}, {6, 0.844}, {8, 0.467}, {10, 0.157}};
    double full = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const unsigned groups = cases[i].eighths * (KILN_GFX942_L2_BYTES / (128 << 10));
        const machine_t m = make_machine("only", "1");
        const double cold = predict(&m, "copies", groups).l2_hits;
        const double gain = predict(&m, "copies", groups).l2_hits - cold;
        kiln_sim_machine_destroy(m.machine);
        full = full > 0 ? full : gain;
        assert_true(fabs(gain / full - cases[i].found) < 0.02);
    }
}

// What is dirty in the L2s is written to the Infinity Cache when a launch ends, each line once.
static void dirty_lines_are_written_back(void **state)
{
    (void)state;
    enum { KB = 64, LINES = KB * 1024 / KILN_GFX942_L2_LINE }; // of a workgroup
    const double line = KILN_GFX942_L2_LINE * 8 * 2.1 / KILN_TIMING_MALL_BANDWIDTH; // cycles
    static const unsigned groups[] = {8, 64, 128};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        const machine_t m = make_machine_with("only", "1", "clock_mhz", "2100");
        predict(&m, "copies", groups[i]);
        predict(&m, "copies_to_one", groups[i]);
        const double each = predict(&m, "copies", groups[i]).cycles,
                     one = predict(&m, "copies_to_one", groups[i]).cycles,
                     more = LINES * (groups[i] / 8. - 1) * line;
        kiln_sim_machine_destroy(m.machine);
        if (fabs(each - one - more) > 0.03 * each)
            fail_msg("%u workgroups: %g and %g cycles, expected %g more", groups[i], one, each,
                     more);
    }
}

// Lines that are written back at the end take part of the time, and those that other lines replaced
// before are written once more.
static void no_unit_is_busier_than_the_launch(void **state)
{
    (void)state;
    static const struct {
        const char *kernel;
        unsigned groups;
    } launches[] = {{"fills", 8},           {"fills", 304},         {"fills", 512},
                    {"fills", 1024},        {"fills", 8192},        {"copies", 512},
                    {"copies_again", 4096}, {"copies_to_one", 1024}};
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
        const machine_t m = make_machine_with("only", "1", "caches", "cold");
        const kiln_sim_prediction_t p = predict(&m, launches[i].kernel, launches[i].groups);
        kiln_sim_machine_destroy(m.machine);
        if (p.hbm_busy > 1 || p.l2_busy > 1 || p.l1_busy > 1)
            fail_msg("%s, %u workgroups: HBM %g, L2 %g, L1 %g", launches[i].kernel,
                     launches[i].groups, p.hbm_busy, p.l2_busy, p.l1_busy);
    }
    // Four times the bytes of one launch take at least three times its time.
    const double once = predict_once("only", "1", "fills", 1024).microseconds,
                 four = predict_once("only", "1", "fills", 4096).microseconds;
    assert_true(four > 3 * once);
}

// What an XCD touches decides what its L2 holds at the end, so launches that differ in that are not
// equal: here it is estimated by the size of the allocation.
static void allocations_differ(void **state)
{
    (void)state;
    double cycles[2][3];
    for (unsigned once = 0; once < 2; once++) {
        const kiln_sim_setting_t settings[] = {
            {"clock", "only"}, {"caches", "cold"}, {"repeats", once ? "once" : "each"}};
        machine_t m = {0};
        kiln_sim_error_t error = {0};
        assert_true(kiln_sim_machine_create(settings, 3, &m.machine, &error));
        assert_true(kiln_sim_machine_load(m.machine, object_bytes, object_size, &m.object, &error));
        m.from = kiln_sim_machine_allocate(m.machine, BYTES, &error);
        void *const to[] = {kiln_sim_machine_allocate(m.machine, BYTES, &error),
                            kiln_sim_machine_allocate(m.machine, 4 * BYTES, &error)};
        for (unsigned i = 0; i < 3; i++) {
            m.to = to[i % 2];
            assert_non_null(m.to);
            cycles[once][i] = predict(&m, "copies_again", 4096).cycles;
        }
        kiln_sim_machine_destroy(m.machine);
    }
    for (unsigned i = 0; i < 3; i++)
        assert_true(fabs(cycles[0][i] - cycles[1][i]) < 0.01 * cycles[0][i]);
}

// Cold caches hold the code but none of the data, even before a kernel's first launch.
static void cold_is_always_the_same(void **state)
{
    (void)state;
    const machine_t m = make_machine_with("model", "1", "caches", "cold");
    const double cycles = predict(&m, "copies", 304).cycles;
    assert_float_equal(predict(&m, "copies", 304).cycles, cycles, 1e-6);
    kiln_sim_machine_destroy(m.machine);
}

// A last round with few workgroups draws little power.
static void last_round_draws_little(void **state)
{
    (void)state;
    const double one = predict_once("only", "1", "multiplies", 304).clock_mhz;
    assert_true(one < 1400);
    const double many = predict_once("only", "1", "multiplies", 304 * 8).clock_mhz;
    assert_in_range(many / one * 1000, 950, 1050);
    const double more = predict_once("only", "1", "multiplies", 304 + 8).clock_mhz;
    assert_in_range(more / one * 1000, 950 * cbrt(2 * 304 / 312.), 1050 * cbrt(2 * 304 / 312.));
}

static machine_t with_other_data(const machine_t *m)
{
    machine_t other = *m;
    kiln_sim_error_t error = {0};
    other.from = kiln_sim_machine_allocate(m->machine, BYTES, &error);
    other.to = kiln_sim_machine_allocate(m->machine, BYTES, &error);
    assert_true(other.from && other.to);
    return other;
}

// A launch on other data does not bring flushed data back, and evicts from the L2 the data that
// does not fit in addition to its own.
static void l2_holds_what_was_used(void **state)
{
    (void)state;
    enum { GROUPS = 304 }; // 20 MB each way
    const machine_t m = make_machine("model", "1"), other = with_other_data(&m);
    predict(&m, "passes", 1);
    const double warm = predict(&m, "passes", 1).cycles;
    predict(&other, "passes", 1);
    assert_float_equal(predict(&m, "passes", 1).cycles, warm, 1e-6);
    kiln_sim_machine_flush(m.machine, 0);
    const double flushed = predict(&m, "passes", 1).cycles;
    assert_true(flushed > warm);
    kiln_sim_machine_flush(m.machine, 0);
    predict(&other, "passes", 1);
    assert_float_equal(predict(&m, "passes", 1).cycles, flushed, 1e-6);
    assert_float_equal(predict(&m, "passes", 1).cycles, warm, 1e-6);
    predict(&other, "copies", GROUPS);
    assert_float_equal(predict(&m, "passes", 1).cycles, flushed, 1e-6);
    kiln_sim_machine_destroy(m.machine);
}

// Memory that a program maps itself (hipMemMap) is device memory, wherever it is.
static void mapped_memory_is_near(void **state)
{
    (void)state;
    enum { GROUPS = 304 };
    kiln_sim_error_t error = {0};
    machine_t m = make_machine("only", "1");
    const double cycles = predict(&m, "copies", GROUPS).cycles;
    kiln_sim_machine_flush(m.machine, UINT64_MAX);
    void *mapped = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(mapped, MAP_FAILED);
    m.from = mapped;
    assert_true(kiln_sim_memory_register(kiln_sim_machine_memory(m.machine), mapped, BYTES,
                                         KILN_SIM_MEMORY_MAPPED, 0, &error));
    const kiln_sim_prediction_t p = predict(&m, "copies", GROUPS);
    assert_in_range(100 * p.cycles / cycles, 80, 110); // code is not flushed
    assert_true(p.hbm_bytes > 0.9 * 2 * GROUPS * 65536);
    kiln_sim_machine_destroy(m.machine);
    munmap(mapped, BYTES);
}

// Scratch memory is device memory, too: loads from it are as fast as from other memory.
static void scratch_is_near(void **state)
{
    (void)state;
    const kiln_sim_prediction_t p = predict_once("only", "1", "spills", 1);
    // Arguments and code come from HBM; stores and loads wait for each other, and all loads except
    // the first hit the L1.
    const double before =
        3 * (KILN_TIMING_HBM_LATENCY + KILN_TIMING_TLB_LATENCY) * p.clock_mhz * 1e-3;
    const double each = KILN_TIMING_L2_WRITE_LATENCY + KILN_TIMING_L1_LATENCY + 100;
    assert_in_range(p.cycles, 16 * (KILN_TIMING_L2_WRITE_LATENCY + KILN_TIMING_L1_LATENCY),
                    before + 16 * each);
}

static void idle_workgroups(void **state)
{
    (void)state;
    enum { GROUPS = 304 * 64 };
    const kiln_sim_prediction_t all = predict_once("only", "1", "all_work", GROUPS);
    const kiln_sim_prediction_t some = predict_once("only", "1", "mostly_idle", GROUPS);
    // A wave that works executes 200 * 16 multiplications with a scalar register; a compute unit's
    // four SIMDs share 64 workgroups.
    const double min = 200. * 16 * 4 * (GROUPS / 304.);
    assert_in_range(all.cycles, (uint64_t)min, (uint64_t)(1.2 * min));
    // An eighth of the work, but every workgroup is dispatched.
    assert_true(some.cycles < all.cycles / 4);
    assert_true(some.cycles > GROUPS / 8. * (ITEMS / 64.) * 100 / KILN_TIMING_DISPATCH_WAVES);
}

// If fewer workgroups work than there are compute units, the launch takes as long as one of them,
// not the average time of a compute unit.
static void a_few_work(void **state)
{
    (void)state;
    enum { GROUPS = 304 * 10 }; // more than are resident at once
    const double cycles = predict_once("only", "1", "first_ones", GROUPS).cycles;
    // A wave has its own SIMD: 200 times 16 multiplications, and an iteration of the loop takes
    // three more instructions.
    const double min = 200. * 16 * KILN_TIMING_ISSUE_CYCLES;
    const double max = 200. * (18 * KILN_TIMING_ISSUE_CYCLES + KILN_TIMING_BRANCH_TAKEN_CYCLES);
    enum { BEFORE = 4000 }; // the kernel's arguments, code and data come from HBM
    assert_in_range(cycles, (uint64_t)min, (uint64_t)max + BEFORE);
}

// Workgroups that exit at once after those that work cost only their dispatch. Only a few
// generations of the launch are examined, one of which is half idle; probes find where the work
// ends.
static void idle_workgroups_after(void **state)
{
    (void)state;
    enum { GROUPS = 1024 * 8 };
    const double some = predict_once("only", "1", "first_half", GROUPS).cycles;
    const double all = predict_once("only", "1", "first_half", 2 * GROUPS).cycles;
    const double dispatch = GROUPS / 8. * (ITEMS / 64.) * 100 / KILN_TIMING_DISPATCH_WAVES;
    assert_true(all > 0.97 * some);
    assert_true(all < 1.05 * some + dispatch);
}

// If all workgroups run at once, the longest ones determine the time, wherever they are in the grid
// and on whichever XCD.
static void longest_decides(void **state)
{
    (void)state;
    static const struct {
        const char *up, *down;
        unsigned groups;
    } launches[] = {{"grows", "shrinks", 1024},
                    {"grows_in_turn", "shrinks_in_turn", 256},
                    {"grows_in_turn", "shrinks_in_turn", 1024}};
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
        const double up = predict_once("only", "1", launches[i].up, launches[i].groups).cycles;
        const double down = predict_once("only", "1", launches[i].down, launches[i].groups).cycles;
        assert_in_range(1000 * up / down, 950, 1050);
    }
}

// The runtime's barrier after which the host waits empties the instruction caches: a launch fetches
// its code from the L2 again, but not from memory as the first one.
static void waiting_hosts(void **state)
{
    (void)state;
    const machine_t in_a_row = make_machine("model", "1"),
                    waited_for = make_machine_with("model", "1", "host_waits", "1");
    const double first = predict(&waited_for, "passes", 1).cycles,
                 again = predict(&waited_for, "passes", 1).cycles;
    assert_float_equal(predict(&in_a_row, "passes", 1).cycles, first, 1e-6);
    const double cached = predict(&in_a_row, "passes", 1).cycles;
    assert_true(again > cached + 0.9 * KILN_TIMING_L2_LATENCY);
    kiln_sim_machine_flush(in_a_row.machine, UINT64_MAX);
    kiln_sim_machine_flush(waited_for.machine, UINT64_MAX);
    assert_true(predict(&waited_for, "passes", 1).cycles < first);
    assert_true(predict(&in_a_row, "passes", 1).cycles < first);
    kiln_sim_error_t error = {0};
    assert_false(kiln_sim_machine_set(in_a_row.machine, "host_waits", "2", &error));
    kiln_sim_machine_destroy(in_a_row.machine);
    kiln_sim_machine_destroy(waited_for.machine);
}

// Kernel arguments are in device memory, where the host has just written them, so that every launch
// waits for HBM; with a ROCm before 6.2 it waits for the host's memory. MI300A has only one memory.
static void arguments(void **state)
{
    (void)state;
    const machine_t near = make_machine("model", "1"),
                    far = make_machine_with("model", "1", "host_arguments", "1");
    double cycles[2] = {0}, mhz = 0;
    for (unsigned i = 0; i < 2; i++) { // the second launch finds code and data
        cycles[0] = predict(&near, "passes", 1).cycles;
        cycles[1] = predict(&far, "passes", 1).cycles;
        mhz = predict(&far, "passes", 1).clock_mhz;
    }
    const double more = (cycles[1] - cycles[0]) / mhz * 1e3;
    assert_in_range(
        more, KILN_TIMING_HOST_LATENCY - KILN_TIMING_HBM_LATENCY - KILN_TIMING_TLB_LATENCY - 10,
        KILN_TIMING_HOST_LATENCY - KILN_TIMING_HBM_LATENCY + 10);
    kiln_sim_machine_destroy(near.machine);
    kiln_sim_machine_destroy(far.machine);
    const machine_t integrated[] = {make_machine_with("model", "1", "device", "mi300a"),
                                    make_machine_with("model", "1", "device", "mi300a")};
    kiln_sim_error_t error = {0};
    assert_true(kiln_sim_machine_set(integrated[1].machine, "host_arguments", "1", &error));
    assert_float_equal(predict(&integrated[0], "passes", 1).cycles,
                       predict(&integrated[1], "passes", 1).cycles, 1e-6);
    assert_false(kiln_sim_machine_set(integrated[0].machine, "host_arguments", "2", &error));
    kiln_sim_machine_destroy(integrated[0].machine);
    kiln_sim_machine_destroy(integrated[1].machine);
}

// Twice the grid takes twice as long if the grid is large.
static void grows_with_the_grid(void **state)
{
    (void)state;
    const double once = predict_once("only", "1", "all_work", 304 * 80).cycles;
    const double twice = predict_once("only", "1", "all_work", 304 * 160).cycles;
    assert_in_range(1000 * twice / once, 1950, 2050);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_every_time),
        cmocka_unit_test(caches_stay_warm),
        cmocka_unit_test(flushes_by_bytes),
        cmocka_unit_test(l2_stays_warm),
        cmocka_unit_test(each_xcd_has_its_l2),
        cmocka_unit_test(full_l2_loses_lines),
        cmocka_unit_test(dirty_lines_are_written_back),
        cmocka_unit_test(no_unit_is_busier_than_the_launch),
        cmocka_unit_test(allocations_differ),
        cmocka_unit_test(cold_is_always_the_same),
        cmocka_unit_test(last_round_draws_little),
        cmocka_unit_test(l2_holds_what_was_used),
        cmocka_unit_test(mapped_memory_is_near),
        cmocka_unit_test(scratch_is_near),
        cmocka_unit_test(idle_workgroups),
        cmocka_unit_test(a_few_work),
        cmocka_unit_test(grows_with_the_grid),
        cmocka_unit_test(arguments),
        cmocka_unit_test(waiting_hosts),
        cmocka_unit_test(idle_workgroups_after),
        cmocka_unit_test(longest_decides),
    };
    return cmocka_run_group_tests(tests, assemble, discard);
}
