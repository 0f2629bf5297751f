// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversion plans, checked by moving data: registers hold element numbers, the plan is executed
// step by step on a simulated workgroup, and every destination register must hold the element that
// its layout specifies.
//
// A plan through LDS is correct only if a round's scratch is as small as the plan states, so
// offsets are checked, too.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "layout/layout.h"

static uint32_t random_state = 777;

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % limit;
}

static void random_split(int rank, int bits, int32_t *out)
{
    for (int d = 0; d < rank; d++)
        out[d] = 1;
    for (int i = 0; i < bits; i++)
        out[random_below((uint32_t)rank)] *= 2;
}

static void random_blocked_layout(int rank, const int64_t *shape, int warp_bits, kiln_layout_t *out)
{
    kiln_blocked_t blocked = {.rank = rank};
    random_split(rank, (int)random_below(5), blocked.size_per_thread);
    random_split(rank, 6, blocked.threads_per_warp);
    random_split(rank, warp_bits, blocked.warps_per_cta);
    for (int d = 0; d < rank; d++)
        blocked.order[d] = random_state & 64 ? d : rank - 1 - d;
    assert_true(kiln_layout_blocked(&blocked, shape, out));
}

static kiln_mfma_t random_mfma(int warp_bits)
{
    int side = random_below(2) ? 16 : 32;
    kiln_mfma_t mfma = {.version = 3,
                        .rank = 2,
                        .tiles_per_warp = {1, 1},
                        .instr_shape = {side, side, 8},
                        .is_transposed = random_below(2),
                        .element_bits = 32};
    random_split(2, warp_bits, mfma.warps_per_cta);
    return mfma;
}

// Any surjective map of bits, not only one that an encoding can express.
static void random_linear_layout(int rank, const int64_t *shape, int warp_bits, kiln_layout_t *out)
{
    *out = (kiln_layout_t){.rank = rank};
    int total = 0;
    for (int d = 0; d < rank; d++) {
        out->log2_shape[d] = (uint8_t)__builtin_ctzll((unsigned long long)shape[d]);
        total += out->log2_shape[d];
    }
    do {
        out->bits[KILN_LANE] = 6;
        out->bits[KILN_WARP] = (uint8_t)warp_bits;
        int needed = total - 6 - warp_bits;
        out->bits[KILN_REGISTER] = (uint8_t)((needed > 0 ? needed : 0) + (int)random_below(2));
        for (int p = 0; p < KILN_PLACES; p++)
            for (int i = 0; i < out->bits[p]; i++)
                out->basis[p][i] = random_below(1u << total);
    } while (!kiln_layout_invert(out).onto);
}

static void random_layout(int rank, const int64_t *shape, int warp_bits, kiln_layout_t *out)
{
    uint32_t kind = random_below(rank == 2 ? 6 : 3);
    if (kind < 2) {
        random_blocked_layout(rank, shape, warp_bits, out);
    } else if (kind == 2) {
        random_linear_layout(rank, shape, warp_bits, out);
    } else if (kind == 3) {
        kiln_mfma_t mfma = random_mfma(warp_bits);
        assert_true(kiln_layout_mfma(&mfma, shape, out));
    } else {
        kiln_mfma_t mfma = random_mfma(warp_bits);
        assert_true(kiln_layout_dot_operand_mfma(&mfma, (int)random_below(2), 1 << random_below(4),
                                                 shape, out));
    }
}

// A workgroup's registers -------------------------------------------------------------------------

typedef struct group {
    const kiln_layout_t *layout;
    uint32_t *value; // [warp][lane][register]
} group_t;

static uint32_t *place(const group_t *group, uint32_t warp, uint32_t lane, uint32_t reg)
{
    return &group->value[((warp * 64 + lane) << group->layout->bits[KILN_REGISTER]) + reg];
}

static group_t make_group(const kiln_layout_t *layout)
{
    group_t group = {layout, NULL};
    group.value =
        malloc(sizeof(uint32_t) << (layout->bits[KILN_REGISTER] + 6 + layout->bits[KILN_WARP]));
    for (uint32_t w = 0; w < 1u << layout->bits[KILN_WARP]; w++)
        for (uint32_t l = 0; l < 64; l++)
            for (uint32_t r = 0; r < kiln_layout_registers(layout); r++)
                *place(&group, w, l, r) = UINT32_MAX;
    return group;
}

