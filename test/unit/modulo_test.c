// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The modulo scheduler: loops written by hand, whose least interval is known, and random ones,
// whose schedules are checked against the definition.
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/machine/step_cycles.h"
#include "passes/pipelining/modulo.h"

enum { MATRIX, VECTOR, LDS, MAX_OPS = 40, MAX_EDGES = 120 };

#define COUNT(array) (int)(sizeof(array) / sizeof *(array))
#define LOOP(ops, edges) ((kiln_modulo_loop_t){ops, edges, COUNT(ops), COUNT(edges)})

static int least(const kiln_modulo_loop_t *loop)
{
    int interval;
    assert_null(kiln_modulo_least_interval(loop, &interval));
    return interval;
}

static int length(const kiln_modulo_loop_t *loop)
{
    int cycles;
    assert_null(kiln_modulo_length(loop, &cycles));
    return cycles;
}

// Two operations of a unit may share the slot in which one ends and the other begins.
static int unit_slack(int interval)
{
    enum { SLOTS = 64 };
    return 2 * ((interval + SLOTS - 1) / SLOTS);
}

static int in_step(int time, int interval)
{
    return time - kiln_modulo_step(time, interval) * interval;
}

// The work of a unit between two times of a step is no more than there is time.
static void check_unit(const kiln_modulo_loop_t *loop, const kiln_modulo_time_t *times,
                       int interval, int unit)
{
    for (int a = 0; a < loop->op_count; a++)
        for (int b = 0; b < loop->op_count; b++) {
            const int from = in_step(times[a].begin, interval),
                      to = in_step(times[b].begin, interval) + times[b].end - times[b].begin;
            int busy = 0;
            for (int op = 0; op < loop->op_count; op++) {
                const int begin = in_step(times[op].begin, interval),
                          end = begin + times[op].end - times[op].begin;
                busy += loop->ops[op].unit == unit && begin >= from && end <= to
                            ? loop->ops[op].cycles
                            : 0;
            }
            if (busy > 0)
                assert_true(busy <= to - from + unit_slack(interval));
        }
}

static void check(const kiln_modulo_loop_t *loop, const kiln_modulo_time_t *times, int interval)
{
    for (int op = 0; op < loop->op_count; op++) {
        const int step = kiln_modulo_step(times[op].begin, interval);
        assert_true(times[op].end >= times[op].begin);
        assert_true(times[op].end <= (step + 1) * interval);
    }
    for (int e = 0; e < loop->edge_count; e++) {
        const kiln_modulo_edge_t *edge = &loop->edges[e];
        const kiln_modulo_time_t *from = &times[edge->from], *to = &times[edge->to];
        const int shift = loop->ops[edge->from].latency - edge->distance * interval;
        if (edge->from == edge->to)
            continue;
        assert_true(to->begin >= (edge->flows ? from->begin : from->end) + shift);
        assert_true(to->end >= from->end + shift);
    }
    for (int unit = 0; unit < KILN_MODULO_UNITS; unit++)
        check_unit(loop, times, interval, unit);
}

static void units_limit_the_interval(void **state)
{
    (void)state;
    const kiln_modulo_op_t ops[] = {{.unit = MATRIX, .cycles = 100},
                                    {.unit = VECTOR, .cycles = 150},
                                    {.unit = MATRIX, .cycles = 100}};
    const kiln_modulo_edge_t edges[] = {{0, 1, 0, false}, {1, 2, 0, false}};
    const kiln_modulo_loop_t loop = LOOP(ops, edges);
    assert_int_equal(least(&loop), 200);
    assert_int_equal(length(&loop), 350);
}

static void cycles_limit_the_interval(void **state)
{
    (void)state;
    const kiln_modulo_op_t ops[] = {{.unit = MATRIX, .cycles = 100, .latency = 60},
                                    {.unit = VECTOR, .cycles = 130, .latency = 10}};
    kiln_modulo_edge_t edges[] = {{0, 1, 0, false}, {1, 0, 1, false}};
    const kiln_modulo_loop_t loop = LOOP(ops, edges);
    assert_int_equal(least(&loop), 300);
    edges[1].distance = 2; // two iterations share the latency
    assert_int_equal(least(&loop), 150);
    edges[1].distance = 3; // the vector unit is the limit
    assert_int_equal(least(&loop), 130);
    edges[1].distance = 0;
    assert_int_equal(least(&loop), INT_MAX);
    edges[1] = (kiln_modulo_edge_t){1, 1, 1, false};
    assert_int_equal(least(&loop), 140);
}

