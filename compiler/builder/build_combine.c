// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Building reductions and scans: tt.reduce and tt.scan have a region that combines two elements (of
// each operand), which is built between a begin and an end call.
//
// Note that the region's arguments are first all left elements, then all right ones, not pairs.
#include <stdlib.h>
#include <string.h>

#include "builder/builder_internal.h"

static const kiln_op_t reduce_ops[] = {
#define KILN_REDUCE_ROW(id, op) KILN_OP_##op,
#include "kiln/builder.def"
};

static MlirType type_of(kiln_value_t value)
{
    return mlirValueGetType(kiln_unwrap(value));
}

// The type without one axis; a scalar if no axis is left.
static MlirType without_axis(MlirType tile, int axis)
{
    int64_t shape[KILN_BUILDER_RANK_LIMIT] = {0};
    int rank = kiln_type_rank(tile) - 1;
    for (int i = 0; i < rank; i++)
        shape[i] = kiln_type_dim(tile, i < axis ? i : i + 1);
    return rank ? kiln_type_tensor(rank, shape, kiln_type_element(tile), (MlirAttribute){NULL})
                : kiln_type_element(tile);
}

static bool have_equal_types(kiln_builder_t *builder, const char *what, const kiln_value_t *tiles,
                             size_t count)
{
    MlirType first = type_of(tiles[0]);
    for (size_t i = 1; i < count; i++)
        if (!mlirTypeEqual(kiln_type_with_element(type_of(tiles[i]), kiln_type_element(first)),
                           first)) {
            kiln_builder_fail(builder, "the operands of %s have different shapes", what);
            return false;
        }
    return true;
}

// Begins a reduction or scan; the frame keeps the attributes of the operation.
static void begin(kiln_builder_t *builder, kiln_build_frame_kind_t kind, const kiln_value_t *tiles,
                  size_t count, int axis, bool reverse, kiln_value_t *out_elements)
{
    bool is_scan = kind == KILN_FRAME_SCAN;
    const char *what = kiln_op_name(is_scan ? KILN_OP_TT_SCAN : KILN_OP_TT_REDUCE);
    if (builder->error)
        return;
    if (!count || count > KILN_BUILDER_COMBINE_LIMIT) {
        kiln_builder_fail(builder, "%s takes 1 to %d tiles", what, KILN_BUILDER_COMBINE_LIMIT);
        return;
    }
    if (!kiln_builder_clears(builder, "out_elements", out_elements, 2 * count) ||
        !kiln_builder_accepts(builder, what, tiles, count) ||
        !kiln_builder_has_axis(builder, what, tiles[0], axis) ||
        !have_equal_types(builder, what, tiles, count))
        return;
    kiln_build_frame_t *frame = kiln_builder_push_frame(builder, kind, count);
    if (!frame)
        return;
    frame->results = calloc(count, sizeof *frame->results);
    if (!frame->results) {
        kiln_builder_fail_memory(builder);
        return;
    }
    MlirType elements[2 * KILN_BUILDER_COMBINE_LIMIT];
    for (size_t i = 0; i < count; i++) {
        elements[i] = elements[count + i] = kiln_type_element(type_of(tiles[i]));
        frame->results[i] = is_scan ? type_of(tiles[i]) : without_axis(type_of(tiles[i]), axis);
        frame->operands[i] = kiln_unwrap(tiles[i]);
    }
    frame->operand_count = frame->result_count = (int)count;
    frame->attributes[frame->attribute_count++] =
        kiln_ir_named(builder->context, "axis", kiln_ir_i32_attr(builder->context, axis));
    if (is_scan)
        frame->attributes[frame->attribute_count++] =
            kiln_ir_named(builder->context, "reverse", mlirBoolAttrGet(builder->context, reverse));
    if (!kiln_builder_begin_region(builder, frame, 0, elements, 2 * (int)count))
        return;
    for (size_t i = 0; i < 2 * count; i++)
        out_elements[i] = kiln_wrap(mlirBlockGetArgument(builder->ir.block, (intptr_t)i));
}

