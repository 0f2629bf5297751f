// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The common part of all vector ALU instructions: fetches sources, applies modifiers and MODE, and
// writes results under EXEC.
//
// There are two paths to a row's loop. The plain one, for the common encodings and the default
// MODE, passes register rows directly to the loop. The modified one first copies each source to a
// temporary row (DPP, SDWA or op_sel selection, then abs, neg, sign extension, then denormal
// flush), and applies omod, flush, clamp and destination select to the result.
//
// Pitfalls: DPP's row_mask and bank_mask gate the write, not the read. A lane whose DPP source does
// not exist is not written unless bound_ctrl requests 0.
#include <fenv.h>
#include <pthread.h>
#define KILN_VALU_NO_ROWS
#include "exec/valu.h"

typedef struct sources {
    alignas(64) uint32_t temp[3][4 * KILN_GFX942_LANES];
    const uint32_t *row[3];
} sources_t;

// The only mode that f16 results need: see kiln_valu_round_f16.
void KILN_SIM_V(kiln_valu_round_f16_mode)(const float *values, uint32_t *d, const kiln_valu_t *mode)
{
    const kiln_round_t round = mode->round16;
    const kiln_overflow_t overflow = mode->overflow16;
    for (unsigned i = 0; i < KILN_GFX942_LANES; i++)
        d[i] = kiln_f32_to_f16_mode(values[i], round, overflow);
}

static void write_mask(kiln_sim_wave_t *wave, const kiln_sim_operand_t *op, uint64_t mask)
{
    kiln_sim_sgpr_write_u64(wave, op->reg, mask);
}

void KILN_SIM_V(kiln_valu_run)(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                               const kiln_valu_core_t *core)
{
    if ((core->flags & (KILN_VALU_KEEP16 | KILN_VALU_KEEP8)) ||
        !kiln_valu_is_plain(wave, core->flags)) {
        KILN_SIM_V(kiln_valu_run_modified)(wave, inst, core);
        return;
    }
    sources_t s;
    alignas(64) uint32_t result[4 * KILN_GFX942_LANES];
    uint8_t carry[KILN_GFX942_LANES];
    const kiln_valu_t x = kiln_valu_mode(wave, inst, carry);
    for (unsigned n = 0; n < 3; n++)
        s.row[n] = kiln_valu_fetch(wave, &inst->src[n], s.temp[n]);
    if (core->flags & KILN_VALU_MASK) {
        core->loop(&x, s.row[0], s.row[1], s.row[2], result);
        kiln_valu_write_comparison(wave, inst, result);
        return;
    }
    uint32_t *const d = wave->vgpr[inst->dst.reg];
    const uint64_t exec = wave->exec;
    if (exec == UINT64_MAX) {
        core->loop(&x, s.row[0], s.row[1], s.row[2], d);
    } else {
        core->loop(&x, s.row[0], s.row[1], s.row[2], result);
        for (unsigned part = 0; part < inst->dst.dwords; part++)
            kiln_valu_write(d + part * KILN_GFX942_LANES, result + part * KILN_GFX942_LANES, exec);
    }
    if (core->flags & KILN_VALU_CARRY)
        write_mask(wave, &inst->sdst, kiln_valu_compress_mask(carry) & exec);
}

// ---- DPP ----

