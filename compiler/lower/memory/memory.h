// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses of global memory: shared by loads, stores and atomics.
//
// Note that kiln_access_t caches the address parts that it emitted last, so it must not outlive the
// block it was used in.
#ifndef KILN_LOWER_MEMORY_H
#define KILN_LOWER_MEMORY_H

#include <string.h>

#include "lower/tile.h"

// Which accesses go through a buffer resource.
typedef enum kiln_resource_use {
    KILN_RESOURCE_NEVER,
    KILN_RESOURCE_MASKED,
    KILN_RESOURCE_ALWAYS
} kiln_resource_use_t;

// Which element of a group under several masks decides whether all of them are accessed.
typedef enum kiln_access_split {
    KILN_SPLIT_NEVER, // the elements of a group share one mask
    KILN_SPLIT_FALLS, // the last one: true elements come first
    KILN_SPLIT_RISES, // the first one
} kiln_access_split_t;

typedef struct kiln_access {
    kiln_tile_t *pointers;
    uint32_t vector;     // elements of one access
    uint32_t repeat;     // registers in a row that receive the same element; 1 for stores
    uint32_t span;       // registers of one access: vector · repeat
    LLVMTypeRef element; // of registers
    LLVMTypeRef memory;  // the integer type of one element in memory
    unsigned bytes;      // of one element in memory
    unsigned alignment;  // of the access's address in bytes, at most its size
    kiln_access_split_t split;
    kiln_resource_use_t resource;
    bool many_uniforms;
    bool is_after; // range32: no unmasked element is before the base
                   // (analysis/memory/pointer_sign.h)
    struct {
        LLVMValueRef by, resource;
    } moved[2]; // resources whose bases were moved by uniform offsets
    LLVMValueRef pointer, pointer_lane,
        pointer_uniform;                 // the pointer, and its parts, emitted ahead of a branch
    LLVMValueRef wide_lane, narrow_lane; // the lane offset used last, and its 32 bits
    uint64_t lane_maximum;               // its upper bound
    LLVMValueRef last_lane, last_uniform, last_sum;          // the addition emitted last
    bool last_below;                                         // … of KILN_RANGE_SHIFT, too
    LLVMValueRef last_predicate, last_unmasked, last_masked; // the selection emitted last
} kiln_access_t;

kiln_status_t kiln_access_begin(kiln_lowering_t *l, MlirOperation op, kiln_tile_t *pointers,
                                MlirValue mask, kiln_access_t *out);
LLVMValueRef kiln_access_pointer(kiln_lowering_t *l, kiln_access_t *access,
                                 uint32_t reg); // a whole pointer for register `reg`

typedef struct kiln_access_flags {
    int policy;
    bool is_volatile, nontemporal;
} kiln_access_flags_t;

// Accesses the groups at registers first, first + span, … below `end`, which share one predicate
// (NULL: true). `other`: NULL, or what a load gives where it is false. `skip`: bits of registers
// that need not be stored.
void kiln_load_run(kiln_lowering_t *l, kiln_access_t *access, uint32_t first, uint32_t end,
                   LLVMValueRef predicate, kiln_tile_t *other, kiln_tile_t *result,
                   kiln_access_flags_t flags);
void kiln_store_run(kiln_lowering_t *l, kiln_access_t *access, uint32_t first, uint32_t end,
                    uint32_t skip, LLVMValueRef predicate, kiln_tile_t *value,
                    kiln_access_flags_t flags);
LLVMValueRef kiln_conjunction(kiln_lowering_t *l, LLVMValueRef a, LLVMValueRef b); // NULL: true

// The same of all groups, whose masks may change within a group (split.c).
void kiln_load_split(kiln_lowering_t *l, kiln_access_t *access, kiln_tile_t *mask,
                     kiln_tile_t *other, kiln_tile_t *result, kiln_access_flags_t flags);
void kiln_store_split(kiln_lowering_t *l, kiln_access_t *access, uint32_t skip, kiln_tile_t *mask,
                      LLVMValueRef writes, kiln_tile_t *value, kiln_access_flags_t flags);

// Buffer resources (resource.c)
void kiln_access_choose_resource(kiln_access_t *access);
// Sets args[0 … 2] to resource, lane offset and scalar offset of the group whose first register is
// `reg`.
void kiln_access_resource_address(kiln_lowering_t *l, kiln_access_t *access, uint32_t reg,
                                  LLVMValueRef predicate, LLVMValueRef *args);
LLVMValueRef kiln_lower_writes(kiln_lowering_t *l,
                               const kiln_layout_t *layout); // i1, NULL: every thread

#endif
