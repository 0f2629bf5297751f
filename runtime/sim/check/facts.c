// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the checks know of an instruction beyond its registers.
//
// What a reader gets wrong: facts are filled when an instruction is first executed under a check, by each host thread for
// itself: they look at the code around it, which is not there yet when it is decoded.
#include <stdlib.h>

#include "check/hazard.h"

static bool starts(const kiln_sim_inst_t *inst, const char *prefix)
{
    return strncmp(inst->row->name, prefix, strlen(prefix)) == 0;
}

static bool touches_memory(const kiln_sim_inst_t *inst)
{
    return inst->row->class_ == KILN_SIM_CLASS_SMEM || inst->row->class_ >= KILN_SIM_CLASS_LDS;
}

// A short loop around the instruction that touches no other memory: it waits for another wave.
static bool is_polled(const kiln_sim_inst_t *inst)
{
    const kiln_sim_inst_t *target = NULL, *i = inst->next;
    for (unsigned steps = 0; i && steps < 16 && !touches_memory(i) && !starts(i, "s_barrier"); steps++, i = i->next) {
        if ((i->row->flags & KILN_SIM_ROW_BRANCHES) && i->target && i->target->address <= inst->address) {
            target = i->target;
            break;
        }
    }
    for (i = target; i && i != inst && !touches_memory(i) && i->address < inst->address;)
        i = i->next;
    return i == inst;
}

void kiln_sim_check_facts_fill(check_facts_t *f, const kiln_sim_inst_t *inst, const kiln_sim_footprint_t *uses)
{
    *f = (check_facts_t){.known = true, .uses = uses};
    f->clause = (uint8_t)kiln_sim_check_clause_kind(inst);
    f->is_gws = starts(inst, "ds_gws_");
    f->spins = touches_memory(inst) && inst->dst.kind != KILN_SIM_OP_NONE && is_polled(inst);
    kiln_sim_check_undefined_fill(f, inst);
    kiln_sim_check_hazard_fill(f, inst);
}

check_facts_t *kiln_sim_check_facts_anew(struct kiln_sim_thread_checks *c, const kiln_sim_inst_t *inst)
{
    if (inst->index >= c->fact_count) {
        size_t count = inst->index + inst->index / 2 + 64;
        check_facts_t *facts = realloc(c->facts, count * sizeof *facts);
        if (!facts)
            return NULL;
        memset(facts + c->fact_count, 0, (count - c->fact_count) * sizeof *facts);
        c->facts = facts;
        c->fact_count = count;
    }
    kiln_sim_check_facts_fill(&c->facts[inst->index], inst, inst->footprint);
    return &c->facts[inst->index];
}
