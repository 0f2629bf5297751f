// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints where the waves of a predicted launch stalled. Note that cycles are summed over waves, so
// they exceed the duration of the launch; shares are of the total of the replayed waves.
#include "stalls.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/json.h"
#include "base/string.h"

enum { REASONS = KILN_SIM_STALLS };

static const char *const reason_names[REASONS] = {
#define KILN_SIM_STALL(name, text, help) text,
#include "kiln/sim_stalls.def"
#undef KILN_SIM_STALL
};

typedef struct lines {
    kiln_sim_line_t *all;
    size_t count;
} lines_t;

kiln_status_t kiln_stalls_read(kiln_device_t *device, kiln_sim_line_t **out_lines,
                               size_t *out_count)
{
    size_t capacity = 0;
    *out_lines = NULL;
    *out_count = 0;
    for (;;) {
        if (!KILN_ARRAY_RESERVE(out_lines, &capacity, *out_count + 1))
            return kiln_status_out_of_memory();
        kiln_sim_line_t *line = &(*out_lines)[*out_count];
        line->struct_size = sizeof *line;
        kiln_status_t status = kiln_device_launch_line(device, *out_count, line);
        if (!status) {
            ++*out_count;
            continue;
        }
        const bool end = kiln_status_code(status) == KILN_STATUS_NOT_FOUND && *out_count > 0;
        if (!end)
            return status;
        kiln_status_free(status);
        return KILN_OK;
    }
}

static kiln_status_t read_lines(kiln_device_t *device, lines_t *lines)
{
    return kiln_stalls_read(device, &lines->all, &lines->count);
}

// Sums --------------------------------------------------------------------------------------------

typedef struct sum {
    char name[512]; // a source line, or a loop
    uint64_t issued, all, cycles[REASONS];
} sum_t;

typedef struct sums {
    sum_t *all;
    size_t count, capacity;
    uint64_t whole; // total of all lines, including those in none of the sums
} sums_t;

static sum_t *sum_named(sums_t *sums, const char *name)
{
    for (size_t i = 0; i < sums->count; i++) {
        if (strcmp(sums->all[i].name, name) == 0)
            return &sums->all[i];
    }
    if (!KILN_ARRAY_RESERVE(&sums->all, &sums->capacity, sums->count + 1))
        return NULL;
    sum_t *sum = &sums->all[sums->count++];
    *sum = (sum_t){0};
    snprintf(sum->name, sizeof sum->name, "%s", name);
    return sum;
}

static void add(sum_t *sum, const kiln_sim_line_t *line)
{
    sum->issued += line->issued;
    for (int i = 0; i < REASONS; i++) {
        sum->cycles[i] += line->cycles[i];
        sum->all += line->cycles[i];
    }
}

static int most_first(const void *a, const void *b)
{
    const sum_t *x = a, *y = b;
    return x->all < y->all ? 1 : x->all > y->all ? -1 : strcmp(x->name, y->name);
}

static void print_sum(const sum_t *sum, uint64_t whole)
{
    printf("%6.1f %% %9llu ", whole ? 100.0 * (double)sum->all / (double)whole : 0,
           (unsigned long long)sum->issued);
    // The two largest reasons besides issuing.
    int most[2] = {-1, -1};
    for (int i = KILN_SIM_STALL_ISSUED + 1; i < REASONS; i++) {
        if (sum->cycles[i] == 0)
            continue;
        if (most[0] < 0 || sum->cycles[i] > sum->cycles[most[0]]) {
            most[1] = most[0];
            most[0] = i;
        } else if (most[1] < 0 || sum->cycles[i] > sum->cycles[most[1]]) {
            most[1] = i;
        }
    }
    for (int k = 0; k < 2; k++) {
        if (most[k] >= 0 && sum->all)
            printf(" %10s %3.0f %%", reason_names[most[k]],
                   100.0 * (double)sum->cycles[most[k]] / (double)sum->all);
        else
            printf(" %10s      ", "");
    }
    printf("  %s\n", sum->name);
}

