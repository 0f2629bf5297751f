// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves a tile that reaches beyond its bound back, so that it ends there, and stores only the
// elements that no other tile stores:
//
//   %i = splat(%s) + range(128)              %t = %n - 128 if %n - 128 < %s < %n, else %s
//   %c = %i % splat(%n)                      %i = splat(%t) + range(128)
//   %y = tt.load (%row + %c)           →     %c = %i % splat(%n)
//   %d = tt.dot %x, %y, %acc                 %y = tt.load (%row + %c)
//   tt.store (%out + %i), %d, %i < %n        %d = tt.dot %x, %y, %acc
//                                            tt.store (%out + %i), %d, %i < %n and %i ≥ %s
//
// Without it the tile wraps around. Its elements beyond the bound are computed and not stored, and
// the group of elements in which the bound lies is not consecutive: its elements would have to be
// loaded one by one, which linear_remainders does, and a program with such a tile takes twice as
// long as the others.
//
// Each stored element must be a function of its index and of what does not depend on the position
// in the tile (analysis/tile_index.h), so that it does not matter where in the tile it is computed.
// The elements before %s are not stored; where memory is not accessed by the remainder, they are
// masked.
//
// Pitfall: the moved tile loads elements that the program did not load before, those between the
// tile's start and the remainders that wrapped around. Both are loaded from one row, the first and
// the last element of the row among them, so that what lies between is in the same memory.
#include "analysis/axis/axis_info.h"
#include "analysis/memory/effects.h"
#include "analysis/tile_index.h"
#include "base/array.h"
#include "builder/compare.h"
#include "builder/ir.h"
#include "builder/op_facts.h"
#include "passes/pass.h"
#include "passes/rewrite/tile_ops.h"

#include <stdlib.h>

enum { DEPTH = 12, WIDEST = 16 };

// A tile's index, whose remainder is used.
typedef struct tile {
    MlirOperation function;
    MlirValue start, bound; // scalars; bound: null if constant
    int64_t constant, size;
} tile_t;

typedef struct ops {
    MlirOperation *all;
    size_t count, capacity;
    bool out_of_memory;
} ops_t;

static bool add_op(ops_t *ops, MlirOperation op)
{
    if (!KILN_ARRAY_RESERVE(&ops->all, &ops->capacity, ops->count + 1)) {
        ops->out_of_memory = true;
        return false;
    }
    ops->all[ops->count++] = op;
    return true;
}

// Tiles -------------------------------------------------------------------------------------------

static bool is_argument(MlirValue value)
{
    return mlirValueIsABlockArgument(value) &&
           kiln_op_kind(mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value))) ==
               KILN_OP_TT_FUNC;
}

// The bound must be known where the start is.
static bool find_tile(MlirOperation op, tile_t *out)
{
    MlirOperation sum, part;
    int64_t number;
    const kiln_op_t kind = kiln_op_kind(op);
    *out = (tile_t){.function = op};
    if (kind != KILN_OP_ARITH_REMSI && kind != KILN_OP_ARITH_REMUI)
        return false;
    MlirType type = mlirValueGetType(kiln_op_result(op, 0));
    if (kiln_type_rank(type) != 1 || kiln_type_bits(type) != 32 ||
        kiln_value_op(kiln_op_operand(op, 0), &sum) != KILN_OP_ARITH_ADDI)
        return false;
    for (int i = 0; i < 2; i++)
        if (kiln_value_op(kiln_op_operand(sum, i), &part) == KILN_OP_TT_SPLAT)
            out->start = kiln_op_operand(part, 0);
    if (mlirValueIsNull(out->start) || kiln_ir_constant_int(out->start, &number))
        return false;
    if (!kiln_ir_constant_int(kiln_op_operand(op, 1), &out->constant)) {
        out->bound = kiln_ir_scalar_of(kiln_op_operand(op, 1));
        if (mlirValueIsNull(out->bound) || !is_argument(out->bound))
            return false;
    }
    while (kiln_op_kind(out->function) != KILN_OP_TT_FUNC)
        out->function = kiln_op_parent(out->function);
    out->size = kiln_type_count(type);
    return true;
}

// Whether accesses of whole groups need no test already.
static bool is_even(const kiln_axis_analysis_t *axis, MlirOperation remainder, const tile_t *tile,
                    int64_t group)
{
    return kiln_axis_info(axis, tile->start).divisibility[0] % group == 0 &&
           kiln_axis_info(axis, kiln_op_operand(remainder, 1)).divisibility[0] % group == 0;
}

