// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// KILN_SIM_ORDER: independent waves run in the order of the clock, or one after the other. The
// kernels are in sim_check/order.s. Also tests other requirements on such launches.
//
// In program order, too, a sleeping wave lets the others run first.
#include "kiln/sim.h"

#include "sim_check_run.h"

enum { BYTES = 1 << 23, OUT_BYTES = 1 << 16, MAX = 64, WAVE = 64 };

typedef struct machine {
    kiln_sim_machine_t *machine;
    kiln_sim_code_object_t *order, *clock;
    uint32_t *out;
    uint8_t *other;
} machine_t;

typedef struct object {
    char *bytes;
    size_t size;
} object_t;

static object_t order_object, clock_object;

static bool assemble(object_t *object, const char *source)
{
    char command[2400];
    const char *path = KILN_BINARY_DIR "/test/sim_order_test.o";
    snprintf(
        command, sizeof command,
        "clang-22 -target amdgcn-amd-amdhsa -mcpu=gfx942 -mcode-object-version=5 -I" CHECK_SOURCES
        " -x assembler " CHECK_SOURCES "%s -o %s",
        source, path);
    if (system(command) != 0)
        return false;
    object->bytes = check_read(path, &object->size);
    unlink(path);
    return true;
}

static int assemble_all(void **state)
{
    (void)state;
    return !assemble(&order_object, "order.s") || !assemble(&clock_object, "clock.s");
}

static int discard(void **state)
{
    (void)state;
    free(order_object.bytes);
    free(clock_object.bytes);
    return 0;
}

static machine_t make_machine(const char *order, const char *threads, const char *check,
                              const char *clock)
{
    const kiln_sim_setting_t settings[] = {
        {"order", order}, {"threads", threads}, {"check", check}, {"clock", clock}};
    machine_t m = {0};
    kiln_sim_error_t error = {0};
    assert_true(
        kiln_sim_machine_create(settings, sizeof settings / sizeof *settings, &m.machine, &error));
    assert_true(
        kiln_sim_machine_load(m.machine, order_object.bytes, order_object.size, &m.order, &error));
    assert_true(
        kiln_sim_machine_load(m.machine, clock_object.bytes, clock_object.size, &m.clock, &error));
    m.out = kiln_sim_machine_allocate(m.machine, BYTES, &error);
    m.other = kiln_sim_machine_allocate(m.machine, BYTES, &error);
    assert_non_null(m.out);
    assert_non_null(m.other);
    return m;
}

// The caller frees the result.
static kiln_sim_result_t *launch(const machine_t *m, const char *kernel, unsigned groups,
                                 unsigned waves)
{
    const void *arguments[] = {m->out, m->other};
    const kiln_sim_kernel_t *found = kiln_sim_object_kernel(m->order, kernel);
    const kiln_sim_dispatch_t dispatch = {
        .struct_size = sizeof dispatch,
        .kernel = found ? found : kiln_sim_object_kernel(m->clock, kernel),
        .grid = {groups, 1, 1},
        .block = {waves * WAVE, 1, 1},
        .packed = arguments,
        .packed_size = sizeof arguments};
    kiln_sim_error_t error = {0};
    kiln_sim_result_t *result;
    memset(m->out, 0xee, OUT_BYTES);
    memset(m->other, 0, WAVE);
    if (!kiln_sim_machine_launch(m->machine, &dispatch, &result, &error))
        fail_msg("%s: %s", kernel, error.text);
    return result;
}

static void run(const machine_t *m, const char *kernel, unsigned groups, unsigned waves)
{
    kiln_sim_result_free(launch(m, kernel, groups, waves));
}

