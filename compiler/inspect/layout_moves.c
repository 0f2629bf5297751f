// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the places of each element before and after a conversion, and draws them: a box is a run
// of neighbouring elements in a row that move together.
//
//   ┌────────────────┬────────────────┬─       T2:0-3→T9:4-7: registers 0 to 3 of thread 2 become
//   │ T0:0-3         │ T1:0-3→T8:0-3  │        registers 4 to 7 of thread 9. One place is shown if
//   ├────────────────┼────────────────┼─       nothing moves. Colours tell how far.
//
// Copies: an element comes from the nearest place that holds it. Of several places that it goes to,
// the one with the lowest numbers is shown, followed by a '+'.
#include "inspect/layout_moves.h"

#include <stdlib.h>
#include <string.h>

#include "base/gfx942.h"
#include "inspect/layout_svg.h"

const char *const kiln_distance_names[KILN_DISTANCES] = {"in the same register", "other register",
                                                         "other lane", "other warp"};
static const char *const colours[KILN_DISTANCES] = {"#eeeeee", "#9bd3f2", "#f6c66a", "#eda57c"};

static uint32_t element_count(const kiln_layout_t *layout)
{
    return kiln_picture_rows(layout) * kiln_picture_columns(layout);
}

static int place_bits(const kiln_layout_t *layout)
{
    return layout->bits[KILN_REGISTER] + layout->bits[KILN_LANE] + layout->bits[KILN_WARP];
}

// The places of a layout, sorted by element: those of element e are all[first[e]] to
// all[first[e + 1] - 1], each thread << KILN_LAYOUT_MAX_BITS | register.
typedef struct places {
    uint64_t *all;
    uint32_t *first;
} places_t;

static uint64_t place_of(uint32_t thread, uint32_t reg)
{
    return (uint64_t)thread << KILN_LAYOUT_MAX_BITS | reg;
}

static uint32_t thread_of(uint64_t place)
{
    return (uint32_t)(place >> KILN_LAYOUT_MAX_BITS);
}

static uint32_t register_of(uint64_t place)
{
    return (uint32_t)(place & ((1u << KILN_LAYOUT_MAX_BITS) - 1));
}

static uint32_t element_at(const kiln_layout_t *layout, uint32_t thread, uint32_t reg)
{
    return kiln_layout_apply(layout, reg, thread % KILN_GFX942_LANES, thread / KILN_GFX942_LANES);
}

static bool sort_places(const kiln_layout_t *layout, places_t *places)
{
    const uint32_t threads = 1u << (layout->bits[KILN_LANE] + layout->bits[KILN_WARP]),
                   registers = kiln_layout_registers(layout), elements = element_count(layout);
    places->all = calloc((size_t)threads * registers, sizeof *places->all);
    places->first = calloc((size_t)elements + 2, sizeof *places->first);
    if (!places->all || !places->first)
        return false;
    // Counts two further, so that after the insertion each begins where it should.
    for (uint32_t thread = 0; thread < threads; thread++)
        for (uint32_t reg = 0; reg < registers; reg++)
            places->first[element_at(layout, thread, reg) + 2]++;
    for (uint32_t e = 2; e <= elements; e++)
        places->first[e + 1] += places->first[e];
    for (uint32_t thread = 0; thread < threads; thread++)
        for (uint32_t reg = 0; reg < registers; reg++)
            places->all[places->first[element_at(layout, thread, reg) + 1]++] =
                place_of(thread, reg);
    return true;
}

static void free_places(places_t *places)
{
    free(places->all);
    free(places->first);
}

static kiln_distance_t distance_between(uint64_t from, uint64_t to)
{
    if (from == to)
        return KILN_DISTANCE_NONE;
    if (thread_of(from) == thread_of(to))
        return KILN_DISTANCE_REGISTER;
    return thread_of(from) / KILN_GFX942_LANES == thread_of(to) / KILN_GFX942_LANES
               ? KILN_DISTANCE_LANE
               : KILN_DISTANCE_WARP;
}

// The nearest source of a place.
static kiln_distance_t nearest(const places_t *sources, uint32_t element, uint64_t to,
                               uint64_t *out_from)
{
    kiln_distance_t best = KILN_DISTANCES;
    for (uint32_t i = sources->first[element]; i < sources->first[element + 1]; i++) {
        const kiln_distance_t distance = distance_between(sources->all[i], to);
        if (distance < best) {
            best = distance;
            *out_from = sources->all[i];
        }
    }
    return best;
}

static void find_moves(const places_t *sources, const places_t *destinations, uint32_t elements,
                       kiln_move_t *moves, size_t counts[KILN_DISTANCES])
{
    for (uint32_t e = 0; e < elements; e++) {
        const uint32_t begin = destinations->first[e], end = destinations->first[e + 1];
        for (uint32_t i = begin; i < end; i++) {
            uint64_t from = 0;
            const uint64_t to = destinations->all[i];
            const kiln_distance_t distance = nearest(sources, e, to, &from);
            counts[distance]++;
            if (i == begin)
                moves[e] = (kiln_move_t){thread_of(from), register_of(from), thread_of(to),
                                         register_of(to), distance,          end - begin > 1};
        }
    }
}

