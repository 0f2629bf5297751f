// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options of memory accesses: hints do not change results, atomics of all types and orders change
// memory once per element.
#include "run_both.h"

enum { COUNT = 64 };

static float real[128];
static int32_t whole[128];
static int64_t wide[8];
static uint16_t half[8], brain[8];
static uint8_t bytes[8];

static const argument_t arguments[] = {{real, sizeof real, 0},   {whole, sizeof whole, 0},
                                       {wide, sizeof wide, 0},   {half, sizeof half, 0},
                                       {brain, sizeof brain, 0}, {bytes, sizeof bytes, 0}};

static void fill(void)
{
    for (int i = 0; i < 128; i++) {
        real[i] = i < COUNT ? (float)(i * 29 % 64 - 32) : 0;
        whole[i] = i;
    }
    memset(wide, 0, sizeof wide);
    memset(half, 0, sizeof half);
    memset(brain, 0, sizeof brain);
    memset(bytes, 250, sizeof bytes);
}

#define KERNEL                                                                                     \
    "kernel void k(f32 *real, i32 *whole, i64 *wide, f16 *half, bf16 *brain, u8 *bytes)\n"         \
    "{ i32 i[64] = range(64);\n"

static void check_hints(void)
{
    for (int i = 0; i < COUNT; i++) {
        float x = (float)(i * 29 % 64 - 32);
        assert_true(real[COUNT + i] == (i == 3 ? 0 : (i < 60 ? x : 7) + x));
        assert_int_equal(whole[COUNT + i], i + i);
    }
}

static void hints_change_no_result(void **state)
{
    (void)state;
    fill();
    run_both(KERNEL
             "    f32 x[64] = load(real + i, i < 60, .other = 7, .cache = cg, .evict = first);\n"
             "    x += load(.pointer = real + i, .volatile = true, .cache = cv);\n"
             "    store(real + 64 + i, x, .cache = cs, .mask = i != 3, .evict = last);\n"
             "    store(whole + 64 + i, i + load(whole + i, .cache = ca), .cache = wt);\n"
             "}\n",
             1, arguments, 6, check_hints);
}

static void check_atomics(void)
{
    for (int i = 0; i < 4; i++) {
        float max = -100, min = 100;
        for (int j = i; j < COUNT; j += 4) {
            float x = (float)(j * 29 % 64 - 32);
            max = x > max && j > 9 ? x : max;
            min = x < min ? x : min;
        }
        assert_true(real[64 + i] == (max > 0 ? max : 0));
        assert_true(real[68 + i] == (min < 0 ? min : 0));
    }
    for (int i = 0; i < 8; i++) {
        assert_int_equal(half[i], 0x4800);  // 8
        assert_int_equal(brain[i], 0x4100); // 8
        assert_int_equal(bytes[i], (250 + 24) % 256);
        int64_t sum = 0;
        for (int j = i; j < COUNT && i % 2 == 0; j += 8)
            sum += j;
        assert_int_equal(wide[i], sum);
    }
    assert_true(real[72] == 5.5f && real[73] == 5.5f && real[74] == 0);
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(whole[i], i % 2 ? i : 100);
        assert_int_equal(whole[64 + i],
                         i == 1 ? 11 : i); // the values before the swap, except for the polled ones
    }
}

static void atomics_take_all_types_and_orders(void **state)
{
    (void)state;
    fill();
    run_both(KERNEL "    f32 x[64] = real[i];\n"
                    "    atomic_max(real + 64 + i % 4, x, i > 9, .order = relaxed);\n"
                    "    atomic_min(real + 68 + i % 4, x);\n"
                    "    atomic_add(half + i % 8, (f16)1, .scope = cta);\n"
                    "    atomic_add(brain + i % 8, (bf16)1, .order = release, .scope = sys);\n"
                    "    atomic_add(bytes + i % 8, 3);\n"
                    "    atomic_add(wide + i % 8, i, i % 2 == 0);\n"
                    "    atomic_cas(real + 72 + i % 2, 0, 5.5);\n"
                    "    i32 old[64] = atomic_cas(whole + i, i & ~1, 100, .order = acquire);\n"
                    "    whole[64 + i] = old;\n"
                    "    barrier();\n"
                    "    bool seen = atomic_poll(whole + 64, 0), more = atomic_poll(whole + 65, 1, "
                    "1000, .order = relaxed);\n"
                    "    whole[65] = seen + more * 10;\n"
                    "}\n",
             1, arguments, 6, check_atomics);
}

static void check_addresses(void)
{
    static const int first[] = {7, 3, 5, 1};
    for (int i = 0; i < 4; i++)
        assert_int_equal(whole[i], first[i]);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(whole[64 + i], 3 * (i + 4));
    assert_int_equal(wide[0], 4);
}

// The address of an element of memory is a pointer, also as an argument of a function that takes an
// address; that of *name is the variable which the name refers to.
static void elements_have_addresses(void **state)
{
    (void)state;
    fill();
    run_both("void swap(i32 *a, i32 *b) { i32 old = *a; *a = *b; *b = old; }\n"
             "void set(i32 *to, i32 x) { *to = x; }\n"
             "void add_4(i32 *to) { set(&*to, *to + 4); }\n" KERNEL "    i32 *p = &whole[4];\n"
             "    i32 *q = &*p;\n"
             "    i32 n = 3;\n"
             "    store(&whole[64] + i, load(&p[i]) * n);\n"
             "    wide[0] = &q[60] - &whole[60];\n"
             "    add_4(&n);\n"
             "    set(&whole[0], n);\n"
             "    set(.x = 5, .to = &(&whole[1])[1]);\n"
             "    swap(&whole[1], &whole[3]);\n"
             "}\n",
             1, arguments, 6, check_addresses);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(hints_change_no_result),
                                       cmocka_unit_test(atomics_take_all_types_and_orders),
                                       cmocka_unit_test(elements_have_addresses)};
    return cmocka_run_group_tests(tests, open_device, close_device);
}
