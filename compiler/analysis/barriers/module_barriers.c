// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the analyses that find missing barriers; see module_barriers.h.
#include "analysis/barriers/module_barriers.h"

#include "analysis/waves/waves.h"

kiln_status_t kiln_module_barriers_create(MlirModule module, kiln_module_barriers_t *out)
{
    int waves, skew = 0;
    *out = (kiln_module_barriers_t){0};
    KILN_TRY(kiln_waves_of_module(module, &waves));
    kiln_status_t status = kiln_uniformity_create(module, waves, &out->uniformity);
    if (!status)
        status = kiln_waves_skew(module, out->uniformity, &skew);
    if (!status)
        status = kiln_allocation_create(module, waves, &out->allocation);
    if (!status)
        status = kiln_allocation_read_offsets(out->allocation);
    if (!status)
        status = kiln_global_accesses_create(module, waves, &out->accesses);
    out->rounds = skew + 1;
    if (!status)
        status = kiln_membar_create(module, out->allocation, out->accesses, out->uniformity,
                                    out->rounds, &out->membar);
    if (status)
        kiln_module_barriers_destroy(out);
    return status;
}

void kiln_module_barriers_destroy(kiln_module_barriers_t *barriers)
{
    if (barriers->membar)
        kiln_membar_destroy(barriers->membar);
    kiln_global_accesses_destroy(barriers->accesses);
    kiln_allocation_destroy(barriers->allocation);
    kiln_uniformity_destroy(barriers->uniformity);
    *barriers = (kiln_module_barriers_t){0};
}
