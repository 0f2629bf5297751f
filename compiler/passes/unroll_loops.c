// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unrolls loops with tt.loop_unroll_factor:
//
//                                                                n = number of iterations
//   %r = scf.for %i = %lower to %upper step %step                %m = scf.for %j = 0 to n / 2 step 1
//            iter_args(%x = %x0) {                                   body(%lower + 2·%j·%step)
//     body(%i)                                             →         body(%lower + (2·%j + 1)·%step)
//   } {tt.loop_unroll_factor = 2}                                %r = scf.for %i = %lower + (n − n mod 2)·%step to %upper
//                                                                    body(%i)                  {tt.num_stages = 1}
//
// The second loop executes the remaining iterations and is not pipelined; it is omitted if nothing
// can remain. The factor of the first loop is 1 from then on, so that overlap_loads chooses no
// other one. Note that lower + n·step may exceed the type's range and wrap. So the first loop has
// its own counter, and the second starts at `upper` if nothing remains.
#include <stdio.h>
#include <stdlib.h>

#include "builder/ir.h"
#include "builder/op_facts.h"
#include "passes/loops/for_loop.h"
#include "passes/pass.h"
#include "passes/pipelining/schedule.h"
#include "passes/rewrite/tile_ops.h"

enum {
    LOWER,
    UPPER,
    STEP,
    CARRIED,                // index of the first loop-carried operand
    LARGEST_BODY = 1 << 14, // operations; larger loops are not unrolled
    LIBRARY_SIZE = 128      // operations of a device library function, per element of a lane
};

typedef struct unrolling {
    MlirOperation loop;
    int64_t factor;
    bool out_of_memory;
    MlirValue lower, upper, step;
    MlirType type; // of the induction variable
} unrolling_t;

// Iteration counts --------------------------------------------------------------------------------

static MlirValue constant(const kiln_ir_t *ir, const unrolling_t *u, int64_t value)
{
    return kiln_ir_const_int(ir, u->type, value);
}

// lower + number · step
static MlirValue induction_at(const kiln_ir_t *ir, const unrolling_t *u, MlirValue number)
{
    MlirValue distance = kiln_ir_binary(ir, KILN_OP_ARITH_MULI, number, u->step);
    return kiln_ir_binary(ir, KILN_OP_ARITH_ADDI, u->lower, distance);
}

// Clones of the body ------------------------------------------------------------------------------

// Builds the loop over whole groups of iterations. `values` holds its initial values on entry and
// its results on return.
static void build_groups(unrolling_t *u, const kiln_ir_t *ir, MlirValue groups, MlirValue *values,
                         intptr_t count)
{
    // The loop's attributes also hold for this loop, except those about its induction variable.
    static const char *const LEFT_OUT[] = {KILN_LOOP_UNROLL, "tt.divisibility_arg0",
                                           "tt.contiguity_arg0", "tt.constancy_arg0", NULL};
    kiln_for_t what = {.lower = constant(ir, u, 0),
                       .upper = groups,
                       .step = constant(ir, u, 1),
                       .initial = values,
                       .count = count,
                       .like = u->loop,
                       .left_out = LEFT_OUT};
    MlirOperation made = kiln_for_create(ir, &what);
    u->out_of_memory |= mlirOperationIsNull(made);
    if (u->out_of_memory)
        return;
    kiln_ir_set_int_attr(made, KILN_LOOP_UNROLL, 1);
    MlirBlock block = kiln_op_body(made, 0);
    kiln_ir_t inside = kiln_ir_at_end(block, ir->loc);
    for (intptr_t i = 0; i < count; i++)
        values[i] = mlirBlockGetArgument(block, i + 1);
    MlirValue first = kiln_ir_binary(&inside, KILN_OP_ARITH_MULI, mlirBlockGetArgument(block, 0),
                                     constant(&inside, u, u->factor));
    for (int64_t k = 0; k < u->factor; k++) {
        MlirValue number =
            k ? kiln_ir_binary(&inside, KILN_OP_ARITH_ADDI, first, constant(&inside, u, k)) : first;
        u->out_of_memory |=
            !kiln_for_copy_body(&inside, u->loop, induction_at(&inside, u, number), values);
    }
    kiln_ir_op_t yield = {
        .kind = KILN_OP_SCF_YIELD, .operand_count = (int)count, .operands = values};
    kiln_ir_create(&inside, &yield);
    kiln_for_fold_cycles(made);
    for (intptr_t i = 0; i < count; i++)
        values[i] = mlirOperationGetResult(made, i);
}

