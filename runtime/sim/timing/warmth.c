// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "timing/warmth.h"

#include <stdlib.h>
#include <string.h>

#include "base/gfx942.h"

enum { LINE = KILN_GFX942_L2_LINE };

// ---- regions

static kiln_timing_region_t *region_of(const kiln_timing_warmth_t *warmth, uint64_t line)
{
    size_t low = 0, high = warmth->region_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (warmth->regions[middle].last < line)
            low = middle + 1;
        else
            high = middle;
    }
    kiln_timing_region_t *found = low < warmth->region_count ? &warmth->regions[low] : NULL;
    return found && found->first <= line ? found : NULL;
}

// Waves come and go where others have left their scratch, in no allocation.
static bool is_scratch(uint64_t line)
{
    return line - KILN_TIMING_SCRATCH / LINE < KILN_TIMING_SCRATCH_BYTES / LINE;
}

// What else is in no allocation of the device (registered memory of the host) is far away, and nobody shares it.
static kiln_timing_place_t find(const kiln_timing_map_t *map, uint64_t line)
{
    const kiln_timing_warmth_t *warmth = (const kiln_timing_warmth_t *)(const void *)map;
    const kiln_timing_region_t *region = region_of(warmth, line);
    if (!region && is_scratch(line))
        return (kiln_timing_place_t){.in_mall = true, .sharers = 1};
    if (!region || region->is_host)
        return (kiln_timing_place_t){.on_host = true, .sharers = 1};
    // The same lines every time, spread over the region.
    const uint64_t mixed = line * 0x9e3779b97f4a7c15ull >> 40;
    return (kiln_timing_place_t){
        .in_mall = (double)mixed < region->in_mall * (1 << 24),
        .in_l2 = region->in_l2,
        .sharers = region->sharers,
        .others = &region->others,
    };
}

typedef struct regions {
    kiln_timing_warmth_t *warmth;
    const kiln_sim_memory_t *memory;
    size_t capacity;
} regions_t;

static bool add_region(const kiln_sim_allocation_t *a, void *data)
{
    const regions_t *regions = data;
    kiln_timing_warmth_t *warmth = regions->warmth;
    const bool in_arena = a->base - regions->memory->arena < regions->memory->arena_size;
    if (!in_arena && a->kind != KILN_SIM_MEMORY_MAPPED)
        return true;
    const uint64_t first = (a->base - regions->memory->arena) / LINE;
    if (warmth->region_count < regions->capacity)
        warmth->regions[warmth->region_count++] =
            (kiln_timing_region_t){.first = first,
                                   .last = first + (a->size - 1) / LINE,
                                   .number = a->number,
                                   .sharers = 1,
                                   .is_code = a->kind == KILN_SIM_MEMORY_CODE,
                                   .is_host = a->kind != KILN_SIM_MEMORY_CODE && a->kind != KILN_SIM_MEMORY_DEVICE &&
                                              a->kind != KILN_SIM_MEMORY_MANAGED && a->kind != KILN_SIM_MEMORY_MAPPED};
    return true;
}

static bool count_one(const kiln_sim_allocation_t *a, void *count)
{
    (void)a;
    ++*(size_t *)count;
    return true;
}

static int by_line(const void *a, const void *b)
{
    const uint64_t x = ((const kiln_timing_region_t *)a)->first, y = ((const kiln_timing_region_t *)b)->first;
    return x < y ? -1 : x > y;
}

static bool make_regions(kiln_timing_warmth_t *warmth, const kiln_sim_memory_t *memory)
{
    regions_t regions = {warmth, memory, 0};
    kiln_sim_memory_each(memory, count_one, &regions.capacity);
    free(warmth->regions);
    warmth->regions = calloc(regions.capacity ? regions.capacity : 1, sizeof *warmth->regions);
    warmth->region_count = 0;
    if (!warmth->regions)
        return false;
    kiln_sim_memory_each(memory, add_region, &regions); // what was allocated meanwhile is no region of this launch
    // Mapped memory may lie in front of the arena: its lines count from there, modulo 2^64.
    qsort(warmth->regions, warmth->region_count, sizeof *warmth->regions, by_line);
    return true;
}

// ---- sharing

