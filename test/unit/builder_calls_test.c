// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The builder's calls for all that tt can say: each as a row with what it prints, and each refusal as a row with its
// message.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kiln/builder.h"

// What every row finds: p: f32 *, n: i32, x: f32[16][32], i: i32[16][32].
typedef struct ground {
    kiln_builder_t *b;
    kiln_value_t p, n, x, i;
} ground_t;

static const kiln_value_t none = {NULL};

static ground_t make(void)
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

static void store(const ground_t *g, kiln_value_t scalar)
{
    kiln_build_store(g->b, g->p, scalar, none);
}

// What is built --------------------------------------------------------------------------------------------------------

static void reduces_by_calls(const ground_t *g)
{
    kiln_value_t both[] = {g->x, g->i}, e[4], combined[2], out[2];
    kiln_build_reduce_begin(g->b, both, 2, 1, e);
    combined[0] = kiln_build_binary(g->b, KILN_BINARY_ADDF, e[0], e[2]);
    combined[1] = kiln_build_binary(g->b, KILN_BINARY_MAXSI, e[1], e[3]);
    kiln_build_reduce_end(g->b, combined, 2, out);
    assert_int_equal(kiln_value_type(g->b, out[0]).rank, 1);
    assert_int_equal(kiln_value_type(g->b, out[1]).element, KILN_VALUE_I32);
    store(g, kiln_build_reduce(g->b, KILN_REDUCE_ADDF, out[0], 0));
}

static void scans_backwards(const ground_t *g)
{
    kiln_value_t e[2], out;
    kiln_build_scan_begin(g->b, &g->x, 1, 0, true, e);
    e[0] = kiln_build_binary(g->b, KILN_BINARY_MULF, e[0], e[1]);
    kiln_build_scan_end(g->b, e, 1, &out);
    assert_int_equal(kiln_value_type(g->b, out).rank, 2);
}

static void finds_the_best(const ground_t *g)
{
    kiln_value_t element, index;
    kiln_build_best(g->b, KILN_COMPARE_OGT, true, g->x, 0, &element, &index);
    assert_int_equal(kiln_value_type(g->b, element).element, KILN_VALUE_F32);
    assert_int_equal(kiln_value_type(g->b, index).shape[0], 32);
}

static void loads_with_hints(const ground_t *g)
{
    const kiln_access_hints_t load = {.cache = KILN_CACHE_CG, .evict = KILN_EVICT_LAST, .is_volatile = true},
                              store = {.cache = KILN_CACHE_WT};
    kiln_build_store_with(g->b, g->p, kiln_build_load_with(g->b, g->p, none, none, &load), none, &store);
}

static void adds_with_an_order(const ground_t *g)
{
    kiln_value_t one = kiln_build_float(g->b, (kiln_value_type_t){.element = KILN_VALUE_F32}, 1);
    kiln_build_atomic_rmw_with(g->b, KILN_ATOMIC_FADD, g->p, one, none, KILN_ORDER_RELAXED, KILN_SCOPE_SYSTEM);
}

static kiln_value_t integer_pointer(const ground_t *g)
{
    return kiln_build_convert_pointer(g->b, KILN_CONVERT_BITCAST, g->p, KILN_VALUE_I32);
}

static void swaps_with_an_order(const ground_t *g)
{
    kiln_build_atomic_cas_with(g->b, integer_pointer(g), g->n, g->n, KILN_ORDER_RELEASE, KILN_SCOPE_CTA);
}

static void polls(const ground_t *g)
{
    kiln_value_t seen =
        kiln_build_atomic_poll(g->b, integer_pointer(g), g->n, none, KILN_ORDER_ACQUIRE, KILN_SCOPE_GPU);
    assert_int_equal(kiln_value_type(g->b, seen).element, KILN_VALUE_I1);
}

static kiln_value_t row(const ground_t *g, kiln_value_t tile, int64_t count)
{
    return kiln_build_reshape(g->b, tile, 1, &count);
}

