// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expands operations of Triton's AMD passes to tt and ttg if ttg text is the input.
//
//   %v = amdg.buffer_load %base[%offsets], %mask          %p = tt.addptr (tt.splat %base), %offsets
//                                                    →     %v = tt.load %p, %mask
//   %t = amdg.buffer_load_to_local … into %buffer    →     %v = tt.load …; ttg.local_store %v, %buffer
//   %y = amdg.in_thread_transpose %x                 →     %y = ttg.convert_layout %x
//   %y = amdg.upcast_mxfp %x, %scale                 →     %y = arith.mulf %x, (2^(%scale − 127), spread to %x's shape);
//                                                          two e2m1 in a byte are unpacked first
//   %y = amdg.scaled_upcast_fp8 %x scale %s          →     %y = arith.mulf (tt.fp_to_fp %x), %s; …_fp4 likewise
//   %y = ttg.fp4_to_fp %x                            →     both halves of each byte, widened and joined
//
// The lowering decides itself where to use a buffer resource. An asynchronous copy may write at any
// time before its wait, so here it writes immediately; its token becomes that of an empty group.
// Note that such a copy also writes masked elements, with zero or `other`.
#include "analysis/waves/waves.h"
#include "layout/layout.h"
#include "passes/pass.h"
#include "passes/rewrite/tile_ops.h"

static int copy_attributes(MlirOperation from, const char *const *names, int count,
                           MlirNamedAttribute *out)
{
    int copied = 0;
    for (int i = 0; i < count; ++i) {
        MlirAttribute attribute = kiln_ir_attr(from, names[i]);
        if (!mlirAttributeIsNull(attribute))
            out[copied++] = kiln_ir_named(mlirOperationGetContext(from), names[i], attribute);
    }
    return copied;
}

// Creates a tensor of pointers, one for each offset from a scalar pointer.
static MlirValue pointers(const kiln_ir_t *ir, MlirValue base, MlirValue offsets)
{
    return kiln_ir_binary(ir, KILN_OP_TT_ADDPTR,
                          kiln_tile_splat(ir, mlirValueGetType(offsets), base), offsets);
}

static MlirValue load(const kiln_ir_t *ir, MlirOperation from, MlirValue address, MlirValue mask,
                      MlirValue other)
{
    static const char *const NAMES[] = {"cache", "evict", "isVolatile"};
    MlirType pointer = mlirValueGetType(address);
    MlirType type = kiln_type_with_element(pointer, kiln_ptr_pointee(kiln_type_element(pointer)));
    int masked = !mlirValueIsNull(mask), filled = masked && !mlirValueIsNull(other);
    int32_t segments[] = {1, masked, filled};
    MlirNamedAttribute attributes[4];
    int count = copy_attributes(from, NAMES, 3, attributes);
    attributes[count++] = kiln_ir_named(ir->context, "operandSegmentSizes",
                                        mlirDenseI32ArrayGet(ir->context, 3, segments));
    kiln_ir_op_t op = {.kind = KILN_OP_TT_LOAD,
                       .operand_count = 1 + masked + filled,
                       .operands = (MlirValue[]){address, mask, other},
                       .result_count = 1,
                       .results = &type,
                       .attribute_count = count,
                       .attributes = attributes};
    return mlirOperationGetResult(kiln_ir_create(ir, &op), 0);
}

static void replace(MlirOperation op, MlirValue by)
{
    kiln_value_replace(kiln_op_result(op, 0), by);
    kiln_op_erase(op);
}

// Operands: ptr, offsets, stride, mask, other
static void expand_buffer_load(MlirOperation op)
{
    kiln_ir_t ir = kiln_ir_before(op);
    MlirValue address = pointers(&ir, kiln_op_segment(op, 0), kiln_op_segment(op, 1));
    replace(op, load(&ir, op, address, kiln_op_segment(op, 3), kiln_op_segment(op, 4)));
}

// Operands: value, ptr, offsets, stride, mask
static void expand_buffer_store(MlirOperation op)
{
    static const char *const NAMES[] = {"cache"};
    kiln_ir_t ir = kiln_ir_before(op);
    MlirValue mask = kiln_op_segment(op, 4);
    MlirNamedAttribute attributes[1];
    kiln_ir_op_t store = {
        .kind = KILN_OP_TT_STORE,
        .operand_count = mlirValueIsNull(mask) ? 2 : 3,
        .operands = (MlirValue[]){pointers(&ir, kiln_op_segment(op, 1), kiln_op_segment(op, 2)),
                                  kiln_op_segment(op, 0), mask},
        .attribute_count = copy_attributes(op, NAMES, 1, attributes),
        .attributes = attributes};
    kiln_ir_create(&ir, &store);
    kiln_op_erase(op);
}

