// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparisons: isa/vopc.def.
//
// Pitfalls: "n" forms are true for unordered operands (nlt is "not less than", not ">="), and the
// result's bits of lanes outside EXEC are 0, not unchanged.
#include "exec/valu.h"

// The class bits of v_cmp_class, from the fields of a float: 0 signalling NaN, 1 quiet NaN, 2 -inf,
// 3 -normal, 4 -denormal, 5 -0, 6 +0, 7 +denormal, 8 +normal, 9 +inf.
static inline uint32_t class_of(uint32_t negative, uint32_t exponent, uint32_t largest,
                                uint64_t fraction, uint64_t quiet)
{
    const uint32_t is_nan = exponent == largest && fraction != 0;
    const uint32_t magnitude = exponent == largest ? 3
                               : exponent != 0     ? 2
                                                   : fraction != 0; // 0 zero … 3 infinity
    const uint32_t number = negative ? 5 - magnitude : 6 + magnitude;
    return 1u << (is_nan ? (quiet ? 1 : 0) : number);
}

#define COMPARE(name, T, ...) KILN_VALU_COMPARE_LOOP(name, T, T, __VA_ARGS__)
#define COMPARE_CLASS(name, A, B, ...) KILN_VALU_COMPARE_LOOP(name, A, B, __VA_ARGS__)
#include "isa/vopc.def"
#undef COMPARE
#undef COMPARE_CLASS

enum {
#define COMPARE(name, ...) INDEX_##name,
#define COMPARE_CLASS(name, ...) INDEX_##name,
#include "isa/vopc.def"
#undef COMPARE
#undef COMPARE_CLASS
};

static const kiln_valu_core_t cores[] = {
#define COMPARE(name, T, ...) {loop_##name, NULL, KILN_VALU_MASK | KILN_VALU_IS_FLOAT_##T},
#define COMPARE_CLASS(name, ...) {loop_##name, NULL, KILN_VALU_MASK},
#include "isa/vopc.def"
#undef COMPARE
#undef COMPARE_CLASS
};

static void run(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    KILN_SIM_V(kiln_valu_run)(wave, inst, &cores[inst->row->info]);
}

static void run_modified(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    KILN_SIM_V(kiln_valu_run_modified)(wave, inst, &cores[inst->row->info]);
}

#define ROWS(name, A, B)                                                                           \
    KILN_VALU_ROW("v_cmp_" #name, run_##name, INDEX_##name, KILN_SIM_VOPC, KILN_SIM_CLASS_VALU,    \
                  KILN_GFX942_VALU_CYCLES, b1, A, B, none, 0)                                      \
    KILN_VALU_ROW("v_cmpx_" #name, run_##name, INDEX_##name, KILN_SIM_VOPC, KILN_SIM_CLASS_VALU,   \
                  KILN_GFX942_VALU_CYCLES, b1, A, B, none, KILN_SIM_ROW_CMPX)

static const kiln_sim_row_t rows[] = {
#define COMPARE(name, T, ...) ROWS(name, T, T)
#define COMPARE_CLASS(name, A, B, ...) ROWS(name, A, B)
#include "isa/vopc.def"
};

extern const kiln_sim_rows_t KILN_SIM_V(kiln_sim_rows_vopc);
const kiln_sim_rows_t KILN_SIM_V(kiln_sim_rows_vopc) = {rows, sizeof rows / sizeof rows[0]};
