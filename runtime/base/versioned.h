// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structs that later versions of Kiln make longer. Such a struct begins with `size_t struct_size`: how much of it the
// side knows that made it. A program and the library may each be the older one.
//
// What is easily got wrong: a program's struct ends where struct_size says, on its stack. Nobody copies a whole struct
// from or to it, nor initialises it, but by these functions.
#ifndef KILN_BASE_VERSIONED_H
#define KILN_BASE_VERSIONED_H

#include <stddef.h>

#include "kiln/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Fills a caller's struct, `struct_size` bytes long, with `defaults`, `size` bytes long; a newer caller's rest is zeroed.
void kiln_struct_initialize(void *to, size_t struct_size, const void *defaults, size_t size);

// Takes what a caller knows of a struct over `to`, which holds the defaults and is `size` bytes long; `to` keeps its
// struct_size. KILN_STATUS_USAGE, naming the function, its argument and the struct, where it is NULL or its struct_size was
// never set, and where a newer caller set something that this library does not know.
kiln_status_t kiln_struct_take(const char *function, const char *argument, const char *type, void *to, size_t size,
                               const void *from);

// The same of a struct that is only given: it is there, and its struct_size is set.
kiln_status_t kiln_struct_check(const char *function, const char *argument, const char *type, const void *versioned);

// Gives a caller as much of `from`, `size` bytes long, as to->struct_size says; what a newer caller knows beyond that
// is zeroed. `to` keeps its struct_size.
void kiln_struct_give(void *to, const void *from, size_t size);

#ifdef __cplusplus
}
#endif
#endif
