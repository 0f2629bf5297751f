// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tt.print and tt.assert, executed.
//
// A line for each element, as Triton's device_print has it: `pid (x, y, z) idx (i, j)<prefix>[(operand n) ]value`; of a
// prefix alone, `pid (x, y, z)<prefix>`.
//
// What is easily got wrong: an assertion of a tile fails at its first false element; without a mask, all count.
#include <inttypes.h>
#include <stdio.h>

#include <mlir-c/BuiltinAttributes.h>

#include "base/string.h"
#include "builder/print_format.h"
#include "interp/machine.h"

// By a conversion of printf. What is printed as unsigned has its own width.
static void append_formatted(kiln_string_t *line, kiln_number_t n, uint64_t bits, const kiln_print_format_t *format)
{
    char text[KILN_PRINT_TEXT];
    const kiln_print_kind_t kind = kiln_print_format_kind(format);
    kiln_print_format_text(format, kind <= KILN_PRINT_UNSIGNED ? "ll" : "", text);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" // it was read by kiln_print_format_read
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

static void append_value(kiln_string_t *line, kiln_number_t n, uint64_t bits, bool hex, bool is_signed)
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
        int width = snprintf(NULL, 0, "%zu", (size_t)type->dims[d] - 1); // columns line up
        kiln_string_appendf(line, d ? ", %*zu" : "%*zu", width, index / below % (size_t)type->dims[d]);
    }
}

// One line; `operand` is −1 where there is only one, `tile` NULL where there is none.
static void print_line(const kiln_iframe_t *frame, const kiln_iop_t *op, int operand, const kiln_itile_t *tile,
                       size_t index, bool hex, bool is_signed, const kiln_print_format_t *format)
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
    kiln_string_append_bytes(&line, prefix.data, prefix.length);
    if (op->operand_count > 1)
        kiln_string_appendf(&line, "(operand %d) ", operand);
    if (tile && kiln_itile_flaw(tile, index))
        kiln_string_append(&line, "undefined");
    else if (tile && format->conversion)
        append_formatted(&line, op->operand_types[operand]->number, tile->bits[index], format);
    else if (tile)
        append_value(&line, op->operand_types[operand]->number, tile->bits[index], hex, is_signed);
    kiln_string_appendf(&line, "%.*s\n", (int)format->behind.length, format->behind.data ? format->behind.data : "");
    if (line.data && launch->print)
        launch->print(line.data, launch->print_user);
    kiln_string_free(&line);
}

kiln_status_t kiln_exec_print(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    bool hex = kiln_ir_int_attr(op->mlir, "hex", 0) != 0;
    kiln_print_format_t format;
    KILN_TRY(kiln_print_format_of(op->mlir, &format));
    if (!op->operand_count)
        print_line(frame, op, 0, NULL, 0, hex, true, &format);
    for (int i = 0; i < op->operand_count; i++) {
        const kiln_itile_t *tile = kiln_in(frame, op, i);
        for (size_t e = 0; e < tile->count; e++)
            print_line(frame, op, i, tile, e, hex, i >= op->list_count || op->list[i] != 0, &format);
    }
    return KILN_OK;
}

kiln_status_t kiln_exec_assert(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    const kiln_itile_t *condition = kiln_in(frame, op, 0);
    const kiln_itype_t *type = op->operand_types[0];
    const char *name = op->kind == KILN_OP_CF_ASSERT ? "msg" : "message";
    MlirStringRef message = mlirStringAttrGetValue(kiln_ir_attr(op->mlir, name));
    for (size_t i = 0; i < condition->count; i++) {
        if (kiln_itile_flaw(condition, i))
            return kiln_fail_undefined(frame, op, type, i, condition->flaws[i], "the condition of an assertion");
        if (!condition->bits[i])
            return kiln_fail_element(frame, op, type, i, "assertion '%.*s' failed", (int)message.length, message.data);
    }
    return KILN_OK;
}
