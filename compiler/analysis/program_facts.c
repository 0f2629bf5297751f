// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts operations and measures tiles.
#include "analysis/program_facts.h"

#include <stdlib.h>

#include "analysis/dot_chain.h"
#include "builder/ir.h"

static bool is_in_loop(MlirOperation op)
{
    for (; !mlirOperationIsNull(op); op = mlirOperationGetParentOperation(op)) {
        const kiln_op_t kind = kiln_op_kind(op);
        if (kind == KILN_OP_SCF_FOR || kind == KILN_OP_SCF_WHILE)
            return true;
    }
    return false;
}

static MlirWalkResult look(MlirOperation op, void *user)
{
    kiln_program_facts_t *facts = user;
    const kiln_op_t kind = kiln_op_kind(op);
    facts->loops += kind == KILN_OP_SCF_FOR || kind == KILN_OP_SCF_WHILE;
    facts->reductions += kind == KILN_OP_TT_REDUCE || kind == KILN_OP_TT_SCAN;
    facts->loads_in_loops +=
        (kind == KILN_OP_TT_LOAD || kind == KILN_OP_TT_DESCRIPTOR_LOAD) && is_in_loop(op);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
        const MlirType type = mlirValueGetType(mlirOperationGetResult(op, i));
        if (!kiln_type_is_tensor(type))
            continue;
        const int64_t count = kiln_type_count(type);
        facts->largest_tile = count > facts->largest_tile ? count : facts->largest_tile;
        if (__builtin_add_overflow(facts->tile_elements, count, &facts->tile_elements))
            facts->tile_elements = INT64_MAX;
    }
    return MlirWalkResultAdvance;
}

// The least of a dot's rows, columns and depth.
static void measure_dot(MlirOperation dot, kiln_program_facts_t *facts)
{
    const MlirType sum = mlirValueGetType(kiln_op_result(dot, 0)),
                   left = mlirValueGetType(mlirOperationGetOperand(dot, 0));
    const int rank = kiln_type_rank(sum);
    const int64_t extents[] = {kiln_type_dim(sum, rank - 2), kiln_type_dim(sum, rank - 1),
                               kiln_type_dim(left, kiln_type_rank(left) - 1)};
    for (size_t i = 0; i < sizeof extents / sizeof *extents; i++)
        if (facts->min_dot_extent == 0 || extents[i] < facts->min_dot_extent)
            facts->min_dot_extent = extents[i];
}

kiln_status_t kiln_program_facts_of(MlirModule module, kiln_program_facts_t *out_facts)
{
    *out_facts = (kiln_program_facts_t){0};
    kiln_dots_t dots = kiln_dots_of_module(module);
    for (size_t i = 0; i < dots.count && !dots.out_of_memory; i++) {
        measure_dot(dots.ops[i], out_facts);
        out_facts->dots++;
        out_facts->chained_dots += kiln_dot_is_chained(&dots, dots.ops[i]);
    }
    free(dots.ops);
    kiln_walk(mlirModuleGetOperation(module), MlirWalkPreOrder, look, out_facts);
    return dots.out_of_memory ? kiln_status_out_of_memory() : KILN_OK;
}
