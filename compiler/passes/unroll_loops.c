// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Repeats the body of a loop that asks for it by tt.loop_unroll_factor:
//
//                                                                n = number of iterations
//   %r = scf.for %i = %lower to %upper step %step                %m = scf.for %j = 0 to n / 2 step 1
//            iter_args(%x = %x0) {                                   body(%lower + 2·%j·%step)
//     body(%i)                                             →         body(%lower + (2·%j + 1)·%step)
//   } {tt.loop_unroll_factor = 2}                                %r = scf.for %i = %lower + (n − n mod 2)·%step to %upper
//                                                                    body(%i)                  {tt.num_stages = 1}
//
// The second loop does what is left over and is not pipelined; where nothing can be left, there is none. The thing one
// gets wrong: lower + n·step may lie beyond the type's range, where it would be small again. So the first loop counts
// its own turns, and the second begins at `upper` where nothing is left.
#include <stdio.h>
#include <stdlib.h>

#include "builder/ir.h"
#include "passes/clones.h"
#include "passes/for_loop.h"
#include "passes/loop_schedule.h"
#include "passes/pass.h"
#include "passes/tile_ops.h"

enum {
    LOWER,
    UPPER,
    STEP,
    CARRIED,                // first of the loop's own values among its operands
    LARGEST_BODY = 1 << 14, // operations; beyond that a loop stays as it is
    LIBRARY_SIZE = 128,     // as many operations is a function of the device libraries, for each element of a lane
    LANES = 64
};

typedef struct unrolling {
    MlirOperation loop;
    int64_t factor;
    bool out_of_memory;
    MlirValue lower, upper, step;
    MlirType type; // of the induction variable
} unrolling_t;

// Numbers of iterations ------------------------------------------------------------------------------------------

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

// Copies of the body ---------------------------------------------------------------------------------------------

// One iteration for the induction variable `at`; `values` goes in as what it carries and comes out as what it yields.
static void copy_body(unrolling_t *u, const kiln_ir_t *ir, MlirValue at, MlirValue *values, intptr_t count)
{
    kiln_clones_t clones = {0};
    MlirBlock body = kiln_op_body(u->loop, 0);
    MlirOperation terminator = kiln_block_terminator(body);
    kiln_clones_put(&clones, mlirBlockGetArgument(body, 0), at);
    for (intptr_t i = 0; i < count; i++)
        kiln_clones_put(&clones, mlirBlockGetArgument(body, i + 1), values[i]);
    for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationEqual(op, terminator);
         op = mlirOperationGetNextInBlock(op))
        kiln_clone(ir, op, &clones);
    for (intptr_t i = 0; i < count; i++)
        values[i] = kiln_clones_get(&clones, mlirOperationGetOperand(terminator, i));
    u->out_of_memory |= !kiln_clones_free(&clones);
}

// The loop over whole groups of iterations. `values` goes in as its initial values and comes out as its results.
static void build_groups(unrolling_t *u, const kiln_ir_t *ir, MlirValue groups, MlirValue *values, intptr_t count)
{
    // What the loop's attributes say of it holds of this one too, but for what they say of its induction variable.
    static const char *const LEFT_OUT[] = {"tt.loop_unroll_factor", "tt.divisibility_arg0", "tt.contiguity_arg0",
                                           "tt.constancy_arg0", NULL};
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
    MlirBlock block = kiln_op_body(made, 0);
    kiln_ir_t inside = kiln_ir_at_end(block, ir->loc);
    for (intptr_t i = 0; i < count; i++)
        values[i] = mlirBlockGetArgument(block, i + 1);
    MlirValue first =
        kiln_ir_binary(&inside, KILN_OP_ARITH_MULI, mlirBlockGetArgument(block, 0), constant(&inside, u, u->factor));
    for (int64_t k = 0; k < u->factor; k++) {
        MlirValue number = k ? kiln_ir_binary(&inside, KILN_OP_ARITH_ADDI, first, constant(&inside, u, k)) : first;
        copy_body(u, &inside, induction_at(&inside, u, number), values, count);
    }
    kiln_ir_op_t yield = {.kind = KILN_OP_SCF_YIELD, .operand_count = (int)count, .operands = values};
    kiln_ir_create(&inside, &yield);
    for (intptr_t i = 0; i < count; i++)
        values[i] = mlirOperationGetResult(made, i);
}