static void print_head(const char *what)
{
    printf("\n%8s %9s  %-31s  %s\n", "cycles", "issued", "main stall reasons", what);
}

static void print_sums(sums_t *sums, const char *what)
{
    qsort(sums->all, sums->count, sizeof *sums->all, most_first);
    print_head(what);
    for (size_t i = 0; i < sums->count; i++)
        print_sum(&sums->all[i], sums->whole);
}

static bool sum_sources(const lines_t *lines, sums_t *sums)
{
    for (size_t i = 0; i < lines->count; i++) {
        const char *source = *lines->all[i].source ? lines->all[i].source : "(no source line)";
        sum_t *sum = sum_named(sums, source);
        if (!sum)
            return false;
        add(sum, &lines->all[i]);
    }
    return true;
}

// A loop's own instructions, without those of inner loops.
static bool sum_loops(const lines_t *lines, sums_t *sums)
{
    for (size_t i = 0; i < lines->count; i++) {
        const kiln_sim_line_t *line = &lines->all[i];
        char name[64] = "(outside loops)";
        if (line->loop >= 0)
            snprintf(name, sizeof name, "loop at 0x%llx", (unsigned long long)line->loop);
        sum_t *sum = sum_named(sums, name);
        if (!sum)
            return false;
        add(sum, line);
    }
    return true;
}

static uint64_t whole_of(const lines_t *lines)
{
    sum_t sum = {0};
    for (size_t i = 0; i < lines->count; i++)
        add(&sum, &lines->all[i]);
    return sum.all;
}

static void print_instructions(const lines_t *lines, uint64_t whole)
{
    print_head("instruction");
    for (size_t i = 0; i < lines->count; i++) {
        const kiln_sim_line_t *line = &lines->all[i];
        sum_t sum = {0};
        add(&sum, line);
        snprintf(sum.name, sizeof sum.name, "0x%llx  %-56s %s", (unsigned long long)line->address,
                 line->instruction, line->source);
        print_sum(&sum, whole);
    }
}

kiln_status_t kiln_stalls_print(kiln_device_t *device)
{
    lines_t lines;
    kiln_status_t status = read_lines(device, &lines);
    const uint64_t whole = status ? 0 : whole_of(&lines);
    sums_t loops = {.whole = whole}, sources = {.whole = whole};
    if (!status && (!sum_loops(&lines, &loops) || !sum_sources(&lines, &sources)))
        status = kiln_status_out_of_memory();
    if (!status) {
        print_sums(&loops, "loop");
        print_sums(&sources, "source line");
        print_instructions(&lines, whole);
        printf("\nPredicted cycles, summed over waves. Stall reasons:\n");
#define KILN_SIM_STALL(name, text, help) printf("  %-11s %s\n", text, help);
#include "kiln/sim_stalls.def"
#undef KILN_SIM_STALL
    }
    free(loops.all);
    free(sources.all);
    free(lines.all);
    return status;
}

kiln_status_t kiln_stalls_json(kiln_device_t *device, json_t **out_array)
{
    lines_t lines;
    kiln_status_t status = read_lines(device, &lines);
    json_t *array = json_array();
    for (size_t i = 0; !status && i < lines.count; i++) {
        const kiln_sim_line_t *line = &lines.all[i];
        json_t *cycles = json_object();
        for (int r = 0; r < REASONS; r++)
            json_object_set_new(cycles, reason_names[r], json_integer((json_int_t)line->cycles[r]));
        json_t *row = json_pack("{s:I,s:s,s:o,s:I,s:I,s:o}", "address", (json_int_t)line->address,
                                "instruction", line->instruction, "source",
                                kiln_json_text(line->source), "loop", (json_int_t)line->loop,
                                "issued", (json_int_t)line->issued, "cycles", cycles);
        if (!row || json_array_append_new(array, row) != 0)
            status = kiln_status_out_of_memory();
    }
    free(lines.all);
    if (status)
        json_decref(array);
    *out_array = status ? NULL : array;
    return status;
}
