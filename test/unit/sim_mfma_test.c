// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix instructions in every build of the handlers: the layouts, sums and modifiers of each shape
// on random operands of several kinds, bit for bit against the model (sim_mfma_model.h).
// sim_mfma_forms_test.c tests everything else about them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sim_mfma_model.h"
#include "sim_vectors.h"

static kiln_mfma_execute_fn *executes[3] = {kiln_mfma_execute_generic};
static unsigned execute_count = 1;

typedef struct machine {
    uint32_t a[16 * 64], b[16 * 64], c[33 * 64], d[33 * 64], index[64];
} machine_t;

// One vector: all elements of the result, in each build.
static void check(const model_row_t *row, kiln_mfma_options_t o, machine_t *m)
{
    const kiln_mfma_shape_t *const s = &row->shape;
    static uint32_t results[3][33 * 64];
    o.index = m->index;
    for (unsigned e = 0; e < execute_count; e++) {
        memcpy(results[e], m->c, sizeof results[e]);
        executes[e](s, &o, m->a, m->b, results[e]);
        if (memcmp(results[e], results[0], sizeof results[e]) != 0)
            fail_msg("%s: builds %u and 0 of the handlers give different bytes", row->name, e);
    }
    memcpy(m->d, results[0], sizeof m->d);
    for (unsigned block = 0; block < s->blocks; block++)
        for (unsigned i = 0; i < s->n; i++) {
            uint64_t a[64], b[64];
            elements_of_row(s, &o, m->a, block, i, a);
            for (unsigned j = 0; j < s->n; j++) {
                elements_of_column(s, &o, m->b, block, j, b);
                const place_t p = place_of_output(s, block, i, j);
                const unsigned bits = s->a == KILN_MFMA_F64 ? 64 : 32;
                const uint64_t want = dot(s, &o, a, b, get(m->c, p, bits)),
                               got = get(m->d, p, bits);
                if (!same(got, want, s->a))
                    fail_msg("%s mode %u: [%u][%u][%u] of C %llx is %llx, not %llx", row->name,
                             o.mode, block, i, j, (unsigned long long)get(m->c, p, bits),
                             (unsigned long long)got, (unsigned long long)want);
            }
        }
    sim_vectors_add(row->name, 1);
}

// The accumulator: like the operands, a few powers of two away from the products, or zeros of both
// signs.
typedef enum { EQUAL, AROUND, ZERO, ACCUMULATORS } accumulator_t;

static void fill_all(const kiln_mfma_shape_t *s, machine_t *m, flavour_t flavour,
                     accumulator_t accumulator)
{
    const bool is_float = s->a != KILN_MFMA_F64 && s->a != KILN_MFMA_I8;
    fill(m->a, 16, s->a, flavour);
    fill(m->b, 16, s->b, flavour);
    fill(m->c, 33, is_float ? KILN_MFMA_F32 : s->a, s->a == KILN_MFMA_I8 ? RAW : flavour);
    for (unsigned at = 0; at < 33 * 64 && is_float && accumulator != EQUAL; at++) {
        const uint64_t r = reference_random(&model_seed);
        const uint32_t sign = r & 1 ? 0x80000000u : 0,
                       e = 127 - 14 + (uint32_t)(r >> 8 & 0xff) % 42;
        m->c[at] = accumulator == ZERO ? sign : sign | e << 23 | (uint32_t)(r >> 30 & 0x7fffff);
    }
    fill_index(m->index);
}

static void every_shape_multiplies_bit_for_bit(void **state)
{
    machine_t *const m = *state;
    for (unsigned n = 0; n < MODEL_ROWS; n++)
        for (unsigned round = 0; round < (unsigned)FLAVOURS * ACCUMULATORS; round++) {
            fill_all(&model_rows[n].shape, m, (flavour_t)(round % FLAVOURS),
                     (accumulator_t)(round / FLAVOURS));
            check(&model_rows[n], (kiln_mfma_options_t){0}, m);
        }
}

static void fast_mode_is_a_chain_of_fused_multiply_adds(void **state)
{
    machine_t *const m = *state;
    for (unsigned n = 0; n < MODEL_ROWS; n++)
        for (unsigned round = 0; round < FLAVOURS; round++) {
            fill_all(&model_rows[n].shape, m, (flavour_t)round, EQUAL);
            check(&model_rows[n], (kiln_mfma_options_t){.mode = KILN_MFMA_FAST}, m);
        }
}

