// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bugs planted in the output of other compilers: Triton's code of a GEMM, of attention and of a
// layer normalization, and clang's code of HIP kernels (sim_check/*.s state their origin).
//
// Idea: sim_foreign_bugs.def names a line; it is removed, replaced (a larger count, a shorter
// s_nop), or swapped with the next one. The check must report the right instruction and source
// line, both to the program and in the report.
//
// Line numbers are those of the kernel's source, which the compiler left in the assembly.
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
#define WORK KILN_BINARY_DIR "/test/sim_foreign"

enum { BUFFER_BYTES = 256 * 256 * 4, MAX_ARGUMENTS = 16 };

// How a kernel is called. Arguments: h, f: a buffer of halfs or floats; b: one of zeros; i: the
// next of `numbers`, 0: NULL.
typedef struct program {
    const char *file, *kernel, *arguments;
    uint32_t numbers[8], grid[2], lds;
} program_t;

static const program_t programs[] = {
    {"gemm.s", "gemm", "hhbiiiiii00", {256, 256, 256, 256, 256, 256}, {4, 1}, 16384},
    {"attention.s",
     "attn_fwd",
     "hhhbbiiiiii"
     "i00",
     {12800, 12800, 12800, 12800, 200, 200, 0x3e000000},
     {2, 2},
     16384},
    {"layer_norm.s", "layer_norm", "hbhhbbiii00", {1500, 1500, 0x3727c5ac}, {8, 1}, 2048},
    {"hip.s", "reduce", "fbi", {2048}, {2, 1}, 0},
    {"hip.s", "scan", "fbi", {2048}, {2, 1}, 0},
    {"hip.s", "histogram", "fbi", {2048}, {2, 1}, 0},
    {"hip.s", "turn", "fbi", {2048}, {2, 1}, 0},
    {"hip.s", "multiply", "fbi", {2048}, {2, 1}, 0},
};

enum { PROGRAMS = sizeof programs / sizeof programs[0] };

typedef struct bug {
    const char *kernel, *line; // beginning of the line, after its tab
    unsigned nth;              // among those of the kernel, from 1
    const char *instead, *check, *instruction, *source;
} bug_t;

static const bug_t bugs[] = {
#define BUG(kernel, line, nth, instead, check, instruction, source)                                \
    {kernel, line, nth, instead, check, instruction, source},
#include "sim_foreign_bugs.def"
#undef BUG
};

enum { BUGS = sizeof bugs / sizeof bugs[0] };

// ---- text

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    char *text = calloc(1, size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, size, file), size);
    fclose(file);
    return text;
}

static char *program_text(const program_t *program)
{
    char path[512];
    snprintf(path, sizeof path, SOURCES "%s", program->file);
    return read_text(path);
}

static const char *line_of(const char *text, const bug_t *bug)
{
    char label[64], line[128];
    snprintf(label, sizeof label, "\n%s:", bug->kernel);
    snprintf(line, sizeof line, "\n\t%s", bug->line);
    const char *at = strstr(text, label);
    for (unsigned i = 0; at && i < bug->nth; i++)
        at = strstr(at + 1, line);
    if (!at)
        fail_msg("%s has no line %u with '%s'", bug->kernel, bug->nth, bug->line);
    return at + 1;
}

// Returns the text with the bug planted. The caller frees it.
static char *plant(const char *text, const bug_t *bug)
{
    const char *at = line_of(text, bug), *end = strchr(at, '\n') + 1, *next = end;
    char *changed = malloc(strlen(text) + 64);
    assert_non_null(changed);
    if (strcmp(bug->instead, "swap") == 0) {
        while (next[0] != '\t' || next[1] == '.') // labels and directives
            next = strchr(next, '\n') + 1;
        next = strchr(next, '\n') + 1;
        sprintf(changed, "%.*s%.*s%.*s%s", (int)(at - text), text, (int)(next - end), end,
                (int)(end - at), at, next);
    } else {
        sprintf(changed, "%.*s\t%s\n%s", (int)(at - text), text, bug->instead, end);
    }
    return changed;
}

// ---- launches

