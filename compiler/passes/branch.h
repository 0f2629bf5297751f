// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An scf.if that is being built: both ways at once, each with what it gives.
//
// The thing one gets wrong: blocks of a branch that is not closed are in nothing, and are not released.
#ifndef KILN_BRANCH_H
#define KILN_BRANCH_H

#include "builder/ir.h"

typedef struct kiln_branch {
    MlirValue condition;
    kiln_ir_t yes, no;    // where operations go that are done if it holds, and if not
    MlirValue *values[2]; // what the two give
    MlirType *types;
    intptr_t count;
} kiln_branch_t;

// `room` is how many values the branch may give. False when memory is short.
bool kiln_branch_open(kiln_branch_t *b, const kiln_ir_t *ir, MlirValue condition, intptr_t room);
void kiln_branch_gives(kiln_branch_t *b, MlirValue yes, MlirValue no);
// The scf.if, at `ir`.
MlirOperation kiln_branch_close(kiln_branch_t *b, const kiln_ir_t *ir);

#endif
