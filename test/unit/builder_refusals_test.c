// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors of the builder's calls: one row per misuse, with its message.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "builder_ground.h"
#include "kiln/builder.h"

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
    kiln_build_atomic_rmw_with(g->b, KILN_ATOMIC_ADD, integer_pointer(g), g->n, none,
                               KILN_ORDER_COUNT, KILN_SCOPE_GPU);
}

static void polls_floats(const ground_t *g)
{
    kiln_value_t x = kiln_build_load(g->b, g->p, none, none);
    kiln_build_atomic_poll(g->b, g->p, x, none, KILN_ORDER_ACQUIRE, KILN_SCOPE_GPU);
}

static void polls_to_release(const ground_t *g)
{
    kiln_build_atomic_poll(g->b, integer_pointer(g), g->n, none, KILN_ORDER_RELEASE,
                           KILN_SCOPE_GPU);
}

static void polls_for_a_short_time(const ground_t *g)
{
    kiln_build_atomic_poll(g->b, integer_pointer(g), g->n, g->n, KILN_ORDER_ACQUIRE,
                           KILN_SCOPE_GPU);
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
    kiln_build_descriptor_reduce(g->b, KILN_VIEW_REDUCE_COUNT, descriptor(g, &t, 16), t.places,
                                 g->x);
}

static void gathers_blocks(const ground_t *g)
{
    tensor_t t = tensor(g);
    kiln_build_descriptor_gather(g->b, descriptor(g, &t, 16), kiln_build_range(g->b, 0, 64), g->n);
}

static void scatters_other_rows(const ground_t *g)
{
    tensor_t t = tensor(g);
    kiln_build_descriptor_scatter(g->b, descriptor(g, &t, 1), kiln_build_range(g->b, 0, 64), g->n,
                                  g->x);
}

static const struct {
    void (*build)(const ground_t *g);
    const char *message;
} refusals[] = {
    {begins_at_a_number, "the base of a tensor must be a scalar pointer"},
    {has_narrow_strides, "strides must be scalars of i64"},
    {has_no_dimensions, "a block has 1 to 8 dimensions"},
    {pads_with_nothing_known, "a descriptor: invalid padding"},
    {looks_beyond, "load: invalid dimension or padding"},
    {stores_another_block, "store: the value must have the block's type"},
    {advances_a_pointer, "expected a block pointer"},
    {loads_by_a_pointer, "expected a descriptor"},
    {stores_another_value, "the value must have the type of the descriptor's block"},
    {reduces_in_no_way, "invalid reduction into memory"},
    {gathers_blocks, "gather and scatter need a descriptor of one-row blocks"},
    {scatters_other_rows, "the value must have one row per index"},
    {maps_scalars, "a map has no axis 0"},
    {maps_to_tiles, "result 0 of a map must be a scalar, not a tile"},
    {maps_to_nothing, "a map must return 1 to 8 results"},
    {assembles_other_shapes, "the arguments and results of assembly have different shapes"},
    {assembles_three, "the number of elements per assembly must be a power of two"},
    {assembles_nothing, "assembly needs 1 to 16 results"},
    {asserts_numbers, "assert: the condition must be i1"},
    {rounds_up_in_size, "rounding applies only to conversions to a smaller float"},
    {rounds_nowhere, "invalid rounding mode"},
    {calls_with_nothing, "a library function takes 1 to 16 arguments"},
    {splits_wide, "split takes a tile of two or more dimensions, the last of 2"},
    {concatenates_unlike, "cat takes two tiles of one dimension and one type"},
    {takes_one_of_many, "unsplat takes a tile of one element"},
    {counts_floats, "histogram takes a one-dimensional tile of integers"},
    {counts_with_another_mask, "the mask must be i1 with the tile's shape"},
    {counts_in_odd_bins, "a tile's sizes must be powers of two"},
    {multiplies_by_no_precision, "dot: invalid precision"},
    {multiplies_by_no_format, "dot_scaled: invalid format"},
    {stores_volatile, "volatile applies only to loads"},
    {loads_by_no_cache, "load: invalid cache modifier or eviction policy"},
    {adds_in_no_order, "atomic_rmw: invalid memory order or scope"},
    {polls_floats, "atomic_poll waits for a scalar integer"},
    {polls_to_release, "the order must be acquire or relaxed"},
    {polls_for_a_short_time, "the timeout must be an i64"},
    {adds_other_shapes, "the operands of arith.addi have different types"},
    {selects_other_shapes, "the operands of select have different shapes"},
    {stores_too_much, "store: the value does not have the pointer's element type"},
    {masks_too_much, "load: the mask must be i1 with the pointer's shape"},
    {reduces_other_shapes, "the operands of tt.reduce have different shapes"},
    {reduces_nothing, "tt.reduce takes 1 to 8 tiles"},
    {ends_with_fewer, "the end of a reduction returns 1 values for 2 tiles"},
    {ends_with_another_type, "value 0 of the end of a scan does not have its tile's element type"},
    {ends_another, "the end of a reduction is not allowed here"},
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_misuse_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
