// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many bytes of LDS an operation needs while it runs, beside the buffers that it names.
//
// The thing one gets wrong: this is the lowering's own plan of the operation, not an estimate; what the lowering of an
// operation uses is planned by the same functions (plan_*.h, layout/convert.h).
#ifndef KILN_SCRATCH_H
#define KILN_SCRATCH_H

#include <mlir-c/IR.h>

#include "kiln/status.h"

// Bytes of LDS that `op` needs while it runs with `num_warps` waves; 0 for most operations. It is a function of the
// operation's own types and attributes alone (and, for atomics, of whether the result has uses). What a tt.call's callee
// needs is not counted, nor are buffers (ttg.local_alloc): see allocation.h. Fails where a tensor has no layout.
//
// An operation with scratch first writes to it, then executes at least one barrier of its own between its last write
// and its last read, and may end with reads of it: the barriers around the operation are membar's.
kiln_status_t kiln_scratch_bytes(MlirOperation op, int num_warps, uint32_t *out_bytes);

#endif
