// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A test case as a directory holds it: case.json, the bytes of each buffer before the call, and, for those that the
// call changes, after it.
//
// What is easily got wrong: a buffer without "out" is an expectation too; its bytes must stay as they were.
#ifndef KILN_CLI_CASE_FILE_H
#define KILN_CLI_CASE_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/float.h"
#include "kiln/status.h"

typedef struct kiln_case_argument {
    char *name;
    bool is_pointer;
    kiln_element_type_t type; // of the scalar, or of the buffer's elements
    uint64_t value;           // the scalar's bits
    char *input;              // the buffer's bytes before the call
    size_t size;
    char *expected; // after it; NULL: unchanged
} kiln_case_argument_t;

typedef struct kiln_case {
    char *directory, *name, *entry;
    unsigned grid[3];
    int num_warps, num_stages;
    int matrix_instr_nonkdim, waves_per_eu, kpack; // 0 where case.json does not set them
    unsigned triton_lds_bytes;
    kiln_case_argument_t *arguments;
    size_t argument_count;
} kiln_case_t;

// Reads case.json and all buffers. After a failure the case still has directory and name (the directory's own) and is
// freed like any other.
kiln_status_t kiln_case_read(const char *directory, kiln_case_t *out_case);
void kiln_case_free(kiln_case_t *test_case);

#endif
