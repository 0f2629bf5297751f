// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes slices (decode/slice.h): two data flow analyses over the decoded instructions, a forward
// one for registers that hold all lanes and a backward one for needed registers.
#include "decode/slice.h"

#include <stdlib.h>

#include "decode/inst.h"

enum { WORDS = (KILN_SIM_REGISTERS + 63) / 64, EXEC = KILN_SIM_FIRST_SGPR + KILN_SIM_SGPR_EXEC };

typedef struct set {
    uint64_t words[WORDS];
} set_t;

// Memories from which a needed value is loaded.
enum { MEMORY = 1, LDS = 2, SCRATCH = 4 };

typedef struct state {
    const kiln_sim_program_t *program;
    size_t count;
    uint8_t *actions;
    set_t *need; // before each instruction
    set_t *full; // before each instruction: scalar registers that hold all lanes. If EXEC is one of
                 // them, all lanes are active
    bool *full_set; // whether `full` has been computed
    unsigned live;  // MEMORY, …
    bool changed;
} state_t;

static bool has(const set_t *set, unsigned r)
{
    return set->words[r / 64] >> r % 64 & 1;
}

static void put(set_t *set, unsigned r, bool in)
{
    const uint64_t bit = 1ull << r % 64;
    set->words[r / 64] = in ? set->words[r / 64] | bit : set->words[r / 64] & ~bit;
}

static bool is_memory(const kiln_sim_inst_t *inst)
{
    return inst->row->class_ == KILN_SIM_CLASS_LDS || inst->row->class_ >= KILN_SIM_CLASS_VMEM_LOAD;
}

// The analysis cannot follow registers and branch targets that the program computes.
static bool is_opaque(const kiln_sim_inst_t *inst)
{
    static const char *const names[] = {"s_setpc",  "s_swappc",      "s_call",  "s_rfe",
                                        "s_movrel", "s_set_gpr_idx", "s_setreg"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (kiln_sim_inst_starts(inst, names[i]))
            return true;
    }
    return false;
}

// ---- where all lanes are active

static bool holds_all(const set_t *full, const kiln_sim_operand_t *op)
{
    if (op->kind == KILN_SIM_OP_CONST)
        return op->value == UINT64_MAX; // -1
    return op->kind == KILN_SIM_OP_SGPR && has(full, KILN_SIM_FIRST_SGPR + op->reg);
}

static void flow_full(const kiln_sim_inst_t *inst, set_t *full)
{
    const bool copies = kiln_sim_inst_starts(inst, "s_mov_b64") && holds_all(full, &inst->src[0]);
    const bool saves = strstr(inst->row->name, "saveexec") && has(full, EXEC);
    const bool joins = kiln_sim_inst_starts(inst, "s_or_b64") &&
                       (holds_all(full, &inst->src[0]) || holds_all(full, &inst->src[1]));
    const bool stays = kiln_sim_inst_starts(inst, "s_or_saveexec") && has(full, EXEC);
    for (unsigned i = 0; i < inst->footprint->count; i++) {
        const kiln_sim_registers_t *span = &inst->footprint->spans[i];
        for (unsigned r = span->first;
             span->role & KILN_SIM_WRITES && r < span->first + span->count; r++) {
            if (r >= KILN_SIM_FIRST_SGPR) // a pair is represented by its first register
                put(full, r - (r & 1), false);
        }
    }
    if ((copies || saves || joins) && inst->dst.kind == KILN_SIM_OP_SGPR)
        put(full, KILN_SIM_FIRST_SGPR + inst->dst.reg, true);
    if (stays)
        put(full, EXEC, true);
}

static void meet(state_t *s, const kiln_sim_inst_t *next, const set_t *full)
{
    if (!next)
        return;
    set_t *to = &s->full[next->index];
    if (!s->full_set[next->index]) {
        *to = *full;
        s->full_set[next->index] = s->changed = true;
        return;
    }
    for (unsigned i = 0; i < WORDS; i++) {
        const uint64_t both = to->words[i] & full->words[i];
        s->changed |= both != to->words[i];
        to->words[i] = both;
    }
}

static bool ends(const kiln_sim_inst_t *inst)
{
    return kiln_sim_inst_starts(inst, "s_endpgm") || strcmp(inst->row->name, "s_branch") == 0;
}

