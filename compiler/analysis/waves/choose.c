// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the number of waves of a workgroup if neither options nor module specify it. The limits
// are derived from predictions of Kiln's own clock (docs/tuning.md).
//
// A dot's operands do not count: they pass through LDS, and only the sum stays in registers.
#include <stdlib.h>

#include "analysis/dot_chain.h"
#include "analysis/waves/waves.h"
#include "base/gfx942.h"
#include "builder/ir.h"

enum {
    USUAL_WAVES = 4, // Triton's default: one wave for each SIMD
    MAX_WAVES = 16,
    SIDE = 16,            // rows and columns of the smallest useful matrix instruction
    SUM_REGISTERS = 64,   // of a lane: limit of a dot's sum with four waves
    TILE_REGISTERS = 128, // of a lane: limit of any tile
};

static int64_t registers(MlirType tile)
{
    MlirType element = kiln_type_element(tile);
    int bits = mlirTypeIsAInteger(element) || mlirTypeIsAFloat(element) ? kiln_type_bits(tile) : 32;
    return kiln_type_count(tile) * (bits > 32 ? bits / 32 : 1);
}

static int at_least(int waves, int64_t shares)
{
    while (waves < USUAL_WAVES && waves < shares)
        waves *= 2;
    return waves;
}

static int to_hold(int waves, int max, int64_t registers_of_all, int registers_of_lane)
{
    while (waves < max && registers_of_all > (int64_t)registers_of_lane * KILN_GFX942_LANES * waves)
        waves *= 2;
    return waves;
}

typedef struct survey {
    int64_t largest; // largest tile, in registers
    int64_t count;   // elements of the largest tile
} survey_t;

static MlirWalkResult look(MlirOperation op, void *user)
{
    survey_t *survey = user;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
        MlirType type = mlirValueGetType(mlirOperationGetResult(op, i));
        if (!kiln_type_is_tensor(type))
            continue;
        int64_t size = registers(type), count = kiln_type_count(type);
        survey->largest = size > survey->largest ? size : survey->largest;
        survey->count = count > survey->count ? count : survey->count;
    }
    return MlirWalkResultAdvance;
}

// Each wave has its own instruction, or in a chain of dots its own rows.
static int for_dot(const kiln_dots_t *dots, MlirOperation dot)
{
    MlirType type = mlirValueGetType(kiln_op_result(dot, 0));
    int rank = kiln_type_rank(type);
    int64_t rows = kiln_type_dim(type, rank - 2), columns = kiln_type_dim(type, rank - 1);
    int64_t shares = kiln_type_count(type) / (rows * columns) * ((rows + SIDE - 1) / SIDE);
    if (!kiln_dot_is_chained(dots, dot))
        shares *= (columns + SIDE - 1) / SIDE;
    int waves = to_hold(at_least(1, shares), 2 * USUAL_WAVES, registers(type), SUM_REGISTERS);
    return to_hold(waves, MAX_WAVES, registers(type), TILE_REGISTERS);
}

kiln_status_t kiln_waves_choose(MlirModule module, int *out_count)
{
    if (!mlirAttributeIsNull(kiln_ir_attr(mlirModuleGetOperation(module), "ttg.num-warps")))
        return kiln_waves_of_module(module, out_count);
    *out_count = 1;
    kiln_dots_t dots = kiln_dots_of_module(module);
    for (size_t i = 0; i < dots.count; ++i) {
        int wanted = for_dot(&dots, dots.ops[i]);
        *out_count = wanted > *out_count ? wanted : *out_count;
    }
    free(dots.ops);
    if (dots.out_of_memory)
        return kiln_status_out_of_memory();
    if (dots.count)
        return KILN_OK;
    survey_t survey = {0};
    kiln_walk(mlirModuleGetOperation(module), MlirWalkPreOrder, look, &survey);
    *out_count = to_hold(at_least(1, survey.count / KILN_GFX942_LANES), MAX_WAVES, survey.largest,
                         TILE_REGISTERS);
    return KILN_OK;
}
