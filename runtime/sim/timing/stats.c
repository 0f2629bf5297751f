// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost of a launch: sums of all host threads' counts, and lower bounds in cycles. Machine
// numbers are in base/gfx942.def.
//
// Static costs are not counted during execution; they are an instruction's count times its row's
// costs (timing/work.c). Costs that depend on addresses are summed during execution (run/cost.h).
#include <stdlib.h>

#include "run/launch.h"

enum {
    SIMDS = KILN_GFX942_SIMDS,
    L1_CYCLE_BYTES = KILN_GFX942_L1_CYCLE_BYTES,
    L2_CYCLE_BYTES = KILN_GFX942_L2_CHANNELS * KILN_GFX942_L2_CHANNEL_CYCLE_BYTES // of an XCD
};

unsigned kiln_sim_groups_per_cu(const kiln_sim_kernel_t *kernel, unsigned waves, unsigned lds_size)
{
    unsigned per_simd = KILN_GFX942_SIMD_VGPRS / kiln_sim_kernel_total_vgprs(kernel);
    if (per_simd > KILN_GFX942_WAVES_PER_SIMD)
        per_simd = KILN_GFX942_WAVES_PER_SIMD;
    const unsigned sgprs =
        kernel->sgpr_count < KILN_GFX942_WAVE_SGPRS ? kernel->sgpr_count : KILN_GFX942_WAVE_SGPRS;
    if (per_simd * sgprs > KILN_GFX942_SIMD_SGPRS) // as llc counts: by use, not by granules
        per_simd = KILN_GFX942_SIMD_SGPRS / sgprs;
    unsigned groups = per_simd * SIMDS / waves; // waves of a workgroup spread over the SIMDs
    if (lds_size > KILN_GFX942_LDS_BYTES)
        return groups ? 1 : 0; // larger LDS, as requested by KILN_SIM_LDS
    unsigned lds = (lds_size + KILN_GFX942_LDS_GRANULE - 1) / KILN_GFX942_LDS_GRANULE;
    unsigned room = KILN_GFX942_LDS_BYTES / KILN_GFX942_LDS_GRANULE;
    return lds && room / lds < groups ? room / lds : groups;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

// A launch has two bounds: the average workgroup's work times the number of workgroups on the
// fullest compute unit, and the work of the slowest workgroup, which runs on one compute unit. The
// slowest workgroup may be a different one for each unit.
static void set_bounds(kiln_sim_launch_stats_t *s, const kiln_sim_work_t *slowest, int xcds)
{
    double groups = (double)s->workgroups;
    double rounds = (double)((s->workgroups + s->compute_units - 1) / s->compute_units);
    double per_cu = rounds / groups; // fraction of the launch's work
    double resident = (double)s->workgroups_per_cu < rounds ? (double)s->workgroups_per_cu : rounds;
    double own = (double)s->waves_per_workgroup, waves = resident * own;
    double simds = waves < SIMDS ? waves : SIMDS, own_simds = own < SIMDS ? own : SIMDS;
    const uint64_t *max = slowest->cycles;
    s->bound_valu = larger((double)s->valu_cycles * per_cu / simds,
                           (double)max[KILN_SIM_UNIT_VALU] / own_simds);
    s->bound_mfma = larger((double)s->mfma_cycles * per_cu / simds,
                           (double)max[KILN_SIM_UNIT_MFMA] / own_simds);
    s->bound_salu = larger((double)s->salu_cycles * per_cu / simds,
                           (double)max[KILN_SIM_UNIT_SALU] / own_simds);
    s->bound_lds = larger((double)s->lds_cycles * per_cu, (double)slowest->lds_cycles);
    s->bound_l1 =
        larger((double)s->lines64 * per_cu, (double)slowest->lines64) * 64 / L1_CYCLE_BYTES;
    s->bound_l2 = (double)s->lines128 * 128 / ((double)xcds * L2_CYCLE_BYTES);
    s->estimated_cycles =
        larger(larger(larger(s->bound_valu, s->bound_mfma), larger(s->bound_salu, s->bound_lds)),
               larger(s->bound_l1, s->bound_l2));
}

_Static_assert((int)KILN_SIM_COUNT_CLASSES <= (int)KILN_SIM_CLASS_SLOTS,
               "classes fit their arrays");
_Static_assert((int)KILN_SIM_COUNT_CLASSES == (int)KILN_SIM_CLASS_COUNT,
               "sim.h and decode/isa.h list the same classes");

void kiln_sim_launch_summary(const kiln_sim_launch_t *launch, const kiln_sim_thread_t *threads,
                             size_t thread_count, kiln_sim_launch_stats_t *stats)
{
    kiln_sim_launch_stats_t s = {.struct_size = sizeof s};
    kiln_sim_work_t slowest = {0};
    size_t instructions = kiln_sim_program_count(launch->program);
    for (size_t t = 0; t < thread_count; t++) {
        const kiln_sim_thread_t *thread = &threads[t];
        for (size_t i = 0; i < instructions && i < thread->count_capacity; i++) {
            s.instructions += thread->totals[i];
            s.by_class[kiln_sim_program_inst(launch->program, i)->row->class_] += thread->totals[i];
        }
        s.valu_cycles += thread->all.cycles[KILN_SIM_UNIT_VALU];
        s.mfma_cycles += thread->all.cycles[KILN_SIM_UNIT_MFMA];
        s.salu_cycles += thread->all.cycles[KILN_SIM_UNIT_SALU];
        s.vmem_cycles += thread->all.cycles[KILN_SIM_UNIT_VMEM];
        kiln_sim_work_max(&slowest, &thread->slowest);
        s.waited_cycles = thread->waited > s.waited_cycles ? thread->waited : s.waited_cycles;
        for (size_t i = 0; i < KILN_SIM_CLASS_COUNT; i++)
            s.host_ticks[i] += thread->ticks[i];
        s.lds_cycles += thread->dynamic.lds_cycles;
        s.lds_conflict_cycles += thread->dynamic.lds_conflict_cycles;
        s.lds_bytes += thread->dynamic.lds_bytes;
        s.load_bytes += thread->dynamic.bytes[KILN_SIM_LOAD];
        s.store_bytes += thread->dynamic.bytes[KILN_SIM_STORE];
        s.atomic_bytes += thread->dynamic.bytes[KILN_SIM_ATOMIC];
        s.lines64 += thread->dynamic.lines64;
        s.lines128 += thread->dynamic.lines128;
    }
    const kiln_sim_kernel_t *kernel = launch->kernel;
    s.workgroups = launch->group_count;
    s.waves_per_workgroup = launch->wave_count;
    s.waves = s.workgroups * launch->wave_count;
    s.arch_vgprs = kiln_sim_kernel_arch_vgprs(kernel);
    s.total_vgprs = kiln_sim_kernel_total_vgprs(kernel);
    s.lds_bytes_per_workgroup = launch->lds_size;
    s.scratch_bytes_per_lane = kernel->scratch_bytes;
    s.workgroups_per_cu = kiln_sim_groups_per_cu(kernel, launch->wave_count, launch->lds_size);
    s.waves_per_simd = (uint32_t)(s.workgroups_per_cu * launch->wave_count + SIMDS - 1) / SIMDS;
    s.compute_units = (uint32_t)launch->options->product->compute_units;
    set_bounds(&s, &slowest, launch->options->product->xcds);
    *stats = s;
}
