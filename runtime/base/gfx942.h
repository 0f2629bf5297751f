// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The facts of gfx942.def that are one number, as constants: KILN_GFX942_LDS_BYTES and so on. Who needs the other rows
// includes gfx942.def itself.
#ifndef KILN_BASE_GFX942_H
#define KILN_BASE_GFX942_H

enum {
#define GFX942_FACT(name, value, source) KILN_GFX942_##name = (value),
#include "base/gfx942.def"
};

// The lane numbers in parentheses of a GFX942_LDS_GROUP as the elements of an initialiser.
#define KILN_GFX942_SPAN(...) __VA_ARGS__

#endif
