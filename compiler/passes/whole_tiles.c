// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses tiles that lie within their bounds without a mask, whatever the bound is:
//
//   %x = splat(%s) + range(128)                   scf.if %s < %n and %s + 127 < %n {
//   %m = %x < splat(%n)                               tt.store %p, %v
//   tt.store %p, %v, %m                    →      } else {
//                                                     tt.store %p, %v, %m
//                                                 }
//
// A mask that is not known to be constant within groups makes an access as narrow as one element. A
// bound that is known to be a multiple of the group's size needs no test. Other terms of the mask,
// such as that of another dimension, stay. Loads are rewritten in the same way; schedule_loops
// treats the branch as a load.
//
// The pass does not change a tile that starts at a constant: it is the only tile, and it has a mask
// because it is larger than its bound. It does not change tiles of one dimension either: the lanes
// of a narrow access also cover whole cache lines, and all accesses share one address.
//
// Testing the ends suffices: the numbers that satisfy a comparison form an interval, so if the
// first and the last number satisfy it, all between them do, unless the numbers wrap, which is also
// tested.
#include "analysis/axis/axis_info.h"
#include "analysis/axis/mask_order.h"
#include "analysis/memory/effects.h"
#include "analysis/waves/uniformity.h"
#include "base/array.h"
#include "builder/compare.h"
#include "builder/ir.h"
#include "builder/op_facts.h"
#include "passes/pass.h"
#include "passes/rewrite/branch.h"
#include "passes/rewrite/clones.h"
#include "passes/rewrite/tile_ops.h"

#include <stdlib.h>

enum { MAX_TERMS = 4, DEPTH = 12, MAX_SCALARS = 4 };

// A comparison of consecutive numbers with a scalar.
typedef struct term {
    MlirValue value; // the mask's part
    kiln_cmpi_t predicate;
    MlirValue scalars[MAX_SCALARS]; // their sum is added to the range
    int scalar_count;
    MlirValue range, bound; // of 1 dimension; a scalar
} term_t;

typedef struct access {
    MlirOperation op;
    int dim;
    int64_t group;
    term_t terms[MAX_TERMS];
    int term_count;
} access_t;

typedef struct accesses {
    const kiln_axis_analysis_t *axis;
    const kiln_uniformity_t *uniformity;
    access_t *all;
    size_t count, capacity;
    bool out_of_memory;
} accesses_t;

// Terms -------------------------------------------------------------------------------------------

// Follows a value of one varying dimension to the tensor of rank 1 that it repeats; `dim` becomes
// −1 if the value does not vary along it.
static MlirValue strip(MlirValue value, int *dim)
{
    for (int depth = DEPTH; depth > 0; depth--) {
        MlirOperation op;
        const kiln_op_t kind = kiln_value_op(value, &op);
        if (kind == KILN_OP_TT_BROADCAST) {
            value = kiln_op_operand(op, 0);
            if (*dim >= 0 && kiln_type_dim(mlirValueGetType(value), *dim) == 1)
                *dim = -1;
        } else if (kind == KILN_OP_TT_EXPAND_DIMS) {
            const int axis = (int)kiln_ir_int_attr(op, "axis", 0);
            value = kiln_op_operand(op, 0);
            *dim = *dim == axis ? -1 : *dim > axis ? *dim - 1 : *dim;
        } else {
            break;
        }
    }
    return value;
}

// Matches a sum of scalars and one range.
static bool match_sum(term_t *term, MlirValue value, int depth)
{
    MlirOperation op;
    const kiln_op_t kind = kiln_value_op(value, &op);
    if (kind == KILN_OP_TT_MAKE_RANGE ||
        (kind == KILN_OP_ARITH_EXTSI &&
         kiln_value_op(kiln_op_operand(op, 0), &op) == KILN_OP_TT_MAKE_RANGE)) {
        const bool is_first = mlirValueIsNull(term->range);
        term->range = value;
        return is_first && kiln_ir_int_attr(op, "start", -1) == 0;
    }
    if (kind == KILN_OP_TT_SPLAT && term->scalar_count < MAX_SCALARS) {
        term->scalars[term->scalar_count++] = kiln_op_operand(op, 0);
        return true;
    }
    return kind == KILN_OP_ARITH_ADDI && depth > 0 &&
           match_sum(term, kiln_op_operand(op, 0), depth - 1) &&
           match_sum(term, kiln_op_operand(op, 1), depth - 1);
}

