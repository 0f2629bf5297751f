// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random programs of integers for the tests of analyses: nodes that can be evaluated, and the same
// as tt text, in which each operation is tagged with its node's number.
//
// A region's nodes directly follow the operation's own node in the list, and can be used only
// inside the region.
#ifndef KILN_TEST_RANDOM_INTEGERS_H
#define KILN_TEST_RANDOM_INTEGERS_H

#include <inttypes.h>
#include <stdio.h>

#include "analysis_module.h"

enum { MAX_VALUES = 64, MAX_ELEMENTS = 64, TEXT = 1 << 16 };

static uint64_t random_state;

static uint32_t below(uint32_t limit)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random_state >> 33) % limit;
}

static bool one_in(uint32_t n)
{
    return below(n) == 0;
}

// Programs ----------------------------------------------------------------------------------------

typedef enum form { SCALAR, VECTOR, MATRIX, COLUMN, FORMS } form_t; // 1, 64, 8 × 8, 8 elements

static const int sizes[FORMS][2] = {{1, 1}, {64, 1}, {8, 8}, {8, 1}};

typedef enum kind {
    BINARY,
    COMPARE,
    SELECT,
    CAST,
    SPLAT,
    RESHAPE,
    TRANSPOSE,
    SPREAD, // expand_dims and broadcast
    REDUCE,
    SCAN,
    GATHER,
    CONSTANT,
    RANGE,
    PROGRAM,
    ARGUMENT,
    FOR,
    WHILE,
    IF,
    CARRIED, // an argument of a region
} kind_t;

typedef enum op {
    ADD,
    SUB,
    MUL,
    DIVS,
    DIVU,
    CEILS,
    CEILU,
    FLOORS,
    REMS,
    REMU,
    AND,
    OR,
    XOR,
    SHL,
    SHRU,
    SHRS,
    MINS,
    MINU,
    MAXS,
    MAXU,
    OPS
} op_t;

static const char *const op_names[OPS] = {"addi",      "subi",      "muli",       "divsi", "divui",
                                          "ceildivsi", "ceildivui", "floordivsi", "remsi", "remui",
                                          "andi",      "ori",       "xori",       "shli",  "shrui",
                                          "shrsi",     "minsi",     "minui",      "maxsi", "maxui"};
static const char *const predicate_names[] = {"eq",  "ne",  "slt", "sle", "sgt",
                                              "sge", "ult", "ule", "ugt", "uge"};

typedef struct node {
    kind_t kind;
    form_t form;
    int bits, op, a, b, c;
    int64_t number, step,
        count; // number: a constant, a start, or a lower bound; count: the number of iterations
    int first, end,
        other_end; // the nodes of its regions, which follow it in the list
    int yields[2], argument, induction;
    bool from_argument; // the bounds are unknown to the analysis
} node_t;

typedef struct value {
    uint64_t bits[MAX_ELEMENTS];
    bool undefined[MAX_ELEMENTS];
} value_t;

static node_t nodes[MAX_VALUES];
static value_t values[MAX_VALUES];
static int node_count, scope[MAX_VALUES], scope_count;
static char text[TEXT];
static int length;

static uint64_t mask_of(int bits)
{
    return UINT64_MAX >> (64 - bits);
}