// Ascending, digit by digit from the lowest one on, without those in which none differs. `scratch` has room for as many.
static void sort(uint64_t *numbers, uint64_t *scratch, size_t count)
{
    enum { BITS = 11, DIGITS = 1 << BITS };
    uint64_t *from = numbers, *to = scratch, different = 0;
    for (size_t i = 1; i < count; i++)
        different |= numbers[i] ^ numbers[0];
    for (unsigned shift = 0; shift < 64 && different >> shift; shift += BITS) {
        if (!(different >> shift & (DIGITS - 1)))
            continue;
        size_t place[DIGITS + 1] = {0};
        for (size_t i = 0; i < count; i++)
            place[(from[i] >> shift & (DIGITS - 1)) + 1]++;
        for (size_t i = 1; i < DIGITS; i++)
            place[i] += place[i - 1];
        for (size_t i = 0; i < count; i++)
            to[place[from[i] >> shift & (DIGITS - 1)]++] = from[i];
        uint64_t *sorted = to;
        to = from;
        from = sorted;
    }
    if (from != numbers)
        memcpy(numbers, from, count * sizeof *numbers);
}

// The distinct lines of a group's vector accesses, ascending. NULL: out of memory.
static uint64_t *lines_of(const kiln_timing_group_t *group, size_t *count)
{
    size_t all = 0, n = 0;
    for (unsigned w = 0; w < group->wave_count; w++)
        all += group->waves[w].line_count;
    uint64_t *lines = malloc((2 * all + 1) * sizeof *lines);
    *count = 0;
    if (!lines)
        return NULL;
    for (unsigned w = 0; w < group->wave_count; w++) {
        const kiln_timing_stream_t *stream = &group->waves[w];
        for (size_t a = 0; a < stream->access_count; a++) {
            const kiln_timing_access_t *access = &stream->accesses[a];
            for (unsigned i = 0; i < access->line_count && !access->scalar; i++)
                lines[n++] = kiln_timing_stream_line(stream, access, i);
        }
    }
    sort(lines, lines + all, n);
    for (size_t i = 0; i < n; i++) {
        if (*count == 0 || lines[*count - 1] != lines[i])
            lines[(*count)++] = lines[i];
    }
    return lines;
}

// How far a peer is from a group, in each region: from the first line of the one to that of the other. Both sorted.
static void find_apart(kiln_timing_warmth_t *warmth, const uint64_t *lines, size_t count, const uint64_t *others,
                       size_t other_count)
{
    for (size_t r = 0, i = 0, j = 0; r < warmth->region_count; r++) {
        kiln_timing_region_t *region = &warmth->regions[r];
        while (i < count && lines[i] < region->first)
            i++;
        while (j < other_count && others[j] < region->first)
            j++;
        if (i < count && lines[i] <= region->last && j < other_count && others[j] <= region->last &&
            region->others.count < KILN_TIMING_OTHERS)
            region->others.apart[region->others.count++] = (int64_t)(others[j] - lines[i]);
    }
}

// How many of a group's lines its peers on the other XCDs want, too.
static bool count_shared(kiln_timing_warmth_t *warmth, const kiln_timing_plan_t *plan, unsigned own)
{
    size_t count, other_count;
    uint64_t *lines = lines_of(kiln_timing_plan_base(plan, own), &count);
    for (size_t i = 0; lines && i < count; i++) {
        kiln_timing_region_t *region = region_of(warmth, lines[i]);
        if (region) {
            region->lines++;
            region->shared++;
        }
    }
    bool good = lines != NULL;
    for (unsigned p = 0; good && p < plan->peers; p++) {
        const kiln_timing_group_t *peer = kiln_timing_plan_peer(plan, own, p);
        uint64_t *others = peer ? lines_of(peer, &other_count) : NULL;
        good = !peer || others;
        if (others && own == 0)
            find_apart(warmth, lines, count, others, other_count);
        for (size_t i = 0, j = 0; others && i < count && j < other_count;) {
            if (lines[i] == others[j]) {
                kiln_timing_region_t *region = region_of(warmth, lines[i]);
                if (region)
                    region->shared++;
            }
            const bool next = lines[i] <= others[j];
            j += others[j] <= lines[i];
            i += next;
        }
        free(others);
    }
    free(lines);
    return good;
}

// ---- what launches before have left

#define FULL_HIT 0.8 // of the cache's size
#define FULL_MISS 1.2

