// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of a program that must be executed to know where it branches and which memory it
// accesses: for launches where only the time is wanted (option `clock` = only).
//
// Need propagates backwards. Branches, scalar instructions and addresses need their operands; a
// vector instruction is needed if its result is. Data that is only moved is not needed, and neither
// are the results of matrix units. If a needed value is loaded from memory, LDS or scratch memory,
// everything that is stored there is needed.
//
// Pitfall: a write of a vector register leaves inactive lanes unchanged. It ends the need of the
// previous value only if all lanes are known to be active.
#ifndef KILN_SIM_SLICE_H
#define KILN_SIM_SLICE_H

#include "decode/program.h"

typedef enum kiln_sim_slice_action {
    KILN_SIM_SLICE_RUNS,
    KILN_SIM_SLICE_MOVES_NOTHING, // a memory instruction of which only the addresses are needed
    KILN_SIM_SLICE_SKIPS
} kiln_sim_slice_action_t;

typedef struct kiln_sim_slice {
    uint8_t *actions; // kiln_sim_slice_action_t, by index of instruction
    // By index: the first instruction, starting at this one, that is not skipped if LDS is not
    // needed either. The instruction itself if the program reads the clock.
    const kiln_sim_inst_t **lean;
    size_t count; // of both arrays
    // Executing a workgroup again has the same effect: it leaves nothing that it or another
    // workgroup can observe, and does not read the clock.
    bool repeatable;
} kiln_sim_slice_t;

// Makes the slice of everything decoded so far; waves begin at `entry`. False: out of memory. If
// need cannot be followed (computed registers or branch targets), everything runs except matrix
// instructions, and LDS is needed.
bool kiln_sim_slice_make(kiln_sim_slice_t *slice, const kiln_sim_program_t *program,
                         const kiln_sim_inst_t *entry);
void kiln_sim_slice_free(kiln_sim_slice_t *slice);

#endif
