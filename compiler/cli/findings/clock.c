// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds costs in a predicted launch. A rule weighs the instructions by one cost, by source line or
// loop, and the launch is replayed without the cost of the heaviest group. If the replay is faster
// by enough, the rule reports a finding.
//
// Weights only select groups for a replay. The reported gain comes from the replay, so a large
// share of stalls that are hidden behind other work is not a finding.
#include "clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/string.h"
#include "cli/prediction/lines_source.h"
#include "cli/prediction/stalls.h"
#include "clock_rules.h"
#include "instructions.h"

enum { MAX_PER_RULE = 2 };

kiln_gain_t kiln_clock_gain(const kiln_clock_search_t *search, const kiln_sim_prediction_t *then,
                            const char *without)
{
    const double now = search->prediction.microseconds;
    return (kiln_gain_t){.is_known = true,
                         .microseconds = now > then->microseconds ? now - then->microseconds : 0,
                         .of = now,
                         .without = without};
}

// Accesses that touch fewer lines take the same ones again and again in the replay. Memory must
// deliver at least what the launch reads there, or what its lanes request, if that is less.
static double min_memory_microseconds(const kiln_clock_search_t *search,
                                      const kiln_sim_supposition_t *supposition)
{
    const kiln_sim_prediction_t *p = &search->prediction;
    double bytes = 0;
    bool leaves_lines = false;
    for (size_t i = 0; i < supposition->count; i++)
        leaves_lines |= (supposition->exemptions[i].without & KILN_SIM_WITHOUT_LINES) != 0;
    for (size_t i = 0; i < search->count; i++)
        bytes += search->lines[i].lines ? (double)search->lines[i].bytes : 0; // not of LDS
    if (!leaves_lines || !p->replayed || p->peak_hbm <= 0)
        return 0;
    bytes *= (double)p->workgroups / (double)p->replayed;
    return (bytes < p->hbm_bytes ? bytes : p->hbm_bytes) / p->peak_hbm * 1e6;
}

kiln_status_t kiln_clock_replay(const kiln_clock_search_t *search,
                                const kiln_sim_supposition_t *supposition, const char *without,
                                kiln_gain_t *out)
{
    kiln_sim_prediction_t then = {.struct_size = sizeof then};
    KILN_TRY(search->replay(search->replay_user, supposition, &then));
    const double min = min_memory_microseconds(search, supposition);
    then.microseconds = then.microseconds > min ? then.microseconds : min;
    *out = kiln_clock_gain(search, &then, without);
    return KILN_OK;
}

// Applying a rule ---------------------------------------------------------------------------------

typedef struct groups {
    size_t *of;       // for each instruction, the first one of its group
    uint64_t *weight; // for each first instruction, that of the group; for others 0
    unsigned *seen;   // scratch of list_group
} groups_t;

static bool make_groups(const kiln_clock_search_t *search, const kiln_clock_rule_t *rule,
                        groups_t *groups)
{
    const size_t *class =
        rule->by == KILN_CLOCK_BY_LOOP ? search->classes.loop : search->classes.source;
    groups->of = calloc(search->count + 1, sizeof *groups->of);
    groups->weight = calloc(search->count + 1, sizeof *groups->weight);
    // The first instruction with a weight of each class, plus one.
    groups->seen = calloc(search->count + 1, sizeof *groups->seen);
    size_t *first_of_class = calloc(search->count + 1, sizeof *first_of_class);
    const bool good = groups->of && groups->weight && groups->seen && first_of_class;
    for (size_t i = 0; good && i < search->count; i++) {
        // Without a line there is nothing to report.
        const bool is_placed = rule->by == KILN_CLOCK_BY_LOOP || *search->lines[i].source;
        const uint64_t weight = is_placed ? rule->weigh(search, &search->lines[i]) : 0;
        size_t *first = &first_of_class[class[i]];
        if (weight && !*first)
            *first = i + 1;
        groups->of[i] = weight ? *first - 1 : SIZE_MAX;
        if (weight)
            groups->weight[*first - 1] += weight;
    }
    free(first_of_class);
    return good;
}

