// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The effect of MODE on vector arithmetic, comparisons that write EXEC, DPP lane by lane, and
// LLVM's expansion of a division.
#include "sim_valu_cases.h"

// ---- MODE: effects that the cases' expressions do not cover ----

static uint32_t run_one(uint32_t low, uint32_t high, uint32_t mode, uint32_t a, uint32_t b,
                        uint32_t c)
{
    const uint32_t words[] = {low, high};
    code_t code;
    assemble(&code, words, sizeof words);
    wave->exec = 1;
    wave->mode = mode;
    wave->vgpr[0][0] = a;
    wave->vgpr[2][0] = b;
    wave->vgpr[4][0] = c;
    wave->vgpr[6][0] = 0xaaaa5555;
    code.first->run(wave, code.first);
    discard(&code);
    return wave->vgpr[6][0];
}

enum { KEEP = 0xf0, FLUSH_F32 = 0xc0, FLUSH_F16 = 0x30, FLUSH_IN = 0xe0, FLUSH_OUT = 0xd0 };

static void denormals_flush_by_mode(void **state)
{
    (void)state;
    // v_mul_f32_e32 v6, v0, v2
    assert_int_equal(run_one(0x0a0c0500, 0, KEEP, 0x00400000, 0x40000000, 0), 0x00800000);
    assert_int_equal(run_one(0x0a0c0500, 0, FLUSH_F32, 0x80400000, 0x40000000, 0), 0x80000000);
    assert_int_equal(run_one(0x0a0c0500, 0, FLUSH_F32, 0x00800000, 0x3f000000, 0), 0); // result
    assert_int_equal(run_one(0x0a0c0500, 0, FLUSH_IN, 0x00800000, 0x3f000000, 0),
                     0x00400000); // inputs only
    assert_int_equal(run_one(0x0a0c0500, 0, FLUSH_OUT, 0x00400000, 0x40000000, 0),
                     0x00800000); // results only
    assert_int_equal(run_one(0x0a0c0500, 0, FLUSH_F16, 0x00400000, 0x40000000, 0),
                     0x00800000); // not f32's field
    // v_mul_f16_e32 v6, v0, v2
    assert_int_equal(run_one(0x440c0500, 0, KEEP, 0x0200, 0x4000, 0), 0x0400);
    assert_int_equal(run_one(0x440c0500, 0, FLUSH_F16, 0x8200, 0x4000, 0), 0x8000);
    assert_int_equal(run_one(0x440c0500, 0, FLUSH_F32, 0x0200, 0x4000, 0), 0x0400);
    // v_mov_b32_e32 v6, v0 and v_max_f32_e32 v6, v0, v2: moving keeps, max flushes
    assert_int_equal(run_one(0x7e0c0300, 0, FLUSH_F32, 0x00400000, 0, 0), 0x00400000);
    assert_int_equal(run_one(0x160c0500, 0, FLUSH_F32, 0x00400000, 0x80000000, 0), 0);
    // v_rcp_f32_e32 v6, v0 flushes in any mode
    assert_int_equal(run_one(0x7e0c4500, 0, KEEP, 0x00400000, 0, 0), 0x7f800000);
}

