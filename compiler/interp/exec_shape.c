// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creation of tiles and rearrangement of their elements, which are in row-major order.
//
// Note that operations that let the compiler reorder elements (a reshape that allows reordering, a
// concatenation) keep the order here.
#include <string.h>

#include "interp/machine.h"

static void move_element(kiln_itile_t *to, size_t at, const kiln_itile_t *from, size_t index)
{
    to->bits[at] = from->bits[index];
    kiln_itile_set_undefined(to, at, kiln_itile_undefined(from, index));
}

kiln_status_t kiln_exec_constant(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    return kiln_out(frame, op, 0, kiln_itile_copy(frame->machine, op->constant));
}

kiln_status_t kiln_exec_poison(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    const kiln_itype_t *type = op->result_types[0];
    size_t count = type->kind == KILN_ITYPE_BLOCK_POINTER ? 1 + 3 * (size_t)type->rank
                   : type->kind == KILN_ITYPE_DESCRIPTOR  ? 2 + 2 * (size_t)type->rank
                                                          : type->count;
    kiln_itile_t *out = kiln_itile_create(frame->machine, count);
    uint8_t reason = kiln_machine_undefined_reason(frame->machine, op, "ub.poison");
    for (size_t i = 0; out && i < count; i++) {
        out->bits[i] = 0;
        kiln_itile_set_undefined(out, i, reason);
    }
    return kiln_out(frame, op, 0, out);
}

kiln_status_t kiln_exec_make_range(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    kiln_itile_t *out = kiln_itile_create(frame->machine, op->result_types[0]->count);
    for (size_t i = 0; out && i < out->count; i++)
        out->bits[i] = (uint32_t)(op->attribute + (int64_t)i);
    return kiln_out(frame, op, 0, out);
}

kiln_status_t kiln_exec_splat(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    kiln_itile_t *out = kiln_itile_create(frame->machine, op->result_types[0]->count);
    for (size_t i = 0; out && i < out->count; i++)
        out->bits[i] = kiln_in(frame, op, 0)->bits[0];
    if (out)
        kiln_itile_inherit_undefined(out, kiln_in(frame, op, 0));
    return kiln_out(frame, op, 0, out);
}

kiln_status_t kiln_exec_same_elements(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    return kiln_out(frame, op, 0, kiln_itile_retain(frame->slots[op->operands[0]]));
}

// Row-major strides of a shape; dimensions of size 1 get stride 0, which broadcasts them.
static void strides_of(const kiln_itype_t *type, size_t strides[KILN_MAX_RANK])
{
    size_t stride = 1;
    for (int d = type->rank; d-- > 0; stride *= type->dims[d])
        strides[d] = type->dims[d] == 1 ? 0 : stride;
}

// out[i₀, i₁, …] = in[Σ iₖ · strides[k]], for the shape of `type`.
static kiln_status_t walk(kiln_iframe_t *frame, const kiln_iop_t *op, const kiln_itype_t *type,
                          const size_t *strides)
{
    const kiln_itile_t *in = kiln_in(frame, op, 0);
    kiln_itile_t *out = kiln_itile_create(frame->machine, type->count);
    size_t index[KILN_MAX_RANK] = {0}, from = 0;
    for (size_t i = 0; out && i < type->count; i++) {
        move_element(out, i, in, from);
        for (int d = type->rank; d-- > 0;) {
            from += strides[d];
            if (++index[d] < type->dims[d])
                break;
            from -= strides[d] * type->dims[d];
            index[d] = 0;
        }
    }
    return kiln_out(frame, op, 0, out);
}

kiln_status_t kiln_exec_broadcast(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    size_t strides[KILN_MAX_RANK];
    strides_of(op->operand_types[0], strides);
    return walk(frame, op, op->result_types[0], strides);
}

kiln_status_t kiln_exec_trans(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    size_t strides[KILN_MAX_RANK], permuted[KILN_MAX_RANK];
    strides_of(op->operand_types[0], strides);
    for (int d = 0; d < op->list_count && d < KILN_MAX_RANK; d++)
        permuted[d] = strides[op->list[d]];
    return walk(frame, op, op->result_types[0], permuted);
}

kiln_status_t kiln_exec_cat(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    const kiln_itile_t *a = kiln_in(frame, op, 0), *b = kiln_in(frame, op, 1);
    kiln_itile_t *out = kiln_itile_create(frame->machine, a->count + b->count);
    for (size_t i = 0; out && i < a->count; i++)
        move_element(out, i, a, i);
    for (size_t i = 0; out && i < b->count; i++)
        move_element(out, a->count + i, b, i);
    return kiln_out(frame, op, 0, out);
}

