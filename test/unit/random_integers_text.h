// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The random programs of random_integers.h as tt text.
#ifndef KILN_TEST_RANDOM_INTEGERS_TEXT_H
#define KILN_TEST_RANDOM_INTEGERS_TEXT_H

#include "random_integers.h"

__attribute__((format(printf, 1, 2))) static void put(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    length += vsnprintf(text + length, (size_t)(TEXT - length), format, args);
    va_end(args);
    assert_true(length < TEXT);
}

static const char *type_text(form_t form, int bits)
{
    static char kept[8][32];
    static int next;
    char *out = kept[next++ % 8];
    static const char *const shapes[FORMS] = {"", "64x", "8x8x", "8x"};
    if (form == SCALAR)
        sprintf(out, "i%d", bits);
    else
        sprintf(out, "tensor<%si%d>", shapes[form], bits);
    return out;
}

static const char *type_of(int value)
{
    return type_text(nodes[value].form, nodes[value].bits);
}

static void put_nodes(int first, int end);

static void put_region(const node_t *node, int first, int end, int yield)
{
    put_nodes(first, end);
    put("scf.yield %%v%d : %s\n", yield, type_text(node->form, node->bits));
}

static void put_combination(int at, const char *name)
{
    const node_t *node = &nodes[at];
    put("%%v%d = \"tt.%s\"(%%v%d) <{axis = %d : i32%s}> ({\n^bb0(%%x%d: i%d, %%y%d: i%d):\n"
        "%%z%d = arith.%s %%x%d, %%y%d : i%d\n\"tt.%s.return\"(%%z%d) : (i%d) -> ()\n}) {tag = %d "
        ": i32} : (%s) -> "
        "%s\n",
        at, name, node->a, node->b, node->kind == SCAN ? ", reverse = false" : "", at, node->bits,
        at, node->bits, at, op_names[node->op], at, at, node->bits, name, at, node->bits, at,
        type_of(node->a), type_of(at));
}

static void put_for(int at)
{
    const node_t *node = &nodes[at];
    char type[32];
    strcpy(type, type_of(at)); // a copy, since type_of overwrites its result
    int64_t upper =
        node->number + node->step * node->count - (node->count > 0 ? node->step / 2 : 0);
    if (!node->from_argument) {
        put("%%l%d = arith.constant %" PRId64 " : i%d\n", at, node->number, node->c);
        put("%%u%d = arith.constant %" PRId64 " : i%d\n", at, upper, node->c);
    }
    put("%%s%d = arith.constant %" PRId64 " : i%d\n", at, node->step, node->c);
    put("%%v%d = scf.for %%v%d = %%l%d to %%u%d step %%s%d iter_args(%%v%d = %%v%d) -> (%s) : i%d "
        "{\n",
        at, node->induction, at, at, at, node->argument, node->a, type, node->c);
    put_region(node, node->first, node->end, node->yields[0]);
    put("} {tag = %d : i32}\n", at);
}

static void put_while(int at)
{
    const node_t *node = &nodes[at];
    char type[32];
    strcpy(type, type_of(at)); // a copy, since type_of overwrites its result
    put("%%c%d = arith.constant 0 : i32\n%%o%d = arith.constant 1 : i32\n", at, at);
    put("%%v%d, %%w%d = scf.while (%%p%d = %%v%d, %%q%d = %%c%d) : (%s, i32) -> (%s, i32) {\n", at,
        at, at, node->a, at, at, type, type);
    put("%%k%d = arith.cmpi slt, %%q%d, %%n%d : i32\nscf.condition(%%k%d) %%p%d, %%q%d : %s, "
        "i32\n} do {\n",
        at, at, at, at, at, at, type);
    put("^bb0(%%v%d: %s, %%v%d: i32):\n", node->argument, type, node->induction);
    put_nodes(node->first, node->end);
    put("%%r%d = arith.addi %%v%d, %%o%d : i32\nscf.yield %%v%d, %%r%d : %s, i32\n} attributes "
        "{tag = %d : i32}\n",
        at, node->induction, at, node->yields[0], at, type, at);
}

