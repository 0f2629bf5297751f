// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives every access of global memory a blocked layout in which neighbouring lanes access
// neighbouring bytes, as many per lane as one instruction moves.
//
//                                            %p1 = ttg.convert_layout %p : … #default -> … #coalesced
//   %x = tt.load %p : …, #default      →     %x1 = tt.load %p1 : …, #coalesced
//                                            %x = ttg.convert_layout %x1 : … #coalesced -> … #default
//
// Order: dimensions by contiguity of the pointers; among equals the last one first. Elements per
// thread along the first dimension: as many as contiguity and the mask allow, up to 16 bytes. If a
// load's elements repeat, as 4-bit weights at i / 2 do, the bytes are counted without repetitions.
// Loads follow the widest access of the same order whose elements they are combined with, so that
// fewer conversions remain. A load that feeds a dot whose K is not the contiguous dimension also
// gets several elements along K per thread, which one instruction then stores to LDS
// (k_dim_of).
//
// Atomic operations of neighbours get one element per lane: each is an instruction of its own,
// whose lanes then share cache lines. Additions of f16 and bf16 get two where pointers and masks
// allow, because an instruction adds both. For scattered ones all layouts are alike, so they follow
// loads.
//
// Accesses that not all waves execute keep their layout: the conversion of an operand may need an
// exchange between waves.
//
// Stores do not follow other accesses: a thread that stores 32 bytes needs two instructions, each
// of which leaves gaps in the cache lines.
#include "analysis/axis/axis_info.h"
#include "analysis/axis/mask_order.h"
#include "analysis/memory/effects.h"
#include "analysis/plan/index.h"
#include "analysis/pointer_map.h"
#include "analysis/waves/uniformity.h"
#include "base/array.h"
#include "builder/ir.h"
#include "layout/blocked.h"
#include "layout/infer.h"
#include "passes/layouts/operand_loads.h"
#include "passes/pass.h"

#include <stdlib.h>

enum { STAGED_BITS = 64 }; // of K per thread: the width of one ds_write_b64

typedef struct access {
    MlirOperation op;
    MlirValue pointers; // before the rewrite
    int32_t order[KILN_MAX_RANK];
    bool has_order;   // some dimension is contiguous
    int width;        // elements along order[0] that one access could move
    int split;        // the same if groups in which the mask changes are split; 0: no more
    int family;       // shared by accesses of one shape that are combined with each other
    int k_dim;        // of the dot that a load feeds, or −1
    int element_bits; // of the accessed elements
} access_t;

typedef struct coalescing {
    const kiln_pass_context_t *context;
    kiln_axis_analysis_t *axis;
    kiln_uniformity_t *uniformity;
    access_t *accesses;
    int count;
    size_t capacity;
    kiln_pointer_map_t family_of; // value → node of a union-find
    int *parent;
    int nodes;
    size_t node_capacity;
    bool out_of_memory;
} coalescing_t;

// Families: a union-find over tensor values -------------------------------------------------------

static int root_of(coalescing_t *c, int node)
{
    while (c->parent[node] != node)
        node = c->parent[node] = c->parent[c->parent[node]];
    return node;
}

static int node_of(coalescing_t *c, MlirValue value)
{
    int known = kiln_pointer_map_get(&c->family_of, value.ptr);
    if (known >= 0)
        return root_of(c, known);
    if (!KILN_ARRAY_RESERVE(&c->parent, &c->node_capacity, (size_t)c->nodes + 1)) {
        c->out_of_memory = true;
        return -1;
    }
    if (!kiln_pointer_map_put(&c->family_of, value.ptr, c->nodes)) {
        c->out_of_memory = true;
        return -1;
    }
    c->parent[c->nodes] = c->nodes;
    return c->nodes++;
}

static bool same_shape(MlirValue a, MlirValue b)
{
    MlirType x = mlirValueGetType(a), y = mlirValueGetType(b);
    if (!kiln_type_is_tensor(x) || !kiln_type_is_tensor(y) ||
        kiln_type_rank(x) != kiln_type_rank(y))
        return false;
    for (int d = 0; d < kiln_type_rank(x); d++)
        if (kiln_type_dim(x, d) != kiln_type_dim(y, d))
            return false;
    return true;
}

static void unite(coalescing_t *c, MlirValue a, MlirValue b)
{
    if (!same_shape(a, b))
        return;
    int x = node_of(c, a), y = node_of(c, b);
    if (x >= 0 && y >= 0)
        c->parent[y] = x;
}

