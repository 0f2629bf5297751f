// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that load very many kernels and never unload one, as Triton does. Decoded instructions
// are discarded before there are too many (run/idle.c). Neither decoding nor the host's mappings
// grow with the number of code objects, or if the simulator itself is loaded repeatedly.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <malloc.h>

#include "kiln/sim.h"
#include "run/launch.h"

#define KERNELS KILN_BINARY_DIR "/test/sim_kernels/launch.hsaco"

enum { ITEMS = 256, OBJECTS = 24 };

static char *file_bytes;
static size_t file_size;
static kiln_sim_machine_t *machine;
static kiln_sim_code_object_t *objects[OBJECTS];
static uint32_t *out, *in;

static void ok(bool good, const kiln_sim_error_t *error)
{
    if (!good)
        print_error("%s\n", error->text);
    assert_true(good);
}

static int open_machine(void **state)
{
    (void)state;
    kiln_sim_error_t error = {0};
    FILE *file = fopen(KERNELS, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        return 1;
    file_size = (size_t)ftell(file);
    file_bytes = malloc(file_size);
    rewind(file);
    const bool read = file_bytes && fread(file_bytes, 1, file_size, file) == file_size;
    fclose(file);
    if (!read || !kiln_sim_machine_create(NULL, 0, &machine, &error))
        return 1;
    out = kiln_sim_machine_allocate(machine, 4 * ITEMS, &error);
    in = kiln_sim_machine_allocate(machine, 4 * ITEMS, &error);
    for (uint32_t i = 0; in && i < ITEMS; i++)
        in[i] = i;
    for (size_t i = 0; i < OBJECTS; i++)
        if (!kiln_sim_machine_load(machine, file_bytes, file_size, &objects[i], &error))
            return 1;
    return !out || !in;
}

static int close_machine(void **state)
{
    (void)state;
    kiln_sim_machine_destroy(machine);
    free(file_bytes);
    return 0;
}

// Launches the object's kernel that reverses the numbers.
static void reverse(const kiln_sim_code_object_t *object)
{
    kiln_sim_error_t error = {0};
    void *buffers[] = {out, in};
    const kiln_sim_dispatch_t dispatch = {.struct_size = sizeof dispatch,
                                          .kernel = kiln_sim_object_kernel(object, "reverse"),
                                          .grid = {1, 1, 1},
                                          .block = {ITEMS, 1, 1},
                                          .packed = buffers,
                                          .packed_size = sizeof buffers};
    memset(out, 0, 4 * ITEMS);
    ok(kiln_sim_machine_launch(machine, &dispatch, NULL, &error), &error);
    for (uint32_t i = 0; i < ITEMS; i++)
        assert_int_equal(out[i], ITEMS - 1 - i);
}

static size_t decoded_objects(void)
{
    size_t count = 0;
    for (size_t i = 0; i < OBJECTS; i++)
        count += kiln_sim_program_bytes(objects[i]->program) > 0;
    return count;
}

static size_t decoded_bytes(void)
{
    size_t bytes = 0;
    for (size_t i = 0; i < OBJECTS; i++)
        bytes += kiln_sim_program_bytes(objects[i]->program);
    return bytes;
}

static void nothing_is_forgotten_that_fits(void **state)
{
    (void)state;
    assert_int_equal(decoded_objects(), 0);
    for (size_t i = 0; i < OBJECTS; i++)
        reverse(objects[i]);
    assert_int_equal(decoded_objects(), OBJECTS);
    assert_int_equal(machine->decoded, decoded_bytes());
}

static void what_has_not_run_for_long_is_forgotten(void **state)
{
    (void)state;
    const size_t one = decoded_bytes() / OBJECTS;
    machine->decoded_limit = 6 * one;
    for (size_t i = 0; i < 4 * OBJECTS; i++) {
        reverse(objects[i % OBJECTS]); // decoded again, with the same result
        assert_true(decoded_bytes() <= 6 * one);
        assert_int_equal(machine->decoded, decoded_bytes());
        assert_true(kiln_sim_program_bytes(objects[i % OBJECTS]->program) > 0);
    }
    // An object that runs repeatedly is kept, whatever runs in between.
    reverse(objects[0]);
    size_t lost = 0;
    for (size_t i = 1; i < 4 * OBJECTS; i++) {
        reverse(objects[1 + i % (OBJECTS - 1)]);
        lost += kiln_sim_program_bytes(objects[0]->program) == 0;
        reverse(objects[0]);
    }
    assert_int_equal(lost, 0);
}

static void one_that_is_larger_than_the_limit_runs(void **state)
{
    (void)state;
    machine->decoded_limit = 1;
    for (size_t i = 0; i < 4; i++) {
        reverse(objects[i]);
        assert_int_equal(decoded_objects(), 1);
    }
    machine->decoded_limit = KILN_SIM_DECODED_LIMIT;
}

static void what_is_unloaded_counts_no_more(void **state)
{
    (void)state;
    kiln_sim_error_t error = {0};
    const size_t before = machine->decoded;
    kiln_sim_code_object_t *another;
    ok(kiln_sim_machine_load(machine, file_bytes, file_size, &another, &error), &error);
    reverse(another);
    assert_true(machine->decoded > before);
    kiln_sim_machine_unload(machine, another);
    assert_int_equal(machine->decoded, before);
}

static void a_code_object_takes_little(void **state)
{
    (void)state;
    enum { MORE = 200 };
    static kiln_sim_code_object_t *more[MORE];
    kiln_sim_error_t error = {0};
    const size_t before = mallinfo2().uordblks;
    for (size_t i = 0; i < MORE; i++)
        ok(kiln_sim_machine_load(machine, file_bytes, file_size, &more[i], &error), &error);
    const size_t each = (mallinfo2().uordblks - before) / MORE;
    for (size_t i = 0; i < MORE; i++)
        kiln_sim_machine_unload(machine, more[i]);
    // The file, and the kernels with their arguments, which the metadata lists.
    if (each > 2 * file_size + 8192)
        print_error("%zu bytes for a file of %zu\n", each, file_size);
    assert_true(each <= 2 * file_size + 8192);
}

static size_t mappings(void)
{
    size_t count = 0;
    FILE *file = fopen("/proc/self/maps", "r");
    assert_non_null(file);
    for (int c; (c = getc(file)) != EOF;)
        count += c == '\n';
    fclose(file);
    return count;
}

static void allocations_are_not_bounded_by_mappings(void **state)
{
    (void)state;
    enum { MANY = 70000 };
    uint32_t **all = malloc(MANY * sizeof *all);
    kiln_sim_error_t error = {0};
    assert_non_null(all);
    for (uint32_t i = 0; i < MANY; i++) {
        all[i] = kiln_sim_machine_allocate(machine, 64, &error);
        ok(all[i] != NULL, &error);
        assert_int_equal(all[i][0], 0);
        all[i][0] = i + 1;
    }
    assert_true(mappings() < 20000);
    for (uint32_t i = 0; i < MANY; i++)
        assert_int_equal(all[i][0], i + 1);
    reverse(objects[0]);
    // Freed memory is returned to the system, and is zero when it is allocated again.
    for (uint32_t i = 0; i < MANY; i++) {
        ok(kiln_sim_machine_free(machine, all[i], &error), &error);
        assert_int_equal(all[i][0], 0);
    }
    free(all);
}

static void loading_again_takes_nothing(void **state)
{
    (void)state;
    enum { TIMES = 24 };
    size_t before = 0;
    for (int i = 0; i < TIMES; i++) {
        void *library = dlopen(KILN_BINARY_DIR "/lib/libkiln-sim.so", RTLD_NOW | RTLD_LOCAL);
        if (!library)
            print_error("%s\n", dlerror());
        assert_non_null(library);
        assert_int_equal(dlclose(library), 0);
        if (i == TIMES / 2 - 1)
            before = mallinfo2().uordblks;
    }
    const size_t after = mallinfo2().uordblks;
    if (after > before + 4096)
        print_error("%zu bytes, and %zu after half as many loads\n", after, before);
    assert_true(after <= before + 4096);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_forgotten_that_fits),
                                       cmocka_unit_test(what_has_not_run_for_long_is_forgotten),
                                       cmocka_unit_test(one_that_is_larger_than_the_limit_runs),
                                       cmocka_unit_test(what_is_unloaded_counts_no_more),
                                       cmocka_unit_test(a_code_object_takes_little),
                                       cmocka_unit_test(allocations_are_not_bounded_by_mappings),
                                       cmocka_unit_test(loading_again_takes_nothing)};
    return cmocka_run_group_tests_name("sim_many", tests, open_machine, close_machine);
}
