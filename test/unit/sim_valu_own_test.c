// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector instructions that do not work lane by lane, and the steps of division and of argument
// reduction, each separately: the guide's rules, written independently. sim_valu_test.c tests their
// combination to a division.
#include "sim_memory_ops.h"

enum { ROUNDS = 8 };

static sim_state_t got, want;

static uint32_t below(uint32_t limit)
{
    return (uint32_t)(reference_random(&sim_seed) >> 33) % limit;
}

static void start(unsigned round)
{
    sim_randomize(&want);
    sim_choose_exec(&want, round);
    got = want;
}

static bool is_on(unsigned lane)
{
    return sim_exec(&want) >> lane & 1;
}

// ---- lanes and scalars

static unsigned first_lane(void)
{
    unsigned lane = 0;
    while (lane < 63 && !is_on(lane))
        lane++;
    return is_on(lane) ? lane : 0;
}

static void lanes_are_read_and_written(void **unused)
{
    (void)unused;
    sim_code_t code = sim_assemble_code(
        "v_readfirstlane_b32 s40, v8\nv_readfirstlane_b32 vcc_hi, v8\n"
        "v_readlane_b32 s40, v8, s41\nv_readlane_b32 s40, v8, 63\nv_readlane_b32 vcc_lo, v8, m0\n"
        "v_writelane_b32 v8, -9, s41\nv_writelane_b32 v8, -5, 17\nv_writelane_b32 v8, m0, m0\n"
        "v_writelane_b32 v8, s40, m0\n");
    const kiln_sim_inst_t *inst = sim_inst_at(&code, 0);
    for (unsigned i = 0; i < 9; i++, inst = inst->next) {
        for (unsigned round = 0; round < ROUNDS; round++) {
            start(round);
            const uint32_t *s = got.sgpr;
            const uint32_t m0 = s[KILN_SIM_SGPR_M0];
            if (i < 2)
                want.sgpr[i ? KILN_SIM_SGPR_VCC + 1 : 40] = got.vgpr[8][first_lane()];
            else if (i < 5) // EXEC has no effect, and the number wraps
                want.sgpr[i == 4 ? KILN_SIM_SGPR_VCC : 40] = got.vgpr[8][(i == 2   ? s[41]
                                                                          : i == 3 ? 63
                                                                                   : m0) %
                                                                         64];
            else
                want.vgpr[8][(i == 5   ? s[41]
                              : i == 6 ? 17
                                       : m0) %
                             64] = i == 5   ? (uint32_t)-9
                                   : i == 6 ? (uint32_t)-5
                                   : i == 7 ? m0
                                            : s[40];
            sim_run(&got, inst);
            sim_expect(inst, &got, &want, SIM_BITS, 1);
        }
    }
    sim_discard_code(&code);
}

static void registers_are_swapped(void **unused)
{
    (void)unused;
    sim_code_t code = sim_assemble_code("v_swap_b32 v8, v9\nv_swap_b32 v8, v8\n");
    const kiln_sim_inst_t *inst = sim_inst_at(&code, 0);
    for (unsigned i = 0; i < 2; i++, inst = inst->next) {
        for (unsigned round = 0; round < ROUNDS; round++) {
            start(round);
            for (unsigned lane = 0; lane < 64 && i == 0; lane++) {
                if (is_on(lane)) {
                    want.vgpr[8][lane] = got.vgpr[9][lane];
                    want.vgpr[9][lane] = got.vgpr[8][lane];
                }
            }
            sim_run(&got, inst);
            sim_expect(inst, &got, &want, SIM_BITS, 64);
        }
    }
    sim_discard_code(&code);
}

static uint32_t masked_differences(uint64_t bytes, uint32_t reference)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < 32; i += 8) {
        const int x = (int)(bytes >> i & 255), y = (int)(reference >> i & 255);
        sum += y ? (uint32_t)(x > y ? x - y : y - x) : 0;
    }
    return sum;
}

