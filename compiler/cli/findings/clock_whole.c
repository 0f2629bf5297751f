// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Findings of the launch as a whole: how its workgroups fill the compute units.
#include <stdlib.h>

#include "clock_rules.h"

static void add_at_kernel(const kiln_clock_search_t *search, kiln_warning_id_t id,
                          const kiln_string_t *seen, kiln_gain_t gain)
{
    kiln_found_t found = {.id = id, .seen = seen->data, .gain = gain};
    if (gain.is_known && gain.microseconds < KILN_MIN_REPORTED_GAIN * gain.of)
        return;
    kiln_clock_set_declaration(search, &found);
    if (seen->data && !seen->failed)
        kiln_findings_add(search->findings, &found);
    else
        search->findings->out_of_memory = true;
    free(found.file);
    free(found.source_line);
}

static double larger(double a, double b)
{
    return a > b ? a : b;
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
            min = larger(min, work[i][0] / work[i][1]);
    return min * 1e6;
}

// Assumes that the iterations of loops are spread over all compute units, that the work outside
// loops and the part of the launch's time that does not depend on its work stay, and that no rate
// exceeds the device's.
static kiln_gain_t gain_of_spreading(const kiln_clock_search_t *search, double busy)
{
    uint64_t in_loops = 0;
    for (size_t i = 0; i < search->count; i++)
        for (int k = 0; search->lines[i].loop >= 0 && k < KILN_SIM_STALLS; k++)
            in_loops += search->lines[i].cycles[k];
    const double now = search->prediction.microseconds,
                 share = in_loops ? (double)in_loops / (double)search->wave_cycles : 1,
                 working = search->prediction.cycles / search->prediction.clock_mhz,
                 then = larger(now - working * share * (1 - busy),
                               min_microseconds(&search->prediction));
    // Of a kernel without loops, smaller tiles make all of the work smaller but the latencies.
    return (kiln_gain_t){.is_known = true,
                         .bound = in_loops ? KILN_GAIN_ABOUT : KILN_GAIN_AT_MOST,
                         .microseconds = larger(0, now - then),
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
    add_at_kernel(search, KILN_WARNING_IDLE_UNITS, &seen,
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
    add_at_kernel(search, KILN_WARNING_TAIL_ROUND, &seen, gain);
    kiln_string_free(&seen);
    return KILN_OK;
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
    const kiln_gain_t gain = kiln_clock_gain(search, &then, "if they were on the same XCD");
    kiln_string_t seen = {0};
    kiln_string_appendf(&seen,
                        "%.1f MB go through the Infinity Cache, %.1f MB of them because programs "
                        "on different XCDs read the same data",
                        now->infinity_cache_bytes / MEGA,
                        (now->infinity_cache_bytes - then.infinity_cache_bytes) / MEGA);
    add_at_kernel(search, KILN_WARNING_PROGRAM_ORDER, &seen, gain);
    kiln_string_free(&seen);
    return KILN_OK;
}

kiln_status_t kiln_clock_find_whole(const kiln_clock_search_t *search)
{
    find_idle_units(search);
    KILN_TRY(find_order(search));
    return find_tail(search);
}
