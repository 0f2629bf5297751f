// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unrolls loops of few loads, so that the loads of several iterations are on their way at once. A
// wave waits for memory once in an iteration, and loops without dots are not pipelined:
//
//   scf.for … {                       scf.for … {
//     %v = tt.load %p            →      %v = tt.load %p
//     %s' = arith.addf %s, %v           %s' = arith.addf %s, %v
//   }                                 } {tt.loop_unroll_factor = 8}
//
// unroll_loops then makes the copies, and LLVM issues their loads before it waits for the first.
// The order of the additions stays.
//
// The loop may contain only loads and arithmetic: a load does not pass a write, a barrier or a
// branch. An address that depends on what an earlier iteration has loaded cannot be known earlier;
// one that depends on a load of the same iteration can. Copies are made until their loads fill a
// few registers, but at least four: a loop that loads eight registers and waits for each iteration
// took three times as long as with four copies, whose 32 registers still leave room for several
// waves. More copies of a small loop gain nothing, and cost time where it has few iterations.
//
// A loop with tt.num_stages = 1 or its own factor stays as it is: so do the rests of loops that
// were unrolled.
#include <stdlib.h>

#include "analysis/dot_chain.h"
#include "analysis/iterations.h"
#include "analysis/pointer_map.h"
#include "builder/ir.h"
#include "builder/op_facts.h"
#include "passes/pass.h"
#include "passes/pipelining/schedule.h"

enum {
    CARRIED = 3, // index of the first loop-carried operand
    MOST_COPIES = 8,
    FEWEST_COPIES = 4, // two hide half of the wait, for twice the code
    REGISTERS = 8, // of 32 bits, which the loads of more copies than the fewest may fill in a lane
    MOST_REGISTERS = 48, // which those of the fewest copies may fill
    OPERATIONS = 512,    // of a lane, in all copies
};

typedef struct body {
    MlirOperation loop;
    int64_t threads;
    int64_t operations, registers; // of a lane, in one iteration
    bool fits;                     // only loads and arithmetic
    bool out_of_memory;
} body_t;

static int64_t per_lane(const body_t *body, int64_t count)
{
    return (count + body->threads - 1) / body->threads;
}

static void count(body_t *body, MlirOperation op)
{
    enum { OTHER = ~(KILN_READS_GLOBAL | KILN_CLAIMS), REGISTER_BITS = 32 };
    body->fits = body->fits && mlirOperationGetNumRegions(op) == 0 && !kiln_has_dot(op) &&
                 !kiln_op_has(kiln_op_kind(op), KILN_LIBRARY) &&
                 (kiln_op_own_effects(op) & OTHER) == 0;
    if (mlirOperationGetNumResults(op) == 0)
        return;
    const MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
    const int64_t elements = per_lane(body, kiln_type_count(type));
    body->operations += elements;
    if (kiln_op_own_effects(op) & KILN_READS_GLOBAL)
        body->registers += (elements * kiln_type_bits(type) + REGISTER_BITS - 1) / REGISTER_BITS;
}

// Chains -----------------------------------------------------------------------------------------

enum { IN_ITERATION = 1, IN_EARLIER = 2 }; // where a value is needed: bits of the map's values

// Whether the value depends on a load of an earlier iteration than the one that needs it.
static bool depends(body_t *body, kiln_pointer_map_t *visited, MlirValue value, int where)
{
    const MlirBlock block = kiln_op_body(body->loop, 0);
    const int before = kiln_pointer_map_get(visited, value.ptr);
    if (before > 0 && (before & where))
        return false;
    body->out_of_memory |=
        !kiln_pointer_map_put(visited, value.ptr, (before > 0 ? before : 0) | where);
    if (body->out_of_memory)
        return true;
    if (mlirValueIsABlockArgument(value)) {
        const intptr_t index = mlirBlockArgumentGetArgNumber(value) - 1;
        return mlirBlockEqual(mlirBlockArgumentGetOwner(value), block) && index >= 0 &&
               depends(body, visited, mlirOperationGetOperand(kiln_block_terminator(block), index),
                       IN_EARLIER);
    }
    const MlirOperation op = mlirOpResultGetOwner(value);
    if (!mlirBlockEqual(mlirOperationGetBlock(op), block))
        return false;
    if (where == IN_EARLIER && (kiln_op_own_effects(op) & KILN_READS_GLOBAL))
        return true;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        if (depends(body, visited, mlirOperationGetOperand(op, i), where))
            return true;
    return false;
}

static bool is_chain(body_t *body, MlirOperation load)
{
    kiln_pointer_map_t visited = {0};
    bool found = false;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(load) && !found; i++)
        found = depends(body, &visited, mlirOperationGetOperand(load, i), IN_ITERATION);
    kiln_pointer_map_free(&visited);
    return found;
}

// The pass ---------------------------------------------------------------------------------------

static int copies_of(body_t *body)
{
    const int64_t known = kiln_loop_trip_count(body->loop);
    const MlirBlock block = kiln_op_body(body->loop, 0);
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
        count(body, op);
    int copies = MOST_COPIES;
    if (!body->fits || body->registers == 0)
        return 1;
    while (copies > 1 &&
           (copies * body->registers > (copies > FEWEST_COPIES ? REGISTERS : MOST_REGISTERS) ||
            copies * body->operations > OPERATIONS || (known >= 0 && copies > known)))
        copies /= 2;
    for (MlirOperation op = mlirBlockGetFirstOperation(block);
         !mlirOperationIsNull(op) && copies > 1; op = mlirOperationGetNextInBlock(op))
        if ((kiln_op_own_effects(op) & KILN_READS_GLOBAL) && is_chain(body, op))
            return 1;
    return copies;
}

static MlirWalkResult visit(MlirOperation op, void *user)
{
    body_t *all = user;
    if (kiln_op_kind(op) != KILN_OP_SCF_FOR || kiln_ir_int_attr(op, KILN_LOOP_UNROLL, 0) != 0 ||
        kiln_ir_int_attr(op, "tt.num_stages", 0) == 1)
        return MlirWalkResultAdvance;
    body_t body = {.loop = op, .threads = all->threads, .fits = true};
    const int copies = copies_of(&body);
    all->out_of_memory |= body.out_of_memory;
    if (copies >= FEWEST_COPIES)
        kiln_ir_set_int_attr(op, KILN_LOOP_UNROLL, copies);
    return all->out_of_memory ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

kiln_status_t kiln_overlap_loads(const kiln_pass_context_t *context, MlirModule module)
{
    body_t all = {.threads = KILN_GFX942_LANES * (int64_t)context->options->num_warps};
    kiln_walk(mlirModuleGetOperation(module), MlirWalkPreOrder, visit, &all);
    return all.out_of_memory ? kiln_status_out_of_memory() : KILN_OK;
}
