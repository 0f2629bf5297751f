// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The algebra: applying, inverting and comparing layouts, and the changes of shape that move no
// data.
//
// Note that a layout need not be injective, so its inverse is not unique. All functions here choose
// the place whose free bits are 0, where bits are tried in the order register, lane, warp.
#include "layout/layout.h"

#include <string.h>

#include "layout/span.h"

int kiln_layout_shift(const kiln_layout_t *layout, int dim)
{
    int shift = 0;
    for (int d = dim + 1; d < layout->rank; d++)
        shift += layout->log2_shape[d];
    return shift;
}

static int index_bits(const kiln_layout_t *layout)
{
    return layout->rank == 0 ? 0 : kiln_layout_shift(layout, 0) + layout->log2_shape[0];
}

uint32_t kiln_layout_coord(const kiln_layout_t *layout, uint32_t flat, int dim)
{
    return (flat >> kiln_layout_shift(layout, dim)) & ((1u << layout->log2_shape[dim]) - 1);
}

uint32_t kiln_layout_apply(const kiln_layout_t *layout, uint32_t reg, uint32_t lane, uint32_t warp)
{
    const uint32_t places[KILN_PLACES] = {reg, lane, warp};
    uint32_t flat = 0;
    for (int p = 0; p < KILN_PLACES; p++)
        for (int i = 0; i < layout->bits[p]; i++)
            if (places[p] >> i & 1)
                flat ^= layout->basis[p][i];
    return flat;
}

uint32_t kiln_layout_free_bits(const kiln_layout_t *layout, kiln_place_t place)
{
    kiln_span_t span = {0};
    for (int p = 0; p < (int)place; p++)
        for (int i = 0; i < layout->bits[p]; i++)
            kiln_span_insert(&span, layout->basis[p][i]);
    uint32_t free_bits = 0;
    for (int i = 0; i < layout->bits[place]; i++)
        if (!kiln_span_insert(&span, layout->basis[place][i]))
            free_bits |= 1u << i;
    return free_bits;
}

bool kiln_layout_equal(const kiln_layout_t *a, const kiln_layout_t *b)
{
    if (a->rank != b->rank || memcmp(a->log2_shape, b->log2_shape, (size_t)a->rank) != 0 ||
        memcmp(a->bits, b->bits, sizeof a->bits) != 0)
        return false;
    for (int p = 0; p < KILN_PLACES; p++)
        if (memcmp(a->basis[p], b->basis[p], a->bits[p] * sizeof(uint32_t)) != 0)
            return false;
    return true;
}

// Inverse -----------------------------------------------------------------------------------------

// Tags hold a place: the register number in bits 0–23, the lane in bits 24–47, the warp above.
static const int tag_shift[KILN_PLACES] = {0, 24, 48};
static const uint64_t tag_mask[KILN_PLACES] = {0xffffff, 0xffffff, 0xffff};

kiln_layout_inverse_t kiln_layout_invert(const kiln_layout_t *layout)
{
    kiln_layout_inverse_t inverse = {.bits = index_bits(layout), .onto = true};
    kiln_span_t span = {0};
    for (int p = 0; p < KILN_PLACES; p++)
        for (int i = 0; i < layout->bits[p]; i++)
            kiln_span_insert_tagged(&span, layout->basis[p][i], 1ull << (tag_shift[p] + i));
    for (int bit = 0; bit < inverse.bits; bit++) {
        uint64_t tag;
        if (!kiln_span_solve(&span, 1u << bit, &tag)) {
            inverse.onto = false;
            continue;
        }
        for (int p = 0; p < KILN_PLACES; p++)
            inverse.place[p][bit] = (uint32_t)(tag >> tag_shift[p] & tag_mask[p]);
    }
    return inverse;
}

uint32_t kiln_layout_inverse_apply(const kiln_layout_inverse_t *inverse, kiln_place_t place,
                                   uint32_t flat)
{
    uint32_t result = 0;
    for (int bit = 0; bit < inverse->bits; bit++)
        if (flat >> bit & 1)
            result ^= inverse->place[place][bit];
    return result;
}

void kiln_layout_locate(const kiln_layout_t *layout, uint32_t flat, uint32_t *reg, uint32_t *lane,
                        uint32_t *warp)
{
    kiln_layout_inverse_t inverse = kiln_layout_invert(layout);
    *reg = kiln_layout_inverse_apply(&inverse, KILN_REGISTER, flat);
    *lane = kiln_layout_inverse_apply(&inverse, KILN_LANE, flat);
    *warp = kiln_layout_inverse_apply(&inverse, KILN_WARP, flat);
}

