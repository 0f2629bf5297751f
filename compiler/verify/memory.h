// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the families that access memory: lists of instructions with drawn addresses and data.
//
// Registers, besides those of kernels.h: v12 index, v13 offset in bytes, v[8:11] data, v[16:23]
// initial contents of LDS. s[46:47] is EXEC in every fourth wave. The destination is v[24:27],
// with v[16:19] before; further results follow it.
//
// Writes of different lanes must not overlap, as their order is not defined. The exceptions are
// operations whose order does not matter, such as additions to one place.
#ifndef KILN_VERIFY_MEMORY_H
#define KILN_VERIFY_MEMORY_H

#include "verify/draw.h"
#include "verify/kernels.h"

typedef enum kiln_verify_place {
    KILN_VERIFY_ANYWHERE, // of loads: any place, bytes apart
    KILN_VERIFY_ALIGNED,  // of loads: the same, aligned to 16 bytes
    KILN_VERIFY_OWN,      // of stores: each lane has its own place
    KILN_VERIFY_OWN_8,    // of atomics: the same, aligned to 8 bytes
    KILN_VERIFY_ONE,      // all lanes have the first place
} kiln_verify_place_t;

typedef struct kiln_verify_access {
    char *text; // the instruction, ending in '\n'; from malloc
    kiln_verify_place_t place;
    const char *data;   // type of the drawn data and of the contents of memory
    const char *setup;  // lines executed before it, with all lanes active
    const char *suffix; // of the name in the report; ""
} kiln_verify_access_t;

typedef struct kiln_verify_accesses {
    kiln_verify_access_t *rows;
    size_t count, capacity;
} kiln_verify_accesses_t;

// The differences between the families.
typedef struct kiln_verify_memory_family {
    kiln_verify_family_t id;
    unsigned results; // dwords
    unsigned memory;  // bytes of a workgroup
    unsigned reach;   // offsets that loads draw are below
    bool uses_lds;
    const char *before, *after; // instructions around each, with all lanes active
    kiln_status_t (*list)(kiln_verify_accesses_t *io_accesses);
} kiln_verify_memory_family_t;

// Appends an access; the format is that of its text. Lists are created once per process.
kiln_status_t kiln_verify_access_add(kiln_verify_accesses_t *io_accesses,
                                     kiln_verify_access_t access, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// " v[24:25]": a range of registers as an operand. The text is static, one of some that rotate.
const char *kiln_verify_registers(unsigned first, unsigned dwords);

kiln_status_t kiln_verify_memory_list(kiln_verify_run_t *io_run,
                                      const kiln_verify_memory_family_t *family);
void kiln_verify_memory_run(kiln_verify_context_t *context,
                            const kiln_verify_memory_family_t *family, size_t index,
                            kiln_verify_result_t *result);

#endif