static uint32_t combine(const uint32_t *vectors, uint32_t set)
{
    uint32_t result = 0;
    for (int i = 0; set >> i; i++)
        if (set >> i & 1)
            result ^= vectors[i];
    return result;
}

static uint32_t shuffle_source(const uint32_t vectors[KILN_PLACES][KILN_LAYOUT_MAX_BITS],
                               uint32_t r, uint32_t l, uint32_t w)
{
    return combine(vectors[KILN_REGISTER], r) ^ combine(vectors[KILN_LANE], l) ^
           combine(vectors[KILN_WARP], w);
}

static void move_through_lds(const kiln_conversion_t *plan, const group_t *from, const group_t *to,
                             int bits)
{
    kiln_layout_t write = kiln_layout_to_lds(from->layout, &plan->lds),
                  read = kiln_layout_to_lds(to->layout, &plan->lds);
    uint32_t bytes = bits <= 8 ? 1 : (uint32_t)bits / 8;
    assert_int_equal(kiln_conversion_scratch_bytes(plan, bits), plan->lds_elements * bytes);
    assert_true(plan->lds_elements * bytes <= 32 << 10);
    uint32_t *lds = malloc(plan->lds_elements * sizeof *lds);
    for (uint32_t round = 0; round < 1u << plan->repetitions_log2; round++) {
        memset(lds, 0xff, plan->lds_elements * sizeof *lds);
        for (uint32_t w = 0; w < 1u << from->layout->bits[KILN_WARP]; w++)
            for (uint32_t l = 0; l < 64; l++)
                for (uint32_t r = 0; r < kiln_layout_registers(from->layout); r++) {
                    uint32_t offset = kiln_layout_apply(&write, r, l, w);
                    assert_int_equal(offset / plan->lds_elements,
                                     kiln_layout_apply(&write, r, 0, 0) / plan->lds_elements);
                    if (offset / plan->lds_elements == round)
                        lds[offset % plan->lds_elements] = *place(from, w, l, r);
                }
        for (uint32_t w = 0; w < 1u << to->layout->bits[KILN_WARP]; w++)
            for (uint32_t l = 0; l < 64; l++)
                for (uint32_t r = 0; r < kiln_layout_registers(to->layout); r++) {
                    uint32_t offset = kiln_layout_apply(&read, r, l, w);
                    assert_int_equal(offset / plan->lds_elements,
                                     kiln_layout_apply(&read, r, 0, 0) / plan->lds_elements);
                    if (offset / plan->lds_elements == round)
                        *place(to, w, l, r) = lds[offset % plan->lds_elements];
                }
    }
    free(lds);
}

static kiln_conversion_kind_t check_conversion(const kiln_layout_t *source,
                                               const kiln_layout_t *destination, int bits)
{
    kiln_conversion_t plan = kiln_layout_plan_conversion(source, destination, bits);
    if (plan.kind ==
        KILN_CONVERSION_STEPS) { // the step differs from both layouts, and both parts are correct
        assert_true(plan.lds_elements * (bits <= 8 ? 1 : (uint32_t)bits / 8) <= 32 << 10);
        assert_int_equal(check_conversion(source, &plan.step, bits), KILN_CONVERSION_LDS);
        check_conversion(&plan.step, destination, bits);
        return plan.kind;
    }
    group_t from = make_group(source), to = make_group(destination);
    for (uint32_t w = 0; w < 1u << source->bits[KILN_WARP]; w++)
        for (uint32_t l = 0; l < 64; l++)
            for (uint32_t r = 0; r < kiln_layout_registers(source); r++)
                *place(&from, w, l, r) = kiln_layout_apply(source, r, l, w);
    if (plan.kind == KILN_CONVERSION_LDS)
        move_through_lds(&plan, &from, &to, bits);
    for (uint32_t w = 0; w < 1u << destination->bits[KILN_WARP]; w++)
        for (uint32_t l = 0; l < 64; l++)
            for (uint32_t r = 0; r < kiln_layout_registers(destination); r++) {
                if (plan.kind == KILN_CONVERSION_NONE)
                    *place(&to, w, l, r) = *place(&from, w, l, r);
                if (plan.kind == KILN_CONVERSION_REGISTERS)
                    *place(&to, w, l, r) =
                        *place(&from, w, l, kiln_layout_source_register(source, destination, r));
                if (plan.kind == KILN_CONVERSION_SHUFFLE) {
                    uint32_t lane = shuffle_source(plan.shuffle.source_lane, r, l, w);
                    assert_true(lane < 64 && (plan.shuffle.crosses_lanes || lane == l));
                    *place(&to, w, l, r) = *place(
                        &from, w, lane, shuffle_source(plan.shuffle.source_register, r, l, w));
                }
                assert_int_equal(*place(&to, w, l, r), kiln_layout_apply(destination, r, l, w));
            }
    free(from.value);
    free(to.value);
    return plan.kind;
}

