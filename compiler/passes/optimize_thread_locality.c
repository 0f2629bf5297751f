// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces a reduction in each iteration of a loop by one reduction after the loop:
//
//   %r = scf.for … iter_args(%acc = %init) {             %s = scf.for … iter_args(%all = neutral) {
//     %m = reduce %x by +                         →        %t = %all + %x
//     %t = %acc + %m                                       scf.yield %t
//     scf.yield %t                                       }
//   }                                                    %r = %init + (reduce %s by +)
//
// Each thread then combines its own elements, as many as before, and threads exchange values once.
// The cost is registers: a tile of %x instead of its sum. So the pass requires that these are few
// and that several lanes or waves share the axis.
//
// Note that without iterations the result must equal %init bit for bit, so the neutral element of
// floating-point sums is −0, and that of a maximum which ignores NaN is NaN.
#include <math.h>
#include <stdlib.h>

#include "builder/ir.h"
#include "layout/layout.h"
#include "passes/loops/for_loop.h"
#include "passes/pass.h"
#include "passes/pipelining/schedule.h"
#include "passes/rewrite/clones.h"

enum { CARRIED = 3, MAX_DWORDS = 32 };

// A carried value that is such a sum.
typedef struct running {
    MlirOperation reduce, convert, combine; // convert: null if there is none
    kiln_op_t kind;
    MlirValue source; // the operand of the reduction
    bool reduced_comes_first;
} running_t;

typedef struct loop_sums {
    MlirOperation loop;
    running_t *of; // for each carried value; reduce is null for others
    intptr_t count;
    int num_warps;
} loop_sums_t;

// Returns the neutral element as a constant of the type; null for operations without one.
static MlirValue neutral(const kiln_ir_t *ir, kiln_op_t kind, MlirType type)
{
    int bits = kiln_type_bits(type);
    int64_t min = bits == 64 ? INT64_MIN : -(INT64_C(1) << (bits - 1));
    switch (kind) {
    case KILN_OP_ARITH_ADDF:
        return kiln_ir_const_float(ir, type, -0.0);
    case KILN_OP_ARITH_MULF:
        return kiln_ir_const_float(ir, type, 1);
    case KILN_OP_ARITH_MAXIMUMF:
        return kiln_ir_const_float(ir, type, -INFINITY);
    case KILN_OP_ARITH_MINIMUMF:
        return kiln_ir_const_float(ir, type, INFINITY);
    case KILN_OP_ARITH_MAXNUMF:
    case KILN_OP_ARITH_MINNUMF:
        return kiln_ir_const_float(ir, type, NAN);
    case KILN_OP_ARITH_ADDI:
    case KILN_OP_ARITH_ORI:
    case KILN_OP_ARITH_XORI:
    case KILN_OP_ARITH_MAXUI:
        return kiln_ir_const_int(ir, type, 0);
    case KILN_OP_ARITH_ANDI:
    case KILN_OP_ARITH_MINUI:
        return kiln_ir_const_int(ir, type, -1);
    case KILN_OP_ARITH_MULI:
        return kiln_ir_const_int(ir, type, 1);
    case KILN_OP_ARITH_MAXSI:
        return kiln_ir_const_int(ir, type, min);
    case KILN_OP_ARITH_MINSI:
        return kiln_ir_const_int(ir, type, -(min + 1));
    default:
        return (MlirValue){NULL};
    }
}

static bool has_neutral(kiln_op_t kind)
{
    switch (kind) {
    case KILN_OP_ARITH_ADDF:
    case KILN_OP_ARITH_MULF:
    case KILN_OP_ARITH_MAXIMUMF:
    case KILN_OP_ARITH_MAXNUMF:
    case KILN_OP_ARITH_MINIMUMF:
    case KILN_OP_ARITH_MINNUMF:
    case KILN_OP_ARITH_ADDI:
    case KILN_OP_ARITH_ORI:
    case KILN_OP_ARITH_XORI:
    case KILN_OP_ARITH_MAXUI:
    case KILN_OP_ARITH_ANDI:
    case KILN_OP_ARITH_MINUI:
    case KILN_OP_ARITH_MULI:
    case KILN_OP_ARITH_MAXSI:
    case KILN_OP_ARITH_MINSI:
        return true;
    default:
        return false;
    }
}

// Matching ----------------------------------------------------------------------------------------

// Whether the region of the reduction consists of this operation on its two elements.
static bool reduces_by(MlirOperation reduce, kiln_op_t kind)
{
    MlirBlock block = kiln_op_body(reduce, 0);
    MlirOperation op = mlirBlockGetFirstOperation(block), end = kiln_block_terminator(block);
    if (kiln_op_kind(op) != kind || !mlirOperationEqual(mlirOperationGetNextInBlock(op), end) ||
        mlirBlockGetNumArguments(block) != 2)
        return false;
    MlirValue a = kiln_op_operand(op, 0), b = kiln_op_operand(op, 1),
              x = mlirBlockGetArgument(block, 0), y = mlirBlockGetArgument(block, 1);
    return mlirValueEqual(kiln_op_operand(end, 0), kiln_op_result(op, 0)) &&
           ((mlirValueEqual(a, x) && mlirValueEqual(b, y)) ||
            (mlirValueEqual(a, y) && mlirValueEqual(b, x)));
}