static void rounding_follows_mode(void **state)
{
    (void)state;
    // v_add_f32_e32 v6, v0, v2: 1 + 2^-30
    static const uint32_t up[] = {0x3f800000, 0x3f800001, 0x3f800000, 0x3f800000},
                          down[] = {0xbf800000, 0xbf800000, 0xbf800001, 0xbf800000};
    for (uint32_t round = 0; round < 4; round++) {
        assert_int_equal(run_one(0x020c0500, 0, KEEP | round, 0x3f800000, 0x30800000, 0),
                         up[round]);
        assert_int_equal(run_one(0x020c0500, 0, KEEP | round, 0xbf800000, 0xb0800000, 0),
                         down[round]);
        assert_int_equal(run_one(0x020c0500, 0, KEEP | round << 2, 0x3f800000, 0x30800000, 0),
                         0x3f800000); // f16's field
    }
    // v_cvt_f16_f32_e32 v6, v0: 1 + 2^-20 and overflow
    static const uint32_t f16[] = {0x3c00, 0x3c01, 0x3c00, 0x3c00},
                          overflow[] = {0x7c00, 0x7c00, 0x7bff, 0x7bff};
    for (uint32_t round = 0; round < 4; round++) {
        assert_int_equal(run_one(0x7e0c1500, 0, KEEP | round << 2, 0x3f800008, 0, 0), f16[round]);
        assert_int_equal(run_one(0x7e0c1500, 0, KEEP | round << 2, 0x49000000, 0, 0),
                         overflow[round]);
    }
    assert_int_equal(run_one(0x7e0c1500, 0, KEEP | KILN_SIM_MODE_FP16_OVFL, 0xc9000000, 0, 0),
                     0xfbff);
    assert_int_equal(run_one(0x7e0c1500, 0, KEEP | KILN_SIM_MODE_FP16_OVFL, 0xff800000, 0, 0),
                     0xfc00);
}

static void clamp_and_omod_follow_mode(void **state)
{
    (void)state;
    const uint32_t nan = 0x7fc00000;
    // v_add_f32_e64 v6, v0, v2 clamp
    assert_int_equal(run_one(0xd1018006, 0x00020500, KEEP | KILN_SIM_MODE_DX10_CLAMP, nan, 0, 0),
                     0);
    assert_int_equal(run_one(0xd1018006, 0x00020500, KEEP, nan, 0, 0), nan);
    assert_int_equal(run_one(0xd1018006, 0x00020500, KEEP, 0xc0000000, 0, 0), 0);
    assert_int_equal(run_one(0xd1018006, 0x00020500, KEEP, 0x40000000, 0, 0), 0x3f800000);
    // v_add_f32_e64 v6, v0, v2 mul:4, div:2: only if output denormals are flushed and IEEE is off
    assert_int_equal(run_one(0xd1010006, 0x10020500, FLUSH_F32, 0x3f800000, 0x3f800000, 0),
                     0x41000000);
    assert_int_equal(run_one(0xd1010006, 0x18020500, FLUSH_F32, 0x3f800000, 0x3f800000, 0),
                     0x3f800000);
    assert_int_equal(run_one(0xd1010006, 0x10020500, KEEP, 0x3f800000, 0x3f800000, 0), 0x40000000);
    assert_int_equal(
        run_one(0xd1010006, 0x10020500, FLUSH_F32 | KILN_SIM_MODE_IEEE, 0x3f800000, 0x3f800000, 0),
        0x40000000);
}

static void signalling_nans_quieten_under_ieee(void **state)
{
    (void)state;
    // v_max_f32_e32 v6, v0, v2
    assert_int_equal(run_one(0x160c0500, 0, KEEP | KILN_SIM_MODE_IEEE, 0x7f800001, 0x3f800000, 0),
                     0x7fc00001);
    assert_int_equal(run_one(0x160c0500, 0, KEEP, 0x7f800001, 0x3f800000, 0), 0x3f800000);
}

// ---- Comparisons that write EXEC, lanes, DPP ----

static void cmpx_writes_exec(void **state)
{
    (void)state;
    // v_cmpx_gt_u32_e32 vcc, v0, v2 and its e64 form into s[10:11]
    static const uint32_t forms[][2] = {{0x7db80500, 0}, {0xd0dc000a, 0x00020500}};
    for (unsigned form = 0; form < 2; form++) {
        code_t code;
        assemble(&code, forms[form], sizeof forms[form]);
        for (unsigned i = 0; i < 64; i++) {
            wave->vgpr[0][i] = i;
            wave->vgpr[2][i] = 20;
        }
        wave->exec = 0xffffffff0fffffff;
        wave->vcc = UINT64_MAX;
        code.first->run(wave, code.first);
        assert_true(wave->exec == (0xffffffff0fffffff & ~0x1fffffull));
        assert_true((form ? s64(10) : wave->vcc) == wave->exec);
        discard(&code);
    }
}

