// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces integers and restores them; see suppositions.h.
#include "passes/rewrite/suppositions.h"

#include "builder/op_facts.h"

static void suppose(kiln_suppositions_t *s, int i)
{
    MlirValue integer = s->integers[i];
    const kiln_ir_t ir =
        mlirValueIsAOpResult(integer)
            ? kiln_ir_after(mlirOpResultGetOwner(integer))
            : kiln_ir_before(mlirBlockGetFirstOperation(mlirBlockArgumentGetOwner(integer)));
    MlirValue made = s->suppose(&ir, integer);
    s->made[i] = mlirOpResultGetOwner(made);
    kiln_value_replace(integer, made);
    mlirOperationSetOperand(s->made[i], 0, integer); // it was replaced, too
}

static void take_back(kiln_suppositions_t *s, int i)
{
    MlirOperation constant = mlirOpResultGetOwner(kiln_op_operand(s->made[i], 1));
    kiln_value_replace(kiln_op_result(s->made[i], 0), s->integers[i]);
    kiln_op_erase(s->made[i]);
    kiln_op_erase(constant);
    s->made[i] = (MlirOperation){NULL};
}

static void drop(kiln_suppositions_t *s, int i)
{
    s->count--;
    s->integers[i] = s->integers[s->count];
    s->made[i] = s->made[s->count];
}

kiln_status_t kiln_suppositions_try(kiln_suppositions_t *suppositions,
                                    kiln_access_widths_t *out_before,
                                    kiln_access_widths_t *out_with_all)
{
    kiln_suppositions_t *s = suppositions;
    KILN_TRY(kiln_access_widths_measure(s->function, s->width, out_before));
    for (int i = 0; i < s->count; i++)
        suppose(s, i);
    return kiln_access_widths_measure(s->function, s->width, out_with_all);
}

kiln_status_t kiln_suppositions_keep_needed(kiln_suppositions_t *suppositions,
                                            const kiln_access_widths_t *with_all, bool pays)
{
    kiln_suppositions_t *s = suppositions;
    kiln_access_widths_t without;
    kiln_status_t status = KILN_OK;
    for (int i = s->count - 1; i >= 0; i--) {
        const bool is_only = s->count == 1; // what pays needs it
        take_back(s, i);
        if (pays && !is_only && !status)
            status = kiln_access_widths_measure(s->function, s->width, &without);
        if (status || !pays || (!is_only && kiln_access_widths_suffice(&without, with_all)))
            drop(s, i);
        else
            suppose(s, i);
    }
    for (int i = 0; i < s->count; i++)
        take_back(s, i);
    return status;
}