// The loop becomes what does the rest.
static void keep_rest(const unrolling_t *u, const kiln_ir_t *ir, MlirValue count, MlirValue groups, MlirValue *values)
{
    MlirValue done = kiln_ir_binary(ir, KILN_OP_ARITH_MULI, groups, constant(ir, u, u->factor));
    MlirValue more = kiln_tile_compare(ir, KILN_COMPARE_NE, done, count);
    MlirValue begin = kiln_tile_select(ir, more, induction_at(ir, u, done), u->upper);
    mlirOperationSetOperand(u->loop, LOWER, begin);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(u->loop); i++)
        mlirOperationSetOperand(u->loop, CARRIED + i, values[i]);
    mlirOperationSetDiscardableAttributeByName(u->loop, mlirStringRefCreateFromCString("tt.num_stages"),
                                               kiln_ir_i32_attr(ir->context, 1));
}

static void unroll(unrolling_t *u)
{
    int64_t known = kiln_loop_trip_count(u->loop);
    if (known >= 0 && known < u->factor)
        return;
    intptr_t carried = mlirOperationGetNumResults(u->loop);
    MlirValue *values = calloc((size_t)carried + 1, sizeof *values);
    u->out_of_memory |= !values;
    if (!u->out_of_memory) {
        kiln_ir_t ir = kiln_ir_before(u->loop);
        MlirValue count = known >= 0 ? constant(&ir, u, known) : kiln_for_count(&ir, u->loop);
        MlirValue groups = known >= 0 ? constant(&ir, u, known / u->factor)
                                      : kiln_ir_binary(&ir, KILN_OP_ARITH_DIVUI, count, constant(&ir, u, u->factor));
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

// The pass -------------------------------------------------------------------------------------------------------

typedef struct walk {
    const kiln_pass_context_t *context;
    int64_t threads, size;
    bool out_of_memory;
} walk_t;

// Functions that the device libraries compute with branches of their own, inlined for each element.
static bool is_library_function(MlirOperation op)
{
    switch (kiln_op_kind(op)) {
    case KILN_OP_ARITH_REMF:
    case KILN_OP_MATH_EXPM1:
    case KILN_OP_MATH_LOG1P:
    case KILN_OP_MATH_SIN:
    case KILN_OP_MATH_COS:
    case KILN_OP_MATH_TAN:
    case KILN_OP_MATH_TANH:
    case KILN_OP_MATH_ASIN:
    case KILN_OP_MATH_ACOS:
    case KILN_OP_MATH_SINH:
    case KILN_OP_MATH_COSH:
    case KILN_OP_MATH_ASINH:
    case KILN_OP_MATH_ACOSH:
    case KILN_OP_MATH_ATANH:
    case KILN_OP_MATH_ATAN:
    case KILN_OP_MATH_ATAN2:
    case KILN_OP_MATH_POWF:
    case KILN_OP_MATH_CBRT:
    case KILN_OP_MATH_ERF:
    case KILN_OP_MATH_ERFC:
    case KILN_OP_TT_EXTERN_ELEMENTWISE:
        return true;
    default:
        return false;
    }
}

static MlirWalkResult count_operation(MlirOperation op, void *user)
{
    walk_t *walk = user;
    if (is_library_function(op)) {
        int64_t elements = kiln_type_count(mlirValueGetType(mlirOperationGetResult(op, 0)));
        walk->size += LIBRARY_SIZE * ((elements + walk->threads - 1) / walk->threads);
    }
    walk->size++;
    return MlirWalkResultAdvance;
}

static void refuse(const walk_t *walk, MlirOperation loop, int64_t factor)
{
    char what[192];
    snprintf(
        what, sizeof what,
        "this loop is not unrolled: %lld copies of its body, of about %lld operations for each lane, are more than "
        "%d",
        (long long)factor, (long long)walk->size, (int)LARGEST_BODY);
    if (walk->context->refused)
        walk->context->refused(loop, what, walk->context->refused_user);
}

// In post-order: loops inside are unrolled before they are copied.
static MlirWalkResult visit(MlirOperation op, void *user)
{
    static const char FACTOR[] = "tt.loop_unroll_factor";
    walk_t *walk = user;
    int64_t factor = kiln_op_kind(op) == KILN_OP_SCF_FOR ? kiln_ir_int_attr(op, FACTOR, 0) : 0;
    if (factor == 0)
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
    walk_t walk = {.context = context, .threads = LANES * (int64_t)context->options->num_warps};
    kiln_walk(mlirModuleGetOperation(module), MlirWalkPostOrder, visit, &walk);
    return walk.out_of_memory ? kiln_status_out_of_memory() : KILN_OK;
}
