// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory instructions: widths, pairs, atomics, scalar memory, LDS-direct loads and format
// conversions. The kernels are in sim_kernels/memory.s; each writes rows of 64 dwords, compared
// here with plain C on the same input.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hip_sim/entry.h"

enum { ROWS = 16, LANES = 64 };

static hipModule_t module;
static uint32_t *out;
static uint8_t *in;

static void run(const char *name)
{
    hipFunction_t function;
    struct {
        void *out, *in;
    } arguments = {out, in};
    size_t size = sizeof arguments;
    void *extra[] = {(void *)1, &arguments, (void *)2, &size, (void *)3};
    memset(out, 0, ROWS * LANES * 4);
    assert_int_equal(hipModuleGetFunction(&function, module, name), 0);
    if (hipModuleLaunchKernel(function, 1, 1, 1, LANES, 1, 1, 0, NULL, NULL, extra) != 0)
        fail_msg("%s: %s", name, kilnSimGetLastErrorMessage());
}

#define ROW(row, lane) out[LANES * (row) + (lane)]
#define EXPECT(row, expected)                                                                      \
    for (uint32_t lane = 0; lane < LANES; lane++) {                                                \
        if (ROW(row, lane) != (uint32_t)(expected))                                                \
            fail_msg("row %d, lane %u: %08x, expected %08x", row, lane, ROW(row, lane),            \
                     (uint32_t)(expected));                                                        \
    }

static uint32_t in16(uint32_t at)
{
    return in[at] | (uint32_t)in[at + 1] << 8;
}

static uint32_t in32(uint32_t at)
{
    return in16(at) | in16(at + 2) << 16;
}

static int32_t sign(uint32_t value, unsigned bits)
{
    uint32_t half = 1u << (bits - 1);
    return (int32_t)((value ^ half) - half);
}

static void narrow_accesses(void **state)
{
    (void)state;
    run("narrow_loads");
    EXPECT(0, in[2 * lane + 1])
    EXPECT(1, sign(in[2 * lane + 1], 8))
    EXPECT(2, in16(2 * lane))
    EXPECT(3, sign(in16(2 * lane), 16))
    EXPECT(4, in[2 * lane + 1])
    EXPECT(5, (uint32_t)sign(in[2 * lane + 1], 8) << 16)
    EXPECT(6, in16(2 * lane))
    EXPECT(7, in16(2 * lane) << 16)
    run("narrow_stores");
    for (uint32_t lane = 0; lane < LANES; lane++) {
        uint32_t value = 0xaabbccdd + lane;
        assert_int_equal(ROW(0, lane),
                         (value & 0xff) | (value >> 16 & 0xff) << 8 | (value & 0xffff0000));
        assert_int_equal(ROW(1, lane), value & 0xffff);
    }
}

// Dword i of LDS; the kernel has written nothing beyond 256 dwords.
static uint32_t lds_dword(uint32_t i)
{
    return i < 256 ? 1000 + i : 0xc7c7c7c7;
}

static void lds_widths_and_pairs(void **state)
{
    (void)state;
    run("lds_reads");
    EXPECT(0, lds_dword(4 * lane))
    EXPECT(1, lds_dword(4 * lane + 3))
    EXPECT(2, lds_dword(4 * lane + 1))
    EXPECT(3, lds_dword(4 * lane + 3))
    EXPECT(4, lds_dword(2 * lane + 2))
    EXPECT(5, lds_dword(2 * lane + 3))
    EXPECT(6, lds_dword(lane + 1))
    EXPECT(7, lds_dword(lane + 5))
    EXPECT(8, lds_dword(lane + 64))
    EXPECT(9, lds_dword(lane + 192))
    EXPECT(10, lds_dword(2 * lane + 4))
    EXPECT(11, lds_dword(2 * lane + 5))
    EXPECT(12, lds_dword(lane) >> 16)
    EXPECT(13, sign(lds_dword(lane) & 0xff, 8))
}

