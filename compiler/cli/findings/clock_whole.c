// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Findings of the launch as a whole: how its workgroups fill the compute units.
#include <math.h>
#include <stdlib.h>

#include "cli/launch/facts.h"
#include "clock_rules.h"

// Adds a finding at an instruction, or, if that is NULL, at the kernel's declaration.
static void add_with(const kiln_clock_search_t *search, kiln_warning_id_t id,
                     const kiln_sim_line_t *line, const kiln_string_t *seen, char *advice,
                     kiln_gain_t gain)
{
    kiln_found_t found = {.id = id, .seen = seen->data, .advice = advice, .gain = gain};
    if (gain.is_known && gain.microseconds < KILN_MIN_REPORTED_GAIN * gain.of)
        return;
    if (line)
        kiln_clock_set_place(search, line, &found);
    else
        kiln_clock_set_declaration(search, &found);
    if (seen->data && !seen->failed)
        kiln_findings_add(search->findings, &found);
    else
        search->findings->out_of_memory = true;
    free(found.file);
    free(found.source_line);
}

static void add_at(const kiln_clock_search_t *search, kiln_warning_id_t id,
                   const kiln_sim_line_t *line, const kiln_string_t *seen, kiln_gain_t gain)
{
    add_with(search, id, line, seen, NULL, gain);
}

// Returns the least time that the launch's work takes at the device's peak rates.
static double min_microseconds(const kiln_sim_prediction_t *p)
{
    const double work[][2] = {{p->flops, p->peak_flops},
                              {p->l2_bytes, p->peak_l2},
                              {p->infinity_cache_bytes, p->peak_infinity_cache},
                              {p->hbm_bytes, p->peak_hbm}};
    double min = 0;
    for (size_t i = 0; i < sizeof work / sizeof *work; i++)
        if (work[i][1] > 0)
            min = fmax(min, work[i][0] / work[i][1]);
    return min * 1e6;
}

// Returns the share of the time in which the busiest part of a compute unit works.
static double busiest(const kiln_sim_prediction_t *p)
{
    return fmax(fmax(p->valu_busy, p->mfma_busy), fmax(p->lds_busy, p->l1_busy));
}

static uint64_t cycles_of(const kiln_sim_line_t *line)
{
    uint64_t cycles = 0;
    for (int k = 0; k < KILN_SIM_STALLS; k++)
        cycles += line->cycles[k];
    return cycles;
}

// Assumes that the iterations of loops are spread over all compute units, that the work outside
// loops and the part of the launch's time that does not depend on its work stay, and that no rate
// exceeds the device's.
static kiln_gain_t gain_of_spreading(const kiln_clock_search_t *search, double busy)
{
    uint64_t in_loops = 0;
    for (size_t i = 0; i < search->count; i++)
        in_loops += search->lines[i].loop >= 0 ? cycles_of(&search->lines[i]) : 0;
    const double now = search->prediction.microseconds,
                 share = in_loops ? (double)in_loops / (double)search->wave_cycles : 1,
                 working = search->prediction.cycles / search->prediction.clock_mhz,
                 then = fmax(now - working * share * (1 - busy),
                             min_microseconds(&search->prediction));
    // Of a kernel without loops, smaller tiles make all of the work smaller but the latencies.
    return (kiln_gain_t){.is_known = true,
                         .bound = in_loops ? KILN_GAIN_ABOUT : KILN_GAIN_AT_MOST,
                         .microseconds = fmax(0, now - then),
                         .of = now,
                         .without = in_loops
                                        ? "if the loops' iterations were spread over all compute "
                                          "units"
                                        : "if the work were spread over all compute units"};
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
    add_at(search, KILN_WARNING_IDLE_UNITS, NULL, &seen,
           gain_of_spreading(search, (double)groups / (double)units));
    kiln_string_free(&seen);
}

