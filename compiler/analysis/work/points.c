// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates nodes (points.h).
//
// Values of tiles are not remembered, so a value that is used twice is computed twice. The budget
// ends an evaluation that would take too long, such as that of a tile of random numbers; its result
// then counts as data.
#include "analysis/work/points.h"

#include <stdlib.h>

#include "builder/compare.h"
#include "builder/count_iterations.h"

enum { BUDGET = 4096, WORD = 64, DATA_VALUES = 4096, DATA_MULTIPLE = 16 };

bool kiln_point_create(kiln_point_t *point, const kiln_node_t *nodes, size_t node_count,
                       const kiln_place_node_t *places, size_t place_count)
{
    *point = (kiln_point_t){.nodes = nodes, .places = places, .grid = {1, 1, 1}, .moves = 1};
    point->iterations = calloc(place_count + 1, sizeof *point->iterations);
    point->known = calloc(node_count + 1, sizeof *point->known);
    point->known_at = calloc(node_count + 1, sizeof *point->known_at);
    return point->iterations && point->known && point->known_at;
}

void kiln_point_free(kiln_point_t *point)
{
    free(point->iterations);
    free(point->known);
    free(point->known_at);
}

void kiln_point_moved(kiln_point_t *point)
{
    point->moves++;
}

// Arithmetic --------------------------------------------------------------------------------------

static int64_t narrow(int64_t value, int bits)
{
    if (bits == 1)
        return value & 1;
    return bits >= WORD ? value : kiln_with_sign((uint64_t)value, bits);
}

static int64_t divide(int64_t a, int64_t b)
{
    if (b == 0 || (a == INT64_MIN && b == -1))
        return 0;
    return a / b;
}

static int64_t shifted(kiln_op_t op, int64_t a, int64_t b, int bits)
{
    if (b < 0 || b >= bits)
        return 0;
    if (op == KILN_OP_ARITH_SHLI)
        return (int64_t)((uint64_t)a << b);
    return op == KILN_OP_ARITH_SHRSI ? a >> b
                                     : (int64_t)(kiln_without_sign((uint64_t)a, bits) >> b);
}

static int64_t rounded_quotient(kiln_op_t op, int64_t a, int64_t b)
{
    const int64_t quotient = divide(a, b);
    const bool is_exact = b != 0 && quotient * b == a, is_negative = (a < 0) != (b < 0);
    if (op == KILN_OP_ARITH_CEILDIVSI)
        return quotient + (!is_exact && !is_negative);
    return quotient - (!is_exact && is_negative);
}

// Operations that see their operands as unsigned numbers.
static int64_t unsigned_result(kiln_op_t op, uint64_t a, uint64_t b)
{
    switch (op) {
    case KILN_OP_ARITH_DIVUI:
        return (int64_t)(b ? a / b : 0);
    case KILN_OP_ARITH_CEILDIVUI:
        return (int64_t)(b && a ? (a - 1) / b + 1 : 0);
    case KILN_OP_ARITH_REMUI:
        return (int64_t)(b ? a % b : 0);
    case KILN_OP_ARITH_MINUI:
        return (int64_t)(a < b ? a : b);
    default:
        return (int64_t)(a > b ? a : b);
    }
}

static int64_t binary(kiln_op_t op, int64_t a, int64_t b, int bits)
{
    switch (op) {
    case KILN_OP_ARITH_ADDI:
        return (int64_t)((uint64_t)a + (uint64_t)b);
    case KILN_OP_ARITH_SUBI:
        return (int64_t)((uint64_t)a - (uint64_t)b);
    case KILN_OP_ARITH_MULI:
        return (int64_t)((uint64_t)a * (uint64_t)b);
    case KILN_OP_ARITH_DIVSI:
        return divide(a, b);
    case KILN_OP_ARITH_CEILDIVSI:
    case KILN_OP_ARITH_FLOORDIVSI:
        return rounded_quotient(op, a, b);
    case KILN_OP_ARITH_REMSI:
        return b == 0 || b == -1 ? 0 : a % b;
    case KILN_OP_ARITH_ANDI:
        return a & b;
    case KILN_OP_ARITH_ORI:
        return a | b;
    case KILN_OP_ARITH_XORI:
        return a ^ b;
    case KILN_OP_ARITH_SHLI:
    case KILN_OP_ARITH_SHRUI:
    case KILN_OP_ARITH_SHRSI:
        return shifted(op, a, b, bits);
    case KILN_OP_ARITH_MINSI:
        return a < b ? a : b;
    case KILN_OP_ARITH_MAXSI:
        return a > b ? a : b;
    default:
        return unsigned_result(op, kiln_without_sign((uint64_t)a, bits),
                               kiln_without_sign((uint64_t)b, bits));
    }
}