// Lists the instructions of a group, the heaviest first, and their exemptions.
static size_t list_group(const kiln_clock_search_t *search, const kiln_clock_rule_t *rule,
                         const groups_t *groups, size_t first, size_t *out_list,
                         kiln_sim_exemption_t *out_exemptions)
{
    size_t count = 0;
    unsigned *seen = groups->seen; // by mnemonic
    uint64_t max = 0;
    for (size_t i = 0; i < search->count; i++) {
        if (groups->of[i] != first)
            continue;
        const uint64_t weight = rule->weigh(search, &search->lines[i]);
        const bool may_stay = rule->every &&
                              (!rule->of || kiln_clock_is(search, &search->lines[i], rule->of)),
                   stays = may_stay && ++seen[search->classes.name[i]] % rule->every == 1;
        out_exemptions[count] =
            (kiln_sim_exemption_t){search->lines[i].address, stays ? 0 : rule->without};
        out_list[count++] = i;
        if (weight > max) {
            max = weight;
            out_list[count - 1] = out_list[0];
            out_list[0] = i;
        }
    }
    return count;
}

// Returns a finding of the compiler at this line that has the same cause.
static kiln_found_t *cause_of(const kiln_clock_search_t *search, const kiln_clock_rule_t *rule,
                              const kiln_sim_line_t *line)
{
    for (size_t i = 0; i < search->findings->count; i++) {
        kiln_found_t *found = &search->findings->all[i];
        const bool is_cause =
            (rule->id == KILN_WARNING_LDS_CONFLICTS && found->id == KILN_WARNING_BANK_CONFLICTS) ||
            (rule->id == KILN_WARNING_PARTIAL_LINES &&
             (found->id == KILN_WARNING_NARROW_ACCESS ||
              found->id == KILN_WARNING_MISALIGNED_ACCESS)) ||
            (rule->id == KILN_WARNING_NARROW_LDS && found->id == rule->id);
        if (is_cause && kiln_clock_is_at(found, line))
            return found;
    }
    return NULL;
}

// A line of the loop for an instruction without one, such as those that LLVM adds: of the heaviest
// instruction in its loop that has one.
static const kiln_sim_line_t *placed_in_loop(const kiln_clock_search_t *search,
                                             const kiln_sim_line_t *line)
{
    const kiln_sim_line_t *best = line;
    uint64_t max = 0;
    for (size_t i = 0; i < search->count && !*line->source; i++) {
        const kiln_sim_line_t *other = &search->lines[i];
        uint64_t cycles = 1;
        for (int k = 0; k < KILN_SIM_STALLS; k++)
            cycles += other->cycles[k];
        if (other->loop != line->loop || !*other->source || cycles <= max)
            continue;
        max = cycles;
        best = other;
    }
    return best;
}

static kiln_status_t report(const kiln_clock_search_t *search, const kiln_clock_rule_t *rule,
                            const size_t *group, size_t count, const kiln_gain_t *gain)
{
    const kiln_sim_line_t *heaviest = &search->lines[group[0]];
    kiln_found_t *cause = cause_of(search, rule, heaviest);
    // The gain of wide accesses exceeds that of fewer cache lines.
    if (cause && !cause->gain.is_known && cause->id == KILN_WARNING_BANK_CONFLICTS)
        cause->gain = *gain;
    if (cause || gain->microseconds < KILN_MIN_REPORTED_GAIN * gain->of)
        return KILN_OK;
    kiln_string_t seen = {0};
    rule->see(search, group, count, &seen);
    const char *advice = rule->advise ? rule->advise(search, heaviest) : NULL;
    kiln_found_t found = {
        .id = rule->id, .seen = seen.data, .advice = (char *)(uintptr_t)advice, .gain = *gain};
    kiln_clock_set_place(
        search, rule->by == KILN_CLOCK_BY_LOOP ? placed_in_loop(search, heaviest) : heaviest,
        &found);
    if (seen.data && !seen.failed)
        kiln_findings_add(search->findings, &found);
    else
        search->findings->out_of_memory = true;
    kiln_string_free(&seen);
    free(found.file);
    free(found.source_line);
    return KILN_OK;
}

