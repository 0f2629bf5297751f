// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tt.print and tt.assert.
//
// tt.print writes a line for each element in the format of Triton's device_print: `pid (x, y, z)
// idx (i, j)<prefix>[(operand n) ]value`; for a prefix alone, `pid (x, y, z)<prefix>`.
//
// Note that an assertion of a tile fails at its first false element; without a mask, all elements
// count.
#include <inttypes.h>
#include <stdio.h>

#include <mlir-c/BuiltinAttributes.h>

#include "base/string.h"
#include "builder/print_format.h"
#include "interp/machine.h"

// Uses a conversion of printf. Unsigned conversions print the bits of the value's own width.
static void append_formatted(kiln_string_t *line, kiln_number_t n, uint64_t bits,
                             const kiln_print_format_t *format)
{
    char text[KILN_PRINT_TEXT];
    const kiln_print_kind_t kind = kiln_print_format_kind(format);
    kiln_print_format_text(format, kind <= KILN_PRINT_UNSIGNED ? "ll" : "", text);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" // checked by kiln_print_format_read
    if (kind == KILN_PRINT_REAL)
        kiln_string_appendf(line, text, kiln_number_decode(n, bits));
    else if (kind == KILN_PRINT_POINTER)
        kiln_string_appendf(line, text, (void *)(uintptr_t)bits);
    else if (kind == KILN_PRINT_SIGNED && n.bits > 1)
        kiln_string_appendf(line, text, (long long)kiln_number_signed(n, bits));
    else
        kiln_string_appendf(line, text, (long long)bits);
#pragma GCC diagnostic pop
}

static void append_value(kiln_string_t *line, kiln_number_t n, uint64_t bits, bool hex,
                         bool is_signed)
{
    if (n.kind == KILN_NUMBER_POINTER)
        kiln_string_appendf(line, "0x%" PRIx64, bits);
    else if (kiln_number_is_float(n))
        kiln_string_appendf(line, hex ? "%a" : "%f", kiln_number_decode(n, bits));
    else if (hex)
        kiln_string_appendf(line, "0x%0*" PRIx64, n.bits < 4 ? 1 : n.bits / 4, bits);
    else if (is_signed && n.bits > 1)
        kiln_string_appendf(line, "%" PRId64, kiln_number_signed(n, bits));
    else
        kiln_string_appendf(line, "%" PRIu64, bits);
}

static void append_index(kiln_string_t *line, const kiln_itype_t *type, size_t index)
{
    size_t below = type->count;
    for (int d = 0; d < type->rank; d++) {
        below /= type->dims[d];
        int width = snprintf(NULL, 0, "%zu", (size_t)type->dims[d] - 1); // aligns columns
        kiln_string_appendf(line, d ? ", %*zu" : "%*zu", width,
                            index / below % (size_t)type->dims[d]);
    }
}

// Skips NUL bytes, which would end the line; compiled code skips them too.
static void append_text(kiln_string_t *line, MlirStringRef text)
{
    for (size_t i = 0; i < text.length; i++)
        if (text.data[i])
            kiln_string_append_char(line, text.data[i]);
}

// One line; `operand` is −1 if there is only one, `tile` is NULL if there is none.
static kiln_status_t print_line(const kiln_iframe_t *frame, const kiln_iop_t *op, int operand,
                                const kiln_itile_t *tile, size_t index, bool hex, bool is_signed,
                                const kiln_print_format_t *format)
{
    const kiln_interp_launch_t *launch = frame->machine->launch;
    const unsigned *id = frame->instance->id;
    MlirStringRef prefix = mlirStringAttrGetValue(kiln_ir_attr(op->mlir, "prefix"));
    kiln_string_t line = {0};
    kiln_string_appendf(&line, "pid (%u, %u, %u)", id[0], id[1], id[2]);
    if (tile) {
        kiln_string_append(&line, " idx (");
        append_index(&line, op->operand_types[operand], index);
        kiln_string_append_char(&line, ')');
    }
    append_text(&line, prefix);
    if (op->operand_count > 1)
        kiln_string_appendf(&line, "(operand %d) ", operand);
    if (tile && kiln_itile_undefined(tile, index))
        kiln_string_append(&line, "undefined");
    else if (tile && format->conversion)
        append_formatted(&line, op->operand_types[operand]->number, tile->bits[index], format);
    else if (tile)
        append_value(&line, op->operand_types[operand]->number, tile->bits[index], hex, is_signed);
    append_text(&line, format->suffix);
    kiln_string_append_char(&line, '\n');
    const bool is_whole = !line.failed;
    if (is_whole && launch->print)
        launch->print(line.data, launch->print_user);
    kiln_string_free(&line);
    return is_whole ? KILN_OK : kiln_status_out_of_memory();
}

kiln_status_t kiln_exec_print(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    bool hex = kiln_ir_int_attr(op->mlir, "hex", 0) != 0;
    kiln_print_format_t format;
    KILN_TRY(kiln_print_format_of(op->mlir, &format));
    if (!op->operand_count)
        KILN_TRY(print_line(frame, op, 0, NULL, 0, hex, true, &format));
    for (int i = 0; i < op->operand_count; i++) {
        const kiln_itile_t *tile = kiln_in(frame, op, i);
        for (size_t e = 0; e < tile->count; e++)
            KILN_TRY(print_line(frame, op, i, tile, e, hex, i >= op->list_count || op->list[i] != 0,
                                &format));
    }
    return KILN_OK;
}

static kiln_status_t fail_assertion(const kiln_iframe_t *frame, const kiln_iop_t *op, size_t index,
                                    MlirStringRef message)
{
    kiln_string_t text = {0};
    append_text(&text, message);
    kiln_status_t status =
        text.failed ? kiln_status_out_of_memory()
                    : kiln_fail_element(frame, op, op->operand_types[0], index,
                                        "assertion '%s' failed", text.data ? text.data : "");
    kiln_string_free(&text);
    return status;
}

kiln_status_t kiln_exec_assert(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    const kiln_itile_t *condition = kiln_in(frame, op, 0);
    const kiln_itype_t *type = op->operand_types[0];
    const char *name = op->kind == KILN_OP_CF_ASSERT ? "msg" : "message";
    MlirStringRef message = mlirStringAttrGetValue(kiln_ir_attr(op->mlir, name));
    for (size_t i = 0; i < condition->count; i++) {
        if (kiln_itile_undefined(condition, i))
            return kiln_fail_undefined(frame, op, type, i, condition->undefined[i],
                                       "the condition of an assertion");
        if (!condition->bits[i])
            return fail_assertion(frame, op, i, message);
    }
    return KILN_OK;
}
