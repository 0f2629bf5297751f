// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classes of a launch's instructions: those of one loop, of one source line, and so on. Rules look
// up an instruction's class instead of comparing it with all others, which took a minute for a
// loop of 20,000 instructions.
#include <stdlib.h>
#include <string.h>

#include "base/string.h"
#include "clock_rules.h"
#include "instructions.h"

static size_t index_of(const kiln_clock_search_t *search, const kiln_sim_line_t *line)
{
    return (size_t)(line - search->lines);
}

bool kiln_clock_is(const kiln_clock_search_t *search, const kiln_sim_line_t *line, unsigned kinds)
{
    return (search->classes.kinds[index_of(search, line)] & kinds) != 0;
}

static int by_loop(const kiln_sim_line_t *a, const kiln_sim_line_t *b)
{
    return a->loop < b->loop ? -1 : a->loop > b->loop;
}

static int by_source(const kiln_sim_line_t *a, const kiln_sim_line_t *b)
{
    return strcmp(a->source, b->source);
}

// The column tells the operations of a line apart.
static int by_place(const kiln_sim_line_t *a, const kiln_sim_line_t *b)
{
    const int loops = by_loop(a, b), sources = loops ? loops : by_source(a, b);
    if (sources)
        return sources;
    return a->column < b->column ? -1 : a->column > b->column;
}

static int by_name(const kiln_sim_line_t *a, const kiln_sim_line_t *b)
{
    const int loops = by_loop(a, b);
    const size_t a_length = strcspn(a->instruction, " "), b_length = strcspn(b->instruction, " ");
    if (loops)
        return loops;
    if (a_length != b_length)
        return a_length < b_length ? -1 : 1;
    return memcmp(a->instruction, b->instruction, a_length);
}

typedef int compare_t(const kiln_sim_line_t *a, const kiln_sim_line_t *b);

typedef struct item {
    const kiln_sim_line_t *line;
    compare_t *compare;
} item_t;

// Instructions of a class stay in order of their indices.
static int compare_items(const void *a, const void *b)
{
    const item_t *x = a, *y = b;
    const int order = x->compare(x->line, y->line);
    return order ? order : x->line < y->line ? -1 : x->line > y->line;
}

// Returns the first instruction of each one's class; NULL if out of memory.
static size_t *first_of(const kiln_clock_search_t *search, compare_t *compare)
{
    size_t *first = calloc(search->count + 1, sizeof *first);
    item_t *items = calloc(search->count + 1, sizeof *items);
    for (size_t i = 0; first && items && i < search->count; i++)
        items[i] = (item_t){&search->lines[i], compare};
    if (first && items) {
        qsort(items, search->count, sizeof *items, compare_items);
        for (size_t i = 0, begin = 0; i < search->count; i++) {
            begin = compare(items[begin].line, items[i].line) == 0 ? begin : i;
            first[items[i].line - search->lines] = (size_t)(items[begin].line - search->lines);
        }
    } else {
        free(first);
        first = NULL;
    }
    free(items);
    return first;
}

// Instructions of a place, by the first one.
typedef struct division {
    unsigned estimates, corrections;
    bool is_floated, is_truncated, is_corrected, shifts, mixes;
} division_t;

// Where the divisor is the same in all iterations, LLVM computes its reciprocal before the loop,
// and the loop is left with the quotient's estimate, which a product's high half is, and two
// corrections by comparison; values of at most 24 bits are divided as f32, truncated, and corrected
// once by the error. A division by a constant has no corrections: it is a high product and shifts.
// Generators of random numbers have these, too, but also exclusive ors.
static kiln_status_t find_divisions(kiln_clock_search_t *search)
{
    kiln_clock_classes_t *classes = &search->classes;
    division_t *places = calloc(search->count + 1, sizeof *places);
    if (!places)
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < search->count; i++) {
        division_t *place = &places[classes->place[i]];
        place->estimates += kiln_clock_is(search, &search->lines[i], KILN_INSTRUCTION_HIGH_PRODUCT);
        place->corrections += kiln_clock_is(search, &search->lines[i], KILN_INSTRUCTION_COMPARISON);
        place->is_floated |= kiln_clock_is(search, &search->lines[i], KILN_INSTRUCTION_FLOATED);
        place->is_truncated |= kiln_clock_is(search, &search->lines[i], KILN_INSTRUCTION_TRUNCATED);
        place->is_corrected |= kiln_clock_is(search, &search->lines[i], KILN_INSTRUCTION_ERROR);
        place->shifts |= kiln_clock_is(search, &search->lines[i], KILN_INSTRUCTION_RIGHT_SHIFT);
        place->mixes |= kiln_clock_is(search, &search->lines[i], KILN_INSTRUCTION_EXCLUSIVE_OR);
        if (kiln_clock_is(search, &search->lines[i], KILN_INSTRUCTION_DIVISION) ||
            (place->estimates >= 1 && place->corrections >= 2) ||
            (place->is_floated && place->is_truncated && place->is_corrected))
            classes->divides[classes->place[i]] = true;
    }
    for (size_t i = 0; i < search->count; i++) {
        const division_t *place = &places[i];
        if (classes->divides[i] || !place->estimates || !place->shifts || place->mixes)
            continue;
        classes->divides[i] = classes->by_constant[i] = true;
    }
    free(places);
    return KILN_OK;
}