static void lds_atomics(void **state)
{
    (void)state;
    run("lds_atomics");
    EXPECT(0, 3 * lane)
    EXPECT(1, 32 - lane)
    EXPECT(2, 32 - lane)
    EXPECT(3, lane)
    EXPECT(4, 192)
    EXPECT(5, (int32_t)(32 - lane) > 3 ? 32 - lane : 3)
    EXPECT(6, 32 - lane < 3 ? 32 - lane : 3)
    // Lane 0 of the following write2 stores its first datum, 0, over lane 63's dword.
    EXPECT(7, lane == 3 || lane == 63 ? 0 : lane)
    EXPECT(8, lane)
    // 192 is above the limit of 3: the first lane sees it and wraps to 0; then 0, 1, 2, 3 in turn.
    EXPECT(9, lane == 0 ? 192 : (lane - 1) % 4)
}

static void float_atomics(void **state)
{
    (void)state;
    memset(in, 0, 32);
    run("float_atomics");
    float f32;
    double f64;
    memcpy(&f32, in, 4);
    memcpy(&f64, in + 8, 8);
    assert_true(f32 == 96.0f);
    assert_true(f64 == 16.0);
    assert_int_equal(in32(16), 0x5800u << 16 | 0x5400); // 128 and 64 in f16
    assert_int_equal(in32(20), 0x4300u << 16 | 0x4280); // and in bf16
}

static void scalar_memory(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 256; i++)
        in[i] = (uint8_t)(i * 7 + 3);
    run("scalar_memory");
    EXPECT(0, in32(4))
    EXPECT(1, in32(16))
    EXPECT(2, in32(20))
    EXPECT(3, in32(24))
    EXPECT(4, in32(28))
    EXPECT(5, 7)
    EXPECT(6, 12)
    assert_int_equal(in32(128), 100);
}

static void loads_to_lds(void **state)
{
    (void)state;
    run("lds_direct");
    EXPECT(0, in32(4 * lane))
    EXPECT(1, lane < 32 ? in32(4 * lane) : 0)
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void format_conversions(void **state)
{
    (void)state;
    run("formats");
    for (uint32_t lane = 0; lane < LANES; lane++) {
        for (uint32_t c = 0; c < 4; c++) {
            uint32_t expected = lane == 63 ? 0 : bits_of((float)in[4 * lane + 3 - c] / 255.0f);
            assert_int_equal(ROW(c, lane), expected);
        }
    }
    EXPECT(4, lane == 63 ? 0 : sign(in16(4 * lane), 16))
    EXPECT(5, lane == 63 ? 0 : sign(in16(4 * lane + 2), 16))
    EXPECT(6, lane == 63 ? 0 : in[4 * lane] | (uint32_t)in[4 * lane + 1] << 16)
    EXPECT(7, lane == 63 ? 0 : in[4 * lane + 2] | (uint32_t)in[4 * lane + 3] << 16)
    EXPECT(8, 128u | 255u << 8 | 0u << 16 | 255u << 24) // 0.5 * 255 = 127.5 rounds to even
}

static int set_up(void **state)
{
    (void)state;
    void *pointer;
    if (hipModuleLoad(&module, KILN_BINARY_DIR "/test/sim_kernels/memory.hsaco") != 0 ||
        hipMalloc(&pointer, ROWS * LANES * 4) != 0)
        return 1;
    out = pointer;
    if (hipMalloc(&pointer, 1024) != 0)
        return 1;
    in = pointer;
    for (uint32_t i = 0; i < 1024; i++)
        in[i] = (uint8_t)(i * 37 + (i >> 3) * 11 + 5);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(narrow_accesses), cmocka_unit_test(lds_widths_and_pairs),
        cmocka_unit_test(lds_atomics),     cmocka_unit_test(format_conversions),
        cmocka_unit_test(loads_to_lds),    cmocka_unit_test(float_atomics),
        cmocka_unit_test(scalar_memory),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
