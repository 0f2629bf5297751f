// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts about a Tile C program for loaders: the values of its constants, from -D or from their
// defaults, as the manifest lists them, its grid, and which integer parameters have a sign.
#ifndef KILN_FRONTEND_CONSTANTS_H
#define KILN_FRONTEND_CONSTANTS_H

#include <stddef.h>

#include "kiln/element.h"

typedef struct kiln_named_constant {
    char *name;
    char *type;  // "i32", "bool", "f32", …; "type" where the value is the name of a type
    char *value; // in the form that -D accepts
} kiln_named_constant_t;

typedef struct kiln_named_integer {
    char *name;
    kiln_integer_sign_t sign;
} kiln_named_integer_t;

// Globals first, then the kernel's parameters, each in source order.
typedef struct kiln_named_constants {
    kiln_named_constant_t *items;
    size_t count;
    char *grid; // of [[grid(…)]]: "X, Y, Z" over arguments and constants; NULL: none
    kiln_named_integer_t *integers; // parameters of the kernel that are integers
    size_t integer_count;
} kiln_named_constants_t;

void kiln_named_constants_free(kiln_named_constants_t *constants);

#endif
