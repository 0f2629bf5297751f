// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers block pointers and tensor descriptors to scalars, tensors of pointers, and masks.
//
//   %d = tt.make_tensor_descriptor %p, [%m, %n], [%s, %c1]       %ptrs = %p + i·%s + j·%c1
//   %x = tt.descriptor_load %d[%i, %j]                       →   %mask = i < %m && j < %n
//                                                                %x = tt.load %ptrs, %mask, %zero
//
// One value becomes several (kiln_tensor_view_t): the base, sizes and strides, and the offsets of a
// block pointer or the padding of a descriptor. Control flow and functions carry them in this
// order. A descriptor passed by the host becomes the same arguments of the kernel; its contract
// includes that its base and strides are multiples of 16 bytes and that its last stride is 1.
//
// An operation with such values cannot be changed in place, because it gets more results. It is
// created anew and takes over the regions; the old operations are erased last, users first.
#include <stdlib.h>

#include "base/array.h"
#include "passes/pass.h"
#include "passes/views/views.h"

// A growing list of values.
typedef struct values {
    MlirValue *items;
    MlirType *types;
    size_t count, capacity;
} values_t;

static kiln_status_t push(values_t *list, MlirValue value, MlirType type)
{
    size_t capacity = list->capacity;
    if (!KILN_ARRAY_RESERVE(&list->items, &capacity, list->count + 1) ||
        !KILN_ARRAY_RESERVE(&list->types, &list->capacity, list->count + 1))
        return kiln_status_out_of_memory();
    list->items[list->count] = value;
    list->types[list->count++] = type;
    return KILN_OK;
}

static void values_free(values_t *list)
{
    free(list->items);
    free(list->types);
}

// Operations that carry views: control flow, calls, functions -------------------------------------

static bool has_views(MlirOperation op)
{
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
        if (kiln_type_is_view(mlirValueGetType(mlirOperationGetOperand(op, i))))
            return true;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
        if (kiln_type_is_view(mlirValueGetType(mlirOperationGetResult(op, i))))
            return true;
    return false;
}

static kiln_status_t push_flat(kiln_views_t *r, MlirOperation user, MlirValue value, values_t *out)
{
    MlirType type = mlirValueGetType(value);
    if (!kiln_type_is_view(type))
        return push(out, value, type);
    kiln_tensor_view_t view;
    KILN_TRY(kiln_views_get(r, user, value, &view));
    MlirValue parts[KILN_VIEW_PARTS];
    int count = kiln_view_parts(&view, type, parts);
    for (int i = 0; i < count; ++i)
        KILN_TRY(push(out, parts[i], mlirValueGetType(parts[i])));
    return KILN_OK;
}

// Replaces each argument that is a view by new arguments.
static kiln_status_t flatten_block_arguments(kiln_views_t *r, MlirBlock block)
{
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i) {
        MlirValue argument = mlirBlockGetArgument(block, i);
        MlirType type = mlirValueGetType(argument), types[KILN_VIEW_PARTS];
        if (!kiln_type_is_view(type))
            continue;
        MlirValue parts[KILN_VIEW_PARTS];
        int count = kiln_view_part_types(type, types);
        for (int p = 0; p < count; ++p)
            parts[p] =
                mlirBlockInsertArgument(block, i + 1 + p, types[p], mlirValueGetLocation(argument));
        kiln_tensor_view_t view = kiln_view_of_parts(type, parts);
        KILN_TRY(kiln_views_put(r, argument, &view));
        KILN_TRY(kiln_views_mark_dead_argument(r, block, argument));
        i += count;
    }
    return KILN_OK;
}

