// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where barriers are needed: before an operation whose access of LDS conflicts (read after write, write after read,
// write after write, on overlapping bytes) with an access that some path brings to it with no barrier in between; and
// likewise for accesses of global memory that may meet (global_access.h). Loops are followed over their back edges,
// branches are joined.
//
// The thing one gets wrong: the barrier inside an operation with scratch (allocation.h) also orders everything before
// it, but only what was before its own first write; what the operation itself still reads at its end stays pending.
#ifndef KILN_MEMBAR_H
#define KILN_MEMBAR_H

#include <stdbool.h>

#include "analysis/allocation.h"
#include "analysis/global_access.h"

typedef struct kiln_membar kiln_membar_t;

enum { KILN_SPACE_LDS = 1, KILN_SPACE_GLOBAL = 2 };

// Waves may be apart by `rounds` less one (waves.h), so as many barriers of the program's must be between two accesses, or one
// that is executed as often. *out is freed with kiln_membar_destroy. The allocation and the accesses must outlive the call only.
kiln_status_t kiln_membar_create(MlirModule module, const kiln_allocation_t *allocation,
                                 const kiln_global_accesses_t *accesses, int rounds, kiln_membar_t **out);
void kiln_membar_destroy(kiln_membar_t *membar); // accepts NULL

// The spaces of which a barrier must be executed right before `op` (all waves; what they read and wrote there is done);
// 0: none. Where global memory is to be ordered, LDS is as well.
unsigned kiln_membar_before(const kiln_membar_t *membar, MlirOperation op);
int kiln_membar_count(const kiln_membar_t *membar);

#endif
