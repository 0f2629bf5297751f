// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a timeline as short text, for reports: what each place for a wave did in each of a few
// hundred parts of the time, which is the state that took most of the part's cycles.
//
//     cycles BEGIN END PARTS CUT        the time, its parts, and whether later events are missing
//     place SIMD PLACE                  the lines below are of this place, in order
//     wave GROUP NUMBER BEGIN END       a wave that had the place
//     run PARTS STATE FILE:LINE         from the first part on: a category of instructions that
//                                       were issued (MFMA, …), a reason of a stall (vmcnt, …), or
//                                       "-" without a wave; FILE:LINE is "-" if it is unknown
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "timing/parameters.h"
#include "timing/predict.h"
#include "timing/timeline.h"
#include "timing/unit.h"

static const char *const states[] = {
#define KILN_SIM_STALL(name, text, help) text,
#include "kiln/sim_stalls.def"
#undef KILN_SIM_STALL
    "MFMA", "SMEM", "LDS", "VMEM", "BRANCH", "WAIT", "BARRIER", "VALU", "SALU", "INTERNAL"};
enum {
    STATES = sizeof states / sizeof *states,
    REASONS = KILN_SIM_STALL_IDLE + 1,
    PARTS = 320,
    PLACES = KILN_TIMING_SIMDS * KILN_TIMING_WAVES
};

// The cycles of a state in a part, and the longest event among them.
typedef struct share {
    uint64_t cycles, longest;
    uint32_t op;
} share_t;

typedef struct picture {
    uint64_t begin, end;
    share_t (*places)[PARTS][STATES];
} picture_t;

static unsigned state_of(const kiln_timing_op_t *op)
{
    const char *category = kiln_timing_category(op);
    for (unsigned i = REASONS; i < STATES; i++)
        if (strcmp(states[i], category) == 0)
            return i;
    return STATES - 1;
}

static uint64_t begin_of(const picture_t *picture, unsigned part)
{
    return picture->begin + (picture->end - picture->begin) * part / PARTS;
}

static void add(picture_t *picture, unsigned place, uint64_t begin, uint64_t end, unsigned state,
                uint32_t op)
{
    const uint64_t length = picture->end - picture->begin;
    end = end < picture->end ? end : picture->end;
    if (begin >= end)
        return;
    for (unsigned part = (unsigned)((begin - picture->begin) * PARTS / length); part < PARTS;
         part++) {
        const uint64_t from = begin_of(picture, part), to = begin_of(picture, part + 1);
        if (from >= end)
            return;
        const uint64_t first = from > begin ? from : begin, last = to < end ? to : end;
        if (last <= first)
            continue;
        share_t *share = &picture->places[place][part][state];
        share->cycles += last - first;
        if (last - first > share->longest) {
            share->longest = last - first;
            share->op = op;
        }
    }
}

static unsigned place_of(const kiln_timing_life_t *life)
{
    return life->simd * KILN_TIMING_WAVES + life->place;
}

static void fill(picture_t *picture, const kiln_timing_clock_t *clock)
{
    const kiln_timing_timeline_t *t = &clock->timeline;
    for (size_t i = 0; i < t->event_count; i++) {
        const kiln_timing_event_t *event = &t->events[i];
        const unsigned place = place_of(&t->lives[event->life]);
        add(picture, place, event->begin, event->issued, event->reason, event->op);
        if (event->reason != KILN_SIM_STALL_BARRIER)
            add(picture, place, event->issued, event->issued + KILN_TIMING_ISSUE_CYCLES,
                state_of(&clock->ops[event->op]), event->op);
    }
}

// The state with most cycles; NULL without any.
static const share_t *most(const share_t shares[STATES], unsigned *out_state)
{
    const share_t *best = NULL;
    for (unsigned i = 0; i < STATES; i++)
        if (shares[i].cycles && (!best || shares[i].cycles > best->cycles)) {
            best = &shares[i];
            *out_state = i;
        }
    return best;
}

static void write_runs(FILE *file, const picture_t *picture, unsigned place,
                       const kiln_timing_clock_t *clock)
{
    const char *state = "", *source = "";
    unsigned count = 0;
    for (unsigned part = 0; part <= PARTS; part++) {
        unsigned next = 0;
        const share_t *best = part < PARTS ? most(picture->places[place][part], &next) : NULL;
        const char *next_state = best ? states[next] : "-", *next_source = "-";
        if (best)
            next_source =
                kiln_timing_lines_find(&clock->lines, clock->ops[best->op].address)->source;
        next_source = *next_source ? next_source : "-";
        if (count && (part == PARTS || strcmp(next_state, state) || strcmp(next_source, source))) {
            fprintf(file, "run %u %s %s\n", count, state, source);
            count = 0;
        }
        state = next_state;
        source = next_source;
        count++;
    }
}

static void write_place(FILE *file, const picture_t *picture, unsigned place,
                        const kiln_timing_clock_t *clock)
{
    const kiln_timing_timeline_t *t = &clock->timeline;
    bool has_waves = false;
    for (size_t i = 0; i < t->life_count; i++) {
        const kiln_timing_life_t *life = &t->lives[i];
        if (place_of(life) != place || life->begin >= picture->end)
            continue;
        if (!has_waves)
            fprintf(file, "place %u %u\n", life->simd, life->place);
        has_waves = true;
        fprintf(file, "wave %" PRIu64 " %u %" PRIu64 " %" PRIu64 "\n", life->group, life->number,
                life->begin, life->end < picture->end ? life->end : picture->end);
    }
    if (has_waves)
        write_runs(file, picture, place, clock);
}

bool kiln_timing_waves_write(const kiln_timing_clock_t *clock, const char *path)
{
    const kiln_timing_timeline_t *t = &clock->timeline;
    picture_t picture = {.begin = UINT64_MAX};
    for (size_t i = 0; i < t->event_count; i++) {
        const kiln_timing_event_t *e = &t->events[i];
        picture.begin = e->begin < picture.begin ? e->begin : picture.begin;
        if (e->issued + KILN_TIMING_ISSUE_CYCLES > picture.end)
            picture.end = e->issued + KILN_TIMING_ISSUE_CYCLES;
    }
    picture.places = calloc(PLACES, sizeof *picture.places);
    FILE *file = picture.places ? fopen(path, "w") : NULL;
    if (file && t->event_count) {
        fill(&picture, clock);
        fprintf(file, "cycles %" PRIu64 " %" PRIu64 " %d %d\n", picture.begin, picture.end,
                (int)PARTS, (int)t->cut);
        for (unsigned place = 0; place < PLACES; place++)
            write_place(file, &picture, place, clock);
    }
    free(picture.places);
    const bool failed = !file || ferror(file);
    return file && fclose(file) == 0 && !failed;
}