kiln_status_t kiln_layout_moves(const kiln_layout_t *source, const kiln_layout_t *destination,
                                kiln_move_t **out_moves, size_t out_counts[KILN_DISTANCES])
{
    const uint32_t elements = element_count(source);
    const int bits =
        place_bits(source) > place_bits(destination) ? place_bits(source) : place_bits(destination);
    *out_moves = NULL;
    memset(out_counts, 0, KILN_DISTANCES * sizeof *out_counts);
    if (bits > KILN_LAYOUT_TEXT_BITS || elements > 1u << KILN_LAYOUT_TEXT_BITS)
        return kiln_status_make(
            KILN_STATUS_UNSUPPORTED,
            "a layout of this conversion has 2^%d places, but at most %d can be "
            "shown; choose a smaller shape",
            bits, 1 << KILN_LAYOUT_TEXT_BITS);
    places_t sources = {0}, destinations = {0};
    kiln_move_t *moves = calloc(elements, sizeof *moves);
    const bool good =
        moves && sort_places(source, &sources) && sort_places(destination, &destinations);
    if (good)
        find_moves(&sources, &destinations, elements, moves, out_counts);
    free_places(&sources);
    free_places(&destinations);
    if (!good) {
        free(moves);
        return kiln_status_out_of_memory();
    }
    *out_moves = moves;
    return KILN_OK;
}

// Text --------------------------------------------------------------------------------------------

void kiln_layout_conversion_describe(const kiln_layout_t *source, const kiln_layout_t *destination,
                                     int element_bits, kiln_string_t *out)
{
    const kiln_conversion_t plan = kiln_layout_plan_conversion(source, destination, element_bits);
    const unsigned rounds = 1u << plan.repetitions_log2,
                   bytes = kiln_conversion_scratch_bytes(&plan, element_bits);
    switch (plan.kind) {
    case KILN_CONVERSION_NONE:
        kiln_string_append(out, "nothing moves");
        break;
    case KILN_CONVERSION_REGISTERS:
        kiln_string_append(out, "moves between registers of each thread");
        break;
    case KILN_CONVERSION_SHUFFLE:
        kiln_string_append(out, plan.shuffle.crosses_lanes ? "moves between lanes of each warp"
                                                           : "selects of registers of each thread");
        break;
    case KILN_CONVERSION_LDS:
        kiln_string_appendf(out, "through LDS: %u bytes, %u round%s, up to %d elements per access",
                            bytes, rounds, rounds == 1 ? "" : "s", plan.vector);
        break;
    case KILN_CONVERSION_STEPS:
        kiln_string_appendf(out, "through LDS in steps, %u bytes", bytes);
        break;
    }
}

static void append_place(kiln_string_t *out, uint32_t thread, uint32_t reg, unsigned count)
{
    kiln_string_appendf(out, "T%u:%u", thread, reg);
    if (count > 1)
        kiln_string_appendf(out, "-%u", reg + count - 1);
}

static void append_move(kiln_string_t *out, const kiln_move_t *move, unsigned count,
                        const char *arrow)
{
    append_place(out, move->from_thread, move->from_register, count);
    if (move->distance != KILN_DISTANCE_NONE) {
        kiln_string_append(out, arrow);
        append_place(out, move->to_thread, move->to_register, count);
    }
    if (move->is_copied)
        kiln_string_append_char(out, '+');
}

static void append_elements(kiln_string_t *out, const kiln_layout_t *layout,
                            const kiln_move_t *moves)
{
    const unsigned rows = kiln_picture_rows(layout), columns = kiln_picture_columns(layout);
    for (unsigned i = 0; i < rows * columns; i++) {
        append_move(out, &moves[i], 1, ">");
        kiln_string_append_char(out, (i + 1) % columns ? ' ' : '\n');
    }
}

kiln_status_t kiln_layout_moves_write(const kiln_layout_t *source, const kiln_layout_t *destination,
                                      int element_bits, kiln_layout_view_t view, kiln_string_t *out)
{
    kiln_move_t *moves;
    size_t counts[KILN_DISTANCES], all = 0;
    KILN_TRY(kiln_layout_moves(source, destination, &moves, counts));
    kiln_layout_conversion_describe(source, destination, element_bits, out);
    kiln_string_append_char(out, '\n');
    for (int i = 0; i < KILN_DISTANCES; i++)
        all += counts[i];
    for (int i = 0; i < KILN_DISTANCES; i++) {
        if (counts[i])
            kiln_string_appendf(out, "  %-22s %8zu elements  %3.0f %%\n", kiln_distance_names[i],
                                counts[i], 100 * (double)counts[i] / (double)all);
    }
    if (view == KILN_LAYOUT_ELEMENTS)
        append_elements(out, source, moves);
    free(moves);
    return out->failed ? kiln_status_out_of_memory() : KILN_OK;
}

