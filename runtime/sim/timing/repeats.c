// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds loads that read again what was loaded before (timing/repeats.h).
//
// A wave's loads are looked up in a table of those before. Stores are looked at only if some load
// repeats another one: those of the own wave count if they are between the two, those of other
// waves of the workgroup at any time, since waves are not ordered here. A launch that invalidates
// the L1, as before it reads what others have written, has no repeats after that.
//
// Pitfall: loads of several iterations of a loop, or of an unrolled one, have the same place. They
// are not compared, since a line is mostly loaded in parts.
#include "timing/repeats.h"

#include <stdlib.h>
#include <string.h>

#define SCRATCH_LINE (KILN_TIMING_SCRATCH / KILN_GFX942_L2_LINE)

// A load that was the first of its bytes.
typedef struct first {
    const kiln_timing_access_t *access; // NULL: empty
    uint32_t op;
    size_t number; // of the access in its wave
    bool is_kept;
} first_t;

// The stores to a line.
typedef struct stored {
    uint64_t line; // plus one; 0: empty
    unsigned wave;
    bool by_several;    // waves
    size_t first, last; // accesses of the wave that stored to it
} stored_t;

typedef struct search {
    const kiln_timing_op_t *ops;
    kiln_timing_repeat_t *repeats;
    first_t *firsts; // of a wave
    size_t first_mask;
    stored_t *stores; // of a workgroup; NULL: not looked at yet
    size_t store_mask;
} search_t;

static uint64_t mix(uint64_t value)
{
    return (value * 0x9e3779b97f4a7c15ull) >> 20;
}

static size_t slots_for(size_t count)
{
    size_t slots = 16;
    while (slots < 2 * count)
        slots *= 2;
    return slots;
}

static bool is_load(const kiln_timing_access_t *access)
{
    return !access->local && !access->writes && !access->atomic && !access->bypasses &&
           !access->lds_cycles && access->line_count && access->base < SCRATCH_LINE;
}

static bool is_store(const kiln_timing_access_t *access)
{
    return !access->local && (access->writes || access->atomic) && access->line_count;
}

static bool are_equal(const kiln_timing_stream_t *stream, const kiln_timing_access_t *a,
                      const kiln_timing_access_t *b)
{
    return a->base == b->base && a->phase == b->phase && a->line_count == b->line_count &&
           a->halves == b->halves && a->bytes == b->bytes && a->lane_bytes == b->lane_bytes &&
           (a->shape == b->shape ||
            memcmp(stream->distances + a->shape, stream->distances + b->shape,
                   a->line_count * sizeof *stream->distances) == 0);
}

static first_t *find_first(const search_t *search, const kiln_timing_stream_t *stream,
                           const kiln_timing_access_t *access)
{
    size_t slot = mix(access->base << 7 | access->phase) & search->first_mask;
    for (; search->firsts[slot].access; slot = (slot + 1) & search->first_mask)
        if (are_equal(stream, search->firsts[slot].access, access))
            break;
    return &search->firsts[slot];
}

static stored_t *find_stored(const search_t *search, uint64_t line)
{
    size_t slot = mix(line) & search->store_mask;
    while (search->stores[slot].line && search->stores[slot].line != line + 1)
        slot = (slot + 1) & search->store_mask;
    return &search->stores[slot];
}

static bool find_stores(search_t *search, const kiln_timing_group_t *group)
{
    size_t lines = 0;
    for (unsigned w = 0; w < group->wave_count; w++)
        for (size_t i = 0; i < group->waves[w].access_count; i++)
            lines +=
                is_store(&group->waves[w].accesses[i]) ? group->waves[w].accesses[i].line_count : 0;
    const size_t slots = slots_for(lines);
    search->stores = calloc(slots, sizeof *search->stores);
    search->store_mask = slots - 1;
    for (unsigned w = 0; search->stores && w < group->wave_count; w++) {
        const kiln_timing_stream_t *stream = &group->waves[w];
        for (size_t i = 0; i < stream->access_count; i++) {
            const kiln_timing_access_t *access = &stream->accesses[i];
            for (unsigned k = 0; is_store(access) && k < access->line_count; k++) {
                const uint64_t line = kiln_timing_stream_line(stream, access, k);
                stored_t *stored = find_stored(search, line);
                const bool is_new = !stored->line;
                *stored =
                    (stored_t){.line = line + 1,
                               .wave = w,
                               .by_several = stored->by_several || (!is_new && stored->wave != w),
                               .first = is_new ? i : stored->first,
                               .last = i};
            }
        }
    }
    return search->stores != NULL;
}

