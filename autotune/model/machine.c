// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device of the model: facts from gfx942.def, speeds from the clock's parameters.
#include "model/model.h"

#include <string.h>

typedef struct product {
    const char *name;
    double units, dies, mhz, matrix_mhz, other_matrix_mhz, held_percent, memory_gb_s;
} product_t;

static const product_t products[] = {
#define GFX942_DEVICE(id, name, units, xcds, mhz, matrix_mhz, other_matrix_mhz, held, memory_mhz,  \
                      bits, gib, gb_s, memory_percent, integrated, source)                         \
    {name, units, xcds, mhz, matrix_mhz, other_matrix_mhz, held, gb_s * memory_percent / 100.},
#include "base/gfx942.def"
};

// The row whose name the device's contains; the simulator appends to it. Otherwise the first row of
// as many compute units, or else the first.
static product_t product_of(const kiln_device_properties_t *device)
{
    for (size_t i = 0; device && device->name && i < sizeof products / sizeof *products; i++)
        if (strstr(device->name, products[i].name))
            return products[i];
    for (size_t i = 0; device && i < sizeof products / sizeof *products; i++)
        if (products[i].units == device->compute_units)
            return products[i];
    return products[0];
}

kiln_model_machine_t kiln_model_machine_at(const kiln_model_machine_t *machine, double mhz)
{
    kiln_model_machine_t m = *machine;
    const double ratio = machine->mhz / mhz, ghz = mhz * 1e-3;
    m.mhz = mhz;
    m.fabric_bytes *= ratio;
    m.hbm_bytes *= ratio;
    m.mall_latency = KILN_TIMING_MALL_LATENCY * ghz;
    m.hbm_latency = (KILN_TIMING_HBM_LATENCY + KILN_TIMING_TLB_LATENCY) * ghz;
    return m;
}

// Every die reads its share of the device's bandwidth, and no more than its link allows.
kiln_model_machine_t kiln_model_machine(const kiln_device_properties_t *device)
{
    const product_t product = product_of(device);
    const double ghz = product.mhz * 1e-3, mall = KILN_TIMING_MALL_BANDWIDTH / product.dies;
    const kiln_model_machine_t machine = {
        .mhz = product.mhz,
        .max_mhz = product.mhz,
        .held_percent = product.held_percent,
        .matrix_mhz = product.matrix_mhz,
        .other_matrix_mhz = product.other_matrix_mhz,
        .units = product.units,
        .dies = product.dies,
        .die_units = product.units / product.dies,
        .l2_bytes = KILN_TIMING_L2_READ_BYTES,
        .fabric_bytes = (mall < KILN_TIMING_XCD_LINK ? mall : KILN_TIMING_XCD_LINK) / ghz,
        .hbm_bytes = product.memory_gb_s * KILN_TIMING_HBM_READ_PERCENT / 100 / product.dies / ghz};
    return kiln_model_machine_at(&machine, product.mhz);
}

void kiln_tune_device_dies(const kiln_device_properties_t *device, unsigned *out_dies,
                           unsigned *out_die_units)
{
    const product_t product = product_of(device);
    *out_dies = (unsigned)product.dies;
    *out_die_units = (unsigned)(product.units / product.dies);
}
