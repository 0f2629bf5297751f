// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The size of the buffer that a memory descriptor describes: its slots, with the padding of its
// layout.
#include "analysis/plan/allocation.h"

#include "builder/ir.h"
#include "layout/padding.h"

bool kiln_memdesc_bytes(MlirType memdesc, uint64_t *out_bytes)
{
    MlirAttribute encoding = kiln_memdesc_encoding(memdesc);
    int bits = kiln_type_bits(kiln_memdesc_element(memdesc)),
        rank = kiln_lds_encoding_rank(encoding);
    int outer = kiln_memdesc_alloc_rank(memdesc) - rank;
    uint64_t bytes = bits <= 8 ? 1 : (uint64_t)bits / 8;
    int64_t shape[KILN_MAX_RANK];
    if (outer < 0 || rank < 1)
        return false;
    for (int d = 0; d < outer + rank; d++) {
        int64_t size = kiln_memdesc_alloc_dim(memdesc, d);
        if (size < 1 || bytes > UINT32_MAX / (uint64_t)size)
            return false;
        if (d < outer)
            bytes *= (uint64_t)size;
        else
            shape[d - outer] = size;
    }
    uint64_t elements = kiln_lds_buffer_elements(encoding, rank, shape);
    if (elements == 0 || elements > UINT32_MAX / bytes)
        return false;
    *out_bytes = bytes * elements;
    return true;
}
