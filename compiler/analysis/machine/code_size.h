// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates the machine code that a kernel becomes, for passes that copy parts of it.
//
// Each workgroup that executes code for the first time waits for it, and code that exceeds the
// instruction cache is fetched again by each workgroup, or in each iteration. So a pass makes
// copies that are executed only if the kernel still fits the cache with them.
#ifndef KILN_CODE_SIZE_H
#define KILN_CODE_SIZE_H

#include <stdbool.h>
#include <stdint.h>

#include <mlir-c/IR.h>

// Bytes of the operation with all in it. A loop is counted as pipeline_loops and unroll_loops
// expand it; of two versions of a kernel, the larger.
int64_t kiln_code_bytes(MlirOperation op, int num_warps);

// Whether the kernel that contains the operation fits the instruction cache with so many bytes
// more.
bool kiln_code_fits(MlirOperation op, int num_warps, int64_t more);

#endif
