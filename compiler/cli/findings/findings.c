// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects and prints findings.
//
// The compiler reports a finding as a remark and two notes, "why: …" and "advice: …", as text that
// the JIT's cache keeps. This file combines them into one finding again.
#include "findings.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/json.h"
#include "base/string.h"
#include "cli/option_flags.h"
#include "cli/words.h"

static const char WHY[] = "why: ", ADVICE[] = "advice: ";

static char *copy(const char *text)
{
    return text ? strdup(text) : NULL;
}

kiln_found_t *kiln_findings_add(kiln_findings_t *findings, const kiln_found_t *found)
{
    if (!kiln_warning_is_enabled(&findings->warnings, found->id))
        return NULL;
    if (!KILN_ARRAY_RESERVE(&findings->all, &findings->capacity, findings->count + 1)) {
        findings->out_of_memory = true;
        return NULL;
    }
    kiln_found_t *added = &findings->all[findings->count++];
    *added = *found;
    added->number = findings->added++;
    added->file = copy(found->file);
    added->source_line = copy(found->source_line);
    added->seen = kiln_cli_words(found->seen);
    added->advice = kiln_cli_words_at(
        found->advice ? found->advice : kiln_finding_row(found->id)->advice, found->file);
    findings->out_of_memory |= !added->seen || !added->advice;
    return added;
}

// Takes a note that belongs to the last finding.
static bool take_note(kiln_findings_t *findings, const char *message)
{
    kiln_found_t *last = findings->count ? &findings->all[findings->count - 1] : NULL;
    if (!last || !kiln_string_starts_with(message, ADVICE))
        return kiln_string_starts_with(message, WHY);
    free(last->advice);
    last->advice = kiln_cli_words_at(message + strlen(ADVICE), last->file);
    findings->out_of_memory |= !last->advice;
    return true;
}

bool kiln_findings_take(kiln_findings_t *findings, const kiln_diagnostic_t *diagnostic)
{
    kiln_warning_id_t id;
    if (diagnostic->severity == KILN_SEVERITY_NOTE)
        return findings->notes_follow && take_note(findings, diagnostic->message);
    findings->notes_follow =
        diagnostic->severity == KILN_SEVERITY_REMARK && kiln_finding_of_flag(diagnostic->flag, &id);
    if (!findings->notes_follow)
        return false;
    kiln_findings_add(findings,
                      &(kiln_found_t){.id = id,
                                      .file = (char *)(uintptr_t)diagnostic->file,
                                      .line = diagnostic->line,
                                      .column = diagnostic->column,
                                      .source_line = (char *)(uintptr_t)diagnostic->source_line,
                                      .seen = (char *)(uintptr_t)diagnostic->message});
    return true;
}

void kiln_findings_default(void)
{
    kiln_warning_flag_take('R', "kiln");
    kiln_warning_flags_are_default();
}

kiln_status_t kiln_findings_enabled(kiln_warnings_t *out)
{
    kiln_compile_options_t options;
    kiln_compile_options_initialize(&options);
    KILN_TRY(kiln_source_flags_set(&options));
    KILN_TRY(kiln_warnings_read(options.warnings, options.warning_count, out));
    for (int i = 0; i < KILN_WARNING_COUNT; i++)
        if (!kiln_finding_row((kiln_warning_id_t)i))
            out->enabled &= ~((uint64_t)1 << i);
    return KILN_OK;
}

static const char *why_unknown(const kiln_gain_t *gain)
{
    return gain->unknown ? gain->unknown : "the launch was not predicted";
}

static double gain_of(const kiln_found_t *found)
{
    return found->gain.is_known ? found->gain.microseconds : -1;
}

static int by_gain(const void *a, const void *b)
{
    const kiln_found_t *x = a, *y = b;
    const double x_gain = gain_of(x), y_gain = gain_of(y);
    if (x_gain < y_gain || x_gain > y_gain)
        return x_gain < y_gain ? 1 : -1;
    return x->number < y->number ? -1 : x->number > y->number;
}

void kiln_findings_sort(kiln_findings_t *findings)
{
    if (findings->count)
        qsort(findings->all, findings->count, sizeof *findings->all, by_gain);
}

static bool gains_nothing(const kiln_gain_t *gain)
{
    return gain->is_known && gain->microseconds < 0.005 * gain->of;
}

static const char *bound_text(const kiln_gain_t *gain)
{
    return gain->bound == KILN_GAIN_AT_MOST    ? "at most"
           : gain->bound == KILN_GAIN_AT_LEAST ? "at least"
                                               : NULL;
}

static char *gain_text(const kiln_gain_t *gain)
{
    if (!gain->is_known)
        return kiln_string_print("unknown: %s", why_unknown(gain));
    if (gains_nothing(gain))
        return kiln_string_print("none: the launch would take just as long %s", gain->without);
    if (gain->microseconds < KILN_RESOLVED_GAIN * gain->of && gain->bound != KILN_GAIN_AT_LEAST)
        return kiln_string_print(
            "less than %.0f %% of %.1f us, which the clock does not resolve, %s",
            100 * KILN_RESOLVED_GAIN, gain->of, gain->without);
    const char *bound = bound_text(gain);
    return kiln_string_print("%s%s%.1f of %.1f us (%.0f %%) %s", bound ? bound : "",
                             bound ? " " : "", gain->microseconds, gain->of,
                             100 * gain->microseconds / gain->of, gain->without);
}

