// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes Chrome's trace events, which Perfetto reads. The process is the compute unit, and a thread
// is a SIMD's place for a wave. A thread has a bar for each wave, which contains the wave's
// instructions and the stalls before them in order.
#include "timing/timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/json_string.h"
#include "timing/parameters.h"
#include "timing/predict.h"
#include "timing/unit.h"

enum { MAX_EVENTS = 400000 }; // about 100 MB of text

uint32_t kiln_timing_timeline_begin(kiln_timing_timeline_t *t, kiln_timing_life_t life)
{
    if (t->cut || !KILN_ARRAY_RESERVE(&t->lives, &t->life_capacity, t->life_count + 1)) {
        t->cut = true;
        return UINT32_MAX;
    }
    uint32_t taken = 0; // places of this SIMD that are in use
    for (size_t i = 0; i < t->life_count; i++) {
        const kiln_timing_life_t *other = &t->lives[i];
        if (other->simd == life.simd && other->end > life.begin)
            taken |= 1u << other->place;
    }
    life.place = (unsigned)__builtin_ctz(~taken);
    life.end = UINT64_MAX;
    t->lives[t->life_count] = life;
    return (uint32_t)t->life_count++;
}

void kiln_timing_timeline_issue(kiln_timing_timeline_t *t, kiln_timing_event_t event)
{
    if (event.life == UINT32_MAX)
        return;
    if (t->event_count == MAX_EVENTS ||
        !KILN_ARRAY_RESERVE(&t->events, &t->event_capacity, t->event_count + 1)) {
        t->cut = true;
        return;
    }
    t->events[t->event_count++] = event;
}

void kiln_timing_timeline_end(kiln_timing_timeline_t *t, uint32_t life, uint64_t now)
{
    if (life != UINT32_MAX)
        t->lives[life].end = now + KILN_TIMING_ISSUE_CYCLES;
}

void kiln_timing_timeline_clear(kiln_timing_timeline_t *t)
{
    free(t->events);
    free(t->lives);
    *t = (kiln_timing_timeline_t){0};
}

// ---- Perfetto

const char *kiln_timing_category(const kiln_timing_op_t *op)
{
    switch (op->act) {
    case KILN_TIMING_MATRIX:
        return "MFMA";
    case KILN_TIMING_LOADS_SCALAR:
        return "SMEM";
    case KILN_TIMING_ACCESSES_LDS:
        return "LDS";
    case KILN_TIMING_ACCESSES_MEMORY:
        return "VMEM";
    case KILN_TIMING_BRANCHES:
    case KILN_TIMING_ENDS:
        return "BRANCH";
    case KILN_TIMING_WAITS:
        return "WAIT";
    case KILN_TIMING_BARRIER:
        return "BARRIER";
    default:
        return op->port == KILN_TIMING_VALU     ? "VALU"
               : op->port == KILN_TIMING_SCALAR ? "SALU"
                                                : "INTERNAL";
    }
}

static const char *const reasons[] = {
#define KILN_SIM_STALL(name, text, help) text,
#include "kiln/sim_stalls.def"
#undef KILN_SIM_STALL
};

static unsigned thread_of(const kiln_timing_life_t *life)
{
    return life->simd * KILN_TIMING_WAVES + life->place + 1;
}

