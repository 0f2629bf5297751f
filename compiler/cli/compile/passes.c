// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads lists of passes, and prints the list that there is.
//
// Note that passes of the stage INPUT work on the selected kernel, so its name is not a list.
#include "passes.h"

#include <stdlib.h>
#include <string.h>

#include "passes/pass.h"

static kiln_status_t add(kiln_pass_words_t *words, const char *id)
{
    if (words->count == KILN_MAX_PASSES)
        return kiln_status_make(KILN_STATUS_USAGE, "more than %d passes in --passes",
                                (int)KILN_MAX_PASSES);
    words->ids[words->count++] = id;
    return KILN_OK;
}

static bool is_word(const char *word, size_t length, const char *name)
{
    return strlen(name) == length && memcmp(word, name, length) == 0;
}

static kiln_status_t take(kiln_pass_words_t *words, const char *word, size_t length)
{
    size_t count;
    const kiln_pass_t *passes = kiln_pipeline_passes(&count);
    const size_t before = words->count;
    for (size_t i = 0; i < count; i++)
        if (passes[i].stage != KILN_PASS_INPUT &&
            is_word(word, length, kiln_pass_stage_name(passes[i].stage)))
            KILN_TRY(add(words, passes[i].id));
    if (words->count > before)
        return KILN_OK;
    char *copy = strndup(word, length);
    if (!copy)
        return kiln_status_out_of_memory();
    kiln_status_t status = add(words, copy);
    if (status)
        free(copy);
    else
        words->owned[words->owned_count++] = copy;
    return status;
}

kiln_status_t kiln_pass_words_take(kiln_pass_words_t *words, const char *list)
{
    for (const char *at = list; *at;) {
        const size_t length = strcspn(at, ",");
        KILN_TRY(take(words, at, length));
        at += length + (at[length] == ',');
    }
    return KILN_OK;
}

void kiln_pass_words_free(kiln_pass_words_t *words)
{
    for (size_t i = 0; i < words->owned_count; i++)
        free(words->owned[i]);
}

void kiln_pass_list_print(void)
{
    size_t count;
    const kiln_pass_t *passes = kiln_pipeline_passes(&count);
    for (size_t i = 0; i < count; i++)
        printf("%-8s %-28s %s%s\n", kiln_pass_stage_name(passes[i].stage), passes[i].id,
               passes[i].what,
               passes[i].role == KILN_PASS_REQUIRED    ? " (required)"
               : passes[i].role == KILN_PASS_REQUESTED ? " (on request)"
                                                       : "");
}

void kiln_pass_times_print(const kiln_kernel_t *kernel)
{
    double total = 0;
    for (size_t i = 0; i < kiln_kernel_timing_count(kernel); i++)
        total += kiln_kernel_timing(kernel, i)->milliseconds;
    for (size_t i = 0; i < kiln_kernel_timing_count(kernel); i++) {
        const kiln_timing_t *timing = kiln_kernel_timing(kernel, i);
        fprintf(stderr, "%9.3f ms %5.1f %%  %s\n", timing->milliseconds,
                total > 0 ? 100 * timing->milliseconds / total : 0, timing->phase);
    }
    fprintf(stderr, "%9.3f ms          total\n", total);
}
