// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "timing/stream.h"

#include <stdlib.h>

static bool grow(void **data, size_t *capacity, size_t count, size_t size)
{
    if (count < *capacity)
        return true;
    const size_t wanted = *capacity ? *capacity * 2 : 256;
    void *made = realloc(*data, wanted * size);
    if (!made)
        return false;
    *data = made;
    *capacity = wanted;
    return true;
}

bool kiln_timing_stream_step(kiln_timing_stream_t *stream, uint32_t index)
{
    if (!grow((void **)&stream->steps, &stream->step_capacity, stream->step_count, sizeof *stream->steps))
        return false;
    stream->steps[stream->step_count++] = index;
    return true;
}

kiln_timing_access_t *kiln_timing_stream_access(kiln_timing_stream_t *stream)
{
    if (!grow((void **)&stream->accesses, &stream->access_capacity, stream->access_count, sizeof *stream->accesses))
        return NULL;
    kiln_timing_access_t *access = &stream->accesses[stream->access_count++];
    *access = (kiln_timing_access_t){.first_line = (uint32_t)stream->line_count};
    return access;
}

// Neighbouring lanes mostly share a line, so the last few are looked at, last first; all of them where there are many.
bool kiln_timing_stream_line(kiln_timing_stream_t *stream, kiln_timing_access_t *access, uint64_t line)
{
    for (size_t i = stream->line_count; i > access->first_line; i--) {
        if (stream->lines[i - 1] == line)
            return true;
    }
    if (!grow((void **)&stream->lines, &stream->line_capacity, stream->line_count, sizeof *stream->lines))
        return false;
    stream->lines[stream->line_count++] = line;
    access->line_count++;
    return true;
}

void kiln_timing_stream_free(kiln_timing_stream_t *stream)
{
    free(stream->steps);
    free(stream->accesses);
    free(stream->lines);
    *stream = (kiln_timing_stream_t){0};
}