// The number of waves of each kernel, and the value that their first reader gets in either order.
static void who_comes_first(void **state)
{
    (void)state;
    static const struct {
        const char *kernel;
        unsigned waves;
        uint32_t program, time;
    } rows[] = {
        {"late_reader", 2, 0, 7},  {"early_reader", 2, 7, 0}, {"short_sleeper", 2, 7, 0},
        {"long_sleeper", 2, 7, 7}, {"behind_mfma", 2, 7, 0},  {"beside_mfma", 2, 0, 7},
        {"behind_load", 2, 7, 0},  {"beside_load", 2, 0, 7},  {"young_first", 5, 0, 7},
        {"old_first", 5, 0, 0},
    };
    enum { GROUPS = 3 };
    const machine_t program = make_machine("program", "1", "off", "off"),
                    time = make_machine("time", "1", "off", "off");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        run(&program, rows[i].kernel, GROUPS, rows[i].waves);
        run(&time, rows[i].kernel, GROUPS, rows[i].waves);
        for (unsigned g = 0; g < GROUPS; g++) {
            if (program.out[g] != rows[i].program || time.out[g] != rows[i].time)
                fail_msg("%s: %u in the order of the program, %u by time", rows[i].kernel,
                         program.out[g], time.out[g]);
        }
    }
    kiln_sim_machine_destroy(program.machine);
    kiln_sim_machine_destroy(time.machine);
}

// Whether each wave read its neighbour's first and second number before they were overwritten.
static bool is_in_step(const machine_t *m, unsigned groups)
{
    enum { ITEMS = 256 };
    for (unsigned i = 0; i < groups * ITEMS; i++) {
        const uint32_t neighbour = (i + WAVE) % ITEMS;
        if (m->out[i] != neighbour + 1000 + neighbour)
            return false;
    }
    return true;
}

// The check reports, in either order, that nothing synchronizes the waves.
static void waves_in_step(void **state)
{
    (void)state;
    static const char *const orders[] = {"program", "time"}, *const checks[] = {"off", "race"};
    enum { GROUPS = 16 };
    for (unsigned by_time = 0; by_time < 2; by_time++) {
        for (unsigned checked = 0; checked < 2; checked++) {
            const machine_t m = make_machine(orders[by_time], "2", checks[checked], "off");
            kiln_sim_finding_t finding = {.struct_size = sizeof finding};
            kiln_sim_result_t *result = launch(&m, "in_step", GROUPS, 4);
            assert_int_equal(is_in_step(&m, GROUPS), by_time);
            assert_int_equal(kiln_sim_result_finding(result, 0, &finding), checked);
            if (checked)
                assert_string_equal(finding.check, "race");
            kiln_sim_result_free(result);
            kiln_sim_machine_destroy(m.machine);
        }
    }
}

// Eight waves draw numbers in the opposite order of their own, in each of the workgroups, however
// many host threads there are.
static void same_every_time(void **state)
{
    (void)state;
    enum { WAVES = 8 };
    for (unsigned threads = 1; threads <= 3; threads++) {
        const char digits[] = {(char)('0' + threads), '\0'};
        const machine_t m = make_machine("time", digits, "off", "off");
        for (unsigned again = 0; again < 2; again++) {
            run(&m, "tickets", MAX, WAVES);
            for (unsigned i = 0; i < MAX * WAVES; i++)
                assert_int_equal(m.out[i], WAVES - 1 - i % WAVES);
        }
        kiln_sim_machine_destroy(m.machine);
    }
    const machine_t m = make_machine("program", "1", "off", "off");
    run(&m, "tickets", MAX, WAVES);
    for (unsigned i = 0; i < MAX * WAVES; i++)
        assert_int_equal(m.out[i], i % WAVES);
    kiln_sim_machine_destroy(m.machine);
}

static void memtime_is_the_order_s(void **state)
{
    (void)state;
    enum { SLEEP = 640, LATENCY = 200 };
    const machine_t m = make_machine("time", "1", "off", "off");
    run(&m, "slept", MAX, 1);
    for (unsigned g = 0; g < MAX; g++)
        assert_in_range(m.out[g], SLEEP, SLEEP + LATENCY);
    kiln_sim_machine_destroy(m.machine);
}

// A workgroup that waits for a later one lets that one run.
static void workgroups_wait_for_each_other(void **state)
{
    (void)state;
    enum { GROUPS = 5 };
    for (unsigned threads = 1; threads <= 2; threads++) {
        const machine_t m = make_machine("time", threads == 1 ? "1" : "2", "off", "off");
        run(&m, "for_the_fifth", GROUPS, 2);
        for (unsigned g = 0; g < GROUPS; g++)
            assert_int_equal(m.out[g], 1);
        kiln_sim_machine_destroy(m.machine);
    }
}

