// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check_hazard.h"

void kiln_sim_check_hazard_kinds(check_footprint_t *footprint, const kiln_sim_inst_t *inst)
{
    footprint->passes = (uint8_t)(inst->row->class_ == KILN_SIM_CLASS_MFMA ? inst->row->cycles / 4 : 0);
}
