// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes which bytes of the results are undefined, for every instruction that computes.
//
// A byte of a result is undefined if it changes with the undefined bytes of the sources. If a
// source has undefined bytes, the instruction's own handler is run a few times with different
// values in their place, the results are compared, and then the state is restored. Copies, shifts,
// byte permutes, partial writes, selects, DPP, SDWA, matrix instructions and x ^ x are all handled
// correctly without specific rules.
//
// Bytes that are not written keep the values tried and therefore stay undefined. Values that happen
// to make no difference (a maximum with something larger) count as defined: in doubt, nothing is
// reported.
#include "check/undefined.h"

// The first two differ in every bit; the others are large numbers of both signs, for comparisons.
static const uint32_t patterns[] = {0, UINT32_MAX, 0x4b4b4b4b, 0xcbcbcbcb};

enum { MATRIX_PATTERNS = 2, ALL_PATTERNS = 4 };

typedef struct trial_row {
    uint16_t row;
    bool written, undefined;
} trial_row_t;

enum { TRIAL_ROWS = 96 };

struct check_trial {
    unsigned count;
    trial_row_t rows[TRIAL_ROWS];
    uint32_t saved[TRIAL_ROWS][KILN_GFX942_LANES],
        mask[TRIAL_ROWS][KILN_GFX942_LANES]; // mask: undefined bytes
    uint32_t first[TRIAL_ROWS][KILN_GFX942_LANES], differs[TRIAL_ROWS][KILN_GFX942_LANES];
    uint32_t scalar_saved[KILN_SIM_SGPR_COUNT], scalar_first[KILN_SIM_SGPR_COUNT],
        scalar_differs[KILN_SIM_SGPR_COUNT];
};

size_t kiln_sim_check_trial_size(void)
{
    return (sizeof(struct check_trial) + 63) / 64 * 64;
}

static bool has(const kiln_sim_inst_t *inst, const char *part)
{
    return strstr(inst->row->name, part) != NULL;
}

void kiln_sim_check_undefined_fill(check_facts_t *f, const kiln_sim_inst_t *inst)
{
    static const char *const state[] = {"s_setreg",  "s_getreg",  "s_set_gpr_idx", "s_getpc",
                                        "s_setpc",   "s_swappc",  "s_rfe",         "s_call",
                                        "s_cbranch", "s_setvskip"};
    unsigned type = inst->row->dst;
    f->moves_relative = kiln_sim_inst_starts(inst, "s_movrel");
    f->has_state = false;
    for (size_t i = 0; i < sizeof state / sizeof state[0]; i++)
        f->has_state = f->has_state || kiln_sim_inst_starts(inst, state[i]);
    f->writes_part = inst->encoding == KILN_SIM_SDWA || inst->encoding == KILN_SIM_DPP ||
                     type == KILN_SIM_T_U16 || type == KILN_SIM_T_I16 || type == KILN_SIM_T_F16 ||
                     has(inst, "mixlo") || has(inst, "mixhi") || has(inst, "cvt_pk_fp8") ||
                     has(inst, "cvt_pk_bf8") || has(inst, "cvt_sr_") ||
                     kiln_sim_inst_starts(inst, "v_writelane") ||
                     kiln_sim_inst_starts(inst, "v_swap");
}

// ---- defined sources

static bool sources_defined(const check_shadow_t *s, const check_facts_t *f)
{
    uint64_t any = 0;
    for (unsigned i = 0; i < f->uses->count && !(f->uses->spans[i].role & KILN_SIM_WRITES); i++) {
        const kiln_sim_registers_t *span = &f->uses->spans[i];
        for (unsigned k = span->first; k < (unsigned)span->first + span->count; k++)
            any |= k < KILN_SIM_FIRST_SGPR ? s->any[k] : s->scalar[k - KILN_SIM_FIRST_SGPR];
    }
    return !any;
}

// Marks the results as defined. False if only a trial can determine their definedness.
static bool define_results(check_shadow_t *s, const kiln_sim_wave_t *wave,
                           const kiln_sim_inst_t *inst, const check_facts_t *f)
{
    uint64_t lanes = inst->row->class_ == KILN_SIM_CLASS_MFMA ? UINT64_MAX : wave->exec;
    for (unsigned i = f->uses->count; i-- && (f->uses->spans[i].role & KILN_SIM_WRITES);) {
        const kiln_sim_registers_t *span = &f->uses->spans[i];
        for (unsigned k = span->first; k < (unsigned)span->first + span->count; k++) {
            if (k >= KILN_SIM_FIRST_SGPR)
                s->scalar[k - KILN_SIM_FIRST_SGPR] = 0;
            else if (f->writes_part && s->any[k])
                return false;
            else
                check_shadow_clear(s, k, lanes);
        }
    }
    return true;
}

