// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of a module, and new loops modelled on old ones.
//
// Pitfall: unsignedCmp is not a discardable attribute, so it is not copied with those of the old
// loop: a new loop may compare differently.
#ifndef KILN_FOR_LOOP_H
#define KILN_FOR_LOOP_H

#include "analysis/iterations.h"
#include "builder/ir.h"
#include "kiln/status.h"
#include "passes/rewrite/tile_ops.h"

typedef struct kiln_loops {
    MlirOperation *ops;
    int count;
    size_t capacity;
    bool (*wanted)(MlirOperation op);
    bool out_of_memory;
} kiln_loops_t;

// Whether the value is defined in a region of the operation, or is an argument of one.
bool kiln_is_inside(MlirOperation outer, MlirValue value);

// Collects the operations of the module for which `wanted` is true, in the order of the walk. The
// caller frees out->ops, also after a failure.
kiln_status_t kiln_loops_collect(MlirModule module, MlirWalkOrder order,
                                 bool (*wanted)(MlirOperation op), kiln_loops_t *out);

typedef struct kiln_for {
    MlirValue lower, upper, step;
    bool is_unsigned;         // of the comparison of the induction variable
    const MlirValue *initial; // of the loop-carried values
    intptr_t count;
    MlirOperation like;          // whose discardable attributes the loop gets, if any,
    const char *const *left_out; // except for these; ends with NULL
} kiln_for_t;

// The predicate by which the loop compares its induction variable with its upper bound.
kiln_cmpi_t kiln_for_less(MlirOperation loop);

// Returns the number of iterations as a value of the induction variable's type, to be read as
// unsigned. A step of zero is undefined in a loop that runs, but harmless in one that does not.
MlirValue kiln_for_count(const kiln_ir_t *ir, MlirOperation loop);
// The same with other bounds.
MlirValue kiln_for_count_between(const kiln_ir_t *ir, MlirOperation loop, MlirValue lower,
                                 MlirValue upper);

// Clones one iteration for the induction variable `at`, without its yield. `values` holds the
// carried values on entry and the yielded ones on return. Returns false when out of memory.
bool kiln_for_copy_body(const kiln_ir_t *ir, MlirOperation loop, MlirValue at, MlirValue *values);

// Rewrites loops that MLIR's canonicalizer would miscount (count_loops.c).
kiln_status_t kiln_count_loops(MlirModule module);

// Replaces carried integers that each iteration returns to their initial constant, and the results
// for them (carried_cycles.c).
void kiln_for_fold_cycles(MlirOperation loop);

// Creates an scf.for whose block has the induction variable and the carried values as arguments and
// is empty, without a yield. Returns a null operation when out of memory.
MlirOperation kiln_for_create(const kiln_ir_t *ir, const kiln_for_t *what);

#endif