static int64_t with_sign(int bits, uint64_t value)
{
    return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

static int count_of(form_t form)
{
    return sizes[form][0] * sizes[form][1];
}

// A small number, a power of two, or an end of the type, of either sign.
static int64_t random_number(int bits)
{
    uint64_t number = one_in(2)   ? below(40)
                      : one_in(2) ? (uint64_t)1 << below((uint32_t)bits)
                      : one_in(2) ? (uint64_t)below(64) * 16
                                  : ((uint64_t)1 << (bits - 1)) - below(20);
    return with_sign(bits, one_in(3) ? -number : number);
}

static int random_bits(void)
{
    static const int widths[] = {8, 16, 32, 32, 32, 64};
    return widths[below(6)];
}

static int add_node(node_t node)
{
    nodes[node_count] = node;
    return node_count++;
}

static int visible(node_t node)
{
    int at = add_node(node);
    scope[scope_count++] = at;
    return at;
}

static bool room(int wanted)
{
    return node_count + wanted < MAX_VALUES - 8;
}

static int constant(form_t form, int bits, int64_t number)
{
    return visible((node_t){.kind = CONSTANT, .form = form, .bits = bits, .number = number});
}

// A visible value of this form and width; −1 means any.
static int pick(int form, int bits)
{
    int found[MAX_VALUES], count = 0;
    for (int i = 0; i < scope_count; i++)
        if ((form < 0 || (int)nodes[scope[i]].form == form) &&
            (bits < 0 ? nodes[scope[i]].bits > 1 : nodes[scope[i]].bits == bits))
            found[count++] = scope[i];
    return count ? found[below((uint32_t)count)] : -1;
}

static int pick_like(int value)
{
    const node_t *like = &nodes[value];
    return one_in(3) ? constant(like->form, like->bits, random_number(like->bits))
                     : pick((int)like->form, like->bits);
}

static void generate(int steps, int depth);

static void generate_region(int *end, int *yield, int like, int depth)
{
    int kept = scope_count;
    generate(1 + (int)below(4), depth - 1);
    *yield = pick((int)nodes[like].form, nodes[like].bits);
    *end = node_count;
    scope_count = kept;
}

static void generate_loop(kind_t kind, int depth)
{
    int init = pick(-1, -1), bits = one_in(2) ? 32 : 64;
    node_t node = {.kind = kind, .form = nodes[init].form, .bits = nodes[init].bits, .a = init};
    node.count = below(5);
    node.step = 1 + below(40);
    node.from_argument = one_in(2);
    // Includes bounds at the type's ends, where the last step leaves the type.
    node.number = one_in(4)   ? INT64_MAX >> (64 - bits)
                  : one_in(2) ? (int64_t)below(64)
                              : -(int64_t)below(200);
    if (node.number > 1000)
        node.number -= node.step * node.count + 1;
    node.c = kind == FOR ? bits : 32;
    int loop = add_node(node), kept = scope_count;
    nodes[loop].argument = visible((node_t){.kind = CARRIED, .form = node.form, .bits = node.bits});
    nodes[loop].induction = visible((node_t){.kind = CARRIED, .form = SCALAR, .bits = node.c});
    nodes[loop].first = node_count;
    int end, yield;
    generate_region(&end, &yield, init, depth);
    nodes[loop].end = end;
    nodes[loop].yields[0] = yield;
    scope_count = kept;
    scope[scope_count++] = loop;
}

static void generate_if(int depth)
{
    int like = pick(-1, -1), end, yield;
    int node = add_node((node_t){
        .kind = IF, .form = nodes[like].form, .bits = nodes[like].bits, .number = below(2)});
    nodes[node].first = node_count;
    generate_region(&end, &yield, like, depth);
    nodes[node].end = end;
    nodes[node].yields[0] = yield;
    generate_region(&end, &yield, like, depth);
    nodes[node].other_end = end;
    nodes[node].yields[1] = yield;
    scope[scope_count++] = node;
}

static void generate_shape(void)
{
    int vector = pick(VECTOR, -1), matrix = pick(MATRIX, -1), column = pick(COLUMN, -1),
        scalar = pick(SCALAR, -1);
    switch (below(8)) {
    case 0:
        visible((node_t){.kind = RESHAPE, .form = MATRIX, .bits = nodes[vector].bits, .a = vector});
        break;
    case 1:
        if (matrix >= 0)
            visible((node_t){
                .kind = TRANSPOSE, .form = MATRIX, .bits = nodes[matrix].bits, .a = matrix});
        break;
    case 2:
        visible((node_t){.kind = SPREAD,
                         .form = MATRIX,
                         .bits = nodes[column].bits,
                         .a = column,
                         .op = (int)below(2)});
        break;
    case 3:
        if (matrix >= 0)
            visible((node_t){.kind = REDUCE,
                             .form = COLUMN,
                             .bits = nodes[matrix].bits,
                             .a = matrix,
                             .op = (int[]){ADD, MAXS, MINU, OR, MUL}[below(5)],
                             .b = (int)below(2)});
        else
            visible((node_t){.kind = REDUCE,
                             .form = SCALAR,
                             .bits = nodes[vector].bits,
                             .a = vector,
                             .op = ADD});
        break;
    case 4:
        visible((node_t){.kind = SCAN,
                         .form = VECTOR,
                         .bits = nodes[vector].bits,
                         .a = vector,
                         .op = (int[]){ADD, MAXS, XOR}[below(3)]});
        break;
    case 5: {
        int indices = pick(VECTOR, 32);
        if (indices >= 0) {
            int last = constant(VECTOR, 32, 63);
            int inside = visible((node_t){
                .kind = BINARY, .op = AND, .form = VECTOR, .bits = 32, .a = indices, .b = last});
            visible((node_t){.kind = GATHER,
                             .form = VECTOR,
                             .bits = nodes[vector].bits,
                             .a = vector,
                             .b = inside});
        }
        break;
    }
    default:
        visible((node_t){.kind = SPLAT,
                         .form = (form_t[]){VECTOR, MATRIX, COLUMN}[below(3)],
                         .bits = nodes[scalar].bits,
                         .a = scalar});
        break;
    }
}

static int binary(op_t op, int a, int b)
{
    return visible((node_t){.kind = BINARY,
                            .form = nodes[a].form,
                            .bits = nodes[a].bits,
                            .a = a,
                            .b = b,
                            .op = (int)op});
}

// Generates a typical index: consecutive numbers from a multiple of a power of two on, divided,
// compared, or cast.
static void generate_index(void)
{
    static const op_t divisions[] = {DIVS, REMS, FLOORS, DIVU, REMU, CEILS, SHRS, SHRU, AND};
    int start = pick(SCALAR, 32), index = pick(VECTOR, 32);
    if (start < 0 || index < 0)
        return;
    if (one_in(2))
        start = binary(one_in(2) ? MUL : SHL, start, constant(SCALAR, 32, one_in(2) ? 4 : 16));
    start = visible((node_t){.kind = SPLAT, .form = VECTOR, .bits = 32, .a = start});
    index = one_in(3)   ? binary(ADD, start, one_in(2) ? index : 0)
            : one_in(2) ? binary(SUB, 0, start)
                        : index;
    if (one_in(3)) {
        int bits = random_bits();
        index = visible(
            (node_t){.kind = CAST, .form = VECTOR, .bits = bits, .a = index, .op = (int)below(2)});
    }
    int bits = nodes[index].bits;
    int64_t divisor = with_sign(bits, (uint64_t)1 << below((uint32_t)(bits - 1)));
    op_t op = divisions[below(9)];
    if (op == SHRS || op == SHRU)
        divisor = below((uint32_t)bits);
    else if (one_in(3))
        divisor = 16 * (1 + (int64_t)below(7));
    else if (one_in(6))
        divisor = -divisor;
    int other = constant(VECTOR, bits, with_sign(bits, (uint64_t)divisor));
    if (one_in(5))
        visible((node_t){.kind = COMPARE,
                         .form = VECTOR,
                         .bits = 1,
                         .a = index,
                         .b = other,
                         .op = (int)below(10)});
    else
        binary(op, index, other);
}

static void generate(int steps, int depth)
{
    for (int i = 0; i < steps && room(8); i++) {
        uint32_t what = below(26);
        if (what < 2 && depth > 0 && room(20)) {
            generate_loop(one_in(4) ? WHILE : FOR, depth);
        } else if (what < 3 && depth > 0 && room(20)) {
            generate_if(depth);
        } else if (what < 6) {
            int a = pick(-1, -1), bits = random_bits();
            visible((node_t){
                .kind = CAST, .form = nodes[a].form, .bits = bits, .a = a, .op = (int)below(2)});
        } else if (what < 7) {
            int a = pick(-1, -1), b = pick_like(a);
            int c = add_node((node_t){.kind = COMPARE,
                                      .form = nodes[a].form,
                                      .bits = 1,
                                      .a = a,
                                      .b = b,
                                      .op = (int)below(10)});
            int d = pick((int)nodes[a].form, -1), e = pick_like(d);
            visible((node_t){.kind = SELECT,
                             .form = nodes[d].form,
                             .bits = nodes[d].bits,
                             .a = c,
                             .b = d,
                             .c = e});
            if (one_in(4))
                visible((node_t){.kind = CAST,
                                 .form = nodes[a].form,
                                 .bits = random_bits(),
                                 .a = c,
                                 .op = (int)below(2)});
        } else if (what < 11) {
            generate_shape();
        } else if (what < 16) {
            generate_index();
        } else if (what < 17) {
            int truth =
                add_node((node_t){.kind = CONSTANT, .form = VECTOR, .bits = 1, .number = below(2)});
            visible((node_t){.kind = CAST,
                             .form = VECTOR,
                             .bits = random_bits(),
                             .a = truth,
                             .op = (int)below(2)});
        } else {
            int a = pick(-1, -1);
            int b = pick_like(a);
            visible((node_t){.kind = BINARY,
                             .form = nodes[a].form,
                             .bits = nodes[a].bits,
                             .a = a,
                             .b = b,
                             .op = (int)below(OPS)});
        }
    }
}

static void generate_program(void)
{
    node_count = scope_count = 0;
    for (int i = 0; i < 2; i++)
        visible((node_t){.kind = RANGE,
                         .form = i ? COLUMN : VECTOR,
                         .bits = 32,
                         .number = one_in(4)   ? INT32_MAX - 64
                                   : one_in(2) ? -(int64_t)below(5) * 32
                                               : (int64_t)below(100)});
    visible((node_t){.kind = PROGRAM,
                     .form = SCALAR,
                     .bits = 32,
                     .op = 0,
                     .number = one_in(3) ? (1 << 26) - 2 : below(9)});
    visible((node_t){.kind = PROGRAM,
                     .form = SCALAR,
                     .bits = 32,
                     .op = 1,
                     .number = one_in(3) ? 65535 : below(9)});
    for (int i = 0; i < 3; i++) {
        int bits = random_bits();
        int64_t number = random_number(bits);
        visible((node_t){.kind = ARGUMENT,
                         .form = SCALAR,
                         .bits = bits,
                         .number = i ? number : number & -16,
                         .op = !i});
    }
    generate(8 + (int)below(12), 2);
}

#endif
