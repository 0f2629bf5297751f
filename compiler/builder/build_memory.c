// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Building memory accesses, barriers and promises.
//
// tt.load has optional operands in the middle of its list, so it carries operandSegmentSizes; tt.store and the atomics
// do not.
#include "builder/builder_internal.h"

static MlirType type_of(kiln_value_t value)
{
    return mlirValueGetType(kiln_unwrap(value));
}

// What loading through a pointer (or a tile of pointers) gives; null after a failure.
static MlirType loaded_type(kiln_builder_t *builder, const char *what, kiln_value_t pointer)
{
    MlirType type = type_of(pointer), element = kiln_type_element(type);
    if (kiln_type_is_ptr(element))
        return kiln_type_with_element(type, kiln_ptr_pointee(element));
    kiln_builder_fail(builder, "%s needs a pointer", what);
    return (MlirType){NULL};
}

static bool matches(kiln_builder_t *builder, const char *what, kiln_value_t value, MlirType type)
{
    if (mlirTypeEqual(type_of(value), type))
        return true;
    kiln_builder_fail(builder, "%s: the value is not of the type that the pointer points to", what);
    return false;
}

static bool masks(kiln_builder_t *builder, const char *what, kiln_value_t mask, MlirType type)
{
    if (!mask.handle ||
        mlirTypeEqual(type_of(mask), kiln_type_with_element(type, mlirIntegerTypeGet(builder->context, 1))))
        return true;
    kiln_builder_fail(builder, "%s: the mask is not i1 in the shape of the pointer", what);
    return false;
}

kiln_value_t kiln_build_addptr(kiln_builder_t *builder, kiln_value_t pointer, kiln_value_t offset)
{
    kiln_value_t both[] = {pointer, offset};
    if (!kiln_builder_accepts(builder, "addptr", both, 2))
        return (kiln_value_t){NULL};
    return kiln_wrap(kiln_ir_binary(&builder->ir, KILN_OP_TT_ADDPTR, kiln_unwrap(pointer), kiln_unwrap(offset)));
}

kiln_value_t kiln_build_load(kiln_builder_t *builder, kiln_value_t pointer, kiln_value_t mask, kiln_value_t other)
{
    if (!kiln_builder_accepts(builder, "load", &pointer, 1))
        return (kiln_value_t){NULL};
    MlirType type = loaded_type(builder, "load", pointer);
    if (mlirTypeIsNull(type) || !masks(builder, "load", mask, type) ||
        (other.handle && !matches(builder, "load", other, type)))
        return (kiln_value_t){NULL};
    if (other.handle && !mask.handle)
        return kiln_builder_fail(builder, "load: a value for masked-off elements needs a mask");
    MlirValue operands[3] = {kiln_unwrap(pointer), kiln_unwrap(mask), kiln_unwrap(other)};
    int32_t segments[3] = {1, mask.handle != NULL, other.handle != NULL};
    MlirNamedAttribute attribute =
        kiln_ir_named(builder->context, "operandSegmentSizes", mlirDenseI32ArrayGet(builder->context, 3, segments));
    kiln_ir_op_t op = {.kind = KILN_OP_TT_LOAD,
                       .operand_count = 1 + segments[1] + segments[2],
                       .operands = operands,
                       .result_count = 1,
                       .results = &type,
                       .attribute_count = 1,
                       .attributes = &attribute};
    return kiln_wrap(mlirOperationGetResult(kiln_ir_create(&builder->ir, &op), 0));
}

void kiln_build_store(kiln_builder_t *builder, kiln_value_t pointer, kiln_value_t value, kiln_value_t mask)
{
    kiln_value_t both[] = {pointer, value};
    if (!kiln_builder_accepts(builder, "store", both, 2))
        return;
    MlirType type = loaded_type(builder, "store", pointer);
    if (mlirTypeIsNull(type) || !matches(builder, "store", value, type) || !masks(builder, "store", mask, type))
        return;
    MlirValue operands[3] = {kiln_unwrap(pointer), kiln_unwrap(value), kiln_unwrap(mask)};
    kiln_ir_op_t op = {.kind = KILN_OP_TT_STORE, .operand_count = mask.handle ? 3 : 2, .operands = operands};
    kiln_ir_create(&builder->ir, &op);
}

