// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device memory: sim/port/memory.h, and what only the simulator itself needs.
//
// A sorted table of allocations finds the allocation that holds given bytes. The gaps between
// allocations make an access past the end of one miss the next.
#ifndef KILN_SIM_MEMORY_H
#define KILN_SIM_MEMORY_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/port/error.h"
#include "sim/port/memory.h"

// Whether kernels allocated it: they may free it while others access it (memory/heap.h).
static inline bool kiln_sim_memory_is_heap(const kiln_sim_allocation_t *allocation)
{
    return allocation->kind == KILN_SIM_MEMORY_DEVICE &&
           allocation->flags & KILN_SIM_MEMORY_PERSISTENT;
}

// A freed allocation.
typedef struct kiln_sim_freed {
    kiln_sim_allocation_t allocation;
    uint64_t launches; // kernel launches before it was freed
} kiln_sim_freed_t;

struct kiln_sim_memory {
    uint64_t arena, arena_size; // reserved address range
    bool all_open;              // the host program may access all of it, not only allocations
    uint64_t
        cursor; // where the search for free space starts, so that freed addresses are reused late
    uint64_t limit, used;  // bytes that may be allocated in the arena, and that are
    uint64_t host_limit;   // bytes that the host can provide; limit is this or the device's memory,
                           // whichever is less
    pthread_rwlock_t lock; // protects everything below
    kiln_sim_allocation_t **table; // sorted by base
    size_t count, capacity;
    kiln_sim_elsewhere_t *elsewhere; // or NULL
    struct kiln_sim_pages {
        uint64_t base, size;
    } *left_open; // pages of freed allocations that users may still access
    size_t left_open_count, left_open_capacity;
    unsigned users;   // launches and copies that are running
    uint8_t *written; // for each byte of the arena, whether it was written; NULL: not tracked
    pthread_mutex_t filling; // held while contents are made or dropped; taken after `lock`
    uint64_t made, launches; // allocations and kernel launches so far
    kiln_sim_freed_t
        *freed; // ring of the latest KILN_SIM_MAX_FREED ones, to report a use after free
    size_t freed_count;
    kiln_sim_allocation_t **records; // ring of records of freed allocations; the oldest is reused
};

bool kiln_sim_memory_open(kiln_sim_memory_t *memory, kiln_sim_error_t *error);
void kiln_sim_memory_close(kiln_sim_memory_t *memory);

// Starts to track, for each byte of device memory, whether it was written. Existing allocations
// count as written.
bool kiln_sim_memory_track(kiln_sim_memory_t *memory, kiln_sim_error_t *error);
// Sets the calling thread's kiln_sim_memory_limit; 0: memory->limit again. _limit_of: the limit of
// a device with `bytes` bytes.
void kiln_sim_memory_limit_here(uint64_t limit);
uint64_t kiln_sim_memory_limit_of(const kiln_sim_memory_t *memory, uint64_t bytes);

// Drops contents that were never made. The caller holds `lock`, or is the only user.
void kiln_sim_memory_drop_later(kiln_sim_memory_t *memory, kiln_sim_allocation_t *allocation);

// The latest freed allocation that held the byte, if no live one holds it; or NULL.
const kiln_sim_freed_t *kiln_sim_memory_find_freed(const kiln_sim_memory_t *memory,
                                                   uint64_t address);
// The allocation whose nearest byte is closest to address, or NULL if there are no allocations.
const kiln_sim_allocation_t *kiln_sim_memory_nearest(const kiln_sim_memory_t *memory,
                                                     uint64_t address);
const char *kiln_sim_memory_kind_name(kiln_sim_memory_kind_t kind);

#endif
