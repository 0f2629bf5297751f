// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The work of the examples, with numbers by hand: operations, bytes, what programs share.
#include "work_count.h"

static const kiln_work_step_t *step(const program_t *program, kiln_work_kind_t kind, int index)
{
    for (size_t i = 0; i < program->load->step_count; i++)
        if (program->load->steps[i].kind == kind && index-- == 0)
            return &program->load->steps[i];
    fail_msg("no such step");
    return NULL;
}

static size_t count_of(const program_t *program, kiln_work_kind_t kind)
{
    size_t count = 0;
    for (size_t i = 0; i < program->load->step_count; i++)
        count += program->load->steps[i].kind == kind;
    return count;
}

// Floating-point operations of all dots of the launch.
static double flops(const program_t *program)
{
    double sum = 0;
    for (size_t i = 0; i < program->load->step_count; i++) {
        const kiln_work_step_t *s = &program->load->steps[i];
        if (s->kind == KILN_WORK_DOT)
            sum += 2 * s->count * (double)(s->m * s->n * s->k * s->batch);
    }
    return sum * program->load->programs;
}

// Bytes that all programs access.
static double bytes(const program_t *program, kiln_work_kind_t kind)
{
    double sum = 0;
    for (size_t i = 0; i < program->load->step_count; i++) {
        const kiln_work_step_t *s = &program->load->steps[i];
        if (s->kind == kind)
            sum += s->count * (double)s->elements * s->bits / 8 * s->share;
    }
    return sum * program->load->programs;
}

static void expect_near(double value, double wanted, double tolerance)
{
    if (fabs(value - wanted) > tolerance * wanted)
        print_error("got %.6g, wanted %.6g\n", value, wanted);
    assert_true(fabs(value - wanted) <= tolerance * wanted);
}

static void a_gemm(void **state)
{
    (void)state;
    program_t gemm = count_gemm(1024, 1024, 512, "128", "128", "32");
    assert_int_equal((int)gemm.load->programs, 64);
    assert_false(gemm.load->assumed);
    assert_true(gemm.load->imbalance == 1);
    assert_int_equal(gemm.load->default_warps, 4);
    assert_int_equal(count_of(&gemm, KILN_WORK_DOT), 1);
    assert_int_equal(count_of(&gemm, KILN_WORK_OPERAND), 2);
    assert_true(flops(&gemm) == 2.0 * 1024 * 1024 * 512);
    // A is read by 8 columns of programs, B by 8 rows; C is written once.
    assert_true(bytes(&gemm, KILN_WORK_LOAD) == 2.0 * 8 * 2 * 1024 * 512);
    assert_true(bytes(&gemm, KILN_WORK_STORE) == 2.0 * 1024 * 1024);
    const kiln_work_step_t *dot = step(&gemm, KILN_WORK_DOT, 0),
                           *a = step(&gemm, KILN_WORK_LOAD, 0), *b = step(&gemm, KILN_WORK_LOAD, 1),
                           *c = step(&gemm, KILN_WORK_STORE, 0);
    assert_true(dot->count == 16); // steps along K
    assert_int_equal(dot->matrix[2][0].m, 32);
    assert_int_equal(dot->matrix[2][0].k, 8);
    assert_int_equal(dot->matrix[2][0].cycles, 32);
    assert_int_equal(dot->matrix[2][0].warps_m * dot->matrix[2][0].warps_n, 4);
    assert_int_equal(dot->matrix[2][1].m, 16);
    assert_int_equal(a->argument, 0);
    assert_int_equal(b->argument, 1);
    assert_int_equal(c->argument, 2);
    assert_int_equal(a->width, 16);
    assert_int_equal(b->width, 16);
    assert_true(a->run == 64 && b->run == 256 && c->run == 256);
    assert_true(a->feeds_dot && b->feeds_dot);
    assert_true(a->footprint == 1024 * 512 * 2 && b->footprint == 512 * 1024 * 2);
    assert_true(a->fetches == 16 && b->fetches == 16);
    // Programs 0, 8, …, 56 are on one XCD: one row of blocks (GROUP_M is 8), eight columns.
    assert_true(a->die_tiles[0] == 1 && b->die_tiles[0] == 8 && c->die_tiles[0] == 8);
    assert_false(step(&gemm, KILN_WORK_OPERAND, 0)->is_transposed);
    assert_true(step(&gemm, KILN_WORK_OPERAND, 1)->is_transposed);
    assert_true(step(&gemm, KILN_WORK_OPERAND, 1)->is_prefetched);
    // The accumulator lives in the loop.
    const kiln_work_region_t *loop = &gemm.load->regions[dot->region];
    assert_true(loop->is_loop && loop->has_dot && loop->trips == 16);
    assert_int_equal(loop->load_depth, 1);
    assert_true(loop->live_bits >= 128 * 128 * 32 && loop->live_bits <= 2 * 128 * 128 * 32);
    release(&gemm);
}

