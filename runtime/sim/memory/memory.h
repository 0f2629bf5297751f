// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device memory: one reserved range of host addresses, in which an allocation's device address is
// its host address.
//
// A sorted table of allocations finds the allocation that holds given bytes. There is always an
// unused gap between two allocations, so that an access past the end of one never hits the next.
//
// Threads: these functions may be called at any time, also while kernels run. The table has its own
// lock.
//
// A found allocation stays readable after it is freed, until KILN_SIM_MAX_FREED others have been
// freed after it, so that callers need no lock to read it.
#ifndef KILN_SIM_MEMORY_H
#define KILN_SIM_MEMORY_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

typedef enum kiln_sim_memory_kind {
    KILN_SIM_MEMORY_DEVICE,
    KILN_SIM_MEMORY_HOST, // pinned host memory, from hipHostMalloc
    KILN_SIM_MEMORY_MANAGED,
    KILN_SIM_MEMORY_REGISTERED, // the host program's memory, from hipHostRegister: outside the
                                // arena
    KILN_SIM_MEMORY_CODE,       // a loaded code object
    KILN_SIM_MEMORY_SYSTEM,     // kernel arguments, dispatch packets
    KILN_SIM_MEMORY_MAPPED      // device memory that the HIP layer mapped: outside the arena
} kiln_sim_memory_kind_t;

// A flag of device and managed memory: it belongs to code or was allocated by kernels, and stays
// when the program's own memory is freed.
#define KILN_SIM_MEMORY_PERSISTENT 0x80000000u

// A flag of registered memory, HIP's hipHostRegisterReadOnly, and of mapped memory that the device
// may only read: kernels may only read it.
#define KILN_SIM_MEMORY_READ_ONLY 0x8u

typedef struct kiln_sim_allocation {
    uint64_t base;
    uint64_t size; // as requested
    kiln_sim_memory_kind_t kind;
    unsigned flags;  // the HIP flags of the allocation
    uint64_t number; // counts the program's allocations, from 1
} kiln_sim_allocation_t;

// Whether kernels allocated it: they may free it while others access it (memory/heap.h).
static inline bool kiln_sim_memory_is_heap(const kiln_sim_allocation_t *allocation)
{
    return allocation->kind == KILN_SIM_MEMORY_DEVICE &&
           allocation->flags & KILN_SIM_MEMORY_PERSISTENT;
}

static inline bool kiln_sim_memory_is_read_only(const kiln_sim_allocation_t *allocation)
{
    return (allocation->kind == KILN_SIM_MEMORY_REGISTERED ||
            allocation->kind == KILN_SIM_MEMORY_MAPPED) &&
           allocation->flags & KILN_SIM_MEMORY_READ_ONLY;
}

// A freed allocation.
typedef struct kiln_sim_freed {
    kiln_sim_allocation_t allocation;
    uint64_t launches; // kernel launches before it was freed
} kiln_sim_freed_t;

enum { KILN_SIM_MAX_FREED = 1024 };

typedef struct kiln_sim_memory kiln_sim_memory_t;

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
    // Looks up memory of other devices that this one can access, or NULL. Called for addresses that
    // are in no allocation of this device.
    bool (*elsewhere)(const kiln_sim_memory_t *memory, uint64_t address,
                      kiln_sim_allocation_t *found);
    struct kiln_sim_pages {
        uint64_t base, size;
    } *left_open; // pages of freed allocations that running kernels may still access
    size_t left_open_count, left_open_capacity;
    uint8_t *written; // for each byte of the arena, whether it was written; NULL: not tracked
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
// Marks bytes as written; bytes outside the arena are ignored. Threads may mark at the same time.
void kiln_sim_memory_mark(const kiln_sim_memory_t *memory, uint64_t address, uint64_t bytes);
// The same for a copy; bytes whose source is undefined stay undefined.
void kiln_sim_memory_mark_copy(const kiln_sim_memory_t *memory, uint64_t to, uint64_t from,
                               uint64_t bytes);

// Returns zeroed bytes, aligned to 4096. A size of 0 is an error. NULL on failure.
void *kiln_sim_memory_allocate(kiln_sim_memory_t *memory, uint64_t size,
                               kiln_sim_memory_kind_t kind, unsigned flags,
                               kiln_sim_error_t *error);
// Enters existing memory: KILN_SIM_MEMORY_REGISTERED or _MAPPED.
bool kiln_sim_memory_register(kiln_sim_memory_t *memory, void *base, uint64_t size,
                              kiln_sim_memory_kind_t kind, unsigned flags, kiln_sim_error_t *error);
// The same for a base that is already entered as this kind: its size and flags change in one step.
// If there is no space for the new size, the memory is unregistered.
bool kiln_sim_memory_reregister(kiln_sim_memory_t *memory, void *base, uint64_t size,
                                kiln_sim_memory_kind_t kind, unsigned flags,
                                kiln_sim_error_t *error);
// Bytes that can still be allocated.
uint64_t kiln_sim_memory_left(const kiln_sim_memory_t *memory);

// The number of used bytes up to which the calling thread may allocate: the value set by
// _limit_here, or memory->limit if that is 0. _limit_of: the limit of a device with `bytes` bytes.
uint64_t kiln_sim_memory_limit(const kiln_sim_memory_t *memory);
void kiln_sim_memory_limit_here(uint64_t limit);
uint64_t kiln_sim_memory_limit_of(const kiln_sim_memory_t *memory, uint64_t bytes);
// Subtracts bytes outside the arena from what can be allocated, or returns them. False if there are
// too few.
bool kiln_sim_memory_charge(kiln_sim_memory_t *memory, uint64_t bytes);
void kiln_sim_memory_discharge(kiln_sim_memory_t *memory, uint64_t bytes);
// Frees or unregisters an allocation. base must be its start.
bool kiln_sim_memory_free(kiln_sim_memory_t *memory, const void *base, kiln_sim_error_t *error);
// Closes the pages that kernels freed. They stay open while a launch runs, since another host
// thread may be between the check of an address and the access.
void kiln_sim_memory_close_freed(kiln_sim_memory_t *memory);

// Calls `call` for each allocation, by ascending address, until it returns false.
void kiln_sim_memory_each(const kiln_sim_memory_t *memory,
                          bool (*call)(const kiln_sim_allocation_t *allocation, void *data),
                          void *data);
// The allocation that holds the byte at address, or NULL.
const kiln_sim_allocation_t *kiln_sim_memory_find(const kiln_sim_memory_t *memory,
                                                  uint64_t address);
// The latest freed allocation that held the byte, if no live one holds it; or NULL.
const kiln_sim_freed_t *kiln_sim_memory_find_freed(const kiln_sim_memory_t *memory,
                                                   uint64_t address);
// The allocation whose nearest byte is closest to address, or NULL if there are no allocations.
const kiln_sim_allocation_t *kiln_sim_memory_nearest(const kiln_sim_memory_t *memory,
                                                     uint64_t address);
// Describes where `bytes` bytes at address that are in no allocation lie: ", 4 bytes past the end
// of the nearest allocation (…)", or in which freed one. Empty if nothing was ever allocated.
void kiln_sim_memory_describe(const kiln_sim_memory_t *memory, uint64_t address, uint64_t bytes,
                              char *text, size_t size);
// "device allocation, 1024 bytes at 0x…, number 3"
void kiln_sim_memory_name(const kiln_sim_allocation_t *allocation, char *text, size_t size);
const char *kiln_sim_memory_kind_name(kiln_sim_memory_kind_t kind);

#endif