static void random_pairs_are_moved_right(void **state)
{
    (void)state;
    static const int sizes[] = {1, 8, 16, 32, 64};
    int kinds[5] = {0};
    for (int round = 0; round < 1500; round++) {
        int rank = 1 + (int)random_below(3), warp_bits = (int)random_below(4);
        int64_t shape[3];
        for (int d = 0; d < rank; d++)
            shape[d] = (int64_t)1 << random_below(rank == 1 ? 13 : rank == 2 ? 8 : 5);
        kiln_layout_t source, destination;
        random_layout(rank, shape, warp_bits, &source);
        random_layout(rank, shape, warp_bits, &destination);
        kinds[check_conversion(&source, &destination, sizes[random_below(5)])]++;
    }
    assert_true(kinds[KILN_CONVERSION_LDS] > 100 && kinds[KILN_CONVERSION_SHUFFLE] > 20);
}

// Moves within a thread (permutations, copies, dropped registers) must use registers only.
static void same_threads_mean_registers_only(void **state)
{
    (void)state;
    kiln_mfma_t mfma = {3, 2, {2, 2}, {1, 1}, {16, 16, 16}, true, 32};
    int64_t shape[] = {64, 64};
    kiln_layout_t source;
    assert_true(kiln_layout_mfma(&mfma, shape, &source));
    kiln_layout_t reversed = source;
    for (int i = 0; i < source.bits[KILN_REGISTER]; i++)
        reversed.basis[KILN_REGISTER][i] =
            source.basis[KILN_REGISTER][source.bits[KILN_REGISTER] - 1 - i];
    assert_int_equal(check_conversion(&source, &source, 32), KILN_CONVERSION_NONE);
    assert_int_equal(check_conversion(&source, &reversed, 32), KILN_CONVERSION_REGISTERS);
    reversed.basis[KILN_REGISTER][reversed.bits[KILN_REGISTER]++] = 0;
    assert_int_equal(check_conversion(&source, &reversed, 32), KILN_CONVERSION_REGISTERS);
}

// Large tensors are converted in rounds, or in steps if the threads of both sides together span too
// much data for rounds.
static void large_tensors_fit_lds(void **state)
{
    (void)state;
    kiln_blocked_t rows = {2, {1, 128}, {64, 1}, {4, 1}, {1, 0}},
                   columns = {2, {256, 1}, {1, 64}, {1, 4}, {0, 1}};
    int64_t shape[] = {256, 256};
    kiln_layout_t source, destination;
    assert_true(kiln_layout_blocked(&rows, shape, &source));
    assert_true(kiln_layout_blocked(&columns, shape, &destination));
    kiln_conversion_t plan = kiln_layout_plan_conversion(&source, &destination, 64);
    assert_int_equal(plan.kind, KILN_CONVERSION_STEPS);
    check_conversion(&source, &destination, 64);
    check_conversion(&destination, &source, 32);
    kiln_mfma_t mfma = {3, 2, {2, 2}, {1, 1}, {32, 32, 8}, true, 32};
    kiln_blocked_t store = {2, {1, 8}, {4, 16}, {4, 1}, {1, 0}};
    assert_true(kiln_layout_mfma(&mfma, shape, &source));
    assert_true(kiln_layout_blocked(&store, shape, &destination));
    plan = kiln_layout_plan_conversion(&source, &destination, 32);
    assert_int_equal(plan.kind, KILN_CONVERSION_LDS);
    assert_true(plan.repetitions_log2 > 0);
    check_conversion(&source, &destination, 32);
}

