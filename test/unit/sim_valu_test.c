// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector instructions from their encoding to the register: decoded as in a program, run on special
// and random values under full, partial and empty EXEC, and compared with expected values that
// sim_valu_cases.def states in other terms (long double, wide integers, C's own predicates).
#include "sim_valu_cases.h"

static void check_lane(const valu_case_t *c, const kiln_sim_inst_t *inst, const lane_t *l,
                       uint64_t exec, const uint32_t *before)
{
    const unsigned lane = l->index;
    const bool active = exec >> lane & 1;
    const uint64_t want = c->expected(l);
    const unsigned reg = c->output == ACC3                    ? 259
                         : inst->dst.kind == KILN_SIM_OP_VGPR ? inst->dst.reg
                                                              : 0;
    const unsigned dwords = c->output == ACC3 ? 1 : inst->dst.dwords;
    uint64_t got = dwords == 2 ? vgpr64(reg, lane) : wave->vgpr[reg][lane];
    bool right = true;
    if (c->output == MASK_VCC || c->output == MASK_S10) {
        got = (c->output == MASK_VCC ? wave->vcc : s64(10)) >> lane & 1;
        right = got == (active ? want : 0);
        if (strncmp(c->text, "v_cmpx", 6) == 0)
            right = right && (wave->exec >> lane & 1) == got;
    } else if (!active) {
        right = wave->vgpr[reg][lane] == before[lane];
    } else if (c->output == CARRY_VCC || c->output == CARRY_S10) {
        got |= ((c->output == CARRY_VCC ? wave->vcc : s64(10)) >> lane & 1) << 32;
        right = got == want;
    } else if (c->output == KEEP16 || c->output == KEEPHI) {
        const unsigned shift = c->output == KEEPHI ? 16 : 0;
        right = (got >> (16 - shift) & 0xffff) == (before[lane] >> (16 - shift) & 0xffff) &&
                agrees(got >> shift & 0xffff, want, c->input == INT || c->input == F8 ? U32 : F16_);
    } else if (c->output >= BYTE0 && c->output <= BYTE3) {
        const unsigned shift = 8 * (c->output - BYTE0);
        right = got == ((before[lane] & ~(0xffu << shift)) | want << shift);
    } else {
        right = agrees(got, want, c->output);
    }
    if (!right)
        fail_msg("%s: lane %u%s of a %016llx b %016llx c %016llx old %016llx vcc %u s8 %u gives "
                 "%llx, not %llx",
                 c->text, lane, active ? "" : " (off)", (unsigned long long)l->a64,
                 (unsigned long long)l->b64, (unsigned long long)l->c64,
                 (unsigned long long)l->old64, l->vcc, l->s8, (unsigned long long)got,
                 (unsigned long long)want);
}

enum { REGISTERS = 8 };

// Checks that only active lanes of the destination change.
static void check_untouched(const valu_case_t *c, const kiln_sim_inst_t *inst, uint64_t exec,
                            uint32_t (*before)[KILN_GFX942_LANES])
{
    for (unsigned row = 0; row < REGISTERS; row++) {
        const bool written = inst->dst.kind == KILN_SIM_OP_VGPR && row >= inst->dst.reg &&
                             row < inst->dst.reg + 0u + inst->dst.dwords;
        for (unsigned lane = 0; lane < 64; lane++) {
            if (!(written && (exec >> lane & 1)) && wave->vgpr[row][lane] != before[row][lane])
                fail_msg("%s: changes v%u of lane %u", c->text, row, lane);
        }
    }
}

