// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts about instructions that checks need, beyond their registers.
//
// Facts are computed per host thread when an instruction is first executed under a check, not when
// it is decoded: they depend on the surrounding code, which may not be decoded yet at that time.
#include <stdlib.h>

#include "base/array.h"
#include "check/hazard.h"

static bool touches_memory(const kiln_sim_inst_t *inst)
{
    return inst->row->class_ == KILN_SIM_CLASS_SMEM || inst->row->class_ >= KILN_SIM_CLASS_LDS;
}

// Whether a short loop that accesses no other memory contains the instruction: it polls for another
// wave.
static bool is_polled(const kiln_sim_inst_t *inst)
{
    const kiln_sim_inst_t *target = NULL, *i = inst->next;
    for (unsigned steps = 0;
         i && steps < 16 && !touches_memory(i) && !kiln_sim_inst_starts(i, "s_barrier");
         steps++, i = i->next) {
        if ((i->row->flags & KILN_SIM_ROW_BRANCHES) && i->target &&
            i->target->address <= inst->address) {
            target = i->target;
            break;
        }
    }
    for (i = target; i && i != inst && !touches_memory(i) && i->address < inst->address;)
        i = i->next;
    return i == inst;
}

void kiln_sim_check_facts_fill(check_facts_t *f, const kiln_sim_inst_t *inst,
                               const kiln_sim_footprint_t *uses)
{
    *f = (check_facts_t){.known = true, .uses = uses};
    f->clause = (uint8_t)kiln_sim_check_clause_kind(inst);
    f->is_gws = kiln_sim_inst_starts(inst, "ds_gws_");
    f->spins = touches_memory(inst) && inst->dst.kind != KILN_SIM_OP_NONE && is_polled(inst);
    kiln_sim_check_undefined_fill(f, inst);
    kiln_sim_check_hazard_fill(f, inst);
}

check_facts_t *kiln_sim_check_facts_recompute(struct kiln_sim_thread_checks *c,
                                              const kiln_sim_inst_t *inst)
{
    if (inst->index >= c->fact_count) {
        const size_t old = c->fact_count;
        if (!KILN_ARRAY_RESERVE(&c->facts, &c->fact_count, (size_t)inst->index + 1))
            return NULL;
        memset(c->facts + old, 0, (c->fact_count - old) * sizeof *c->facts);
    }
    kiln_sim_check_facts_fill(&c->facts[inst->index], inst, inst->footprint);
    return &c->facts[inst->index];
}
