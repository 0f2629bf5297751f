// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contents of device memory that are made when something needs them (kilnSimFillLater): copies,
// fills, kernels that read or write, and other processes need them; a launch that only needs the
// addresses does not.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "hip_sim/entry.h"

enum { COUNT = 256, BYTES = COUNT * sizeof(int) };

static hipModule_t launches;
static hipFunction_t reverse; // out[i] = in[255 - i], 256 work-items

// What happened to the contents that the tests give.
static int fills, releases;

static void fill(void *user, void *to, size_t size)
{
    assert_int_equal(size, BYTES);
    for (int i = 0; i < COUNT; i++)
        ((int *)to)[i] = *(const int *)user + i;
    fills++;
}

static void release(void *user)
{
    assert_non_null(user);
    releases++;
}

static int first_value = 1000;
static const kiln_sim_contents_t contents = {
    .struct_size = sizeof contents, .fill = fill, .release = release, .user = &first_value};

static int *make(void)
{
    int *memory;
    bool unfilled = false;
    fills = releases = 0;
    assert_int_equal(hipMalloc((void **)&memory, BYTES), 0);
    assert_int_equal(kilnSimIsUnfilled(memory, &unfilled), 0);
    assert_false(unfilled);
    assert_int_equal(kilnSimFillLater(memory, &contents), 0);
    assert_int_equal(kilnSimIsUnfilled(memory, &unfilled), 0);
    assert_true(unfilled);
    return memory;
}

static void expect_filled(const int *memory)
{
    bool unfilled = true;
    assert_int_equal(kilnSimIsUnfilled(memory, &unfilled), 0);
    assert_false(unfilled);
    assert_int_equal(fills, 1);
    assert_int_equal(releases, 1);
}

static void launch(void *to, void *from)
{
    void *arguments[] = {to, from};
    size_t size = sizeof arguments;
    void *extra[] = {(void *)1, arguments, (void *)2, &size, (void *)3};
    assert_int_equal(hipModuleLaunchKernel(reverse, 1, 1, 1, COUNT, 1, 1, 0, NULL, NULL, extra), 0);
    assert_int_equal(hipDeviceSynchronize(), 0);
}

static void a_copy_needs_the_contents(void **state)
{
    (void)state;
    int *memory = make(), seen[COUNT];
    assert_int_equal(hipMemcpyDtoH(seen, memory, BYTES), 0);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(seen[i], 1000 + i);
    expect_filled(memory);
    assert_int_equal(hipFree(memory), 0);
    assert_int_equal(fills, 1);
    assert_int_equal(releases, 1);
}

// A part is written: the rest has the contents.
static void a_fill_and_a_copy_there_need_the_contents(void **state)
{
    (void)state;
    int *memory = make(), seen[COUNT];
    assert_int_equal(hipMemset(memory, 0, 4), 0);
    expect_filled(memory);
    assert_int_equal(hipMemcpyHtoD(memory + 1, &(int){7}, 4), 0);
    assert_int_equal(hipMemcpyDtoH(seen, memory, BYTES), 0);
    assert_int_equal(seen[0], 0);
    assert_int_equal(seen[1], 7);
    assert_int_equal(seen[2], 1002);
    assert_int_equal(hipFree(memory), 0);
}

static void a_kernel_needs_the_contents(void **state)
{
    (void)state;
    int *from = make(), *to, seen[COUNT];
    assert_int_equal(hipMalloc((void **)&to, BYTES), 0);
    launch(to, from);
    expect_filled(from);
    assert_int_equal(hipMemcpyDtoH(seen, to, BYTES), 0);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(seen[i], 1000 + COUNT - 1 - i);
    assert_int_equal(hipFree(from), 0);
    // One that writes all of it.
    int *written = make();
    assert_int_equal(hipMemset(to, 0, BYTES), 0);
    launch(written, to);
    expect_filled(written);
    assert_int_equal(hipMemcpyDtoH(seen, written, BYTES), 0);
    assert_int_equal(seen[COUNT - 1], 0);
    assert_int_equal(hipFree(written), 0);
    assert_int_equal(hipFree(to), 0);
}

