// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An scf.if under construction: both branches are built at the same time, with the results of each.
//
// Pitfall: until the branch is closed, its blocks belong to no operation, and nothing releases
// them.
#ifndef KILN_BRANCH_H
#define KILN_BRANCH_H

#include "builder/ir.h"

typedef struct kiln_branch {
    MlirValue condition;
    kiln_ir_t then_ir, else_ir; // insertion points in the then and the else branch
    MlirValue *values[2];       // results of the two branches
    MlirType *types;
    intptr_t count;
} kiln_branch_t;

// `room` is the largest number of results. Returns false when out of memory; then there is nothing
// to close.
bool kiln_branch_open(kiln_branch_t *b, const kiln_ir_t *ir, MlirValue condition, intptr_t room);
void kiln_branch_yield(kiln_branch_t *b, MlirValue then_value, MlirValue else_value);
// Creates the scf.if at `ir`.
MlirOperation kiln_branch_close(kiln_branch_t *b, const kiln_ir_t *ir);

#endif
