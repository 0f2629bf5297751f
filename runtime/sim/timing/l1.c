// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The vector memory path and the L1 (timing/l1.h).
#include "timing/l1.h"

#include "base/gfx942.h"

// Four sets, selected by address bits 8 and 9, so that the lines of 256 aligned bytes share one.
// The bits are a guess: documented are only those of the tag RAMs. With bits 7 and 8, products by
// rows that load 256 bytes of each row (ROCmBench) would have 128 misses under way and not 64, and
// are predicted to take 0.44 to 0.64 of the measured time.
enum { WAYS = 64 };

static uint64_t latency_of(const kiln_timing_l1_t *l1)
{
    return (uint64_t)kiln_timing_measured(l1->measured)->L1_LATENCY;
}

bool kiln_timing_l1_open(kiln_timing_l1_t *l1, kiln_timing_l2_t *l2)
{
    *l1 = (kiln_timing_l1_t){.l2 = l2};
    const bool good =
        kiln_timing_tags_open(&l1->tags, KILN_GFX942_L1_BYTES, KILN_GFX942_L1_LINE, WAYS);
    l1->tags.paired = true;
    l1->tags.key_bit = 0;
    return good;
}

void kiln_timing_l1_close(kiln_timing_l1_t *l1)
{
    kiln_timing_tags_close(&l1->tags);
}