// Replaces results of `op` by those of `made`.
static kiln_status_t pass_results(kiln_views_t *r, MlirOperation op, MlirOperation made)
{
    intptr_t at = 0;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
        MlirValue old = mlirOperationGetResult(op, i);
        MlirType type = mlirValueGetType(old), types[KILN_VIEW_PARTS];
        if (!kiln_type_is_view(type)) {
            kiln_value_replace(old, mlirOperationGetResult(made, at++));
            continue;
        }
        MlirValue parts[KILN_VIEW_PARTS];
        int count = kiln_view_part_types(type, types);
        for (int p = 0; p < count; ++p)
            parts[p] = mlirOperationGetResult(made, at++);
        kiln_tensor_view_t view = kiln_view_of_parts(type, parts);
        KILN_TRY(kiln_views_put(r, old, &view));
    }
    return KILN_OK;
}

// Recreates the operation with views as parts among its operands and results; moves the regions to
// it.
static kiln_status_t recreate(kiln_views_t *r, MlirOperation op)
{
    kiln_status_t status = KILN_OK;
    values_t operands = {0}, results = {0};
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && !status; ++i)
        status = push_flat(r, op, mlirOperationGetOperand(op, i), &operands);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op) && !status; ++i) {
        MlirType type = mlirValueGetType(mlirOperationGetResult(op, i)),
                 types[KILN_VIEW_PARTS] = {type};
        int count = kiln_type_is_view(type) ? kiln_view_part_types(type, types) : 1;
        for (int p = 0; p < count && !status; ++p)
            status = push(&results, (MlirValue){NULL}, types[p]);
    }
    if (status)
        goto done;
    MlirOperationState state = mlirOperationStateGet(mlirIdentifierStr(mlirOperationGetName(op)),
                                                     mlirOperationGetLocation(op));
    mlirOperationStateAddOperands(&state, (intptr_t)operands.count, operands.items);
    mlirOperationStateAddResults(&state, (intptr_t)results.count, results.types);
    for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); ++i) {
        MlirNamedAttribute attribute = mlirOperationGetAttribute(op, i);
        mlirOperationStateAddAttributes(&state, 1, &attribute);
    }
    enum { MAX_REGIONS = 4 };
    MlirRegion regions[MAX_REGIONS];
    intptr_t region_count = mlirOperationGetNumRegions(op);
    for (intptr_t i = 0; i < region_count && i < MAX_REGIONS; ++i) {
        regions[i] = mlirRegionCreate();
        mlirRegionTakeBody(regions[i], mlirOperationGetRegion(op, i));
    }
    mlirOperationStateAddOwnedRegions(&state, region_count, regions);
    MlirOperation made = mlirOperationCreate(&state);
    mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(op), op, made);
    status = pass_results(r, op, made);
    if (!status)
        status = kiln_views_mark_dead(r, op);
done:
    values_free(&operands);
    values_free(&results);
    return status;
}

static kiln_status_t flatten_operands(kiln_views_t *r, MlirOperation op)
{
    values_t flat = {0};
    kiln_status_t status = KILN_OK;
    int32_t segments_now[8];
    MlirAttribute sizes = kiln_ir_attr(op, "operandSegmentSizes");
    intptr_t groups = mlirAttributeIsNull(sizes) ? 0 : mlirDenseArrayGetNumElements(sizes);
    intptr_t group = 0, group_end = groups ? mlirDenseI32ArrayGetElement(sizes, 0) : 0;
    size_t group_begin = 0;
    intptr_t count = mlirOperationGetNumOperands(op);
    for (intptr_t i = 0; i <= count && !status; ++i) {
        while (group < groups && group < 8 && i == group_end) {
            segments_now[group++] = (int32_t)(flat.count - group_begin);
            group_begin = flat.count;
            group_end += group < groups ? mlirDenseI32ArrayGetElement(sizes, group) : 0;
        }
        if (i < count)
            status = push_flat(r, op, mlirOperationGetOperand(op, i), &flat);
    }
    if (!status) {
        mlirOperationSetOperands(op, (intptr_t)flat.count, flat.items);
        if (groups)
            mlirOperationSetInherentAttributeByName(
                op, mlirStringRefCreateFromCString("operandSegmentSizes"),
                mlirDenseI32ArrayGet(r->mlir, groups, segments_now));
    }
    values_free(&flat);
    return status;
}

