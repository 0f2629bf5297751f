// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector instructions from their encoding to the register: decoded as a program would be, run on special and random
// values under full, partial and empty EXEC, and compared with expected values that sim_valu_cases.def states in other
// terms (long double, wide integers, C's own predicates).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "program.h"
#include "sim_valu_expected.h"
#include "sim_vectors.h"

// What fills v[0:5]; the B, C and D endings say which sources are not of the first kind.
typedef enum { INT, F16, F32, F64, F16B, F16C, F16D, F8, F32C, F64C, F16CC, CUBE } input_t;
// What the result is. KEEP16 and KEEPHI: one half of v6, the other as before. MASK, CARRY: also a scalar pair.
typedef enum {
    U32,
    U64,
    F16_,
    F32_,
    F64_,
    V2F16,
    V2F32,
    KEEP16,
    KEEPHI,
    BYTE0,
    BYTE1,
    BYTE2,
    BYTE3,
    ULP32,
    CARRY_VCC,
    CARRY_S10,
    MASK_VCC,
    MASK_S10,
    ACC3
} output_t;

static uint64_t seed = 6364136223846793005ull;

// ---- Cases ----

#define OUT_F16 F16_
#define OUT_F32 F32_
#define OUT_F64 F64_
#define OUT_U32 U32
#define OUT_U64 U64
#define OUT_V2F16 V2F16
#define OUT_V2F32 V2F32
#define OUT_KEEP16 KEEP16
#define OUT_KEEPHI KEEPHI
#define OUT_BYTE0 BYTE0
#define OUT_BYTE1 BYTE1
#define OUT_BYTE2 BYTE2
#define OUT_BYTE3 BYTE3
#define OUT_ULP32 ULP32
#define OUT_CARRY_VCC CARRY_VCC
#define OUT_CARRY_S10 CARRY_S10
#define OUT_MASK_VCC MASK_VCC
#define OUT_MASK_S10 MASK_S10
#define OUT_ACC3 ACC3

#define CASE(n, text, low, high, kind, out, ...)                                                                       \
    static uint64_t expected_##n(__attribute__((unused)) const lane_t *l)                                              \
    {                                                                                                                  \
        return (uint64_t)(__VA_ARGS__);                                                                                \
    }
#include "sim_valu_cases.def"
#undef CASE

typedef struct valu_case {
    const char *text;
    uint32_t words[2];
    input_t input;
    output_t output;
    uint64_t (*expected)(const lane_t *l);
} valu_case_t;

static const valu_case_t cases[] = {
#define CASE(n, text, low, high, kind, out, ...) {text, {low, high}, kind, OUT_##out, expected_##n},
#include "sim_valu_cases.def"
#undef CASE
};
enum { CASE_COUNT = sizeof cases / sizeof cases[0], ROUNDS = 12 };

#undef A
#undef B
#undef C