// ---- trials

static bool add_rows(struct check_trial *t, const check_shadow_t *s, const check_facts_t *f)
{
    int16_t place[KILN_SIM_VGPR_ROWS];
    memset(place, 0xff, sizeof place);
    t->count = 0;
    for (unsigned i = 0; i < f->uses->count; i++) {
        const kiln_sim_registers_t *span = &f->uses->spans[i];
        for (unsigned k = span->first;
             k < (unsigned)span->first + span->count && k < KILN_SIM_FIRST_SGPR; k++) {
            if (place[k] < 0) {
                if (t->count == TRIAL_ROWS)
                    return false;
                place[k] = (int16_t)t->count;
                t->rows[t->count++] =
                    (trial_row_t){.row = (uint16_t)k, .undefined = s->any[k] != 0};
            }
            t->rows[place[k]].written |= (span->role & KILN_SIM_WRITES) != 0;
        }
    }
    return true;
}

static void save(struct check_trial *t, const check_shadow_t *s, const kiln_sim_wave_t *wave)
{
    for (unsigned i = 0; i < t->count; i++) {
        const trial_row_t *r = &t->rows[i];
        memcpy(t->saved[i], wave->vgpr[r->row], sizeof t->saved[i]);
        if (r->written)
            memset(t->differs[i], 0, sizeof t->differs[i]);
        for (unsigned lane = 0; lane < KILN_GFX942_LANES && r->undefined; lane++) {
            uint32_t mask = 0;
            for (unsigned byte = 0; byte < 4; byte++)
                mask |= (s->bytes[r->row][byte] >> lane & 1) ? 0xffu << (8 * byte) : 0;
            t->mask[i][lane] = mask;
        }
    }
    memcpy(t->scalar_saved, wave->sgpr, sizeof t->scalar_saved);
    memset(t->scalar_differs, 0, sizeof t->scalar_differs);
}

static void try_pattern(struct check_trial *t, const check_shadow_t *s, kiln_sim_wave_t *wave,
                        const kiln_sim_inst_t *inst, uint32_t pattern)
{
    for (unsigned i = 0; i < t->count; i++) {
        uint32_t *row = wave->vgpr[t->rows[i].row];
        for (unsigned lane = 0; lane < KILN_GFX942_LANES && t->rows[i].undefined; lane++)
            row[lane] = (t->saved[i][lane] & ~t->mask[i][lane]) | (pattern & t->mask[i][lane]);
    }
    for (unsigned i = 0; i < KILN_SIM_SGPR_COUNT; i++)
        wave->sgpr[i] = (t->scalar_saved[i] & ~s->scalar[i]) | (pattern & s->scalar[i]);
    if (s->scc)
        wave->scc = pattern & 1;
    inst->run(wave, inst);
}

static void compare(struct check_trial *t, const kiln_sim_wave_t *wave, bool first)
{
    for (unsigned i = 0; i < t->count; i++) {
        const uint32_t *row = wave->vgpr[t->rows[i].row];
        if (!t->rows[i].written)
            continue;
        if (first)
            memcpy(t->first[i], row, sizeof t->first[i]);
        else
            for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++)
                t->differs[i][lane] |= row[lane] ^ t->first[i][lane];
    }
    if (first)
        memcpy(t->scalar_first, wave->sgpr, sizeof t->scalar_first);
    for (unsigned i = 0; i < KILN_SIM_SGPR_COUNT; i++)
        t->scalar_differs[i] |= wave->sgpr[i] ^ t->scalar_first[i];
}

static void restore(const struct check_trial *t, kiln_sim_wave_t *wave, uint32_t scc)
{
    for (unsigned i = 0; i < t->count; i++)
        memcpy(wave->vgpr[t->rows[i].row], t->saved[i], sizeof t->saved[i]);
    memcpy(wave->sgpr, t->scalar_saved, sizeof t->scalar_saved);
    wave->scc = scc;
}

