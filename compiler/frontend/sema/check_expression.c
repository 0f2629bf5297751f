// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the expressions of a kernel's [[grid(…)]], [[arguments(…)]] and [[where(…)]] have in common:
// they are in the language of base/expression.h, so their names and errors come from there as a
// status.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/sema/check.h"

enum { MESSAGE_SIZE = 512 };

kiln_status_t kiln_check_names(const kiln_checker_t *checker, const kiln_function_syntax_t *kernel,
                               const kiln_expression_t *expression,
                               kiln_check_is_known_fn *is_known, const char *message)
{
    for (size_t i = 0; i < expression->count; i++) {
        const kiln_expression_step_t *step = &expression->steps[i];
        if (step->op != KILN_EXPRESSION_NAME)
            continue;
        char *name = strndup(expression->text + step->begin, step->length);
        if (!name)
            return kiln_status_out_of_memory();
        const bool known = is_known(checker, kernel, name);
        free(name);
        if (!known)
            return kiln_expression_refuse(expression, step, message);
    }
    return KILN_OK;
}

size_t kiln_check_extent_length(const char *text)
{
    size_t length = 0;
    for (int depth = 0; text[length]; length++) {
        if (depth == 0 && (text[length] == ',' || text[length] == ']'))
            break;
        depth += (text[length] == '(') - (text[length] == ')');
    }
    return length;
}

bool kiln_check_is_value(const kiln_checker_t *checker, const kiln_function_syntax_t *kernel,
                         const char *name)
{
    return kiln_check_has_parameter(kernel, name, true) ||
           kiln_check_has_parameter(kernel, name, false) ||
           kiln_check_is_global_constant(checker, name);
}

void kiln_check_fail_status(kiln_checker_t *checker, kiln_span_t at, kiln_status_t status)
{
    char message[MESSAGE_SIZE];
    if (kiln_status_is_out_of_memory(status)) {
        kiln_report_status(checker->reporter, status);
        return;
    }
    snprintf(message, sizeof message, "%s", kiln_status_message(status));
    kiln_status_free(status);
    kiln_check_fail(checker, at, "%s", message);
}
