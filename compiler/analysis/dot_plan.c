// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the matrix instruction of a dot, and distributes its result over the waves.
#include "analysis/dot_plan.h"

#include <mlir-c/BuiltinTypes.h>

#include "builder/ir.h"

// Warps -------------------------------------------------------------------------------------------

// Grows the grid of warps along the dimension with more tiles left, rows first (Triton's rule).
static void spread_warps(int64_t m, int64_t n, const kiln_mfma_instruction_t *tile, int num_warps,
                         int32_t warps[2])
{
    warps[0] = warps[1] = 1;
    while (warps[0] * warps[1] < num_warps) {
        bool rows =
            m / (tile->m * 2) / warps[0] >= n / tile->n / warps[1] && warps[0] < m / tile->m;
        warps[rows ? 0 : 1] *= 2;
    }
    if ((int64_t)warps[1] * tile->n > n) {
        int32_t columns = warps[1];
        warps[1] = warps[0];
        warps[0] = columns;
    }
}

// Distributes warps over the matrices of a batch first. In a chain of dots, rows come next, so that
// operations between the dots, such as softmax, stay within a wave as long as there are enough
// rows.
static void choose_warps(const kiln_mfma_problem_t *problem, const kiln_mfma_instruction_t *tile,
                         int rank, int32_t warps[KILN_MAX_RANK])
{
    int32_t left = problem->waves, *plane = warps + rank - 2;
    for (int i = 0; i < rank; ++i)
        warps[i] = 1;
    for (; rank == 3 && left > 1 && warps[0] < problem->batch; left /= 2)
        warps[0] *= 2;
    if (!problem->is_chained) {
        spread_warps(problem->m, problem->n, tile, left, plane);
        return;
    }
    int64_t tiles = (problem->m + tile->m - 1) / tile->m;
    plane[0] = tiles < left ? (int32_t)tiles : left;
    plane[1] = left / plane[0];
}

// Instruction -------------------------------------------------------------------------------------

// Returns the next wider type that represents exactly all values of an operand type and of the
// other types of its width; null if there is none.
static MlirType wider_element(MlirType a)
{
    MlirContext context = mlirTypeGetContext(a);
    if (!mlirTypeIsAFloat(a) || mlirTypeIsAF64(a))
        return (MlirType){NULL};
    if (mlirFloatTypeGetWidth(a) == 8)
        return mlirF16TypeGet(context);
    return mlirTypeIsAF32(a) ? mlirF64TypeGet(context) : mlirF32TypeGet(context);
}

// Chooses the instruction for a dot. If none takes the operands as they are (8-bit floats of OCP,
// f16 with bf16, a K that is too small, a result of f64), tries one for wider operands, which
// represent the same values exactly.
static const kiln_mfma_instruction_t *
choose_instruction(MlirOperation dot, kiln_mfma_problem_t *problem, MlirType *widen_to)
{
    MlirType element = kiln_type_element(mlirValueGetType(kiln_op_operand(dot, 0)));
    *widen_to = (MlirType){NULL};
    for (;;) {
        const kiln_mfma_instruction_t *found = kiln_mfma_choose(problem);
        if (found)
            return found;
        if (problem->precision == KILN_MFMA_XF32) { // f32 is at least as precise as xf32
            problem->precision = KILN_MFMA_ANY;
            continue;
        }
        *widen_to = element = wider_element(element);
        if (mlirTypeIsNull(element))
            return NULL;
        problem->a = problem->b = kiln_mfma_element(element);
    }
}

kiln_dot_plan_t kiln_dot_plan(const kiln_dots_t *dots, MlirOperation dot, int wanted_side,
                              int waves)
{
    kiln_mfma_problem_t problem = kiln_mfma_problem(dot, wanted_side);
    kiln_dot_plan_t plan = {.k = problem.k};
    problem.waves = waves;
    problem.is_chained = kiln_dot_is_chained(dots, dot);
    plan.instruction = choose_instruction(dot, &problem, &plan.widen_to);
    if (plan.instruction)
        choose_warps(&problem, plan.instruction,
                     kiln_type_rank(mlirValueGetType(kiln_op_result(dot, 0))), plan.warps);
    return plan;
}