// `whole`: a byte counts as defined if some of its bits are. This is used for v_writelane, which
// saves masks of lanes: compilers leave bits of lanes undefined that EXEC never enables.
static void take_results(const struct check_trial *t, check_shadow_t *s, bool whole)
{
    for (unsigned i = 0; i < t->count; i++) {
        if (!t->rows[i].written)
            continue;
        uint64_t bytes[4] = {0};
        for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++) {
            for (unsigned byte = 0; byte < 4; byte++) {
                unsigned bits = t->differs[i][lane] >> (8 * byte) & 255;
                bytes[byte] |= (uint64_t)(whole ? bits == 255 : bits != 0) << lane;
            }
        }
        for (unsigned byte = 0; byte < 4; byte++)
            check_shadow_set(s, t->rows[i].row, byte, UINT64_MAX, bytes[byte]);
    }
    memcpy(s->scalar, t->scalar_differs, sizeof s->scalar);
}

// Reports the source that made EXEC undefined.
static void report_exec(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    check_shadow_t *s = kiln_sim_check_shadow(wave);
    for (unsigned i = 0; i < 3; i++) {
        const kiln_sim_operand_t *op = &inst->src[i];
        bool vector = op->kind == KILN_SIM_OP_VGPR, scalar = op->kind == KILN_SIM_OP_SGPR;
        for (unsigned k = 0; k < op->dwords && (vector || scalar); k++) {
            if (vector ? (s->any[op->reg + k] & wave->exec) == 0 : s->scalar[op->reg + k] == 0)
                continue;
            kiln_sim_check_undefined_use(wave, inst, op, wave->exec, "EXEC");
            return;
        }
    }
}

// Finds where the source of a move has gaps (check/undefined_memory.c), by dword: the move copies
// them.
static void find_gaps(const check_shadow_t *s, const kiln_sim_inst_t *inst, uint64_t gaps[2])
{
    bool moves = kiln_sim_inst_starts(inst, "v_mov_b") || kiln_sim_inst_starts(inst, "v_accvgpr_");
    for (unsigned i = 0; i < 2; i++)
        gaps[i] = moves && inst->src[0].kind == KILN_SIM_OP_VGPR && !inst->modified &&
                          i < inst->src[0].dwords
                      ? s->gaps[inst->src[0].reg + i]
                      : 0;
}

void kiln_sim_check_undefined_compute(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                                      const check_facts_t *f)
{
    check_shadow_t *s = kiln_sim_check_shadow(wave);
    for (unsigned i = 0; i < 2 && f->has_state; i++)
        kiln_sim_check_undefined_use(wave, inst, &inst->src[i], wave->exec, "state of the wave");
    struct check_trial *t = kiln_sim_check_thread(wave->thread)->trial;
    bool scalar = inst->row->class_ == KILN_SIM_CLASS_SALU;
    bool simple =
        f->has_state || (sources_defined(s, f) && !(scalar && s->scc) && !f->moves_relative);
    if (simple && define_results(s, wave, inst, f))
        return;
    if (!add_rows(t, s, f))
        return;
    unsigned count = inst->row->class_ == KILN_SIM_CLASS_MFMA ? MATRIX_PATTERNS : ALL_PATTERNS;
    uint32_t scc = wave->scc, scc_first = 0;
    bool scc_differs = false;
    uint64_t gaps[2];
    find_gaps(s, inst, gaps);
    save(t, s, wave);
    for (unsigned i = 0; i < count; i++) {
        try_pattern(t, s, wave, inst, patterns[i]);
        compare(t, wave, i == 0);
        scc_first = i == 0 ? wave->scc : scc_first;
        scc_differs = scc_differs || wave->scc != scc_first;
        restore(t, wave, scc);
    }
    if (t->scalar_differs[KILN_SIM_SGPR_EXEC] | t->scalar_differs[KILN_SIM_SGPR_EXEC + 1]) {
        uint32_t before[KILN_SIM_SGPR_COUNT];
        memcpy(before, s->scalar, sizeof before);
        report_exec(wave, inst);
        for (unsigned i = 0; i < KILN_SIM_SGPR_COUNT; i++)
            t->scalar_differs[i] =
                before[i] && !s->scalar[i] ? 0 : t->scalar_differs[i]; // reported
        t->scalar_differs[KILN_SIM_SGPR_EXEC] = t->scalar_differs[KILN_SIM_SGPR_EXEC + 1] = 0;
    }
    take_results(t, s, kiln_sim_inst_starts(inst, "v_writelane"));
    for (unsigned i = 0; i < inst->dst.dwords && gaps[0] | gaps[1]; i++)
        s->gaps[inst->dst.reg + i] |= gaps[i] & wave->exec;
    s->scc = scc_differs;
}