static void write_threads(FILE *file, const char *kernel)
{
    fprintf(file, "{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":");
    kiln_json_write_string(file, kernel);
    fprintf(file, "}}");
    for (unsigned simd = 0; simd < KILN_TIMING_SIMDS; simd++) {
        for (unsigned place = 0; place < KILN_TIMING_WAVES; place++) {
            const kiln_timing_life_t life = {.simd = simd, .place = place};
            fprintf(file,
                    ",\n{\"ph\":\"M\",\"pid\":1,\"tid\":%u,\"name\":\"thread_name\",\"args\":{"
                    "\"name\":\"SIMD %u wave "
                    "%u\"}}",
                    thread_of(&life), simd, place);
        }
    }
}

static void write_bar(FILE *file, const kiln_timing_life_t *life, uint64_t begin, uint64_t end,
                      const char *name, const char *category)
{
    fprintf(file,
            ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":%u,\"ts\":%" PRIu64 ",\"dur\":%" PRIu64
            ",\"cat\":\"%s\",\"name\":",
            thread_of(life), begin, end - begin, category);
    kiln_json_write_string(file, name);
}

static int by_time(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a >> 1, y = *(const uint64_t *)b >> 1;
    return x < y ? -1 : x > y;
}

// Writes the number of waves over time.
static void write_counter(FILE *file, const kiln_timing_timeline_t *t)
{
    uint64_t *changes =
        malloc((2 * t->life_count + 1) * sizeof *changes); // time * 2, plus 1 for a begin
    size_t count = 0;
    for (size_t i = 0; changes && i < t->life_count; i++) {
        changes[count++] = t->lives[i].begin * 2 + 1;
        if (t->lives[i].end != UINT64_MAX)
            changes[count++] = t->lives[i].end * 2;
    }
    if (changes)
        qsort(changes, count, sizeof *changes, by_time);
    int waves = 0;
    for (size_t i = 0; changes && i < count; i++) {
        waves += changes[i] & 1 ? 1 : -1;
        if (i + 1 == count || changes[i + 1] >> 1 != changes[i] >> 1)
            fprintf(file,
                    ",\n{\"ph\":\"C\",\"pid\":1,\"ts\":%" PRIu64
                    ",\"name\":\"waves\",\"args\":{\"waves\":%d}}",
                    changes[i] >> 1, waves);
    }
    free(changes);
}

static void write_events(FILE *file, const kiln_timing_clock_t *clock)
{
    const kiln_timing_timeline_t *t = &clock->timeline;
    for (size_t i = 0; i < t->life_count; i++) {
        const kiln_timing_life_t *life = &t->lives[i];
        char name[64];
        if (life->end == UINT64_MAX)
            continue; // dropped
        snprintf(name, sizeof name, "workgroup %" PRIu64 " wave %u", life->group, life->number);
        write_bar(file, life, life->begin, life->end, name, "WAVE");
        fprintf(file, "}");
    }
    for (size_t i = 0; i < t->event_count; i++) {
        const kiln_timing_event_t *event = &t->events[i];
        const kiln_timing_life_t *life = &t->lives[event->life];
        const kiln_timing_op_t *op = &clock->ops[event->op];
        const kiln_sim_line_t *line = kiln_timing_lines_find(&clock->lines, op->address);
        if (event->issued > event->begin) {
            write_bar(file, life, event->begin, event->issued, reasons[event->reason], "STALL");
            fprintf(file, "}");
        }
        if (event->reason == KILN_SIM_STALL_BARRIER)
            continue; // the instruction itself has its own event
        write_bar(file, life, event->issued, event->issued + KILN_TIMING_ISSUE_CYCLES,
                  line->instruction, kiln_timing_category(op));
        fprintf(file, ",\"args\":{\"pc\":\"0x%" PRIx64 "\",\"source\":", line->address);
        kiln_json_write_string(file, line->source);
        fprintf(file, "}}");
    }
}

static bool write_perfetto(const kiln_timing_clock_t *clock, const kiln_sim_launch_t *launch,
                           const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    fprintf(file,
            "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"what\":\"predicted by Kiln's simulator, "
            "not measured\","
            "\"unit\":\"1 us is 1 cycle\",\"cut\":%s},\n\"traceEvents\":[\n",
            clock->timeline.cut ? "true" : "false");
    write_threads(file, launch->kernel->name);
    write_events(file, clock);
    write_counter(file, &clock->timeline);
    fprintf(file, "\n]}\n");
    const bool failed = ferror(file) != 0;
    return fclose(file) == 0 && !failed;
}

bool kiln_timing_timeline_write(const kiln_timing_clock_t *clock, const kiln_sim_launch_t *launch,
                                const char *path)
{
    const size_t length = strlen(path);
    const bool folder = length && path[length - 1] == '/';
    if (length > strlen(".waves") && strcmp(path + length - strlen(".waves"), ".waves") == 0)
        return kiln_timing_waves_write(clock, path);
    return folder ? kiln_timing_viewer_write(clock, launch, path)
                  : write_perfetto(clock, launch, path);
}
