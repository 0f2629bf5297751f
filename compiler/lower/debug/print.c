// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tt.print and tt.assert: text to the host through ockl's hostcall functions.
//
// Each element is one line, `pid (x, y, z) idx (i, j)<prefix>[(operand n) ]value`, printed by the
// first thread that holds it. A scalar, or a prefix without operands (which has no idx), is printed
// by every thread, as Triton's users expect; if the operation has `kiln.once`, as Tile C's has,
// only by the first thread of the workgroup. A failed assertion writes its place, its message, the
// program and the element to stderr, and then traps: each thread reports its first false element,
// and a wave at most ASSERT_LINES.
//
// Note that a line must be one hostcall transaction, from begin to the call that is marked as the
// last; otherwise lines of different lanes mix.
#include "base/string.h"
#include "builder/print_format.h"
#include "lower/elements/elements.h"
#include "lower/emit.h"
#include "lower/functions/functions.h"
#include "lower/memory/memory.h"
#include "lower/tile.h"

#include <stdio.h>

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

enum { ARGS_IN_CALL = 7, MAX_ARGS = 3 + KILN_MAX_RANK + 1, ASSERT_LINES = 8 /* of a wave */ };

// Text without format conversions.
static void append_verbatim(kiln_string_t *format, MlirStringRef text)
{
    for (size_t i = 0; i < text.length; i++) {
        if (text.data[i] == '%')
            kiln_string_append_char(format, '%');
        if (text.data[i]) // a NUL byte would end the format, and the rest would be lost
            kiln_string_append_char(format, text.data[i]);
    }
}

// A zero-terminated string in constant memory, as a generic pointer.
static LLVMValueRef constant_string(kiln_lowering_t *l, const kiln_string_t *text)
{
    if (text->failed)
        kiln_lower_fail(l, kiln_status_out_of_memory());
    LLVMValueRef bytes =
        LLVMConstStringInContext2(l->context, text->data ? text->data : "", text->length, 0);
    LLVMValueRef global =
        LLVMAddGlobalInAddressSpace(l->module, LLVMTypeOf(bytes), "text", KILN_LLVM_AS_CONSTANT);
    LLVMSetInitializer(global, bytes);
    LLVMSetLinkage(global, LLVMInternalLinkage);
    LLVMSetGlobalConstant(global, 1);
    return LLVMConstAddrSpaceCast(global, LLVMPointerTypeInContext(l->context, 0));
}

static LLVMValueRef begin_message(kiln_lowering_t *l, const char *symbol)
{
    l->features_used |= KILN_FEATURE_HOSTCALL | KILN_FEATURE_IMPLICIT_ARGS | KILN_FEATURE_CALLS;
    LLVMValueRef version = kiln_emit_i64(l, 0);
    bool to_stderr = symbol[7] == 'f';
    return kiln_emit_call(l, symbol, l->i64, &version, to_stderr ? 0 : 1, false);
}

static LLVMValueRef append_string(kiln_lowering_t *l, LLVMValueRef message,
                                  const kiln_string_t *text, bool is_last)
{
    LLVMValueRef args[4] = {message, constant_string(l, text),
                            kiln_emit_i64(l, (int64_t)text->length + 1), kiln_emit_i32(l, is_last)};
    return kiln_emit_call(l, "__ockl_printf_append_string_n", l->i64, args, 4, false);
}

static void append_args(kiln_lowering_t *l, LLVMValueRef message, LLVMValueRef *values, int count)
{
    for (int first = 0; first < count; first += ARGS_IN_CALL) {
        int here = count - first < ARGS_IN_CALL ? count - first : ARGS_IN_CALL;
        LLVMValueRef args[3 + ARGS_IN_CALL] = {message, kiln_emit_i32(l, here)};
        for (int i = 0; i < ARGS_IN_CALL; i++)
            args[2 + i] = i < here ? values[first + i] : kiln_emit_i64(l, 0);
        args[2 + ARGS_IN_CALL] = kiln_emit_i32(l, first + here == count);
        message =
            kiln_emit_call(l, "__ockl_printf_append_args", l->i64, args, 3 + ARGS_IN_CALL, false);
    }
}

// How values are printed: by a printf conversion, or, if that is NULL, as tt.print does.
typedef struct print_how {
    kiln_print_format_t format;
    bool hex, is_signed;
} print_how_t;

