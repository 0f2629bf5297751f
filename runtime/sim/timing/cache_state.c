// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tracks which allocations are in the caches, and finds which lines XCDs share
// (timing/cache_state.h).
#include "timing/cache_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/gfx942.h"
#include "port/registered.h"
#include "timing/l2.h"

enum { LINE = KILN_GFX942_L2_LINE };

// ---- regions

static kiln_timing_region_t *region_of(const kiln_timing_cache_state_t *cache_state, uint64_t line)
{
    size_t low = 0, high = cache_state->region_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (cache_state->regions[middle].last < line)
            low = middle + 1;
        else
            high = middle;
    }
    kiln_timing_region_t *found =
        low < cache_state->region_count ? &cache_state->regions[low] : NULL;
    return found && found->first <= line ? found : NULL;
}

// Whether a line is scratch, which belongs to no allocation; waves reuse the lines of earlier
// waves.
static bool is_scratch(uint64_t line)
{
    return line - KILN_TIMING_SCRATCH / LINE < KILN_TIMING_SCRATCH_BYTES / LINE;
}

// Finds where a line is before the launch. Lines outside of the device's allocations, other than
// scratch, are registered memory of the host and not shared.
static kiln_timing_place_t find(const kiln_timing_map_t *map, uint64_t line)
{
    const kiln_timing_cache_state_t *cache_state =
        (const kiln_timing_cache_state_t *)(const void *)map;
    const kiln_timing_region_t *region = region_of(cache_state, line);
    if (!region && is_scratch(line))
        return (kiln_timing_place_t){.in_mall = true, .sharers = 1};
    if (!region || region->is_host)
        return (kiln_timing_place_t){.on_host = true, .sharers = 1};
    // Selects the same lines every time, spread over the region.
    const uint64_t mixed = line * 0x9e3779b97f4a7c15ull;
    return (kiln_timing_place_t){
        .in_mall = (double)(mixed >> 40) < region->in_mall * (1 << 24),
        .in_l2 = (double)(mixed >> 16 & 0xffffff) < region->in_l2 * (1 << 24),
        .sharers = region->sharers,
        .elsewhere = (double)(mixed >> 20 & 0xffffff) >= region->needed * (1 << 24),
        .neighbours = &region->neighbours,
    };
}

typedef struct regions {
    kiln_timing_cache_state_t *cache_state;
    const kiln_sim_memory_t *memory;
    const kiln_timing_arguments_t *arguments;
    size_t capacity;
} regions_t;

// Kernel arguments are in device memory, but the dispatch packet after them is in a queue on the
// host.
static void split_arguments(const regions_t *regions)
{
    kiln_timing_cache_state_t *cache_state = regions->cache_state;
    kiln_timing_region_t *first = &cache_state->regions[cache_state->region_count - 1];
    const uint64_t lines = regions->arguments->bytes / LINE;
    if (lines == 0 || lines > first->last - first->first)
        return;
    cache_state->regions[cache_state->region_count] = *first;
    cache_state->regions[cache_state->region_count++].first = first->first + lines;
    first->last = first->first + lines - 1;
    first->is_host = false;
}

static bool add_region(const kiln_sim_allocation_t *a, void *data)
{
    const regions_t *regions = data;
    kiln_timing_cache_state_t *cache_state = regions->cache_state;
    const bool in_arena = a->base - regions->memory->arena < regions->memory->arena_size;
    const bool is_device =
        a->kind == KILN_SIM_MEMORY_CODE || a->kind == KILN_SIM_MEMORY_DEVICE ||
        a->kind == KILN_SIM_MEMORY_MANAGED || a->kind == KILN_SIM_MEMORY_MAPPED ||
        (a->kind == KILN_SIM_MEMORY_REGISTERED && a->flags & KILN_SIM_REGISTER_AS_DEVICE);
    if (!in_arena && !is_device)
        return true;
    const uint64_t first = (a->base - regions->memory->arena) / LINE;
    if (cache_state->region_count < regions->capacity)
        cache_state->regions[cache_state->region_count++] =
            (kiln_timing_region_t){.first = first,
                                   .last = first + (a->size - 1) / LINE,
                                   .number = a->number,
                                   .sharers = 1,
                                   .is_code = a->kind == KILN_SIM_MEMORY_CODE,
                                   .is_host = !is_device};
    if (a->base == regions->arguments->at && cache_state->region_count < regions->capacity)
        split_arguments(regions);
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
    const uint64_t x = ((const kiln_timing_region_t *)a)->first,
                   y = ((const kiln_timing_region_t *)b)->first;
    return x < y ? -1 : x > y;
}

