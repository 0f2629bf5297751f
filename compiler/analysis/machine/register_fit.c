// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See register_fit.h.
#include "analysis/machine/register_fit.h"

#include "base/gfx942.h"

// Registers by which LLVM exceeds the least that a loop needs, for addresses and for what it could
// compute again: half of the least in ten loops with modulo schedules (29 to 76, 2026-11-30).
enum { KEPT = 16 };

static unsigned excess(unsigned count, unsigned limit)
{
    return count > limit ? count - limit : 0;
}

kiln_register_fit_t kiln_register_fit(unsigned early, unsigned late, int num_warps,
                                      int waves_per_simd)
{
    const unsigned waves = ((unsigned)num_warps + KILN_GFX942_SIMDS - 1) / KILN_GFX942_SIMDS,
                   asked = (unsigned)waves_per_simd, most = waves > asked ? waves : asked,
                   share = KILN_GFX942_SIMD_VGPRS / waves, arch = KILN_GFX942_ARCH_VGPRS,
                   near = share < arch ? share : arch, least = late + KEPT,
                   limit = least <= near ? near : share, taken = early < limit ? early : limit;
    return (kiln_register_fit_t){taken, excess(taken, arch),
                                 excess(least, KILN_GFX942_SIMD_VGPRS / most)};
}

int64_t kiln_spill_cycles(const kiln_register_fit_t *fit)
{
    enum { THERE_AND_BACK = 2, DWORD = 4 };
    return THERE_AND_BACK * (int64_t)fit->spilled * DWORD * KILN_GFX942_LANES * KILN_GFX942_SIMDS /
           KILN_GFX942_L1_CYCLE_BYTES;
}
