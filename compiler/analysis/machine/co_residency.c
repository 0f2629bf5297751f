// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See co_residency.h.
#include "analysis/machine/co_residency.h"

#include "base/gfx942.h"

unsigned kiln_co_resident_workgroups(unsigned registers, uint64_t lds_bytes, int num_warps)
{
    const unsigned granules = (registers + KILN_GFX942_VGPR_GRANULE - 1) / KILN_GFX942_VGPR_GRANULE,
                   fit = KILN_GFX942_SIMD_VGPRS / (granules * KILN_GFX942_VGPR_GRANULE),
                   waves = fit < KILN_GFX942_WAVES_PER_SIMD ? fit : KILN_GFX942_WAVES_PER_SIMD,
                   by_registers = waves * KILN_GFX942_SIMDS / (unsigned)num_warps;
    const uint64_t by_lds = lds_bytes ? KILN_GFX942_LDS_BYTES / lds_bytes : by_registers;
    return by_lds < by_registers ? (unsigned)by_lds : by_registers;
}
