// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C's conversions, "%-8.3f", in the attribute tt.format of a tt.print of one value, with the text
// that follows the value: "%-8.3f seconds".
//
// Note that length modifiers (the l of "%ld") have no meaning here, since a value has a type; the
// code that prints inserts the one that its own printf needs.
#ifndef KILN_BUILDER_PRINT_FORMAT_H
#define KILN_BUILDER_PRINT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include <mlir-c/IR.h>

#include "kiln/status.h"

#define KILN_PRINT_CONVERSIONS "diouxXfFeEgGaAp"
#define KILN_PRINT_ATTRIBUTE "tt.format"

typedef enum kiln_print_kind {
    KILN_PRINT_SIGNED,
    KILN_PRINT_UNSIGNED,
    KILN_PRINT_REAL,
    KILN_PRINT_POINTER
} kiln_print_kind_t;

typedef struct kiln_print_format {
    char flags[6];        // each of "-+ #0" once at most
    int width, precision; // −1: none; at most 99
    char conversion;      // '\0': as tt.print prints without a format
    MlirStringRef suffix; // text, in which a '%' is literal
} kiln_print_format_t;

// Reads a conversion after its '%'. Returns the length that was read, or 0 if it is not valid. A
// '*', and a %p with more than a width and a '-', are not valid.
size_t kiln_print_format_read(const char *text, size_t length, kiln_print_format_t *out);

kiln_print_kind_t kiln_print_format_kind(const kiln_print_format_t *format);

// The format for printf, with a length modifier for the value.
enum { KILN_PRINT_TEXT = 40 };
void kiln_print_format_text(const kiln_print_format_t *format, const char *modifier,
                            char out[KILN_PRINT_TEXT]);

// The format of a tt.print, empty if it has no attribute. INVALID_INPUT if the attribute is
// malformed or does not fit the type of the operation's value.
kiln_status_t kiln_print_format_of(MlirOperation print, kiln_print_format_t *out);

#endif