static void splits(const ground_t *g)
{
    const int64_t shape[] = {256, 2};
    kiln_value_t first, second;
    kiln_build_split(g->b, kiln_build_reshape(g->b, g->x, 2, shape), &first, &second);
    assert_int_equal(kiln_value_type(g->b, second).shape[0], 256);
}

static void concatenates(const ground_t *g)
{
    kiln_value_t flat = row(g, g->x, 512);
    assert_int_equal(kiln_value_type(g->b, kiln_build_cat(g->b, flat, flat)).shape[0], 1024);
}

static void takes_one_element(const ground_t *g)
{
    const int64_t one[] = {1};
    store(g, kiln_build_unsplat(g->b, kiln_build_splat(g->b, kiln_build_load(g->b, g->p, none, none), 1, one)));
}

static void counts(const ground_t *g)
{
    kiln_value_t flat = row(g, g->i, 512), mask = kiln_build_compare(g->b, KILN_COMPARE_SGT, flat, flat);
    kiln_build_histogram(g->b, flat, none, 64);
    assert_int_equal(kiln_value_type(g->b, kiln_build_histogram(g->b, flat, mask, 64)).element, KILN_VALUE_I32);
}

static kiln_value_t square(const ground_t *g, kiln_element_t element)
{
    const int64_t shape[] = {32, 32};
    kiln_value_type_t type = {.element = element, .rank = 2, .shape = {32, 32}};
    return element == KILN_VALUE_I8
               ? kiln_build_broadcast(g->b, kiln_build_int(g->b, (kiln_value_type_t){.element = KILN_VALUE_I8}, 127), 2,
                                      shape)
               : kiln_build_float(g->b, type, 1);
}

static void multiplies_precisely(const ground_t *g)
{
    kiln_value_t x = square(g, KILN_VALUE_F32), small = square(g, KILN_VALUE_F8E5M2);
    kiln_build_dot_with(g->b, x, x, x, KILN_PRECISION_BF16X3, 0);
    kiln_build_dot_with(g->b, small, small, x, KILN_PRECISION_IEEE, 16);
}

static void multiplies_scaled(const ground_t *g)
{
    const int64_t shape[] = {32, 1};
    kiln_value_t scale =
        kiln_build_broadcast(g->b, kiln_build_int(g->b, (kiln_value_type_t){.element = KILN_VALUE_I8}, 127), 2, shape);
    const kiln_scaled_operand_t a = {.tile = square(g, KILN_VALUE_F8E4M3FN),
                                     .scale = scale,
                                     .format = KILN_SCALED_E4M3},
                                b = {.tile = square(g, KILN_VALUE_F16), .format = KILN_SCALED_F16};
    kiln_build_dot_scaled(g->b, &a, &b, square(g, KILN_VALUE_F32), true);
}

static void rounds_toward_zero(const ground_t *g)
{
    assert_int_equal(
        kiln_value_type(g->b, kiln_build_round(g->b, g->x, KILN_VALUE_F16, KILN_ROUNDING_TOWARD_ZERO)).rank, 2);
}

static void calls_the_library(const ground_t *g)
{
    kiln_value_t both[] = {g->x, g->x};
    kiln_build_extern(g->b, "__ocml_pow_f32", both, 2, KILN_VALUE_F32);
}

static void maps(const ground_t *g)
{
    kiln_value_t both[] = {g->x, g->i}, e[2], out[2];
    kiln_build_map_begin(g->b, both, 2, e);
    kiln_value_t results[] = {e[1], kiln_build_unary(g->b, KILN_UNARY_NEGF, e[0])};
    kiln_build_map_end(g->b, results, 2, out);
    assert_int_equal(kiln_value_type(g->b, out[0]).element, KILN_VALUE_I32);
    assert_int_equal(kiln_value_type(g->b, out[1]).rank, 2);
}

static void assembles(const ground_t *g)
{
    const kiln_assembly_t assembly = {"v_mov_b32 $0, $1", "=v,v", 1, false};
    kiln_value_type_t type = kiln_value_type(g->b, g->i);
    kiln_value_t out;
    kiln_build_inline_asm(g->b, &assembly, &g->x, 1, &type, 1, &out);
    assert_int_equal(kiln_value_type(g->b, out).element, KILN_VALUE_I32);
}