// Applies only if one compute unit's share decides: with many workgroups on each, few remain for
// the last round.
static kiln_status_t find_tail(const kiln_clock_search_t *search)
{
    const double units = search->stats.compute_units, groups = (double)search->stats.workgroups;
    if (groups <= units ||
        !kiln_warning_is_enabled(&search->findings->warnings, KILN_WARNING_TAIL_ROUND))
        return KILN_OK;
    const double max = (double)((search->stats.workgroups + search->stats.compute_units - 1) /
                                search->stats.compute_units),
                 idle = 1 - groups / (max * units);
    enum { PERCENT = 100 };
    if (idle < 2 * KILN_MIN_REPORTED_GAIN)
        return KILN_OK;
    const kiln_sim_supposition_t even = {
        .struct_size = sizeof even, .even = true, .least = KILN_MIN_REPORTED_GAIN};
    kiln_gain_t gain = {0};
    KILN_TRY(
        kiln_clock_replay(search, &even, "if all units had equal shares of the workgroups", &gain));
    gain.bound = KILN_GAIN_AT_MOST; // units that work to the end take bandwidth from the others
    kiln_string_t seen = {0};
    kiln_string_appendf(&seen,
                        "some compute units execute %.0f workgroups and others %.0f, because %.0f "
                        "workgroups are %.2f times the %.0f units; %.0f %% of the units' time is "
                        "idle",
                        max, max - 1, groups, groups / units, units, PERCENT * idle);
    add_at(search, KILN_WARNING_TAIL_ROUND, NULL, &seen, gain);
    kiln_string_free(&seen);
    return KILN_OK;
}

// The instruction with the most cycles in the loop with the most; NULL: no loop, or no line there.
static const kiln_sim_line_t *heaviest_in_loop(const kiln_clock_search_t *search, double *out_share)
{
    const kiln_sim_line_t *heaviest = NULL;
    uint64_t most = 0, here = 0;
    for (size_t i = 0; i < search->count; i++) {
        const kiln_sim_line_t *first = &search->lines[i];
        if (first->loop < 0 || search->classes.loop[i] != i)
            continue;
        uint64_t sum = 0;
        for (size_t k = i; k < search->count; k++)
            sum += search->classes.loop[k] == i ? cycles_of(&search->lines[k]) : 0;
        if (sum <= most)
            continue;
        most = sum;
        heaviest = first;
    }
    for (size_t i = 0; heaviest && i < search->count; i++) {
        const kiln_sim_line_t *line = &search->lines[i];
        if (line->loop != heaviest->loop || !*line->source || cycles_of(line) <= here)
            continue;
        here = cycles_of(line);
        heaviest = line;
    }
    *out_share = search->wave_cycles ? (double)most / (double)search->wave_cycles : 0;
    return here ? heaviest : NULL;
}

// With equal shares the longest workgroup ends as much earlier, but a compute unit takes at least
// the time in which its busiest part does an equal share of the work.
static kiln_gain_t gain_of_equal_shares(const kiln_clock_search_t *search)
{
    const kiln_sim_prediction_t *p = &search->prediction;
    kiln_gain_t gain =
        gain_of_spreading(search, fmax(p->mean_work, busiest(p) * p->mean_unit_work));
    gain.bound = KILN_GAIN_AT_MOST; // units that work to the end take bandwidth from the others
    gain.without = "if all programs had equal shares of the work";
    return gain;
}

static void find_uneven_work(const kiln_clock_search_t *search)
{
    enum { PERCENT = 100 };
    const double mean = search->prediction.mean_work;
    if (mean <= 0 || 1 - mean < KILN_MIN_REPORTED_GAIN)
        return;
    double share;
    const kiln_sim_line_t *line = heaviest_in_loop(search, &share);
    kiln_string_t seen = {0};
    kiln_string_appendf(&seen,
                        "the longest program accesses memory %.1f times as often as the average, "
                        "and all begin at once",
                        1 / mean);
    if (line)
        kiln_string_appendf(&seen, "; waves spend %.0f %% of their time in the loop around this",
                            PERCENT * share);
    add_at(search, KILN_WARNING_UNEVEN_WORK, line, &seen, gain_of_equal_shares(search));
    kiln_string_free(&seen);
}

