// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A condition compares two expressions (base/expression.h): "BLOCK_M*BLOCK_N <= 32768".
#ifndef KILN_BASE_CONDITION_H
#define KILN_BASE_CONDITION_H

#include "base/expression.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kiln_condition {
    kiln_expression_t left, right;
    unsigned holds; // for which orders of left and right
} kiln_condition_t;

// Parses the whole text; KILN_STATUS_USAGE describes the error. The caller frees the condition with
// kiln_condition_free, also after a failure.
kiln_status_t kiln_condition_parse(const char *text, kiln_condition_t *out_condition);
void kiln_condition_free(kiln_condition_t *condition);

// Fails as kiln_expression_run does.
kiln_status_t kiln_condition_run(const kiln_condition_t *condition,
                                 kiln_expression_lookup_fn lookup, void *user, bool *out_holds);

// Facts of a device that conditions of tuning may name, unless an axis or argument has the name.
typedef enum kiln_condition_fact {
    KILN_FACT_COMPUTE_UNITS, // compute_units
    KILN_FACT_XCDS,          // xcds
    KILN_FACT_LDS_BYTES,     // lds_bytes: of a workgroup, at most
    KILN_FACT_COUNT          // another name
} kiln_condition_fact_t;
kiln_condition_fact_t kiln_condition_fact(const char *name, size_t length);

#ifdef __cplusplus
}
#endif
#endif
