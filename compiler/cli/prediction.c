// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prediction.h"

#include <stdio.h>

#include "device_flags.h"

void kiln_prediction_default(bool cold)
{
    kiln_flag_default("KILN_SIM_CLOCK", "model");
    kiln_flag_default("KILN_SIM_CACHES", cold ? "cold" : "warm");
}

static void print_share(const char *unit, double share)
{
    printf(" %s %.0f %%", unit, 100 * share);
}

kiln_status_t kiln_prediction_print(kiln_device_t *device)
{
    kiln_sim_prediction_t p = {.struct_size = sizeof p};
    KILN_TRY(kiln_device_launch_prediction(device, &p));
    printf("  %-24s %12.0f   (%.0f cycles at %.0f MHz; events around it show %.0f ns more)\n", "predicted ns",
           1e3 * p.microseconds, p.cycles, p.clock_mhz, 1e3 * p.launch_microseconds);
    printf("  %-24s %12llu   (%llu replayed, %llu looked at)\n", "workgroups", (unsigned long long)p.workgroups,
           (unsigned long long)p.replayed, (unsigned long long)p.recorded);
    printf("  %-24s", "busy");
    print_share("MFMA", p.mfma_busy);
    print_share("VALU", p.valu_busy);
    print_share("LDS", p.lds_busy);
    print_share("L1", p.l1_busy);
    print_share("L2", p.l2_busy);
    print_share("HBM", p.hbm_busy);
    printf("\n  %-24s", "hits");
    print_share("L1", p.l1_hits);
    print_share("L2", p.l2_hits);
    printf("\n  %-24s %12.2f\n", "waves a SIMD", p.waves_per_simd);
    if (p.unexecuted)
        printf("  %-24s only what the prediction needs: buffers hold nothing\n", "executed");
    return KILN_OK;
}
