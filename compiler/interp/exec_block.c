// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Block pointers and descriptors as tuples: base, sizes, strides, and offsets or padding.
//
// Note that a block pointer's sizes are i64 and its offsets i32, a descriptor's sizes are i32; all
// are signed.
#include <math.h>

#include "interp/block.h"
#include "interp/races.h"

// Reads `count` numbers of the tile, beginning at `first`.
static void read_numbers(const kiln_itile_t *tile, size_t first, int count, int64_t *out)
{
    for (int i = 0; i < count; i++)
        out[i] = (int64_t)tile->bits[first + (size_t)i];
}

kiln_status_t kiln_exec_make_block(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    const kiln_itype_t *type = op->result_types[0];
    bool is_descriptor = type->kind == KILN_ITYPE_DESCRIPTOR;
    size_t count = (size_t)op->operand_count + is_descriptor;
    kiln_itile_t *out = kiln_itile_create(frame->machine, count);
    for (int i = 0; out && i < op->operand_count; i++) {
        const kiln_itile_t *value = kiln_in(frame, op, i);
        out->bits[i] =
            i ? (uint64_t)kiln_number_signed(op->operand_types[i]->number, value->bits[0])
              : value->bits[0];
        kiln_itile_set_undefined(out, (size_t)i, kiln_itile_undefined(value, 0));
    }
    if (out && is_descriptor)
        out->bits[count - 1] = op->attribute == 2;
    return kiln_out(frame, op, 0, out);
}

kiln_status_t kiln_exec_advance(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    size_t rank = (size_t)op->result_types[0]->rank;
    kiln_itile_t *out = kiln_itile_copy(frame->machine, kiln_in(frame, op, 0));
    for (size_t d = 0; out && d < rank; d++) {
        const kiln_itile_t *step = kiln_in(frame, op, 1 + (int)d);
        uint64_t *offset = &out->bits[1 + 2 * rank + d];
        *offset += (uint64_t)kiln_number_signed(op->operand_types[1 + d]->number,
                                                step->bits[0]); // in 64 bits
        if (kiln_itile_undefined(step, 0))
            kiln_itile_set_undefined(out, 1 + 2 * rank + d, kiln_itile_undefined(step, 0));
    }
    return kiln_out(frame, op, 0, out);
}

static kiln_status_t require_defined(const kiln_iframe_t *frame, const kiln_iop_t *op,
                                     const kiln_itile_t *tile, const char *what)
{
    for (size_t i = 0; tile->undefined && i < tile->count; i++)
        if (tile->undefined[i])
            return kiln_fail_undefined(frame, op, NULL, 0, tile->undefined[i], what);
    return KILN_OK;
}

kiln_status_t kiln_window_of_pointer(kiln_iframe_t *frame, const kiln_iop_t *op,
                                     kiln_iwindow_t *out)
{
    const kiln_itype_t *type = op->operand_types[0];
    const kiln_itile_t *pointer = kiln_in(frame, op, 0);
    size_t rank = (size_t)type->rank;
    KILN_TRY(require_defined(frame, op, pointer, "a block pointer"));
    *out = (kiln_iwindow_t){.rank = type->rank,
                            .dims = type->dims,
                            .base = pointer->bits[0],
                            .bytes = kiln_number_bytes(type->number)};
    read_numbers(pointer, 1, type->rank, out->sizes);
    read_numbers(pointer, 1 + rank, type->rank, out->strides);
    read_numbers(pointer, 1 + 2 * rank, type->rank, out->offsets);
    for (int i = 0; i < op->list_count; i++)
        if (op->list[i] >= 0 && op->list[i] < type->rank)
            out->checked[op->list[i]] = true;
    return KILN_OK;
}

// The window of a descriptor's access: indices start at operand `first`.
static kiln_status_t window_of_descriptor(kiln_iframe_t *frame, const kiln_iop_t *op, int first,
                                          bool has_rows, kiln_iwindow_t *out, bool *out_nan)
{
    const kiln_itype_t *type = op->operand_types[0];
    const kiln_itile_t *descriptor = kiln_in(frame, op, 0);
    KILN_TRY(require_defined(frame, op, descriptor, "a descriptor"));
    *out = (kiln_iwindow_t){.rank = type->rank,
                            .dims = type->dims,
                            .base = descriptor->bits[0],
                            .bytes = kiln_number_bytes(type->number)};
    read_numbers(descriptor, 1, type->rank, out->sizes);
    read_numbers(descriptor, 1 + (size_t)type->rank, type->rank, out->strides);
    *out_nan = descriptor->bits[descriptor->count - 1] != 0;
    for (int d = 0; d < type->rank; d++) {
        out->checked[d] = true;
        if (d == 0 && has_rows) {
            out->rows = kiln_in(frame, op, first);
            KILN_TRY(require_defined(frame, op, out->rows, "a row index"));
        } else {
            KILN_TRY(kiln_scalar(frame, op, first + d, "the offset of a descriptor access",
                                 &out->offsets[d]));
        }
    }
    return KILN_OK;
}

