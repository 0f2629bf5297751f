// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A subspace of F2^32, kept in echelon form, for Gaussian elimination, one vector at a time.
//
// Every vector may be inserted with a tag, a set of bits that names it; kiln_span_solve then also
// returns which inserted vectors add up to a given one. Note that vectors that are dependent on
// earlier ones are dropped, and their tags never appear in a solution.
#ifndef KILN_SPAN_H
#define KILN_SPAN_H

#include <stdbool.h>
#include <stdint.h>

typedef struct kiln_span {
    int dimension;
    uint32_t used;       // bit i: there is a vector whose highest bit is i
    uint32_t vector[32]; // by highest bit
    uint64_t tag[32];
} kiln_span_t;

// Returns `vector` reduced by the vectors of the span and adds the tags of the subtracted ones to
// *tag.
static inline uint32_t kiln_span_reduce(const kiln_span_t *span, uint32_t vector, uint64_t *tag)
{
    for (uint32_t left = vector & span->used; left;) {
        int top = 31 - __builtin_clz(left);
        vector ^= span->vector[top];
        *tag ^= span->tag[top];
        left = vector & span->used & ((1u << top) - 1);
    }
    return vector;
}

// Returns true if the vector was independent of the span.
static inline bool kiln_span_insert_tagged(kiln_span_t *span, uint32_t vector, uint64_t tag)
{
    vector = kiln_span_reduce(span, vector, &tag);
    if (!vector)
        return false;
    int top = 31 - __builtin_clz(vector);
    span->vector[top] = vector;
    span->tag[top] = tag;
    span->used |= 1u << top;
    span->dimension++;
    return true;
}

static inline bool kiln_span_insert(kiln_span_t *span, uint32_t vector)
{
    return kiln_span_insert_tagged(span, vector, 0);
}

static inline bool kiln_span_solve(const kiln_span_t *span, uint32_t vector, uint64_t *tag)
{
    *tag = 0;
    return kiln_span_reduce(span, vector, tag) == 0;
}

static inline bool kiln_span_has(const kiln_span_t *span, uint32_t vector)
{
    uint64_t tag = 0;
    return kiln_span_reduce(span, vector, &tag) == 0;
}

#endif