// Rows beyond the matrix wrap around: they are read, but are the same bytes, and are not stored.
static void a_gemm_of_few_rows(void **state)
{
    (void)state;
    program_t gemm = count_gemm(16, 256, 64, "64", "64", "64");
    const kiln_work_step_t *a = step(&gemm, KILN_WORK_LOAD, 0),
                           *c = step(&gemm, KILN_WORK_STORE, 0);
    assert_true(a->unique == 0.25);
    assert_true(c->share == 0.25);
    assert_true(a->footprint == 16 * 64 * 2);
    release(&gemm);
}

static program_t count_attention(const char *causal)
{
    const char *const defines[] = {"CAUSAL", causal, NULL};
    const value_t values[] = {P, P, P, P, P, I(4), I(2), I(256), I(256), I(0)};
    return count_example("attention", defines, 4, 4, VALUES(values)); // 64 queries a program
}

// Rows of 64 bytes: the other half of B's lines belongs to a program on another XCD, that of A's to
// the next iteration. With 8 rows of blocks for each column of them, the neighbour is on this XCD.
static void lines_that_xcds_share(void **state)
{
    (void)state;
    program_t gemm = count_gemm(32, 28672, 4096, "32", "32", "32");
    assert_true(step(&gemm, KILN_WORK_LOAD, 0)->run == 64);
    assert_true(step(&gemm, KILN_WORK_LOAD, 0)->lines == 1);
    assert_true(step(&gemm, KILN_WORK_LOAD, 1)->run == 64);
    assert_true(step(&gemm, KILN_WORK_LOAD, 1)->lines == 2);
    release(&gemm);
    gemm = count_gemm(256, 28672, 4096, "32", "32", "32");
    assert_true(step(&gemm, KILN_WORK_LOAD, 1)->lines < 1.1);
    release(&gemm);
    gemm = count_gemm(32, 28672, 4096, "32", "64", "32");
    assert_true(step(&gemm, KILN_WORK_LOAD, 1)->lines == 1);
    release(&gemm);
}

static void an_attention(void **state)
{
    (void)state;
    program_t all = count_attention("false");
    // Those of the blocks that all queries see, and those of the rest, of which there are none.
    assert_int_equal(count_of(&all, KILN_WORK_DOT), 4);
    assert_true(flops(&all) == 4.0 * 4 * 256 * 256 * 64);
    assert_true(step(&all, KILN_WORK_DOT, 0)->is_chained);
    // q, made once outside the loop; k; the scores, which are another dot's result; v.
    assert_int_equal(count_of(&all, KILN_WORK_OPERAND), 8);
    assert_true(step(&all, KILN_WORK_OPERAND, 0)->count == 1);
    assert_true(step(&all, KILN_WORK_OPERAND, 1)->count == 4);
    assert_false(step(&all, KILN_WORK_OPERAND, 1)->is_transposed); // k lies along D
    assert_true(step(&all, KILN_WORK_OPERAND, 2)->is_result);
    assert_false(step(&all, KILN_WORK_OPERAND, 2)->is_prefetched);
    assert_true(step(&all, KILN_WORK_OPERAND, 3)->is_prefetched);
    assert_true(step(&all, KILN_WORK_OPERAND, 3)->is_transposed); // v does not lie along keys
    assert_int_equal(count_of(&all, KILN_WORK_REDUCE), 4);
    assert_int_equal(step(&all, KILN_WORK_REDUCE, 0)->results, 64);
    assert_true(all.load->imbalance == 1);
    release(&all);
    program_t causal = count_attention("true");
    // 1, 2, 3 and 4 blocks of keys.
    expect_near(flops(&causal), 4.0 * 4 * 256 * 256 * 64 * 2.5 / 4, 1e-9);
    assert_true(causal.load->imbalance > 1.3 && causal.load->imbalance <= 1.6);
    assert_false(causal.load->assumed);
    release(&causal);
}

