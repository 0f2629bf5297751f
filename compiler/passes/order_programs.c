// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts programs with long loops first. In causal attention a block of queries sees the keys up to
// its own position, so the trip count rises with the block's number. The hardware starts workgroups
// in the order of their numbers: the longest ones would start last and run while the other compute
// units are idle.
//
//   scf.for %i = 0 to (program_id(0) + 1) * 128     →     module attributes {
//                                                            kiln.program_order = array<i32: 1, 0>,
//                                                            kiln.last_axis_descends,
//                                                            kiln.xcds = 8}
//
// With these attributes (analysis/program_order.h) the axis whose id decides the trip count changes
// last, from the long programs to the short ones. The other axes change first, and the blocks of
// one head run on one XCD and share its L2: all of them with a multiple of 8 heads, of more than 8
// heads those of all but up to 7.
//
// At most as many programs as there are compute units all start at once, one on each. For them the
// order remains that of the dispatch (kiln.ordered_above): nothing is gained, and programs of equal
// length on neighbouring compute units of an XCD compete for its L2 and power at the same time.
//
// Only the order in which programs start changes. A kernel whose programs may wait for others, or
// that uses the result of an atomic, such as a ticket, is left unchanged, and so is a module with
// an order of its own.
//
// Note that this needs the grid's size, from the hidden arguments, and one division for each axis
// that changes places.
#include "analysis/program_order.h"
#include "analysis/trend.h"
#include "builder/ir.h"
#include "builder/op_facts.h"
#include "passes/pass.h"

enum {
#define GFX942_DEVICE(id, name, compute_units, ...) COMPUTE_UNITS_##id = (compute_units),
#include "base/gfx942.def"
#define GFX942_DEVICE(id, name, compute_units, xcds, ...) XCDS_##id = (xcds),
#include "base/gfx942.def"
};

typedef struct programs {
    bool reads[KILN_PROGRAM_AXES];                           // the kernel reads the id
    bool rises[KILN_PROGRAM_AXES], falls[KILN_PROGRAM_AXES]; // the trip count of some loop
    bool observe_order;
} programs_t;

static bool has_used_result(MlirOperation op)
{
    for (intptr_t r = 0; r < mlirOperationGetNumResults(op); r++)
        if (kiln_value_has_uses(mlirOperationGetResult(op, r)))
            return true;
    return false;
}

// Whether the operation may wait for other programs or shows which of them began earlier: a loop
// of unknown length that reads memory, an atomic's result, or code that Kiln does not know.
static bool observes_order(MlirOperation op)
{
    const kiln_op_t kind = kiln_op_kind(op);
    switch (kind) {
    case KILN_OP_SCF_FOR: // its number of iterations is known when it begins
    case KILN_OP_TT_CALL: // the callee's operations are visited, too
        return false;
    case KILN_OP_TT_ELEMENTWISE_INLINE_ASM:
    case KILN_OP_TT_EXTERN_ELEMENTWISE:
        return kiln_op_own_effects(op) != 0;
    default:
        return kiln_branches_backwards(op) ||
               ((kiln_op_own_effects(op) & KILN_ORDERED) && has_used_result(op)) ||
               (kiln_op_has(kind, KILN_LOOPS) &&
                (kiln_op_effects(op) & (KILN_READS_GLOBAL | KILN_ORDERED)));
    }
}

static MlirWalkResult visit(MlirOperation op, void *user)
{
    programs_t *programs = user;
    const kiln_op_t kind = kiln_op_kind(op);
    if (kind == KILN_OP_TT_GET_PROGRAM_ID) {
        const int64_t axis = kiln_ir_int_attr(op, "axis", 0);
        if (axis >= 0 && axis < KILN_PROGRAM_AXES)
            programs->reads[axis] = true;
    }
    for (int axis = 0; axis < KILN_PROGRAM_AXES && kind == KILN_OP_SCF_FOR; axis++) {
        const kiln_trend_t trend = kiln_trip_trend(op, axis);
        programs->rises[axis] |= trend == KILN_TREND_RISES;
        programs->falls[axis] |= trend == KILN_TREND_FALLS;
    }
    programs->observe_order |= observes_order(op);
    return programs->observe_order ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// The only axis with which trip counts rise or fall; -1 if there is none or more than one.
static int deciding_axis(const programs_t *programs)
{
    int found = -1;
    for (int axis = 0; axis < KILN_PROGRAM_AXES; axis++) {
        if (!programs->rises[axis] && !programs->falls[axis])
            continue;
        if (found >= 0 || programs->rises[axis] == programs->falls[axis])
            return -1;
        found = axis;
    }
    return found;
}

kiln_status_t kiln_order_programs(const kiln_pass_context_t *context, MlirModule module)
{
    (void)context;
    MlirOperation root = mlirModuleGetOperation(module);
    programs_t programs = {.observe_order = false};
    if (kiln_program_order_is_set(root))
        return KILN_OK;
    kiln_walk(root, MlirWalkPreOrder, visit, &programs);
    const int last = deciding_axis(&programs);
    if (programs.observe_order || last < 0)
        return KILN_OK;
    // On a device with fewer compute units, such a grid has the order of the dispatch, too. One
    // with fewer XCDs gains nothing from the rotation, and loses nothing.
    kiln_program_order_t order = {
        .last_descends = programs.rises[last], .above = COMPUTE_UNITS_mi300x, .xcds = XCDS_mi300x};
    bool is_other = order.last_descends;
    for (int axis = 0; axis < KILN_PROGRAM_AXES; axis++) {
        if (axis == last || !programs.reads[axis])
            continue;
        order.axes[order.count++] = axis;
        is_other |= axis > last;
    }
    order.axes[order.count++] = last;
    if (is_other)
        kiln_program_order_write(root, &order);
    return KILN_OK;
}