static kiln_status_t rewrite_select(kiln_views_t *r, MlirOperation op)
{
    kiln_tensor_view_t yes, no;
    KILN_TRY(kiln_views_get(r, op, kiln_op_operand(op, 1), &yes));
    KILN_TRY(kiln_views_get(r, op, kiln_op_operand(op, 2), &no));
    MlirType type = mlirValueGetType(kiln_op_result(op, 0));
    MlirValue a[KILN_VIEW_PARTS], b[KILN_VIEW_PARTS];
    int count = kiln_view_parts(&yes, type, a);
    kiln_view_parts(&no, type, b);
    kiln_ir_t ir = kiln_ir_before(op);
    for (int i = 0; i < count; ++i) {
        MlirValue operands[] = {kiln_op_operand(op, 0), a[i], b[i]};
        MlirType part = mlirValueGetType(a[i]);
        kiln_ir_op_t select = {.kind = KILN_OP_ARITH_SELECT,
                               .operand_count = 3,
                               .operands = operands,
                               .result_count = 1,
                               .results = &part};
        a[i] = mlirOperationGetResult(kiln_ir_create(&ir, &select), 0);
    }
    kiln_tensor_view_t view = kiln_view_of_parts(type, a);
    KILN_TRY(kiln_views_put(r, kiln_op_result(op, 0), &view));
    return kiln_views_mark_dead(r, op);
}

static kiln_status_t rewrite_poison(kiln_views_t *r, MlirOperation op)
{
    MlirType type = mlirValueGetType(kiln_op_result(op, 0)), types[KILN_VIEW_PARTS];
    MlirValue parts[KILN_VIEW_PARTS];
    int count = kiln_view_part_types(type, types);
    kiln_ir_t ir = kiln_ir_before(op);
    for (int i = 0; i < count; ++i) {
        kiln_ir_op_t poison = {.kind = KILN_OP_UB_POISON, .result_count = 1, .results = &types[i]};
        parts[i] = mlirOperationGetResult(kiln_ir_create(&ir, &poison), 0);
    }
    kiln_tensor_view_t view = kiln_view_of_parts(type, parts);
    KILN_TRY(kiln_views_put(r, kiln_op_result(op, 0), &view));
    return kiln_views_mark_dead(r, op);
}

// The walk ----------------------------------------------------------------------------------------

static kiln_status_t rewrite_region(kiln_views_t *r, MlirRegion region);

static kiln_status_t rewrite_op(kiln_views_t *r, MlirOperation op)
{
    for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
        KILN_TRY(rewrite_region(r, mlirOperationGetRegion(op, i)));
    if (!has_views(op))
        return KILN_OK;
    bool done;
    KILN_TRY(kiln_rewrite_tensor_access(r, op, &done));
    if (done)
        return KILN_OK;
    switch (kiln_op_kind(op)) {
    case KILN_OP_ARITH_SELECT:
        return rewrite_select(r, op);
    case KILN_OP_UB_POISON:
        return rewrite_poison(r, op);
    case KILN_OP_SCF_FOR:
    case KILN_OP_SCF_IF:
    case KILN_OP_SCF_WHILE:
    case KILN_OP_TT_CALL:
        return recreate(r, op);
    case KILN_OP_SCF_YIELD:
    case KILN_OP_SCF_CONDITION:
    case KILN_OP_CF_BR:
    case KILN_OP_CF_COND_BR:
    case KILN_OP_TT_RETURN:
        return flatten_operands(r, op);
    default:
        return kiln_status_at_op(
            kiln_status_make(KILN_STATUS_UNSUPPORTED,
                             "'%s' does not support block pointers and tensor descriptors",
                             kiln_op_name(kiln_op_kind(op))),
            op);
    }
}