// The lane that a DPP control reads, or -1 if there is none.
static int dpp_source_lane(unsigned control, unsigned lane)
{
    const unsigned row = lane & ~15u, in_row = lane & 15u, count = control & 15u;
    if (control <= 0xff) // quad_perm
        return (int)((lane & ~3u) + (control >> (lane % 4 * 2) & 3));
    if (control >= 0x150 && control <= 0x15f) // row_newbcast
        return (int)(row + count);
    switch (control & 0x1f0) {
    case 0x100: // row_shl
        return in_row + count < 16 ? (int)(lane + count) : -1;
    case 0x110: // row_shr
        return in_row >= count ? (int)(lane - count) : -1;
    case 0x120: // row_ror
        return (int)(row + ((in_row + 16 - count) & 15));
    default:
        break;
    }
    switch (control) {
    case 0x130: // wave_shl:1
        return lane < 63 ? (int)lane + 1 : -1;
    case 0x134: // wave_rol:1
        return (int)((lane + 1) & 63);
    case 0x138: // wave_shr:1
        return (int)lane - 1;
    case 0x13c: // wave_ror:1
        return (int)((lane + 63) & 63);
    case 0x140: // row_mirror
        return (int)(row + 15 - in_row);
    case 0x141: // row_half_mirror
        return (int)((lane & ~7u) + 7 - (lane & 7));
    case 0x142: // row_bcast:15: the last lane of each row goes to the next row
        return lane >= 16 ? (int)row - 1 : -1;
    case 0x143: // row_bcast:31: lane 31 goes to rows 2 and 3
        return lane >= 32 ? 31 : -1;
    default:
        return -1;
    }
}

enum { DPP_CONTROLS = 512 };

// For each control: the lane that each lane reads (its own if there is none), and the lanes whose
// source exists.
static struct {
    uint8_t from[KILN_GFX942_LANES];
    uint64_t exists;
} dpp_table[DPP_CONTROLS];
static pthread_once_t dpp_table_once = PTHREAD_ONCE_INIT;

static void fill_dpp_table(void)
{
    for (unsigned control = 0; control < DPP_CONTROLS; control++)
        for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++) {
            const int from = dpp_source_lane(control, lane);
            dpp_table[control].from[lane] = (uint8_t)(from >= 0 ? from : (int)lane);
            dpp_table[control].exists |= (uint64_t)(from >= 0) << lane;
        }
}

// The lanes that row_mask and bank_mask select: a row is 16 lanes, a bank 4 of them.
static uint64_t dpp_selected(unsigned row_mask, unsigned bank_mask)
{
    uint64_t row = 0, lanes = 0;
    for (unsigned bank = 0; bank < 4; bank++)
        row |= (uint64_t)(bank_mask >> bank & 1 ? 15 : 0) << bank * 4;
    for (unsigned n = 0; n < 4; n++)
        lanes |= (row_mask >> n & 1 ? row : 0) << n * 16;
    return lanes;
}

// Moves the first source across lanes; returns the lanes that may be written.
static uint64_t dpp_move(const kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                         const uint32_t *row, uint32_t *temp)
{
    pthread_once(&dpp_table_once, fill_dpp_table);
    const uint8_t *const from = dpp_table[inst->dpp_ctrl % DPP_CONTROLS].from;
    uint64_t valid = dpp_table[inst->dpp_ctrl % DPP_CONTROLS].exists;
    for (unsigned lane = 0; wave->exec != UINT64_MAX && lane < KILN_GFX942_LANES; lane++)
        valid &= ~((uint64_t)(~wave->exec >> from[lane] & 1) << lane);
    for (unsigned part = 0; part < inst->src[0].dwords; part++)
        for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++)
            temp[part * KILN_GFX942_LANES + lane] = row[part * KILN_GFX942_LANES + from[lane]];
    for (unsigned part = 0; valid != UINT64_MAX && part < inst->src[0].dwords; part++)
        for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++)
            temp[part * KILN_GFX942_LANES + lane] &= 0 - (uint32_t)(valid >> lane & 1);
    return (inst->bound_ctrl ? UINT64_MAX : valid) & dpp_selected(inst->row_mask, inst->bank_mask);
}

// ---- Sources with modifiers ----

static unsigned bits_of_type(kiln_sim_type_t type)
{
    switch (type) {
    case KILN_SIM_T_U16:
    case KILN_SIM_T_I16:
    case KILN_SIM_T_F16:
        return 16;
    case KILN_SIM_T_U64:
    case KILN_SIM_T_I64:
    case KILN_SIM_T_F64:
        return 64;
    default:
        return 32;
    }
}

