// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Occupancy by registers and LDS. The thing one gets wrong: without accumulation registers the architectural ones are
// not rounded to 4 first; nor are scalar ones to their granule: llc lets 100 go 8 times into 800.
#include "occupancy.h"

#include "base/gfx942.h"

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}
static unsigned align(unsigned value, unsigned to)
{
    return (value + to - 1) / to * to;
}

unsigned kiln_occupancy_by_registers(unsigned vgprs, unsigned agprs, unsigned sgprs)
{
    unsigned total = align(align(vgprs, KILN_GFX942_ACCUM_OFFSET_GRANULE) + agprs, KILN_GFX942_VGPR_GRANULE);
    if (total > KILN_GFX942_SIMD_VGPRS)
        return 0;
    unsigned waves = KILN_GFX942_WAVES_PER_SIMD;
    if (total)
        waves = smaller(waves, KILN_GFX942_SIMD_VGPRS / total);
    if (sgprs)
        waves = smaller(waves, KILN_GFX942_SIMD_SGPRS / smaller(sgprs, KILN_GFX942_WAVE_SGPRS));
    return waves;
}

unsigned kiln_occupancy(unsigned vgprs, unsigned agprs, unsigned sgprs, unsigned lds_bytes, unsigned waves)
{
    if (!waves || lds_bytes > KILN_GFX942_LDS_BYTES)
        return 0;
    unsigned workgroups = kiln_occupancy_by_registers(vgprs, agprs, sgprs) * KILN_GFX942_SIMDS / waves;
    if (lds_bytes)
        workgroups = smaller(workgroups, KILN_GFX942_LDS_BYTES / align(lds_bytes, KILN_GFX942_LDS_GRANULE));
    return (workgroups * waves + KILN_GFX942_SIMDS - 1) / KILN_GFX942_SIMDS;
}