// Returns the number of dwords by which a thread's part of the tile exceeds its part of the sum; −1
// if no other thread holds part of the sum.
static int extra_dwords(const loop_sums_t *sums, MlirOperation reduce)
{
    MlirType type = mlirValueGetType(kiln_op_operand(reduce, 0));
    kiln_layout_t layout;
    kiln_status_t status = kiln_layout_of_type(type, sums->num_warps, &layout);
    if (status) {
        kiln_status_free(status);
        return -1;
    }
    int axis = (int)kiln_ir_int_attr(reduce, "axis", 0), shared = 0, along = 0, registers = 0;
    for (kiln_place_t place = KILN_REGISTER; place < KILN_PLACES; place++) {
        uint32_t copies = kiln_layout_free_bits(&layout, place);
        for (int b = 0; b < layout.bits[place]; b++) {
            bool is_along = kiln_layout_coord(&layout, layout.basis[place][b], axis) != 0;
            if (copies >> b & 1)
                continue;
            registers += place == KILN_REGISTER;
            along += place == KILN_REGISTER && is_along;
            shared += place != KILN_REGISTER && is_along;
        }
    }
    int bits = kiln_type_bits(type), held = 1 << registers, sum = 1 << (registers - along);
    return shared ? (held - sum) * (bits <= 32 ? 1 : 2) : -1;
}

// Finds the reduction that defines an operand of the operation which combines it with the carried
// value.
static bool find_reduce(const loop_sums_t *sums, MlirValue value, running_t *out)
{
    MlirOperation op;
    kiln_op_t kind = kiln_value_op(value, &op);
    out->convert = (MlirOperation){NULL};
    if (kind == KILN_OP_TTG_CONVERT_LAYOUT && kiln_value_has_one_use(value)) {
        out->convert = op;
        value = kiln_op_operand(op, 0);
        kind = kiln_value_op(value, &op);
    }
    out->reduce = op;
    return kind == KILN_OP_TT_REDUCE && kiln_value_has_one_use(value) &&
           mlirOperationGetNumOperands(op) == 1 &&
           mlirOperationEqual(kiln_op_parent(op), sums->loop) && reduces_by(op, out->kind);
}

static bool match(const loop_sums_t *sums, intptr_t k, running_t *out)
{
    MlirBlock body = kiln_op_body(sums->loop, 0);
    MlirValue carried = mlirBlockGetArgument(body, k + 1),
              next = mlirOperationGetOperand(kiln_block_terminator(body), k);
    out->kind = kiln_value_op(next, &out->combine);
    if (!has_neutral(out->kind) || !kiln_value_has_one_use(next) ||
        !kiln_value_has_one_use(carried) ||
        !mlirOperationEqual(kiln_op_parent(out->combine), sums->loop))
        return false;
    int own = mlirValueEqual(kiln_op_operand(out->combine, 0), carried)   ? 0
              : mlirValueEqual(kiln_op_operand(out->combine, 1), carried) ? 1
                                                                          : -1;
    if (own < 0 || !find_reduce(sums, kiln_op_operand(out->combine, 1 - own), out))
        return false;
    out->reduced_comes_first = own == 1;
    out->source = kiln_op_operand(out->reduce, 0);
    int extra = extra_dwords(sums, out->reduce);
    return extra >= 0 && extra <= MAX_DWORDS;
}

// The new loop ------------------------------------------------------------------------------------

static bool is_dropped(const loop_sums_t *sums, MlirOperation op)
{
    for (intptr_t k = 0; k < sums->count; k++)
        if (sums->of[k].reduce.ptr && (mlirOperationEqual(op, sums->of[k].reduce) ||
                                       mlirOperationEqual(op, sums->of[k].convert)))
            return true;
    return false;
}

static const running_t *combined_by(const loop_sums_t *sums, MlirOperation op)
{
    for (intptr_t k = 0; k < sums->count; k++)
        if (sums->of[k].reduce.ptr && mlirOperationEqual(op, sums->of[k].combine))
            return &sums->of[k];
    return NULL;
}

// Clones the combining operation with other operands.
static MlirValue combine(const kiln_ir_t *ir, const running_t *running, MlirValue carried,
                         MlirValue other)
{
    MlirOperation copy = mlirOperationClone(running->combine);
    mlirOperationSetOperand(copy, running->reduced_comes_first ? 1 : 0, carried);
    mlirOperationSetOperand(copy, running->reduced_comes_first ? 0 : 1, other);
    mlirValueSetType(mlirOperationGetResult(copy, 0), mlirValueGetType(carried));
    mlirBlockInsertOwnedOperationBefore(ir->block, ir->before, copy);
    return mlirOperationGetResult(copy, 0);
}

