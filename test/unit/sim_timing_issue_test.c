// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Issue by a SIMD: a few instructions at a time whose cycles are counted by hand. Sums name the
// parameters of timing/parameters.def, so that better values do not change the tests.
#include "sim_timing.h"

#define END "s_endpgm\n"
#define NONE NULL

static void one_wave(void **state)
{
    (void)state;
    // Each instruction has its own slot, and s_endpgm is in the next one.
    assert_int_equal(timing_run(END, 1, NONE), 0);
    assert_int_equal(timing_run("v_mov_b32 v1, v2\nv_mov_b32 v3, v4\n" END, 1, NONE),
                     2 * P(ISSUE_CYCLES));
    assert_int_equal(timing_run("s_mov_b32 s1, s2\ns_add_u32 s3, s1, s1\n" END, 1, NONE),
                     2 * P(ISSUE_CYCLES));
}

static void dependent_vector(void **state)
{
    (void)state;
    // The second instruction waits for the first; s_endpgm waits for none.
    const uint64_t alone = timing_visit(P(VALU_LATENCY)) + P(ISSUE_CYCLES);
    assert_int_equal(timing_run("v_add_u32 v1, v2, v3\nv_add_u32 v4, v1, v3\n" END, 1, NONE),
                     alone);
    // A transcendental instruction occupies the unit for four times as long.
    assert_int_equal(timing_run("v_exp_f32 v1, v2\nv_exp_f32 v3, v4\n" END, 1, NONE),
                     4 * 4 + P(ISSUE_CYCLES));
    assert_int_equal(timing_run("v_exp_f32 v1, v2\ns_mov_b32 s1, 0\n" END, 1, NONE),
                     2 * P(ISSUE_CYCLES));
    assert_int_equal(timing_run("v_fma_f16 v1, v2, v3, v4\nv_mov_b32 v5, v6\n" END, 1, NONE),
                     P(FMA_F16_CYCLES) + P(ISSUE_CYCLES));
}

// A scalar instruction waits longer for what a vector instruction wrote than a vector one does.
static void scalar_after_vector(void **state)
{
    (void)state;
    assert_int_equal(timing_run("v_readfirstlane_b32 s1, v2\ns_mov_b32 m0, s1\n" END, 1, NONE),
                     timing_visit(P(VALU_LATENCY) + P(VALU_TO_SCALAR)) + P(ISSUE_CYCLES));
    assert_int_equal(
        timing_run("v_cmp_lt_u32 vcc, v1, v2\ns_and_b64 s[2:3], vcc, s[4:5]\n" END, 1, NONE),
        timing_visit(P(VALU_LATENCY) + P(VALU_TO_SCALAR)) + P(ISSUE_CYCLES));
    assert_int_equal(timing_run("v_readfirstlane_b32 s1, v2\nv_mov_b32 v3, s1\n" END, 1, NONE),
                     timing_visit(P(VALU_LATENCY)) + P(ISSUE_CYCLES));
    assert_int_equal(timing_run("v_readfirstlane_b32 s1, v2\ns_mov_b32 s3, s2\n" END, 1, NONE),
                     2 * P(ISSUE_CYCLES));
    // What a scalar instruction wrote after it is ready at once.
    assert_int_equal(timing_run("v_readfirstlane_b32 s1, v2\ns_mov_b32 s1, 0\n"
                                "s_mov_b32 s2, s1\n" END,
                                1, NONE),
                     timing_visit(P(VALU_LATENCY)) + 2 * P(ISSUE_CYCLES));
}

static void matrix(void **state)
{
    (void)state;
    // 4 passes of 4 cycles: the next one waits for the unit, and not longer for the accumulator.
    const char *chain = "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3]\n"
                        "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3]\n" END;
    assert_int_equal(timing_run(chain, 1, NONE),
                     timing_visit(16 + P(MFMA_LATENCY_EXTRA)) + P(ISSUE_CYCLES));
    // Vector instructions are issued meanwhile.
    assert_int_equal(
        timing_run("v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3]\nv_mov_b32 v8, v9\n" END,
                   1, NONE),
        2 * P(ISSUE_CYCLES));
    // They are not issued during one of f32 data, which uses the multipliers for its 8 passes.
    assert_int_equal(
        timing_run("v_mfma_f32_16x16x4_f32 v[0:3], v4, v5, v[0:3]\nv_mov_b32 v8, v9\n" END, 1,
                   NONE),
        32 + P(ISSUE_CYCLES));
    assert_int_equal(timing.unit.simds[0].matrix_busy, 32);
    // Two waves of a SIMD share the unit: five waves are two on SIMD 0.
    assert_int_equal(
        timing_run("v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3]\n" END, 5, NONE),
        16 + P(ISSUE_CYCLES));
}

