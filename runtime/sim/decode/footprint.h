// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The footprint of an instruction, made when it is decoded: which registers it reads and writes, in
// which role, and which counters it raises.
//
// Registers have one numbering here: rows of the vector register file (0-511), then scalar
// registers by operand code.
//
// Pitfall: a footprint belongs to an instruction, not to its execution. Which lanes are active is
// known only at run time.
#ifndef KILN_SIM_FOOTPRINT_H
#define KILN_SIM_FOOTPRINT_H

#include "core/wave.h"

enum {
    KILN_SIM_FIRST_SGPR = KILN_SIM_VGPR_ROWS,
    KILN_SIM_REGISTERS = KILN_SIM_VGPR_ROWS + KILN_SIM_SGPR_COUNT
};

// How an operand is used. These are bits because rules name several at once.
enum {
    KILN_SIM_READS_AB = 1 << 0,      // a source; of matrix instructions: A, B, or the indices
    KILN_SIM_READS_C = 1 << 1,       // of matrix instructions: the accumulator
    KILN_SIM_READS_DATA = 1 << 2,    // the data of a store or an atomic
    KILN_SIM_READS_ADDRESS = 1 << 3, // of memory instructions
    KILN_SIM_READS_LANE = 1 << 4,    // a lane number, of v_readlane and v_writelane
    KILN_SIM_READS_CROSS = 1 << 5,   // source 0 of v_readlane and v_readfirstlane
    KILN_SIM_READS_MASK = 1 << 6,    // VCC of v_div_fmas
    KILN_SIM_READS = 0x7f,
    KILN_SIM_WRITES = 1 << 7,
    // Only for the wait-state rules, combined with one of the above or in an entry of its own:
    KILN_SIM_KEEPS = 1 << 8,     // a destination of which a part or some lanes keep their value
    KILN_SIM_USES_DPP = 1 << 9,  // vector registers of a DPP instruction except its destination
    KILN_SIM_USES_ZERO = 1 << 10 // VCC and EXEC, where VCCZ and EXECZ are read
};

// Consecutive registers with the same role.
typedef struct kiln_sim_registers {
    uint16_t first, role;
    uint8_t count;
} kiln_sim_registers_t;

// Counters that an instruction raises, which determine the order of completion.
typedef enum kiln_sim_queue {
    KILN_SIM_QUEUE_NONE,
    KILN_SIM_QUEUE_VM,   // vmcnt, in order
    KILN_SIM_QUEUE_LDS,  // lgkmcnt, in order
    KILN_SIM_QUEUE_SMEM, // lgkmcnt, in any order
    KILN_SIM_QUEUE_FLAT, // both, in any order
    KILN_SIM_QUEUE_COUNT
} kiln_sim_queue_t;

typedef struct kiln_sim_footprint {
    uint8_t count;       // of spans; reads come first
    uint8_t queue;       // kiln_sim_queue_t
    uint8_t wait_states; // wait states that issuing it takes
    bool is_wait;        // s_waitcnt
    bool all_lanes;      // reads its vector sources regardless of EXEC
    bool crossbar;       // an LDS instruction that only moves values between lanes
    bool partial;        // may keep a part of a vector destination even if all lanes are active
    kiln_sim_registers_t spans[10];
} kiln_sim_footprint_t;

// Computes the footprint from the decoded operands.
void kiln_sim_footprint_fill(kiln_sim_footprint_t *footprint, const kiln_sim_inst_t *inst);

// Whether it loads to LDS directly, without registers.
bool kiln_sim_inst_to_lds(const kiln_sim_inst_t *inst);

// Prints a register's name: "v12", "a3", "s7", "vcc_lo".
void kiln_sim_register_name(unsigned number, char *text, size_t size);

#endif
