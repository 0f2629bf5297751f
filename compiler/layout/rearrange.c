// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derives layouts from other layouts; see rearrange.h.
//
// Note that a free bit's vector need not be zero; it may be a sum of earlier ones.
#include "layout/rearrange.h"

#include <string.h>

kiln_layout_t kiln_layout_project(const kiln_layout_t *wide, const kiln_layout_t *narrow)
{
    kiln_layout_t result = *narrow;
    for (int place = 0; place < KILN_PLACES; place++) {
        result.bits[place] = wide->bits[place];
        for (int i = 0; i < wide->bits[place]; i++) {
            uint32_t basis = 0;
            for (int d = 0; d < wide->rank; d++)
                if (narrow->log2_shape[d])
                    basis |= kiln_layout_coord(wide, wide->basis[place][i], d)
                             << kiln_layout_shift(narrow, d);
            result.basis[place][i] = basis;
        }
    }
    return result;
}

kiln_layout_t kiln_layout_straighten(const kiln_layout_t *given)
{
    kiln_layout_t layout = *given;
    int bits = 0, next = 0;
    for (int d = 0; d < given->rank; d++)
        bits += given->log2_shape[d];
    for (int place = KILN_LANE; place <= KILN_WARP; place++)
        for (int i = 0; i < layout.bits[place]; i++)
            layout.basis[place][i] = next < bits ? 1u << next++ : 0;
    layout.bits[KILN_REGISTER] = 0;
    while (next < bits)
        layout.basis[KILN_REGISTER][layout.bits[KILN_REGISTER]++] = 1u << next++;
    return layout;
}

uint32_t kiln_layout_canonical_register(const kiln_layout_t *layout, uint32_t reg)
{
    uint32_t vectors[32] = {0}, registers[32] = {0}, wanted = 0,
             duplicate = 0; // by the highest bit of the vector
    for (int i = 0; i < layout->bits[KILN_REGISTER]; i++) {
        uint32_t vector = layout->basis[KILN_REGISTER][i], made_of = 1u << i;
        if (reg >> i & 1)
            wanted ^= vector;
        for (int top; vector; vector ^= vectors[top], made_of ^= registers[top]) {
            top = 31 - __builtin_clz(vector);
            if (!vectors[top]) {
                vectors[top] = vector;
                registers[top] = made_of;
                break;
            }
        }
    }
    for (int top; wanted; wanted ^= vectors[top], duplicate ^= registers[top])
        top = 31 - __builtin_clz(wanted);
    return duplicate;
}

kiln_layout_t kiln_layout_append_pair(const kiln_layout_t *layout)
{
    kiln_layout_t result = *layout;
    result.log2_shape[result.rank++] = 1;
    for (int place = 0; place < KILN_PLACES; place++)
        for (int i = 0; i < result.bits[place]; i++)
            result.basis[place][i] <<= 1;
    result.basis[KILN_REGISTER][result.bits[KILN_REGISTER]++] = 1;
    return result;
}

kiln_layout_t kiln_layout_prepend_pair(const kiln_layout_t *layout)
{
    kiln_layout_t result = kiln_layout_append_pair(layout);
    uint32_t *registers = result.basis[KILN_REGISTER];
    memmove(registers + 1, registers, layout->bits[KILN_REGISTER] * sizeof *registers);
    registers[0] = 1;
    return result;
}

bool kiln_layout_drop_pair(const kiln_layout_t *layout, kiln_layout_t *out)
{
    kiln_layout_t result = *layout;
    if (!result.rank || result.log2_shape[result.rank - 1] != 1)
        return false;
    result.log2_shape[--result.rank] = 0;
    bool found = false;
    for (int place = 0; place < KILN_PLACES; place++) {
        int kept = 0;
        for (int i = 0; i < layout->bits[place]; i++) {
            uint32_t basis = layout->basis[place][i];
            bool is_pair = place == KILN_REGISTER && basis == 1 && !found;
            if ((basis & 1) && !is_pair)
                return false;
            found |= is_pair;
            if (!is_pair)
                result.basis[place][kept++] = basis >> 1;
        }
        for (int i = kept; i < layout->bits[place]; i++)
            result.basis[place][i] = 0;
        result.bits[place] = (uint8_t)kept;
    }
    *out = result;
    return found;
}

kiln_layout_t kiln_layout_in_windows(const kiln_layout_t *given)
{
    kiln_layout_t layout = *given;
    int bit = 0, total = 0;
    for (int d = 0; d < given->rank; d++)
        total += given->log2_shape[d];
    layout.bits[KILN_REGISTER] = (uint8_t)(total - layout.bits[KILN_LANE] - layout.bits[KILN_WARP]);
    for (int p = KILN_LANE; p <= KILN_WARP; p++)
        for (int i = 0; i < layout.bits[p]; i++)
            layout.basis[p][i] = 1u << bit++;
    for (int i = 0; i < layout.bits[KILN_REGISTER]; i++)
        layout.basis[KILN_REGISTER][i] = 1u << bit++;
    return layout;
}

kiln_layout_t kiln_layout_row_major(const kiln_layout_t *layout)
{
    kiln_layout_t map = *layout;
    map.rank = 1;
    for (int d = 1; d < layout->rank; d++)
        map.log2_shape[0] = (uint8_t)(map.log2_shape[0] + layout->log2_shape[d]);
    return map;
}
