// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints a launch (clock_launch.h).
#include "clock_launch.h"

#include <stdio.h>

static const char *const reasons[] = {
#define KILN_SIM_STALL(name, text, help) text,
#include "kiln/sim_stalls.def"
#undef KILN_SIM_STALL
};

static void print_line(const kiln_sim_line_t *line)
{
    uint64_t all = 0;
    for (unsigned reason = 0; reason < KILN_SIM_STALLS; reason++)
        all += line->cycles[reason];
    printf("%9llu %8llu  %06llx  %-60s", (unsigned long long)all, (unsigned long long)line->issued,
           (unsigned long long)line->address, line->instruction);
    for (unsigned reason = 0; reason < KILN_SIM_STALLS; reason++) {
        if (reason != KILN_SIM_STALL_ISSUED && line->cycles[reason])
            printf(" %s %llu", reasons[reason], (unsigned long long)line->cycles[reason]);
    }
    printf("\n");
}

void clock_launch_print(const kiln_sim_result_t *result, const kiln_sim_prediction_t *prediction)
{
    const kiln_sim_prediction_t *p = prediction;
    printf("%.2f us (%.2f more between events), %.0f cycles at %.0f MHz; %llu workgroups, %llu "
           "replayed, %.2f waves a SIMD\n"
           "busy: MFMA %.2f VALU %.2f LDS %.2f L1 %.2f L2 %.2f HBM %.2f; hits: L1 %.2f L2 %.2f\n"
           "%9s %8s\n",
           p->microseconds, p->launch_microseconds, p->cycles, p->clock_mhz,
           (unsigned long long)p->workgroups, (unsigned long long)p->replayed, p->waves_per_simd,
           p->mfma_busy, p->valu_busy, p->lds_busy, p->l1_busy, p->l2_busy, p->hbm_busy, p->l1_hits,
           p->l2_hits, "cycles", "issued");
    kiln_sim_line_t line = {.struct_size = sizeof line};
    for (size_t i = 0; kiln_sim_result_line(result, i, &line); i++)
        print_line(&line);
}