static uint64_t random_value(input_t kind, unsigned source)
{
    static const uint32_t f32[] = {0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000, 0x3f800000,
                                   0xbf800000, 0x3f000000, 0x40490fdb, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
                                   0x7fc00000, 0xffc00001, 0x7f800001, 0xffa00000, 0x4b000000, 0x4b7fffff, 0x4effffff,
                                   0x4f000000, 0x4f7fffff, 0x4f800000, 0xcf000000, 0xbfc00000, 0x3fffffff};
    static const uint64_t f64[] = {0,
                                   1ull << 63,
                                   1,
                                   0x800fffffffffffff,
                                   0x0010000000000000,
                                   0x3ff0000000000000,
                                   0xbff8000000000000,
                                   0x7fefffffffffffff,
                                   0x7ff0000000000000,
                                   0xfff0000000000000,
                                   0x7ff8000000000000,
                                   0x7ff0000000000001,
                                   0x41dfffffffc00000,
                                   0x41e0000000000000,
                                   0xc1e0000000000000,
                                   0x41efffffffe00000,
                                   0x41f0000000000000,
                                   0x3fdfffffffffffff,
                                   0x4330000000000001};
    static const uint16_t f16[] = {0,      0x8000, 1,      0x8001, 0x03ff, 0x0400, 0x3c00, 0xbc00, 0x3800, 0x7bff,
                                   0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 0xfd00, 0x4248, 0x6400, 0xe400};
    static const uint64_t integers[] = {0,
                                        1,
                                        2,
                                        31,
                                        32,
                                        63,
                                        64,
                                        0x7f,
                                        0x80,
                                        0xff,
                                        0x7fff,
                                        0x8000,
                                        0xffff,
                                        0x7fffff,
                                        0x800000,
                                        0xffffff,
                                        0x7fffffff,
                                        0x80000000,
                                        0xffffffff,
                                        0x100000000,
                                        INT64_MAX,
                                        1ull << 63,
                                        UINT64_MAX,
                                        0x8000800080008000,
                                        0x7fff7fff7fff7fff,
                                        5};
    const uint64_t r = reference_random(&seed), pick = reference_random(&seed) >> 20;
    const bool special = r >> 60 < 8;
#define PICK(table) table[pick % (sizeof table / sizeof table[0])]
    if ((kind == F16B && source == 1) || (kind == F16C && source == 2) || (kind == F16D && source == 2))
        kind = F32;
    if ((kind == F32C || kind == F64C || kind == F16CC) && source == 2)
        return 1u << pick % 10;
    switch (kind) {
    case F32:
    case F32C:
        return special ? PICK(f32) | (uint64_t)f32[(pick >> 8) % 27] << 32
                       : (r & 1 ? r : (r & 0x87ffffff87ffffff) | 0x3c0000003c000000);
    case F64:
    case F64C:
        return special ? PICK(f64) : (r & 1 ? r : (r & 0x801fffffffffffff) | 0x3ff0000000000000);
    case CUBE: // finite
        return (r & 1 ? r & 0x80000000u : r & 0x87c00000u) | 0x3c000000;
    case F8: // around what 8-bit floats hold
        return special ? PICK(f32) : (r & 0x87ffffff) | 0x3c000000;
    case INT:
        return special ? PICK(integers) : r;
    default:
        return special ? PICK(f16) | (uint64_t)f16[(pick >> 8) % 19] << 16
                       : (r & 1 ? r & 0xffffffff : (r & 0x8fff8fff) | 0x30003000);
    }
}

static bool both_nan(uint64_t x, uint64_t y, output_t type)
{
    if (type == F64_)
        return isnan(reference_as_f64(x)) && isnan(reference_as_f64(y));
    if (type == F16_)
        return isnan(reference_as_f16((uint32_t)x & 0xffff)) && isnan(reference_as_f16((uint32_t)y & 0xffff));
    return isnan(reference_as_f32((uint32_t)x)) && isnan(reference_as_f32((uint32_t)y));
}

static bool agrees(uint64_t got, uint64_t want, output_t type)
{
    switch (type) {
    case F16_:
        return got == want || (got <= 0xffff && both_nan(got, want, F16_));
    case F32_:
    case F64_:
        return got == want || both_nan(got, want, type);
    case ULP32:
        return llabs((int64_t)got - (int64_t)want) <= 1 || both_nan(got, want, F32_);
    case V2F16:
        return agrees(got & 0xffff, want & 0xffff, F16_) && agrees(got >> 16, want >> 16, F16_);
    case V2F32:
        return agrees(got & 0xffffffff, want & 0xffffffff, F32_) && agrees(got >> 32, want >> 32, F32_);
    default:
        return got == want;
    }
}

static kiln_sim_wave_t *wave;

static uint64_t vgpr64(unsigned reg, unsigned lane)
{
    return (uint64_t)wave->vgpr[reg + 1][lane] << 32 | wave->vgpr[reg][lane];
}

static void set_vgpr64(unsigned reg, unsigned lane, uint64_t value)
{
    wave->vgpr[reg][lane] = (uint32_t)value;
    wave->vgpr[reg + 1][lane] = (uint32_t)(value >> 32);
}

static uint64_t s64(unsigned reg)
{
    return (uint64_t)wave->sgpr[reg + 1] << 32 | wave->sgpr[reg];
}

