// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row of a tuning store as JSON.
#ifndef KILN_CLI_TUNE_JSON_H
#define KILN_CLI_TUNE_JSON_H

#include <jansson.h>

#include "kiln/tune.h"

// NULL if out of memory.
json_t *kiln_tune_record_json(const kiln_tune_record_t *record, kiln_tune_table_t table);

// Returns the row that a value describes; its strings belong to the value. INVALID_INPUT names the
// missing or wrong member.
kiln_status_t kiln_tune_record_read(const json_t *json, kiln_tune_table_t table,
                                    kiln_tune_record_t *out_record);

#endif
