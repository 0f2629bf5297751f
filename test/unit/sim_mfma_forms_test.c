// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix instructions from their text to the register file: v and a registers, constants, operands
// that overlap D, the modifiers, any EXEC, MODE's roundings and denormals. The whole state of the
// wave is compared with the model's.
#include "sim_machine.h"
#include "sim_mfma_model.h"

enum { A = 2, B = 100, INDEX = 110, C = 64, D = 128, ROUNDS = 3, CONSTANT = -1 };

// The operands' registers. D and C are in one bank.
typedef struct form {
    const char *what;
    char bank, bank_a, bank_b;
    int d, a, b, c;
} form_t;

static const form_t forms[] = {
    {"in place", 'v', 'v', 'v', D, A, B, D},
    {"in place, all in a", 'a', 'a', 'a', D, A, B, D},
    {"C elsewhere", 'v', 'v', 'a', D, A, B, C},
    {"C elsewhere, in a", 'a', 'a', 'v', D, A, B, C},
    {"C a constant", 'a', 'v', 'v', D, A, B, CONSTANT},
    {"D over A", 'v', 'v', 'v', A, A, B, C},
    {"D over B", 'a', 'a', 'a', B, A, B, C},
    {"C over A", 'v', 'v', 'v', D, A, B, A},
    {"C and D over B", 'v', 'v', 'v', B, A, B, B},
    {"A twice", 'v', 'v', 'v', D, A, A, D},
    {"D over part of C", 'v', 'v', 'v', D, A, B, D + 2},
};
enum { FORMS = sizeof forms / sizeof forms[0] };

// An instruction of a program that a test executes step by step.
typedef struct step {
    const model_row_t *row;
    form_t form;
    kiln_mfma_options_t options;
    uint64_t constant;
} step_t;

static step_t steps[2048];
static unsigned step_count;
static char source[1 << 18];
static size_t source_length;

static unsigned dwords_of_d(const kiln_mfma_shape_t *s)
{
    return (unsigned)s->n * s->n * s->blocks * (s->a == KILN_MFMA_F64 ? 2 : 1) / KILN_GFX942_LANES;
}

static void add(const model_row_t *row, const form_t *form, kiln_mfma_options_t options)
{
    const kiln_mfma_shape_t *const s = &row->shape;
    const unsigned d = dwords_of_d(s), a = kiln_mfma_registers(s, s->a) / (s->sparse ? 2 : 1);
    static const char *const texts[] = {"0", "1.0", "-4.0", "-3"};
    static const uint32_t f32s[] = {0, 0x3f800000, 0xc0800000, 0xfffffffd};
    const unsigned constant =
        (unsigned)(reference_random(&model_seed) % 3) + (s->a == KILN_MFMA_I8 ? 1 : 0);
    step_t *const step = &steps[step_count++];
    *step = (step_t){row, *form, options, f32s[constant]};
    if (s->a == KILN_MFMA_F64)
        step->constant = reference_f64_bits((double)reference_as_f32(f32s[constant]));
    char modifiers[64] = "", one[32];
    if (options.cbsz)
        strcat(modifiers, (snprintf(one, sizeof one, " cbsz:%u", options.cbsz), one));
    if (options.abid)
        strcat(modifiers, (snprintf(one, sizeof one, " abid:%u", options.abid), one));
    if (options.blgp && s->a == KILN_MFMA_F64)
        strcat(modifiers, (snprintf(one, sizeof one, " neg:[%u,%u,%u]", options.blgp & 1u,
                                    options.blgp >> 1 & 1u, options.blgp >> 2 & 1u),
                           one));
    else if (options.blgp)
        strcat(modifiers, (snprintf(one, sizeof one, " blgp:%u", options.blgp), one));
    char registers[3][32];
    snprintf(registers[0], sizeof registers[0], "%s",
             sim_registers(form->bank, (unsigned)form->d, d));
    snprintf(registers[1], sizeof registers[1], "%s",
             sim_registers(form->bank_a, (unsigned)form->a, a));
    snprintf(registers[2], sizeof registers[2], "%s",
             sim_registers(form->bank_b, (unsigned)form->b, kiln_mfma_registers(s, s->b)));
    const char *const c = s->sparse             ? sim_registers('v', INDEX, 1)
                          : form->c == CONSTANT ? texts[constant]
                                                : sim_registers(form->bank, (unsigned)form->c, d);
    source_length += (size_t)snprintf(source + source_length, sizeof source - source_length,
                                      "%s %s, %s, %s, %s%s\n", row->name, registers[0],
                                      registers[1], registers[2], c, modifiers);
}

