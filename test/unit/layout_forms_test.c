// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layout constructors compared with closed forms of the layouts that Triton documents in
// TritonGPUAttrDefs.td, element by element, over many shapes.
//
// The closed forms use division and remainder, never basis vectors, so that the two cannot have the
// same mistake.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "layout/layout.h"

static uint32_t random_state = 12345;

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % limit;
}

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static uint32_t coordinate(const kiln_layout_t *layout, uint32_t reg, uint32_t lane, uint32_t warp,
                           int dim)
{
    return kiln_layout_coord(layout, kiln_layout_apply(layout, reg, lane, warp), dim);
}

// Asserts that every element is held by some place.
static void assert_reaches_all(const kiln_layout_t *layout)
{
    uint32_t elements = 1;
    for (int d = 0; d < layout->rank; d++)
        elements <<= layout->log2_shape[d];
    uint8_t *seen = calloc(elements, 1);
    for (uint32_t warp = 0; warp < 1u << layout->bits[KILN_WARP]; warp++)
        for (uint32_t lane = 0; lane < 1u << layout->bits[KILN_LANE]; lane++)
            for (uint32_t reg = 0; reg < kiln_layout_registers(layout); reg++)
                seen[kiln_layout_apply(layout, reg, lane, warp)] = 1;
    for (uint32_t i = 0; i < elements; i++)
        assert_int_equal(seen[i], 1);
    free(seen);
}

// Splits `bits` factors of two at random over the dimensions.
static void random_split(int rank, int bits, int32_t *out)
{
    for (int d = 0; d < rank; d++)
        out[d] = 1;
    for (int i = 0; i < bits; i++)
        out[random_below((uint32_t)rank)] *= 2;
}

static kiln_blocked_t random_blocked(int rank, int warp_bits)
{
    kiln_blocked_t blocked = {.rank = rank};
    random_split(rank, (int)random_below(4), blocked.size_per_thread);
    random_split(rank, 6, blocked.threads_per_warp);
    random_split(rank, warp_bits, blocked.warps_per_cta);
    for (int d = 0; d < rank; d++)
        blocked.order[d] = d;
    for (int d = rank - 1; d > 0; d--) {
        int other = (int)random_below((uint32_t)d + 1);
        int32_t kept = blocked.order[d];
        blocked.order[d] = blocked.order[other];
        blocked.order[other] = kept;
    }
    return blocked;
}

// Unflattens `number` over sizes, order[0] fastest; returns the remaining quotient.
static uint32_t unflatten(uint32_t number, int rank, const int32_t *order, const int64_t *sizes,
                          uint32_t *out)
{
    for (int i = 0; i < rank; i++) {
        int d = order[i];
        out[d] = (uint32_t)(number % (uint32_t)sizes[d]);
        number /= (uint32_t)sizes[d];
    }
    return number;
}

static void check_blocked(const kiln_blocked_t *blocked, const int64_t *shape)
{
    kiln_layout_t layout;
    assert_true(kiln_layout_blocked(blocked, shape, &layout));
    assert_reaches_all(&layout);
    int rank = blocked->rank;
    int64_t per_thread[8], threads[8], warps[8], repeats[8];
    for (int d = 0; d < rank; d++) {
        per_thread[d] = blocked->size_per_thread[d];
        threads[d] = blocked->threads_per_warp[d];
        warps[d] = blocked->warps_per_cta[d];
        repeats[d] = ceil_div(shape[d], per_thread[d] * threads[d] * warps[d]);
    }
    for (uint32_t warp = 0; warp < 1u << layout.bits[KILN_WARP]; warp++)
        for (uint32_t lane = 0; lane < 64; lane++)
            for (uint32_t reg = 0; reg < kiln_layout_registers(&layout); reg++) {
                uint32_t in_thread[8], repeat[8], lane_at[8], warp_at[8];
                uint32_t high = unflatten(reg, rank, blocked->order, per_thread, in_thread);
                assert_int_equal(unflatten(high, rank, blocked->order, repeats, repeat), 0);
                unflatten(lane, rank, blocked->order, threads, lane_at);
                unflatten(warp, rank, blocked->order, warps, warp_at);
                for (int d = 0; d < rank; d++) {
                    int64_t index = in_thread[d] + per_thread[d] * lane_at[d] +
                                    per_thread[d] * threads[d] * warp_at[d] +
                                    per_thread[d] * threads[d] * warps[d] * repeat[d];
                    assert_int_equal(coordinate(&layout, reg, lane, warp, d), index % shape[d]);
                }
            }
}