static void prints(const ground_t *g)
{
    const bool are_signed[] = {true, false};
    kiln_value_t both[] = {g->n, g->n};
    kiln_build_print(g->b, " n: ", false, both, are_signed, 2);
    kiln_build_assert(g->b, kiln_build_compare(g->b, KILN_COMPARE_SGT, g->n, g->n), "no");
}

// A tensor of n × n behind p, and what its blocks are built with.
typedef struct tensor {
    kiln_value_t sizes[2], wide[2], strides[2], places[2];
    int64_t block[2];
} tensor_t;

static tensor_t tensor(const ground_t *g)
{
    kiln_value_t wide = kiln_build_convert(g->b, KILN_CONVERT_EXTSI, g->n, KILN_VALUE_I64);
    kiln_value_t one = kiln_build_int(g->b, (kiln_value_type_t){.element = KILN_VALUE_I64}, 1);
    return (tensor_t){{g->n, g->n}, {wide, wide}, {wide, one}, {g->n, g->n}, {16, 32}};
}

static kiln_value_t block_pointer(const ground_t *g, const tensor_t *t)
{
    const int32_t order[] = {1, 0};
    return kiln_build_block_pointer(g->b, g->p, 2, t->wide, t->strides, t->places, t->block, order);
}

static kiln_value_t descriptor(const ground_t *g, const tensor_t *t, int64_t rows)
{
    const int64_t block[] = {rows, 32};
    return kiln_build_descriptor(g->b, g->p, 2, t->sizes, t->strides, block, KILN_PADDING_NAN);
}

static void accesses_blocks(const ground_t *g)
{
    tensor_t t = tensor(g);
    kiln_value_t pointer = kiln_build_advance(g->b, block_pointer(g, &t), t.places);
    kiln_value_type_t type = kiln_value_type(g->b, pointer);
    assert_int_equal(type.view, KILN_VIEW_BLOCK_POINTER);
    assert_int_equal(type.shape[1], 32);
    kiln_value_t x = kiln_build_block_load(g->b, pointer, 3, KILN_PADDING_ZERO, NULL);
    kiln_build_block_store(g->b, pointer, x, 1, &(kiln_access_hints_t){.cache = KILN_CACHE_CS});
}

static void accesses_by_descriptors(const ground_t *g)
{
    tensor_t t = tensor(g);
    kiln_value_t d = descriptor(g, &t, 16), x = kiln_build_descriptor_load(g->b, d, t.places, NULL);
    assert_int_equal(kiln_value_type(g->b, d).view, KILN_VIEW_DESCRIPTOR);
    kiln_build_descriptor_store(g->b, d, t.places, x);
    kiln_build_descriptor_reduce(g->b, KILN_VIEW_REDUCE_MAX, d, t.places, x);
}

static void accesses_rows(const ground_t *g)
{
    tensor_t t = tensor(g);
    kiln_value_t d = descriptor(g, &t, 1), rows = kiln_build_range(g->b, 0, 64);
    kiln_build_descriptor_scatter(g->b, d, rows, g->n, kiln_build_descriptor_gather(g->b, d, rows, g->n));
}

static kiln_value_t column(const ground_t *g)
{
    return kiln_build_expand_dims(g->b, kiln_build_range(g->b, 0, 16), 1);
}

static void broadcasts_arithmetic(const ground_t *g)
{
    kiln_value_t row = kiln_build_range(g->b, 0, 32), one = kiln_build_float(g->b, kiln_scalar_type(KILN_VALUE_F32), 1);
    kiln_value_t sum = kiln_build_binary(g->b, KILN_BINARY_ADDI, column(g), row);
    assert_int_equal(kiln_value_type(g->b, sum).shape[0], 16);
    assert_int_equal(kiln_value_type(g->b, sum).shape[1], 32);
    kiln_build_fma(g->b, g->x, one, one);
    kiln_build_clamp(g->b, one, g->x, one);
    kiln_value_t below = kiln_build_compare(g->b, KILN_COMPARE_SLT, row, g->n);
    assert_int_equal(kiln_value_type(g->b, kiln_build_select(g->b, below, one, g->x)).rank, 2);
    assert_int_equal(kiln_value_type(g->b, kiln_build_select(g->b, below, one, one)).rank, 1);
}

