// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The builder's calls for everything that tt can express: one row per call, with the text that it
// prints.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "builder_ground.h"
#include "kiln/builder.h"

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
    const kiln_access_hints_t load = {.cache = KILN_CACHE_CG,
                                      .evict = KILN_EVICT_LAST,
                                      .is_volatile = true},
                              store = {.cache = KILN_CACHE_WT};
    kiln_build_store_with(g->b, g->p, kiln_build_load_with(g->b, g->p, none, none, &load), none,
                          &store);
}

static void adds_with_an_order(const ground_t *g)
{
    kiln_value_t one = kiln_build_float(g->b, (kiln_value_type_t){.element = KILN_VALUE_F32}, 1);
    kiln_build_atomic_rmw_with(g->b, KILN_ATOMIC_FADD, g->p, one, none, KILN_ORDER_RELAXED,
                               KILN_SCOPE_SYSTEM);
}

static void swaps_with_an_order(const ground_t *g)
{
    kiln_build_atomic_cas_with(g->b, integer_pointer(g), g->n, g->n, KILN_ORDER_RELEASE,
                               KILN_SCOPE_CTA);
}

static void polls(const ground_t *g)
{
    kiln_value_t seen = kiln_build_atomic_poll(g->b, integer_pointer(g), g->n, none,
                                               KILN_ORDER_ACQUIRE, KILN_SCOPE_GPU);
    assert_int_equal(kiln_value_type(g->b, seen).element, KILN_VALUE_I1);
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
    store(g, kiln_build_unsplat(
                 g->b, kiln_build_splat(g->b, kiln_build_load(g->b, g->p, none, none), 1, one)));
}

static void counts(const ground_t *g)
{
    kiln_value_t flat = row(g, g->i, 512),
                 mask = kiln_build_compare(g->b, KILN_COMPARE_SGT, flat, flat);
    kiln_build_histogram(g->b, flat, none, 64);
    assert_int_equal(kiln_value_type(g->b, kiln_build_histogram(g->b, flat, mask, 64)).element,
                     KILN_VALUE_I32);
}

static kiln_value_t square(const ground_t *g, kiln_element_t element)
{
    const int64_t shape[] = {32, 32};
    kiln_value_type_t type = {.element = element, .rank = 2, .shape = {32, 32}};
    return element == KILN_VALUE_I8
               ? kiln_build_broadcast(
                     g->b, kiln_build_int(g->b, (kiln_value_type_t){.element = KILN_VALUE_I8}, 127),
                     2, shape)
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
    kiln_value_t scale = kiln_build_broadcast(
        g->b, kiln_build_int(g->b, (kiln_value_type_t){.element = KILN_VALUE_I8}, 127), 2, shape);
    const kiln_scaled_operand_t a = {.tile = square(g, KILN_VALUE_F8E4M3FN),
                                     .scale = scale,
                                     .format = KILN_SCALED_E4M3},
                                b = {.tile = square(g, KILN_VALUE_F16), .format = KILN_SCALED_F16};
    kiln_build_dot_scaled(g->b, &a, &b, square(g, KILN_VALUE_F32), true);
}

static void rounds_toward_zero(const ground_t *g)
{
    assert_int_equal(kiln_value_type(g->b, kiln_build_round(g->b, g->x, KILN_VALUE_F16,
                                                            KILN_ROUNDING_TOWARD_ZERO))
                         .rank,
                     2);
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
    kiln_build_descriptor_scatter(g->b, d, rows, g->n,
                                  kiln_build_descriptor_gather(g->b, d, rows, g->n));
}

static kiln_value_t column(const ground_t *g)
{
    return kiln_build_expand_dims(g->b, kiln_build_range(g->b, 0, 16), 1);
}