// Operands: ptr, offsets, value, stride, mask
static void expand_buffer_atomic_rmw(MlirOperation op)
{
    static const char *const NAMES[] = {"atomic_rmw_op", "sem", "scope"};
    kiln_ir_t ir = kiln_ir_before(op);
    MlirValue value = kiln_op_segment(op, 2), mask = kiln_op_segment(op, 4);
    MlirType type = mlirValueGetType(value);
    MlirNamedAttribute attributes[3];
    kiln_ir_op_t atomic = {
        .kind = KILN_OP_TT_ATOMIC_RMW,
        .operand_count = mlirValueIsNull(mask) ? 2 : 3,
        .operands = (MlirValue[]){pointers(&ir, kiln_op_segment(op, 0), kiln_op_segment(op, 1)),
                                  value, mask},
        .result_count = 1,
        .results = &type,
        .attribute_count = copy_attributes(op, NAMES, 3, attributes),
        .attributes = attributes};
    replace(op, mlirOperationGetResult(kiln_ir_create(&ir, &atomic), 0));
}

// Operands: ptr, offsets, cmp, val, stride
static void expand_buffer_atomic_cas(MlirOperation op)
{
    static const char *const NAMES[] = {"sem", "scope"};
    kiln_ir_t ir = kiln_ir_before(op);
    MlirValue value = kiln_op_segment(op, 3);
    MlirType type = mlirValueGetType(value);
    MlirNamedAttribute attributes[2];
    kiln_ir_op_t atomic = {
        .kind = KILN_OP_TT_ATOMIC_CAS,
        .operand_count = 3,
        .operands = (MlirValue[]){pointers(&ir, kiln_op_segment(op, 0), kiln_op_segment(op, 1)),
                                  kiln_op_segment(op, 2), value},
        .result_count = 1,
        .results = &type,
        .attribute_count = copy_attributes(op, NAMES, 2, attributes),
        .attributes = attributes};
    replace(op, mlirOperationGetResult(kiln_ir_create(&ir, &atomic), 0));
}

// Writes the loaded values and replaces the copy's token by that of an empty group.
static void finish_copy(const kiln_ir_t *ir, MlirOperation op, MlirValue loaded, MlirValue buffer)
{
    kiln_ir_op_t store = {.kind = KILN_OP_TTG_LOCAL_STORE,
                          .operand_count = 2,
                          .operands = (MlirValue[]){loaded, buffer}};
    kiln_ir_create(ir, &store);
    MlirType token = mlirValueGetType(kiln_op_result(op, 0));
    kiln_ir_op_t empty = {
        .kind = KILN_OP_TTG_ASYNC_COMMIT_GROUP, .result_count = 1, .results = &token};
    replace(op, mlirOperationGetResult(kiln_ir_create(ir, &empty), 0));
}

// Operands: dest, ptr, offsets, mask, other, stride
static void expand_buffer_load_to_local(MlirOperation op)
{
    kiln_ir_t ir = kiln_ir_before(op);
    MlirValue address = pointers(&ir, kiln_op_segment(op, 1), kiln_op_segment(op, 2));
    finish_copy(&ir, op, load(&ir, op, address, kiln_op_segment(op, 3), kiln_op_segment(op, 4)),
                kiln_op_segment(op, 0));
}

// Operands: src, result, mask, other
static void expand_async_copy(MlirOperation op)
{
    kiln_ir_t ir = kiln_ir_before(op);
    finish_copy(
        &ir, op,
        load(&ir, op, kiln_op_segment(op, 0), kiln_op_segment(op, 2), kiln_op_segment(op, 3)),
        kiln_op_segment(op, 1));
}

static void expand_in_thread_transpose(MlirOperation op)
{
    kiln_ir_t ir = kiln_ir_before(op);
    MlirType type = mlirValueGetType(kiln_op_result(op, 0));
    replace(op, kiln_ir_unary(&ir, KILN_OP_TTG_CONVERT_LAYOUT, type, kiln_op_operand(op, 0)));
}

// Returns the dimension along which one scale applies to 32 elements; −1 for other shapes.
static int scaled_dimension(MlirType values, MlirType scales)
{
    enum { GROUP = 32 };
    int found = -1;
    for (int d = 0; d < kiln_type_rank(values); ++d) {
        int64_t size = kiln_type_dim(values, d);
        if (size == kiln_type_dim(scales, d))
            continue;
        if (found >= 0 || size != GROUP * kiln_type_dim(scales, d))
            return -1;
        found = d;
    }
    return found;
}

