// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Detects loops that only wait (run/spin.h), and lets host threads agree that no other work is
// left.
//
// A register moves if its value may differ from one iteration to the next. A register that the loop
// writes moves if it is computed from registers that moved in the previous iteration; loads count
// as constants. Iterating this, fewer registers move each time, until none is left or the loop is a
// counter, which is computed from itself. Masks that only gain or only lose lanes reach a fixed
// point. Endless loops are found in the same way, but there loads, EXEC and SCC move like
// everything else, and only what branches test must reach a fixed point.
//
// Threads are not in lockstep. Any round in which a thread's waves did more than spin counts as
// news, and all threads restart their count after the latest news.
#include <string.h>

#include "run/spin.h"

enum { ROUNDS = 8, ENDLESS_ROUNDS = 256, READY_BITS = 16 };

// ---- loops

static bool has(const kiln_sim_inst_t *inst, const char *part)
{
    return strstr(inst->row->name, part) != NULL;
}

typedef enum access { NOTHING, POLLS, ADDS, CHANGES } access_t;

// The effect on memory of executing an instruction repeatedly with the same data.
static access_t access_of(const kiln_sim_inst_t *inst, const kiln_sim_footprint_t *f)
{
    static const char *const settling[] = {"swap", "xchg", "cmpst", "_or", "_and", "max", "min"};
    static const char *const adding[] = {"add", "sub", "xor"};
    bool memory =
        inst->row->class_ == KILN_SIM_CLASS_SMEM || inst->row->class_ >= KILN_SIM_CLASS_LDS;
    if (!memory || f->crossbar)
        return NOTHING;
    if (inst->dst.kind == KILN_SIM_OP_NONE)
        return kiln_sim_inst_starts(inst, "s_dcache_inv") ||
                       kiln_sim_inst_starts(inst, "buffer_wbl2")
                   ? NOTHING
                   : CHANGES;
    if (inst->src[0].kind == KILN_SIM_OP_NONE && inst->format == KILN_SIM_SMEM)
        return CHANGES; // the clock
    if (inst->row->class_ == KILN_SIM_CLASS_VMEM_LOAD || has(inst, "load") ||
        kiln_sim_inst_starts(inst, "ds_read"))
        return POLLS;
    for (size_t i = 0; i < sizeof settling / sizeof settling[0]; i++) {
        if (has(inst, settling[i]))
            return POLLS;
    }
    for (size_t i = 0; i < sizeof adding / sizeof adding[0]; i++) {
        if (has(inst, adding[i]))
            return inst->format == KILN_SIM_SMEM ? CHANGES : ADDS;
    }
    return CHANGES;
}

// Whether such a loop may contain this instruction, which does not access memory.
static bool may_be_in_loop(const kiln_sim_inst_t *inst)
{
    static const char *const harmless[] = {"s_nop",     "s_waitcnt",  "s_sleep",
                                           "s_setprio", "buffer_inv", "buffer_wb"};
    if (inst->row->class_ == KILN_SIM_CLASS_BRANCH)
        return (inst->row->flags & KILN_SIM_ROW_BRANCHES) && inst->target;
    if (inst->row->class_ != KILN_SIM_CLASS_SYNC)
        return true;
    for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++) {
        if (kiln_sim_inst_starts(inst, harmless[i]))
            return true;
    }
    return false;
}

// Operations that reach a fixed point when a result is computed from itself.
static bool settles(const kiln_sim_inst_t *inst)
{
    return kiln_sim_inst_starts(inst, "s_or_b") || kiln_sim_inst_starts(inst, "s_and_b") ||
           kiln_sim_inst_starts(inst, "s_andn2_b");
}

static bool overlap(const kiln_sim_registers_t *a, const kiln_sim_registers_t *b)
{
    return a->first < b->first + b->count && b->first < a->first + a->count;
}

// Whether an instruction reads a register that moves. Its own destination counts only if it does
// not reach a fixed point.
static bool reads_moving(const kiln_sim_inst_t *inst, const kiln_sim_footprint_t *f,
                         const bool *moving)
{
    for (unsigned i = 0; i < f->count; i++) {
        const kiln_sim_registers_t *span = &f->spans[i];
        bool own = false;
        for (unsigned k = 0; k < f->count && settles(inst); k++)
            own = own || ((f->spans[k].role & KILN_SIM_WRITES) && overlap(span, &f->spans[k]));
        for (unsigned k = span->first;
             (span->role & KILN_SIM_READS) && !own && k < (unsigned)span->first + span->count;
             k++) {
            if (moving[k])
                return true;
        }
    }
    return false;
}

