// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of sim_valu_cases.def again, in the other encodings: each short form becomes SDWA, DPP
// and VOP3 instructions with random selects, controls and modifiers. The expected value is the
// table's, for operands that are selected, moved and negated here, and written where the
// destination's select specifies.
//
// LLVM's decoder determines which of these encodings exist. Encodings that it does not decode as
// the same mnemonic are skipped; the test requires that many remain.
#include "base/string.h"
#include "sim_valu_cases.h"

enum { SDWA_FORMS = 6, DPP_FORMS = 4, VOP3_FORMS = 5, FORMS = SDWA_FORMS + DPP_FORMS + VOP3_FORMS };
enum { SCALAR0 = 12, SCALAR1 = 13 };
typedef enum { SDWA, DPP, VOP3 } encoding_t;

typedef struct form {
    const valu_case_t *of;
    encoding_t encoding;
    uint32_t words[2];
    bool vop1, compare;
    // SDWA
    unsigned dst_sel, dst_unused, sel[2];
    bool sext[2];
    bool scalar[2]; // source 0 is s12, or source 1 is s13
    // DPP
    unsigned control, row_mask, bank_mask;
    bool zero;
    // all
    bool neg[2], abs[2];
    // VOP3
    bool clamp;
    unsigned omod; // 0 none, 1 *2, 2 *4, 3 /2
} form_t;

static form_t forms[CASE_COUNT * FORMS];
static unsigned form_count;

static uint32_t below(uint32_t limit)
{
    return (uint32_t)(reference_random(&seed) >> 33) % limit;
}

static bool is_wide(input_t kind)
{
    return kind == F64 || kind == F64C;
}

static bool is_float(const valu_case_t *c)
{
    return c->input == F16 || c->input == F32 || is_wide(c->input);
}

// Whether the registers are only v6 or v[6:7] and vcc, v0 and v2, since others cannot be rewritten
// here.
static bool is_plain(const valu_case_t *c)
{
    const char *operands = strchr(c->text, ' ');
    if (!operands || !strstr(c->text, "_e32 ") || c->words[1])
        return false;
    static const char *const shapes[] = {" v6, v0",
                                         " v6, v0, v2",
                                         " v[6:7], v0",
                                         " v6, v[0:1]",
                                         " v[6:7], v[0:1]",
                                         " vcc, v0, v2",
                                         " vcc, v[0:1], v[2:3]",
                                         " v6, vcc, v0, v2",
                                         " v6, v0, v2, vcc",
                                         " v6, vcc, v0, v2, vcc",
                                         " v[6:7], v[0:1], v[2:3]"};
    for (unsigned i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        if (strcmp(operands, shapes[i]) == 0)
            return true;
    }
    return false;
}

// Whether a source may be negated, as floats may. The second source of v_ldexp is an integer, and
// so are those of conversions from integers; packed ones are excluded.
static bool may_negate(const valu_case_t *c, unsigned source)
{
    return is_float(c) && c->output != V2F16 &&
           !(kiln_string_starts_with(c->text, "v_ldexp") && source == 1);
}

static void choose_modifiers(form_t *f)
{
    for (unsigned source = 0; source < 2; source++) {
        f->neg[source] = may_negate(f->of, source) && below(2);
        f->abs[source] = may_negate(f->of, source) && below(3) == 0;
    }
}

static void make_sdwa(form_t *f, uint32_t word)
{
    const bool exact = f->of->output == ULP32;
    choose_modifiers(f);
    f->dst_sel = exact || f->compare || below(3) == 0 ? 6 : below(6);
    f->dst_unused = below(3);
    for (unsigned source = 0; source < 2; source++) {
        f->sel[source] = below(7);
        f->sext[source] = !is_float(f->of) && below(2);
    }
    f->words[0] = (word & ~0x1ffu) | 249;
    f->words[1] = 0; // v0
    if (!strstr(f->of->text, ", vcc,") &&
        !strstr(f->of->text, "v2, vcc")) { // only one scalar source is allowed
        f->scalar[0] = below(4) == 0;
        f->scalar[1] = !f->vop1 && !f->scalar[0] && below(4) == 0;
    }
    if (f->scalar[0])
        f->words[1] |= 1u << 23 | SCALAR0;
    if (f->scalar[1]) {
        f->words[0] = (f->words[0] & ~(255u << 9)) | SCALAR1 << 9;
        f->words[1] |= 1u << 31;
    }
    f->words[1] |= f->compare ? 0 : f->dst_sel << 8 | f->dst_unused << 11;
    for (unsigned source = 0; source < 2; source++) {
        const unsigned at = source ? 24 : 16;
        if (source == 1 && f->vop1) {
            f->words[1] |= 6u << 24;
            f->sel[1] = 6;
            f->sext[1] = f->neg[1] = f->abs[1] = false;
            continue;
        }
        f->words[1] |= f->sel[source] << at | (f->sext[source] ? 8u << at : 0) |
                       (f->neg[source] ? 16u << at : 0) | (f->abs[source] ? 32u << at : 0);
    }
}

