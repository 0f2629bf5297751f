// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For tests of the checks: assembles a file of kernels, optionally with one line removed, launches,
// and compares the findings.
//
// A removed line is replaced by an empty one, so that line numbers stay. A comment at its end names
// the line, "; -name".
#ifndef KILN_SIM_CHECK_RUN_H
#define KILN_SIM_CHECK_RUN_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "hip_sim/entry.h"

#define CHECK_SOURCES KILN_SOURCE_DIR "/test/unit/sim_check/"

enum { CHECK_BYTES = 4096 }; // of each of the two buffers that a kernel takes

static inline char *check_read(const char *path, size_t *size)
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

// Assembles a file; NULL if it is wrong. `name` is that of the object while it exists.
static inline char *check_assemble(const char *path, const char *name, const char *flags,
                                   size_t *size)
{
    char object[1024], command[3400];
    snprintf(object, sizeof object, KILN_BINARY_DIR "/test/%s.%s.o", program_invocation_short_name,
             name);
    snprintf(command, sizeof command,
             "clang-22 -target amdgcn-amd-amdhsa -mcpu=gfx942 -mcode-object-version=5 %s "
             "-I" CHECK_SOURCES " -x assembler %s -o %s",
             flags, path, object);
    if (system(command) != 0)
        return NULL;
    char *bytes = check_read(object, size);
    unlink(object);
    return bytes;
}

// For a group's setup: assembles a file of sim_check/; what it returns is the setup's result.
static inline int check_assemble_source(const char *source, char **bytes, size_t *size)
{
    char path[1024];
    snprintf(path, sizeof path, CHECK_SOURCES "%s", source);
    *bytes = check_assemble(path, source, "", size);
    return *bytes ? 0 : 1;
}

// Assembles and loads a file of sim_check/ without the line of that name (NULL: unchanged).
static inline hipModule_t check_load(const char *source, const char *without)
{
    char path[1024], mark[80];
    size_t size;
    snprintf(path, sizeof path, CHECK_SOURCES "%s", source);
    char *text = check_read(path, &size);
    if (without) {
        snprintf(mark, sizeof mark, "; -%s\n", without);
        char *end = strstr(text, mark);
        if (!end)
            fail_msg("no line '%s' in %s", without, source);
        for (char *c = end; c > text && c[-1] != '\n'; c--)
            c[-1] = ' ';
    }
    snprintf(path, sizeof path, KILN_BINARY_DIR "/test/%s.%s", program_invocation_short_name,
             source);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    fclose(file);
    free(text);
    char *object = check_assemble(path, source, "-g", &size);
    assert_non_null(object);
    unlink(path);
    hipModule_t module;
    assert_int_equal(hipModuleLoadData(&module, object), 0);
    free(object);
    return module;
}

static inline void *check_device_bytes(size_t size)
{
    void *pointer;
    assert_int_equal(hipMalloc(&pointer, size), 0);
    assert_int_equal(hipMemset(pointer, 0, size), 0);
    return pointer;
}

// Launches with two pointers. A planted bug may also end the launch with an error, which is the
// result.
static inline hipError_t check_launch(hipModule_t module, const char *kernel, unsigned groups,
                                      void *first, void *second)
{
    hipFunction_t function;
    assert_int_equal(hipModuleGetFunction(&function, module, kernel), 0);
    void *buffers[2] = {first, second};
    size_t size = sizeof buffers;
    void *extra[] = {(void *)1, buffers, (void *)2, &size, (void *)3};
    return hipModuleLaunchKernel(function, groups, 1, 1, 256, 1, 1, 0, NULL, NULL, extra);
}

// Fails if there is any finding.
static inline void check_silent(const char *kernel)
{
    kiln_sim_finding_t finding = {.struct_size = sizeof finding};
    if (kilnSimGetFinding(0, &finding) == 0)
        fail_msg("%s: %s: %s at '%s'", kernel, finding.check, finding.message, finding.instruction);
}

// Returns the finding of that check at an instruction that begins like this, whose message contains
// `part`; fails if there is none.
static inline kiln_sim_finding_t check_find(const char *kernel, const char *check,
                                            const char *instruction, const char *part)
{
    kiln_sim_finding_t finding = {.struct_size = sizeof finding};
    for (size_t i = 0; kilnSimGetFinding(i, &finding) == 0; i++) {
        if (strcmp(finding.check, check) == 0 &&
            strncmp(finding.instruction, instruction, strlen(instruction)) == 0 &&
            strstr(finding.message, part))
            return finding;
    }
    fail_msg("%s: no %s finding at '%s' with '%s'", kernel, check, instruction, part);
    return finding;
}

// Launches with two buffers of zeros.
static inline hipError_t check_launch_on_zeros(hipModule_t module, const char *kernel,
                                               void *const buffers[2])
{
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(hipMemset(buffers[i], 0, CHECK_BYTES), 0);
    return check_launch(module, kernel, 2, buffers[0], buffers[1]);
}

typedef struct check_bug {
    const char *kernel, *line, *check, *instruction, *part;
} check_bug_t;

// Unchanged, each kernel has no findings. Without the named line, the check must report that
// instruction, with that part in the message.
static inline void check_bugs(const char *source, const check_bug_t *bugs, size_t count)
{
    void *buffers[2] = {check_device_bytes(CHECK_BYTES), check_device_bytes(CHECK_BYTES)};
    hipModule_t module = check_load(source, NULL);
    for (size_t i = 0; i < count; i++) {
        if (i && strcmp(bugs[i].kernel, bugs[i - 1].kernel) == 0)
            continue;
        assert_int_equal(check_launch_on_zeros(module, bugs[i].kernel, buffers), 0);
        check_silent(bugs[i].kernel);
    }
    hipModuleUnload(module);
    for (size_t i = 0; i < count; i++) {
        if (!bugs[i].line)
            continue;
        module = check_load(source, bugs[i].line);
        (void)check_launch_on_zeros(module, bugs[i].kernel, buffers);
        kiln_sim_finding_t f =
            check_find(bugs[i].kernel, bugs[i].check, bugs[i].instruction, bugs[i].part);
        assert_true(f.count > 0);
        assert_string_equal(f.kernel, bugs[i].kernel);
        assert_true(strchr(f.source, ':') != NULL);
        hipModuleUnload(module);
    }
    hipFree(buffers[0]);
    hipFree(buffers[1]);
}

#endif