static void sdwa_select(const kiln_sim_operand_t *op, uint32_t *temp)
{
    const unsigned sel = op->sel, sext = op->mods & KILN_SIM_SEXT;
    if (sel == KILN_SIM_SEL_DWORD) {
        // A 16-bit operand that is read as a dword needs no sign extension.
        return;
    }
    const unsigned shift = sel <= KILN_SIM_SEL_BYTE3 ? sel * 8 : (sel - KILN_SIM_SEL_WORD0) * 16;
    const unsigned bits = sel <= KILN_SIM_SEL_BYTE3 ? 8 : 16;
    for (unsigned i = 0; i < KILN_GFX942_LANES; i++) {
        const uint32_t field = temp[i] >> shift << (32 - bits);
        temp[i] = sext ? (uint32_t)((int32_t)field >> (32 - bits)) : field >> (32 - bits);
    }
}

static void apply_sign_modifiers(const kiln_sim_operand_t *op, uint32_t *temp)
{
    const unsigned bits = bits_of_type((kiln_sim_type_t)op->type);
    const bool packed = op->type == KILN_SIM_T_V2F16;
    const uint32_t sign = packed ? 0x80008000u : bits == 16 ? 0x8000u : 0x80000000u;
    const uint32_t clear = op->mods & KILN_SIM_ABS ? sign : 0,
                   flip = op->mods & KILN_SIM_NEG ? sign : 0;
    uint32_t *const row = bits == 64 ? temp + KILN_GFX942_LANES : temp;
    for (unsigned i = 0; i < KILN_GFX942_LANES; i++)
        row[i] = (row[i] & ~clear) ^ flip;
}

static bool keeps_denormals(uint32_t mode, kiln_sim_type_t type, unsigned direction)
{
    const unsigned shift = type == KILN_SIM_T_F32 || type == KILN_SIM_T_V2F32
                               ? KILN_SIM_MODE_DENORM_F32_SHIFT
                               : KILN_SIM_MODE_DENORM_F64_F16_SHIFT;
    return mode >> shift & 1u << direction;
}

enum { DENORM_IN = 0, DENORM_OUT = 1 };

// `out` may be `row`.
static void flush(kiln_sim_type_t type, const uint32_t *row, uint32_t *out)
{
    if (type == KILN_SIM_T_F32 || type == KILN_SIM_T_V2F32) {
        const unsigned count = type == KILN_SIM_T_F32 ? KILN_GFX942_LANES : 2 * KILN_GFX942_LANES;
        KILN_VALU_INDEPENDENT for (unsigned i = 0; i < count; i++)
        {
            out[i] = row[i] & 0x7f800000u ? row[i] : row[i] & 0x80000000u;
        }
    } else if (type == KILN_SIM_T_F16) {
        KILN_VALU_INDEPENDENT for (unsigned i = 0; i < KILN_GFX942_LANES; i++)
        {
            out[i] = row[i] & 0x7c00u ? row[i] : row[i] & ~0x7fffu;
        }
    } else if (type == KILN_SIM_T_V2F16) {
        KILN_VALU_INDEPENDENT for (unsigned i = 0; i < KILN_GFX942_LANES; i++)
        {
            const uint32_t low = row[i] & 0x7c00u ? 0xffffu : 0x8000u,
                           high = row[i] & 0x7c000000u ? 0xffff0000u : 0x80000000u;
            out[i] = row[i] & (low | high);
        }
    } else if (type == KILN_SIM_T_F64) {
        KILN_VALU_INDEPENDENT for (unsigned i = 0; i < KILN_GFX942_LANES; i++)
        {
            const uint32_t high = row[i + KILN_GFX942_LANES],
                           is_denormal = (high & 0x7ff00000u) == 0;
            out[i] = is_denormal ? 0 : row[i];
            out[i + KILN_GFX942_LANES] = is_denormal ? high & 0x80000000u : high;
        }
    }
}

