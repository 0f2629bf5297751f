// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector clocks as sorted lists, and a hash table of them by address. Note that the list of a
// counter that all programs increment has an entry for each program, so merging must be linear in
// the lengths of both lists.
#include "interp/vector_clock.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static size_t find(const kiln_vector_clock_t *clock, uint32_t program)
{
    size_t low = 0, high = clock->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (clock->items[middle].program < program)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t kiln_vector_clock_get(const kiln_vector_clock_t *clock, uint32_t program)
{
    const size_t at = find(clock, program);
    return at < clock->count && clock->items[at].program == program ? clock->items[at].epoch : 0;
}

bool kiln_vector_clock_add(kiln_vector_clock_t *into, uint32_t program, uint32_t epoch)
{
    const size_t at = find(into, program);
    if (at < into->count && into->items[at].program == program) {
        if (into->items[at].epoch < epoch)
            into->items[at].epoch = epoch;
        return true;
    }
    if (!KILN_ARRAY_RESERVE(&into->items, &into->capacity, into->count + 1))
        return false;
    memmove(into->items + at + 1, into->items + at, (into->count - at) * sizeof *into->items);
    into->items[at] = (kiln_clock_entry_t){program, epoch};
    into->count++;
    return true;
}

// How many programs of `from` are new to `into`.
static size_t count_new(const kiln_vector_clock_t *into, const kiln_vector_clock_t *from)
{
    size_t count = 0;
    for (size_t i = 0, j = 0; j < from->count; j++) {
        while (i < into->count && into->items[i].program < from->items[j].program)
            i++;
        count += i == into->count || into->items[i].program != from->items[j].program;
    }
    return count;
}

bool kiln_vector_clock_merge(kiln_vector_clock_t *into, const kiln_vector_clock_t *from)
{
    const size_t more = count_new(into, from);
    if (!KILN_ARRAY_RESERVE(&into->items, &into->capacity, into->count + more))
        return false;
    // Merges from the end so that no entry is overwritten before it has been moved.
    size_t i = into->count, j = from->count, to = into->count + more;
    into->count = to;
    while (j) {
        if (i && into->items[i - 1].program > from->items[j - 1].program) {
            into->items[--to] = into->items[--i];
        } else if (i && into->items[i - 1].program == from->items[j - 1].program) {
            kiln_clock_entry_t item = into->items[--i];
            j--;
            if (from->items[j].epoch > item.epoch)
                item.epoch = from->items[j].epoch;
            into->items[--to] = item;
        } else {
            into->items[--to] = from->items[--j];
        }
    }
    return true;
}

void kiln_vector_clock_free(kiln_vector_clock_t *clock)
{
    free(clock->items);
    *clock = (kiln_vector_clock_t){0};
}

// Places ------------------------------------------------------------------------------------------

static struct kiln_address_clock *slot_of(struct kiln_address_clock *slots, size_t capacity,
                                          uint64_t address)
{
    size_t at = (size_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (capacity - 1);
    while (slots[at].address && slots[at].address != address)
        at = (at + 1) & (capacity - 1);
    return &slots[at];
}

static bool widen(kiln_address_clocks_t *places)
{
    const size_t capacity = places->capacity ? 2 * places->capacity : 64;
    struct kiln_address_clock *slots = calloc(capacity, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < places->capacity; i++)
        if (places->slots[i].address)
            *slot_of(slots, capacity, places->slots[i].address) = places->slots[i];
    free(places->slots);
    places->slots = slots;
    places->capacity = capacity;
    return true;
}

kiln_vector_clock_t *kiln_address_clocks_at(kiln_address_clocks_t *places, uint64_t address)
{
    if (2 * places->count >= places->capacity && !widen(places))
        return NULL;
    struct kiln_address_clock *slot = slot_of(places->slots, places->capacity, address);
    places->count += slot->address == 0;
    slot->address = address;
    return &slot->clock;
}

void kiln_address_clocks_free(kiln_address_clocks_t *places)
{
    for (size_t i = 0; i < places->capacity; i++)
        kiln_vector_clock_free(&places->slots[i].clock);
    free(places->slots);
    *places = (kiln_address_clocks_t){0};
}