// Products that cancel in pairs, next to small ones: the result is what truncation leaves of the
// small products.
static void cancelling_products_leave_the_cuts(void **state)
{
    machine_t *const m = *state;
    for (unsigned n = 0; n < MODEL_ROWS; n++)
        for (unsigned round = 0; round < 4; round++) {
            const kiln_mfma_shape_t *const s = &model_rows[n].shape;
            fill_all(s, m, WIDE, round % 2 ? ZERO : AROUND);
            const unsigned bits = width_of(s->a) < 32 ? width_of(s->a) : 32, half = 16;
            for (unsigned at = 0; at < 16 * 64 && s->a != KILN_MFMA_I8; at++) {
                if (bits < 32 && at % 3) { // neighbours along k: the same with the other sign
                    const uint32_t low = m->a[at] & 0xffff, right = m->b[at] & 0xffff;
                    m->a[at] = low | (low ^ (bits == 16 ? 0x8000u : 0x8080u)) << half;
                    m->b[at] = right | right << half;
                }
            }
            // The change of sign may have turned zeros into fp8's only NaN.
            for (unsigned at = 0; at < 16 * 64 && bits == 8; at++)
                for (unsigned byte = 0; byte < 32; byte += 8)
                    m->a[at] &= (m->a[at] >> byte & 0xff) == 0x80 ? ~(0xffu << byte) : UINT32_MAX;
            check(&model_rows[n], (kiln_mfma_options_t){0}, m);
        }
}

// Zeros of both signs add nothing to an accumulator of any size, also of one far below every
// product's exponent.
static void zero_products_leave_the_accumulator(void **state)
{
    machine_t *const m = *state;
    for (unsigned n = 0; n < MODEL_ROWS; n++)
        for (unsigned round = 0; round < 3; round++) {
            const kiln_mfma_shape_t *const s = &model_rows[n].shape;
            fill_all(s, m, round == 2 ? ORDINARY : RAW, EQUAL);
            fill(m->b, 16, s->b, ORDINARY);
            for (unsigned at = 0; at < 16 * 64; at++) // in the last round, a third of A is kept
                m->a[at] &= round < 2 || at % 64 % 3 ? (width_of(s->a) == 16 ? 0x80008000u : 0)
                                                     : UINT32_MAX;
            for (unsigned at = 0; at < 33 * 64 && round == 2 && s->a != KILN_MFMA_F64; at++)
                m->c[at] = (m->c[at] & 0x8fffffffu) | 0x04000000u; // 2^-119 to 2^-96
            check(&model_rows[n], (kiln_mfma_options_t){0}, m);
        }
}

// Elements of random sign and significand whose exponents lie between `low` and `high`; one of
// eleven is a zero.
static void fill_between(uint32_t *registers, kiln_mfma_type_t type, int low, int high, bool zeros)
{
    const unsigned bits = width_of(type), fraction = type == KILN_MFMA_F16    ? 10
                                                     : type == KILN_MFMA_BF16 ? 7
                                                                              : 23;
    const int bias = type == KILN_MFMA_F16 ? 15 : 127;
    for (unsigned at = 0; at < 16 * 64; at++) {
        registers[at] = 0;
        for (unsigned bit = 0; bit < 32; bit += bits) {
            const uint64_t r = reference_random(&model_seed);
            const uint32_t field = (uint32_t)(low + (int)(r >> 32) % (high - low + 1) + bias);
            const uint32_t magnitude =
                field << fraction | ((uint32_t)(r >> 8) & ((1u << fraction) - 1));
            registers[at] |= ((uint32_t)(r & 1) << (bits - 1) |
                              (zeros && r >> 1 & 127 && r % 11 == 0 ? 0 : magnitude))
                             << bit;
        }
    }
}