static void chooses_a_tile(const ground_t *g)
{
    kiln_value_t one = kiln_build_float(g->b, kiln_tile_type(KILN_VALUE_F32, 32, 0), 1);
    kiln_build_select(g->b, kiln_build_compare(g->b, KILN_COMPARE_SLT, g->n, g->n), g->x, one);
}

static void broadcasts_to_pointers(const ground_t *g)
{
    kiln_value_t row = kiln_build_range(g->b, 0, 32),
                 zero = kiln_build_float(g->b, kiln_scalar_type(KILN_VALUE_F32), 0);
    kiln_value_t at = kiln_build_addptr(g->b, kiln_build_addptr(g->b, g->p, column(g)), row);
    kiln_value_t mask = kiln_build_compare(g->b, KILN_COMPARE_SLT, row, g->n);
    assert_int_equal(kiln_value_type(g->b, kiln_build_load(g->b, at, mask, zero)).shape[0], 16);
    kiln_build_store(g->b, at, zero, mask);
    kiln_build_atomic_rmw(g->b, KILN_ATOMIC_FADD, at, zero, mask);
}

static const struct {
    void (*build)(const ground_t *g);
    const char *printed;
} calls[] = {
    {broadcasts_arithmetic, "arith.addi %{{.*}}, %{{.*}} : tensor<16x32xi32>"},
    {broadcasts_arithmetic, "arith.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x32xi1>, tensor<16x32xf32>"},
    {broadcasts_arithmetic, "math.fma %{{.*}} : tensor<16x32xf32>"},
    {broadcasts_arithmetic, "tt.clampf %{{.*}} : tensor<16x32xf32>"},
    {chooses_a_tile, "arith.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x32xf32>"},
    {broadcasts_to_pointers, "tt.addptr %{{.*}}, %{{.*}} : tensor<16x1x!tt.ptr<f32>>, tensor<16x1xi32>"},
    {broadcasts_to_pointers, "tt.load %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x32x!tt.ptr<f32>>"},
    {broadcasts_to_pointers, "tt.store %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x32x!tt.ptr<f32>>"},
    {broadcasts_to_pointers,
     "tt.atomic_rmw fadd, acq_rel, gpu, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<16x32x!tt.ptr<f32>>"},
    {accesses_blocks, "tt.make_tensor_ptr %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}] {order = "
                      "array<i32: 1, 0>}"},
    {accesses_blocks, "tt.advance"},
    {accesses_blocks, "boundaryCheck = array<i32: 0, 1>, padding = 1 : i32"},
    {accesses_blocks, "cacheModifier = cs {boundaryCheck = array<i32: 0>}"},
    {accesses_by_descriptors,
     "tt.make_tensor_descriptor %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}] {padding = 2 : i32}"},
    {accesses_by_descriptors, "tt.descriptor_load %{{.*}}[%{{.*}}, %{{.*}}]"},
    {accesses_by_descriptors, "tt.descriptor_store %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}}"},
    {accesses_by_descriptors, "tt.descriptor_reduce max"},
    {accesses_rows, "tt.descriptor_gather"},
    {accesses_rows, "tt.descriptor_scatter"},
    {maps, "tt.map_elementwise.return %{{.*}}, %{{.*}} : i32, f32"},
    {assembles,
     "tt.elementwise_inline_asm \"v_mov_b32 $0, $1\" {constraints = \"=v,v\", packed_element = 1 : i32, pure = true}"},
    {prints, "tt.print \" n: \" {hex = false, isSigned = array<i32: 1, 0>, kiln.once}"},
    {prints, "tt.assert %{{.*}}, \"no\" : i1"},
    {rounds_toward_zero, "tt.fp_to_fp %{{.*}}, rounding = rtz : tensor<16x32xf32> -> tensor<16x32xf16>"},
    {calls_the_library, "tt.extern_elementwise %{{.*}}, %{{.*}} {libname = \"\", libpath = \"\", pure = true, symbol = "
                        "\"__ocml_pow_f32\"}"},
    {splits, "tt.split %{{.*}} : tensor<256x2xf32> -> tensor<256xf32>"},
    {concatenates, "tt.cat %{{.*}} : tensor<512xf32> -> tensor<1024xf32>"},
    {takes_one_element, "tt.unsplat %{{.*}} : tensor<1xf32>"},
    {counts, "tt.histogram %{{.*}}, %{{.*}} : tensor<512xi32> -> tensor<64xi32>"},
    {multiplies_precisely, "inputPrecision = bf16x3"},
    {multiplies_precisely, "{maxNumImpreciseAcc = 16 : i32}"},
    {multiplies_scaled,
     "tt.dot_scaled %{{.*}} scale %{{.*}}, %{{.*}}, %{{.*}} lhs = e4m3 rhs = fp16 {fastMath = true}"},
    {loads_with_hints, "cacheModifier = cg evictionPolicy = evict_last {isVolatile = true}"},
    {loads_with_hints, "tt.store {{.*}} cacheModifier = wt"},
    {adds_with_an_order, "tt.atomic_rmw fadd, relaxed, sys"},
    {swaps_with_an_order, "tt.atomic_cas release, cta"},
    {polls, "tt.atomic_poll acquire, gpu"},
    {reduces_by_calls, "tt.reduce.return %{{.*}}, %{{.*}} : f32, i32"},
    {scans_backwards, "\"tt.scan\"(%{{.*}}) <{axis = 0 : i32, reverse = true}>"},
    {finds_the_best, "<{axis = 0 : i32}> ({"},
};

