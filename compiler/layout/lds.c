// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a distributed layout accesses LDS: the offset of every place, the widest access, and the cost
// of bank conflicts.
//
// LDS of gfx942 has 32 banks of 4 bytes and serves a wave's access in groups of lanes
// (base/gfx942.def). Note that the groups of ds_read_b128 are not consecutive lanes but cosets of
// {0–3, 20–23}.
#include "layout/lds.h"

#include <string.h>

#include "base/gfx942.h"

enum {
    BANKS = KILN_GFX942_LDS_BANKS,
    BANK_BYTES = KILN_GFX942_LDS_BANK_BYTES,
    MAX_ACCESS_BYTES = KILN_GFX942_LDS_MAX_ACCESS_BYTES
};

// By direction from the narrowest access up.
static const struct {
    kiln_lds_direction_t direction;
    int bytes, lanes;
    uint32_t span[5];
} GROUPS[] = {
#define GFX942_LDS_GROUP(access, bytes, lanes, span, source)                                       \
    {KILN_LDS_##access, bytes, lanes, {KILN_GFX942_SPAN span}},
#include "base/gfx942.def"
};

int kiln_lds_element_bytes(int element_bits)
{
    return element_bits <= 8 ? 1 : element_bits / 8;
}

kiln_layout_t kiln_layout_to_lds(const kiln_layout_t *distributed, const kiln_layout_t *lds)
{
    kiln_layout_inverse_t inverse = kiln_layout_invert(lds);
    kiln_layout_t result = {.rank = 1, .log2_shape = {lds->bits[KILN_REGISTER]}};
    for (int p = 0; p < KILN_PLACES; p++) {
        result.bits[p] = distributed->bits[p];
        for (int i = 0; i < distributed->bits[p]; i++) {
            uint32_t flat = 0; // in the shape of the LDS layout, which may be larger
            for (int d = 0; d < distributed->rank; d++)
                flat |= kiln_layout_coord(distributed, distributed->basis[p][i], d)
                        << kiln_layout_shift(lds, d);
            result.basis[p][i] = kiln_layout_inverse_apply(&inverse, KILN_REGISTER, flat);
        }
    }
    return result;
}

kiln_lds_access_t kiln_layout_lds_access(const kiln_layout_t *to_lds, int element_bits)
{
    kiln_lds_access_t access = {.vector = 1};
    int limit = MAX_ACCESS_BYTES / kiln_lds_element_bytes(element_bits);
    int run = 0; // log2 of the vector
    uint32_t stepping = 0;
    while (2 << run <= limit) {
        int found = -1;
        for (int i = 0; i < to_lds->bits[KILN_REGISTER] && found < 0; i++)
            if (to_lds->basis[KILN_REGISTER][i] == 1u << run)
                found = i;
        if (found < 0)
            break;
        access.vector_bits[run++] = (uint8_t)found;
        stepping |= 1u << found;
    }
    // Every access must begin at a multiple of its size.
    for (int p = 0; p < KILN_PLACES; p++)
        for (int i = 0; i < to_lds->bits[p]; i++)
            while (!(p == KILN_REGISTER && (stepping >> i & 1)) &&
                   (to_lds->basis[p][i] & ((1u << run) - 1)))
                stepping &= ~(1u << access.vector_bits[--run]);
    access.vector = 1 << run;
    return access;
}

kiln_lds_groups_t kiln_lds_groups(int access_bytes, kiln_lds_direction_t direction)
{
    size_t row = 0;
    while (GROUPS[row].direction != direction || GROUPS[row].bytes < access_bytes)
        row++;
    kiln_lds_groups_t groups = {.bits = __builtin_ctz((unsigned)GROUPS[row].lanes)};
    memcpy(groups.lane, GROUPS[row].span, sizeof groups.lane);
    return groups;
}

int kiln_lds_cycles(const kiln_layout_t *to_lds, int element_bits, kiln_lds_direction_t direction)
{
    int bytes = kiln_lds_element_bytes(element_bits);
    int access_bytes = kiln_layout_lds_access(to_lds, element_bits).vector * bytes;
    kiln_lds_groups_t groups = kiln_lds_groups(access_bytes, direction);
    // A layout is linear, so every group is the first one moved by a constant, which permutes the
    // banks: one group stands for all.
    uint32_t seen[BANKS * MAX_ACCESS_BYTES / BANK_BYTES];
    int count = 0, rows[BANKS] = {0}, worst = 0;
    for (uint32_t member = 0; member < 1u << groups.bits; member++) {
        uint32_t lane = 0;
        for (int i = 0; i < groups.bits; i++)
            lane ^= member >> i & 1 ? groups.lane[i] : 0;
        uint32_t first = kiln_layout_apply(to_lds, 0, lane, 0) * (uint32_t)bytes;
        for (uint32_t at = first / BANK_BYTES * BANK_BYTES; at < first + (uint32_t)access_bytes;
             at += BANK_BYTES) {
            bool known = false; // lanes that meet in one dword are served together
            for (int i = 0; i < count; i++)
                known |= seen[i] == at;
            if (known)
                continue;
            seen[count++] = at;
            int bank = (int)(at / BANK_BYTES % BANKS);
            if (++rows[bank] > worst)
                worst = rows[bank];
        }
    }
    return worst << (6 - groups.bits);
}

int kiln_layout_bank_conflicts(const kiln_layout_t *to_lds, int element_bits,
                               kiln_lds_direction_t direction)
{
    int access_bytes =
        kiln_layout_lds_access(to_lds, element_bits).vector * kiln_lds_element_bytes(element_bits);
    int groups = 1 << (6 - kiln_lds_groups(access_bytes, direction).bits);
    return kiln_lds_cycles(to_lds, element_bits, direction) - groups;
}