static void masked_sums_of_differences(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        unsigned result, c;
    } cases[] = {{"v_mqsad_u32_u8 v[16:19], v[8:9], v10, v[12:15]\n", 16, 12},
                 {"v_mqsad_u32_u8 v[12:15], v[8:9], v10, v[12:15]\n", 12, 12},
                 {"v_mqsad_u32_u8 v[16:19], v[8:9], v10, v[4:7]\n", 16, 4}};
    for (unsigned i = 0; i < 3; i++) {
        sim_code_t code = sim_assemble_code(cases[i].text);
        const kiln_sim_inst_t *inst = sim_inst_at(&code, 0);
        for (unsigned round = 0; round < ROUNDS; round++) {
            start(round);
            for (unsigned lane = 0; lane < 64; lane++) {
                want.vgpr[10][lane] &= below(2) ? 0xff00ffff : 0xffffffff;
                got.vgpr[10][lane] = want.vgpr[10][lane];
                const uint64_t bytes = (uint64_t)got.vgpr[9][lane] << 32 | got.vgpr[8][lane];
                for (unsigned part = 0; part < 4 && is_on(lane); part++)
                    want.vgpr[cases[i].result + part][lane] =
                        got.vgpr[cases[i].c + part][lane] +
                        masked_differences(bytes >> 8 * part, got.vgpr[10][lane]);
            }
            sim_run(&got, inst);
            sim_expect(inst, &got, &want, SIM_BITS, 64);
        }
        sim_discard_code(&code);
    }
}

// ---- 2/pi, computed by Machin's formula to more bits than the machine has

static const uint64_t two_over_pi[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab};

static uint32_t bit_of_two_over_pi(unsigned place) // 1: the half
{
    return place > 1200 ? 0
                        : (uint32_t)(two_over_pi[(place - 1) / 64] >> (63 - (place - 1) % 64)) & 1;
}

static void segments_of_two_over_pi(void **unused)
{
    (void)unused;
    sim_code_t code = sim_assemble_code(
        "v_trig_preop_f64 v[16:17], v[8:9], v10\nv_trig_preop_f64 v[8:9], v[8:9], 3\n");
    const kiln_sim_inst_t *inst = sim_inst_at(&code, 0);
    for (unsigned i = 0; i < 2; i++, inst = inst->next) {
        for (unsigned round = 0; round < ROUNDS; round++) {
            start(round);
            for (unsigned lane = 0; lane < 64; lane++) {
                const uint32_t exponent = lane % 4 == 0   ? below(2047)
                                          : lane % 4 == 1 ? 1960 + below(16)
                                                          : 1000 + below(200);
                want.vgpr[9][lane] = (want.vgpr[9][lane] & 0x800fffff) | exponent << 20;
                want.vgpr[10][lane] = below(20) + 32 * below(4); // five bits count
                got.vgpr[9][lane] = want.vgpr[9][lane];
                got.vgpr[10][lane] = want.vgpr[10][lane];
                const unsigned segment = i ? 3 : got.vgpr[10][lane] % 32;
                const unsigned shift = segment * 53 + (exponent > 1077 ? exponent - 1077 : 0);
                long double sum = 0;
                for (unsigned n = 1; n <= 53; n++)
                    sum += ldexpl(bit_of_two_over_pi(shift + n), 53 - (int)n);
                const double value =
                    ldexp((double)sum, -53 - (int)shift + (exponent >= 1968 ? 128 : 0));
                const uint64_t bits = reference_f64_bits(value);
                if (is_on(lane)) {
                    want.vgpr[i ? 8 : 16][lane] = (uint32_t)bits;
                    want.vgpr[i ? 9 : 17][lane] = (uint32_t)(bits >> 32);
                }
            }
            sim_run(&got, inst);
            sim_expect(inst, &got, &want, SIM_BITS, 64);
        }
    }
    sim_discard_code(&code);
}

// ---- division

// A float of either width by its parts.
typedef struct parts {
    long double value;
    int exponent; // biased
    bool is_nan, is_inf, is_subnormal;
} parts_t;

