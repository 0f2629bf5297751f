// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads operations: attributes, operands, structure and source locations.
//
// Note that MLIR's signed getter reads an i1 attribute of 1 as −1; here booleans are always 0 or 1.
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/string.h"
#include "builder/ir.h"
#include "builder/ir_text.h"

static MlirStringRef string_ref(const char *text)
{
    return mlirStringRefCreateFromCString(text);
}

// Attributes --------------------------------------------------------------------------------------

MlirAttribute kiln_ir_attr(MlirOperation op, const char *name)
{
    return mlirOperationGetAttributeByName(op, string_ref(name));
}

// The value of an integer attribute of at most 64 bits.
static bool integer_value(MlirAttribute attribute, int64_t *out)
{
    if (mlirAttributeIsNull(attribute))
        return false;
    if (mlirAttributeIsABool(attribute)) {
        *out = mlirBoolAttrGetValue(attribute);
        return true;
    }
    if (!mlirAttributeIsAInteger(attribute))
        return false;
    MlirType type = mlirAttributeGetType(attribute);
    if (mlirTypeIsAInteger(type)) {
        if (mlirIntegerTypeGetWidth(type) > 64)
            return false;
        if (mlirIntegerTypeIsSigned(type)) {
            *out = mlirIntegerAttrGetValueSInt(attribute);
            return true;
        }
        if (mlirIntegerTypeIsUnsigned(type)) {
            *out = (int64_t)mlirIntegerAttrGetValueUInt(attribute);
            return true;
        }
    }
    *out = mlirIntegerAttrGetValueInt(attribute);
    return true;
}

int64_t kiln_ir_int_attr(MlirOperation op, const char *name, int64_t otherwise)
{
    MlirAttribute attribute = kiln_ir_attr(op, name);
    if (mlirAttributeIsNull(attribute))
        return otherwise;
    if (mlirAttributeIsAUnit(attribute))
        return 1;
    int64_t value;
    return integer_value(attribute, &value) ? value : otherwise;
}

int kiln_ir_clamped_attr(MlirOperation op, const char *name, int otherwise)
{
    const int64_t value = kiln_ir_int_attr(op, name, otherwise);
    return value < INT_MIN ? INT_MIN : value > INT_MAX ? INT_MAX : (int)value;
}

bool kiln_ir_constant_int(MlirValue value, int64_t *out)
{
    MlirOperation op;
    kiln_op_t kind = kiln_value_op(value, &op);
    if (kind == KILN_OP_TT_SPLAT)
        return kiln_ir_constant_int(mlirOperationGetOperand(op, 0), out);
    if (kind != KILN_OP_ARITH_CONSTANT)
        return false;
    MlirAttribute attribute = kiln_ir_attr(op, "value");
    if (!mlirAttributeIsNull(attribute) && mlirAttributeIsADenseElements(attribute)) {
        if (!mlirDenseElementsAttrIsSplat(attribute))
            return false;
        attribute = mlirDenseElementsAttrGetSplatValue(attribute);
    }
    return integer_value(attribute, out);
}

MlirValue kiln_ir_scalar_of(MlirValue value)
{
    for (MlirOperation op;;) {
        if (!kiln_type_is_tensor(mlirValueGetType(value)))
            return value;
        switch (kiln_value_op(value, &op)) {
        case KILN_OP_TT_SPLAT:
        case KILN_OP_TT_EXPAND_DIMS:
        case KILN_OP_TT_BROADCAST:
        case KILN_OP_TTG_CONVERT_LAYOUT:
            value = kiln_op_operand(op, 0);
            break;
        default:
            return (MlirValue){NULL};
        }
    }
}

// Structure ---------------------------------------------------------------------------------------

kiln_op_t kiln_value_op(MlirValue value, MlirOperation *out_op)
{
    MlirOperation op = {NULL};
    if (!mlirValueIsNull(value) && mlirValueIsAOpResult(value))
        op = mlirOpResultGetOwner(value);
    if (out_op)
        *out_op = op;
    return mlirOperationIsNull(op) ? KILN_OP_UNKNOWN : kiln_op_kind(op);
}

MlirValue kiln_op_operand(MlirOperation op, int index)
{
    return mlirOperationGetOperand(op, index);
}

MlirValue kiln_op_result(MlirOperation op, int index)
{
    return mlirOperationGetResult(op, index);
}

MlirOperation kiln_op_parent(MlirOperation op)
{
    return mlirOperationGetParentOperation(op);
}

MlirOperation kiln_ir_callee(MlirOperation call)
{
    MlirAttribute name = kiln_ir_attr(call, "callee");
    MlirOperation module = call, found = {NULL};
    if (mlirAttributeIsNull(name) || !mlirAttributeIsAFlatSymbolRef(name))
        return found;
    while (!mlirOperationIsNull(module) && kiln_op_kind(module) != KILN_OP_BUILTIN_MODULE)
        module = kiln_op_parent(module);
    if (mlirOperationIsNull(module))
        return found;
    MlirStringRef wanted = mlirFlatSymbolRefAttrGetValue(name);
    for (MlirOperation op = mlirBlockGetFirstOperation(kiln_op_body(module, 0));
         !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
        MlirAttribute symbol = kiln_ir_attr(op, "sym_name");
        if (!mlirAttributeIsNull(symbol) && mlirAttributeIsAString(symbol) &&
            mlirStringRefEqual(mlirStringAttrGetValue(symbol), wanted))
            return op;
    }
    return found;
}

