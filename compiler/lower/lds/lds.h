// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements in LDS: their offsets, and loads and stores of tiles (transfer.c).
//
// Note that offsets count from the start of the current function's LDS, not the kernel's.
#ifndef KILN_LOWER_LDS_H
#define KILN_LOWER_LDS_H

#include "lower/tile.h"

LLVMValueRef
kiln_lds_pointer(kiln_lowering_t *l,
                 kiln_sum_t bytes); // addrspace(3) pointer to a byte offset of the function's LDS
// The offset that pass allocate_lds gave a buffer, an operation's scratch, or all LDS of a callee
// (0 if it needs none).
kiln_status_t kiln_lower_scratch(MlirOperation op, uint32_t *out_offset);
uint32_t kiln_lower_call_lds(MlirOperation call);
// Stores or loads one value per register at the map's offsets (in elements), with the widest
// accesses that the map allows.
typedef struct kiln_lds_transfer {
    const kiln_layout_t *map; // made by kiln_layout_to_lds
    kiln_sum_t base;          // bytes
    LLVMTypeRef element;      // from kiln_stored_type
    kiln_padding_t padding;   // gaps between elements
    uint32_t flip; // a constant that is XORed into the map's offsets (elements), before padding
    LLVMValueRef flip_value;       // NULL, or a uniform number that is XORed in as well,
    uint32_t flip_bits;            // and its possible bits
    LLVMValueRef predicate;        // stores only; NULL: all threads write
    uint32_t window, window_index; // accesses only the offsets in window number window_index.
                                   // Windows have `window` elements, a power of two (0: no
                                   // windows), all begin at `base`, and do not depend on the lane
                                   // or wave
    struct kiln_lds_walk
        *walk; // prepared by kiln_lds_begin for all windows; NULL: prepared when needed
} kiln_lds_transfer_t;
void kiln_lds_begin(kiln_lowering_t *l, kiln_lds_transfer_t *transfer);
void kiln_lds_store(kiln_lowering_t *l, const kiln_lds_transfer_t *transfer, LLVMValueRef *values);
void kiln_lds_load(kiln_lowering_t *l, const kiln_lds_transfer_t *transfer,
                   LLVMValueRef *values); // keeps the values of other windows
// Adds the gaps before a byte offset (NULL: none) to it; elements have `bytes` bytes.
LLVMValueRef kiln_lds_pad(kiln_lowering_t *l, LLVMBuilderRef builder, const kiln_padding_t *padding,
                          LLVMValueRef offset, unsigned bytes);
LLVMValueRef kiln_lds_writer(kiln_lowering_t *l, const kiln_layout_t *layout);
// The type of a register's value in LDS: i1 is stored as a byte, pointers as integers.
LLVMTypeRef kiln_stored_type(kiln_lowering_t *l, LLVMTypeRef element);
LLVMValueRef kiln_to_stored(kiln_lowering_t *l, LLVMValueRef value);
LLVMValueRef kiln_from_stored(kiln_lowering_t *l, LLVMValueRef value, LLVMTypeRef type);

#endif