static void check_lane(const valu_case_t *c, const kiln_sim_inst_t *inst, const lane_t *l, uint64_t exec,
                       const uint32_t *before)
{
    const unsigned lane = l->index;
    const bool active = exec >> lane & 1;
    const uint64_t want = c->expected(l);
    const unsigned reg = c->output == ACC3 ? 259 : inst->dst.kind == KILN_SIM_OP_VGPR ? inst->dst.reg : 0;
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
        fail_msg("%s: lane %u%s of a %016llx b %016llx c %016llx old %016llx vcc %u s8 %u gives %llx, not %llx",
                 c->text, lane, active ? "" : " (off)", (unsigned long long)l->a64, (unsigned long long)l->b64,
                 (unsigned long long)l->c64, (unsigned long long)l->old64, l->vcc, l->s8, (unsigned long long)got,
                 (unsigned long long)want);
}

static void run_case(const valu_case_t *c, const kiln_sim_inst_t *inst, unsigned round)
{
    static lane_t lanes[64];
    static uint32_t before[64];
    const uint64_t exec = round == 0 ? 0 : round % 3 == 0 ? reference_random(&seed) : UINT64_MAX;
    wave->mode = 0xf0 | KILN_SIM_MODE_IEEE | KILN_SIM_MODE_DX10_CLAMP;
    wave->exec = exec;
    wave->vcc = reference_random(&seed);
    for (unsigned i = 4; i < 16; i++)
        wave->sgpr[i] = (uint32_t)reference_random(&seed);
    wave->sgpr[4] = 0x3fc00000; // 1.5
    wave->sgpr[5] = 0x40020000;
    wave->sgpr[6] = 0x0d0a0409;
    for (unsigned i = 0; i < 64; i++) {
        lanes[i] = (lane_t){random_value(c->input, 0),
                            random_value(c->input, 1),
                            random_value(c->input, 2),
                            random_value(c->input == F16B || c->input == F16C || c->input == F16D ? F16 : c->input, 0),
                            wave->vcc >> i & 1,
                            s64(8) >> i & 1,
                            i,
                            (uint32_t)reference_random(&seed)};
        set_vgpr64(0, i, lanes[i].a64);
        set_vgpr64(2, i, lanes[i].b64);
        set_vgpr64(4, i, lanes[i].c64);
        set_vgpr64(6, i, lanes[i].old64);
        wave->vgpr[257][i] = lanes[i].acc1;
        wave->vgpr[259][i] = ~lanes[i].acc1;
    }
    const unsigned reg = inst->dst.kind == KILN_SIM_OP_VGPR ? inst->dst.reg : 0;
    memcpy(before, wave->vgpr[reg], sizeof before);
    inst->run(wave, inst);
    for (unsigned i = 0; i < 64; i++)
        check_lane(c, inst, &lanes[i], exec, before);
    sim_vectors_add(c->text, 64);
}

typedef struct code {
    uint32_t *words;
    kiln_sim_program_t *program;
    const kiln_sim_inst_t *first;
} code_t;

// Instructions one after the other, each of the given size, and s_endpgm.
static void assemble(code_t *code, const uint32_t *words, size_t bytes)
{
    static const uint32_t s_endpgm = 0xbf810000;
    code->words = malloc(bytes + 4);
    memcpy(code->words, words, bytes);
    memcpy((uint8_t *)code->words + bytes, &s_endpgm, 4);
    kiln_sim_error_t error = {0};
    const kiln_sim_range_t range = {0, bytes + 4};
    code->program = kiln_sim_program_create((const uint8_t *)code->words, &range, 1, &error);
    assert_non_null(code->program);
    code->first = kiln_sim_program_at(code->program, 0, &error);
    if (!code->first)
        fail_msg("%s", error.text);
}

static void discard(code_t *code)
{
    kiln_sim_program_destroy(code->program);
    free(code->words);
}

static void every_case_gives_the_expected_value(void **state)
{
    (void)state;
    for (unsigned n = 0; n < CASE_COUNT; n++) {
        code_t code;
        // A short encoding is followed by a zero word, which decodes as v_cndmask_b32; it is not run.
        assemble(&code, cases[n].words, sizeof cases[n].words);
        char text[256];
        kiln_sim_program_print(code.program, code.first, text, sizeof text);
        assert_string_equal(text, cases[n].text);
        for (unsigned round = 0; round < ROUNDS; round++)
            run_case(&cases[n], code.first, round);
        discard(&code);
    }
}

