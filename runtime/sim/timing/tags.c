// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "timing/tags.h"

#include <stdlib.h>
#include <string.h>

bool kiln_timing_tags_open(kiln_timing_tags_t *tags, uint64_t bytes, unsigned line_bytes, unsigned ways)
{
    *tags = (kiln_timing_tags_t){.sets = (size_t)(bytes / line_bytes / ways), .ways = ways};
    tags->tags = calloc(tags->sets * ways, sizeof *tags->tags);
    return tags->tags != NULL;
}

void kiln_timing_tags_close(kiln_timing_tags_t *tags)
{
    free(tags->tags);
    *tags = (kiln_timing_tags_t){0};
}

void kiln_timing_tags_clear(kiln_timing_tags_t *tags)
{
    memset(tags->tags, 0, tags->sets * tags->ways * sizeof *tags->tags);
}

// Strides of a power of two spread over the sets, as they do where the address is hashed.
static kiln_timing_tag_t *set_of(const kiln_timing_tags_t *tags, uint64_t line)
{
    const uint64_t mixed = line ^ line >> 9 ^ line >> 17;
    return tags->tags + (size_t)(mixed % tags->sets) * tags->ways;
}

kiln_timing_tag_t *kiln_timing_tags_find(kiln_timing_tags_t *tags, uint64_t line)
{
    kiln_timing_tag_t *set = set_of(tags, line);
    for (size_t i = 0; i < tags->ways; i++) {
        if (set[i].line == line + 1) {
            set[i].used = ++tags->clock;
            return &set[i];
        }
    }
    return NULL;
}

kiln_timing_tag_t *kiln_timing_tags_insert(kiln_timing_tags_t *tags, uint64_t line, kiln_timing_tag_t *evicted)
{
    kiln_timing_tag_t *set = set_of(tags, line), *oldest = set;
    for (size_t i = 1; i < tags->ways; i++)
        oldest = set[i].used < oldest->used ? &set[i] : oldest;
    if (evicted)
        *evicted = *oldest;
    *oldest = (kiln_timing_tag_t){.line = line + 1, .used = ++tags->clock};
    return oldest;
}
