// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a launch cost: LDS bank conflicts and memory lines while executing, and the sums and lower bounds afterwards.
// Machine numbers: reference/gfx942.md, sections 1.1 to 1.5.
//
// What a reader gets wrong: the cost of an access pattern is looked up, not computed, whenever the pattern is the last
// one of that instruction moved as a whole; that is the rule in loops.
#include <stdlib.h>

#include "launch.h"

#define BANKS 32
#define SIMDS 4
#define COMPUTE_UNITS 304
#define L2_BYTES_PER_CYCLE (8 * 16 * 128) // 8 XCDs, 16 channels, 128 bytes each

// ---- patterns

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
    return hash ^ hash >> 29;
}

// Two runs of independent multiplications vectorise; the order of lanes still counts through the odd factors.
static uint64_t pattern_u32(const uint32_t address[KILN_SIM_LANES], uint32_t base, uint64_t mask)
{
    uint32_t sum = 0, product = 0;
    for (uint32_t lane = 0; lane < KILN_SIM_LANES; lane++) {
        uint32_t difference = (mask >> lane & 1) ? address[lane] - base : 0;
        sum += difference * (2 * lane * lane + 0x9e3779b1u);
        product += (difference ^ difference >> 7) * (0x85ebca6bu + 2 * lane);
    }
    return mix(sum | (uint64_t)product << 32, mask);
}

// ---- LDS

// Lanes that are served together; reference section 1.5. Reads of 128 bits: {0-3, 20-23} and so on.
static unsigned lds_group(unsigned lane, unsigned bytes, kiln_sim_access_t access)
{
    if (bytes <= 4)
        return lane / 32;
    if (bytes == 8)
        return lane / 16;
    if (access == KILN_SIM_STORE)
        return lane / 8;
    // {0-3,20-23} {4-7,16-19} {8-11,28-31} {12-15,24-27}, then the same 32 lanes on.
    static const uint8_t group_of_quad[8] = {0, 1, 2, 3, 1, 0, 3, 2};
    return lane / 32 * 4 + group_of_quad[lane % 32 / 4];
}

typedef struct bank_use {
    uint32_t rows[BANKS][BANKS];
    uint8_t count[BANKS];
} bank_use_t;

static uint32_t lds_cycles(const uint32_t address[KILN_SIM_LANES], uint64_t mask, unsigned bytes,
                           kiln_sim_access_t access)
{
    uint32_t cycles = 0;
    unsigned groups = bytes <= 4 ? 2 : bytes == 8 ? 4 : 8;
    for (unsigned group = 0; group < groups; group++) {
        bank_use_t use;
        memset(use.count, 0, sizeof use.count);
        unsigned most = 0;
        for (unsigned lane = 0; lane < KILN_SIM_LANES; lane++) {
            if (!(mask >> lane & 1) || lds_group(lane, bytes, access) != group)
                continue;
            uint32_t end = (address[lane] + bytes - 1) / 4;
            for (uint32_t dword = address[lane] / 4; dword <= end; dword++) {
                unsigned bank = dword % BANKS, n = use.count[bank], i = 0;
                while (i < n && use.rows[bank][i] != dword)
                    i++;
                if (i == n && n < BANKS) {
                    use.rows[bank][n] = dword;
                    use.count[bank] = (uint8_t)(n + 1);
                    most = n + 1 > most ? n + 1 : most;
                }
            }
        }
        cycles += most;
    }
    return cycles;
}

void kiln_sim_count_lds(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, unsigned part,
                        const uint32_t address[KILN_SIM_LANES], uint64_t mask, unsigned bytes, kiln_sim_access_t access)
{
    if (mask == 0)
        return;
    kiln_sim_thread_t *thread = wave->thread;
    kiln_sim_inst_count_t *count = &thread->counts[inst->index];
    uint32_t base = address[__builtin_ctzll(mask)];
    // Moving all lanes by whole dwords turns the banks round together and changes no conflict.
    uint64_t pattern = mix(pattern_u32(address, base, mask), base % 4 + 1);
    if (count->pattern[part] != pattern) {
        count->pattern[part] = pattern;
        count->cost[part][0] = lds_cycles(address, mask, bytes, access);
    }
    // 32 banks of 4 bytes: what the data alone takes.
    uint64_t lanes = (uint64_t)__builtin_popcountll(mask), least = (lanes * (bytes < 4 ? 4 : bytes) + 127) / 128;
    uint32_t cycles = count->cost[part][0];
    thread->dynamic.lds_cycles += cycles;
    thread->dynamic.lds_conflict_cycles += cycles > least ? cycles - least : 0;
    thread->dynamic.lds_bytes += lanes * bytes;
}

// ---- vector memory

#define LINE_SLOTS 512

static void distinct_lines(const uint64_t at[KILN_SIM_LANES], uint64_t mask, unsigned bytes, uint32_t cost[2])
{
    for (unsigned which = 0; which < 2; which++) {
        unsigned shift = 6 + which;
        uint64_t seen[LINE_SLOTS] = {0};
        uint32_t lines = 0;
        for (uint64_t left = mask; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(left);
            for (uint64_t line = at[lane] >> shift; line <= (at[lane] + bytes - 1) >> shift; line++) {
                uint64_t slot = (line * 0x9e3779b97f4a7c15ull >> 40) % LINE_SLOTS;
                while (seen[slot] && seen[slot] != line)
                    slot = (slot + 1) % LINE_SLOTS;
                lines += seen[slot] == 0;
                seen[slot] = line;
            }
        }
        cost[which] = lines;
    }
}