// ---- MODE: what no expression of a case says ----

static uint32_t run_one(uint32_t low, uint32_t high, uint32_t mode, uint32_t a, uint32_t b, uint32_t c)
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
    assert_int_equal(run_one(0x0a0c0500, 0, FLUSH_F32, 0x00800000, 0x3f000000, 0), 0);          // result
    assert_int_equal(run_one(0x0a0c0500, 0, FLUSH_IN, 0x00800000, 0x3f000000, 0), 0x00400000);  // inputs only
    assert_int_equal(run_one(0x0a0c0500, 0, FLUSH_OUT, 0x00400000, 0x40000000, 0), 0x00800000); // results only
    assert_int_equal(run_one(0x0a0c0500, 0, FLUSH_F16, 0x00400000, 0x40000000, 0), 0x00800000); // not f32's field
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
        assert_int_equal(run_one(0x020c0500, 0, KEEP | round, 0x3f800000, 0x30800000, 0), up[round]);
        assert_int_equal(run_one(0x020c0500, 0, KEEP | round, 0xbf800000, 0xb0800000, 0), down[round]);
        assert_int_equal(run_one(0x020c0500, 0, KEEP | round << 2, 0x3f800000, 0x30800000, 0),
                         0x3f800000); // f16's field
    }
    // v_cvt_f16_f32_e32 v6, v0: 1 + 2^-20 and overflow
    static const uint32_t f16[] = {0x3c00, 0x3c01, 0x3c00, 0x3c00}, overflow[] = {0x7c00, 0x7c00, 0x7bff, 0x7bff};
    for (uint32_t round = 0; round < 4; round++) {
        assert_int_equal(run_one(0x7e0c1500, 0, KEEP | round << 2, 0x3f800008, 0, 0), f16[round]);
        assert_int_equal(run_one(0x7e0c1500, 0, KEEP | round << 2, 0x49000000, 0, 0), overflow[round]);
    }
    assert_int_equal(run_one(0x7e0c1500, 0, KEEP | KILN_SIM_MODE_FP16_OVFL, 0xc9000000, 0, 0), 0xfbff);
    assert_int_equal(run_one(0x7e0c1500, 0, KEEP | KILN_SIM_MODE_FP16_OVFL, 0xff800000, 0, 0), 0xfc00);
}

static void clamp_and_omod_follow_mode(void **state)
{
    (void)state;
    const uint32_t nan = 0x7fc00000;
    // v_add_f32_e64 v6, v0, v2 clamp
    assert_int_equal(run_one(0xd1018006, 0x00020500, KEEP | KILN_SIM_MODE_DX10_CLAMP, nan, 0, 0), 0);
    assert_int_equal(run_one(0xd1018006, 0x00020500, KEEP, nan, 0, 0), nan);
    assert_int_equal(run_one(0xd1018006, 0x00020500, KEEP, 0xc0000000, 0, 0), 0);
    assert_int_equal(run_one(0xd1018006, 0x00020500, KEEP, 0x40000000, 0, 0), 0x3f800000);
    // v_add_f32_e64 v6, v0, v2 mul:4, div:2: only where output denormals are flushed and IEEE is off
    assert_int_equal(run_one(0xd1010006, 0x10020500, FLUSH_F32, 0x3f800000, 0x3f800000, 0), 0x41000000);
    assert_int_equal(run_one(0xd1010006, 0x18020500, FLUSH_F32, 0x3f800000, 0x3f800000, 0), 0x3f800000);
    assert_int_equal(run_one(0xd1010006, 0x10020500, KEEP, 0x3f800000, 0x3f800000, 0), 0x40000000);
    assert_int_equal(run_one(0xd1010006, 0x10020500, FLUSH_F32 | KILN_SIM_MODE_IEEE, 0x3f800000, 0x3f800000, 0),
                     0x40000000);
}