static bool is_float_type(kiln_sim_type_t type)
{
    return type == KILN_SIM_T_F16 || type == KILN_SIM_T_F32 || type == KILN_SIM_T_F64 ||
           type == KILN_SIM_T_V2F16 || type == KILN_SIM_T_V2F32;
}

static void copy_to_temp(const uint32_t *row, unsigned dwords, uint32_t *temp)
{
    if (row != temp)
        memcpy(temp, row, sizeof(uint32_t) * KILN_GFX942_LANES * dwords);
}

// VOP3P loops process whole registers: this arranges the halves that op_sel selects, each with its
// own neg.
static const uint32_t *arrange_halves(const kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                                      unsigned n, uint32_t *temp)
{
    const kiln_sim_operand_t *const op = &inst->src[n];
    const unsigned low = inst->op_sel >> n & 1 ? 16 : 0, high = inst->op_sel_hi >> n & 1 ? 16 : 0;
    const uint32_t flip = (op->mods & KILN_SIM_NEG ? 0x8000u : 0) | (op->neg_hi ? 0x80000000u : 0);
    copy_to_temp(kiln_valu_fetch(wave, op, temp), 1, temp);
    for (unsigned i = 0; i < KILN_GFX942_LANES; i++)
        temp[i] = ((temp[i] >> low & 0xffffu) | temp[i] >> high << 16) ^ flip;
    return temp;
}

// Fetches source n with all its modifiers. Removes the lanes that DPP excludes from `writable`.
static const uint32_t *fetch_modified(const kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                                      unsigned n, uint32_t core_flags, uint32_t *temp,
                                      uint64_t *writable)
{
    const kiln_sim_operand_t *const op = &inst->src[n];
    const uint32_t *row = kiln_valu_fetch(wave, op, temp);
    const kiln_sim_type_t type = (kiln_sim_type_t)op->type;
    if (op->kind == KILN_SIM_OP_NONE || type == KILN_SIM_T_B1 || op->dwords > 2)
        return row;
    if (n == 0 && inst->encoding == KILN_SIM_DPP) {
        *writable &= dpp_move(wave, inst, row, temp);
        row = temp;
    }
    if ((core_flags & KILN_VALU_HALVES) && (type == KILN_SIM_T_V2F16 || type == KILN_SIM_T_V2I16))
        return arrange_halves(wave, inst, n, temp);
    const bool is_sdwa = n < 2 && inst->encoding == KILN_SIM_SDWA;
    const bool is_high =
        inst->encoding == KILN_SIM_E64 && (inst->op_sel >> n & 1) && bits_of_type(type) == 16;
    if (is_sdwa || is_high || (op->mods & (KILN_SIM_NEG | KILN_SIM_ABS))) {
        copy_to_temp(row, op->dwords, temp);
        row = temp;
    }
    if (is_sdwa)
        sdwa_select(op, temp);
    if (is_high)
        for (unsigned i = 0; i < KILN_GFX942_LANES; i++)
            temp[i] >>= 16;
    if (op->mods & (KILN_SIM_NEG | KILN_SIM_ABS))
        apply_sign_modifiers(op, temp);
    if ((core_flags & KILN_VALU_FLOAT) && is_float_type(type) &&
        !keeps_denormals(wave->mode, type, DENORM_IN)) {
        flush(type, row, temp);
        row = temp;
    }
    return row;
}

// ---- Results with modifiers ----

static float omod_factor(unsigned omod)
{
    return omod == 1 ? 2.0f : omod == 2 ? 4.0f : omod == 3 ? 0.5f : 1.0f;
}

static float clamp_f32(float value, uint32_t dx10)
{
    const float bounded = value > 1.0f ? 1.0f : value > 0.0f ? value : 0.0f;
    return value != value ? (dx10 ? 0.0f : value) : bounded;
}

