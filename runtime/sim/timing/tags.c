// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks up and replaces lines in a cache's tags (timing/tags.h), a row of ways at a time.
#include "timing/tags.h"

#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { ROW = KILN_TIMING_TAGS_ROW, CACHE_LINE = 64 };

bool kiln_timing_tags_open(kiln_timing_tags_t *tags, uint64_t bytes, unsigned line_bytes,
                           unsigned ways)
{
    *tags = (kiln_timing_tags_t){.sets = (size_t)(bytes / line_bytes / ways),
                                 .ways = ways,
                                 .stride = (ways + ROW - 1) / ROW * ROW};
    const size_t count = tags->sets * tags->stride;
    while (tags->sets >> tags->key_bit > 1)
        tags->key_bit++;
    tags->keys =
        aligned_alloc(CACHE_LINE,
                      count * sizeof *tags->keys); // so that a row is one of the host's cache lines
    tags->age = malloc(count * sizeof *tags->age);
    tags->tags = malloc(count * sizeof *tags->tags);
    tags->dirty = malloc(count * sizeof *tags->dirty);
    if (!tags->keys || !tags->age || !tags->tags || !tags->dirty)
        return false;
    kiln_timing_tags_clear(tags);
    return true;
}

void kiln_timing_tags_close(kiln_timing_tags_t *tags)
{
    free(tags->keys);
    free(tags->age);
    free(tags->tags);
    free(tags->dirty);
    *tags = (kiln_timing_tags_t){0};
}

// Empty ways are used in order, the first being the oldest. The ways that pad a row are older than
// any way and never used.
void kiln_timing_tags_clear(kiln_timing_tags_t *tags)
{
    const size_t count = tags->sets * tags->stride;
    memset(tags->keys, 0, count * sizeof *tags->keys);
    memset(tags->tags, 0, count * sizeof *tags->tags);
    for (size_t way = 0; way < tags->stride; way++)
        tags->age[way] = way < tags->ways ? (int8_t)(tags->ways - 1 - way) : INT8_MAX;
    for (size_t first = tags->stride; first < count; first += tags->stride)
        memcpy(tags->age + first, tags->age, tags->stride);
}

// The first way of the line's set. With a hashed address, lines at strides of a power of two spread
// over the sets.
static size_t set_of(const kiln_timing_tags_t *tags, uint64_t line)
{
    const uint64_t mixed = tags->paired ? line >> 1 : line ^ line >> 9 ^ line >> 17;
    return (size_t)(mixed & (tags->sets - 1)) * tags->stride;
}

// The bits that distinguish a line from others of its set. Never 0.
static uint32_t key_of(const kiln_timing_tags_t *tags, uint64_t line)
{
    return (uint32_t)(line >> tags->key_bit) | 1u << 31;
}

// Bit i is set if way i of a row has that key.
static unsigned row_equal(const uint32_t row[ROW], uint32_t key)
{
#ifdef __SSE2__
    const __m128i wanted = _mm_set1_epi32((int)key);
    __m128i equal[ROW / 4];
    for (unsigned i = 0; i < ROW / 4; i++)
        equal[i] =
            _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *)(const void *)(row + 4 * i)), wanted);
    const __m128i halves[2] = {_mm_packs_epi32(equal[0], equal[1]),
                               _mm_packs_epi32(equal[2], equal[3])};
    return (unsigned)_mm_movemask_epi8(_mm_packs_epi16(halves[0], halves[1]));
#else
    unsigned equal = 0;
    for (unsigned i = 0; i < ROW; i++)
        equal |= (unsigned)(row[i] == key) << i;
    return equal;
#endif
}

// Likewise for an age.
static unsigned row_aged(const int8_t row[ROW], int8_t age)
{
#ifdef __SSE2__
    const __m128i ages = _mm_loadu_si128((const __m128i *)(const void *)row);
    return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(ages, _mm_set1_epi8(age)));
#else
    unsigned aged = 0;
    for (unsigned i = 0; i < ROW; i++)
        aged |= (unsigned)(row[i] == age) << i;
    return aged;
#endif
}

// Increments the ages that are below `before`.
static void row_grow(int8_t row[ROW], int8_t before)
{
#ifdef __SSE2__
    const __m128i ages = _mm_loadu_si128((const __m128i *)(const void *)row);
    const __m128i younger = _mm_cmplt_epi8(ages, _mm_set1_epi8(before));
    _mm_storeu_si128((__m128i *)(void *)row, _mm_sub_epi8(ages, younger));
#else
    for (unsigned i = 0; i < ROW; i++)
        row[i] = (int8_t)(row[i] + (row[i] < before));
#endif
}

// Makes a way the most recently used one.
static void use(kiln_timing_tags_t *tags, size_t set, size_t way)
{
    const int8_t before = tags->age[way];
    if (before == 0)
        return;
    for (size_t first = set; first < set + tags->stride; first += ROW)
        row_grow(tags->age + first, before);
    tags->age[way] = 0;
}

// The line's way, made the most recently used one; NULL if it is in none.
static kiln_timing_tag_t *find_in(kiln_timing_tags_t *tags, size_t set, uint32_t key)
{
    for (size_t first = set; first < set + tags->stride; first += ROW) {
        const unsigned equal = row_equal(tags->keys + first, key);
        if (equal) {
            const size_t way = first + (unsigned)__builtin_ctz(equal);
            use(tags, set, way);
            return &tags->tags[way];
        }
    }
    return NULL;
}

static kiln_timing_tag_t *insert_in(kiln_timing_tags_t *tags, size_t set, uint32_t key)
{
    size_t first = set;
    unsigned oldest;
    while (!(oldest = row_aged(tags->age + first, (int8_t)(tags->ways - 1))))
        first += ROW;
    const size_t way = first + (unsigned)__builtin_ctz(oldest);
    use(tags, set, way);
    tags->keys[way] = key;
    tags->dirty[way] = false;
    return &tags->tags[way];
}

kiln_timing_tag_t *kiln_timing_tags_find(kiln_timing_tags_t *tags, uint64_t line)
{
    return find_in(tags, set_of(tags, line), key_of(tags, line));
}

kiln_timing_tag_t *kiln_timing_tags_insert(kiln_timing_tags_t *tags, uint64_t line)
{
    return insert_in(tags, set_of(tags, line), key_of(tags, line));
}

kiln_timing_tag_t *kiln_timing_tags_take(kiln_timing_tags_t *tags, uint64_t line, bool *found)
{
    const size_t set = set_of(tags, line);
    const uint32_t key = key_of(tags, line);
    kiln_timing_tag_t *tag = find_in(tags, set, key);
    *found = tag != NULL;
    if (!tag) {
        tag = insert_in(tags, set, key);
        tag->available = 0;
    }
    return tag;
}

bool kiln_timing_tags_mark_dirty(kiln_timing_tags_t *tags, const kiln_timing_tag_t *tag)
{
    bool *dirty = &tags->dirty[tag - tags->tags], before = *dirty;
    *dirty = true;
    return before;
}