kiln_status_t kiln_exec_join(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    const kiln_itile_t *a = kiln_in(frame, op, 0), *b = kiln_in(frame, op, 1);
    kiln_itile_t *out = kiln_itile_create(frame->machine, 2 * a->count);
    for (size_t i = 0; out && i < a->count; i++) {
        move_element(out, 2 * i, a, i);
        move_element(out, 2 * i + 1, b, i);
    }
    return kiln_out(frame, op, 0, out);
}

kiln_status_t kiln_exec_split(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    const kiln_itile_t *in = kiln_in(frame, op, 0);
    kiln_itile_t *halves[2];
    for (size_t h = 0; h < 2; h++) {
        if (!(halves[h] = kiln_itile_create(frame->machine, in->count / 2)))
            return kiln_out(frame, op, 0, NULL);
        for (size_t i = 0; i < in->count / 2; i++)
            move_element(halves[h], i, in, 2 * i + h);
    }
    KILN_TRY(kiln_out(frame, op, 0, halves[0]));
    return kiln_out(frame, op, 1, halves[1]);
}

kiln_status_t kiln_exec_gather(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    const kiln_itile_t *source = kiln_in(frame, op, 0), *indices = kiln_in(frame, op, 1);
    const kiln_itype_t *from = op->operand_types[0], *type = op->operand_types[1];
    int axis = (int)op->attribute;
    kiln_itile_t *out = kiln_itile_create(frame->machine, type->count);
    for (size_t i = 0; out && i < type->count; i++) {
        uint8_t reason = kiln_itile_undefined(indices, i);
        if (reason) {
            out->bits[i] = 0;
            kiln_itile_set_undefined(out, i, reason);
            continue;
        }
        uint64_t chosen = (uint64_t)kiln_number_signed(type->number, indices->bits[i]);
        if (chosen >= from->dims[axis])
            return kiln_fail_element(frame, op, type, i,
                                     "index %lld is out of range of the source's %zu elements",
                                     (long long)chosen, from->dims[axis]);
        size_t at = 0, rest = i, coordinates[KILN_MAX_RANK];
        for (int d = type->rank; d-- > 0; rest /= type->dims[d])
            coordinates[d] = rest % type->dims[d];
        for (int d = 0; d < type->rank; d++)
            at = at * from->dims[d] + (d == axis ? chosen : coordinates[d]);
        move_element(out, i, source, at);
    }
    return kiln_out(frame, op, 0, out);
}

kiln_status_t kiln_exec_histogram(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    const kiln_itile_t *source = kiln_in(frame, op, 0), *mask = kiln_in_segment(frame, op, 1);
    const kiln_itype_t *type = op->operand_types[0];
    kiln_itile_t *out = kiln_itile_create(frame->machine, op->result_types[0]->count);
    if (!out)
        return kiln_out(frame, op, 0, NULL);
    memset(out->bits, 0, out->count * sizeof *out->bits);
    for (size_t i = 0; i < source->count; i++) {
        if (mask && kiln_itile_undefined(mask, i))
            return kiln_fail_undefined(frame, op, type, i, mask->undefined[i],
                                       "the mask of a histogram");
        if (mask && !mask->bits[i])
            continue;
        if (kiln_itile_undefined(source, i))
            return kiln_fail_undefined(frame, op, type, i, source->undefined[i],
                                       "an element of a histogram");
        if (source->bits[i] < out->count) // negative numbers are large ones
            out->bits[source->bits[i]]++;
    }
    for (size_t i = 0; i < out->count; i++)
        out->bits[i] &= kiln_number_mask(op->result_types[0]->number);
    return kiln_out(frame, op, 0, out);
}

static kiln_status_t set_word(kiln_iframe_t *frame, const kiln_iop_t *op, unsigned value)
{
    kiln_itile_t *out = kiln_itile_create(frame->machine, 1);
    if (out)
        out->bits[0] = value;
    return kiln_out(frame, op, 0, out);
}

kiln_status_t kiln_exec_program_id(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    return set_word(frame, op, frame->instance->id[op->attribute % 3]);
}

kiln_status_t kiln_exec_num_programs(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    return set_word(frame, op, frame->machine->launch->grid[op->attribute % 3]);
}