static void a_launch_for_the_time_does_not(void **state)
{
    (void)state;
    int *from = make(), *to = NULL, seen;
    kiln_sim_prediction_t before = {.struct_size = sizeof before}, after = before;
    assert_int_equal(hipMalloc((void **)&to, BYTES), 0);
    assert_int_equal(kilnSimFillLater(to, &contents), 0);
    assert_int_equal(kilnSimSetOption("clock", "only"), 0);
    assert_int_equal(kilnSimSetOption("caches", "cold"), 0);
    launch(to, from);
    assert_int_equal(kilnSimGetPrediction(&before), 0);
    assert_int_equal(fills, 0);
    assert_int_equal(hipMemcpyDtoH(&seen, from, 4), 0);
    assert_int_equal(hipMemcpyDtoH(&seen, to, 4), 0);
    assert_int_equal(fills, 2);
    launch(to, from);
    assert_int_equal(kilnSimGetPrediction(&after), 0);
    assert_true(before.microseconds == after.microseconds);
    assert_int_equal(kilnSimSetOption("clock", "bounds"), 0);
    assert_int_equal(kilnSimSetOption("caches", "kept"), 0);
    assert_int_equal(hipFree(from), 0);
    assert_int_equal(hipFree(to), 0);
}

static void contents_that_nothing_needs_are_never_made(void **state)
{
    (void)state;
    int *memory = make();
    assert_int_equal(kilnSimFillLater(memory, &contents), 0); // others, again
    assert_int_equal(releases, 1);
    assert_int_equal(hipFree(memory), 0);
    assert_int_equal(releases, 2);
    assert_int_equal(fills, 0);
}

static void only_the_start_of_device_memory_has_contents(void **state)
{
    (void)state;
    int *memory = make(), *host;
    bool unfilled;
    const kiln_sim_contents_t nothing = {.struct_size = sizeof nothing}, old = {.fill = fill};
    assert_int_equal(hipHostMalloc((void **)&host, BYTES, 0), 0);
    assert_int_not_equal(kilnSimFillLater(NULL, &contents), 0);
    assert_int_not_equal(kilnSimFillLater(memory + 1, &contents), 0);
    assert_int_not_equal(kilnSimFillLater(host, &contents), 0);
    assert_non_null(strstr(kilnSimGetLastErrorMessage(), "is not the start of memory from"));
    assert_int_not_equal(kilnSimFillLater(memory, NULL), 0);
    assert_int_not_equal(kilnSimFillLater(memory, &nothing), 0);
    assert_int_not_equal(kilnSimFillLater(memory, &old), 0);
    assert_int_not_equal(kilnSimIsUnfilled(memory + 1, &unfilled), 0);
    assert_int_not_equal(kilnSimIsUnfilled(memory, NULL), 0);
    assert_int_equal(fills + releases, 0);
    assert_int_equal(hipHostFree(host), 0);
    assert_int_equal(hipFree(memory), 0);
    hipGetLastError();
}

static int open_kernels(void **state)
{
    (void)state;
    return kilnSimSetOption("async", "0") ||
           hipModuleLoad(&launches, KILN_BINARY_DIR "/test/sim_kernels/launch.hsaco") ||
           hipModuleGetFunction(&reverse, launches, "reverse");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_needs_the_contents),
        cmocka_unit_test(a_fill_and_a_copy_there_need_the_contents),
        cmocka_unit_test(a_kernel_needs_the_contents),
        cmocka_unit_test(a_launch_for_the_time_does_not),
        cmocka_unit_test(contents_that_nothing_needs_are_never_made),
        cmocka_unit_test(only_the_start_of_device_memory_has_contents),
    };
    return cmocka_run_group_tests(tests, open_kernels, NULL);
}