static void parts_pass_before_the_end(void **state)
{
    (void)state;
    const kiln_modulo_op_t ops[] = {{.unit = VECTOR, .cycles = 100, .latency = 8},
                                    {.unit = MATRIX, .cycles = 80, .latency = 64}};
    kiln_modulo_edge_t edges[] = {{0, 1, 0, true}, {1, 0, 1, true}};
    const kiln_modulo_loop_t loop = LOOP(ops, edges);
    assert_int_equal(length(&loop), 100 + 8 + 64);
    assert_int_equal(least(&loop), 100);
    edges[0].flows = edges[1].flows = false;
    assert_int_equal(length(&loop), 100 + 8 + 80 + 64);
    assert_int_equal(least(&loop), 100 + 8 + 80 + 64);
}

// Both dots fill the matrix unit, while the vector unit works on two iterations.
static void chains_of_dots_overlap(void **state)
{
    (void)state;
    enum { READ_K, SCORES, MAXIMUM, EXP, SUM, READ_V, PRODUCT };
    const kiln_modulo_op_t ops[] = {
        [READ_K] = {.unit = LDS, .cycles = 60, .latency = 17, .is_late = true},
        [SCORES] = {.unit = MATRIX, .cycles = 128, .latency = 16},
        [MAXIMUM] = {.unit = VECTOR, .cycles = 40, .latency = 2},
        [EXP] = {.unit = VECTOR, .cycles = 100, .latency = 2},
        [SUM] = {.unit = VECTOR, .cycles = 20, .latency = 2},
        [READ_V] = {.unit = LDS, .cycles = 60, .latency = 17, .is_late = true},
        [PRODUCT] = {.unit = MATRIX, .cycles = 128, .latency = 16},
    };
    const kiln_modulo_edge_t edges[] = {{READ_K, SCORES, 0, true},   {SCORES, MAXIMUM, 0, true},
                                        {MAXIMUM, MAXIMUM, 1, true}, {MAXIMUM, EXP, 0, false},
                                        {EXP, SUM, 0, true},         {EXP, PRODUCT, 0, false},
                                        {READ_V, PRODUCT, 0, true},  {PRODUCT, PRODUCT, 1, true}};
    const kiln_modulo_loop_t loop = LOOP(ops, edges);
    kiln_modulo_time_t times[COUNT(ops)];
    int interval;
    assert_int_equal(least(&loop), 256);
    assert_true(length(&loop) > 350);
    assert_null(kiln_modulo_schedule(&loop, 0, 400, times, &interval));
    assert_int_equal(interval, 256);
    check(&loop, times, interval);
    assert_int_equal(kiln_modulo_step(times[SCORES].begin, interval), 0);
    assert_int_equal(kiln_modulo_step(times[PRODUCT].begin, interval), 1);
    assert_int_equal(kiln_modulo_step(times[READ_K].begin, interval), -1);
    assert_null(kiln_modulo_schedule(&loop, 0, 255, times, &interval));
    assert_int_equal(interval, 0);
}

// The conversion of packed weights and the product of the previous ones.
static void computed_operands_are_a_step_ahead(void **state)
{
    (void)state;
    const kiln_modulo_op_t ops[] = {
        {.unit = VECTOR, .cycles = 200, .latency = 8, .is_late = true},
        {.unit = MATRIX, .cycles = 200, .latency = 64},
    };
    const kiln_modulo_edge_t edges[] = {{0, 1, 0, false}, {1, 1, 1, true}};
    const kiln_modulo_loop_t loop = LOOP(ops, edges);
    kiln_modulo_time_t times[COUNT(ops)];
    int interval;
    assert_null(kiln_modulo_schedule(&loop, 0, 400, times, &interval));
    assert_int_equal(interval, 200);
    check(&loop, times, interval);
    assert_true(times[0].end <= times[1].begin - 8);
}

