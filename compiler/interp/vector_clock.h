// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sparse vector clock: for each program in the list, the last of its epochs that are known to
// have happened before; programs with none are left out.
//
// Note that a program is not in its own list.
#ifndef KILN_INTERP_VECTOR_CLOCK_H
#define KILN_INTERP_VECTOR_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct kiln_clock_entry {
    uint32_t program, epoch;
} kiln_clock_entry_t;

typedef struct kiln_vector_clock { // zeroed: nothing
    kiln_clock_entry_t *items;     // by program
    size_t count, capacity;
} kiln_vector_clock_t;

// The last known epoch of a program; 0: none.
uint32_t kiln_vector_clock_get(const kiln_vector_clock_t *clock, uint32_t program);

// Adds the entries of `from`, or one program's epochs. False if out of memory.
bool kiln_vector_clock_merge(kiln_vector_clock_t *into, const kiln_vector_clock_t *from);
bool kiln_vector_clock_add(kiln_vector_clock_t *into, uint32_t program, uint32_t epoch);

void kiln_vector_clock_free(kiln_vector_clock_t *clock);

// The vector clock of each memory address that atomic operations have released to. Zeroed: none.
typedef struct kiln_address_clocks {
    struct kiln_address_clock {
        uint64_t address; // 0: free
        kiln_vector_clock_t clock;
    } *slots;
    size_t count, capacity;
} kiln_address_clocks_t;

// Finds or creates the clock of an address; NULL if out of memory. Valid until the next one is
// created.
kiln_vector_clock_t *kiln_address_clocks_at(kiln_address_clocks_t *places, uint64_t address);
void kiln_address_clocks_free(kiln_address_clocks_t *places);

#endif
