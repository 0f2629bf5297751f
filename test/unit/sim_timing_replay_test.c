// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replays of a launch without some of its costs: they agree with launches of kernels that avoid
// these costs, to within a third of the gain, and change nothing else.
#include "sim_check_run.h"

#include <string.h>

#include "kiln/sim.h"

enum { ITEMS = 256, GROUPS = 304, BYTES = 1 << 20 };

static const kiln_sim_supposition_t nothing = {.struct_size = sizeof nothing};

static char *object_bytes;
static size_t object_size;

static int assemble(void **state)
{
    (void)state;
    return check_assemble_source("replay.s", &object_bytes, &object_size);
}

static int discard(void **state)
{
    (void)state;
    free(object_bytes);
    return 0;
}

typedef struct machine {
    kiln_sim_machine_t *machine;
    kiln_sim_code_object_t *object;
    void *memory;
    kiln_sim_result_t *result; // of the last launch
} machine_t;

static machine_t make_machine(const char *stalls)
{
    const kiln_sim_setting_t settings[] = {
        {"clock", "model"}, {"caches", "warm"}, {"stalls", stalls}};
    machine_t m = {0};
    kiln_sim_error_t error = {0};
    assert_true(kiln_sim_machine_create(settings, 3, &m.machine, &error));
    assert_true(kiln_sim_machine_load(m.machine, object_bytes, object_size, &m.object, &error));
    m.memory = kiln_sim_machine_allocate(m.machine, BYTES, &error);
    assert_non_null(m.memory);
    return m;
}

static void destroy(machine_t *m)
{
    kiln_sim_result_free(m->result);
    kiln_sim_machine_destroy(m->machine);
}

static double predict_groups(machine_t *m, const char *kernel, unsigned groups)
{
    const void *arguments[] = {m->memory, m->memory};
    const kiln_sim_dispatch_t dispatch = {.struct_size = sizeof dispatch,
                                          .kernel = kiln_sim_object_kernel(m->object, kernel),
                                          .grid = {groups, 1, 1},
                                          .block = {ITEMS, 1, 1},
                                          .packed = arguments,
                                          .packed_size = sizeof arguments};
    kiln_sim_error_t error = {0};
    kiln_sim_prediction_t p = {.struct_size = sizeof p};
    kiln_sim_result_free(m->result);
    if (!kiln_sim_machine_launch(m->machine, &dispatch, &m->result, &error))
        fail_msg("%s: %s", kernel, error.text);
    assert_true(kiln_sim_result_prediction(m->result, &p));
    return p.cycles;
}

static double predict(machine_t *m, const char *kernel)
{
    return predict_groups(m, kernel, GROUPS);
}

static double suppose(machine_t *m, kiln_sim_supposition_t supposition)
{
    kiln_sim_prediction_t p = {.struct_size = sizeof p};
    supposition.struct_size = sizeof supposition;
    assert_true(kiln_sim_machine_replay(m->machine, m->result, &supposition, &p));
    return p.cycles;
}

// Leaves a cost out of the instructions whose names begin with `name`; "" means all.
static double replay(machine_t *m, const char *name, unsigned without)
{
    enum { MAX = 400 };
    kiln_sim_exemption_t exemptions[MAX];
    size_t count = 0;
    kiln_sim_line_t line = {.struct_size = sizeof line};
    for (size_t i = 0; kiln_sim_result_line(m->result, i, &line); i++) {
        if (strncmp(line.instruction, name, strlen(name)) == 0) {
            assert_true(count < MAX);
            exemptions[count++] = (kiln_sim_exemption_t){line.address, without};
        }
    }
    assert_true(count > 0);
    kiln_sim_prediction_t p = {.struct_size = sizeof p};
    const kiln_sim_supposition_t without_them = {
        .struct_size = sizeof without_them, .exemptions = exemptions, .count = count};
    assert_true(kiln_sim_machine_replay(m->machine, m->result, &without_them, &p));
    return p.cycles;
}

static void gains(const char *with, const char *without, const char *name, unsigned cost)
{
    machine_t m = make_machine("1");
    const double good = predict(&m, without), bad = predict(&m, with),
                 predicted = bad - replay(&m, name, cost), got = bad - good;
    if (got <= 0.05 * bad || predicted < got * 2 / 3 || predicted > got * 4 / 3)
        fail_msg("%s: %.0f cycles, %.0f in %s; the replay gains %.0f", with, bad, good, without,
                 predicted);
    destroy(&m);
}

