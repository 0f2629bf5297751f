// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waves that wait in loops for memory to change, launches in which nobody is left who would change it, and endless loops.
//
// Idea: a loop spins when what it computes depends on nothing but memory at fixed addresses, which it does not change, and on
// registers that it leaves alone. A wave in such a loop goes on as it is until somebody else stores. When all waves that
// can run spend whole slices in such loops, nobody will. A loop is endless, whatever it computes and stores, when none of
// its branches depends on memory or on what differs from one time round to the next.
//
// What a reader gets wrong: a loop that counts, or looks at the clock, does not spin: it ends by itself.
#ifndef KILN_SIM_SPIN_H
#define KILN_SIM_SPIN_H

#include "core/launch.h"

enum { KILN_SIM_SPIN_LENGTH = 128, KILN_SIM_SPIN_CACHE = 256 };

typedef struct kiln_sim_spin {
    const kiln_sim_inst_t *at, *first, *last; // an instruction, and the loop around it; first is NULL where none spins
    const kiln_sim_inst_t *adds[2];           // atomics that change nothing as long as their data are zero
    bool endless;                             // it does not even wait for memory
} kiln_sim_spin_t;

// A host thread's part.
typedef struct kiln_sim_spins {
    kiln_sim_spin_t found[KILN_SIM_SPIN_CACHE];
    uint64_t news; // launch->spinning when last looked at
    unsigned rounds;
    bool ready;
} kiln_sim_spins_t;

// The loop in which a wave spins that goes on at `wave->resume`; NULL where it does not.
const kiln_sim_spin_t *kiln_sim_spin_find(kiln_sim_spins_t *spins, const kiln_sim_wave_t *wave);
// How often instructions of the loop were executed on the wave's host thread.
uint64_t kiln_sim_spin_count(const kiln_sim_wave_t *wave, const kiln_sim_spin_t *spin);
// Behind a round in which all waves of the thread had their turns. `all`: they only spun. `endless`: one of them in an
// endless loop. True where the waves of all host threads have done nothing else for some rounds.
bool kiln_sim_spin_agree(kiln_sim_spins_t *spins, kiln_sim_launch_t *launch, bool all, bool endless);
// Whether a wave that spins looks at memory that the program may change while the kernel runs (pinned, managed or
// registered). The wave goes on for a few instructions.
bool kiln_sim_spin_polls_shared(const kiln_sim_spin_t *spin, kiln_sim_wave_t *wave);

#endif