// A text that may have any words between its parts, as in FileCheck.
static bool contains(const char *text, const char *wanted)
{
    char part[256];
    for (;;) {
        const char *gap = strstr(wanted, "{{.*}}");
        size_t length = gap ? (size_t)(gap - wanted) : strlen(wanted);
        assert_true(length < sizeof part);
        memcpy(part, wanted, length);
        part[length] = '\0';
        text = strstr(text, part);
        if (!text || !gap)
            return text;
        text += length;
        wanted = gap + strlen("{{.*}}");
    }
}

static void each_call_is_built(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        kiln_source_t source;
        ground_t g = make();
        calls[i].build(&g);
        kiln_build_kernel_end(g.b);
        kiln_status_t status = kiln_builder_finish(g.b, &source);
        if (status)
            print_error("%zu: %s\n", i, kiln_status_message(status));
        assert_null(status);
        if (!contains(source.text, calls[i].printed))
            print_error("%zu: no '%s' in\n%s\n", i, calls[i].printed, source.text);
        assert_true(contains(source.text, calls[i].printed));
        kiln_builder_release(g.b);
    }
}

// What is refused ------------------------------------------------------------------------------------------------------

static void adds_other_shapes(const ground_t *g)
{
    kiln_build_binary(g->b, KILN_BINARY_ADDI, kiln_build_range(g->b, 0, 16), g->i);
}

static void selects_other_shapes(const ground_t *g)
{
    kiln_value_t few = kiln_build_range(g->b, 0, 16);
    kiln_build_select(g->b, kiln_build_compare(g->b, KILN_COMPARE_SLT, few, few), g->x, g->x);
}

static void stores_too_much(const ground_t *g)
{
    store(g, g->x);
}

static void masks_too_much(const ground_t *g)
{
    kiln_build_load(g->b, g->p, kiln_build_compare(g->b, KILN_COMPARE_SLT, g->i, g->i), none);
}

static void reduces_other_shapes(const ground_t *g)
{
    kiln_value_t both[] = {g->x, kiln_build_range(g->b, 0, 16)}, e[4];
    kiln_build_reduce_begin(g->b, both, 2, 1, e);
}

static void reduces_nothing(const ground_t *g)
{
    kiln_value_t e[2];
    kiln_build_reduce_begin(g->b, NULL, 0, 1, e);
}

