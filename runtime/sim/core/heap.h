// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The heap from which kernels allocate. ROCm's device library (ockl, dm.cl) divides slabs of 2 MiB among lanes itself; it keeps its books in a block that the
// hidden argument heap_v1 points to, and asks the host for slabs, and for all that is large, by a hostcall.
//
// What a reader gets wrong: the heap outlives launches: what one kernel allocates, another may free.
#ifndef KILN_SIM_HEAP_H
#define KILN_SIM_HEAP_H

#include <pthread.h>

#include "core/memory.h"

typedef struct kiln_sim_heap {
    pthread_mutex_t lock;
    void *books;   // in device memory; NULL until a kernel wants it
    uint64_t used; // bytes that kernels asked the host for
} kiln_sim_heap_t;

// The address of the books; 0 without memory.
uint64_t kiln_sim_heap_books(kiln_sim_heap_t *heap, kiln_sim_memory_t *memory, kiln_sim_error_t *error);

// Hostcalls: allocates `size` bytes of at most `limit` in all (0: as many as there are), and returns the address, 0 where there are none left;
uint64_t kiln_sim_heap_allocate(kiln_sim_heap_t *heap, kiln_sim_memory_t *memory, uint64_t limit, uint64_t size);
// and frees an address. False where it is in memory that kernels have not allocated.
bool kiln_sim_heap_free(kiln_sim_heap_t *heap, kiln_sim_memory_t *memory, uint64_t address);

#endif
