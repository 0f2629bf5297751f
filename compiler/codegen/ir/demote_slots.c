// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slots of the scratch arena: a buddy allocator, so that the slot of a vector can be reused for
// single elements and vice versa.
//
// Note that the last read at a position precedes any write there, so the slot is free for a value
// that begins there.
#include <stdlib.h>

#include "base/array.h"
#include "codegen/ir/demote.h"

static void push_slot(kiln_demotion_t *d, int level, uint32_t slot)
{
    if (!KILN_ARRAY_RESERVE(&d->free_slots[level], &d->free_capacity[level],
                            (size_t)d->free_count[level] + 1)) {
        d->failed = true;
        return;
    }
    d->free_slots[level][d->free_count[level]++] = slot;
}

// Joins free neighbours of one level into slots of the next.
static int compare_slots(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void join_slots(kiln_demotion_t *d, int level)
{
    uint32_t *slots = d->free_slots[level], count = d->free_count[level], kept = 0,
             size = 1u << level;
    if (count < 2)
        return;
    qsort(slots, count, sizeof *slots, compare_slots);
    for (uint32_t i = 0; i < count; i++) {
        if (i + 1 < count && !(slots[i] & size) && slots[i + 1] == slots[i] + size)
            push_slot(d, level + 1, slots[i++]);
        else
            slots[kept++] = slots[i];
    }
    d->free_count[level] = kept;
}

static uint32_t take_slot(kiln_demotion_t *d, int level)
{
    for (int attempt = 0; attempt < 2; attempt++) {
        int found = level;
        while (found < KILN_SLOT_LEVELS && !d->free_count[found])
            found++;
        if (found < KILN_SLOT_LEVELS) {
            uint32_t slot = d->free_slots[found][--d->free_count[found]];
            for (; found > level; found--)
                push_slot(d, found - 1, slot + (1u << (found - 1)));
            return slot;
        }
        for (int i = 0; attempt == 0 && i < level; i++)
            join_slots(d, i);
    }
    push_slot(d, KILN_SLOT_LEVELS - 1, d->arena_bytes);
    d->arena_bytes += KILN_LARGEST_SLOT;
    return d->failed ? 0 : take_slot(d, level);
}

static const uint32_t NOBODY = UINT32_MAX;

void kiln_demotion_place(kiln_demotion_t *d)
{
    uint32_t *begins = malloc((d->count + 1) * sizeof *begins),
             *next = malloc((d->count + 1) * sizeof *next);
    d->ends = malloc((d->count + 1) * sizeof *d->ends);
    d->failed = !begins || !next || !d->ends;
    for (uint32_t at = 0; !d->failed && at <= d->count; at++)
        begins[at] = d->ends[at] = NOBODY;
    for (uint32_t at = d->failed ? 0 : d->count; at-- > 0;) {
        if (!d->values[at].demoted)
            continue;
        next[at] = begins[d->values[at].begin];
        begins[d->values[at].begin] = at;
    }
    for (uint32_t at = 0; !d->failed && at < d->count; at++) {
        // Last reads at this position precede all writes at it.
        for (uint32_t i = d->ends[at]; i != NOBODY; i = d->values[i].next_end)
            push_slot(d, kiln_demotion_level(d, d->values[i].def), d->values[i].slot);
        for (uint32_t i = begins[at]; i != NOBODY && !d->failed; i = next[i]) {
            d->values[i].slot = take_slot(d, kiln_demotion_level(d, d->values[i].def));
            d->values[i].next_end = d->ends[d->values[i].end];
            d->ends[d->values[i].end] = i;
        }
    }
    free(begins);
    free(next);
}
