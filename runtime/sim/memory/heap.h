// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The heap from which kernels allocate. ROCm's device library (ockl, dm.cl) divides slabs of 2 MiB
// among lanes itself. It keeps its records in a block that the hidden argument heap_v1 points to,
// and requests slabs and all large allocations from the host by a hostcall.
//
// The heap outlives launches: one kernel may free what another one allocated.
#ifndef KILN_SIM_HEAP_H
#define KILN_SIM_HEAP_H

#include <pthread.h>

#include "memory/memory.h"

typedef struct kiln_sim_heap {
    pthread_mutex_t lock;
    void *records; // in device memory; NULL until a kernel needs it
    uint64_t used; // bytes that kernels have allocated from the host
} kiln_sim_heap_t;

// The address of the library's records; 0 if there is not enough memory.
uint64_t kiln_sim_heap_records(kiln_sim_heap_t *heap, kiln_sim_memory_t *memory,
                               kiln_sim_error_t *error);

// For hostcalls: allocates `size` bytes, at most `limit` in total (0: no limit). Returns the
// address, or 0 if memory is exhausted.
uint64_t kiln_sim_heap_allocate(kiln_sim_heap_t *heap, kiln_sim_memory_t *memory, uint64_t limit,
                                uint64_t size);
// For hostcalls: frees an address. False if kernels have not allocated it or have already freed it.
bool kiln_sim_heap_free(kiln_sim_heap_t *heap, kiln_sim_memory_t *memory, uint64_t address);

#endif
