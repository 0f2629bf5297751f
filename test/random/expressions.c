// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests random expressions, hundreds per kernel. If a pack fails, parts of it are removed until one
// expression is left, which is shrunk and saved; then the rest of the pack is tried again without
// that expression.
#include "expressions.h"

#include <stdio.h>
#include <stdlib.h>

enum { PACK = 200, MAX_OF_ONE_PACK = 8 };

typedef struct pack {
    uint64_t seed;
    choices_t *expressions[PACK];
    int count;
} pack_t;

static result_t run_pack(const pack_t *pack, const char *directory)
{
    choices_t copies[PACK];
    program_t program;
    result_t result;
    for (int i = 0; i < pack->count; i++)
        choices_copy(&copies[i], pack->expressions[i]);
    program_generate_expressions(pack->seed, copies, pack->count, &program);
    program_run(&program, &result);
    if (directory && program_save(&program, directory))
        printf("  kept: %s/kernel.ttir\n  repeat: kiln case --device=sim%s %s\n", directory,
               program.checks ? " --check" : "", directory);
    free(program.text);
    for (int i = 0; i < pack->count; i++)
        choices_free(&copies[i]);
    return result;
}

static bool fails(const result_t *result)
{
    return result->outcome != OUTCOME_EQUAL && result->outcome != OUTCOME_SKIPPED;
}

static pack_t without(const pack_t *pack, int first, int count)
{
    pack_t rest = {.seed = pack->seed};
    for (int i = 0; i < pack->count; i++)
        if (i < first || i >= first + count)
            rest.expressions[rest.count++] = pack->expressions[i];
    return rest;
}

// Removes ever smaller parts that the failure does not need; usually one expression remains.
static pack_t smallest(pack_t pack)
{
    for (int part = (pack.count + 1) / 2; pack.count > 1; part = (part + 1) / 2) {
        for (int first = 0; first < pack.count && pack.count > 1;) {
            pack_t rest = without(&pack, first, part);
            result_t result = {0};
            if (rest.count)
                result = run_pack(&rest, NULL);
            if (rest.count && fails(&result))
                pack = rest;
            else
                first += part;
        }
        if (part == 1)
            break;
    }
    return pack;
}

typedef struct shrinking {
    uint64_t seed;
    outcome_t outcome;
    uint32_t type; // the first choice: another type would be another failure
} shrinking_t;

static bool fails_alike(const choices_t *choices, void *user)
{
    const shrinking_t *s = user;
    if (!choices->count || choices->values[0] != s->type)
        return false;
    choices_t copy = *choices;
    result_t result = run_pack(&(pack_t){s->seed, {&copy}, 1}, NULL);
    return result.outcome == s->outcome;
}

// Finds a failing expression in the pack, saves it, and removes it.
static void isolate(pack_t *pack, int nth, const expression_flags_t *flags)
{
    pack_t min = smallest(*pack);
    result_t result = run_pack(&min, NULL);
    printf("expressions from seed %llu: %s: %s\n", (unsigned long long)pack->seed,
           outcome_names[result.outcome], result.message);
    for (int i = 0; i < pack->count; i++)
        if (pack->expressions[i] == min.expressions[0])
            *pack = without(pack, i, 1);
    choices_t *first = min.expressions[0];
    if (min.count == 1 && flags->shrink)
        choices_shrink(first, fails_alike,
                       &(shrinking_t){pack->seed, result.outcome, first->values[0]}, flags->shrink);
    char directory[4096];
    snprintf(directory, sizeof directory, "%s/expressions-%llu-%d", flags->keep,
             (unsigned long long)pack->seed, nth);
    result = run_pack(&min, directory);
    printf("  shrunk to %d: %s\n", min.count, result.message);
    fflush(stdout);
}

static long run_one_pack(uint64_t seed, int count, const expression_flags_t *flags)
{
    choices_t expressions[PACK];
    pack_t pack = {.seed = seed, .count = count};
    program_t program;
    result_t result;
    long failed = 0;
    for (int i = 0; i < count; i++) {
        expressions[i] = (choices_t){.state = seed + (uint64_t)i};
        pack.expressions[i] = &expressions[i];
    }
    program_generate_expressions(seed, expressions, count, &program);
    if (flags->print)
        printf("%s", program.text);
    program_run(&program, &result);
    free(program.text);
    while (fails(&result)) {
        isolate(&pack, (int)failed++, flags);
        if (failed == MAX_OF_ONE_PACK || flags->first_failure || !pack.count)
            break;
        result = run_pack(&pack, NULL);
    }
    for (int i = 0; i < count; i++)
        choices_free(&expressions[i]);
    return failed;
}

long expressions_run(const expression_flags_t *flags)
{
    long failed = 0, reported = 0;
    printf("random expressions from seed %llu\n", (unsigned long long)flags->seed);
    for (long done = 0; done < flags->count;) {
        int count = flags->count - done < PACK ? (int)(flags->count - done) : PACK;
        failed += run_one_pack(flags->seed + (uint64_t)done, count, flags);
        done += count;
        if (done - reported >= 20000 || done == flags->count) {
            printf("%ld expressions, %ld failed\n", done, failed);
            fflush(stdout);
            reported = done;
        }
        if (failed && flags->first_failure)
            break;
    }
    return failed;
}
