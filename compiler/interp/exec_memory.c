// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores, element by element in row-major order.
//
// Note that a masked-off element without `other` is undefined here, although compiled code makes it
// zero. The program may compute with it, but not store it, branch on it or use it as an address.
#include "interp/block.h"
#include "interp/races.h"

// Whether element i is accessed; an undefined mask is an error.
static kiln_status_t is_active(const kiln_iframe_t *frame, const kiln_iop_t *op,
                               const kiln_itype_t *type, const kiln_itile_t *mask, size_t i,
                               bool *out)
{
    *out = true;
    if (!mask)
        return KILN_OK;
    if (kiln_itile_undefined(mask, i))
        return kiln_fail_undefined(frame, op, type, i, mask->undefined[i], "the mask of an access");
    *out = mask->bits[i] != 0;
    return KILN_OK;
}

static uint64_t from_memory(kiln_number_t number, const unsigned char *host)
{
    return kiln_bytes_read(host, kiln_number_bytes(number)) & kiln_number_mask(number);
}

static void to_memory(kiln_machine_t *machine, kiln_number_t number, unsigned char *host,
                      uint64_t bits)
{
    unsigned bytes = kiln_number_bytes(number);
    if (kiln_bytes_read(host, bytes) == bits)
        return;
    kiln_bytes_write(host, bytes, bits);
    machine->changes++;
}

static kiln_status_t load_window(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    const kiln_itype_t *type = op->result_types[0];
    kiln_iwindow_t window;
    KILN_TRY(kiln_window_of_pointer(frame, op, &window));
    int64_t padding = kiln_ir_int_attr(op->mlir, "padding", 0); // 0: none, 1: zero, 2: NaN
    uint8_t reason = kiln_machine_undefined_reason(
        frame->machine, op, "an out-of-bounds load of a block without padding");
    kiln_itile_t *out = kiln_itile_create(frame->machine, type->count);
    for (size_t i = 0; out && i < type->count; i++) {
        uint64_t address;
        unsigned char *host;
        if (!kiln_window_element(&window, i, &address)) {
            out->bits[i] = kiln_window_padding(type->number, padding == 2);
            kiln_itile_set_undefined(out, i, padding ? 0 : reason);
            continue;
        }
        KILN_TRY(kiln_access(frame, op, type, i, address, window.bytes, "reads", &host));
        KILN_TRY(kiln_race_read(frame, op, type, i, address, window.bytes));
        out->bits[i] = from_memory(type->number, host);
    }
    return kiln_out(frame, op, 0, out);
}

kiln_status_t kiln_exec_load(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    frame->instance->has_read = true;
    if (op->operand_types[0]->kind == KILN_ITYPE_BLOCK_POINTER)
        return load_window(frame, op);
    const kiln_itype_t *type = op->result_types[0];
    const kiln_itile_t *pointers = kiln_in(frame, op, 0), *mask = kiln_in_segment(frame, op, 1),
                       *other = kiln_in_segment(frame, op, 2);
    unsigned bytes = kiln_number_bytes(type->number);
    kiln_itile_t *out = kiln_itile_create(frame->machine, pointers->count);
    for (size_t i = 0; out && i < pointers->count; i++) {
        bool active;
        unsigned char *host;
        KILN_TRY(is_active(frame, op, type, mask, i, &active));
        if (!active) {
            out->bits[i] = other ? other->bits[i] : 0;
            kiln_itile_set_undefined(
                out, i,
                other ? kiln_itile_undefined(other, i)
                      : kiln_machine_undefined_reason(frame->machine, op,
                                                      "a masked-off load without 'other'"));
            continue;
        }
        if (kiln_itile_undefined(pointers, i))
            return kiln_fail_undefined(frame, op, type, i, pointers->undefined[i],
                                       "the address of a load");
        KILN_TRY(kiln_access(frame, op, type, i, pointers->bits[i], bytes, "reads", &host));
        KILN_TRY(kiln_race_read(frame, op, type, i, pointers->bits[i], bytes));
        out->bits[i] = from_memory(type->number, host);
    }
    return kiln_out(frame, op, 0, out);
}

static kiln_status_t store_element(kiln_iframe_t *frame, const kiln_iop_t *op,
                                   const kiln_itype_t *type, const kiln_itile_t *values, size_t i,
                                   uint64_t address)
{
    unsigned char *host;
    if (kiln_itile_undefined(values, i))
        return kiln_fail_undefined(frame, op, type, i, values->undefined[i], "a stored value");
    unsigned bytes = kiln_number_bytes(type->number);
    KILN_TRY(kiln_access(frame, op, type, i, address, bytes, "writes", &host));
    KILN_TRY(kiln_race_write(frame, op, type, i, address, host, bytes, values->bits[i]));
    to_memory(frame->machine, type->number, host, values->bits[i]);
    return KILN_OK;
}

kiln_status_t kiln_exec_store(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    const kiln_itype_t *type = op->operand_types[1];
    const kiln_itile_t *pointers = kiln_in(frame, op, 0), *values = kiln_in(frame, op, 1),
                       *mask = kiln_in_segment(frame, op, 2);
    bool is_window = op->operand_types[0]->kind == KILN_ITYPE_BLOCK_POINTER;
    kiln_iwindow_t window;
    if (is_window)
        KILN_TRY(kiln_window_of_pointer(frame, op, &window));
    for (size_t i = 0; i < values->count; i++) {
        bool active;
        uint64_t address;
        KILN_TRY(is_active(frame, op, type, mask, i, &active));
        if (!active || (is_window && !kiln_window_element(&window, i, &address)))
            continue;
        if (!is_window && kiln_itile_undefined(pointers, i))
            return kiln_fail_undefined(frame, op, type, i, pointers->undefined[i],
                                       "the address of a store");
        KILN_TRY(
            store_element(frame, op, type, values, i, is_window ? address : pointers->bits[i]));
    }
    return KILN_OK;
}
