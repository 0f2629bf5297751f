// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of gfx942 devices.
#include "sim/port/product.h"

#include <string.h>

static const kiln_sim_product_t products[] = {
#define GFX942_DEVICE(id, name, compute_units, xcds, engine_mhz, matrix_mhz, other_matrix_mhz,     \
                      held_percent, memory_mhz, bus_bits, memory_gib, memory_gb_s, memory_percent, \
                      integrated, source)                                                          \
    {#id,          name,           compute_units,                                                  \
     xcds,         engine_mhz,     memory_mhz,                                                     \
     bus_bits,     matrix_mhz,     other_matrix_mhz,                                               \
     held_percent, memory_percent, (uint64_t)memory_gib << 30,                                     \
     integrated},
#include "base/gfx942.def"
};

double kiln_sim_product_pins_gb_s(const kiln_sim_product_t *product)
{
    enum { PIN_BITS_PER_CYCLE = 4, BYTE_BITS = 8 };
    return product->memory_clock_mhz * 1e-3 * PIN_BITS_PER_CYCLE * product->memory_bus_bits /
           BYTE_BITS;
}

double kiln_sim_product_memory_gb_s(const kiln_sim_product_t *product)
{
    return kiln_sim_product_pins_gb_s(product) * product->memory_percent / 100;
}

const kiln_sim_product_t *kiln_sim_product_find(const char *id)
{
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        if (strcmp(id, products[i].id) == 0)
            return &products[i];
    }
    return NULL;
}