static kiln_status_t rewrite_region(kiln_views_t *r, MlirRegion region)
{
    for (MlirBlock block = mlirRegionGetFirstBlock(region); !mlirBlockIsNull(block);
         block = mlirBlockGetNextInRegion(block))
        KILN_TRY(flatten_block_arguments(r, block));
    for (MlirBlock block = mlirRegionGetFirstBlock(region); !mlirBlockIsNull(block);
         block = mlirBlockGetNextInRegion(block))
        for (MlirOperation op = mlirBlockGetFirstOperation(block), next; !mlirOperationIsNull(op);
             op = next) {
            next = mlirOperationGetNextInBlock(op);
            KILN_TRY(rewrite_op(r, op));
        }
    return KILN_OK;
}

// Returns the attributes that a host descriptor's contract implies for each part: multiples of 16
// bytes.
static MlirAttribute part_facts(kiln_views_t *r, MlirType view, int part)
{
    int rank = kiln_type_rank(kiln_view_block(view)),
        bytes = kiln_type_bits(kiln_view_block(view)) / 8;
    bool is_base = part == 0, is_stride = part > rank && part <= 2 * rank - 1;
    if (!kiln_type_is_tensordesc(view) || bytes == 0 || !(is_base || is_stride))
        return mlirDictionaryAttrGet(r->mlir, 0, NULL);
    MlirNamedAttribute divisibility =
        kiln_ir_named(r->mlir, "tt.divisibility",
                      kiln_ir_i32_attr(r->mlir, is_base      ? 16
                                                : bytes < 16 ? 16 / bytes
                                                             : 1));
    return mlirDictionaryAttrGet(r->mlir, 1, &divisibility);
}

// In a kernel, the last stride of a descriptor from the host is 1.
static void apply_host_contract(kiln_views_t *r, MlirBlock entry)
{
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry); ++i) {
        MlirValue argument = mlirBlockGetArgument(entry, i);
        kiln_tensor_view_t *view =
            (kiln_tensor_view_t *)kiln_value_map_get(&r->map, argument, (MlirAttribute){NULL});
        if (!view || !kiln_type_is_tensordesc(mlirValueGetType(argument)))
            continue;
        kiln_ir_t ir = kiln_ir_at_start(entry, mlirValueGetLocation(argument));
        view->strides[view->rank - 1] = kiln_ir_const_int(&ir, mlirIntegerTypeGet(r->mlir, 64), 1);
    }
}

static bool is_private(MlirOperation func)
{
    MlirAttribute visibility = kiln_ir_attr(func, "sym_visibility");
    return !mlirAttributeIsNull(visibility) &&
           mlirStringRefEqual(mlirStringAttrGetValue(visibility),
                              mlirStringRefCreateFromCString("private"));
}