// Limits of the fast summation methods: accumulators some powers of two above the products,
// themselves powers of two or next to one, all of one size or one among small ones; products that
// are almost too small or too large.
static void borders_of_the_fast_ways(void **state)
{
    machine_t *const m = *state;
    static const struct {
        int a_low, a_high, b_low, b_high, c_low, c_high; // exponents
    } draws[] = {
        {-2, 1, -2, 1, -30, 5},
        {-2, 1, -2, 1, 4, 9},
        {-1, 1, -1, 0, 5, 7},
        {-10, 2, -12, 3, 0, 8},
        {0, 0, 0, 0, 6, 8},
        {-14, 15, -14, 15, 20, 40},
        {-14, 5, -14, 5, -35, -10},
        {-70, -55, -72, -56, -126, -100},
        {-64, -62, -65, -62, -126, -110},
        {-126, -100, 0, 20, -126, -90},
        {57, 61, -3, 2, 60, 70},
        {-3, 2, 57, 61, 60, 70},
        {58, 64, 55, 64, 100, 127},
    };
    for (unsigned n = 0; n < MODEL_ROWS; n++)
        for (unsigned round = 0; round < 3 * sizeof draws / sizeof *draws; round++) {
            const kiln_mfma_shape_t *const s = &model_rows[n].shape;
            const unsigned draw = round / 3;
            const bool is_f16 = s->a == KILN_MFMA_F16;
            if ((!is_f16 && s->a != KILN_MFMA_BF16 && s->a != KILN_MFMA_XF32) ||
                (is_f16 && draw > 6))
                continue;
            fill_between(m->a, s->a, draws[draw].a_low, draws[draw].a_high, round % 2);
            fill_between(m->b, s->b, draws[draw].b_low, draws[draw].b_high, round % 2);
            fill_index(m->index);
            for (unsigned at = 0; at < 33 * 64; at++) {
                const uint64_t r = reference_random(&model_seed);
                const int low = draws[draw].c_low, high = draws[draw].c_high;
                const int e = low + (int)(r >> 32 & 0xffff) % (high - low + 1) -
                              (round % 3 == 2 && r >> 50 & 127 ? 12 : 0);
                const uint32_t fractions[] = {
                    0, 0, 0x7fffff, 1, 0x7ffffe, 0x400000, (uint32_t)r >> 9, (uint32_t)r >> 9};
                m->c[at] = (uint32_t)(r & 1) << 31 | (uint32_t)(e < -126 ? 0 : e + 127) << 23 |
                           fractions[r >> 1 & 7];
            }
            for (unsigned lane = 0; lane < 64 && round % 3 == 1; lane++) // zeros in some rows of A
                for (unsigned at = lane; at < 16 * 64 && lane / 4 % 2; at += 64)
                    m->a[at] &= width_of(s->a) == 16 ? 0x80008000u : 0x80000000u;
            check(&model_rows[n], (kiln_mfma_options_t){0}, m);
        }
}

// 1 + 2^-j ± 2^-24 added to an accumulator whose last place is often 2 · 2^-j. Whether the sum is
// rounded as a tie depends on the floor to 31 bits below the accumulator, whose exponent is 4 or 5
// in the first rounds, up to 11 in the last. In every other round no accumulator is negative or in
// the upper half of its binade.
static void ties_depend_on_the_floor(void **state)
{
    machine_t *const m = *state;
    for (unsigned n = 0; n < MODEL_ROWS; n++)
        for (unsigned round = 0; round < 14; round++) {
            const kiln_mfma_shape_t *const s = &model_rows[n].shape;
            if ((s->a != KILN_MFMA_F16 && s->a != KILN_MFMA_BF16 && s->a != KILN_MFMA_XF32) ||
                s->sparse)
                continue;
            const unsigned bits = width_of(s->a), fraction = s->a == KILN_MFMA_F16    ? 10
                                                             : s->a == KILN_MFMA_BF16 ? 7
                                                                                      : 23;
            const uint32_t one = s->a == KILN_MFMA_F16 ? 15 : 127;
            memset(m, 0, sizeof *m);
            for (unsigned block = 0; block < s->blocks; block++)
                for (unsigned i = 0; i < 2u * s->n; i++)
                    for (unsigned k = 0; k < 3; k++) {
                        const uint64_t r = reference_random(&model_seed);
                        const uint32_t down = k == 0 ? 0 : k == 1 ? 6 + (uint32_t)(r >> 8) % 5 : 12;
                        const uint32_t element = (one - down) << fraction |
                                                 (k == 2 ? (uint32_t)(r & 1) << (bits - 1) : 0);
                        const place_t p = place_of_input(s, s->a, s->k, block, i / 2, k);
                        (i % 2 ? m->b : m->a)[p.reg * 64 + p.lane] |= element << p.bit;
                    }
            for (unsigned at = 0; at < 33 * 64; at++) {
                const uint64_t r = reference_random(&model_seed);
                const uint32_t sign = round % 2 ? 0 : (uint32_t)(r & 1) << 31;
                m->c[at] = sign | (uint32_t)(127 + 4 + (r >> 32) % (round / 2 + 2)) << 23 |
                           (r & 6 ? (uint32_t)(r >> 8) & (round % 2 ? 0x3fffff : 0x7fffff) : 0);
            }
            check(&model_rows[n], (kiln_mfma_options_t){0}, m);
        }
}

