// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classification of instructions for the wait-state rules.
#ifndef KILN_SIM_CHECK_HAZARD_H
#define KILN_SIM_CHECK_HAZARD_H

#include "check/state.h"

// Fills in the facts that the rules need. The footprint must be complete.
void kiln_sim_check_hazard_fill(check_facts_t *facts, const kiln_sim_inst_t *inst);
void kiln_sim_check_hazard(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                           const check_facts_t *facts);

// check/clause.c
check_clause_t kiln_sim_check_clause_kind(const kiln_sim_inst_t *inst);
void kiln_sim_check_clause(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                           const check_facts_t *facts);

#endif
