// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A recursive-descent parser, one function per precedence level, that stops at the first error, and
// the stack machine that executes its output.
//
// Unary minus is parsed as 0 − x, so the 0 is pushed before x is parsed. INT64_MIN is an exception,
// since no 0 − x yields it.
#include "base/expression.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"

enum { MAX_DEPTH = 64 };

typedef struct parser {
    kiln_expression_t *out;
    const char *next;
    size_t capacity, waiting; // of the steps; depth of the stack after them
    int depth;
    kiln_status_t failure;
} parser_t;

static void sum(parser_t *p);

static kiln_status_t refuse_at(kiln_status_code_t code, const char *text, size_t offset,
                               const char *what)
{
    return kiln_status_make(code, "in the expression '%s', column %zu: %s", text, offset + 1, what);
}

kiln_status_t kiln_expression_refuse(const kiln_expression_t *expression,
                                     const kiln_expression_step_t *step, const char *what)
{
    return refuse_at(KILN_STATUS_USAGE, expression->text, step->begin, what);
}

static void fail(parser_t *p, const char *at, const char *what)
{
    if (!p->failure)
        p->failure = refuse_at(KILN_STATUS_USAGE, p->out->text, (size_t)(at - p->out->text), what);
}

static bool divides(kiln_expression_op_t op)
{
    return op == KILN_EXPRESSION_DIVIDE || op == KILN_EXPRESSION_REMAINDER ||
           op == KILN_EXPRESSION_CDIV;
}

// Whether the last operand is the number 0.
static bool ends_in_zero(const parser_t *p)
{
    const kiln_expression_step_t *last = &p->out->steps[p->out->count - 1];
    return last->op == KILN_EXPRESSION_NUMBER && last->number == 0;
}

static void push(parser_t *p, kiln_expression_op_t op, const char *at, size_t length,
                 int64_t number)
{
    if (p->failure)
        return;
    if (divides(op) && ends_in_zero(p)) {
        fail(p, at, "division by zero");
        return;
    }
    p->waiting += op <= KILN_EXPRESSION_NAME ? 1 : (size_t)-1;
    if (p->waiting > KILN_EXPRESSION_STACK) {
        fail(p, at, "nested too deep");
        return;
    }
    if (!KILN_ARRAY_RESERVE(&p->out->steps, &p->capacity, p->out->count + 1)) {
        p->failure = kiln_status_out_of_memory();
        return;
    }
    p->out->steps[p->out->count++] =
        (kiln_expression_step_t){.op = op,
                                 .begin = (unsigned)(at - p->out->text),
                                 .length = (unsigned)length,
                                 .number = number};
}

static bool accept(parser_t *p, char c)
{
    p->next += strspn(p->next, " ");
    if (*p->next != c)
        return false;
    p->next++;
    return true;
}

static size_t word_length(const char *text)
{
    size_t length = 0;
    while (kiln_is_alphanumeric(text[length]) || text[length] == '_' ||
           (length && text[length] == '.')) // KERNEL.NAME of a sequence
        length++;
    return length;
}

static const char ELEMENTS[] = "elements";

static bool is_elements(const char *name, size_t length)
{
    return length == sizeof ELEMENTS - 1 && strncmp(name, ELEMENTS, length) == 0;
}

bool kiln_expression_buffer(const char *name, size_t length, const char **out_buffer,
                            size_t *out_length)
{
    const size_t word = word_length(name);
    *out_buffer = NULL;
    *out_length = 0;
    if (word >= length || !is_elements(name, word) || name[length - 1] != ')')
        return false;
    const char *at = strchr(name + word, '(') + 1;
    at += strspn(at, " ");
    *out_buffer = at;
    *out_length = word_length(at);
    return true;
}

// After "elements(".
static void elements(parser_t *p, const char *start)
{
    p->next += strspn(p->next, " ");
    const size_t length = word_length(p->next);
    if (!length || kiln_is_digit(*p->next))
        fail(p, p->next, "expected the name of a buffer");
    p->next += length;
    if (!accept(p, ')'))
        fail(p, p->next, "expected ')'");
    push(p, KILN_EXPRESSION_NAME, start, (size_t)(p->next - start), 0);
}

static void call(parser_t *p, const char *name, size_t length)
{
    if (is_elements(name, length)) {
        elements(p, name);
        return;
    }
    static const struct {
        const char *name;
        kiln_expression_op_t op;
    } functions[] = {
        {"cdiv", KILN_EXPRESSION_CDIV}, {"min", KILN_EXPRESSION_MIN}, {"max", KILN_EXPRESSION_MAX}};
    sum(p);
    if (!accept(p, ','))
        fail(p, p->next, "expected ','");
    sum(p);
    if (!accept(p, ')'))
        fail(p, p->next, "expected ')'");
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strlen(functions[i].name) == length && strncmp(name, functions[i].name, length) == 0) {
            push(p, functions[i].op, name, length, 0);
            return;
        }
    fail(p, name, "unknown function; expected cdiv, min, max or elements");
}

// Parses the number at the start of the text. The magnitude of a negative number may be larger by
// 1.
static void number(parser_t *p, const char *start, bool is_negative)
{
    char *end;
    errno = 0;
    const uint64_t value = strtoull(p->next, &end, 0);
    p->next = end;
    if (errno || value > (uint64_t)INT64_MAX + is_negative)
        fail(p, start, "the number does not fit in 64 bits");
    push(p, KILN_EXPRESSION_NUMBER, start, (size_t)(end - start),
         (int64_t)(is_negative ? 0 - value : value));
}

