// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules of the clock: a rule weighs the instructions of a predicted launch, by source line or
// loop, and the launch is replayed without the cost of the heaviest. It is a finding if that gains
// enough.
//
// Weights only choose what is worth a replay. What is told comes from the replay, so that a large
// share of stalls that hides behind other work is no finding.
#include "clock_findings.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/number.h"
#include "base/string.h"
#include "clock_rules.h"
#include "instructions.h"
#include "stalls.h"

#define WORTH_TELLING 0.05  // gain as a fraction of the launch
#define WORTH_A_REPLAY 0.05 // weight as a fraction of the rule's total

enum { MOST_OF_A_RULE = 2 };

// Places ------------------------------------------------------------------------------------------

static const char *base_of(const char *path)
{
    return kiln_path_base(path);
}

// Splits "directory/file:12"; the line is 0 without one.
static unsigned split_place(const char *place, size_t *out_file_length)
{
    const char *colon = strrchr(place, ':');
    *out_file_length = colon ? (size_t)(colon - place) : strlen(place);
    return colon ? (unsigned)strtoul(colon + 1, NULL, 10) : 0;
}

static bool is_own_file(const kiln_clock_search_t *search, const char *place, size_t length)
{
    const char *own = base_of(search->name);
    const size_t own_length = strlen(own);
    return length >= own_length && memcmp(place + length - own_length, own, own_length) == 0;
}

static char *line_of(const char *text, unsigned line)
{
    for (; text && line > 1; line--) {
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    return text && line ? strndup(text, strcspn(text, "\n")) : NULL;
}

// Fills in file, line and column as the compiler's diagnostics have them.
static void set_place(const kiln_clock_search_t *search, const kiln_sim_line_t *line,
                      kiln_found_t *found)
{
    size_t length;
    found->line = split_place(line->source, &length);
    found->column = line->column;
    if (!found->line)
        return;
    const bool own = is_own_file(search, line->source, length);
    found->file = own ? strdup(search->name) : strndup(line->source, length);
    found->source_line = own ? line_of(search->source, found->line) : NULL;
}

static bool is_at(const kiln_found_t *found, const kiln_sim_line_t *line)
{
    size_t length;
    const unsigned number = split_place(line->source, &length);
    if (!found->file || !number || number != found->line)
        return false;
    const char *own = base_of(found->file);
    const size_t own_length = strlen(own);
    return length >= own_length && memcmp(line->source + length - own_length, own, own_length) == 0;
}

// Replays -----------------------------------------------------------------------------------------

// The gain without these costs. `exemptions` has room for one entry per instruction.
static kiln_status_t replay(const kiln_clock_search_t *search,
                            const kiln_sim_exemption_t *exemptions, size_t count,
                            const char *without, kiln_gain_t *out)
{
    kiln_sim_prediction_t then = {.struct_size = sizeof then};
    KILN_TRY(kiln_device_replay_launch(search->device, exemptions, count, &then));
    const double now = search->prediction.microseconds;
    *out = (kiln_gain_t){.is_known = true,
                         .microseconds = now > then.microseconds ? now - then.microseconds : 0,
                         .of = now,
                         .without = without};
    return KILN_OK;
}

// Replays without a cost of all instructions for which `wants` is true.
static kiln_status_t replay_all(const kiln_clock_search_t *search, unsigned without,
                                bool (*wants)(const kiln_clock_search_t *search,
                                              const kiln_sim_line_t *line,
                                              const kiln_found_t *found),
                                const kiln_found_t *found, const char *text, kiln_gain_t *out)
{
    kiln_sim_exemption_t *exemptions = calloc(search->count + 1, sizeof *exemptions);
    size_t count = 0;
    if (!exemptions)
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < search->count; i++)
        if (wants(search, &search->lines[i], found))
            exemptions[count++] = (kiln_sim_exemption_t){search->lines[i].address, without};
    kiln_status_t status = count ? replay(search, exemptions, count, text, out) : KILN_OK;
    free(exemptions);
    return status;
}

// Applying a rule ---------------------------------------------------------------------------------

typedef struct groups {
    size_t *of;       // for each instruction, the first one of its group
    uint64_t *weight; // for each first instruction, that of the group; for others 0
} groups_t;

