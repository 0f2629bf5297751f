// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The form of a loop in which waves may take turns on the units of a SIMD: loads, one dot of two
// buffers, and stores to buffers, of values that do not depend on the dot.
#ifndef KILN_STEP_TURNS_H
#define KILN_STEP_TURNS_H

#include "passes/steps/policies.h"

enum { KILN_MAX_TURN_STORES = 8, KILN_MAX_TURN_LOADS = 8 };

// Operations are indices of the step's.
typedef struct kiln_turns {
    const kiln_step_kernel_t *kernel;
    kiln_step_schedule_t *step;
    int dot, reads[2]; // of its operands
    int stores[KILN_MAX_TURN_STORES];
    int loads[KILN_MAX_TURN_LOADS]; // those whose values are only stored
    int store_count, load_count;
} kiln_turns_t;

// Sets *out_found to whether the step, in the body's order, has this form. Fails only when out of
// memory.
kiln_status_t kiln_turns_find(const kiln_step_kernel_t *kernel, kiln_step_schedule_t *step,
                              kiln_turns_t *out, bool *out_found);

MlirOperation kiln_turns_op(const kiln_turns_t *turns, int op);

// Puts the operations that depend on the dot into a cluster. Sets *out_stores_depend to whether
// stores are among them. Fails only when out of memory.
kiln_status_t kiln_turns_place_after_dot(const kiln_turns_t *turns, int cluster,
                                         bool *out_stores_depend);

#endif
