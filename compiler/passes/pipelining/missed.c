// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Findings about loops with dots that are not pipelined (passes/pipelining/missed.h).
#include "passes/pipelining/missed.h"

#include "analysis/memory/effects.h"
#include "builder/ir.h"

static MlirWalkResult find_own_dot(MlirOperation op, void *user)
{
    kiln_op_t kind = kiln_op_kind(op);
    *(bool *)user |= kind == KILN_OP_TT_DOT || kind == KILN_OP_TT_DOT_SCALED;
    return *(bool *)user                                          ? MlirWalkResultInterrupt
           : kind == KILN_OP_SCF_FOR || kind == KILN_OP_SCF_WHILE ? MlirWalkResultSkip
                                                                  : MlirWalkResultAdvance;
}

bool kiln_loop_has_dot(MlirBlock body)
{
    bool has_dot = false;
    for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op) && !has_dot;
         op = mlirOperationGetNextInBlock(op))
        kiln_walk(op, MlirWalkPreOrder, find_own_dot, &has_dot);
    return has_dot;
}

void kiln_missed_report(const kiln_pass_context_t *context, kiln_missed_t finding, MlirOperation op,
                        kiln_string_t *what, const char *advice)
{
    if (what->data)
        context->missed(finding, op, what->data, advice, context->refused_user);
    kiln_string_free(what);
}

static MlirWalkResult find_tensor_load(MlirOperation op, void *user)
{
    *(bool *)user |= kiln_op_loads_tensor(op);
    return *(bool *)user ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

void kiln_missed_report_branch(const kiln_pass_context_t *context, MlirOperation loop)
{
    MlirBlock body = kiln_op_body(loop, 0);
    for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        bool has_dot = false, has_load = false;
        if (kiln_op_kind(op) != KILN_OP_SCF_IF)
            continue;
        kiln_walk(op, MlirWalkPreOrder, find_own_dot, &has_dot);
        kiln_walk(op, MlirWalkPreOrder, find_tensor_load, &has_load);
        if (!has_dot || !has_load)
            continue;
        kiln_string_t what = {0};
        kiln_string_append(&what, "the loop around this 'if' is not pipelined: its dot and the "
                                  "dot's loads are executed only under the condition");
        kiln_missed_report(
            context, KILN_MISSED_NOT_PIPELINED, op, &what,
            "load and multiply in each iteration, with masks or a select in place of the 'if'; "
            "or loop over a list of those iterations that have something to do");
        return;
    }
}

// The body of a do loop is what is before the condition.
static MlirWalkResult report_while(MlirOperation op, void *user)
{
    const kiln_pass_context_t *context = user;
    if (kiln_op_kind(op) != KILN_OP_SCF_WHILE ||
        (!kiln_loop_has_dot(kiln_op_body(op, 0)) && !kiln_loop_has_dot(kiln_op_body(op, 1))))
        return MlirWalkResultAdvance;
    kiln_string_t what = {0};
    kiln_string_append(&what, "this loop is not pipelined: the number of its iterations is unknown "
                              "when it begins, as in every loop but a counted `for`");
    kiln_missed_report(
        context, KILN_MISSED_NOT_PIPELINED, op, &what,
        "write it as a `for` over an integer with bound and step that the loop does not change: "
        "for (i32 k = 0; k < n; k += STEP)");
    return MlirWalkResultAdvance;
}

void kiln_missed_report_while(const kiln_pass_context_t *context, MlirModule module)
{
    kiln_walk(mlirModuleGetOperation(module), MlirWalkPreOrder, report_while,
              (void *)(uintptr_t)context);
}