uint32_t kiln_layout_source_register(const kiln_layout_t *source, const kiln_layout_t *destination,
                                     uint32_t reg)
{
    kiln_span_t span = {0};
    for (int i = 0; i < source->bits[KILN_REGISTER]; i++)
        kiln_span_insert_tagged(&span, source->basis[KILN_REGISTER][i], 1ull << i);
    uint64_t tag;
    kiln_span_solve(&span, kiln_layout_apply(destination, reg, 0, 0), &tag);
    return (uint32_t)tag;
}

// Changes of shape --------------------------------------------------------------------------------

// The flat index, in the shape of `to`, of the element whose coordinate along to's dimension d is
// that of `flat` along from's dimension source_dim[d].
static uint32_t reindex(const kiln_layout_t *from, const kiln_layout_t *to,
                        const int32_t *source_dim, uint32_t flat)
{
    uint32_t result = 0;
    for (int d = 0; d < to->rank; d++)
        result |= kiln_layout_coord(from, flat, source_dim[d]) << kiln_layout_shift(to, d);
    return result;
}

static void reindex_all(const kiln_layout_t *from, const int32_t *source_dim, kiln_layout_t *to)
{
    for (int p = 0; p < KILN_PLACES; p++)
        for (int i = 0; i < from->bits[p]; i++)
            to->basis[p][i] = reindex(from, to, source_dim, from->basis[p][i]);
}

kiln_layout_t kiln_layout_expand_dims(const kiln_layout_t *layout, int axis)
{
    kiln_layout_t result = *layout;
    result.rank++;
    for (int d = layout->rank; d > axis; d--)
        result.log2_shape[d] = layout->log2_shape[d - 1];
    result.log2_shape[axis] = 0;
    return result;
}

kiln_layout_t kiln_layout_transpose(const kiln_layout_t *layout, const int32_t *order)
{
    kiln_layout_t result = *layout;
    for (int d = 0; d < layout->rank; d++)
        result.log2_shape[d] = layout->log2_shape[order[d]];
    reindex_all(layout, order, &result);
    return result;
}

kiln_layout_t kiln_layout_reshape(const kiln_layout_t *layout, int rank, const int64_t *shape)
{
    kiln_layout_t result = *layout;
    result.rank = rank;
    for (int d = 0; d < rank; d++)
        result.log2_shape[d] = (uint8_t)__builtin_ctzll((unsigned long long)shape[d]);
    return result;
}

static kiln_layout_t fastest_first(const kiln_layout_t *layout, const int32_t *order)
{
    int32_t slow_to_fast[KILN_MAX_RANK];
    for (int d = 0; d < layout->rank; d++)
        slow_to_fast[d] = order[layout->rank - 1 - d];
    return kiln_layout_transpose(layout, slow_to_fast);
}

int kiln_layout_contiguous_registers(const kiln_layout_t *layout, const int32_t *order, int limit)
{
    kiln_layout_t sorted = fastest_first(layout, order);
    int run = 0;
    while (run < sorted.bits[KILN_REGISTER] && 2 << run <= limit &&
           sorted.basis[KILN_REGISTER][run] == 1u << run)
        run++;
    for (int p = 0; p < KILN_PLACES; p++)
        for (int i = p == KILN_REGISTER ? run : 0; i < sorted.bits[p]; i++)
            while (sorted.basis[p][i] & ((1u << run) - 1))
                run--;
    return 1 << run;
}

int kiln_layout_group_registers(const kiln_layout_t *layout, const int32_t *order, int width,
                                int limit, int *out_n)
{
    kiln_layout_t sorted = fastest_first(layout, order);
    const uint32_t *registers = sorted.basis[KILN_REGISTER];
    const int bits = sorted.bits[KILN_REGISTER];
    int inside = 0, groups = 0;
    while (inside < bits && registers[inside] < (uint32_t)width)
        inside++;
    while (inside + groups < bits && 2 << groups <= limit &&
           registers[inside + groups] == (uint32_t)width << groups)
        groups++;
    for (int p = 0; p < KILN_PLACES; p++)
        for (int i = p == KILN_REGISTER ? inside + groups : 0; i < sorted.bits[p]; i++)
            while (sorted.basis[p][i] / (uint32_t)width & ((1u << groups) - 1))
                groups--;
    *out_n = 1 << inside;
    return 1 << groups;
}
