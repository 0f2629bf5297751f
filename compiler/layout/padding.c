// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the gaps and sizes of buffers; see padding.h.
#include "layout/padding.h"

kiln_padding_t kiln_layout_padding(MlirAttribute encoding)
{
    if (kiln_encoding_kind(encoding) == KILN_ENCODING_PADDED_SHARED)
        return kiln_padded_shared_get(encoding).padding;
    return (kiln_padding_t){0};
}

kiln_padding_t kiln_type_padding(MlirType type)
{
    return kiln_type_is_memdesc(type) ? kiln_layout_padding(kiln_memdesc_encoding(type))
                                      : (kiln_padding_t){0};
}

uint64_t kiln_padding_shift(const kiln_padding_t *padding, uint64_t offset)
{
    uint64_t shift = 0;
    for (int i = 0; i < padding->count; i++)
        shift += offset / (uint64_t)padding->intervals[i] * (uint64_t)padding->pads[i];
    return shift;
}

int kiln_padding_limit(const kiln_padding_t *padding, int vector)
{
    for (int i = 0; i < padding->count; i++)
        while (vector > padding->intervals[i] || padding->pads[i] % vector)
            vector /= 2;
    return vector;
}

uint64_t kiln_lds_buffer_elements(MlirAttribute encoding, int rank, const int64_t *shape)
{
    uint64_t elements = 1;
    switch (kiln_encoding_kind(encoding)) {
    case KILN_ENCODING_SHARED_LINEAR:
        return UINT64_C(1) << kiln_shared_linear_get(encoding).register_bits;
    case KILN_ENCODING_SWIZZLED_SHARED:
    case KILN_ENCODING_ROTATING_SHARED:
    case KILN_ENCODING_PADDED_SHARED: {
        for (int d = 0; d < rank; d++)
            elements *= (uint64_t)shape[d];
        kiln_padding_t padding = kiln_layout_padding(encoding);
        return elements + kiln_padding_shift(&padding, elements);
    }
    default:
        return 0;
    }
}

int kiln_lds_encoding_rank(MlirAttribute encoding)
{
    switch (kiln_encoding_kind(encoding)) {
    case KILN_ENCODING_SHARED_LINEAR:
        return kiln_shared_linear_get(encoding).rank;
    case KILN_ENCODING_SWIZZLED_SHARED:
    case KILN_ENCODING_ROTATING_SHARED:
        return kiln_swizzled_shared_get(encoding).rank;
    case KILN_ENCODING_PADDED_SHARED: {
        kiln_padded_shared_t padded = kiln_padded_shared_get(encoding);
        return padded.is_ordered ? padded.order.rank : padded.linear.rank;
    }
    default:
        return 0;
    }
}
