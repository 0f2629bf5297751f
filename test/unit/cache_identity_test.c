// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A changed compiler never uses what its predecessor cached: two copies of libkiln.so that differ
// only in their build id share a cache's directory; a third copy, without one, is rejected.
//
// A loaded library is never unloaded, so each copy is used in a child process of its own.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "kiln/jit.h"

#define LIBRARY KILN_BINARY_DIR "/lib/libkiln.so"
#define FAKE KILN_BINARY_DIR "/lib/fake_hip/fake_gfx942.so"

static const char text[] = "kernel void one(i32 *x) { store(x, 1); }\n";

// The note of the build id in the bytes of a library.
static Elf64_Nhdr *find_note(char *bytes, size_t size)
{
    const Elf64_Ehdr *header = (const void *)bytes;
    const Elf64_Phdr *segments = (const void *)(bytes + header->e_phoff);
    for (int i = 0; i < header->e_phnum; i++) {
        char *at = bytes + segments[i].p_offset, *end = at + segments[i].p_filesz;
        while (segments[i].p_type == PT_NOTE && at < end) {
            Elf64_Nhdr *note = (void *)at;
            if (note->n_type == NT_GNU_BUILD_ID && memcmp(at + sizeof *note, "GNU", 4) == 0)
                return note;
            at += sizeof *note + ((note->n_namesz + 3u) & ~3u) + ((note->n_descsz + 3u) & ~3u);
        }
    }
    print_error("no build id in %zu bytes of %s\n", size, LIBRARY);
    fail();
    return NULL;
}

// Runs in the child: prepares the kernel with the compiler of this copy, and returns its origin.
static int prepare(const char *library, const char *directory)
{
    void *compiler = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    void *symbols[] = {compiler ? dlsym(compiler, "kiln_jit_compile") : NULL,
                       compiler ? dlsym(compiler, "kiln_jit_identify") : NULL};
    if (!symbols[0] || !symbols[1]) {
        fprintf(stderr, "%s\n", dlerror());
        return 100;
    }
    kiln_device_options_t device_options;
    kiln_device_options_initialize(&device_options);
    device_options.kind = KILN_DEVICE_HIP;
    device_options.hip_library = FAKE;
    kiln_device_t *device = NULL;
    kiln_jit_options_t options;
    kiln_jit_options_initialize(&options);
    memcpy(&options.compile, &symbols[0], sizeof symbols[0]);
    memcpy(&options.identify, &symbols[1], sizeof symbols[1]);
    options.cache_directory = directory;
    kiln_jit_t *jit = NULL;
    kiln_jit_kernel_t *kernel;
    kiln_jit_origin_t origin = KILN_JIT_COMPILED;
    const kiln_jit_argument_t arguments[] = {
        {.name = "x", .kind = KILN_JIT_POINTER, .address = 4096}};
    kiln_jit_call_t call;
    kiln_jit_call_initialize(&call);
    call.source.text = text;
    call.source.length = strlen(text);
    call.arguments = arguments;
    call.argument_count = 1;
    kiln_status_t status = kiln_device_open(&device_options, &device);
    if (!status)
        status = kiln_jit_create(device, &options, &jit);
    if (!status)
        status = kiln_jit_prepare(jit, &call, &kernel, &origin);
    char *formatted = status ? kiln_status_format(status) : NULL;
    if (formatted && !strstr(formatted, "has no build ID"))
        fprintf(stderr, "%s", formatted);
    int answer =
        status ? (formatted && strstr(formatted, "has no build ID") ? 50 : 101) : (int)origin;
    free(formatted);
    _exit(answer); // LLVM's own exit handlers must not run
}

static int prepare_in_child(const char *library, const char *directory)
{
    pid_t child = fork();
    if (child == 0)
        _exit(prepare(library, directory));
    int result;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result));
    return WEXITSTATUS(result);
}

static void another_build_finds_nothing(void **state)
{
    (void)state;
    char directory[] = "/tmp/kiln-identity-test.XXXXXX", cache[64], copy[64], *bytes;
    size_t size;
    assert_non_null(mkdtemp(directory));
    snprintf(cache, sizeof cache, "%s/cache", directory);
    snprintf(copy, sizeof copy, "%s/libkiln.so", directory);
    assert_null(kiln_file_read(LIBRARY, &bytes, &size));
    Elf64_Nhdr *note = find_note(bytes, size);
    char *id = (char *)note + sizeof *note + 4;

    assert_int_equal(prepare_in_child(LIBRARY, cache), KILN_JIT_COMPILED);
    assert_int_equal(prepare_in_child(LIBRARY, cache), KILN_JIT_FROM_DISK);
    id[note->n_descsz - 1] ^= 1;
    assert_null(kiln_file_write(copy, bytes, size, 0700, KILN_FILE_NO_SYNC));
    assert_int_equal(prepare_in_child(copy, cache), KILN_JIT_COMPILED);
    assert_int_equal(prepare_in_child(copy, cache), KILN_JIT_FROM_DISK);
    note->n_type = 0x7fff;
    assert_null(kiln_file_write(copy, bytes, size, 0700, KILN_FILE_NO_SYNC));
    assert_int_equal(prepare_in_child(copy, cache), 50); // rejected
    assert_int_equal(prepare_in_child(LIBRARY, cache), KILN_JIT_FROM_DISK);
    free(bytes);
    char command[96];
    snprintf(command, sizeof command, "rm -r %s", directory);
    assert_int_equal(system(command), 0);
}

// The library and the command have the same code id, although their build ids differ, so each finds
// the other's tuning results.
static void the_command_and_the_library_make_the_same_code(void **state)
{
    (void)state;
    char printed[4096] = "", wanted[64];
    FILE *command = popen(KILN_BINARY_DIR "/bin/kiln doctor --json", "r");
    assert_non_null(command);
    assert_true(fread(printed, 1, sizeof printed - 1, command) > 0);
    pclose(command);
    pid_t child = fork();
    if (child == 0) {
        void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
        const char *(*code_id)(void) = NULL, *(*build_id)(void) = NULL;
        if (!library)
            _exit(1);
        *(void **)&code_id = dlsym(library, "kiln_code_id");
        *(void **)&build_id = dlsym(library, "kiln_build_id");
        snprintf(wanted, sizeof wanted, "\"code_id\": \"%s\"", code_id());
        if (strlen(code_id()) != 32 || !strstr(printed, wanted))
            _exit(2);
        snprintf(wanted, sizeof wanted, "\"build_id\": \"%s\"", build_id());
        _exit(strstr(printed, wanted) ? 3 : 0);
    }
    int result;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_int_equal(result, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_build_finds_nothing),
        cmocka_unit_test(the_command_and_the_library_make_the_same_code)};
    return cmocka_run_group_tests_name("cache_identity", tests, NULL, NULL);
}
