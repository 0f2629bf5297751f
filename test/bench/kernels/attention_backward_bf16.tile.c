// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The example in bf16, the type of AITER's kernels.
#define f16 bf16
#include "../../../examples/attention_backward.tile.c"