static bool is_same_group(const kiln_clock_rule_t *rule, const kiln_sim_line_t *a,
                          const kiln_sim_line_t *b)
{
    return rule->by == KILN_CLOCK_BY_LOOP ? a->loop == b->loop : strcmp(a->source, b->source) == 0;
}

static bool make_groups(const kiln_clock_search_t *search, const kiln_clock_rule_t *rule,
                        groups_t *groups)
{
    groups->of = calloc(search->count + 1, sizeof *groups->of);
    groups->weight = calloc(search->count + 1, sizeof *groups->weight);
    if (!groups->of || !groups->weight)
        return false;
    for (size_t i = 0; i < search->count; i++) {
        // Without a line there is nothing to tell.
        const bool is_placed = rule->by == KILN_CLOCK_BY_LOOP || *search->lines[i].source;
        const uint64_t weight = is_placed ? rule->weigh(search, &search->lines[i]) : 0;
        size_t first = i;
        for (size_t j = 0; weight && j < i && first == i; j++)
            if (groups->weight[j] && is_same_group(rule, &search->lines[j], &search->lines[i]))
                first = j;
        groups->of[i] = weight ? first : SIZE_MAX;
        groups->weight[first] += weight;
    }
    return true;
}

// The instructions of a group, the heaviest first, and their exemptions.
static size_t list_group(const kiln_clock_search_t *search, const kiln_clock_rule_t *rule,
                         const groups_t *groups, size_t first, size_t *out_list,
                         kiln_sim_exemption_t *out_exemptions)
{
    size_t count = 0;
    uint64_t most = 0;
    for (size_t i = 0; i < search->count; i++) {
        if (groups->of[i] != first)
            continue;
        const uint64_t weight = rule->weigh(search, &search->lines[i]);
        out_exemptions[count] = (kiln_sim_exemption_t){search->lines[i].address, rule->without};
        out_list[count++] = i;
        if (weight > most) {
            most = weight;
            out_list[count - 1] = out_list[0];
            out_list[0] = i;
        }
    }
    return count;
}

// A finding of the compiler at this line that has the same cause.
static kiln_found_t *cause_of(const kiln_clock_search_t *search, const kiln_clock_rule_t *rule,
                              const kiln_sim_line_t *line)
{
    for (size_t i = 0; i < search->findings->count; i++) {
        kiln_found_t *found = &search->findings->all[i];
        const bool is_cause =
            (rule->id == KILN_WARNING_LDS_CONFLICTS && found->id == KILN_WARNING_BANK_CONFLICTS) ||
            (rule->id == KILN_WARNING_PARTIAL_LINES && found->id == KILN_WARNING_NARROW_ACCESS);
        if (is_cause && is_at(found, line))
            return found;
    }
    return NULL;
}

static kiln_status_t tell(const kiln_clock_search_t *search, const kiln_clock_rule_t *rule,
                          const size_t *group, size_t count, const kiln_gain_t *gain)
{
    const kiln_sim_line_t *heaviest = &search->lines[group[0]];
    kiln_found_t *cause = cause_of(search, rule, heaviest);
    // The gain of wide accesses is larger than that of fewer lines.
    if (cause && !cause->gain.is_known && cause->id != KILN_WARNING_NARROW_ACCESS)
        cause->gain = *gain;
    if (cause || gain->microseconds < WORTH_TELLING * gain->of)
        return KILN_OK;
    kiln_string_t seen = {0};
    rule->see(search, group, count, &seen);
    const char *advice = rule->advise ? rule->advise(search, heaviest) : NULL;
    kiln_found_t found = {
        .id = rule->id, .seen = seen.data, .advice = (char *)(uintptr_t)advice, .gain = *gain};
    set_place(search, heaviest, &found);
    if (seen.data && !seen.failed)
        kiln_findings_add(search->findings, &found);
    else
        search->findings->out_of_memory = true;
    kiln_string_free(&seen);
    free(found.file);
    free(found.source_line);
    return KILN_OK;
}

