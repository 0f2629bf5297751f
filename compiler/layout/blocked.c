// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocked layouts from a shape, as Triton chooses them (TritonGPUAttrDefs.td).
#include "layout/blocked.h"

#include "base/gfx942.h"

static int clamp(int64_t value, int low, int high)
{
    if (value < low)
        return low;
    return value > high ? high : (int)value;
}

kiln_blocked_t kiln_blocked_choose(int rank, const int64_t *shape, const int32_t *size_per_thread,
                                   const int32_t *order, int num_warps)
{
    kiln_blocked_t blocked = {.rank = rank};
    int lanes = KILN_GFX942_LANES, warps = num_warps, threads = KILN_GFX942_LANES * num_warps;
    for (int i = 0; i < rank; ++i) {
        int dim = order[i];
        int size = size_per_thread ? size_per_thread[dim] : 1;
        blocked.order[i] = dim;
        blocked.size_per_thread[dim] = size;
        if (i == rank - 1) {
            blocked.threads_per_warp[dim] = lanes;
            blocked.warps_per_cta[dim] = warps;
            break;
        }
        int here = clamp(shape[dim] / size, 1, threads);
        blocked.threads_per_warp[dim] = clamp(here, 1, lanes);
        blocked.warps_per_cta[dim] = clamp(here / blocked.threads_per_warp[dim], 1, warps);
        lanes /= blocked.threads_per_warp[dim];
        warps /= blocked.warps_per_cta[dim];
        threads /= blocked.threads_per_warp[dim] * blocked.warps_per_cta[dim];
    }
    return blocked;
}

kiln_blocked_t kiln_blocked_default(int rank, const int64_t *shape, int num_warps)
{
    int32_t order[KILN_MAX_RANK];
    for (int i = 0; i < rank; ++i)
        order[i] = rank - 1 - i;
    return kiln_blocked_choose(rank, shape, NULL, order, num_warps);
}

kiln_blocked_t kiln_blocked_transpose(const kiln_blocked_t *blocked, const int32_t *order)
{
    kiln_blocked_t result = {.rank = blocked->rank};
    int32_t position[KILN_MAX_RANK]; // of an operand dimension in the result
    for (int i = 0; i < blocked->rank; ++i) {
        result.size_per_thread[i] = blocked->size_per_thread[order[i]];
        result.threads_per_warp[i] = blocked->threads_per_warp[order[i]];
        result.warps_per_cta[i] = blocked->warps_per_cta[order[i]];
        position[order[i]] = i;
    }
    for (int i = 0; i < blocked->rank; ++i)
        result.order[i] = position[blocked->order[i]];
    return result;
}
