// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The L2 of one XCD (timing/l2.h).
#include "timing/l2.h"

#include <stdlib.h>
#include <string.h>

#include "base/gfx942.h"
#include "timing/parameters.h"

static uint64_t latency_of(const kiln_timing_l2_t *l2)
{
    return (uint64_t)kiln_timing_measured(l2->measured)->L2_LATENCY;
}

bool kiln_timing_l2_open(kiln_timing_l2_t *l2, uint64_t bytes, double ghz, double gb_s,
                         unsigned xcds)
{
    *l2 = (kiln_timing_l2_t){0};
    return kiln_timing_fabric_open(&l2->fabric, ghz, gb_s, xcds) &&
           kiln_timing_tags_open(&l2->tags, bytes, KILN_GFX942_L2_LINE, KILN_TIMING_L2_WAYS);
}

void kiln_timing_l2_close(kiln_timing_l2_t *l2)
{
    kiln_timing_fabric_close(&l2->fabric);
    kiln_timing_tags_close(&l2->tags);
}

// ---- lines of earlier launches

// Twice the lines of which the L2 may have kept some (timing/cache_state.c).
enum { FIRST_SLOTS = 4 * KILN_GFX942_L2_BYTES / KILN_GFX942_L2_LINE, REPLAY_SHIFT = 48 };

// Entries of earlier replays count as empty, so that none needs to clear a megabyte.
bool kiln_timing_l2_keep(kiln_timing_l2_t *l2, kiln_timing_first_t *first)
{
    if (!first->slots)
        first->slots = calloc(FIRST_SLOTS, sizeof *first->slots);
    l2->first = first;
    if (!first->slots)
        return false;
    if (++first->replay >> (64 - REPLAY_SHIFT) != 0) {
        memset(first->slots, 0, FIRST_SLOTS * sizeof *first->slots);
        first->replay = 1;
    }
    return true;
}

void kiln_timing_first_free(kiln_timing_first_t *first)
{
    free(first->slots);
    *first = (kiln_timing_first_t){0};
}

// Whether the launch has not used this line before. If there are too many lines to tell, no more
// are.
static bool is_first(kiln_timing_l2_t *l2, uint64_t line)
{
    const uint64_t replay = l2->first->replay, entry = replay << REPLAY_SHIFT | line;
    uint64_t *slots = l2->first->slots;
    size_t slot = (size_t)(line * 0x9e3779b97f4a7c15ull >> 40) % FIRST_SLOTS;
    for (; slots[slot] >> REPLAY_SHIFT == replay; slot = (slot + 1) % FIRST_SLOTS) {
        if (slots[slot] == entry)
            return false;
    }
    if (l2->first_count >= FIRST_SLOTS / 2)
        return false;
    slots[slot] = entry;
    l2->first_count++;
    return true;
}

// Moves a line through the total bandwidth and its channel, both in bytes per cycle. Returns the
// cycle at which the transfer begins.
static unsigned channel_of(kiln_timing_l2_t *l2, uint64_t line)
{
    return l2->spread ? l2->channel++ % KILN_GFX942_L2_CHANNELS : kiln_timing_l2_channel(line);
}

static uint64_t move(kiln_timing_l2_t *l2, uint64_t now, uint64_t line, double all_bytes,
                     double channel_bytes)
{
    double *channel = &l2->channels[channel_of(l2, line)];
    const double turn = kiln_timing_queue_take(&l2->free_at, kiln_timing_real(now),
                                               KILN_GFX942_L2_LINE / all_bytes);
    const double begin = kiln_timing_channel_take(
        channel, turn, KILN_GFX942_L2_LINE / channel_bytes, KILN_TIMING_L2_CHANNEL_AHEAD);
    l2->waited |= begin > turn;
    return kiln_timing_whole(begin);
}

static uint64_t move_read(kiln_timing_l2_t *l2, uint64_t now, uint64_t line)
{
    return move(l2, now, line, KILN_TIMING_L2_READ_BYTES, KILN_GFX942_L2_CHANNEL_CYCLE_BYTES);
}

void kiln_timing_l2_reread(kiln_timing_l2_t *l2, uint64_t line, unsigned times)
{
    // All channels together are faster than one, so these reads do not wait for the total again.
    l2->free_at += times * (double)KILN_GFX942_L2_LINE / KILN_TIMING_L2_READ_BYTES;
    l2->channels[channel_of(l2, line)] +=
        times * (double)KILN_GFX942_L2_LINE / KILN_GFX942_L2_CHANNEL_CYCLE_BYTES;
    l2->reads += times;
    l2->hits += times;
}

