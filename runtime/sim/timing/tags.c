// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "timing/tags.h"

#include <stdlib.h>
#include <string.h>

bool kiln_timing_tags_open(kiln_timing_tags_t *tags, uint64_t bytes, unsigned line_bytes, unsigned ways)
{
    *tags = (kiln_timing_tags_t){.sets = (size_t)(bytes / line_bytes / ways), .ways = ways};
    const size_t count = tags->sets * ways;
    tags->lines = calloc(count, sizeof *tags->lines);
    tags->used = calloc(count, sizeof *tags->used);
    tags->tags = calloc(count, sizeof *tags->tags);
    return tags->lines && tags->used && tags->tags;
}

void kiln_timing_tags_close(kiln_timing_tags_t *tags)
{
    free(tags->lines);
    free(tags->used);
    free(tags->tags);
    *tags = (kiln_timing_tags_t){0};
}

void kiln_timing_tags_clear(kiln_timing_tags_t *tags)
{
    const size_t count = tags->sets * tags->ways;
    memset(tags->lines, 0, count * sizeof *tags->lines);
    memset(tags->used, 0, count * sizeof *tags->used);
    memset(tags->tags, 0, count * sizeof *tags->tags);
}

// Where the line's set begins. Strides of a power of two spread over the sets, as they do where the address is hashed.
static size_t set_of(const kiln_timing_tags_t *tags, uint64_t line)
{
    const uint64_t mixed = line ^ line >> 9 ^ line >> 17;
    return (size_t)(mixed & (tags->sets - 1)) * tags->ways;
}

kiln_timing_tag_t *kiln_timing_tags_find(kiln_timing_tags_t *tags, uint64_t line)
{
    const size_t set = set_of(tags, line);
    for (size_t i = set; i < set + tags->ways; i++) {
        if (tags->lines[i] == line + 1) {
            tags->used[i] = ++tags->clock;
            return &tags->tags[i];
        }
    }
    return NULL;
}

kiln_timing_tag_t *kiln_timing_tags_insert(kiln_timing_tags_t *tags, uint64_t line, kiln_timing_tag_t *evicted)
{
    const size_t set = set_of(tags, line);
    size_t oldest = set;
    for (size_t i = set + 1; i < set + tags->ways; i++)
        oldest = tags->used[i] < tags->used[oldest] ? i : oldest;
    if (evicted)
        *evicted = tags->tags[oldest];
    tags->lines[oldest] = line + 1;
    tags->used[oldest] = ++tags->clock;
    tags->tags[oldest] = (kiln_timing_tag_t){.line = line + 1};
    return &tags->tags[oldest];
}
