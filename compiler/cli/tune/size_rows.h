// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file of sizes (--sizes): CSV whose first line names integer arguments, and a call's values in
// each other line. AITER's tables of GEMMs are such files:
//
//     M,N,K
//     16,1536,7168
//
// Columns that are not arguments of the kernel are left out. Empty lines, and those that begin with
// '#', are skipped, and so are repeated sizes. The file may begin with a byte order mark, as Excel
// writes it.
#ifndef KILN_CLI_TUNE_SIZE_ROWS_H
#define KILN_CLI_TUNE_SIZE_ROWS_H

#include "kiln/kiln.h"

typedef struct kiln_size_rows {
    char **names; // of the columns
    size_t name_count;
    int64_t *values; // name_count of each row
    size_t *lines;   // of the file, of each row
    size_t row_count;
    char *left_out; // names of other columns, separated by blanks; NULL: none
} kiln_size_rows_t;

// Reads the file for the kernel that the options select in the source. All columns are taken if the
// source is NULL (of a sequence) or not Tile C. Freed also after a failure.
kiln_status_t kiln_size_rows_read(const char *path, const kiln_source_t *source,
                                  const kiln_compile_options_t *options,
                                  kiln_size_rows_t *out_rows);
void kiln_size_rows_free(kiln_size_rows_t *rows);

// The column of a name; false if there is none.
bool kiln_size_rows_find(const kiln_size_rows_t *rows, const char *name, size_t *out_column);

int64_t kiln_size_rows_value(const kiln_size_rows_t *rows, size_t row, size_t column);

// "M=16 N=1536 K=7168", from malloc; NULL if out of memory.
char *kiln_size_rows_text(const kiln_size_rows_t *rows, size_t row);

// The words of a row, "M=16", and then the given ones; from malloc. Freed by
// kiln_size_rows_free_words.
kiln_status_t kiln_size_rows_words(const kiln_size_rows_t *rows, size_t row, char **words,
                                   size_t count, char ***out_words);
void kiln_size_rows_free_words(const kiln_size_rows_t *rows, char **words);

#endif
