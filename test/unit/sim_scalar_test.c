// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar arithmetic from its encoding to the register, against sim_scalar_cases.def.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "program.h"
#include "sim_vectors.h"

static const struct {
    const char *text;
    uint32_t word;
    uint64_t a, b, old;
    uint32_t scc;
    uint64_t exec, expected;
    uint32_t expected_scc;
    uint64_t expected_exec;
} cases[] = {
#define SCALAR(text, word, a, b, old, scc, exec, expected, expected_scc, expected_exec)                                \
    {text, word, a##u, b##u, old##u, scc, exec##u, expected##u, expected_scc, expected_exec##u},
#include "sim_scalar_cases.def"
};

#define COUNT (sizeof cases / sizeof cases[0])

static void scalar_arithmetic(void **state)
{
    (void)state;
    uint32_t *image = calloc(COUNT, 8);
    kiln_sim_wave_t *wave = aligned_alloc(64, sizeof *wave);
    assert_non_null(image);
    assert_non_null(wave);
    for (size_t i = 0; i < COUNT; i++) {
        image[2 * i] = cases[i].word;
        image[2 * i + 1] = 0xbf810000; // s_endpgm
    }
    kiln_sim_range_t code = {0, COUNT * 8};
    kiln_sim_error_t error = {0};
    kiln_sim_program_t *program = kiln_sim_program_create((const uint8_t *)image, &code, 1, &error);
    assert_non_null(program);
    unsigned wrong = 0;
    for (size_t i = 0; i < COUNT; i++) {
        const kiln_sim_inst_t *inst = kiln_sim_program_at(program, i * 8, &error);
        if (!inst)
            fail_msg("%s: %s", cases[i].text, error.text);
        memset(wave->sgpr, 0, sizeof wave->sgpr);
        kiln_sim_sgpr_write_u64(wave, 2, cases[i].a);
        kiln_sim_sgpr_write_u64(wave, 6, cases[i].b);
        kiln_sim_sgpr_write_u64(wave, 10, cases[i].old);
        wave->scc = cases[i].scc;
        wave->exec = cases[i].exec;
        inst->run(wave, inst);
        uint64_t result;
        memcpy(&result, &wave->sgpr[10], sizeof result);
        if (result == cases[i].expected && wave->scc == cases[i].expected_scc && wave->exec == cases[i].expected_exec) {
            sim_vectors_add(cases[i].text, 1);
            continue;
        }
        wrong++;
        print_message("%s of %llx, %llx (scc %u): %llx scc %u exec %llx, expected %llx scc %u exec %llx\n",
                      cases[i].text, (unsigned long long)cases[i].a, (unsigned long long)cases[i].b, cases[i].scc,
                      (unsigned long long)result, wave->scc, (unsigned long long)wave->exec,
                      (unsigned long long)cases[i].expected, cases[i].expected_scc,
                      (unsigned long long)cases[i].expected_exec);
    }
    kiln_sim_program_destroy(program);
    free(image);
    free(wave);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(scalar_arithmetic)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