static void blocked_matches_closed_form(void **state)
{
    (void)state;
    for (int round = 0; round < 200; round++) {
        int rank = 1 + (int)random_below(3);
        kiln_blocked_t blocked = random_blocked(rank, (int)random_below(4));
        int64_t shape[8];
        for (int d = 0; d < rank; d++)
            shape[d] = (int64_t)1 << random_below(rank == 1 ? 12 : rank == 2 ? 7 : 5);
        check_blocked(&blocked, shape);
    }
}

typedef struct tile_form {
    int m, n, transposed, bits;
} tile_form_t;

// Row and column of (lane, register) in one C tile: docs/gfx942.md, 2.2.
static void tile_element(const tile_form_t *form, uint32_t lane, uint32_t reg, uint32_t *row,
                         uint32_t *column)
{
    uint32_t r = reg, l = lane, long_side = 0, short_side = 0;
    if (form->bits == 64) {
        long_side = l / 16 + 4 * r;
        short_side = l % 16;
    } else if (form->m == 32) {
        long_side = r % 4 + 4 * (l / 32) + 8 * (r / 4);
        short_side = l % 32;
    } else if (form->m == 16) {
        long_side = r + 4 * (l / 16);
        short_side = l % 16;
    } else {
        long_side = r;
        short_side = l;
    }
    *row = form->transposed ? short_side : long_side;
    *column = form->transposed ? long_side : short_side;
}

static const tile_form_t forms[] = {{32, 32, 0, 32}, {16, 16, 0, 32}, {32, 32, 1, 32},
                                    {16, 16, 1, 32}, {64, 4, 1, 32},  {4, 64, 0, 32},
                                    {16, 16, 0, 64}, {16, 16, 1, 64}};

static kiln_mfma_t mfma_of(const tile_form_t *form, int warps_m, int warps_n)
{
    return (kiln_mfma_t){.version = 3,
                         .rank = 2,
                         .warps_per_cta = {warps_m, warps_n},
                         .tiles_per_warp = {1, 1},
                         .instr_shape = {form->m, form->n, 8},
                         .is_transposed = form->transposed,
                         .element_bits = form->bits};
}

static void mfma_matches_closed_form(void **state)
{
    (void)state;
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
        for (int warps_m = 1; warps_m <= 4; warps_m *= 2)
            for (int warps_n = 1; warps_n <= 4; warps_n *= 2)
                for (int64_t m = 16; m <= 256; m *= 4)
                    for (int64_t n = 16; n <= 256; n *= 4) {
                        const tile_form_t *form = &forms[f];
                        kiln_mfma_t mfma = mfma_of(form, warps_m, warps_n);
                        int64_t shape[] = {m, n};
                        kiln_layout_t layout;
                        assert_true(kiln_layout_mfma(&mfma, shape, &layout));
                        assert_reaches_all(&layout);
                        uint32_t tile_registers = (uint32_t)(form->m * form->n / 64);
                        uint32_t repeat_n = (uint32_t)ceil_div(n, form->n * warps_n);
                        for (uint32_t warp = 0; warp < (uint32_t)(warps_m * warps_n); warp++)
                            for (uint32_t lane = 0; lane < 64; lane++)
                                for (uint32_t reg = 0; reg < kiln_layout_registers(&layout);
                                     reg++) {
                                    uint32_t row, column, tile = reg / tile_registers;
                                    tile_element(form, lane, reg % tile_registers, &row, &column);
                                    uint32_t tile_n = warp % (uint32_t)warps_n +
                                                      (uint32_t)warps_n * (tile % repeat_n);
                                    uint32_t tile_m = warp / (uint32_t)warps_n +
                                                      (uint32_t)warps_m * (tile / repeat_n);
                                    row = (row + tile_m * (uint32_t)form->m) % (uint32_t)m;
                                    column = (column + tile_n * (uint32_t)form->n) % (uint32_t)n;
                                    assert_int_equal(coordinate(&layout, reg, lane, warp, 0), row);
                                    assert_int_equal(coordinate(&layout, reg, lane, warp, 1),
                                                     column);
                                }
                    }
}