// Applies only if the L2s miss enough to matter.
static kiln_status_t find_order(const kiln_clock_search_t *search)
{
    enum { MEGA = 1000000 };
    const kiln_sim_prediction_t *now = &search->prediction;
    const double busy =
        now->infinity_cache_bytes / now->peak_infinity_cache / (now->microseconds * 1e-6);
    if (busy < KILN_MIN_REPORTED_GAIN ||
        !kiln_warning_is_enabled(&search->findings->warnings, KILN_WARNING_PROGRAM_ORDER))
        return KILN_OK;
    const kiln_sim_supposition_t near = {
        .struct_size = sizeof near, .near = true, .least = KILN_MIN_REPORTED_GAIN};
    kiln_sim_prediction_t then = {.struct_size = sizeof then};
    KILN_TRY(search->replay(search->replay_user, &near, &then));
    kiln_gain_t gain = kiln_clock_gain(search, &then, "if they were on the same XCD");
    gain.bound = KILN_GAIN_AT_MOST; // no order may give each XCD only its share
    kiln_string_t seen = {0};
    kiln_string_appendf(&seen,
                        "%.1f MB go through the Infinity Cache, %.1f MB of them because programs "
                        "on different XCDs read the same data",
                        now->infinity_cache_bytes / MEGA,
                        (now->infinity_cache_bytes - then.infinity_cache_bytes) / MEGA);
    add_at(search, KILN_WARNING_PROGRAM_ORDER, NULL, &seen, gain);
    kiln_string_free(&seen);
    return KILN_OK;
}

// More waves on a SIMD cover waits, even if much of a resource must go for the next step. The
// compiler reports steps that are near.
static kiln_status_t find_far_step(const kiln_clock_search_t *search)
{
    kiln_occupancy_limits_t limits;
    const uint64_t units = search->stats.compute_units;
    if (!search->code ||
        !kiln_warning_is_enabled(&search->findings->warnings, KILN_WARNING_OCCUPANCY))
        return KILN_OK;
    KILN_TRY(
        kiln_launch_limits(search->code, (unsigned)search->stats.waves_per_workgroup, &limits));
    const bool holds_dots = search->has_dots && !limits.is_lds; // they cannot leave the registers
    if (!limits.more || kiln_occupancy_is_near(&limits) || holds_dots ||
        search->stats.workgroups <= units * limits.workgroups ||
        busiest(&search->prediction) > 1 - KILN_MIN_REPORTED_GAIN)
        return KILN_OK;
    const kiln_sim_supposition_t more = {.struct_size = sizeof more,
                                         .workgroups_per_cu = limits.more_workgroups,
                                         .least = KILN_MIN_REPORTED_GAIN};
    kiln_gain_t gain = {0};
    kiln_string_t seen = {0}, advice = {0};
    KILN_TRY(kiln_clock_replay(search, &more, "with the workgroups that would fit", &gain));
    gain.bound = KILN_GAIN_AT_MOST; // code with fewer registers, or of smaller tiles, does more
    kiln_occupancy_describe(&limits, &seen, &advice);
    seen.failed |= advice.failed;
    add_with(search, KILN_WARNING_OCCUPANCY, NULL, &seen, advice.data, gain);
    kiln_string_free(&seen);
    kiln_string_free(&advice);
    return KILN_OK;
}

kiln_status_t kiln_clock_find_whole(const kiln_clock_search_t *search)
{
    KILN_TRY(find_far_step(search));
    find_idle_units(search);
    find_uneven_work(search);
    KILN_TRY(find_order(search));
    return find_tail(search);
}
