// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device memory: one reserved range of host addresses in which an allocation's device address is its host address.
//
// Idea: a sorted table of allocations answers "which allocation holds these bytes"; between two allocations there is
// always an unused gap, so that running off one never lands in the next.
//
// Threads: any of these may be called at any time, also while kernels run: the table has a lock of its own.
//
// What a reader gets wrong: an allocation that was found stays readable for a while when it is freed, as its record is kept until
// KILN_SIM_FREED_KEPT others were freed behind it; so those who found one need no lock.
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
    KILN_SIM_MEMORY_REGISTERED, // the host program's own, from hipHostRegister: outside the arena
    KILN_SIM_MEMORY_CODE,       // a loaded code object
    KILN_SIM_MEMORY_SYSTEM,     // kernel arguments, dispatch packets
    KILN_SIM_MEMORY_MAPPED      // the device's, which the HIP layer mapped: outside the arena
} kiln_sim_memory_kind_t;

// A flag of device and of managed memory: it belongs to code, or kernels allocated it, and it stays when the program's own memory goes.
#define KILN_SIM_MEMORY_KEPT 0x80000000u

typedef struct kiln_sim_allocation {
    uint64_t base;
    uint64_t size; // as asked for
    kiln_sim_memory_kind_t kind;
    unsigned flags;  // the HIP flags it was made with
    uint64_t number; // the how manieth the program made, from 1
} kiln_sim_allocation_t;

// An allocation of the past.
typedef struct kiln_sim_freed {
    kiln_sim_allocation_t is;
    uint64_t launches; // of kernels before it was freed
} kiln_sim_freed_t;

enum { KILN_SIM_FREED_KEPT = 1024 };

typedef struct kiln_sim_memory kiln_sim_memory_t;

struct kiln_sim_memory {
    uint64_t arena, arena_size;    // reserved address range
    bool all_open;                 // the host program may touch all of it, not only what is allocated
    uint64_t cursor;               // where the search for free room starts, so that freed addresses are reused late
    uint64_t limit, used;          // bytes that may be, and are, allocated in the arena
    uint64_t host_limit;           // what the host can lend; limit is this, or what the device has
    pthread_rwlock_t lock;         // of all that follows
    kiln_sim_allocation_t **table; // sorted by base
    size_t count, capacity;
    // Memory of other devices that this one may reach, or NULL. It is asked for addresses that are in no allocation here.
    bool (*elsewhere)(const kiln_sim_memory_t *memory, uint64_t address, kiln_sim_allocation_t *found);
    uint8_t *written;        // of each byte of the arena, whether somebody wrote it; NULL: nobody wants to know
    uint64_t made, launches; // allocations and kernel launches so far
    kiln_sim_freed_t *freed; // the latest KILN_SIM_FREED_KEPT ones, as a ring, to tell a use after free
    size_t freed_count;
    kiln_sim_allocation_t **gone; // records of freed allocations, a ring: the oldest is used again
};

bool kiln_sim_memory_open(kiln_sim_memory_t *memory, kiln_sim_error_t *error);
void kiln_sim_memory_close(kiln_sim_memory_t *memory);

// Starts to keep, for each byte of device memory, whether somebody wrote it; what is allocated already counts as written.
bool kiln_sim_memory_track(kiln_sim_memory_t *memory, kiln_sim_error_t *error);
// Notes that bytes were written; those outside of the arena are ignored. Threads may note at the same time.
void kiln_sim_memory_mark(const kiln_sim_memory_t *memory, uint64_t address, uint64_t bytes);
// The same for a copy, whose source may be undefined itself.
void kiln_sim_memory_mark_copy(const kiln_sim_memory_t *memory, uint64_t to, uint64_t from, uint64_t bytes);

// Zeroed bytes, aligned to 4096. A size of 0 is an error. NULL on failure.
void *kiln_sim_memory_allocate(kiln_sim_memory_t *memory, uint64_t size, kiln_sim_memory_kind_t kind, unsigned flags,
                               kiln_sim_error_t *error);
// Memory that is there already: KILN_SIM_MEMORY_REGISTERED or _MAPPED.
bool kiln_sim_memory_register(kiln_sim_memory_t *memory, void *base, uint64_t size, kiln_sim_memory_kind_t kind,
                              unsigned flags, kiln_sim_error_t *error);
// Bytes that are still to be had.
uint64_t kiln_sim_memory_left(const kiln_sim_memory_t *memory);
// Takes away from, or gives back to, what can be allocated: bytes that are not in the arena. False where there are too few.
bool kiln_sim_memory_charge(kiln_sim_memory_t *memory, uint64_t bytes);
void kiln_sim_memory_discharge(kiln_sim_memory_t *memory, uint64_t bytes);
// base must be the start of an allocation. Frees or unregisters it.
bool kiln_sim_memory_free(kiln_sim_memory_t *memory, const void *base, kiln_sim_error_t *error);

// A call for each allocation, by ascending address, until one returns false.
void kiln_sim_memory_each(const kiln_sim_memory_t *memory,
                          bool (*call)(const kiln_sim_allocation_t *allocation, void *data), void *data);
// The allocation that holds the byte at address, or NULL.
const kiln_sim_allocation_t *kiln_sim_memory_find(const kiln_sim_memory_t *memory, uint64_t address);
// The latest allocation that held it and has been freed, where no living one holds it; or NULL.
const kiln_sim_freed_t *kiln_sim_memory_find_freed(const kiln_sim_memory_t *memory, uint64_t address);
// The allocation whose nearest byte is closest to address, or NULL when there is none at all.
const kiln_sim_allocation_t *kiln_sim_memory_nearest(const kiln_sim_memory_t *memory, uint64_t address);
// Says where `bytes` bytes at address lie that are in no allocation: ", 4 bytes behind the end of the nearest allocation
// (…)", or in which freed one. Empty where nothing was ever allocated.
void kiln_sim_memory_tell(const kiln_sim_memory_t *memory, uint64_t address, uint64_t bytes, char *text, size_t size);
// "device allocation, 1024 bytes at 0x…, number 3"
void kiln_sim_memory_name(const kiln_sim_allocation_t *allocation, char *text, size_t size);
const char *kiln_sim_memory_kind_name(kiln_sim_memory_kind_t kind);

#endif
