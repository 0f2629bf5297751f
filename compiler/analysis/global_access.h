// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which accesses of global memory may touch the same bytes from different waves of a workgroup. In a program a load sees
// the stores before it and none behind it; between such accesses waves must meet.
//
// Two accesses don't meet where
//   - both only read, or both are atomic;
//   - their pointers count from different arguments of the kernel (as Triton has it, a buffer belongs to one argument);
//   - their offsets differ by what the program says, whatever its arguments are;
//   - each wave touches just what it touched before: the same pointers, held by the same waves.
//
// The thing one gets wrong: a value that is made inside a loop is another one in the next iteration, so what is known of
// two uses of it holds within one iteration only.
#ifndef KILN_GLOBAL_ACCESS_H
#define KILN_GLOBAL_ACCESS_H

#include <stdbool.h>

#include <mlir-c/IR.h>

#include "kiln/status.h"

typedef struct kiln_global_accesses kiln_global_accesses_t;

// Of a ttg module with `num_warps` waves. *out is freed with kiln_global_accesses_destroy.
kiln_status_t kiln_global_accesses_create(MlirModule module, int num_warps, kiln_global_accesses_t **out);
void kiln_global_accesses_destroy(kiln_global_accesses_t *accesses); // accepts NULL

// The number of the operation's access, from 0; −1 where it has none, or none that anything could meet.
int kiln_global_access_of(const kiln_global_accesses_t *accesses, MlirOperation op);
bool kiln_global_access_reads(const kiln_global_accesses_t *accesses, int access);
bool kiln_global_access_writes(const kiln_global_accesses_t *accesses, int access);

// Is the access's pointer another one in each iteration of `loop`?
bool kiln_global_access_varies(const kiln_global_accesses_t *accesses, int access, MlirOperation loop);

// How far back an access lies: in this iteration of every loop that both are in; in an earlier one of `loop`; or, where
// that is null, who knows.
typedef struct kiln_when {
    bool same_iteration;
    MlirOperation loop;
} kiln_when_t;

// May the two touch the same bytes from different waves?
bool kiln_global_accesses_meet(const kiln_global_accesses_t *accesses, int earlier, kiln_when_t when, int now);

// Do waves meet at this operation, and does what they did to global memory before it come before what they do behind it?
bool kiln_orders_global(MlirOperation op);

#endif