static void model(sim_state_t *state, const step_t *step)
{
    const kiln_mfma_shape_t *const s = &step->row->shape;
    const unsigned bits = s->a == KILN_MFMA_F64 ? 64 : 32, dwords = dwords_of_d(s);
    static uint32_t c[32 * KILN_GFX942_LANES], result[32 * KILN_GFX942_LANES];
    kiln_mfma_options_t options = step->options;
    options.flush_f32_inputs = !(state->mode >> 4 & 1);
    options.index = state->vgpr[INDEX];
    const int from = s->sparse ? step->form.d : step->form.c;
    for (unsigned at = 0; at < dwords * KILN_GFX942_LANES; at++) {
        const uint64_t constant =
            bits == 64 && at / KILN_GFX942_LANES % 2 ? step->constant >> 32 : step->constant;
        c[at] = from == CONSTANT ? (uint32_t)constant
                                 : state->vgpr[sim_row(step->form.bank, (unsigned)from) +
                                               at / KILN_GFX942_LANES][at % KILN_GFX942_LANES];
    }
    for (unsigned block = 0; block < s->blocks; block++)
        for (unsigned i = 0; i < s->n; i++) {
            uint64_t a[64], b[64];
            elements_of_row(s, &options,
                            state->vgpr[sim_row(step->form.bank_a, (unsigned)step->form.a)], block,
                            i, a);
            for (unsigned j = 0; j < s->n; j++) {
                elements_of_column(s, &options,
                                   state->vgpr[sim_row(step->form.bank_b, (unsigned)step->form.b)],
                                   block, j, b);
                const place_t p = place_of_output(s, block, i, j);
                uint64_t start = get(c, p, bits);
                start ^= bits == 64 && (options.blgp & 4) ? 1ull << 63 : 0;
                const uint64_t value = dot(s, &options, a, b, start);
                result[p.reg * KILN_GFX942_LANES + p.lane] = (uint32_t)value;
                if (bits == 64)
                    result[(p.reg + 1) * KILN_GFX942_LANES + p.lane] = (uint32_t)(value >> 32);
            }
        }
    memcpy(state->vgpr[sim_row(step->form.bank, (unsigned)step->form.d)], result,
           sizeof result[0] * dwords * KILN_GFX942_LANES);
}

static void fill_operands(sim_state_t *state, const step_t *step, flavour_t flavour)
{
    const kiln_mfma_shape_t *const s = &step->row->shape;
    const kiln_mfma_type_t type =
        s->a == KILN_MFMA_F64 || s->a == KILN_MFMA_I8 ? s->a : KILN_MFMA_F32;
    const form_t *const form = &step->form;
    const unsigned d = dwords_of_d(s), row_d = sim_row(form->bank, (unsigned)form->d);
    fill(state->vgpr[row_d], d, type, flavour);
    if (form->c != CONSTANT)
        fill(state->vgpr[sim_row(form->bank, (unsigned)form->c)], d, type, flavour);
    fill(state->vgpr[sim_row(form->bank_a, (unsigned)form->a)], kiln_mfma_registers(s, s->a), s->a,
         flavour);
    fill(state->vgpr[sim_row(form->bank_b, (unsigned)form->b)], kiln_mfma_registers(s, s->b), s->b,
         flavour);
    fill_index(state->vgpr[INDEX]);
}

