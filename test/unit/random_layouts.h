// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random shapes and the text of random layouts for them.
#ifndef TEST_RANDOM_LAYOUTS_H
#define TEST_RANDOM_LAYOUTS_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { MAX_TEST_RANK = 3 };

static uint64_t seed = 1;
static uint32_t random_below(uint32_t limit)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % limit;
}

typedef struct shape {
    int rank, size[MAX_TEST_RANK], count;
} shape_t;

static shape_t random_shape(int max_log2)
{
    shape_t shape = {.rank = 1 + (int)random_below(MAX_TEST_RANK), .count = 1};
    for (int d = 0; d < shape.rank; d++) {
        shape.size[d] = 1 << random_below(7);
        if (shape.count * shape.size[d] > 1 << max_log2)
            shape.size[d] = 1;
        shape.count *= shape.size[d];
    }
    return shape;
}

static void split(int total, int rank, int *parts)
{
    for (int d = 0; d < rank; d++)
        parts[d] = 1;
    for (; total > 1; total /= 2)
        parts[random_below((uint32_t)rank)] *= 2;
}

static void list(char *out, const int *values, int count)
{
    int at = sprintf(out, "[");
    for (int i = 0; i < count; i++)
        at += sprintf(out + at, "%s%d", i ? ", " : "", values[i]);
    sprintf(out + at, "]");
}

static void random_blocked(char *out, int rank, int warps)
{
    char spt[64], lanes[64], waves[64], order[64];
    int parts[MAX_TEST_RANK], swap = (int)random_below((uint32_t)rank);
    split(1 << random_below(4), rank, parts);
    list(spt, parts, rank);
    split(64, rank, parts);
    list(lanes, parts, rank);
    split(warps, rank, parts);
    list(waves, parts, rank);
    for (int d = 0; d < rank; d++)
        parts[d] = rank - 1 - d;
    parts[0] = parts[swap];
    parts[swap] = rank - 1;
    list(order, parts, rank);
    sprintf(out,
            "#ttg.blocked<{sizePerThread = %s, threadsPerWarp = %s, warpsPerCTA = %s, order = %s}>",
            spt, lanes, waves, order);
}

// Bits of the index in any order among registers, lanes and warps, some of them added to others,
// and copies wherever bits are left over.
static void random_linear(char *out, const shape_t *shape, int warps)
{
    enum { LANES = 6 };
    int basis[32][MAX_TEST_RANK] = {{0}}, bits = 0,
        threads = LANES + __builtin_ctz((unsigned)warps);
    for (int d = 0; d < shape->rank; d++)
        for (int size = 1; size < shape->size[d]; size *= 2)
            basis[bits++][d] = size;
    int count = bits > threads ? bits : threads, at = 0;
    for (int i = count - 1; i > 0; i--)
        for (int d = 0, j = (int)random_below((uint32_t)i + 1); d < MAX_TEST_RANK; d++) {
            int kept = basis[i][d];
            basis[i][d] = basis[j][d];
            basis[j][d] = kept;
        }
    for (int n = (int)random_below(3) - 1; n > 0; n--)
        for (int d = 0, i = (int)random_below((uint32_t)count - 1); d < shape->rank; d++)
            basis[i][d] ^= basis[i + 1][d];
    const char *const names[] = {"lane = [", "], warp = [", "], register = ["};
    at = sprintf(out, "#ttg.linear<{");
    for (int i = 0, place = 0; place < 3; place++) {
        int end = place == 0 ? LANES : place == 1 ? threads : count;
        at += sprintf(out + at, "%s", names[place]);
        for (const char *comma = ""; i < end; i++, comma = ", ") {
            at += sprintf(out + at, "%s", comma);
            list(out + at, basis[i], shape->rank);
            at += (int)strlen(out + at);
        }
    }
    sprintf(out + at, "], block = []}>");
}

#endif
