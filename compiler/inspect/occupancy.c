// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Occupancy by registers and LDS. The thing one gets wrong: without accumulation registers the architectural ones are
// not rounded to 4 first.
#include "occupancy.h"

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}
static unsigned align(unsigned value, unsigned to)
{
    return (value + to - 1) / to * to;
}

unsigned kiln_occupancy_by_registers(unsigned vgprs, unsigned agprs)
{
    unsigned total = align(align(vgprs, 4) + agprs, 8);
    if (total > KILN_VGPRS)
        return 0;
    return total ? smaller(KILN_WAVES_PER_SIMD, KILN_VGPRS / total) : KILN_WAVES_PER_SIMD;
}

unsigned kiln_occupancy(unsigned vgprs, unsigned agprs, unsigned lds_bytes, unsigned waves)
{
    if (!waves || lds_bytes > KILN_LDS_BYTES)
        return 0;
    unsigned workgroups = kiln_occupancy_by_registers(vgprs, agprs) * KILN_SIMDS / waves;
    if (lds_bytes)
        workgroups = smaller(workgroups, KILN_LDS_BYTES / align(lds_bytes, 512));
    return (workgroups * waves + KILN_SIMDS - 1) / KILN_SIMDS;
}
