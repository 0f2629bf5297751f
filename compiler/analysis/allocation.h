// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocation of LDS: an offset for every ttg.local_alloc and for the scratch of every operation that needs some, such
// that what lives at the same time does not overlap.
//
// A buffer lives from its ttg.local_alloc to the last use of any memory descriptor made from it (index, subslice,
// trans, reshape, loop-carried copies), or to its ttg.local_dealloc where that is later; scratch lives during its
// operation. A buffer made outside a loop and used in it lives through the whole loop. The thing one gets wrong:
// offsets may be reused by operations that follow one another, so barriers (membar.h) are computed from this allocation
// and from nothing else.
#ifndef KILN_ALLOCATION_H
#define KILN_ALLOCATION_H

#include <stdbool.h>
#include <stdint.h>

#include <mlir-c/IR.h>

#include "kiln/dialects.h"
#include "kiln/status.h"

enum { KILN_LDS_ALIGNMENT = 16 };

typedef struct kiln_allocation kiln_allocation_t;

// Allocates for every tt.func of `module`, each operation's scratch being what kiln_scratch_bytes says, and that of a
// tt.call all that its callee needs. Fails with KILN_STATUS_UNSUPPORTED on recursion or where a buffer's size is
// unknown, and as kiln_scratch_bytes does. Not finding the total to be too large: the
// caller compares it with the target's limit.
kiln_status_t kiln_allocation_create(MlirModule module, int num_warps, kiln_allocation_t **out);
// Offsets as the operations' attributes "allocation.offset" say, in place of those found here: they are what the lowering
// goes by. KILN_STATUS_INVALID_INPUT names an operation that has none.
kiln_status_t kiln_allocation_read_offsets(kiln_allocation_t *allocation);
void kiln_allocation_destroy(kiln_allocation_t *allocation); // accepts NULL

// Bytes that a function needs, its callees included.
uint32_t kiln_allocation_size(const kiln_allocation_t *allocation, MlirOperation func);

// The byte offset of a local_alloc's buffer, of an operation's scratch, or of the LDS that a call hands to its callee,
// from the start of the enclosing function's LDS; false where the operation has none.
bool kiln_allocation_offset(const kiln_allocation_t *allocation, MlirOperation op, uint32_t *out_offset,
                            uint32_t *out_bytes);

// The buffers (operations local_alloc) that a memory descriptor may point into: at most `limit` are written; returns
// how many there are.
int kiln_allocation_buffers(const kiln_allocation_t *allocation, MlirValue memdesc, MlirOperation *out, int limit);

// Bytes of one buffer of this memdesc type, all leading dimensions included; false where it has a layout without a
// size.
bool kiln_memdesc_bytes(MlirType memdesc, uint64_t *out_bytes);

#endif
