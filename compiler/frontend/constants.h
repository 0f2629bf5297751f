// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values that a Tile C program's constants were given, by -D or by their defaults: what a manifest tells of them.
#ifndef KILN_FRONTEND_CONSTANTS_H
#define KILN_FRONTEND_CONSTANTS_H

#include <stddef.h>

typedef struct kiln_named_constant {
    char *name;
    char *type;  // "i32", "bool", "f32", …; "type" where the value is the name of a type
    char *value; // as -D takes it
} kiln_named_constant_t;

// Globals first, then the kernel's parameters, each in the order of the text.
typedef struct kiln_named_constants {
    kiln_named_constant_t *items;
    size_t count;
} kiln_named_constants_t;

void kiln_named_constants_free(kiln_named_constants_t *constants);

#endif