static parts_t parts_of(uint64_t bits, bool wide)
{
    parts_t p;
    p.value =
        wide ? (long double)reference_as_f64(bits) : (long double)reference_as_f32((uint32_t)bits);
    p.exponent = (int)(wide ? bits >> 52 & 2047 : bits >> 23 & 255);
    p.is_nan = isnan(p.value);
    p.is_inf = isinf(p.value);
    p.is_subnormal = p.exponent == 0 && p.value != 0;
    return p;
}

static uint64_t bits_of(long double value, bool wide)
{
    return wide ? reference_f64_bits((double)value) : reference_f32_bits((float)value);
}

static bool subnormal_quotient(long double n, long double d, bool wide)
{
    const long double q = fabsl(n / d);
    return q > 0 && q < (wide ? 0x1p-1022L : 0x1p-126L);
}

static uint64_t quiet(uint64_t bits, bool wide)
{
    return bits | (wide ? 1ull << 51 : 1u << 22);
}

// The first operand is the denominator or the numerator; the result is its product with a power of
// two, and VCC controls v_div_fmas.
static uint64_t div_scale(uint64_t s0, uint64_t d_bits, uint64_t n_bits, bool wide, bool *vcc)
{
    const parts_t d = parts_of(d_bits, wide), n = parts_of(n_bits, wide);
    const int step = wide ? 128 : 64;
    const long double value = parts_of(s0, wide).value;
    const bool tiny_inverse = subnormal_quotient(1, d.value, wide),
               tiny = subnormal_quotient(n.value, d.value, wide);
    *vcc = false;
    if (d.value == 0 || n.value == 0)
        return bits_of(NAN, wide);
    if (n.exponent - d.exponent >= (wide ? 768 : 96)) {
        *vcc = true;
        return s0 == d_bits ? bits_of(ldexpl(value, step), wide) : s0;
    }
    if (d.is_subnormal)
        return bits_of(ldexpl(value, step), wide);
    if (tiny_inverse && tiny) {
        *vcc = true;
        return s0 == d_bits ? bits_of(ldexpl(value, -step), wide) : s0;
    }
    if (tiny_inverse)
        return bits_of(ldexpl(value, -step), wide);
    if (tiny) {
        *vcc = true;
        return s0 == n_bits ? bits_of(ldexpl(value, step), wide) : s0;
    }
    return n.exponent <= (wide ? 53 : 23) ? bits_of(ldexpl(value, step), wide) : s0;
}

static uint64_t div_fixup(uint64_t q, uint64_t d_bits, uint64_t n_bits, bool wide)
{
    const parts_t d = parts_of(d_bits, wide), n = parts_of(n_bits, wide);
    const uint64_t sign_bit = wide ? 1ull << 63 : 1u << 31, sign = (d_bits ^ n_bits) & sign_bit;
    const uint64_t infinity = wide ? 0x7ff0000000000000 : 0x7f800000;
    if (n.is_nan)
        return quiet(n_bits, wide);
    if (d.is_nan)
        return quiet(d_bits, wide);
    if ((n.value == 0 && d.value == 0) || (n.is_inf && d.is_inf))
        return wide ? 0xfff8000000000000 : 0xffc00000;
    if (d.value == 0 || n.is_inf)
        return sign | infinity;
    if (d.is_inf || n.value == 0 || n.exponent - d.exponent < (wide ? -1075 : -150))
        return sign;
    if (parts_of(q, wide).is_nan)
        return sign | infinity;
    return sign | (q & ~sign_bit);
}

static uint64_t pair(const sim_state_t *state, unsigned reg, unsigned lane, bool wide)
{
    return state->vgpr[reg][lane] | (wide ? (uint64_t)state->vgpr[reg + 1][lane] << 32 : 0);
}

static void set_pair(sim_state_t *state, unsigned reg, unsigned lane, bool wide, uint64_t value)
{
    state->vgpr[reg][lane] = (uint32_t)value;
    if (wide)
        state->vgpr[reg + 1][lane] = (uint32_t)(value >> 32);
}

