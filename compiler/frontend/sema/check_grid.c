// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The grid that a kernel declares: [[grid(cdiv(M, BLOCK_M), cdiv(N, BLOCK_N))]].
//
// Loaders compute it, so it is in their language (base/expression.h) and not in Tile C's. Here its
// syntax and names are checked; types are checked with the manifest (artifact/loader_facts.c).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/expression.h"
#include "base/string.h"
#include "frontend/sema/check.h"

enum { MOST_EXTENTS = 3, MESSAGE_SIZE = 512 };

static kiln_status_t check_names(const kiln_checker_t *checker,
                                 const kiln_function_syntax_t *kernel,
                                 const kiln_expression_t *extent)
{
    for (size_t i = 0; i < extent->count; i++) {
        const kiln_expression_step_t *step = &extent->steps[i];
        if (step->op != KILN_EXPRESSION_NAME)
            continue;
        char *name = strndup(extent->text + step->begin, step->length);
        if (!name)
            return kiln_status_out_of_memory();
        const bool is_known = kiln_check_has_parameter(kernel, name, true) ||
                              kiln_check_has_parameter(kernel, name, false) ||
                              kiln_check_is_global_constant(checker, name);
        free(name);
        if (!is_known)
            return kiln_expression_refuse(extent, step,
                                          "the kernel has no argument or constant with this name");
    }
    return KILN_OK;
}

// The arena may jump out of a report, so nothing may be owned here by then.
static void refuse(kiln_checker_t *checker, const kiln_function_syntax_t *kernel,
                   kiln_status_t status)
{
    char message[MESSAGE_SIZE];
    if (kiln_status_is_out_of_memory(status)) {
        kiln_report_status(checker->reporter, status);
        return;
    }
    snprintf(message, sizeof message, "%s", kiln_status_message(status));
    kiln_status_free(status);
    kiln_check_fail(checker, kernel->grid_at, "%s", message);
}

static size_t extent_length(const char *text)
{
    size_t length = 0;
    for (int depth = 0; text[length] && (text[length] != ',' || depth > 0); length++)
        depth += (text[length] == '(') - (text[length] == ')');
    return length;
}

const char *kiln_check_grid(kiln_checker_t *checker, const kiln_function_syntax_t *kernel)
{
    const char *at = kernel->grid;
    if (!at)
        return NULL;
    for (int extent = 0;; extent++) {
        const size_t length = extent_length(at);
        if (extent == MOST_EXTENTS) {
            kiln_check_fail(checker, kernel->grid_at, "expected at most three extents in a grid");
            return NULL;
        }
        char *text = strndup(at, length);
        kiln_expression_t parsed = {0};
        kiln_status_t status =
            text ? kiln_expression_parse(text, &parsed) : kiln_status_out_of_memory();
        if (!status)
            status = check_names(checker, kernel, &parsed);
        kiln_expression_free(&parsed);
        free(text);
        if (status) {
            refuse(checker, kernel, status);
            return NULL;
        }
        if (!at[length])
            return kernel->grid;
        at += length + 1;
    }
}