// Lanes that a mask splits access their elements one by one, in a branch beside the wide access.
static kiln_status_t find_parts(kiln_clock_search_t *search)
{
    kiln_clock_classes_t *classes = &search->classes;
    unsigned *widths = calloc(search->count + 1, sizeof *widths); // of a place, as a set
    if (!widths)
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < search->count; i++) {
        const char *text = search->lines[i].instruction;
        if (kiln_clock_is(search, &search->lines[i],
                          KILN_INSTRUCTION_LOAD | KILN_INSTRUCTION_STORE))
            widths[classes->place[i]] |= kiln_instruction_lane_bytes(text);
    }
    for (size_t i = 0; i < search->count; i++) {
        const unsigned set = widths[classes->place[i]];
        if (kiln_string_starts_with(search->lines[i].instruction, "s_cbranch_exec"))
            classes->has_parts[classes->place[i]] = (set & (set - 1)) != 0;
    }
    free(widths);
    return KILN_OK;
}

static bool is_of_atomic(const kiln_clock_search_t *search, size_t index)
{
    const kiln_clock_classes_t *classes = &search->classes;
    const size_t source = classes->source[index];
    return *search->lines[index].source && classes->has_atomic[source] &&
           classes->atomic_column[source] == search->lines[index].column;
}

// Of an atomic whose lanes have the same address, LLVM combines the values, one lane at a time.
static void find_lane_loops(kiln_clock_search_t *search)
{
    kiln_clock_classes_t *classes = &search->classes;
    for (size_t i = 0; i < search->count; i++)
        if (kiln_string_starts_with(search->lines[i].instruction, "v_readlane_") &&
            is_of_atomic(search, i))
            classes->takes_lanes[classes->loop[i]] = true;
}

// Finds the loops in which waves spend more than half of their time on the counter and branches.
// Where they take less, unrolling mostly changes what else is there: the order of loads, and how
// many iterations overlap.
static kiln_status_t find_counting_loops(kiln_clock_search_t *search)
{
    kiln_clock_classes_t *classes = &search->classes;
    struct {
        uint64_t counting, all;
    } *cycles = calloc(search->count + 1, sizeof *cycles);
    if (!cycles)
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < search->count; i++) {
        const kiln_sim_line_t *line = &search->lines[i];
        const bool counts = kiln_clock_is(search, line, KILN_INSTRUCTION_COUNTING);
        for (int k = 0; k < KILN_SIM_STALLS; k++) {
            cycles[classes->loop[i]].all += line->cycles[k];
            cycles[classes->loop[i]].counting += counts ? line->cycles[k] : 0;
        }
    }
    for (size_t i = 0; i < search->count; i++)
        classes->mostly_counts[i] = 2 * cycles[i].counting > cycles[i].all;
    free(cycles);
    return KILN_OK;
}

kiln_status_t kiln_clock_classify(kiln_clock_search_t *search)
{
    kiln_clock_classes_t *classes = &search->classes;
    classes->kinds = calloc(search->count + 1, sizeof *classes->kinds);
    classes->loop = first_of(search, by_loop);
    classes->source = first_of(search, by_source);
    classes->place = first_of(search, by_place);
    classes->name = first_of(search, by_name);
    classes->has_matrix = calloc(search->count + 1, sizeof *classes->has_matrix);
    classes->divides = calloc(search->count + 1, sizeof *classes->divides);
    classes->by_constant = calloc(search->count + 1, sizeof *classes->by_constant);
    classes->has_atomic = calloc(search->count + 1, sizeof *classes->has_atomic);
    classes->atomic_column = calloc(search->count + 1, sizeof *classes->atomic_column);
    classes->takes_lanes = calloc(search->count + 1, sizeof *classes->takes_lanes);
    classes->converts = calloc(search->count + 1, sizeof *classes->converts);
    classes->mostly_counts = calloc(search->count + 1, sizeof *classes->mostly_counts);
    classes->has_order = calloc(search->count + 1, sizeof *classes->has_order);
    classes->has_parts = calloc(search->count + 1, sizeof *classes->has_parts);
    if (!classes->kinds || !classes->loop || !classes->source || !classes->place ||
        !classes->name || !classes->has_matrix || !classes->divides || !classes->by_constant ||
        !classes->has_atomic || !classes->atomic_column || !classes->takes_lanes ||
        !classes->has_order || !classes->converts || !classes->mostly_counts || !classes->has_parts)
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < search->count; i++)
        classes->kinds[i] = kiln_instruction_kinds(search->lines[i].instruction);
    for (size_t i = 0; i < search->count; i++) {
        const size_t source = classes->source[i];
        classes->has_matrix[classes->loop[i]] |=
            kiln_clock_is(search, &search->lines[i], KILN_INSTRUCTION_MATRIX);
        if (kiln_clock_is(search, &search->lines[i], KILN_INSTRUCTION_ATOMIC)) {
            classes->has_atomic[source] = true;
            classes->atomic_column[source] = search->lines[i].column;
        }
        classes->converts[source] |=
            search->lines[i].loop >= 0 &&
            kiln_clock_is(search, &search->lines[i], KILN_INSTRUCTION_F64_CONVERSION);
    }
    // Barriers of the line's other operations order nothing for the atomic.
    for (size_t i = 0; i < search->count; i++)
        classes->has_order[classes->source[i]] |=
            is_of_atomic(search, i) &&
            kiln_clock_is(search, &search->lines[i], KILN_INSTRUCTION_ORDER);
    find_lane_loops(search);
    KILN_TRY(find_counting_loops(search));
    KILN_TRY(find_parts(search));
    return find_divisions(search);
}