// Accesses ----------------------------------------------------------------------------------------

typedef struct accesses {
    const tile_t *tile;
    const kiln_tile_index_t *index;
    ops_t masked;  // to be masked
    int64_t group; // elements that the widest access by remainders could move
    bool fails;
} accesses_t;

// Whether the mask is false for indices that are not below the bound.
static bool ends_at_bound(const accesses_t *a, MlirValue mask, int depth)
{
    MlirOperation op;
    const kiln_op_t kind = kiln_value_op(mask, &op);
    if (kind == KILN_OP_ARITH_ANDI && depth > 0)
        return ends_at_bound(a, kiln_op_operand(op, 0), depth - 1) ||
               ends_at_bound(a, kiln_op_operand(op, 1), depth - 1);
    if ((kind == KILN_OP_TT_BROADCAST || kind == KILN_OP_TT_EXPAND_DIMS) && depth > 0)
        return ends_at_bound(a, kiln_op_operand(op, 0), depth - 1);
    if (kind != KILN_OP_ARITH_CMPI)
        return false;
    const kiln_cmpi_t predicate = kiln_cmpi_of(op);
    const bool less = predicate == KILN_CMPI_SLT || predicate == KILN_CMPI_ULT;
    if (!less && predicate != KILN_CMPI_SGT && predicate != KILN_CMPI_UGT)
        return false;
    MlirValue numbers = kiln_op_operand(op, !less);
    const int dim = kiln_dim_of_index(a->index, numbers);
    return dim >= 0 && kiln_variation_of(a->index, numbers, dim) == KILN_IS_INDEX &&
           kiln_is_index_bound(a->index, kiln_op_operand(op, less));
}

static int index_dim(const kiln_tile_index_t *index, MlirOperation op)
{
    int dim = -1;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && dim < 0; i++)
        dim = kiln_dim_of_index(index, mlirOperationGetOperand(op, i));
    return dim;
}

// Whether a load is from a remainder, under a mask that does not depend on the index.
static bool is_by_remainder(const accesses_t *a, MlirOperation op, int dim)
{
    if (kiln_op_kind(op) != KILN_OP_TT_LOAD ||
        kiln_variation_of(a->index, kiln_op_operand(op, 0), dim) != KILN_AT_REMAINDER)
        return false;
    for (intptr_t i = 1; i < mlirOperationGetNumOperands(op); i++)
        if (kiln_dim_of_index(a->index, mlirOperationGetOperand(op, i)) >= 0)
            return false;
    return true;
}