static uint64_t move_written(kiln_timing_l2_t *l2, uint64_t now, uint64_t line)
{
    return move(l2, now, line, KILN_TIMING_L2_WRITE_BYTES, KILN_TIMING_L2_CHANNEL_WRITE_BYTES);
}

typedef enum use { READ, WRITE, UPDATE } use_t; // UPDATE: atomic

static inline kiln_timing_tag_t *load_line(kiln_timing_l2_t *l2, uint64_t begin, uint64_t line,
                                           const kiln_timing_map_t *map, use_t use)
{
    if (l2->near && use == READ && !kiln_timing_tags_find(&l2->tags, line) &&
        map->find(map, line).elsewhere) {
        l2->hits++;
        l2->elsewhere.available = begin;
        return &l2->elsewhere;
    }
    bool found;
    kiln_timing_tag_t *tag = kiln_timing_tags_take(&l2->tags, line, &found);
    if (found) {
        l2->hits++;
        return tag;
    }
    const kiln_timing_place_t place = map->find(map, line);
    if (l2->first && place.in_l2 && is_first(l2, line)) {
        l2->hits++;
        return tag;
    }
    if (place.on_host)
        tag->available = kiln_timing_fabric_read_host(&l2->fabric, begin);
    else
        tag->available =
            use == WRITE ? begin
                         : kiln_timing_fabric_read(&l2->fabric, begin, line, place.in_mall,
                                                   l2->near ? 1 : place.sharers, place.neighbours);
    return tag;
}

// Marks a line as written. It is written to memory once: when other lines replace it, which is
// charged immediately, as if the write-back could not be deferred; or when the launch has ended.
static uint64_t mark_dirty(kiln_timing_l2_t *l2, const kiln_timing_tag_t *tag, uint64_t now,
                           uint64_t line, const kiln_timing_map_t *map)
{
    uint64_t begun = now;
    if (!kiln_timing_tags_mark_dirty(&l2->tags, tag)) {
        const kiln_timing_place_t place = map->find(map, line);
        const uint64_t mixed = line * 0x9e3779b97f4a7c15ull;
        if ((double)(mixed >> 40) < l2->late * (1 << 24))
            kiln_timing_fabric_write_late(&l2->fabric, place.in_mall);
        else
            begun =
                kiln_timing_fabric_write(&l2->fabric, now, line, place.in_mall, place.neighbours);
    }
    return begun > now + KILN_TIMING_L2_WRITE_LATENCY ? begun : now + KILN_TIMING_L2_WRITE_LATENCY;
}

uint64_t kiln_timing_l2_read(kiln_timing_l2_t *l2, uint64_t now, uint64_t line,
                             const kiln_timing_map_t *map)
{
    const uint64_t begin = move_read(l2, now, line);
    const kiln_timing_tag_t *tag = load_line(l2, begin, line, map, READ);
    const uint64_t hit = begin + latency_of(l2);
    l2->reads++;
    return tag->available > hit ? tag->available
                                : hit; // the fabric's latency also counts from the compute unit
}

uint64_t kiln_timing_l2_write(kiln_timing_l2_t *l2, uint64_t now, uint64_t line,
                              const kiln_timing_map_t *map)
{
    const uint64_t begin = move_written(l2, now, line);
    kiln_timing_tag_t *tag = load_line(l2, begin, line, map, WRITE);
    l2->writes++;
    return mark_dirty(l2, tag, begin, line, map);
}

uint64_t kiln_timing_l2_atomic(kiln_timing_l2_t *l2, uint64_t now, uint64_t line,
                               const kiln_timing_map_t *map)
{
    const uint64_t begin = move_written(l2, now, line);
    kiln_timing_tag_t *tag = load_line(l2, begin, line, map, UPDATE);
    l2->atomics++;
    mark_dirty(l2, tag, begin, line, map);
    const uint64_t hit = begin + latency_of(l2), done = tag->available > hit ? tag->available : hit;
    tag->available = done + KILN_TIMING_L2_ATOMIC_CYCLES; // delays the next atomic on this line
    return done;
}

void kiln_timing_l2_warm(kiln_timing_l2_t *l2, uint64_t line)
{
    if (!kiln_timing_tags_find(&l2->tags, line))
        kiln_timing_tags_insert(&l2->tags, line);
}
