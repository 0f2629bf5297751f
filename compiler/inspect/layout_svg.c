// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws layouts as SVG. A box is a run of neighbouring elements in a row that belong together:
// consecutive registers of a thread, or elements of one bank row of LDS.
//
//   ┌──────────┬──────────┬─         T2:0-7 is thread 2, registers 0 to 7. Colours are those of the
//   │ T0:0-7   │ T1:0-7   │          warp: eight that colour-blind readers can tell apart, after Okabe
//   ├──────────┼──────────┼─         and Ito. In LDS a box is labelled with its offset in elements,
//   │ T8:0-7   │ T9:0-7   │          and is darker, the higher its bank: a column of one shade is one
//   └──────────┴──────────┴─         bank, in which all lanes that read the column conflict.
//
// If there are copies, the place with the lowest numbers is shown, followed by a '+'.
#include "inspect/layout_svg.h"

#include <stdlib.h>
#include <string.h>

#include "base/gfx942.h"

enum { CELL = 22, TITLE = 40, WRAP_BITS = 6 };

static const char *const colours[] = {"#f6c66a", "#9bd3f2", "#7fcfb4", "#f4ec9a",
                                      "#8fb8dd", "#eda57c", "#e3aecb", "#cfcfcf"};

typedef struct cell {
    uint32_t place; // register or offset
    uint32_t thread;
    bool known, copied;
} cell_t;

unsigned kiln_picture_columns(const kiln_layout_t *layout)
{
    const unsigned bits = layout->rank ? layout->log2_shape[layout->rank - 1] : 0;
    return 1u << (layout->rank == 1 && bits > WRAP_BITS ? WRAP_BITS : bits);
}

unsigned kiln_picture_rows(const kiln_layout_t *layout)
{
    unsigned bits = 0;
    for (int d = 0; d < layout->rank; d++)
        bits += layout->log2_shape[d];
    return (1u << bits) / kiln_picture_columns(layout);
}

void kiln_picture_append_row(kiln_string_t *out, const kiln_layout_t *layout, unsigned row,
                             unsigned y)
{
    enum { FITS = 6 }; // letters
    const uint32_t first = row * kiln_picture_columns(layout);
    kiln_string_t label = {0};
    for (int d = 0; d < layout->rank - 1 || (d == 0 && layout->rank == 1); d++)
        kiln_string_appendf(&label, "%s%u", d ? "," : "", kiln_layout_coord(layout, first, d));
    kiln_string_appendf(out, "<text x=\"%d\" y=\"%u\" text-anchor=\"end\"%s>%s</text>\n",
                        KILN_PICTURE_LEFT - 6, y + 15,
                        label.length > FITS ? " style=\"font-size:7px\"" : "",
                        label.data ? label.data : "0");
    out->failed |= label.failed;
    kiln_string_free(&label);
}

static void find_cells(const kiln_layout_t *layout, const kiln_padding_t *padding, cell_t *cells)
{
    const uint32_t threads = 1u << (layout->bits[KILN_LANE] + layout->bits[KILN_WARP]);
    for (uint32_t thread = 0; thread < threads; thread++)
        for (uint32_t r = 0; r < kiln_layout_registers(layout); r++) {
            cell_t *cell = &cells[kiln_layout_apply(layout, r, thread % KILN_GFX942_LANES,
                                                    thread / KILN_GFX942_LANES)];
            if (cell->known)
                cell->copied = true;
            else
                *cell =
                    (cell_t){r + (uint32_t)kiln_padding_shift(padding, r), thread, .known = true};
        }
}

static unsigned bank_of(uint32_t offset, int element_bits)
{
    const uint32_t bytes = element_bits < 8 ? 1 : (uint32_t)element_bits / 8;
    return offset * bytes / KILN_GFX942_LDS_BANK_BYTES % KILN_GFX942_LDS_BANKS;
}

// Whether the next element belongs to the same box.
static bool continues(const cell_t *cell, const cell_t *next, kiln_layout_memory_t memory,
                      int element_bits)
{
    if (!cell->known || !next->known || next->thread != cell->thread ||
        next->place != cell->place + 1 || next->copied != cell->copied)
        return false;
    return memory == KILN_LAYOUT_IN_REGISTERS ||
           bank_of(next->place, element_bits) == bank_of(cell->place, element_bits);
}

void kiln_picture_append_escaped(kiln_string_t *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '<' || *text == '&' || *text == '>' || *text == '"')
            kiln_string_appendf(out, "&#%d;", *text);
        else
            kiln_string_append_char(out, *text);
    }
}

static void append_colour(kiln_string_t *out, const cell_t *cell, kiln_layout_memory_t memory,
                          int element_bits)
{
    enum { COLOURS = sizeof colours / sizeof *colours, LIGHT = 96, DARKER = 52 };
    if (!cell->known)
        kiln_string_append(out, "white");
    else if (memory == KILN_LAYOUT_IN_REGISTERS)
        kiln_string_append(out, colours[cell->thread / KILN_GFX942_LANES % COLOURS]);
    else
        kiln_string_appendf(out, "hsl(205,70%%,%u%%)",
                            LIGHT - bank_of(cell->place, element_bits) * DARKER /
                                        KILN_GFX942_LDS_BANKS);
}

static void append_label(kiln_string_t *out, const cell_t *cell, unsigned count,
                         kiln_layout_memory_t memory)
{
    if (!cell->known)
        return;
    if (memory == KILN_LAYOUT_IN_REGISTERS)
        kiln_string_appendf(out, "T%u:", cell->thread);
    kiln_string_appendf(out, "%u", cell->place);
    if (count > 1)
        kiln_string_appendf(out, "-%u", cell->place + count - 1);
    if (cell->copied)
        kiln_string_append_char(out, '+');
}

