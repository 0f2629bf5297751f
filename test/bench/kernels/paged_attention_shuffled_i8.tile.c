// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keys and values in i8.
#define CACHE i8
#include "paged_attention_shuffled.tile.c"