static uint64_t total_of(const kiln_clock_search_t *search, const kiln_clock_rule_t *rule)
{
    uint64_t sum = 0;
    if (!rule->whole)
        return search->wave_cycles;
    for (size_t i = 0; i < search->count; i++)
        sum += rule->whole(search, &search->lines[i]);
    return sum;
}

// Returns the share of the time in which what all lines of memory pass through is busy.
static double memory_busy(const kiln_sim_prediction_t *p)
{
    const double seconds = p->microseconds * 1e-6;
    return fmax(fmax(p->l1_busy, p->l2_bytes / p->peak_l2 / seconds),
                fmax(p->infinity_cache_bytes / p->peak_infinity_cache / seconds,
                     p->hbm_bytes / p->peak_hbm / seconds));
}

// A unit serves one access at a time, so a launch that issues the same instructions in the same
// order ends at most as much earlier as the unit has less to do. Other costs overlap, and need the
// replay.
static bool can_gain(const kiln_clock_search_t *search, const kiln_clock_rule_t *rule,
                     uint64_t weight, uint64_t total)
{
    const double busy = rule->id == KILN_WARNING_LDS_CONFLICTS   ? search->prediction.lds_busy
                        : rule->id == KILN_WARNING_PARTIAL_LINES ? memory_busy(&search->prediction)
                        : rule->id == KILN_WARNING_F32_DOTS      ? search->prediction.mfma_busy
                                                                 : 1;
    return busy * (double)weight >= KILN_MIN_REPORTED_GAIN * (double)total;
}

static kiln_status_t apply_to(const kiln_clock_search_t *search, const kiln_clock_rule_t *rule,
                              groups_t *groups)
{
    const uint64_t total = total_of(search, rule);
    size_t *list = calloc(search->count + 1, sizeof *list);
    kiln_sim_exemption_t *exemptions = calloc(search->count + 1, sizeof *exemptions);
    kiln_status_t status = list && exemptions ? KILN_OK : kiln_status_out_of_memory();
    for (int tried = 0; !status && tried < MAX_PER_RULE; tried++) {
        size_t heaviest = 0;
        for (size_t i = 0; i < search->count; i++)
            heaviest = groups->weight[i] > groups->weight[heaviest] ? i : heaviest;
        if (!search->count || !groups->weight[heaviest] ||
            !can_gain(search, rule, groups->weight[heaviest], total))
            break; // nor can lighter groups
        memset(groups->seen, 0, search->count * sizeof *groups->seen);
        const size_t count = list_group(search, rule, groups, heaviest, list, exemptions);
        const unsigned hidden = rule->hidden ? rule->hidden(search, list, count) : 0;
        for (size_t i = 0; i < count; i++)
            exemptions[i].without &= ~hidden;
        // A bound of what is a bound anyway is enough.
        const kiln_sim_supposition_t without = {.struct_size = sizeof without,
                                                .exemptions = exemptions,
                                                .count = count,
                                                .least =
                                                    rule->is_bound ? 1 : KILN_MIN_REPORTED_GAIN};
        kiln_gain_t gain;
        status = kiln_clock_replay(search, &without, rule->gain_without, &gain);
        if (status)
            break;
        gain.bound = rule->is_bound ? KILN_GAIN_AT_MOST : KILN_GAIN_ABOUT;
        if (rule->leaves_half && rule->leaves_half(search, &search->lines[list[0]])) {
            gain.microseconds /= 2;
            gain.without = rule->half_without;
        }
        status = report(search, rule, list, count, &gain);
        groups->weight[heaviest] = 0;
        // Lighter groups would hardly gain more, and each replay takes as long as the prediction.
        if (gain.microseconds < KILN_MIN_REPORTED_GAIN * gain.of)
            break;
    }
    free(list);
    free(exemptions);
    return status;
}

