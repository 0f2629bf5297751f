// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts of MLIR types: reads encodings through the dialects' C bindings and calls the
// constructors.
//
// Note that a slice's parent has one dimension more than the tensor, of size 1, and a memdesc that
// is part of a larger allocation is laid out like the whole.
#include "layout/layout.h"

#include <mlir-c/BuiltinTypes.h>

static kiln_status_t check_counts(const kiln_layout_t *layout, int num_warps)
{
    if (layout->bits[KILN_LANE] != 6)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                "layout is for %u lanes per warp, expected 64",
                                1u << layout->bits[KILN_LANE]);
    if (1 << layout->bits[KILN_WARP] != num_warps)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                "layout is for %u warps, expected the program's %d",
                                1u << layout->bits[KILN_WARP], num_warps);
    return KILN_OK;
}

static kiln_status_t bad_size(int rank, const int64_t *shape)
{
    for (int d = 0; d < rank; d++)
        if (shape[d] < 1 || (shape[d] & (shape[d] - 1)))
            return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                    "dimension %d has size %lld, which is not a power of two", d,
                                    (long long)shape[d]);
    return kiln_status_make(KILN_STATUS_UNSUPPORTED,
                            "a layout has invalid parameters or more than 2^%d elements",
                            KILN_LAYOUT_MAX_BITS);
}

static kiln_status_t rank_mismatch(int layout_rank, int rank)
{
    return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                            "a layout of rank %d is used for a value of rank %d", layout_rank,
                            rank);
}

static kiln_status_t of_slice(MlirAttribute encoding, int rank, const int64_t *shape, int num_warps,
                              kiln_layout_t *out)
{
    int dim = kiln_slice_dim(encoding);
    int64_t parent_shape[KILN_MAX_RANK];
    if (rank + 1 > KILN_MAX_RANK || dim < 0 || dim > rank)
        return rank_mismatch(dim, rank);
    for (int d = 0; d <= rank; d++)
        parent_shape[d] = d == dim ? 1 : shape[d < dim ? d : d - 1];
    kiln_layout_t parent;
    KILN_TRY(kiln_layout_of_encoding(kiln_slice_parent(encoding), rank + 1, parent_shape, num_warps,
                                     &parent));
    *out = kiln_layout_slice(&parent, dim);
    return KILN_OK;
}

static kiln_status_t of_dot_operand(MlirAttribute encoding, int rank, const int64_t *shape,
                                    bool *ok, kiln_layout_t *out)
{
    MlirAttribute parent = kiln_dot_operand_parent(encoding);
    int index = kiln_dot_operand_index(encoding);
    kiln_encoding_kind_t kind = kiln_encoding_kind(parent);
    if (kind == KILN_ENCODING_MFMA) {
        kiln_mfma_t mfma = kiln_mfma_get(parent);
        if (mfma.rank != rank)
            return rank_mismatch(mfma.rank, rank);
        *ok = kiln_layout_dot_operand_mfma(&mfma, index, kiln_dot_operand_k_width(encoding), shape,
                                           out);
        return KILN_OK;
    }
    if (kind == KILN_ENCODING_BLOCKED) {
        kiln_blocked_t blocked = kiln_blocked_get(parent);
        if (blocked.rank != rank)
            return rank_mismatch(blocked.rank, rank);
        *ok = kiln_layout_dot_operand_blocked(&blocked, index, shape, out);
        return KILN_OK;
    }
    return kiln_status_make(KILN_STATUS_UNSUPPORTED,
                            "the parent of a dot operand's layout must be MFMA or blocked");
}

// The linear layout of a buffer whose encoding names an element for each bit of the offset.
static kiln_status_t of_offsets(const kiln_linear_t *linear, int rank, const int64_t *shape,
                                kiln_layout_t *out)
{
    if (linear->rank != rank)
        return rank_mismatch(linear->rank, rank);
    if (!kiln_layout_linear(linear, shape, out))
        return bad_size(rank, shape);
    if (out->bits[KILN_REGISTER] != linear->register_bits || !kiln_layout_invert(out).onto)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                "a shared layout's vectors do not cover its buffer");
    return KILN_OK;
}

