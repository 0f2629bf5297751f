// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers: Philox 4x32-10 as its paper defines it, including the known answer for zeros, and
// the floats that Triton's rand and randn derive from its words.
#include <math.h>

#include "run_both.h"

enum { COUNT = 64 };

static uint32_t words[5][COUNT];
static float real[10][COUNT];
static uint64_t seed = 0x0123456789ABCDEF;

static void philox(uint64_t key, uint64_t counter, int rounds, uint32_t c[4])
{
    uint32_t k[2] = {(uint32_t)key, (uint32_t)(key >> 32)};
    c[0] = (uint32_t)counter;
    c[1] = (uint32_t)(counter >> 32);
    c[2] = c[3] = 0;
    for (int i = 0; i < rounds; i++) {
        uint64_t a = UINT64_C(0xD2511F53) * c[0], b = UINT64_C(0xCD9E8D57) * c[2];
        const uint32_t next[4] = {(uint32_t)(b >> 32) ^ c[1] ^ k[0], (uint32_t)b,
                                  (uint32_t)(a >> 32) ^ c[3] ^ k[1], (uint32_t)a};
        memcpy(c, next, sizeof next);
        k[0] += 0x9E3779B9;
        k[1] += 0xBB67AE85;
    }
}

static float uniform(uint32_t word)
{
    int32_t x = (int32_t)word;
    return (float)(x < 0 ? -x - 1 : x) * 4.6566127342e-10f;
}

static bool is_normal(float got, uint32_t u, uint32_t v, double (*wave)(double))
{
    double radius = sqrt(-2 * log(fmax(1e-7, (double)uniform(u))));
    return fabs((double)got - radius * wave(6.283185307179586 * (double)uniform(v))) < 1e-5;
}

static void check(void)
{
    static const uint32_t known[4] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c,
                                      0x9b00dbd8}; // Random123's kat_vectors
    uint32_t zeros[4];
    philox(0, 0, 10, zeros);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(zeros[i], known[i]);
        assert_int_equal(words[4][i], known[i]);
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t c[4], far[4], few[4];
        philox(seed, i, 10, c);
        philox(seed, (uint64_t)i << 31, 10, far);
        philox(seed, (uint32_t)-1 - i, 7,
               few); // offsets of 32 bits have no high word, whatever their sign
        assert_int_equal(words[0][i], c[0]);
        assert_int_equal(words[1][i], far[3]);
        assert_int_equal(words[2][i], few[0]);
        assert_true(real[0][i] == uniform(c[0]) && real[0][i] >= 0 && real[0][i] < 1);
        for (int j = 0; j < 4; j++)
            assert_true(real[1 + j][i] == uniform(c[j]));
        assert_true(is_normal(real[5][i], c[0], c[1], cos) &&
                    is_normal(real[6][i], c[0], c[1], cos));
        assert_true(is_normal(real[7][i], c[0], c[1], sin));
        assert_true(is_normal(real[8][i], c[2], c[3], cos) &&
                    is_normal(real[9][i], c[2], c[3], sin));
    }
}

static void numbers_are_philoxs(void **state)
{
    const argument_t arguments[] = {
        {words, sizeof words, 0}, {real, sizeof real, 0}, {&seed, sizeof seed, 1}};
    (void)state;
    run_both("kernel void k(u32 *words, f32 *real, u64 seed)\n"
             "{ i32 i[64] = range(64);\n"
             "  words[i] = randint(seed, i);\n"
             "  u32 p[64], q[64], r[64], s[64], e, f, g, h;\n"
             "  randint4x(seed, (i64)i << 31, &p, &q, &r, &s);\n"
             "  words[64 + i] = s;\n"
             "  words[128 + i] = randint(seed, -1 - i, .rounds = 7);\n"
             "  randint4x(0, 0, &e, &f, &g, &h);\n"
             "  words[256] = e; words[257] = f; words[258] = g; words[259] = h;\n"
             "  real[i] = rand(seed, i);\n"
             "  f32 a[64], b[64], c[64], d[64];\n"
             "  rand4x(seed, i, &a, &b, &c, &d);\n"
             "  real[64 + i] = a; real[128 + i] = b; real[192 + i] = c; real[256 + i] = d;\n"
             "  real[320 + i] = randn(seed, i);\n"
             "  randn4x(seed, i, &a, &b, &c, &d);\n"
             "  real[384 + i] = a; real[448 + i] = b; real[512 + i] = c; real[576 + i] = d;\n"
             "}\n",
             1, arguments, 3, check);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_are_philoxs)};
    return cmocka_run_group_tests(tests, open_device, close_device);
}