static void run_case(const valu_case_t *c, const kiln_sim_inst_t *inst, unsigned round)
{
    static lane_t lanes[64];
    static uint32_t before[REGISTERS][KILN_GFX942_LANES], accumulation[KILN_GFX942_LANES];
    const uint64_t exec = round == 0 ? 0 : round % 3 == 0 ? reference_random(&seed) : UINT64_MAX;
    const unsigned reg =
        inst->dst.kind == KILN_SIM_OP_VGPR && inst->dst.reg < REGISTERS ? inst->dst.reg : 6;
    wave->mode = 0xf0 | KILN_SIM_MODE_IEEE | KILN_SIM_MODE_DX10_CLAMP;
    wave->exec = exec;
    wave->vcc = reference_random(&seed);
    for (unsigned i = 4; i < 16; i++)
        wave->sgpr[i] = (uint32_t)reference_random(&seed);
    wave->sgpr[4] = 0x3fc00000; // 1.5
    wave->sgpr[5] = 0x40020000;
    wave->sgpr[6] = 0x0d0a0409;
    for (unsigned i = 0; i < 64; i++) {
        lanes[i] = (lane_t){
            random_value(c->input, 0),
            random_value(c->input, 1),
            random_value(c->input, 2),
            random_value(c->input == F16B || c->input == F16C || c->input == F16D ? F16 : c->input,
                         0),
            wave->vcc >> i & 1,
            s64(8) >> i & 1,
            i,
            (uint32_t)reference_random(&seed)};
        set_vgpr64(0, i, lanes[i].a64);
        set_vgpr64(2, i, lanes[i].b64);
        set_vgpr64(4, i, lanes[i].c64);
        set_vgpr64(6, i, lanes[i].old64);
        lanes[i].old64 = vgpr64(reg & ~1u, i);
        wave->vgpr[257][i] = lanes[i].acc1;
        wave->vgpr[259][i] = ~lanes[i].acc1;
    }
    memcpy(before, wave->vgpr, sizeof before);
    memcpy(accumulation, wave->vgpr[259], sizeof accumulation);
    inst->run(wave, inst);
    observe_wave();
    for (unsigned i = 0; i < 64; i++)
        check_lane(c, inst, &lanes[i], exec, c->output == ACC3 ? accumulation : before[reg]);
    check_untouched(c, inst, exec, before);
    sim_vectors_add(c->text, 64);
}

static void every_case_gives_the_expected_value(void **state)
{
    (void)state;
    for (unsigned n = 0; n < CASE_COUNT; n++) {
        code_t code;
        // A short encoding is followed by a zero word, which decodes as v_cndmask_b32 and is not
        // executed.
        assemble(&code, cases[n].words, sizeof cases[n].words);
        char text[256];
        kiln_sim_program_print(code.program, code.first, text, sizeof text);
        assert_string_equal(text, cases[n].text);
        for (unsigned round = 0; round < ROUNDS; round++)
            run_case(&cases[n], code.first, round);
        discard(&code);
    }
}

// The case's words with another vector destination; false if it has none.
static bool with_destination(const valu_case_t *c, unsigned reg, uint32_t words[2])
{
    const uint32_t word = c->words[0];
    const bool is_long = word >> 26 == 0x34; // VOP3 and VOP3P
    words[0] = is_long ? (word & ~255u) | reg : (word & ~(255u << 17)) | reg << 17;
    words[1] = c->words[1];
    return (is_long ? word & 255 : word >> 17 & 255) == 6 && strstr(c->text, " v") &&
           c->output != ACC3 && c->output != MASK_VCC && c->output != MASK_S10;
}

static void results_may_go_where_a_source_is(void **state)
{
    (void)state;
    static uint32_t words[CASE_COUNT * 3][3];
    code_t code;
    for (unsigned n = 0; n < CASE_COUNT * 3; n++) {
        with_destination(&cases[n / 3], n % 3 * 2, words[n]);
        words[n][2] = 0xbf810000; // s_endpgm
    }
    assemble(&code, words[0], sizeof words);
    unsigned count = 0;
    for (unsigned n = 0; n < CASE_COUNT * 3; n++) {
        kiln_sim_error_t error = {0};
        uint32_t ignored[2];
        if (!with_destination(&cases[n / 3], n % 3 * 2, ignored))
            continue;
        const kiln_sim_inst_t *inst =
            kiln_sim_program_at(code.program, n * sizeof words[0], &error);
        assert_non_null(inst);
        for (unsigned round = 1; round < 4; round++)
            run_case(&cases[n / 3], inst, round);
        count++;
    }
    assert_true(count > 800);
    discard(&code);
}

static int run(const char *variant)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_case_gives_the_expected_value),
        cmocka_unit_test(results_may_go_where_a_source_is),
    };
    return cmocka_run_group_tests_name(variant, tests, set_up, tear_down);
}

int main(void)
{
    return sim_run_variants(run);
}
