// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The wait states that the hazard check requires are those that LLVM inserts.
//
// Idea: sim_check_hazards.def contains pairs of instructions and the number of wait states that
// LLVM's hazard recognizer inserts between them. Each pair is assembled twice: with that number,
// where the check must not report anything, and with one less, where it must.
//
// The kernels run with EXEC = 0, so that addresses need not be valid; wait states are counted all
// the same.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hip_sim/entry.h"

#define WORK KILN_BINARY_DIR "/test/sim_hazard"

typedef struct pair {
    unsigned states;
    const char *before, *after;
} pair_t;

static const pair_t pairs[] = {
#define PAIR(states, before, after) {states, before, after},
#include "sim_check_hazards.def"
#undef PAIR
};

enum { PAIRS = sizeof pairs / sizeof pairs[0] };

static const char *const macro = ".macro kernel name\n"
                                 ".section .rodata,\"a\",@progbits\n"
                                 ".p2align 6\n"
                                 ".amdhsa_kernel \\name\n"
                                 ".amdhsa_user_sgpr_kernarg_segment_ptr 1\n"
                                 ".amdhsa_kernarg_size 16\n"
                                 ".amdhsa_next_free_vgpr 512\n"
                                 ".amdhsa_next_free_sgpr 48\n"
                                 ".amdhsa_accum_offset 256\n"
                                 ".end_amdhsa_kernel\n"
                                 ".text\n"
                                 ".p2align 8\n"
                                 ".globl \\name\n"
                                 ".type \\name,@function\n"
                                 "\\name:\n"
                                 "s_mov_b64 s[10:11], s[0:1]\n"
                                 "s_mov_b64 s[20:21], s[0:1]\n"
                                 "s_mov_b64 exec, 0\n"
                                 "s_nop 7\n"
                                 ".endm\n";

static void put_kernel(FILE *file, size_t index, char kind, const pair_t *pair, unsigned states)
{
    fprintf(file, "kernel k%zu%c\n%s\n", index, kind, pair->before);
    for (unsigned left = states; left > 0;) {
        unsigned part = left < 8 ? left : 8;
        fprintf(file, "s_nop %u\n", part - 1);
        left -= part;
    }
    fprintf(file, "%s\ns_endpgm\n", pair->after);
}

static FILE *begin_source(void)
{
    FILE *file = fopen(WORK ".s", "wb");
    assert_non_null(file);
    fputs(macro, file);
    return file;
}

static hipModule_t assemble(FILE *file)
{
    assert_int_equal(fclose(file), 0);
    assert_int_equal(system("clang-22 -target amdgcn-amd-amdhsa -mcpu=gfx942 "
                            "-mcode-object-version=5 -x assembler " WORK ".s -o " WORK ".hsaco"),
                     0);
    file = fopen(WORK ".hsaco", "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    void *object = malloc(size);
    assert_non_null(object);
    assert_int_equal(fread(object, 1, size, file), size);
    fclose(file);
    hipModule_t module;
    assert_int_equal(hipModuleLoadData(&module, object), 0);
    free(object);
    return module;
}

// The wait states that the check requires in that kernel; 0: it reports nothing.
static unsigned required_states(hipModule_t module, size_t index, char kind)
{
    char name[32];
    snprintf(name, sizeof name, "k%zu%c", index, kind);
    hipFunction_t function;
    assert_int_equal(hipModuleGetFunction(&function, module, name), 0);
    void *buffers[2] = {NULL, NULL};
    size_t size = sizeof buffers;
    void *extra[] = {(void *)1, buffers, (void *)2, &size, (void *)3};
    (void)hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, NULL, NULL, extra);
    kiln_sim_finding_t finding = {.struct_size = sizeof finding};
    unsigned max = 0;
    for (size_t i = 0; kilnSimGetFinding(i, &finding) == 0; i++) {
        assert_string_equal(finding.check, "hazard");
        const char *number = strstr(finding.message, ": ");
        unsigned states = 0;
        assert_non_null(number);
        assert_int_equal(sscanf(number, ": %u wait state", &states), 1);
        max = states > max ? states : max;
    }
    return max;
}

static void the_check_agrees_with_llvm(void **state)
{
    (void)state;
    FILE *file = begin_source();
    for (size_t i = 0; i < PAIRS; i++) {
        put_kernel(file, i, 'a', &pairs[i], pairs[i].states);
        if (pairs[i].states > 0)
            put_kernel(file, i, 'b', &pairs[i], pairs[i].states - 1);
    }
    hipModule_t module = assemble(file);
    unsigned wrong = 0;
    for (size_t i = 0; i < PAIRS; i++) {
        const pair_t *pair = &pairs[i];
        unsigned enough = required_states(module, i, 'a'),
                 less = pair->states ? required_states(module, i, 'b') : 0;
        if (enough == 0 && less == pair->states)
            continue;
        wrong++;
        print_message("'%s', then '%s': LLVM keeps %u; the check asks for %u where there are so "
                      "many, %u where there is "
                      "one less\n",
                      pair->before, pair->after, pair->states, enough, less);
    }
    hipModuleUnload(module);
    assert_int_equal(wrong, 0);
}

// A compiler that never inserts wait states after packed results does so on purpose.
static void packed_results_follow_custom(void **state)
{
    (void)state;
    static const pair_t pair = {1, "v_pk_add_f32 v[0:1], v[2:3], v[4:5]",
                                "v_add_f32_e32 v6, v1, v1"};
    static const unsigned states[2][2] = {{0, 1}, {0, 0}};
    for (unsigned left_out = 0; left_out < 2; left_out++) {
        FILE *file = begin_source();
        put_kernel(file, 0, 'a', &pair, states[left_out][0]);
        put_kernel(file, 1, 'a', &pair, states[left_out][1]);
        hipModule_t module = assemble(file);
        (void)required_states(module, 1, 'a');
        assert_int_equal(required_states(module, 0, 'a'), left_out == 0 ? 1 : 0);
        hipModuleUnload(module);
    }
}

int main(void)
{
    setenv("KILN_SIM_CHECK", "hazard", 1);
    setenv("KILN_SIM_THREADS", "1", 1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_check_agrees_with_llvm),
                                       cmocka_unit_test(packed_results_follow_custom)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
