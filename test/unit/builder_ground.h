// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel under construction, with the input values of the tests of the builder's calls. Include
// cmocka's headers before this one.
#ifndef TEST_BUILDER_GROUND_H
#define TEST_BUILDER_GROUND_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kiln/builder.h"

// The values that every row can use: p: f32 *, n: i32, x: f32[16][32], i: i32[16][32].
typedef struct ground {
    kiln_builder_t *b;
    kiln_value_t p, n, x, i;
} ground_t;

static const kiln_value_t none = {NULL};

static inline ground_t make(void)
{
    ground_t g;
    kiln_value_t arguments[2];
    const int64_t shape[] = {16, 32};
    const kiln_kernel_parameter_t parameters[] = {
        {"p", {.element = KILN_VALUE_F32, .is_pointer = true}, 16, true},
        {"n", {.element = KILN_VALUE_I32}, 0, false},
    };
    assert_null(kiln_builder_create(&g.b));
    kiln_build_kernel_begin(g.b, "k", parameters, 2, arguments);
    g.p = arguments[0];
    g.n = arguments[1];
    g.i = kiln_build_broadcast(g.b, g.n, 2, shape);
    g.x = kiln_build_convert(g.b, KILN_CONVERT_SITOFP, g.i, KILN_VALUE_F32);
    return g;
}

static inline void store(const ground_t *g, kiln_value_t scalar)
{
    kiln_build_store(g->b, g->p, scalar, none);
}

static inline kiln_value_t integer_pointer(const ground_t *g)
{
    return kiln_build_convert_pointer(g->b, KILN_CONVERT_BITCAST, g->p, KILN_VALUE_I32);
}

static inline kiln_value_t row(const ground_t *g, kiln_value_t tile, int64_t count)
{
    return kiln_build_reshape(g->b, tile, 1, &count);
}

// An n × n tensor that p points to, and the operands for building its blocks.
typedef struct tensor {
    kiln_value_t sizes[2], wide[2], strides[2], places[2];
    int64_t block[2];
} tensor_t;

static inline tensor_t tensor(const ground_t *g)
{
    kiln_value_t wide = kiln_build_convert(g->b, KILN_CONVERT_EXTSI, g->n, KILN_VALUE_I64);
    kiln_value_t one = kiln_build_int(g->b, (kiln_value_type_t){.element = KILN_VALUE_I64}, 1);
    return (tensor_t){{g->n, g->n}, {wide, wide}, {wide, one}, {g->n, g->n}, {16, 32}};
}

static inline kiln_value_t block_pointer(const ground_t *g, const tensor_t *t)
{
    const int32_t order[] = {1, 0};
    return kiln_build_block_pointer(g->b, g->p, 2, t->wide, t->strides, t->places, t->block, order);
}

static inline kiln_value_t descriptor(const ground_t *g, const tensor_t *t, int64_t rows)
{
    const int64_t block[] = {rows, 32};
    return kiln_build_descriptor(g->b, g->p, 2, t->sizes, t->strides, block, KILN_PADDING_NAN);
}

#endif