// The pixels of a column, so that the longest label of boxes of that many columns fits.
static unsigned column_width(const cell_t *cells, unsigned rows, unsigned columns,
                             kiln_layout_memory_t memory, int element_bits)
{
    unsigned width = CELL / 4;
    for (unsigned i = 0, count; i < rows * columns; i += count) {
        kiln_string_t label = {0};
        for (count = 1; (i + count) % columns &&
                        continues(&cells[i + count - 1], &cells[i + count], memory, element_bits);)
            count++;
        append_label(&label, &cells[i], count, memory);
        const unsigned needed =
            ((unsigned)label.length * KILN_PICTURE_LETTER + 8 + count - 1) / count;
        width = needed > width ? needed : width;
        kiln_string_free(&label);
    }
    return width;
}

static void append_boxes(kiln_string_t *out, const kiln_layout_t *layout, const cell_t *cells,
                         unsigned top, unsigned width, kiln_layout_memory_t memory,
                         int element_bits)
{
    const unsigned rows = kiln_picture_rows(layout), columns = kiln_picture_columns(layout);
    for (unsigned i = 0, count; i < rows * columns; i += count) {
        const unsigned x = KILN_PICTURE_LEFT + i % columns * width,
                       y = top + i / columns * KILN_PICTURE_ROW;
        for (count = 1; (i + count) % columns &&
                        continues(&cells[i + count - 1], &cells[i + count], memory, element_bits);)
            count++;
        if (i % columns == 0)
            kiln_picture_append_row(out, layout, i / columns, y);
        kiln_string_appendf(out, "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%d\" fill=\"", x, y,
                            count * width, KILN_PICTURE_ROW);
        append_colour(out, &cells[i], memory, element_bits);
        kiln_string_appendf(out, "\"/><text x=\"%u\" y=\"%u\" text-anchor=\"middle\">",
                            x + count * width / 2, y + 15);
        append_label(out, &cells[i], count, memory);
        kiln_string_append(out, "</text>\n");
    }
}

void kiln_picture_begin(kiln_layout_picture_t *picture, const char *title, unsigned columns,
                        unsigned width, unsigned top)
{
    kiln_string_t *out = &picture->shapes;
    const unsigned step = columns > 16 ? columns / 16 : 1,
                   words = KILN_PICTURE_LEFT + (unsigned)strlen(title) * (KILN_PICTURE_LETTER + 1);
    kiln_string_appendf(out, "<text x=\"%d\" y=\"%u\">", KILN_PICTURE_LEFT, picture->height + 18);
    kiln_picture_append_escaped(out, title);
    kiln_string_append(out, "</text>\n");
    for (unsigned c = 0; c < columns; c += step)
        kiln_string_appendf(out, "<text x=\"%u\" y=\"%u\">%u</text>\n",
                            KILN_PICTURE_LEFT + c * width + 2, top - 5, c);
    picture->width = words > picture->width ? words : picture->width;
}

kiln_status_t kiln_layout_picture_add(kiln_layout_picture_t *picture, const kiln_layout_t *layout,
                                      kiln_layout_memory_t memory, const kiln_padding_t *padding,
                                      int element_bits, const char *title)
{
    const unsigned rows = kiln_picture_rows(layout), columns = kiln_picture_columns(layout);
    const int bits =
        layout->bits[KILN_REGISTER] + layout->bits[KILN_LANE] + layout->bits[KILN_WARP];
    if (bits > KILN_LAYOUT_TEXT_BITS || rows * columns > 1u << KILN_LAYOUT_TEXT_BITS)
        return kiln_status_make(
            KILN_STATUS_UNSUPPORTED,
            "this layout has 2^%d places, but at most %d can be drawn; choose a smaller shape",
            bits, 1 << KILN_LAYOUT_TEXT_BITS);
    cell_t *cells = calloc((size_t)rows * columns, sizeof *cells);
    if (!cells)
        return kiln_status_out_of_memory();
    find_cells(layout, padding, cells);
    const unsigned width = column_width(cells, rows, columns, memory, element_bits),
                   top = picture->height + TITLE,
                   all = KILN_PICTURE_LEFT + columns * width + KILN_PICTURE_LETTER;
    kiln_string_t *out = &picture->shapes;
    kiln_picture_begin(picture, title, columns, width, top);
    append_boxes(out, layout, cells, top, width, memory, element_bits);
    free(cells);
    picture->width = all > picture->width ? all : picture->width;
    picture->top = top;
    picture->column = width;
    picture->height = top + rows * KILN_PICTURE_ROW + KILN_PICTURE_ROW / 2;
    return out->failed ? kiln_status_out_of_memory() : KILN_OK;
}

void kiln_layout_picture_write(const kiln_layout_picture_t *picture, kiln_string_t *out)
{
    kiln_string_appendf(out,
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
                        "viewBox=\"0 0 %u %u\" font-family=\"monospace\" font-size=\"10\">\n"
                        "<style>rect{stroke:#444;stroke-width:.7}</style>\n"
                        "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
                        picture->width, picture->height, picture->width, picture->height);
    kiln_string_append(out, picture->shapes.data ? picture->shapes.data : "");
    kiln_string_append(out, "</svg>\n");
}

void kiln_layout_picture_free(kiln_layout_picture_t *picture)
{
    kiln_string_free(&picture->shapes);
    *picture = (kiln_layout_picture_t){0};
}