static kiln_status_t apply_to(const kiln_clock_search_t *search, const kiln_clock_rule_t *rule,
                              groups_t *groups)
{
    const uint64_t total = rule->total ? rule->total(search) : search->wave_cycles;
    size_t *list = calloc(search->count + 1, sizeof *list);
    kiln_sim_exemption_t *exemptions = calloc(search->count + 1, sizeof *exemptions);
    kiln_status_t status = list && exemptions ? KILN_OK : kiln_status_out_of_memory();
    for (int tried = 0; !status && tried < MOST_OF_A_RULE; tried++) {
        size_t heaviest = 0;
        for (size_t i = 0; i < search->count; i++)
            heaviest = groups->weight[i] > groups->weight[heaviest] ? i : heaviest;
        if (!search->count || !groups->weight[heaviest] ||
            (double)groups->weight[heaviest] < WORTH_A_REPLAY * (double)total)
            break;
        const size_t count = list_group(search, rule, groups, heaviest, list, exemptions);
        kiln_gain_t gain;
        status = replay(search, exemptions, count, rule->gain_without, &gain);
        if (!status)
            status = tell(search, rule, list, count, &gain);
        groups->weight[heaviest] = 0;
        // Lighter ones would hardly gain more, and each replay takes as long as the prediction.
        if (!status && gain.microseconds < WORTH_TELLING * gain.of)
            break;
    }
    free(list);
    free(exemptions);
    return status;
}

static kiln_status_t apply(const kiln_clock_search_t *search, const kiln_clock_rule_t *rule)
{
    groups_t groups = {0};
    if (!kiln_warning_is_told(&search->findings->told, rule->id))
        return KILN_OK;
    kiln_status_t status = make_groups(search, rule, &groups) ? apply_to(search, rule, &groups)
                                                              : kiln_status_out_of_memory();
    free(groups.of);
    free(groups.weight);
    return status;
}

// Gains of the compiler's findings ----------------------------------------------------------------

// Loads for a loop's dots, and their way through LDS.
static bool is_for_dots(const kiln_clock_search_t *search, const kiln_sim_line_t *line,
                        const kiln_found_t *found)
{
    (void)found;
    return line->loop >= 0 &&
           kiln_instruction_is(line->instruction, KILN_INSTRUCTION_LOAD | KILN_INSTRUCTION_LDS) &&
           kiln_clock_has_matrix(search, line->loop);
}

static bool is_spill(const kiln_clock_search_t *search, const kiln_sim_line_t *line,
                     const kiln_found_t *found)
{
    (void)search;
    (void)found;
    return kiln_instruction_is(line->instruction, KILN_INSTRUCTION_SPILL);
}

static bool moves_value(const kiln_clock_search_t *search, const kiln_sim_line_t *line,
                        const kiln_found_t *found)
{
    (void)search;
    return line->loop >= 0 && is_at(found, line) &&
           kiln_instruction_is(line->instruction, KILN_INSTRUCTION_LDS);
}

static kiln_status_t add_gains(const kiln_clock_search_t *search)
{
    static const struct {
        kiln_warning_id_t id;
        unsigned without;
        bool (*wants)(const kiln_clock_search_t *search, const kiln_sim_line_t *line,
                      const kiln_found_t *found);
        const char *text;
    } gains[] = {
        {KILN_WARNING_NOT_PIPELINED, KILN_SIM_WITHOUT_LATENCY, is_for_dots,
         "if the loop's loads were requested early enough"},
        {KILN_WARNING_LAYOUT_CONVERSION, KILN_SIM_WITHOUT_ISSUE, moves_value,
         "without the accesses of LDS"},
        {KILN_WARNING_REGISTER_PRESSURE, KILN_SIM_WITHOUT_ISSUE, is_spill, "without the spills"}};
    for (size_t i = 0; i < search->findings->count; i++) {
        kiln_found_t *found = &search->findings->all[i];
        for (size_t k = 0; k < sizeof gains / sizeof *gains; k++)
            if (found->id == gains[k].id && !found->gain.is_known)
                KILN_TRY(replay_all(search, gains[k].without, gains[k].wants, found, gains[k].text,
                                    &found->gain));
    }
    return KILN_OK;
}

// The launch as a whole ---------------------------------------------------------------------------