static void signalling_nans_quieten_under_ieee(void **state)
{
    (void)state;
    // v_max_f32_e32 v6, v0, v2
    assert_int_equal(run_one(0x160c0500, 0, KEEP | KILN_SIM_MODE_IEEE, 0x7f800001, 0x3f800000, 0), 0x7fc00001);
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

static void lanes_are_read_and_written(void **state)
{
    (void)state;
    static const uint32_t words[] = {
        0x7e140500,             // v_readfirstlane_b32 s10, v0
        0xd289000b, 0x00000d00, // v_readlane_b32 s11, v0, s6
        0xd28a0006, 0x00010c04, // v_writelane_b32 v6, s4, 6
        0x7e0ca300,             // v_swap_b32 v6, v0
    };
    code_t code;
    assemble(&code, words, sizeof words);
    for (unsigned i = 0; i < 64; i++) {
        wave->vgpr[0][i] = 1000 + i;
        wave->vgpr[6][i] = i;
    }
    wave->sgpr[6] = 64 + 9;
    wave->sgpr[4] = 77;
    for (unsigned pass = 0; pass < 2; pass++) {
        const kiln_sim_inst_t *inst = code.first;
        wave->exec = pass ? 0 : 0xf0;
        inst->run(wave, inst);
        assert_int_equal(wave->sgpr[10], pass ? 1000 : 1004); // EXEC = 0 reads lane 0
        inst = inst->next;
        inst->run(wave, inst);
        assert_int_equal(wave->sgpr[11], 1009); // the index wraps, EXEC does not matter
        inst = inst->next;
        wave->vgpr[6][6] = 0;
        inst->run(wave, inst);
        assert_int_equal(wave->vgpr[6][6], 77);
    }
    const kiln_sim_inst_t *swap = code.first->next->next->next;
    wave->vgpr[6][6] = 6;
    wave->exec = 0xf0;
    swap->run(wave, swap);
    for (unsigned i = 0; i < 64; i++) {
        assert_int_equal(wave->vgpr[6][i], i >= 4 && i < 8 ? 1000 + i : i);
        assert_int_equal(wave->vgpr[0][i], i >= 4 && i < 8 ? i : 1000 + i);
    }
    discard(&code);
}

// Where each control reads, as the guide draws it: rows of 16.
static int dpp_lane(uint32_t control, int lane)
{
    const int row = lane / 16 * 16, at = lane % 16, n = (int)(control & 15);
    switch (control & 0x1f0) {
    case 0x100:
        return at + n > 15 ? -1 : lane + n;
    case 0x110:
        return at - n < 0 ? -1 : lane - n;
    case 0x120:
        return row + (at - n + 16) % 16;
    case 0x150:
        return row + n;
    default:
        break;
    }
    switch (control) {
    case 0x130:
        return lane == 63 ? -1 : lane + 1;
    case 0x134:
        return (lane + 1) % 64;
    case 0x138:
        return lane - 1;
    case 0x13c:
        return (lane + 63) % 64;
    case 0x140:
        return row + (15 - at);
    case 0x141:
        return lane / 8 * 8 + (7 - lane % 8);
    case 0x142:
        return lane < 16 ? -1 : row - 1;
    case 0x143:
        return lane < 32 ? -1 : 31;
    default:
        return lane / 4 * 4 + (int)(control >> 2 * (lane % 4) & 3);
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
            const uint32_t zero = variant & 1, row_mask = variant & 2 ? 0xa : 0xf, bank_mask = variant & 2 ? 0x5 : 0xf;
            // v_sub_u32_dpp v6, v0, v2
            const uint32_t words[] = {0x6a0c04fa,
                                      0x00000000 | controls[n] << 8 | zero << 19 | bank_mask << 24 | row_mask << 28};
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
                const bool written =
                    (exec >> i & 1) && (valid || zero) && (row_mask >> i / 16 & 1) && (bank_mask >> i % 16 / 4 & 1);
                assert_int_equal(wave->vgpr[6][i],
                                 written ? (valid ? 100u + (uint32_t)from : 0u) - (uint32_t)i * 1000 : 0xdead);
            }
            discard(&code);
        }
}

