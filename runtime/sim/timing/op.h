// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the clock wants to know of an instruction of the program: which port takes it, for how long, and what it waits for.
//
// Made once for each instruction that a recorded wave executes, from its row and its footprint.
#ifndef KILN_TIMING_OP_H
#define KILN_TIMING_OP_H

#include "core/inst.h"

// What a SIMD may issue one of at each visit. INTERNAL needs no port: the instruction buffer deals with it.
typedef enum kiln_timing_port {
    KILN_TIMING_VALU, // matrix instructions, too
    KILN_TIMING_SCALAR,
    KILN_TIMING_VMEM,
    KILN_TIMING_LDS,
    KILN_TIMING_BRANCH,
    KILN_TIMING_INTERNAL,
    KILN_TIMING_PORTS
} kiln_timing_port_t;

typedef enum kiln_timing_act {
    KILN_TIMING_COMPUTES,
    KILN_TIMING_MATRIX,
    KILN_TIMING_BRANCHES,
    KILN_TIMING_ENDS,
    KILN_TIMING_WAITS,   // s_waitcnt
    KILN_TIMING_BARRIER, // s_barrier
    KILN_TIMING_IDLES,   // s_nop, s_sleep: for `cycles`
    KILN_TIMING_PRIORITY,
    KILN_TIMING_LOADS_SCALAR,
    KILN_TIMING_ACCESSES_LDS,
    KILN_TIMING_ACCESSES_MEMORY // flat ones, too
} kiln_timing_act_t;

// Multipliers by what they draw (timing/power.c).
typedef enum kiln_timing_power {
    KILN_TIMING_POWER_NONE,
    KILN_TIMING_POWER_VECTOR_32, // and narrower ones
    KILN_TIMING_POWER_VECTOR_64,
    KILN_TIMING_POWER_MATRIX_32, // f32 and f64
    KILN_TIMING_POWER_MATRIX_16, // xf32, too
    KILN_TIMING_POWER_MATRIX_8,  // floating point
    KILN_TIMING_POWER_MATRIX_I8,
    KILN_TIMING_POWERS
} kiln_timing_power_t;

typedef struct kiln_timing_op {
    uint8_t port, act;    // kiln_timing_port_t, kiln_timing_act_t
    uint8_t vm, lgkm;     // s_waitcnt: so many operations may be left
    uint8_t queue;        // kiln_sim_queue_t
    uint8_t lds_bytes;    // of a lane, for LDS
    bool stores, returns; // memory: writes; gives registers
    bool pairs;           // VALU: may start together with such a one of another wave
    bool invalidates;     // memory: the L1 forgets what it holds
    uint8_t power;        // kiln_timing_power_t: what it makes draw power
    uint16_t cycles;      // its unit is taken
    uint16_t blocks;      // MATRIX: cycles for which the VALU port is taken, too
    uint16_t latency;     // from issue until another instruction may read the result
    uint16_t level;       // PRIORITY
    uint32_t index;       // of the instruction in its program
    uint32_t address, size;
    uint32_t flops; // of a wave with all lanes; a multiply-add is two
    const kiln_sim_footprint_t *footprint;
} kiln_timing_op_t;

void kiln_timing_op_make(kiln_timing_op_t *op, const kiln_sim_inst_t *inst);

// Whether executing it leaves an entry in a stream's accesses (timing/stream.h).
bool kiln_timing_is_access(const kiln_timing_op_t *op);

#endif
