// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checks find planted bugs, at the right line, and nothing in correct kernels.
//
// Idea: take a correct kernel (sim_check/kernels.s), remove one line, assemble, launch, and compare
// the findings. sim_foreign_test.c does the same with the output of other compilers. A removed line
// is replaced by an empty one, so that line numbers stay.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "hip_sim/entry.h"

#define SOURCES KILN_SOURCE_DIR "/test/unit/sim_check/"
#define WORK KILN_BINARY_DIR "/test/sim_check"

enum { BUFFER_BYTES = 256 * 256 * 4 };

static char *read_text(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *text = calloc(1, *size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, *size, file), *size);
    fclose(file);
    return text;
}

// Blanks the line that contains the n-th `what`, and returns its number.
static unsigned cut_line(char *text, const char *what, unsigned nth)
{
    char *at = text;
    for (unsigned i = 0; i < nth; i++) {
        at = strstr(i ? at + 1 : at, what);
        if (!at)
            fail_msg("no line %u with '%s'", nth, what);
    }
    while (at > text && at[-1] != '\n')
        at--;
    for (char *c = at; *c && *c != '\n'; c++)
        *c = ' ';
    unsigned line = 1;
    for (const char *c = text; c < at; c++)
        line += *c == '\n';
    return line;
}

// Assembles text and loads it.
static hipModule_t assemble(const char *text, const char *flags)
{
    char command[1024];
    FILE *file = fopen(WORK ".s", "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    fclose(file);
    snprintf(command, sizeof command,
             "clang-22 -target amdgcn-amd-amdhsa -mcpu=gfx942 -mcode-object-version=5 %s -x "
             "assembler %s.s -o %s.hsaco",
             flags, WORK, WORK);
    assert_int_equal(system(command), 0);
    size_t size;
    char *object = read_text(WORK ".hsaco", &size);
    hipModule_t module;
    assert_int_equal(hipModuleLoadData(&module, object), 0);
    free(object);
    return module;
}

static void *device_bytes(size_t size)
{
    void *pointer;
    assert_int_equal(hipMalloc(&pointer, size), 0);
    assert_int_equal(hipMemset(pointer, 0, size), 0);
    return pointer;
}

static void run_small(hipModule_t module, const char *kernel)
{
    hipFunction_t function;
    assert_int_equal(hipModuleGetFunction(&function, module, kernel), 0);
    void *buffers[2] = {device_bytes(BUFFER_BYTES), device_bytes(BUFFER_BYTES)};
    size_t size = sizeof buffers;
    void *extra[] = {(void *)1, buffers, (void *)2, &size, (void *)3};
    // A planted bug may also end the launch with an error; only the findings count.
    (void)hipModuleLaunchKernel(function, 2, 1, 1, 256, 1, 1, 0, NULL, NULL, extra);
    hipFree(buffers[0]);
    hipFree(buffers[1]);
}

static void assert_nothing_found(const char *kernel)
{
    kiln_sim_finding_t finding = {.struct_size = sizeof finding};
    if (kilnSimGetFinding(0, &finding) == 0)
        fail_msg("%s: %s: %s at '%s'", kernel, finding.check, finding.message, finding.instruction);
}

// The findings must contain one of that check at that instruction in that kernel, and none of other
// checks.
static void assert_found(const char *kernel, const char *removed, const char *check,
                         const char *instruction)
{
    kiln_sim_finding_t finding = {.struct_size = sizeof finding};
    bool found = false;
    for (size_t i = 0; kilnSimGetFinding(i, &finding) == 0; i++) {
        assert_string_equal(finding.kernel, kernel);
        assert_true(finding.count > 0);
        assert_true(strstr(finding.source, ":") != NULL);
        found = found || (strcmp(finding.check, check) == 0 &&
                          strncmp(finding.instruction, instruction, strlen(instruction)) == 0);
    }
    if (!found)
        fail_msg("%s without '%s': no %s finding at '%s'", kernel, removed, check, instruction);
}

static void correct_kernels_pass(void **state)
{
    (void)state;
    static const char *const kernels[] = {
        "add",  "scalar_order", "overwritten", "reverse", "same_value", "values", "direct",
        "half", "meet",         "states",      "waits",   "spin",       "indexed"};
    size_t size;
    char *text = read_text(SOURCES "kernels.s", &size);
    hipModule_t module = assemble(text, "-g");
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        run_small(module, kernels[i]);
        assert_string_equal(kilnSimGetLastErrorMessage(), "");
        assert_nothing_found(kernels[i]);
    }
    hipModuleUnload(module);
    free(text);
}