// Whether the numbers start at anything but constants.
static bool moves(const term_t *term)
{
    int64_t number;
    for (int i = 0; i < term->scalar_count; i++)
        if (!kiln_ir_constant_int(term->scalars[i], &number))
            return true;
    return false;
}

static bool match_term(MlirValue value, int dim, term_t *out)
{
    MlirOperation op;
    if (kiln_value_op(value, &op) != KILN_OP_ARITH_CMPI)
        return false;
    const kiln_cmpi_t predicate = kiln_cmpi_of(op);
    if (predicate == KILN_CMPI_EQ || predicate == KILN_CMPI_NE)
        return false;
    for (int i = 0; i < 2; i++) {
        int along = dim;
        MlirValue numbers = strip(kiln_op_operand(op, i), &along);
        *out = (term_t){.value = value,
                        .predicate = i ? kiln_cmpi_mirrored(predicate) : predicate,
                        .bound = kiln_ir_scalar_of(kiln_op_operand(op, 1 - i))};
        if (along == 0 && kiln_type_rank(mlirValueGetType(numbers)) == 1 &&
            !mlirValueIsNull(out->bound) && match_sum(out, numbers, DEPTH) &&
            !mlirValueIsNull(out->range) && moves(out))
            return true;
    }
    return false;
}

// The mask's constancy along a dimension where its terms are true; collects these.
static int64_t constancy(const kiln_axis_analysis_t *axis, access_t *access, MlirValue mask,
                         int dim, int depth)
{
    MlirOperation op;
    const kiln_op_t kind = kiln_value_op(mask, &op);
    const int64_t as_is = kiln_axis_mask_alignment(axis, mask, dim);
    if (as_is >= access->group || depth == 0)
        return as_is;
    if (kind == KILN_OP_ARITH_ANDI) {
        const int64_t a = constancy(axis, access, kiln_op_operand(op, 0), dim, depth - 1),
                      b = constancy(axis, access, kiln_op_operand(op, 1), dim, depth - 1);
        return a < b ? a : b;
    }
    if (kind == KILN_OP_TT_BROADCAST)
        return constancy(axis, access, kiln_op_operand(op, 0), dim, depth - 1);
    if (kind == KILN_OP_TT_EXPAND_DIMS) {
        const int added = (int)kiln_ir_int_attr(op, "axis", 0);
        return constancy(axis, access, kiln_op_operand(op, 0), dim > added ? dim - 1 : dim,
                         depth - 1);
    }
    for (int i = 0; i < access->term_count; i++)
        if (mlirValueEqual(access->terms[i].value, mask))
            return access->group;
    if (access->term_count == MAX_TERMS ||
        !match_term(mask, dim, &access->terms[access->term_count]))
        return as_is;
    access->term_count++;
    return access->group;
}

// Accesses ----------------------------------------------------------------------------------------

static int mask_index(MlirOperation op)
{
    return kiln_op_kind(op) == KILN_OP_TT_LOAD ? 1 : 2;
}

// Finds the dimension, and the size of the groups that the access would have without a mask.
static void choose_group(const kiln_axis_analysis_t *axis, access_t *access)
{
    const bool is_load = kiln_op_kind(access->op) == KILN_OP_TT_LOAD;
    MlirValue pointers = kiln_op_operand(access->op, 0);
    access->group = 1;
    for (int dim = 0; dim < kiln_type_rank(mlirValueGetType(pointers)); dim++) {
        const kiln_axis_access_t wide =
            kiln_axis_access_along(axis, pointers, (MlirValue){NULL},
                                   is_load ? KILN_AXIS_SHARED : KILN_AXIS_DISTINCT, dim);
        const int64_t width = (int64_t)wide.elements * wide.repeat;
        if (width > access->group) {
            access->group = width;
            access->dim = dim;
        }
    }
}

// Whether the accesses differ in their masks alone.
static bool is_same_access(MlirOperation a, MlirOperation b)
{
    const intptr_t count = mlirOperationGetNumOperands(a);
    if (kiln_op_kind(a) != kiln_op_kind(b) || mlirOperationGetNumOperands(b) != count)
        return false;
    for (intptr_t i = 0; i < count; i++)
        if (i != mask_index(a) &&
            !mlirValueEqual(mlirOperationGetOperand(a, i), mlirOperationGetOperand(b, i)))
            return false;
    return true;
}