static void print_one(const kiln_found_t *found, FILE *stream)
{
    const kiln_finding_row_t *row = kiln_finding_row(found->id);
    char flag[64];
    snprintf(flag, sizeof flag, "-R%s", row->name);
    kiln_diagnostic_print(&(kiln_diagnostic_t){.severity = KILN_SEVERITY_REMARK,
                                               .file = found->file,
                                               .line = found->line,
                                               .column = found->column ? found->column : 1,
                                               .message = found->seen,
                                               .source_line = found->source_line,
                                               .range = 1,
                                               .flag = flag},
                          stream);
    fprintf(stream, "  why:    %s\n  advice: %s\n", row->why, found->advice);
    char *gain = gain_text(&found->gain);
    if (gain)
        fprintf(stream, "  gain:   %s\n", gain);
    free(gain);
}

void kiln_findings_print(const kiln_findings_t *findings, FILE *stream)
{
    if (!findings->count)
        return;
    bool gains = false;
    for (size_t i = 0; i < findings->count; i++)
        gains |= findings->all[i].gain.is_known;
    fprintf(stream, "\n%zu finding%s%s\n", findings->count, findings->count == 1 ? "" : "s",
            gains ? "; gains are predicted one at a time, and do not add up" : "");
    for (size_t i = 0; i < findings->count; i++)
        print_one(&findings->all[i], stream);
}

void kiln_findings_print_compiled(FILE *stream)
{
    fprintf(stream, "\nonly findings of the launch: those of the compiler need the kernel's source "
                    "(kiln bench FILE.tile.c, or its tt)\n");
}

json_t *kiln_findings_json(const kiln_findings_t *findings)
{
    json_t *array = json_array();
    for (size_t i = 0; array && i < findings->count; i++) {
        const kiln_found_t *found = &findings->all[i];
        const kiln_finding_row_t *row = kiln_finding_row(found->id);
        json_t *gain = !found->gain.is_known
                           ? json_pack("{s:s}", "unknown", why_unknown(&found->gain))
                           : json_pack("{s:f,s:f,s:s,s:s*}", "microseconds",
                                       found->gain.microseconds, "of", found->gain.of, "without",
                                       found->gain.without, "bound", bound_text(&found->gain));
        json_t *object = json_pack(
            "{s:s,s:s,s:o*,s:o*,s:o*,s:o,s:s,s:o,s:o*}", "id", row->name, "title", row->what,
            "file", found->file ? kiln_json_text(found->file) : NULL, "line",
            found->line ? json_integer(found->line) : NULL, "column",
            found->column ? json_integer(found->column) : NULL, "seen", kiln_json_text(found->seen),
            "why", row->why, "advice", kiln_json_text(found->advice), "gain", gain);
        if (!object || json_array_append_new(array, object) != 0) {
            json_decref(array);
            array = NULL;
        }
    }
    return array;
}

kiln_status_t kiln_findings_fail(size_t count)
{
    return count ? kiln_status_make(KILN_STATUS_MISMATCH, "%zu finding%s (--fail-on-findings)",
                                    count, count == 1 ? "" : "s")
                 : KILN_OK;
}

static void free_one(kiln_found_t *found)
{
    free(found->file);
    free(found->source_line);
    free(found->seen);
    free(found->advice);
}

typedef struct removed {
    kiln_warning_id_t id;
    double share;
} removed_t;

static void remove_if(kiln_findings_t *findings,
                      bool (*is_removed)(const kiln_found_t *found, const removed_t *removed),
                      const removed_t *removed)
{
    size_t left = 0;
    for (size_t i = 0; i < findings->count; i++) {
        if (is_removed(&findings->all[i], removed))
            free_one(&findings->all[i]);
        else
            findings->all[left++] = findings->all[i];
    }
    findings->count = left;
}

static bool is_kind(const kiln_found_t *found, const removed_t *removed)
{
    return found->id == removed->id;
}

static bool is_small(const kiln_found_t *found, const removed_t *removed)
{
    return is_kind(found, removed) && found->gain.is_known &&
           found->gain.microseconds < removed->share * found->gain.of;
}

static bool is_idle(const kiln_found_t *found, const removed_t *except)
{
    return !is_kind(found, except) && gains_nothing(&found->gain);
}

void kiln_findings_remove(kiln_findings_t *findings, kiln_warning_id_t id)
{
    remove_if(findings, is_kind, &(removed_t){.id = id});
}

void kiln_findings_remove_small(kiln_findings_t *findings, kiln_warning_id_t id, double share)
{
    remove_if(findings, is_small, &(removed_t){.id = id, .share = share});
}

void kiln_findings_remove_idle(kiln_findings_t *findings, kiln_warning_id_t except)
{
    remove_if(findings, is_idle, &(removed_t){.id = except});
}

void kiln_findings_free(kiln_findings_t *findings)
{
    for (size_t i = 0; i < findings->count; i++)
        free_one(&findings->all[i]);
    free(findings->all);
    *findings = (kiln_findings_t){.warnings = findings->warnings};
}
