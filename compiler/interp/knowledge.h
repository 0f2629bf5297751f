// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of other programs: of each that is in it, all of its epochs up to one (a vector clock, but for zeros).
//
// What is easily got wrong: a program knows itself without being in its own knowledge.
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

// The last epoch of a program that is known; 0: none.
uint32_t kiln_knowledge_of(const kiln_knowledge_t *knowledge, uint32_t program);

// Adds what is known there, or one program's epochs. False where memory is short.
bool kiln_knowledge_merge(kiln_knowledge_t *into, const kiln_knowledge_t *from);
bool kiln_knowledge_add(kiln_knowledge_t *into, uint32_t program, uint32_t epoch);

void kiln_knowledge_free(kiln_knowledge_t *knowledge);

// Knowledge that lies at addresses of memory, where atomic operations release it. Zeroed: none.
typedef struct kiln_known_places {
    struct kiln_known_place {
        uint64_t address; // 0: free
        kiln_knowledge_t knowledge;
    } *slots;
    size_t count, capacity;
} kiln_known_places_t;

// That of an address, which is made where there is none; NULL where memory is short. Valid until the next is made.
kiln_knowledge_t *kiln_known_places_at(kiln_known_places_t *places, uint64_t address);
void kiln_known_places_free(kiln_known_places_t *places);

#endif