static hipModule_t assemble(const char *text)
{
    FILE *file = fopen(WORK ".s", "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
    assert_int_equal(system("clang-22 -target amdgcn-amd-amdhsa -mcpu=gfx942 "
                            "-mcode-object-version=5 -x assembler " WORK ".s -o " WORK ".hsaco"),
                     0);
    char *object = read_text(WORK ".hsaco");
    hipModule_t module;
    assert_int_equal(hipModuleLoadData(&module, object), 0);
    free(object);
    return module;
}

static void *buffer(char kind, size_t size)
{
    void *pointer, *bytes = calloc(1, BUFFER_BYTES);
    assert_non_null(bytes);
    for (unsigned i = 0; kind == 'h' && i < BUFFER_BYTES / 2; i++)
        ((uint16_t *)bytes)[i] = (uint16_t)(0x3800 + i * 7 % 1021);
    for (unsigned i = 0; kind == 'f' && i < BUFFER_BYTES / 4; i++)
        ((float *)bytes)[i] = (float)(i * 7 % 61);
    assert_int_equal(hipMalloc(&pointer, size), 0);
    assert_int_equal(hipMemcpy(pointer, bytes, size, 1), 0); // a copy marks it as defined
    free(bytes);
    return pointer;
}

// Launches with `bytes` bytes for argument `which` and more than enough for the others.
static void run_with(hipModule_t module, const program_t *program, size_t which, size_t bytes)
{
    hipFunction_t function;
    assert_int_equal(hipModuleGetFunction(&function, module, program->kernel), 0);
    uint8_t packed[MAX_ARGUMENTS * 8];
    void *buffers[MAX_ARGUMENTS] = {NULL};
    size_t size = 0, numbers = 0;
    for (size_t i = 0; program->arguments[i]; i++) {
        char kind = program->arguments[i];
        if (kind == 'i') {
            memcpy(packed + size, &program->numbers[numbers++], 4);
            size += 4;
            continue;
        }
        if (kind != '0')
            buffers[i] = buffer(kind, i == which ? bytes : BUFFER_BYTES);
        size = (size + 7) / 8 * 8;
        memcpy(packed + size, &buffers[i], 8);
        size += 8;
    }
    void *extra[] = {(void *)1, packed, (void *)2, &size, (void *)3};
    // A planted bug may also end the launch with an error; only the findings count.
    (void)hipModuleLaunchKernel(function, program->grid[0], program->grid[1], 1, 256, 1, 1,
                                program->lds, NULL, NULL, extra);
    for (size_t i = 0; i < MAX_ARGUMENTS; i++)
        hipFree(buffers[i]);
}

static void run(hipModule_t module, const program_t *program)
{
    run_with(module, program, MAX_ARGUMENTS, 0);
}

static const program_t *program_of(const char *kernel)
{
    const program_t *program = programs;
    while (strcmp(program->kernel, kernel) != 0)
        assert_true(++program < programs + PROGRAMS);
    return program;
}

// ---- tests

static void correct_code_passes(void **state)
{
    (void)state;
    kiln_sim_finding_t finding = {.struct_size = sizeof finding};
    for (size_t i = 0; i < PROGRAMS; i++) {
        char *text = program_text(&programs[i]);
        hipModule_t module = assemble(text);
        run(module, &programs[i]);
        assert_string_equal(kilnSimGetLastErrorMessage(), "");
        if (kilnSimGetFinding(0, &finding) == 0)
            fail_msg("%s: %s: %s at '%s'", programs[i].kernel, finding.check, finding.message,
                     finding.instruction);
        hipModuleUnload(module);
        free(text);
    }
    assert_int_equal(access(WORK ".json", F_OK), -1); // nothing was reported
}

// Whether one line of the report has both the check and the instruction.
static bool is_reported(const bug_t *bug)
{
    char *text = read_text(WORK ".json"), check[64], instruction[160];
    snprintf(check, sizeof check, "\"check\":\"%s\"", bug->check);
    snprintf(instruction, sizeof instruction, "\"instruction\":\"%s", bug->instruction);
    bool found = false;
    for (char *line = text, *end; !found && (end = strchr(line, '\n')); line = end + 1) {
        *end = 0;
        found = line[0] == '{' && end[-1] == '}' && strstr(line, check) &&
                strstr(line, instruction) && strstr(line, bug->source);
    }
    free(text);
    return found;
}

static void show_findings(const bug_t *bug)
{
    kiln_sim_finding_t f = {.struct_size = sizeof f};
    for (size_t i = 0; kilnSimGetFinding(i, &f) == 0; i++)
        print_message("BUG(\"%s\", \"%s\", %u, \"%s\", \"%s\", \"%s\", \"%s\")\n", bug->kernel,
                      bug->line, bug->nth, bug->instead, f.check, f.instruction,
                      strrchr(f.source, '/') ? strrchr(f.source, '/') + 1 : f.source);
}

static bool is_found(const program_t *program, const bug_t *bug)
{
    kiln_sim_finding_t finding = {.struct_size = sizeof finding};
    bool found = false;
    for (size_t i = 0; kilnSimGetFinding(i, &finding) == 0; i++) {
        size_t source = strlen(finding.source), wanted = strlen(bug->source);
        assert_string_equal(finding.kernel, program->kernel);
        assert_true(finding.count > 0);
        assert_true(strlen(finding.message) > 20);
        found = found ||
                (strcmp(finding.check, bug->check) == 0 && source >= wanted &&
                 strcmp(finding.source + source - wanted, bug->source) == 0 &&
                 strncmp(finding.instruction, bug->instruction, strlen(bug->instruction)) == 0);
    }
    return found;
}

static void planted_bugs_are_found(void **state)
{
    (void)state;
    unsigned wrong = 0;
    for (size_t i = 0; i < BUGS; i++) {
        const program_t *program = program_of(bugs[i].kernel);
        char *text = program_text(program), *changed = plant(text, &bugs[i]);
        hipModule_t module = assemble(changed);
        unlink(WORK ".json");
        run(module, program);
        if (!is_found(program, &bugs[i]) || !is_reported(&bugs[i])) {
            print_message("not found: '%s' %u in %s, '%s' instead. What is found:\n", bugs[i].line,
                          bugs[i].nth, bugs[i].kernel, bugs[i].instead);
            show_findings(&bugs[i]);
            wrong++;
        }
        hipModuleUnload(module);
        free(changed);
        free(text);
    }
    assert_int_equal(wrong, 0);
}

static void short_buffers_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *kernel;
        size_t argument, bytes; // bytes that the argument needs
        bug_t bug;
    } cuts[] = {
        {"gemm",
         0,
         256 * 256 * 2,
         {.check = "memory", .instruction = "buffer_load_dwordx4", .source = "kernels.py:69"}},
        {"gemm",
         2,
         256 * 256 * 2,
         {.check = "memory", .instruction = "buffer_store_dwordx2", .source = "kernels.py:80"}},
        {"attn_fwd",
         1,
         2 * 12800 * 2,
         {.check = "memory", .instruction = "buffer_load_dwordx4", .source = "kernels.py:137"}},
        {"layer_norm",
         0,
         8 * 1500 * 2,
         {.check = "memory", .instruction = "buffer_load_ushort", .source = "kernels.py:29"}},
        {"reduce",
         0,
         2048 * 4,
         {.check = "memory", .instruction = "global_load_dword v5", .source = "hip.hip:32"}},
        {"scan",
         1,
         2 * 256 * 4,
         {.check = "memory", .instruction = "global_store_dword", .source = "hip.hip:55"}},
        {"histogram",
         1,
         64 * 4,
         {.check = "memory", .instruction = "global_atomic_add", .source = "hip.hip:68"}},
    };
    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
        const program_t *program = program_of(cuts[i].kernel);
        kiln_sim_finding_t finding = {.struct_size = sizeof finding};
        char *text = program_text(program);
        hipModule_t module = assemble(text);
        unlink(WORK ".json");
        run_with(module, program, cuts[i].argument, cuts[i].bytes);
        if (kilnSimGetFinding(0, &finding) == 0)
            fail_msg("%s: %s at '%s'", program->kernel, finding.message, finding.instruction);
        run_with(module, program, cuts[i].argument, cuts[i].bytes - 2);
        if (!is_found(program, &cuts[i].bug) || !is_reported(&cuts[i].bug)) {
            show_findings(&cuts[i].bug);
            fail_msg("%s with argument %zu short: not found", program->kernel, cuts[i].argument);
        }
        hipModuleUnload(module);
        free(text);
    }
}

int main(void)
{
    unlink(WORK ".json");
    setenv("KILN_SIM_CHECK", "all", 1);
    setenv("KILN_SIM_REPORT", WORK ".json", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(correct_code_passes),
        cmocka_unit_test(planted_bugs_are_found),
        cmocka_unit_test(short_buffers_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