// Whether the other branch of an scf.if has the access, too, as this pass leaves it.
static bool has_alternative(MlirOperation op)
{
    MlirOperation branch = kiln_op_parent(op);
    if (kiln_op_kind(branch) != KILN_OP_SCF_IF)
        return false;
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(branch); r++) {
        MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(branch, r));
        if (mlirBlockIsNull(block) || mlirBlockEqual(block, mlirOperationGetBlock(op)))
            continue;
        for (MlirOperation at = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(at);
             at = mlirOperationGetNextInBlock(at))
            if (is_same_access(op, at))
                return true;
    }
    return false;
}

static bool is_candidate(MlirOperation op)
{
    MlirValue mask = kiln_tile_mask(op);
    return !mlirValueIsNull(mask) && kiln_type_rank(mlirValueGetType(mask)) > 1 &&
           !kiln_op_loads_tensor(kiln_op_parent(op)) && !has_alternative(op) &&
           !kiln_is_peeled_rest(kiln_op_parent(op));
}

// Whether all waves decide alike. An access may need a barrier, as for the conversion of what it
// stores; waves with different bounds, from a volatile load, would not meet there.
static bool is_uniform(const kiln_uniformity_t *uniformity, const access_t *access)
{
    for (int i = 0; i < access->term_count; i++) {
        const term_t *term = &access->terms[i];
        if (!kiln_is_same_in_all_waves(uniformity, term->bound))
            return false;
        for (int k = 0; k < term->scalar_count; k++)
            if (!kiln_is_same_in_all_waves(uniformity, term->scalars[k]))
                return false;
    }
    return true;
}

static MlirWalkResult collect(MlirOperation op, void *user)
{
    accesses_t *accesses = user;
    if (!is_candidate(op))
        return MlirWalkResultAdvance;
    access_t access = {.op = op};
    choose_group(accesses->axis, &access);
    const int64_t now = kiln_axis_mask_alignment(accesses->axis, kiln_mask_of(op), access.dim);
    if (now >= access.group)
        return MlirWalkResultAdvance;
    const int64_t then = constancy(accesses->axis, &access, kiln_mask_of(op), access.dim, DEPTH);
    if (then < access.group)
        access.group = then;
    if (access.group <= now || access.term_count == 0 || !is_uniform(accesses->uniformity, &access))
        return MlirWalkResultAdvance;
    if (!KILN_ARRAY_RESERVE(&accesses->all, &accesses->capacity, accesses->count + 1)) {
        accesses->out_of_memory = true;
        return MlirWalkResultInterrupt;
    }
    accesses->all[accesses->count++] = access;
    return MlirWalkResultAdvance;
}

// Tests -------------------------------------------------------------------------------------------

static MlirValue start_of(const kiln_ir_t *ir, const term_t *term)
{
    MlirType type = kiln_type_element(mlirValueGetType(term->range));
    MlirValue sum = kiln_ir_const_int(ir, type, 0);
    for (int i = 0; i < term->scalar_count; i++)
        sum = i ? kiln_ir_binary(ir, KILN_OP_ARITH_ADDI, sum, term->scalars[i]) : term->scalars[i];
    return sum;
}

static bool is_unsigned(kiln_cmpi_t predicate)
{
    return predicate == KILN_CMPI_ULT || predicate == KILN_CMPI_ULE || predicate == KILN_CMPI_UGT ||
           predicate == KILN_CMPI_UGE;
}

// Whether the comparison is true for all numbers.
static MlirValue holds(const kiln_ir_t *ir, const term_t *term)
{
    MlirValue first = start_of(ir, term),
              distance = kiln_ir_const_int(ir, mlirValueGetType(first),
                                           kiln_type_count(mlirValueGetType(term->range)) - 1),
              last = kiln_ir_binary(ir, KILN_OP_ARITH_ADDI, first, distance);
    MlirValue parts[] = {
        kiln_ir_compare(ir, term->predicate, first, term->bound),
        kiln_ir_compare(ir, term->predicate, last, term->bound),
        kiln_ir_compare(ir, is_unsigned(term->predicate) ? KILN_CMPI_ULE : KILN_CMPI_SLE, first,
                        last),
    };
    return kiln_ir_binary(ir, KILN_OP_ARITH_ANDI, parts[0],
                          kiln_ir_binary(ir, KILN_OP_ARITH_ANDI, parts[1], parts[2]));
}