static void ends_with_fewer(const ground_t *g)
{
    kiln_value_t both[] = {g->x, g->i}, e[4], out[2];
    kiln_build_reduce_begin(g->b, both, 2, 1, e);
    kiln_build_reduce_end(g->b, e, 1, out);
}

static void ends_with_another_type(const ground_t *g)
{
    kiln_value_t e[2], out;
    kiln_build_scan_begin(g->b, &g->x, 1, 1, false, e);
    kiln_build_scan_end(g->b, &g->n, 1, &out);
}

static void ends_another(const ground_t *g)
{
    kiln_value_t e[2], out;
    kiln_build_scan_begin(g->b, &g->x, 1, 1, false, e);
    kiln_build_reduce_end(g->b, e, 1, &out);
}

static void scans_no_axis(const ground_t *g)
{
    kiln_value_t e[2];
    kiln_build_scan_begin(g->b, &g->x, 1, 2, false, e);
}

static void stores_volatile(const ground_t *g)
{
    kiln_build_store_with(g->b, g->p, kiln_build_load(g->b, g->p, none, none), none,
                          &(kiln_access_hints_t){.is_volatile = true});
}

static void loads_by_no_cache(const ground_t *g)
{
    kiln_build_load_with(g->b, g->p, none, none, &(kiln_access_hints_t){.cache = KILN_CACHE_COUNT});
}

static void adds_in_no_order(const ground_t *g)
{
    kiln_build_atomic_rmw_with(g->b, KILN_ATOMIC_ADD, integer_pointer(g), g->n, none, KILN_ORDER_COUNT, KILN_SCOPE_GPU);
}

static void polls_floats(const ground_t *g)
{
    kiln_value_t x = kiln_build_load(g->b, g->p, none, none);
    kiln_build_atomic_poll(g->b, g->p, x, none, KILN_ORDER_ACQUIRE, KILN_SCOPE_GPU);
}

static void polls_to_release(const ground_t *g)
{
    kiln_build_atomic_poll(g->b, integer_pointer(g), g->n, none, KILN_ORDER_RELEASE, KILN_SCOPE_GPU);
}

static void polls_for_a_short_time(const ground_t *g)
{
    kiln_build_atomic_poll(g->b, integer_pointer(g), g->n, g->n, KILN_ORDER_ACQUIRE, KILN_SCOPE_GPU);
}

static void splits_wide(const ground_t *g)
{
    kiln_value_t first, second;
    kiln_build_split(g->b, g->x, &first, &second);
}

static void concatenates_unlike(const ground_t *g)
{
    kiln_build_cat(g->b, g->x, g->i);
}

static void takes_one_of_many(const ground_t *g)
{
    kiln_build_unsplat(g->b, g->x);
}

static void counts_floats(const ground_t *g)
{
    kiln_build_histogram(g->b, row(g, g->x, 512), none, 64);
}

static void counts_with_another_mask(const ground_t *g)
{
    kiln_build_histogram(g->b, row(g, g->i, 512), g->i, 64);
}

static void counts_in_odd_bins(const ground_t *g)
{
    kiln_build_histogram(g->b, row(g, g->i, 512), none, 60);
}

static void multiplies_by_no_precision(const ground_t *g)
{
    kiln_build_dot_with(g->b, g->x, g->x, g->x, KILN_PRECISION_COUNT, 0);
}

static void multiplies_by_no_format(const ground_t *g)
{
    const kiln_scaled_operand_t a = {.tile = g->x, .format = KILN_SCALED_COUNT};
    kiln_build_dot_scaled(g->b, &a, &a, g->x, false);
}

static void rounds_up_in_size(const ground_t *g)
{
    kiln_build_round(g->b, g->x, KILN_VALUE_F64, KILN_ROUNDING_TOWARD_ZERO);
}

static void rounds_nowhere(const ground_t *g)
{
    kiln_build_round(g->b, g->x, KILN_VALUE_F16, KILN_ROUNDING_COUNT);
}

static void calls_with_nothing(const ground_t *g)
{
    kiln_value_t x = g->x;
    kiln_build_extern(g->b, "__ocml_pow_f32", &x, 0, KILN_VALUE_F32);
}

