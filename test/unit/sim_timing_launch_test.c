// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Predictions of whole launches: the same every time, whoever executes them and however much; what launches leave in the caches; and workgroups that
// leave at once.
#include "sim_check_run.h"

#include <sys/mman.h>

#include "api/port.h"
#include "kiln/sim.h"
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
    char command[2400];
    const char *object = KILN_BINARY_DIR "/test/sim_timing_launch_test.o";
    snprintf(command, sizeof command,
             "clang-22 -target amdgcn-amd-amdhsa -mcpu=gfx942 -mcode-object-version=5 -I" CHECK_SOURCES
             " -x assembler " CHECK_SOURCES "clock.s -o %s",
             object);
    if (system(command) != 0)
        return 1;
    object_bytes = check_read(object, &object_size);
    unlink(object);
    return 0;
}

static int discard(void **state)
{
    (void)state;
    free(object_bytes);
    return 0;
}

static machine_t make_machine(const char *clock, const char *threads)
{
    const kiln_sim_setting_t settings[] = {{"clock", clock}, {"threads", threads}};
    machine_t m = {0};
    kiln_sim_error_t error = {0};
    assert_true(kiln_sim_machine_create(settings, 2, &m.machine, &error));
    assert_true(kiln_sim_machine_load(m.machine, object_bytes, object_size, &m.object, &error));
    m.from = kiln_sim_machine_allocate(m.machine, BYTES, &error);
    m.to = kiln_sim_machine_allocate(m.machine, BYTES, &error);
    assert_non_null(m.from);
    assert_non_null(m.to);
    return m;
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

static kiln_sim_prediction_t predict_once(const char *clock, const char *threads, const char *kernel, unsigned groups)
{
    const machine_t m = make_machine(clock, threads);
    const kiln_sim_prediction_t p = predict(&m, kernel, groups);
    kiln_sim_machine_destroy(m.machine);
    return p;
}

// To the cycle.
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
    kiln_sim_machine_flush(m.machine, true);
    const double flushed = predict(&m, "copies", GROUPS).cycles;
    assert_true(flushed > warm && flushed <= cold); // the code has stayed
    assert_float_equal(predict(&m, "copies", GROUPS).cycles, warm, 1e-6);
    kiln_sim_machine_destroy(m.machine);
}

