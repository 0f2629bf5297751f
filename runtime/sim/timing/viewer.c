// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the folder that ROCprof Compute Viewer opens: filenames.json, code.json, occupancy.json,
// snapshots.json and a file for each wave. The readers are src/data/json_emitter.cpp,
// wavemanager.cpp and src/code/codeload.cpp of ROCm/rocprof-compute-viewer.
//
// The viewer finds code.json by cutting a wave's path at its last "se", so the names of waves'
// files must begin with "se". An instruction's clock is the beginning of its stall.
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/json_string.h"
#include "timing/parameters.h"
#include "timing/predict.h"
#include "timing/timeline.h"
#include "timing/unit.h"

// The viewer's codes for kinds of instructions and for states of a wave.
enum {
    VIEWER_SMEM = 1,
    VIEWER_SALU,
    VIEWER_VMEM,
    VIEWER_LDS = 5,
    VIEWER_VALU,
    VIEWER_JUMP,
    VIEWER_IMMEDIATE = 9
};
enum { VIEWER_IDLE = 1, VIEWER_EXECUTES, VIEWER_WAITS, VIEWER_STALLS };
enum { VIEWER_LONGEST_STALL = UINT16_MAX }; // the viewer stores it in 16 bits

static int type_of(const kiln_timing_op_t *op)
{
    switch (op->port) {
    case KILN_TIMING_VALU: // it recognizes matrix instructions by name
        return VIEWER_VALU;
    case KILN_TIMING_SCALAR:
        return op->act == KILN_TIMING_LOADS_SCALAR ? VIEWER_SMEM : VIEWER_SALU;
    case KILN_TIMING_VMEM:
        return VIEWER_VMEM;
    case KILN_TIMING_LDS:
        return VIEWER_LDS;
    case KILN_TIMING_BRANCH:
        return VIEWER_JUMP;
    default:
        return VIEWER_IMMEDIATE;
    }
}

static FILE *open_in(const char *folder, const char *name)
{
    char path[4096];
    return snprintf(path, sizeof path, "%s%s", folder, name) < (int)sizeof path ? fopen(path, "w")
                                                                                : NULL;
}

static bool close_file(FILE *file)
{
    const bool failed = ferror(file) != 0;
    return fclose(file) == 0 && !failed;
}

static void name_wave(char name[64], const kiln_timing_life_t *life, size_t number)
{
    snprintf(name, 64, "se0_sm%u_sl%u_wv%zu.json", life->simd, life->place, number);
}

static bool write_code(const kiln_timing_clock_t *clock, const char *folder)
{
    FILE *file = open_in(folder, "code.json");
    if (!file)
        return false;
    fprintf(file, "{\"header\":[\"ISA\",\"_\",\"LineNumber\",\"Source\",\"Codeobj\",\"Vaddr\","
                  "\"Hit\",\"Latency\",\"Stall\","
                  "\"Idle\"],\n\"code\":[");
    for (size_t i = 0; i < clock->lines.count; i++) {
        const kiln_sim_line_t *line = &clock->lines.all[i].line;
        uint64_t all = 0;
        for (unsigned reason = 0; reason < KILN_SIM_STALLS; reason++)
            all += line->cycles[reason];
        const uint64_t idle = line->cycles[KILN_SIM_STALL_IDLE],
                       issued = line->cycles[KILN_SIM_STALL_ISSUED];
        fprintf(file, "%s\n[", i ? "," : "");
        kiln_json_write_string(file, line->instruction);
        fprintf(file, ",0,%zu,", i + 1);
        if (*line->source)
            kiln_json_write_string(file, line->source);
        else
            fprintf(file, "null");
        fprintf(file, ",1,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "]",
                line->address, line->issued, all - idle, all - idle - issued, idle);
    }
    fprintf(file, "\n]}\n");
    return close_file(file);
}

// The line number in code.json, counted from 1.
static size_t line_of(const kiln_timing_clock_t *clock, const kiln_timing_event_t *event)
{
    const kiln_sim_line_t *line =
        kiln_timing_lines_find(&clock->lines, clock->ops[event->op].address);
    return (size_t)((const kiln_timing_line_t *)(const void *)line - clock->lines.all) + 1;
}

static void write_instructions(FILE *file, const kiln_timing_clock_t *clock,
                               const kiln_timing_event_t *events, size_t count)
{
    fprintf(file, "\"instructions\":[");
    for (size_t i = 0, written = 0; i < count; i++) {
        const kiln_timing_event_t *e = &events[i];
        if (e->reason == KILN_SIM_STALL_BARRIER)
            continue;
        const uint64_t stall = e->issued - e->begin;
        fprintf(file, "%s[%" PRIu64 ",%d,%" PRIu64 ",%" PRIu64 ",%zu]", written++ ? "," : "",
                e->begin, type_of(&clock->ops[e->op]),
                stall < VIEWER_LONGEST_STALL ? stall : VIEWER_LONGEST_STALL,
                stall + KILN_TIMING_ISSUE_CYCLES, line_of(clock, e));
    }
    fprintf(file, "],\n");
}

static int state_of(uint8_t reason)
{
    switch (reason) {
    case KILN_SIM_STALL_VMCNT:
    case KILN_SIM_STALL_LGKMCNT:
    case KILN_SIM_STALL_BARRIER:
        return VIEWER_WAITS;
    case KILN_SIM_STALL_IDLE:
        return VIEWER_IDLE;
    default:
        return VIEWER_STALLS;
    }
}

