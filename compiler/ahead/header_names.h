// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel's arguments as C parameters.
#ifndef KILN_AHEAD_HEADER_NAMES_H
#define KILN_AHEAD_HEADER_NAMES_H

#include "base/description.h"

typedef struct kiln_c_argument {
    char *name;       // a unique C identifier
    const char *type; // of the value or of the pointee ("void" where C lacks the type)
    const char *note; // Kiln's type if C's type does not show it, such as "f16"; else NULL
} kiln_c_argument_t;

// UNSUPPORTED if C lacks the type of an argument. Free with kiln_c_arguments_free, also after a
// failure.
kiln_status_t kiln_c_arguments_make(const kiln_description_t *description,
                                    kiln_c_argument_t **out_arguments);
void kiln_c_arguments_free(kiln_c_argument_t *arguments, size_t count);

// An expression of the grid as C: calls of kiln_launcher_op, which records overflow in `kiln_bad_`.
// From malloc; NULL if memory is exhausted.
char *kiln_c_expression(const kiln_expression_t *expression, const kiln_description_t *description,
                        const kiln_c_argument_t *arguments);

// A string literal with the value `text`, from malloc.
char *kiln_c_string(const char *text);

#endif
