// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Divides once per wave where lanes hold copies of one another's quotients or remainders:
//
//   %i = … : tensor<64xi32, #slice>               %i1 = … : tensor<64xi32, #shared>
//   %r = arith.remsi %i, %n : #slice        →     %r1 = arith.remsi %i1, %n1 : #shared
//                                                 %r  = ttg.convert_layout %r1 : #shared -> #slice
//
// An index of one dimension of a tile whose accesses are wide has the layout of the tile without
// the other dimension: each lane holds several elements, and so do the lanes beside it in the other
// dimension. A division by a number that is not constant takes some 16 instructions for each
// element. #shared has the element of each wave's register in one of those lanes, and the
// conversion is a cross-lane move for each element, without LDS' memory and without barriers. The
// operands are computed again in #shared; loads among them, of few elements, are repeated.
//
// It pays where it leaves at most a quarter of the divisions. Equal dividends do not count:
// lowering computes with one of them. The pass runs after loops are pipelined: the branches of
// linear_remainders, which divide a whole group for the tiles at the edge, are then in as many
// places as the loads are.
#include "analysis/axis/axis_info.h"
#include "base/array.h"
#include "builder/ir.h"
#include "builder/op_facts.h"
#include "layout/layout.h"
#include "passes/layouts/rematerialise.h"
#include "passes/pass.h"

#include <stdlib.h>

enum { LEAST_BITS = 2, WORD = 32 };

typedef struct divisions {
    MlirOperation *ops;
    size_t count, capacity;
    bool out_of_memory;
} divisions_t;

static bool divides(kiln_op_t kind)
{
    return kind == KILN_OP_ARITH_DIVSI || kind == KILN_OP_ARITH_DIVUI ||
           kind == KILN_OP_ARITH_REMSI || kind == KILN_OP_ARITH_REMUI;
}

static MlirWalkResult collect(MlirOperation op, void *user)
{
    divisions_t *all = user;
    int64_t number;
    if (!divides(kiln_op_kind(op)) || kiln_ir_constant_int(kiln_op_operand(op, 1), &number))
        return MlirWalkResultAdvance;
    MlirType type = mlirValueGetType(kiln_op_result(op, 0));
    if (!kiln_type_is_tensor(type) || kiln_type_rank(type) != 1 || kiln_type_bits(type) != WORD)
        return MlirWalkResultAdvance;
    if (!KILN_ARRAY_RESERVE(&all->ops, &all->capacity, all->count + 1)) {
        all->out_of_memory = true;
        return MlirWalkResultInterrupt;
    }
    all->ops[all->count++] = op;
    return MlirWalkResultAdvance;
}

// Moves register bits to the lane bits in which the layout holds copies. Returns how many.
static int spread(kiln_layout_t *io_layout)
{
    const uint32_t free_bits = kiln_layout_free_bits(io_layout, KILN_LANE);
    int moved = 0;
    for (int bit = 0; bit < io_layout->bits[KILN_LANE]; bit++)
        if (free_bits >> bit & 1 && io_layout->bits[KILN_REGISTER] > 0) {
            const int last = --io_layout->bits[KILN_REGISTER];
            io_layout->basis[KILN_LANE][bit] = io_layout->basis[KILN_REGISTER][last];
            moved++;
        }
    return moved;
}

static MlirValue in_layout(kiln_rematerialiser_t *rematerialiser, MlirOperation division,
                           MlirValue operand, MlirAttribute encoding)
{
    const kiln_ir_t ir = kiln_ir_before(division);
    const MlirType type = kiln_type_with_encoding(mlirValueGetType(operand), encoding);
    MlirOperation moved =
        mlirOpResultGetOwner(kiln_ir_unary(&ir, KILN_OP_TTG_CONVERT_LAYOUT, type, operand));
    MlirValue value = kiln_rematerialise(rematerialiser, moved);
    kiln_op_erase(moved);
    return value;
}

static bool has_equal_dividends(const kiln_axis_analysis_t *axis, MlirOperation division)
{
    return kiln_axis_info(axis, kiln_op_operand(division, 0)).constancy[0] > 1;
}

static kiln_status_t share(kiln_rematerialiser_t *rematerialiser, MlirOperation division)
{
    const MlirValue result = kiln_op_result(division, 0);
    const MlirType type = mlirValueGetType(result);
    kiln_layout_t own, shared;
    KILN_TRY(kiln_layout_of_type(type, rematerialiser->names->num_warps, &own));
    shared = own;
    if (spread(&shared) < LEAST_BITS ||
        kiln_layout_plan_conversion(&shared, &own, WORD).kind != KILN_CONVERSION_SHUFFLE)
        return KILN_OK;
    const MlirAttribute encoding = kiln_layout_to_linear_attr(mlirTypeGetContext(type), &shared);
    MlirValue operands[2];
    for (int i = 0; i < 2; i++) {
        operands[i] = in_layout(rematerialiser, division, kiln_op_operand(division, i), encoding);
        if (mlirValueIsNull(operands[i]))
            return KILN_OK;
    }
    const kiln_ir_t ir = kiln_ir_before(division);
    MlirValue quotient = kiln_ir_binary(&ir, kiln_op_kind(division), operands[0], operands[1]);
    kiln_value_replace(result, kiln_ir_unary(&ir, KILN_OP_TTG_CONVERT_LAYOUT, type, quotient));
    return KILN_OK;
}

kiln_status_t kiln_share_divisions(const kiln_pass_context_t *context, MlirModule module)
{
    kiln_layout_names_t names = {.num_warps = context->options->num_warps};
    kiln_rematerialiser_t rematerialiser = {.names = &names};
    divisions_t all = {0};
    const MlirOperation root = mlirModuleGetOperation(module);
    kiln_axis_analysis_t *axis = NULL;
    kiln_walk(root, MlirWalkPreOrder, collect, &all);
    kiln_status_t status = all.count ? kiln_axis_analysis_create(root, &axis) : KILN_OK;
    size_t count = 0; // values are looked up by address, which new operations could reuse
    for (size_t i = 0; i < all.count && axis; i++)
        if (!has_equal_dividends(axis, all.ops[i]))
            all.ops[count++] = all.ops[i];
    kiln_axis_analysis_destroy(axis);
    for (size_t i = 0; i < count && !status; i++)
        status = share(&rematerialiser, all.ops[i]);
    if (!status && (all.out_of_memory || rematerialiser.out_of_memory))
        status = kiln_status_out_of_memory();
    kiln_rematerialiser_free(&rematerialiser);
    kiln_names_free(&names);
    free(all.ops);
    return status;
}
