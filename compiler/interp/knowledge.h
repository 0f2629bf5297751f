// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sparse vector clock: for each program in the list, the last of its epochs that are known to
// have happened before; programs with none are left out.
//
// Note that a program is not in its own list.
#ifndef KILN_INTERP_KNOWLEDGE_H
#define KILN_INTERP_KNOWLEDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct kiln_known_program {
    uint32_t program, epoch;
} kiln_known_program_t;

typedef struct kiln_knowledge {  // zeroed: nothing
    kiln_known_program_t *items; // by program
    size_t count, capacity;
} kiln_knowledge_t;

// The last known epoch of a program; 0: none.
uint32_t kiln_knowledge_of(const kiln_knowledge_t *knowledge, uint32_t program);

// Adds the entries of `from`, or one program's epochs. False if out of memory.
bool kiln_knowledge_merge(kiln_knowledge_t *into, const kiln_knowledge_t *from);
bool kiln_knowledge_add(kiln_knowledge_t *into, uint32_t program, uint32_t epoch);

void kiln_knowledge_free(kiln_knowledge_t *knowledge);

// The vector clock of each memory address that atomic operations have released to. Zeroed: none.
typedef struct kiln_known_places {
    struct kiln_known_place {
        uint64_t address; // 0: free
        kiln_knowledge_t knowledge;
    } *slots;
    size_t count, capacity;
} kiln_known_places_t;

// Finds or creates the clock of an address; NULL if out of memory. Valid until the next one is
// created.
kiln_knowledge_t *kiln_known_places_at(kiln_known_places_t *places, uint64_t address);
void kiln_known_places_free(kiln_known_places_t *places);

#endif
