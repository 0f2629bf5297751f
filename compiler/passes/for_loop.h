// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of a module, and new ones made in the likeness of old ones.
//
// The thing one gets wrong: unsignedCmp is no discardable attribute, so that it doesn't come along with those of the old
// loop: a new loop may count otherwise.
#ifndef KILN_FOR_LOOP_H
#define KILN_FOR_LOOP_H

#include "builder/ir.h"
#include "kiln/status.h"

typedef struct kiln_loops {
    MlirOperation *ops;
    int count, capacity;
    bool (*wanted)(MlirOperation op);
    bool out_of_memory;
} kiln_loops_t;

// Whether the value is made in a region of the operation, or is an argument of one.
bool kiln_is_inside(MlirOperation outer, MlirValue value);

// The operations of the module that are wanted, in the walk's order. The caller frees out->ops, also after a failure.
kiln_status_t kiln_loops_collect(MlirModule module, MlirWalkOrder order, bool (*wanted)(MlirOperation op),
                                 kiln_loops_t *out);

typedef struct kiln_for {
    MlirValue lower, upper, step;
    bool is_unsigned;         // compares the induction variable so
    const MlirValue *initial; // of what the iterations pass on
    intptr_t count;
    MlirOperation like;          // whose discardable attributes it gets, if any,
    const char *const *left_out; // but for these; ends with NULL
} kiln_for_t;

// The number of iterations as a value of the induction variable's type, to be read without a sign. A step of zero has no
// meaning in a loop that runs, but does no harm in one that does not.
MlirValue kiln_for_count(const kiln_ir_t *ir, MlirOperation loop);
// The same if the loop's bounds were these.
MlirValue kiln_for_count_between(const kiln_ir_t *ir, MlirOperation loop, MlirValue lower, MlirValue upper);

// An scf.for whose only block has the induction variable and what is passed on as arguments and is empty, yield
// included. A null operation when memory is short.
MlirOperation kiln_for_create(const kiln_ir_t *ir, const kiln_for_t *what);

#endif