static void find_full(state_t *s, const kiln_sim_inst_t *entry)
{
    set_t full = {0};
    put(&full, EXEC, true); // lanes that are inactive at the start never become active
    s->changed = false;
    meet(s, entry, &full);
    while (s->changed) {
        s->changed = false;
        for (size_t i = 0; i < s->count; i++) {
            const kiln_sim_inst_t *inst = kiln_sim_program_inst(s->program, i);
            if (!s->full_set[i])
                continue;
            full = s->full[i];
            flow_full(inst, &full);
            meet(s, inst->target, &full);
            if (!ends(inst))
                meet(s, inst->next, &full);
        }
    }
}

// ---- need

static unsigned space_of(const kiln_sim_inst_t *inst)
{
    if (inst->row->class_ == KILN_SIM_CLASS_LDS)
        return LDS;
    if (inst->format != KILN_SIM_FLAT)
        return MEMORY;
    return inst->flags & KILN_SIM_INST_GLOBAL    ? MEMORY
           : inst->flags & KILN_SIM_INST_SCRATCH ? SCRATCH
                                                 : MEMORY | LDS | SCRATCH;
}

static bool writes_needed(const kiln_sim_inst_t *inst, const set_t *need)
{
    for (unsigned i = 0; i < inst->footprint->count; i++) {
        const kiln_sim_registers_t *span = &inst->footprint->spans[i];
        for (unsigned r = span->first;
             span->role & KILN_SIM_WRITES && r < span->first + span->count; r++) {
            if (has(need, r) || r == EXEC || r == EXEC + 1)
                return true;
        }
    }
    return false;
}

static kiln_sim_slice_action_t act(state_t *s, const kiln_sim_inst_t *inst, const set_t *need)
{
    if (inst->row->class_ == KILN_SIM_CLASS_MFMA)
        return KILN_SIM_SLICE_SKIPS;
    const bool needed = writes_needed(inst, need);
    if (inst->row->class_ == KILN_SIM_CLASS_VALU || inst->row->class_ == KILN_SIM_CLASS_TRANS)
        return needed ? KILN_SIM_SLICE_RUNS : KILN_SIM_SLICE_SKIPS;
    if (!is_memory(inst))
        return KILN_SIM_SLICE_RUNS;
    if (inst->footprint->crossbar)
        return needed ? KILN_SIM_SLICE_RUNS : KILN_SIM_SLICE_SKIPS;
    const bool atomic = inst->row->class_ == KILN_SIM_CLASS_VMEM_ATOMIC;
    if (needed || atomic)
        s->live |= space_of(inst);
    const bool stores = !needed && (inst->row->class_ == KILN_SIM_CLASS_VMEM_STORE ||
                                    inst->row->class_ == KILN_SIM_CLASS_LDS);
    const bool fills = kiln_sim_inst_to_lds(inst) && s->live & LDS;
    return needed || atomic || fills || (stores && s->live & space_of(inst))
               ? KILN_SIM_SLICE_RUNS
               : KILN_SIM_SLICE_MOVES_NOTHING;
}

static void flow_need(state_t *s, const kiln_sim_inst_t *inst, set_t *need)
{
    const kiln_sim_slice_action_t action = act(s, inst, need);
    s->actions[inst->index] = (uint8_t)action;
    if (action == KILN_SIM_SLICE_SKIPS)
        return;
    const bool all_lanes = s->full_set[inst->index] && has(&s->full[inst->index], EXEC);
    const kiln_sim_footprint_t *f = inst->footprint;
    for (unsigned i = 0; i < f->count; i++) {
        const bool scalar = f->spans[i].first >= KILN_SIM_FIRST_SGPR;
        const bool kills = action == KILN_SIM_SLICE_RUNS && f->spans[i].role & KILN_SIM_WRITES &&
                           (scalar || (all_lanes && !f->partial));
        for (unsigned r = f->spans[i].first; kills && r < f->spans[i].first + f->spans[i].count;
             r++)
            put(need, r, false);
    }
    const unsigned reads = action == KILN_SIM_SLICE_RUNS ? KILN_SIM_READS : KILN_SIM_READS_ADDRESS;
    for (unsigned i = 0; i < f->count; i++) {
        for (unsigned r = f->spans[i].first;
             f->spans[i].role & reads && r < f->spans[i].first + f->spans[i].count; r++)
            put(need, r, true);
    }
}

