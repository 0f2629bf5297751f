// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tile C has the semantics of C: the same text is compiled by this test's C compiler and, through
// Kiln, run on the simulator, and the results are compared bit for bit.
//
// Expressions run twice, on scalars (a program per element) and on a tile. Inputs avoid what C
// leaves undefined.
#include <stdbool.h>
#include <stdio.h>

#include "kiln/builder.h"
#include "run_kernel.h"

typedef int8_t i8;
typedef int16_t i16;
typedef int32_t i32;
typedef int64_t i64;
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef _Float16 f16;
typedef float f32;
typedef double f64;

#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wbool-operation"

enum { COUNT = 64 };

static void run(const char *text, unsigned programs, const argument_t *arguments, size_t count)
{
    kiln_source_t source = {KILN_STAGE_TILE, "test.tile.c", text, strlen(text)};
    kiln_compile_options_t options;
    kiln_compile_options_initialize(&options);
    options.num_warps = 1;
    run_kernel(&source, &options, programs, arguments, count);
}

// Expressions -------------------------------------------------------------------------------------

static i32 a[COUNT], b[COUNT];
static f32 x[COUNT], y[COUNT];

static void make_inputs(void)
{
    for (int i = 0; i < COUNT; i++) {
        a[i] = (i * 7919 % 4001) - 2000;
        b[i] = (i * 104729 % 37) - 18;
        x[i] = (f32)(i * 7919 % 997 - 498) / 16;
        y[i] = (f32)(i * 104729 % 89 - 44) / 8 + 0.0625f;
    }
}

// Declared before each expression, as variables of the other types.
#define CASES(CASE)                                                                                \
    CASE(i32, A + B)                                                                               \
    CASE(i32, A - B * 3)                                                                           \
    CASE(i32, A / (B | 1))                                                                         \
    CASE(i32, A % (B | 1))                                                                         \
    CASE(i32, A >> (B & 7))                                                                        \
    CASE(i32, (i32)((u32)A << (B & 15)))                                                           \
    CASE(i32, A &B | A ^ ~B)                                                                       \
    CASE(i32, -A)                                                                                  \
    CASE(i32, !A + !B)                                                                             \
    CASE(i32, A < B)                                                                               \
    CASE(i32, (A < B) + (A <= B) * 2 + (A == B) * 4 + (A != B) * 8 + (A > B) * 16 + (A >= B) * 32) \
    CASE(i32, (u32)A < (u32)B)                                                                     \
    CASE(i32, A < (u32)B)                                                                          \
    CASE(i32, (u32)A / (u32)(B | 1))                                                               \
    CASE(i32, (u32)A % 77u)                                                                        \
    CASE(i32, (u32)A >> 3)                                                                         \
    CASE(i32, (i8)A)                                                                               \
    CASE(i32, (u8)A)                                                                               \
    CASE(i32, (i16)(A * 40))                                                                       \
    CASE(i32, (i8)A + (u8)B)                                                                       \
    CASE(i32, (u8)A << 4)                                                                          \
    CASE(i32, (u16)A *(u8)B)                                                                       \
    CASE(i32, (i32)((i64)A * B * 100000 >> 20))                                                    \
    CASE(i32, (i32)((u64)A >> 40))                                                                 \
    CASE(i32, (i64)A - (u32)B < 0)                                                                 \
    CASE(i32, A > B ? A : B)                                                                       \
    CASE(i32, A > 0 && B > 0 || A < -1000)                                                         \
    CASE(i32, (bool)A + (bool)(B & 1))                                                             \
    CASE(i32, (i32)X + (i32)(Y * 100))                                                             \
    CASE(i32, (u8)(Y < 0 ? -Y : Y))                                                                \
    CASE(i32, (X < Y) + (X == Y) * 2 + (X >= Y) * 4 + (X != Y) * 8)                                \
    CASE(i32, !X)                                                                                  \
    CASE(i32, X &&Y > 1)                                                                           \
    CASE(f32, X + Y)                                                                               \
    CASE(f32, X *Y - 3)                                                                            \
    CASE(f32, X / Y)                                                                               \
    CASE(f32, -X * 0.5f)                                                                           \
    CASE(f32, X + A)                                                                               \
    CASE(f32, (u32)A)                                                                              \
    CASE(f32, A * 0.25f)                                                                           \
    CASE(f32, (f16)X)                                                                              \
    CASE(f32, (f16)((f16)X * (f16)Y))                                                              \
    CASE(f32, (f16)((f16)X + (f16)3))                                                              \
    CASE(f32, (f16)A)                                                                              \
    CASE(f32, (f32)((f64)X / 3 + A))                                                               \
    CASE(f32, (f32)(i64)(X * 1000))                                                                \
    CASE(f32, X > Y ? X : A)                                                                       \
    CASE(f32, (X += 2, X * X))                                                                     \
    CASE(i32, (A += 3, B = A++, --A - B))                                                          \
    CASE(i32, (A &= 999, A <<= 2, A |= 1, A %= 11, A ^= B))

