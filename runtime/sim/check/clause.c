// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Detects memory instructions that XNACK could not replay.
//
// Consecutive scalar memory instructions issue as one clause, and so do vector ones. With XNACK on,
// the machine restarts a clause after a page fault, so none of its instructions may overwrite a
// register that one of them reads. Any other instruction in between ends the clause; compilers
// insert an s_nop. The rule and its range are LLVM's (GCNHazardRecognizer, soft clauses).
//
// An instruction may overwrite its own address if it is alone in its clause. Code whose ELF flags
// say that it was built for XNACK off is not checked. LLVM also begins a new clause with each store
// after a load in case both have the same address; this is caution, and its absence is not an
// error. LLVM lets loads overwrite registers that a preceding store has read.
#include <string.h>

#include "check/hazard.h"

check_clause_t kiln_sim_check_clause_kind(const kiln_sim_inst_t *inst)
{
    if (inst->row->class_ == KILN_SIM_CLASS_SMEM)
        return CHECK_CLAUSE_SCALAR;
    return inst->row->class_ >= KILN_SIM_CLASS_VMEM_LOAD ? CHECK_CLAUSE_VECTOR : CHECK_CLAUSE_NONE;
}

static bool writes(const check_facts_t *f)
{
    return f->uses->count > 0 && (f->uses->spans[f->uses->count - 1].role & KILN_SIM_WRITES);
}

// A register that `by` writes and `from` reads; KILN_SIM_REGISTERS if there is none.
static unsigned overwritten(const check_facts_t *by, const check_facts_t *from)
{
    for (unsigned i = 0; i < by->uses->count; i++) {
        const kiln_sim_registers_t *w = &by->uses->spans[i];
        for (unsigned k = 0; (w->role & KILN_SIM_WRITES) && k < from->uses->count; k++) {
            const kiln_sim_registers_t *r = &from->uses->spans[k];
            if ((r->role & KILN_SIM_READS) && w->first < r->first + r->count &&
                r->first < w->first + w->count)
                return w->first > r->first ? w->first : r->first;
        }
    }
    return KILN_SIM_REGISTERS;
}

static void report(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                   const kiln_sim_inst_t *before, unsigned number)
{
    char name[24];
    kiln_sim_register_name(number, name, sizeof name);
    kiln_sim_check_found(
        wave, inst, before, -1, KILN_SIM_CHECK_INDEX_HAZARD,
        "%s is both read and overwritten in a clause that XNACK may replay: 1 wait state must be "
        "between the two, but there are 0",
        name);
}

// Whether inst may join the clause, whose instructions are compatible. Otherwise `*number` is the
// conflicting register.
static bool joins(kiln_sim_wave_t *wave, const check_wave_t *w, const check_facts_t *f,
                  unsigned *number)
{
    bool loads = false;
    *number = overwritten(f, f);
    for (unsigned i = 0; i < w->clause_length; i++) {
        const check_facts_t *p = kiln_sim_check_facts(wave->thread, w->clause[i]);
        if (!p)
            continue;
        loads = loads || writes(p);
        if (*number == KILN_SIM_REGISTERS)
            *number = overwritten(p, f);
        if (*number == KILN_SIM_REGISTERS && writes(p))
            *number = overwritten(f, p);
        if (*number == KILN_SIM_REGISTERS && i == 0) // allowed for the first only while it is alone
            *number = overwritten(p, p);
    }
    return !loads || *number == KILN_SIM_REGISTERS;
}

void kiln_sim_check_clause(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                           const check_facts_t *f)
{
    check_wave_t *w = kiln_sim_check_wave(wave);
    if (f->clause != w->clause_kind)
        w->clause_length = 0;
    w->clause_kind = f->clause;
    if (f->clause == CHECK_CLAUSE_NONE || !wave->thread->launch->kernel->object->xnack)
        return;
    unsigned number;
    if (w->clause_length && !joins(wave, w, f, &number)) {
        report(wave, inst, w->clause[w->clause_length - 1], number);
        w->clause_length = 0;
    }
    // LLVM looks back that far only in functions that use accumulation registers.
    unsigned longest =
        wave->thread->launch->kernel->agpr_count ? CHECK_CLAUSE_LENGTH : CHECK_SHORT_CLAUSE;
    if (w->clause_length == longest)
        memmove(w->clause, w->clause + 1, --w->clause_length * sizeof w->clause[0]);
    w->clause[w->clause_length++] = inst;
}
