// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites the parameters of kernels to the layout of a dispatch in IREE's HIP driver: addresses of
// bindings, in their order, then 32-bit constants, without gaps. Runs if the option iree_abi is
// set.
//
//   tt.func @k(%n: i64, %x: !tt.ptr<f32>, %s: f16)      tt.func @k(%x: !tt.ptr<f32>, %n: i32, %n.high: i32, %s: i32)
//     …                                             →     %lo = arith.extui %n : i32 to i64 …
//
// Note that a 32-bit value keeps its type, since its bits are those of the word; a narrower value
// is in the low bits of its word; the divisibility of a wide one is that of its low word.
#include <stdlib.h>
#include <string.h>

#include "base/string.h"
#include "builder/ir.h"
#include "passes/pass.h"

typedef struct rewrite {
    MlirContext context;
    MlirOperation func;
    MlirBlock body;
    kiln_ir_t ir;
    MlirAttribute attributes; // of the old parameters; null: none
    MlirAttribute *all;       // of the new ones
    intptr_t count;
} rewrite_t;

static MlirValue add_parameter(rewrite_t *r, MlirType type, MlirLocation location,
                               MlirAttribute attributes)
{
    r->all[r->count++] =
        mlirAttributeIsNull(attributes) ? mlirDictionaryAttrGet(r->context, 0, NULL) : attributes;
    return mlirBlockAddArgument(r->body, type, location);
}

static MlirAttribute attributes_of(const rewrite_t *r, intptr_t index)
{
    return mlirAttributeIsNull(r->attributes) || index >= mlirArrayAttrGetNumElements(r->attributes)
               ? mlirAttributeGetNull()
               : mlirArrayAttrGetElement(r->attributes, index);
}

static MlirLocation high_location(MlirLocation location)
{
    MlirStringRef name = mlirStringRefCreateFromCString("");
    if (mlirLocationIsAName(location))
        name = mlirIdentifierStr(mlirLocationNameGetName(location));
    char *high = name.length ? kiln_string_print("%.*s.high", (int)name.length, name.data) : NULL;
    if (high)
        location = mlirLocationNameGet(mlirLocationGetContext(location),
                                       mlirStringRefCreateFromCString(high),
                                       mlirLocationNameGetChildLoc(location));
    free(high);
    return location;
}

// Converts bits to the type of the value.
static MlirValue as_type(const rewrite_t *r, MlirValue bits, MlirType type)
{
    return mlirTypeIsAInteger(type) ? bits
                                    : kiln_ir_unary(&r->ir, KILN_OP_ARITH_BITCAST, type, bits);
}

static MlirValue take_narrow(rewrite_t *r, MlirType type, int width, MlirLocation location,
                             MlirAttribute attributes)
{
    MlirValue word = add_parameter(r, mlirIntegerTypeGet(r->context, 32), location, attributes);
    return as_type(r,
                   kiln_ir_unary(&r->ir, KILN_OP_ARITH_TRUNCI,
                                 mlirIntegerTypeGet(r->context, (unsigned)width), word),
                   type);
}

static MlirValue take_wide(rewrite_t *r, MlirType type, MlirLocation location,
                           MlirAttribute attributes)
{
    MlirType i32 = mlirIntegerTypeGet(r->context, 32), i64 = mlirIntegerTypeGet(r->context, 64);
    MlirValue low = add_parameter(r, i32, location, attributes);
    MlirValue high = add_parameter(r, i32, high_location(location), mlirAttributeGetNull());
    MlirValue shifted = kiln_ir_binary(&r->ir, KILN_OP_ARITH_SHLI,
                                       kiln_ir_unary(&r->ir, KILN_OP_ARITH_EXTUI, i64, high),
                                       kiln_ir_const_int(&r->ir, i64, 32));
    return as_type(r,
                   kiln_ir_binary(&r->ir, KILN_OP_ARITH_ADDI, shifted,
                                  kiln_ir_unary(&r->ir, KILN_OP_ARITH_EXTUI, i64, low)),
                   type);
}

static bool is_scalar(MlirType type)
{
    return mlirTypeIsAInteger(type) || mlirTypeIsAFloat(type);
}

