// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The size of matrix operands, from the columns of GFX942_MFMA and GFX942_SMFMAC in gfx942.def.
#ifndef KILN_BASE_GFX942_MATRIX_H
#define KILN_BASE_GFX942_MATRIX_H

#include "base/gfx942.h"

// Bits of an element, by the type's name in the rows.
enum {
    KILN_GFX942_BITS_F64 = 64,
    KILN_GFX942_BITS_F32 = 32,
    KILN_GFX942_BITS_XF32 = 32,
    KILN_GFX942_BITS_I32 = 32,
    KILN_GFX942_BITS_F16 = 16,
    KILN_GFX942_BITS_BF16 = 16,
    KILN_GFX942_BITS_I8 = 8,
    KILN_GFX942_BITS_FP8 = 8,
    KILN_GFX942_BITS_BF8 = 8
};

// Registers per lane of an operand of `blocks` matrices of rows x columns elements.
#define KILN_GFX942_DWORDS(rows, columns, blocks, type)                                            \
    ((rows) * (columns) * (blocks) * KILN_GFX942_BITS_##type / (32 * KILN_GFX942_LANES))

#endif
