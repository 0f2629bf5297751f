// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches that are equal to an earlier one are predicted once, with the same result as if they
// were predicted again; launches that differ in anything that a prediction depends on are not
// equal.
#include "sim_check_run.h"

#include <math.h>
#include <string.h>

#include "kiln/sim.h"

enum { ITEMS = 64, BYTES = 1 << 20, LOOPS = 40 };

static char *object_bytes;
static size_t object_size;

static int assemble(void **state)
{
    (void)state;
    return check_assemble_source("same.s", &object_bytes, &object_size);
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
    char *one, *other, *third; // buffers
} machine_t;

static char *make_buffer(machine_t *m)
{
    kiln_sim_error_t error = {0};
    uint32_t *made = kiln_sim_machine_allocate(m->machine, BYTES, &error);
    assert_non_null(made);
    for (size_t i = 0; i < BYTES / sizeof *made; i++)
        made[i] = LOOPS;
    return (char *)made;
}

static machine_t make_machine(const char *repeats)
{
    const kiln_sim_setting_t settings[] = {{"clock", "model"}, {"repeats", repeats}};
    machine_t m = {0};
    kiln_sim_error_t error = {0};
    assert_true(kiln_sim_machine_create(settings, 2, &m.machine, &error));
    assert_true(kiln_sim_machine_load(m.machine, object_bytes, object_size, &m.object, &error));
    m.one = make_buffer(&m);
    m.other = make_buffer(&m);
    m.third = make_buffer(&m);
    return m;
}

static kiln_sim_prediction_t predict_kernel(machine_t *m, const char *kernel, const char *buffer,
                                            const char *second, unsigned groups)
{
    const void *arguments[] = {buffer, second};
    const kiln_sim_dispatch_t dispatch = {.struct_size = sizeof dispatch,
                                          .kernel = kiln_sim_object_kernel(m->object, kernel),
                                          .grid = {groups, 1, 1},
                                          .block = {ITEMS, 1, 1},
                                          .packed = arguments,
                                          .packed_size = sizeof arguments};
    kiln_sim_error_t error = {0};
    kiln_sim_prediction_t p = {.struct_size = sizeof p};
    kiln_sim_result_t *result;
    if (!kiln_sim_machine_launch(m->machine, &dispatch, &result, &error))
        fail_msg("%s", error.text);
    assert_true(kiln_sim_result_prediction(result, &p));
    kiln_sim_result_free(result);
    return p;
}

static kiln_sim_prediction_t predict_groups(machine_t *m, const char *buffer, unsigned groups)
{
    return predict_kernel(m, "counted", buffer, buffer, groups);
}

static kiln_sim_prediction_t predict(machine_t *m, const char *buffer)
{
    return predict_groups(m, buffer, 304);
}

// The first launch finds nothing in the caches, the second one the data that the first left there.
static void equal_launches_are_predicted_once(void **state)
{
    (void)state;
    machine_t each = make_machine("each"), once = make_machine("once");
    kiln_sim_prediction_t p[4];
    for (unsigned i = 0; i < 4; i++) {
        const kiln_sim_prediction_t expected = predict(&each, each.one);
        p[i] = predict(&once, once.one);
        assert_true(p[i].cycles == expected.cycles && p[i].microseconds == expected.microseconds);
        assert_true(p[i].hbm_bytes == expected.hbm_bytes);
        assert_false(expected.repeated);
    }
    assert_false(p[0].repeated || p[1].repeated);
    assert_true(p[2].repeated && p[3].repeated);
    assert_true(p[0].cycles > p[1].cycles && p[1].cycles == p[2].cycles);
    kiln_sim_machine_destroy(each.machine);
    kiln_sim_machine_destroy(once.machine);
}

// Launches on other addresses, of a whole allocation or of a part of it, are equal.
static void other_addresses_are_equal(void **state)
{
    (void)state;
    machine_t each = make_machine("each"), once = make_machine("once");
    predict(&each, each.one);
    predict(&once, once.one);
    const char *const buffers[][2] = {{each.other, once.other},
                                      {each.third, once.third},
                                      {each.one + 256 * 1024, once.one + 256 * 1024},
                                      {each.one + 384 * 1024, once.one + 384 * 1024}};
    for (unsigned i = 0; i < 4; i++) {
        predict(&each, each.one); // so that both machines have the same cache state
        predict(&once, once.one);
        const kiln_sim_prediction_t expected = predict(&each, buffers[i][0]),
                                    p = predict(&once, buffers[i][1]);
        assert_true(fabs(p.cycles - expected.cycles) <= 0.02 * expected.cycles);
        assert_int_equal(p.repeated, i % 2);
    }
    kiln_sim_machine_destroy(each.machine);
    kiln_sim_machine_destroy(once.machine);
}