static void dpp_reads_other_lanes(void **state)
{
    (void)state;
    static const uint32_t controls[] = {0x1b,  0xe4,  0x39,  0x00,  0x101, 0x10f, 0x111, 0x114,
                                        0x118, 0x11f, 0x121, 0x12c, 0x130, 0x134, 0x138, 0x13c,
                                        0x140, 0x141, 0x142, 0x143, 0x150, 0x157, 0x15f};
    for (unsigned n = 0; n < sizeof controls / sizeof controls[0]; n++)
        for (unsigned variant = 0; variant < 12; variant++) {
            const uint32_t zero = variant & 1, row_mask = variant & 2 ? 0xa : 0xf,
                           bank_mask = variant & 2 ? 0x5 : 0xf;
            // v_sub_u32_dpp v6, v0, v2
            const uint32_t words[] = {0x6a0c04fa, 0x00000000 | controls[n] << 8 | zero << 19 |
                                                      bank_mask << 24 | row_mask << 28};
            code_t code;
            assemble(&code, words, sizeof words);
            const uint64_t exec = variant & 4 ? reference_random(&seed) : UINT64_MAX;
            for (unsigned i = 0; i < 64; i++) {
                wave->vgpr[0][i] = 100 + i;
                wave->vgpr[2][i] = i * 1000;
                wave->vgpr[6][i] = 0xdead;
            }
            wave->exec = exec;
            wave->mode = KEEP;
            code.first->run(wave, code.first);
            for (int i = 0; i < 64; i++) {
                const int from = dpp_lane(controls[n], i);
                const bool valid = from >= 0 && (exec >> from & 1);
                const bool written = (exec >> i & 1) && (valid || zero) &&
                                     (row_mask >> i / 16 & 1) && (bank_mask >> i % 16 / 4 & 1);
                assert_int_equal(wave->vgpr[6][i],
                                 written ? (valid ? 100u + (uint32_t)from : 0u) - (uint32_t)i * 1000
                                         : 0xdead);
            }
            discard(&code);
        }
}

static void dpp_of_64_bits_broadcasts(void **state)
{
    (void)state;
    const uint32_t words[] = {0x7e0c70fa,
                              0xff015300}; // v_mov_b64_dpp v[6:7], v[0:1] row_newbcast:3
    code_t code;
    assemble(&code, words, sizeof words);
    wave->exec = UINT64_MAX;
    for (unsigned i = 0; i < 64; i++)
        set_vgpr64(0, i, (uint64_t)i << 32 | (i + 500));
    code.first->run(wave, code.first);
    for (unsigned i = 0; i < 64; i++)
        assert_true(vgpr64(6, i) == ((uint64_t)(i / 16 * 16 + 3) << 32 | (i / 16 * 16 + 503)));
    discard(&code);
}

// ---- Sequences: LLVM's expansion of a division ----

static void run_sequence(const uint32_t *words, size_t bytes)
{
    code_t code;
    assemble(&code, words, bytes);
    wave->exec = UINT64_MAX;
    wave->mode = KEEP | KILN_SIM_MODE_IEEE;
    for (const kiln_sim_inst_t *inst = code.first; inst->next; inst = inst->next)
        inst->run(wave, inst);
    discard(&code);
}