// Where the source declares the kernel: its name, before a parenthesis. An instruction of the
// declaration may not exist.
static void set_declaration(const kiln_clock_search_t *search, kiln_found_t *found)
{
    const size_t length = strlen(search->kernel);
    unsigned line = 1;
    const char *begin = search->source;
    for (const char *at = begin; at && *at; at++) {
        if (*at == '\n') {
            line++;
            begin = at + 1;
        }
        const bool starts = at == begin || (!kiln_is_alphanumeric(at[-1]) && at[-1] != '_');
        if (!starts || strncmp(at, search->kernel, length) != 0 || at[length] != '(')
            continue;
        found->file = strdup(search->name);
        found->line = line;
        found->column = (unsigned)(at - begin) + 1;
        found->source_line = strndup(begin, strcspn(begin, "\n"));
        return;
    }
    if (search->count)
        set_place(search, &search->lines[0], found);
}

static void add_at_kernel(const kiln_clock_search_t *search, kiln_warning_id_t id,
                          const kiln_string_t *seen)
{
    kiln_found_t found = {.id = id, .seen = seen->data};
    set_declaration(search, &found);
    if (seen->data && !seen->failed)
        kiln_findings_add(search->findings, &found);
    free(found.file);
    free(found.source_line);
}

static void find_idle_units(const kiln_clock_search_t *search)
{
    const uint64_t units = search->stats.compute_units, groups = search->stats.workgroups;
    if (!groups || groups >= units)
        return;
    kiln_string_t seen = {0};
    kiln_string_appendf(
        &seen, "%llu workgroup%s for %llu compute units: %llu of them (%.0f %%) are idle",
        (unsigned long long)groups, groups == 1 ? "" : "s", (unsigned long long)units,
        (unsigned long long)(units - groups), 100 * (double)(units - groups) / (double)units);
    add_at_kernel(search, KILN_WARNING_IDLE_UNITS, &seen);
    kiln_string_free(&seen);
}

// Only if a compute unit's share decides: with many workgroups on each, the last ones are few.
static void find_tail(const kiln_clock_search_t *search)
{
    const double units = search->stats.compute_units, groups = (double)search->stats.workgroups;
    if (groups <= units)
        return;
    const double most = (double)((search->stats.workgroups + search->stats.compute_units - 1) /
                                 search->stats.compute_units),
                 idle = 1 - groups / (most * units);
    enum { PERCENT = 100 };
    if (idle < 2 * WORTH_TELLING)
        return;
    kiln_string_t seen = {0};
    kiln_string_appendf(&seen,
                        "some compute units execute %.0f workgroups and others %.0f, because %.0f "
                        "workgroups are %.2f times the %.0f units; %.0f %% of the units' time is "
                        "idle",
                        most, most - 1, groups, groups / units, units, PERCENT * idle);
    add_at_kernel(search, KILN_WARNING_TAIL_ROUND, &seen);
    kiln_string_free(&seen);
}

// -------------------------------------------------------------------------------------------------

static kiln_status_t find(kiln_clock_search_t *search)
{
    for (size_t i = 0; i < search->count; i++)
        for (int k = 0; k < KILN_SIM_STALLS; k++)
            search->wave_cycles += search->lines[i].cycles[k];
    for (size_t i = 0; i < search->count; i++)
        search->has_dots |=
            kiln_instruction_is(search->lines[i].instruction, KILN_INSTRUCTION_MATRIX);
    // If all workgroups are on the device at once, there are no more waves to add.
    const uint64_t places = (uint64_t)search->stats.compute_units * search->stats.workgroups_per_cu;
    if (search->stats.workgroups <= places)
        kiln_findings_remove(search->findings, KILN_WARNING_OCCUPANCY);
    KILN_TRY(add_gains(search));
    for (size_t i = 0; i < kiln_clock_rule_count; i++)
        KILN_TRY(apply(search, &kiln_clock_rules[i]));
    find_idle_units(search);
    find_tail(search);
    return KILN_OK;
}

kiln_status_t kiln_clock_findings(kiln_device_t *device, const char *kernel, const char *name,
                                  const char *source, kiln_findings_t *io_findings)
{
    kiln_clock_search_t search = {.device = device,
                                  .kernel = kernel,
                                  .name = name,
                                  .source = source,
                                  .stats.struct_size = sizeof search.stats,
                                  .prediction.struct_size = sizeof search.prediction,
                                  .findings = io_findings};
    KILN_TRY(kiln_device_launch_stats(device, &search.stats));
    KILN_TRY(kiln_device_launch_prediction(device, &search.prediction));
    kiln_status_t status = kiln_stalls_read(device, &search.lines, &search.count);
    if (!status)
        status = find(&search);
    free(search.lines);
    return status;
}
