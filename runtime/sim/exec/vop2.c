// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector instructions with two sources: isa/vop2.def.
//
// Pitfall: "rev" forms swap the operands of the operation, not of the encoding: v_subrev is b - a,
// and v_lshlrev shifts b by a.
#include "exec/valu_dot.h"

#define READS_DST KILN_SIM_ROW_READS_DST
#define CARRY_OUT KILN_SIM_ROW_CARRY_OUT
#define CARRY_IN (KILN_SIM_ROW_CARRY_OUT | KILN_SIM_ROW_CARRY_IN)

#define VOP2(name, T, ...) KILN_VALU_LOOP(name, T, T, T, none, __VA_ARGS__)
#define VOP2_MIXED(name, D, A, B, ...) KILN_VALU_LOOP(name, D, A, B, none, __VA_ARGS__)
#define VOP2_CLAMPED(name, T, ...)                                                                 \
    KILN_VALU_LOOP(name, T, T, T, none, __VA_ARGS__)                                               \
    KILN_VALU_SATURATING_LOOP(name, T, T, T, none, __VA_ARGS__)
#define VOP2_CARRY(name, saturated, ...)                                                           \
    KILN_VALU_CARRY_LOOP(name, saturated, u32, u32, none, __VA_ARGS__)
#define VOP2_CARRY_IN(name, saturated, ...)                                                        \
    KILN_VALU_CARRY_LOOP(name, saturated, u32, u32, b1, __VA_ARGS__)
#define VOP2_SELECT(name, T, ...) KILN_VALU_LOOP(name, T, T, T, b1, __VA_ARGS__)
#define ACCUMULATE_0(name, D, A, B, ...)
#define ACCUMULATE_1(name, D, A, B, ...) KILN_VALU_SATURATING_LOOP(name, D, A, B, D, __VA_ARGS__)
#define VOP2_ACCUMULATE(name, D, A, B, saturates, ...)                                             \
    KILN_VALU_LOOP(name, D, A, B, D, __VA_ARGS__)                                                  \
    ACCUMULATE_##saturates(name, D, A, B, __VA_ARGS__)
#define VOP2_ACCUMULATE_BITS(name, D, T, C, ...) KILN_VALU_LOOP(name, D, none, none, C, __VA_ARGS__)
#define VOP2_LITERAL(name, T, flag, ...) KILN_VALU_LOOP(name, T, T, T, T, __VA_ARGS__)
#include "isa/vop2.def"

enum {
#define VOP2(name, ...) INDEX_##name,
#define VOP2_MIXED(name, ...) INDEX_##name,
#define VOP2_CLAMPED(name, ...) INDEX_##name,
#define VOP2_CARRY(name, ...) INDEX_##name,
#define VOP2_CARRY_IN(name, ...) INDEX_##name,
#define VOP2_SELECT(name, ...) INDEX_##name,
#define VOP2_ACCUMULATE(name, ...) INDEX_##name,
#define VOP2_ACCUMULATE_BITS(name, ...) INDEX_##name,
#define VOP2_LITERAL(name, ...) INDEX_##name,
#include "isa/vop2.def"
};

#define SATURATE_0(name) NULL
#define SATURATE_1(name) saturate_##name

static const kiln_valu_core_t cores[] = {
#define VOP2(name, T, ...) {loop_##name, NULL, KILN_VALU_IS_FLOAT_##T},
#define VOP2_MIXED(name, D, A, B, ...) {loop_##name, NULL, KILN_VALU_FLOATNESS(D, A, B, none)},
#define VOP2_CLAMPED(name, T, ...) {loop_##name, saturate_##name, 0},
#define VOP2_CARRY(name, ...) {loop_##name, NULL, KILN_VALU_CARRY},
#define VOP2_CARRY_IN(name, ...) {loop_##name, NULL, KILN_VALU_CARRY},
#define VOP2_SELECT(name, ...) {loop_##name, NULL, 0},
#define VOP2_ACCUMULATE(name, D, A, B, saturates, ...)                                             \
    {loop_##name, SATURATE_##saturates(name), KILN_VALU_FLOATNESS(D, A, B, D)},
#define VOP2_ACCUMULATE_BITS(name, D, T, C, ...)                                                   \
    {loop_##name, NULL, KILN_VALU_FLOATNESS(D, T, T, C)},
#define VOP2_LITERAL(name, T, ...) {loop_##name, NULL, KILN_VALU_IS_FLOAT_##T},
#include "isa/vop2.def"
};

static void run(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    KILN_SIM_V(kiln_valu_run)(wave, inst, &cores[inst->row->info]);
}

static void run_modified(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    KILN_SIM_V(kiln_valu_run_modified)(wave, inst, &cores[inst->row->info]);
}

#define ROW(name, handler, D, A, B, C, flags)                                                      \
    KILN_VALU_ROW(#name, handler, INDEX_##name, KILN_SIM_VOP2, KILN_SIM_CLASS_VALU,                \
                  KILN_GFX942_VALU_CYCLES, D, A, B, C, flags)

static const kiln_sim_row_t rows[] = {
#define VOP2(name, T, ...) ROW(name, run_##name, T, T, T, none, 0)
#define VOP2_MIXED(name, D, A, B, ...) ROW(name, run_##name, D, A, B, none, 0)
#define VOP2_CLAMPED(name, T, ...) ROW(name, run_##name, T, T, T, none, 0)
#define VOP2_CARRY(name, ...) ROW(name, run_##name, u32, u32, u32, none, CARRY_OUT)
#define VOP2_CARRY_IN(name, ...) ROW(name, run_##name, u32, u32, u32, b1, CARRY_IN)
#define VOP2_SELECT(name, T, ...) ROW(name, run_##name, T, T, T, b1, KILN_SIM_ROW_CARRY_IN)
#define VOP2_ACCUMULATE(name, D, A, B, saturates, ...) ROW(name, run_##name, D, A, B, D, READS_DST)
#define VOP2_ACCUMULATE_BITS(name, D, T, C, ...) ROW(name, run, T##_or_##D, T, T, C, READS_DST)
#define VOP2_LITERAL(name, T, flag, ...) ROW(name, run_##name, T, T, T, T, flag)
#define KILN_VALU_T_v2f16_or_f32 KILN_SIM_T_F32
#define KILN_VALU_T_v2f16_or_u32 KILN_SIM_T_V2F16
#include "isa/vop2.def"
};

extern const kiln_sim_rows_t KILN_SIM_V(kiln_sim_rows_vop2);
const kiln_sim_rows_t KILN_SIM_V(kiln_sim_rows_vop2) = {rows, sizeof rows / sizeof rows[0]};
