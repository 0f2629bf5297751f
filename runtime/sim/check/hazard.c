// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Detects missing wait states that the machine does not insert by itself: compares the current
// instruction with recent producers by the rules of check/hazard.def.
//
// Rules are filtered per instruction once, when its facts are filled: one bit for each rule in
// which it can be the producer, and one for each in which it can be the consumer. During execution,
// testing a pair of instructions is one AND, which is almost always zero.
//
// Distances count executed instructions, across branches, and each instruction counts once, however
// long it takes. The manual and LLVM count the same way.
#include <string.h>

#include "check/hazard.h"

enum { // kinds
    XDL = 1 << 0,
    SGEMM = 1 << 1,
    DGEMM16 = 1 << 2,
    DGEMM4 = 1 << 3,
    SHORT = 1 << 4, // matrix instructions of 2 passes
    PLAIN = 1 << 5, // VALU that is neither matrix nor dot product
    DOT = 1 << 6,
    TRANS = 1 << 7,
    NOT_TRANS = 1 << 8, // VALU
    PARTIAL = 1 << 9,   // writes only part of its destination register
    DPP = 1 << 10,
    LANE = 1 << 11, // v_readlane, v_readfirstlane, v_writelane
    VMEM = 1 << 12,
    LDS = 1 << 13,
    WIDE_STORE = 1 << 14, // of more than 8 bytes per lane
    SALU = 1 << 15,
    NEEDS_M0 = 1 << 16, // without naming it as an operand
    SETREG = 1 << 17,
    GETREG = 1 << 18,
    FMA64 = 1 << 19,
    PACKED = 1 << 20,  // has op_sel_hi, set for source 0
    SETTRAP = 1 << 21, // s_setreg of TRAPSTS
    RFE = 1 << 22,
    WIDE_STORE_SCALAR = 1 << 23, // WIDE_STORE with a scalar register as offset
    DGEMM = DGEMM16 | DGEMM4,
    NOT_XDL = SGEMM | DGEMM,
    MATRIX = XDL | NOT_XDL,
    VALU = PLAIN | DOT,
    ANY_VALU = VALU | MATRIX,
    VMEM_LDS = VMEM | LDS,
    ACCESS = VALU | VMEM_LDS
};

enum { VECTOR, SCALAR, EXEC, M0, NOTHING };
enum { OVERLAP, SAME, OTHER, OTHER_OP, HWREG };
enum {
    ROLE_NONE = 0,
    ROLE_READ_AB = KILN_SIM_READS_AB,
    ROLE_READ_C = KILN_SIM_READS_C,
    ROLE_READ_DATA = KILN_SIM_READS_DATA,
    ROLE_READ_LANE = KILN_SIM_READS_LANE,
    ROLE_READ_CROSS = KILN_SIM_READS_CROSS,
    ROLE_READ_MASK = KILN_SIM_READS_MASK,
    ROLE_KEPT = KILN_SIM_KEEPS,
    ROLE_DPP = KILN_SIM_USES_DPP,
    ROLE_ZERO = KILN_SIM_USES_ZERO,
    ROLE_READS = KILN_SIM_READS,
    ROLE_WRITE = KILN_SIM_WRITES
};

typedef struct rule {
    uint32_t producers, consumers;
    uint16_t from, to; // roles
    uint8_t registers, relation;
    int8_t states, per_pass;
    const char *what;
} rule_t;