// Pictures ----------------------------------------------------------------------------------------

static bool continues(const kiln_move_t *move, const kiln_move_t *next)
{
    return next->distance == move->distance && next->is_copied == move->is_copied &&
           next->from_thread == move->from_thread && next->to_thread == move->to_thread &&
           next->from_register == move->from_register + 1 &&
           next->to_register == move->to_register + 1;
}

static unsigned run_at(const kiln_move_t *moves, unsigned i, unsigned columns)
{
    unsigned count = 1;
    while ((i + count) % columns && continues(&moves[i + count - 1], &moves[i + count]))
        count++;
    return count;
}

// The pixels of a column, so that the longest label of boxes of that many columns fits. The arrow
// is one character of three bytes.
static unsigned column_width(const kiln_move_t *moves, unsigned elements, unsigned columns)
{
    enum { MIN = 6, MARGIN = 8, SURPLUS = 2 };
    unsigned width = MIN;
    for (unsigned i = 0, count; i < elements; i += count) {
        kiln_string_t label = {0};
        count = run_at(moves, i, columns);
        append_move(&label, &moves[i], count, "→");
        const unsigned letters =
            (unsigned)label.length - (moves[i].distance == KILN_DISTANCE_NONE ? 0 : SURPLUS);
        const unsigned needed = (letters * KILN_PICTURE_LETTER + MARGIN + count - 1) / count;
        width = needed > width ? needed : width;
        kiln_string_free(&label);
    }
    return width;
}

static void append_legend(kiln_string_t *out, const size_t counts[KILN_DISTANCES], unsigned y)
{
    enum { STEP = 170, SIDE = 10 };
    for (unsigned i = 0, x = KILN_PICTURE_LEFT; i < KILN_DISTANCES; i++) {
        if (!counts[i])
            continue;
        kiln_string_appendf(out,
                            "<rect x=\"%u\" y=\"%u\" width=\"%d\" height=\"%d\" fill=\"%s\"/>"
                            "<text x=\"%u\" y=\"%u\">%s: %zu</text>\n",
                            x, y - SIDE + 1, SIDE, SIDE, colours[i], x + SIDE + 5, y,
                            kiln_distance_names[i], counts[i]);
        x += STEP;
    }
}

static void append_boxes(kiln_string_t *out, const kiln_layout_t *layout, const kiln_move_t *moves,
                         unsigned width, unsigned top)
{
    const unsigned columns = kiln_picture_columns(layout), elements = element_count(layout);
    for (unsigned i = 0, count; i < elements; i += count) {
        const unsigned x = KILN_PICTURE_LEFT + i % columns * width,
                       y = top + i / columns * KILN_PICTURE_ROW;
        count = run_at(moves, i, columns);
        if (i % columns == 0)
            kiln_picture_append_row(out, layout, i / columns, y);
        kiln_string_appendf(out,
                            "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%d\" fill=\"%s\">"
                            "<title>row %u, columns %u to %u: %s</title></rect>"
                            "<text x=\"%u\" y=\"%u\" text-anchor=\"middle\">",
                            x, y, count * width, KILN_PICTURE_ROW, colours[moves[i].distance],
                            i / columns, i % columns, i % columns + count - 1,
                            kiln_distance_names[moves[i].distance], x + count * width / 2, y + 15);
        append_move(out, &moves[i], count, "→");
        kiln_string_append(out, "</text>\n");
    }
}

kiln_status_t kiln_layout_picture_add_moves(kiln_layout_picture_t *picture,
                                            const kiln_layout_t *source,
                                            const kiln_layout_t *destination, const char *title)
{
    enum { TITLE = 60, LEGEND = 40, LEGEND_WIDTH = 720 };
    kiln_move_t *moves;
    size_t counts[KILN_DISTANCES];
    const unsigned columns = kiln_picture_columns(source), elements = element_count(source);
    KILN_TRY(kiln_layout_moves(source, destination, &moves, counts));
    const unsigned width = column_width(moves, elements, columns), top = picture->height + TITLE,
                   all = KILN_PICTURE_LEFT + columns * width + KILN_PICTURE_LETTER;
    append_legend(&picture->shapes, counts, picture->height + LEGEND);
    kiln_picture_begin(picture, title, columns, width, top);
    append_boxes(&picture->shapes, source, moves, width, top);
    free(moves);
    picture->width = all > picture->width ? all : picture->width;
    picture->width = LEGEND_WIDTH > picture->width ? LEGEND_WIDTH : picture->width;
    picture->height = top + elements / columns * KILN_PICTURE_ROW + KILN_PICTURE_ROW / 2;
    return picture->shapes.failed ? kiln_status_out_of_memory() : KILN_OK;
}