// Conversions between arbitrary layouts of large tensors, with any number of waves.
static void any_large_layouts_are_moved_right(void **state)
{
    (void)state;
    static const int sizes[] = {8, 32, 64};
    int kinds[5] = {0};
    for (int round = 0; round < 40; round++) {
        int rank = 1 + (int)random_below(2), warp_bits = (int)random_below(5),
            rows = 4 + (int)random_below(7);
        int64_t shape[2] = {rank == 1 ? 1 << 14 : (int64_t)1 << rows, (int64_t)1 << (14 - rows)};
        kiln_layout_t source, destination;
        random_layout(rank, shape, warp_bits, &source);
        random_layout(rank, shape, warp_bits, &destination);
        kinds[check_conversion(&source, &destination, sizes[random_below(3)])]++;
    }
    assert_true(kinds[KILN_CONVERSION_LDS] > 10 && kinds[KILN_CONVERSION_STEPS] > 3);
}

// Layouts of encodings have no bank conflicts on either side.
static void plans_have_no_bank_conflicts(void **state)
{
    (void)state;
    int checked = 0, wide = 0;
    for (int round = 0; round < 1500; round++) {
        int64_t shape[] = {32 << random_below(3), 32 << random_below(3)};
        kiln_layout_t sides[2];
        for (int s = 0; s < 2; s++) {
            if (random_below(3) == 0) {
                random_blocked_layout(2, shape, 2, &sides[s]);
                continue;
            }
            kiln_mfma_t mfma = random_mfma(2);
            if (random_below(2))
                assert_true(kiln_layout_mfma(&mfma, shape, &sides[s]));
            else
                assert_true(
                    kiln_layout_dot_operand_mfma(&mfma, (int)random_below(2), 4, shape, &sides[s]));
        }
        int bits = 8 << random_below(4);
        kiln_conversion_t plan = kiln_layout_plan_conversion(&sides[0], &sides[1], bits);
        if (plan.kind != KILN_CONVERSION_LDS)
            continue;
        kiln_layout_t write = kiln_layout_to_lds(&sides[0], &plan.lds),
                      read = kiln_layout_to_lds(&sides[1], &plan.lds);
        assert_int_equal(kiln_layout_bank_conflicts(&write, bits, KILN_LDS_WRITE), 0);
        assert_int_equal(kiln_layout_bank_conflicts(&read, bits, KILN_LDS_READ), 0);
        checked++;
        wide += plan.vector * bits == 128;
    }
    assert_true(checked > 300);
    assert_true(wide > 100);
}

// LDS accesses of the swizzled layout that Triton picks for a dot operand of f16: wide, and without
// conflicts; unswizzled, the reads conflict.
static void swizzled_operand_is_read_without_conflicts(void **state)
{
    (void)state;
    int64_t shape[] = {128, 64};
    kiln_mfma_t mfma = {3, 2, {2, 2}, {1, 1}, {16, 16, 16}, true, 32};
    kiln_blocked_t load = {2, {1, 8}, {8, 8}, {4, 1}, {1, 0}};
    kiln_swizzled_shared_t swizzled = {2, 8, 1, 8, {1, 0}}, plain = {2, 1, 1, 1, {1, 0}};
    kiln_layout_t operand, blocked, lds, rows;
    assert_true(kiln_layout_dot_operand_mfma(&mfma, 0, 8, shape, &operand));
    assert_true(kiln_layout_blocked(&load, shape, &blocked));
    assert_true(kiln_layout_shared(&swizzled, KILN_SWIZZLE_XOR, shape, &lds));
    assert_true(kiln_layout_shared(&plain, KILN_SWIZZLE_XOR, shape, &rows));
    kiln_layout_t read = kiln_layout_to_lds(&operand, &lds),
                  write = kiln_layout_to_lds(&blocked, &lds);
    assert_int_equal(kiln_layout_lds_access(&read, 16).vector, 8);
    assert_int_equal(kiln_layout_lds_access(&write, 16).vector, 8);
    assert_int_equal(kiln_layout_bank_conflicts(&read, 16, KILN_LDS_READ), 0);
    assert_int_equal(kiln_layout_bank_conflicts(&write, 16, KILN_LDS_WRITE), 0);
    read = kiln_layout_to_lds(&operand, &rows);
    assert_true(kiln_layout_bank_conflicts(&read, 16, KILN_LDS_READ) > 0);
}

