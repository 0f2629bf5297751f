// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selects the matrix instruction that computes a dot, for accelerate_matmul and the lowering of
// tt.dot.
#ifndef KILN_ANALYSIS_MFMA_H
#define KILN_ANALYSIS_MFMA_H

#include <stdbool.h>

#include <mlir-c/IR.h>

typedef enum kiln_mfma_element {
    KILN_MFMA_NONE, // a type that no matrix instruction accepts
    KILN_MFMA_F16,
    KILN_MFMA_BF16,
    KILN_MFMA_F32,
    KILN_MFMA_F64,
    KILN_MFMA_I8,
    KILN_MFMA_I32,
    KILN_MFMA_FP8, // f8E4M3FNUZ
    KILN_MFMA_BF8, // f8E5M2FNUZ
} kiln_mfma_element_t;
kiln_mfma_element_t kiln_mfma_element(MlirType type);

typedef enum kiln_mfma_precision { KILN_MFMA_ANY, KILN_MFMA_XF32 } kiln_mfma_precision_t;
// Returns XF32 for f32 operands with inputPrecision = tf32.
kiln_mfma_precision_t kiln_mfma_precision(MlirOperation dot);

typedef struct kiln_mfma_instruction {
    kiln_mfma_element_t a, b, accumulator;
    kiln_mfma_precision_t precision;
    int m, n, k;
    int k_base; // elements of A (and of B) that a lane holds for one instruction
    int cycles; // during which it occupies the matrix unit
    const char *intrinsic;
} kiln_mfma_instruction_t;

// Returns the instruction for these operand types of m rows and n columns; NULL if there is none.
const kiln_mfma_instruction_t *kiln_mfma_find(kiln_mfma_element_t a, kiln_mfma_element_t b,
                                              kiln_mfma_precision_t precision, int m, int n);

// What determines a dot's instruction.
typedef struct kiln_mfma_problem {
    kiln_mfma_element_t a, b;
    MlirType result; // element type
    kiln_mfma_precision_t precision;
    int64_t m, n, k, batch; // batch: number of matrices, or 1
    int wanted_side;        // 16 or 32 from matrix_instr_nonkdim, 0 to choose
    int waves; // that share the result, each with its own instructions if there are enough; 0:
               // unknown
    bool is_chained; // the waves share its rows (analysis/dot_chain.h)
} kiln_mfma_problem_t;
kiln_mfma_problem_t kiln_mfma_problem(MlirOperation dot, int wanted_side);

// Returns the instruction for a dot; NULL if none fits, and it must be computed by multiply-adds.
const kiln_mfma_instruction_t *kiln_mfma_choose(const kiln_mfma_problem_t *problem);

#endif