static void unite_lists(coalescing_t *c, MlirOperation op, intptr_t skip, MlirOperation results)
{
    for (intptr_t i = 0; i < mlirOperationGetNumResults(results); i++)
        if (i + skip < mlirOperationGetNumOperands(op))
            unite(c, mlirOperationGetOperand(op, i + skip), mlirOperationGetResult(results, i));
}

static MlirWalkResult join_families(MlirOperation op, void *user)
{
    coalescing_t *c = user;
    kiln_op_t kind = kiln_op_kind(op);
    MlirOperation parent = kiln_op_parent(op);
    if (kind == KILN_OP_SCF_FOR) {
        unite_lists(c, op, 3, op);
        MlirBlock body = kiln_op_body(op, 0);
        for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
            unite(c, mlirOperationGetResult(op, i), mlirBlockGetArgument(body, i + 1));
        return MlirWalkResultAdvance;
    }
    if (kind == KILN_OP_SCF_YIELD) {
        unite_lists(c, op, 0, parent);
        return MlirWalkResultAdvance;
    }
    // Element-wise: all tensors have one shape.
    MlirValue first = {NULL};
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        MlirValue operand = mlirOperationGetOperand(op, i);
        if (mlirValueIsNull(first) && kiln_type_is_tensor(mlirValueGetType(operand)))
            first = operand;
        if (!mlirValueIsNull(first))
            unite(c, first, operand);
    }
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op) && !mlirValueIsNull(first); i++)
        unite(c, first, mlirOperationGetResult(op, i));
    return MlirWalkResultAdvance;
}

// Accesses ----------------------------------------------------------------------------------------

static bool accesses_memory(MlirOperation op)
{
    kiln_op_t kind = kiln_op_kind(op);
    if (kind != KILN_OP_TT_LOAD && kind != KILN_OP_TT_STORE && kind != KILN_OP_TT_ATOMIC_RMW &&
        kind != KILN_OP_TT_ATOMIC_CAS && kind != KILN_OP_TT_ATOMIC_LOAD)
        return false;
    MlirType type = mlirValueGetType(kiln_op_operand(op, 0));
    return kiln_type_is_tensor(type) && kiln_type_is_ptr(kiln_type_element(type)) &&
           kiln_encoding_kind(kiln_type_encoding(type)) == KILN_ENCODING_BLOCKED;
}

// Stable: among equally contiguous dimensions the last one comes first.
static int64_t run_of(const kiln_axis_info_t *info, int dim)
{
    const int64_t steps = info->steps[dim].count;
    return info->run[dim] > steps ? info->run[dim] : steps;
}

static void order_by_contiguity(const kiln_axis_info_t *info, int32_t *order)
{
    for (int i = 0; i < info->rank; i++) {
        int32_t dim = info->rank - 1 - i;
        int at = i;
        while (at > 0 && run_of(info, order[at - 1]) < run_of(info, dim)) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = dim;
    }
}

// Returns the K dimension of the dot that a value feeds through operations that keep its shape, or
// −1.
static int k_dim_of(MlirValue value, int depth)
{
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        unsigned index = mlirOpOperandGetOperandNumber(use);
        if (kiln_op_kind(user) == KILN_OP_TT_DOT && index < 2) {
            int rank = kiln_type_rank(mlirValueGetType(value));
            return index == 0 ? rank - 1 : rank - 2;
        }
        MlirOperation parent = kiln_op_parent(user);
        if (depth > 0 && kiln_op_kind(user) == KILN_OP_SCF_YIELD &&
            kiln_op_kind(parent) == KILN_OP_SCF_IF) {
            // The form that linear_remainders creates.
            int given = k_dim_of(kiln_op_result(parent, (int)index), depth - 1);
            if (given >= 0)
                return given;
            continue;
        }
        if (depth == 0 || mlirOperationGetNumResults(user) != 1 ||
            mlirOperationGetNumRegions(user) > 0 || kiln_op_kind(user) == KILN_OP_TT_TRANS ||
            !same_shape(value, kiln_op_result(user, 0)))
            continue;
        int found = k_dim_of(kiln_op_result(user, 0), depth - 1);
        if (found >= 0)
            return found;
    }
    return -1;
}

static bool is_atomic(MlirOperation op)
{
    return kiln_op_kind(op) != KILN_OP_TT_LOAD && kiln_op_kind(op) != KILN_OP_TT_STORE;
}

