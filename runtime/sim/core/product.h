// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device that a machine is: one of those that are gfx942, chosen by the option `device`. They differ in what stands
// here; everything else is a fact of them all (base/gfx942.h).
//
// What a reader gets wrong: memory is what the device has. What the simulator lends is less where the host has less.
#ifndef KILN_SIM_PRODUCT_H
#define KILN_SIM_PRODUCT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct kiln_sim_product {
    const char *id, *name; // "mi300x", "AMD Instinct MI300X"
    int compute_units, xcds;
    int clock_mhz, memory_clock_mhz, memory_bus_bits;
    int matrix_mhz; // that the clock times the matrix units' busy share is limited to; 0: it is not
    uint64_t memory_bytes;
    bool integrated; // shares its memory with a CPU
} kiln_sim_product_t;

// NULL where there is none of that id.
const kiln_sim_product_t *kiln_sim_product_find(const char *id);

#endif
