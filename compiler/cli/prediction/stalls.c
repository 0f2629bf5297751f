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
#include "source_text.h"

enum { REASONS = KILN_SIM_STALLS };

static const char *const reason_names[REASONS] = {
#define KILN_SIM_STALL(name, text, help) text,
#include "kiln/sim_stalls.def"
#undef KILN_SIM_STALL
};

const char *kiln_stalls_reason(size_t index)
{
    return index < REASONS ? reason_names[index] : NULL;
}

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

// Lines are summed in the order of their names, so only the last sum may be this one.
static sum_t *sum_named(sums_t *sums, const char *name)
{
    if (sums->count && strcmp(sums->all[sums->count - 1].name, name) == 0)
        return &sums->all[sums->count - 1];
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

// The columns of a sum before its name.
static void print_cycles(FILE *out, const sum_t *sum, uint64_t whole)
{
    fprintf(out, "%6.1f %% %9llu ", whole ? 100.0 * (double)sum->all / (double)whole : 0,
            (unsigned long long)sum->issued);
    // The two largest reasons besides issuing.
    int max[2] = {-1, -1};
    for (int i = KILN_SIM_STALL_ISSUED + 1; i < REASONS; i++) {
        if (sum->cycles[i] == 0)
            continue;
        if (max[0] < 0 || sum->cycles[i] > sum->cycles[max[0]]) {
            max[1] = max[0];
            max[0] = i;
        } else if (max[1] < 0 || sum->cycles[i] > sum->cycles[max[1]]) {
            max[1] = i;
        }
    }
    for (int k = 0; k < 2; k++) {
        if (max[k] >= 0 && sum->all)
            fprintf(out, " %10s %3.0f %%", reason_names[max[k]],
                    100.0 * (double)sum->cycles[max[k]] / (double)sum->all);
        else
            fprintf(out, " %10s      ", "");
    }
}

static void print_sum(FILE *out, const sum_t *sum, uint64_t whole)
{
    print_cycles(out, sum, whole);
    fprintf(out, "  %s\n", sum->name);
}

static void print_head(FILE *out, const char *what)
{
    fprintf(out, "\n%8s %9s  %-31s  %s\n", "cycles", "issued", "main stall reasons", what);
}

// States how many rows a table leaves out.
static void print_rest(FILE *out, size_t count, size_t top)
{
    if (top && count > top)
        fprintf(out, "%20s%zu more\n", "", count - top);
}

// With `texts` (NULL: none) each name is a place, followed by its source text.
static void print_sums(FILE *out, sums_t *sums, size_t top, const char *what,
                       kiln_source_text_t *texts)
{
    int width = 0;
    qsort(sums->all, sums->count, sizeof *sums->all, most_first);
    for (size_t i = 0; i < sums->count; i++) {
        const int length = (int)strlen(sums->all[i].name);
        width = length > width ? length : width;
    }
    print_head(out, what);
    for (size_t i = 0; i < sums->count && (!top || i < top); i++) {
        size_t length = 0, blanks = 0;
        const char *text = texts ? kiln_source_line(texts, sums->all[i].name, &length) : "";
        while (blanks < length && (text[blanks] == ' ' || text[blanks] == '\t'))
            blanks++;
        if (blanks == length) {
            print_sum(out, &sums->all[i], sums->whole);
            continue;
        }
        print_cycles(out, &sums->all[i], sums->whole);
        fprintf(out, "  %-*s  %.*s\n", width, sums->all[i].name, (int)(length - blanks),
                text + blanks);
    }
    print_rest(out, sums->count, top);
}

// Listing -----------------------------------------------------------------------------------------

// By file, then by line.
static int by_place(const void *a, const void *b)
{
    const sum_t *x = a, *y = b;
    size_t length_x, length_y;
    const unsigned line_x = kiln_source_place(x->name, &length_x),
                   line_y = kiln_source_place(y->name, &length_y);
    const int order = strncmp(x->name, y->name, length_x > length_y ? length_x : length_y);
    if (length_x != length_y || memcmp(x->name, y->name, length_x) != 0)
        return order;
    return line_x < line_y ? -1 : line_x > line_y;
}

// Prints the lines of a file from the first to the last that has cycles.
static void print_file(FILE *out, const sum_t *first, size_t count, uint64_t whole,
                       kiln_source_text_t *texts)
{
    char place[sizeof first->name + 16];
    size_t file, length, next = 0;
    const unsigned from = kiln_source_place(first->name, &file),
                   to = kiln_source_place(first[count - 1].name, &length);
    fprintf(out, "\n%8s %9s  %-31s  %.*s\n", "cycles", "issued", "main stall reasons", (int)file,
            first->name);
    for (unsigned line = from; line <= to; line++) {
        snprintf(place, sizeof place, "%.*s:%u", (int)file, first->name, line);
        const char *text = kiln_source_line(texts, place, &length);
        if (next < count && strcmp(first[next].name, place) == 0)
            print_cycles(out, &first[next++], whole);
        else
            fprintf(out, "%50s", "");
        fprintf(out, "%s%5u%s%.*s\n", "  ", line, length ? "  " : "", (int)length, text);
    }
}

// Prints each file whose text is known. Reorders the sums.
static void print_listing(FILE *out, sums_t *sums, kiln_source_text_t *texts)
{
    qsort(sums->all, sums->count, sizeof *sums->all, by_place);
    for (size_t i = 0, end; i < sums->count; i = end) {
        size_t file, other, length;
        const unsigned line = kiln_source_place(sums->all[i].name, &file);
        for (end = i + 1; end < sums->count; end++)
            if (!kiln_source_place(sums->all[end].name, &other) || other != file ||
                memcmp(sums->all[i].name, sums->all[end].name, file) != 0)
                break;
        kiln_source_line(texts, sums->all[i].name, &length);
        if (line && length)
            print_file(out, &sums->all[i], end - i, sums->whole, texts);
    }
}

// Instructions ------------------------------------------------------------------------------------

static int by_source(const void *a, const void *b)
{
    return strcmp((*(const kiln_sim_line_t *const *)a)->source,
                  (*(const kiln_sim_line_t *const *)b)->source);
}

static int by_loop(const void *a, const void *b)
{
    const int64_t x = (*(const kiln_sim_line_t *const *)a)->loop,
                  y = (*(const kiln_sim_line_t *const *)b)->loop;
    return x < y ? -1 : x > y;
}

static bool sum_sources(const kiln_sim_line_t **sorted, size_t count, sums_t *sums)
{
    qsort(sorted, count, sizeof *sorted, by_source);
    for (size_t i = 0; i < count; i++) {
        const char *source = *sorted[i]->source ? sorted[i]->source : "(no source line)";
        sum_t *sum = sum_named(sums, source);
        if (!sum)
            return false;
        add(sum, sorted[i]);
    }
    return true;
}

static unsigned long line_number(const char *source)
{
    const char *colon = strrchr(source, ':');
    return colon ? strtoul(colon + 1, NULL, 10) : 0;
}

// The first source line of a loop's own instructions, usually that of its head; "" if it is
// unknown.
static const char *source_of_loop(const kiln_sim_line_t **lines, size_t count, int64_t loop)
{
    const char *first = "";
    for (size_t i = 0; i < count; i++) {
        const unsigned long number = line_number(lines[i]->source);
        if (lines[i]->loop == loop && number && (!*first || number < line_number(first)))
            first = lines[i]->source;
    }
    return first;
}

// A loop's own instructions, without those of inner loops.
static bool sum_loops(const kiln_sim_line_t **sorted, size_t count, sums_t *sums)
{
    char name[256];
    qsort(sorted, count, sizeof *sorted, by_loop);
    for (size_t i = 0; i < count; i++) {
        const kiln_sim_line_t *line = sorted[i];
        if (i == 0 || line->loop != sorted[i - 1]->loop) {
            const char *source = source_of_loop(sorted, count, line->loop);
            snprintf(name, sizeof name, "loop at 0x%llx%s%s", (unsigned long long)line->loop,
                     *source ? ", from " : "", source);
        }
        if (line->loop < 0)
            snprintf(name, sizeof name, "(outside loops)");
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

static int by_cycles(const void *a, const void *b)
{
    const kiln_sim_line_t *x = *(const kiln_sim_line_t *const *)a,
                          *y = *(const kiln_sim_line_t *const *)b;
    sum_t of_x = {0}, of_y = {0};
    add(&of_x, x);
    add(&of_y, y);
    return of_x.all != of_y.all ? (of_x.all < of_y.all ? 1 : -1)
                                : (x->address < y->address ? -1 : x->address > y->address);
}

static int by_address(const void *a, const void *b)
{
    const kiln_sim_line_t *x = *(const kiln_sim_line_t *const *)a,
                          *y = *(const kiln_sim_line_t *const *)b;
    return x->address != y->address ? (x->address < y->address ? -1 : 1) : x < y ? -1 : x > y;
}

// All instructions in their order, or the ones with the most cycles.
static void print_instructions(FILE *out, const kiln_sim_line_t **sorted, size_t count,
                               uint64_t whole, size_t top)
{
    qsort(sorted, count, sizeof *sorted, top ? by_cycles : by_address);
    print_head(out, "instruction");
    for (size_t i = 0; i < count && (!top || i < top); i++) {
        const kiln_sim_line_t *line = sorted[i];
        sum_t sum = {0};
        add(&sum, line);
        snprintf(sum.name, sizeof sum.name, "0x%llx  %-56s %s", (unsigned long long)line->address,
                 line->instruction, line->source);
        print_sum(out, &sum, whole);
    }
    print_rest(out, count, top);
}

static kiln_status_t print_lines(FILE *out, const lines_t *lines, size_t top,
                                 kiln_source_text_t *texts)
{
    const uint64_t whole = whole_of(lines);
    sums_t loops = {.whole = whole}, sources = {.whole = whole};
    const kiln_sim_line_t **sorted = calloc(lines->count + 1, sizeof(const kiln_sim_line_t *));
    for (size_t i = 0; sorted && i < lines->count; i++)
        sorted[i] = &lines->all[i];
    const bool good = sorted && sum_loops(sorted, lines->count, &loops) &&
                      sum_sources(sorted, lines->count, &sources);
    if (good) {
        print_sums(out, &loops, top, "loop", NULL);
        print_sums(out, &sources, top, "source line", texts);
        if (!top)
            print_listing(out, &sources, texts);
        print_instructions(out, sorted, lines->count, whole, top);
        fprintf(out, "\nPredicted cycles, summed over waves. Stall reasons:\n");
#define KILN_SIM_STALL(name, text, help) fprintf(out, "  %-11s %s\n", text, help);
#include "kiln/sim_stalls.def"
#undef KILN_SIM_STALL
    }
    free(sorted);
    free(loops.all);
    free(sources.all);
    return good ? KILN_OK : kiln_status_out_of_memory();
}

kiln_status_t kiln_stalls_print_lines(FILE *out, const kiln_sim_line_t *lines, size_t count,
                                      size_t top)
{
    const lines_t given = {(kiln_sim_line_t *)(uintptr_t)lines, count};
    kiln_source_text_t texts;
    kiln_source_text_begin(&texts, NULL);
    kiln_status_t status = print_lines(out, &given, top, &texts);
    kiln_source_text_free(&texts);
    return status;
}

kiln_status_t kiln_stalls_print(kiln_device_t *device, size_t top, const kiln_source_t *source)
{
    lines_t lines;
    kiln_source_text_t texts;
    kiln_source_text_begin(&texts, source);
    kiln_status_t status = read_lines(device, &lines);
    if (!status)
        status = print_lines(stdout, &lines, top, &texts);
    kiln_source_text_free(&texts);
    free(lines.all);
    return status;
}

kiln_status_t kiln_stalls_json_lines(const kiln_sim_line_t *lines, size_t count, json_t **out_array)
{
    json_t *array = json_array();
    kiln_status_t status = KILN_OK;
    for (size_t i = 0; !status && i < count; i++) {
        const kiln_sim_line_t *line = &lines[i];
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
    if (status)
        json_decref(array);
    *out_array = status ? NULL : array;
    return status;
}

kiln_status_t kiln_stalls_json(kiln_device_t *device, json_t **out_array)
{
    lines_t lines;
    *out_array = NULL;
    kiln_status_t status = read_lines(device, &lines);
    if (!status)
        status = kiln_stalls_json_lines(lines.all, lines.count, out_array);
    free(lines.all);
    return status;
}
