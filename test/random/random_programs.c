// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interprets and compiles random tt programs; programs whose results differ are shrunk and saved.
//
//     random_programs [-seed N] [-expressions N] [-runs N] [-first-failure] [-shrink N] [-keep DIR] [-sim FILE] [-chains] [-mixes] [-print]
//
// With -chains, each program begins with a loop of matrix products whose operands are computed;
// with -mixes, with mixes of integer operations.
//
// Program i has the seed N + i, so each can be repeated alone. Without -runs and -expressions, a
// million of each are run.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "expressions.h"

typedef struct flags {
    uint64_t seed;
    long runs, expressions; // -1: not specified
    int shrink;             // tests per failure; 0: none
    const char *keep;
    bool first_failure, print;
} flags_t;

static result_t run_choices(const choices_t *choices)
{
    choices_t copy;
    program_t program;
    result_t result;
    choices_copy(&copy, choices);
    program_generate(&copy, &program);
    program_run(&program, &result);
    free(program.text);
    choices_free(&copy);
    return result;
}

// A shrunk program must still fail in the same way. For errors the message must match, too, except
// for numbers.
static bool same_failure(const result_t *a, const result_t *b)
{
    if (a->outcome != b->outcome)
        return false;
    if (a->outcome == OUTCOME_DIFFERENT || a->outcome == OUTCOME_CRASHED ||
        a->outcome == OUTCOME_HUNG)
        return true;
    const char *x = strstr(a->message, ": "), *y = strstr(b->message, ": ");
    return x && y ? strncmp(x, y, 14) == 0 : strncmp(a->message, b->message, 14) == 0;
}

static bool fails_as(const choices_t *choices, void *user)
{
    result_t result = run_choices(choices);
    return same_failure(&result, user);
}

static void report(const flags_t *flags, uint64_t seed, choices_t *choices, result_t first)
{
    printf("program %llu: %s: %s\n", (unsigned long long)seed, outcome_names[first.outcome],
           first.message);
    choices_shrink(choices, fails_as, &first, flags->shrink);
    choices_t copy;
    program_t program;
    result_t result;
    char directory[4096];
    choices_copy(&copy, choices);
    program_generate(&copy, &program);
    program_run(&program, &result);
    snprintf(directory, sizeof directory, "%s/random-%llu", flags->keep, (unsigned long long)seed);
    bool kept = program_save(&program, directory);
    printf("  shrunk: %s\n", result.message);
    if (kept)
        printf("  kept: %s/kernel.ttir\n  repeat: kiln case --device=sim%s%s%s %s\n", directory,
               program.checks ? " --check" : "", program.disabled_pass ? " --disable-pass " : "",
               program.disabled_pass ? program.disabled_pass : "", directory);
    printf("  repeat the whole program: random_programs%s%s -seed %llu -runs 1\n",
           random_chains ? " -chains" : "", random_mixes ? " -mixes" : "",
           (unsigned long long)seed);
    fflush(stdout);
    free(program.text);
    choices_free(&copy);
}

static int usage(void)
{
    fprintf(stderr, "usage: random_programs [-seed N] [-expressions N] [-runs N] [-first-failure] "
                    "[-shrink N] [-keep "
                    "DIR] [-sim FILE] [-chains] [-mixes] [-print]\n");
    return 2;
}

int main(int argc, char **argv)
{
    const char *seed = getenv("KILN_RANDOM_SEED");
    flags_t flags = {.seed = seed ? strtoull(seed, NULL, 0) : 1,
                     .runs = -1,
                     .expressions = -1,
                     .shrink = 300,
                     .keep = KILN_BINARY_DIR "/test/random"};
    for (int i = 1; i < argc; i++) {
        bool has_value = i + 1 < argc;
        if (strcmp(argv[i], "-seed") == 0 && has_value)
            flags.seed = strtoull(argv[++i], NULL, 0);
        else if (strcmp(argv[i], "-runs") == 0 && has_value)
            flags.runs = atol(argv[++i]);
        else if (strcmp(argv[i], "-expressions") == 0 && has_value)
            flags.expressions = atol(argv[++i]);
        else if (strcmp(argv[i], "-shrink") == 0 && has_value)
            flags.shrink = atoi(argv[++i]);
        else if (strcmp(argv[i], "-keep") == 0 && has_value)
            flags.keep = argv[++i];
        else if (strcmp(argv[i], "-sim") == 0 && has_value)
            simulator = argv[++i];
        else if (strcmp(argv[i], "-first-failure") == 0)
            flags.first_failure = true;
        else if (strcmp(argv[i], "-chains") == 0)
            random_chains = true;
        else if (strcmp(argv[i], "-mixes") == 0)
            random_mixes = true;
        else if (strcmp(argv[i], "-print") == 0)
            flags.print = true;
        else
            return usage();
    }
    bool all = flags.runs < 0 && flags.expressions < 0;
    if (all)
        flags.runs = flags.expressions = 1000000;
    expression_flags_t expressions = {flags.seed, flags.expressions,   flags.shrink,
                                      flags.keep, flags.first_failure, flags.print};
    long wrong = flags.expressions > 0 ? expressions_run(&expressions) : 0;
    if (flags.runs <= 0 || (wrong && flags.first_failure))
        return wrong != 0;
    printf("random programs from seed %llu (KILN_RANDOM_SEED or -seed changes it)\n",
           (unsigned long long)flags.seed);
    long counts[OUTCOME_COUNT] = {0}, failed = 0;
    for (long i = 0; i < flags.runs; i++) {
        choices_t choices = {.state = flags.seed + (uint64_t)i};
        program_t program;
        result_t result;
        program_generate(&choices, &program);
        if (flags.print)
            printf("// --num-warps=%d --num-stages=%d --waves-per-eu=%d --matrix-instr-nonkdim=%d "
                   "--kpack=%d%s%s\n%s",
                   program.num_warps, program.num_stages, program.waves_per_eu,
                   program.matrix_instr_nonkdim, program.kpack,
                   program.disabled_pass ? " --disable-pass=" : "",
                   program.disabled_pass ? program.disabled_pass : "", program.text);
        program_run(&program, &result);
        free(program.text);
        counts[result.outcome]++;
        bool fails = result.outcome != OUTCOME_EQUAL && result.outcome != OUTCOME_SKIPPED;
        failed += fails;
        if (fails)
            report(&flags, flags.seed + (uint64_t)i, &choices, result);
        choices_free(&choices);
        if (fails && flags.first_failure)
            break;
        if ((i + 1) % 500 == 0) {
            printf("%ld programs, %ld failed\n", i + 1, failed);
            fflush(stdout);
        }
    }
    for (int o = 0; o < OUTCOME_COUNT; o++)
        if (counts[o])
            printf("%ld %s\n", counts[o], outcome_names[o]);
    return failed + wrong != 0;
}
