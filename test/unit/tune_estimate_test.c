// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates of the model: what fits on a compute unit, and the order of a few configurations.
#include "work_count.h"

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

// The number of waves per SIMD that a kernel demands is also the most that it allows, unless its
// own workgroups have more.
static void demanded_waves_are_a_limit(void **state)
{
    (void)state;
    program_t gemm = count_gemm(4096, 4096, 4096, "64", "64", "32");
    assert_true(estimate_for(&gemm, 4, 2, 0).workgroups_per_unit > 2);
    assert_int_equal(estimate_for(&gemm, 4, 2, 2).workgroups_per_unit, 2);
    assert_int_equal(estimate_for(&gemm, 4, 2, 1).workgroups_per_unit, 1);
    assert_int_equal(estimate_for(&gemm, 8, 2, 1).workgroups_per_unit,
                     estimate_for(&gemm, 8, 2, 0).workgroups_per_unit);
    release(&gemm);
}

static program_t count_heads(int heads, int length, const char *const *defines, const char *causal)
{
    const char *own[9] = {"CAUSAL", causal};
    int count = 2, rows = 64;
    for (; defines[count - 2]; count++)
        own[count] = defines[count - 2];
    for (int i = 2; i < count; i += 2)
        rows = strcmp(own[i], "BLOCK_M") ? rows : atoi(own[i + 1]);
    const value_t values[] = {P, P, P, P, P, I(heads), I(heads), I(length), I(length), I(0)};
    return count_example("attention", own, (unsigned)(length / rows), (unsigned)heads,
                         VALUES(values));
}

// Dots of different iterations at the same time need a second buffer, and are worth workgroups;
// what the compiler makes of it takes 32768 bytes and 195 registers (64/8 128x8192, 2026-11-30).
static void chains_overlap_where_it_pays(void **state)
{
    (void)state;
    const char *const small[] = {"BLOCK_M", "64", "BLOCK_N", "32", "D", "128", NULL},
                      *const large[] = {"BLOCK_M", "64", "BLOCK_N", "128", "D", "128", NULL};
    program_t attention = count_heads(64, 8192, small, "false");
    assert_int_equal(estimate(&attention, 4, 2).lds_bytes, 32768);
    assert_int_equal(estimate(&attention, 4, 2).workgroups_per_unit, 2);
    release(&attention);
    // Registers of twice as many keys are more than the architectural ones.
    attention = count_heads(64, 8192, large, "false");
    assert_true(estimate(&attention, 4, 2).registers < 400);
    release(&attention);
}

// A causal attention has half of the work. The largest programs begin first, and have most of a
// compute unit for themselves when the others have ended.
static void large_programs_overtake_small_ones(void **state)
{
    (void)state;
    const char *const tiles[] = {"BLOCK_M", "128", "BLOCK_N", "32", "D", "64", NULL};
    program_t causal = count_heads(16, 8192, tiles, "true"),
              whole = count_heads(16, 8192, tiles, "false");
    assert_true(estimate(&causal, 4, 2).nanoseconds < 0.75 * estimate(&whole, 4, 2).nanoseconds);
    release(&causal);
    release(&whole);
}

// Of a matrix that is transposed on its way to LDS a lane writes as many bytes at once as it has
// loaded rows: 4 of 64 columns, 8 of 128. 354 and 305 µs on the clock (2026-11-30).
static void narrow_writes_of_lds_take_longer(void **state)
{
    (void)state;
    program_t narrow = count_gemm(1024, 4096, 14336, "128", "64", "64"),
              wide = count_gemm(1024, 4096, 14336, "64", "128", "64");
    assert_true(estimate(&narrow, 4, 2).nanoseconds > estimate(&wide, 4, 2).nanoseconds);
    release(&narrow);
    release(&wide);
}

// The waves of small tiles have to read more of LDS, by ports of half its width: 414 and 298 µs on
// the clock for 64×64 by 4 waves and 128×128 by 8 (2026-11-30).
static void ports_of_lds_limit_small_tiles(void **state)
{
    (void)state;
    program_t small = count_gemm(1024, 4096, 14336, "64", "64", "64"),
              large = count_gemm(1024, 4096, 14336, "128", "128", "64");
    assert_true(estimate(&small, 4, 2).nanoseconds > 1.2 * estimate(&large, 8, 3).nanoseconds);
    release(&small);
    release(&large);
}

// A result goes through LDS to be stored in whole lines, in up to half of it: 128×128×32 by 4 waves
// takes as much as its tile, not as its operands.
static void results_pass_lds(void **state)
{
    (void)state;
    program_t gemm = count_gemm(4096, 4096, 4096, "128", "128", "32");
    assert_int_equal(estimate(&gemm, 4, 2).lds_bytes, 32768);
    release(&gemm);
    gemm = count_gemm(4096, 4096, 4096, "64", "128", "32");
    assert_int_equal(estimate(&gemm, 4, 1).lds_bytes, 16384);
    release(&gemm);
}

