// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that every instruction has been tested with at least eight vectors. Runs after the tests
// that count them (sim_vectors.h), and sums their files.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <dirent.h>

#include "sim_vectors.h"

enum { ENOUGH = 8 };

#define TABLE(table, variant) extern const kiln_sim_rows_t kiln_sim_rows_##table##_##variant;
KILN_SIM_ROW_TABLES_OF(TABLE, generic)
#undef TABLE
#define TABLE(table, variant) &kiln_sim_rows_##table##_##variant,
static const kiln_sim_rows_t *const tables[] = {KILN_SIM_ROW_TABLES_OF(TABLE, generic)};
#undef TABLE

typedef struct total {
    const kiln_sim_row_t *row;
    uint64_t count;
} total_t;

static total_t totals[4096];
static size_t total_count;

static void add_file(const char *path)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char name[128];
    for (uint64_t count; fscanf(file, "%127s %" SCNu64, name, &count) == 2;) {
        for (size_t i = 0; i < total_count; i++)
            totals[i].count += strcmp(totals[i].row->name, name) == 0 ? count : 0;
    }
    fclose(file);
}

static void every_instruction_has_eight_vectors(void **state)
{
    (void)state;
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++) {
        for (size_t i = 0; i < tables[t]->count; i++)
            totals[total_count++].row = &tables[t]->rows[i];
    }
    DIR *directory = opendir(KILN_BINARY_DIR "/test/vectors");
    assert_non_null(directory);
    unsigned files = 0, few = 0;
    uint64_t sum = 0;
    for (const struct dirent *entry; (entry = readdir(directory));) {
        const size_t length = strlen(entry->d_name);
        char path[1024];
        if (length < 5 || strcmp(entry->d_name + length - 4, ".txt") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", KILN_BINARY_DIR "/test/vectors", entry->d_name);
        add_file(path);
        files++;
    }
    closedir(directory);
    for (size_t i = 0; i < total_count; i++) {
        sum += totals[i].count;
        if (totals[i].count >= ENOUGH)
            continue;
        few++;
        print_message("%s: %" PRIu64 " vectors\n", totals[i].row->name, totals[i].count);
    }
    print_message("%zu instructions, %" PRIu64
                  " vectors of %u programs; %u instructions have fewer than %d\n",
                  total_count, sum, files, few, ENOUGH);
    assert_int_equal(few, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_instruction_has_eight_vectors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
