// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements in LDS: where they are, and how tiles' registers go there and back (lower_shared.c).
//
// The thing one gets wrong: offsets count from the LDS of the function at hand, not from that of the kernel.
#ifndef KILN_LOWER_LDS_H
#define KILN_LOWER_LDS_H

#include "tile.h"

LLVMValueRef kiln_lds_pointer(kiln_lowering_t *l,
                              kiln_sum_t bytes); // addrspace(3) pointer to a byte offset of the function's LDS
// Where pass allocate_lds put a buffer, an operation's scratch, or all that a callee needs (0 where it needs none).
kiln_status_t kiln_lower_scratch(MlirOperation op, uint32_t *out_offset);
uint32_t kiln_lower_call_lds(MlirOperation call);
// Stores or loads one value per register at the map's offsets (in elements), in as wide accesses as the map allows.
typedef struct kiln_lds_transfer {
    const kiln_layout_t *map;      // made by kiln_layout_to_lds
    kiln_sum_t base;               // bytes
    LLVMTypeRef element;           // as kiln_stored_type gives it
    kiln_padding_t padding;        // gaps between elements
    uint32_t flip;                 // a constant that is added by XOR to the map's offsets (elements); before padding
    LLVMValueRef flip_value;       // NULL, or a uniform number that is added by XOR too,
    uint32_t flip_bits;            // and the bits that it may have
    LLVMValueRef predicate;        // stores only; NULL: all threads write
    uint32_t window, window_index; // only the offsets of window number window_index, of `window` (a power of two)
                                   // elements each, which all lie at `base`; no lane or warp changes the window. 0: all
    struct kiln_lds_walk *walk;    // what kiln_lds_begin prepared, for all windows; NULL: prepared where needed
} kiln_lds_transfer_t;
void kiln_lds_begin(kiln_lowering_t *l, kiln_lds_transfer_t *transfer);
void kiln_lds_store(kiln_lowering_t *l, const kiln_lds_transfer_t *transfer, LLVMValueRef *values);
void kiln_lds_load(kiln_lowering_t *l, const kiln_lds_transfer_t *transfer,
                   LLVMValueRef *values); // leaves other windows' values alone
LLVMValueRef kiln_lds_writer(kiln_lowering_t *l, const kiln_layout_t *layout);
// How a register's value is held in LDS: mask bits as bytes, pointers as integers.
LLVMTypeRef kiln_stored_type(kiln_lowering_t *l, LLVMTypeRef element);
LLVMValueRef kiln_to_stored(kiln_lowering_t *l, LLVMValueRef value);
LLVMValueRef kiln_from_stored(kiln_lowering_t *l, LLVMValueRef value, LLVMTypeRef type);

#endif
