// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations with a region of scalars: reductions, scans, and scalar code on each element.
//
// A region of element-wise operations is executed once for many elements, others for each element.
// Reductions combine neighbours pairwise, in order, until one is left; scans combine from one end
// to the other.
//
// Note that the constants of a region that is executed for many elements are tiles of one element,
// and that it may return one of them.
#include <stdlib.h>
#include <string.h>

#include "interp/machine.h"

enum { MAX_VALUES = 32 };

// `count` elements of each of `operands` values.
typedef struct tuple {
    kiln_itile_t *tiles[MAX_VALUES];
    int operands;
} tuple_t;

static void release(kiln_iframe_t *frame, tuple_t *t)
{
    for (int i = 0; i < t->operands; i++)
        kiln_itile_release(frame->machine, t->tiles[i]);
}

// Elements base + i·stride of each tile, in blocks: `outer` blocks of `inner` neighbours.
static kiln_status_t slice(kiln_iframe_t *frame, const tuple_t *from, size_t first, size_t outer,
                           size_t outer_stride, size_t inner, tuple_t *out)
{
    out->operands = from->operands;
    for (int v = 0; v < from->operands; v++) {
        kiln_itile_t *tile = out->tiles[v] = kiln_itile_create(frame->machine, outer * inner);
        if (!tile)
            return kiln_status_out_of_memory();
        for (size_t o = 0; o < outer; o++) {
            memcpy(tile->bits + o * inner, from->tiles[v]->bits + first + o * outer_stride,
                   inner * sizeof *tile->bits);
            for (size_t i = 0; from->tiles[v]->undefined && i < inner; i++)
                kiln_itile_set_undefined(tile, o * inner + i,
                                         from->tiles[v]->undefined[first + o * outer_stride + i]);
        }
    }
    return KILN_OK;
}

// The tile itself, or its single element repeated `count` times.
static kiln_itile_t *stretched(kiln_iframe_t *frame, kiln_itile_t *tile, size_t count)
{
    if (tile->count == count)
        return kiln_itile_retain(tile);
    kiln_itile_t *out = kiln_itile_create(frame->machine, count);
    for (size_t i = 0; out && i < count; i++)
        out->bits[i] = tile->bits[0];
    if (out)
        kiln_itile_inherit_undefined(out, tile);
    return out;
}

// Executes the region once on the `inputs` tiles, whose references it takes over.
static kiln_status_t run_once(kiln_iframe_t *frame, const kiln_iregion_t *region,
                              kiln_itile_t *const *inputs, int input_count, size_t count,
                              tuple_t *out)
{
    const kiln_iblock_t *entry = &region->blocks[0];
    for (int i = 0; i < input_count; i++)
        kiln_set(frame, entry->arguments[i], inputs[i]);
    const kiln_iop_t *end;
    KILN_TRY(kiln_run_region(frame, region, &end));
    for (int i = 0; i < end->operand_count && i < MAX_VALUES; i++)
        if (!(out->tiles[i] = stretched(frame, frame->slots[end->operands[i]], count)))
            return kiln_status_out_of_memory();
    return KILN_OK;
}

static kiln_status_t run_each(kiln_iframe_t *frame, const kiln_iregion_t *region,
                              kiln_itile_t *const *inputs, int input_count, size_t count,
                              tuple_t *out)
{
    for (int v = 0; v < out->operands; v++)
        if (!(out->tiles[v] = kiln_itile_create(frame->machine, count)))
            return kiln_status_out_of_memory();
    for (size_t i = 0; i < count; i++) {
        kiln_itile_t *scalars[2 * MAX_VALUES];
        tuple_t results = {.operands = out->operands};
        for (int v = 0; v < input_count; v++) {
            if (!(scalars[v] = kiln_itile_create(frame->machine, 1)))
                return kiln_status_out_of_memory();
            scalars[v]->bits[0] = inputs[v]->bits[i];
            kiln_itile_set_undefined(scalars[v], 0, kiln_itile_undefined(inputs[v], i));
        }
        KILN_TRY(run_once(frame, region, scalars, input_count, 1, &results));
        for (int v = 0; v < out->operands; v++) {
            out->tiles[v]->bits[i] = results.tiles[v]->bits[0];
            kiln_itile_set_undefined(out->tiles[v], i, kiln_itile_undefined(results.tiles[v], 0));
        }
        release(frame, &results);
    }
    for (int v = 0; v < input_count; v++)
        kiln_itile_release(frame->machine, inputs[v]);
    return KILN_OK;
}

static kiln_status_t run_region(kiln_iframe_t *frame, const kiln_iregion_t *region,
                                kiln_itile_t *const *inputs, int input_count, size_t count,
                                tuple_t *out)
{
    return (region->is_elementwise ? run_once : run_each)(frame, region, inputs, input_count, count,
                                                          out);
}

// region(a, b), element by element; takes over the references to both.
static kiln_status_t combine(kiln_iframe_t *frame, const kiln_iregion_t *region, tuple_t *a,
                             tuple_t *b, tuple_t *out)
{
    kiln_itile_t *inputs[2 * MAX_VALUES];
    out->operands = a->operands;
    for (int v = 0; v < a->operands; v++) {
        inputs[v] = a->tiles[v];
        inputs[a->operands + v] = b->tiles[v];
    }
    return run_region(frame, region, inputs, 2 * a->operands, a->tiles[0]->count, out);
}

// The operation's tensors as outer × axis × inner elements.
typedef struct axis {
    size_t outer, length, inner;
} axis_t;