// Ordinary products are added to accumulators with arbitrary bits.
static void accumulators_are_infinite_or_nan(void **state)
{
    machine_t *const m = *state;
    for (unsigned n = 0; n < MODEL_ROWS; n++) {
        fill_all(&model_rows[n].shape, m, ORDINARY, EQUAL);
        if (model_rows[n].shape.a != KILN_MFMA_F64)
            fill(m->c, 33, KILN_MFMA_F32, n % 2 ? EDGE : RAW);
        check(&model_rows[n], (kiln_mfma_options_t){0}, m);
    }
}

static void infinities_and_nans_are_found(void **state)
{
    machine_t *const m = *state;
    for (unsigned n = 0; n < MODEL_ROWS; n++) {
        const kiln_mfma_shape_t *const s = &model_rows[n].shape;
        if (s->a != KILN_MFMA_F16 && s->a != KILN_MFMA_BF16 && s->a != KILN_MFMA_XF32)
            continue;
        const uint32_t one = s->a == KILN_MFMA_F16    ? 0x3c003c00
                             : s->a == KILN_MFMA_BF16 ? 0x3f803f80
                                                      : 0x3f800000;
        const uint32_t infinite = s->a == KILN_MFMA_F16    ? 0x7c003c00
                                  : s->a == KILN_MFMA_BF16 ? 0x7f803f80
                                                           : 0x7f800000;
        fill_all(s, m, ORDINARY, EQUAL);
        m->a[3] = infinite;
        m->b[5] = infinite | 0x80000000u;
        m->b[7] = one;
        m->c[64] = 0xff800000u;
        check(&model_rows[n], (kiln_mfma_options_t){0}, m);
    }
}

// A NaN of f32 is one of xf32, even if its payload is only in the 13 bits that xf32 truncates.
static void nans_outlive_their_low_bits(void **state)
{
    static const uint32_t nans[] = {0x7f800001, 0xff800001, 0x7f801000, 0xff801fff,
                                    0x7f802000, 0x7fc00000, 0x7fbfffff};
    machine_t *const m = *state;
    for (unsigned n = 0; n < MODEL_ROWS; n++)
        for (unsigned i = 0; i < 2 * sizeof nans / sizeof *nans; i++) {
            const kiln_mfma_shape_t *const s = &model_rows[n].shape;
            if (s->a != KILN_MFMA_XF32 && s->a != KILN_MFMA_F32)
                continue;
            fill_all(s, m, ORDINARY, EQUAL);
            (i % 2 ? m->b : m->a)[11 * i % 64] = nans[i / 2];
            check(&model_rows[n], (kiln_mfma_options_t){0}, m);
            unsigned found = 0;
            for (unsigned at = 0; at < s->n * s->n * s->blocks; at++)
                found += (m->d[at] & INT32_MAX) > 0x7f800000;
            assert_int_equal(found, s->n); // one row, or one column
        }
}

static void broadcasts_move_lanes(void **state)
{
    machine_t *const m = *state;
    for (unsigned n = 0; n < MODEL_ROWS; n++) {
        const kiln_mfma_shape_t *const s = &model_rows[n].shape;
        const unsigned blgps = s->sparse ? 1 : s->a == KILN_MFMA_F64 ? 4 : 8;
        for (unsigned cbsz = 0; cbsz <= 4 && (1u << cbsz) <= s->blocks; cbsz++)
            for (unsigned blgp = 0; blgp < blgps; blgp++) {
                const uint8_t abid = (uint8_t)(reference_random(&model_seed) % (1u << cbsz));
                fill_all(s, m, ORDINARY, EQUAL);
                check(&model_rows[n],
                      (kiln_mfma_options_t){
                          .cbsz = (uint8_t)cbsz, .abid = abid, .blgp = (uint8_t)blgp},
                      m);
            }
        for (unsigned abid = 0; s->sparse && abid < (width_of(s->a) == 16 ? 4u : 2u); abid++) {
            fill_all(s, m, ORDINARY, EQUAL);
            check(&model_rows[n], (kiln_mfma_options_t){.abid = (uint8_t)abid}, m);
            check(&model_rows[n], (kiln_mfma_options_t){.cbsz = 1, .abid = (uint8_t)abid}, m);
        }
    }
}

