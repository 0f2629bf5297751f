// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which lines a cache holds: sets with the least recently used line replaced, and for each line the time when its data is there.
//
// Millions of lines are looked up for one prediction, so what is looked through is small, and is looked through by rows of
// ways: a key of 31 bits each, and an age of a byte, which is how many lines of the set have been used since.
//
// What a reader gets wrong: a key is what is left of a line's number without the bits that its set tells, and no more than 31 bits of it.
// So lines are taken for one that are a multiple of 2^31 times the cache's sets apart: 1 TB for the L1, more for the others.
#ifndef KILN_TIMING_TAGS_H
#define KILN_TIMING_TAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KILN_TIMING_TAGS_ROW = 16 };

typedef struct kiln_timing_tag {
    uint64_t there; // cycle from which the data can be read
} kiln_timing_tag_t;

// Of a set's ways, which lie side by side, in whole rows: those behind the last one stay empty.
typedef struct kiln_timing_tags {
    uint32_t *keys; // 0 where a way is empty
    int8_t *age;    // 0 to ways - 1, each once
    kiln_timing_tag_t *tags;
    bool *dirty;
    size_t sets, ways, stride; // sets: a power of two; stride: from set to set
    unsigned set_bits;
} kiln_timing_tags_t;

// At most 64 ways.
bool kiln_timing_tags_open(kiln_timing_tags_t *tags, uint64_t bytes, unsigned line_bytes, unsigned ways);
void kiln_timing_tags_close(kiln_timing_tags_t *tags);
void kiln_timing_tags_clear(kiln_timing_tags_t *tags);
// The line's entry, or NULL where the cache does not hold it.
kiln_timing_tag_t *kiln_timing_tags_find(kiln_timing_tags_t *tags, uint64_t line);
// The line is written; whether it had been before.
bool kiln_timing_tags_soil(kiln_timing_tags_t *tags, const kiln_timing_tag_t *tag);
// Puts the line, which the cache does not hold, in the place of the oldest of its set.
kiln_timing_tag_t *kiln_timing_tags_insert(kiln_timing_tags_t *tags, uint64_t line);

#endif
