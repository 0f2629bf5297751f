// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of a wave and of its workgroup, as instruction handlers see it.
//
// Vector registers are a structure of arrays with a row of 64 dwords for each register, so that a
// handler is a loop over lanes that the host compiler vectorizes. Scalar state is one array indexed
// by the machine's operand codes, in which VCC, M0, EXEC, FLAT_SCRATCH and the TTMPs are ordinary
// registers.
//
// Pitfalls: accumulation register a[n] is always row 256 + n, whatever the kernel's accum_offset
// is. A 64-bit operand in v[n:n+1] is two rows (low dwords, then high dwords), not 64 interleaved
// pairs.
#ifndef KILN_SIM_WAVE_H
#define KILN_SIM_WAVE_H

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/gfx942.h"

#define KILN_SIM_ACC_ROW KILN_GFX942_ARCH_VGPRS // row of a0
#define KILN_SIM_VGPR_ROWS (2 * KILN_GFX942_ARCH_VGPRS)

// Apertures of flat addresses: the high half of an address selects the memory.
#define KILN_SIM_SHARED_BASE 0x0001000000000000ull
#define KILN_SIM_PRIVATE_BASE 0x0002000000000000ull

// Indices into kiln_sim_wave_t.sgpr: the ISA's operand codes, and a slot for discarded writes.
enum {
    KILN_SIM_SGPR_FLAT_SCRATCH = 102,
    KILN_SIM_SGPR_XNACK_MASK = 104,
    KILN_SIM_SGPR_VCC = 106,
    KILN_SIM_SGPR_TTMP0 = 108,
    KILN_SIM_SGPR_M0 = 124,
    KILN_SIM_SGPR_EXEC = 126,
    KILN_SIM_SGPR_SINK =
        128, // destinations that the machine ignores (TTMP, out of range) decode to this index
    KILN_SIM_SGPR_COUNT = 160
};

// Fields of MODE.
enum {
    KILN_SIM_MODE_ROUND_F32_SHIFT = 0,     // 2 bits: 0 nearest even, 1 +inf, 2 -inf, 3 zero
    KILN_SIM_MODE_ROUND_F64_F16_SHIFT = 2, // 2 bits, the same
    KILN_SIM_MODE_DENORM_F32_SHIFT = 4,    // 2 bits: bit 0 keep inputs, bit 1 keep outputs
    KILN_SIM_MODE_DENORM_F64_F16_SHIFT = 6,
    KILN_SIM_MODE_DX10_CLAMP = 1 << 8,
    KILN_SIM_MODE_IEEE = 1 << 9,
    KILN_SIM_MODE_FP16_OVFL = 1 << 23,
    KILN_SIM_MODE_GPR_IDX_EN = 1 << 27,
    KILN_SIM_MODE_VSKIP = 1 << 28,
    KILN_SIM_MODE_CSP_SHIFT = 29 // 3 bits: levels of the branch stack
};

// The value of undefined registers: a NaN in most formats.
#define KILN_SIM_UNDEFINED 0xffc7ffc7u

#define KILN_SIM_PLACES 8 // observers that a machine can have

typedef struct kiln_sim_inst kiln_sim_inst_t;
typedef struct kiln_sim_wave kiln_sim_wave_t;
typedef struct kiln_sim_workgroup kiln_sim_workgroup_t;

// Why a wave is not running. Handlers of vector arithmetic never set these; errors are set by
// kiln_sim_wave_fault.
typedef enum kiln_sim_stop {
    KILN_SIM_STOP_NONE,
    KILN_SIM_STOP_END,     // s_endpgm
    KILN_SIM_STOP_BARRIER, // waits for the other waves of its workgroup
    KILN_SIM_STOP_GWS,     // waits for waves of other workgroups (run/gws.h)
    KILN_SIM_STOP_YIELD,   // s_sleep, or its time slice is over: it can continue
    KILN_SIM_STOP_FAULT    // the launch has failed
} kiln_sim_stop_t;

struct kiln_sim_workgroup {
    uint8_t *lds;      // lds_size bytes, 64-byte aligned
    uint32_t lds_size; // bytes that this workgroup may use: static + dynamic
    uint32_t id[3];
    uint32_t index;      // linear, in dispatch order
    uint32_t wave_count; // waves of the workgroup
    unsigned watchers; // bit set of places: the observers that watch this workgroup (run/observe.h)
    bool lean;         // only its accesses to device memory are needed: the launch has a slice
                       // (decode/slice.h)
    void *observed[KILN_SIM_PLACES]; // what observers keep for the workgroup
};

struct kiln_sim_wave {
    alignas(64) uint32_t vgpr[KILN_SIM_VGPR_ROWS][KILN_GFX942_LANES];
    union {
        alignas(64) uint32_t sgpr[KILN_SIM_SGPR_COUNT];
        struct {
            uint32_t s[102];
            uint64_t flat_scratch; // 102
            uint64_t xnack_mask;   // 104
            uint64_t vcc;          // 106
            uint32_t ttmp[16];     // 108
            uint32_t m0;           // 124
            uint32_t reserved;     // 125
            uint64_t exec;         // 126; bit i = lane i
        };
    };
    uint32_t scc;   // 0 or 1
    uint32_t mode;  // the MODE register, KILN_SIM_MODE_*
    uint32_t index; // of the wave in its workgroup
    kiln_sim_stop_t stop;
    bool fast_mfma; // KILN_SIM_MFMA=fast: matrix instructions sum with the host's fused
                    // multiply-adds, not bit-exactly
    const kiln_sim_inst_t *next; // the next instruction; set by the run loop before a handler,
                                 // changed by branches, NULL to stop
    kiln_sim_workgroup_t *group;
    const kiln_sim_inst_t *resume; // while stopped: where to continue
    uint64_t executed;             // instructions so far
    uint64_t slice_end;            // value of `executed` at which the time slice is over
    // The fields below are not for handlers.
    struct kiln_sim_thread *thread; // the host thread that runs this wave: counters and caches
    uint8_t *scratch;      // private memory; lane i's bytes start at scratch + i * scratch_size
    uint64_t scratch_size; // bytes per lane
    uint64_t idle;         // clock cycles in addition to those of its instructions
    const kiln_sim_inst_t *look; // run/read_clock.c: where and when it last read the clock, and how
                                 // often in succession
    uint64_t looked_at, looks, wait_began, waited;
    const kiln_sim_inst_t
        *gws_inst; // while KILN_SIM_STOP_GWS: the instruction, and what it waits for
    uint64_t gws_ticket;
    uint8_t gws_resource;
    bool gws_barrier;
};

// Ends the launch with an error. The message is completed with instruction, address, kernel,
// workgroup and wave. lane < 0: no particular lane. Returns to the caller, which should return at
// once.
void kiln_sim_wave_fault(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, int lane,
                         const char *format, ...) __attribute__((format(printf, 4, 5), cold));

// Executes s_trap with this number: a failed assertion if the kernel has written to stderr.
void kiln_sim_wave_trap(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, unsigned id);

#endif
