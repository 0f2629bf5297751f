// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records a wave's instructions and the lines that it accesses (timing/stream.h).
#include "timing/stream.h"

#include <stdlib.h>

#include "base/array.h"

bool kiln_timing_stream_step(kiln_timing_stream_t *stream, uint32_t index)
{
    if (!KILN_ARRAY_RESERVE(&stream->steps, &stream->step_capacity, stream->step_count + 1))
        return false;
    stream->steps[stream->step_count++] = index;
    return true;
}

kiln_timing_access_t *kiln_timing_stream_access(kiln_timing_stream_t *stream)
{
    if (!KILN_ARRAY_RESERVE(&stream->accesses, &stream->access_capacity, stream->access_count + 1))
        return NULL;
    kiln_timing_access_t *access = &stream->accesses[stream->access_count++];
    *access = (kiln_timing_access_t){.shape = (uint32_t)stream->distance_count};
    return access;
}

static bool add_distance(kiln_timing_stream_t *stream, uint64_t distance)
{
    if (!KILN_ARRAY_RESERVE(&stream->distances, &stream->distance_capacity,
                            stream->distance_count + 1))
        return false;
    stream->distances[stream->distance_count++] = distance;
    return true;
}

// Moves an access's distances to the end of the array, so that more can be added.
static bool part(kiln_timing_stream_t *stream, kiln_timing_access_t *access)
{
    const size_t shape = access->shape;
    if (shape + access->line_count == stream->distance_count)
        return true;
    access->shape = (uint32_t)stream->distance_count;
    for (size_t i = 0; i < access->line_count; i++) {
        if (!add_distance(stream, stream->distances[shape + i]))
            return false;
    }
    return true;
}

// Neighbouring lanes mostly share a line, so the lines are searched last first.
bool kiln_timing_stream_add(kiln_timing_stream_t *stream, kiln_timing_access_t *access,
                            uint64_t line)
{
    if (access->line_count == 0)
        access->base = line;
    for (unsigned i = access->line_count; i > 0; i--) {
        if (kiln_timing_stream_line(stream, access, i - 1) == line)
            return true;
    }
    if (!part(stream, access) || !add_distance(stream, line - access->base))
        return false;
    access->line_count++;
    stream->line_count++;
    return true;
}

// ---- lines that lanes touch

enum { LINE_BITS = 7, LANES = KILN_GFX942_LANES, RECENT_BITS = 6, RECENT = 1 << RECENT_BITS };

typedef struct kiln_timing_recent {
    uint64_t key[2];
    uint32_t shape;
    uint16_t count;       // number of lines; 0: empty
    uint8_t bytes, phase; // phase: offset of the first lane in its line
} kiln_timing_recent_t;

static uint8_t phase_of(const uint64_t at[LANES], uint64_t arena, uint64_t lanes)
{
    return (uint8_t)((at[__builtin_ctzll(lanes)] - arena) & ((1 << LINE_BITS) - 1));
}

bool kiln_timing_stream_lanes(kiln_timing_stream_t *stream, kiln_timing_access_t *access,
                              const uint64_t at[LANES], uint64_t arena, uint64_t lanes,
                              unsigned bytes)
{
    uint64_t last = UINT64_MAX; // neighbouring lanes mostly share a line
    if (lanes)
        access->phase = phase_of(at, arena, lanes);
    for (uint64_t left = lanes; left; left &= left - 1) {
        const uint64_t first = at[__builtin_ctzll(left)] - arena,
                       end = (first + bytes - 1) >> LINE_BITS;
        for (uint64_t line = first >> LINE_BITS; (line != last || end != last) && line <= end;
             line++) {
            if (!kiln_timing_stream_add(stream, access, line))
                return false;
        }
        last = end;
    }
    return true;
}

bool kiln_timing_stream_pattern(kiln_timing_stream_t *stream, kiln_timing_access_t *access,
                                const uint64_t key[2], const uint64_t at[LANES], uint64_t arena,
                                uint64_t lanes, unsigned bytes)
{
    if (!stream->recent && !(stream->recent = calloc(RECENT, sizeof *stream->recent)))
        return false;
    const uint64_t first = at[__builtin_ctzll(lanes)] - arena;
    const uint8_t phase = phase_of(at, arena, lanes);
    kiln_timing_recent_t *recent =
        &stream->recent[(key[0] ^ key[1]) * 0x9e3779b97f4a7c15ull >> (64 - RECENT_BITS)];
    const bool alone = access->line_count == 0;
    if (alone && recent->count && recent->key[0] == key[0] && recent->key[1] == key[1] &&
        recent->bytes == bytes && recent->phase == phase) {
        access->base = first >> LINE_BITS;
        access->phase = phase;
        access->shape = recent->shape;
        access->line_count = recent->count;
        stream->line_count += recent->count;
        return true;
    }
    if (!kiln_timing_stream_lanes(stream, access, at, arena, lanes, bytes))
        return false;
    if (alone)
        *recent = (kiln_timing_recent_t){.key = {key[0], key[1]},
                                         .shape = access->shape,
                                         .count = access->line_count,
                                         .bytes = (uint8_t)bytes,
                                         .phase = phase};
    return true;
}

void kiln_timing_stream_forget(kiln_timing_stream_t *stream)
{
    stream->access_count = stream->line_count = stream->distance_count = 0;
    for (unsigned i = 0; stream->recent && i < RECENT; i++)
        stream->recent[i].count = 0;
}

void kiln_timing_stream_free(kiln_timing_stream_t *stream)
{
    free(stream->steps);
    free(stream->accesses);
    free(stream->distances);
    free(stream->recent);
    *stream = (kiln_timing_stream_t){0};
}