static bool make_regions(kiln_timing_cache_state_t *cache_state, const kiln_sim_memory_t *memory,
                         const kiln_timing_arguments_t *arguments)
{
    regions_t regions = {cache_state, memory, arguments, 1}; // one more for the split one
    kiln_sim_memory_each(memory, count_one, &regions.capacity);
    free(cache_state->regions);
    cache_state->regions = calloc(regions.capacity, sizeof *cache_state->regions);
    cache_state->region_count = 0;
    if (!cache_state->regions)
        return false;
    kiln_sim_memory_each(memory, add_region,
                         &regions); // allocations made meanwhile do not belong to this launch
    // Memory outside of the arena may precede it: its lines are numbered relative to the arena,
    // modulo 2^64.
    qsort(cache_state->regions, cache_state->region_count, sizeof *cache_state->regions, by_line);
    return true;
}

// ---- sharing

// Sorts ascending by radix sort from the lowest digit, skipping digits that are equal in all
// numbers. `scratch` has room for `count` numbers.
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

// The distinct lines of a group's vector accesses, ascending, each times two and plus one if the
// group writes it. NULL if memory is exhausted.
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
                lines[n++] = kiln_timing_stream_line(stream, access, i) << 1 |
                             (access->writes || access->atomic);
        }
    }
    sort(lines, lines + all, n);
    for (size_t i = 0; i < n; i++) {
        if (*count == 0 || lines[*count - 1] >> 1 != lines[i] >> 1)
            (*count)++;
        lines[*count - 1] = lines[i]; // the one that writes comes last
    }
    return lines;
}

// The distance of a peer from a group in each region: between their first lines. Both arrays are
// sorted.
static void find_apart(kiln_timing_cache_state_t *cache_state, const uint64_t *lines, size_t count,
                       const uint64_t *others, size_t other_count)
{
    for (size_t r = 0, i = 0, j = 0; r < cache_state->region_count; r++) {
        kiln_timing_region_t *region = &cache_state->regions[r];
        while (i < count && lines[i] >> 1 < region->first)
            i++;
        while (j < other_count && others[j] >> 1 < region->first)
            j++;
        if (i < count && lines[i] >> 1 <= region->last && j < other_count &&
            others[j] >> 1 <= region->last && region->neighbours.count < KILN_TIMING_NEIGHBOURS)
            region->neighbours.distance[region->neighbours.count++] =
                (int64_t)((others[j] >> 1) - (lines[i] >> 1));
    }
}

// Counts the lines of a group that a peer on another XCD also accesses, and those that it writes.
static void count_common(kiln_timing_cache_state_t *cache_state, const uint64_t *lines,
                         size_t count, const uint64_t *others, size_t other_count)
{
    for (size_t i = 0, j = 0; i < count && j < other_count;) {
        const uint64_t own = lines[i] >> 1, other = others[j] >> 1;
        kiln_timing_region_t *region = own == other ? region_of(cache_state, own) : NULL;
        if (region) {
            region->shared++;
            region->taken += others[j] & 1;
        }
        j += other <= own;
        i += own <= other;
    }
}