// Rewrites the type, argument attributes and body of a function.
static kiln_status_t rewrite_function(kiln_views_t *r, MlirOperation func)
{
    MlirType type = mlirTypeAttrGetValue(kiln_ir_attr(func, "function_type"));
    MlirAttribute old_facts = kiln_ir_attr(func, "arg_attrs");
    values_t inputs = {0}, results = {0};
    MlirAttribute *facts = NULL;
    size_t facts_capacity = 0;
    kiln_status_t status = KILN_OK;
    for (intptr_t i = 0; i < mlirFunctionTypeGetNumInputs(type) && !status; ++i) {
        MlirType input = mlirFunctionTypeGetInput(type, i), types[KILN_VIEW_PARTS] = {input};
        int count = kiln_type_is_view(input) ? kiln_view_part_types(input, types) : 1;
        for (int p = 0; p < count && !status; ++p) {
            if (!KILN_ARRAY_RESERVE(&facts, &facts_capacity, inputs.count + 1)) {
                status = kiln_status_out_of_memory();
                break;
            }
            if (kiln_type_is_view(input))
                facts[inputs.count] = is_private(func) ? mlirDictionaryAttrGet(r->mlir, 0, NULL)
                                                       : part_facts(r, input, p);
            else
                facts[inputs.count] = mlirAttributeIsNull(old_facts)
                                          ? mlirDictionaryAttrGet(r->mlir, 0, NULL)
                                          : mlirArrayAttrGetElement(old_facts, i);
            status = push(&inputs, (MlirValue){NULL}, types[p]);
        }
    }
    for (intptr_t i = 0; i < mlirFunctionTypeGetNumResults(type) && !status; ++i) {
        MlirType result = mlirFunctionTypeGetResult(type, i), types[KILN_VIEW_PARTS] = {result};
        int count = kiln_type_is_view(result) ? kiln_view_part_types(result, types) : 1;
        for (int p = 0; p < count && !status; ++p)
            status = push(&results, (MlirValue){NULL}, types[p]);
    }
    if (status)
        goto done;
    bool changed = (intptr_t)inputs.count != mlirFunctionTypeGetNumInputs(type) ||
                   (intptr_t)results.count != mlirFunctionTypeGetNumResults(type);
    if (changed) {
        MlirType flat = mlirFunctionTypeGet(r->mlir, (intptr_t)inputs.count, inputs.types,
                                            (intptr_t)results.count, results.types);
        mlirOperationSetAttributeByName(func, mlirStringRefCreateFromCString("function_type"),
                                        mlirTypeAttrGet(flat));
        mlirOperationSetAttributeByName(func, mlirStringRefCreateFromCString("arg_attrs"),
                                        mlirArrayAttrGet(r->mlir, (intptr_t)inputs.count, facts));
    }
    MlirRegion body = mlirOperationGetRegion(func, 0);
    MlirBlock entry = mlirRegionGetFirstBlock(body);
    if (mlirBlockIsNull(entry))
        goto done;
    status = flatten_block_arguments(r, entry);
    if (status)
        goto done;
    if (!is_private(func))
        apply_host_contract(r, entry);
    for (MlirBlock block = mlirBlockGetNextInRegion(entry); !mlirBlockIsNull(block) && !status;
         block = mlirBlockGetNextInRegion(block))
        status = flatten_block_arguments(r, block);
    for (MlirBlock block = entry; !mlirBlockIsNull(block) && !status;
         block = mlirBlockGetNextInRegion(block))
        for (MlirOperation op = mlirBlockGetFirstOperation(block), next;
             !mlirOperationIsNull(op) && !status; op = next) {
            next = mlirOperationGetNextInBlock(op);
            status = rewrite_op(r, op);
        }
done:
    values_free(&inputs);
    values_free(&results);
    free(facts);
    return status;
}

static MlirWalkResult find_view(MlirOperation op, void *user)
{
    bool *found = user;
    *found = has_views(op);
    if (kiln_op_kind(op) == KILN_OP_TT_FUNC) {
        MlirBlock entry = kiln_op_body(op, 0);
        for (intptr_t i = 0; !mlirBlockIsNull(entry) && i < mlirBlockGetNumArguments(entry); ++i)
            *found = *found || kiln_type_is_view(mlirValueGetType(mlirBlockGetArgument(entry, i)));
    }
    return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

kiln_status_t kiln_rewrite_tensor_pointers(const kiln_pass_context_t *context, MlirModule module)
{
    bool found = false;
    kiln_walk(mlirModuleGetOperation(module), MlirWalkPreOrder, find_view, &found);
    if (!found)
        return KILN_OK;
    kiln_views_t r = {.mlir = context->mlir};
    kiln_status_t status = KILN_OK;
    for (MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
         !mlirOperationIsNull(op) && !status; op = mlirOperationGetNextInBlock(op))
        if (kiln_op_kind(op) == KILN_OP_TT_FUNC)
            status = rewrite_function(&r, op);
    if (!status)
        kiln_views_erase_dead(&r);
    kiln_views_free(&r);
    return status;
}