// Whether the compiler has reported this cause of the whole kernel.
static bool is_known(const kiln_clock_search_t *search, const kiln_clock_rule_t *rule)
{
    for (size_t i = 0; i < search->findings->count; i++)
        if (rule->id == KILN_WARNING_REGISTER_PRESSURE &&
            search->findings->all[i].id == KILN_WARNING_REGISTER_PRESSURE)
            return true;
    return false;
}

static kiln_status_t apply(const kiln_clock_search_t *search, const kiln_clock_rule_t *rule)
{
    groups_t groups = {0};
    if (!kiln_warning_is_enabled(&search->findings->warnings, rule->id) || is_known(search, rule))
        return KILN_OK;
    kiln_status_t status = make_groups(search, rule, &groups) ? apply_to(search, rule, &groups)
                                                              : kiln_status_out_of_memory();
    free(groups.of);
    free(groups.weight);
    free(groups.seen);
    return status;
}

// Public function ---------------------------------------------------------------------------------

kiln_status_t kiln_clock_search(kiln_clock_search_t *search)
{
    for (size_t i = 0; i < search->count; i++)
        for (int k = 0; k < KILN_SIM_STALLS; k++)
            search->wave_cycles += search->lines[i].cycles[k];
    // If all workgroups are on the device at once, there are no more waves to add.
    const uint64_t places = (uint64_t)search->stats.compute_units * search->stats.workgroups_per_cu;
    if (search->stats.workgroups <= places)
        kiln_findings_remove(search->findings, KILN_WARNING_OCCUPANCY);
    KILN_TRY(kiln_clock_classify(search));
    for (size_t i = 0; i < search->count; i++)
        search->has_dots |= kiln_clock_is(search, &search->lines[i], KILN_INSTRUCTION_MATRIX);
    KILN_TRY(kiln_clock_add_gains(search));
    for (size_t i = 0; i < search->findings->count; i++)
        search->has_unpipelined |= search->findings->all[i].id == KILN_WARNING_NOT_PIPELINED;
    for (size_t i = 0; i < kiln_clock_rule_count; i++)
        KILN_TRY(apply(search, &kiln_clock_rules[i]));
    KILN_TRY(kiln_clock_find_repeats(search));
    return kiln_clock_find_whole(search);
}

static kiln_status_t replay_on_device(void *device, const kiln_sim_supposition_t *supposition,
                                      kiln_sim_prediction_t *prediction)
{
    return kiln_device_replay_launch(device, supposition, prediction);
}

kiln_status_t kiln_clock_findings(kiln_device_t *device, const kiln_jit_kernel_t *kernel,
                                  const char *name, const char *source,
                                  kiln_findings_t *io_findings)
{
    kiln_clock_search_t search = {.replay = replay_on_device,
                                  .replay_user = device,
                                  .code = kernel,
                                  .kernel = kiln_jit_kernel_name(kernel),
                                  .name = name,
                                  .source = source,
                                  .stats.struct_size = sizeof search.stats,
                                  .prediction.struct_size = sizeof search.prediction,
                                  .findings = io_findings};
    KILN_TRY(kiln_device_launch_stats(device, &search.stats));
    KILN_TRY(kiln_device_launch_prediction(device, &search.prediction));
    kiln_status_t status = kiln_stalls_read(device, &search.lines, &search.count);
    char *own_name = status || source ? NULL : kiln_lines_source(search.lines, search.count),
         *text = kiln_lines_source_text(own_name);
    if (!source) {
        search.name = own_name ? own_name : "-";
        search.source = text;
    }
    if (!status)
        status = kiln_clock_search(&search);
    kiln_clock_classes_free(&search.classes);
    free(search.lines);
    free(own_name);
    free(text);
    return status;
}
