// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tags of a set-associative cache with LRU replacement, and for each line the time when its
// data arrives.
//
// One prediction looks up millions of lines, so the searched data is compact and searched by rows
// of ways: keys of 31 bits, and ages of one byte, which count the lines of the set that were used
// since.
//
// A key consists of a line number's bits from `key_bit` on, truncated to 31 bits. The bits below
// follow from the set and the others. Lines at a distance of a multiple of 2^(31 + key_bit) are
// therefore confused: 256 GB for the L1, more for the others.
#ifndef KILN_TIMING_TAGS_H
#define KILN_TIMING_TAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KILN_TIMING_TAGS_ROW = 16 };

typedef struct kiln_timing_tag {
    uint64_t available; // cycle from which the data can be read
} kiln_timing_tag_t;

// Ways of a set are consecutive and padded to whole rows; the padding stays empty.
typedef struct kiln_timing_tags {
    uint32_t *keys; // 0: the way is empty
    int8_t *age;    // 0 to ways - 1, each once per set
    kiln_timing_tag_t *tags;
    bool *dirty;
    size_t sets, ways, stride; // sets: a power of two; stride: distance between sets
    unsigned key_bit;
    bool paired; // the low bits of the number of a pair of lines select its set, not a hash
} kiln_timing_tags_t;

// At most 64 ways.
bool kiln_timing_tags_open(kiln_timing_tags_t *tags, uint64_t bytes, unsigned line_bytes,
                           unsigned ways);
void kiln_timing_tags_close(kiln_timing_tags_t *tags);
void kiln_timing_tags_clear(kiln_timing_tags_t *tags);
// The line's entry, or NULL if it is not in the cache.
kiln_timing_tag_t *kiln_timing_tags_find(kiln_timing_tags_t *tags, uint64_t line);
// The line's entry; *found says whether it was in the cache. If not, it is inserted, available from
// cycle 0.
kiln_timing_tag_t *kiln_timing_tags_take(kiln_timing_tags_t *tags, uint64_t line, bool *found);
// Marks the line as written. Returns whether it was marked before.
bool kiln_timing_tags_mark_dirty(kiln_timing_tags_t *tags, const kiln_timing_tag_t *tag);
// Inserts the line, which must not be in the cache, in place of the oldest line of its set.
// `available` is still that of the replaced line, 0 if there was none.
kiln_timing_tag_t *kiln_timing_tags_insert(kiln_timing_tags_t *tags, uint64_t line);

#endif
