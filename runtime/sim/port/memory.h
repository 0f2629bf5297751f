// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A machine's table of allocations as the HIP layer sees it. memory/memory.h has the rest.
//
// Device memory is one reserved range of host addresses, the arena, in which an allocation's device
// address is its host address. There is always an unused gap between two allocations.
//
// Threads: these functions may be called at any time, also while kernels run. The table has its own
// lock. A found allocation stays readable after it is freed, until KILN_SIM_MAX_FREED others have
// been freed after it, so that callers need no lock to read it.
#ifndef KILN_SIM_PORT_MEMORY_H
#define KILN_SIM_PORT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kiln/sim.h"

enum { KILN_SIM_MAX_FREED = 1024 };

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
    unsigned flags;               // the HIP flags of the allocation
    uint64_t number;              // counts the program's allocations, from 1
    struct kiln_sim_later *later; // contents that are not made yet; atomic, NULL: all are there
} kiln_sim_allocation_t;

static inline bool kiln_sim_memory_is_read_only(const kiln_sim_allocation_t *allocation)
{
    return (allocation->kind == KILN_SIM_MEMORY_REGISTERED ||
            allocation->kind == KILN_SIM_MEMORY_MAPPED) &&
           allocation->flags & KILN_SIM_MEMORY_READ_ONLY;
}

typedef struct kiln_sim_memory kiln_sim_memory_t;

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
// Frees or unregisters an allocation. base must be its start.
bool kiln_sim_memory_free(kiln_sim_memory_t *memory, const void *base, kiln_sim_error_t *error);
// Around a launch or copy: the pages of memory that is freed meanwhile stay open until the last of
// them ends, since its threads may be between the check of an address and the access.
void kiln_sim_memory_begin_use(kiln_sim_memory_t *memory);
void kiln_sim_memory_end_use(kiln_sim_memory_t *memory);

// The reserved address range.
uint64_t kiln_sim_memory_arena(const kiln_sim_memory_t *memory, uint64_t *out_size);
// Bytes that may be allocated in the arena by callers without overrides: the device's memory, or
// less if the host has less.
uint64_t kiln_sim_memory_total(const kiln_sim_memory_t *memory);
// The same for the calling thread, whose overrides may have a different device.
uint64_t kiln_sim_memory_limit(const kiln_sim_memory_t *memory);
// Bytes that the calling thread can still allocate.
uint64_t kiln_sim_memory_left(const kiln_sim_memory_t *memory);
// Subtracts bytes outside the arena from what can be allocated, or returns them. False if there are
// too few.
bool kiln_sim_memory_charge(kiln_sim_memory_t *memory, uint64_t bytes);
void kiln_sim_memory_discharge(kiln_sim_memory_t *memory, uint64_t bytes);

// A function that looks up memory of other devices that this one can access. It is called for
// addresses that are in no allocation of this device. Set before the first launch.
typedef bool kiln_sim_elsewhere_t(const kiln_sim_memory_t *memory, uint64_t address,
                                  kiln_sim_allocation_t *out_found);
void kiln_sim_memory_set_elsewhere(kiln_sim_memory_t *memory, kiln_sim_elsewhere_t *elsewhere);

// kilnSimFillLater: memory/later.c makes the contents when something first needs them. base must be
// the start of the program's device memory. On failure the caller keeps contents->user.
bool kiln_sim_memory_fill_later(kiln_sim_memory_t *memory, const void *base,
                                const kiln_sim_contents_t *contents, kiln_sim_error_t *error);
// Makes them now, if the allocation still waits for them. Threads may call it at the same time;
// each returns when the contents are there.
void kiln_sim_memory_fill_now(kiln_sim_memory_t *memory, const kiln_sim_allocation_t *allocation);
static inline bool kiln_sim_memory_is_unfilled(const kiln_sim_allocation_t *allocation)
{
    return __atomic_load_n(&allocation->later, __ATOMIC_ACQUIRE) != NULL;
}

// Marks bytes as written; bytes outside the arena are ignored. Threads may mark at the same time.
void kiln_sim_memory_mark(const kiln_sim_memory_t *memory, uint64_t address, uint64_t bytes);
// The same for a copy; bytes whose source is undefined stay undefined.
void kiln_sim_memory_mark_copy(const kiln_sim_memory_t *memory, uint64_t to, uint64_t from,
                               uint64_t bytes);

// Calls `call` for each allocation, by ascending address, until it returns false.
void kiln_sim_memory_each(const kiln_sim_memory_t *memory,
                          bool (*call)(const kiln_sim_allocation_t *allocation, void *data),
                          void *data);
// The allocation that holds the byte at address, or NULL.
const kiln_sim_allocation_t *kiln_sim_memory_find(const kiln_sim_memory_t *memory,
                                                  uint64_t address);
// Describes where `bytes` bytes at address that are in no allocation lie: ", 4 bytes past the end
// of the nearest allocation (…)", or in which freed one. Empty if nothing was ever allocated.
void kiln_sim_memory_describe(const kiln_sim_memory_t *memory, uint64_t address, uint64_t bytes,
                              char *text, size_t size);
// "device allocation, 1024 bytes at 0x…, number 3"
void kiln_sim_memory_name(const kiln_sim_allocation_t *allocation, char *text, size_t size);

#endif
