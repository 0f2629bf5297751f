// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites the operations that create, move and access block pointers and tensor descriptors, for
// rewrite_tensor_pointers.
//
// Note that a block pointer checks only the dimensions of its boundaryCheck, a descriptor all.
#include "passes/rewrite/tile_ops.h"
#include "passes/views/views.h"

// Creating views ----------------------------------------------------------------------------------

static kiln_status_t rewrite_make(kiln_views_t *r, MlirOperation op)
{
    MlirValue result = kiln_op_result(op, 0);
    bool is_pointer = kiln_op_kind(op) == KILN_OP_TT_MAKE_TENSOR_PTR;
    kiln_ir_t ir = kiln_ir_before(op);
    MlirType i1 = mlirIntegerTypeGet(r->mlir, 1);
    kiln_tensor_view_t view = {.block = kiln_view_block(mlirValueGetType(result)),
                               .base = kiln_op_operand(op, 0)};
    view.rank = kiln_type_rank(view.block);
    for (int i = 0; i < view.rank; ++i) {
        view.sizes[i] = kiln_ir_to_i64(&ir, kiln_op_operand(op, 1 + i));
        view.strides[i] = kiln_ir_to_i64(&ir, kiln_op_operand(op, 1 + view.rank + i));
        if (is_pointer)
            view.offsets[i] = kiln_ir_to_i64(&ir, kiln_op_operand(op, 1 + 2 * view.rank + i));
    }
    enum { PADDING_ZERO = 1, PADDING_NAN = 2 };
    if (!is_pointer)
        view.pad_nan = kiln_ir_const_int(
            &ir, i1, kiln_ir_int_attr(op, "padding", PADDING_ZERO) == PADDING_NAN);
    KILN_TRY(kiln_views_put(r, result, &view));
    return kiln_views_mark_dead(r, op);
}

static kiln_status_t rewrite_advance(kiln_views_t *r, MlirOperation op)
{
    kiln_tensor_view_t view;
    KILN_TRY(kiln_views_get(r, op, kiln_op_operand(op, 0), &view));
    kiln_ir_t ir = kiln_ir_before(op);
    for (int i = 0; i < view.rank; ++i)
        view.offsets[i] = kiln_ir_binary(&ir, KILN_OP_ARITH_ADDI, view.offsets[i],
                                         kiln_ir_to_i64(&ir, kiln_op_operand(op, 1 + i)));
    KILN_TRY(kiln_views_put(r, kiln_op_result(op, 0), &view));
    return kiln_views_mark_dead(r, op);
}

// Accesses ----------------------------------------------------------------------------------------

static MlirAttribute attribute_or(MlirOperation op, const char *name, MlirAttribute otherwise)
{
    MlirAttribute attribute = kiln_ir_attr(op, name);
    return mlirAttributeIsNull(attribute) ? otherwise : attribute;
}

// Copies the attributes that a load or store takes over from the operation it replaces.
static int access_attributes(MlirOperation op, MlirNamedAttribute out[4])
{
    static const char *const NAMES[] = {"cache", "evict", "isVolatile"};
    int count = 0;
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; ++i) {
        MlirAttribute attribute = attribute_or(op, NAMES[i], (MlirAttribute){NULL});
        if (!mlirAttributeIsNull(attribute))
            out[count++] = kiln_ir_named(mlirOperationGetContext(op), NAMES[i], attribute);
    }
    return count;
}

static MlirNamedAttribute segments(MlirContext mlir, int32_t a, int32_t b, int32_t c)
{
    int32_t sizes[] = {a, b, c};
    return kiln_ir_named(mlir, "operandSegmentSizes", mlirDenseI32ArrayGet(mlir, 3, sizes));
}

static MlirValue load(const kiln_ir_t *ir, MlirOperation from, const kiln_tensor_access_t *access,
                      MlirValue other)
{
    int masked = !mlirValueIsNull(access->mask), filled = masked && !mlirValueIsNull(other);
    MlirNamedAttribute attributes[4];
    int count = access_attributes(from, attributes);
    attributes[count++] = segments(ir->context, 1, masked, filled);
    MlirValue operands[] = {access->pointers, access->mask, other};
    kiln_ir_op_t op = {.kind = KILN_OP_TT_LOAD,
                       .operand_count = 1 + masked + filled,
                       .operands = operands,
                       .result_count = 1,
                       .results = &access->type,
                       .attribute_count = count,
                       .attributes = attributes};
    return mlirOperationGetResult(kiln_ir_create(ir, &op), 0);
}