static void write_state(FILE *file, bool *first, int state, uint64_t cycles)
{
    if (cycles)
        fprintf(file, "%s[%d,%" PRIu64 "]", *first ? "" : ",", state, cycles);
    *first = *first && !cycles;
}

static void write_states(FILE *file, const kiln_timing_life_t *life,
                         const kiln_timing_event_t *events, size_t count)
{
    uint64_t now = life->begin;
    bool first = true;
    fprintf(file, "\"timeline\":[");
    for (size_t i = 0; i < count; i++) {
        const kiln_timing_event_t *e = &events[i];
        write_state(file, &first, VIEWER_IDLE, e->begin > now ? e->begin - now : 0);
        write_state(file, &first, state_of(e->reason), e->issued - e->begin);
        now = e->issued;
        if (e->reason == KILN_SIM_STALL_BARRIER)
            continue;
        write_state(file, &first, VIEWER_EXECUTES, KILN_TIMING_ISSUE_CYCLES);
        now += KILN_TIMING_ISSUE_CYCLES;
    }
    fprintf(file, "],\n");
}

static bool write_wave(const kiln_timing_clock_t *clock, const char *folder, size_t number,
                       const kiln_timing_event_t *events, size_t count)
{
    const kiln_timing_life_t *life = &clock->timeline.lives[number];
    char name[64];
    name_wave(name, life, number);
    FILE *file = open_in(folder, name);
    if (!file)
        return false;
    fprintf(file,
            "{\"wave\":{\"id\":%zu,\"cu\":0,\"begin\":%" PRIu64 ",\"end\":%" PRIu64
            ",\"workgroup_id\":%" PRIu64 ",\n",
            number, life->begin, life->end, life->group);
    write_instructions(file, clock, events, count);
    write_states(file, life, events, count);
    fprintf(file, "\"waitcnt\":[],\"info\":{}}}\n");
    return close_file(file);
}

static int by_life(const void *a, const void *b)
{
    const kiln_timing_event_t *x = a, *y = b;
    if (x->life != y->life)
        return x->life < y->life ? -1 : 1;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static bool is_whole(const kiln_timing_life_t *life)
{
    return life->end != UINT64_MAX;
}

// Sorts the events by wave as a side effect.
static bool write_waves(const kiln_timing_clock_t *clock, const char *folder)
{
    const kiln_timing_timeline_t *t = &clock->timeline;
    qsort(t->events, t->event_count, sizeof *t->events, by_life);
    bool good = true;
    for (size_t i = 0, end; good && i < t->event_count; i = end) {
        const uint32_t life = t->events[i].life;
        for (end = i; end < t->event_count && t->events[end].life == life;)
            end++;
        good =
            !is_whole(&t->lives[life]) || write_wave(clock, folder, life, t->events + i, end - i);
    }
    return good;
}

// Writes wave_filenames: by shader engine, SIMD, place and number.
static bool write_names(const kiln_timing_clock_t *clock, const char *folder)
{
    FILE *file = open_in(folder, "filenames.json");
    if (!file)
        return false;
    fprintf(file, "{\"gfxip\":9,\"gfxv\":\"vega\",\"thread_trace\":true,\"pc_sampling\":false,"
                  "\"counter_names\":[],\n"
                  "\"wave_filenames\":{\"0\":{");
    for (unsigned simd = 0; simd < KILN_TIMING_SIMDS; simd++) {
        fprintf(file, "%s\"%u\":{", simd ? "," : "", simd);
        for (unsigned place = 0; place < KILN_TIMING_WAVES; place++) {
            fprintf(file, "%s\"%u\":{", place ? "," : "", place);
            for (size_t i = 0, written = 0; i < clock->timeline.life_count; i++) {
                const kiln_timing_life_t *life = &clock->timeline.lives[i];
                char name[64];
                if (life->simd != simd || life->place != place || !is_whole(life))
                    continue;
                name_wave(name, life, i);
                fprintf(file, "%s\n\"%zu\":[\"%s\",%" PRIu64 ",%" PRIu64 "]", written++ ? "," : "",
                        i, name, life->begin, life->end);
            }
            fprintf(file, "}");
        }
        fprintf(file, "}");
    }
    fprintf(file, "}}}\n");
    return close_file(file);
}

static bool write_occupancy(const kiln_timing_clock_t *clock, const kiln_sim_launch_t *launch,
                            const char *folder)
{
    FILE *file = open_in(folder, "occupancy.json");
    if (!file)
        return false;
    fprintf(file, "{\"dispatches\":{\"1\":");
    kiln_json_write_string(file, launch->kernel->name);
    fprintf(file, "},\"0\":[");
    for (size_t i = 0, written = 0; i < clock->timeline.life_count; i++) {
        const kiln_timing_life_t *life = &clock->timeline.lives[i];
        if (is_whole(life))
            fprintf(file, "%s[%" PRIu64 ",0,%u,%u,1,1],\n[%" PRIu64 ",0,%u,%u,0,1]",
                    written++ ? ",\n" : "", life->begin, life->simd, life->place, life->end,
                    life->simd, life->place);
    }
    fprintf(file, "]}\n");
    return close_file(file);
}

static bool write_snapshots(const char *folder)
{
    FILE *file = open_in(folder, "snapshots.json");
    if (!file)
        return false;
    fprintf(file, "{}\n");
    return close_file(file);
}

bool kiln_timing_viewer_write(const kiln_timing_clock_t *clock, const kiln_sim_launch_t *launch,
                              const char *folder)
{
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return false;
    return write_code(clock, folder) && write_names(clock, folder) &&
           write_occupancy(clock, launch, folder) && write_snapshots(folder) &&
           write_waves(clock, folder);
}
