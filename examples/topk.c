// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the kernels of topk.tile.c and checks their results; topk.md explains them.
#include <stdlib.h>

#include "host.h"

enum { ROWS = 3, COLUMNS = 700, K = 8 };

typedef struct entry {
    double value;
    size_t column;
} entry_t;

static int largest_first(const void *left, const void *right)
{
    const entry_t *a = left, *b = right;
    if (a->value != b->value)
        return a->value < b->value ? 1 : -1;
    return a->column < b->column ? -1 : 1;
}

int main(void)
{
    host_t host = host_open("topk.tile.c");
    array_t *in = host_random(&host, KILN_ELEMENT_F32, ROWS * COLUMNS, -100, 100, 1);
    array_t *values = host_array(&host, KILN_ELEMENT_F32, ROWS * K);
    array_t *columns = host_array(&host, KILN_ELEMENT_I32, ROWS * K);
    array_t *sorted = host_array(&host, KILN_ELEMENT_F32, ROWS * COLUMNS);
    host_set(in, 5, host_get(in, 3)); // equal values
    host_upload(in);

    double *best = host_doubles(&host, ROWS * K), *where = host_doubles(&host, ROWS * K);
    double *order = host_doubles(&host, ROWS * COLUMNS);
    for (size_t r = 0; r < ROWS; r++) {
        entry_t entries[COLUMNS];
        for (size_t c = 0; c < COLUMNS; c++)
            entries[c] = (entry_t){host_get(in, r * COLUMNS + c), c};
        qsort(entries, COLUMNS, sizeof *entries, largest_first);
        for (size_t i = 0; i < K; i++) {
            best[r * K + i] = entries[i].value;
            where[r * K + i] = (double)entries[i].column;
        }
        for (size_t i = 0; i < COLUMNS; i++)
            order[r * COLUMNS + i] = entries[COLUMNS - 1 - i].value;
    }

    host_launch(&host, "row_topk", ROWS, 1, 1, SETTINGS({"K", "8"}),
                ARGUMENTS(BUFFER("values", values), BUFFER("columns_of", columns), BUFFER("in", in),
                          INTEGER("columns", COLUMNS)));
    host_check(&host, "the largest", values, best);
    host_check(&host, "their columns", columns, where);
    host_launch(&host, "row_sort", ROWS, 1, 1, NULL, 0,
                ARGUMENTS(BUFFER("out", sorted), BUFFER("in", in), INTEGER("columns", COLUMNS)));
    host_check(&host, "sorted", sorted, order);
    return host_close(&host);
}