static void store(const kiln_ir_t *ir, MlirOperation from, const kiln_tensor_access_t *access,
                  MlirValue value)
{
    MlirNamedAttribute attributes[4];
    MlirValue operands[] = {access->pointers, value, access->mask};
    kiln_ir_op_t op = {.kind = KILN_OP_TT_STORE,
                       .operand_count = mlirValueIsNull(access->mask) ? 2 : 3,
                       .operands = operands,
                       .attribute_count = access_attributes(from, attributes),
                       .attributes = attributes};
    kiln_ir_create(ir, &op);
}

// Returns the value of elements outside the tensor.
static MlirValue padding(const kiln_ir_t *ir, MlirType type, MlirValue pad_nan)
{
    MlirType element = kiln_type_element(type);
    if (!mlirTypeIsAFloat(element))
        return kiln_ir_const_int(ir, type, 0);
    MlirValue zero = kiln_ir_const_float(ir, type, 0),
              nan = kiln_ir_const_float(ir, type, __builtin_nan(""));
    return kiln_tile_select(ir, pad_nan, nan, zero);
}

// Rewrites tt.load and tt.store of a block pointer: only the dimensions of boundaryCheck are
// checked.
static kiln_status_t rewrite_block_access(kiln_views_t *r, MlirOperation op)
{
    kiln_tensor_view_t view;
    KILN_TRY(kiln_views_get(r, op, kiln_op_operand(op, 0), &view));
    MlirAttribute checks = kiln_ir_attr(op, "boundaryCheck");
    uint32_t checked = 0;
    if (!mlirAttributeIsNull(checks))
        for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(checks); ++i)
            checked |= 1u << mlirDenseI32ArrayGetElement(checks, i);
    kiln_ir_t ir = kiln_ir_before(op);
    bool is_load = kiln_op_kind(op) == KILN_OP_TT_LOAD;
    MlirType type = mlirValueGetType(is_load ? kiln_op_result(op, 0) : kiln_op_operand(op, 1));
    kiln_tensor_access_t access = kiln_tensor_access(&ir, &view, type, view.offsets, checked);
    int mask_group = is_load ? 1 : 2;
    MlirValue mask = kiln_op_segment(op, mask_group), other = {NULL};
    if (!mlirValueIsNull(mask))
        access.mask = mlirValueIsNull(access.mask)
                          ? mask
                          : kiln_ir_binary(&ir, KILN_OP_ARITH_ANDI, access.mask, mask);
    if (!is_load) {
        store(&ir, op, &access, kiln_op_operand(op, 1));
        return kiln_views_mark_dead(r, op);
    }
    enum { PADDING_NAN = 2 };
    int64_t pad = kiln_ir_int_attr(op, "padding", 0);
    if (pad)
        other = padding(&ir, type,
                        kiln_ir_const_int(&ir, mlirIntegerTypeGet(r->mlir, 1), pad == PADDING_NAN));
    else
        other = kiln_op_segment(op, 2);
    kiln_value_replace(kiln_op_result(op, 0), load(&ir, op, &access, other));
    return kiln_views_mark_dead(r, op);
}

// Reshapes a block that may lack leading dimensions of 1.
static MlirValue reshaped(const kiln_ir_t *ir, MlirValue value, MlirType type)
{
    if (mlirTypeEqual(mlirValueGetType(value), type))
        return value;
    return kiln_ir_unary(ir, KILN_OP_TT_RESHAPE, type, value);
}

static MlirType signless_block(const kiln_tensor_view_t *view)
{
    return kiln_type_with_encoding(
        kiln_type_with_element(view->block, kiln_type_signless(kiln_type_element(view->block))),
        (MlirAttribute){NULL});
}