// Returns the dimension along which a byte holds two elements; −1 if there is none or if the shapes
// leave it ambiguous.
static int packed_dimension(MlirType packed, MlirType values)
{
    MlirType element = kiln_type_element(values);
    int found = -1;
    if (!mlirTypeIsAInteger(kiln_type_element(packed)) || kiln_type_bits(packed) != 8 ||
        kiln_type_rank(packed) != kiln_type_rank(values) ||
        !(mlirTypeIsAF16(element) || mlirTypeIsABF16(element)))
        return -1;
    for (int d = 0; d < kiln_type_rank(values); ++d) {
        if (kiln_type_dim(packed, d) == kiln_type_dim(values, d))
            continue;
        if (found >= 0 || 2 * kiln_type_dim(packed, d) != kiln_type_dim(values, d))
            return -1;
        found = d;
    }
    return found;
}

// Unpacks both halves of each byte, low half first. The result has the layout of the bytes plus one
// register bit for the half, so each thread's elements come from its own bytes and nothing moves
// between threads.
static kiln_status_t unpack(const kiln_ir_t *ir, MlirValue packed, MlirType type, int dim,
                            int num_warps, MlirValue *out)
{
    MlirType from = mlirValueGetType(packed), element = kiln_type_element(type);
    int rank = kiln_type_rank(from);
    kiln_layout_t layout, pairs;
    KILN_TRY(kiln_layout_of_type(from, num_warps, &layout));
    MlirValue bytes =
        kiln_tile_cast(ir, KILN_OP_ARITH_EXTUI, packed, mlirIntegerTypeGet(ir->context, 16));
    MlirValue high = kiln_ir_binary(ir, KILN_OP_ARITH_SHRUI, bytes,
                                    kiln_ir_const_int(ir, mlirValueGetType(bytes), 4));
    MlirValue halves[] = {kiln_tile_widen_e2m1(ir, bytes, element),
                          kiln_tile_widen_e2m1(ir, high, element)};
    pairs = layout;
    pairs.log2_shape[pairs.rank++] = 1;
    pairs.bits[KILN_REGISTER]++;
    for (int place = 0; place < KILN_PLACES; ++place)
        // Register bits of the bytes follow the bit of the half.
        for (int bit = 0; bit < layout.bits[place]; ++bit)
            pairs.basis[place][bit + (place == KILN_REGISTER)] = layout.basis[place][bit] << 1;
    pairs.basis[KILN_REGISTER][0] = 1;
    int64_t shape[KILN_MAX_RANK];
    int32_t order[KILN_MAX_RANK];
    for (int d = 0; d <= rank; ++d) {
        shape[d] = d < rank ? kiln_type_dim(from, d) : 2;
        order[d] = d <= dim ? d : d == dim + 1 ? rank : d - 1;
    }
    MlirType joined =
        kiln_type_tensor(rank + 1, shape, element, kiln_layout_to_linear_attr(ir->context, &pairs));
    kiln_ir_op_t join = {.kind = KILN_OP_TT_JOIN,
                         .operand_count = 2,
                         .operands = halves,
                         .result_count = 1,
                         .results = &joined};
    MlirValue pair = mlirOperationGetResult(kiln_ir_create(ir, &join), 0);
    if (dim != rank - 1) {
        pairs = kiln_layout_transpose(&pairs, order);
        for (int d = 0; d <= rank; ++d)
            shape[d] = order[d] < rank ? kiln_type_dim(from, order[d]) : 2;
        joined = kiln_type_tensor(rank + 1, shape, element,
                                  kiln_layout_to_linear_attr(ir->context, &pairs));
        pair = kiln_ir_unary_attr(ir, KILN_OP_TT_TRANS, joined, pair, "order",
                                  mlirDenseI32ArrayGet(ir->context, rank + 1, order));
    }
    *out = kiln_ir_unary(ir, KILN_OP_TT_RESHAPE, type, pair);
    return KILN_OK;
}

static bool is_right_operand(MlirType type)
{
    MlirAttribute encoding = kiln_type_encoding(type);
    return kiln_encoding_kind(encoding) == KILN_ENCODING_DOT_OPERAND &&
           kiln_dot_operand_index(encoding) == 1;
}

