// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The views of a layout. A picture is made by visiting every place once and adding it to the cell
// of its element.
#include "inspect/layout_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/gfx942.h"

enum { OFFSETS_PER_LINE = 16 };

static const char *const place_names[KILN_PLACES] = {"register", "lane", "warp"};

static unsigned elements(const kiln_layout_t *layout)
{
    unsigned bits = 0;
    for (int d = 0; d < layout->rank; d++)
        bits += layout->log2_shape[d];
    return 1u << bits;
}

static void write_element(const kiln_layout_t *layout, uint32_t flat, kiln_string_t *out)
{
    kiln_string_append(out, "(");
    for (int d = 0; d < layout->rank; d++)
        kiln_string_appendf(out, "%s%u", d ? "," : "", kiln_layout_coord(layout, flat, d));
    kiln_string_append(out, ")");
}

static void write_vectors(const kiln_layout_t *layout, kiln_layout_memory_t memory,
                          kiln_string_t *out)
{
    for (int p = 0; p < (memory == KILN_LAYOUT_IN_LDS ? 1 : KILN_PLACES); p++) {
        kiln_string_appendf(out, "  %-9s",
                            memory == KILN_LAYOUT_IN_LDS ? "offset" : place_names[p]);
        for (int i = 0; i < layout->bits[p]; i++) {
            kiln_string_append_char(out, ' ');
            if (layout->basis[p][i])
                write_element(layout, layout->basis[p][i], out);
            else
                kiln_string_append(out, "copy");
        }
        kiln_string_append_char(out, '\n');
    }
}

// Writes one thread's registers, or some offsets of LDS, starting at `first`.
static void write_run(const kiln_layout_t *layout, uint32_t first, uint32_t count, uint32_t thread,
                      kiln_string_t *out)
{
    for (uint32_t r = first; r < first + count; r++) {
        kiln_string_append_char(out, ' ');
        write_element(
            layout,
            kiln_layout_apply(layout, r, thread % KILN_GFX942_LANES, thread / KILN_GFX942_LANES),
            out);
    }
    kiln_string_append_char(out, '\n');
}

// The offset of an element in LDS, in elements, with the gaps before it.
static unsigned padded(const kiln_padding_t *padding, uint32_t offset)
{
    return offset + (unsigned)kiln_padding_shift(padding, offset);
}

static void write_offsets(const kiln_layout_t *layout, const kiln_padding_t *padding,
                          kiln_string_t *out)
{
    uint32_t run = OFFSETS_PER_LINE; // no gap splits a line
    for (int i = 0; i < padding->count; i++)
        run = (uint32_t)padding->intervals[i] < run ? (uint32_t)padding->intervals[i] : run;
    const uint32_t all = kiln_layout_registers(layout);
    for (uint32_t at = 0; at < all; at += run) {
        kiln_string_appendf(out, "  offset %-5u", padded(padding, at));
        write_run(layout, at, all - at < run ? all - at : run, 0, out);
    }
}

static void write_threads(const kiln_layout_t *layout, kiln_string_t *out)
{
    uint32_t registers = kiln_layout_registers(layout);
    for (uint32_t thread = 0; thread < 1u << (layout->bits[KILN_LANE] + layout->bits[KILN_WARP]);
         thread++) {
        kiln_string_appendf(out, "  T%-4u", thread);
        write_run(layout, 0, registers, thread, out);
    }
}

// Collects the holders of each element, ordered by thread and register; the caller frees them all.
static kiln_string_t *collect_cells(const kiln_layout_t *layout, kiln_layout_memory_t memory,
                                    const kiln_padding_t *padding)
{
    kiln_string_t *cells = calloc(elements(layout), sizeof *cells);
    uint32_t threads = 1u << (layout->bits[KILN_LANE] + layout->bits[KILN_WARP]);
    for (uint32_t thread = 0; cells && thread < threads; thread++)
        for (uint32_t r = 0; r < kiln_layout_registers(layout); r++) {
            kiln_string_t *cell = &cells[kiln_layout_apply(layout, r, thread % KILN_GFX942_LANES,
                                                           thread / KILN_GFX942_LANES)];
            if (memory == KILN_LAYOUT_IN_LDS)
                kiln_string_appendf(cell, "%u", padded(padding, r));
            else
                kiln_string_appendf(cell, "%sT%u:%u", cell->length ? "|" : "", thread, r);
        }
    return cells;
}

// Writes the innermost two dimensions as a grid, one grid per index of the others.
static void write_cells(const kiln_layout_t *layout, const kiln_string_t *cells, kiln_string_t *out)
{
    uint32_t count = elements(layout),
             columns = layout->rank ? 1u << layout->log2_shape[layout->rank - 1] : 1;
    uint32_t rows = layout->rank > 1 ? 1u << layout->log2_shape[layout->rank - 2] : 1;
    int width = 0;
    for (uint32_t i = 0; i < count; i++)
        width = (int)cells[i].length > width ? (int)cells[i].length : width;
    for (uint32_t i = 0; i < count; i++) {
        if (layout->rank > 2 && i % (rows * columns) == 0) {
            kiln_string_append(out, "  from ");
            write_element(layout, i, out);
            kiln_string_append_char(out, '\n');
        }
        bool ends = (i + 1) % columns == 0;
        kiln_string_appendf(out, "%s%*s%s", i % columns ? " " : "  ", ends ? 0 : -width,
                            cells[i].data ? cells[i].data : "-", ends ? "\n" : "");
    }
}

static kiln_status_t write_elements(const kiln_layout_t *layout, kiln_layout_memory_t memory,
                                    const kiln_padding_t *padding, kiln_string_t *out)
{
    kiln_string_t *cells = collect_cells(layout, memory, padding);
    if (!cells)
        return kiln_status_out_of_memory();
    write_cells(layout, cells, out);
    bool failed = false;
    for (uint32_t i = 0; i < elements(layout); i++) {
        failed |= cells[i].failed;
        kiln_string_free(&cells[i]);
    }
    free(cells);
    return failed ? kiln_status_out_of_memory() : KILN_OK;
}

kiln_status_t kiln_layout_write(const kiln_layout_t *layout, kiln_layout_memory_t memory,
                                const kiln_padding_t *padding, kiln_layout_view_t view,
                                kiln_string_t *out)
{
    if (view == KILN_LAYOUT_VECTORS) {
        write_vectors(layout, memory, out);
        for (int i = 0; i < padding->count; i++)
            kiln_string_appendf(out, "  gap       %d after each %d\n", padding->pads[i],
                                padding->intervals[i]);
        return KILN_OK;
    }
    int bits = layout->bits[KILN_REGISTER] + layout->bits[KILN_LANE] + layout->bits[KILN_WARP];
    if (bits > KILN_LAYOUT_TEXT_BITS || elements(layout) > 1u << KILN_LAYOUT_TEXT_BITS)
        return kiln_status_make(
            KILN_STATUS_UNSUPPORTED,
            "this layout has 2^%d places, but at most %d can be printed; choose a smaller shape",
            bits, 1 << KILN_LAYOUT_TEXT_BITS);
    if (view == KILN_LAYOUT_THREADS && memory == KILN_LAYOUT_IN_LDS)
        write_offsets(layout, padding, out);
    else if (view == KILN_LAYOUT_THREADS)
        write_threads(layout, out);
    else
        return write_elements(layout, memory, padding, out);
    return KILN_OK;
}