static void add_need(set_t *to, const state_t *s, const kiln_sim_inst_t *from)
{
    for (unsigned i = 0; from && i < WORDS; i++)
        to->words[i] |= s->need[from->index].words[i];
}

static void find_need(state_t *s)
{
    for (s->changed = true; s->changed;) {
        s->changed = false;
        for (size_t i = s->count; i-- > 0;) {
            const kiln_sim_inst_t *inst = kiln_sim_program_inst(s->program, i);
            const unsigned live = s->live;
            set_t need = {0};
            add_need(&need, s, inst->target);
            if (!ends(inst))
                add_need(&need, s, inst->next);
            flow_need(s, inst, &need);
            s->changed |= s->live != live;
            for (unsigned w = 0; w < WORDS; w++) {
                // This terminates because need only grows.
                s->changed |= (need.words[w] & ~s->need[i].words[w]) != 0;
                s->need[i].words[w] |= need.words[w];
            }
        }
    }
}

// ---- the whole slice

static void run_all(state_t *s)
{
    for (size_t i = 0; i < s->count; i++) {
        const bool matrix =
            kiln_sim_program_inst(s->program, i)->row->class_ == KILN_SIM_CLASS_MFMA;
        s->actions[i] = matrix ? KILN_SIM_SLICE_SKIPS : KILN_SIM_SLICE_RUNS;
    }
}

static bool is_lean(const state_t *s, const kiln_sim_inst_t *inst)
{
    const uint8_t action = s->actions[inst->index];
    return action == KILN_SIM_SLICE_SKIPS ||
           (action == KILN_SIM_SLICE_MOVES_NOTHING && inst->row->class_ == KILN_SIM_CLASS_LDS);
}

// Whether it reads the clock. The trip count of a loop that waits for a time depends on the number
// of instructions executed in each iteration, so none may be skipped.
static bool reads_clock(const kiln_sim_inst_t *inst)
{
    return kiln_sim_inst_starts(inst, "s_memtime") || kiln_sim_inst_starts(inst, "s_memrealtime");
}

// Whether its effect is visible outside its workgroup.
static bool is_seen(const state_t *s, const kiln_sim_inst_t *inst)
{
    const kiln_sim_class_t class_ = inst->row->class_;
    const bool stores = class_ == KILN_SIM_CLASS_VMEM_STORE || class_ == KILN_SIM_CLASS_VMEM_ATOMIC;
    return s->actions[inst->index] == KILN_SIM_SLICE_RUNS &&
           (stores || kiln_sim_inst_starts(inst, "ds_gws"));
}

bool kiln_sim_slice_make(kiln_sim_slice_t *slice, const kiln_sim_program_t *program,
                         const kiln_sim_inst_t *entry)
{
    const size_t count = kiln_sim_program_count(program);
    state_t s = {.program = program, .count = count};
    s.actions = calloc(count, sizeof *s.actions);
    s.need = calloc(count, sizeof *s.need);
    s.full = calloc(count, sizeof *s.full);
    s.full_set = calloc(count, sizeof *s.full_set);
    *slice = (kiln_sim_slice_t){
        .actions = s.actions, .lean = calloc(count, sizeof *slice->lean), .count = count};
    const bool good = s.actions && s.need && s.full && s.full_set && slice->lean;
    bool opaque = false, timed = false;
    for (size_t i = 0; good && i < count; i++) {
        opaque = opaque || is_opaque(kiln_sim_program_inst(program, i));
        timed = timed || reads_clock(kiln_sim_program_inst(program, i));
    }
    if (good && opaque)
        run_all(&s);
    if (good && !opaque) {
        find_full(&s, entry);
        find_need(&s);
    }
    slice->repeatable = !opaque && !timed;
    for (size_t i = 0; good && i < count; i++) {
        const kiln_sim_inst_t *inst = kiln_sim_program_inst(program, i);
        slice->repeatable = slice->repeatable && !is_seen(&s, inst);
        while (!opaque && !timed && inst && inst->next && is_lean(&s, inst))
            inst = inst->next;
        slice->lean[i] = inst;
    }
    free(s.need);
    free(s.full);
    free(s.full_set);
    if (!good)
        kiln_sim_slice_free(slice);
    return good;
}

void kiln_sim_slice_free(kiln_sim_slice_t *slice)
{
    free(slice->actions);
    free(slice->lean);
    *slice = (kiln_sim_slice_t){0};
}