static void dpp_of_64_bits_broadcasts(void **state)
{
    (void)state;
    const uint32_t words[] = {0x7e0c70fa, 0xff015300}; // v_mov_b64_dpp v[6:7], v[0:1] row_newbcast:3
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

// ---- Sequences: what LLVM makes of a division ----

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
            const float want = reference_as_f32(wave->vgpr[1][i]) / reference_as_f32(wave->vgpr[2][i]);
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

static void the_table_of_two_over_pi_continues(void **state)
{
    (void)state;
    // v_trig_preop_f64 v[6:7], v[0:1], v2
    const uint32_t words[] = {0xd2920006, 0x00020500};
    const long double two_over_pi = 0.636619772367581343075535053490057448L; // 64 bits of it
    for (unsigned i = 0; i < 64; i++) {
        set_vgpr64(0, i, i < 32 ? reference_f64_bits(1.0) : (uint64_t)(1077 + i - 32) << 52);
        wave->vgpr[2][i] = i < 32 ? i & 1 : 0;
    }
    run_sequence(words, sizeof words);
    const long double first = floorl(two_over_pi * 0x1p53L) * 0x1p-53L;
    assert_true(reference_as_f64(vgpr64(6, 0)) == (double)first);
    assert_true(fabsl(reference_as_f64(vgpr64(6, 1)) - (two_over_pi - first)) < 0x1p-63L);
    for (unsigned i = 32; i < 40; i++) { // large arguments start further on: bit i - 32
        const long double shifted = ldexpl(two_over_pi, (int)i - 32), rest = shifted - floorl(shifted);
        assert_true(fabsl(ldexpl(reference_as_f64(vgpr64(6, i)), (int)i - 32) - rest) < 0x1p-52L);
    }
}

static void masked_sums_of_differences_come_four_at_a_time(void **state)
{
    (void)state;
    // v_mqsad_u32_u8 v[8:11], v[0:1], v2, v[12:15]
    const uint32_t words[] = {0xd1e70008, 0x04320500};
    for (unsigned i = 0; i < 64; i++) {
        set_vgpr64(0, i, reference_random(&seed));
        wave->vgpr[2][i] = (uint32_t)reference_random(&seed) & (i & 1 ? 0xff00ff00 : 0xffffffff);
        for (unsigned part = 0; part < 4; part++)
            wave->vgpr[12 + part][i] = i * 10 + part;
    }
    run_sequence(words, sizeof words);
    for (unsigned i = 0; i < 64; i++)
        for (unsigned part = 0; part < 4; part++)
            assert_int_equal(wave->vgpr[8 + part][i],
                             SAD8((uint32_t)(vgpr64(0, i) >> 8 * part), wave->vgpr[2][i], 1) + i * 10 + part);
}

static int set_up(void **state)
{
    (void)state;
    wave = aligned_alloc(64, (sizeof *wave + 63) / 64 * 64);
    if (!wave)
        return 1;
    memset(wave, 0, sizeof *wave);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    free(wave);
    return 0;
}

// The handlers' builds are chosen once per process: each gets its own.
static int test_build(const char *variant)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_case_gives_the_expected_value),
        cmocka_unit_test(denormals_flush_by_mode),
        cmocka_unit_test(rounding_follows_mode),
        cmocka_unit_test(clamp_and_omod_follow_mode),
        cmocka_unit_test(signalling_nans_quieten_under_ieee),
        cmocka_unit_test(cmpx_writes_exec),
        cmocka_unit_test(lanes_are_read_and_written),
        cmocka_unit_test(dpp_reads_other_lanes),
        cmocka_unit_test(dpp_of_64_bits_broadcasts),
        cmocka_unit_test(a_division_is_correctly_rounded),
        cmocka_unit_test(a_division_of_doubles_is_correctly_rounded),
        cmocka_unit_test(the_table_of_two_over_pi_continues),
        cmocka_unit_test(masked_sums_of_differences_come_four_at_a_time),
    };
    setenv("KILN_SIM_VARIANT", variant, 1);
    return cmocka_run_group_tests_name(variant, tests, set_up, tear_down);
}

int main(void)
{
    static const char *const variants[] = {"generic", "avx2", "avx512"};
    int failed = 0;
    for (unsigned i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        const pid_t child = fork();
        if (child == 0)
            exit(test_build(variants[i]));
        int status = 1;
        if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0)
            failed = 1;
    }
    return failed;
}