static kiln_status_t take_scalar(rewrite_t *r, MlirValue old, intptr_t index)
{
    MlirType type = mlirValueGetType(old);
    MlirLocation location = mlirValueGetLocation(old);
    int width = is_scalar(type) ? kiln_type_bits(type) : 0;
    if (width < 1 || width > 64 || (width > 32 && width < 64))
        return kiln_op_unsupported(
            r->func,
            "parameter %d, neither pointer nor integer nor float, with IREE's calling convention",
            (int)index);
    MlirValue value = width == 32  ? add_parameter(r, type, location, attributes_of(r, index))
                      : width < 32 ? take_narrow(r, type, width, location, attributes_of(r, index))
                                   : take_wide(r, type, location, attributes_of(r, index));
    kiln_value_replace(old, value);
    return KILN_OK;
}

static kiln_status_t take_all(rewrite_t *r, intptr_t count)
{
    for (intptr_t i = 0; i < count; i++) {
        MlirValue old = mlirBlockGetArgument(r->body, i);
        if (kiln_type_is_ptr(mlirValueGetType(old)))
            kiln_value_replace(old, add_parameter(r, mlirValueGetType(old),
                                                  mlirValueGetLocation(old), attributes_of(r, i)));
    }
    for (intptr_t i = 0; i < count; i++) {
        MlirValue old = mlirBlockGetArgument(r->body, i);
        if (!kiln_type_is_ptr(mlirValueGetType(old)))
            KILN_TRY(take_scalar(r, old, i));
    }
    for (intptr_t i = count; i-- > 0;)
        mlirBlockEraseArgument(r->body, (unsigned)i);
    return KILN_OK;
}

static void set_attribute(const rewrite_t *r, const char *name, MlirAttribute value)
{
    mlirOperationSetAttributeByName(r->func, mlirStringRefCreateFromCString(name), value);
}

static kiln_status_t rewrite_function(MlirOperation func)
{
    rewrite_t r = {.context = mlirOperationGetContext(func),
                   .func = func,
                   .body = kiln_op_body(func, 0),
                   .attributes = kiln_ir_attr(func, "arg_attrs")};
    if (mlirBlockIsNull(r.body))
        return KILN_OK; // the compilation reports it
    intptr_t count = mlirBlockGetNumArguments(r.body);
    r.ir = kiln_ir_at_start(r.body, mlirOperationGetLocation(func));
    r.all = calloc(2 * (size_t)count + 1, sizeof *r.all);
    if (!r.all)
        return kiln_status_out_of_memory();
    kiln_status_t status = take_all(&r, count);
    MlirType *types = status ? NULL : calloc((size_t)r.count + 1, sizeof *types);
    if (!status && !types)
        status = kiln_status_out_of_memory();
    for (intptr_t i = 0; !status && i < r.count; i++)
        types[i] = mlirValueGetType(mlirBlockGetArgument(r.body, i));
    if (!status) {
        set_attribute(&r, "function_type",
                      mlirTypeAttrGet(mlirFunctionTypeGet(r.context, r.count, types, 0, NULL)));
        set_attribute(&r, "arg_attrs", mlirArrayAttrGet(r.context, r.count, r.all));
    }
    free(types);
    free(r.all);
    return status;
}

static bool is_kernel(MlirOperation func)
{
    return kiln_op_kind(func) == KILN_OP_TT_FUNC && kiln_func_is_public(func) &&
           mlirFunctionTypeGetNumResults(
               mlirTypeAttrGetValue(kiln_ir_attr(func, "function_type"))) == 0;
}

// A call would still pass the parameters that a kernel had before.
static MlirWalkResult find_call(MlirOperation op, void *user)
{
    kiln_status_t *failure = user;
    MlirOperation callee =
        kiln_op_kind(op) == KILN_OP_TT_CALL ? kiln_ir_callee(op) : (MlirOperation){NULL};
    if (mlirOperationIsNull(callee) || !is_kernel(callee))
        return MlirWalkResultAdvance;
    *failure = kiln_op_unsupported(op, "calling a kernel that has IREE's calling convention");
    return MlirWalkResultInterrupt;
}

kiln_status_t kiln_iree_abi(const kiln_pass_context_t *context, MlirModule module)
{
    (void)context;
    kiln_status_t failure = KILN_OK;
    kiln_walk(mlirModuleGetOperation(module), MlirWalkPreOrder, find_call, &failure);
    KILN_TRY(failure);
    for (MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
         !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
        if (is_kernel(op))
            KILN_TRY(rewrite_function(op));
    return KILN_OK;
}