static void gains_are_true(void **state)
{
    (void)state;
    gains("conflicts", "no_conflicts", "ds_", KILN_SIM_WITHOUT_CONFLICTS);
    gains("waits", "no_waits", "global_", KILN_SIM_WITHOUT_LATENCY);
    gains("lines", "no_lines", "global_", KILN_SIM_WITHOUT_LINES);
    gains("fetch", "no_fetch", "v_mul", KILN_SIM_WITHOUT_FETCH);
}

// Leaves costs of several kinds of instructions out at once.
static void instructions_go(void **state)
{
    (void)state;
    machine_t m = make_machine("1");
    const double good = predict(&m, "no_issue"), bad = predict(&m, "issue");
    kiln_sim_exemption_t exemptions[64];
    size_t count = 0;
    kiln_sim_line_t line = {.struct_size = sizeof line};
    for (size_t i = 0; kiln_sim_result_line(m.result, i, &line); i++)
        if (strstr(line.instruction, "_f64") || strncmp(line.instruction, "scratch", 7) == 0)
            exemptions[count++] = (kiln_sim_exemption_t){line.address, KILN_SIM_WITHOUT_ISSUE};
    assert_int_equal(count, 18);
    kiln_sim_prediction_t p = {.struct_size = sizeof p};
    const kiln_sim_supposition_t without_them = {
        .struct_size = sizeof without_them, .exemptions = exemptions, .count = count};
    assert_true(kiln_sim_machine_replay(m.machine, m.result, &without_them, &p));
    const double predicted = bad - p.cycles, got = bad - good;
    if (predicted < got * 2 / 3 || predicted > got * 4 / 3)
        fail_msg("%.0f and %.0f cycles; the replay gains %.0f", bad, good, predicted);
    destroy(&m);
}

static void nothing_changes(void **state)
{
    (void)state;
    machine_t m = make_machine("1");
    kiln_sim_prediction_t p = {.struct_size = sizeof p};
    const double cycles = predict(&m, "waits");
    // Leaving out a cost that the launch does not have changes nothing.
    assert_true(kiln_sim_machine_replay(m.machine, m.result, &nothing, &p));
    assert_true(p.cycles == cycles);
    assert_true(replay(&m, "", KILN_SIM_WITHOUT_CONFLICTS) == cycles);
    assert_true(replay(&m, "", KILN_SIM_WITHOUT_TAGS) == cycles);
    assert_true(suppose(&m, (kiln_sim_supposition_t){.near = true}) == cycles);
    // A replay does not change the next one, or the next launch.
    assert_true(replay(&m, "", KILN_SIM_WITHOUT_LATENCY) < cycles);
    assert_true(kiln_sim_machine_replay(m.machine, m.result, &nothing, &p));
    assert_true(p.cycles == cycles);
    assert_true(predict(&m, "waits") == cycles);
    destroy(&m);
}

// The load is charged for the cycles in which the s_waitcnt after it waits for it.
static void waits_are_charged(void **state)
{
    (void)state;
    machine_t m = make_machine("1");
    predict(&m, "waits");
    kiln_sim_line_t line = {.struct_size = sizeof line};
    uint64_t waits = 0, charged = 0;
    for (size_t i = 0; kiln_sim_result_line(m.result, i, &line); i++) {
        waits += line.cycles[KILN_SIM_STALL_VMCNT] + line.cycles[KILN_SIM_STALL_LGKMCNT];
        charged += line.waited;
        if (strncmp(line.instruction, "global_load", 11) == 0) {
            assert_true(line.waited > 64 * 100);
            assert_int_equal(line.bytes, 4 * 64 * 64 * 16); // waves, iterations, lanes
            assert_int_equal(line.lines, 4 * 64 * 8);
            assert_int_equal(line.halves, 4 * 64 * 16);
        }
    }
    assert_int_equal(waits, charged);
    predict(&m, "conflicts");
    for (size_t i = 0; kiln_sim_result_line(m.result, i, &line); i++)
        if (strncmp(line.instruction, "ds_read", 7) == 0) {
            assert_int_equal(line.lds_min_cycles, 4 * 64 * 2);
            assert_int_equal(line.lds_cycles, 4 * 64 * 64);
        }
    destroy(&m);
}