static double clamp_f64(double value, uint32_t dx10)
{
    const double bounded = value > 1.0 ? 1.0 : value > 0.0 ? value : 0.0;
    return value != value ? (dx10 ? 0.0 : value) : bounded;
}

static uint32_t finish_f16(uint32_t bits, float factor, uint32_t clamp, const kiln_valu_t *x)
{
    if (factor != 1.0f)
        bits = kiln_f32_to_f16_mode(kiln_f16_to_f32((uint16_t)bits) * factor, x->round16,
                                    x->overflow16);
    if (clamp)
        bits = kiln_f32_to_f16(clamp_f32(kiln_f16_to_f32((uint16_t)bits), x->dx10_clamp));
    return bits;
}

static void make_zeros_positive(kiln_sim_type_t type, uint32_t *row)
{
    const uint32_t sign = type == KILN_SIM_T_F16 ? 0x8000u : 0x80000000u;
    for (unsigned i = 0; i < KILN_GFX942_LANES; i++) {
        uint32_t *const high = type == KILN_SIM_T_F64 ? &row[i + KILN_GFX942_LANES] : &row[i];
        if (*high == sign && (type != KILN_SIM_T_F64 || row[i] == 0))
            *high = 0;
    }
}

// Applies omod, flush and clamp to a float result. The machine ignores omod unless outputs are
// flushed and IEEE is off.
static void finish(const kiln_sim_wave_t *wave, const kiln_valu_t *x, kiln_sim_type_t type,
                   uint32_t *row)
{
    const kiln_sim_inst_t *const inst = x->inst;
    if (!is_float_type(type))
        return;
    const bool keep = keeps_denormals(wave->mode, type, DENORM_OUT);
    const float factor = keep || x->ieee ? 1.0f : omod_factor(inst->omod);
    if (factor != 1.0f && type == KILN_SIM_T_F32)
        for (unsigned i = 0; i < KILN_GFX942_LANES; i++)
            row[i] = kiln_bits_of_f32(kiln_f32_of_bits(row[i]) * factor);
    if (factor != 1.0f && type == KILN_SIM_T_F64)
        for (unsigned i = 0; i < KILN_GFX942_LANES; i++)
            KILN_VALU_STORE_f64(row, i, KILN_VALU_LOAD_f64(row, i) * (double)factor);
    if (factor != 1.0f && type == KILN_SIM_T_F16)
        for (unsigned i = 0; i < KILN_GFX942_LANES; i++)
            row[i] = finish_f16(row[i], factor, 0, x);
    if (!keep)
        flush(type, row, row);
    if (factor != 1.0f)
        make_zeros_positive(type, row);
    if (!inst->clamp)
        return;
    if (type == KILN_SIM_T_F32)
        for (unsigned i = 0; i < KILN_GFX942_LANES; i++)
            row[i] = kiln_bits_of_f32(clamp_f32(kiln_f32_of_bits(row[i]), x->dx10_clamp));
    else if (type == KILN_SIM_T_F64)
        for (unsigned i = 0; i < KILN_GFX942_LANES; i++)
            KILN_VALU_STORE_f64(row, i, clamp_f64(KILN_VALU_LOAD_f64(row, i), x->dx10_clamp));
    else if (type == KILN_SIM_T_F16)
        for (unsigned i = 0; i < KILN_GFX942_LANES; i++)
            row[i] = finish_f16(row[i], 1.0f, 1, x);
    else if (type == KILN_SIM_T_V2F16)
        for (unsigned i = 0; i < KILN_GFX942_LANES; i++)
            row[i] = finish_f16(row[i] & 0xffff, 1.0f, 1, x) | finish_f16(row[i] >> 16, 1.0f, 1, x)
                                                                   << 16;
}

