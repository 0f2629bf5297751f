// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts about a Tile C program for loaders: the values of its constants, from -D or from their
// defaults, as the manifest lists them, and its grid.
#ifndef KILN_FRONTEND_CONSTANTS_H
#define KILN_FRONTEND_CONSTANTS_H

#include <stddef.h>

typedef struct kiln_named_constant {
    char *name;
    char *type;  // "i32", "bool", "f32", …; "type" where the value is the name of a type
    char *value; // in the form that -D accepts
} kiln_named_constant_t;

// Globals first, then the kernel's parameters, each in source order.
typedef struct kiln_named_constants {
    kiln_named_constant_t *items;
    size_t count;
    char *grid; // of [[grid(…)]]: "X, Y, Z" over arguments and constants; NULL: none
} kiln_named_constants_t;

void kiln_named_constants_free(kiln_named_constants_t *constants);

#endif
