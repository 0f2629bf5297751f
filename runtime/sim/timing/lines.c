// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop is what lies between the target and the place of a branch that a replayed wave took backwards; branches to one target
// make one loop. An instruction belongs to the smallest one around it.
#include "timing/lines.h"

#include <stdlib.h>

#include "core/line.h"
#include "timing/clock.h"
#include "timing/parameters.h"

typedef struct loop {
    uint32_t head, tail; // addresses
} loop_t;

typedef struct loops {
    loop_t *all;
    size_t count;
} loops_t;

static bool add_loop(loops_t *loops, uint32_t head, uint32_t tail)
{
    for (size_t i = 0; i < loops->count; i++) {
        loop_t *loop = &loops->all[i];
        if (loop->head != head)
            continue;
        loop->tail = tail > loop->tail ? tail : loop->tail;
        return true;
    }
    loop_t *grown = realloc(loops->all, (loops->count + 1) * sizeof *grown);
    if (!grown)
        return false;
    loops->all = grown;
    loops->all[loops->count++] = (loop_t){head, tail};
    return true;
}

static bool find_loops(loops_t *loops, const kiln_timing_clock_t *clock)
{
    uint64_t *seen =
        calloc(clock->op_count, sizeof *seen); // the lowest target that a branch was seen to take, plus one
    bool good = seen != NULL;
    for (unsigned own = 0; good && own < clock->plan.own; own++) {
        const kiln_timing_group_t *group = kiln_timing_plan_own(&clock->plan, own);
        for (unsigned w = 0; good && w < group->wave_count; w++) {
            const kiln_timing_stream_t *stream = &group->waves[w];
            for (size_t i = 0; good && i + 1 < stream->step_count; i++) {
                const kiln_timing_op_t *op = &clock->ops[stream->steps[i]];
                const kiln_timing_op_t *next = &clock->ops[stream->steps[i + 1]];
                if (op->act != KILN_TIMING_BRANCHES || next->address > op->address ||
                    seen[op->index] == next->address + 1ull)
                    continue;
                seen[op->index] = next->address + 1ull;
                good = add_loop(loops, next->address, op->address);
            }
        }
    }
    free(seen);
    return good;
}

// The head of the innermost loop around an address; or none.
static int64_t loop_around(const loops_t *loops, uint32_t address)
{
    const loop_t *best = NULL;
    for (size_t i = 0; i < loops->count; i++) {
        const loop_t *loop = &loops->all[i];
        if (address >= loop->head && address <= loop->tail &&
            (!best || loop->tail - loop->head < best->tail - best->head))
            best = loop;
    }
    return best ? (int64_t)best->head : -1;
}

static int by_address(const void *a, const void *b)
{
    const uint64_t x = ((const kiln_timing_line_t *)a)->is.address, y = ((const kiln_timing_line_t *)b)->is.address;
    return x < y ? -1 : x > y;
}

static void fill(kiln_timing_line_t *line, const kiln_timing_clock_t *clock, const kiln_timing_op_t *op,
                 const loops_t *loops)
{
    const uint64_t *stalls = clock->stalls[op->index];
    line->is = (kiln_sim_line_t){.struct_size = sizeof line->is,
                                 .address = op->address,
                                 .issued = stalls[KILN_SIM_STALL_ISSUED] / KILN_TIMING_ISSUE_CYCLES,
                                 .loop = loop_around(loops, op->address)};
    for (unsigned i = 0; i < KILN_SIM_STALLS; i++)
        line->is.cycles[i] = stalls[i];
}

bool kiln_timing_lines_make(kiln_timing_lines_t *lines, const kiln_timing_clock_t *clock,
                            const kiln_sim_launch_t *launch)
{
    const kiln_sim_code_object_t *object = launch->kernel->object;
    loops_t loops = {0};
    lines->count = 0;
    lines->all = calloc(clock->op_count, sizeof *lines->all);
    const bool good = lines->all && find_loops(&loops, clock);
    kiln_sim_lines_t *sources = good && object->file ? kiln_sim_lines_open(object->file, object->file_size) : NULL;
    for (size_t i = 0; good && i < clock->op_count; i++) {
        if (!clock->executed[i])
            continue;
        kiln_timing_line_t *line = &lines->all[lines->count++];
        fill(line, clock, &clock->ops[i], &loops);
        kiln_sim_program_print(launch->program, kiln_sim_program_inst(launch->program, i), line->instruction,
                               sizeof line->instruction);
        if (sources)
            kiln_sim_lines_find(sources, line->is.address, line->source, sizeof line->source);
    }
    if (good)
        qsort(lines->all, lines->count, sizeof *lines->all, by_address);
    for (size_t i = 0; i < lines->count; i++) {
        lines->all[i].is.instruction = lines->all[i].instruction;
        lines->all[i].is.source = lines->all[i].source;
    }
    if (sources)
        kiln_sim_lines_close(sources);
    free(loops.all);
    return good;
}

const kiln_sim_line_t *kiln_timing_lines_find(const kiln_timing_lines_t *lines, uint64_t address)
{
    const kiln_timing_line_t key = {.is.address = address};
    const kiln_timing_line_t *found = bsearch(&key, lines->all, lines->count, sizeof key, by_address);
    return &found->is;
}

void kiln_timing_lines_free(kiln_timing_lines_t *lines)
{
    free(lines->all);
    *lines = (kiln_timing_lines_t){0};
}
