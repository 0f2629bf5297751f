// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where barriers are needed: before an operation whose access of LDS conflicts (read after write, write after read,
// write after write, on overlapping bytes) with an access that some path brings to it with no barrier in between. Loops
// are followed over their back edges, branches are joined.
//
// The thing one gets wrong: the barrier inside an operation with scratch (allocation.h) also orders everything before
// it, but only what was before its own first write; what the operation itself still reads at its end stays pending.
#ifndef KILN_MEMBAR_H
#define KILN_MEMBAR_H

#include <stdbool.h>

#include "analysis/allocation.h"

typedef struct kiln_membar kiln_membar_t;

// *out is freed with kiln_membar_destroy. The allocation must outlive the call only.
kiln_status_t kiln_membar_create(MlirModule module, const kiln_allocation_t *allocation, kiln_membar_t **out);
void kiln_membar_destroy(kiln_membar_t *membar); // accepts NULL

// A barrier (all waves; LDS writes and reads done) must be executed right before `op`.
bool kiln_membar_before(const kiln_membar_t *membar, MlirOperation op);
int kiln_membar_count(const kiln_membar_t *membar);

#endif
