// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program's integers and addresses, evaluated at points: one element of a tile, in one program,
// in one iteration of each loop. Nothing has to be proved by an analysis: trip counts for given
// arguments, contiguous bytes, and programs that access the same tile are computed.
//
// The nodes are the program's values, without MLIR. Note that results are estimates: carried values
// of a loop are assumed to grow by the same amount in each iteration, and a value that depends on
// memory is an arbitrary number and sets `assumed`.
#ifndef KILN_ANALYSIS_WORK_POINTS_H
#define KILN_ANALYSIS_WORK_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kiln/dialects.h"

// Of a loop that data ends: values of an index that a for covers, iterations of a while.
enum { KILN_POINT_RANK = 5, KILN_POINT_GUESSED_EXTENT = 1024, KILN_POINT_GUESSED_TURNS = 16 };

typedef enum kiln_node_kind {
    KILN_NODE_DATA,          // anything else; of a load: operands[0] is its pointer, or −1
    KILN_NODE_CONSTANT,      // value
    KILN_NODE_ARGUMENT,      // value: its index
    KILN_NODE_PROGRAM_ID,    // value: the dimension
    KILN_NODE_PROGRAM_COUNT, // value: the dimension
    KILN_NODE_OPERATION,     // op; value: an attribute of it
    KILN_NODE_INDEX,         // of the loop `place`
    KILN_NODE_CARRIED,       // by the loop `place`; operands: first value, next value
    KILN_NODE_AFTER          // the loop `place`: its result; operands as CARRIED
} kiln_node_kind_t;

typedef struct kiln_node {
    kiln_node_kind_t kind;
    kiln_op_t op;
    int operands[3]; // −1: none
    int64_t value;
    int place;
    int depth;    // loads of this place that it depends on, one after the other
    bool is_data; // depends on data in memory, or is a floating-point number that varies
    int bits, rank;
    int64_t dims[KILN_POINT_RANK];
} kiln_node_t;

// A loop, a side of a branch, or the program. Numbers are of nodes.
typedef enum kiln_place_kind {
    KILN_PLACE_PROGRAM,
    KILN_PLACE_FOR,
    KILN_PLACE_WHILE,
    KILN_PLACE_THEN,
    KILN_PLACE_ELSE
} kiln_place_kind_t;

typedef struct kiln_place_node {
    kiln_place_kind_t kind;
    int parent;
    int lower, upper, step; // FOR
    bool is_unsigned;
    int condition;   // THEN and ELSE; WHILE: −1 if it has none that is a number
    bool has_index;  // WHILE: a for whose bounds are no numbers that are known
    bool tests_last; // WHILE: what it does comes before the test
    bool is_guard;   // the other side does nothing
    double live_bits;
    unsigned load_depth;
    bool has_dot;
} kiln_place_node_t;

typedef struct kiln_point {
    const kiln_node_t *nodes;
    const kiln_place_node_t *places;
    const int64_t *arguments;
    int64_t grid[3], program[3];
    int64_t *iterations; // of each place; after a change call kiln_point_moved
    bool assumed;        // set if a result depends on data
    // Scalars that have been computed at this point, by node.
    int64_t *known;
    uint32_t *known_at, moves;
    int budget;
} kiln_point_t;

// Fails when out of memory; free the point in either case.
bool kiln_point_create(kiln_point_t *point, const kiln_node_t *nodes, size_t node_count,
                       const kiln_place_node_t *places, size_t place_count);
void kiln_point_free(kiln_point_t *point);
void kiln_point_moved(kiln_point_t *point);

// The value of a node at the element `where` (rank coordinates; unused for scalars).
int64_t kiln_point_value(kiln_point_t *point, int node, const int64_t *where);

// Iterations of a loop at this point; 1 for other places.
double kiln_point_trips(kiln_point_t *point, int place);

#endif