// Numbers of all magnitudes in v8, v10 and v12 (pairs for f64).
static void start_division(unsigned round, bool wide)
{
    start(round);
    sim_fill_operands(&want, wide ? SIM_F64 : SIM_F32);
    for (unsigned reg = 8; reg < 14; reg += 2) {
        for (unsigned lane = 0; lane < 64; lane++) {
            if (below(3)) {
                const uint64_t bits = reference_random(&sim_seed); // any exponent
                set_pair(&want, reg, lane, wide, wide ? bits : bits >> 32);
            }
        }
    }
    got = want;
}

static void division_is_scaled(void **unused)
{
    (void)unused;
    sim_code_t code = sim_assemble_code(
        "v_div_scale_f32 v16, vcc, v10, v10, v12\nv_div_scale_f32 v16, s[40:41], v12, v10, v12\n"
        "v_div_scale_f64 v[16:17], vcc, v[10:11], v[10:11], v[12:13]\n"
        "v_div_scale_f64 v[12:13], s[40:41], v[12:13], v[10:11], v[12:13]\n");
    const kiln_sim_inst_t *inst = sim_inst_at(&code, 0);
    for (unsigned i = 0; i < 4; i++, inst = inst->next) {
        const bool wide = i >= 2;
        for (unsigned round = 0; round < 2 * ROUNDS; round++) {
            start_division(round, wide);
            uint64_t mask = 0;
            for (unsigned lane = 0; lane < 64; lane++) {
                const uint64_t d = pair(&got, 10, lane, wide), n = pair(&got, 12, lane, wide);
                bool scaled;
                const uint64_t result = div_scale(i % 2 ? n : d, d, n, wide, &scaled);
                mask |= (uint64_t)(scaled && is_on(lane)) << lane;
                if (is_on(lane))
                    set_pair(&want, i == 3 ? 12 : 16, lane, wide, result);
            }
            sim_set_s64(&want, i % 2 ? 40 : KILN_SIM_SGPR_VCC, mask);
            sim_run(&got, inst);
            sim_expect(inst, &got, &want, wide ? SIM_F64 : SIM_F32, 64);
        }
    }
    sim_discard_code(&code);
}

// Operands whose product and sum are exact in long double, so that only the last rounding and the
// scaling are visible.
static void last_step_of_division(void **unused)
{
    (void)unused;
    sim_code_t code =
        sim_assemble_code("v_div_fmas_f32 v16, v8, v10, v12\nv_div_fmas_f32 v8, -v8, v10, |v12|\n"
                          "v_div_fmas_f64 v[16:17], v[8:9], v[10:11], v[12:13]\n");
    const kiln_sim_inst_t *inst = sim_inst_at(&code, 0);
    for (unsigned i = 0; i < 3; i++, inst = inst->next) {
        const bool wide = i == 2;
        for (unsigned round = 0; round < ROUNDS; round++) {
            start(round);
            for (unsigned lane = 0; lane < 64; lane++) {
                const int small = (int)below(1 << 20) - (1 << 19), other = (int)below(1 << 10) + 1;
                const int scale = below(2) ? 60 : -60;
                const long double a = small, b = ldexpl(other, scale),
                                  c = ldexpl((int)below(1 << 20) + 1, scale);
                set_pair(&want, 8, lane, wide, bits_of(a, wide));
                set_pair(&want, 10, lane, wide, bits_of(b, wide));
                set_pair(&want, 12, lane, wide, bits_of(c, wide));
            }
            got = want;
            for (unsigned lane = 0; lane < 64; lane++) {
                const bool scaled = sim_s64(&got, KILN_SIM_SGPR_VCC) >> lane & 1;
                const long double a =
                    parts_of(pair(&got, 8, lane, wide), wide).value * (i == 1 ? -1 : 1);
                const long double b = parts_of(pair(&got, 10, lane, wide), wide).value;
                const parts_t c = parts_of(pair(&got, 12, lane, wide), wide);
                // The opposite of the quotient's scaling: up for large, down for small ones.
                const int step =
                    !scaled ? 0 : (c.exponent > (wide ? 1023 : 127) ? 1 : -1) * (wide ? 128 : 64);
                const long double value = ldexpl(a * b + c.value, step);
                const long double rounded = reference_round(
                    value, wide ? &reference_f64 : &reference_f32, REFERENCE_NEAREST);
                if (is_on(lane))
                    set_pair(&want, i == 1 ? 8 : 16, lane, wide, bits_of(rounded, wide));
            }
            sim_run(&got, inst);
            sim_expect(inst, &got, &want, SIM_BITS, 64);
        }
    }
    sim_discard_code(&code);
}