// Equal shares take a time between those of the rounds around them; a compute unit that holds fewer
// workgroups is slower, and more places than workgroups change nothing.
static void grids_are_supposed(void **state)
{
    (void)state;
    machine_t m = make_machine("1");
    const double one = predict_groups(&m, "issue", GROUPS);
    assert_true(suppose(&m, (kiln_sim_supposition_t){.even = true}) == one);
    const double two = predict_groups(&m, "issue", 2 * GROUPS);
    assert_true(suppose(&m, (kiln_sim_supposition_t){.even = true}) == two);
    assert_true(suppose(&m, (kiln_sim_supposition_t){.workgroups_per_cu = 8}) == two);
    assert_true(suppose(&m, (kiln_sim_supposition_t){.workgroups_per_cu = 1}) > 1.2 * two);
    predict_groups(&m, "issue", GROUPS * 3 / 2);
    const double half = suppose(&m, (kiln_sim_supposition_t){.even = true});
    assert_true(half > 0.95 * (one + two) / 2 && half < 1.05 * (one + two) / 2);
    destroy(&m);
}

// The dispatcher starts the workgroups that there are, not one for each compute unit in the last
// round: a launch that waits for it gains nothing by equal shares.
static void last_round_is_dispatched(void **state)
{
    (void)state;
    enum { ROUNDS = 40 };
    machine_t m = make_machine("1");
    const double all = predict_groups(&m, "nothing", ROUNDS * GROUPS),
                 less = predict_groups(&m, "nothing", (ROUNDS - 1) * GROUPS),
                 half = predict_groups(&m, "nothing", ROUNDS * GROUPS - GROUPS / 2),
                 even = suppose(&m, (kiln_sim_supposition_t){.even = true}), round = all - less;
    if (half < less || half > all - 0.1 * round || even > half || even < half - 0.5 * round)
        fail_msg("%.0f, %.0f, %.0f cycles, with equal shares %.0f", less, half, all, even);
    destroy(&m);
}

// Only later waves are exempt; a joined access still moves its bytes.
static void waves_are_supposed(void **state)
{
    (void)state;
    machine_t m = make_machine("1");
    const double all = predict(&m, "conflicts");
    const kiln_sim_exemption_t exempt = {UINT64_MAX, KILN_SIM_WITHOUT_CONFLICTS};
    kiln_sim_supposition_t some = {.exemptions = &exempt, .count = 1};
    const double none = suppose(&m, some);
    some.from_wave = 2;
    const double two = suppose(&m, some);
    some.from_wave = ITEMS / 64;
    assert_true(none < two && two < all && suppose(&m, some) == all);
    const double joined = replay(&m, "ds_", KILN_SIM_WITHOUT_REQUEST),
                 removed = replay(&m, "ds_", KILN_SIM_WITHOUT_ISSUE);
    assert_true(removed < joined && joined < all);
    destroy(&m);
}

static void needs_a_recording(void **state)
{
    (void)state;
    kiln_sim_prediction_t p = {.struct_size = sizeof p};
    machine_t m = make_machine("0");
    predict(&m, "waits");
    assert_false(kiln_sim_machine_replay(m.machine, m.result, &nothing, &p)); // option `stalls`
    destroy(&m);
    m = make_machine("1");
    predict(&m, "waits");
    kiln_sim_result_t *earlier = m.result;
    m.result = NULL;
    predict(&m, "lines");
    assert_false(kiln_sim_machine_replay(m.machine, earlier, &nothing, &p));
    assert_true(kiln_sim_machine_replay(m.machine, m.result, &nothing, &p));
    kiln_sim_machine_unload(m.machine, m.object);
    assert_false(kiln_sim_machine_replay(m.machine, m.result, &nothing, &p));
    assert_false(kiln_sim_machine_replay(m.machine, NULL, &nothing, &p));
    kiln_sim_result_free(earlier);
    destroy(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gains_are_true),     cmocka_unit_test(instructions_go),
        cmocka_unit_test(nothing_changes),    cmocka_unit_test(waits_are_charged),
        cmocka_unit_test(grids_are_supposed), cmocka_unit_test(waves_are_supposed),
        cmocka_unit_test(needs_a_recording),  cmocka_unit_test(last_round_is_dispatched),
    };
    return cmocka_run_group_tests(tests, assemble, discard);
}
