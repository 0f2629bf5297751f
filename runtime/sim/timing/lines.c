// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the report of stalls by instruction and assigns each instruction to a loop.
//
// A loop is the code from the target to the place of a branch that a replayed wave took backwards;
// branches with the same target form one loop. An instruction belongs to the smallest loop that
// contains it.
#include "timing/lines.h"

#include <stdlib.h>

#include "base/array.h"
#include "lines/lines.h"
#include "timing/l1.h"
#include "timing/parameters.h"
#include "timing/predict.h"
#include "timing/repeats.h"
#include "timing/without.h"

typedef struct loop {
    uint32_t head, tail; // addresses
} loop_t;

typedef struct loops {
    loop_t *all;
    size_t count, capacity;
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
    if (!KILN_ARRAY_RESERVE(&loops->all, &loops->capacity, loops->count + 1))
        return false;
    loops->all[loops->count++] = (loop_t){head, tail};
    return true;
}

static bool find_loops(loops_t *loops, const kiln_timing_clock_t *clock)
{
    uint64_t *seen = calloc(clock->op_count,
                            sizeof *seen); // each branch's last backward target, plus one
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

// The head of the innermost loop that contains an address; -1 if there is none.
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
    const uint64_t x = ((const kiln_timing_line_t *)a)->line.address,
                   y = ((const kiln_timing_line_t *)b)->line.address;
    return x < y ? -1 : x > y;
}

static void fill(kiln_timing_line_t *line, const kiln_timing_clock_t *clock,
                 const kiln_timing_op_t *op, const loops_t *loops)
{
    const uint64_t *stalls = clock->stalls[op->index];
    line->line =
        (kiln_sim_line_t){.struct_size = sizeof line->line,
                          .address = op->address,
                          .issued = stalls[KILN_SIM_STALL_ISSUED] / KILN_TIMING_ISSUE_CYCLES,
                          .loop = loop_around(loops, op->address),
                          .waited = clock->waited[op->index],
                          .set_cycles = clock->set_waits[op->index]};
    for (unsigned i = 0; i < KILN_SIM_STALLS; i++)
        line->line.cycles[i] = stalls[i];
}

static void add_access(kiln_sim_line_t *to, const kiln_timing_stream_t *stream,
                       const kiln_timing_access_t *access)
{
    to->bytes += access->bytes * 4u;
    to->ascending += access->ascends;
    to->latency += access->delay;
    to->lines += access->line_count;
    to->halves += access->halves;
    to->lds_cycles += access->lds_cycles;
    if (!access->local && access->line_count > 1) {
        uint64_t lines[KILN_TIMING_STREAM_LINES];
        for (unsigned i = 0; i < access->line_count; i++)
            lines[i] = kiln_timing_stream_line(stream, access, i);
        to->tag_cycles += kiln_timing_l1_tag_cycles(access, lines);
        to->tag_min_cycles += kiln_timing_l1_min_tags(access);
    }
    if (access->lds_cycles) {
        const unsigned min = kiln_timing_access_min_lds(access);
        to->lds_min_cycles += min < access->lds_cycles ? min : access->lds_cycles;
    }
}

// Sums the accesses of all replayed waves by instruction. `at` has the line of each.
static void add_accesses(const kiln_timing_clock_t *clock, kiln_timing_line_t *const *at)
{
    for (unsigned own = 0; own < clock->plan.own; own++) {
        const kiln_timing_group_t *group = kiln_timing_plan_own(&clock->plan, own);
        for (unsigned w = 0; w < group->wave_count; w++) {
            const kiln_timing_stream_t *stream = &group->waves[w];
            for (size_t i = 0, access = 0; i < stream->step_count; i++) {
                const uint32_t op = stream->steps[i];
                if (kiln_timing_is_access(&clock->ops[op]) && access < stream->access_count)
                    add_access(&at[op]->line, stream, &stream->accesses[access++]);
            }
        }
    }
}

static uint64_t place_of(const kiln_timing_line_t *line)
{
    uint64_t mixed = line->line.column;
    for (const char *at = line->source; *at; at++)
        mixed = (mixed ^ (unsigned char)*at) * 0x100000001b3ull; // FNV-1a
    return mixed | 1;
}

// Finds what loads read again. Instructions have the same place if they have the same source line
// and column.
static bool add_repeats(const kiln_timing_clock_t *clock, kiln_timing_line_t *const *at)
{
    kiln_timing_repeat_t *repeats = calloc(clock->op_count, sizeof *repeats);
    for (size_t i = 0; repeats && i < clock->op_count; i++) {
        if (at[i] && clock->ops[i].act == KILN_TIMING_ACCESSES_MEMORY && *at[i]->source)
            repeats[i].place = place_of(at[i]);
    }
    const bool good = repeats && kiln_timing_repeats_find(&clock->plan, clock->ops, repeats);
    for (size_t i = 0; good && i < clock->op_count; i++) {
        if (!at[i])
            continue;
        at[i]->line.repeats = repeats[i].count;
        at[i]->line.repeated = repeats[i].count ? clock->ops[repeats[i].first].address : 0;
        at[i]->line.kept = repeats[i].kept;
    }
    free(repeats);
    return good;
}

bool kiln_timing_lines_make(kiln_timing_lines_t *lines, const kiln_timing_clock_t *clock,
                            const kiln_sim_launch_t *launch)
{
    const kiln_sim_code_object_t *object = launch->kernel->object;
    loops_t loops = {0};
    lines->count = 0;
    lines->all = calloc(clock->op_count, sizeof *lines->all);
    kiln_timing_line_t **at = calloc(clock->op_count, sizeof(kiln_timing_line_t *));
    bool good = lines->all && at && find_loops(&loops, clock);
    kiln_lines_t *sources =
        good && object->file ? kiln_lines_open(object->file, object->file_size) : NULL;
    for (size_t i = 0; good && i < clock->op_count; i++) {
        if (!clock->executed[i])
            continue;
        kiln_timing_line_t *line = &lines->all[lines->count++];
        fill(line, clock, &clock->ops[i], &loops);
        at[i] = line;
        kiln_sim_program_print(launch->program, kiln_sim_program_inst(launch->program, i),
                               line->instruction, sizeof line->instruction);
        if (sources)
            line->line.column =
                kiln_lines_find(sources, line->line.address, line->source, sizeof line->source);
    }
    if (good)
        add_accesses(clock, at);
    good = good && add_repeats(clock, at);
    free(at);
    if (good)
        qsort(lines->all, lines->count, sizeof *lines->all, by_address);
    for (size_t i = 0; i < lines->count; i++) {
        lines->all[i].line.instruction = lines->all[i].instruction;
        lines->all[i].line.source = lines->all[i].source;
    }
    if (sources)
        kiln_lines_close(sources);
    free(loops.all);
    return good;
}

const kiln_sim_line_t *kiln_timing_lines_find(const kiln_timing_lines_t *lines, uint64_t address)
{
    const kiln_timing_line_t key = {.line.address = address};
    const kiln_timing_line_t *found =
        bsearch(&key, lines->all, lines->count, sizeof key, by_address);
    return &found->line;
}

void kiln_timing_lines_free(kiln_timing_lines_t *lines)
{
    free(lines->all);
    *lines = (kiln_timing_lines_t){0};
}