static bool compare(kiln_cmpi_t predicate, int64_t a, int64_t b, int bits)
{
    const uint64_t x = kiln_without_sign((uint64_t)a, bits),
                   y = kiln_without_sign((uint64_t)b, bits);
    switch (predicate) {
    case KILN_CMPI_EQ:
        return x == y;
    case KILN_CMPI_NE:
        return x != y;
    case KILN_CMPI_SLT:
        return a < b;
    case KILN_CMPI_SLE:
        return a <= b;
    case KILN_CMPI_SGT:
        return a > b;
    case KILN_CMPI_SGE:
        return a >= b;
    case KILN_CMPI_ULT:
        return x < y;
    case KILN_CMPI_ULE:
        return x <= y;
    case KILN_CMPI_UGT:
        return x > y;
    default:
        return x >= y;
    }
}

// Elements ----------------------------------------------------------------------------------------

// The element of the operand that an element of the result comes from.
static void source_of(const kiln_node_t *node, const kiln_node_t *from, const int64_t *where,
                      int64_t *out)
{
    int64_t place = 0;
    switch (node->op) {
    case KILN_OP_TT_EXPAND_DIMS:
        for (int d = 0; d < from->rank; d++)
            out[d] = where[d < node->value ? d : d + 1];
        return;
    case KILN_OP_TT_TRANS: // value: the operand's dimension of each of the result's, 4 bits each
        for (int d = 0; d < from->rank; d++)
            out[node->value >> 4 * d & 15] = where[d];
        return;
    case KILN_OP_TT_RESHAPE:
        for (int d = 0; d < node->rank; d++)
            place = place * node->dims[d] + where[d];
        for (int d = from->rank - 1; d >= 0; d--) {
            out[d] = place % from->dims[d];
            place /= from->dims[d];
        }
        return;
    default: // broadcast, elementwise
        for (int d = 0; d < from->rank; d++)
            out[d] = from->dims[d] == 1 ? 0 : where[d];
    }
}

// An arbitrary number: equal for equal addresses, and a multiple, as numbers in memory are often
// positions.
static int64_t from_memory(kiln_point_t *point, const kiln_node_t *node, int64_t number,
                           const int64_t *where)
{
    uint64_t hash = (uint64_t)number + 1;
    if (node->operands[0] >= 0)
        hash = (uint64_t)kiln_point_value(point, node->operands[0], where);
    else
        for (int d = 0; d < node->rank; d++)
            hash = hash * 1000003 + (uint64_t)where[d];
    point->assumed = true;
    hash *= UINT64_C(0x9e3779b97f4a7c15);
    return (int64_t)(hash >> 32) % DATA_VALUES * DATA_MULTIPLE;
}

// The value after a number of iterations, from the first two.
static int64_t carried(kiln_point_t *point, const kiln_node_t *node, const int64_t *where,
                       int64_t iterations)
{
    const int64_t first = kiln_point_value(point, node->operands[0], where);
    if (iterations == 0 || node->operands[1] < 0)
        return first;
    const int64_t now = point->iterations[node->place];
    point->iterations[node->place] = 0;
    point->moves++;
    const int64_t second = kiln_point_value(point, node->operands[1], where);
    point->iterations[node->place] = now;
    point->moves++;
    return (int64_t)((uint64_t)first + (uint64_t)iterations * ((uint64_t)second - (uint64_t)first));
}