static void block_indices(const kiln_ir_t *ir, MlirOperation op, int first, int rank,
                          MlirValue *out)
{
    for (int i = 0; i < rank; ++i)
        out[i] = kiln_ir_to_i64(ir, kiln_op_operand(op, first + i));
}

static kiln_status_t rewrite_descriptor_load(kiln_views_t *r, MlirOperation op)
{
    kiln_tensor_view_t view;
    KILN_TRY(kiln_views_get(r, op, kiln_op_operand(op, 0), &view));
    kiln_ir_t ir = kiln_ir_before(op);
    MlirValue indices[KILN_MAX_RANK];
    block_indices(&ir, op, 1, view.rank, indices);
    kiln_tensor_access_t access =
        kiln_tensor_access(&ir, &view, signless_block(&view), indices, UINT32_MAX);
    MlirValue value = load(&ir, op, &access, padding(&ir, access.type, view.pad_nan));
    kiln_value_replace(kiln_op_result(op, 0),
                       reshaped(&ir, value, mlirValueGetType(kiln_op_result(op, 0))));
    return kiln_views_mark_dead(r, op);
}

static kiln_status_t rewrite_descriptor_store(kiln_views_t *r, MlirOperation op)
{
    kiln_tensor_view_t view;
    KILN_TRY(kiln_views_get(r, op, kiln_op_operand(op, 0), &view));
    kiln_ir_t ir = kiln_ir_before(op);
    MlirValue indices[KILN_MAX_RANK];
    block_indices(&ir, op, 2, view.rank, indices);
    kiln_tensor_access_t access =
        kiln_tensor_access(&ir, &view, signless_block(&view), indices, UINT32_MAX);
    store(&ir, op, &access, reshaped(&ir, kiln_op_operand(op, 1), access.type));
    return kiln_views_mark_dead(r, op);
}

// Returns the tt.atomic_rmw kind for a descriptor's reduction; 0 if there is none.
static int64_t atomic_of_reduction(int64_t kind, MlirType element)
{
    enum { ADD = 1, MIN, MAX, INC, DEC, AND, OR, XOR };
    enum {
        RMW_AND = 1,
        RMW_OR,
        RMW_XOR,
        RMW_ADD,
        RMW_FADD,
        RMW_MAX,
        RMW_MIN,
        RMW_UMAX,
        RMW_UMIN,
        RMW_INC = 11,
        RMW_DEC
    };
    bool is_float = mlirTypeIsAFloat(element);
    bool is_unsigned = mlirTypeIsAInteger(element) && mlirIntegerTypeIsUnsigned(element);
    switch (kind) {
    case ADD:
        return is_float ? RMW_FADD : RMW_ADD;
    case MIN:
        return is_unsigned ? RMW_UMIN : RMW_MIN;
    case MAX:
        return is_unsigned ? RMW_UMAX : RMW_MAX;
    case INC:
        return is_float ? 0 : RMW_INC;
    case DEC:
        return is_float ? 0 : RMW_DEC;
    case AND:
        return is_float ? 0 : RMW_AND;
    case OR:
        return is_float ? 0 : RMW_OR;
    case XOR:
        return is_float ? 0 : RMW_XOR;
    default:
        return 0;
    }
}

