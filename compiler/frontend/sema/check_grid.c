// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The grid that a kernel declares: [[grid(cdiv(M, BLOCK_M), cdiv(N, BLOCK_N))]].
//
// Loaders compute it, so it is in their language (base/expression.h) and not in Tile C's. Here its
// syntax and names are checked; types are checked with the manifest (artifact/loader_facts.c).
#include <stdlib.h>
#include <string.h>

#include "base/string.h"
#include "frontend/sema/check.h"

enum { MAX_EXTENTS = 3 };

static bool is_known(const kiln_checker_t *checker, const kiln_function_syntax_t *kernel,
                     const char *name)
{
    const char *buffer;
    size_t length;
    if (kiln_expression_buffer(name, strlen(name), &buffer, &length)) {
        char *pointer = strndup(buffer, length);
        const bool known = pointer && kiln_check_has_parameter(kernel, pointer, false);
        free(pointer);
        return known;
    }
    return kiln_check_is_value(checker, kernel, name);
}

const char *kiln_check_grid(kiln_checker_t *checker, const kiln_function_syntax_t *kernel)
{
    const char *at = kernel->grid;
    if (!at)
        return NULL;
    for (int extent = 0;; extent++) {
        const size_t length = kiln_check_extent_length(at);
        if (extent == MAX_EXTENTS) {
            kiln_check_fail(checker, kernel->grid_at, "expected at most three extents in a grid");
            return NULL;
        }
        char *text = strndup(at, length);
        kiln_expression_t parsed = {0};
        kiln_status_t status =
            text ? kiln_expression_parse(text, &parsed) : kiln_status_out_of_memory();
        if (!status)
            status = kiln_check_names(checker, kernel, &parsed, is_known,
                                      "the kernel has no argument or constant with this name");
        kiln_expression_free(&parsed);
        free(text);
        if (status) {
            kiln_check_fail_status(checker, kernel->grid_at, status);
            return NULL;
        }
        if (!at[length])
            return kernel->grid;
        at += length + 1;
    }
}