// The old loop executes the remaining iterations.
static void keep_rest(const unrolling_t *u, const kiln_ir_t *ir, MlirValue count, MlirValue groups,
                      MlirValue *values)
{
    MlirValue done = kiln_ir_binary(ir, KILN_OP_ARITH_MULI, groups, constant(ir, u, u->factor));
    MlirValue more = kiln_ir_compare(ir, KILN_CMPI_NE, done, count);
    MlirValue begin = kiln_tile_select(ir, more, induction_at(ir, u, done), u->upper);
    mlirOperationSetOperand(u->loop, LOWER, begin);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(u->loop); i++)
        mlirOperationSetOperand(u->loop, CARRIED + i, values[i]);
    mlirOperationSetDiscardableAttributeByName(
        u->loop, mlirStringRefCreateFromCString("tt.num_stages"), kiln_ir_i32_attr(ir->context, 1));
}

static void unroll(unrolling_t *u)
{
    int64_t known = kiln_loop_trip_count(u->loop);
    int bits = kiln_type_bits(u->type);
    // The trip count can reach the factor only if the factor fits the type.
    bool counts_so_far = bits >= 63 || u->factor >> bits == 0;
    if (!counts_so_far || (known >= 0 && known < u->factor))
        return;
    intptr_t carried = mlirOperationGetNumResults(u->loop);
    MlirValue *values = calloc((size_t)carried + 1, sizeof *values);
    u->out_of_memory |= !values;
    if (!u->out_of_memory) {
        kiln_ir_t ir = kiln_ir_before(u->loop);
        MlirValue count = known >= 0 ? constant(&ir, u, known) : kiln_for_count(&ir, u->loop);
        MlirValue groups = known >= 0 ? constant(&ir, u, known / u->factor)
                                      : kiln_ir_binary(&ir, KILN_OP_ARITH_DIVUI, count,
                                                       constant(&ir, u, u->factor));
        for (intptr_t i = 0; i < carried; i++)
            values[i] = mlirOperationGetOperand(u->loop, CARRIED + i);
        build_groups(u, &ir, groups, values, carried);
        if (known >= 0 && known % u->factor == 0) {
            for (intptr_t i = 0; i < carried; i++)
                kiln_value_replace(mlirOperationGetResult(u->loop, i), values[i]);
            kiln_op_erase(u->loop);
        } else {
            keep_rest(u, &ir, count, groups, values);
        }
    }
    free(values);
}

// The pass ----------------------------------------------------------------------------------------

typedef struct walk {
    const kiln_pass_context_t *context;
    int64_t threads, size;
    bool out_of_memory;
} walk_t;

static MlirWalkResult count_operation(MlirOperation op, void *user)
{
    walk_t *walk = user;
    if (kiln_op_has(kiln_op_kind(op), KILN_LIBRARY)) { // inlined for each element
        int64_t elements = kiln_type_count(mlirValueGetType(mlirOperationGetResult(op, 0)));
        walk->size += LIBRARY_SIZE * ((elements + walk->threads - 1) / walk->threads);
    }
    walk->size++;
    return MlirWalkResultAdvance;
}

static void refuse(const walk_t *walk, MlirOperation loop, int64_t factor)
{
    char what[192];
    snprintf(what, sizeof what,
             "this loop is not unrolled: %lld copies of its body of about %lld operations per lane "
             "exceed the limit of %d",
             (long long)factor, (long long)walk->size, (int)LARGEST_BODY);
    if (walk->context->refused)
        walk->context->refused(loop, what, walk->context->refused_user);
}

// In post-order: inner loops are unrolled before they are cloned.
static MlirWalkResult visit(MlirOperation op, void *user)
{
    static const char FACTOR[] = KILN_LOOP_UNROLL;
    walk_t *walk = user;
    int64_t factor = kiln_op_kind(op) == KILN_OP_SCF_FOR ? kiln_ir_int_attr(op, FACTOR, 0) : 0;
    if (factor == 0 || factor == 1)
        return MlirWalkResultAdvance;
    mlirOperationRemoveDiscardableAttributeByName(op, mlirStringRefCreateFromCString(FACTOR));
    walk->size = 0;
    kiln_walk(op, MlirWalkPreOrder, count_operation, walk);
    if (factor >= 2 && factor > LARGEST_BODY / walk->size)
        refuse(walk, op, factor);
    if (factor < 2 || factor > LARGEST_BODY / walk->size)
        return MlirWalkResultAdvance;
    unrolling_t u = {.loop = op,
                     .factor = factor,
                     .lower = kiln_op_operand(op, LOWER),
                     .upper = kiln_op_operand(op, UPPER),
                     .step = kiln_op_operand(op, STEP)};
    u.type = mlirValueGetType(u.lower);
    unroll(&u);
    walk->out_of_memory |= u.out_of_memory;
    return u.out_of_memory ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

kiln_status_t kiln_unroll_loops(const kiln_pass_context_t *context, MlirModule module)
{
    walk_t walk = {.context = context,
                   .threads = KILN_GFX942_LANES * (int64_t)context->options->num_warps};
    kiln_walk(mlirModuleGetOperation(module), MlirWalkPostOrder, visit, &walk);
    return walk.out_of_memory ? kiln_status_out_of_memory() : KILN_OK;
}