static void run_all(unsigned rounds)
{
    static sim_state_t got, want;
    static const uint32_t modes[] = {0xf0, 0x00, 0xcf, 0x35};
    sim_code_t code = sim_assemble_code(source);
    const kiln_sim_inst_t *inst = sim_inst_at(&code, 0);
    for (unsigned i = 0; i < step_count; i++, inst = inst->next) {
        const step_t *const step = &steps[i];
        const kiln_mfma_type_t type = step->row->shape.a;
        sim.wave->fast_mfma = step->options.mode == KILN_MFMA_FAST;
        for (unsigned round = 0; round < rounds; round++) {
            sim_randomize(&want);
            fill_operands(&want, step, (flavour_t)((i + round) % FLAVOURS));
            sim_choose_exec(&want, i + round);
            want.mode = modes[(i + round) % 4];
            got = want;
            sim_run(&got, inst);
            model(&want, step);
            sim_expect(inst, &got, &want,
                       type == KILN_MFMA_F64  ? SIM_F64
                       : type == KILN_MFMA_I8 ? SIM_BITS
                                              : SIM_F32,
                       1);
        }
    }
    sim_discard_code(&code);
    step_count = 0;
    source_length = 0;
}

static void operands_in_all_places(void **state)
{
    (void)state;
    for (unsigned n = 0; n < MODEL_ROWS; n++)
        for (unsigned f = 0; f < FORMS; f++) {
            const kiln_mfma_shape_t *const s = &model_rows[n].shape;
            // The assembler rejects a D of more than four registers that overlaps part of C.
            // SMFMAC's only C is D.
            if (forms[f].c == D + 2 && dwords_of_d(s) > 4)
                continue;
            if (s->sparse && (forms[f].c == C || forms[f].c == CONSTANT) && forms[f].d == D)
                continue;
            add(&model_rows[n], &forms[f],
                (kiln_mfma_options_t){.mode = f == 0 && n % 2 ? KILN_MFMA_FAST : KILN_MFMA_EXACT});
        }
    run_all(ROUNDS);
}

static void sparse_results_over_their_indices(void **state)
{
    (void)state;
    const form_t form = {"D over the indices", 'v', 'v', 'a', INDEX - 2, A, B, INDEX - 2};
    for (unsigned n = 0; n < MODEL_ROWS; n++)
        if (model_rows[n].shape.sparse)
            add(&model_rows[n], &form, (kiln_mfma_options_t){0});
    run_all(ROUNDS);
}

static void modifiers(void **state)
{
    (void)state;
    for (unsigned n = 0; n < MODEL_ROWS; n++) {
        const kiln_mfma_shape_t *const s = &model_rows[n].shape;
        const bool broadcasts = s->blocks > 1 && s->a != KILN_MFMA_F64;
        for (unsigned cbsz = 1; broadcasts && 1u << cbsz <= s->blocks; cbsz++)
            for (unsigned abid = 0; abid < 1u << cbsz; abid += 1 + abid)
                add(&model_rows[n], &forms[abid % 5],
                    (kiln_mfma_options_t){.cbsz = (uint8_t)cbsz, .abid = (uint8_t)abid});
        for (unsigned blgp = 1;
             (broadcasts || s->a == KILN_MFMA_F32 || s->a == KILN_MFMA_F64) && blgp < 8; blgp++)
            add(&model_rows[n], &forms[blgp % 5], (kiln_mfma_options_t){.blgp = (uint8_t)blgp});
        for (unsigned abid = 0; s->sparse && abid < (width_of(s->a) == 16 ? 4u : 2u); abid++) {
            add(&model_rows[n], &forms[0], (kiln_mfma_options_t){.abid = (uint8_t)abid});
            add(&model_rows[n], &forms[1], (kiln_mfma_options_t){.cbsz = 1, .abid = (uint8_t)abid});
        }
    }
    run_all(1);
}

static int run(const char *variant)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operands_in_all_places),
        cmocka_unit_test(sparse_results_over_their_indices),
        cmocka_unit_test(modifiers),
    };
    return cmocka_run_group_tests_name(variant, tests, sim_open, sim_close);
}

int main(void)
{
    return sim_run_variants(run);
}
