// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints predictions as text and JSON.
#include "prediction.h"

#include <stdio.h>

#include "cli/device_flags.h"

void kiln_prediction_default(bool cold)
{
    kiln_flag_default("KILN_SIM_CLOCK", "model");
    kiln_flag_default("KILN_SIM_CACHES", cold ? "cold" : "warm");
}

static void print_share(const char *unit, double share)
{
    printf(" %s %.0f %%", unit, 100 * share);
}

void kiln_prediction_print(const kiln_sim_prediction_t *p)
{
    printf("  %-24s %12.0f   (%.0f cycles at %.0f MHz; events around the launch measure %.0f ns "
           "more)\n",
           "predicted ns", 1e3 * p->microseconds, p->cycles, p->clock_mhz,
           1e3 * p->launch_microseconds);
    printf("  %-24s %12.0f   to %.0f (four fifths of %llu measured kernels of this length and "
           "bound)\n",
           "interval ns", 1e3 * p->min_microseconds, 1e3 * p->max_microseconds,
           (unsigned long long)p->similar_points);
    printf("  %-24s %12llu   (%llu replayed, %llu recorded)\n", "workgroups",
           (unsigned long long)p->workgroups, (unsigned long long)p->replayed,
           (unsigned long long)p->recorded);
    printf("  %-24s", "busy");
    print_share("MFMA", p->mfma_busy);
    print_share("VALU", p->valu_busy);
    print_share("LDS", p->lds_busy);
    print_share("L1", p->l1_busy);
    print_share("L2", p->l2_busy);
    print_share("HBM", p->hbm_busy);
    printf("\n  %-24s", "hits");
    print_share("L1", p->l1_hits);
    print_share("L2", p->l2_hits);
    printf("\n  %-24s %12.2f\n", "waves per SIMD", p->waves_per_simd);
    if (p->flops > 0)
        printf("  %-24s %12.2f   (%.1f %% of the %.1f peak of its units at full clock)\n",
               "TFLOP/s", p->flops / p->microseconds * 1e-6,
               100 * p->flops / (p->microseconds * 1e-6) / p->peak_flops, p->peak_flops * 1e-12);
    if (p->unexecuted)
        printf("  %-24s only what the prediction needs; buffers have no results\n", "executed");
}

json_t *kiln_prediction_json(const kiln_sim_prediction_t *p)
{
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"microseconds", p->microseconds},
                   {"launch_microseconds", p->launch_microseconds},
                   {"least_microseconds", p->min_microseconds},
                   {"most_microseconds", p->max_microseconds},
                   {"cycles", p->cycles},
                   {"clock_mhz", p->clock_mhz},
                   {"workgroups", (double)p->workgroups},
                   {"replayed", (double)p->replayed},
                   {"recorded", (double)p->recorded},
#define KILN_PREDICTION_FIGURE(name) {#name, p->name},
#include "base/prediction.def"
#undef KILN_PREDICTION_FIGURE
                   {"peak_flops", p->peak_flops},
                   {"peak_l2", p->peak_l2},
                   {"peak_infinity_cache", p->peak_infinity_cache},
                   {"peak_hbm", p->peak_hbm}};
    json_t *object = json_object();
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        json_object_set_new(object, numbers[i].name, json_real(numbers[i].value));
    json_object_set_new(object, "executed", json_boolean(!p->unexecuted));
    return object;
}
