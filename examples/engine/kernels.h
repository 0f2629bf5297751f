// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels: which kernel computes a node, and how it is built with kiln/builder.h.
//
// A kernel is a kind and constants: sizes, strides, fused operations. Values that change between
// runs are arguments: rows, addresses, a sequence's length (read from memory, so that a captured
// graph can be launched again). The name encodes kind and constants, so equal names mean the same
// kernel, and a bundle that contains a name contains the code.
#ifndef ENGINE_KERNELS_H
#define ENGINE_KERNELS_H

#include <kiln/builder.h>

#include "graph.h"

enum { CONSTANTS = 12, ARGUMENTS = 8, KERNEL_NAME_SIZE = 120 };

// clang-format off
typedef enum kernel_kind { KERNEL_LINEAR, KERNEL_ATTENTION, KERNEL_LAYER_NORM, KERNEL_EMBED, KERNEL_POOL } kernel_kind_t;

// Indices of each kind's constants. Strides are of rows, in elements.
enum { LINEAR_BLOCK, LINEAR_N, LINEAR_K, LINEAR_X_STRIDE, LINEAR_W_STRIDE, LINEAR_RESIDUAL_STRIDE, LINEAR_Y_STRIDE,
       LINEAR_TRANSPOSED, LINEAR_ACTIVATION, LINEAR_PARTS, LINEAR_WIDE };
enum { ACTIVATION_NONE, ACTIVATION_GELU, ACTIVATION_GELU_TANH };
enum { LINEAR_HAS_BIAS = 1, LINEAR_HAS_RESIDUAL = 2, LINEAR_APPENDS = 4 }; // bits of LINEAR_PARTS
enum { ATTENTION_BLOCK, ATTENTION_D, ATTENTION_HEADS, ATTENTION_Q_STRIDE, ATTENTION_K_STRIDE, ATTENTION_V_STRIDE,
       ATTENTION_CAUSAL };
enum { ROW_N, ROW_EXTRA }; // all other kinds: columns; a third summand
// clang-format on

typedef struct kernel {
    kernel_kind_t kind;
    int constant[CONSTANTS];
    char name[KERNEL_NAME_SIZE];
} kernel_t;

// An argument of a launch: a value's memory, or a number.
typedef struct argument {
    const char *name, *type; // as in a manifest
    value_t value;           // NONE: a number
    int first_column;        // in the value's memory
    double number;
} argument_t;

typedef struct launch {
    kernel_t kernel;
    argument_t arguments[ARGUMENTS];
    int argument_count;
} launch_t;

// lower.c: the launch that computes a node; `out_has_launch` is false if none is needed.
// UNSUPPORTED names an operation without a kernel.
kiln_status_t lower_node(const graph_t *graph, value_t x, launch_t *out_launch,
                         bool *out_has_launch);

void kernel_set_name(kernel_t *kernel); // from its kind and constants

// The kernel as text for kiln_program_compile, owned by the builder, and its grid as expressions.
kiln_status_t kernel_build(const kernel_t *kernel, kiln_builder_t *builder,
                           kiln_source_t *out_source, char out_grid[64]);

// Common to the emit_*.c files: the kernel that is being built, and short names for arithmetic.
typedef struct emit {
    kiln_builder_t *b;
    const kernel_t *kernel;
} emit_t;

void emit_linear(emit_t *e, char grid[64]);
void emit_attention(emit_t *e, char grid[64]);
void emit_layer_norm(emit_t *e, char grid[64]);
void emit_embed(emit_t *e, char grid[64]);
void emit_pool(emit_t *e, char grid[64]);

typedef kiln_value_t tile_t; // or a scalar
static const tile_t no_tile = {0};

// Begins the kernel and stores its arguments at the parameters' `out`. A parameter with out = NULL
// is omitted.
typedef struct parameter {
    const char *name, *type; // as in a manifest: "*f16", "*f32", "*i32", "i32", "f32"
    tile_t *out;
} parameter_t;
void emit_begin(emit_t *e, const parameter_t *parameters);
#define EMIT_BEGIN(e, ...) emit_begin(e, (const parameter_t[]){__VA_ARGS__, {NULL, NULL, NULL}})

tile_t i32(emit_t *e, int64_t x);
tile_t f32(emit_t *e, double x);
tile_t add(emit_t *e, tile_t x, tile_t y); // of integers or floats, as are the next two
tile_t sub(emit_t *e, tile_t x, tile_t y);
tile_t mul(emit_t *e, tile_t x, tile_t y);
tile_t divide(emit_t *e, tile_t x, tile_t y); // of floats
tile_t rest(emit_t *e, tile_t x, tile_t y);   // of integers
tile_t both(emit_t *e, tile_t x, tile_t y);
tile_t less(emit_t *e, tile_t x, tile_t y);
tile_t at(emit_t *e, tile_t p, tile_t i); // a pointer to its i-th element
tile_t load(emit_t *e, tile_t p);
tile_t load_where(emit_t *e, tile_t p, tile_t mask); // 0 elsewhere; without a mask, loads
                                                     // everything
tile_t row(emit_t *e, tile_t x);                     // n → 1 × n
tile_t column(emit_t *e, tile_t x);                  // n → n × 1
tile_t wide(emit_t *e, tile_t x);                    // to f32
tile_t narrow(emit_t *e, tile_t x);                  // to f16
// The indices of this program's block of `size` along a grid axis.
tile_t block_range(emit_t *e, int axis, int size);
// Begins a loop from 0 to `end` by `step`, which kiln_build_for_end ends.
void for_begin(emit_t *e, tile_t end, int step, const tile_t *initial, size_t count, tile_t *out_i,
               tile_t *out_carried);

int power_of_two(int at_least);

#endif