// Atomics -------------------------------------------------------------------------------------------------------

enum { ACQ_REL = 4, GPU = 1 }; // tt's numbers of the memory order and scope

kiln_value_t kiln_build_atomic_rmw(kiln_builder_t *builder, kiln_atomic_t op, kiln_value_t pointer, kiln_value_t value,
                                   kiln_value_t mask)
{
    static const int numbers[] = {
#define KILN_ATOMIC_ROW(id, value) value,
#include "kiln/builder.def"
    };
    kiln_value_t both[] = {pointer, value};
    if ((unsigned)op >= KILN_ATOMIC_COUNT)
        return kiln_builder_fail(builder, "there is no atomic operation %d", (int)op);
    if (!kiln_builder_accepts(builder, "atomic_rmw", both, 2))
        return (kiln_value_t){NULL};
    MlirType type = loaded_type(builder, "atomic_rmw", pointer);
    if (mlirTypeIsNull(type) || !matches(builder, "atomic_rmw", value, type) ||
        !masks(builder, "atomic_rmw", mask, type))
        return (kiln_value_t){NULL};
    MlirContext context = builder->context;
    MlirNamedAttribute attributes[] = {
        kiln_ir_named(context, "atomic_rmw_op", kiln_ir_i32_attr(context, numbers[op])),
        kiln_ir_named(context, "sem", kiln_ir_i32_attr(context, ACQ_REL)),
        kiln_ir_named(context, "scope", kiln_ir_i32_attr(context, GPU)),
    };
    MlirValue operands[] = {kiln_unwrap(pointer), kiln_unwrap(value), kiln_unwrap(mask)};
    kiln_ir_op_t made = {.kind = KILN_OP_TT_ATOMIC_RMW,
                         .operand_count = mask.handle ? 3 : 2,
                         .operands = operands,
                         .result_count = 1,
                         .results = &type,
                         .attribute_count = 3,
                         .attributes = attributes};
    return kiln_wrap(mlirOperationGetResult(kiln_ir_create(&builder->ir, &made), 0));
}

kiln_value_t kiln_build_atomic_cas(kiln_builder_t *builder, kiln_value_t pointer, kiln_value_t compare,
                                   kiln_value_t value)
{
    kiln_value_t all[] = {pointer, compare, value};
    if (!kiln_builder_accepts(builder, "atomic_cas", all, 3))
        return (kiln_value_t){NULL};
    MlirType type = loaded_type(builder, "atomic_cas", pointer);
    if (mlirTypeIsNull(type) || !matches(builder, "atomic_cas", compare, type) ||
        !matches(builder, "atomic_cas", value, type))
        return (kiln_value_t){NULL};
    MlirContext context = builder->context;
    MlirNamedAttribute attributes[] = {
        kiln_ir_named(context, "sem", kiln_ir_i32_attr(context, ACQ_REL)),
        kiln_ir_named(context, "scope", kiln_ir_i32_attr(context, GPU)),
    };
    MlirValue operands[] = {kiln_unwrap(pointer), kiln_unwrap(compare), kiln_unwrap(value)};
    kiln_ir_op_t op = {.kind = KILN_OP_TT_ATOMIC_CAS,
                       .operand_count = 3,
                       .operands = operands,
                       .result_count = 1,
                       .results = &type,
                       .attribute_count = 2,
                       .attributes = attributes};
    return kiln_wrap(mlirOperationGetResult(kiln_ir_create(&builder->ir, &op), 0));
}

// Barriers and promises -----------------------------------------------------------------------------------------

void kiln_build_barrier(kiln_builder_t *builder)
{
    kiln_ir_op_t op = {.kind = KILN_OP_GPU_BARRIER};
    if (kiln_builder_accepts(builder, "barrier", NULL, 0))
        kiln_ir_create(&builder->ir, &op);
}