// The next launch is not equal to an earlier one, but after two launches all are again.
static void is_new(machine_t *m, unsigned groups)
{
    assert_false(predict_groups(m, m->one, groups).repeated);
    predict_groups(m, m->one, groups);
    assert_true(predict_groups(m, m->one, groups).repeated);
}

static void set(machine_t *m, const char *option, const char *value)
{
    kiln_sim_error_t error = {0};
    assert_true(kiln_sim_machine_set(m->machine, option, value, &error));
}

// The same arguments, but other contents of memory, another grid, another cache state, another
// clock, or another device.
static void other_launches_are_not_equal(void **state)
{
    (void)state;
    machine_t m = make_machine("once");
    is_new(&m, 304);
    *(uint32_t *)(void *)m.one = LOOPS - 1;
    is_new(&m, 304);
    is_new(&m, 305);
    kiln_sim_machine_flush(m.machine, 0);
    is_new(&m, 304);
    set(&m, "clock_mhz", "1000");
    is_new(&m, 304);
    set(&m, "clock_mhz", "0");
    set(&m, "device", "mi308x");
    is_new(&m, 304);
    set(&m, "device", "mi300x");
    set(&m, "stalls", "1"); // only a new replay records stalls
    assert_false(predict(&m, m.one).repeated);
    kiln_sim_machine_destroy(m.machine);
}

static bool is_repeated_with(machine_t *m, uint32_t factor)
{
    uint32_t *offsets = (uint32_t *)(void *)m->one;
    for (uint32_t lane = 0; lane < ITEMS; lane++)
        offsets[lane] = lane * factor % ITEMS * 4;
    return predict_kernel(m, "gathered", m->one, m->other, 304).repeated;
}

// The same lines, read by the lanes in another order, which the L1 serves in another time.
static void other_orders_of_lanes_are_not_equal(void **state)
{
    (void)state;
    machine_t m = make_machine("once");
    assert_false(is_repeated_with(&m, 1));
    is_repeated_with(&m, 1);
    assert_true(is_repeated_with(&m, 1));
    assert_false(is_repeated_with(&m, 17));
    kiln_sim_machine_destroy(m.machine);
}

// More launches than the table's initial size.
static void many_launches_are_known(void **state)
{
    (void)state;
    enum { COUNT = 100 };
    machine_t m = make_machine("once");
    set(&m, "caches", "warm"); // so that each depends only on its grid
    for (unsigned pass = 0; pass < 2; pass++) {
        for (unsigned groups = 1; groups <= COUNT; groups++)
            assert_int_equal(predict_groups(&m, m.one, groups).repeated, pass);
    }
    kiln_sim_machine_destroy(m.machine);
}

// Code that is unloaded may be replaced by other code at the same address.
static void unloaded_code_is_forgotten(void **state)
{
    (void)state;
    machine_t m = make_machine("once");
    kiln_sim_error_t error = {0};
    for (unsigned i = 0; i < 3; i++)
        predict(&m, m.one);
    kiln_sim_machine_unload(m.machine, m.object);
    assert_true(kiln_sim_machine_load(m.machine, object_bytes, object_size, &m.object, &error));
    for (unsigned i = 0; i < 2; i++)
        predict(&m, m.one); // the cache state is that of an earlier launch
    assert_true(predict(&m, m.one).repeated);
    kiln_sim_machine_unload(m.machine, m.object);
    assert_true(kiln_sim_machine_load(m.machine, object_bytes, object_size, &m.object, &error));
    assert_false(predict(&m, m.one).repeated);
    kiln_sim_machine_destroy(m.machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_launches_are_predicted_once),
        cmocka_unit_test(other_addresses_are_equal),
        cmocka_unit_test(other_launches_are_not_equal),
        cmocka_unit_test(other_orders_of_lanes_are_not_equal),
        cmocka_unit_test(many_launches_are_known),
        cmocka_unit_test(unloaded_code_is_forgotten),
    };
    return cmocka_run_group_tests(tests, assemble, discard);
}