static kiln_sim_prediction_t predict(const char *order, const char *clock, const char *kernel)
{
    enum { GROUPS = 70 };
    const machine_t m = make_machine(order, "2", "off", clock);
    kiln_sim_prediction_t p = {.struct_size = sizeof p};
    kiln_sim_result_t *result = launch(&m, kernel, GROUPS, 4);
    assert_true(kiln_sim_result_prediction(result, &p));
    p.unexecuted = false;
    kiln_sim_result_free(result);
    kiln_sim_machine_destroy(m.machine);
    return p;
}

// Predictions of kernels that do not depend on the order, whether everything is executed or only
// the part that the prediction needs.
static void predictions_stay(void **state)
{
    (void)state;
    static const char *const kernels[] = {"copies", "passes", "jumps"}, *const clocks[] = {"model",
                                                                                           "only"};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        const kiln_sim_prediction_t program = predict("program", "model", kernels[i]);
        assert_true(program.cycles > 0);
        for (size_t c = 0; c < sizeof clocks / sizeof *clocks; c++) {
            const kiln_sim_prediction_t time = predict("time", clocks[c], kernels[i]);
            assert_memory_equal(&program, &time, sizeof program);
        }
    }
}

// Concurrent workgroups, one of which reaches code that was not decoded when the others began.
static void new_code_is_everybodys(void **state)
{
    (void)state;
    const machine_t m = make_machine("time", "1", "off", "off");
    const void *arguments[] = {m.out, m.other};
    const kiln_sim_dispatch_t dispatch = {.struct_size = sizeof dispatch,
                                          .kernel = kiln_sim_object_kernel(m.clock, "jumps"),
                                          .grid = {8, 1, 1},
                                          .block = {4 * WAVE, 1, 1},
                                          .packed = arguments,
                                          .packed_size = sizeof arguments,
                                          .cooperative = true};
    kiln_sim_error_t error = {0};
    assert_true(kiln_sim_machine_launch(m.machine, &dispatch, NULL, &error));
    kiln_sim_machine_destroy(m.machine);
}

static void checks_are_silent(void **state)
{
    (void)state;
    const machine_t m = make_machine("time", "2", "all", "model");
    kiln_sim_finding_t finding = {.struct_size = sizeof finding};
    kiln_sim_machine_copy(m.machine, m.out, order_object.bytes, 1024); // a copy defines it
    kiln_sim_result_t *result = launch(&m, "tickets", MAX, 8);
    if (kiln_sim_result_finding(result, 0, &finding))
        fail_msg("%s: %s at '%s'", finding.check, finding.message, finding.instruction);
    kiln_sim_result_free(result);
    kiln_sim_machine_destroy(m.machine);
}

static void other_words_are_refused(void **state)
{
    (void)state;
    const machine_t m = make_machine("time", "1", "off", "off");
    kiln_sim_error_t error = {0};
    assert_false(kiln_sim_machine_set(m.machine, "order", "size", &error));
    assert_string_equal(error.text, "KILN_SIM_ORDER: got 'size', expected program or time");
    run(&m, "late_reader", 1, 2); // the option is unchanged
    assert_int_equal(m.out[0], 7);
    assert_true(kiln_sim_machine_set(m.machine, "order", NULL, &error));
    run(&m, "late_reader", 1, 2);
    assert_int_equal(m.out[0], 0);
    kiln_sim_machine_destroy(m.machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_comes_first),
        cmocka_unit_test(waves_in_step),
        cmocka_unit_test(same_every_time),
        cmocka_unit_test(memtime_is_the_order_s),
        cmocka_unit_test(workgroups_wait_for_each_other),
        cmocka_unit_test(predictions_stay),
        cmocka_unit_test(new_code_is_everybodys),
        cmocka_unit_test(checks_are_silent),
        cmocka_unit_test(other_words_are_refused),
    };
    return cmocka_run_group_tests(tests, assemble_all, discard);
}
