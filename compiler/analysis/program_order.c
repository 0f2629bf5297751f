// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and writes the attributes of program_order.h.
#include "analysis/program_order.h"

#include <mlir-c/BuiltinAttributes.h>

#include "builder/ir.h"

static const char ORDER[] = "kiln.program_order", DESCENDS[] = "kiln.last_axis_descends",
                  ABOVE[] = "kiln.ordered_above", XCDS[] = "kiln.xcds";

static kiln_status_t invalid(MlirOperation module, const char *name, const char *expected)
{
    return kiln_status_at_op(
        kiln_status_make(KILN_STATUS_INVALID_INPUT, "%s: expected %s", name, expected), module);
}

static kiln_status_t read_number(MlirOperation module, const char *name, MlirAttribute order,
                                 uint32_t *out_number)
{
    const MlirAttribute attribute = kiln_ir_attr(module, name);
    const int64_t number = kiln_ir_int_attr(module, name, 0);
    *out_number = (uint32_t)number;
    if (!mlirAttributeIsNull(attribute) && (!mlirAttributeIsAInteger(attribute) || number < 0 ||
                                            number > INT32_MAX || mlirAttributeIsNull(order)))
        return invalid(module, name, "a non-negative i32 beside kiln.program_order");
    return KILN_OK;
}

kiln_status_t kiln_program_order_read(MlirOperation module, kiln_program_order_t *out_order)
{
    const MlirAttribute order = kiln_ir_attr(module, ORDER),
                        descends = kiln_ir_attr(module, DESCENDS);
    *out_order = (kiln_program_order_t){.last_descends = !mlirAttributeIsNull(descends)};
    if (out_order->last_descends && (!mlirAttributeIsAUnit(descends) || mlirAttributeIsNull(order)))
        return invalid(module, DESCENDS, "a unit attribute beside kiln.program_order");
    KILN_TRY(read_number(module, ABOVE, order, &out_order->above));
    KILN_TRY(read_number(module, XCDS, order, &out_order->xcds));
    if (mlirAttributeIsNull(order))
        return KILN_OK;
    const intptr_t count =
        mlirAttributeIsADenseI32Array(order) ? mlirDenseArrayGetNumElements(order) : 0;
    bool is_listed[KILN_PROGRAM_AXES] = {false},
         is_valid = count >= 1 && count <= KILN_PROGRAM_AXES;
    for (int i = 0; is_valid && i < count; i++) {
        const int axis = mlirDenseI32ArrayGetElement(order, i);
        is_valid = axis >= 0 && axis < KILN_PROGRAM_AXES && !is_listed[axis];
        if (is_valid)
            is_listed[axis] = true;
        out_order->axes[i] = axis;
    }
    out_order->count = (int)count;
    return is_valid
               ? KILN_OK
               : invalid(module, ORDER, "an array<i32> of one to three different axes from 0 to 2");
}

bool kiln_program_order_is_set(MlirOperation module)
{
    return !mlirAttributeIsNull(kiln_ir_attr(module, ORDER)) ||
           !mlirAttributeIsNull(kiln_ir_attr(module, DESCENDS)) ||
           !mlirAttributeIsNull(kiln_ir_attr(module, ABOVE)) ||
           !mlirAttributeIsNull(kiln_ir_attr(module, XCDS));
}

void kiln_program_order_ids(const kiln_program_order_t *order, const uint32_t *grid,
                            uint64_t number, int64_t *out_ids)
{
    bool is_listed[KILN_PROGRAM_AXES] = {false};
    uint64_t rest = 0, stride = 1;
    for (int i = 0; i < order->count; i++)
        is_listed[order->axes[i]] = true;
    for (int axis = 0; axis < KILN_PROGRAM_AXES; axis++) {
        out_ids[axis] = (int64_t)(number % grid[axis]);
        number /= grid[axis];
        if (is_listed[axis]) {
            rest += stride * (uint64_t)out_ids[axis];
            stride *= grid[axis];
        }
    }
    const bool is_ordered = stride <= UINT32_MAX && stride > order->above;
    if (is_ordered && order->count > 0) {
        const uint64_t row = stride / grid[order->axes[order->count - 1]], at = rest % row;
        const uint64_t shift = order->xcds && row > order->xcds ? (rest - at) % order->xcds : 0;
        rest = rest - at + (at + shift) % row;
    }
    for (int i = 0; i < order->count && is_ordered; i++) {
        const int axis = order->axes[i];
        out_ids[axis] = (int64_t)(rest % grid[axis]);
        rest /= grid[axis];
        if (i + 1 == order->count && order->last_descends)
            out_ids[axis] = (int64_t)grid[axis] - 1 - out_ids[axis];
    }
}

void kiln_program_order_write(MlirOperation module, const kiln_program_order_t *order)
{
    const MlirContext context = mlirOperationGetContext(module);
    mlirOperationSetDiscardableAttributeByName(
        module, mlirStringRefCreateFromCString(ORDER),
        mlirDenseI32ArrayGet(context, order->count, order->axes));
    if (order->above)
        mlirOperationSetDiscardableAttributeByName(module, mlirStringRefCreateFromCString(ABOVE),
                                                   kiln_ir_i32_attr(context, (int)order->above));
    if (order->xcds)
        mlirOperationSetDiscardableAttributeByName(module, mlirStringRefCreateFromCString(XCDS),
                                                   kiln_ir_i32_attr(context, (int)order->xcds));
    if (order->last_descends)
        mlirOperationSetDiscardableAttributeByName(module, mlirStringRefCreateFromCString(DESCENDS),
                                                   mlirUnitAttrGet(context));
}
