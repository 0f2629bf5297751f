// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which lines a cache holds: sets with the least recently used line replaced, and for each line the time when its data is there.
#ifndef KILN_TIMING_TAGS_H
#define KILN_TIMING_TAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct kiln_timing_tag {
    uint64_t line;  // + 1; 0: empty
    uint64_t there; // cycle from which the data can be read
    bool dirty;
} kiln_timing_tag_t;

typedef struct kiln_timing_tags {
    uint64_t *lines; // of all tags, once more, so that few bytes are looked through
    uint64_t *used;
    kiln_timing_tag_t *tags;
    size_t sets, ways; // sets: a power of two
    uint64_t clock;
} kiln_timing_tags_t;

bool kiln_timing_tags_open(kiln_timing_tags_t *tags, uint64_t bytes, unsigned line_bytes, unsigned ways);
void kiln_timing_tags_close(kiln_timing_tags_t *tags);
void kiln_timing_tags_clear(kiln_timing_tags_t *tags);
// The line's entry, or NULL where the cache does not hold it.
kiln_timing_tag_t *kiln_timing_tags_find(kiln_timing_tags_t *tags, uint64_t line);
// Puts the line in the place of the oldest of its set; *evicted, where not NULL, gets what stood there.
kiln_timing_tag_t *kiln_timing_tags_insert(kiln_timing_tags_t *tags, uint64_t line, kiln_timing_tag_t *evicted);

#endif
