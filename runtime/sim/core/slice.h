// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What of a program must be executed to know where it branches and which memory it touches: for launches of which only the time
// is wanted (option `clock` = only).
//
// Idea: need flows backwards. Branches, scalar instructions and addresses need their operands; a vector instruction is needed
// where what it writes is. Data that is only moved is not, nor is what matrix units make of it. Values that come back from memory,
// LDS or scratch and are needed make everything needed that is stored there.
//
// What a reader gets wrong: a vector register that is written keeps, in inactive lanes, what it had. Only where all lanes are
// known to be active does a write end the need of what was there before.
#ifndef KILN_SIM_SLICE_H
#define KILN_SIM_SLICE_H

#include "core/program.h"

typedef enum kiln_sim_slice_action {
    KILN_SIM_SLICE_RUNS,
    KILN_SIM_SLICE_MOVES_NOTHING, // a memory instruction of which only the addresses are wanted
    KILN_SIM_SLICE_SKIPS
} kiln_sim_slice_action_t;

typedef struct kiln_sim_slice {
    uint8_t *actions; // kiln_sim_slice_action_t, by index of instruction
    // By index: the first instruction from this one on that is not skipped, where LDS is not wanted either. Itself, where the program asks for the time.
    const kiln_sim_inst_t **lean;
    size_t count; // of both
    // A workgroup that is executed once more does the same: it leaves nothing that another one, or itself, may see, and does not ask for the time.
    bool repeatable;
} kiln_sim_slice_t;

// Of all that has been decoded; `entry`: where waves begin. False: out of memory. Where need cannot be followed (registers or places that are computed),
// everything runs but matrix instructions, and LDS is wanted.
bool kiln_sim_slice_make(kiln_sim_slice_t *slice, const kiln_sim_program_t *program, const kiln_sim_inst_t *entry);
void kiln_sim_slice_free(kiln_sim_slice_t *slice);

#endif