static void small_bugs_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *kernel, *line, *check, *instruction;
    } bugs[] = {
#define BUG(kernel, line, check, instruction) {kernel, line, check, instruction},
#include "sim_check_bugs.def"
#undef BUG
    };
    for (size_t i = 0; i < sizeof bugs / sizeof bugs[0]; i++) {
        size_t size;
        char *text = read_text(SOURCES "kernels.s", &size), mark[64];
        snprintf(mark, sizeof mark, "; -%s\n", bugs[i].line);
        cut_line(text, mark, 1);
        hipModule_t module = assemble(text, "-g");
        run_small(module, bugs[i].kernel);
        assert_found(bugs[i].kernel, bugs[i].line, bugs[i].check, bugs[i].instruction);
        hipModuleUnload(module);
        free(text);
    }
}

static void *first_pointer, *second_pointer;

static void run_on(const char *kernel)
{
    size_t size;
    char *text = read_text(SOURCES "kernels.s", &size);
    hipModule_t module = assemble(text, "-g");
    hipFunction_t function;
    assert_int_equal(hipModuleGetFunction(&function, module, kernel), 0);
    void *buffers[2] = {first_pointer, second_pointer};
    size = sizeof buffers;
    void *extra[] = {(void *)1, buffers, (void *)2, &size, (void *)3};
    assert_int_not_equal(hipModuleLaunchKernel(function, 1, 1, 1, 256, 1, 1, 0, NULL, NULL, extra),
                         0);
    hipModuleUnload(module);
    free(text);
}

static void assert_memory_message(const char *part)
{
    kiln_sim_finding_t finding = {.struct_size = sizeof finding};
    assert_int_equal(kilnSimGetFinding(0, &finding), 0);
    assert_string_equal(finding.check, "memory");
    if (!strstr(finding.message, part))
        fail_msg("'%s' is not in '%s'", part, finding.message);
}

static void short_and_freed_buffers_are_found(void **state)
{
    (void)state;
    kiln_sim_finding_t finding = {.struct_size = sizeof finding};
    first_pointer = device_bytes(2048);
    second_pointer = device_bytes(1020); // one element short
    run_on("add");
    assert_memory_message("nearest allocation (device allocation, 1020 bytes");
    assert_int_equal(kilnSimGetFinding(0, &finding), 0);
    assert_int_equal(finding.wave, 3);
    assert_int_equal(finding.lane, 63);
    assert_int_equal(strncmp(finding.instruction, "global_store_dword v1, v4", 25), 0);

    void *freed = device_bytes(2048);
    hipFree(freed);
    first_pointer = freed;
    run_on("add");
    assert_memory_message("freed");
    hipFree(second_pointer);
}

// A report has one object per line, with the fields that a program needs to locate the finding.
static void reports_are_json_lines(void **state)
{
    (void)state;
    size_t size;
    char *text = read_text(WORK ".json", &size);
    assert_true(size > 0 && text[size - 1] == '\n');
    for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
        assert_int_equal(line[0], '{');
        assert_int_equal(strchr(line, '\n')[-1], '}');
    }
    assert_non_null(strstr(text, "\"check\":\"wait\""));
    assert_non_null(strstr(text, "\"kernel\":\"reverse\""));
    free(text);
}

int main(void)
{
    unlink(WORK ".json");
    setenv("KILN_SIM_CHECK", "all", 1);
    setenv("KILN_SIM_REPORT", WORK ".json", 1);
    setenv("KILN_SIM_LIMIT", "1000000", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(correct_kernels_pass),
        cmocka_unit_test(small_bugs_are_found),
        cmocka_unit_test(short_and_freed_buffers_are_found),
        cmocka_unit_test(reports_are_json_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
