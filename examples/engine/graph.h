// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model as a graph of values, and its transformations before code generation.
//
// Values      Each is a stack of `batch` matrices of rows × columns. A value is identified by its
//             node's index and is computed from values with smaller ones, so the nodes are in a
//             valid order of execution.
// Building    Functions return a value instead of a status: the first error is recorded, later
//             calls do nothing, and graph_finish returns the error. So a model reads like its
//             formulas (kiln/builder.h does the same).
// Ownership   A graph owns its contents. Strings are copied.
// Fusing      graph_fuse replaces small operations by those that have kernels. Only these can be
//             executed.
#ifndef ENGINE_GRAPH_H
#define ENGINE_GRAPH_H

#include <kiln/element.h>
#include <kiln/status.h>
#include <stdbool.h>
#include <stddef.h>

typedef enum op {
#define OP(id, name) OP_##id,
#include "ops.def"
    OP_COUNT
} op_t;
const char *op_name(op_t op);

typedef int value_t; // NONE: no value
enum { NONE = -1, OPERANDS = 6, NAME_SIZE = 192 };

typedef struct node {
    op_t op;
    value_t in[OPERANDS]; // NONE past the last, and for omitted operands
    int batch, rows, columns;
    kiln_element_type_t element;
    double number;
    int first;            // COLUMNS: of in[0]
    int sequences, heads; // MERGE_HEADS, ATTENTION
    bool transposed;      // MATMUL, LINEAR: the right operand
    bool causal;          // ATTENTION
    op_t activation;      // LINEAR: GELU, GELU_TANH, or OP_COUNT for none
    char name[NAME_SIZE]; // INPUT, STATE; for PARAMETER its tensors, separated by blanks
    bool is_output;
} node_t;

typedef struct graph {
    node_t *nodes;
    int count, capacity;
    kiln_status_t error; // the first
} graph_t;

void graph_free(graph_t *graph);            // also of a zeroed graph
kiln_status_t graph_finish(graph_t *graph); // the first error, which the caller then owns

value_t graph_input(graph_t *graph, const char *name, kiln_element_type_t element, int rows,
                    int columns);
value_t graph_state(graph_t *graph, const char *name, int rows, int columns);
// Tensors of the model's file, named by `format` and its arguments, concatenated. A vector has one
// row.
value_t graph_parameter(graph_t *graph, int rows, int columns, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

value_t graph_columns(graph_t *graph, value_t x, int first, int count);
value_t graph_gather(graph_t *graph, value_t table, value_t numbers);
value_t graph_matmul(graph_t *graph, value_t a, value_t b, bool transposed);
value_t graph_binary(graph_t *graph, op_t op, value_t a, value_t b);     // ADD, SUB, MUL
value_t graph_number(graph_t *graph, op_t op, value_t x, double number); // SCALE, OFFSET
#define graph_unary(graph, op, x) graph_number(graph, op, x, 0) // RSQRT, GELU…, MEAN, SOFTMAX
value_t graph_split_heads(graph_t *graph, value_t x, int sequences, int heads);
value_t graph_merge_heads(graph_t *graph, value_t x, int sequences);
value_t graph_mask(graph_t *graph, op_t op, value_t scores,
                   value_t counts); // MASK_LENGTH, MASK_CAUSAL
value_t graph_append(graph_t *graph, value_t state, value_t x, value_t row);
value_t graph_pool(graph_t *graph, value_t x, value_t lengths);
void graph_output(graph_t *graph, value_t x,
                  kiln_element_type_t element); // f16, or f32 of a product

// Common combinations of the above: x · wᵀ + b with a weight as PyTorch stores it, and (x − mean) /
// √(variance + epsilon) · w + b.
value_t graph_dense(graph_t *graph, value_t x, value_t weight, value_t bias);
value_t graph_layer_norm(graph_t *graph, value_t x, value_t weight, value_t bias, double epsilon);

int graph_uses(const graph_t *graph, value_t x); // by nodes, and as an output
void graph_print(const graph_t *graph);          // to stdout, one line per node

// fuse.c: rewrites until no rule applies, and removes nodes that are no longer used. `out_counts`
// receives how often each rule applied, and may be NULL.
enum { FUSE_RULES = 4 };
extern const char *const fuse_rule_names[FUSE_RULES];
void graph_fuse(graph_t *graph, int out_counts[FUSE_RULES]);

// plan.c: the position of each value in one block of memory. Values whose lifetimes overlap do not
// share memory. Inputs and outputs are always live, so that the host may access them between runs.
typedef struct place {
    size_t offset, size; // bytes; size 0: not in this memory
    int first, last;     // nodes: definition and last use
} place_t;
size_t plan_memory(const graph_t *graph, place_t *out_places); // the size of that memory

// The node whose memory holds a value, and the value's first column in it; looks through views.
value_t graph_storage(const graph_t *graph, value_t x, int *out_first_column);

#endif
