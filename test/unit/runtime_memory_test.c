// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every allocation of a whole JIT run fails once: the run is repeated with the first, second, …
// allocation failing until a run succeeds. Each failed run must return a status, free everything it
// allocated, and leave nothing wrong in the cache.
//
// This program's malloc replaces the C library's for every library in the process; it fails only
// while armed, and only on the thread that armed it. Sanitizers have their own malloc, so the test
// is skipped under them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bundle.h"
#include "base/file.h"
#include "base/json.h"
#include "kiln/jit.h"
#include "kiln/load.h"
#include "sanitized.h"
#include "small_code_object.h"

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define OWN_MALLOC "it brings the malloc that this program would replace"

static void every_allocation_may_fail(void **state)
{
    (void)state;
    KILN_TEST_SKIP_IF(1, OWN_MALLOC);
}

static void every_allocation_of_loading_may_fail(void **state)
{
    (void)state;
    KILN_TEST_SKIP_IF(1, OWN_MALLOC);
}

static void a_known_launch_allocates_nothing(void **state)
{
    (void)state;
    KILN_TEST_SKIP_IF(1, OWN_MALLOC);
}
#else
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

static __thread long countdown; // 0: not armed; 1: the next allocation fails
static __thread long failures;
static __thread long live;  // live blocks
static __thread long taken; // allocations so far

static bool must_fail(void)
{
    taken++;
    if (countdown == 0 || --countdown != 0)
        return false;
    failures++;
    return true;
}

// These functions must be visible to replace the C library's in all libraries.
static void *counted(void *memory)
{
    live += memory != NULL;
    return memory;
}

KILN_API void *malloc(size_t size)
{
    return must_fail() ? NULL : counted(__libc_malloc(size));
}

KILN_API void *calloc(size_t count, size_t size)
{
    return must_fail() ? NULL : counted(__libc_calloc(count, size));
}

KILN_API void *aligned_alloc(size_t alignment, size_t size)
{
    return must_fail() ? NULL : counted(__libc_memalign(alignment, size));
}

KILN_API void *realloc(void *memory, size_t size)
{
    if (must_fail())
        return NULL;
    void *grown = __libc_realloc(memory, size);
    return memory ? grown : counted(grown);
}

KILN_API void free(void *memory)
{
    live -= memory != NULL;
    __libc_free(memory);
}

static const char manifest[] =
    "{\"kernel\": \"add2\", \"block_size\": 64, \"arguments\": ["
    "{\"name\": \"x\", \"type\": \"*f16\"}, {\"name\": \"n\", \"type\": \"i32\"}]}";

static kiln_status_t fake_compile(const kiln_jit_request_t *request, void *user, void **out_code,
                                  size_t *out_size, char **out_manifest)
{
    (void)user;
    *out_size = 128;
    *out_code = calloc(1, *out_size);
    *out_manifest = strdup(manifest);
    if (!*out_code || !*out_manifest) {
        free(*out_code);
        free(*out_manifest);
        return kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES, "out of memory");
    }
    memcpy(*out_code,
           "\x7f"
           "ELF\2\1\1",
           7);
    memcpy((char *)*out_code + 64, request->source.text, 4); // identifies the source
    return KILN_OK;
}

static kiln_status_t fake_identify(void *user, char **out_identity)
{
    (void)user;
    *out_identity = strdup("a compiler");
    return *out_identity ? KILN_OK
                         : kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES, "out of memory");
}

typedef struct run {
    kiln_device_t *device;
    kiln_jit_t *jit;
    kiln_buffer_t *buffer;
} run_t;

static kiln_status_t open_all(run_t *run, const char *directory)
{
    kiln_device_options_t device_options;
    kiln_device_options_initialize(&device_options);
    device_options.kind = KILN_DEVICE_HIP;
    device_options.hip_library = KILN_BINARY_DIR "/lib/fake_hip/fake_gfx942.so";
    KILN_TRY(kiln_device_open(&device_options, &run->device));
    kiln_jit_options_t options;
    kiln_jit_options_initialize(&options);
    options.compile = fake_compile;
    options.identify = fake_identify;
    options.cache_directory = directory;
    KILN_TRY(kiln_jit_create(run->device, &options, &run->jit));
    return kiln_buffer_create(run->device, 64, &run->buffer);
}

