// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entry points of kiln/sim.h: contents of device memory that are made when something needs them
// (sim/port/memory.h).
#include "hip_sim/entry.h"

static kiln_sim_device_t *owner_of(const void *base, const kiln_sim_allocation_t **out_found)
{
    kiln_sim_device_t *device = base ? kiln_sim_device_of(base, out_found) : NULL;
    return device && (*out_found)->base == (uint64_t)(uintptr_t)base ? device : NULL;
}

int kilnSimFillLater(void *base, const kiln_sim_contents_t *contents)
{
    const kiln_sim_allocation_t *found;
    kiln_sim_error_t error = {0};
    kiln_sim_device_t *device = owner_of(base, &found);
    if (!contents || contents->struct_size < sizeof *contents || !contents->fill)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, "expected contents with `fill`");
    if (!device)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE,
                                 "the address is not the start of device memory");
    return kiln_sim_memory_fill_later(device->memory, base, contents, &error)
               ? 0
               : kiln_sim_hip_error(&error);
}

int kilnSimIsUnfilled(const void *base, bool *out_unfilled)
{
    const kiln_sim_allocation_t *found;
    if (!out_unfilled || !owner_of(base, &found))
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE,
                                 "the address is not the start of device memory");
    *out_unfilled = kiln_sim_memory_is_unfilled(found);
    return 0;
}
