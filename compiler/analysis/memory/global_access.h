// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds accesses of global memory that may touch the same bytes from different waves of a
// workgroup. In a program a load sees the stores before it and none after it, so waves must
// synchronize between such accesses.
//
// Two accesses do not conflict if
//   - both only read, or both are atomic, update alike (add, max, and, …)
//     and have no used results;
//   - their pointers are based on different arguments of the kernel (as in Triton, a buffer belongs to one argument);
//   - their offsets differ for all values of the arguments;
//   - each thread accesses exactly what it accessed before: the same pointers to the same elements, all of them distinct,
//     held by the same threads.
//
// Note that a value defined inside a loop changes in the next iteration, so facts about two uses of
// it hold only within one iteration.
#ifndef KILN_GLOBAL_ACCESS_H
#define KILN_GLOBAL_ACCESS_H

#include <stdbool.h>

#include <mlir-c/IR.h>

#include "kiln/status.h"

typedef struct kiln_global_accesses kiln_global_accesses_t;

// Analyses a ttg module with `num_warps` waves. Free *out with kiln_global_accesses_destroy.
kiln_status_t kiln_global_accesses_create(MlirModule module, int num_warps,
                                          kiln_global_accesses_t **out);
void kiln_global_accesses_destroy(kiln_global_accesses_t *accesses); // accepts NULL

// Returns the index of the operation's access, from 0; −1 if it has no access that could conflict.
int kiln_global_access_of(const kiln_global_accesses_t *accesses, MlirOperation op);
bool kiln_global_access_reads(const kiln_global_accesses_t *accesses, int access);
bool kiln_global_access_writes(const kiln_global_accesses_t *accesses, int access);

// Whether the access's pointer may change in each iteration of `loop`.
bool kiln_global_access_varies(const kiln_global_accesses_t *accesses, int access,
                               MlirOperation loop);

// When the earlier access happened: in this iteration of every loop that contains both; in an
// earlier iteration of `loop`; or, if that is null, at an unknown time.
typedef struct kiln_when {
    bool same_iteration;
    MlirOperation loop;
} kiln_when_t;

// Whether the two may touch the same bytes from different waves.
bool kiln_global_accesses_meet(const kiln_global_accesses_t *accesses, int earlier,
                               kiln_when_t when, int now);

// Whether the value is a kernel argument: a buffer that belongs to it alone. Arguments of other
// functions may be parts of one buffer.
bool kiln_is_kernel_argument(MlirValue value);

// Whether waves synchronize at this operation, so that their earlier accesses of global memory come
// before their later ones.
bool kiln_orders_global(MlirOperation op);

// Whether a wave may release to other workgroups, by an operation of the module, what others did
// before a barrier: by an atomic operation on a tile, before which the waves do not meet, or by
// assembly.
bool kiln_waves_release_alone(MlirModule module);

#endif