static kiln_status_t go(run_t *run, const char *directory)
{
    KILN_TRY(open_all(run, directory));
    const kiln_setting_t settings[] = {{"BLOCK", "64"}, {"A", "1"}};
    const kiln_jit_argument_t arguments[] = {kiln_jit_buffer("x", run->buffer),
                                             kiln_jit_integer("n", 5)};
    kiln_jit_call_t call;
    kiln_jit_call_initialize(&call);
    call.settings = settings;
    call.setting_count = 2;
    call.arguments = arguments;
    call.argument_count = 2;
    call.source.length = 4;
    for (int i = 0; i < 3; i++) { // two kernels; the first one twice
        call.source.text = i == 1 ? "two." : "one.";
        KILN_TRY_NOTE(kiln_jit_launch(run->jit, &call), "launch %d", i);
    }
    return KILN_OK;
}

static kiln_status_t run_once(const char *directory)
{
    run_t run = {0};
    kiln_status_t status = go(&run, directory);
    kiln_buffer_release(run.buffer);
    kiln_jit_release(run.jit);
    kiln_device_release(run.device);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    char directory[] = "/tmp/kiln-memory-test.XXXXXX";
    assert_non_null(mkdtemp(directory));
    json_object_seed(
        1); // jansson's one-time set-up, which allocates nothing but should not differ between runs
    assert_null(run_once(directory));
    long run,
        untouched = 0; // consecutive runs without a failure; one with a cold cache and one with
                       // a warm one end it
    for (run = 1; run < 10000 && untouched < 2; run++) {
        // Every other run has a warm cache.
        char command[96];
        snprintf(command, sizeof command, "rm -f %s/*.kiln", directory);
        if (run % 2)
            assert_int_equal(system(command), 0);
        failures = 0;
        long before = live;
        countdown = (run + 1) / 2;
        kiln_status_t status = run_once(directory);
        countdown = 0;
        bool failed = failures > 0;
        if (status) {
            assert_true(failed);
            // The cause is exhausted memory, although a library or the loader may report it in its
            // own words.
            assert_true(kiln_status_code(status) != KILN_STATUS_OK);
        }
        kiln_status_free(status);
        if (live != before)
            print_error("the failure of allocation %ld leaks %ld blocks\n", (run + 1) / 2,
                        live - before);
        assert_int_equal(live, before);
        // Entries left in the cache are complete: a run without failures works with them.
        assert_null(run_once(directory));
        untouched = failed ? 0 : untouched + 1;
    }
    print_message("%ld allocations failed one by one\n", run / 2);
    assert_in_range(run, 60, 9999);
    char command[96];
    snprintf(command, sizeof command, "rm -r %s", directory);
    assert_int_equal(system(command), 0);
}