// Counts the lines of a group, also by how many of its peers on the other XCDs share them.
static bool count_shared(kiln_timing_cache_state_t *cache_state, const kiln_timing_plan_t *plan,
                         unsigned own)
{
    size_t count, other_count;
    uint64_t *lines = lines_of(kiln_timing_plan_base(plan, own), &count);
    for (size_t i = 0; lines && i < count; i++) {
        kiln_timing_region_t *region = region_of(cache_state, lines[i] >> 1);
        if (!region)
            continue;
        region->lines++;
        region->shared++;
        if (own == 0)
            region->pattern = (region->pattern ^ lines[i] >> 1) * 0x9e3779b97f4a7c15ull;
    }
    bool good = lines != NULL;
    for (unsigned p = 0; good && p < plan->peers; p++) {
        const kiln_timing_group_t *peer = kiln_timing_plan_peer(plan, own, p);
        uint64_t *others = peer ? lines_of(peer, &other_count) : NULL;
        good = !peer || others;
        if (others && own == 0)
            find_apart(cache_state, lines, count, others, other_count);
        if (others)
            count_common(cache_state, lines, count, others, other_count);
        free(others);
    }
    free(lines);
    return good;
}

// ---- what one XCD touches

// A set of lines, twice as many as the L2 has: it keeps almost nothing of those (retained).
enum { MOST_LINES = 2 * KILN_GFX942_L2_BYTES / LINE, SLOTS = 2 * MOST_LINES };

typedef struct set {
    uint64_t *slots; // line + 1; 0: empty
    size_t count;
} set_t;

// False if the set has the line.
static bool set_add(set_t *set, uint64_t line)
{
    size_t slot = (size_t)(line * 0x9e3779b97f4a7c15ull >> 40) % SLOTS;
    for (; set->slots[slot]; slot = (slot + 1) % SLOTS) {
        if (set->slots[slot] == line + 1)
            return false;
    }
    set->slots[slot] = line + 1;
    set->count++;
    return true;
}

// Counts the distinct lines of a group's vector accesses until there are more than the set holds.
static void count_touched(kiln_timing_cache_state_t *cache_state, set_t *set,
                          const kiln_timing_group_t *group)
{
    kiln_timing_region_t *region = NULL;
    for (unsigned w = 0; group && w < group->wave_count; w++) {
        const kiln_timing_stream_t *stream = &group->waves[w];
        for (size_t a = 0; a < stream->access_count; a++) {
            const kiln_timing_access_t *access = &stream->accesses[a];
            for (unsigned i = 0; i < access->line_count && !access->scalar; i++) {
                const uint64_t line = kiln_timing_stream_line(stream, access, i);
                if (set->count > MOST_LINES)
                    return;
                if (!set_add(set, line))
                    continue;
                if (!region || line < region->first || line > region->last)
                    region = region_of(cache_state, line);
                if (region)
                    region->all++;
            }
        }
    }
}

// Finds how much of each region an XCD touches: the distinct lines of the recorded rows and, for
// each other row, as many more as the second half of the recorded rows added. If a launch touches
// more than twice what the L2 holds, its regions have their share of all XCDs' bytes. False if
// memory is exhausted.
static bool find_touched(kiln_timing_cache_state_t *cache_state, const kiln_timing_plan_t *plan)
{
    set_t set = {calloc(SLOTS, sizeof *set.slots), 0};
    if (!set.slots)
        return false;
    const unsigned half = plan->own / 2;
    for (unsigned own = 0; own < plan->own && set.count <= MOST_LINES; own++) {
        for (size_t r = 0; own == half && r < cache_state->region_count; r++)
            cache_state->regions[r].half = cache_state->regions[r].all;
        for (unsigned c = 0; c < plan->units; c++)
            count_touched(cache_state, &set, kiln_timing_plan_row(plan, own, c));
    }
    free(set.slots);
    const bool fits = set.count <= MOST_LINES;
    const double rows = plan->own - half, rest = (double)(plan->ranks - plan->own);
    cache_state->xcd_bytes = 0;
    for (size_t r = 0; r < cache_state->region_count; r++) {
        kiln_timing_region_t *region = &cache_state->regions[r];
        const double counted =
            LINE * ((double)region->all + (double)(region->all - region->half) / rows * rest);
        const double share = region->bytes * region->sharers / plan->xcds;
        const double wanted = fits ? counted : share;
        region->xcd_bytes = wanted < region->bytes ? wanted : region->bytes;
        cache_state->xcd_bytes += region->xcd_bytes;
    }
    if (!fits && cache_state->xcd_bytes <= MOST_LINES * LINE)
        cache_state->xcd_bytes = MOST_LINES * LINE;
    return true;
}

