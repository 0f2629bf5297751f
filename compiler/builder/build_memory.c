// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Building memory accesses, barriers and promises.
//
// tt.load has optional operands in the middle of its list, so it has operandSegmentSizes; tt.store
// and the atomics do not.
#include "builder/builder_internal.h"

static MlirType type_of(kiln_value_t value)
{
    return mlirValueGetType(kiln_unwrap(value));
}

// The type of a load through a pointer or a tile of pointers; null on error.
static MlirType loaded_type(kiln_builder_t *builder, const char *what, kiln_value_t pointer)
{
    MlirType type = type_of(pointer), element = kiln_type_element(type);
    if (kiln_type_is_ptr(element))
        return kiln_type_with_element(type, kiln_ptr_pointee(element));
    kiln_builder_fail(builder, "%s needs a pointer", what);
    return (MlirType){NULL};
}

// Broadcasts the value to the pointer's shape; whether it has this type then.
static bool matches(kiln_builder_t *builder, const char *what, kiln_value_t *value, MlirType type)
{
    *value = kiln_builder_broadcast_like(builder, *value, type);
    if (mlirTypeEqual(type_of(*value), type))
        return true;
    kiln_builder_fail(builder, "%s: the value does not have the pointer's element type", what);
    return false;
}

static bool masks(kiln_builder_t *builder, const char *what, kiln_value_t *mask, MlirType type)
{
    if (!mask->handle)
        return true;
    *mask = kiln_builder_broadcast_like(builder, *mask, type);
    if (mlirTypeEqual(type_of(*mask),
                      kiln_type_with_element(type, mlirIntegerTypeGet(builder->context, 1))))
        return true;
    kiln_builder_fail(builder, "%s: the mask must be i1 with the pointer's shape", what);
    return false;
}

kiln_value_t kiln_build_addptr(kiln_builder_t *builder, kiln_value_t pointer, kiln_value_t offset)
{
    KILN_BUILD_VALUE(builder);
    kiln_value_t both[] = {pointer, offset};
    if (!kiln_builder_accepts_together(builder, "addptr", both, 2))
        return (kiln_value_t){NULL};
    return kiln_wrap(kiln_ir_binary(&builder->ir, KILN_OP_TT_ADDPTR, kiln_unwrap(both[0]),
                                    kiln_unwrap(both[1])));
}

static const int cache_numbers[] = {
#define KILN_CACHE_ROW(id, value) value,
#include "kiln/builder.def"
};
static const int evict_numbers[] = {
#define KILN_EVICT_ROW(id, value) value,
#include "kiln/builder.def"
};

int kiln_builder_hints(kiln_builder_t *builder, const char *what, const kiln_access_hints_t *hints,
                       MlirNamedAttribute *out)
{
    int count = 0;
    if (!kiln_builder_requires(builder, "hints", hints))
        return -1;
    if ((unsigned)hints->cache >= KILN_CACHE_COUNT || (unsigned)hints->evict >= KILN_EVICT_COUNT) {
        kiln_builder_fail(builder, "%s: invalid cache modifier or eviction policy", what);
        return -1;
    }
    MlirContext context = builder->context;
    if (hints->cache)
        out[count++] =
            kiln_ir_named(context, "cache", kiln_ir_i32_attr(context, cache_numbers[hints->cache]));
    if (hints->evict)
        out[count++] =
            kiln_ir_named(context, "evict", kiln_ir_i32_attr(context, evict_numbers[hints->evict]));
    if (hints->is_volatile)
        out[count++] = kiln_ir_named(context, "isVolatile", mlirBoolAttrGet(context, 1));
    return count;
}

kiln_value_t kiln_build_load(kiln_builder_t *builder, kiln_value_t pointer, kiln_value_t mask,
                             kiln_value_t other)
{
    KILN_BUILD_VALUE(builder);
    return kiln_build_load_with(builder, pointer, mask, other, &(kiln_access_hints_t){0});
}