static void find_left(kiln_timing_warmth_t *warmth)
{
    double since = 0; // bytes that were used later
    for (size_t i = 0; i < warmth->used_count; i++) {
        const kiln_timing_used_t *used = &warmth->used[i];
        since += used->is_code ? 0 : (double)used->bytes;
        for (size_t r = 0; r < warmth->region_count; r++) {
            if (warmth->regions[r].number != used->number)
                continue;
            // What is read in turn and does not fit is not there when its turn comes again. Where that begins is not sharp:
            // latencies rise from 205 MB on, and at 310 MB are HBM's (reference 3.1, RRZE).
            const double over = (since > warmth->bytes ? since : warmth->bytes) / KILN_GFX942_INFINITY_CACHE_BYTES;
            warmth->regions[r].in_l2 = used->in_l2 && since <= KILN_GFX942_L2_BYTES;
            const double share = used->is_code ? 1 : (FULL_MISS - over) / (FULL_MISS - FULL_HIT); // code stays
            warmth->regions[r].in_mall = share > 1 ? 1 : share < 0 ? 0 : share;
        }
    }
}

bool kiln_timing_warmth_begin(kiln_timing_warmth_t *warmth, const kiln_timing_plan_t *plan,
                              const kiln_sim_memory_t *memory)
{
    warmth->map.find = find;
    if (!make_regions(warmth, memory))
        return false;
    enum { LOOKED_AT = 2 }; // own groups: what one shares with its neighbours, the others do, too
    unsigned looked = 0;
    for (unsigned own = 0; own < plan->own && looked < LOOKED_AT; own++, looked++) {
        if (!count_shared(warmth, plan, own))
            return false;
    }
    warmth->bytes = 0;
    for (size_t r = 0; r < warmth->region_count; r++) {
        kiln_timing_region_t *region = &warmth->regions[r];
        if (region->is_code)
            region->bytes = LINE; // it is used, and small
        if (!region->lines)
            continue;
        region->sharers = (double)region->shared / (double)region->lines;
        const double most = (double)(region->last - region->first + 1) * LINE;
        const double each = (double)region->lines / looked * LINE; // of a workgroup
        const double wanted = each * (double)plan->grid / region->sharers;
        region->bytes = wanted < most ? wanted : most;
        warmth->bytes += region->bytes;
    }
    find_left(warmth);
    return true;
}

bool kiln_timing_warmth_end(kiln_timing_warmth_t *warmth)
{
    for (size_t r = 0; r < warmth->region_count; r++) {
        const kiln_timing_region_t *region = &warmth->regions[r];
        if (region->bytes <= 0)
            continue;
        size_t at = 0;
        while (at < warmth->used_count && warmth->used[at].number != region->number)
            at++;
        if (at == warmth->used_count) {
            if (warmth->used_count == warmth->used_capacity) {
                const size_t capacity = warmth->used_capacity ? 2 * warmth->used_capacity : 16;
                kiln_timing_used_t *made = realloc(warmth->used, capacity * sizeof *made);
                if (!made)
                    return false;
                warmth->used = made;
                warmth->used_capacity = capacity;
            }
            warmth->used_count++;
        }
        memmove(warmth->used + 1, warmth->used, at * sizeof *warmth->used);
        warmth->used[0] = (kiln_timing_used_t){region->number, (uint64_t)region->bytes, region->is_code, true};
    }
    return true;
}

void kiln_timing_warmth_flush(kiln_timing_warmth_t *warmth, bool infinity_cache)
{
    size_t left = 0;
    for (size_t i = 0; i < warmth->used_count; i++)
        warmth->used[i].in_l2 = false;
    for (size_t i = 0; infinity_cache && i < warmth->used_count; i++) {
        if (warmth->used[i].is_code)
            warmth->used[left++] = warmth->used[i];
    }
    if (infinity_cache)
        warmth->used_count = left;
}

bool kiln_timing_warmth_assume(kiln_timing_warmth_t *warmth, bool warm)
{
    if (warm && !kiln_timing_warmth_end(warmth)) // as if it had run
        return false;
    if (!warm)
        kiln_timing_warmth_flush(warmth, true);
    for (size_t r = 0; r < warmth->region_count; r++) {
        warmth->regions[r].in_mall = 0;
        warmth->regions[r].in_l2 = false;
    }
    find_left(warmth);
    return true;
}

void kiln_timing_warmth_free(kiln_timing_warmth_t *warmth)
{
    free(warmth->regions);
    free(warmth->used);
    *warmth = (kiln_timing_warmth_t){0};
}