static void integers_wrap_or_saturate(void **state)
{
    machine_t *const m = *state;
    for (unsigned n = 0; n < MODEL_ROWS; n++)
        if (model_rows[n].shape.a == KILN_MFMA_I8)
            for (unsigned clamp = 0; clamp < 2; clamp++) {
                fill_all(&model_rows[n].shape, m, RAW, EQUAL);
                for (unsigned at = 0; at < 33 * 64; at++)
                    m->c[at] = at & 1 ? 0x7ffffff0u : 0x80000010u;
                check(&model_rows[n], (kiln_mfma_options_t){.clamp = (uint8_t)clamp}, m);
            }
}

static void the_sum_is_biased_downwards_as_published(void **state)
{
    // One product of 2^-25 next to 1·1, accumulator 0: truncated towards zero it vanishes. Below
    // the accumulator's last bit it is floored instead: -2^-40 subtracts a unit of 2^-31, which
    // affects the final rounding only if it reaches half a unit of f32.
    machine_t *const m = *state;
    const kiln_mfma_shape_t s = {16, 16, 1, KILN_MFMA_F16, KILN_MFMA_F16, 0};
    memset(m, 0, sizeof *m);
    m->a[0] = 0x3c00;                  // A[0][0] = 1
    m->b[0] = 0x3c00;                  // B[0][0] = 1
    m->a[0] |= (uint32_t)0x0800 << 16; // A[0][1] = 2^-13
    m->b[0] |= (uint32_t)0x8c00 << 16; // B[0][1] = -2^-12
    m->d[0] = 0;
    executes[0](&s, &(kiln_mfma_options_t){0}, m->a, m->b, m->d);
    assert_int_equal(m->d[0], 0x3f800000);
    m->d[0] = 0xb3800000; // -2^-24: kept to 24 bits below 2^0; 1 - 2^-24 is representable
    executes[0](&s, &(kiln_mfma_options_t){0}, m->a, m->b, m->d);
    assert_int_equal(m->d[0], 0x3f7fffff);
    m->d[0] =
        0x80000001; // a negative accumulator far below floors to -2^-24: the published asymmetry
    executes[0](&s, &(kiln_mfma_options_t){0}, m->a, m->b, m->d);
    assert_int_equal(m->d[0], 0x3f7fffff);
    m->d[0] = 0x00000001; // its positive twin vanishes
    executes[0](&s, &(kiln_mfma_options_t){0}, m->a, m->b, m->d);
    assert_int_equal(m->d[0], 0x3f800000);
}

static void f32_inputs_flush_on_request(void **state)
{
    machine_t *const m = *state;
    const kiln_mfma_shape_t s = {16, 4, 1, KILN_MFMA_F32, KILN_MFMA_F32, 0};
    memset(m, 0, sizeof *m);
    m->a[0] = 0x00400000;
    m->b[0] = 0x7e800000; // 2^126
    executes[0](&s, &(kiln_mfma_options_t){0}, m->a, m->b, m->d);
    assert_int_equal(m->d[0], 0x3f000000);
    m->d[0] = 0x00000005;
    executes[0](&s, &(kiln_mfma_options_t){.flush_f32_inputs = 1}, m->a, m->b, m->d);
    assert_int_equal(m->d[0], 0x00000005); // C is never flushed
}

static int set_up(void **state)
{
#ifdef __x86_64__
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        executes[execute_count++] = kiln_mfma_execute_avx2;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        executes[execute_count++] = kiln_mfma_execute_avx512;
#endif
    *state = calloc(1, sizeof(machine_t));
    return *state == NULL;
}

static int tear_down(void **state)
{
    free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape_multiplies_bit_for_bit),
        cmocka_unit_test(fast_mode_is_a_chain_of_fused_multiply_adds),
        cmocka_unit_test(cancelling_products_leave_the_cuts),
        cmocka_unit_test(zero_products_leave_the_accumulator),
        cmocka_unit_test(borders_of_the_fast_ways),
        cmocka_unit_test(ties_depend_on_the_floor),
        cmocka_unit_test(accumulators_are_infinite_or_nan),
        cmocka_unit_test(infinities_and_nans_are_found),
        cmocka_unit_test(nans_outlive_their_low_bits),
        cmocka_unit_test(broadcasts_move_lanes),
        cmocka_unit_test(integers_wrap_or_saturate),
        cmocka_unit_test(the_sum_is_biased_downwards_as_published),
        cmocka_unit_test(f32_inputs_flush_on_request),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