static void dot_operand_matches_closed_form(void **state)
{
    (void)state;
    for (size_t f = 0; f < 6; f++)
        for (int op = 0; op < 2; op++)
            for (int width = 1; width <= 8; width *= 2)
                for (int64_t k_size = 16; k_size <= 128; k_size *= 2) {
                    kiln_mfma_t mfma = mfma_of(&forms[f], 2, 2);
                    uint32_t side = (uint32_t)(op == 0 ? forms[f].m : forms[f].n),
                             w = (uint32_t)width;
                    int64_t other_size = 128, shape[2];
                    shape[op == 0 ? 1 : 0] = k_size;
                    shape[op == 0 ? 0 : 1] = other_size;
                    kiln_layout_t layout;
                    assert_true(kiln_layout_dot_operand_mfma(&mfma, op, width, shape, &layout));
                    assert_reaches_all(&layout);
                    uint32_t k_lanes = 64 / side, k_tile = w * k_lanes;
                    uint32_t k_registers = w * (uint32_t)ceil_div(k_size, k_tile);
                    for (uint32_t warp = 0; warp < 4; warp++)
                        for (uint32_t lane = 0; lane < 64; lane++)
                            for (uint32_t reg = 0; reg < kiln_layout_registers(&layout); reg++) {
                                uint32_t r = reg % k_registers;
                                uint32_t k = r % w + w * (lane / side) + k_tile * (r / w);
                                uint32_t own =
                                    op == 0 ? warp / 2 : warp % 2; // warps count along N first
                                uint32_t other =
                                    lane % side + side * (own + 2 * (reg / k_registers));
                                assert_int_equal(
                                    coordinate(&layout, reg, lane, warp, op == 0 ? 1 : 0),
                                    k % (uint32_t)k_size);
                                assert_int_equal(
                                    coordinate(&layout, reg, lane, warp, op == 0 ? 0 : 1),
                                    other % (uint32_t)other_size);
                            }
                }
}

// "With kWidth = 4 the A operand of 16×16×16 equals the transposed C layout", and so for 32×32×8.
static void chained_dot_needs_no_movement(void **state)
{
    (void)state;
    for (int side = 16; side <= 32; side *= 2) {
        tile_form_t form = {side, side, 1, 32};
        kiln_mfma_t mfma = mfma_of(&form, 4, 1);
        int64_t shape[] = {128, 64};
        kiln_layout_t accumulator, operand;
        assert_true(kiln_layout_mfma(&mfma, shape, &accumulator));
        assert_true(kiln_layout_dot_operand_mfma(&mfma, 0, 4, shape, &operand));
        assert_true(kiln_layout_plan_conversion(&accumulator, &operand, 16).kind <=
                    KILN_CONVERSION_REGISTERS);
    }
}