static MlirValue is_whole_tile(const kiln_ir_t *ir, const access_t *access)
{
    MlirValue all = {NULL};
    for (int i = 0; i < access->term_count; i++) {
        MlirValue one = holds(ir, &access->terms[i]);
        all = i ? kiln_ir_binary(ir, KILN_OP_ARITH_ANDI, all, one) : one;
    }
    return all;
}

// The mask where its terms are true. Values have several uses, so the number of paths through a
// mask may be exponential: each value is rewritten once, and none deeper than `constancy` looks.
static MlirValue without_terms(const kiln_ir_t *ir, const access_t *access, MlirValue mask,
                               int depth, kiln_clones_t *known)
{
    MlirOperation op;
    const kiln_op_t kind = kiln_value_op(mask, &op);
    MlirValue made = kiln_clones_find(known, mask);
    if (!mlirValueIsNull(made))
        return made;
    for (int i = 0; i < access->term_count; i++)
        if (mlirValueEqual(access->terms[i].value, mask))
            return kiln_ir_const_int(ir, mlirValueGetType(mask), 1);
    if (depth == 0 || (kind != KILN_OP_ARITH_ANDI && kind != KILN_OP_TT_BROADCAST &&
                       kind != KILN_OP_TT_EXPAND_DIMS))
        return mask;
    MlirValue part = without_terms(ir, access, kiln_op_operand(op, 0), depth - 1, known);
    if (kind == KILN_OP_ARITH_ANDI)
        made = kiln_ir_binary(ir, kind, part,
                              without_terms(ir, access, kiln_op_operand(op, 1), depth - 1, known));
    else if (kind == KILN_OP_TT_BROADCAST)
        made = kiln_tile_broadcast(ir, mlirValueGetType(mask), part);
    else
        made = kiln_tile_expand_dims(ir, part, (int)kiln_ir_int_attr(op, "axis", 0));
    kiln_clones_put(known, mask, made);
    return made;
}

// Rewriting ---------------------------------------------------------------------------------------

static MlirOperation copy_to(const kiln_ir_t *ir, MlirOperation op)
{
    MlirOperation copy = mlirOperationClone(op);
    mlirBlockInsertOwnedOperationBefore(ir->block, ir->before, copy);
    return copy;
}

static bool rewrite(const access_t *access)
{
    const kiln_ir_t ir = kiln_ir_before(access->op);
    const bool is_load = kiln_op_kind(access->op) == KILN_OP_TT_LOAD;
    kiln_clones_t known = {0};
    MlirValue mask = without_terms(&ir, access, kiln_mask_of(access->op), DEPTH, &known);
    kiln_branch_t branch;
    if (!kiln_clones_free(&known) ||
        !kiln_branch_open(&branch, &ir, is_whole_tile(&ir, access), is_load))
        return false;
    MlirOperation tile = copy_to(&branch.then_ir, access->op),
                  edge = copy_to(&branch.else_ir, access->op);
    mlirOperationSetOperand(tile, mask_index(tile), mask);
    if (is_load)
        kiln_branch_yield(&branch, kiln_op_result(tile, 0), kiln_op_result(edge, 0));
    MlirOperation made = kiln_branch_close(&branch, &ir);
    if (is_load)
        kiln_value_replace(kiln_op_result(access->op, 0), kiln_op_result(made, 0));
    kiln_op_erase(access->op);
    return true;
}

kiln_status_t kiln_whole_tiles(const kiln_pass_context_t *context, MlirModule module)
{
    MlirOperation root = mlirModuleGetOperation(module);
    kiln_axis_analysis_t *axis;
    kiln_uniformity_t *uniformity = NULL;
    KILN_TRY(kiln_axis_analysis_create(root, &axis));
    kiln_status_t status = kiln_uniformity_create(module, context->options->num_warps, &uniformity);
    accesses_t accesses = {.axis = axis, .uniformity = uniformity};
    if (!status)
        kiln_walk(root, MlirWalkPreOrder, collect, &accesses);
    kiln_uniformity_destroy(uniformity);
    kiln_axis_analysis_destroy(axis);
    if (status)
        return status;
    for (size_t i = 0; i < accesses.count && !accesses.out_of_memory; i++)
        accesses.out_of_memory = !rewrite(&accesses.all[i]);
    free(accesses.all);
    return accesses.out_of_memory ? kiln_status_out_of_memory() : KILN_OK;
}