static void put_node(int at)
{
    const node_t *n = &nodes[at];
    const char *type = type_of(at);
    switch (n->kind) {
    case BINARY:
        put("%%v%d = arith.%s %%v%d, %%v%d {tag = %d : i32} : %s\n", at, op_names[n->op], n->a,
            n->b, at, type);
        break;
    case COMPARE:
        put("%%v%d = arith.cmpi %s, %%v%d, %%v%d {tag = %d : i32} : %s\n", at,
            predicate_names[n->op], n->a, n->b, at, type_of(n->a));
        break;
    case SELECT:
        put("%%v%d = arith.select %%v%d, %%v%d, %%v%d {tag = %d : i32} : %s, %s\n", at, n->a, n->b,
            n->c, at, type_of(n->a), type);
        break;
    case CAST:
        if (nodes[n->a].bits == n->bits)
            put("%%v%d = tt.bitcast %%v%d {tag = %d : i32} : %s -> %s\n", at, n->a, at,
                type_of(n->a), type);
        else
            put("%%v%d = arith.%s %%v%d {tag = %d : i32} : %s to %s\n", at,
                nodes[n->a].bits > n->bits ? "trunci"
                : n->op                    ? "extsi"
                                           : "extui",
                n->a, at, type_of(n->a), type);
        break;
    case SPLAT:
        put("%%v%d = tt.splat %%v%d {tag = %d : i32} : %s -> %s\n", at, n->a, at, type_of(n->a),
            type);
        break;
    case RESHAPE:
        put("%%v%d = tt.reshape %%v%d {tag = %d : i32} : %s -> %s\n", at, n->a, at, type_of(n->a),
            type);
        break;
    case TRANSPOSE:
        put("%%v%d = tt.trans %%v%d {order = array<i32: 1, 0>, tag = %d : i32} : %s -> %s\n", at,
            n->a, at, type, type);
        break;
    case SPREAD: {
        const char *narrow = n->op ? "1x8" : "8x1";
        put("%%e%d = tt.expand_dims %%v%d {axis = %d : i32} : %s -> tensor<%sxi%d>\n", at, n->a,
            n->op ? 0 : 1, type_of(n->a), narrow, n->bits);
        put("%%v%d = tt.broadcast %%e%d {tag = %d : i32} : tensor<%sxi%d> -> %s\n", at, at, at,
            narrow, n->bits, type);
        break;
    }
    case REDUCE:
        put_combination(at, "reduce");
        break;
    case SCAN:
        put_combination(at, "scan");
        break;
    case GATHER:
        put("%%v%d = tt.gather %%v%d[%%v%d] {axis = 0 : i32, tag = %d : i32} : (%s, %s) -> %s\n",
            at, n->a, n->b, at, type_of(n->a), type_of(n->b), type);
        break;
    case CONSTANT:
        if (n->bits == 1)
            put("%%v%d = arith.constant {tag = %d : i32} dense<%s> : %s\n", at, at,
                n->number ? "true" : "false", type);
        else if (n->form == SCALAR)
            put("%%v%d = arith.constant {tag = %d : i32} %" PRId64 " : %s\n", at, at, n->number,
                type);
        else
            put("%%v%d = arith.constant {tag = %d : i32} dense<%" PRId64 "> : %s\n", at, at,
                n->number, type);
        break;
    case RANGE:
        put("%%v%d = tt.make_range {end = %d : i32, start = %d : i32, tag = %d : i32} : %s\n", at,
            (int)(uint32_t)(n->number + count_of(n->form)), (int)n->number, at, type);
        break;
    case PROGRAM:
        put("%%v%d = tt.get_program_id %s {tag = %d : i32} : i32\n", at, n->op ? "y" : "x", at);
        break;
    case FOR:
        put_for(at);
        break;
    case WHILE:
        put_while(at);
        break;
    case IF:
        put("%%v%d = scf.if %%if%d -> (%s) {\n", at, at, type);
        put_region(n, n->first, n->end, n->yields[0]);
        put("} else {\n");
        put_region(n, n->end, n->other_end, n->yields[1]);
        put("} {tag = %d : i32}\n", at);
        break;
    case ARGUMENT:
    case CARRIED:
        break;
    }
}

static int after(int at)
{
    const node_t *node = &nodes[at];
    return node->kind == FOR || node->kind == WHILE ? node->end
           : node->kind == IF                       ? node->other_end
                                                    : at + 1;
}

static void put_nodes(int first, int end)
{
    for (int at = first; at < end; at = after(at))
        put_node(at);
}

static void put_program(void)
{
    length = 0;
    put("module {\ntt.func @f(%%unused: i1");
    for (int i = 0; i < node_count; i++) {
        const node_t *node = &nodes[i];
        if (node->kind == ARGUMENT)
            put(", %%v%d: i%d%s", i, node->bits, node->op ? " {tt.divisibility = 16 : i32}" : "");
        else if (node->kind == FOR && node->from_argument)
            put(", %%l%d: i%d, %%u%d: i%d", i, node->c, i, node->c);
        else if (node->kind == WHILE)
            put(", %%n%d: i32", i);
        else if (node->kind == IF)
            put(", %%if%d: i1", i);
    }
    put(") {\n");
    put_nodes(0, node_count);
    put("tt.return\n}}\n");
}

#endif
