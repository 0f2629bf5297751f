// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that stands on a header: it is compiled again where that is newer.
#include <number.tile.h>

kernel void fill(f32 *out)
{
    out[range(64)] = NUMBER;
}
