// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A condition compares two expressions (base/expression.h) over axes, -D values and scalars.
//
// An axis that has a value which is no integer cannot be used.
#include "tune_where.h"

#include <stdlib.h>
#include <string.h>

#include "base/expression.h"
#include "base/number.h"

typedef enum order { ORDER_LESS = 1 << 0, ORDER_EQUAL = 1 << 1, ORDER_GREATER = 1 << 2 } order_t;

// Longer operators first.
static const struct {
    const char *text;
    unsigned holds; // for these orders of left and right
} OPERATORS[] = {{"<=", ORDER_LESS | ORDER_EQUAL},
                 {">=", ORDER_GREATER | ORDER_EQUAL},
                 {"==", ORDER_EQUAL},
                 {"!=", ORDER_LESS | ORDER_GREATER},
                 {"<", ORDER_LESS},
                 {">", ORDER_GREATER}};
enum { OPERATOR_COUNT = sizeof OPERATORS / sizeof *OPERATORS };

typedef struct names {
    const kiln_tune_where_t *where;
    const kiln_tune_candidate_t *candidate;
} names_t;

static bool find(const kiln_setting_t *settings, size_t count, const char *name, size_t length,
                 int64_t *out_value)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(settings[i].name, name, length) == 0 && !settings[i].name[length])
            return kiln_integer_parse_all(settings[i].value, 0, out_value);
    return false;
}

static bool value_of(const char *name, size_t length, void *user, int64_t *out_value)
{
    const names_t *names = user;
    size_t count;
    const kiln_jit_argument_t *values = kiln_arguments_values(names->where->arguments, &count);
    if (find(names->candidate->settings, names->candidate->setting_count, name, length,
             out_value) ||
        find(names->where->fixed, names->where->fixed_count, name, length, out_value))
        return true;
    for (size_t i = 0; i < count; i++)
        if (values[i].kind == KILN_JIT_INTEGER && strncmp(values[i].name, name, length) == 0 &&
            !values[i].name[length]) {
            *out_value = values[i].integer;
            return true;
        }
    return false;
}

static kiln_status_t evaluate(const char *text, size_t length, names_t *names, int64_t *out_value)
{
    char *copy = strndup(text, length);
    if (!copy)
        return kiln_status_out_of_memory();
    kiln_status_t status = kiln_expression_evaluate(copy, value_of, names, out_value);
    free(copy);
    return status;
}

static kiln_status_t holds(const char *condition, names_t *names, bool *out_holds)
{
    const char *at = condition + strcspn(condition, "<>=!");
    for (int i = 0; i < OPERATOR_COUNT; i++) {
        const size_t length = strlen(OPERATORS[i].text);
        int64_t left, right;
        if (strncmp(at, OPERATORS[i].text, length) != 0)
            continue;
        KILN_TRY(evaluate(condition, (size_t)(at - condition), names, &left));
        KILN_TRY(evaluate(at + length, strlen(at + length), names, &right));
        const unsigned order = left < right    ? ORDER_LESS
                               : left == right ? ORDER_EQUAL
                                               : ORDER_GREATER;
        *out_holds = (OPERATORS[i].holds & order) != 0;
        return KILN_OK;
    }
    return kiln_status_make(KILN_STATUS_USAGE,
                            "expected a comparison by <=, >=, ==, !=, < or >, got '%s'", condition);
}

kiln_status_t kiln_tune_where_admits(const kiln_tune_candidate_t *candidate, bool *out_admits,
                                     void *user)
{
    const kiln_tune_where_t *where = user;
    names_t names = {where, candidate};
    *out_admits = true;
    for (size_t i = 0; i < where->count && *out_admits; i++)
        KILN_TRY_NOTE(holds(where->conditions[i], &names, out_admits), "in --where '%s'",
                      where->conditions[i]);
    return KILN_OK;
}