static void make_dpp(form_t *f, uint32_t word)
{
    static const unsigned controls[] = {0x1b,  0x00,  0x93,  0x101, 0x10f, 0x111, 0x11f,
                                        0x121, 0x12f, 0x130, 0x134, 0x138, 0x13c, 0x140,
                                        0x141, 0x142, 0x143, 0x150, 0x15a};
    choose_modifiers(f);
    if (f->vop1)
        f->neg[1] = f->abs[1] = false;
    f->control = is_wide(f->of->input) ? 0x150 + below(16) : controls[below(19)];
    f->row_mask = below(2) ? 15 : below(16);
    f->bank_mask = below(2) ? 15 : below(16);
    f->zero = below(2);
    f->words[0] = (word & ~0x1ffu) | 250;
    f->words[1] = f->control << 8 | (f->zero ? 1u << 19 : 0) | (f->neg[0] ? 1u << 20 : 0) |
                  (f->abs[0] ? 1u << 21 : 0) | (f->neg[1] ? 1u << 22 : 0) |
                  (f->abs[1] ? 1u << 23 : 0) | f->bank_mask << 24 | f->row_mask << 28;
}

static void make_vop3(form_t *f, uint32_t word)
{
    const bool vop2 = !f->vop1 && !f->compare;
    const uint32_t op = f->vop1      ? (word >> 9 & 255) + 0x140
                        : f->compare ? word >> 17 & 255
                                     : (word >> 25 & 63) + 0x100;
    const bool carries = f->of->output == CARRY_VCC;
    choose_modifiers(f);
    if (f->vop1)
        f->neg[1] = f->abs[1] = false;
    // For integers the table contains the clamp.
    const output_t output = f->of->output;
    if (is_float(f->of) && !kiln_string_starts_with(f->of->text, "v_cvt") &&
        (output == F32_ || output == F16_ || output == F64_)) {
        f->clamp = below(2);
        f->omod = f->clamp ? 0 : below(4);
    }
    const uint32_t vdst = f->compare ? 10 : word >> 17 & 255; // s[10:11]
    f->words[0] = 0xd0000000 | op << 16 | vdst | (f->clamp ? 1u << 15 : 0);
    if (carries)
        f->words[0] |= 106u << 8; // VCC
    else
        f->words[0] |= (f->abs[0] ? 1u << 8 : 0) | (f->abs[1] ? 1u << 9 : 0);
    f->words[1] = (word & 0x1ff) | (f->vop1 ? 0 : ((word >> 9 & 255) + 256) << 9);
    if (vop2 && strstr(f->of->text, ", vcc") && strstr(strrchr(f->of->text, ','), "vcc"))
        f->words[1] |= 106u << 18; // carry in
    f->words[1] |= f->omod << 27 | (f->neg[0] ? 1u << 29 : 0) | (f->neg[1] ? 1u << 30 : 0);
}

static void make_forms(void)
{
    form_count = 0;
    for (unsigned n = 0; n < CASE_COUNT; n++) {
        const valu_case_t *c = &cases[n];
        if (!is_plain(c))
            continue;
        for (unsigned i = 0; i < FORMS; i++) {
            form_t *f = &forms[form_count++];
            *f = (form_t){
                .of = c, .vop1 = c->words[0] >> 25 == 0x3f, .compare = c->words[0] >> 25 == 0x3e};
            f->encoding = i < SDWA_FORMS ? SDWA : i < SDWA_FORMS + DPP_FORMS ? DPP : VOP3;
            if (f->encoding == SDWA)
                make_sdwa(f, c->words[0]);
            else if (f->encoding == DPP)
                make_dpp(f, c->words[0]);
            else
                make_vop3(f, c->words[0]);
        }
    }
}

// ---- operands and results

static uint64_t picked(uint64_t value, unsigned sel, bool sext)
{
    const unsigned bits = sel < 4   ? 8
                          : sel < 6 ? 16
                                    : 32,
                   shift = sel < 4   ? 8 * sel
                           : sel < 6 ? 16 * (sel - 4)
                                     : 0;
    const int64_t part = (int64_t)(value >> shift & ((1ull << bits) - 1));
    return (uint32_t)(sext && part >> (bits - 1) ? part - (1ll << bits) : part);
}

static uint64_t signed_value(uint64_t value, input_t kind, bool neg, bool abs_)
{
    const uint64_t sign = is_wide(kind) ? 1ull << 63 : kind == F16 ? 0x8000 : 0x80000000;
    value = abs_ ? value & ~sign : value;
    return neg ? value ^ sign : value;
}