// One iteration: updates `moving` to the registers that are written by instructions that read
// moving ones, and returns their number. EXEC is never moving: it cannot count, and it may be
// periodic if lanes elect one of them to act for all.
static unsigned run_waiting(const kiln_sim_inst_t *const *body, unsigned length,
                            const uint8_t *writers, bool *moving)
{
    unsigned count = 0;
    uint64_t skipped = 0; // possibly, by a branch: instructions below this address
    for (unsigned n = 0; n < length; n++) {
        const bool moves = reads_moving(body[n], body[n]->footprint, moving);
        for (unsigned i = 0; i < body[n]->footprint->count; i++) {
            const kiln_sim_registers_t *span = &body[n]->footprint->spans[i];
            if (!(span->role & KILN_SIM_WRITES) ||
                span->first >= KILN_SIM_FIRST_SGPR + KILN_SIM_SGPR_EXEC)
                continue;
            for (unsigned k = span->first; k < (unsigned)span->first + span->count; k++)
                moving[k] = moves || (moving[k] && body[n]->address < skipped && writers[k] > 1);
        }
        if (body[n]->row->class_ != KILN_SIM_CLASS_BRANCH || n + 1 == length)
            continue;
        const uint64_t target = body[n]->target->address;
        if (target < body[0]->address || target > body[length - 1]->address)
            continue; // leaves the loop
        if (target <= body[n]->address)
            skipped = UINT64_MAX;
        else if (target > skipped)
            skipped = target;
    }
    for (unsigned k = 0; k < KILN_SIM_REGISTERS; k++)
        count += moving[k];
    return count;
}

// Whether the loop sets a register to zero and writes nothing else to it.
static bool is_zeroed(const kiln_sim_inst_t *const *body, unsigned length,
                      const kiln_sim_operand_t *op)
{
    const kiln_sim_registers_t span = {.first = op->reg, .count = op->dwords};
    bool zeroed = false;
    for (unsigned n = 0; n < length; n++) {
        for (unsigned i = 0; i < body[n]->footprint->count; i++) {
            if (!(body[n]->footprint->spans[i].role & KILN_SIM_WRITES) ||
                !overlap(&body[n]->footprint->spans[i], &span))
                continue;
            const kiln_sim_operand_t *from = &body[n]->src[0];
            if (!kiln_sim_inst_starts(body[n], "v_mov_b32") || op->dwords != 1 ||
                from->kind != KILN_SIM_OP_CONST || from->value != 0)
                return false;
            zeroed = true;
        }
    }
    return zeroed;
}

static bool only_waits(kiln_sim_spin_t *spin)
{
    const kiln_sim_inst_t *body[KILN_SIM_SPIN_LENGTH];
    bool moving[KILN_SIM_REGISTERS] = {false}, polls = false;
    uint8_t writers[KILN_SIM_REGISTERS] = {0};
    unsigned length = 0, adds = 0;
    spin->adds[0] = spin->adds[1] = NULL;
    for (const kiln_sim_inst_t *i = spin->first;; i = i->next) {
        if (!i || length == KILN_SIM_SPIN_LENGTH || !may_be_in_loop(i))
            return false;
        access_t access = access_of(i, i->footprint);
        if (access == CHANGES || (access == ADDS && adds == 2))
            return false;
        if (access == ADDS)
            spin->adds[adds++] = i;
        polls = polls || access != NOTHING;
        body[length++] = i;
        if (i == spin->last)
            break;
    }
    unsigned count = 0, less;
    for (unsigned n = 0; n < length; n++) {
        for (unsigned i = 0; i < body[n]->footprint->count; i++) {
            const kiln_sim_registers_t *span = &body[n]->footprint->spans[i];
            for (unsigned k = 0; (span->role & KILN_SIM_WRITES) && k < span->count; k++) {
                moving[span->first + k] = span->first < KILN_SIM_FIRST_SGPR + KILN_SIM_SGPR_EXEC;
                writers[span->first + k]++;
            }
        }
    }
    for (count = KILN_SIM_REGISTERS; (less = run_waiting(body, length, writers, moving)) < count;)
        count = less;
    for (unsigned a = adds; a-- > 0;) {
        if (is_zeroed(body, length, &spin->adds[a]->src[1])) {
            spin->adds[a] = spin->adds[adds - 1];
            spin->adds[--adds] = NULL;
        }
    }
    return polls && count == 0;
}

// ---- endless loops

static bool is_scalar(const kiln_sim_inst_t *inst)
{
    return inst->format <= KILN_SIM_SOPK;
}

// Whether a result depends on more than registers.
static bool comes_from_outside(const kiln_sim_inst_t *inst, const kiln_sim_footprint_t *f)
{
    return access_of(inst, f) != NOTHING || kiln_sim_inst_starts(inst, "s_getreg");
}

