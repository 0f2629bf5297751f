// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads lists of passes, checks the options that are given to them, and prints the list that there
// is.
//
// Note that passes of the stage INPUT work on the selected kernel, so its name is not a list.
#include "passes.h"

#include <stdlib.h>
#include <string.h>

#include "base/string.h"
#include "base/suggest.h"
#include "cli/device_flags.h"
#include "cli/dump.h"
#include "cli/option_flags.h"
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

static kiln_status_t find_pass(const char *id, const char **out_id)
{
    size_t count;
    const kiln_pass_t *passes = kiln_pipeline_passes(&count);
    kiln_suggestion_t near = kiln_suggestion(id);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(passes[i].id, id) == 0) {
            *out_id = passes[i].id;
            return KILN_OK;
        }
        kiln_suggestion_consider(&near, passes[i].id);
    }
    return kiln_status_make(KILN_STATUS_USAGE, "unknown pass '%s'%s", id,
                            near.best ? kiln_suggestion_advice(&near).text
                                      : "; --list-passes prints all");
}

kiln_status_t kiln_pass_id_check(const char *id)
{
    return find_pass(id, &id);
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
    const char *id;
    char *copy = strndup(word, length);
    kiln_status_t status = copy ? find_pass(copy, &id) : kiln_status_out_of_memory();
    free(copy);
    return status ? status : add(words, id);
}

kiln_status_t kiln_pass_words_take_flag(kiln_pass_words_t *words, const kiln_words_t *reader,
                                        int flag, const char *value)
{
    const char *name = kiln_words_name(reader, flag);
    if (flag == KILN_FLAG_HELP)
        words->is_help = true;
    else if (name && strcmp(name, "passes") == 0)
        return kiln_pass_words_take(words, value);
    else if (name && strcmp(name, "list-passes") == 0)
        words->lists_passes = true;
    else if (name && strcmp(name, "print-places") == 0)
        kiln_dump_places();
    else if (name && strcmp(name, "print-changed") == 0)
        kiln_dump_changed();
    else if (name && strcmp(name, "print-after") == 0)
        return kiln_dump_after(value);
    else if (name && strcmp(name, "time") == 0)
        words->prints_time = true;
    else if (!kiln_warning_flag_take(flag, value))
        kiln_flag_take(flag, value);
    return KILN_OK;
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

// The options that passes read, and these passes. A test compares it with the sources.
static const struct {
    const char *option, *pass;
} readers[] = {
    {"num_stages", "fuse_loops"},
    {"num_stages", "schedule_loops"},
    {"matrix_instr_nonkdim", "accelerate_matmul"},
    {"matrix_instr_nonkdim", "decompose_dots"},
    {"kpack", "accelerate_matmul"},
    {"num_warps", "accelerate_matmul"},
    {"num_warps", "direct_operands"},
    {"num_warps", "coalesce"},
    {"num_warps", "convert_to_ttg"},
    {"num_warps", "decompose_dots"},
    {"num_warps", "linear_remainders"},
    {"num_warps", "optimize_epilogue"},
    {"num_warps", "optimize_thread_locality"},
    {"num_warps", "overlap_loads"},
    {"num_warps", "peel_masks"},
    {"num_warps", "remove_layout_conversions"},
    {"num_warps", "schedule_loops"},
    {"num_warps", "share_divisions"},
    {"num_warps", "unroll_loops"},
    {"num_warps", "version_signs"},
    {"num_warps", "whole_tiles"},
    {"waves_per_eu", "schedule_loops"},
};
enum { READER_COUNT = sizeof readers / sizeof *readers };

static bool runs(const kiln_pass_words_t *words, const char *id)
{
    for (size_t i = 0; i < words->count; i++)
        if (strcmp(words->ids[i], id) == 0)
            return true;
    return false;
}

static bool is_requested_by(const char *option)
{
    size_t count;
    const kiln_pass_t *passes = kiln_pipeline_passes(&count);
    for (size_t i = 0; i < count; i++)
        if (passes[i].is_requested && strcmp(passes[i].id, option) == 0)
            return true;
    return false;
}

static kiln_status_t check_option(const kiln_pass_words_t *words, const char *option,
                                  const char *flag, bool *out_has_readers)
{
    kiln_string_t ids = {0};
    *out_has_readers = false;
    if (is_requested_by(option))
        return kiln_status_make(KILN_STATUS_USAGE,
                                "--%s has no effect here: the pass runs if --passes names it "
                                "(--passes=%s)",
                                flag, option);
    for (size_t i = 0; i < READER_COUNT; i++) {
        if (strcmp(readers[i].option, option) != 0)
            continue;
        *out_has_readers = true;
        if (runs(words, readers[i].pass)) {
            kiln_string_free(&ids);
            return KILN_OK;
        }
        kiln_string_appendf(&ids, "%s%s", ids.length ? ", " : "", readers[i].pass);
    }
    kiln_status_t status =
        *out_has_readers
            ? kiln_status_make(KILN_STATUS_USAGE,
                               "--%s has no effect here: no pass of --passes reads it; these do: "
                               "%s",
                               flag, ids.data ? ids.data : "")
            : KILN_OK;
    kiln_string_free(&ids);
    return status;
}

kiln_status_t kiln_pass_words_check_options(const kiln_pass_words_t *words, kiln_stage_t from)
{
    const kiln_option_t *option;
    bool has_readers;
    for (size_t i = 0; (option = kiln_compile_option(i)); i++) {
        if (!kiln_option_flag_is_given(i))
            continue;
        KILN_TRY(check_option(words, option->name, kiln_option_flag_name(i), &has_readers));
        // Passes for ttg read them there, too, except the number of warps, which is the module's.
        if (!has_readers || strcmp(option->name, "num_warps") == 0)
            KILN_TRY(kiln_option_flag_check(i, from, KILN_STAGE_TTG));
    }
    return KILN_OK;
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