// Computes the operands of the operation; false if the lane is not written.
static bool arrange(const form_t *f, const lane_t *lanes, uint64_t exec, lane_t *l)
{
    bool written = exec >> l->index & 1;
    if (f->encoding == SDWA) {
        l->a64 = f->scalar[0] ? wave->sgpr[SCALAR0] : l->a64;
        l->b64 = f->scalar[1] ? wave->sgpr[SCALAR1] : l->b64;
        l->a64 = picked(l->a64, f->sel[0], f->sext[0]);
        l->b64 = picked(l->b64, f->sel[1], f->sext[1]);
    } else if (f->encoding == DPP) {
        const int from = dpp_lane(f->control, (int)l->index);
        const bool valid = from >= 0 && (exec >> from & 1);
        l->a64 = valid ? lanes[from].a64 : 0;
        written = written && (valid || f->zero) && (f->row_mask >> l->index / 16 & 1) &&
                  (f->bank_mask >> l->index % 16 / 4 & 1);
    }
    l->a64 = signed_value(l->a64, f->of->input, f->neg[0], f->abs[0]);
    l->b64 = signed_value(l->b64, f->of->input, f->neg[1], f->abs[1]);
    return written;
}

static double value_of(uint64_t bits, output_t type)
{
    return type == F64_   ? reference_as_f64(bits)
           : type == F16_ ? reference_as_f16((uint32_t)bits)
                          : (double)reference_as_f32((uint32_t)bits);
}

static uint64_t bits_of(double value, output_t type)
{
    return type == F64_ ? reference_f64_bits(value)
           : type == F16_
               ? reference_f16_bits(reference_round(value, &reference_f16, REFERENCE_NEAREST))
               : reference_f32_bits((float)value);
}

// Clamp and omod are exact, and applied after the rounding.
static uint64_t finished(const form_t *f, uint64_t bits)
{
    const output_t type = f->of->output;
    if (!f->clamp && !f->omod)
        return bits;
    const double value = value_of(bits, type), factors[] = {1, 2, 4, 0.5};
    if (f->clamp)
        return isnan(value) || value <= 0 ? 0 : value > 1 ? bits_of(1, type) : bits;
    return value == 0 ? 0 : bits_of(value * factors[f->omod], type); // -0 becomes +0
}

// omod works only if denormals are flushed and IEEE is off, which has other effects, too: only for
// numbers far from both ends of the range is omod the only effect.
static bool shows_omod(const form_t *f, const lane_t *l, uint64_t result)
{
    const output_t type = f->of->output;
    const double smallest = type == F64_ ? 0x1p-1019 : type == F16_ ? 0x1p-11 : 0x1p-123;
    const double values[] = {value_of(l->a64, type), value_of(l->b64, type),
                             value_of(l->old64, type), value_of(result, type)};
    for (unsigned i = 0; i < 4; i++) {
        if (!isfinite(values[i]) || (fabs(values[i]) < smallest && values[i] != 0))
            return false;
    }
    return true;
}

// Whether a register holds `want` in the place that SDWA's destination select specifies.
static bool placed(const form_t *f, uint32_t got, uint32_t want, uint32_t old)
{
    const unsigned sel = f->dst_sel, bits = sel < 4 ? 8 : 16,
                   shift = sel < 4 ? 8 * sel : 16 * (sel - 4);
    const uint32_t mask = ((1u << bits) - 1) << shift, value = want << shift & mask;
    const uint32_t above = shift + bits == 32 ? 0 : ~((1u << (shift + bits)) - 1);
    const uint32_t rest = f->dst_unused == 2                               ? old & ~mask
                          : f->dst_unused == 1 && (want >> (bits - 1) & 1) ? above
                                                                           : 0;
    return got == (value | rest);
}

static bool is_nan_result(const form_t *f, uint64_t want)
{
    return (f->of->output == F32_ && both_nan(want, want, F32_)) ||
           (f->of->output == F16_ && both_nan(want, want, F16_)) ||
           (f->of->output == V2F16 && (both_nan(want & 0xffff, want & 0xffff, F16_) ||
                                       both_nan(want >> 16, want >> 16, F16_)));
}

static bool lane_is_right(const form_t *f, const lane_t *l, bool written, uint64_t want,
                          uint32_t before, uint64_t *got)
{
    const output_t output = f->of->output;
    if (f->compare) {
        const uint64_t mask = f->encoding == VOP3 ? s64(10) : wave->vcc;
        *got = mask >> l->index & 1;
        return *got == (written ? want : 0);
    }
    const bool wide = output == F64_ || output == U64;
    *got = wide ? vgpr64(6, l->index) : wave->vgpr[6][l->index];
    if (!written)
        return wave->vgpr[6][l->index] == before;
    if (f->encoding == SDWA && f->dst_sel != 6) // any NaN is accepted
        return is_nan_result(f, want) || placed(f, (uint32_t)*got, (uint32_t)want, before);
    if (output == CARRY_VCC)
        *got |= (wave->vcc >> l->index & 1) << 32;
    return agrees(*got, finished(f, want), output);
}