void kiln_clock_classes_free(kiln_clock_classes_t *classes)
{
    free(classes->kinds);
    free(classes->loop);
    free(classes->source);
    free(classes->place);
    free(classes->name);
    free(classes->has_matrix);
    free(classes->divides);
    free(classes->by_constant);
    free(classes->has_atomic);
    free(classes->atomic_column);
    free(classes->has_order);
    free(classes->converts);
    free(classes->takes_lanes);
    free(classes->mostly_counts);
    free(classes->has_parts);
    *classes = (kiln_clock_classes_t){0};
}

bool kiln_clock_has_matrix(const kiln_clock_search_t *search, const kiln_sim_line_t *line)
{
    return search->classes.has_matrix[search->classes.loop[index_of(search, line)]];
}

bool kiln_clock_divides(const kiln_clock_search_t *search, const kiln_sim_line_t *line)
{
    return *line->source && search->classes.divides[search->classes.place[index_of(search, line)]];
}

bool kiln_clock_divides_by_constant(const kiln_clock_search_t *search, const kiln_sim_line_t *line)
{
    return kiln_clock_divides(search, line) &&
           search->classes.by_constant[search->classes.place[index_of(search, line)]];
}

bool kiln_clock_has_atomic(const kiln_clock_search_t *search, const kiln_sim_line_t *line)
{
    return *line->source &&
           search->classes.has_atomic[search->classes.source[index_of(search, line)]];
}

bool kiln_clock_has_lane_loop(const kiln_clock_search_t *search, const kiln_sim_line_t *line)
{
    return line->loop >= 0 &&
           search->classes.takes_lanes[search->classes.loop[index_of(search, line)]];
}

bool kiln_clock_is_of_atomic(const kiln_clock_search_t *search, const kiln_sim_line_t *line)
{
    return is_of_atomic(search, index_of(search, line));
}

bool kiln_clock_combines_lanes(const kiln_clock_search_t *search, const kiln_sim_line_t *line)
{
    return kiln_clock_has_lane_loop(search, line) && is_of_atomic(search, index_of(search, line));
}

bool kiln_clock_has_order(const kiln_clock_search_t *search, const kiln_sim_line_t *line)
{
    return kiln_clock_has_atomic(search, line) &&
           search->classes.has_order[search->classes.source[index_of(search, line)]];
}

bool kiln_clock_converts(const kiln_clock_search_t *search, const kiln_sim_line_t *line)
{
    return *line->source &&
           search->classes.converts[search->classes.source[index_of(search, line)]];
}

bool kiln_clock_mostly_counts(const kiln_clock_search_t *search, const kiln_sim_line_t *line)
{
    return line->loop >= 0 &&
           search->classes.mostly_counts[search->classes.loop[index_of(search, line)]];
}

bool kiln_clock_has_parts(const kiln_clock_search_t *search, const kiln_sim_line_t *line)
{
    return *line->source &&
           search->classes.has_parts[search->classes.place[index_of(search, line)]];
}

// An instruction of another loop comes before this one's, and a later one goes back to it.
bool kiln_clock_is_nested(const kiln_clock_search_t *search, const kiln_sim_line_t *line)
{
    for (size_t i = 0; line->loop >= 0 && i < search->count; i++) {
        const kiln_sim_line_t *other = &search->lines[i];
        if (other->loop >= 0 && other->loop < line->loop && other->address > line->address)
            return true;
    }
    return false;
}