// An element's value as printf's 64-bit slot, and the conversion, which `how` has.
static LLVMValueRef formatted_value(kiln_lowering_t *l, LLVMValueRef value, MlirType type,
                                    const print_how_t *how, kiln_string_t *format)
{
    char text[KILN_PRINT_TEXT];
    const kiln_print_kind_t kind = kiln_print_format_kind(&how->format);
    kiln_print_format_text(&how->format, kind <= KILN_PRINT_UNSIGNED ? "ll" : "", text);
    kiln_string_appendf(format, "%s", text);
    append_verbatim(format, how->format.suffix);
    if (kind == KILN_PRINT_POINTER)
        return LLVMBuildPtrToInt(l->builder, value, l->i64, "");
    if (kind <= KILN_PRINT_UNSIGNED)
        return LLVMBuildIntCast2(l->builder, value, l->i64,
                                 kind == KILN_PRINT_SIGNED && mlirIntegerTypeGetWidth(type) > 1,
                                 "");
    LLVMValueRef wide = kiln_lower_widen_float(l, value, type);
    if (LLVMTypeOf(wide) != l->f64)
        wide = LLVMBuildFPExt(l->builder, wide, l->f64, "");
    return LLVMBuildBitCast(l->builder, wide, l->i64, "");
}

// The conversion of one element, and its value as printf's 64-bit slot.
static LLVMValueRef printed_value(kiln_lowering_t *l, LLVMValueRef value, MlirType type,
                                  const print_how_t *how, kiln_string_t *format)
{
    const bool hex = how->hex, is_signed = how->is_signed;
    type = kiln_type_element(type);
    if (how->format.conversion)
        return formatted_value(l, value, type, how, format);
    if (kiln_type_is_ptr(type)) {
        kiln_string_appendf(format, "%%p");
        return LLVMBuildPtrToInt(l->builder, value, l->i64, "");
    }
    if (!mlirTypeIsAInteger(type)) {
        LLVMValueRef wide = kiln_lower_widen_float(l, value, type);
        kiln_string_appendf(format, hex ? "%%a" : "%%f"); // as Triton 3.9
        if (LLVMTypeOf(wide) != l->f64)
            wide = LLVMBuildFPExt(l->builder, wide, l->f64, "");
        return LLVMBuildBitCast(l->builder, wide, l->i64, "");
    }
    unsigned bits = mlirIntegerTypeGetWidth(type);
    if (hex)
        kiln_string_appendf(format, "0x%%0%ullx", bits < 4 ? 1 : bits / 4);
    else
        kiln_string_appendf(format, is_signed && bits > 1 ? "%%lli" : "%%llu");
    return LLVMBuildIntCast2(l->builder, value, l->i64, is_signed && bits > 1 && !hex, "");
}

typedef struct predicated {
    LLVMBasicBlockRef after;
} predicated_t;

static predicated_t begin_if(kiln_lowering_t *l, LLVMValueRef condition, const char *name)
{
    if (!condition)
        return (predicated_t){NULL};
    LLVMBasicBlockRef body = kiln_emit_block(l, name), after = kiln_emit_block(l, "done");
    LLVMBuildCondBr(l->builder, condition, body, after);
    LLVMPositionBuilderAtEnd(l->builder, body);
    return (predicated_t){after};
}

static void end_if(kiln_lowering_t *l, predicated_t predicated)
{
    if (!predicated.after)
        return;
    LLVMBuildBr(l->builder, predicated.after);
    LLVMPositionBuilderAtEnd(l->builder, predicated.after);
}

static LLVMValueRef program_id(kiln_lowering_t *l, int axis)
{
    return LLVMBuildZExt(l->builder, kiln_lower_program_id(l, axis), l->i64, "");
}

