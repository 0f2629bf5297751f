// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the number of waves of a workgroup if neither options nor module specify it. The limits
// are derived from predictions of Kiln's own clock (docs/tuning.md).
//
// A dot's operands do not count: they pass through LDS, and only the sums stay in registers.
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

// A dot's result in instructions of SIDE × SIDE, and in rows of them.
typedef struct shares {
    int64_t all, rows;
} shares_t;

static shares_t shares_of(MlirOperation dot)
{
    MlirType type = mlirValueGetType(kiln_op_result(dot, 0));
    int rank = kiln_type_rank(type);
    const int64_t m = kiln_type_dim(type, rank - 2), n = kiln_type_dim(type, rank - 1),
                  rows = kiln_type_count(type) / (m * n) * ((m + SIDE - 1) / SIDE);
    return (shares_t){rows * ((n + SIDE - 1) / SIDE), rows};
}

// Whether the value is a tile converted from a smaller type, as from 8-bit floats.
static bool is_widened(MlirValue value)
{
    MlirOperation op;
    kiln_value_op(value, &op);
    if (mlirOperationIsNull(op) || mlirOperationGetNumOperands(op) == 0)
        return false;
    MlirType from = mlirValueGetType(kiln_op_operand(op, 0)), to = mlirValueGetType(value);
    return kiln_type_is_tensor(from) && kiln_type_is_tensor(to) &&
           kiln_type_bits(from) < kiln_type_bits(to) &&
           kiln_type_count(from) == kiln_type_count(to);
}

// Rows of a chain stay in a wave, so that operations between the dots, such as softmax, need no
// exchange. But work on the second operands, which all rows share, is divided by more waves only:
// as many as have an instruction of their own in each of the dots.
static int64_t shares_of_chain(const kiln_dots_t *dots, MlirOperation dot)
{
    const shares_t own = shares_of(dot);
    int64_t least = own.all;
    bool has_work = false;
    for (size_t i = 0; i < dots->count; i++)
        if (mlirBlockEqual(mlirOperationGetBlock(dots->ops[i]), mlirOperationGetBlock(dot)) &&
            kiln_dot_is_chained(dots, dots->ops[i])) {
            const int64_t all = shares_of(dots->ops[i]).all;
            least = all < least ? all : least;
            has_work |= is_widened(kiln_op_operand(dots->ops[i], 1));
        }
    return has_work && least > own.rows ? least : own.rows;
}

// Whether a sum of the same size stays in registers beside the dot's result: one in which an
// iteration of a loop adds up scaled results.
static bool has_second_sum(MlirOperation dot)
{
    const MlirValue result = kiln_op_result(dot, 0), first = kiln_op_operand(dot, 2);
    MlirOperation parent = kiln_op_parent(dot);
    MlirBlock block = mlirOperationGetBlock(dot);
    if (kiln_op_kind(parent) != KILN_OP_SCF_FOR || mlirValueIsABlockArgument(first))
        return false;
    for (intptr_t i = 1; i < mlirBlockGetNumArguments(block); i++)
        if (mlirTypeEqual(mlirValueGetType(mlirBlockGetArgument(block, i)),
                          mlirValueGetType(result)))
            return true;
    return false;
}

// Each wave has its own instruction, or in a chain of dots its own rows.
static int for_dot(const kiln_dots_t *dots, MlirOperation dot)
{
    MlirType type = mlirValueGetType(kiln_op_result(dot, 0));
    const bool is_chained = kiln_dot_is_chained(dots, dot);
    const int64_t shares = is_chained ? shares_of_chain(dots, dot) : shares_of(dot).all,
                  sums = registers(type) * (!is_chained && has_second_sum(dot) ? 2 : 1);
    int waves = to_hold(at_least(1, shares), 2 * USUAL_WAVES, sums, SUM_REGISTERS);
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