// ---- cache state left by earlier launches

// With cyclic accesses, data that does not fit has been replaced before its next use. The
// transition is steep: of 256 MiB, a walk over 236 MiB hits and one over 270 MiB misses by 88 %
// (RRZE gpu-latency, mi300x.txt). Relative to the cache's size:
#define FULL_HIT 0.92
#define FULL_MISS 1.08

// The fraction of an XCD's lines that its L2 still holds when they are used again in the same
// order, if it used `bytes` in all. A set that has more lines than ways then replaces each before
// its next use. Which set a line belongs to is a hash that is not documented, and an XCD's
// workgroups touch parts of allocations here and there, so the number of other lines in a line's
// set is taken as random: a Poisson distribution whose mean is the sets' average.
static double retained(double bytes)
{
    const double mean = KILN_TIMING_L2_WAYS * bytes / KILN_GFX942_L2_BYTES;
    double probability = exp(-mean), sum = 0;
    for (unsigned lines = 0; lines < KILN_TIMING_L2_WAYS; lines++) {
        sum += probability;
        probability *= mean / (lines + 1);
    }
    return sum;
}

// The fraction of a region's lines that an earlier launch left in the XCD's L2, if `since` bytes of
// the XCD were used from then on.
static double left_in_l2(const kiln_timing_cache_state_t *cache_state,
                         const kiln_timing_region_t *region, const kiln_timing_used_t *used,
                         double since)
{
    if (!used->in_l2)
        return 0;
    const double bytes = since > cache_state->xcd_bytes ? since : cache_state->xcd_bytes,
                 kept = used->kept * retained(bytes);
    if (used->pattern == region->pattern)
        return kept;
    return used->bytes > 0 ? kept * used->xcd_bytes / used->bytes : kept;
}

// If programs that share lines were on one XCD, an earlier launch has left the lines that it used
// there, as many as its L2 retains of those that the XCD needs. A workgroup waits for each line
// that is lost, whichever of the XCD's workgroups fetches it.
static void find_retained(kiln_timing_cache_state_t *cache_state)
{
    double needed = 0;
    for (size_t r = 0; r < cache_state->region_count; r++)
        needed += cache_state->regions[r].xcd_bytes * cache_state->regions[r].needed;
    const double fetched = 1 - retained(needed);
    for (size_t r = 0; r < cache_state->region_count; r++) {
        kiln_timing_region_t *region = &cache_state->regions[r];
        for (size_t i = 0; i < cache_state->used_count && region->needed < 1; i++) {
            if (cache_state->used[i].number == region->number && cache_state->used[i].in_l2) {
                region->needed = fetched < region->needed ? fetched : region->needed;
                break;
            }
        }
    }
}

// The bytes of other work that have come to the Infinity Cache. What it wrote last is still in the
// L2s, which write a line back when they replace it.
static double of_other_work(double bytes, unsigned xcds)
{
    const double in_l2 = (double)xcds * KILN_GFX942_L2_BYTES;
    return bytes > in_l2 ? bytes - in_l2 : 0;
}