static void primary(parser_t *p)
{
    p->next += strspn(p->next, " ");
    const char *start = p->next;
    if (p->failure)
        return;
    if (accept(p, '-') && (p->next += strspn(p->next, " "), kiln_is_digit(*p->next))) {
        number(p, start, true);
    } else if (p->next > start) {
        if (++p->depth > MAX_DEPTH) {
            fail(p, start, "nested too deep");
            return;
        }
        push(p, KILN_EXPRESSION_NUMBER, start, 0, 0);
        primary(p);
        push(p, KILN_EXPRESSION_SUBTRACT, start, 1, 0);
        p->depth--;
    } else if (accept(p, '(')) {
        sum(p);
        if (!accept(p, ')'))
            fail(p, p->next, "expected ')'");
    } else if (kiln_is_digit(*start)) {
        number(p, start, false);
    } else {
        const size_t length = word_length(start);
        p->next = start + length;
        if (!length)
            fail(p, start, "expected a number, a name or '('");
        else if (accept(p, '('))
            call(p, start, length);
        else
            push(p, KILN_EXPRESSION_NAME, start, length, 0);
    }
}

// Parses a left-associative chain of operators of one precedence.
static void chain(parser_t *p, const char *operators, const kiln_expression_op_t *ops,
                  void (*operand)(parser_t *))
{
    operand(p);
    for (;;) {
        p->next += strspn(p->next, " ");
        const char *at = p->next, *found = *at ? strchr(operators, *at) : NULL;
        if (p->failure || !found)
            return;
        p->next++;
        operand(p);
        push(p, ops[found - operators], at, 1, 0);
    }
}

static void product(parser_t *p)
{
    static const kiln_expression_op_t ops[] = {KILN_EXPRESSION_MULTIPLY, KILN_EXPRESSION_DIVIDE,
                                               KILN_EXPRESSION_REMAINDER};
    chain(p, "*/%", ops, primary);
}

static void sum(parser_t *p)
{
    static const kiln_expression_op_t ops[] = {KILN_EXPRESSION_ADD, KILN_EXPRESSION_SUBTRACT};
    if (++p->depth > MAX_DEPTH) {
        fail(p, p->next, "nested too deep");
        return;
    }
    chain(p, "+-", ops, product);
    p->depth--;
}

kiln_status_t kiln_expression_parse(const char *text, kiln_expression_t *out_expression)
{
    *out_expression = (kiln_expression_t){.text = strdup(text)};
    if (!out_expression->text)
        return kiln_status_out_of_memory();
    parser_t p = {.out = out_expression, .next = out_expression->text};
    sum(&p);
    p.next += strspn(p.next, " ");
    if (!p.failure && *p.next)
        fail(&p, p.next, "unexpected text after the expression");
    return p.failure;
}

void kiln_expression_free(kiln_expression_t *expression)
{
    free(expression->text);
    free(expression->steps);
    *expression = (kiln_expression_t){0};
}

// Returns the error of an operation, or NULL.
static const char *apply(kiln_expression_op_t op, int64_t a, int64_t b, int64_t *out)
{
    bool overflow = false;
    switch (op) {
    case KILN_EXPRESSION_ADD:
        overflow = __builtin_add_overflow(a, b, out);
        break;
    case KILN_EXPRESSION_SUBTRACT:
        overflow = __builtin_sub_overflow(a, b, out);
        break;
    case KILN_EXPRESSION_MULTIPLY:
        overflow = __builtin_mul_overflow(a, b, out);
        break;
    case KILN_EXPRESSION_MIN:
        *out = a < b ? a : b;
        break;
    case KILN_EXPRESSION_MAX:
        *out = a > b ? a : b;
        break;
    default:
        if (b == 0)
            return "division by zero";
        overflow = a == INT64_MIN && b == -1;
        if (overflow)
            break;
        *out = op == KILN_EXPRESSION_REMAINDER ? a % b : a / b;
        if (op == KILN_EXPRESSION_CDIV && a % b != 0 &&
            (a < 0) == (b < 0)) // otherwise truncation has already rounded up
            ++*out;
    }
    return overflow ? "the value does not fit in 64 bits" : NULL;
}

kiln_status_t kiln_expression_run(const kiln_expression_t *expression,
                                  kiln_expression_lookup_fn lookup, void *user, int64_t *out_value)
{
    int64_t stack[KILN_EXPRESSION_STACK];
    size_t count = 0;
    *out_value = 0;
    for (size_t i = 0; i < expression->count; i++) {
        const kiln_expression_step_t *step = &expression->steps[i];
        const char *wrong = NULL;
        if (step->op == KILN_EXPRESSION_NUMBER) {
            stack[count++] = step->number;
        } else if (step->op == KILN_EXPRESSION_NAME) {
            const char *buffer;
            size_t length;
            if (!lookup(expression->text + step->begin, step->length, user, &stack[count++]))
                return kiln_expression_refuse(expression, step,
                                              kiln_expression_buffer(expression->text + step->begin,
                                                                     step->length, &buffer, &length)
                                                  ? "unknown buffer, or its size is unknown"
                                                  : "unknown name, or its value is not an integer");
        } else {
            count--;
            wrong = apply(step->op, stack[count - 1], stack[count], &stack[count - 1]);
        }
        if (wrong)
            return refuse_at(KILN_STATUS_INVALID_INPUT, expression->text, step->begin, wrong);
    }
    *out_value = stack[0];
    return KILN_OK;
}

kiln_status_t kiln_expression_evaluate(const char *text, kiln_expression_lookup_fn lookup,
                                       void *user, int64_t *out_value)
{
    kiln_expression_t expression;
    *out_value = 0;
    kiln_status_t status = kiln_expression_parse(text, &expression);
    if (!status)
        status = kiln_expression_run(&expression, lookup, user, out_value);
    kiln_expression_free(&expression);
    return status;
}