// A compute unit waits for few lines at a time, so that 112 of them read the same bytes more slowly
// than 224: 20.0 and 16.1 µs on the clock for the same product of integers (2026-11-30).
static void few_units_wait_for_few_lines(void **state)
{
    (void)state;
    program_t few = count_gemm(32, 14336, 4096, "32", "128", "64"),
              more = count_gemm(32, 14336, 4096, "32", "64", "64");
    assert_true(estimate(&few, 4, 3).nanoseconds > estimate(&more, 4, 3).nanoseconds);
    release(&few);
    release(&more);
}

// Waves begin one after the other, so that twice as many for each row end later: 4.8 and 4.1 µs on
// the clock (2026-11-30).
static void waves_begin_in_turn(void **state)
{
    (void)state;
    const char *const defines[] = {"BLOCK", "4096", NULL};
    const value_t values[] = {P, P, P, P, I(8192), I(8192), I(0)};
    program_t rows = count_example("layernorm", defines, 256, 1, VALUES(values));
    assert_true(estimate(&rows, 16, 1).nanoseconds > estimate(&rows, 8, 1).nanoseconds);
    release(&rows);
}

// All lanes that load the same scale touch one line. If each touched its own, a compute unit would
// wait for as many lines of scales as of the matrix, and more workgroups would seem to be much
// better: 158 and 193 µs on the clock (2026-11-30).
static void lanes_share_a_line(void **state)
{
    (void)state;
    const char *const defines[] = {"BLOCK_M", "128", "BLOCK_N", "128", NULL};
    const value_t values[] = {P, P, P, P, P, I(512), I(28672), I(4096)};
    program_t gemm = count_example("fp8_gemm", defines, 4 * 224, 1, VALUES(values));
    assert_true(estimate(&gemm, 8, 3).nanoseconds <
                1.05 * estimate_for(&gemm, 4, 2, 2).nanoseconds);
    release(&gemm);
}

// A single buffer is written between two barriers, of which a second buffer saves one: 59.2 and
// 50.6 µs on the clock (2026-11-30).
static void second_buffers_save_a_barrier(void **state)
{
    (void)state;
    const char *const defines[] = {"BLOCK_M", "128", "BLOCK_N", "128", NULL};
    const value_t values[] = {P, P, P, P, P, I(1024), I(4096), I(4096)};
    program_t gemm = count_example("fp8_gemm", defines, 8 * 32, 1, VALUES(values));
    assert_true(estimate(&gemm, 8, 3).nanoseconds < estimate(&gemm, 8, 2).nanoseconds);
    release(&gemm);
}

// Eight waves read twice as much of LDS as four, and none of it meanwhile: 31.2 and 26.5 µs on the
// clock (attention 24/24 1000x1000, 2026-12-01).
static void turns_leave_units_all_their_work(void **state)
{
    (void)state;
    const char *const defines[] = {"BLOCK_M", "128", "BLOCK_N", "64", "D", "64", NULL};
    program_t attention = count_heads(24, 1024, defines, "false");
    assert_true(estimate(&attention, 8, 2).nanoseconds > estimate(&attention, 4, 2).nanoseconds);
    release(&attention);
}

// Registers beyond the architectural ones are moved, 100 in each iteration of 32×64 by two waves:
// 212 µs on the clock, and 171 for 64×32 by four (2026-11-30).
static void registers_beyond_the_first_file_are_moved(void **state)
{
    (void)state;
    const char *const many[] = {"BLOCK_M", "32", "BLOCK_N", "64", "D", "128", NULL},
                      *const few[] = {"BLOCK_M", "64", "BLOCK_N", "32", "D", "128", NULL};
    const value_t values[] = {P, P, P, P, P, I(64), I(8), I(128), I(8192), I(0)};
    program_t moved = count_example("attention", many, 4, 64, VALUES(values)),
              fit = count_example("attention", few, 2, 64, VALUES(values));
    assert_true(estimate(&moved, 2, 3).nanoseconds > estimate(&fit, 4, 2).nanoseconds);
    release(&moved);
    release(&fit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(large_products_need_large_tiles),
                                       cmocka_unit_test(small_products_need_small_tiles),
                                       cmocka_unit_test(resources_limit_what_runs_at_once),
                                       cmocka_unit_test(buffers_leave_room_for_exchanges),
                                       cmocka_unit_test(pointers_take_few_registers),
                                       cmocka_unit_test(operands_are_read_in_slices),
                                       cmocka_unit_test(waves_of_a_simd_take_turns),
                                       cmocka_unit_test(spilled_registers_are_waited_for),
                                       cmocka_unit_test(reading_from_hbm_lowers_the_clock),
                                       cmocka_unit_test(demanded_waves_are_a_limit),
                                       cmocka_unit_test(chains_overlap_where_it_pays),
                                       cmocka_unit_test(large_programs_overtake_small_ones),
                                       cmocka_unit_test(narrow_writes_of_lds_take_longer),
                                       cmocka_unit_test(ports_of_lds_limit_small_tiles),
                                       cmocka_unit_test(results_pass_lds),
                                       cmocka_unit_test(few_units_wait_for_few_lines),
                                       cmocka_unit_test(waves_begin_in_turn),
                                       cmocka_unit_test(lanes_share_a_line),
                                       cmocka_unit_test(second_buffers_save_a_barrier),
                                       cmocka_unit_test(turns_leave_units_all_their_work),
                                       cmocka_unit_test(registers_beyond_the_first_file_are_moved)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
