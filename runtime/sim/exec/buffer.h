// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addressing through a buffer resource, shared by MUBUF and the format instructions.
#ifndef KILN_SIM_BUFFER_H
#define KILN_SIM_BUFFER_H

#include "exec/access.h"

// A V#, unpacked.
typedef struct kiln_sim_buffer {
    uint64_t base;
    uint32_t stride, records, index_stride;
    uint32_t alignment; // alignment forced on addresses: 1, except for formats
    bool swizzle, add_tid;
    const uint8_t *format; // of a converting access: bits of the four components; else NULL
    uint32_t data_format, num_format, select;
} kiln_sim_buffer_t;

typedef struct kiln_sim_buffer_lanes {
    kiln_sim_lanes_t lanes;
    uint64_t outside;                     // active lanes that are entirely out of range
    uint64_t partial;                     // lanes of which only some dwords are in range
    uint8_t dwords[KILN_GFX942_LANES];    // of partial lanes: the number of dwords in range
    uint32_t stage[KILN_GFX942_LANES][4]; // of partial loads: the bytes, padded with zeros
} kiln_sim_buffer_lanes_t;

kiln_sim_buffer_t KILN_SIM_V(kiln_sim_buffer_read)(const kiln_sim_wave_t *wave,
                                                   const kiln_sim_inst_t *inst);
// Finds the checked host addresses of the active lanes. For loads, lanes out of range read zeros.
// For stores, they are removed from lanes.mask, as are partial ones. False after a fault.
bool KILN_SIM_V(kiln_sim_buffer_lanes)(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                                       const kiln_sim_buffer_t *buffer, kiln_sim_access_t access,
                                       unsigned bytes, kiln_sim_buffer_lanes_t *lanes);

// Runs a one-dword load whose data goes to LDS instead of registers.
void KILN_SIM_V(kiln_sim_buffer_to_lds)(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                                        kiln_sim_handler_t load);

#endif