// One line for register `reg` of `tile`; a NULL tile prints the prefix alone.
static void print_line(kiln_lowering_t *l, MlirStringRef prefix, kiln_tile_t *tile, uint32_t reg,
                       int operand, const print_how_t *how, const kiln_sum_t *flat)
{
    kiln_string_t format = {0};
    LLVMValueRef values[MAX_ARGS];
    int count = 0;
    kiln_string_appendf(&format,
                        tile ? "pid (%%llu, %%llu, %%llu) idx (" : "pid (%%llu, %%llu, %%llu)");
    for (int d = 0; d < 3; d++)
        values[count++] = program_id(l, d);
    if (tile && tile->layout) {
        LLVMValueRef index = kiln_sum_value(l, flat[reg], l->i32);
        for (int d = 0; d < tile->layout->rank; d++) {
            LLVMValueRef coordinate = LLVMBuildLShr(
                l->builder, index, kiln_emit_i32(l, kiln_layout_shift(tile->layout, d)), "");
            coordinate =
                LLVMBuildAnd(l->builder, coordinate,
                             kiln_emit_i32(l, (INT64_C(1) << tile->layout->log2_shape[d]) - 1), "");
            values[count++] = LLVMBuildZExt(l->builder, coordinate, l->i64, "");
            int width =
                snprintf(NULL, 0, "%u", (1u << tile->layout->log2_shape[d]) - 1); // columns line up
            kiln_string_appendf(&format, d ? ", %%%dllu" : "%%%dllu", width);
        }
    }
    kiln_string_appendf(&format, tile ? ")" : "");
    append_verbatim(&format, prefix);
    if (operand >= 0)
        kiln_string_appendf(&format, "(operand %d) ", operand);
    if (tile)
        values[count++] = printed_value(l, kiln_tile_value(l, tile, reg), tile->type, how, &format);
    kiln_string_appendf(&format, "\n");
    LLVMValueRef message = begin_message(l, "__ockl_printf_begin");
    append_args(l, append_string(l, message, &format, false), values, count);
    kiln_string_free(&format);
}

kiln_status_t kiln_lower_print(kiln_lowering_t *l, MlirOperation op)
{
    MlirStringRef prefix = mlirStringAttrGetValue(kiln_ir_attr(op, "prefix"));
    MlirAttribute signs = kiln_ir_attr(op, "isSigned");
    print_how_t how = {.hex = kiln_ir_int_attr(op, "hex", 0) != 0};
    KILN_TRY(kiln_print_format_of(op, &how.format));
    int operands = (int)mlirOperationGetNumOperands(op);
    bool is_once = !mlirAttributeIsNull(kiln_ir_attr(op, "kiln.once"));
    if (!operands) {
        predicated_t one = begin_if(l, is_once ? kiln_lower_writes(l, NULL) : NULL, "print");
        print_line(l, prefix, NULL, 0, -1, &how, NULL);
        end_if(l, one);
        return KILN_OK;
    }
    for (int i = 0; i < operands; i++) {
        kiln_tile_t *tile = kiln_lower_operand(l, op, i);
        if (!tile)
            return KILN_OK;
        how.is_signed = mlirAttributeIsNull(signs) || i >= mlirDenseArrayGetNumElements(signs) ||
                        mlirDenseI32ArrayGetElement(signs, i) != 0;
        kiln_sum_t *flat = KILN_LOWER_ARRAY(l, kiln_sum_t, tile->count);
        uint32_t copies = tile->layout ? kiln_layout_free_bits(tile->layout, KILN_REGISTER) : 0;
        for (uint32_t r = 0; r < tile->count;
             r++) // before any branch, so that every line may use them
            kiln_tile_value(l, tile, r);
        if (tile->layout)
            kiln_emit_layout_sums(l, tile->layout, 1, flat);
        predicated_t first = begin_if(
            l, tile->layout || is_once ? kiln_lower_writes(l, tile->layout) : NULL, "print");
        for (uint32_t r = 0; r < tile->count; r++)
            if (!(r & copies))
                print_line(l, prefix, tile, r, operands > 1 ? i : -1, &how, flat);
        end_if(l, first);
    }
    return KILN_OK;
}

// The index, from 0, of this lane among the lanes where `condition` holds.
static LLVMValueRef rank_among_lanes(kiln_lowering_t *l, LLVMValueRef condition)
{
    LLVMValueRef lanes = kiln_emit_intrinsic(l, "llvm.amdgcn.ballot", &l->i64, 1, &condition, 1);
    LLVMValueRef args[2] = {LLVMBuildTrunc(l->builder, lanes, l->i32, ""), kiln_emit_i32(l, 0)};
    args[1] = kiln_emit_intrinsic(l, "llvm.amdgcn.mbcnt.lo", NULL, 0, args, 2);
    args[0] = LLVMBuildTrunc(l->builder, LLVMBuildLShr(l->builder, lanes, kiln_emit_i64(l, 32), ""),
                             l->i32, "");
    return kiln_emit_intrinsic(l, "llvm.amdgcn.mbcnt.hi", NULL, 0, args, 2);
}