kiln_value_t kiln_build_load_with(kiln_builder_t *builder, kiln_value_t pointer, kiln_value_t mask,
                                  kiln_value_t other, const kiln_access_hints_t *hints)
{
    KILN_BUILD_VALUE(builder);
    if (!kiln_builder_accepts(builder, "load", &pointer, 1))
        return (kiln_value_t){NULL};
    MlirType type = loaded_type(builder, "load", pointer);
    if (mlirTypeIsNull(type) || !masks(builder, "load", &mask, type) ||
        (other.handle && !matches(builder, "load", &other, type)))
        return (kiln_value_t){NULL};
    if (other.handle && !mask.handle)
        return kiln_builder_fail(builder, "load: a value for masked-off elements needs a mask");
    MlirValue operands[3] = {kiln_unwrap(pointer), kiln_unwrap(mask), kiln_unwrap(other)};
    int32_t segments[3] = {1, mask.handle != NULL, other.handle != NULL};
    MlirNamedAttribute attributes[4];
    int count = kiln_builder_hints(builder, "load", hints, attributes);
    if (count < 0)
        return (kiln_value_t){NULL};
    attributes[count++] = kiln_ir_named(builder->context, "operandSegmentSizes",
                                        mlirDenseI32ArrayGet(builder->context, 3, segments));
    kiln_ir_op_t op = {.kind = KILN_OP_TT_LOAD,
                       .operand_count = 1 + segments[1] + segments[2],
                       .operands = operands,
                       .result_count = 1,
                       .results = &type,
                       .attribute_count = count,
                       .attributes = attributes};
    return kiln_wrap(mlirOperationGetResult(kiln_ir_create(&builder->ir, &op), 0));
}

void kiln_build_store(kiln_builder_t *builder, kiln_value_t pointer, kiln_value_t value,
                      kiln_value_t mask)
{
    KILN_BUILD_CALL(builder);
    kiln_build_store_with(builder, pointer, value, mask, &(kiln_access_hints_t){0});
}

void kiln_build_store_with(kiln_builder_t *builder, kiln_value_t pointer, kiln_value_t value,
                           kiln_value_t mask, const kiln_access_hints_t *hints)
{
    KILN_BUILD_CALL(builder);
    kiln_value_t both[] = {pointer, value};
    if (!kiln_builder_accepts(builder, "store", both, 2))
        return;
    MlirType type = loaded_type(builder, "store", pointer);
    if (mlirTypeIsNull(type) || !matches(builder, "store", &value, type) ||
        !masks(builder, "store", &mask, type))
        return;
    MlirValue operands[3] = {kiln_unwrap(pointer), kiln_unwrap(value), kiln_unwrap(mask)};
    MlirNamedAttribute attributes[3];
    if (hints && hints->is_volatile) {
        kiln_builder_fail(builder, "store: volatile applies only to loads");
        return;
    }
    int count = kiln_builder_hints(builder, "store", hints, attributes);
    if (count < 0)
        return;
    kiln_ir_op_t op = {.kind = KILN_OP_TT_STORE,
                       .operand_count = mask.handle ? 3 : 2,
                       .operands = operands,
                       .attribute_count = count,
                       .attributes = attributes};
    kiln_ir_create(&builder->ir, &op);
}

// Atomics -----------------------------------------------------------------------------------------

static const int order_numbers[] = {
#define KILN_ORDER_ROW(id, value) value,
#include "kiln/builder.def"
};
static const int scope_numbers[] = {
#define KILN_SCOPE_ROW(id, value) value,
#include "kiln/builder.def"
};

static bool order_attributes(kiln_builder_t *builder, const char *what, kiln_memory_order_t order,
                             kiln_memory_scope_t scope, MlirNamedAttribute *out)
{
    MlirContext context = builder->context;
    if ((unsigned)order >= KILN_ORDER_COUNT || (unsigned)scope >= KILN_SCOPE_COUNT) {
        kiln_builder_fail(builder, "%s: invalid memory order or scope", what);
        return false;
    }
    out[0] = kiln_ir_named(context, "sem", kiln_ir_i32_attr(context, order_numbers[order]));
    out[1] = kiln_ir_named(context, "scope", kiln_ir_i32_attr(context, scope_numbers[scope]));
    return true;
}

kiln_value_t kiln_build_atomic_rmw(kiln_builder_t *builder, kiln_atomic_t op, kiln_value_t pointer,
                                   kiln_value_t value, kiln_value_t mask)
{
    KILN_BUILD_VALUE(builder);
    return kiln_build_atomic_rmw_with(builder, op, pointer, value, mask, KILN_ORDER_ACQ_REL,
                                      KILN_SCOPE_GPU);
}