static void broadcasts_arithmetic(const ground_t *g)
{
    kiln_value_t row = kiln_build_range(g->b, 0, 32),
                 one = kiln_build_float(g->b, kiln_scalar_type(KILN_VALUE_F32), 1);
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
    {broadcasts_arithmetic,
     "arith.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x32xi1>, tensor<16x32xf32>"},
    {broadcasts_arithmetic, "math.fma %{{.*}} : tensor<16x32xf32>"},
    {broadcasts_arithmetic, "tt.clampf %{{.*}} : tensor<16x32xf32>"},
    {chooses_a_tile, "arith.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x32xf32>"},
    {broadcasts_to_pointers,
     "tt.addptr %{{.*}}, %{{.*}} : tensor<16x1x!tt.ptr<f32>>, tensor<16x1xi32>"},
    {broadcasts_to_pointers, "tt.load %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x32x!tt.ptr<f32>>"},
    {broadcasts_to_pointers, "tt.store %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x32x!tt.ptr<f32>>"},
    {broadcasts_to_pointers,
     "tt.atomic_rmw fadd, acq_rel, gpu, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<16x32x!tt.ptr<f32>>"},
    {accesses_blocks, "tt.make_tensor_ptr %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}], "
                      "[%{{.*}}, %{{.*}}] {order = "
                      "array<i32: 1, 0>}"},
    {accesses_blocks, "tt.advance"},
    {accesses_blocks, "boundaryCheck = array<i32: 0, 1>, padding = 1 : i32"},
    {accesses_blocks, "cacheModifier = cs {boundaryCheck = array<i32: 0>}"},
    {accesses_by_descriptors, "tt.make_tensor_descriptor %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, "
                              "%{{.*}}] {padding = 2 : i32}"},
    {accesses_by_descriptors, "tt.descriptor_load %{{.*}}[%{{.*}}, %{{.*}}]"},
    {accesses_by_descriptors, "tt.descriptor_store %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}}"},
    {accesses_by_descriptors, "tt.descriptor_reduce max"},
    {accesses_rows, "tt.descriptor_gather"},
    {accesses_rows, "tt.descriptor_scatter"},
    {maps, "tt.map_elementwise.return %{{.*}}, %{{.*}} : i32, f32"},
    {assembles, "tt.elementwise_inline_asm \"v_mov_b32 $0, $1\" {constraints = \"=v,v\", "
                "packed_element = 1 : i32, pure = true}"},
    {prints, "tt.print \" n: \" {hex = false, isSigned = array<i32: 1, 0>, kiln.once}"},
    {prints, "tt.assert %{{.*}}, \"no\" : i1"},
    {rounds_toward_zero,
     "tt.fp_to_fp %{{.*}}, rounding = rtz : tensor<16x32xf32> -> tensor<16x32xf16>"},
    {calls_the_library, "tt.extern_elementwise %{{.*}}, %{{.*}} {libname = \"\", libpath = \"\", "
                        "pure = true, symbol = "
                        "\"__ocml_pow_f32\"}"},
    {splits, "tt.split %{{.*}} : tensor<256x2xf32> -> tensor<256xf32>"},
    {concatenates, "tt.cat %{{.*}} : tensor<512xf32> -> tensor<1024xf32>"},
    {takes_one_element, "tt.unsplat %{{.*}} : tensor<1xf32>"},
    {counts, "tt.histogram %{{.*}}, %{{.*}} : tensor<512xi32> -> tensor<64xi32>"},
    {multiplies_precisely, "inputPrecision = bf16x3"},
    {multiplies_precisely, "{maxNumImpreciseAcc = 16 : i32}"},
    {multiplies_scaled, "tt.dot_scaled %{{.*}} scale %{{.*}}, %{{.*}}, %{{.*}} lhs = e4m3 rhs = "
                        "fp16 {fastMath = true}"},
    {loads_with_hints, "cacheModifier = cg evictionPolicy = evict_last {isVolatile = true}"},
    {loads_with_hints, "tt.store {{.*}} cacheModifier = wt"},
    {adds_with_an_order, "tt.atomic_rmw fadd, relaxed, sys"},
    {swaps_with_an_order, "tt.atomic_cas release, cta"},
    {polls, "tt.atomic_poll acquire, gpu"},
    {reduces_by_calls, "tt.reduce.return %{{.*}}, %{{.*}} : f32, i32"},
    {scans_backwards, "\"tt.scan\"(%{{.*}}) <{axis = 0 : i32, reverse = true}>"},
    {finds_the_best, "<{axis = 0 : i32}> ({"},
};

// Whether `text` contains the parts of `wanted`, with any words between them, as in FileCheck.
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_call_is_built)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
