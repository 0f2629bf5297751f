// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gfx942 device that a machine simulates, selected by the option `device`. The devices differ
// only in these fields; facts common to all of them are in base/gfx942.h.
//
// memory_bytes is the memory of the real device. The simulator provides less if the host has less.
#ifndef KILN_SIM_PORT_PRODUCT_H
#define KILN_SIM_PORT_PRODUCT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct kiln_sim_product {
    const char *id, *name; // "mi300x", "AMD Instinct MI300X"
    int compute_units, xcds;
    int clock_mhz, memory_clock_mhz, memory_bus_bits;
    // Matrix instructions on floats of 8 and 16 bits, and others, start no faster than at this
    // clock; 0: no limit.
    int matrix_mhz, other_matrix_mhz;
    int held_percent;   // clock at the power limit, relative to MI300X's under the same work
    int memory_percent; // share of the pins' bandwidth that streams reach, relative to MI300X
    uint64_t memory_bytes;
    bool integrated; // shares its memory with a CPU
} kiln_sim_product_t;

// NULL if there is no device with this id.
const kiln_sim_product_t *kiln_sim_product_find(const char *id);
// Bandwidth of the memory's pins, in GB/s.
double kiln_sim_product_pins_gb_s(const kiln_sim_product_t *product);
// The same, for a device whose streams reach less of it than MI300X's less in proportion. The
// parameters HBM_READ_PERCENT and HBM_WRITE_PERCENT are of this.
double kiln_sim_product_memory_gb_s(const kiln_sim_product_t *product);

#endif