static kiln_status_t rewrite_descriptor_reduce(kiln_views_t *r, MlirOperation op)
{
    enum { ACQ_REL = 4, SCOPE_GPU = 1 };
    kiln_tensor_view_t view;
    KILN_TRY(kiln_views_get(r, op, kiln_op_operand(op, 0), &view));
    int64_t rmw =
        atomic_of_reduction(kiln_ir_int_attr(op, "kind", 0), kiln_type_element(view.block));
    if (!rmw)
        return kiln_status_at_op(
            kiln_status_make(KILN_STATUS_UNSUPPORTED,
                             "this descriptor reduction is not supported on floats"),
            op);
    kiln_ir_t ir = kiln_ir_before(op);
    MlirValue indices[KILN_MAX_RANK];
    block_indices(&ir, op, 2, view.rank, indices);
    kiln_tensor_access_t access =
        kiln_tensor_access(&ir, &view, signless_block(&view), indices, UINT32_MAX);
    MlirNamedAttribute attributes[] = {
        kiln_ir_named(r->mlir, "atomic_rmw_op", kiln_ir_i32_attr(r->mlir, rmw)),
        kiln_ir_named(r->mlir, "sem", kiln_ir_i32_attr(r->mlir, ACQ_REL)),
        kiln_ir_named(r->mlir, "scope", kiln_ir_i32_attr(r->mlir, SCOPE_GPU))};
    MlirValue operands[] = {access.pointers, reshaped(&ir, kiln_op_operand(op, 1), access.type),
                            access.mask};
    kiln_ir_op_t atomic = {.kind = KILN_OP_TT_ATOMIC_RMW,
                           .operand_count = 3,
                           .operands = operands,
                           .result_count = 1,
                           .results = &access.type,
                           .attribute_count = 3,
                           .attributes = attributes};
    kiln_ir_create(&ir, &atomic);
    return kiln_views_mark_dead(r, op);
}

// Accesses rows x_offsets[i], and columns from y_offset on.
static kiln_status_t rewrite_gather_scatter(kiln_views_t *r, MlirOperation op)
{
    kiln_tensor_view_t view;
    KILN_TRY(kiln_views_get(r, op, kiln_op_operand(op, 0), &view));
    bool is_gather = kiln_op_kind(op) == KILN_OP_TT_DESCRIPTOR_GATHER;
    MlirType type = mlirValueGetType(is_gather ? kiln_op_result(op, 0) : kiln_op_operand(op, 3));
    MlirType offsets = mlirValueGetType(kiln_op_operand(op, 1));
    if (view.rank != 2 || kiln_type_rank(type) != 2 || kiln_type_rank(offsets) != 1 ||
        kiln_type_dim(offsets, 0) != kiln_type_dim(type, 0) ||
        !mlirTypeEqual(kiln_type_element(type), kiln_type_signless(kiln_type_element(view.block))))
        return kiln_status_at_op(kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                                  "descriptor gather and scatter need a "
                                                  "two-dimensional block and one offset per row"),
                                 op);
    kiln_ir_t ir = kiln_ir_before(op);
    MlirValue indices[] = {kiln_op_operand(op, 1), kiln_ir_to_i64(&ir, kiln_op_operand(op, 2))};
    kiln_tensor_access_t access = kiln_tensor_access(&ir, &view, type, indices, UINT32_MAX);
    if (is_gather)
        kiln_value_replace(kiln_op_result(op, 0),
                           load(&ir, op, &access, padding(&ir, type, view.pad_nan)));
    else
        store(&ir, op, &access, kiln_op_operand(op, 3));
    return kiln_views_mark_dead(r, op);
}

kiln_status_t kiln_rewrite_tensor_access(kiln_views_t *r, MlirOperation op, bool *out_done)
{
    *out_done = true;
    switch (kiln_op_kind(op)) {
    case KILN_OP_TT_MAKE_TENSOR_PTR:
    case KILN_OP_TT_MAKE_TENSOR_DESCRIPTOR:
        return rewrite_make(r, op);
    case KILN_OP_TT_ADVANCE:
        return rewrite_advance(r, op);
    case KILN_OP_TT_LOAD:
    case KILN_OP_TT_STORE:
        return rewrite_block_access(r, op);
    case KILN_OP_TT_DESCRIPTOR_LOAD:
    case KILN_OP_TT_EXPERIMENTAL_DESCRIPTOR_LOAD:
        return rewrite_descriptor_load(r, op);
    case KILN_OP_TT_DESCRIPTOR_STORE:
    case KILN_OP_TT_EXPERIMENTAL_DESCRIPTOR_STORE:
        return rewrite_descriptor_store(r, op);
    case KILN_OP_TT_DESCRIPTOR_REDUCE:
        return rewrite_descriptor_reduce(r, op);
    case KILN_OP_TT_DESCRIPTOR_GATHER:
    case KILN_OP_TT_DESCRIPTOR_SCATTER:
        return rewrite_gather_scatter(r, op);
    default:
        *out_done = false;
        return KILN_OK;
    }
}