static void run_form(const form_t *f, const kiln_sim_inst_t *inst, unsigned round, const char *text)
{
    static lane_t lanes[64];
    uint32_t before[64];
    unsigned compared = 0;
    const uint64_t exec = round == 1 ? reference_random(&seed) : UINT64_MAX;
    wave->mode = f->omod ? 0 : 0xf0 | KILN_SIM_MODE_IEEE | KILN_SIM_MODE_DX10_CLAMP;
    wave->exec = exec;
    wave->vcc = reference_random(&seed);
    kiln_sim_sgpr_write_u64(wave, 10, reference_random(&seed));
    wave->sgpr[SCALAR0] = (uint32_t)random_value(f->of->input, 0);
    wave->sgpr[SCALAR1] = (uint32_t)random_value(f->of->input, 1);
    for (unsigned i = 0; i < 64; i++) {
        lanes[i] = (lane_t){.a64 = random_value(f->of->input, 0),
                            .b64 = random_value(f->of->input, 1),
                            .old64 = random_value(f->of->input, 0),
                            .vcc = wave->vcc >> i & 1,
                            .index = i};
        set_vgpr64(0, i, lanes[i].a64);
        set_vgpr64(2, i, lanes[i].b64);
        set_vgpr64(6, i, lanes[i].old64);
    }
    memcpy(before, wave->vgpr[6], sizeof before);
    inst->run(wave, inst);
    observe_wave();
    for (unsigned i = 0; i < 64; i++) {
        lane_t l = lanes[i];
        uint64_t got;
        const bool written = arrange(f, lanes, exec, &l);
        const uint64_t want = f->of->expected(&l);
        if (f->omod && !shows_omod(f, &l, want))
            continue;
        compared++;
        if (!lane_is_right(f, &l, written, want, before[i], &got))
            fail_msg("%s: lane %u of %016llx, %016llx (old %08x): %llx, not %llx", text, i,
                     (unsigned long long)lanes[i].a64, (unsigned long long)lanes[i].b64, before[i],
                     (unsigned long long)got, (unsigned long long)want);
        if (f->compare && strstr(f->of->text, "v_cmpx"))
            assert_int_equal(wave->exec >> i & 1, written ? want : 0);
    }
    sim_vectors_add(text, compared);
}

static bool same_mnemonic(const form_t *f, const char *text)
{
    static const char *const suffixes[] = {"_sdwa ", "_dpp ", "_e64 "};
    const size_t length = strcspn(f->of->text, " ") - 4; // without "_e32"
    return strncmp(text, f->of->text, length) == 0 &&
           kiln_string_starts_with(text + length, suffixes[f->encoding]);
}

// 8-bit floats: SDWA selects their byte and has no other effect.
static bool has_its_own_rules(const form_t *f)
{
    return strstr(f->of->text, "fp8") || strstr(f->of->text, "bf8");
}

static void every_encoding_gives_the_expected_value(void **state)
{
    (void)state;
    make_forms();
    uint32_t *words = malloc(form_count * 12);
    code_t code;
    assert_non_null(words);
    for (unsigned n = 0; n < form_count; n++) {
        memcpy(words + 3 * n, forms[n].words, 8);
        words[3 * n + 2] = 0xbf810000; // s_endpgm
    }
    assemble(&code, words, form_count * 12);
    unsigned run[3] = {0};
    for (unsigned n = 0; n < form_count; n++) {
        kiln_sim_error_t error = {0};
        const kiln_sim_inst_t *inst = kiln_sim_program_at(code.program, 12 * n, &error);
        char text[256];
        if (!inst || has_its_own_rules(&forms[n]))
            continue;
        kiln_sim_program_print(code.program, inst, text, sizeof text);
        if (inst->size != 8 || !same_mnemonic(&forms[n], text))
            continue;
        if (forms[n].omod && !strstr(text, "mul:") && !strstr(text, "div:")) // has none
            continue;
        for (unsigned round = 0; round < 2; round++)
            run_form(&forms[n], inst, round, text);
        run[forms[n].encoding]++;
    }
    print_message("%u SDWA, %u DPP, %u VOP3 instructions\n", run[SDWA], run[DPP], run[VOP3]);
    assert_true(run[SDWA] > 900 && run[DPP] > 400 && run[VOP3] > 500);
    discard(&code);
    free(words);
}

static int run(const char *variant)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_encoding_gives_the_expected_value)};
    return cmocka_run_group_tests_name(variant, tests, set_up, tear_down);
}

int main(void)
{
    return sim_run_variants(run);
}
