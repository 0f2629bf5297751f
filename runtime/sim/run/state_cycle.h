// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Detects that a workgroup whose waves stop and continue, at barriers for instance, returns to an
// earlier state: all registers of all waves, their next instructions, and LDS. From then on only
// memory can change its behavior, so it is waiting for other workgroups.
//
// This is only a hint for scheduling. A loop that counts its iterations waits as well, but never
// returns to an earlier state.
#ifndef KILN_SIM_STATE_CYCLE_H
#define KILN_SIM_STATE_CYCLE_H

#include "run/launch.h"

enum { KILN_SIM_STATE_CYCLE_STOPS = 8 }; // loops with more stops are not recognized

typedef struct kiln_sim_state_cycle {
    uint64_t scalars, vectors; // hashes; vectors: of vector registers and LDS
    unsigned stops;            // since the hashes were taken, plus one; 0: not taken
} kiln_sim_state_cycle_t;

typedef enum kiln_sim_state_cycle_result {
    KILN_SIM_STATE_CYCLE_OPEN,   // look again when the waves have stopped the next time
    KILN_SIM_STATE_CYCLE_CLOSED, // the workgroup is in the earlier state again
    KILN_SIM_STATE_CYCLE_NONE    // not in the earlier state within KILN_SIM_STATE_CYCLE_STOPS
} kiln_sim_state_cycle_result_t;

// `waves` are the workgroup's waves; none of them may be running. *circle must start zeroed.
kiln_sim_state_cycle_result_t kiln_sim_state_cycle_check(kiln_sim_state_cycle_t *cycle,
                                                         const kiln_sim_kernel_t *kernel,
                                                         const kiln_sim_wave_t *waves);

#endif