void kiln_sim_count_lines(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, kiln_sim_access_t access,
                          const uint64_t at[KILN_SIM_LANES], uint64_t mask, unsigned bytes)
{
    if (mask == 0)
        return;
    kiln_sim_thread_t *thread = wave->thread;
    kiln_sim_inst_count_t *count = &thread->counts[inst->index];
    uint32_t low[KILN_SIM_LANES];
    for (unsigned lane = 0; lane < KILN_SIM_LANES; lane++)
        low[lane] = (uint32_t)at[lane];
    uint32_t base = low[__builtin_ctzll(mask)];
    uint64_t pattern = mix(pattern_u32(low, base, mask), (base & 127) + 1);
    if (count->pattern[0] != pattern) {
        count->pattern[0] = pattern;
        distinct_lines(at, mask, bytes, count->cost[0]);
    }
    uint64_t asked = (uint64_t)__builtin_popcountll(mask) * bytes;
    kiln_sim_dynamic_counts_t *d = &thread->dynamic;
    d->load_bytes += access == KILN_SIM_LOAD ? asked : 0;
    d->store_bytes += access == KILN_SIM_STORE ? asked : 0;
    d->atomic_bytes += access == KILN_SIM_ATOMIC ? asked : 0;
    d->lines64 += count->cost[0][0];
    d->lines128 += count->cost[0][1];
}

// ---- the sum

unsigned kiln_sim_groups_per_cu(const kiln_sim_kernel_t *kernel, unsigned waves, unsigned lds_size)
{
    unsigned per_simd = 512 / kiln_sim_kernel_total_vgprs(kernel);
    if (per_simd > 8)
        per_simd = 8;
    unsigned groups = per_simd * SIMDS / waves; // waves of a workgroup spread over the SIMDs
    unsigned lds = (lds_size + 511) / 512 * 512;
    if (lds > 65536)
        return groups ? 1 : 0; // more than the machine has: see launch.c
    if (lds && 65536 / lds < groups)
        groups = 65536 / lds;
    return groups;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

// Bounds from the work of the average workgroup times the workgroups that the fullest compute unit gets.
static void set_bounds(kiln_sim_launch_stats_t *s)
{
    double groups = (double)s->workgroups;
    double rounds = (double)((s->workgroups + COMPUTE_UNITS - 1) / COMPUTE_UNITS);
    double per_cu = rounds / groups; // of the launch's work
    double resident = (double)s->workgroups_per_cu < rounds ? (double)s->workgroups_per_cu : rounds;
    double waves = resident * (double)s->waves_per_workgroup;
    double simds = waves < SIMDS ? waves : SIMDS;
    s->bound_valu = (double)s->valu_cycles * per_cu / simds;
    s->bound_mfma = (double)s->mfma_cycles * per_cu / simds;
    s->bound_salu = (double)s->salu_cycles * per_cu / simds;
    s->bound_lds = (double)s->lds_cycles * per_cu;
    s->bound_l1 = (double)s->lines64 * per_cu; // 64 bytes a cycle
    s->bound_l2 = (double)s->lines128 * 128.0 / L2_BYTES_PER_CYCLE;
    s->estimated_cycles = larger(larger(larger(s->bound_valu, s->bound_mfma), larger(s->bound_salu, s->bound_lds)),
                                 larger(s->bound_l1, s->bound_l2));
}

_Static_assert((int)KILN_SIM_COUNT_CLASSES == (int)KILN_SIM_CLASS_COUNT, "sim.h and isa.h list the same classes");

void kiln_sim_launch_summary(const kiln_sim_launch_t *launch, const kiln_sim_thread_t *threads, size_t thread_count,
                             kiln_sim_launch_stats_t *stats)
{
    kiln_sim_launch_stats_t s = {.struct_size = sizeof s};
    size_t instructions = kiln_sim_program_count(launch->program);
    for (size_t t = 0; t < thread_count; t++) {
        const kiln_sim_thread_t *thread = &threads[t];
        for (size_t i = 0; i < instructions && i < thread->count_capacity; i++) {
            uint64_t count = thread->counts[i].executed;
            const kiln_sim_row_t *row = kiln_sim_program_inst(launch->program, i)->row;
            uint64_t cycles = count * row->cycles;
            s.instructions += count;
            s.by_class[row->class_] += count;
            if (row->class_ == KILN_SIM_CLASS_VALU || row->class_ == KILN_SIM_CLASS_TRANS)
                s.valu_cycles += cycles;
            else if (row->class_ == KILN_SIM_CLASS_MFMA)
                s.mfma_cycles += cycles;
            else if (row->class_ <= KILN_SIM_CLASS_SMEM && row->class_ != KILN_SIM_CLASS_SYNC)
                s.salu_cycles += cycles;
            else if (row->class_ >= KILN_SIM_CLASS_VMEM_LOAD)
                s.vmem_cycles += cycles;
        }
        s.lds_cycles += thread->dynamic.lds_cycles;
        s.lds_conflict_cycles += thread->dynamic.lds_conflict_cycles;
        s.lds_bytes += thread->dynamic.lds_bytes;
        s.load_bytes += thread->dynamic.load_bytes;
        s.store_bytes += thread->dynamic.store_bytes;
        s.atomic_bytes += thread->dynamic.atomic_bytes;
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
    s.compute_units = COMPUTE_UNITS;
    set_bounds(&s);
    *stats = s;
}