static kiln_status_t swap_last_dimensions(const kiln_ir_t *ir, MlirValue *value, int num_warps)
{
    MlirType from = mlirValueGetType(*value);
    int rank = kiln_type_rank(from);
    kiln_layout_t layout;
    KILN_TRY(kiln_layout_of_type(from, num_warps, &layout));
    int64_t shape[KILN_MAX_RANK];
    int32_t order[KILN_MAX_RANK];
    for (int d = 0; d < rank; ++d)
        order[d] = d < rank - 2 ? d : 2 * rank - 3 - d;
    for (int d = 0; d < rank; ++d)
        shape[d] = kiln_type_dim(from, order[d]);
    layout = kiln_layout_transpose(&layout, order);
    MlirType type = kiln_type_tensor(rank, shape, kiln_type_element(from),
                                     kiln_layout_to_linear_attr(ir->context, &layout));
    *value = kiln_ir_unary_attr(ir, KILN_OP_TT_TRANS, type, *value, "order",
                                mlirDenseI32ArrayGet(ir->context, rank, order));
    return KILN_OK;
}

// Multiplies elements by their scales, which pass through an extra dimension:
// R × K/32 → R × K/32 × 1 → R × K/32 × 32 → R × K, in the layout that the elements have in that shape.
// Scales of a dot's right operand, which is K × N, also have the shape N × K/32. Other shapes and
// types are left to the lowering, which reports them.
static kiln_status_t expand_upcast(MlirOperation op, int num_warps)
{
    kiln_ir_t ir = kiln_ir_before(op);
    MlirValue values = kiln_op_operand(op, 0), scale = kiln_op_operand(op, 1);
    MlirType type = mlirValueGetType(kiln_op_result(op, 0)), scales = mlirValueGetType(scale);
    int rank = kiln_type_rank(type);
    if (kiln_type_rank(scales) != rank || rank >= KILN_MAX_RANK ||
        !mlirTypeIsAInteger(kiln_type_element(scales)))
        return KILN_OK;
    if (is_right_operand(type) && rank >= 2) {
        KILN_TRY(swap_last_dimensions(&ir, &scale, num_warps));
        scales = mlirValueGetType(scale);
    }
    int dim = scaled_dimension(type, scales),
        packed = packed_dimension(mlirValueGetType(values), type);
    if (dim < 0 || (packed < 0 && !mlirTypeEqual(type, mlirValueGetType(values))))
        return KILN_OK;
    if (packed >= 0)
        KILN_TRY(unpack(&ir, values, type, packed, num_warps, &values));
    int64_t shape[KILN_MAX_RANK];
    for (int d = 0; d <= rank; ++d)
        shape[d] = d <= dim       ? kiln_type_dim(scales, d)
                   : d == dim + 1 ? 32
                                  : kiln_type_dim(type, d - 1);
    kiln_layout_t layout;
    KILN_TRY(kiln_layout_of_type(type, num_warps, &layout));
    layout = kiln_layout_reshape(&layout, rank + 1, shape);
    MlirAttribute wide = kiln_layout_to_linear_attr(ir.context, &layout);
    MlirType element = kiln_type_element(type),
             spread = kiln_type_tensor(rank + 1, shape, element, wide);
    shape[dim + 1] = 1;
    MlirType thin = kiln_type_tensor(rank + 1, shape, element, wide);
    MlirType flat = kiln_type_with_element(
        kiln_type_with_encoding(scales, kiln_slice_attr(dim + 1, wide)), element);
    MlirValue factor = kiln_tile_widen_e8m0(&ir, scale, element);
    factor = kiln_ir_unary(&ir, KILN_OP_TTG_CONVERT_LAYOUT, flat, factor);
    factor = kiln_ir_unary_attr(&ir, KILN_OP_TT_EXPAND_DIMS, thin, factor, "axis",
                                kiln_ir_i32_attr(ir.context, dim + 1));
    factor = kiln_ir_unary(&ir, KILN_OP_TT_BROADCAST, spread, factor);
    factor = kiln_ir_unary(&ir, KILN_OP_TT_RESHAPE, type, factor);
    replace(op, kiln_ir_binary(&ir, KILN_OP_ARITH_MULF, values, factor));
    return KILN_OK;
}

