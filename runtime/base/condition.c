// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses and evaluates conditions: two expressions and an operator, one of <=, >=, ==, !=, <, >.
#include "base/condition.h"

#include <stdlib.h>
#include <string.h>

typedef enum order { ORDER_LESS = 1 << 0, ORDER_EQUAL = 1 << 1, ORDER_GREATER = 1 << 2 } order_t;

// Longer operators first, so that "<=" is not read as "<".
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

static kiln_status_t parse(const char *text, size_t length, kiln_expression_t *out)
{
    char *copy = strndup(text, length);
    if (!copy)
        return kiln_status_out_of_memory();
    kiln_status_t status = kiln_expression_parse(copy, out);
    free(copy);
    return status;
}

kiln_status_t kiln_condition_parse(const char *text, kiln_condition_t *out_condition)
{
    const char *at = text + strcspn(text, "<>=!");
    *out_condition = (kiln_condition_t){0};
    for (int i = 0; i < OPERATOR_COUNT; i++) {
        const size_t length = strlen(OPERATORS[i].text);
        if (strncmp(at, OPERATORS[i].text, length) != 0)
            continue;
        out_condition->holds = OPERATORS[i].holds;
        KILN_TRY(parse(text, (size_t)(at - text), &out_condition->left));
        return parse(at + length, strlen(at + length), &out_condition->right);
    }
    return kiln_status_make(KILN_STATUS_USAGE,
                            "expected a comparison by <=, >=, ==, !=, < or >, got '%s'", text);
}

void kiln_condition_free(kiln_condition_t *condition)
{
    kiln_expression_free(&condition->left);
    kiln_expression_free(&condition->right);
    *condition = (kiln_condition_t){0};
}

kiln_status_t kiln_condition_run(const kiln_condition_t *condition,
                                 kiln_expression_lookup_fn lookup, void *user, bool *out_holds)
{
    int64_t left, right;
    *out_holds = false;
    KILN_TRY(kiln_expression_run(&condition->left, lookup, user, &left));
    KILN_TRY(kiln_expression_run(&condition->right, lookup, user, &right));
    const unsigned order = left < right ? ORDER_LESS : left == right ? ORDER_EQUAL : ORDER_GREATER;
    *out_holds = (condition->holds & order) != 0;
    return KILN_OK;
}

kiln_condition_fact_t kiln_condition_fact(const char *name, size_t length)
{
    static const char *const names[KILN_FACT_COUNT] = {[KILN_FACT_COMPUTE_UNITS] = "compute_units",
                                                       [KILN_FACT_XCDS] = "xcds",
                                                       [KILN_FACT_LDS_BYTES] = "lds_bytes"};
    int fact = 0;
    while (fact < KILN_FACT_COUNT &&
           (strlen(names[fact]) != length || strncmp(names[fact], name, length) != 0))
        fact++;
    return (kiln_condition_fact_t)fact;
}