kiln_status_t kiln_layout_of_encoding(MlirAttribute encoding, int rank, const int64_t *shape,
                                      int num_warps, kiln_layout_t *out)
{
    bool ok = false, distributed = true;
    int layout_rank = rank;
    kiln_encoding_kind_t kind =
        mlirAttributeIsNull(encoding) ? KILN_ENCODING_NONE : kiln_encoding_kind(encoding);
    switch (kind) {
    case KILN_ENCODING_BLOCKED: {
        kiln_blocked_t blocked = kiln_blocked_get(encoding);
        layout_rank = blocked.rank;
        ok = layout_rank == rank && kiln_layout_blocked(&blocked, shape, out);
        break;
    }
    case KILN_ENCODING_MFMA: {
        kiln_mfma_t mfma = kiln_mfma_get(encoding);
        layout_rank = mfma.rank;
        ok = layout_rank == rank && kiln_layout_mfma(&mfma, shape, out);
        break;
    }
    case KILN_ENCODING_LINEAR: {
        kiln_linear_t linear = kiln_linear_get(encoding);
        layout_rank = linear.rank;
        ok = layout_rank == rank && kiln_layout_linear(&linear, shape, out);
        if (ok && !kiln_layout_invert(out).onto)
            return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                    "a linear layout's vectors do not cover its tensor");
        break;
    }
    case KILN_ENCODING_SLICE:
        return of_slice(encoding, rank, shape, num_warps, out);
    case KILN_ENCODING_DOT_OPERAND:
        KILN_TRY(of_dot_operand(encoding, rank, shape, &ok, out));
        break;
    case KILN_ENCODING_SWIZZLED_SHARED:
    case KILN_ENCODING_ROTATING_SHARED: {
        kiln_swizzled_shared_t shared = kiln_swizzled_shared_get(encoding);
        layout_rank = shared.rank;
        distributed = false;
        ok = layout_rank == rank &&
             kiln_layout_shared(&shared,
                                kind == KILN_ENCODING_ROTATING_SHARED ? KILN_SWIZZLE_ROTATING
                                                                      : KILN_SWIZZLE_XOR,
                                shape, out);
        break;
    }
    case KILN_ENCODING_NONE:
        return kiln_status_make(KILN_STATUS_UNSUPPORTED,
                                "expected a tensor with a layout, got one without");
    case KILN_ENCODING_PADDED_SHARED: {
        kiln_padded_shared_t padded = kiln_padded_shared_get(encoding);
        if (!padded.is_ordered)
            return of_offsets(&padded.linear, rank, shape, out);
        layout_rank = padded.order.rank;
        distributed = false;
        ok = layout_rank == rank && kiln_layout_shared(&padded.order, KILN_SWIZZLE_XOR, shape, out);
        break;
    }
    case KILN_ENCODING_SHARED_LINEAR: {
        kiln_linear_t linear = kiln_shared_linear_get(encoding);
        return of_offsets(&linear, rank, shape, out);
    }
    }
    if (layout_rank != rank)
        return rank_mismatch(layout_rank, rank);
    if (!ok)
        return bad_size(rank, shape);
    return distributed ? check_counts(out, num_warps) : KILN_OK;
}

static bool is_shared(MlirAttribute encoding)
{
    if (mlirAttributeIsNull(encoding))
        return false;
    kiln_encoding_kind_t kind = kiln_encoding_kind(encoding);
    return kind == KILN_ENCODING_SWIZZLED_SHARED || kind == KILN_ENCODING_ROTATING_SHARED ||
           kind == KILN_ENCODING_PADDED_SHARED || kind == KILN_ENCODING_SHARED_LINEAR;
}

kiln_status_t kiln_layout_of_type(MlirType type, int num_warps, kiln_layout_t *out)
{
    int64_t shape[KILN_MAX_RANK];
    if (mlirTypeIsARankedTensor(type)) {
        if (is_shared(mlirRankedTensorTypeGetEncoding(type)))
            return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                    "a shared layout on a tensor; shared layouts are for memdesc");
        int rank = (int)mlirShapedTypeGetRank(type);
        if (rank > KILN_MAX_RANK)
            return kiln_status_make(KILN_STATUS_UNSUPPORTED,
                                    "unsupported tensor of rank %d; the maximum is %d", rank,
                                    KILN_MAX_RANK);
        for (int d = 0; d < rank; d++)
            shape[d] = mlirShapedTypeGetDimSize(type, d);
        return kiln_layout_of_encoding(mlirRankedTensorTypeGetEncoding(type), rank, shape,
                                       num_warps, out);
    }
    if (!kiln_type_is_memdesc(type))
        return kiln_status_make(KILN_STATUS_UNSUPPORTED, "expected a tensor or a memdesc");
    int rank = kiln_memdesc_rank(type), outer = kiln_memdesc_alloc_rank(type) - rank;
    if (outer < 0 || rank > KILN_MAX_RANK)
        return kiln_status_make(KILN_STATUS_UNSUPPORTED,
                                "a memdesc of rank %d in an allocation of rank %d", rank,
                                outer + rank);
    for (int d = 0; d < rank; d++)
        shape[d] = kiln_memdesc_alloc_dim(type, outer + d);
    return kiln_layout_of_encoding(kiln_memdesc_encoding(type), rank, shape, num_warps, out);
}

MlirType kiln_layout_buffer_type(MlirType type, int64_t *out_count)
{
    kiln_layout_t layout;
    int64_t shape[KILN_MAX_RANK];
    *out_count = 1;
    const int rank = kiln_type_is_memdesc(type) ? kiln_memdesc_rank(type) : 0;
    kiln_status_t status = rank > 1 ? kiln_layout_of_type(type, 1, &layout) : KILN_OK;
    if (!status || rank > KILN_MAX_RANK) {
        kiln_status_free(status);
        return type;
    }
    kiln_status_free(status);
    for (int d = 1; d < rank; d++)
        shape[d - 1] = kiln_memdesc_dim(type, d);
    const MlirType buffer = kiln_memdesc_type(
        rank - 1, shape, kiln_memdesc_element(type), kiln_memdesc_encoding(type),
        kiln_shared_memory_attr(mlirTypeGetContext(type)), kiln_memdesc_is_mutable(type), NULL);
    status = kiln_layout_of_type(buffer, 1, &layout);
    const bool is_stack = !status;
    kiln_status_free(status);
    *out_count = is_stack ? kiln_memdesc_dim(type, 0) : 1;
    return is_stack ? buffer : type;
}

MlirAttribute kiln_layout_to_linear_attr(MlirContext context, const kiln_layout_t *layout)
{
    kiln_linear_t linear = {.rank = layout->rank,
                            .register_bits = layout->bits[KILN_REGISTER],
                            .lane_bits = layout->bits[KILN_LANE],
                            .warp_bits = layout->bits[KILN_WARP]};
    int at = 0;
    for (int p = 0; p < KILN_PLACES; p++)
        for (int i = 0; i < layout->bits[p]; i++, at++)
            for (int d = 0; d < layout->rank; d++)
                linear.bases[at][d] = (int32_t)kiln_layout_coord(layout, layout->basis[p][i], d);
    return kiln_linear_attr(context, &linear);
}