// Here each element has its own scale. The product is computed in the result's type, or in f32 if
// the scale's type differs.
static kiln_status_t expand_scaled_upcast(MlirOperation op, int num_warps)
{
    kiln_ir_t ir = kiln_ir_before(op);
    MlirValue values = kiln_op_operand(op, 0), scale = kiln_op_operand(op, 1);
    MlirType type = mlirValueGetType(kiln_op_result(op, 0)), element = kiln_type_element(type);
    bool is_direct = mlirTypeEqual(kiln_type_element(mlirValueGetType(scale)), element);
    MlirType common = is_direct ? element : mlirF32TypeGet(ir.context);
    if (kiln_op_kind(op) == KILN_OP_AMDG_SCALED_UPCAST_FP4) {
        bool is_small = mlirTypeIsAF16(element) || mlirTypeIsABF16(element);
        MlirType narrow =
            is_small ? type : kiln_type_with_element(type, mlirF16TypeGet(ir.context));
        KILN_TRY(
            unpack(&ir, values, narrow, (int)kiln_ir_int_attr(op, "axis", 0), num_warps, &values));
        if (!mlirTypeEqual(kiln_type_element(mlirValueGetType(values)), common))
            values = kiln_tile_cast(&ir, KILN_OP_ARITH_EXTF, values, common);
    } else {
        values = kiln_tile_cast(&ir, KILN_OP_TT_FP_TO_FP, values, common);
    }
    if (!is_direct)
        scale = kiln_tile_cast(&ir, KILN_OP_ARITH_EXTF, scale, common);
    values = kiln_ir_binary(&ir, KILN_OP_ARITH_MULF, values, scale);
    replace(op, is_direct ? values : kiln_tile_cast(&ir, KILN_OP_ARITH_TRUNCF, values, element));
    return KILN_OK;
}

static kiln_status_t expand_fp4_to_fp(MlirOperation op, int num_warps)
{
    kiln_ir_t ir = kiln_ir_before(op);
    MlirType type = mlirValueGetType(kiln_op_result(op, 0)), element = kiln_type_element(type);
    bool is_small = mlirTypeIsAF16(element) || mlirTypeIsABF16(element);
    if (!is_small && !mlirTypeIsAF32(element))
        return kiln_status_make(KILN_STATUS_UNSUPPORTED,
                                "ttg.fp4_to_fp supports only f16, bf16 and f32 results");
    MlirType narrow = is_small ? type : kiln_type_with_element(type, mlirF16TypeGet(ir.context));
    MlirValue values;
    KILN_TRY(unpack(&ir, kiln_op_operand(op, 0), narrow, (int)kiln_ir_int_attr(op, "axis", 0),
                    num_warps, &values));
    replace(op, is_small ? values : kiln_tile_cast(&ir, KILN_OP_ARITH_EXTF, values, element));
    return KILN_OK;
}

typedef struct visitor {
    int num_warps;
    kiln_status_t status;
} visitor_t;

static void convert(visitor_t *visitor, MlirOperation op,
                    kiln_status_t (*expand)(MlirOperation op, int num_warps))
{
    MlirLocation place = mlirOperationGetLocation(op);
    visitor->status = expand(op, visitor->num_warps);
    if (visitor->status)
        visitor->status = kiln_status_at_loc(visitor->status, place);
}

static MlirWalkResult visit(MlirOperation op, void *user)
{
    visitor_t *visitor = user;
    switch (kiln_op_kind(op)) {
    case KILN_OP_AMDG_BUFFER_LOAD:
        expand_buffer_load(op);
        break;
    case KILN_OP_AMDG_BUFFER_STORE:
        expand_buffer_store(op);
        break;
    case KILN_OP_AMDG_BUFFER_ATOMIC_RMW:
        expand_buffer_atomic_rmw(op);
        break;
    case KILN_OP_AMDG_BUFFER_ATOMIC_CAS:
        expand_buffer_atomic_cas(op);
        break;
    case KILN_OP_AMDG_BUFFER_LOAD_TO_LOCAL:
        expand_buffer_load_to_local(op);
        break;
    case KILN_OP_TTG_ASYNC_COPY_GLOBAL_TO_LOCAL:
        expand_async_copy(op);
        break;
    case KILN_OP_AMDG_IN_THREAD_TRANSPOSE:
        expand_in_thread_transpose(op);
        break;
    case KILN_OP_TTG_FP4_TO_FP:
        convert(visitor, op, expand_fp4_to_fp);
        break;
    case KILN_OP_AMDG_UPCAST_MXFP:
        convert(visitor, op, expand_upcast);
        break;
    case KILN_OP_AMDG_SCALED_UPCAST_FP8:
    case KILN_OP_AMDG_SCALED_UPCAST_FP4:
        convert(visitor, op, expand_scaled_upcast);
        break;
    default:
        break;
    }
    return visitor->status ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

kiln_status_t kiln_expand_amd_ops(const kiln_pass_context_t *context, MlirModule module)
{
    (void)context;
    visitor_t visitor = {0};
    KILN_TRY(kiln_waves_of_module(module, &visitor.num_warps));
    kiln_walk(mlirModuleGetOperation(module), MlirWalkPostOrder, visit, &visitor);
    return visitor.status;
}