// Programs that were compiled before: loaded from a file and from memory, selected and launched.
static kiln_status_t load_and_launch(const char *path, long *out_taken)
{
    kiln_device_options_t device_options;
    kiln_device_options_initialize(&device_options);
    device_options.kind = KILN_DEVICE_HIP;
    device_options.hip_library = KILN_BINARY_DIR "/lib/fake_hip/fake_gfx942.so";
    kiln_device_t *loaded_on = NULL;
    kiln_buffer_t *buffer = NULL;
    kiln_program_t *from_file = NULL, *from_memory = NULL;
    const small_code_object_t code = small_code_object();
    const kiln_program_part_t part = {&code, sizeof code, small_manifest};
    kiln_status_t status = kiln_device_open(&device_options, &loaded_on);
    if (!status)
        status = kiln_buffer_create(loaded_on, 64, &buffer);
    if (!status)
        status = kiln_program_load(loaded_on, &path, 1, &from_file);
    if (!status)
        status = kiln_program_load_memory(loaded_on, &part, 1, &from_memory);
    if (!status)
        status = kiln_program_prepare(from_memory);
    for (int i = 0; i < 6 && !status; i++) {
        const kiln_typed_argument_t arguments[] = {kiln_typed_buffer("x", "*f16", buffer),
                                                   kiln_typed_integer("n", "i32", 16 + 16 * i),
                                                   kiln_typed_real("by", "f32", 1)};
        kiln_program_call_t call;
        kiln_program_call_initialize(&call);
        call.arguments = arguments;
        call.argument_count = 3;
        const long before = taken;
        status = kiln_program_launch(i % 2 ? from_file : from_memory, &call);
        *out_taken = taken - before; // by the last launch
    }
    kiln_program_release(from_file);
    kiln_program_release(from_memory);
    kiln_buffer_release(buffer);
    kiln_device_release(loaded_on);
    return status;
}

static void every_allocation_of_loading_may_fail(void **state)
{
    (void)state;
    char directory[] = "/tmp/kiln-memory-test.XXXXXX", path[64];
    const small_code_object_t code = small_code_object();
    char *other = strdup(small_manifest); // manifest of another kernel, for fewer elements
    memcpy(strstr(other, "4096"), "1024", 4);
    const kiln_bundle_item_t items[] = {
        {&code, sizeof code, small_manifest, strlen(small_manifest)},
        {&code, sizeof code, other, strlen(other)}};
    void *bundle;
    size_t size;
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/scale.kbundle", directory);
    assert_null(kiln_bundle_write(items, 2, &bundle, &size));
    assert_null(kiln_file_write(path, bundle, size, 0600, KILN_FILE_NO_SYNC));
    long allocations = 0, run;
    json_object_seed(1);
    assert_null(load_and_launch(path, &allocations));
    assert_int_equal(allocations, 0); // a launch after the first allocates nothing
    for (run = 1; run < 10000; run++) {
        failures = 0;
        const long before = live;
        countdown = run;
        kiln_status_t status = load_and_launch(path, &allocations);
        countdown = 0;
        const bool failed = failures > 0;
        assert_true(failed || !status);
        kiln_status_free(status);
        if (live != before)
            print_error("the failure of allocation %ld leaks %ld blocks\n", run, live - before);
        assert_int_equal(live, before);
        if (!failed)
            break;
    }
    print_message("%ld allocations of loading failed one by one\n", run - 1);
    assert_in_range(run, 100, 9999);
    char command[96];
    snprintf(command, sizeof command, "rm -r %s", directory);
    assert_int_equal(system(command), 0);
    free(bundle);
    free(other);
}

static void a_known_launch_allocates_nothing(void **state)
{
    (void)state;
    run_t run = {0};
    assert_null(open_all(&run, NULL));
    const kiln_setting_t settings[] = {{"BLOCK", "64"}, {"A", "1"}};
    kiln_jit_call_t call;
    kiln_jit_call_initialize(&call);
    call.source.text = "one.";
    call.source.length = 4;
    call.settings = settings;
    call.setting_count = 2;
    long before = 0;
    for (int i = 0; i < 10; i++) {
        const kiln_jit_argument_t arguments[] = {kiln_jit_buffer("x", run.buffer),
                                                 kiln_jit_integer("n", 5 + 2 * i)};
        call.arguments = arguments;
        call.argument_count = 2;
        assert_null(kiln_jit_launch(run.jit, &call));
        if (i == 0)
            before = taken;
    }
    assert_int_equal(taken, before);
    kiln_buffer_release(run.buffer);
    kiln_jit_release(run.jit);
    kiln_device_release(run.device);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail),
                                       cmocka_unit_test(every_allocation_of_loading_may_fail),
                                       cmocka_unit_test(a_known_launch_allocates_nothing)};
    return cmocka_run_group_tests_name("runtime_memory", tests, NULL, NULL);
}