static bool reads_scc(const kiln_sim_inst_t *inst)
{
    return kiln_sim_inst_starts(inst, "s_cselect") || kiln_sim_inst_starts(inst, "s_cmov") ||
           kiln_sim_inst_starts(inst, "s_addc") || kiln_sim_inst_starts(inst, "s_subb");
}

static bool pair_moves(const bool *moving, unsigned first)
{
    return moving[KILN_SIM_FIRST_SGPR + first] || moving[KILN_SIM_FIRST_SGPR + first + 1];
}

static bool condition_moves(const kiln_sim_inst_t *branch, const bool *moving, bool scc)
{
    if (has(branch, "_scc"))
        return scc;
    if (has(branch, "_vcc"))
        return pair_moves(moving, KILN_SIM_SGPR_VCC);
    if (has(branch, "_exec"))
        return pair_moves(moving, KILN_SIM_SGPR_EXEC);
    return kiln_sim_inst_starts(branch, "s_cbranch");
}

// One iteration. Returns the number of registers that move afterwards; *leaves: whether a branch
// depends on one of them.
static unsigned run_iteration(const kiln_sim_inst_t *const *body, unsigned length, bool *moving,
                              bool *leaves)
{
    unsigned count = 0;
    uint64_t skipped = 0; // possibly, by a branch: instructions below this address
    bool scc = true;
    *leaves = false;
    for (unsigned n = 0; n < length; n++) {
        const bool is_certain = body[n]->address >= skipped;
        if (body[n]->row->class_ == KILN_SIM_CLASS_BRANCH) {
            const uint64_t target = body[n]->target->address;
            *leaves = *leaves || condition_moves(body[n], moving, scc);
            skipped = target <= body[n]->address && n + 1 < length ? UINT64_MAX
                      : target > skipped                           ? target
                                                                   : skipped;
            continue;
        }
        const bool by_exec = !is_scalar(body[n]) && pair_moves(moving, KILN_SIM_SGPR_EXEC);
        const bool moves = by_exec || (scc && reads_scc(body[n])) ||
                           comes_from_outside(body[n], body[n]->footprint) ||
                           reads_moving(body[n], body[n]->footprint, moving);
        if (is_scalar(body[n]))
            scc = moves || (scc && !(is_certain && kiln_sim_inst_starts(body[n], "s_cmp")));
        for (unsigned i = 0; i < body[n]->footprint->count; i++) {
            const kiln_sim_registers_t *span = &body[n]->footprint->spans[i];
            for (unsigned k = span->first;
                 (span->role & KILN_SIM_WRITES) && k < (unsigned)span->first + span->count; k++)
                moving[k] = moves || (moving[k] && !is_certain);
        }
    }
    for (unsigned k = 0; k < KILN_SIM_REGISTERS; k++)
        count += moving[k];
    return count;
}

static bool is_endless(const kiln_sim_spin_t *spin)
{
    const kiln_sim_inst_t *body[KILN_SIM_SPIN_LENGTH];
    bool moving[KILN_SIM_REGISTERS] = {false}, leaves;
    unsigned length = 0;
    for (const kiln_sim_inst_t *i = spin->first;; i = i->next) {
        if (!i || length == KILN_SIM_SPIN_LENGTH || !may_be_in_loop(i))
            return false;
        const kiln_sim_footprint_t *f = i->footprint;
        if (has(i, "movrel") ||
            (kiln_sim_inst_starts(i, "s_set") &&
             !kiln_sim_inst_starts(i, "s_setprio"))) // registers that M0 selects, MODE
            return false;
        for (unsigned s = 0; s < f->count; s++) {
            for (unsigned k = 0; (f->spans[s].role & KILN_SIM_WRITES) && k < f->spans[s].count; k++)
                moving[f->spans[s].first + k] = true;
        }
        body[length++] = i;
        if (i == spin->last)
            break;
    }
    unsigned count = KILN_SIM_REGISTERS, less;
    while ((less = run_iteration(body, length, moving, &leaves)) < count)
        count = less;
    return !leaves;
}

// Fills *spin for spin->at: the largest of the enclosing loops that only waits or is endless.
static void find_loop(kiln_sim_spin_t *spin)
{
    const kiln_sim_inst_t *ends[8];
    unsigned count = 0, steps = 0;
    for (const kiln_sim_inst_t *i = spin->at; i && steps < KILN_SIM_SPIN_LENGTH && count < 8;
         i = i->next, steps++) {
        if ((i->row->flags & KILN_SIM_ROW_BRANCHES) && i->target &&
            i->target->address <= spin->at->address)
            ends[count++] = i;
    }
    while (count) {
        spin->last = ends[--count];
        spin->first = spin->last->target;
        spin->endless = false;
        if (only_waits(spin))
            return;
        spin->adds[0] = spin->adds[1] = NULL;
        spin->endless = is_endless(spin);
        if (spin->endless)
            return;
    }
    spin->first = NULL;
}