bool kiln_func_is_public(MlirOperation func)
{
    MlirAttribute visibility = kiln_ir_attr(func, "sym_visibility");
    return mlirAttributeIsNull(visibility) || !mlirAttributeIsAString(visibility) ||
           mlirStringRefEqual(mlirStringAttrGetValue(visibility),
                              mlirStringRefCreateFromCString("public"));
}

MlirBlock kiln_op_body(MlirOperation op, int region)
{
    return mlirRegionGetFirstBlock(mlirOperationGetRegion(op, region));
}

// Each cycle of blocks has a branch to the same or to an earlier block of the region's list.
static bool region_branches_backwards(MlirRegion region)
{
    for (MlirBlock block = mlirRegionGetFirstBlock(region); !mlirBlockIsNull(block);
         block = mlirBlockGetNextInRegion(block))
        for (intptr_t s = 0; s < mlirBlockGetNumSuccessors(block); s++)
            for (MlirBlock earlier = mlirRegionGetFirstBlock(region);;
                 earlier = mlirBlockGetNextInRegion(earlier)) {
                if (mlirBlockEqual(earlier, mlirBlockGetSuccessor(block, s)))
                    return true;
                if (mlirBlockEqual(earlier, block))
                    break;
            }
    return false;
}

bool kiln_branches_backwards(MlirOperation op)
{
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
        if (region_branches_backwards(mlirOperationGetRegion(op, r)))
            return true;
    return false;
}

MlirOperation kiln_block_terminator(MlirBlock block)
{
    return mlirBlockGetTerminator(block);
}

bool kiln_value_has_uses(MlirValue value)
{
    return !mlirOpOperandIsNull(mlirValueGetFirstUse(value));
}

bool kiln_value_has_one_use(MlirValue value)
{
    const MlirOpOperand use = mlirValueGetFirstUse(value);
    return !mlirOpOperandIsNull(use) && mlirOpOperandIsNull(mlirOpOperandGetNextUse(use));
}

void kiln_value_replace(MlirValue from, MlirValue to)
{
    mlirValueReplaceAllUsesOfWith(from, to);
}

// Counted because a new operation may get an erased one's address.
static _Thread_local uint64_t erasures;

uint64_t kiln_ir_erasures(void)
{
    return erasures;
}

void kiln_op_erase(MlirOperation op)
{
    erasures++;
    mlirOperationDestroy(op);
}

void kiln_walk(MlirOperation root, MlirWalkOrder order, kiln_visit_t visit, void *user)
{
    mlirOperationWalk(root, visit, user, order);
}

MlirValue kiln_op_segment(MlirOperation op, int group)
{
    intptr_t count = mlirOperationGetNumOperands(op), at = group;
    MlirAttribute sizes = kiln_ir_attr(op, "operandSegmentSizes");
    if (!mlirAttributeIsNull(sizes) && mlirAttributeIsADenseI32Array(sizes)) {
        if (group >= mlirDenseArrayGetNumElements(sizes) ||
            mlirDenseI32ArrayGetElement(sizes, group) == 0)
            return (MlirValue){NULL};
        at = 0;
        for (int g = 0; g < group; g++)
            at += mlirDenseI32ArrayGetElement(sizes, g);
    }
    return at < count ? mlirOperationGetOperand(op, at) : (MlirValue){NULL};
}

// Locations ---------------------------------------------------------------------------------------

// The file:line:column of a location; a null location if it names no file.
static MlirLocation file_location(MlirLocation loc)
{
    for (;;) {
        if (mlirLocationIsAFileLineColRange(loc))
            return loc;
        if (mlirLocationIsACallSite(loc)) {
            loc = mlirLocationCallSiteGetCaller(loc);
        } else if (mlirLocationIsAName(loc)) {
            loc = mlirLocationNameGetChildLoc(loc);
        } else {
            break;
        }
    }
    if (!mlirLocationIsAFused(loc))
        return (MlirLocation){NULL};
    unsigned count = mlirLocationFusedGetNumLocations(loc);
    MlirLocation parts[16];
    if (count > sizeof parts / sizeof *parts)
        return (MlirLocation){NULL};
    mlirLocationFusedGetLocations(loc, parts);
    for (unsigned i = 0; i < count; i++) {
        MlirLocation found = file_location(parts[i]);
        if (!mlirLocationIsNull(found))
            return found;
    }
    return (MlirLocation){NULL};
}

kiln_status_t kiln_status_at_loc(kiln_status_t status, MlirLocation loc)
{
    if (!status)
        return status;
    MlirLocation place = file_location(loc);
    if (mlirLocationIsNull(place))
        return status;
    MlirStringRef name = mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(place));
    char *file = name.length ? kiln_ir_copy(name) : NULL;
    if (!file)
        return status;
    int line = mlirLocationFileLineColRangeGetStartLine(place);
    int column = mlirLocationFileLineColRangeGetStartColumn(place);
    status = kiln_status_at(status, file, line > 0 ? (unsigned)line : 0,
                            column > 0 ? (unsigned)column : 0);
    free(file);
    return status;
}

kiln_status_t kiln_status_at_op(kiln_status_t status, MlirOperation op)
{
    return status ? kiln_status_at_loc(status, mlirOperationGetLocation(op)) : status;
}

kiln_status_t kiln_op_unsupported(MlirOperation op, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = kiln_string_vprint(format, args);
    va_end(args);
    MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
    kiln_status_t status =
        text ? kiln_status_make(KILN_STATUS_UNSUPPORTED, "%.*s: %s is not supported on gfx942",
                                (int)name.length, name.data, text)
             : kiln_status_out_of_memory();
    free(text);
    return kiln_status_at_op(status, op);
}
