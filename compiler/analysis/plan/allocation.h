// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocation of LDS: an offset for every ttg.local_alloc and for the scratch of every operation
// that needs some, such that ranges that are live at the same time do not overlap.
//
// A buffer lives from its ttg.local_alloc to the last use of any memory descriptor derived from it
// (index, subslice, trans, reshape, loop-carried copies), or to its ttg.local_dealloc if that is
// later; scratch lives during its operation. A buffer created outside a loop and used in it lives
// throughout the loop, but where a compute unit has room for more workgroups then, scratch uses
// bytes of buffers whose contents the loop does not need at that time (dead_contents.h).
// Consecutive operations may reuse offsets, so barriers (membar.h) are computed from this
// allocation and from nothing else.
#ifndef KILN_ALLOCATION_H
#define KILN_ALLOCATION_H

#include <stdbool.h>
#include <stdint.h>

#include <mlir-c/IR.h>

#include "kiln/dialects.h"
#include "kiln/status.h"

enum { KILN_LDS_ALIGNMENT = 16 };

typedef struct kiln_allocation kiln_allocation_t;

// Allocates LDS for every tt.func of `module`. Each operation's scratch is given by
// kiln_scratch_bytes, and that of a tt.call is its callee's total. Fails with
// KILN_STATUS_UNSUPPORTED on recursion or if a buffer's size is unknown, and as kiln_scratch_bytes
// does. A total that is too large is not an error: the caller compares it with the target's limit.
kiln_status_t kiln_allocation_create(MlirModule module, int num_warps, kiln_allocation_t **out);
// Replaces the offsets computed here by the operations' attributes "allocation.offset", which the
// lowering uses. KILN_STATUS_INVALID_INPUT names an operation without one.
kiln_status_t kiln_allocation_read_offsets(kiln_allocation_t *allocation);
void kiln_allocation_destroy(kiln_allocation_t *allocation); // accepts NULL

// Number of bytes that a function needs, including its callees.
uint32_t kiln_allocation_size(const kiln_allocation_t *allocation, MlirOperation func);

// Number of bytes that the buffers of a function need without scratch; of the function whose
// buffers need most.
uint32_t kiln_allocation_buffer_bytes(const kiln_allocation_t *allocation);

// Estimated number of registers of a function of which enough more workgroups would fit on a
// compute unit if its operations had no scratch; 0 if they would not, or if it shares bytes
// already.
unsigned kiln_allocation_limited_by_scratch(const kiln_allocation_t *allocation,
                                            MlirOperation func);

// Whether that many workgroups on a compute unit are worth the barriers around bytes that are
// shared: they cost each iteration a little, and only workgroups that are few gain from another.
bool kiln_allocation_sharing_pays(unsigned workgroups, unsigned with_sharing);

// The byte offset of a local_alloc's buffer, of an operation's scratch, or of the LDS that a call
// passes to its callee, from the start of the enclosing function's LDS; false if the operation has
// none.
bool kiln_allocation_offset(const kiln_allocation_t *allocation, MlirOperation op,
                            uint32_t *out_offset, uint32_t *out_bytes);

// The live range of an operation's LDS, and the operation's own place, both as positions in program
// order; false if the operation has no LDS, or is not in the module.
typedef struct kiln_positions {
    int first, last;
} kiln_positions_t;
bool kiln_allocation_live(const kiln_allocation_t *allocation, MlirOperation op,
                          kiln_positions_t *out);
bool kiln_allocation_place(const kiln_allocation_t *allocation, MlirOperation op,
                           kiln_positions_t *out);

// The buffers (local_alloc operations) that a memory descriptor may point into. Writes at most
// `limit` of them and returns their total number.
int kiln_allocation_buffers(const kiln_allocation_t *allocation, MlirValue memdesc,
                            MlirOperation *out, int limit);

// Number of bytes of one buffer of this memdesc type, including all leading dimensions; false if
// its layout has no size.
bool kiln_memdesc_bytes(MlirType memdesc, uint64_t *out_bytes);

#endif