typedef union word {
    i32 i;
    f32 f;
} word_t;

// Scalars and tiles have the same names; a store replaces the result.
#define SCALAR_CASE(type, ...)                                                                     \
    "{ i32 A = a[i], B = b[i]; f32 X = x[i], Y = y[i]; *((" #type " *)out + n) = " #__VA_ARGS__    \
    "; n += 64; }\n"
#define TILE_CASE(type, ...)                                                                       \
    "{ i32 A[64] = a[i], B[64] = b[i]; f32 X[64] = x[i], Y[64] = y[i]; *((" #type                  \
    " *)out + n) = " #__VA_ARGS__ "; n += 64; }\n"

static const char scalar_text[] =
    "kernel void scalars(const i32 *a, const i32 *b, const f32 *x, const f32 *y, i32 *out)\n"
    "{ i32 i = program_id(0), n = i;\n" CASES(SCALAR_CASE) "}\n";
static const char tile_text[] =
    "kernel void tiles(const i32 *a, const i32 *b, const f32 *x, const f32 *y, i32 *out)\n"
    "{ i32 i[64] = range(64), n[64] = i;\n" CASES(TILE_CASE) "}\n";

#define NAME_CASE(type, ...) #__VA_ARGS__,
static const char *const names[] = {CASES(NAME_CASE)};
enum { CASE_COUNT = sizeof names / sizeof *names };

static bool is_i32(word_t *out, const char *type)
{
    (void)out;
    return type[0] == 'i';
}