void kiln_build_assume(kiln_builder_t *builder, kiln_value_t condition)
{
    if (!kiln_builder_accepts(builder, "assume", &condition, 1))
        return;
    MlirValue operand = kiln_unwrap(condition);
    // LLVM's assume can carry operand bundles; there are none.
    MlirNamedAttribute bundles =
        kiln_ir_named(builder->context, "op_bundle_sizes", mlirDenseI32ArrayGet(builder->context, 0, NULL));
    kiln_ir_op_t op = {.kind = KILN_OP_LLVM_INTR_ASSUME,
                       .operand_count = 1,
                       .operands = &operand,
                       .attribute_count = 1,
                       .attributes = &bundles};
    kiln_ir_create(&builder->ir, &op);
}

// A kernel argument's divisibility is the function's attribute.
static void hint_argument(kiln_builder_t *builder, MlirValue argument, int32_t divisibility)
{
    MlirBlock entry = kiln_op_body(builder->function, 0);
    if (!mlirBlockEqual(mlirBlockArgumentGetOwner(argument), entry))
        return; // carried by a loop: nobody reads hints there
    MlirContext context = builder->context;
    intptr_t index = mlirBlockArgumentGetArgNumber(argument), count = mlirBlockGetNumArguments(entry);
    MlirAttribute old = mlirOperationGetAttributeByName(builder->function, mlirStringRefCreateFromCString("arg_attrs"));
    MlirAttribute list[256];
    if (count > 256 || mlirAttributeIsNull(old))
        return;
    for (intptr_t i = 0; i < count; i++)
        list[i] = mlirArrayAttrGetElement(old, i);
    MlirStringRef name = mlirStringRefCreateFromCString("tt.divisibility");
    MlirAttribute range =
        mlirDictionaryAttrGetElementByName(list[index], mlirStringRefCreateFromCString("tt.pointer_range"));
    MlirAttribute known = mlirDictionaryAttrGetElementByName(list[index], name);
    if (!mlirAttributeIsNull(known) && mlirIntegerAttrGetValueInt(known) >= divisibility)
        return;
    MlirNamedAttribute named[2] = {kiln_ir_named(context, "tt.divisibility", kiln_ir_i32_attr(context, divisibility))};
    intptr_t named_count = 1;
    if (!mlirAttributeIsNull(range))
        named[named_count++] = kiln_ir_named(context, "tt.pointer_range", range);
    list[index] = mlirDictionaryAttrGet(context, named_count, named);
    mlirOperationSetAttributeByName(builder->function, mlirStringRefCreateFromCString("arg_attrs"),
                                    mlirArrayAttrGet(context, count, list));
}

void kiln_build_hint(kiln_builder_t *builder, kiln_value_t value, kiln_hint_t hint, const int32_t *values, int count)
{
    static const char *const names[] = {"tt.divisibility", "tt.contiguity", "tt.constancy"};
    if (!kiln_builder_accepts(builder, "hint", &value, 1))
        return;
    MlirValue mlir = kiln_unwrap(value);
    int rank = kiln_type_rank(mlirValueGetType(mlir));
    if (count != (rank ? rank : 1) || count > KILN_BUILDER_RANK_LIMIT || (unsigned)hint > KILN_HINT_CONSTANCY) {
        kiln_builder_fail(builder, "a hint has a value for each dimension");
        return;
    }
    if (mlirValueIsABlockArgument(mlir)) {
        if (hint == KILN_HINT_DIVISIBILITY)
            hint_argument(builder, mlir, values[0]);
        return;
    }
    int64_t length = count;
    MlirType type = kiln_type_tensor(1, &length, mlirIntegerTypeGet(builder->context, 32), (MlirAttribute){NULL});
    mlirOperationSetDiscardableAttributeByName(mlirOpResultGetOwner(mlir), mlirStringRefCreateFromCString(names[hint]),
                                               mlirDenseElementsAttrInt32Get(type, count, values));
}
