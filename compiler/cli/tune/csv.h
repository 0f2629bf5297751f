// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tuning store as comma-separated values (RFC 4180), which spreadsheets and scripts read, and
// back without loss: a line for each row of either table, with the members that JSON has as
// columns.
#ifndef KILN_CLI_TUNE_CSV_H
#define KILN_CLI_TUNE_CSV_H

#include <jansson.h>
#include <stdio.h>

#include "kiln/tune.h"

// Writes the line of names, and the line of a row.
void kiln_tune_csv_write_names(FILE *stream);
kiln_status_t kiln_tune_csv_write_row(FILE *stream, const kiln_tune_record_t *record,
                                      kiln_tune_table_t table);

typedef kiln_status_t (*kiln_tune_csv_add_t)(kiln_tune_table_t table, const json_t *row,
                                             void *user);

// Calls `add` with each row as JSON, as kiln_tune_record_read takes it. The columns may be in any
// order. INVALID_INPUT names the line, and the column that is missing, unknown or malformed.
kiln_status_t kiln_tune_csv_read(const char *text, kiln_tune_csv_add_t add, void *user);

#endif