static int64_t operand(kiln_point_t *point, const kiln_node_t *node, int index,
                       const int64_t *where)
{
    const kiln_node_t *from = &point->nodes[node->operands[index]];
    int64_t there[KILN_POINT_RANK] = {0};
    source_of(node, from, where, there);
    return kiln_point_value(point, node->operands[index], there);
}

static int64_t operation(kiln_point_t *point, const kiln_node_t *node, const int64_t *where)
{
    const int64_t a = operand(point, node, 0, where);
    const int bits = point->nodes[node->operands[0]].bits;
    switch (node->op) {
    case KILN_OP_TT_ADDPTR: // value: bytes of an element
        return (int64_t)((uint64_t)a +
                         (uint64_t)operand(point, node, 1, where) * (uint64_t)node->value);
    case KILN_OP_ARITH_CMPI: // value: the predicate
        return compare((kiln_cmpi_t)node->value, a, operand(point, node, 1, where), bits);
    case KILN_OP_SCF_CONDITION:
        return a;
    case KILN_OP_ARITH_SELECT:
    case KILN_OP_SCF_IF:
        return operand(point, node, a ? 1 : 2, where);
    case KILN_OP_ARITH_EXTSI:
        return bits == 1 ? -a : a;
    case KILN_OP_ARITH_EXTUI:
    case KILN_OP_ARITH_INDEX_CASTUI:
        return (int64_t)kiln_without_sign((uint64_t)a, bits);
    default:
        return node->operands[1] < 0 ? a
                                     : binary(node->op, a, operand(point, node, 1, where), bits);
    }
}

static int64_t compute(kiln_point_t *point, int number, const int64_t *where)
{
    const kiln_node_t *node = &point->nodes[number];
    switch (node->kind) {
    case KILN_NODE_CONSTANT:
        return node->value;
    case KILN_NODE_ARGUMENT:
        return point->arguments[node->value];
    case KILN_NODE_PROGRAM_ID:
        return point->program[node->value];
    case KILN_NODE_PROGRAM_COUNT:
        return point->grid[node->value];
    case KILN_NODE_INDEX: {
        const kiln_place_node_t *loop = &point->places[node->place];
        return (int64_t)((uint64_t)kiln_point_value(point, loop->lower, NULL) +
                         (uint64_t)point->iterations[node->place] *
                             (uint64_t)kiln_point_value(point, loop->step, NULL));
    }
    case KILN_NODE_CARRIED:
        return carried(point, node, where, point->iterations[node->place]);
    case KILN_NODE_AFTER:
        return carried(point, node, where, (int64_t)kiln_point_trips(point, node->place));
    case KILN_NODE_OPERATION:
        return node->op == KILN_OP_TT_MAKE_RANGE ? node->value + where[0]
                                                 : operation(point, node, where);
    default:
        return from_memory(point, node, number, where);
    }
}

// The outermost call sets the budget.
int64_t kiln_point_value(kiln_point_t *point, int node, const int64_t *where)
{
    const kiln_node_t *n = &point->nodes[node];
    const bool is_scalar = n->rank == 0, is_outermost = point->budget == 0;
    if (is_scalar && point->known_at[node] == point->moves)
        return point->known[node];
    if (is_outermost)
        point->budget = BUDGET;
    if (--point->budget <= 0) {
        point->budget = 1; // still inside
        point->assumed = true;
        return 0;
    }
    const bool before = point->assumed;
    point->assumed = false;
    const int64_t value = narrow(compute(point, node, where), n->bits);
    if (is_scalar && !point->assumed) { // otherwise later uses would not set `assumed`
        point->known[node] = value;
        point->known_at[node] = point->moves;
    }
    point->assumed |= before;
    if (is_outermost)
        point->budget = 0;
    return value;
}

