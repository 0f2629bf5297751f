// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report of `kiln verify`, as text and as JSON. docs/verify.md describes both.
#ifndef KILN_VERIFY_REPORT_H
#define KILN_VERIFY_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "verify/verify.h"

// Number of results with that verdict, of a family or (KILN_VERIFY_FAMILIES) of all.
size_t kiln_verify_count(const kiln_verify_run_t *run, kiln_verify_family_t family,
                         kiln_verify_verdict_t verdict);

void kiln_verify_print(const kiln_verify_run_t *run, FILE *out);

// The measured parameters of the clock as lines NAME VALUE (KILN_SIM_PARAMETERS), from malloc; NULL
// if out of memory.
char *kiln_verify_parameters(const kiln_verify_run_t *run);

// NULL if out of memory.
json_t *kiln_verify_json(const kiln_verify_run_t *run);

#endif