// The planner counts the conflicts that were measured on MI300X.
static void measured_conflicts_are_counted(void **state)
{
    (void)state;
    static const struct {
        unsigned bytes, stride;
        int conflicts;
    } rows[] = {
#define LDS_MEASURED(bytes, stride, conflicts) {bytes, stride, conflicts},
#include "lds_measured.def"
#undef LDS_MEASURED
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        // Elements are dwords: a lane has bytes / 4 of them in registers and begins at stride / 4
        // times its number.
        kiln_layout_t read = {.rank = 1,
                              .log2_shape = {13},
                              .bits = {(uint8_t)__builtin_ctz(rows[i].bytes / 4), 6, 0}};
        for (int b = 0; b < read.bits[KILN_REGISTER]; b++)
            read.basis[KILN_REGISTER][b] = 1u << b;
        for (int b = 0; b < 6; b++)
            read.basis[KILN_LANE][b] = rows[i].stride / 4 << b;
        assert_int_equal(64 * kiln_layout_bank_conflicts(&read, 32, KILN_LDS_READ),
                         rows[i].conflicts);
    }
}

// "A row-major 64×32 tile of 2 bytes read with ds_read_b128 naively gives 2-way conflicts"
// (docs/gfx942.md, 1.5).
static void published_conflicts_are_counted(void **state)
{
    (void)state;
    // Lane l reads 8 elements at row l % 32, column 8·(l / 32): rows of 32 elements are 64 bytes.
    kiln_layout_t read = {.rank = 1, .log2_shape = {11}, .bits = {3, 6, 0}};
    for (int i = 0; i < 3; i++)
        read.basis[KILN_REGISTER][i] = 1u << i;
    for (int i = 0; i < 5; i++)
        read.basis[KILN_LANE][i] = 32u << i;
    read.basis[KILN_LANE][5] = 8;
    assert_true(kiln_layout_bank_conflicts(&read, 16, KILN_LDS_READ) >=
                8); // at least twice the 8 cycles
    // Consecutive lanes at consecutive dwords: none. All lanes at one dword: none. Stride of 32
    // dwords: 31 more per group.
    kiln_layout_t words = {.rank = 1, .log2_shape = {11}, .bits = {0, 6, 0}};
    for (int i = 0; i < 6; i++)
        words.basis[KILN_LANE][i] = 1u << i;
    assert_int_equal(kiln_layout_bank_conflicts(&words, 32, KILN_LDS_READ), 0);
    for (int i = 0; i < 6; i++)
        words.basis[KILN_LANE][i] = 32u << i;
    assert_int_equal(kiln_layout_bank_conflicts(&words, 32, KILN_LDS_WRITE), 62);
    for (int i = 0; i < 6; i++)
        words.basis[KILN_LANE][i] = 0;
    assert_int_equal(kiln_layout_bank_conflicts(&words, 32, KILN_LDS_READ), 0);
}

static void inverse_finds_a_place(void **state)
{
    (void)state;
    for (int round = 0; round < 200; round++) {
        int64_t shape[] = {32, 64};
        kiln_layout_t layout;
        random_layout(2, shape, 2, &layout);
        kiln_layout_inverse_t inverse = kiln_layout_invert(&layout);
        assert_true(inverse.onto);
        uint32_t free_bits[KILN_PLACES];
        for (int p = 0; p < KILN_PLACES; p++)
            free_bits[p] = kiln_layout_free_bits(&layout, (kiln_place_t)p);
        for (uint32_t flat = 0; flat < 32 * 64; flat += 1 + random_below(5)) {
            uint32_t reg, lane, warp;
            kiln_layout_locate(&layout, flat, &reg, &lane, &warp);
            assert_int_equal(kiln_layout_apply(&layout, reg, lane, warp), flat);
            assert_int_equal(reg & free_bits[KILN_REGISTER], 0);
            assert_int_equal(lane & free_bits[KILN_LANE], 0);
            assert_int_equal(warp & free_bits[KILN_WARP], 0);
            assert_int_equal(kiln_layout_inverse_apply(&inverse, KILN_LANE, flat), lane);
        }
        // Without the free bits there are as many places as elements.
        int places = layout.bits[0] + layout.bits[1] + layout.bits[2], copies = 0;
        for (int p = 0; p < KILN_PLACES; p++)
            copies += __builtin_popcount(free_bits[p]);
        assert_int_equal(places - copies, 11);
    }
}