// What fits the L2 comes from there, unless somebody has used the L2 for something else.
static void l2_stays_warm(void **state)
{
    (void)state;
    const machine_t m = make_machine("model", "1");
    predict(&m, "passes", 1);
    const kiln_sim_prediction_t warm = predict(&m, "passes", 1);
    kiln_sim_machine_flush(m.machine, false);
    const kiln_sim_prediction_t flushed = predict(&m, "passes", 1);
    assert_true(warm.l2_hits > flushed.l2_hits);
    assert_true(warm.cycles < flushed.cycles);
    kiln_sim_machine_destroy(m.machine);
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

// A launch on other data brings back nothing that was flushed, and puts out of the L2 what does not fit beside its own.
static void l2_holds_what_was_used(void **state)
{
    (void)state;
    enum { GROUPS = 304 }; // 20 MB each way
    const machine_t m = make_machine("model", "1"), other = with_other_data(&m);
    predict(&m, "passes", 1);
    const double warm = predict(&m, "passes", 1).cycles;
    predict(&other, "passes", 1);
    assert_float_equal(predict(&m, "passes", 1).cycles, warm, 1e-6);
    kiln_sim_machine_flush(m.machine, false);
    const double flushed = predict(&m, "passes", 1).cycles;
    assert_true(flushed > warm);
    kiln_sim_machine_flush(m.machine, false);
    predict(&other, "passes", 1);
    assert_float_equal(predict(&m, "passes", 1).cycles, flushed, 1e-6);
    assert_float_equal(predict(&m, "passes", 1).cycles, warm, 1e-6);
    predict(&other, "copies", GROUPS);
    assert_float_equal(predict(&m, "passes", 1).cycles, flushed, 1e-6);
    kiln_sim_machine_destroy(m.machine);
}

// Memory that a program maps itself (hipMemMap) is the device's, wherever it lies.
static void mapped_memory_is_near(void **state)
{
    (void)state;
    enum { GROUPS = 304 };
    kiln_sim_error_t error = {0};
    machine_t m = make_machine("only", "1");
    const double cycles = predict(&m, "copies", GROUPS).cycles;
    kiln_sim_machine_flush(m.machine, true);
    void *mapped = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(mapped, MAP_FAILED);
    m.from = mapped;
    assert_true(
        kiln_sim_memory_register(kiln_sim_machine_memory(m.machine), mapped, BYTES, KILN_SIM_MEMORY_MAPPED, 0, &error));
    const kiln_sim_prediction_t p = predict(&m, "copies", GROUPS);
    assert_in_range(100 * p.cycles / cycles, 80, 110); // its code has stayed
    assert_true(p.hbm_bytes > 0.9 * 2 * GROUPS * 65536);
    kiln_sim_machine_destroy(m.machine);
    munmap(mapped, BYTES);
}

// Scratch is the device's, too: what was put there comes back as fast as from any other memory.
static void scratch_is_near(void **state)
{
    (void)state;
    const kiln_sim_prediction_t p = predict_once("only", "1", "spills", 1);
    // Arguments come from the host's memory, code from HBM; stores and loads wait for each other, and all loads but the first find the L1.
    const double before = (KILN_TIMING_KERNARG_LATENCY + 2 * KILN_TIMING_HBM_LATENCY) * p.clock_mhz * 1e-3;
    const double each = KILN_TIMING_L2_WRITE_LATENCY + KILN_TIMING_L1_LATENCY + 100;
    assert_in_range(p.cycles, 16 * (KILN_TIMING_L2_WRITE_LATENCY + KILN_TIMING_L1_LATENCY), before + 16 * each);
}

static void idle_workgroups(void **state)
{
    (void)state;
    enum { GROUPS = 304 * 64 };
    const kiln_sim_prediction_t all = predict_once("only", "1", "all_work", GROUPS);
    const kiln_sim_prediction_t some = predict_once("only", "1", "mostly_idle", GROUPS);
    // A wave of one that works executes 200 * 16 multiplications with a scalar register; a compute unit's four SIMDs share 64 workgroups.
    const double least = 200. * 16 * 4 * (GROUPS / 304.);
    assert_in_range(all.cycles, (uint64_t)least, (uint64_t)(1.2 * least));
    // An eighth of the work, but each workgroup is dispatched.
    assert_true(some.cycles < all.cycles / 4);
    assert_true(some.cycles > GROUPS / 8. * (ITEMS / 64.) * 100 / KILN_TIMING_DISPATCH_WAVES);
}

// Where fewer workgroups work than there are compute units, the launch takes as long as one of them, not what a compute unit gets on the average.
static void a_few_work(void **state)
{
    (void)state;
    enum { GROUPS = 304 * 10 }; // more than are resident at once
    const double cycles = predict_once("only", "1", "first_ones", GROUPS).cycles;
    // A wave has a SIMD of its own: 200 times 16 multiplications, and a turn of the loop takes three instructions more.
    const double least = 200. * 16 * KILN_TIMING_ISSUE_CYCLES;
    const double most = 200. * (18 * KILN_TIMING_ISSUE_CYCLES + KILN_TIMING_BRANCH_TAKEN_CYCLES);
    enum { BEFORE = 7000 }; // the kernel's arguments come from the host's memory, and its code and data from HBM
    assert_in_range(cycles, (uint64_t)least, (uint64_t)most + BEFORE);
}

// Twice the grid takes twice as long, where it is large.
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
        cmocka_unit_test(same_every_time),       cmocka_unit_test(caches_stay_warm),
        cmocka_unit_test(l2_stays_warm),         cmocka_unit_test(l2_holds_what_was_used),
        cmocka_unit_test(mapped_memory_is_near), cmocka_unit_test(scratch_is_near),
        cmocka_unit_test(idle_workgroups),       cmocka_unit_test(a_few_work),
        cmocka_unit_test(grows_with_the_grid),
    };
    return cmocka_run_group_tests(tests, assemble, discard);
}
