// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints predictions as text and JSON.
#include "prediction.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

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

double kiln_prediction_full_mhz(const kiln_device_t *device)
{
    return kiln_device_properties(device)->clock_khz * 1e-3;
}

// The part of the device's compute units that has as much work as the one with the most: the
// average number of workgroups over the largest.
static double part_of_device(kiln_device_t *device)
{
    kiln_sim_launch_stats_t stats = {.struct_size = sizeof stats};
    kiln_status_t status = kiln_device_launch_stats(device, &stats);
    const bool is_known = !status && stats.compute_units && stats.workgroups;
    kiln_status_free(status);
    if (!is_known)
        return 1;
    const double units = stats.compute_units, groups = (double)stats.workgroups;
    return groups / (units * ceil(groups / units));
}

static const struct {
    const char *unit, *member;
    size_t offset;
} shares[] = {{"MFMA", "mfma_busy", offsetof(kiln_sim_prediction_t, mfma_busy)},
              {"VALU", "valu_busy", offsetof(kiln_sim_prediction_t, valu_busy)},
              {"LDS", "lds_busy", offsetof(kiln_sim_prediction_t, lds_busy)},
              {"L1", "l1_busy", offsetof(kiln_sim_prediction_t, l1_busy)}};
enum { SHARES = sizeof shares / sizeof *shares };

static double share_of(const kiln_sim_prediction_t *p, size_t index)
{
    double share;
    memcpy(&share, (const char *)p + shares[index].offset, sizeof share);
    return share;
}

json_t *kiln_prediction_device_json(const kiln_sim_prediction_t *p, kiln_device_t *device)
{
    const double part = part_of_device(device);
    json_t *object = json_object();
    for (size_t i = 0; i < SHARES; i++)
        json_object_set_new(object, shares[i].member, json_real(part * share_of(p, i)));
    return object;
}

static void print_of_device(const kiln_sim_prediction_t *p, kiln_device_t *device)
{
    const double part = part_of_device(device);
    printf("\n  %-24s", "busy, of the device");
    for (size_t i = 0; i < SHARES; i++) {
        const double share = 100 * part * share_of(p, i);
        printf(" %s %.*f %%", shares[i].unit, share > 0 && share < 10, share);
    }
}

static void print_bytes(const char *level, double bytes, double peak, double microseconds)
{
    const double rate = bytes / microseconds * 1e6;
    printf("  MB from %-16s %12.1f   (%.0f GB/s, %.*f %% of the peak)\n", level, bytes * 1e-6,
           rate * 1e-9, bytes > 0 && rate < 0.1 * peak, peak > 0 ? 100 * rate / peak : 0);
}

void kiln_prediction_print(const kiln_sim_prediction_t *p, kiln_device_t *device)
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
    print_of_device(p, device);
    printf("\n  %-24s", "hits");
    print_share("L1", p->l1_hits);
    print_share("L2", p->l2_hits);
    printf("\n");
    print_bytes("L2", p->l2_bytes, p->peak_l2, p->microseconds);
    print_bytes("Infinity Cache", p->infinity_cache_bytes, p->peak_infinity_cache, p->microseconds);
    print_bytes("HBM", p->hbm_bytes, p->peak_hbm, p->microseconds);
    printf("  %-24s %12.2f\n", "waves per SIMD", p->waves_per_simd);
    if (p->flops > 0) {
        const double rate = p->flops / (p->microseconds * 1e-6),
                     full = kiln_prediction_full_mhz(device), held = p->clock_mhz / full;
        printf("  %-24s %12.2f   (%.1f %% of the %.1f peak of its units at full clock", "TFLOP/s",
               rate * 1e-12, 100 * rate / p->peak_flops, p->peak_flops * 1e-12);
        if (full > 0 && held < 0.999)
            printf(", %.1f %% of %.1f at %.0f MHz", 100 * rate / (held * p->peak_flops),
                   held * p->peak_flops * 1e-12, p->clock_mhz);
        printf(")\n");
    }
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
