// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arguments that a kernel declares for commands that are given no others, and sizes that these
// use: [[arguments(rows = 1024, lda = K, a = f16[rows, lda]:random:1)]].
//
// They are in the language of kiln/arguments.h. Here names and sizes are checked; element types and
// contents are checked when buffers are made.
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "frontend/sema/check.h"

static bool is_declared(const kiln_function_syntax_t *kernel, const char *name)
{
    for (size_t i = 0; i < kernel->argument_count; i++)
        if (strcmp(kernel->arguments[i].name, name) == 0)
            return true;
    return false;
}

static bool is_known(const kiln_checker_t *checker, const kiln_function_syntax_t *kernel,
                     const char *name)
{
    return kiln_check_is_value(checker, kernel, name) || is_declared(kernel, name);
}

static kiln_status_t check_size(const kiln_checker_t *checker, const kiln_function_syntax_t *kernel,
                                const char *text, size_t length)
{
    char *size = strndup(text, length);
    kiln_expression_t parsed = {0};
    kiln_status_t status =
        size ? kiln_expression_parse(size, &parsed) : kiln_status_out_of_memory();
    if (!status)
        status = kiln_check_names(checker, kernel, &parsed, is_known,
                                  "the kernel has no argument, size or constant with this name");
    kiln_expression_free(&parsed);
    free(size);
    return status;
}

// A number, an integer expression, TYPE[EXTENTS…]… or &NAME….
static kiln_status_t check_value(const kiln_checker_t *checker,
                                 const kiln_function_syntax_t *kernel, const char *text)
{
    const char *at = strchr(text, '[');
    double number;
    if (*text == '&' || kiln_real_parse_all(text, &number))
        return KILN_OK;
    if (!at)
        return check_size(checker, kernel, text, strlen(text));
    do {
        const size_t length = kiln_check_extent_length(++at);
        KILN_TRY(check_size(checker, kernel, at, length));
        at += length;
    } while (*at == ',');
    return KILN_OK;
}

static bool is_word(char c)
{
    return kiln_is_alphanumeric(c) || c == '_';
}

static bool mentions(const char *text, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at += length)
        if ((at == text || !is_word(at[-1])) && !is_word(at[length]))
            return true;
    return false;
}

// A misspelt argument would be a size.
static void check_size_is_used(kiln_checker_t *checker, const kiln_function_syntax_t *kernel,
                               const kiln_argument_syntax_t *size)
{
    for (size_t i = 0; i < kernel->argument_count; i++)
        if (mentions(kernel->arguments[i].value.text, size->name))
            return;
    kiln_check_fail(checker, size->at,
                    "kernel '%s' has no argument '%s', and no other argument's size uses it%s",
                    kernel->name, size->name,
                    kiln_suggest_parameter(checker, kernel, size->name, false).text);
}

static void check_argument(kiln_checker_t *checker, const kiln_function_syntax_t *kernel,
                           const kiln_argument_syntax_t *argument)
{
    if (kiln_check_has_parameter(kernel, argument->name, true) ||
        kiln_check_is_global_constant(checker, argument->name))
        kiln_check_fail(checker, argument->at, "'%s' is a constant, not an argument of kernel '%s'",
                        argument->name, kernel->name);
    else if (!kiln_check_has_parameter(kernel, argument->name, false))
        check_size_is_used(checker, kernel, argument);
    for (const kiln_argument_syntax_t *other = kernel->arguments; other < argument; other++)
        if (strcmp(other->name, argument->name) == 0)
            kiln_check_fail(checker, argument->at, "duplicate argument '%s'", argument->name);
    kiln_status_t status = check_value(checker, kernel, argument->value.text);
    if (status)
        kiln_check_fail_status(checker, argument->value.span, status);
}

void kiln_check_arguments(kiln_checker_t *checker, const kiln_function_syntax_t *kernel)
{
    for (size_t i = 0; i < kernel->argument_count; i++)
        check_argument(checker, kernel, &kernel->arguments[i]);
}