static uint32_t div_fixup_f16(uint32_t q, uint32_t d_bits, uint32_t n_bits)
{
    const double d = reference_as_f16(d_bits), n = reference_as_f16(n_bits);
    const uint32_t sign = (d_bits ^ n_bits) & 0x8000;
    if (isnan(n) || isnan(d))
        return 0x7e00;
    if ((n == 0 && d == 0) || (isinf(n) && isinf(d)))
        return 0x7e00;
    if (d == 0 || isinf(n))
        return sign | 0x7c00;
    if (isinf(d) || n == 0)
        return sign;
    return sign | (q & 0x7fff);
}

static void special_quotients_are_put_in(void **unused)
{
    (void)unused;
    sim_code_t code = sim_assemble_code(
        "v_div_fixup_f32 v16, v8, v10, v12\nv_div_fixup_f32 v10, v8, v10, v12\n"
        "v_div_fixup_f64 v[16:17], v[8:9], v[10:11], v[12:13]\n"
        "v_div_fixup_f16 v16, v8, v10, v12\nv_div_fixup_f16 v16, v8, v10, v12 op_sel:[1,0,1,1]\n"
        "v_div_fixup_legacy_f16 v16, v8, v10, v12\n");
    const kiln_sim_inst_t *inst = sim_inst_at(&code, 0);
    for (unsigned i = 0; i < 6; i++, inst = inst->next) {
        const bool wide = i == 2;
        for (unsigned round = 0; round < 2 * ROUNDS; round++) {
            start_division(round, wide);
            if (i >= 3)
                sim_fill_operands(&want, SIM_F16);
            got = want;
            for (unsigned lane = 0; lane < 64; lane++) {
                const uint64_t q = pair(&got, 8, lane, wide), d = pair(&got, 10, lane, wide),
                               n = pair(&got, 12, lane, wide);
                const uint32_t old = got.vgpr[16][lane];
                uint64_t result = div_fixup(q, d, n, wide);
                if (i >= 3)
                    result = div_fixup_f16((uint32_t)q >> (i == 4 ? 16 : 0), (uint32_t)d,
                                           (uint32_t)n >> (i == 4 ? 16 : 0));
                if (i == 3)
                    result = (old & 0xffff0000) | result;
                if (i == 4)
                    result = (old & 0xffff) | result << 16;
                if (is_on(lane))
                    set_pair(&want, i == 1 ? 10 : 16, lane, wide, result);
            }
            sim_run(&got, inst);
            sim_expect(inst, &got, &want, i >= 3 ? SIM_F16 : SIM_BITS, 64);
        }
    }
    sim_discard_code(&code);
}

static int run(const char *variant)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_are_read_and_written),   cmocka_unit_test(registers_are_swapped),
        cmocka_unit_test(masked_sums_of_differences),   cmocka_unit_test(segments_of_two_over_pi),
        cmocka_unit_test(division_is_scaled),           cmocka_unit_test(last_step_of_division),
        cmocka_unit_test(special_quotients_are_put_in),
    };
    return cmocka_run_group_tests_name(variant, tests, sim_open, sim_close);
}

int main(void)
{
    return sim_run_variants(run);
}
