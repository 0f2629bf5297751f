// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Determines where barriers are needed: before an operation whose access of LDS conflicts (read
// after write, write after read, write after write, on overlapping bytes) with an earlier access on
// some path without a barrier in between; and likewise for accesses of global memory that may
// conflict (global_access.h). Loops are followed over their back edges, branches are joined. A
// barrier inside control flow that not all waves execute alike (uniformity.h) would order nothing.
// If earlier accesses require one there, it is placed before the control flow. If accesses inside
// require one, the caller must reject the program (kiln_is_executed_by_all_waves).
//
// Note that the barrier inside an operation with scratch (allocation.h) also orders everything
// before the operation's first write; reads of its scratch at its end stay pending.
#ifndef KILN_MEMBAR_H
#define KILN_MEMBAR_H

#include <stdbool.h>

#include "analysis/memory/global_access.h"
#include "analysis/plan/allocation.h"
#include "analysis/waves/uniformity.h"

typedef struct kiln_membar kiln_membar_t;

enum { KILN_SPACE_LDS = 1, KILN_SPACE_GLOBAL = 2 };

// Waves may be `rounds` − 1 barriers apart (waves.h), so `rounds` barriers of the program must be
// between two accesses, or one that is executed as often. Free *out with kiln_membar_destroy. The
// analyses need not outlive the call.
kiln_status_t kiln_membar_create(MlirModule module, const kiln_allocation_t *allocation,
                                 const kiln_global_accesses_t *accesses,
                                 const kiln_uniformity_t *uniformity, int rounds,
                                 kiln_membar_t **out);
void kiln_membar_destroy(kiln_membar_t *membar); // accepts NULL

// The memory spaces of which a barrier must be executed directly before `op` (by all waves; their
// earlier reads and writes there are complete); 0: none. Global memory includes LDS.
unsigned kiln_membar_before(const kiln_membar_t *membar, MlirOperation op);
int kiln_membar_count(const kiln_membar_t *membar);

#endif
