// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads formats, checks them against types, and writes them. Note that text in IR may contain
// anything, so it must be checked before it is passed to a printf.
#include "builder/print_format.h"

#include <stdio.h>
#include <string.h>

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

#include "base/number.h"
#include "builder/ir.h"

// Reads up to two digits; −1 if there are more.
static int read_number(const char *text, size_t length, size_t *at)
{
    int number = 0;
    size_t begin = *at;
    for (; *at < length && kiln_is_digit(text[*at]); ++*at)
        number = *at - begin < 2 ? number * 10 + text[*at] - '0' : -1;
    return *at - begin > 2 ? -1 : number;
}

size_t kiln_print_format_read(const char *text, size_t length, kiln_print_format_t *out)
{
    size_t at = 0, flags = 0;
    *out = (kiln_print_format_t){.width = -1, .precision = -1};
    for (; at < length && text[at] && strchr("-+ #0", text[at]); at++)
        if (!memchr(out->flags, text[at], flags))
            out->flags[flags++] = text[at];
    if (at < length && kiln_is_digit(text[at]) && (out->width = read_number(text, length, &at)) < 0)
        return 0;
    if (at < length && text[at] == '.') {
        at++;
        if ((out->precision = read_number(text, length, &at)) < 0)
            return 0;
    }
    while (at < length && text[at] && strchr("hlLzjt", text[at]))
        at++;
    if (at == length || !text[at] || !strchr(KILN_PRINT_CONVERSIONS, text[at]))
        return 0;
    if (text[at] == 'p' && (out->precision >= 0 || out->flags[strspn(out->flags, "-")]))
        return 0;
    out->conversion = text[at];
    return at + 1;
}

kiln_print_kind_t kiln_print_format_kind(const kiln_print_format_t *format)
{
    return strchr("di", format->conversion)     ? KILN_PRINT_SIGNED
           : strchr("ouxX", format->conversion) ? KILN_PRINT_UNSIGNED
           : format->conversion == 'p'          ? KILN_PRINT_POINTER
                                                : KILN_PRINT_REAL;
}

void kiln_print_format_text(const kiln_print_format_t *format, const char *modifier,
                            char out[KILN_PRINT_TEXT])
{
    char width[12] = "", precision[12] = "";
    if (format->width >= 0)
        snprintf(width, sizeof width, "%d", format->width);
    if (format->precision >= 0)
        snprintf(precision, sizeof precision, ".%d", format->precision);
    snprintf(out, KILN_PRINT_TEXT, "%%%s%s%s%s%c", format->flags, width, precision, modifier,
             format->conversion);
}

static bool fits(const kiln_print_format_t *format, MlirType type)
{
    const kiln_print_kind_t kind = kiln_print_format_kind(format);
    type = kiln_type_element(type);
    if (kiln_type_is_ptr(type))
        return kind == KILN_PRINT_POINTER;
    return mlirTypeIsAInteger(type) ? kind <= KILN_PRINT_UNSIGNED : kind == KILN_PRINT_REAL;
}

kiln_status_t kiln_print_format_of(MlirOperation print, kiln_print_format_t *out)
{
    *out = (kiln_print_format_t){.width = -1, .precision = -1};
    MlirAttribute attribute = mlirOperationGetAttributeByName(
        print, mlirStringRefCreateFromCString(KILN_PRINT_ATTRIBUTE));
    if (mlirAttributeIsNull(attribute))
        return KILN_OK;
    MlirStringRef text = mlirAttributeIsAString(attribute) ? mlirStringAttrGetValue(attribute)
                                                           : (MlirStringRef){"", 0};
    const bool begins = text.length > 1 && text.data[0] == '%';
    const size_t length = begins ? kiln_print_format_read(text.data + 1, text.length - 1, out) : 0;
    out->suffix =
        mlirStringRefCreate(text.data + 1 + length, begins ? text.length - 1 - length : 0);
    const bool good = length && mlirOperationGetNumOperands(print) == 1 &&
                      fits(out, mlirValueGetType(mlirOperationGetOperand(print, 0)));
    return good ? KILN_OK
                : kiln_status_at_op(
                      kiln_status_make(
                          KILN_STATUS_INVALID_INPUT,
                          "tt.format must be one printf conversion that matches the printed value"),
                      print);
}
