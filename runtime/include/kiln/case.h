// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A test case in a directory: case.json, the bytes of each buffer before the call, and, for buffers
// that the call changes, the bytes after it.
//
// A buffer without "out" is an expectation, too: its bytes must not change.
#ifndef KILN_CASE_H
#define KILN_CASE_H

#include <stdbool.h>
#include <stdint.h>

#include "kiln/element.h"
#include "kiln/program.h"
#include "kiln/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kiln_case_argument {
    const char *name;
    bool is_pointer;
    kiln_element_type_t type; // of the scalar, or of the buffer's elements
    uint64_t value;           // the scalar's bits
    const void *input;        // the buffer's bytes before the call
    size_t size;
    const void *expected; // after it; NULL: unchanged
} kiln_case_argument_t;

typedef struct kiln_case {
    const char *directory, *name, *entry;
    unsigned grid[3];
    const kiln_setting_t
        *settings; // compile options by their names: num_warps, num_stages and what `options` holds
    size_t setting_count;
    unsigned triton_lds_bytes;
    const kiln_case_argument_t *arguments;
    size_t argument_count;
} kiln_case_t;

// Reads case.json and all buffers. On failure *out_case still has a directory and a name (that of
// the directory if case.json has none); it is NULL only if out of memory.
KILN_API kiln_status_t kiln_case_read(const char *directory, kiln_case_t **out_case);
KILN_API void kiln_case_release(kiln_case_t *test_case);

#ifdef __cplusplus
}
#endif
#endif
