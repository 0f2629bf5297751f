// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of gfx942 devices.
#include "sim/port/product.h"

#include <string.h>

static const kiln_sim_product_t products[] = {
#define GFX942_DEVICE(id, name, compute_units, xcds, engine_mhz, matrix_mhz, held_percent,         \
                      memory_mhz, bus_bits, memory_gib, memory_gb_s, integrated, source)           \
    {#id,        name,     compute_units, xcds,         engine_mhz,                                \
     memory_mhz, bus_bits, matrix_mhz,    held_percent, (uint64_t)memory_gib << 30,                \
     integrated},
#include "base/gfx942.def"
};

const kiln_sim_product_t *kiln_sim_product_find(const char *id)
{
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        if (strcmp(id, products[i].id) == 0)
            return &products[i];
    }
    return NULL;
}
