// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that print through a buffer (host/print_buffer.h), compiled by clang from
// sim_kernels/print.hip: the output and its destination, the effect of a full buffer or of a
// failing kernel, and invalid records.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <unistd.h>

#include "hip_sim/entry.h"
#include "host/print_opencl.h"

enum { FAILURE = KILN_SIM_LAUNCH_FAILURE, ROOM = (4 << 20) - 8, OUTPUT = 4 << 20 };

static hipModule_t module, opencl;
static int *results;
static char *text;          // for kernels
static char output[OUTPUT]; // the printed text

// Launches a kernel, and captures in `output` what is written to the stream during the launch.
static hipError_t run(FILE *stream, hipModule_t from, const char *name, unsigned items,
                      void **arguments)
{
    hipFunction_t kernel;
    assert_int_equal(hipModuleGetFunction(&kernel, from, name), 0);
    fflush(stream);
    FILE *file = tmpfile();
    const int kept = dup(fileno(stream));
    assert_non_null(file);
    dup2(fileno(file), fileno(stream));
    hipError_t error =
        hipModuleLaunchKernel(kernel, 1, 1, 1, items, 1, 1, 0, NULL, arguments, NULL);
    error = error ? error : hipDeviceSynchronize();
    fflush(stream);
    dup2(kept, fileno(stream));
    close(kept);
    rewind(file);
    output[fread(output, 1, sizeof output - 1, file)] = '\0';
    fclose(file);
    return error;
}

static void lines_come_in_the_order_of_their_records(void **state)
{
    (void)state;
    const char *string = strcpy(text, "from memory"), *format = strcpy(text + 64, "%d and %g\n");
    assert_int_equal(run(stdout, module, "print", 3, (void *[]){&results, &string, &format}), 0);
    assert_string_equal(
        output, "lane 0 of two: 0.00, 100%\nlane 1 of two: 1.50, 100%\nlane 2 of two: 3.00, 100%\n"
                "[from memory] -1 -2 4294967293 -4 x 0x1234\n"
                "42 and 2.5\n"
                "7     |    8|\n"
                "no arguments\n");
    for (int i = 0; i < 3; i++)
        assert_int_equal(results[i], 0);
    assert_int_equal(run(stdout, module, "print_nothing", 1, (void *[]){&results}), 0);
    assert_string_equal(output, "");
}

// 20 bytes per line. The buffer is empty again in the next launch.
static void a_full_buffer_ends_printing(void **state)
{
    (void)state;
    for (int round = 0; round < 2; round++) {
        assert_int_equal(run(stdout, module, "print_much", 1, (void *[]){&results}), 0);
        assert_int_equal(results[0], ROOM / 20);
        const char *last = strrchr(output, '\n');
        while (last > output && last[-1] != '\n')
            last--;
        assert_int_equal(atoi(last), ROOM / 20 - 1);
    }
}

static void a_kernel_that_fails_has_printed(void **state)
{
    (void)state;
    assert_int_equal(run(stdout, module, "print_and_trap", 1, (void *[]){&results}), FAILURE);
    assert_string_equal(output, "before the trap\n");
    assert_non_null(strstr(kilnSimGetLastErrorMessage(), "s_trap"));
}

typedef struct damaged {
    uint32_t words[8];
    unsigned count, taken;
    const char *message; // NULL: the record is valid
    const char *printed;
} damaged_t;

static hipError_t print_damaged(FILE *stream, hipModule_t from, const damaged_t *damaged)
{
    uint32_t *words;
    unsigned count = damaged->count, taken = damaged->taken;
    assert_int_equal(hipMalloc((void **)&words, sizeof damaged->words), 0);
    memcpy(words, damaged->words, sizeof damaged->words);
    const hipError_t error = run(stream, from, "spoil", 1, (void *[]){&words, &count, &taken});
    assert_int_equal(hipFree(words), 0);
    return error;
}

#define RECORD(bytes, flags) ((bytes) << 2 | (flags))
#define CHARS(a, b, c, d)                                                                          \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

static void expect_false_claims(hipModule_t from, const damaged_t *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const hipError_t error = print_damaged(stdout, from, &cases[i]);
        const char *message = error ? kilnSimGetLastErrorMessage() : "";
        if (error != (cases[i].message ? FAILURE : 0) ||
            (cases[i].message && !strstr(message, cases[i].message)) ||
            strcmp(output, cases[i].printed) != 0)
            fail_msg("lie %zu: error %d, '%s', printed '%s'", i, (int)error, message, output);
    }
}

