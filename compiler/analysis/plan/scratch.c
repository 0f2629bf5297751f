// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the scratch of an operation from the plan of its family; see scratch.h.
//
// Note that two conversions of one operation use the same bytes, one after the other.
#include "analysis/plan/scratch.h"

#include "analysis/plan/combine.h"
#include "analysis/plan/index.h"
#include "analysis/plan/shape.h"
#include "base/gfx942.h"
#include "builder/ir.h"

kiln_status_t kiln_scratch_bytes(MlirOperation op, int num_warps, uint32_t *out_bytes)
{
    kiln_layout_t from, to;
    kiln_reduction_t reduction;
    kiln_scan_t scan;
    kiln_gather_plan_t gather;
    kiln_histogram_plan_t histogram;
    kiln_atomic_plan_t atomic;
    *out_bytes = 0;
    switch (kiln_op_kind(op)) {
    case KILN_OP_TTG_CONVERT_LAYOUT:
    case KILN_OP_TT_EXPAND_DIMS:
    case KILN_OP_TT_TRANS:
    case KILN_OP_TT_RESHAPE:
    case KILN_OP_TT_BROADCAST:
    case KILN_OP_TT_JOIN:
    case KILN_OP_TT_SPLIT:
    case KILN_OP_TT_CAT:
        KILN_TRY(kiln_plan_shape(op, num_warps, &from, &to));
        *out_bytes = kiln_layout_conversion_scratch(
            &from, &to, kiln_type_bits(mlirValueGetType(kiln_op_operand(op, 0))));
        break;
    case KILN_OP_TT_REDUCE:
        KILN_TRY(kiln_plan_reduction(op, num_warps, &reduction));
        *out_bytes = kiln_reduction_scratch(&reduction);
        break;
    case KILN_OP_TT_SCAN:
        KILN_TRY(kiln_plan_scan(op, num_warps, &scan));
        *out_bytes = kiln_scan_scratch(&scan);
        break;
    case KILN_OP_TT_GATHER:
        KILN_TRY(kiln_plan_gather(op, num_warps, &gather));
        *out_bytes = gather.scratch;
        break;
    case KILN_OP_TT_HISTOGRAM:
        KILN_TRY(kiln_plan_histogram(op, num_warps, &histogram));
        *out_bytes = histogram.scratch;
        break;
    case KILN_OP_TT_ATOMIC_RMW:
    case KILN_OP_TT_ATOMIC_CAS:
    case KILN_OP_TT_ATOMIC_LOAD:
    case KILN_OP_TT_ATOMIC_POLL:
        KILN_TRY(kiln_plan_atomic(op, num_warps, &atomic));
        *out_bytes = atomic.scratch;
        break;
    default:
        break;
    }
    return KILN_OK;
}

typedef struct search {
    int num_warps;
    bool (*is_excluded)(MlirOperation op, void *user);
    void *user;
    uint32_t largest;
} search_t;

static MlirWalkResult compare(MlirOperation op, void *user)
{
    search_t *search = user;
    uint32_t bytes = 0;
    if (search->is_excluded && search->is_excluded(op, search->user))
        return MlirWalkResultAdvance;
    kiln_status_t status = kiln_scratch_bytes(op, search->num_warps, &bytes);
    if (status)
        bytes = KILN_GFX942_LDS_BYTES;
    kiln_status_free(status);
    search->largest = bytes > search->largest ? bytes : search->largest;
    return MlirWalkResultAdvance;
}

uint32_t kiln_largest_scratch(MlirOperation root, int num_warps,
                              bool (*is_excluded)(MlirOperation op, void *user), void *user)
{
    search_t search = {num_warps, is_excluded, user, 0};
    kiln_walk(root, MlirWalkPreOrder, compare, &search);
    return search.largest;
}