static void find_left(kiln_timing_cache_state_t *cache_state)
{
    double since = 0, l2_since = 0; // bytes that were used later, and those of one XCD
    for (size_t i = 0; i < cache_state->used_count; i++) {
        const kiln_timing_used_t *used = &cache_state->used[i];
        const bool is_other_work = i == 0 && used->number == 0 && !used->in_l2;
        if (is_other_work)
            since += of_other_work(used->bytes, cache_state->xcds);
        else if (!used->is_code)
            since += used->bytes;
        l2_since += used->is_code ? 0 : used->xcd_bytes;
        for (size_t r = 0; r < cache_state->region_count; r++) {
            if (cache_state->regions[r].number != used->number)
                continue;
            const double over = (since > cache_state->bytes ? since : cache_state->bytes) /
                                KILN_GFX942_INFINITY_CACHE_BYTES;
            cache_state->regions[r].in_l2 =
                left_in_l2(cache_state, &cache_state->regions[r], used, l2_since);
            const double share =
                used->is_code ? 1 : (FULL_MISS - over) / (FULL_MISS - FULL_HIT); // code stays
            cache_state->regions[r].in_mall = share > 1 ? 1 : share < 0 ? 0 : share;
        }
    }
    find_retained(cache_state);
}

// An XCD touches at least its share of a region, and at least what one workgroup touches.
static void find_needed(kiln_timing_region_t *region, unsigned recorded, unsigned xcds)
{
    const double one = recorded ? (double)region->lines / recorded * LINE : 0,
                 share = region->bytes / xcds, min = one > share ? one : share;
    region->needed = region->xcd_bytes > min && region->sharers > 1 ? min / region->xcd_bytes : 1;
}

bool kiln_timing_cache_state_begin(kiln_timing_cache_state_t *cache_state,
                                   const kiln_timing_plan_t *plan, const kiln_sim_memory_t *memory,
                                   const kiln_timing_arguments_t *arguments)
{
    cache_state->map.find = find;
    cache_state->xcds = plan->xcds;
    if (!make_regions(cache_state, memory, arguments))
        return false;
    enum { RECORDED_GROUPS = 2 }; // own groups; sharing is alike in the others
    unsigned recorded = 0;
    for (unsigned own = 0; own < plan->own && recorded < RECORDED_GROUPS; own++, recorded++) {
        if (!count_shared(cache_state, plan, own))
            return false;
    }
    cache_state->bytes = 0;
    for (size_t r = 0; r < cache_state->region_count; r++) {
        kiln_timing_region_t *region = &cache_state->regions[r];
        if (region->is_code)
            region->bytes = LINE; // used, and small
        if (!region->lines)
            continue;
        region->sharers = (double)region->shared / (double)region->lines;
        const double max = (double)(region->last - region->first + 1) * LINE;
        const double each = (double)region->lines / recorded * LINE; // per workgroup
        const double wanted = each * (double)plan->grid / region->sharers;
        region->bytes = wanted < max ? wanted : max;
        cache_state->bytes += region->bytes;
    }
    if (!find_touched(cache_state, plan))
        return false;
    for (size_t r = 0; r < cache_state->region_count; r++)
        find_needed(&cache_state->regions[r], recorded, plan->xcds);
    find_left(cache_state);
    return true;
}

bool kiln_timing_cache_state_has_l2(const kiln_timing_cache_state_t *cache_state)
{
    for (size_t r = 0; r < cache_state->region_count; r++) {
        if (cache_state->regions[r].in_l2 * (1 << 24) > 1)
            return true;
    }
    return false;
}

double kiln_timing_cache_state_shared(const kiln_timing_cache_state_t *cache_state)
{
    double all = 0, shared = 0;
    for (size_t r = 0; r < cache_state->region_count; r++) {
        const kiln_timing_region_t *region = &cache_state->regions[r];
        all += region->xcd_bytes;
        shared += region->xcd_bytes * (1 - region->needed);
    }
    return all > 0 ? shared / all : 0;
}

double kiln_timing_cache_state_late(const kiln_timing_cache_state_t *cache_state)
{
    const double bytes = cache_state->xcd_bytes;
    return bytes > KILN_GFX942_L2_BYTES ? KILN_GFX942_L2_BYTES / bytes : 1;
}