static void damaged_records_end_the_launch(void **state)
{
    (void)state;
    static const damaged_t cases[] = {
        {{RECORD(12, 0), CHARS('h', 'i', '\n', 0), 0}, 3, 12, NULL, "hi\n"},
        {{RECORD(12, 0), CHARS('h', 'i', '\n', 0), 0, 0},
         4,
         16,
         "a record of 0 bytes with only 4 left",
         "hi\n"},
        {{RECORD(12, 0), CHARS('h', 'i', '\n', 0), 0},
         3,
         14,
         "a record of 0 bytes with only 2 left",
         "hi\n"},
        {{RECORD(3, 0)}, 1, 12, "a record of 3 bytes with only 12 left", ""},
        {{RECORD(16, 0)}, 1, 12, "a record of 16 bytes with only 12 left", ""},
        {{UINT32_MAX}, 1, 12, "a record of 1073741823 bytes with only 12 left", ""},
        {{RECORD(8, 2), 0}, 2, 8, "too short for its format's hash", ""},
        {{RECORD(12, 2), 0x9abcdef0, 0x12345678},
         3,
         12,
         "a format (123456789abcdef0) that is missing in its code object",
         ""},
        {{RECORD(12, 0), CHARS('n', 'o', 'e', 'n'), CHARS('d', '!', '!', '!')},
         3,
         12,
         "do not match their format",
         ""},
        {{RECORD(12, 0), CHARS('%', 'd', '\n', 0), 0}, 3, 12, "do not match their format", "0"},
        {{RECORD(20, 0), CHARS('%', 'n', '\n', 0), 0, 1, 0},
         5,
         20,
         "do not match their format",
         ""},
        {{0}, 0, ROOM + 1, "4194297 of 4194296 bytes are used", ""},
        {{0}, 0, UINT32_MAX, "4294967295 of 4194296 bytes are used", ""},
    };
    expect_false_claims(module, cases, sizeof cases / sizeof cases[0]);
    static const damaged_t error = {
        {RECORD(12, 1), CHARS('e', 'r', 'r', 0), 0}, 3, 12, NULL, "err"};
    assert_int_equal(print_damaged(stderr, module, &error), 0);
    assert_string_equal(output, error.printed);
}

static void opencl_prints_vectors_and_strings(void **state)
{
    (void)state;
    results[0] = 7;
    assert_int_equal(run(stdout, opencl, "print", 1, (void *[]){&results}), 0);
    assert_string_equal(output, "7: a string, 100% \"of it\"\n"
                                "none\n"
                                "-8 1099511627776 0 6 x 106|7    |00007\n"
                                "3.50 17.5 7.000000e+00\n"
                                "1,-2 4,5,ff -1,1099511627776 1,2,3,255\n"
                                " 10.50, -2.50|\n"
                                "1.5,-5.96046e-08,65504,-inf\n"
                                "behind an empty one\n"
                                "0x1234\n");
}

static void damaged_records_of_opencl_end_the_launch(void **state)
{
    (void)state;
    static const damaged_t cases[] = {
        {{1, 42}, 2, 8, NULL, "formats make the buffer: 42\n"},
        {{1, 42, 1},
         3,
         12,
         "a truncated record: 1, 1:1:4:formats make",
         "formats make the buffer: 42\n"},
        {{1}, 1, 2, "a truncated record: 1", ""},
        {{0}, 1, 4, "a format that is missing in its code object: 0", ""},
        {{77}, 1, 4, "a format that is missing in its code object: 77", ""},
        {{0}, 0, UINT32_MAX, "4294967295 of 4194296 bytes are used", ""},
    };
    expect_false_claims(opencl, cases, sizeof cases / sizeof cases[0]);
}

// Input that no compiler emits: malformed entries, and those whose format and sizes do not match.
static void formats_of_opencl_are_not_trusted(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "",    "1",     "1:",         ":0:text",      "1:x:text",       "1:-1:text",
        "1:1", "1:1:4", "1:2:4:text", "1:256:4:text", "1:1:9999999:%d", "1:99999999999999999999:"};
    static const char *const torn[] = {
        "1:1:4:none",
        "1:0:%d",
        "1:1:4:%d %d",
        "1:2:4:4:%d",
        "1:1:4:%",
        "1:1:4:%l",
        "1:1:4:%lhld",
        "1:1:4:%v1d",
        "1:1:4:%v17d",
        "1:1:4:%vd",
        "1:1:4:%n",
        "1:1:4:%*d",
        "1:1:4:%99999d",
        "1:1:4:%00000000000000000000000000000000000000000000000000000000000000000000000000d"};
    const uint8_t record[64] = {1};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(kiln_sim_print_opencl_bytes(wrong[i]), 0);
    for (size_t i = 0; i < sizeof torn / sizeof torn[0]; i++) {
        assert_in_range(kiln_sim_print_opencl_bytes(torn[i]), 4, sizeof record);
        if (kiln_sim_print_opencl(torn[i], record))
            fail_msg("'%s' is printed", torn[i]);
    }
}

static int load(void **state)
{
    (void)state;
    return hipModuleLoad(&module, KILN_BINARY_DIR "/test/sim_kernels/print.hsaco") ||
           hipModuleLoad(&opencl, KILN_BINARY_DIR "/test/sim_kernels/print_opencl.hsaco") ||
           hipMalloc((void **)&results, 1024) || hipMalloc((void **)&text, 1024);
}

static int unload(void **state)
{
    (void)state;
    return hipFree(results) || hipFree(text) || hipModuleUnload(module) || hipModuleUnload(opencl);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_come_in_the_order_of_their_records),
        cmocka_unit_test(a_full_buffer_ends_printing),
        cmocka_unit_test(a_kernel_that_fails_has_printed),
        cmocka_unit_test(damaged_records_end_the_launch),
        cmocka_unit_test(opencl_prints_vectors_and_strings),
        cmocka_unit_test(damaged_records_of_opencl_end_the_launch),
        cmocka_unit_test(formats_of_opencl_are_not_trusted),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