static void a_division_is_correctly_rounded(void **state)
{
    (void)state;
    static const uint32_t words[] = {
        0xd1e00003, 0x04060502, // v_div_scale_f32 v3, s[0:1], v2, v2, v1
        0xd1e06a05, 0x04060501, // v_div_scale_f32 v5, vcc, v1, v2, v1
        0x7e084503,             // v_rcp_f32_e32 v4, v3
        0xd1cb0006, 0x23ca0903, // v_fma_f32 v6, -v3, v4, 1.0
        0x76080906,             // v_fmac_f32_e32 v4, v6, v4
        0x0a0c0905,             // v_mul_f32_e32 v6, v5, v4
        0xd1cb0007, 0x24160d03, // v_fma_f32 v7, -v3, v6, v5
        0x760c0907,             // v_fmac_f32_e32 v6, v7, v4
        0xd1cb0003, 0x24160d03, // v_fma_f32 v3, -v3, v6, v5
        0xd1e20003, 0x041a0903, // v_div_fmas_f32 v3, v3, v4, v6
        0xd1de0000, 0x04060503, // v_div_fixup_f32 v0, v3, v2, v1
    };
    for (unsigned round = 0; round < 40; round++) {
        for (unsigned i = 0; i < 64; i++) {
            wave->vgpr[1][i] = (uint32_t)random_value(F32, 0);
            wave->vgpr[2][i] = (uint32_t)random_value(F32, 1);
        }
        run_sequence(words, sizeof words);
        for (unsigned i = 0; i < 64; i++) {
            const float want =
                reference_as_f32(wave->vgpr[1][i]) / reference_as_f32(wave->vgpr[2][i]);
            assert_true(agrees(wave->vgpr[0][i], reference_f32_bits(want), F32_));
        }
    }
}

static void a_division_of_doubles_is_correctly_rounded(void **state)
{
    (void)state;
    static const uint32_t words[] = {
        0xd1e10004, 0x04020502, // v_div_scale_f64 v[4:5], s[0:1], v[2:3], v[2:3], v[0:1]
        0x7e0c4b04,             // v_rcp_f64_e32 v[6:7], v[4:5]
        0xd1cc0008, 0x23ca0d04, // v_fma_f64 v[8:9], -v[4:5], v[6:7], 1.0
        0x080c1106,             // v_fmac_f64_e32 v[6:7], v[6:7], v[8:9]
        0xd1cc0008, 0x23ca0d04, // v_fma_f64 v[8:9], -v[4:5], v[6:7], 1.0
        0x080c1106,             // v_fmac_f64_e32 v[6:7], v[6:7], v[8:9]
        0xd1e16a08, 0x04020500, // v_div_scale_f64 v[8:9], vcc, v[0:1], v[2:3], v[0:1]
        0xd281000a, 0x00020d08, // v_mul_f64 v[10:11], v[8:9], v[6:7]
        0xd1cc0004, 0x24221504, // v_fma_f64 v[4:5], -v[4:5], v[10:11], v[8:9]
        0xd1e30004, 0x042a0d04, // v_div_fmas_f64 v[4:5], v[4:5], v[6:7], v[10:11]
        0xd1df0000, 0x04020504, // v_div_fixup_f64 v[0:1], v[4:5], v[2:3], v[0:1]
    };
    for (unsigned round = 0; round < 40; round++) {
        double want[64];
        for (unsigned i = 0; i < 64; i++) {
            const uint64_t n = random_value(F64, 0), d = random_value(F64, 1);
            set_vgpr64(0, i, n);
            set_vgpr64(2, i, d);
            want[i] = reference_as_f64(n) / reference_as_f64(d);
        }
        run_sequence(words, sizeof words);
        for (unsigned i = 0; i < 64; i++)
            assert_true(agrees(vgpr64(0, i), reference_f64_bits(want[i]), F64_));
    }
}

static int run(const char *variant)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(denormals_flush_by_mode),
        cmocka_unit_test(rounding_follows_mode),
        cmocka_unit_test(clamp_and_omod_follow_mode),
        cmocka_unit_test(signalling_nans_quieten_under_ieee),
        cmocka_unit_test(cmpx_writes_exec),
        cmocka_unit_test(dpp_reads_other_lanes),
        cmocka_unit_test(dpp_of_64_bits_broadcasts),
        cmocka_unit_test(a_division_is_correctly_rounded),
        cmocka_unit_test(a_division_of_doubles_is_correctly_rounded),
    };
    return cmocka_run_group_tests_name(variant, tests, set_up, tear_down);
}

int main(void)
{
    return sim_run_variants(run);
}