static bool comes_from_dot(MlirValue value, int depth)
{
    MlirOperation op;
    const kiln_op_t kind = kiln_value_op(value, &op);
    if (kind == KILN_OP_TT_DOT || kind == KILN_OP_TT_DOT_SCALED)
        return true;
    if (depth == 0 || !kiln_op_is_elementwise(kind))
        return false;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        if (comes_from_dot(mlirOperationGetOperand(op, i), depth - 1))
            return true;
    return false;
}

// Whether an atomic operation adds a dot's result, which is converted anyway.
static bool takes_dot_result(MlirOperation op)
{
    enum { DEPTH = 8 };
    return kiln_op_kind(op) == KILN_OP_TT_ATOMIC_RMW &&
           comes_from_dot(kiln_op_operand(op, 1), DEPTH);
}

static MlirValue mask_of(MlirOperation op)
{
    const MlirValue none = {NULL};
    if (kiln_atomic_takes_pairs(op))
        return mlirOperationGetNumOperands(op) > 2 ? kiln_op_operand(op, 2) : none;
    return is_atomic(op) ? none : kiln_mask_of(op);
}

static int64_t per_thread(const coalescing_t *c, MlirValue tensor)
{
    return kiln_type_count(mlirValueGetType(tensor)) /
           (KILN_GFX942_LANES * c->context->options->num_warps);
}

static int width_of_atomic(const coalescing_t *c, MlirOperation op,
                           const kiln_axis_access_t *widest, int element_bytes)
{
    const int64_t of_thread = per_thread(c, kiln_op_operand(op, 0));
    const int aligned = widest->alignment / element_bytes;
    if (kiln_atomic_takes_pairs(op))
        return widest->elements >= 2 && aligned >= 2 && of_thread >= 2 ? 2 : 1;
    return !takes_dot_result(op) && (aligned < of_thread ? aligned : of_thread) == 2 ? 2 : 1;
}

static MlirWalkResult collect(MlirOperation op, void *user)
{
    enum { CHAIN = 6 };
    coalescing_t *c = user;
    if (!accesses_memory(op) || !kiln_is_executed_by_all_waves(c->uniformity, op))
        return MlirWalkResultAdvance;
    if (!KILN_ARRAY_RESERVE(&c->accesses, &c->capacity, (size_t)c->count + 1)) {
        c->out_of_memory = true;
        return MlirWalkResultInterrupt;
    }
    MlirValue pointers = kiln_op_operand(op, 0);
    const bool may_share =
        kiln_op_kind(op) == KILN_OP_TT_LOAD && !kiln_ir_int_attr(op, "isVolatile", 0);
    kiln_axis_info_t info = kiln_axis_info(c->axis, pointers);
    access_t access = {.op = op, .pointers = pointers, .k_dim = -1};
    access.element_bits =
        kiln_type_bits(kiln_ptr_pointee(kiln_type_element(mlirValueGetType(pointers))));
    order_by_contiguity(&info, access.order);
    access.has_order = run_of(&info, access.order[0]) > 1;
    const kiln_axis_access_t widest =
        kiln_axis_access_along(c->axis, pointers, mask_of(op),
                               may_share ? KILN_AXIS_SHARED : KILN_AXIS_DISTINCT, access.order[0]);
    const int element_bytes = access.element_bits > 8 ? access.element_bits / 8 : 1;
    access.width = is_atomic(op) ? width_of_atomic(c, op, &widest, element_bytes)
                                 : widest.elements * widest.repeat;
    const int split = kiln_split_access_along(c->axis, op, access.order[0]).elements;
    access.split = split > access.width && per_thread(c, pointers) >= KILN_SPLIT_MIN ? split : 0;
    access.family = node_of(c, pointers);
    if (kiln_op_kind(op) == KILN_OP_TT_LOAD)
        access.k_dim = k_dim_of(kiln_op_result(op, 0), CHAIN);
    c->accesses[c->count++] = access;
    return MlirWalkResultAdvance;
}

// Layouts -----------------------------------------------------------------------------------------

static bool same_order(const access_t *a, const access_t *b)
{
    int rank = kiln_type_rank(mlirValueGetType(kiln_op_operand(a->op, 0)));
    for (int i = 0; i < rank; i++)
        if (a->order[i] != b->order[i])
            return false;
    return true;
}

// Whether neighbouring lanes access neighbouring elements if each has one.
static bool is_run_of_atomics(const access_t *access)
{
    return is_atomic(access->op) && access->has_order;
}

