// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel's arguments as C's parameters.
#ifndef KILN_AHEAD_HEADER_NAMES_H
#define KILN_AHEAD_HEADER_NAMES_H

#include "base/description.h"

typedef struct kiln_c_argument {
    char *name;       // a C identifier, each once
    const char *type; // of the value, or of what is pointed to ("void" where C has no such type)
    const char *note; // what the bits mean where the type does not tell: "f16"; else NULL
} kiln_c_argument_t;

// UNSUPPORTED where an argument has no type in C. Freed by kiln_c_arguments_free, also after a failure.
kiln_status_t kiln_c_arguments_make(const kiln_description_t *description, kiln_c_argument_t **out_arguments);
void kiln_c_arguments_free(kiln_c_argument_t *arguments, size_t count);

// An expression of the grid as C: calls of kiln_launcher_op, which notes overflow in `kiln_bad_`. From malloc; NULL where
// memory is short.
char *kiln_c_expression(const kiln_expression_t *expression, const kiln_description_t *description,
                        const kiln_c_argument_t *arguments);

// A string literal of that value, from malloc.
char *kiln_c_string(const char *text);

#endif
