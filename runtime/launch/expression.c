// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A recursive-descent evaluator: one function per precedence level, stopping at the first error.
#include "launch/expression.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 64 };

typedef struct evaluator {
    const char *text, *next;
    kiln_expression_lookup_fn lookup;
    void *user;
    int depth;
    kiln_status_t failure;
} evaluator_t;

static int64_t sum(evaluator_t *e);

static int64_t fail(evaluator_t *e, const char *at, const char *what)
{
    if (!e->failure)
        e->failure = kiln_status_make(KILN_STATUS_USAGE, "in the expression '%s', column %zu: %s", e->text,
                                      (size_t)(at - e->text) + 1, what);
    return 0;
}

static bool accept(evaluator_t *e, char c)
{
    e->next += strspn(e->next, " ");
    if (*e->next != c)
        return false;
    e->next++;
    return true;
}

static int64_t apply(evaluator_t *e, const char *at, char operator, int64_t a, int64_t b)
{
    int64_t result = 0;
    bool overflow = false;
    switch (operator) {
    case '+':
        overflow = __builtin_add_overflow(a, b, &result);
        break;
    case '-':
        overflow = __builtin_sub_overflow(a, b, &result);
        break;
    case '*':
        overflow = __builtin_mul_overflow(a, b, &result);
        break;
    default:
        if (b == 0)
            return fail(e, at, "division by zero");
        overflow = a == INT64_MIN && b == -1;
        if (!overflow)
            result = operator == '/' ? a / b : a % b;
    }
    return overflow ? fail(e, at, "the value does not fit 64 bits") : result;
}

static int64_t call(evaluator_t *e, const char *name, size_t length)
{
    int64_t a = sum(e);
    if (!accept(e, ','))
        return fail(e, e->next, "',' is wanted");
    int64_t b = sum(e);
    if (!accept(e, ')'))
        return fail(e, e->next, "')' is wanted");
    if (length == 4 && strncmp(name, "cdiv", 4) == 0)
        return apply(e, name, '/', apply(e, name, '-', apply(e, name, '+', a, b), 1), b);
    if (length == 3 && strncmp(name, "min", 3) == 0)
        return a < b ? a : b;
    if (length == 3 && strncmp(name, "max", 3) == 0)
        return a > b ? a : b;
    return fail(e, name, "unknown function; cdiv, min and max are known");
}

static int64_t primary(evaluator_t *e)
{
    e->next += strspn(e->next, " ");
    const char *start = e->next;
    if (e->failure)
        return 0;
    if (accept(e, '-')) {
        if (++e->depth > MAX_DEPTH)
            return fail(e, start, "nested too deep");
        int64_t value = apply(e, start, '-', 0, primary(e));
        e->depth--;
        return value;
    }
    if (accept(e, '(')) {
        int64_t value = sum(e);
        return accept(e, ')') ? value : fail(e, e->next, "')' is wanted");
    }
    if (isdigit((unsigned char)*start)) {
        char *end;
        errno = 0;
        int64_t value = strtoll(start, &end, 0);
        e->next = end;
        return errno ? fail(e, start, "the number does not fit 64 bits") : value;
    }
    size_t length = 0;
    while (isalnum((unsigned char)start[length]) || start[length] == '_')
        length++;
    if (!length)
        return fail(e, start, "a number, a name or '(' is wanted");
    e->next = start + length;
    if (accept(e, '('))
        return call(e, start, length);
    int64_t value;
    if (!e->lookup(start, length, e->user, &value))
        return fail(e, start, "this name has no integer value");
    return value;
}

static int64_t product(evaluator_t *e)
{
    int64_t value = primary(e);
    for (;;) {
        e->next += strspn(e->next, " ");
        const char *at = e->next;
        if (e->failure || !*at || !strchr("*/%", *at))
            return value;
        e->next++;
        value = apply(e, at, *at, value, primary(e));
    }
}

static int64_t sum(evaluator_t *e)
{
    if (++e->depth > MAX_DEPTH)
        return fail(e, e->next, "nested too deep");
    int64_t value = product(e);
    for (;;) {
        e->next += strspn(e->next, " ");
        const char *at = e->next;
        if (e->failure || (*at != '+' && *at != '-')) {
            e->depth--;
            return value;
        }
        e->next++;
        value = apply(e, at, *at, value, product(e));
    }
}

kiln_status_t kiln_expression_evaluate(const char *text, kiln_expression_lookup_fn lookup, void *user,
                                       int64_t *out_value)
{
    evaluator_t e = {.text = text, .next = text, .lookup = lookup, .user = user};
    *out_value = sum(&e);
    e.next += strspn(e.next, " ");
    if (!e.failure && *e.next)
        fail(&e, e.next, "the expression ends here, but the text goes on");
    if (e.failure)
        *out_value = 0;
    return e.failure;
}