bool kiln_window_element(const kiln_iwindow_t *window, size_t index, uint64_t *out_address)
{
    bool inside = true;
    int64_t elements = 0;
    size_t rest = index;
    for (int d = window->rank; d-- > 0;) {
        size_t dim = d == 0 ? SIZE_MAX : window->dims[d], coordinate = rest % dim;
        rest /= dim;
        int64_t at = d == 0 && window->rows ? (int64_t)(int32_t)window->rows->bits[coordinate]
                                            : window->offsets[d] + (int64_t)coordinate;
        inside &= !window->checked[d] || (at >= 0 && at < window->sizes[d]);
        elements += (int64_t)((uint64_t)at * (uint64_t)window->strides[d]);
    }
    *out_address = window->base + (uint64_t)elements * window->bytes;
    return inside;
}

uint64_t kiln_window_padding(kiln_number_t number, bool is_nan)
{
    return is_nan && kiln_number_is_float(number) ? kiln_number_encode(number, (double)NAN) : 0;
}

kiln_status_t kiln_exec_descriptor_load(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    const kiln_itype_t *type = op->result_types[0];
    kiln_iwindow_t window;
    bool is_nan;
    frame->instance->has_read = true;
    KILN_TRY(window_of_descriptor(frame, op, 1, op->kind == KILN_OP_TT_DESCRIPTOR_GATHER, &window,
                                  &is_nan));
    kiln_itile_t *out = kiln_itile_create(frame->machine, type->count);
    for (size_t i = 0; out && i < type->count; i++) {
        uint64_t address;
        unsigned char *host;
        if (!kiln_window_element(&window, i, &address)) {
            out->bits[i] = kiln_window_padding(type->number, is_nan);
            continue;
        }
        KILN_TRY(kiln_access(frame, op, type, i, address, window.bytes, "reads", &host));
        KILN_TRY(kiln_race_read(frame, op, type, i, address, window.bytes));
        out->bits[i] = kiln_bytes_read(host, window.bytes) & kiln_number_mask(type->number);
    }
    return kiln_out(frame, op, 0, out);
}

// The new value of an element under tt.descriptor_reduce. Its kinds: add, min, max, inc, dec, and,
// or, xor.
static uint64_t reduce_element(const kiln_itype_t *descriptor, int64_t kind, uint64_t old,
                               uint64_t value)
{
    static const int64_t as_signed[] = {0, 4, 7, 6, 11, 12, 1, 2, 3},
                         as_unsigned[] = {0, 4, 9, 8, 11, 12, 1, 2, 3};
    return kiln_atomic_apply(
        (descriptor->is_unsigned ? as_unsigned : as_signed)[kind < 0 || kind > 8 ? 0 : kind],
        descriptor->number, old, value);
}

// Stores, reductions and scatters. The stored operand follows the descriptor in tt.descriptor_store
// and _reduce and is the last one in _scatter.
kiln_status_t kiln_exec_descriptor_store(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    bool scatters = op->kind == KILN_OP_TT_DESCRIPTOR_SCATTER;
    int source = scatters ? op->operand_count - 1 : 1;
    const kiln_itype_t *type = op->operand_types[source];
    const kiln_itile_t *values = kiln_in(frame, op, source);
    kiln_iwindow_t window;
    bool is_nan;
    KILN_TRY(window_of_descriptor(frame, op, scatters ? 1 : 2, scatters, &window, &is_nan));
    for (size_t i = 0; i < values->count; i++) {
        uint64_t address, value = values->bits[i];
        unsigned char *host;
        if (!kiln_window_element(&window, i, &address))
            continue;
        if (kiln_itile_undefined(values, i))
            return kiln_fail_undefined(frame, op, type, i, values->undefined[i], "a stored value");
        KILN_TRY(kiln_access(frame, op, type, i, address, window.bytes, "writes", &host));
        uint64_t old = kiln_bytes_read(host, window.bytes);
        if (op->kind == KILN_OP_TT_DESCRIPTOR_REDUCE)
            value = reduce_element(op->operand_types[0], op->attribute, old, value);
        if (op->kind == KILN_OP_TT_DESCRIPTOR_REDUCE)
            KILN_TRY(
                kiln_race_atomic(frame, op, type, i, address, window.bytes, KILN_ATOMIC_UPDATES));
        else
            KILN_TRY(kiln_race_write(frame, op, type, i, address, host, window.bytes, value));
        frame->machine->changes += old != value;
        kiln_bytes_write(host, window.bytes, value);
    }
    return KILN_OK;
}
