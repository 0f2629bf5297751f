// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The single-number facts of gfx942.def as constants: KILN_GFX942_LDS_BYTES and so on. For the
// other rows, include gfx942.def itself.
#ifndef KILN_BASE_GFX942_H
#define KILN_BASE_GFX942_H

enum {
#define GFX942_FACT(name, value, source) KILN_GFX942_##name = (value),
#include "base/gfx942.def"
};

// Expands the parenthesized lane numbers of a GFX942_LDS_GROUP to the elements of an initializer.
#define KILN_GFX942_SPAN(...) __VA_ARGS__

#endif