// Inserts a result into a byte or word of the old destination.
static void sdwa_place(const kiln_sim_inst_t *inst, const uint32_t *old, uint32_t *result)
{
    const unsigned sel = inst->dst_sel;
    if (sel == KILN_SIM_SEL_DWORD)
        return;
    const unsigned shift = sel <= KILN_SIM_SEL_BYTE3 ? sel * 8 : (sel - KILN_SIM_SEL_WORD0) * 16;
    const unsigned bits = sel <= KILN_SIM_SEL_BYTE3 ? 8 : 16;
    const uint32_t field = ((1u << bits) - 1) << shift;
    for (unsigned i = 0; i < KILN_GFX942_LANES; i++) {
        const uint32_t value = result[i] << shift & field;
        const uint32_t sign = result[i] >> (bits - 1) & 1 ? ~(field | ((1u << shift) - 1)) : 0;
        result[i] = inst->dst_unused == 2   ? (old[i] & ~field) | value
                    : inst->dst_unused == 1 ? value | sign
                                            : value;
    }
}

static void place_part(unsigned shift, uint32_t ones, const uint32_t *old, uint32_t *result)
{
    for (unsigned i = 0; i < KILN_GFX942_LANES; i++)
        result[i] = (old[i] & ~(ones << shift)) | (result[i] & ones) << shift;
}

static int host_rounding(const kiln_sim_wave_t *wave, kiln_sim_type_t type)
{
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    const unsigned shift = type == KILN_SIM_T_F32 || type == KILN_SIM_T_V2F32
                               ? KILN_SIM_MODE_ROUND_F32_SHIFT
                               : KILN_SIM_MODE_ROUND_F64_F16_SHIFT;
    // f16 rows first round to odd in f32, in any mode.
    const bool follows =
        type == KILN_SIM_T_F32 || type == KILN_SIM_T_V2F32 || type == KILN_SIM_T_F64;
    return follows ? modes[wave->mode >> shift & 3] : FE_TONEAREST;
}

static void call_loop(const kiln_sim_wave_t *wave, const kiln_valu_core_t *core,
                      const kiln_valu_t *x, const uint32_t *const *row, kiln_sim_type_t type,
                      uint32_t *result)
{
    const kiln_valu_loop_t loop = x->clamp && core->saturate ? core->saturate : core->loop;
    const int rounding = core->flags & KILN_VALU_FLOAT ? host_rounding(wave, type) : FE_TONEAREST;
    if (rounding != FE_TONEAREST)
        fesetround(rounding);
    loop(x, row[0], row[1], row[2], result);
    if (rounding != FE_TONEAREST)
        fesetround(FE_TONEAREST);
}

void KILN_SIM_V(kiln_valu_run_modified)(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                                        const kiln_valu_core_t *core)
{
    sources_t s;
    alignas(64) uint32_t result[4 * KILN_GFX942_LANES];
    uint8_t carry[KILN_GFX942_LANES];
    uint64_t writable = wave->exec;
    const kiln_valu_t x = kiln_valu_mode(wave, inst, carry);
    for (unsigned n = 0; n < 3; n++)
        s.row[n] = fetch_modified(wave, inst, n, core->flags, s.temp[n], &writable);
    const kiln_sim_type_t type = (kiln_sim_type_t)inst->row->dst;
    call_loop(wave, core, &x, s.row, core->flags & KILN_VALU_MASK ? KILN_SIM_T_NONE : type, result);
    if (core->flags & KILN_VALU_MASK) {
        kiln_valu_write_comparison(wave, inst, result);
        return;
    }
    if (core->flags & KILN_VALU_FLOAT)
        finish(wave, &x, type, result);
    uint32_t *const d = wave->vgpr[inst->dst.reg];
    if (inst->encoding == KILN_SIM_SDWA && inst->dst.dwords == 1)
        sdwa_place(inst, d, result);
    else if (core->flags & KILN_VALU_KEEP16)
        place_part(inst->op_sel & 8 ? 16 : 0, 0xffffu, d, result);
    else if (core->flags & KILN_VALU_KEEP8)
        place_part((inst->op_sel >> 2 & 3u) * 8, 0xffu, d, result);
    for (unsigned part = 0; part < inst->dst.dwords; part++)
        kiln_valu_write(d + part * KILN_GFX942_LANES, result + part * KILN_GFX942_LANES, writable);
    if (core->flags & KILN_VALU_CARRY)
        write_mask(wave, &inst->sdst, kiln_valu_compress_mask(carry) & writable);
}

