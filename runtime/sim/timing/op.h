// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The properties of an instruction that the clock needs: the port that it occupies and for how
// long, and what it waits for.
//
// An operation is made once for each instruction that a recorded wave executes, from the
// instruction's row and footprint.
#ifndef KILN_TIMING_OP_H
#define KILN_TIMING_OP_H

#include "decode/inst.h"

// The ports of a SIMD, each of which issues at most one instruction per visit. INTERNAL needs no
// port: the instruction buffer executes it.
typedef enum kiln_timing_port {
    KILN_TIMING_VALU, // also matrix instructions
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
    KILN_TIMING_IDLES,   // s_nop, s_sleep: idle for `cycles`
    KILN_TIMING_PRIORITY,
    KILN_TIMING_LOADS_SCALAR,
    KILN_TIMING_ACCESSES_LDS,
    KILN_TIMING_ACCESSES_MEMORY // also flat accesses
} kiln_timing_act_t;

// Units by the power that they draw (timing/power.def, power.c).
typedef enum kiln_timing_power {
#define KILN_TIMING_POWER(name, milliwatts, mark, source) KILN_TIMING_POWER_##name,
#include "timing/power.def"
#undef KILN_TIMING_POWER
    KILN_TIMING_POWERS
} kiln_timing_power_t;

typedef struct kiln_timing_op {
    uint8_t port, act;    // kiln_timing_port_t, kiln_timing_act_t
    uint8_t vm, lgkm;     // s_waitcnt: number of operations that may remain
    uint8_t queue;        // kiln_sim_queue_t
    uint8_t lds_bytes;    // per lane, for LDS
    bool stores, returns; // memory: writes memory; writes registers
    bool pairs;           // VALU: may start together with one of another wave
    bool invalidates;     // memory: invalidates the L1
    uint8_t power;        // kiln_timing_power_t, of vector and matrix instructions
    uint8_t without;      // set of KILN_SIM_WITHOUT_*: costs left out (timing/without.c)
    uint16_t cycles;      // that it occupies its unit
    uint16_t blocks;      // MATRIX: cycles that it also occupies the VALU port
    uint16_t latency;     // from issue until its result can be read
    uint16_t level;       // PRIORITY
    uint32_t index;       // of the instruction in its program
    uint32_t address, size;
    uint32_t flops; // of a wave with all lanes active; a multiply-add counts as two
    const kiln_sim_footprint_t *footprint;
} kiln_timing_op_t;

void kiln_timing_op_make(kiln_timing_op_t *op, const kiln_sim_inst_t *inst);

// Whether executing it adds an entry to a stream's accesses (timing/stream.h).
bool kiln_timing_is_access(const kiln_timing_op_t *op);

#endif