static kiln_status_t begin(kiln_iframe_t *frame, const kiln_iop_t *op, axis_t *axis, tuple_t *tuple)
{
    const kiln_itype_t *type = op->operand_types[0];
    if (op->operand_count > MAX_VALUES)
        return kiln_fail(frame, op, KILN_STATUS_UNSUPPORTED, "more than %d operands", MAX_VALUES);
    *axis = (axis_t){1, type->dims[op->attribute], 1};
    for (int d = 0; d < type->rank; d++)
        if (d < op->attribute)
            axis->outer *= type->dims[d];
        else if (d > op->attribute)
            axis->inner *= type->dims[d];
    tuple->operands = op->operand_count;
    for (int v = 0; v < op->operand_count; v++)
        tuple->tiles[v] = kiln_itile_retain(frame->slots[op->operands[v]]);
    return KILN_OK;
}

kiln_status_t kiln_exec_reduce(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    axis_t axis;
    tuple_t values, left, right;
    KILN_TRY(begin(frame, op, &axis, &values));
    // Pairs (2i, 2i + 1) along the axis are blocks of `inner` elements side by side.
    for (; axis.length > 1; axis.length /= 2) {
        size_t pairs = axis.outer * axis.length / 2;
        KILN_TRY(slice(frame, &values, 0, pairs, 2 * axis.inner, axis.inner, &left));
        KILN_TRY(slice(frame, &values, axis.inner, pairs, 2 * axis.inner, axis.inner, &right));
        release(frame, &values);
        KILN_TRY(combine(frame, &op->regions[0], &left, &right, &values));
    }
    for (int v = 0; v < op->operand_count; v++)
        KILN_TRY(kiln_out(frame, op, v, values.tiles[v]));
    return KILN_OK;
}

kiln_status_t kiln_exec_scan(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    axis_t axis;
    tuple_t values, running = {.operands = 0}, next, results = {.operands = op->operand_count};
    bool reverse = kiln_ir_int_attr(op->mlir, "reverse", 0) != 0;
    KILN_TRY(begin(frame, op, &axis, &values));
    for (int v = 0; v < op->operand_count; v++)
        if (!(results.tiles[v] = kiln_itile_copy(frame->machine, values.tiles[v])))
            return kiln_status_out_of_memory();
    size_t stride = axis.length * axis.inner;
    for (size_t n = 0; n < axis.length; n++) {
        size_t first = (reverse ? axis.length - 1 - n : n) * axis.inner;
        KILN_TRY(slice(frame, &values, first, axis.outer, stride, axis.inner, &next));
        if (n == 0) {
            running = next;
            continue;
        }
        tuple_t sum;
        KILN_TRY(combine(frame, &op->regions[0], &running, &next, &sum));
        running = sum;
        for (int v = 0; v < op->operand_count; v++)
            for (size_t o = 0; o < axis.outer; o++)
                for (size_t i = 0; i < axis.inner; i++) {
                    size_t at = first + o * stride + i;
                    results.tiles[v]->bits[at] = sum.tiles[v]->bits[o * axis.inner + i];
                    if (results.tiles[v]->undefined)
                        results.tiles[v]->undefined[at] = 0;
                    kiln_itile_set_undefined(
                        results.tiles[v], at,
                        kiln_itile_undefined(sum.tiles[v], o * axis.inner + i));
                }
    }
    release(frame, &running);
    release(frame, &values);
    for (int v = 0; v < op->operand_count; v++)
        KILN_TRY(kiln_out(frame, op, v, results.tiles[v]));
    return KILN_OK;
}

// A pack is `pack` neighbours of the last dimension; the region gets them operand by operand. A
// tile smaller than a pack repeats its last element.
kiln_status_t kiln_exec_map_elementwise(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    size_t pack = (size_t)op->attribute, elements = op->operand_types[0]->count,
           count = (elements + pack - 1) / pack;
    int inputs_needed = op->operand_count * (int)pack, results_made = op->result_count * (int)pack;
    if (inputs_needed > MAX_VALUES || results_made > MAX_VALUES)
        return kiln_fail(frame, op, KILN_STATUS_UNSUPPORTED, "more than %d scalars in a region",
                         MAX_VALUES);
    kiln_itile_t *inputs[MAX_VALUES];
    for (int v = 0; v < op->operand_count; v++)
        for (size_t e = 0; e < pack; e++) {
            const kiln_itile_t *tile = kiln_in(frame, op, v);
            kiln_itile_t *part = inputs[v * (int)pack + (int)e] =
                kiln_itile_create(frame->machine, count);
            if (!part)
                return kiln_status_out_of_memory();
            for (size_t i = 0; i < count; i++) {
                size_t at = i * pack + e < elements ? i * pack + e : elements - 1;
                part->bits[i] = tile->bits[at];
                kiln_itile_set_undefined(part, i, kiln_itile_undefined(tile, at));
            }
        }
    tuple_t parts = {.operands = results_made};
    KILN_TRY(run_region(frame, &op->regions[0], inputs, inputs_needed, count, &parts));
    for (int v = 0; v < op->result_count; v++) {
        kiln_itile_t *out = kiln_itile_create(frame->machine, elements);
        for (size_t i = 0; out && i < elements; i++) {
            const kiln_itile_t *part = parts.tiles[v * (int)pack + (int)(i % pack)];
            out->bits[i] = part->bits[i / pack];
            kiln_itile_set_undefined(out, i, kiln_itile_undefined(part, i / pack));
        }
        KILN_TRY(kiln_out(frame, op, v, out));
    }
    release(frame, &parts);
    return KILN_OK;
}