static void batched_layouts_spread_warps_over_the_batch(void **state)
{
    (void)state;
    kiln_mfma_t mfma = {.version = 3,
                        .rank = 3,
                        .warps_per_cta = {4, 1, 1},
                        .tiles_per_warp = {1, 1, 1},
                        .instr_shape = {16, 16, 16},
                        .is_transposed = true,
                        .element_bits = 32};
    int64_t shape[] = {8, 32, 16};
    kiln_layout_t layout, operand;
    assert_true(kiln_layout_mfma(&mfma, shape, &layout));
    assert_true(kiln_layout_dot_operand_mfma(&mfma, 0, 4, shape, &operand));
    assert_reaches_all(&layout);
    assert_reaches_all(&operand);
    for (uint32_t warp = 0; warp < 4; warp++) {
        assert_int_equal(coordinate(&layout, 0, 0, warp, 0), warp);
        assert_int_equal(coordinate(&operand, 0, 0, warp, 0), warp);
    }
}

static void dot_operand_of_blocked_keeps_k_in_the_thread(void **state)
{
    (void)state;
    for (int round = 0; round < 100; round++) {
        kiln_blocked_t blocked = random_blocked(2, 2);
        int64_t shape[] = {32, 32};
        kiln_layout_t parent, operand;
        int op = (int)random_below(2);
        assert_true(kiln_layout_blocked(&blocked, shape, &parent));
        assert_true(kiln_layout_dot_operand_blocked(&blocked, op, shape, &operand));
        assert_reaches_all(&operand);
        int k = op == 0 ? 1 : 0;
        // The same thread that holds C's rows (columns) holds the same rows (columns) of the
        // operand, with every k.
        for (uint32_t warp = 0; warp < 4; warp++)
            for (uint32_t lane = 0; lane < 64; lane++) {
                uint64_t want = 0, have = 0, all_k = 0;
                for (uint32_t reg = 0; reg < kiln_layout_registers(&parent); reg++)
                    want |= 1ull << coordinate(&parent, reg, lane, warp, 1 - k);
                for (uint32_t reg = 0; reg < kiln_layout_registers(&operand); reg++) {
                    have |= 1ull << coordinate(&operand, reg, lane, warp, 1 - k);
                    all_k |= 1ull << coordinate(&operand, reg, lane, warp, k);
                }
                assert_true(want == have);
                assert_true(all_k == 0xffffffffull);
            }
    }
}

static void slice_drops_a_coordinate(void **state)
{
    (void)state;
    for (int round = 0; round < 100; round++) {
        kiln_blocked_t blocked = random_blocked(2, 2);
        int dim = (int)random_below(2);
        int64_t shape[2] = {64, 64};
        shape[dim] = 1;
        kiln_layout_t parent;
        assert_true(kiln_layout_blocked(&blocked, shape, &parent));
        kiln_layout_t slice = kiln_layout_slice(&parent, dim);
        assert_int_equal(slice.rank, 1);
        assert_int_equal(slice.log2_shape[0], 6);
        assert_reaches_all(&slice);
        assert_int_equal(slice.bits[KILN_LANE], 6);
        for (int i = 0; i < slice.bits[KILN_REGISTER]; i++)
            assert_int_not_equal(slice.basis[KILN_REGISTER][i], 0);
        for (uint32_t warp = 0; warp < 4; warp++)
            for (uint32_t lane = 0; lane < 64; lane++)
                assert_int_equal(kiln_layout_apply(&slice, 0, lane, warp),
                                 coordinate(&parent, 0, lane, warp, 1 - dim));
    }
}

static void shared_matches_closed_form(void **state)
{
    (void)state;
    for (int vec = 1; vec <= 8; vec *= 2)
        for (int per_phase = 1; per_phase <= 4; per_phase *= 2)
            for (int max_phase = 1; max_phase <= 16; max_phase *= 2)
                for (int fast = 0; fast < 2; fast++)
                    for (int rotating = 0; rotating < 2; rotating++) {
                        kiln_swizzled_shared_t shared = {
                            2, vec, per_phase, max_phase, {fast, 1 - fast}};
                        int64_t shape[] = {64, 32};
                        kiln_layout_t layout;
                        assert_true(kiln_layout_shared(
                            &shared, rotating ? KILN_SWIZZLE_ROTATING : KILN_SWIZZLE_XOR, shape,
                            &layout));
                        int columns = (int)shape[fast], rows = (int)shape[1 - fast];
                        for (int row = 0; row < rows; row++)
                            for (int column = 0; column < columns; column++) {
                                int phase = row / per_phase % max_phase;
                                if (rotating)
                                    phase ^= row / (per_phase * max_phase) % max_phase;
                                int offset = row * columns + (column ^ (vec * phase % columns));
                                uint32_t flat = kiln_layout_apply(&layout, (uint32_t)offset, 0, 0);
                                assert_int_equal(kiln_layout_coord(&layout, flat, fast), column);
                                assert_int_equal(kiln_layout_coord(&layout, flat, 1 - fast), row);
                            }
                    }
}