static uint32_t draw(uint64_t *state, uint32_t bound)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33) % bound;
}

static void random_schedules_hold(void **unused)
{
    (void)unused;
    enum { LOOPS = 2000 };
    uint64_t state = 478500000;
    int found = 0, at_least = 0;
    for (int i = 0; i < LOOPS; i++) {
        kiln_modulo_op_t ops[MAX_OPS];
        kiln_modulo_edge_t edges[MAX_EDGES];
        kiln_modulo_time_t times[MAX_OPS];
        const int count = 2 + (int)draw(&state, MAX_OPS - 2);
        kiln_modulo_loop_t loop = {ops, edges, count, 0};
        for (int op = 0; op < count; op++) {
            const int unit = (int)draw(&state, KILN_MODULO_UNITS + 1) - 1;
            ops[op] = (kiln_modulo_op_t){.unit = unit,
                                         .cycles = unit < 0 ? 0 : (int)draw(&state, 300),
                                         .latency = (int)draw(&state, 70),
                                         .is_late = op < 3 && draw(&state, 2),
                                         .sinks = draw(&state, 2)};
        }
        for (int e = 0; e < 2 * count && loop.edge_count < MAX_EDGES; e++) {
            const int a = (int)draw(&state, (uint32_t)count),
                      b = (int)draw(&state, (uint32_t)count);
            const bool is_back = draw(&state, 8) == 0;
            if (is_back ? ops[a].is_late || ops[b].is_late : a >= b || ops[b].is_late)
                continue;
            edges[loop.edge_count++] =
                (kiln_modulo_edge_t){a, b, is_back ? 1 + (int)draw(&state, 2) : 0, draw(&state, 2)};
        }
        int interval;
        assert_null(kiln_modulo_schedule(&loop, 0, 1 << 20, times, &interval));
        if (interval == 0)
            continue;
        assert_true(interval >= least(&loop));
        at_least += interval == least(&loop);
        found++;
        check(&loop, times, interval);
    }
    assert_true(found > LOOPS * 9 / 10);
    assert_true(at_least > found / 2);
}

// Four waves have a SIMD each; of eight, each hides some of another's latencies, down to what the
// busiest unit has to do: they take 75 cycles for each step of a wave, and 74 are no gain, unless
// each wave alone is faster.
static void paces_compare_steps_per_time(void **state)
{
    (void)state;
    const kiln_step_pace_t two = {.alone = 100, .busy = 50, .waves = 8},
                           one = {.alone = 72, .busy = 50, .waves = 4},
                           alike = {.alone = 98, .busy = 50, .waves = 8},
                           quick = {.alone = 74, .busy = 50, .waves = 4},
                           half = {.alone = 38, .busy = 25, .waves = 2},
                           many = {.alone = 100, .busy = 99, .waves = 32},
                           none = {.alone = 1, .busy = 1, .waves = 0};
    assert_true(kiln_step_pace_is_faster(&one, &two));
    assert_false(kiln_step_pace_is_faster(&two, &one));
    assert_false(kiln_step_pace_is_faster(&alike, &two));
    assert_true(kiln_step_pace_is_faster(&quick, &two));
    assert_false(kiln_step_pace_is_faster(&two, &quick));
    assert_false(kiln_step_pace_is_faster(&half, &two)); // two SIMDs are idle
    assert_true(kiln_step_pace_is_faster(&two, &many));
    assert_false(kiln_step_pace_is_faster(&two, &two));
    assert_false(kiln_step_pace_is_faster(&none, &two));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paces_compare_steps_per_time),
        cmocka_unit_test(units_limit_the_interval),
        cmocka_unit_test(cycles_limit_the_interval),
        cmocka_unit_test(parts_pass_before_the_end),
        cmocka_unit_test(chains_of_dots_overlap),
        cmocka_unit_test(computed_operands_are_a_step_ahead),
        cmocka_unit_test(random_schedules_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