static void build_body(const loop_sums_t *sums, MlirBlock block, kiln_clones_t *clones,
                       MlirValue *yields)
{
    MlirBlock body = kiln_op_body(sums->loop, 0);
    MlirOperation end = kiln_block_terminator(body);
    kiln_ir_t ir = kiln_ir_at_end(block, mlirOperationGetLocation(sums->loop));
    for (intptr_t i = 0; i <= sums->count; i++)
        kiln_clones_put(clones, mlirBlockGetArgument(body, i), mlirBlockGetArgument(block, i));
    for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationEqual(op, end);
         op = mlirOperationGetNextInBlock(op)) {
        const running_t *running = combined_by(sums, op);
        if (running)
            kiln_clones_put(
                clones, kiln_op_result(op, 0),
                combine(&ir, running,
                        kiln_clones_get(clones,
                                        kiln_op_operand(op, running->reduced_comes_first ? 1 : 0)),
                        kiln_clones_get(clones, running->source)));
        else if (!is_dropped(sums, op))
            kiln_clone(&ir, op, clones);
    }
    for (intptr_t k = 0; k < sums->count; k++)
        yields[k] = kiln_clones_get(clones, mlirOperationGetOperand(end, k));
    kiln_ir_op_t yield = {
        .kind = KILN_OP_SCF_YIELD, .operand_count = (int)sums->count, .operands = yields};
    kiln_ir_create(&ir, &yield);
}

// Applies the removed operations once, to the loop's result.
static MlirValue reduce_after(const loop_sums_t *sums, const kiln_ir_t *ir, intptr_t k,
                              MlirValue all, kiln_clones_t *clones)
{
    const running_t *running = &sums->of[k];
    kiln_clones_put(clones, running->source, all);
    MlirOperation last = kiln_clone(ir, running->reduce, clones);
    if (running->convert.ptr)
        last = kiln_clone(ir, running->convert, clones);
    return combine(ir, running, mlirOperationGetOperand(sums->loop, CARRIED + k),
                   mlirOperationGetResult(last, 0));
}

static kiln_status_t rebuild(const loop_sums_t *sums)
{
    static const char *const NOTHING[] = {NULL};
    MlirOperation loop = sums->loop, made = {NULL};
    MlirValue *values = calloc((size_t)sums->count, sizeof *values);
    kiln_clones_t inside = {0};
    bool fits = values;
    kiln_ir_t ir = kiln_ir_before(loop);
    for (intptr_t k = 0; k < sums->count && fits; k++)
        values[k] = sums->of[k].reduce.ptr
                        ? neutral(&ir, sums->of[k].kind, mlirValueGetType(sums->of[k].source))
                        : mlirOperationGetOperand(loop, CARRIED + k);
    if (fits) {
        kiln_for_t what = {.lower = kiln_op_operand(loop, 0),
                           .upper = kiln_op_operand(loop, 1),
                           .step = kiln_op_operand(loop, 2),
                           .is_unsigned = kiln_for_is_unsigned(loop),
                           .initial = values,
                           .count = sums->count,
                           .like = loop,
                           .left_out = NOTHING};
        made = kiln_for_create(&ir, &what);
        fits = !mlirOperationIsNull(made);
    }
    if (fits) {
        build_body(sums, kiln_op_body(made, 0), &inside, values);
        for (intptr_t k = 0; k < sums->count; k++) {
            kiln_clones_t after = {0};
            MlirValue all = mlirOperationGetResult(made, k);
            kiln_value_replace(mlirOperationGetResult(loop, k),
                               sums->of[k].reduce.ptr ? reduce_after(sums, &ir, k, all, &after)
                                                      : all);
            fits &= kiln_clones_free(&after);
        }
        kiln_op_erase(loop);
    }
    fits &= kiln_clones_free(&inside);
    free(values);
    return fits ? KILN_OK : kiln_status_out_of_memory();
}

static bool is_loop(MlirOperation op)
{
    return kiln_op_kind(op) == KILN_OP_SCF_FOR;
}

// In post-order: a reduction that moves out of an inner loop may also move out of the outer one.
kiln_status_t kiln_optimize_thread_locality(const kiln_pass_context_t *context, MlirModule module)
{
    kiln_loops_t loops;
    kiln_status_t status = kiln_loops_collect(module, MlirWalkPostOrder, is_loop, &loops);
    for (int i = 0; i < loops.count && !status; i++) {
        int64_t trips = kiln_loop_trip_count(loops.ops[i]);
        loop_sums_t sums = {.loop = loops.ops[i],
                            .count = mlirOperationGetNumResults(loops.ops[i]),
                            .num_warps = context->options->num_warps};
        bool any = false;
        sums.of = calloc((size_t)sums.count + 1, sizeof *sums.of);
        if (!sums.of)
            status = kiln_status_out_of_memory();
        for (intptr_t k = 0; k < sums.count && sums.of && (trips < 0 || trips > 1); k++) {
            if (!match(&sums, k, &sums.of[k]))
                sums.of[k].reduce = (MlirOperation){NULL};
            any |= sums.of[k].reduce.ptr != NULL;
        }
        if (any)
            status = rebuild(&sums);
        free(sums.of);
    }
    free(loops.ops);
    return status;
}