double kiln_timing_cache_state_held(const kiln_timing_cache_state_t *cache_state)
{
    return cache_state->xcd_bytes * kiln_timing_cache_state_late(cache_state) / LINE;
}

static bool is_allocated(const kiln_timing_cache_state_t *cache_state, uint64_t number)
{
    for (size_t r = 0; r < cache_state->region_count; r++)
        if (cache_state->regions[r].number == number)
            return true;
    return false;
}

// Memory that is no longer allocated only counts as what has replaced older lines, so its bytes are
// summed where it stands in the order, as number 0. Otherwise a program that registers its memory
// anew for each launch would make the list longer with each.
static void fold_freed(kiln_timing_cache_state_t *cache_state)
{
    kiln_timing_used_t *used = cache_state->used;
    size_t left = 0;
    for (size_t i = 0; i < cache_state->used_count; i++) {
        if (is_allocated(cache_state, used[i].number)) {
            used[left++] = used[i];
        } else if (used[i].is_code) {
            continue; // code replaces nothing
        } else if (left && used[left - 1].number == 0) {
            used[left - 1].bytes += used[i].bytes;
            used[left - 1].xcd_bytes += used[i].xcd_bytes;
        } else {
            used[left] = used[i];
            used[left++].number = 0;
        }
    }
    cache_state->used_count = left;
}

bool kiln_timing_cache_state_end(kiln_timing_cache_state_t *cache_state)
{
    // One more than the regions, for other work (kiln_timing_cache_state_flush).
    if (!KILN_ARRAY_RESERVE(&cache_state->used, &cache_state->used_capacity,
                            cache_state->used_count + cache_state->region_count + 1))
        return false;
    for (size_t r = 0; r < cache_state->region_count; r++) {
        const kiln_timing_region_t *region = &cache_state->regions[r];
        if (region->bytes <= 0)
            continue;
        size_t at = 0;
        while (at < cache_state->used_count && cache_state->used[at].number != region->number)
            at++;
        cache_state->used_count += at == cache_state->used_count;
        memmove(cache_state->used + 1, cache_state->used, at * sizeof *cache_state->used);
        const double taken = (double)region->taken / (double)(region->lines ? region->lines : 1);
        cache_state->used[0] = (kiln_timing_used_t){.number = region->number,
                                                    .bytes = region->bytes,
                                                    .xcd_bytes = region->xcd_bytes,
                                                    .kept = taken < 1 ? 1 - taken : 0,
                                                    .pattern = region->pattern,
                                                    .is_code = region->is_code,
                                                    .in_l2 = true};
    }
    fold_freed(cache_state);
    return true;
}

void kiln_timing_cache_state_flush(kiln_timing_cache_state_t *cache_state, uint64_t bytes)
{
    for (size_t i = 0; i < cache_state->used_count; i++)
        cache_state->used[i].in_l2 = false;
    if (!bytes || !cache_state->used_count)
        return;
    kiln_timing_used_t *used = cache_state->used; // has room for one more (cache_state_end)
    if (used[0].number != 0) {
        memmove(used + 1, used, cache_state->used_count++ * sizeof *used);
        used[0] = (kiln_timing_used_t){0};
    }
    used[0].bytes += (double)bytes;
}

bool kiln_timing_cache_state_assume(kiln_timing_cache_state_t *cache_state, bool warm)
{
    if (!kiln_timing_cache_state_end(cache_state)) // as if it had run
        return false;
    if (!warm)
        kiln_timing_cache_state_flush(cache_state, UINT64_MAX);
    for (size_t r = 0; r < cache_state->region_count; r++) {
        cache_state->regions[r].in_mall = 0;
        cache_state->regions[r].in_l2 = 0;
    }
    find_left(cache_state);
    return true;
}

void kiln_timing_cache_state_free(kiln_timing_cache_state_t *cache_state)
{
    free(cache_state->regions);
    free(cache_state->used);
    *cache_state = (kiln_timing_cache_state_t){0};
}
