// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the data that a program holds in tiles at a time: the registers that it needs, before
// there are layouts.
//
// A value lives from its operation to the last operation of its block that uses it, directly or in
// a region; that operation's results may take its registers. A value that is only a loop's initial
// value is not held in addition to the carried one.
#include <stdlib.h>

#include "analysis/pointer_map.h"
#include "analysis/work/program.h"
#include "builder/ir.h"

// The operation of the block that contains `op`.
static MlirOperation in_block(MlirOperation op, MlirBlock block)
{
    while (!mlirOperationIsNull(op) && !mlirBlockEqual(mlirOperationGetBlock(op), block))
        op = kiln_op_parent(op);
    return op;
}

// Masks are in scalar registers. Pointers are a uniform one and offsets, of which a lane has one
// for each access.
static double bits_of(MlirValue value)
{
    const MlirType type = mlirValueGetType(value);
    const int bits = kiln_type_bits(type);
    const kiln_op_t kind = kiln_value_op(value, NULL);
    const bool is_copy =
        kind == KILN_OP_TT_BROADCAST || kind == KILN_OP_TT_SPLAT || kind == KILN_OP_TT_EXPAND_DIMS;
    const bool is_free = bits == 1 || is_copy || kiln_type_is_ptr(kiln_type_element(type));
    return is_free ? 0 : (double)kiln_type_count(type) * bits;
}

typedef struct span {
    int last;   // operation of the block that uses it last
    int inside; // the last one that uses it in a region
} span_t;

static span_t span_of(MlirValue value, MlirBlock block, const kiln_pointer_map_t *numbers)
{
    span_t span = {-1, -1};
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        const MlirOperation user = mlirOpOperandGetOwner(use), around = in_block(user, block);
        const int number = kiln_pointer_map_get(numbers, around.ptr);
        span.last = number > span.last ? number : span.last;
        if (!mlirOperationEqual(user, around) && number > span.inside)
            span.inside = number;
    }
    return span;
}

// Adds the value to held[i], what is held after operation i, up to its last use, and to through[i],
// what is held in the regions of operation i, including those of the last use if it is in a region.
static void hold(MlirValue value, int first, span_t span, double *held, double *through)
{
    const double bits = bits_of(value);
    for (int i = first; i < span.last; i++)
        held[i] += bits;
    const int last = span.inside == span.last ? span.last : span.last - 1;
    for (int i = first + 1; i <= last; i++)
        through[i] += bits;
}

static bool number_operations(MlirBlock block, kiln_pointer_map_t *numbers, int *out_count)
{
    *out_count = 0;
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
        if (!kiln_pointer_map_put(numbers, op.ptr, (*out_count)++))
            return false;
    return true;
}

static bool visit_regions(MlirOperation op, double outside, kiln_work_counts_t counts, void *user,
                          void (*report)(MlirBlock, double, void *), double *io_max)
{
    const kiln_op_t kind = kiln_op_kind(op);
    if (kind != KILN_OP_SCF_FOR && kind != KILN_OP_SCF_IF && kind != KILN_OP_SCF_WHILE)
        return true; // the regions of others compute single elements
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++) {
        const MlirBlock inner = kiln_op_body(op, (int)r);
        double max = 0;
        if (mlirBlockIsNull(inner))
            continue;
        if (!kiln_work_live_bits(inner, outside, counts, user, report, &max))
            return false;
        *io_max = max > *io_max ? max : *io_max;
    }
    return true;
}

bool kiln_work_live_bits(MlirBlock block, double outside, kiln_work_counts_t counts, void *user,
                         void (*report)(MlirBlock block, double bits, void *user), double *out_max)
{
    kiln_pointer_map_t numbers = {0};
    int count = 0, number = 0;
    *out_max = outside;
    bool good = number_operations(block, &numbers, &count);
    double *held = calloc((size_t)count + 1, sizeof *held),
           *through = calloc((size_t)count + 1, sizeof *through);
    good = good && held && through;
    for (intptr_t i = 0; good && i < mlirBlockGetNumArguments(block); i++) {
        const MlirValue value = mlirBlockGetArgument(block, i);
        if (counts(value, user))
            hold(value, 0, span_of(value, block, &numbers), held, through);
    }
    for (MlirOperation op = mlirBlockGetFirstOperation(block); good && !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op), number++)
        for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
            const MlirValue value = mlirOperationGetResult(op, i);
            if (counts(value, user))
                hold(value, number, span_of(value, block, &numbers), held, through);
        }
    for (int i = 0; good && i < count; i++)
        *out_max = outside + held[i] > *out_max ? outside + held[i] : *out_max;
    number = 0;
    for (MlirOperation op = mlirBlockGetFirstOperation(block); good && !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op), number++)
        good = visit_regions(op, outside + through[number], counts, user, report, out_max);
    if (good)
        report(block, *out_max, user);
    kiln_pointer_map_free(&numbers);
    free(held);
    free(through);
    return good;
}