uint64_t kiln_timing_l1_accepts(const kiln_timing_l1_t *l1)
{
    return l1->queued[l1->next_queued];
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

// The cycle, from `now` on, at which an entry for a miss is free. Entries are used in turn.
static uint64_t await_place(const kiln_timing_l1_t *l1, uint64_t now)
{
    return later(now, l1->missing[l1->next]);
}

static void hold_place(kiln_timing_l1_t *l1, uint64_t until)
{
    l1->missing[l1->next] = until;
    l1->next = (l1->next + 1) % KILN_TIMING_L1_MISSES;
}

static uint64_t read_line(kiln_timing_l1_t *l1, uint64_t now, uint64_t line,
                          const kiln_timing_map_t *map, bool bypasses)
{
    kiln_timing_tag_t *tag = bypasses ? NULL : kiln_timing_tags_find(&l1->tags, line);
    if (tag) {
        l1->hits++;
        return later(tag->available, now + latency_of(l1));
    }
    l1->misses++;
    uint64_t begin = await_place(l1, now);
    if (!bypasses) {
        tag = kiln_timing_tags_insert(&l1->tags, line);
        // A line keeps its place until its data has arrived: a set has as many misses as ways.
        if (tag->available > begin) {
            l1->set_wait = later(l1->set_wait, tag->available - begin);
            begin = tag->available;
        }
    }
    const uint64_t back = kiln_timing_l2_read(l1->l2, begin, line, map);
    hold_place(l1, back);
    if (tag)
        tag->available = back;
    return back;
}

static bool is_load(const kiln_timing_access_t *access)
{
    return !access->writes && !access->atomic;
}

// Loads look up lanes together (run/machine.h). The lines of stores and atomics, and those of a
// load that is supposed to be a part of another one, take their tag RAMs whichever lanes they
// belong to.
static bool looks_up(const kiln_timing_access_t *access)
{
    return is_load(access) && !access->joined;
}

static uint64_t line_cycles(const kiln_timing_access_t *access)
{
    return access->writes ? KILN_TIMING_L1_STORE_TAG_CYCLES : 1;
}

uint64_t kiln_timing_l1_min_tags(const kiln_timing_access_t *access)
{
    enum { RAMS = KILN_GFX942_L1_TAG_RAMS };
    return looks_up(access) ? access->least_lookups
                            : (access->line_count + RAMS - 1u) / RAMS * line_cycles(access);
}

uint64_t kiln_timing_l1_tag_cycles(const kiln_timing_access_t *access, const uint64_t *lines)
{
    uint64_t requests[KILN_GFX942_L1_TAG_RAMS] = {0}, max = 0;
    if (access->spread)
        return kiln_timing_l1_min_tags(access);
    if (looks_up(access))
        return access->lookups;
    for (unsigned i = 0; i < access->line_count; i++)
        requests[lines[i] % KILN_GFX942_L1_TAG_RAMS]++;
    for (unsigned i = 0; i < KILN_GFX942_L1_TAG_RAMS; i++)
        max = later(max, requests[i]);
    return max * line_cycles(access);
}

// The addresses of a store take 16 lanes per cycle if each lane writes at most a dword next to its
// neighbour's, otherwise 4 lanes per cycle.
static uint64_t address_cycles(const kiln_timing_access_t *access)
{
    enum { QUAD = KILN_GFX942_LANES / KILN_TIMING_VMEM_QUAD_CYCLES };
    if (access->joined)
        return 0;
    const unsigned bytes = access->bytes * 4u,
                   lanes = access->lane_bytes ? bytes / access->lane_bytes : 0;
    const unsigned packed = bytes / 64 + 2; // half lines of consecutive lanes at any alignment
    const bool quads =
        access->writes && !access->atomic && (access->lane_bytes > 4 || access->halves > packed);
    return later(quads ? (lanes + QUAD - 1) / QUAD : 0,
                 later(KILN_TIMING_VMEM_ISSUE_CYCLES, is_load(access) ? 0 : access->halves));
}

uint64_t kiln_timing_l1_cycles(const kiln_timing_access_t *access, const uint64_t *lines)
{
    const uint64_t data =
        (access->bytes * 4u + KILN_GFX942_L1_CYCLE_BYTES - 1) / KILN_GFX942_L1_CYCLE_BYTES;
    return later(address_cycles(access), later(data, kiln_timing_l1_tag_cycles(access, lines)));
}

// Whether an access is supposed to be spread that takes longer as it is, or whose lines wait for
// their set. Its lines then use all sets.
static bool is_spread(const kiln_timing_access_t *access, const uint64_t *lines)
{
    kiln_timing_access_t plain = *access;
    if (access->spread_sets)
        return true;
    plain.spread = false;
    return access->spread &&
           kiln_timing_l1_cycles(&plain, lines) > kiln_timing_l1_cycles(access, lines);
}

uint64_t kiln_timing_l1_would_miss(kiln_timing_l1_t *l1, const kiln_timing_access_t *access,
                                   const uint64_t *lines)
{
    uint64_t missed = 0;
    const bool always = access->writes || access->atomic || access->bypasses;
    l1->tags.paired = !is_spread(access, lines);
    for (unsigned i = 0; i < access->line_count; i++)
        missed |= always || !kiln_timing_tags_find(&l1->tags, lines[i])
                      ? 1ull << kiln_timing_recorded_line(access, i) % 64
                      : 0;
    return missed;
}

uint64_t kiln_timing_l1_access(kiln_timing_l1_t *l1, uint64_t now,
                               const kiln_timing_access_t *access, const uint64_t *lines,
                               const kiln_timing_map_t *map)
{
    const uint64_t cycles = kiln_timing_l1_cycles(access, lines);
    const uint64_t begin = later(now, l1->free_at);
    uint64_t done = begin + latency_of(l1);
    l1->tags.paired = !is_spread(access, lines);
    l1->set_wait = 0;
    for (unsigned i = 0; i < access->line_count; i++) {
        // Lines follow one another while the instruction occupies the path.
        const uint64_t at = begin + i * cycles / access->line_count;
        uint64_t back;
        if (access->atomic)
            back = kiln_timing_l2_atomic(l1->l2, at, lines[i], map);
        else if (access->writes)
            back = kiln_timing_l2_write(l1->l2, at, lines[i], map);
        else
            back = read_line(l1, at, lines[i], map, access->bypasses);
        done = later(done, back);
    }
    l1->free_at = begin + cycles;
    if (!access->joined) {
        l1->queued[l1->next_queued] = begin;
        l1->next_queued = (l1->next_queued + 1) % KILN_TIMING_VMEM_QUEUE;
    }
    l1->busy += cycles;
    // The latency is that of an access to one line; additional cycles are added.
    const uint64_t first = access->joined ? 0 : KILN_TIMING_VMEM_ISSUE_CYCLES,
                   min = begin + latency_of(l1) + cycles - first;
    return later(done, min);
}
