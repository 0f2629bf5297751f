// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many bytes of LDS an operation needs while it executes, in addition to the buffers that it
// names.
//
// This is the lowering's own plan, not an estimate: both use the same functions (this folder's, and
// layout/convert.h).
#ifndef KILN_SCRATCH_H
#define KILN_SCRATCH_H

#include <mlir-c/IR.h>

#include "kiln/status.h"

// Number of bytes of LDS that `op` needs while it executes with `num_warps` waves; 0 for most
// operations. It depends only on the operation's own types and attributes (and, for atomics, on
// whether the result has uses). The needs of a tt.call's callee and buffers (ttg.local_alloc) are
// not included: see allocation.h. Fails if a tensor has no layout.
//
// An operation with scratch first writes to it, then executes at least one barrier of its own
// between its last write and its last read, and may end with reads of it: the barriers around the
// operation are membar's.
kiln_status_t kiln_scratch_bytes(MlirOperation op, int num_warps, uint32_t *out_bytes);

// The largest scratch of `root` and of the operations in it, in bytes. An operation without a plan
// counts as all of a compute unit's LDS; the lowering reports its error.
//
// Operations for which `is_excluded` is true do not count; it may be NULL.
uint32_t kiln_largest_scratch(MlirOperation root, int num_warps,
                              bool (*is_excluded)(MlirOperation op, void *user), void *user);

#endif