static MlirWalkResult visit_access(MlirOperation op, void *user)
{
    accesses_t *a = user;
    const kiln_op_t kind = kiln_op_kind(op);
    const int dim = index_dim(a->index, op);
    if (dim < 0 || (kind != KILN_OP_TT_LOAD && kind != KILN_OP_TT_STORE))
        return MlirWalkResultAdvance;
    if (is_by_remainder(a, op, dim)) {
        const int bits = kiln_type_bits(mlirValueGetType(kiln_op_result(op, 0)));
        const int64_t group = bits > 8 ? WIDEST * 8 / bits : WIDEST;
        a->group = group > a->group ? group : a->group;
        return MlirWalkResultAdvance;
    }
    MlirValue mask = kiln_mask_of(op);
    a->fails |=
        mlirValueIsNull(mask) || !kiln_type_is_tensor(mlirValueGetType(mask)) ||
        (kind == KILN_OP_TT_STORE && (kiln_dim_of_index(a->index, kiln_op_operand(op, 0)) != dim ||
                                      !ends_at_bound(a, mask, DEPTH)));
    a->fails |= !add_op(&a->masked, op);
    return a->fails ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// Rewriting ---------------------------------------------------------------------------------------

static kiln_ir_t after_value(MlirValue value, MlirLocation loc)
{
    if (mlirValueIsAOpResult(value))
        return kiln_ir_after(mlirOpResultGetOwner(value));
    return kiln_ir_at_start(mlirBlockArgumentGetOwner(value), loc);
}

// Returns where the tile starts. It stays where groups of elements do not contain the bound. Sums
// do not wrap where the bound is at least the size and at most the largest number less the size.
static MlirValue make_start(const kiln_ir_t *ir, const tile_t *tile, int64_t group,
                            bool is_multiple)
{
    MlirType type = mlirValueGetType(tile->start);
    MlirValue bound = mlirValueIsNull(tile->bound) ? kiln_ir_const_int(ir, type, tile->constant)
                                                   : tile->bound,
              last = kiln_ir_binary(ir, KILN_OP_ARITH_SUBI, bound,
                                    kiln_ir_const_int(ir, type, tile->size)),
              low = kiln_ir_binary(ir, KILN_OP_ARITH_ANDI,
                                   kiln_ir_binary(ir, KILN_OP_ARITH_ORI, bound, tile->start),
                                   kiln_ir_const_int(ir, type, group - 1)),
              conditions[] = {
                  kiln_ir_compare(ir, KILN_CMPI_ULE, last,
                                  kiln_ir_const_int(ir, type, INT32_MAX - 2 * tile->size)),
                  kiln_ir_compare(ir, KILN_CMPI_SLT, last, tile->start),
                  kiln_ir_compare(ir, KILN_CMPI_SLT, tile->start, bound),
                  kiln_ir_compare(ir, KILN_CMPI_NE, low, kiln_ir_const_int(ir, type, 0)),
              };
    MlirValue slides = conditions[0];
    for (int i = 1; i < 4; i++)
        slides = kiln_ir_binary(ir, KILN_OP_ARITH_ANDI, slides, conditions[i]);
    // Of consecutive numbers in a tile none wraps, because a start that is a multiple of the size
    // is at most the largest number less the size, plus 1. The minimum proves that to later passes.
    MlirValue start = kiln_tile_select(ir, slides, last, tile->start);
    return is_multiple ? kiln_ir_binary(ir, KILN_OP_ARITH_MINSI, start,
                                        kiln_ir_const_int(ir, type, INT32_MAX - tile->size + 1))
                       : start;
}

typedef struct sums {
    const kiln_tile_index_t *index;
    ops_t found;
} sums_t;

static MlirWalkResult find_sum(MlirOperation op, void *user)
{
    sums_t *sums = user;
    return kiln_makes_index(sums->index, op) && !add_op(&sums->found, op) ? MlirWalkResultInterrupt
                                                                          : MlirWalkResultAdvance;
}

static void move_sum(const tile_t *tile, MlirOperation sum, MlirValue start)
{
    const kiln_ir_t ir = kiln_ir_before(sum);
    for (int i = 0; i < 2; i++) {
        MlirOperation splat;
        if (kiln_value_op(kiln_op_operand(sum, i), &splat) == KILN_OP_TT_SPLAT &&
            mlirValueEqual(kiln_op_operand(splat, 0), tile->start))
            mlirOperationSetOperand(
                sum, i, kiln_tile_splat(&ir, mlirValueGetType(kiln_op_result(sum, 0)), start));
    }
}

// Masks elements before the tile's first start.
static void mask_access(const tile_t *tile, MlirOperation op, int dim, MlirValue start)
{
    const kiln_ir_t ir = kiln_ir_before(op);
    const int at = kiln_op_kind(op) == KILN_OP_TT_LOAD ? 1 : 2;
    MlirValue mask = kiln_mask_of(op);
    MlirType type = mlirValueGetType(mask);
    const int64_t shape[] = {tile->size};
    MlirType row = kiln_type_tensor(1, shape, mlirValueGetType(start), (MlirAttribute){NULL});
    const MlirNamedAttribute ends[] = {
        kiln_ir_named(ir.context, "start", kiln_ir_i32_attr(ir.context, 0)),
        kiln_ir_named(ir.context, "end", kiln_ir_i32_attr(ir.context, tile->size)),
    };
    const kiln_ir_op_t range = {.kind = KILN_OP_TT_MAKE_RANGE,
                                .result_count = 1,
                                .results = &row,
                                .attribute_count = 2,
                                .attributes = ends};
    MlirValue numbers = kiln_ir_binary(&ir, KILN_OP_ARITH_ADDI, kiln_tile_splat(&ir, row, start),
                                       kiln_op_result(kiln_ir_create(&ir, &range), 0)),
              own = kiln_ir_compare(&ir, KILN_CMPI_SGE, numbers,
                                    kiln_tile_splat(&ir, row, tile->start));
    for (int d = 0; d < kiln_type_rank(type); d++)
        if (d != dim)
            own = kiln_tile_expand_dims(&ir, own, d);
    mlirOperationSetOperand(
        op, at, kiln_ir_binary(&ir, KILN_OP_ARITH_ANDI, mask, kiln_tile_broadcast(&ir, type, own)));
}

static kiln_status_t slide(const tile_t *tile, const accesses_t *a, bool is_multiple)
{
    sums_t sums = {.index = a->index};
    const kiln_ir_t ir = after_value(tile->start, mlirOperationGetLocation(tile->function));
    kiln_walk(tile->function, MlirWalkPreOrder, find_sum, &sums);
    if (!sums.found.out_of_memory) {
        MlirValue start = make_start(&ir, tile, a->group, is_multiple);
        for (size_t i = 0; i < a->masked.count; i++)
            mask_access(tile, a->masked.all[i], index_dim(a->index, a->masked.all[i]), start);
        for (size_t i = 0; i < sums.found.count; i++)
            move_sum(tile, sums.found.all[i], start);
    }
    free(sums.found.all);
    return sums.found.out_of_memory ? kiln_status_out_of_memory() : KILN_OK;
}

// The pass ----------------------------------------------------------------------------------------

// Whether the value is the bound less the size, which may have been folded.
static bool is_last_start(const tile_t *tile, MlirValue value)
{
    MlirOperation last;
    int64_t number, size;
    if (kiln_ir_constant_int(value, &number))
        return mlirValueIsNull(tile->bound) && number == tile->constant - tile->size;
    if (kiln_value_op(value, &last) != KILN_OP_ARITH_SUBI ||
        !kiln_ir_constant_int(kiln_op_operand(last, 1), &size) || size != tile->size)
        return false;
    MlirValue bound = kiln_op_operand(last, 0);
    return mlirValueIsNull(tile->bound)
               ? kiln_ir_constant_int(bound, &number) && number == tile->constant
               : mlirValueEqual(bound, tile->bound);
}

// Whether the start is one that this pass chose.
static bool has_slid(const tile_t *tile)
{
    MlirOperation op;
    MlirValue start = tile->start;
    if (kiln_value_op(start, &op) == KILN_OP_ARITH_MINSI)
        start = kiln_op_operand(op, 0);
    return kiln_value_op(start, &op) == KILN_OP_ARITH_SELECT &&
           is_last_start(tile, kiln_op_operand(op, 1));
}

static kiln_status_t visit(MlirOperation root, MlirOperation remainder)
{
    tile_t tile;
    kiln_tile_index_t *index;
    kiln_axis_analysis_t *axis;
    if (!find_tile(remainder, &tile) || has_slid(&tile))
        return KILN_OK;
    KILN_TRY(kiln_tile_index_create(tile.function, tile.start, tile.size, tile.bound, tile.constant,
                                    &index));
    accesses_t accesses = {.tile = &tile, .index = index, .group = 1};
    if (kiln_keeps_indices_apart(index))
        kiln_walk(tile.function, MlirWalkPreOrder, visit_access, &accesses);
    kiln_status_t status = accesses.masked.out_of_memory ? kiln_status_out_of_memory() : KILN_OK;
    if (!status && !accesses.fails && accesses.group > 1 && accesses.masked.count) {
        status = kiln_axis_analysis_create(root, &axis);
        if (!status) {
            const bool even = is_even(axis, remainder, &tile, accesses.group);
            const bool is_multiple =
                kiln_axis_info(axis, tile.start).divisibility[0] % tile.size == 0;
            kiln_axis_analysis_destroy(axis);
            status = even ? KILN_OK : slide(&tile, &accesses, is_multiple);
        }
    }
    free(accesses.masked.all);
    kiln_tile_index_destroy(index);
    return status;
}

static MlirWalkResult collect(MlirOperation op, void *user)
{
    tile_t tile;
    return find_tile(op, &tile) && !add_op(user, op) ? MlirWalkResultInterrupt
                                                     : MlirWalkResultAdvance;
}

kiln_status_t kiln_slide_tiles(const kiln_pass_context_t *context, MlirModule module)
{
    (void)context;
    MlirOperation root = mlirModuleGetOperation(module);
    ops_t remainders = {0};
    kiln_walk(root, MlirWalkPreOrder, collect, &remainders);
    kiln_status_t status = remainders.out_of_memory ? kiln_status_out_of_memory() : KILN_OK;
    for (size_t i = 0; i < remainders.count && !status; i++)
        status = visit(root, remainders.all[i]);
    free(remainders.all);
    return status;
}
