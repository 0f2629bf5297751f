// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The work of the examples, with numbers by hand: operations, bytes, what programs share; and the
// order in which the model puts a few configurations.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "expect_status.h"
#include "kiln/tune_model.h"

enum { MAX_ARGUMENTS = 16 };

static kiln_session_t *session;

typedef struct program {
    char *text;
    kiln_work_t *work;
    kiln_workload_t *load;
} program_t;

// Values of the arguments in the kernel's order: pointers become addresses that are multiples of
// 4096.
typedef struct value {
    bool is_pointer;
    int32_t integer;
} value_t;
#define P {true, 0}
#define I(n) {false, n}

static program_t count(const char *text, size_t length, const char *const *defines,
                       const unsigned grid[3], const value_t *values, size_t value_count)
{
    program_t program = {0};
    kiln_setting_t settings[8];
    kiln_compile_options_t options;
    kiln_work_launch_t launch;
    uint64_t cells[MAX_ARGUMENTS] = {0};
    void *args[MAX_ARGUMENTS];
    const kiln_source_t source = {KILN_STAGE_TILE, "example.tile.c", text, length};
    kiln_compile_options_initialize(&options);
    options.defines = settings;
    for (; defines && defines[2 * options.define_count]; options.define_count++)
        settings[options.define_count] = (kiln_setting_t){defines[2 * options.define_count],
                                                          defines[2 * options.define_count + 1]};
    expect_ok(kiln_work_create(session, &source, &options, &program.work));
    assert_int_equal(kiln_kernel_argument_count(kiln_work_kernel(program.work)), value_count);
    kiln_work_launch_initialize(&launch);
    memcpy(launch.grid, grid, sizeof launch.grid);
    for (size_t i = 0; i < value_count; i++) {
        if (values[i].is_pointer)
            cells[i] = (uint64_t)(i + 1) << 32;
        else
            memcpy(&cells[i], &values[i].integer, sizeof values[i].integer);
        args[i] = &cells[i];
    }
    launch.args = args;
    expect_ok(kiln_work_measure(program.work, &launch, &program.load));
    return program;
}

static program_t count_example(const char *name, const char *const *defines, unsigned x, unsigned y,
                               const value_t *values, size_t value_count)
{
    char path[512], *text;
    size_t length;
    const unsigned grid[] = {x, y, 1};
    snprintf(path, sizeof path, KILN_SOURCE_DIR "/examples/%s.tile.c", name);
    expect_ok(kiln_file_read(path, &text, &length));
    program_t program = count(text, length, defines, grid, values, value_count);
    program.text = text;
    return program;
}

#define VALUES(values) values, sizeof(values) / sizeof *(values)

static void release(program_t *program)
{
    kiln_workload_release(program->load);
    kiln_work_release(program->work);
    free(program->text);
}

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

