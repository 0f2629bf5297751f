// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Examines the addresses of a program's loads and stores: contiguous bytes, bytes that are accessed
// more than once, and programs that access the same tile at the same time, which the XCD's L2 then
// reads once.
//
// Workgroups go to the XCDs in turn, so those of one XCD have numbers that are `dies` apart.
#include "analysis/work/measure.h"

#include <stdlib.h>
#include <string.h>

#include "base/gfx942.h"

enum {
    MAX_WIDTH = 16,      // bytes of a lane
    MAX_LOOKED_AT = 256, // coordinates of a dimension
    MASK_POINTS = 16,
    MAX_PER_UNIT = 1 << (KILN_WORK_WINDOWS - 1)
};

typedef struct tile {
    kiln_point_t *point;
    const kiln_node_t *pointer;
    int node, mask;
    int64_t bytes; // of an element
} tile_t;

static int64_t address_at(const tile_t *tile, const int64_t *where)
{
    return kiln_point_value(tile->point, tile->node, where);
}

static int64_t stride_of(const tile_t *tile, int dim, int64_t distance)
{
    int64_t where[KILN_POINT_RANK] = {0};
    const int64_t first = address_at(tile, where);
    where[dim] = distance;
    return (int64_t)((uint64_t)address_at(tile, where) - (uint64_t)first);
}

// Number of contiguous bytes from the tile's first element on, and the dimension along which its
// first elements are contiguous.
static int64_t run_of(const tile_t *tile, int *out_fast_dim)
{
    int64_t run = tile->bytes;
    *out_fast_dim = -1;
    for (int pass = 0; pass < tile->pointer->rank; pass++)
        for (int d = 0; d < tile->pointer->rank; d++) {
            const int64_t extent = tile->pointer->dims[d];
            if (extent < 2 || stride_of(tile, d, 1) != run)
                continue;
            int64_t count = 1;
            while (count < extent && stride_of(tile, d, count) == count * run)
                count *= 2;
            run *= count < extent ? count : extent;
            *out_fast_dim = *out_fast_dim < 0 ? d : *out_fast_dim;
            break;
        }
    return run;
}

// The bytes that a lane may access at once: a power of two that divides the address and the
// distances to other rows.
static unsigned width_of(const tile_t *tile, int64_t run)
{
    const int64_t where[KILN_POINT_RANK] = {0};
    uint64_t bits = (uint64_t)address_at(tile, where) | MAX_WIDTH;
    for (int d = 0; d < tile->pointer->rank; d++) {
        const int64_t extent = tile->pointer->dims[d];
        const int64_t stride = extent > 1 ? stride_of(tile, d, 1) : 0;
        if (stride != tile->bytes)
            bits |= (uint64_t)stride;
    }
    uint64_t width = bits & (~bits + 1);
    while ((int64_t)width > run)
        width /= 2;
    return (unsigned)((int64_t)width > tile->bytes ? (int64_t)width : tile->bytes);
}