static void two_waves(void **state)
{
    (void)state;
    // With a scalar register the two waves of SIMD 0 take turns: 2 instructions each, the younger
    // one ends in the slot after its last.
    assert_int_equal(timing_run("v_add_f32 v1, s2, v3\nv_add_f32 v4, s5, v6\n" END, 5, NONE),
                     4 * P(ISSUE_CYCLES));
    // Without one they start together, and end one after the other, since there is a single port.
    assert_int_equal(timing_run("v_add_f32 v1, v2, v3\nv_add_f32 v4, v5, v6\n" END, 5, NONE),
                     3 * P(ISSUE_CYCLES));
    assert_int_equal(timing.unit.simds[0].valu_busy, 2 * 4);
    // At most two waves pair: nine waves are three on SIMD 0.
    timing_run("v_add_f32 v1, v2, v3\n" END, 9, NONE);
    assert_int_equal(timing.unit.simds[0].valu_busy, 2 * 4);
    // f64 instructions with two pairs of source registers pair, too; with three they do not.
    timing_run("v_add_f64 v[0:1], v[2:3], v[4:5]\n" END, 5, NONE);
    assert_int_equal(timing.unit.simds[0].valu_busy, 4);
    timing_run("v_fma_f64 v[0:1], v[2:3], v[4:5], v[6:7]\n" END, 5, NONE);
    assert_int_equal(timing.unit.simds[0].valu_busy, 2 * 4);
    // Different ports do not wait for each other: while one wave has the vector unit, the other has
    // the scalar one.
    assert_int_equal(timing_run("v_mov_b32 v1, v2\ns_mov_b32 s1, s2\n" END, 5, NONE),
                     3 * P(ISSUE_CYCLES));
}

static void waits_of_one_wave(void **state)
{
    (void)state;
    assert_int_equal(timing_run("s_nop 0\n" END, 1, NONE), P(ISSUE_CYCLES));
    assert_int_equal(timing_run("s_nop 7\n" END, 1, NONE), 8 * P(ISSUE_CYCLES));
    assert_int_equal(timing_run("s_sleep 2\n" END, 1, NONE), 2 * P(SLEEP_CYCLES));
    assert_int_equal(timing_run("s_cbranch_scc1 0\n" END, 1, NONE), timing_visit(P(BRANCH_CYCLES)));
    assert_int_equal(timing_stall(0, KILN_SIM_STALL_IDLE), P(BRANCH_CYCLES) - P(ISSUE_CYCLES));
    assert_int_equal(timing_run("s_setprio 3\ns_waitcnt 0\n" END, 1, NONE), 2 * P(ISSUE_CYCLES));
}

static void priority(void **state)
{
    (void)state;
    // The older wave is first, …
    const char *even = "v_add_u32 v1, v2, v3\nv_add_u32 v4, v5, v6\n" END;
    assert_int_equal(timing_run(even, 5, NONE), 4 * P(ISSUE_CYCLES));
    // The younger wave waits for both of its instructions; those of SIMDs 1 to 3 only until their
    // first visit.
    assert_int_equal(timing_stall(0, KILN_SIM_STALL_ISSUE), 2 * P(ISSUE_CYCLES) + 1 + 2 + 3);
    // … even if both have raised their priority equally.
    assert_int_equal(
        timing_run("s_setprio 1\nv_add_u32 v1, v2, v3\nv_add_u32 v4, v5, v6\n" END, 5, NONE),
        5 * P(ISSUE_CYCLES));
}

static void barrier(void **state)
{
    (void)state;
    // Waves 0 to 3 arrive in cycles 0 to 3, on a SIMD each. All continue BARRIER_CYCLES after the
    // last; four cycles visit all SIMDs.
    const uint64_t on = 3 + P(BARRIER_CYCLES);
    assert_int_equal(timing_run("s_barrier\n" END, 4, NONE), on + 3);
    assert_int_equal(timing_stall(0, KILN_SIM_STALL_BARRIER),
                     4 * on - (4 + 5 + 6 + 7)); // from the next slot on
    // A single wave does not wait for others.
    assert_int_equal(timing_run("s_barrier\n" END, 1, NONE), timing_visit(P(BARRIER_CYCLES)));
}

#define FOUR                                                                                       \
    "v_mad_u32_u24 v1, v5, v6, v7\nv_mad_u32_u24 v2, v5, v6, v7\nv_mad_u32_u24 v3, v5, v6, "       \
    "v7\nv_mad_u32_u24 v4, v5, "                                                                   \
    "v6, v7\n"

static void fetch(void **state)
{
    (void)state;
    // Instructions of 8 bytes, four per window: a window's last instruction requests the window
    // after the next, which arrives when it is needed.
    assert_int_equal(timing_run(FOUR FOUR FOUR FOUR END, 1, NONE), 16 * P(ISSUE_CYCLES));
    // If they begin 4 bytes off, every fourth one, from the second window on, waits one slot for
    // the window of its other half.
    assert_int_equal(timing_run("s_nop 0\n" FOUR FOUR FOUR FOUR END, 1, NONE),
                     (1 + 16 + 3) * P(ISSUE_CYCLES));
    assert_int_equal(timing_stall(8, KILN_SIM_STALL_FETCH), P(ISSUE_CYCLES));
    assert_int_equal(timing_stall(9, KILN_SIM_STALL_FETCH), 0);
    // A window of 4-byte instructions lasts longer than fetching the next one takes.
    assert_int_equal(timing_run("s_nop 0\n" FOUR "s_nop 0\ns_nop 0\n" FOUR END, 1, NONE),
                     11 * P(ISSUE_CYCLES));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fetch),
        cmocka_unit_test(one_wave),
        cmocka_unit_test(dependent_vector),
        cmocka_unit_test(scalar_after_vector),
        cmocka_unit_test(matrix),
        cmocka_unit_test(two_waves),
        cmocka_unit_test(waits_of_one_wave),
        cmocka_unit_test(priority),
        cmocka_unit_test(barrier),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
