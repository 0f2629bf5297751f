// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What libkiln-sim.so offers beside the HIP entry points: what the last launch cost, and why the last call failed.
// A program that also runs on a real device looks these symbols up at run time and does without them when they are
// missing.
//
// What a reader gets wrong: counts are exact, cycles are not. `bound_*` are lower bounds, for every unit the cycles for
// which it must at least be busy if nothing else slowed it down; `estimated_cycles` is the largest of them.
//
// Threads: all functions speak of the calling thread's last launch or call. Strings live until its next failing call.
#ifndef KILN_SIM_H
#define KILN_SIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Wave-instructions by class.
typedef enum kiln_sim_instruction_class {
    KILN_SIM_COUNT_SALU,
    KILN_SIM_COUNT_BRANCH,
    KILN_SIM_COUNT_SYNC, // waits, barriers, s_nop, messages: no execution port
    KILN_SIM_COUNT_SMEM,
    KILN_SIM_COUNT_VALU,
    KILN_SIM_COUNT_TRANS,
    KILN_SIM_COUNT_MFMA,
    KILN_SIM_COUNT_LDS,
    KILN_SIM_COUNT_VMEM_LOAD,
    KILN_SIM_COUNT_VMEM_STORE,
    KILN_SIM_COUNT_VMEM_ATOMIC,
    KILN_SIM_COUNT_CLASSES
} kiln_sim_instruction_class_t;

typedef struct kiln_sim_launch_stats {
    size_t struct_size; // set by the caller to sizeof(kiln_sim_launch_stats_t); no more than that is written

    uint64_t workgroups, waves, waves_per_workgroup;
    uint64_t instructions; // wave-instructions executed: one instruction of one 64-lane wave
    uint64_t by_class[KILN_SIM_COUNT_CLASSES];

    // Cycles summed over all waves. A SIMD issues VALU and MFMA, a compute unit has one LDS.
    uint64_t valu_cycles;         // VALU and transcendental, 4 and 16 a wave-instruction
    uint64_t mfma_cycles;         // 4 a pass
    uint64_t salu_cycles;         // SALU, SMEM and branches
    uint64_t lds_cycles;          // with bank conflicts
    uint64_t lds_conflict_cycles; // those of them that a conflict-free layout would save
    uint64_t vmem_cycles;         // address cycles of vector memory instructions, 4 a wave-instruction

    // Bytes that active lanes asked for, and distinct aligned lines, summed over instructions.
    uint64_t lds_bytes, load_bytes, store_bytes, atomic_bytes, lines64, lines128;

    // From the kernel descriptor and the launch.
    uint32_t arch_vgprs, total_vgprs, lds_bytes_per_workgroup, scratch_bytes_per_lane;
    uint32_t waves_per_simd;    // that registers, LDS and the slots of a compute unit allow
    uint32_t workgroups_per_cu; // the same, in workgroups
    uint32_t compute_units;     // 304

    // Lower bounds in core clock cycles for the whole launch on an MI300X (304 CUs, 4 SIMDs each).
    double bound_valu, bound_mfma, bound_salu, bound_lds, bound_l1, bound_l2;
    double estimated_cycles; // the largest bound
    double host_seconds;     // how long the simulation took

    // Under KILN_SIM_PROFILE=1: ticks of the host's time stamp counter in the handlers of each class; otherwise 0.
    uint64_t host_ticks[KILN_SIM_COUNT_CLASSES];
} kiln_sim_launch_stats_t;

// Fills *stats for the last launch that this thread made. Returns 0, or 1 (hipErrorInvalidValue) where there was none
// or struct_size is too small to hold anything.
int kilnSimGetLaunchStats(kiln_sim_launch_stats_t *stats);

// The reason of the last failing call of this thread: which instruction, address, kernel, workgroup, wave and lane. ""
// where nothing has failed. hipGetErrorString() of the same error shows it, too.
const char *kilnSimGetLastErrorMessage(void);

// One place where a check found something. Strings are never NULL and live until the thread's next launch.
typedef struct kiln_sim_finding {
    size_t struct_size;  // set by the caller to sizeof(kiln_sim_finding_t); no more than that is written
    const char *check;   // "wait", "race", …
    const char *message; // what is wrong, in one line
    const char *kernel;
    const char *instruction;       // as the disassembler prints it
    const char *source;            // "file:line" from the object's line table, or ""
    const char *other_instruction; // the other of the two accesses, or ""
    const char *other_source;
    uint64_t address, other_address; // of the instructions, as the disassembler shows them
    uint32_t workgroup[3], wave;     // where it was seen first
    int32_t lane;                    // or -1: no lane in particular
    uint64_t count;                  // how often it was seen in the launch
} kiln_sim_finding_t;

// The checks that exist, separated by commas: what KILN_SIM_CHECK can name beside "off" and "all".
const char *kilnSimGetSupportedChecks(void);

// Fills *finding with the finding of that number, from 0, in this thread's last launch. Returns 0, or 1
// (hipErrorInvalidValue) where there is none.
int kilnSimGetFinding(size_t index, kiln_sim_finding_t *finding);

#ifdef __cplusplus
}
#endif

#endif
