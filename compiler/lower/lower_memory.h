// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses of global memory: what loads, stores and atomics share.
//
// The thing one gets wrong: kiln_access_t remembers the address parts that it emitted last, so it must not outlive the
// block it was used in.
#ifndef KILN_LOWER_MEMORY_H
#define KILN_LOWER_MEMORY_H

#include <string.h>

#include "tile.h"

typedef struct kiln_access {
    kiln_tile_t *pointers;
    uint32_t vector;     // registers in one access
    LLVMTypeRef element; // of registers
    LLVMTypeRef memory;  // the integer type of one element in memory
    unsigned bytes;      // of one element in memory
    bool through_resource, many_uniforms;
    LLVMValueRef moved_by, moved;                            // a resource whose base was moved by a uniform offset
    LLVMValueRef last_lane, last_uniform, last_sum;          // the addition emitted last
    LLVMValueRef last_predicate, last_unmasked, last_masked; // the selection emitted last
} kiln_access_t;

kiln_status_t kiln_access_begin(kiln_lowering_t *l, MlirOperation op, kiln_tile_t *pointers, MlirValue mask,
                                kiln_access_t *out);
LLVMValueRef kiln_access_pointer(kiln_lowering_t *l, kiln_access_t *access,
                                 uint32_t reg);                          // a whole pointer for register `reg`
LLVMValueRef kiln_lower_resource(kiln_lowering_t *l, LLVMValueRef base); // of a kernel argument with a 32-bit range
LLVMValueRef kiln_lower_writes(kiln_lowering_t *l, const kiln_layout_t *layout); // i1, NULL: every thread

#endif