static void host(word_t (*out)[COUNT])
{
    for (int i = 0; i < COUNT; i++) {
        int n = 0;
#define HOST_CASE(type, ...)                                                                       \
    {                                                                                              \
        i32 A = a[i], B = b[i];                                                                    \
        f32 X = x[i], Y = y[i];                                                                    \
        type result = __VA_ARGS__;                                                                 \
        (void)A, (void)B, (void)X, (void)Y;                                                        \
        if (is_i32(out[n], #type))                                                                 \
            out[n][i].i = (i32)result;                                                             \
        else                                                                                       \
            out[n][i].f = (f32)result;                                                             \
        n++;                                                                                       \
    }
        CASES(HOST_CASE)
    }
}

static void compare(const char *text, unsigned programs)
{
    static word_t expected[CASE_COUNT][COUNT], got[CASE_COUNT][COUNT];
    make_inputs();
    host(expected);
    memset(got, 0xA5, sizeof got);
    const argument_t arguments[] = {{a, sizeof a, 0},
                                    {b, sizeof b, 0},
                                    {x, sizeof x, 0},
                                    {y, sizeof y, 0},
                                    {got, sizeof got, 0}};
    run(text, programs, arguments, 5);
    unsigned wrong = 0;
    for (int n = 0; n < CASE_COUNT; n++)
        for (int i = 0; i < COUNT; i++) {
            if (expected[n][i].i == got[n][i].i)
                continue;
            if (wrong++ < 10)
                print_error("%s: a = %d, b = %d, x = %g, y = %g: %d (%g), and C has %d (%g)\n",
                            names[n], a[i], b[i], (double)x[i], (double)y[i], got[n][i].i,
                            (double)got[n][i].f, expected[n][i].i, (double)expected[n][i].f);
            break;
        }
    assert_int_equal(wrong, 0);
}

static void scalars_compute_as_c(void **state)
{
    (void)state;
    compare(scalar_text, COUNT);
}

static void tiles_compute_as_c(void **state)
{
    (void)state;
    compare(tile_text, 1);
}

// Control flow ------------------------------------------------------------------------------------

#define BOTH(...)                                                                                  \
    __VA_ARGS__                                                                                    \
    static const char helpers[] = #__VA_ARGS__;

// clang-format off
BOTH(
static i32 collatz(i32 n)
{
    i32 steps = 0;
    while (n > 1) {
        n = n % 2 ? 3 * n + 1 : n / 2;
        if (++steps >= 50)
            break;
    }
    return steps;
}

static i32 first_divisor(i32 n)
{
    if (n < 2)
        return -1;
    for (i32 i = 2; i * i <= n; i++)
        if (n % i == 0)
            return i;
    return n;
}

static i32 sums(i32 n)
{
    i32 up = 0, down = 0, both = 0, i;
    for (i = 0; i < n; i += 3)
        up += i;
    up = up * 100 + i;
    for (i32 j = n; j >= 0; j -= 7)
        down = down * 3 + j;
    for (i32 j = n; j > 0; --j) {
        if (j % 3 == 0)
            continue;
        for (i32 k = 0; k <= j; k++) {
            if (k == 5)
                continue;
            if (k > 9)
                break;
            both += k;
        }
        both ^= j;
    }
    return up + down * 7 + both;
}

static i32 gcd(i32 p, i32 q)
{
    do {
        i32 r = p % q;
        p = q;
        q = r;
        if (r == 1)
            return 1;
    } while (q != 0);
    return p;
}

static i32 search(const i32 *list, i32 n, i32 key)
{
    i32 low = 0, high = n, steps = 0;
    while (low < high) {
        i32 middle = low + (high - low) / 2;
        steps++;
        if (list[middle] == key)
            return middle * 100 + steps;
        if (list[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return -steps;
}

static i32 nested(i32 n)
{
    i32 found = 0;
    for (i32 i = 0; i < 12; i++) {
        if (i == n % 13)
            break;
        for (i32 j = 0;; j++) {
            if (j > i || found > 1000)
                break;
            if ((i + j) % 4 == 1)
                continue;
            found += i * j + 1;
            if (found % 17 == 3)
                return found * 1000 + i * 32 + j;
        }
    }
    i32 u = 1, v;
    if (n > 20) { v = u++; } else if (n > 10) v = --u; else { v = 7; u = v * 2; }
    return found * 10 + u - v;
}

static i32 lazy(const i32 *list, i32 n)
{
    i32 calls = 0;
    i32 r = n > 0 && list[n % 8] > 30 && (calls += 2) > 0 ? (calls++, n) : (calls += 10, -n);
    r += n < 0 || (calls *= 3) > 20 ? 1000 : 0;
    return r * 100 + calls;
}
)
// clang-format on

static void control_flow_goes_as_in_c(void **state)
{
    enum { FUNCTIONS = 7 };
    static i32 list[COUNT], got[FUNCTIONS][COUNT];
    char text[8192];
    (void)state;
    for (int i = 0; i < COUNT; i++)
        list[i] = i * 5;
    snprintf(text, sizeof text,
             "%s\nkernel void k(const i32 *list, i32 *out) { i32 n = program_id(0); out += n;\n"
             "out[0] = collatz(n); out[64] = first_divisor(n); out[128] = sums(n); out[192] = "
             "gcd(n * 6 + 12, 84);\n"
             "out[256] = search(list, 64, n * 3); out[320] = nested(n); out[384] = lazy(list, n - "
             "5); }\n",
             helpers);
    const argument_t arguments[] = {{list, sizeof list, 0}, {got, sizeof got, 0}};
    run(text, COUNT, arguments, 2);
    for (int n = 0; n < COUNT; n++) {
        assert_int_equal(got[0][n], collatz(n));
        assert_int_equal(got[1][n], first_divisor(n));
        assert_int_equal(got[2][n], sums(n));
        assert_int_equal(got[3][n], gcd(n * 6 + 12, 84));
        assert_int_equal(got[4][n], search(list, 64, n * 3));
        assert_int_equal(got[5][n], nested(n));
        assert_int_equal(got[6][n], lazy(list, n - 5));
    }
}

// Tiles -------------------------------------------------------------------------------------------

static void tiles_move_and_reduce(void **state)
{
    static const char text[] =
        "kernel void k(const i32 *in, i32 *out)\n"
        "{\n"
        "    i32 x[8][16] = in[range(8)[:, None] * 16 + range(16)[None, :]];\n"
        "    out[range(8)] = sum(x, 1);\n"
        "    out[8 + range(16)] = max(x, 0);\n"
        "    out[24 + range(8)] = argmin(x, 1);\n"
        "    i32 t[16][8] = trans(x);\n"
        "    out[32 + range(128)] = reshape(t, 128);\n"
        "    out[160] = sum(x);\n"
        "    bool odd[8][16] = x & 1;\n"
        "    out[161] = sum(odd);\n"
        "    out[162] = any(x > 126) + all(x >= 0) * 2 + any(x > 200) * 4;\n"
        "    out[163] = xor_sum(x);\n"
        "    x -= sum(x, 1)[:, None];\n"
        "    out[164 + range(8)] = min(x, -1);\n"
        "}\n";
    static i32 in[128], out[172];
    (void)state;
    for (int i = 0; i < 128; i++)
        in[i] = i * 37 % 128;
    const argument_t arguments[] = {{in, sizeof in, 0}, {out, sizeof out, 0}};
    run(text, 1, arguments, 2);
    i32 total = 0, odd = 0, mixed = 0;
    for (int r = 0; r < 8; r++) {
        i32 sum = 0, min = 0;
        for (int c = 0; c < 16; c++) {
            i32 v = in[r * 16 + c];
            sum += v;
            min = v < in[r * 16 + min] ? c : min;
            odd += v & 1;
            mixed ^= v;
            assert_int_equal(out[32 + c * 8 + r], v);
        }
        total += sum;
        assert_int_equal(out[r], sum);
        assert_int_equal(out[24 + r], min);
        assert_int_equal(out[164 + r], in[r * 16 + min] - sum);
    }
    for (int c = 0; c < 16; c++) {
        i32 max = 0;
        for (int r = 0; r < 8; r++)
            max = in[r * 16 + c] > max ? in[r * 16 + c] : max;
        assert_int_equal(out[8 + c], max);
    }
    assert_int_equal(out[160], total);
    assert_int_equal(out[161], odd);
    assert_int_equal(out[162], 3);
    assert_int_equal(out[163], mixed);
}

// Programs from the builder are compiled like text: here the running sums of max(x, 0), 64 elements
// at a time.
static void built_programs_run(void **state)
{
    enum { BLOCK = 64, TOTAL = 256 };
    const kiln_value_type_t i32_type = {.element = KILN_VALUE_I32},
                            pointer = {.element = KILN_VALUE_I32, .is_pointer = true};
    const kiln_kernel_parameter_t parameters[] = {
        {"in", pointer, 16, true}, {"out", pointer, 16, true}, {"n", i32_type, 0, false}};
    const int64_t shape[] = {BLOCK};
    kiln_builder_t *builder;
    kiln_value_t argument[3], start, carried, next, none = {NULL};
    kiln_source_t source;
    (void)state;
    expect_ok(kiln_builder_create(&builder));
    kiln_build_kernel_begin(builder, "positive_sums", parameters, 3, argument);
    kiln_value_t zero = kiln_build_int(builder, i32_type, 0);
    kiln_build_for_begin(builder, zero, argument[2], kiln_build_int(builder, i32_type, BLOCK),
                         &zero, 1, &start, &carried);
    kiln_value_t index =
        kiln_build_binary(builder, KILN_BINARY_ADDI, kiln_build_broadcast(builder, start, 1, shape),
                          kiln_build_range(builder, 0, BLOCK));
    kiln_value_t from =
        kiln_build_addptr(builder, kiln_build_broadcast(builder, argument[0], 1, shape), index);
    kiln_value_t value = kiln_build_load(builder, from, none, none);
    value = kiln_build_binary(builder, KILN_BINARY_MAXSI, value,
                              kiln_build_broadcast(builder, zero, 1, shape));
    kiln_value_t sums = kiln_build_scan(builder, KILN_REDUCE_ADDI, value, 0);
    sums = kiln_build_binary(builder, KILN_BINARY_ADDI, sums,
                             kiln_build_broadcast(builder, carried, 1, shape));
    kiln_build_store(
        builder,
        kiln_build_addptr(builder, kiln_build_broadcast(builder, argument[1], 1, shape), index),
        sums, none);
    next = kiln_build_binary(builder, KILN_BINARY_ADDI, carried,
                             kiln_build_reduce(builder, KILN_REDUCE_ADDI, value, 0));
    kiln_build_for_end(builder, &next, &carried);
    kiln_build_kernel_end(builder);
    expect_ok(kiln_builder_finish(builder, &source));

    static i32 in[TOTAL], out[TOTAL];
    i32 total = TOTAL, sum = 0;
    for (int i = 0; i < TOTAL; i++)
        in[i] = i * 37 % 101 - 50;
    const argument_t arguments[] = {
        {in, sizeof in, 0}, {out, sizeof out, 0}, {&total, sizeof total, 1}};
    run_kernel(&source, NULL, 1, arguments, 3);
    for (int i = 0; i < TOTAL; i++) {
        sum += in[i] > 0 ? in[i] : 0;
        assert_int_equal(out[i], sum);
    }
    kiln_builder_release(builder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(built_programs_run),    cmocka_unit_test(scalars_compute_as_c),
        cmocka_unit_test(tiles_compute_as_c),    cmocka_unit_test(control_flow_goes_as_in_c),
        cmocka_unit_test(tiles_move_and_reduce),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