// Splits accesses, except those whose values would then be moved through LDS to atomic operations.
static void choose_splits(coalescing_t *c)
{
    for (int i = 0; i < c->count; i++) {
        access_t *access = &c->accesses[i];
        bool feeds_atomics = false;
        for (int k = 0; k < c->count && access->split; k++)
            feeds_atomics |= is_run_of_atomics(&c->accesses[k]) &&
                             root_of(c, c->accesses[k].family) == root_of(c, access->family);
        if (access->split && !feeds_atomics)
            access->width = access->split;
    }
}

// Whether two stores write through the same pointers, as those that whole_tiles puts in two
// branches.
static bool are_alternatives(const access_t *a, const access_t *b)
{
    return kiln_op_kind(a->op) == KILN_OP_TT_STORE && kiln_op_kind(b->op) == KILN_OP_TT_STORE &&
           mlirValueEqual(a->pointers, b->pointers);
}

static bool are_related(coalescing_t *c, const access_t *load, const access_t *other)
{
    const bool may_follow =
        kiln_op_kind(load->op) == KILN_OP_TT_LOAD || (is_atomic(load->op) && !load->has_order);
    return may_follow && root_of(c, other->family) == root_of(c, load->family) &&
           same_shape(kiln_op_operand(other->op, 0), kiln_op_operand(load->op, 0)) &&
           (same_order(other, load) || !load->has_order);
}

// An access whose pointers have no order takes that of the load that it follows.
static kiln_blocked_t choose_layout(coalescing_t *c, const access_t *access)
{
    MlirType type = mlirValueGetType(kiln_op_operand(access->op, 0));
    int rank = kiln_type_rank(type);
    int width = access->width;
    const int32_t *order = access->order;
    for (int i = 0; i < c->count; i++) {
        const access_t *other = &c->accesses[i];
        if (other->width > width &&
            (are_related(c, access, other) || are_alternatives(access, other))) {
            width = other->width;
            order = other->order;
        }
    }
    const int64_t own = per_thread(c, kiln_op_operand(access->op, 0));
    if (width > own)
        width = own < 1 ? 1 : (int)own;
    int64_t shape[KILN_MAX_RANK];
    int32_t size[KILN_MAX_RANK];
    for (int d = 0; d < rank; d++) {
        shape[d] = kiln_type_dim(type, d);
        size[d] = 1;
    }
    size[order[0]] = (int32_t)(width < shape[order[0]] ? width : shape[order[0]]);
    if (access->k_dim >= 0 && access->k_dim != order[0]) {
        int64_t k = own / size[order[0]], max = STAGED_BITS / access->element_bits;
        k = k < max ? k : max;
        k = k < shape[access->k_dim] ? k : shape[access->k_dim];
        size[access->k_dim] = k < 1 ? 1 : (int32_t)k;
    }
    return kiln_blocked_choose(rank, shape, size, order, c->context->options->num_warps);
}

static void rewrite(coalescing_t *c, const access_t *access)
{
    kiln_blocked_t blocked = choose_layout(c, access);
    MlirAttribute encoding = kiln_blocked_attr(c->context->mlir, &blocked);
    MlirOperation op = access->op;
    if (mlirAttributeEqual(encoding, kiln_type_encoding(mlirValueGetType(kiln_op_operand(op, 0)))))
        return;
    kiln_convert_access(op, encoding);
}

kiln_status_t kiln_coalesce(const kiln_pass_context_t *context, MlirModule module)
{
    coalescing_t c = {.context = context};
    MlirOperation root = mlirModuleGetOperation(module);
    KILN_TRY(kiln_uniformity_create(module, context->options->num_warps, &c.uniformity));
    kiln_status_t status = kiln_axis_analysis_create(root, &c.axis);
    if (status) {
        kiln_uniformity_destroy(c.uniformity);
        return status;
    }
    kiln_walk(root, MlirWalkPreOrder, join_families, &c);
    kiln_walk(root, MlirWalkPreOrder, collect, &c);
    kiln_axis_analysis_destroy(c.axis);
    kiln_uniformity_destroy(c.uniformity);
    choose_splits(&c);
    for (int i = 0; i < c.count && !c.out_of_memory; i++)
        rewrite(&c, &c.accesses[i]);
    kiln_pointer_map_free(&c.family_of);
    free(c.parent);
    free(c.accesses);
    return c.out_of_memory ? kiln_status_out_of_memory() : KILN_OK;
}