// gemm: M N K lda ldb ldc.
static program_t count_gemm(int m, int n, int k, const char *block_m, const char *block_n,
                            const char *block_k)
{
    const char *const defines[] = {"BLOCK_M", block_m, "BLOCK_N", block_n,
                                   "BLOCK_K", block_k, NULL};
    const value_t values[] = {P, P, P, I(m), I(n), I(k), I(k), I(n), I(n)};
    const int rows = atoi(block_m), columns = atoi(block_n);
    return count_example("gemm", defines,
                         (unsigned)((m + rows - 1) / rows * ((n + columns - 1) / columns)), 1,
                         VALUES(values));
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

// The model ---------------------------------------------------------------------------------------

static kiln_tune_estimate_t estimate_for(const program_t *program, int warps, int stages,
                                         int waves_per_eu)
{
    kiln_compile_options_t options;
    kiln_tune_estimate_t estimated = {.struct_size = sizeof estimated};
    kiln_compile_options_initialize(&options);
    options.num_warps = warps;
    options.num_stages = stages;
    options.waves_per_eu = waves_per_eu;
    expect_ok(kiln_tune_estimate(program->load, &options, NULL, &estimated));
    assert_true(isfinite(estimated.nanoseconds) && estimated.nanoseconds > 0);
    assert_non_null(estimated.bound);
    return estimated;
}

static kiln_tune_estimate_t estimate(const program_t *program, int warps, int stages)
{
    return estimate_for(program, warps, stages, 0);
}

static void large_products_need_large_tiles(void **state)
{
    (void)state;
    program_t large = count_gemm(4096, 4096, 4096, "128", "128", "64"),
              tiny = count_gemm(4096, 4096, 4096, "16", "16", "32");
    const kiln_tune_estimate_t good = estimate(&large, 4, 2);
    assert_true(2 * good.nanoseconds < estimate(&tiny, 1, 2).nanoseconds);
    // 2^37 operations at the 1307 · 10^12 a second that the device has at full clock.
    assert_true(good.nanoseconds > 105e3 && good.nanoseconds < 1000e3);
    assert_true(good.clock_mhz < 2100); // power
    assert_true(good.nanoseconds < estimate(&large, 4, 1).nanoseconds);
    release(&large);
    release(&tiny);
}

static void small_products_need_small_tiles(void **state)
{
    (void)state;
    program_t large = count_gemm(512, 512, 4096, "256", "128", "64"),
              small = count_gemm(512, 512, 4096, "32", "32", "64");
    assert_true(estimate(&small, 4, 2).nanoseconds < estimate(&large, 4, 2).nanoseconds);
    release(&large);
    release(&small);
}

static void resources_limit_what_runs_at_once(void **state)
{
    (void)state;
    program_t gemm = count_gemm(4096, 4096, 4096, "128", "128", "64");
    // One buffer of (128 + 128) · 64 · 2 bytes, and two.
    assert_int_equal(estimate(&gemm, 4, 2).lds_bytes, 32768);
    assert_int_equal(estimate(&gemm, 4, 3).lds_bytes, 65536);
    assert_int_equal(estimate(&gemm, 4, 3).workgroups_per_unit, 1);
    assert_int_equal(estimate(&gemm, 4, 5).stages, 3); // a third buffer does not fit
    release(&gemm);
    // 256 accumulators of a lane do not leave room for others.
    gemm = count_gemm(4096, 4096, 4096, "256", "256", "32");
    assert_true(estimate(&gemm, 8, 2).nanoseconds < estimate(&gemm, 4, 2).nanoseconds);
    release(&gemm);
}

// K and V of 128 keys would fill LDS, through which four waves that share 32 queries exchange their
// results; two waves of 16 queries each keep them in registers.
static void buffers_leave_room_for_exchanges(void **state)
{
    (void)state;
    const char *const defines[] = {"BLOCK_M", "32", "BLOCK_N", "128", "D", "128", NULL};
    const value_t values[] = {P, P, P, P, P, I(4), I(2), I(256), I(1024), I(0)};
    program_t attention = count_example("attention", defines, 8, 4, VALUES(values));
    assert_int_equal(estimate(&attention, 4, 2).stages, 1);
    assert_int_equal(estimate(&attention, 2, 2).stages, 2);
    release(&attention);
}

// The addresses of the experts' weights depend on data, but a lane has one for each access, not a
// pointer for each element: LLVM allocates 170 registers (2026-11-30, 0a08f412).
static void pointers_take_few_registers(void **state)
{
    (void)state;
    const char *const defines[] = {"BLOCK_M", "16", "BLOCK_N", "64", "BLOCK_K", "128", NULL};
    const value_t values[] = {P, P, P, P, P, P, P, I(128), I(1024), I(4096)};
    program_t experts = count_example("fused_moe", defines, 128, 1, VALUES(values));
    const kiln_tune_estimate_t expected = estimate(&experts, 1, 1);
    assert_true(expected.registers >= 100 && expected.registers <= 256);
    assert_int_equal(expected.spilled_registers, 0);
    release(&experts);
}

// 128 accumulators and two operands of 64 · 256 halves are more than the 256 registers that 8 waves
// have. A pipelined loop reads the operands in slices: LLVM spills nothing (2026-11-30).
static void operands_are_read_in_slices(void **state)
{
    (void)state;
    program_t gemm = count_gemm(4096, 4096, 4096, "256", "256", "64");
    const kiln_tune_estimate_t pipelined = estimate(&gemm, 8, 2);
    assert_int_equal(pipelined.spilled_registers, 0);
    assert_int_equal(pipelined.registers, 256);
    assert_true(estimate(&gemm, 8, 1).spilled_registers > 0);
    release(&gemm);
}

// Two waves of a workgroup on each SIMD read LDS and compute in turns: 390 and 420 µs on the clock
// (2026-11-30).
static void waves_of_a_simd_take_turns(void **state)
{
    (void)state;
    program_t eight = count_gemm(8192, 1280, 8192, "256", "256", "64"),
              four = count_gemm(8192, 1280, 8192, "128", "128", "64");
    assert_true(estimate(&eight, 8, 2).nanoseconds < estimate(&four, 4, 2).nanoseconds);
    release(&eight);
    release(&four);
}

// Code for two waves on a SIMD that spills a fourth of its registers is slower than code for one
// wave: 803 and 749 µs on the clock (attention 32/8 4096x4096, 2026-11-30).
static void spilled_registers_are_waited_for(void **state)
{
    (void)state;
    const char *const defines[] = {"BLOCK_M", "128", "BLOCK_N", "64", "D", "128", NULL};
    const value_t values[] = {P, P, P, P, P, I(32), I(8), I(4096), I(4096), I(0)};
    program_t attention = count_example("attention", defines, 32, 32, VALUES(values));
    const kiln_tune_estimate_t spilled = estimate_for(&attention, 4, 2, 2);
    assert_true(spilled.spilled_registers > 0);
    assert_true(spilled.nanoseconds > estimate_for(&attention, 4, 2, 1).nanoseconds);
    release(&attention);
}

// HBM leaves less power to the compute units: 1 GB that are read for few rows, whose matrix units
// are half as busy as those of a product that stays in the caches.
static void reading_from_hbm_lowers_the_clock(void **state)
{
    (void)state;
    program_t gemm = count_gemm(2048, 2048, 2048, "64", "64", "64");
    const double cached = estimate(&gemm, 4, 2).clock_mhz;
    release(&gemm);
    gemm = count_gemm(64, 65536, 8192, "64", "64", "64");
    const double streamed = estimate(&gemm, 4, 2).clock_mhz;
    assert_true(streamed < 0.8 * cached);
    release(&gemm);
}

static int set_up(void **state)
{
    (void)state;
    return kiln_session_create(&session) != NULL;
}

static int tear_down(void **state)
{
    (void)state;
    kiln_session_release(session);
    return 0;
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
                                       cmocka_unit_test(whiles_that_data_ends_are_short),
                                       cmocka_unit_test(large_products_need_large_tiles),
                                       cmocka_unit_test(small_products_need_small_tiles),
                                       cmocka_unit_test(resources_limit_what_runs_at_once),
                                       cmocka_unit_test(buffers_leave_room_for_exchanges),
                                       cmocka_unit_test(pointers_take_few_registers),
                                       cmocka_unit_test(operands_are_read_in_slices),
                                       cmocka_unit_test(waves_of_a_simd_take_turns),
                                       cmocka_unit_test(spilled_registers_are_waited_for),
                                       cmocka_unit_test(reading_from_hbm_lowers_the_clock)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