static void maps_scalars(const ground_t *g)
{
    kiln_value_t e[1];
    kiln_build_map_begin(g->b, &g->n, 1, e);
}

static void maps_to_tiles(const ground_t *g)
{
    kiln_value_t e[1], out;
    kiln_build_map_begin(g->b, &g->x, 1, e);
    kiln_build_map_end(g->b, &g->x, 1, &out);
}

static void maps_to_nothing(const ground_t *g)
{
    kiln_value_t e[1], out;
    kiln_build_map_begin(g->b, &g->x, 1, e);
    kiln_build_map_end(g->b, e, 0, &out);
}

static void assembles_other_shapes(const ground_t *g)
{
    const kiln_assembly_t assembly = {"v_mov_b32 $0, $1", "=v,v", 1, false};
    kiln_value_type_t type = kiln_value_type(g->b, g->n);
    kiln_value_t out;
    kiln_build_inline_asm(g->b, &assembly, &g->x, 1, &type, 1, &out);
}

static void assembles_three(const ground_t *g)
{
    const kiln_assembly_t assembly = {"v_mov_b32 $0, $1", "=v,v", 3, false};
    kiln_value_type_t type = kiln_value_type(g->b, g->x);
    kiln_value_t out;
    kiln_build_inline_asm(g->b, &assembly, &g->x, 1, &type, 1, &out);
}

static void assembles_nothing(const ground_t *g)
{
    const kiln_assembly_t assembly = {"s_nop 0", "", 1, true};
    kiln_build_inline_asm(g->b, &assembly, &g->x, 1, NULL, 0, NULL);
}

static void asserts_numbers(const ground_t *g)
{
    kiln_build_assert(g->b, g->n, "n");
}

static void begins_at_a_number(const ground_t *g)
{
    tensor_t t = tensor(g);
    kiln_build_descriptor(g->b, g->n, 2, t.sizes, t.strides, t.block, KILN_PADDING_NONE);
}

static void has_narrow_strides(const ground_t *g)
{
    tensor_t t = tensor(g);
    kiln_build_descriptor(g->b, g->p, 2, t.sizes, t.sizes, t.block, KILN_PADDING_NONE);
}

static void has_no_dimensions(const ground_t *g)
{
    tensor_t t = tensor(g);
    kiln_build_descriptor(g->b, g->p, 0, t.sizes, t.strides, t.block, KILN_PADDING_NONE);
}

static void pads_with_nothing_known(const ground_t *g)
{
    tensor_t t = tensor(g);
    kiln_build_descriptor(g->b, g->p, 2, t.sizes, t.strides, t.block, KILN_PADDING_COUNT);
}

static void looks_beyond(const ground_t *g)
{
    tensor_t t = tensor(g);
    kiln_build_block_load(g->b, block_pointer(g, &t), 4, KILN_PADDING_ZERO, NULL);
}

static void stores_another_block(const ground_t *g)
{
    tensor_t t = tensor(g);
    kiln_build_block_store(g->b, block_pointer(g, &t), g->i, 0, NULL);
}

static void advances_a_pointer(const ground_t *g)
{
    tensor_t t = tensor(g);
    kiln_build_advance(g->b, g->p, t.places);
}

static void loads_by_a_pointer(const ground_t *g)
{
    tensor_t t = tensor(g);
    kiln_build_descriptor_load(g->b, g->p, t.places, NULL);
}

static void stores_another_value(const ground_t *g)
{
    tensor_t t = tensor(g);
    kiln_build_descriptor_store(g->b, descriptor(g, &t, 16), t.places, g->i);
}

static void reduces_in_no_way(const ground_t *g)
{
    tensor_t t = tensor(g);
    kiln_build_descriptor_reduce(g->b, KILN_VIEW_REDUCE_COUNT, descriptor(g, &t, 16), t.places, g->x);
}

static void gathers_blocks(const ground_t *g)
{
    tensor_t t = tensor(g);
    kiln_build_descriptor_gather(g->b, descriptor(g, &t, 16), kiln_build_range(g->b, 0, 64), g->n);
}