// Whether a number that the loop's test is computed from changes by another amount in the second
// iteration than in the first one: it is then not known after many.
static bool is_uneven(kiln_point_t *point, int number, int place, int *visits)
{
    const kiln_node_t *node = &point->nodes[number];
    if (--*visits < 0)
        return true;
    if (node->kind == KILN_NODE_CARRIED && node->place == place) {
        if (node->operands[1] < 0)
            return false;
        int64_t values[3];
        values[0] = kiln_point_value(point, node->operands[0], NULL);
        for (int i = 0; i < 2; i++) {
            point->iterations[place] = i;
            kiln_point_moved(point);
            values[i + 1] = kiln_point_value(point, node->operands[1], NULL);
        }
        return (uint64_t)values[2] - (uint64_t)values[1] !=
               (uint64_t)values[1] - (uint64_t)values[0];
    }
    if (node->kind == KILN_NODE_OPERATION)
        for (int i = 0; i < 3; i++)
            if (node->operands[i] >= 0 && is_uneven(point, node->operands[i], place, visits))
                return true;
    return false;
}

static bool goes_on(kiln_point_t *point, int place, int64_t iterations)
{
    point->iterations[place] = iterations;
    kiln_point_moved(point);
    return kiln_point_value(point, point->places[place].condition, NULL) != 0;
}

// The number of iterations after which a while's test fails: tried one by one, then by doubling and
// halving, as tests are mostly of an order. −1: unknown.
static int64_t turns_of(kiln_point_t *point, int place)
{
    enum { ONE_BY_ONE = 64, MAX_VISITS = 256 };
    const int64_t max = INT64_C(1) << 32;
    const kiln_place_node_t *loop = &point->places[place];
    int visits = MAX_VISITS;
    if (loop->condition < 0 || is_uneven(point, loop->condition, place, &visits))
        return -1;
    int64_t turns = 0;
    while (turns < ONE_BY_ONE && goes_on(point, place, turns))
        turns++;
    if (turns < ONE_BY_ONE)
        return turns;
    while (turns < max && goes_on(point, place, turns))
        turns *= 2;
    if (turns >= max)
        return -1;
    int64_t good = turns / 2; // its test still holds
    while (turns - good > 1) {
        const int64_t middle = good + (turns - good) / 2;
        *(goes_on(point, place, middle) ? &good : &turns) = middle;
    }
    return turns;
}

static double count_turns(kiln_point_t *point, int place)
{
    const kiln_place_node_t *loop = &point->places[place];
    if (loop->has_index) {
        point->assumed = true;
        return KILN_POINT_GUESSED_EXTENT;
    }
    const bool before = point->assumed;
    const int64_t now = point->iterations[place];
    point->assumed = false;
    int64_t turns = turns_of(point, place);
    point->iterations[place] = now;
    kiln_point_moved(point);
    if (turns < 0 || point->assumed) {
        point->assumed = true;
        return KILN_POINT_GUESSED_TURNS;
    }
    point->assumed = before;
    return (double)(turns + loop->tests_last);
}

double kiln_point_trips(kiln_point_t *point, int place)
{
    const kiln_place_node_t *loop = &point->places[place];
    if (loop->kind == KILN_PLACE_WHILE)
        return count_turns(point, place);
    if (loop->kind != KILN_PLACE_FOR)
        return 1;
    const bool before = point->assumed;
    point->assumed = false;
    const int64_t lower = kiln_point_value(point, loop->lower, NULL),
                  upper = kiln_point_value(point, loop->upper, NULL),
                  step = kiln_point_value(point, loop->step, NULL);
    uint64_t count = 0;
    const bool is_counted =
        kiln_count_iterations((uint64_t)lower, (uint64_t)upper, (uint64_t)step,
                              point->nodes[loop->lower].bits, loop->is_unsigned, &count);
    if (!is_counted || point->assumed) {
        point->assumed = true;
        count = step > 0 && step < KILN_POINT_GUESSED_EXTENT
                    ? (uint64_t)(KILN_POINT_GUESSED_EXTENT / step)
                    : 1;
    }
    point->assumed |= before;
    return (double)count;
}