static const rule_t rules[] = {
#define HAZARD(producers, from, consumers, to, registers, states, per_pass, relation, what)        \
    {producers, consumers, ROLE_##from, ROLE_##to, registers, relation, states, per_pass, what},
#include "check/hazard.def"
#undef HAZARD
};

#define RULES (sizeof rules / sizeof rules[0])
_Static_assert(RULES <= 64, "rules are bits of a 64-bit set");

// ---- kinds of instructions

static bool ends(const kiln_sim_inst_t *inst, const char *suffix)
{
    size_t length = strlen(inst->row->name), tail = strlen(suffix);
    return length >= tail && strcmp(inst->row->name + length - tail, suffix) == 0;
}

static uint32_t matrix_kind(const kiln_sim_inst_t *inst, unsigned passes)
{
    uint32_t kinds = passes == 2 ? SHORT : 0;
    if (ends(inst, "_f64"))
        return kinds | (passes == 4 ? DGEMM4 : DGEMM16);
    return kinds | (kiln_sim_inst_starts(inst, "v_mfma_f32") && ends(inst, "_f32") ? SGEMM : XDL);
}

static uint32_t valu_kind(const kiln_sim_inst_t *inst)
{
    uint32_t kinds = kiln_sim_inst_starts(inst, "v_dot") ? DOT : PLAIN;
    kinds |= inst->row->class_ == KILN_SIM_CLASS_TRANS ? TRANS : NOT_TRANS;
    bool sdwa_part = inst->encoding == KILN_SIM_SDWA && inst->row->format != KILN_SIM_VOPC &&
                     inst->dst_sel != KILN_SIM_SEL_DWORD;
    if (sdwa_part ||
        (inst->encoding == KILN_SIM_E64 && inst->format != KILN_SIM_VOP3P && (inst->op_sel & 8)))
        kinds |= PARTIAL;
    if ((kiln_sim_inst_starts(inst, "v_pk_") || kiln_sim_inst_starts(inst, "v_dot2_") ||
         kiln_sim_inst_starts(inst, "v_fma_mix")) &&
        (inst->op_sel_hi & 1))
        kinds |= PACKED;
    if (inst->encoding == KILN_SIM_DPP)
        kinds |= DPP;
    if (kiln_sim_inst_starts(inst, "v_readlane") || kiln_sim_inst_starts(inst, "v_readfirstlane") ||
        kiln_sim_inst_starts(inst, "v_writelane"))
        kinds |= LANE;
    if (kiln_sim_inst_starts(inst, "v_fma_f64") || kiln_sim_inst_starts(inst, "v_fmac_f64"))
        kinds |= FMA64;
    return kinds;
}

static uint32_t memory_kind(const kiln_sim_inst_t *inst)
{
    uint32_t kinds = inst->row->class_ == KILN_SIM_CLASS_LDS ? LDS : VMEM;
    bool store = inst->row->class_ == KILN_SIM_CLASS_VMEM_STORE ||
                 inst->row->class_ == KILN_SIM_CLASS_VMEM_ATOMIC;
    bool scalar_offset = inst->mem[1].kind == KILN_SIM_OP_SGPR;
    if (store && inst->src[1].dwords > 2)
        kinds |= scalar_offset ? WIDE_STORE_SCALAR : WIDE_STORE;
    return kinds;
}

static uint32_t scalar_kind(const kiln_sim_inst_t *inst)
{
    enum { TRAPSTS = 3 };
    uint32_t kinds = SALU | (kiln_sim_inst_starts(inst, "s_getreg") ? GETREG : 0);
    if (kiln_sim_inst_starts(inst, "s_setreg"))
        kinds |= SETREG | ((inst->imm & 63) == TRAPSTS ? SETTRAP : 0);
    return kinds;
}

static uint32_t kinds_of(const kiln_sim_inst_t *inst, unsigned passes)
{
    switch (inst->row->class_) {
    case KILN_SIM_CLASS_MFMA:
        return matrix_kind(inst, passes);
    case KILN_SIM_CLASS_VALU:
    case KILN_SIM_CLASS_TRANS:
        return valu_kind(inst);
    case KILN_SIM_CLASS_LDS:
    case KILN_SIM_CLASS_VMEM_LOAD:
    case KILN_SIM_CLASS_VMEM_STORE:
    case KILN_SIM_CLASS_VMEM_ATOMIC:
        return memory_kind(inst);
    case KILN_SIM_CLASS_SALU:
        return scalar_kind(inst);
    case KILN_SIM_CLASS_BRANCH:
        return kiln_sim_inst_starts(inst, "s_rfe") ? RFE : 0;
    default:
        return 0;
    }
}

static bool needs_m0(const kiln_sim_inst_t *inst)
{
    static const char *const names[] = {"s_sendmsg",      "s_ttracedata",    "s_movrel",
                                        "ds_read_addtid", "ds_write_addtid", "ds_gws"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (kiln_sim_inst_starts(inst, names[i]))
            return true;
    }
    return inst->format == KILN_SIM_DS ? (inst->flags & KILN_SIM_INST_GDS) != 0
                                       : kiln_sim_inst_to_lds(inst);
}

static bool in_bank(unsigned number, unsigned registers)
{
    switch (registers) {
    case VECTOR:
        return number < KILN_SIM_FIRST_SGPR;
    case SCALAR:
        return number >= KILN_SIM_FIRST_SGPR && number < KILN_SIM_FIRST_SGPR + KILN_SIM_SGPR_EXEC;
    case EXEC:
        return number >= KILN_SIM_FIRST_SGPR + KILN_SIM_SGPR_EXEC;
    case M0:
        return number == KILN_SIM_FIRST_SGPR + KILN_SIM_SGPR_M0;
    default:
        return false;
    }
}

static bool has_span(const check_facts_t *f, unsigned role, unsigned registers)
{
    for (unsigned i = 0; i < f->uses->count; i++) {
        if ((f->uses->spans[i].role & role) && in_bank(f->uses->spans[i].first, registers))
            return true;
    }
    return false;
}

void kiln_sim_check_hazard_fill(check_facts_t *f, const kiln_sim_inst_t *inst)
{
    f->passes = (uint8_t)(inst->row->class_ == KILN_SIM_CLASS_MFMA ? inst->row->cycles / 4 : 0);
    uint32_t kinds = kinds_of(inst, f->passes);
    if (needs_m0(inst))
        kinds |= NEEDS_M0;
    for (size_t i = 0; i < RULES; i++) {
        const rule_t *r = &rules[i];
        if ((kinds & r->producers) && (r->from == ROLE_NONE || has_span(f, r->from, r->registers)))
            f->produces |= 1ull << i;
        if ((kinds & r->consumers) && (r->to == ROLE_NONE || has_span(f, r->to, r->registers)))
            f->consumes |= 1ull << i;
    }
    f->is_matrix = (kinds & MATRIX) != 0;
    f->is_xdl = (kinds & XDL) != 0;
}

// ---- execution

static bool meets(const kiln_sim_registers_t *a, const kiln_sim_registers_t *b)
{
    return a->first < b->first + b->count && b->first < a->first + a->count;
}

static bool related(const rule_t *r, const kiln_sim_inst_t *before,
                    const kiln_sim_registers_t *from, const kiln_sim_inst_t *inst,
                    const kiln_sim_registers_t *to)
{
    bool same = from->first == to->first && from->count == to->count;
    switch (r->relation) {
    case SAME:
        return same;
    case OTHER:
        return !same && meets(from, to);
    case OTHER_OP:
        return before->row != inst->row && meets(from, to);
    default:
        return meets(from, to);
    }
}

// Whether the rule relates a span of the consumer to one of the producer; *number is a shared
// register.
static bool binds(const rule_t *r, const kiln_sim_inst_t *before, const check_facts_t *p,
                  const kiln_sim_inst_t *inst, const kiln_sim_registers_t *to, unsigned *number)
{
    if (!(to->role & r->to) || !in_bank(to->first, r->registers))
        return false;
    for (unsigned k = 0; k < p->uses->count; k++) {
        const kiln_sim_registers_t *from = &p->uses->spans[k];
        if ((from->role & r->from) && in_bank(from->first, r->registers) &&
            related(r, before, from, inst, to)) {
            *number = from->first > to->first ? from->first : to->first;
            return true;
        }
    }
    return false;
}

static void report(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                   const kiln_sim_inst_t *before, const rule_t *r, unsigned number, int needed,
                   uint32_t distance)
{
    char name[24] = "";
    if (number < KILN_SIM_REGISTERS)
        kiln_sim_register_name(number, name, sizeof name);
    kiln_sim_check_found(
        wave, inst, before, -1, KILN_SIM_CHECK_INDEX_HAZARD,
        "%s too early%s%s%s: %d wait state%s must be between the two, but there %s %u", r->what,
        *name ? " (" : "", name, *name ? ")" : "", needed, needed == 1 ? "" : "s",
        distance == 1 ? "is" : "are", distance);
}

// Spans of the consumer (bits) that a later matrix instruction writes or reads as its C. Of several
// matrix instructions only the latest counts for a span, as in LLVM: the machine keeps matrix
// instructions in order among themselves.
typedef struct settled {
    unsigned written, read;
} settled_t;

static unsigned common_spans(const check_facts_t *p, unsigned role, const check_facts_t *c)
{
    unsigned set = 0;
    for (unsigned k = 0; k < p->uses->count; k++) {
        for (unsigned i = 0; (p->uses->spans[k].role & role) && i < c->uses->count; i++)
            set |= meets(&p->uses->spans[k], &c->uses->spans[i]) ? 1u << i : 0;
    }
    return set;
}

// Whether inst reads a packed result of `before`, by the rules for packed results.
static bool takes_packed(const kiln_sim_inst_t *before, const kiln_sim_inst_t *inst)
{
    check_facts_t p, f;
    kiln_sim_check_facts_fill(&p, before, before->footprint);
    kiln_sim_check_facts_fill(&f, inst, inst->footprint);
    for (uint64_t left = p.produces & f.consumes; left; left &= left - 1) {
        const rule_t *r = &rules[__builtin_ctzll(left)];
        unsigned number;
        for (unsigned k = 0; r->producers == PACKED && k < f.uses->count; k++) {
            if (binds(r, before, &p, inst, &f.uses->spans[k], &number))
                return true;
        }
    }
    return false;
}

// LLVM 22 conservatively inserts the wait state after packed results; later versions, such as
// IREE's, do not. A code object's compiler is identified by the majority: one missing wait state is
// tolerated. Evaluated only when such a wait state is missing.
static bool keeps_packed(kiln_sim_wave_t *wave)
{
    struct kiln_sim_thread_checks *c = kiln_sim_check_thread(wave->thread);
    const kiln_sim_program_t *program = wave->thread->launch->program;
    size_t kept = 0, left_out = 0, count = kiln_sim_program_count(program);
    if (c->packed_seen)
        return c->packed_kept;
    for (size_t i = 0; i < count; i++) {
        const kiln_sim_inst_t *inst = kiln_sim_program_inst(program, i), *next = inst->next;
        bool valu =
            inst->row->class_ == KILN_SIM_CLASS_VALU || inst->row->class_ == KILN_SIM_CLASS_TRANS;
        if (!next || !valu || !(valu_kind(inst) & PACKED))
            continue;
        bool waits = kiln_sim_inst_starts(next, "s_nop") && next->next;
        if (takes_packed(inst, waits ? next->next : next))
            *(waits ? &kept : &left_out) += 1;
    }
    c->packed_seen = true;
    c->packed_kept = left_out <= kept + 1;
    return c->packed_kept;
}

static void compare(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, const check_facts_t *f,
                    const check_producer_t *producer, uint32_t distance, settled_t *settled)
{
    const check_facts_t *p = kiln_sim_check_facts(wave->thread, producer->inst);
    for (uint64_t left = p->produces & f->consumes; left; left &= left - 1) {
        const rule_t *r = &rules[__builtin_ctzll(left)];
        int needed = r->states + r->per_pass * p->passes;
        if (needed <= (int)distance)
            continue;
        unsigned number = KILN_SIM_REGISTERS, past = 0;
        if (p->is_matrix)
            past = r->from == ROLE_READ_C ? settled->read : settled->written;
        bool bound = false;
        if (r->to == ROLE_NONE || r->from == ROLE_NONE)
            bound = r->relation != HWREG || ((producer->inst->imm ^ inst->imm) & 63) == 0;
        for (unsigned i = 0; !bound && i < f->uses->count; i++)
            bound =
                !(past >> i & 1) && binds(r, producer->inst, p, inst, &f->uses->spans[i], &number);
        if (bound && (r->producers != PACKED || keeps_packed(wave)))
            report(wave, inst, producer->inst, r, number, needed, distance);
    }
    if (p->is_matrix) {
        settled->written |= common_spans(p, KILN_SIM_WRITES, f);
        settled->read |= p->is_xdl ? common_spans(p, KILN_SIM_READS_C, f) : 0;
    }
}

// Updates a hash of the latest instructions, as far back as any rule looks. Hazards depend on
// nothing else, so an instruction without findings after this sequence is not checked again.
static uint64_t step_path(check_wave_t *w, const kiln_sim_inst_t *inst)
{
    const uint64_t base = 0x9e3779b97f4a7c15u;
    uint64_t oldest = base; // base to the power of CHECK_PATH + 1
    for (unsigned i = 1; i < CHECK_PATH; i *= 2)
        oldest *= oldest;
    oldest *= base;
    uint32_t *slot = &w->path_insts[w->path_length++ % CHECK_PATH];
    w->path = (w->path + inst->index + 1) * base - *slot * oldest;
    *slot = inst->index + 1;
    return w->path;
}

void kiln_sim_check_hazard(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                           const check_facts_t *f)
{
    check_wave_t *w = kiln_sim_check_wave(wave);
    if (f->clause || w->clause_length)
        kiln_sim_check_clause(wave, inst, f);
    uint32_t window =
        w->clock - w->matrix_clock < CHECK_MATRIX_WINDOW ? CHECK_MATRIX_WINDOW : CHECK_PLAIN_WINDOW;
    settled_t settled = {0};
    uint64_t count_before = kiln_sim_check_group(wave->group)->finding_count;
    bool known = step_path(w, inst) == f->clean_path;
    for (uint32_t n = known ? 0 : w->producer_count;
         f->consumes && n > 0 && w->producer_count - n < CHECK_PRODUCERS; n--) {
        const check_producer_t *producer = &w->producers[(n - 1) % CHECK_PRODUCERS];
        uint32_t distance = w->clock - producer->clock;
        if (distance >= window)
            break;
        compare(wave, inst, f, producer, distance, &settled);
    }
    if (!known && count_before == kiln_sim_check_group(wave->group)->finding_count)
        kiln_sim_check_facts(wave->thread, inst)->clean_path = w->path;
    w->clock += f->uses->wait_states;
    if (f->produces) {
        w->producers[w->producer_count++ % CHECK_PRODUCERS] = (check_producer_t){inst, w->clock};
        if (f->is_matrix)
            w->matrix_clock = w->clock;
    }
}