static void scatters_other_rows(const ground_t *g)
{
    tensor_t t = tensor(g);
    kiln_build_descriptor_scatter(g->b, descriptor(g, &t, 1), kiln_build_range(g->b, 0, 64), g->n, g->x);
}

static const struct {
    void (*build)(const ground_t *g);
    const char *message;
} refusals[] = {
    {begins_at_a_number, "a tensor in memory begins at a scalar pointer"},
    {has_narrow_strides, "strides are scalars of i64"},
    {has_no_dimensions, "a block has 1 to 8 dimensions"},
    {pads_with_nothing_known, "a descriptor: there is no such padding"},
    {looks_beyond, "load: there is no such dimension or padding"},
    {stores_another_block, "store: the value is not the block that the pointer points to"},
    {advances_a_pointer, "this is no block pointer"},
    {loads_by_a_pointer, "this is no descriptor"},
    {stores_another_value, "the value is not the descriptor's block"},
    {reduces_in_no_way, "there is no such reduction into memory"},
    {gathers_blocks, "rows are gathered by a descriptor of one row a block"},
    {scatters_other_rows, "the value is not the rows that are named"},
    {maps_scalars, "a map has no axis 0"},
    {maps_to_tiles, "result 0 of a map is a tile, and each element gives a scalar"},
    {maps_to_nothing, "a map gives 1 to 8 results"},
    {assembles_other_shapes, "the arguments and results of assembly have different shapes"},
    {assembles_three, "assembly takes a power of two of elements at once"},
    {assembles_nothing, "assembly has 1 to 16 results"},
    {asserts_numbers, "assert: the condition is not i1"},
    {rounds_up_in_size, "only a conversion to a smaller float rounds"},
    {rounds_nowhere, "there is no such rounding"},
    {calls_with_nothing, "a library function takes 1 to 16 arguments"},
    {splits_wide, "split takes a tile of two or more dimensions, the last of 2"},
    {concatenates_unlike, "cat takes two tiles of one dimension and one type"},
    {takes_one_of_many, "unsplat takes a tile of one element"},
    {counts_floats, "histogram takes a tile of integers of one dimension"},
    {counts_with_another_mask, "the mask is not i1 in the shape of the tile"},
    {counts_in_odd_bins, "a tile's sizes are powers of two"},
    {multiplies_by_no_precision, "dot: there is no such precision"},
    {multiplies_by_no_format, "dot_scaled: there is no such format"},
    {stores_volatile, "only loads are volatile"},
    {loads_by_no_cache, "load: there is no such cache modifier or eviction policy"},
    {adds_in_no_order, "atomic_rmw: there is no such memory order or scope"},
    {polls_floats, "atomic_poll waits for one integer"},
    {polls_to_release, "its order is acquire or relaxed"},
    {polls_for_a_short_time, "the timeout is an i64"},
    {adds_other_shapes, "the operands of arith.addi have different types"},
    {selects_other_shapes, "the operands of select have different shapes"},
    {stores_too_much, "store: the value is not of the type that the pointer points to"},
    {masks_too_much, "load: the mask is not i1 in the shape of the pointer"},
    {reduces_other_shapes, "the operands of tt.reduce have different shapes"},
    {reduces_nothing, "tt.reduce takes 1 to 8 tiles"},
    {ends_with_fewer, "the end of a reduction gives 1 values for 2 tiles"},
    {ends_with_another_type, "value 0 of the end of a scan is not of its tile's element type"},
    {ends_another, "the end of a reduction does not belong here"},
    {scans_no_axis, "tt.scan has no axis 2"},
};

static void each_misuse_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        kiln_source_t source;
        ground_t g = make();
        refusals[i].build(&g);
        kiln_build_kernel_end(g.b);
        kiln_status_t status = kiln_builder_finish(g.b, &source);
        assert_non_null(status);
        if (!strstr(kiln_status_message(status), refusals[i].message))
            print_error("%zu: %s\n", i, kiln_status_message(status));
        assert_non_null(strstr(kiln_status_message(status), refusals[i].message));
        kiln_status_free(status);
        kiln_builder_release(g.b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_call_is_built), cmocka_unit_test(each_misuse_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
