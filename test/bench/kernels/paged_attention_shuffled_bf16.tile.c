// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keys and values in bf16: X = 8, no scales.
#define CACHE bf16
#include "paged_attention_shuffled.tile.c"
