// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds loads that read again what the same waves have loaded before and could have kept in
// registers, as the passes over a row do of which each loads it.
//
// The recording shows which loads these are (runtime/sim/timing/repeats.c), and how many registers
// would be needed. The replay leaves them out, with the workgroups that then fit a compute unit.
#include <stdlib.h>
#include <string.h>

#include "base/gfx942.h"
#include "cli/launch/facts.h"
#include "clock_rules.h"
#include "instructions.h"

// Nearly all of its loads are repeats; those of the first iteration may not be.
static bool repeats(const kiln_sim_line_t *line)
{
    return line->repeats && 10 * line->repeats >= 9 * line->issued;
}

typedef struct repeats {
    kiln_sim_exemption_t *exemptions;
    size_t count, places;
    const kiln_sim_line_t *heaviest;
    uint64_t lines, all_lines; // of these loads, and of all accesses of memory
    unsigned registers;        // of a lane
} repeats_t;

static const kiln_sim_line_t *line_at(const kiln_clock_search_t *search, uint64_t address)
{
    for (size_t i = 0; i < search->count; i++)
        if (search->lines[i].address == address)
            return &search->lines[i];
    return NULL;
}

// Registers count for all that is loaded again: that an instruction which is not left out repeats
// it, too, is not known.
static void collect(const kiln_clock_search_t *search, repeats_t *found)
{
    for (size_t i = 0; i < search->count; i++) {
        const kiln_sim_line_t *line = &search->lines[i];
        found->all_lines +=
            kiln_clock_is(search, line,
                          KILN_INSTRUCTION_LOAD | KILN_INSTRUCTION_STORE | KILN_INSTRUCTION_ATOMIC)
                ? line->lines
                : 0;
        found->registers += (unsigned)line->kept;
        if (!repeats(line))
            continue;
        found->exemptions[found->count++] =
            (kiln_sim_exemption_t){line->address, KILN_SIM_WITHOUT_ISSUE};
        found->lines += line->lines;
        if (!found->heaviest || line->waited > found->heaviest->waited)
            found->heaviest = line;
        bool is_new = true;
        for (size_t k = 0; k < i && is_new; k++)
            is_new = !repeats(&search->lines[k]) ||
                     strcmp(search->lines[k].source, line->source) != 0 ||
                     search->lines[k].column != line->column;
        found->places += is_new;
    }
}

static kiln_status_t report(const kiln_clock_search_t *search, const repeats_t *found,
                            const kiln_gain_t *gain)
{
    enum { KILO = 1024 };
    const kiln_sim_line_t *first = line_at(search, found->heaviest->repeated);
    const double bytes = (double)found->registers * sizeof(uint32_t) * KILN_GFX942_LANES *
                         (double)search->stats.waves_per_workgroup;
    kiln_string_t seen = {0}, advice = {0};
    const char *colon = first ? strrchr(first->source, ':') : NULL;
    kiln_string_append(&seen, "this load");
    if (found->places > 1)
        kiln_string_appendf(&seen, " and %zu other%s", found->places - 1,
                            found->places == 2 ? "" : "s");
    kiln_string_appendf(&seen, " read%s again what the same waves have loaded before",
                        found->places > 1 ? "" : "s");
    if (colon)
        kiln_string_appendf(&seen, ", at line %s", colon + 1);
    kiln_string_appendf(&seen, ": %.1f KB in each workgroup", bytes / KILO);
    kiln_string_appendf(&advice,
                        "load it once, as one tile, and compute from that in all places: it takes "
                        "%u registers of each thread",
                        found->registers);
    kiln_found_t finding = {
        .id = KILN_WARNING_REPEATED_LOADS, .seen = seen.data, .advice = advice.data, .gain = *gain};
    kiln_clock_set_place(search, found->heaviest, &finding);
    if (seen.data && advice.data && !seen.failed && !advice.failed)
        kiln_findings_add(search->findings, &finding);
    else
        search->findings->out_of_memory = true;
    kiln_string_free(&seen);
    kiln_string_free(&advice);
    free(finding.file);
    free(finding.source_line);
    return KILN_OK;
}

static kiln_status_t replay(const kiln_clock_search_t *search, const repeats_t *found)
{
    kiln_sim_supposition_t without = {.struct_size = sizeof without,
                                      .exemptions = found->exemptions,
                                      .count = found->count,
                                      .least = KILN_MIN_REPORTED_GAIN};
    unsigned workgroups = 0;
    KILN_TRY(kiln_launch_workgroups_with(search->code, (unsigned)search->stats.waves_per_workgroup,
                                         found->registers, &workgroups));
    if (!workgroups)
        return KILN_OK;
    if (workgroups < search->stats.workgroups_per_cu)
        without.workgroups_per_cu = workgroups;
    kiln_gain_t gain;
    KILN_TRY(kiln_clock_replay(search, &without, "without these loads", &gain));
    gain.bound = KILN_GAIN_AT_LEAST; // what each pass computes from them is computed once, too
    return gain.microseconds < KILN_MIN_REPORTED_GAIN * gain.of ? KILN_OK
                                                                : report(search, found, &gain);
}

kiln_status_t kiln_clock_find_repeats(const kiln_clock_search_t *search)
{
    repeats_t found = {0};
    if (!search->code ||
        !kiln_warning_is_enabled(&search->findings->warnings, KILN_WARNING_REPEATED_LOADS))
        return KILN_OK;
    found.exemptions = calloc(search->count + 1, sizeof *found.exemptions);
    if (!found.exemptions)
        return kiln_status_out_of_memory();
    collect(search, &found);
    kiln_status_t status =
        found.count && (double)found.lines >= KILN_MIN_REPORTED_GAIN * (double)found.all_lines
            ? replay(search, &found)
            : KILN_OK;
    free(found.exemptions);
    return status;
}
