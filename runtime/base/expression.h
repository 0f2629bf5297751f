// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer expressions over named values, for grids and sizes: + - * / % ( ), cdiv(a, b), min(a, b),
// max(a, b). An expression is parsed once into the steps of a stack machine, which can be executed
// any number of times or printed as C. elements(x), the number of elements of the buffer x, is a
// name like others, which a lookup may know (kiln_expression_buffer); where sizes of buffers are
// unknown it is an unknown name.
//
// / rounds toward zero as in C; grids mostly need cdiv, which rounds up.
#ifndef KILN_BASE_EXPRESSION_H
#define KILN_BASE_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kiln/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kiln_expression_op {
    KILN_EXPRESSION_NUMBER, // pushes `number`
    KILN_EXPRESSION_NAME,   // pushes the value of a name, or of elements(NAME)
    KILN_EXPRESSION_ADD,    // these pop two values and push one
    KILN_EXPRESSION_SUBTRACT,
    KILN_EXPRESSION_MULTIPLY,
    KILN_EXPRESSION_DIVIDE,
    KILN_EXPRESSION_REMAINDER,
    KILN_EXPRESSION_CDIV,
    KILN_EXPRESSION_MIN,
    KILN_EXPRESSION_MAX,
} kiln_expression_op_t;

typedef struct kiln_expression_step {
    kiln_expression_op_t op;
    unsigned begin, length; // of the number, name or operator in the text
    int64_t number;
} kiln_expression_step_t;

enum { KILN_EXPRESSION_STACK = 256 }; // maximum depth of the stack

typedef struct kiln_expression {
    char *text;
    kiln_expression_step_t *steps;
    size_t count;
} kiln_expression_t;

// Parses the whole text; KILN_STATUS_USAGE names the column of an error. The caller frees the
// expression with kiln_expression_free, also after a failure.
kiln_status_t kiln_expression_parse(const char *text, kiln_expression_t *out_expression);
void kiln_expression_free(kiln_expression_t *expression);

// Looks up a name's value; false if it has none. `name` is not NUL-terminated.
typedef bool (*kiln_expression_lookup_fn)(const char *name, size_t length, void *user,
                                          int64_t *out_value);

// Whether a name is that of a buffer's size, "elements( x )", and then where "x" is in it.
bool kiln_expression_buffer(const char *name, size_t length, const char **out_buffer,
                            size_t *out_length);

// An unknown name is KILN_STATUS_USAGE, overflow and division by zero, which depend on the values
// of names, are KILN_STATUS_INVALID_INPUT, with the column. Thread-safe: reads only the expression.
kiln_status_t kiln_expression_run(const kiln_expression_t *expression,
                                  kiln_expression_lookup_fn lookup, void *user, int64_t *out_value);

// Parses and runs.
kiln_status_t kiln_expression_evaluate(const char *text, kiln_expression_lookup_fn lookup,
                                       void *user, int64_t *out_value);

// Returns KILN_STATUS_USAGE at a step's position, in the form common to all errors: "in the
// expression 'n/0', column 2: " followed by `what`.
kiln_status_t kiln_expression_refuse(const kiln_expression_t *expression,
                                     const kiln_expression_step_t *step, const char *what);

#ifdef __cplusplus
}
#endif
#endif
