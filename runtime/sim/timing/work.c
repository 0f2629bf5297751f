// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost of single workgroups: the counts of its thread while it executed. Most workgroups of a
// launch execute the same instructions equally often, so the counts of a workgroup are compared
// with those of the previous one and summed only if they differ.
//
// Other threads may decode at the same time, so the program's tables may only be read under its
// lock. Each thread therefore keeps a small copy of the costs that it needs.
#include "run/launch.h"

static const uint8_t units[KILN_SIM_CLASS_COUNT] = {
    [KILN_SIM_CLASS_SALU] = KILN_SIM_UNIT_SALU,
    [KILN_SIM_CLASS_BRANCH] = KILN_SIM_UNIT_SALU,
    [KILN_SIM_CLASS_SMEM] = KILN_SIM_UNIT_SALU,
    [KILN_SIM_CLASS_VALU] = KILN_SIM_UNIT_VALU,
    [KILN_SIM_CLASS_TRANS] = KILN_SIM_UNIT_VALU,
    [KILN_SIM_CLASS_MFMA] = KILN_SIM_UNIT_MFMA,
    [KILN_SIM_CLASS_VMEM_LOAD] = KILN_SIM_UNIT_VMEM,
    [KILN_SIM_CLASS_VMEM_STORE] = KILN_SIM_UNIT_VMEM,
    [KILN_SIM_CLASS_VMEM_ATOMIC] = KILN_SIM_UNIT_VMEM,
    [KILN_SIM_CLASS_SYNC] = KILN_SIM_UNIT_OTHER,
    [KILN_SIM_CLASS_LDS] = KILN_SIM_UNIT_OTHER,
};

// Copies the costs of instructions that are new to the thread in this launch.
static void price(kiln_sim_thread_t *thread, size_t count)
{
    enum { AT_ONCE = 64 };
    while (thread->priced < count) {
        const kiln_sim_row_t *rows[AT_ONCE];
        const size_t left = count - thread->priced, some = left < AT_ONCE ? left : AT_ONCE;
        kiln_sim_program_rows(thread->launch->program, thread->priced, some, rows);
        for (size_t i = 0; i < some; i++)
            thread->prices[thread->priced++] =
                (kiln_sim_price_t){units[rows[i]->class_], rows[i]->cycles};
    }
}

// Adds the counts of the turns that were equal to the totals.
void kiln_sim_work_settle(kiln_sim_thread_t *thread)
{
    for (size_t i = 0; thread->equal_turns && i < thread->known; i++)
        thread->totals[i] += thread->equal_turns * thread->known_counts[i];
    thread->equal_turns = 0;
}

// Replaces the previous turn's counts with this turn's, which differ.
static void replace_counts(kiln_sim_thread_t *thread)
{
    kiln_sim_work_settle(thread);
    price(thread, thread->reachable);
    uint64_t *const cycles = thread->known_cycles;
    memset(cycles, 0, sizeof thread->known_cycles);
    for (size_t i = 0; i < thread->reachable; i++)
        cycles[thread->prices[i].unit] += thread->counts[i] * thread->prices[i].cycles;
    memcpy(thread->known_counts, thread->counts, thread->reachable * sizeof *thread->counts);
    thread->known = thread->reachable;
}

void kiln_sim_work_take(kiln_sim_thread_t *thread, kiln_sim_work_t *work)
{
    const size_t bytes = thread->reachable * sizeof *thread->counts;
    if (thread->known != thread->reachable ||
        memcmp(thread->counts, thread->known_counts, bytes) != 0)
        replace_counts(thread);
    thread->equal_turns++;
    memset(thread->counts, 0, bytes);
    for (unsigned unit = 0; unit < KILN_SIM_UNITS; unit++) {
        work->cycles[unit] += thread->known_cycles[unit];
        thread->all.cycles[unit] += thread->known_cycles[unit];
    }
    const kiln_sim_dynamic_counts_t *now = &thread->dynamic;
    work->lds_cycles += now->lds_cycles - thread->all.lds_cycles;
    work->lines64 += now->lines64 - thread->all.lines64;
    thread->all.lds_cycles = now->lds_cycles;
    thread->all.lines64 = now->lines64;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

void kiln_sim_work_max(kiln_sim_work_t *max, const kiln_sim_work_t *work)
{
    for (unsigned unit = 0; unit < KILN_SIM_UNITS; unit++)
        max->cycles[unit] = larger(max->cycles[unit], work->cycles[unit]);
    max->lds_cycles = larger(max->lds_cycles, work->lds_cycles);
    max->lines64 = larger(max->lines64, work->lines64);
}