static void a_softmax(void **state)
{
    (void)state;
    const char *const defines[] = {"BLOCK", "2048", NULL};
    const value_t values[] = {P, P, I(1024), I(1024), I(1024)};
    program_t softmax = count_example("softmax", defines, 8, 1, VALUES(values));
    assert_true(bytes(&softmax, KILN_WORK_LOAD) == 8 * 1024 * 2);
    assert_true(bytes(&softmax, KILN_WORK_STORE) == 8 * 1024 * 2);
    assert_int_equal(count_of(&softmax, KILN_WORK_REDUCE), 2);
    assert_int_equal(step(&softmax, KILN_WORK_REDUCE, 0)->results, 1);
    assert_int_equal(step(&softmax, KILN_WORK_REDUCE, 0)->elements, 2048);
    assert_int_equal(softmax.load->region_count, 1);
    release(&softmax);
}

static void a_sum_of_vectors(void **state)
{
    (void)state;
    const value_t values[] = {P, P, P, I(4096)};
    program_t sum = count_example("vec_add", NULL, 4, 1, VALUES(values));
    assert_int_equal(count_of(&sum, KILN_WORK_LOAD), 2);
    assert_true(bytes(&sum, KILN_WORK_LOAD) == 2 * 4096 * 4);
    assert_true(bytes(&sum, KILN_WORK_STORE) == 4096 * 4);
    const kiln_work_step_t *x = step(&sum, KILN_WORK_LOAD, 0);
    assert_int_equal(x->width, 16);
    assert_true(x->run == 4096 && x->footprint == 16384 && x->unique == 1);
    assert_int_equal(count_of(&sum, KILN_WORK_VECTOR), 1);
    assert_true(step(&sum, KILN_WORK_VECTOR, 0)->units == 1);
    release(&sum);
}

// A row is read three times, the second and third time from the L2; a mask that ends at any column
// lets a lane access one element at a time.
static void a_layernorm(void **state)
{
    (void)state;
    const value_t wide[] = {P, P, P, P, I(4000), I(4000), I(0)},
                  narrow[] = {P, P, P, P, I(3000), I(3000), I(0)};
    const char *const defines[] = {"BLOCK", "1024", NULL}, *const whole[] = {"BLOCK", "4096", NULL};
    program_t norm = count_example("layernorm", defines, 64, 1, VALUES(wide));
    assert_int_equal(count_of(&norm, KILN_WORK_LOAD), 5);
    assert_int_equal(norm.load->region_count, 4);
    assert_true(norm.load->regions[1].trips == 4);
    assert_false(step(&norm, KILN_WORK_LOAD, 0)->is_repeat);
    assert_true(step(&norm, KILN_WORK_LOAD, 1)->is_repeat);
    assert_true(step(&norm, KILN_WORK_LOAD, 2)->is_repeat);
    assert_false(step(&norm, KILN_WORK_LOAD, 3)->is_repeat);
    assert_true(step(&norm, KILN_WORK_LOAD, 3)->die_tiles[0] == 1); // weights
    assert_true(step(&norm, KILN_WORK_LOAD, 0)->die_tiles[0] == 8);
    release(&norm);
    norm = count_example("layernorm", whole, 64, 1, VALUES(wide));
    assert_int_equal(step(&norm, KILN_WORK_LOAD, 0)->width, 16);
    assert_true(step(&norm, KILN_WORK_LOAD, 0)->is_masked);
    release(&norm);
    norm = count_example("layernorm", whole, 64, 1, VALUES(narrow));
    assert_int_equal(step(&norm, KILN_WORK_LOAD, 0)->width, 2);
    release(&norm);
}

// What memory decides is assumed, and reported.
static void a_loop_that_data_ends(void **state)
{
    (void)state;
    static const char text[] = "kernel void k(const i32 *ends, f32 *x)\n"
                               "{\n"
                               "    i32 end = load(ends + program_id(0));\n"
                               "    f32 sum[64] = 0;\n"
                               "    for (i32 i = 0; i < end; i += 64)\n"
                               "        sum += load(x + i + range(64));\n"
                               "    store(x + range(64), sum);\n"
                               "}\n";
    const value_t values[] = {P, P};
    const unsigned grid[] = {2, 1, 1};
    program_t program = count(text, sizeof text - 1, NULL, grid, VALUES(values));
    assert_true(program.load->assumed);
    assert_true(program.load->regions[1].is_loop && program.load->regions[1].trips == 16);
    release(&program);
}