// Whether an access's bytes may have changed since a wave loaded them. Of a line that it stores to
// several times only the first and the last store are known, so that others may be between.
static bool may_have_changed(const search_t *search, const kiln_timing_stream_t *stream,
                             unsigned wave, const kiln_timing_access_t *access, size_t since,
                             size_t number)
{
    for (unsigned k = 0; k < access->line_count; k++) {
        const stored_t *stored = find_stored(search, kiln_timing_stream_line(stream, access, k));
        if (stored->line && (stored->by_several || stored->wave != wave ||
                             (stored->last > since && stored->first < number)))
            return true;
    }
    return false;
}

// Looks an access up among those before, and adds it if it is the first.
static bool look_up(search_t *search, const kiln_timing_group_t *group, unsigned wave, uint32_t op,
                    const kiln_timing_access_t *access, uint64_t *kept)
{
    const kiln_timing_stream_t *stream = &group->waves[wave];
    const size_t number = (size_t)(access - stream->accesses);
    first_t *first = find_first(search, stream, access);
    if (!first->access) {
        *first = (first_t){access, op, number, false};
        return true;
    }
    if (search->repeats[first->op].place == search->repeats[op].place)
        return true;
    if (!search->stores && !find_stores(search, group))
        return false;
    if (may_have_changed(search, stream, wave, access, first->number, number)) {
        *first = (first_t){access, op, number, false};
        return true;
    }
    search->repeats[op].count++;
    search->repeats[op].first = first->op;
    if (!first->is_kept)
        kept[first->op] += (access->bytes + KILN_GFX942_LANES - 1u) / KILN_GFX942_LANES;
    first->is_kept = true;
    return true;
}

static bool search_wave(search_t *search, const kiln_timing_group_t *group, unsigned wave,
                        uint64_t *kept)
{
    const kiln_timing_stream_t *stream = &group->waves[wave];
    bool good = true;
    for (size_t i = 0, access = 0; good && i < stream->step_count; i++) {
        const uint32_t op = stream->steps[i];
        if (search->ops[op].invalidates)
            memset(search->firsts, 0, (search->first_mask + 1) * sizeof *search->firsts);
        if (!kiln_timing_is_access(&search->ops[op]) || access >= stream->access_count)
            continue;
        const kiln_timing_access_t *next = &stream->accesses[access++];
        if (search->repeats[op].place && is_load(next))
            good = look_up(search, group, wave, op, next, kept);
    }
    return good;
}

// Whether loads of more than one place exist; otherwise none is compared.
static bool has_places(const kiln_timing_plan_t *plan, const kiln_timing_op_t *ops,
                       const kiln_timing_repeat_t *repeats)
{
    const kiln_timing_stream_t *stream = &kiln_timing_plan_own(plan, 0)->waves[0];
    uint64_t place = 0;
    for (size_t i = 0; i < stream->step_count; i++) {
        const kiln_timing_op_t *op = &ops[stream->steps[i]];
        const uint64_t next = repeats[stream->steps[i]].place;
        if (op->act != KILN_TIMING_ACCESSES_MEMORY || op->stores || !next)
            continue;
        if (place && next != place)
            return true;
        place = next;
    }
    return false;
}

bool kiln_timing_repeats_find(const kiln_timing_plan_t *plan, const kiln_timing_op_t *ops,
                              kiln_timing_repeat_t *repeats)
{
    search_t search = {.ops = ops, .repeats = repeats};
    bool good = true;
    uint32_t max = 0;
    if (!has_places(plan, ops, repeats))
        return true;
    for (unsigned own = 0; own < plan->own; own++) {
        const kiln_timing_group_t *group = kiln_timing_plan_own(plan, own);
        for (unsigned w = 0; w < group->wave_count; w++)
            for (size_t i = 0; i < group->waves[w].step_count; i++)
                max = group->waves[w].steps[i] > max ? group->waves[w].steps[i] : max;
    }
    uint64_t *kept = calloc(max + 1, sizeof *kept);
    good = kept != NULL;
    for (unsigned own = 0; good && own < plan->own; own++) {
        const kiln_timing_group_t *group = kiln_timing_plan_own(plan, own);
        for (unsigned w = 0; good && w < group->wave_count; w++) {
            const size_t slots = slots_for(group->waves[w].memory_count);
            search.firsts = calloc(slots, sizeof *search.firsts);
            search.first_mask = slots - 1;
            memset(kept, 0, (max + 1) * sizeof *kept);
            good = search.firsts && search_wave(&search, group, w, kept);
            for (uint32_t op = 0; good && op <= max; op++)
                repeats[op].kept = kept[op] > repeats[op].kept ? kept[op] : repeats[op].kept;
            free(search.firsts);
        }
        free(search.stores);
        search.stores = NULL;
    }
    free(kept);
    return good;
}