const kiln_sim_spin_t *kiln_sim_spin_find(kiln_sim_spins_t *spins, const kiln_sim_wave_t *wave)
{
    if (!wave->resume || wave->mode & (KILN_SIM_MODE_GPR_IDX_EN | KILN_SIM_MODE_VSKIP))
        return NULL;
    kiln_sim_spin_t *spin = &spins->found[wave->resume->index % KILN_SIM_SPIN_CACHE];
    if (spin->at != wave->resume) {
        spin->at = wave->resume;
        find_loop(spin);
    }
    if (!spin->first)
        return NULL;
    for (unsigned a = 0; a < 2 && spin->adds[a]; a++) {
        const kiln_sim_operand_t *data = &spin->adds[a]->src[1];
        for (unsigned d = 0; d < data->dwords; d++) {
            for (uint64_t left = wave->exec; left; left &= left - 1) {
                if (wave->vgpr[data->reg + d][__builtin_ctzll(left)])
                    return NULL;
            }
        }
    }
    return spin;
}

uint64_t kiln_sim_spin_count(const kiln_sim_wave_t *wave, const kiln_sim_spin_t *spin)
{
    uint64_t sum = 0;
    for (const kiln_sim_inst_t *i = spin->first;; i = i->next) {
        sum += wave->thread->counts[i->index];
        if (i == spin->last)
            return sum;
    }
}

// ---- memory that the program may change while the kernel runs

static bool is_shared(kiln_sim_memory_kind_t kind)
{
    return kind == KILN_SIM_MEMORY_HOST || kind == KILN_SIM_MEMORY_MANAGED ||
           kind == KILN_SIM_MEMORY_REGISTERED;
}

// Whether the thread's latest instruction accessed a shared allocation. The caller has cleared the
// list of recent allocations before that instruction.
static bool found_shared(const kiln_sim_thread_t *thread)
{
    for (unsigned i = 0; i < KILN_SIM_RECENT; i++) {
        const kiln_sim_allocation_t *found =
            kiln_sim_memory_find(thread->launch->memory, thread->recent[i].base);
        if (thread->recent[i].size && found && is_shared(found->kind))
            return true;
    }
    return false;
}

static bool is_private(const kiln_sim_allocation_t *allocation, void *any)
{
    *(bool *)any = is_shared(allocation->kind);
    return !*(bool *)any;
}

bool kiln_sim_spin_polls_shared(const kiln_sim_spin_t *spin, kiln_sim_wave_t *wave)
{
    kiln_sim_thread_t *const thread = wave->thread;
    bool any = false;
    kiln_sim_memory_each(thread->launch->memory, is_private, &any);
    // Two iterations, which include a complete one from the loop's beginning to its end.
    for (unsigned steps = 0;
         any && steps < 2 * KILN_SIM_SPIN_LENGTH && wave->stop == KILN_SIM_STOP_YIELD; steps++) {
        if (wave->resume->address < spin->first->address ||
            wave->resume->address > spin->last->address)
            return true; // it has left the loop: memory has changed
        memset(thread->recent, 0, sizeof thread->recent);
        wave->slice_end = wave->executed + 1;
        kiln_sim_wave_run(wave);
        if (found_shared(thread))
            return true;
    }
    return false;
}

// ---- agreement: launch->spinning holds the number of the latest news, and how many threads have
// been ready since then

bool kiln_sim_spin_agree(kiln_sim_spins_t *spins, kiln_sim_launch_t *launch, bool all, bool endless)
{
    uint64_t seen = __atomic_load_n(&launch->spinning, __ATOMIC_ACQUIRE), next;
    if (!all) {
        do
            next = ((seen >> READY_BITS) + 1) << READY_BITS;
        while (!__atomic_compare_exchange_n(&launch->spinning, &seen, next, 0, __ATOMIC_ACQ_REL,
                                            __ATOMIC_ACQUIRE));
        spins->rounds = 0;
        return false;
    }
    if (spins->news != seen >> READY_BITS) {
        spins->news = seen >> READY_BITS;
        spins->rounds = 0;
        spins->ready = false;
    }
    if (++spins->rounds < (endless ? ENDLESS_ROUNDS : ROUNDS))
        return false;
    while (!spins->ready && seen >> READY_BITS == spins->news)
        spins->ready = __atomic_compare_exchange_n(&launch->spinning, &seen, seen + 1, 0,
                                                   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    seen = __atomic_load_n(&launch->spinning, __ATOMIC_ACQUIRE);
    unsigned threads = __atomic_load_n(&launch->gws_threads, __ATOMIC_ACQUIRE);
    return seen >> READY_BITS == spins->news && (seen & ((1u << READY_BITS) - 1)) >= threads;
}