// The line of a thread's first false element; `index` is NULL for a scalar.
static void print_failure(kiln_lowering_t *l, MlirOperation op, MlirStringRef message,
                          const kiln_layout_t *layout, LLVMValueRef index)
{
    kiln_string_t text = {0};
    LLVMValueRef values[MAX_ARGS];
    int count = 0;
    kiln_status_t place =
        kiln_status_at_op(kiln_status_make(KILN_STATUS_INVALID_INPUT, "assertion"), op);
    if (kiln_status_file(place)) {
        append_verbatim(&text, mlirStringRefCreateFromCString(kiln_status_file(place)));
        kiln_string_appendf(&text, ":%u: ", kiln_status_line(place));
    }
    kiln_status_free(place);
    kiln_string_appendf(&text, "assertion '");
    append_verbatim(&text, message);
    kiln_string_appendf(&text, "' failed in program (%%llu, %%llu, %%llu)");
    for (int d = 0; d < 3; d++)
        values[count++] = program_id(l, d);
    for (int d = 0; index && d < layout->rank; d++) {
        LLVMValueRef coordinate =
            LLVMBuildLShr(l->builder, index, kiln_emit_i32(l, kiln_layout_shift(layout, d)), "");
        coordinate = LLVMBuildAnd(l->builder, coordinate,
                                  kiln_emit_i32(l, (INT64_C(1) << layout->log2_shape[d]) - 1), "");
        values[count++] = LLVMBuildZExt(l->builder, coordinate, l->i64, "");
        kiln_string_appendf(&text, d ? ", %%llu" : ", element (%%llu");
    }
    kiln_string_appendf(&text, index ? ")\n" : "\n");
    LLVMValueRef line = begin_message(l, "__ockl_fprintf_stderr_begin");
    append_args(l, append_string(l, line, &text, false), values, count);
    kiln_string_free(&text);
}

kiln_status_t kiln_lower_assert(kiln_lowering_t *l, MlirOperation op)
{
    kiln_tile_t *condition = kiln_lower_operand(l, op, 0);
    if (!condition)
        return KILN_OK;
    MlirAttribute attribute =
        kiln_ir_attr(op, kiln_op_kind(op) == KILN_OP_CF_ASSERT ? "msg" : "message");
    LLVMValueRef holds = NULL, index = NULL;
    kiln_sum_t *flat = KILN_LOWER_ARRAY(l, kiln_sum_t, condition->count);
    for (uint32_t r = 0; r < condition->count; r++) {
        LLVMValueRef value = kiln_tile_value(l, condition, r);
        holds = holds ? LLVMBuildAnd(l->builder, holds, value, "") : value;
    }
    if (condition->layout)
        kiln_emit_layout_sums(l, condition->layout, 1, flat);
    // Of the threads that hold an element, the first prints.
    LLVMValueRef fails = LLVMBuildNot(l->builder, holds, ""),
                 is_writer = kiln_lower_writes(l, condition->layout);
    if (is_writer)
        fails = LLVMBuildAnd(l->builder, fails, is_writer, "");
    predicated_t failed = begin_if(l, fails, "assert.failed");
    for (uint32_t r = condition->layout ? condition->count : 0; r-- > 0;) {
        LLVMValueRef own = kiln_sum_value(l, flat[r], l->i32);
        index = index
                    ? LLVMBuildSelect(l->builder, kiln_tile_value(l, condition, r), index, own, "")
                    : own;
    }
    LLVMValueRef is_reporting =
        LLVMBuildICmp(l->builder, LLVMIntULT, rank_among_lanes(l, kiln_emit_i1(l, true)),
                      kiln_emit_i32(l, ASSERT_LINES), "");
    predicated_t reporting = begin_if(l, is_reporting, "assert.report");
    print_failure(l, op, mlirStringAttrGetValue(attribute), condition->layout, index);
    end_if(l, reporting);
    kiln_emit_intrinsic(l, "llvm.trap", NULL, 0, NULL, 0);
    end_if(l, failed);
    return KILN_OK;
}
