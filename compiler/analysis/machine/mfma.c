// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lookup in mfma.def. Note that xf32 is an operand type for the machine, but a precision of f32 for
// a dot.
#include "analysis/machine/mfma.h"

#include <stddef.h>

#include <mlir-c/BuiltinTypes.h>

#include "base/gfx942.h"
#include "builder/ir.h"

enum { FMA_MAX_K = 32 };

// The element types in the machine's table.
enum {
    TYPE_F16 = KILN_MFMA_F16,
    TYPE_BF16 = KILN_MFMA_BF16,
    TYPE_F32 = KILN_MFMA_F32,
    TYPE_F64 = KILN_MFMA_F64,
    TYPE_I8 = KILN_MFMA_I8,
    TYPE_I32 = KILN_MFMA_I32,
    TYPE_FP8 = KILN_MFMA_FP8,
    TYPE_BF8 = KILN_MFMA_BF8,
    TYPE_XF32 // not one of our element types
};
// The machine's facts about each instruction.
enum {
#define GFX942_MFMA(name, n, k, blocks, a, b, d, passes)                                           \
    N_##name = n, K_##name = k, BLOCKS_##name = blocks, A_##name = TYPE_##a, B_##name = TYPE_##b,  \
    D_##name = TYPE_##d, PASSES_##name = passes,
#include "base/gfx942.def"
};

enum { SQUARE, TALL, WIDE };
#define IS_XF32(type) ((int)(type) == (int)TYPE_XF32)
#define ELEMENT(type) (IS_XF32(type) ? KILN_MFMA_F32 : (kiln_mfma_element_t)(type))