static int by_value(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static size_t count_different(int64_t *values, size_t count)
{
    size_t different = count > 0;
    qsort(values, count, sizeof *values, by_value);
    for (size_t i = 1; i < count; i++)
        different += values[i] != values[i - 1];
    return different;
}

// The fraction of distinct addresses, dimension by dimension.
static double unique_of(const tile_t *tile)
{
    double share = 1;
    for (int d = 0; d < tile->pointer->rank; d++) {
        int64_t seen[MAX_LOOKED_AT], where[KILN_POINT_RANK] = {0};
        const int64_t extent = tile->pointer->dims[d],
                      count = extent < MAX_LOOKED_AT ? extent : MAX_LOOKED_AT;
        for (int64_t i = 0; i < count; i++) {
            where[d] = i;
            seen[i] = address_at(tile, where);
        }
        share *= (double)count_different(seen, (size_t)count) / (double)count;
    }
    return share;
}

// The fraction of elements that the mask enables, from a sample spread over the tile.
static double share_of_mask(const tile_t *tile)
{
    const kiln_node_t *mask = &tile->point->nodes[tile->mask];
    int64_t where[KILN_POINT_RANK] = {0};
    int along = MASK_POINTS, passed = 0, all = 0;
    if (mask->rank > 1)
        along = mask->rank == 2 ? 4 : 2;
    int total = 1;
    for (int d = 0; d < mask->rank; d++)
        total *= along;
    for (int i = 0; i < total; i++, all++) {
        for (int d = 0, rest = i; d < mask->rank; d++, rest /= along)
            where[d] = (2 * (rest % along) + 1) * mask->dims[d] / (2 * along);
        passed += kiln_point_value(tile->point, tile->mask, where) != 0;
    }
    return (double)passed / all;
}

// Determines whether the mask differs between elements of the tile. Returns the size of aligned
// groups of elements, at most 16, in which it is certainly constant: if it changes within the tile,
// a power of two that divides the position of the change, for arguments as the compiler knows them.
static int64_t look_at_mask(kiln_work_measurement_t *m, const tile_t *tile, int fast_dim,
                            bool *out_differs)
{
    const kiln_node_t *mask = &m->point.nodes[tile->mask];
    int64_t where[KILN_POINT_RANK] = {0}, group = MAX_WIDTH;
    *out_differs = false;
    for (int d = 0; d < mask->rank; d++)
        where[d] = mask->dims[d] - 1;
    *out_differs = !kiln_point_value(&m->point, tile->mask, where);
    if (fast_dim < 0 || fast_dim >= mask->rank)
        return group;
    const int64_t *const arguments = m->point.arguments;
    m->point.arguments = m->promised;
    kiln_point_moved(&m->point);
    memset(where, 0, sizeof where);
    int64_t low = 0, high = mask->dims[fast_dim] - 1;
    where[fast_dim] = high;
    const bool last = kiln_point_value(&m->point, tile->mask, where);
    where[fast_dim] = low;
    const bool first = kiln_point_value(&m->point, tile->mask, where);
    while (first != last && high - low > 1) { // finds where the value changes, by bisection
        where[fast_dim] = low + (high - low) / 2;
        if ((bool)kiln_point_value(&m->point, tile->mask, where) == first)
            low = where[fast_dim];
        else
            high = where[fast_dim];
    }
    while (first != last && high % group != 0)
        group /= 2;
    m->point.arguments = arguments;
    kiln_point_moved(&m->point);
    return group;
}

static tile_t tile_of(kiln_work_measurement_t *m, const kiln_work_item_t *item)
{
    return (tile_t){&m->point, &m->program->nodes[item->pointer], item->pointer, item->mask,
                    item->step.bits / 8};
}

// What is the same for all programs, taken from the middle one; masks from the first, the middle
// and the last one.
static void look_at_tile(kiln_work_measurement_t *m, const kiln_work_item_t *item,
                         kiln_work_step_t *step)
{
    const tile_t tile = tile_of(m, item);
    const double programs[] = {0, m->programs - 1, (double)(uint64_t)(m->programs / 2)};
    enum { PROGRAMS = sizeof programs / sizeof *programs };
    double share = 0;
    for (int i = 0; i < PROGRAMS; i++) {
        kiln_work_go_to(m, programs[i]);
        const bool before = m->point.assumed;
        m->point.assumed = false;
        const double passed = item->mask < 0 ? 1 : share_of_mask(&tile);
        share += (m->point.assumed ? 1 : passed) / PROGRAMS;
        m->point.assumed = before;
    }
    const int64_t run = run_of(&tile, &step->fast_dim);
    step->share = share;
    step->run = (double)run;
    step->width = width_of(&tile, run);
    if (item->mask >= 0) {
        const int64_t group = look_at_mask(m, &tile, step->fast_dim, &step->is_masked) * tile.bytes;
        step->width = group < step->width ? (unsigned)group : step->width;
    }
    step->unique = unique_of(&tile);
}

static bool is_access(const kiln_work_item_t *item)
{
    return item->step.kind == KILN_WORK_LOAD || item->step.kind == KILN_WORK_STORE ||
           item->step.kind == KILN_WORK_ATOMIC;
}

// Sets the iterations of the loops around a place.
static void set_iterations(kiln_work_measurement_t *m, const kiln_work_region_t *regions, int place,
                           bool is_last)
{
    for (; place >= 0; place = regions[place].parent)
        if (regions[place].is_loop)
            m->point.iterations[place] =
                is_last && regions[place].trips > 1 ? (int64_t)regions[place].trips - 1 : 0;
    kiln_point_moved(&m->point);
}

// How often a program accesses other bytes than in the previous execution: executions in loops that
// change the address.
static double fetches_of(kiln_work_measurement_t *m, const kiln_work_region_t *regions,
                         const kiln_work_item_t *item, double count)
{
    const tile_t tile = tile_of(m, item);
    const int64_t where[KILN_POINT_RANK] = {0}, first = address_at(&tile, where);
    for (int place = (int)item->step.region; place >= 0; place = regions[place].parent) {
        if (!regions[place].is_loop || regions[place].trips <= 1)
            continue;
        m->point.iterations[place] = 1;
        kiln_point_moved(&m->point);
        if (address_at(&tile, where) == first)
            count /= regions[place].trips;
        m->point.iterations[place] = 0;
        kiln_point_moved(&m->point);
    }
    return count;
}

// Bytes from the lowest to the highest address that programs of a sample access, unless their tiles
// together have fewer.
static double footprint_of(kiln_work_measurement_t *m, const kiln_work_region_t *regions,
                           const kiln_work_item_t *item, const kiln_work_step_t *step)
{
    enum { SAMPLES = 16 };
    const tile_t tile = tile_of(m, item);
    const double count = m->programs < SAMPLES ? m->programs : SAMPLES;
    int64_t min = INT64_MAX, max = INT64_MIN;
    for (double s = 0; s < count; s++) {
        kiln_work_go_to(m, count > 1 ? s * (m->programs - 1) / (count - 1) : 0);
        for (int end = 0; end < 2; end++) {
            set_iterations(m, regions, (int)item->step.region, end);
            for (int corner = 0; corner < 2; corner++) {
                int64_t where[KILN_POINT_RANK] = {0};
                for (int d = 0; corner && d < tile.pointer->rank; d++)
                    where[d] = tile.pointer->dims[d] - 1;
                const int64_t address = address_at(&tile, where);
                min = address < min ? address : min;
                max = address > max ? address : max;
            }
        }
    }
    set_iterations(m, regions, (int)item->step.region, false);
    const double span = (double)max - (double)min + (double)tile.bytes,
                 all = m->programs * step->fetches * (double)step->elements * step->unique *
                       step->share * (double)tile.bytes;
    return span < all ? span : all;
}

// Whether the next iteration of a loop accesses the bytes that follow, so that a line of which the
// tile has a part is fetched once.
static bool continues(kiln_work_measurement_t *m, const kiln_work_region_t *regions,
                      const kiln_work_item_t *item, int64_t run)
{
    const tile_t tile = tile_of(m, item);
    const int64_t where[KILN_POINT_RANK] = {0}, first = address_at(&tile, where);
    bool found = false;
    for (int place = (int)item->step.region; place >= 0 && !found; place = regions[place].parent) {
        if (!regions[place].is_loop || regions[place].trips <= 1)
            continue;
        m->point.iterations[place] = 1;
        kiln_point_moved(&m->point);
        const int64_t distance = address_at(&tile, where) - first;
        found = distance == run || distance == -run;
        m->point.iterations[place] = 0;
        kiln_point_moved(&m->point);
    }
    return found;
}

// Sets the lines of tiles whose rows are shorter than a line, and of which other XCDs have the
// rest: each of them fetches the whole line. `sorted` are addresses of programs of one XCD.
static void count_lines(kiln_work_measurement_t *m, const kiln_work_region_t *regions,
                        const kiln_work_item_t *item, kiln_work_step_t *step, int64_t *sorted,
                        size_t count)
{
    const int64_t run = (int64_t)step->run;
    size_t tiles = 0, lines = 0;
    step->lines = 1;
    if (run >= KILN_GFX942_L2_LINE || continues(m, regions, item, run))
        return;
    for (size_t i = 0; i < count; i++) {
        tiles += i == 0 || sorted[i] != sorted[i - 1];
        lines += i == 0 || sorted[i] / KILN_GFX942_L2_LINE != sorted[i - 1] / KILN_GFX942_L2_LINE;
    }
    const double ratio = (double)lines * KILN_GFX942_L2_LINE / ((double)tiles * (double)run);
    step->lines = ratio > 1 ? ratio : 1;
}

// Counts the different tiles of the programs that one XCD executes at the same time. `seen` has
// room for the largest window.
static void count_tiles(kiln_work_measurement_t *m, const kiln_work_region_t *regions,
                        const kiln_work_item_t *item, kiln_work_step_t *step, int64_t *seen,
                        int64_t *sorted)
{
    const tile_t tile = tile_of(m, item);
    const int64_t where[KILN_POINT_RANK] = {0};
    const size_t units = m->launch->die_units;
    size_t count = 0;
    for (int w = 0; w < KILN_WORK_WINDOWS; w++) {
        const size_t wanted = units << w;
        for (; count < wanted && (double)count * m->launch->dies < m->programs; count++) {
            kiln_work_go_to(m, (double)count * m->launch->dies);
            seen[count] = address_at(&tile, where);
        }
        memcpy(sorted, seen, count * sizeof *sorted);
        step->die_tiles[w] = (double)count_different(sorted, count);
        if (w == 0)
            count_lines(m, regions, item, step, sorted, count);
    }
}

// The addresses of a program's first and last element of an access.
typedef struct span {
    int64_t first, last;
} span_t;

static span_t span_of(kiln_work_measurement_t *m, const kiln_work_region_t *regions,
                      const kiln_work_item_t *item)
{
    const tile_t tile = tile_of(m, item);
    int64_t where[KILN_POINT_RANK] = {0};
    span_t span = {.first = address_at(&tile, where)};
    for (int d = 0; d < tile.pointer->rank; d++)
        where[d] = tile.pointer->dims[d] - 1;
    set_iterations(m, regions, (int)item->step.region, true);
    span.last = address_at(&tile, where);
    set_iterations(m, regions, (int)item->step.region, false);
    return span;
}

// Finds loads of bytes that an earlier load of the same program has fetched.
static void find_repeats(kiln_work_measurement_t *m, const kiln_work_region_t *regions,
                         kiln_work_step_t *steps)
{
    kiln_work_go_to(m, (double)(uint64_t)(m->programs / 2));
    for (size_t i = 0; i < m->program->item_count; i++) {
        const kiln_work_item_t *item = &m->program->items[i];
        if (item->step.kind != KILN_WORK_LOAD || item->pointer < 0 || steps[i].argument < 0)
            continue;
        const span_t span = span_of(m, regions, item);
        for (size_t j = 0; j < i && !steps[i].is_repeat; j++) {
            const kiln_work_item_t *other = &m->program->items[j];
            if (other->step.kind != KILN_WORK_LOAD || other->pointer < 0 ||
                steps[j].argument != steps[i].argument)
                continue;
            const span_t earlier = span_of(m, regions, other);
            steps[i].is_repeat = earlier.first <= span.first && span.last <= earlier.last;
        }
    }
}

static void assume_nothing_shared(const kiln_work_measurement_t *m, kiln_work_step_t *step)
{
    const double dies = m->launch->dies, units = m->launch->die_units;
    step->width = step->bits / 8;
    step->run = step->width;
    step->fetches = step->count;
    step->lines = 1;
    step->footprint = m->programs * step->count * (double)step->elements * step->width;
    for (int w = 0; w < KILN_WORK_WINDOWS; w++) {
        const double max = units * (1 << w), all = m->programs / dies;
        step->die_tiles[w] = all < 1 ? 1 : all < max ? all : max;
    }
}

// The matrix instructions take contiguous elements of an operand along k: a row of A, a column of
// B.
static void look_at_operand(const kiln_work_program_t *program, const kiln_work_item_t *item,
                            const kiln_work_step_t *steps, kiln_work_step_t *step)
{
    if (item->step.kind != KILN_WORK_OPERAND || item->loaded_by < 0)
        return;
    const int pointer = program->items[item->loaded_by].pointer,
              rank = pointer < 0 ? 0 : program->nodes[pointer].rank,
              dim = steps[item->loaded_by].fast_dim;
    const bool is_left = item->step.operand == 0;
    step->is_transposed =
        rank >= 2 && dim >= 0 && (dim == rank - 1) != (is_left != item->is_flipped);
}

bool kiln_work_look_at_accesses(kiln_work_measurement_t *m, const kiln_work_region_t *regions,
                                kiln_work_step_t *steps)
{
    const size_t max = (size_t)m->launch->die_units * MAX_PER_UNIT;
    int64_t *seen = calloc(max + 1, sizeof *seen), *sorted = calloc(max + 1, sizeof *sorted);
    for (size_t i = 0; seen && sorted && i < m->program->item_count; i++) {
        const kiln_work_item_t *item = &m->program->items[i];
        if (!is_access(item))
            continue;
        if (item->pointer < 0) {
            assume_nothing_shared(m, &steps[i]);
            continue;
        }
        const bool before = m->point.assumed; // addresses that data decides are usual
        look_at_tile(m, item, &steps[i]);
        steps[i].fetches = fetches_of(m, regions, item, steps[i].count);
        steps[i].footprint = footprint_of(m, regions, item, &steps[i]);
        count_tiles(m, regions, item, &steps[i], seen, sorted);
        m->point.assumed = before;
    }
    find_repeats(m, regions, steps);
    for (size_t i = 0; seen && sorted && i < m->program->item_count; i++)
        look_at_operand(m->program, &m->program->items[i], steps, &steps[i]);
    const bool is_whole = seen && sorted;
    free(seen);
    free(sorted);
    return is_whole;
}