// Iterations of the first loop of a program: its statement, with integers n and m.
// Programs that return early are the exception, as those are which a guard keeps from working.
static void an_early_return_is_not_taken(void **state)
{
    (void)state;
    static const char text[] = "kernel void k(const i32 *used, f32 *x)\n"
                               "{\n"
                               "    if (program_id(0) >= *used)\n"
                               "        return;\n"
                               "    store(x + program_id(0) * 64 + range(64), 1.0);\n"
                               "}\n";
    const value_t values[] = {P, P};
    const unsigned grid[] = {8, 1, 1};
    program_t program = count(text, sizeof text - 1, NULL, grid, VALUES(values));
    assert_true(program.load->assumed);
    assert_true(bytes(&program, KILN_WORK_STORE) == 8 * 64 * 4);
    release(&program);
}

static double trips_of(const char *statement, int n, int m, bool *out_assumed)
{
    char text[1024];
    const int length = snprintf(text, sizeof text,
                                "kernel void k(i32 *x, i32 n, i32 m)\n"
                                "{\n"
                                "    i32 i = 0, j = 0;\n"
                                "    f32 sum[64] = 0;\n"
                                "    %s\n"
                                "    store((f32 *)x + range(64), sum);\n"
                                "}\n",
                                statement);
    const value_t values[] = {P, I(n), I(m)};
    const unsigned grid[] = {4, 1, 1};
    program_t program = count(text, (size_t)length, NULL, grid, VALUES(values));
    double trips = -1;
    for (size_t i = 0; i < program.load->region_count && trips < 0; i++)
        if (program.load->regions[i].is_loop)
            trips = program.load->regions[i].trips;
    *out_assumed = program.load->assumed;
    release(&program);
    return trips;
}

#define BODY "sum += load((f32 *)x + i + range(64));"

static void loops_that_numbers_end(void **state)
{
    (void)state;
    static const struct {
        const char *statement;
        int n, m;
        double trips;
    } cases[] = {
        {"while (i < n) { " BODY " i += 2; }", 11, 0, 6},
        {"while (i < n) { " BODY " i += 1; }", 100000, 0, 100000},
        {"while (i < n) { " BODY " i += 1; }", 0, 0, 0},
        {"for (i = 0; i * 3 < n && i < m; i++) { " BODY " }", 300, 1000, 100},
        {"for (i = 0; i * 3 < n && i < m; i++) { " BODY " }", 300, 40, 40},
        {"while (i != n) { " BODY " i += 1; }", 50, 0, 50},
        {"while (n - j > m) { " BODY " j += 3; i = j; }", 70, 10, 20},
        {"do { " BODY " i += 1; } while (i < n);", 0, 0, 1},
        {"do { " BODY " i += 1; } while (i < n);", 80, 0, 80},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool assumed;
        const double trips = trips_of(cases[i].statement, cases[i].n, cases[i].m, &assumed);
        if (trips != cases[i].trips || assumed)
            fail_msg("%s: %g iterations%s", cases[i].statement, trips, assumed ? ", assumed" : "");
    }
}

// What memory decides, and what does not change evenly, has 16 iterations: a thousand would make
// seconds of a loop over the tiles of a product.
static void whiles_that_data_ends_are_short(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "while (atomic_add(x, 1) < n) { " BODY " }",
        "while (load(x + i) > n) { " BODY " i += 1; }",
        "for (i = 1; i < n; i *= 2) { " BODY " }",
        "while (i != n) { " BODY " i += 3; }", // wraps around
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool assumed;
        const double trips = trips_of(cases[i], 1000, 0, &assumed);
        if (trips != 16 || !assumed)
            fail_msg("%s: %g iterations%s", cases[i], trips, assumed ? ", assumed" : "");
    }
}
int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_gemm),
                                       cmocka_unit_test(a_gemm_of_few_rows),
                                       cmocka_unit_test(lines_that_xcds_share),
                                       cmocka_unit_test(an_attention),
                                       cmocka_unit_test(a_softmax),
                                       cmocka_unit_test(a_sum_of_vectors),
                                       cmocka_unit_test(a_layernorm),
                                       cmocka_unit_test(a_loop_that_data_ends),
                                       cmocka_unit_test(an_early_return_is_not_taken),
                                       cmocka_unit_test(loops_that_numbers_end),
                                       cmocka_unit_test(whiles_that_data_ends_are_short)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