static void end(kiln_builder_t *builder, kiln_build_frame_kind_t kind, const kiln_value_t *combined,
                size_t count, kiln_value_t *out_results)
{
    bool is_scan = kind == KILN_FRAME_SCAN;
    const char *what = is_scan ? "the end of a scan" : "the end of a reduction";
    kiln_build_frame_t *frame = kiln_builder_top_frame(builder, kind, what);
    if (!frame || !kiln_builder_requires(builder, "out_results", out_results) ||
        !kiln_builder_accepts(builder, what, combined, count))
        return;
    if ((int)count != frame->operand_count) {
        kiln_builder_fail(builder, "%s returns %zu values for %d tiles", what, count,
                          frame->operand_count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        if (!mlirTypeEqual(type_of(combined[i]),
                           kiln_type_element(mlirValueGetType(frame->operands[i])))) {
            kiln_builder_fail(builder, "value %zu of %s does not have its tile's element type", i,
                              what);
            return;
        }
    kiln_builder_terminate(builder, is_scan ? KILN_OP_TT_SCAN_RETURN : KILN_OP_TT_REDUCE_RETURN,
                           NULL, combined, (int)count);
    kiln_builder_pop_frame(builder, is_scan ? KILN_OP_TT_SCAN : KILN_OP_TT_REDUCE, out_results);
}

void kiln_build_reduce_begin(kiln_builder_t *builder, const kiln_value_t *tiles, size_t count,
                             int axis, kiln_value_t *out_elements)
{
    KILN_BUILD_CALL(builder);
    begin(builder, KILN_FRAME_REDUCE, tiles, count, axis, false, out_elements);
}

void kiln_build_reduce_end(kiln_builder_t *builder, const kiln_value_t *combined, size_t count,
                           kiln_value_t *out_results)
{
    KILN_BUILD_CALL(builder);
    end(builder, KILN_FRAME_REDUCE, combined, count, out_results);
}

void kiln_build_scan_begin(kiln_builder_t *builder, const kiln_value_t *tiles, size_t count,
                           int axis, bool reverse, kiln_value_t *out_elements)
{
    KILN_BUILD_CALL(builder);
    begin(builder, KILN_FRAME_SCAN, tiles, count, axis, reverse, out_elements);
}

void kiln_build_scan_end(kiln_builder_t *builder, const kiln_value_t *combined, size_t count,
                         kiln_value_t *out_results)
{
    KILN_BUILD_CALL(builder);
    end(builder, KILN_FRAME_SCAN, combined, count, out_results);
}

// Each element by itself --------------------------------------------------------------------------

void kiln_build_map_begin(kiln_builder_t *builder, const kiln_value_t *tiles, size_t count,
                          kiln_value_t *out_elements)
{
    KILN_BUILD_CALL(builder);
    if (!count || count > KILN_BUILDER_COMBINE_LIMIT) {
        kiln_builder_fail(builder, "a map takes 1 to %d tiles", KILN_BUILDER_COMBINE_LIMIT);
        return;
    }
    if (!kiln_builder_clears(builder, "out_elements", out_elements, count) ||
        !kiln_builder_requires(builder, "tiles", tiles) ||
        !kiln_builder_accepts(builder, "a map", tiles, count) ||
        !kiln_builder_has_axis(builder, "a map", tiles[0], 0) ||
        !have_equal_types(builder, "a map", tiles, count))
        return;
    MlirType elements[KILN_BUILDER_COMBINE_LIMIT];
    kiln_build_frame_t *frame = kiln_builder_push_frame(builder, KILN_FRAME_MAP, count);
    if (!frame)
        return;
    for (size_t i = 0; i < count; i++) {
        elements[i] = kiln_type_element(type_of(tiles[i]));
        frame->operands[i] = kiln_unwrap(tiles[i]);
    }
    frame->operand_count = (int)count;
    frame->attributes[frame->attribute_count++] =
        kiln_ir_named(builder->context, "pack", kiln_ir_i32_attr(builder->context, 1));
    if (!kiln_builder_begin_region(builder, frame, 0, elements, (int)count))
        return;
    for (size_t i = 0; i < count; i++)
        out_elements[i] = kiln_wrap(mlirBlockGetArgument(builder->ir.block, (intptr_t)i));
}

void kiln_build_map_end(kiln_builder_t *builder, const kiln_value_t *results, size_t count,
                        kiln_value_t *out_tiles)
{
    KILN_BUILD_CALL(builder);
    kiln_build_frame_t *frame = kiln_builder_top_frame(builder, KILN_FRAME_MAP, "the end of a map");
    if (!frame || !kiln_builder_requires(builder, "results", results) ||
        !kiln_builder_requires(builder, "out_tiles", out_tiles) ||
        !kiln_builder_accepts(builder, "the end of a map", results, count))
        return;
    if (!count || count > KILN_BUILDER_COMBINE_LIMIT) {
        kiln_builder_fail(builder, "a map must return 1 to %d results", KILN_BUILDER_COMBINE_LIMIT);
        return;
    }
    frame->results = calloc(count, sizeof *frame->results);
    if (!frame->results) {
        kiln_builder_fail_memory(builder);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (kiln_type_rank(type_of(results[i]))) {
            kiln_builder_fail(builder, "result %zu of a map must be a scalar, not a tile", i);
            return;
        }
        frame->results[i] =
            kiln_type_with_element(mlirValueGetType(frame->operands[0]), type_of(results[i]));
    }
    frame->result_count = (int)count;
    kiln_builder_terminate(builder, KILN_OP_TT_MAP_ELEMENTWISE_RETURN, NULL, results, (int)count);
    kiln_builder_pop_frame(builder, KILN_OP_TT_MAP_ELEMENTWISE, out_tiles);
}

// One tile and one operation ----------------------------------------------------------------------

static kiln_value_t build_combine(kiln_builder_t *builder, kiln_build_frame_kind_t kind,
                                  kiln_reduce_t op, kiln_value_t tile, int axis)
{
    kiln_value_t elements[2], combined, result = {NULL};
    if ((unsigned)op >= KILN_REDUCE_COUNT)
        return kiln_builder_fail(builder, "invalid reduction %d", (int)op);
    begin(builder, kind, &tile, 1, axis, false, elements);
    if (builder->error)
        return result;
    combined = kiln_wrap(kiln_ir_binary(&builder->ir, reduce_ops[op], kiln_unwrap(elements[0]),
                                        kiln_unwrap(elements[1])));
    end(builder, kind, &combined, 1, &result);
    return result;
}

kiln_value_t kiln_build_reduce(kiln_builder_t *builder, kiln_reduce_t op, kiln_value_t tile,
                               int axis)
{
    KILN_BUILD_VALUE(builder);
    return build_combine(builder, KILN_FRAME_REDUCE, op, tile, axis);
}

kiln_value_t kiln_build_scan(kiln_builder_t *builder, kiln_reduce_t op, kiln_value_t tile, int axis)
{
    KILN_BUILD_VALUE(builder);
    return build_combine(builder, KILN_FRAME_SCAN, op, tile, axis);
}

// The best element and its index ------------------------------------------------------------------

// The numbers 0, 1, … along one axis, in the shape of a tile.
static kiln_value_t build_indices(kiln_builder_t *builder, MlirType tile, int axis)
{
    int rank = kiln_type_rank(tile);
    int64_t shape[KILN_BUILDER_RANK_LIMIT] = {0};
    kiln_value_t indices = kiln_build_range(builder, 0, kiln_type_dim(tile, axis));
    for (int i = 0; i < rank; i++) {
        shape[i] = kiln_type_dim(tile, i);
        if (i != axis)
            indices = kiln_build_expand_dims(builder, indices, i);
    }
    return kiln_build_broadcast(builder, indices, rank, shape);
}

void kiln_build_best(kiln_builder_t *builder, kiln_compare_t better, bool any_of_equals,
                     kiln_value_t tile, int axis, kiln_value_t *out_element,
                     kiln_value_t *out_index)
{
    KILN_BUILD_CALL(builder);
    if (!kiln_builder_clears(builder, "out_element", out_element, 1) ||
        !kiln_builder_clears(builder, "out_index", out_index, 1) ||
        !kiln_builder_accepts(builder, "arg_reduce", &tile, 1) ||
        !kiln_builder_has_axis(builder, "arg_reduce", tile, axis))
        return;
    bool is_float = mlirTypeIsAFloat(kiln_type_element(type_of(tile)));
    kiln_value_t tiles[2] = {tile, build_indices(builder, type_of(tile), axis)}, a[4], combined[2],
                 results[2] = {{NULL}};
    kiln_build_reduce_begin(builder, tiles, 2, axis, a);
    if (builder->error)
        return;
    kiln_value_t wins = kiln_build_compare(builder, better, a[0], a[2]);
    if (!any_of_equals) {
        kiln_value_t ties =
            kiln_build_compare(builder, is_float ? KILN_COMPARE_OEQ : KILN_COMPARE_EQ, a[0], a[2]);
        kiln_value_t earlier = kiln_build_compare(builder, KILN_COMPARE_SLT, a[1], a[3]);
        ties = kiln_build_binary(builder, KILN_BINARY_ANDI, ties, earlier);
        wins = kiln_build_binary(builder, KILN_BINARY_ORI, wins, ties);
    }
    combined[0] = kiln_build_select(builder, wins, a[0], a[2]);
    combined[1] = kiln_build_select(builder, wins, a[1], a[3]);
    kiln_build_reduce_end(builder, combined, 2, results);
    *out_element = results[0];
    *out_index = results[1];
}

kiln_value_t kiln_build_arg_reduce(kiln_builder_t *builder, kiln_compare_t better,
                                   kiln_value_t tile, int axis)
{
    KILN_BUILD_VALUE(builder);
    kiln_value_t element, index;
    kiln_build_best(builder, better, false, tile, axis, &element, &index);
    return index;
}