kiln_value_t kiln_build_atomic_rmw_with(kiln_builder_t *builder, kiln_atomic_t op,
                                        kiln_value_t pointer, kiln_value_t value, kiln_value_t mask,
                                        kiln_memory_order_t order, kiln_memory_scope_t scope)
{
    KILN_BUILD_VALUE(builder);
    static const int numbers[] = {
#define KILN_ATOMIC_ROW(id, value) value,
#include "kiln/builder.def"
    };
    kiln_value_t both[] = {pointer, value};
    if ((unsigned)op >= KILN_ATOMIC_COUNT)
        return kiln_builder_fail(builder, "invalid atomic operation %d", (int)op);
    if (!kiln_builder_accepts(builder, "atomic_rmw", both, 2))
        return (kiln_value_t){NULL};
    MlirType type = loaded_type(builder, "atomic_rmw", pointer);
    if (mlirTypeIsNull(type) || !matches(builder, "atomic_rmw", &value, type) ||
        !masks(builder, "atomic_rmw", &mask, type))
        return (kiln_value_t){NULL};
    MlirContext context = builder->context;
    MlirNamedAttribute attributes[3] = {
        kiln_ir_named(context, "atomic_rmw_op", kiln_ir_i32_attr(context, numbers[op]))};
    if (!order_attributes(builder, "atomic_rmw", order, scope, attributes + 1))
        return (kiln_value_t){NULL};
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

kiln_value_t kiln_build_atomic_cas(kiln_builder_t *builder, kiln_value_t pointer,
                                   kiln_value_t compare, kiln_value_t value)
{
    KILN_BUILD_VALUE(builder);
    return kiln_build_atomic_cas_with(builder, pointer, compare, value, KILN_ORDER_ACQ_REL,
                                      KILN_SCOPE_GPU);
}

kiln_value_t kiln_build_atomic_cas_with(kiln_builder_t *builder, kiln_value_t pointer,
                                        kiln_value_t compare, kiln_value_t value,
                                        kiln_memory_order_t order, kiln_memory_scope_t scope)
{
    KILN_BUILD_VALUE(builder);
    kiln_value_t all[] = {pointer, compare, value};
    if (!kiln_builder_accepts(builder, "atomic_cas", all, 3))
        return (kiln_value_t){NULL};
    MlirType type = loaded_type(builder, "atomic_cas", pointer);
    if (mlirTypeIsNull(type) || !matches(builder, "atomic_cas", &compare, type) ||
        !matches(builder, "atomic_cas", &value, type))
        return (kiln_value_t){NULL};
    MlirNamedAttribute attributes[2];
    if (!order_attributes(builder, "atomic_cas", order, scope, attributes))
        return (kiln_value_t){NULL};
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

kiln_value_t kiln_build_atomic_poll(kiln_builder_t *builder, kiln_value_t pointer,
                                    kiln_value_t expected, kiln_value_t timeout,
                                    kiln_memory_order_t order, kiln_memory_scope_t scope)
{
    KILN_BUILD_VALUE(builder);
    kiln_value_t both[] = {pointer, expected};
    MlirNamedAttribute attributes[2];
    if (!kiln_builder_accepts(builder, "atomic_poll", both, 2))
        return (kiln_value_t){NULL};
    MlirType type = loaded_type(builder, "atomic_poll", pointer);
    if (mlirTypeIsNull(type) || !matches(builder, "atomic_poll", &expected, type))
        return (kiln_value_t){NULL};
    if (kiln_type_rank(type) || !mlirTypeIsAInteger(type))
        return kiln_builder_fail(builder, "atomic_poll waits for a scalar integer");
    if (timeout.handle &&
        !mlirTypeEqual(type_of(timeout), mlirIntegerTypeGet(builder->context, 64)))
        return kiln_builder_fail(builder, "atomic_poll: the timeout must be an i64");
    if (order != KILN_ORDER_ACQUIRE && order != KILN_ORDER_RELAXED)
        return kiln_builder_fail(builder, "atomic_poll: the order must be acquire or relaxed");
    if (!order_attributes(builder, "atomic_poll", order, scope, attributes))
        return (kiln_value_t){NULL};
    MlirType result = mlirIntegerTypeGet(builder->context, 1);
    MlirValue operands[] = {kiln_unwrap(pointer), kiln_unwrap(expected), kiln_unwrap(timeout)};
    kiln_ir_op_t op = {.kind = KILN_OP_TT_ATOMIC_POLL,
                       .operand_count = timeout.handle ? 3 : 2,
                       .operands = operands,
                       .result_count = 1,
                       .results = &result,
                       .attribute_count = 2,
                       .attributes = attributes};
    return kiln_wrap(mlirOperationGetResult(kiln_ir_create(&builder->ir, &op), 0));
}

// Barriers and promises ---------------------------------------------------------------------------

void kiln_build_barrier(kiln_builder_t *builder)
{
    KILN_BUILD_CALL(builder);
    kiln_ir_op_t op = {.kind = KILN_OP_GPU_BARRIER};
    if (kiln_builder_accepts(builder, "barrier", NULL, 0))
        kiln_ir_create(&builder->ir, &op);
}

void kiln_build_assume(kiln_builder_t *builder, kiln_value_t condition)
{
    KILN_BUILD_CALL(builder);
    if (!kiln_builder_accepts(builder, "assume", &condition, 1))
        return;
    MlirValue operand = kiln_unwrap(condition);
    // LLVM's assume can have operand bundles; this one has none.
    kiln_ir_with_attr(&builder->ir, KILN_OP_LLVM_INTR_ASSUME, KILN_NO_RESULT, 1, &operand,
                      "op_bundle_sizes", mlirDenseI32ArrayGet(builder->context, 0, NULL));
}

// A kernel argument's divisibility is an attribute of the function.
static void hint_argument(kiln_builder_t *builder, MlirValue argument, int32_t divisibility)
{
    MlirBlock entry = kiln_op_body(builder->function, 0);
    MlirContext context = builder->context;
    intptr_t index = mlirBlockArgumentGetArgNumber(argument),
             count = mlirBlockGetNumArguments(entry);
    MlirAttribute old = mlirOperationGetAttributeByName(
        builder->function, mlirStringRefCreateFromCString("arg_attrs"));
    MlirAttribute list[256];
    if (count > 256 || mlirAttributeIsNull(old))
        return;
    for (intptr_t i = 0; i < count; i++)
        list[i] = mlirArrayAttrGetElement(old, i);
    MlirStringRef name = mlirStringRefCreateFromCString("tt.divisibility");
    MlirAttribute range = mlirDictionaryAttrGetElementByName(
        list[index], mlirStringRefCreateFromCString("tt.pointer_range"));
    MlirAttribute known = mlirDictionaryAttrGetElementByName(list[index], name);
    if (!mlirAttributeIsNull(known) && mlirIntegerAttrGetValueInt(known) >= divisibility)
        return;
    MlirNamedAttribute named[2] = {
        kiln_ir_named(context, "tt.divisibility", kiln_ir_i32_attr(context, divisibility))};
    intptr_t named_count = 1;
    if (!mlirAttributeIsNull(range))
        named[named_count++] = kiln_ir_named(context, "tt.pointer_range", range);
    list[index] = mlirDictionaryAttrGet(context, named_count, named);
    mlirOperationSetAttributeByName(builder->function, mlirStringRefCreateFromCString("arg_attrs"),
                                    mlirArrayAttrGet(context, count, list));
}

// Whether a promise can be attached to the value and holds for all of its uses: true for a kernel's
// argument, outside of branches, and for a copy that was created for another promise. It is false
// for an operation's result: passes merge the operation with others, and a promise made in a branch
// need not hold outside.
static bool carries_hints(const kiln_builder_t *builder, MlirValue value)
{
    if (mlirValueIsABlockArgument(value)) {
        MlirBlock entry = kiln_op_body(builder->function, 0);
        return mlirBlockEqual(mlirBlockArgumentGetOwner(value), entry) &&
               mlirBlockEqual(builder->ir.block, entry);
    }
    MlirOperation op;
    return kiln_value_op(value, &op) == KILN_OP_TT_BITCAST &&
           mlirOperationGetNumDiscardableAttributes(op) &&
           mlirBlockEqual(mlirOperationGetBlock(op), builder->ir.block);
}

kiln_value_t kiln_build_hint(kiln_builder_t *builder, kiln_value_t value, kiln_hint_t hint,
                             const int32_t *values, int count)
{
    KILN_BUILD_VALUE(builder);
    static const char *const names[] = {"tt.divisibility", "tt.contiguity", "tt.constancy"};
    if (!kiln_builder_accepts(builder, "hint", &value, 1) ||
        !kiln_builder_requires(builder, "values", values))
        return value;
    MlirValue mlir = kiln_unwrap(value);
    int rank = kiln_type_rank(mlirValueGetType(mlir));
    if (count != (rank ? rank : 1) || count > KILN_BUILDER_RANK_LIMIT ||
        (unsigned)hint > KILN_HINT_CONSTANCY) {
        kiln_builder_fail(builder, "a hint needs one value per dimension");
        return value;
    }
    if (!carries_hints(builder, mlir))
        mlir = kiln_ir_unary(&builder->ir, KILN_OP_TT_BITCAST, mlirValueGetType(mlir), mlir);
    if (mlirValueIsABlockArgument(mlir)) {
        if (hint == KILN_HINT_DIVISIBILITY)
            hint_argument(builder, mlir, values[0]);
        return value;
    }
    int64_t length = count;
    MlirType type = kiln_type_tensor(1, &length, mlirIntegerTypeGet(builder->context, 32),
                                     (MlirAttribute){NULL});
    mlirOperationSetDiscardableAttributeByName(mlirOpResultGetOwner(mlir),
                                               mlirStringRefCreateFromCString(names[hint]),
                                               mlirDenseElementsAttrInt32Get(type, count, values));
    return kiln_wrap(mlir);
}