static void shapes_change_without_moving_data(void **state)
{
    (void)state;
    for (int round = 0; round < 200; round++) {
        int64_t shape[] = {8, 16, 4}, flat_shape[] = {16, 32};
        int32_t order[] = {2, 0, 1};
        kiln_layout_t layout;
        random_layout(3, shape, 1, &layout);
        kiln_layout_t moved = kiln_layout_transpose(&layout, order);
        kiln_layout_t grown = kiln_layout_expand_dims(&layout, 1),
                      flat = kiln_layout_reshape(&layout, 2, flat_shape);
        uint32_t reg = random_below(kiln_layout_registers(&layout)), lane = random_below(64),
                 warp = random_below(2);
        uint32_t at = kiln_layout_apply(&layout, reg, lane, warp);
        for (int d = 0; d < 3; d++) {
            assert_int_equal(
                kiln_layout_coord(&moved, kiln_layout_apply(&moved, reg, lane, warp), d),
                kiln_layout_coord(&layout, at, order[d]));
            assert_int_equal(kiln_layout_coord(&grown, kiln_layout_apply(&grown, reg, lane, warp),
                                               d == 0 ? 0 : d + 1),
                             kiln_layout_coord(&layout, at, d));
        }
        assert_int_equal(grown.rank, 4);
        assert_int_equal(kiln_layout_apply(&flat, reg, lane, warp), at);
    }
}

static void contiguous_registers_are_aligned_runs(void **state)
{
    (void)state;
    kiln_blocked_t blocked = {2, {1, 8}, {8, 8}, {4, 1}, {1, 0}};
    int64_t shape[] = {64, 64};
    int32_t row_major[] = {1, 0}, column_major[] = {0, 1};
    kiln_layout_t layout;
    assert_true(kiln_layout_blocked(&blocked, shape, &layout));
    assert_int_equal(kiln_layout_contiguous_registers(&layout, row_major, 16), 8);
    assert_int_equal(kiln_layout_contiguous_registers(&layout, row_major, 4), 4);
    assert_int_equal(kiln_layout_contiguous_registers(&layout, column_major, 16), 1);
    layout.basis[KILN_LANE][5] |= 2; // one lane begins in the middle of a run
    assert_int_equal(kiln_layout_contiguous_registers(&layout, row_major, 16), 2);
}

static void groups_of_registers_are_of_equal_elements(void **state)
{
    (void)state;
    // Eight rows in registers, two lanes along rows, and the same again 16 rows further down.
    kiln_blocked_t blocked = {2, {8, 1}, {2, 32}, {1, 2}, {1, 0}};
    int64_t shape[] = {32, 64};
    int32_t row_major[] = {1, 0}, column_major[] = {0, 1};
    kiln_layout_t layout;
    int n;
    assert_true(kiln_layout_blocked(&blocked, shape, &layout));
    assert_int_equal(kiln_layout_group_registers(&layout, column_major, 16, 4, &n), 2);
    assert_int_equal(n, 8);
    assert_int_equal(kiln_layout_group_registers(&layout, column_major, 16, 1, &n), 1);
    assert_int_equal(n, 8);
    assert_int_equal(kiln_layout_group_registers(&layout, column_major, 2, 8, &n), 4);
    assert_int_equal(n, 2);
    assert_int_equal(kiln_layout_group_registers(&layout, column_major, 8, 4, &n), 1); // a lane's
    assert_int_equal(n, 8);
    assert_int_equal(kiln_layout_group_registers(&layout, row_major, 16, 4, &n), 1);
    assert_int_equal(n, 1);
    layout.basis[KILN_LANE][0] |= 16 * 64; // one lane begins in the second group
    assert_int_equal(kiln_layout_group_registers(&layout, column_major, 16, 4, &n), 1);
    assert_int_equal(n, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_pairs_are_moved_right),
        cmocka_unit_test(same_threads_mean_registers_only),
        cmocka_unit_test(large_tensors_fit_lds),
        cmocka_unit_test(any_large_layouts_are_moved_right),
        cmocka_unit_test(plans_have_no_bank_conflicts),
        cmocka_unit_test(swizzled_operand_is_read_without_conflicts),
        cmocka_unit_test(measured_conflicts_are_counted),
        cmocka_unit_test(published_conflicts_are_counted),
        cmocka_unit_test(inverse_finds_a_place),
        cmocka_unit_test(shapes_change_without_moving_data),
        cmocka_unit_test(contiguous_registers_are_aligned_runs),
        cmocka_unit_test(groups_of_registers_are_of_equal_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
