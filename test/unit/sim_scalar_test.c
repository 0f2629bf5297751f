// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar arithmetic from its encoding to the register, compared with the tables of
// sim_scalar_*.def; then again with each source as a literal, and with the result in a source's
// register.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "decode/program.h"
#include "sim_variants.h"
#include "sim_vectors.h"

typedef struct scalar_case {
    const char *text;
    uint32_t word;
    uint64_t a, b, old;
    uint32_t scc;
    uint64_t exec, expected;
    uint32_t expected_scc;
    uint64_t expected_exec;
} scalar_case_t;

static const scalar_case_t cases[] = {
#define SCALAR(text, word, a, b, old, scc, exec, expected, expected_scc, expected_exec)            \
    {text, word, a##u, b##u, old##u, scc, exec##u, expected##u, expected_scc, expected_exec##u},
#include "sim_scalar_compare.def"
#include "sim_scalar_sop1.def"
#include "sim_scalar_sop2.def"
};

#define COUNT (sizeof cases / sizeof cases[0])

// The encoding of the case: plain, with source 0 or 1 as a literal, with the result over source 0
// or 1.
typedef enum form { PLAIN, LITERAL0, LITERAL1, OVER0, OVER1, FORMS } form_t;
enum { A = 2, B = 6, RESULT = 10, LITERAL = 255, WORDS = 3 };

static bool is_sop1(uint32_t word)
{
    return word >> 23 == 0x17d;
}

static bool is_sopc(uint32_t word)
{
    return word >> 23 == 0x17e;
}

static bool is_sopk(uint32_t word)
{
    return word >> 28 == 0xb;
}

static bool reads_its_result(const char *text)
{
    return strncmp(text, "s_cmov", 6) == 0 || strncmp(text, "s_bitset", 8) == 0;
}

// Literals are 32 bits; of 64-bit operands some are extended by zeros, some by their sign.
static bool encode(const scalar_case_t *c, form_t form, uint32_t words[WORDS])
{
    const uint64_t value = form == LITERAL1 ? c->b : c->a;
    words[0] = c->word;
    words[1] = words[2] = 0xbf810000; // s_endpgm
    if (form == PLAIN)
        return true;
    if (is_sopk(c->word) || (form % 2 == 0 && is_sop1(c->word)) ||
        (form >= OVER0 && is_sopc(c->word)))
        return false;
    if (form >= OVER0) {
        words[0] = (c->word & ~(127u << 16)) | (form == OVER0 ? A + 0u : B + 0u) << 16;
        return !reads_its_result(c->text);
    }
    if (value > UINT32_MAX || (value > INT32_MAX && strstr(c->text, "64")))
        return false;
    words[0] = form == LITERAL0 ? (c->word & ~255u) | LITERAL : (c->word & ~0xff00u) | LITERAL << 8;
    words[1] = (uint32_t)value;
    return true;
}

static uint64_t s64(const kiln_sim_wave_t *wave, unsigned reg)
{
    return (uint64_t)wave->sgpr[reg + 1] << 32 | wave->sgpr[reg];
}

static void check(kiln_sim_wave_t *wave, const scalar_case_t *c, form_t form,
                  const kiln_sim_inst_t *inst)
{
    const uint64_t before[] = {c->a, c->b, c->old};
    uint64_t want[] = {c->a, c->b, c->old};
    memset(wave->sgpr, 0, sizeof wave->sgpr);
    kiln_sim_sgpr_write_u64(wave, A, c->a);
    kiln_sim_sgpr_write_u64(wave, B, c->b);
    kiln_sim_sgpr_write_u64(wave, RESULT, c->old);
    wave->scc = c->scc;
    wave->exec = c->exec;
    inst->run(wave, inst);
    sim_observe(wave->sgpr, sizeof wave->sgpr[0] * KILN_SIM_SGPR_SINK);
    const unsigned at = form == OVER0 ? 0 : form == OVER1 ? 1 : 2;
    want[at] = inst->dst.dwords == 1 ? (before[at] & ~(uint64_t)UINT32_MAX) | (uint32_t)c->expected
                                     : c->expected;
    if (s64(wave, A) != want[0] || s64(wave, B) != want[1] || s64(wave, RESULT) != want[2] ||
        wave->scc != c->expected_scc || wave->exec != c->expected_exec)
        fail_msg("%s (form %d) of %llx, %llx (scc %u): s[2:3] %llx, s[6:7] %llx, s[10:11] %llx, "
                 "scc %u, exec %llx; "
                 "expected result %llx, scc %u, exec %llx",
                 c->text, (int)form, (unsigned long long)c->a, (unsigned long long)c->b, c->scc,
                 (unsigned long long)s64(wave, A), (unsigned long long)s64(wave, B),
                 (unsigned long long)s64(wave, RESULT), wave->scc, (unsigned long long)wave->exec,
                 (unsigned long long)want[at], c->expected_scc,
                 (unsigned long long)c->expected_exec);
    sim_vectors_add(c->text, 1);
}

static void scalar_arithmetic(void **state)
{
    (void)state;
    const size_t bytes = COUNT * FORMS * WORDS * 4;
    uint32_t *image = malloc(bytes);
    kiln_sim_wave_t *wave = aligned_alloc(64, (sizeof *wave + 63) / 64 * 64);
    assert_non_null(image);
    assert_non_null(wave);
    for (size_t i = 0; i < COUNT * FORMS; i++)
        encode(&cases[i / FORMS], (form_t)(i % FORMS), image + WORDS * i);
    const kiln_sim_range_t code = {0, bytes};
    kiln_sim_error_t error = {0};
    kiln_sim_program_t *program = kiln_sim_program_create(
        (const uint8_t *)image, &code, 1, kiln_sim_variant_find(sim_variant), &error);
    assert_non_null(program);
    for (size_t i = 0; i < COUNT * FORMS; i++) {
        uint32_t words[WORDS];
        if (!encode(&cases[i / FORMS], (form_t)(i % FORMS), words))
            continue;
        const kiln_sim_inst_t *inst = kiln_sim_program_at(program, i * WORDS * 4, &error);
        if (!inst)
            fail_msg("%s: %s", cases[i / FORMS].text, error.text);
        check(wave, &cases[i / FORMS], (form_t)(i % FORMS), inst);
    }
    kiln_sim_program_destroy(program);
    free(image);
    free(wave);
}

static int run(const char *variant)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(scalar_arithmetic)};
    return cmocka_run_group_tests_name(variant, tests, NULL, NULL);
}

int main(void)
{
    return sim_run_variants(run);
}