static const kiln_mfma_instruction_t INSTRUCTIONS[] = {
#define KILN_MFMA(name, shape, llvm_intrinsic)                                                     \
    {.a = ELEMENT(A_##name),                                                                       \
     .b = ELEMENT(B_##name),                                                                       \
     .accumulator = ELEMENT(D_##name),                                                             \
     .precision = IS_XF32(A_##name) ? KILN_MFMA_XF32 : KILN_MFMA_ANY,                              \
     .m = shape == WIDE ? N_##name : N_##name * BLOCKS_##name,                                     \
     .n = shape == TALL ? N_##name : N_##name * BLOCKS_##name,                                     \
     .k = K_##name * BLOCKS_##name,                                                                \
     .k_base = N_##name * K_##name * BLOCKS_##name / KILN_GFX942_LANES,                            \
     .cycles = PASSES_##name * KILN_GFX942_MFMA_PASS_CYCLES,                                       \
     .intrinsic = llvm_intrinsic},
#include "mfma.def"
#undef KILN_MFMA
};

kiln_mfma_element_t kiln_mfma_element(MlirType type)
{
    if (mlirTypeIsAF16(type))
        return KILN_MFMA_F16;
    if (mlirTypeIsABF16(type))
        return KILN_MFMA_BF16;
    if (mlirTypeIsAF32(type))
        return KILN_MFMA_F32;
    if (mlirTypeIsAF64(type))
        return KILN_MFMA_F64;
    if (mlirTypeIsAFloat8E4M3FNUZ(type))
        return KILN_MFMA_FP8;
    if (mlirTypeIsAFloat8E5M2FNUZ(type))
        return KILN_MFMA_BF8;
    if (mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 8)
        return KILN_MFMA_I8;
    if (mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 32)
        return KILN_MFMA_I32;
    return KILN_MFMA_NONE;
}

kiln_mfma_precision_t kiln_mfma_precision(MlirOperation dot)
{
    enum { TF32 = 0, IEEE = 2 }; // values of tt's input precision enum
    MlirType a = kiln_type_element(mlirValueGetType(kiln_op_operand(dot, 0)));
    int64_t precision = kiln_ir_int_attr(dot, "inputPrecision", IEEE);
    return mlirTypeIsAF32(a) && precision == TF32 ? KILN_MFMA_XF32 : KILN_MFMA_ANY;
}

const kiln_mfma_instruction_t *kiln_mfma_find(kiln_mfma_element_t a, kiln_mfma_element_t b,
                                              kiln_mfma_precision_t precision, int m, int n)
{
    for (size_t i = 0; i < sizeof INSTRUCTIONS / sizeof INSTRUCTIONS[0]; ++i) {
        const kiln_mfma_instruction_t *row = &INSTRUCTIONS[i];
        if (row->a == a && row->b == b && row->precision == precision && row->m == m && row->n == n)
            return row;
    }
    return NULL;
}

kiln_mfma_problem_t kiln_mfma_problem(MlirOperation dot, int wanted_side)
{
    MlirType a = mlirValueGetType(kiln_op_operand(dot, 0)),
             b = mlirValueGetType(kiln_op_operand(dot, 1)),
             result = mlirValueGetType(kiln_op_result(dot, 0));
    int rank = kiln_type_rank(result);
    return (kiln_mfma_problem_t){.a = kiln_mfma_element(kiln_type_element(a)),
                                 .b = kiln_mfma_element(kiln_type_element(b)),
                                 .result = kiln_type_element(result),
                                 .precision = kiln_mfma_precision(dot),
                                 .m = kiln_type_dim(result, rank - 2),
                                 .n = kiln_type_dim(result, rank - 1),
                                 .k = kiln_type_dim(a, rank - 1),
                                 .batch = rank == 3 ? kiln_type_dim(result, 0) : 1,
                                 .wanted_side = wanted_side};
}

// Whether the result has the accumulator's type, or a narrower one to which it is rounded (or
// truncated) at the end.
static bool sum_fits(const kiln_mfma_instruction_t *instruction, MlirType result)
{
    switch (instruction->accumulator) {
    case KILN_MFMA_F32:
        return mlirTypeIsAFloat(result) && mlirFloatTypeGetWidth(result) <= 32;
    case KILN_MFMA_F64:
        return mlirTypeIsAFloat(result);
    default:
        return mlirTypeIsAInteger(result) && mlirIntegerTypeGetWidth(result) <= 32;
    }
}

// Finds the instruction of m rows and n columns for the problem's types, if K is a multiple of its
// K.
static const kiln_mfma_instruction_t *find_fitting(const kiln_mfma_problem_t *p, int m, int n)
{
    const kiln_mfma_instruction_t *found = kiln_mfma_find(p->a, p->b, p->precision, m, n);
    if (!found && m != n) // no narrow one exists for xf32: f32 is as good
        found = kiln_mfma_find(p->a, p->b, KILN_MFMA_ANY, m, n);
    return found && p->k % found->k == 0 && sum_fits(found, p->result) ? found : NULL;
}

// Whether there are instructions for all waves; otherwise some would duplicate the work of others.
static bool occupies_waves(const kiln_mfma_problem_t *p, int m, int n)
{
    return p->batch * (p->m / m) * (p->is_chained ? 1 : p->n / n) >= p->waves;
}

const kiln_mfma_instruction_t *kiln_mfma_choose(const kiln_mfma_problem_t *p)
{
    static const struct {
        int m, n;
        bool on_request; // also if the program requests a side
    } shapes[] = {{32, 32, true}, {16, 16, true}, {4, 64, false}, {64, 4, false}};
    const kiln_mfma_instruction_t *larger = NULL;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
        int m = shapes[i].m, n = shapes[i].n;
        if (larger && m != 16)
            break;
        if (m > p->m || n > p->n || (p->wanted_side && !shapes[i].on_request) ||
            (p->wanted_side == 16 && m == 32))
            continue;
        const kiln_mfma_instruction_t *found = find_fitting(p, m, n);
        if (found && m == 32 && !p->wanted_side && !occupies_waves(p, m, n))
            larger = found;
        else if (found)
            return found;
    }
    if (larger)
        return larger;
    // Fewer rows or columns than any instruction has: lanes duplicate work. With multiply-adds each
    // thread would have to hold all of K, which is only suitable for a small K.
    return p->k > FMA_MAX_K ? find_fitting(p, 16, 16) : NULL;
}