static void linear_is_read_as_written_and_extended(void **state)
{
    (void)state;
    // From the corpus: registers [1,0] [0,1] [0,2] [0,4], lanes along the columns, then rows.
    kiln_linear_t linear = {2,
                            4,
                            6,
                            2,
                            0,
                            {{1, 0},
                             {0, 1},
                             {0, 2},
                             {0, 4},
                             {0, 8},
                             {0, 16},
                             {0, 32},
                             {0, 64},
                             {2, 0},
                             {4, 0},
                             {8, 0},
                             {16, 0}}};
    int64_t shape[] = {32, 128}, larger[] = {64, 128}, smaller[] = {32, 64};
    kiln_layout_t layout;
    assert_true(kiln_layout_linear(&linear, shape, &layout));
    assert_int_equal(layout.bits[KILN_REGISTER], 4);
    assert_int_equal(kiln_layout_apply(&layout, 1, 0, 0), 128);
    assert_int_equal(kiln_layout_apply(&layout, 2, 1, 2), 1 + 8 + 16 * 128);
    assert_reaches_all(&layout);
    assert_true(kiln_layout_linear(&linear, larger, &layout));
    assert_int_equal(layout.bits[KILN_REGISTER], 5);
    assert_int_equal(kiln_layout_apply(&layout, 16, 0, 0), 32 * 128);
    assert_reaches_all(&layout);
    assert_true(kiln_layout_linear(&linear, smaller, &layout));
    assert_int_equal(kiln_layout_apply(&layout, 0, 8, 0), 0);
    assert_reaches_all(&layout);
}

static void sizes_that_are_no_powers_of_two_are_refused(void **state)
{
    (void)state;
    kiln_blocked_t blocked = {1, {1}, {64}, {4}, {0}};
    kiln_layout_t layout;
    int64_t odd[] = {96}, huge[] = {(int64_t)1 << 40}, zero[] = {0}, good[] = {128};
    assert_false(kiln_layout_blocked(&blocked, odd, &layout));
    assert_false(kiln_layout_blocked(&blocked, huge, &layout));
    assert_false(kiln_layout_blocked(&blocked, zero, &layout));
    assert_true(kiln_layout_blocked(&blocked, good, &layout));
    blocked.size_per_thread[0] = 3;
    assert_false(kiln_layout_blocked(&blocked, good, &layout));
    blocked.size_per_thread[0] = 1 << 30;
    assert_false(kiln_layout_blocked(&blocked, good, &layout));
    blocked.size_per_thread[0] = 1;
    blocked.order[0] = 1;
    assert_false(kiln_layout_blocked(&blocked, good, &layout));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocked_matches_closed_form),
        cmocka_unit_test(mfma_matches_closed_form),
        cmocka_unit_test(dot_operand_matches_closed_form),
        cmocka_unit_test(chained_dot_needs_no_movement),
        cmocka_unit_test(batched_layouts_spread_warps_over_the_batch),
        cmocka_unit_test(dot_operand_of_blocked_keeps_k_in_the_thread),
        cmocka_unit_test(slice_drops_a_coordinate),
        cmocka_unit_test(shared_matches_closed_form),
        cmocka_unit_test(linear_is_read_as_written_and_extended),
        cmocka_unit_test(sizes_that_are_no_powers_of_two_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
