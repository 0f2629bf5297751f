// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structs that later versions of Kiln extend. Such a struct begins with `size_t struct_size`: the
// size of the struct in the version of the side that created it. Either the program or the library
// may be the older one.
//
// A program's struct ends at struct_size, on its stack. Whole structs are therefore never copied or
// initialized other than by these functions.
#ifndef KILN_BASE_VERSIONED_H
#define KILN_BASE_VERSIONED_H

#include <stddef.h>

#include "kiln/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Fills a caller's struct of `struct_size` bytes with `defaults` of `size` bytes. If the caller is
// newer, the rest is zeroed.
void kiln_struct_initialize(void *to, size_t struct_size, const void *defaults, size_t size);

// Copies the part of `from` that the caller's version has over `to`, which holds the defaults and
// is `size` bytes long; `to` keeps its struct_size. KILN_STATUS_USAGE, naming the function, its
// argument and the struct, if `from` is NULL, if its struct_size was never set, or if a newer
// caller set a field that this library does not have.
kiln_status_t kiln_struct_take(const char *function, const char *argument, const char *type,
                               void *to, size_t size, const void *from);

// The same check for an out struct: it is not NULL, and its struct_size is set.
kiln_status_t kiln_struct_check(const char *function, const char *argument, const char *type,
                                const void *versioned);

// Copies the first to->struct_size bytes of `from`, which is `size` bytes long, to a caller's
// struct. If the caller is newer, the rest is zeroed. `to` keeps its struct_size.
void kiln_struct_copy_out(void *to, const void *from, size_t size);

#ifdef __cplusplus
}
#endif
#endif