// ---- Packed ----

// One half of a packed source for the result's half `high`. 16-bit halves are shifted down, f32
// halves are dwords.
static const uint32_t *packed_half(const kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                                   unsigned n, unsigned high, uint32_t core_flags,
                                   const uint32_t *row, uint32_t *temp)
{
    const kiln_sim_operand_t *const op = &inst->src[n];
    const bool is_f32 = op->type == KILN_SIM_T_V2F32;
    const kiln_sim_type_t type = is_f32                         ? KILN_SIM_T_F32
                                 : op->type == KILN_SIM_T_V2F16 ? KILN_SIM_T_F16
                                                                : KILN_SIM_T_U16;
    const unsigned pick = (high ? inst->op_sel_hi : inst->op_sel) >> n & 1;
    const bool negate = high ? op->neg_hi : op->mods & KILN_SIM_NEG;
    const bool flushes = (core_flags & KILN_VALU_FLOAT) && is_float_type(type) &&
                         !keeps_denormals(wave->mode, type, DENORM_IN);
    if (is_f32)
        row += pick * KILN_GFX942_LANES;
    if ((is_f32 || !pick) && !negate && !flushes)
        return row;
    const unsigned shift = !is_f32 && pick ? 16 : 0;
    const uint32_t flip = !negate ? 0 : is_f32 ? 0x80000000u : 0x8000u;
    for (unsigned i = 0; i < KILN_GFX942_LANES; i++)
        temp[i] = row[i] >> shift ^ flip;
    if (flushes)
        flush(type, temp, temp);
    return temp;
}

void KILN_SIM_V(kiln_valu_run_packed)(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                                      const kiln_valu_core_t *core)
{
    sources_t s;
    alignas(64) uint32_t temp[3][KILN_GFX942_LANES];
    alignas(64) uint32_t result[2][KILN_GFX942_LANES];
    const kiln_valu_t x = kiln_valu_mode(wave, inst, NULL);
    const bool is_f32 = inst->row->dst == KILN_SIM_T_V2F32;
    const kiln_sim_type_t type = is_f32                               ? KILN_SIM_T_F32
                                 : inst->row->dst == KILN_SIM_T_V2F16 ? KILN_SIM_T_F16
                                                                      : KILN_SIM_T_U16;
    for (unsigned n = 0; n < 3; n++)
        s.row[n] = kiln_valu_fetch(wave, &inst->src[n], s.temp[n]);
    for (unsigned high = 0; high < 2; high++) {
        const uint32_t *half[3] = {s.row[0], s.row[1], s.row[2]};
        for (unsigned n = 0; n < 3; n++)
            if (inst->src[n].kind != KILN_SIM_OP_NONE)
                half[n] = packed_half(wave, inst, n, high, core->flags, s.row[n], temp[n]);
        call_loop(wave, core, &x, half, type, result[high]);
        finish(wave, &x, type, result[high]);
    }
    uint32_t *const d = wave->vgpr[inst->dst.reg];
    if (is_f32) {
        kiln_valu_write(d, result[0], wave->exec);
        kiln_valu_write(d + KILN_GFX942_LANES, result[1], wave->exec);
        return;
    }
    for (unsigned i = 0; i < KILN_GFX942_LANES; i++)
        result[0][i] = (result[0][i] & 0xffffu) | result[1][i] << 16;
    kiln_valu_write(d, result[0], wave->exec);
}
