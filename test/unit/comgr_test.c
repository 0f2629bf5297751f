// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AMD's own reader, comgr, understands the metadata of Kiln's code objects. It contains another
// LLVM, so the kernel is compiled by the command, in another process.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#if __has_include(<amd_comgr/amd_comgr.h>)
#include <amd_comgr/amd_comgr.h>
#else
#include <amd_comgr.h> // where Debian has it
#endif
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

#define OK(call) assert_int_equal(call, AMD_COMGR_STATUS_SUCCESS)

static void text_of(amd_comgr_metadata_node_t map, const char *key, char *out, size_t size)
{
    amd_comgr_metadata_node_t node;
    OK(amd_comgr_metadata_lookup(map, key, &node));
    size_t length;
    OK(amd_comgr_get_metadata_string(node, &length, NULL));
    assert_true(length <= size);
    OK(amd_comgr_get_metadata_string(node, &length, out));
    OK(amd_comgr_destroy_metadata(node));
}

static void read_metadata(const char *path, amd_comgr_data_t *out_data,
                          amd_comgr_metadata_node_t *out_metadata)
{
    char *code;
    size_t size;
    assert_null(kiln_file_read(path, &code, &size));
    OK(amd_comgr_create_data(AMD_COMGR_DATA_KIND_EXECUTABLE, out_data));
    OK(amd_comgr_set_data(*out_data, size, code)); // copies
    free(code);
    OK(amd_comgr_get_data_metadata(*out_data, out_metadata));
}

static void comgr_reads_kernel_and_arguments(void **state)
{
    (void)state;
    const char *output = KILN_BINARY_DIR "/test/comgr_test.hsaco";
    assert_int_equal(system(KILN_BINARY_DIR "/bin/kiln compile " KILN_SOURCE_DIR
                                            "/examples/vec_add.tile.c -o " KILN_BINARY_DIR
                                            "/test/comgr_test.hsaco"),
                     0);
    amd_comgr_data_t data;
    amd_comgr_metadata_node_t metadata, kernels, kernel, arguments, argument;
    read_metadata(output, &data, &metadata);
    OK(amd_comgr_metadata_lookup(metadata, "amdhsa.kernels", &kernels));
    size_t count;
    OK(amd_comgr_get_metadata_list_size(kernels, &count));
    assert_int_equal(count, 1);
    OK(amd_comgr_index_list_metadata(kernels, 0, &kernel));
    char text[64];
    text_of(kernel, ".name", text, sizeof text);
    assert_string_equal(text, "vec_add");
    text_of(kernel, ".symbol", text, sizeof text);
    assert_string_equal(text, "vec_add.kd");
    text_of(kernel, ".max_flat_workgroup_size", text, sizeof text);
    assert_string_equal(text, "256");
    text_of(kernel, ".wavefront_size", text, sizeof text);
    assert_string_equal(text, "64");

    static const struct {
        const char *name, *offset, *kind;
    } wanted[] = {{"x", "0", "global_buffer"},
                  {"y", "8", "global_buffer"},
                  {"z", "16", "global_buffer"},
                  {"n", "24", "by_value"}};
    OK(amd_comgr_metadata_lookup(kernel, ".args", &arguments));
    OK(amd_comgr_get_metadata_list_size(arguments, &count));
    assert_int_equal(count, 4); // no hidden arguments
    for (size_t i = 0; i < 4; i++) {
        OK(amd_comgr_index_list_metadata(arguments, i, &argument));
        text_of(argument, ".name", text, sizeof text);
        assert_string_equal(text, wanted[i].name);
        text_of(argument, ".offset", text, sizeof text);
        assert_string_equal(text, wanted[i].offset);
        text_of(argument, ".value_kind", text, sizeof text);
        assert_string_equal(text, wanted[i].kind);
        OK(amd_comgr_destroy_metadata(argument));
    }
    OK(amd_comgr_destroy_metadata(arguments));
    OK(amd_comgr_destroy_metadata(kernel));
    OK(amd_comgr_destroy_metadata(kernels));
    OK(amd_comgr_destroy_metadata(metadata));
    OK(amd_comgr_release_data(data));
}

// The code object of a program (kiln/compile_program.h) describes all of its kernels.
static void comgr_reads_many_kernels(void **state)
{
    (void)state;
    const char *output = KILN_BINARY_DIR "/test/comgr_many_test.hsaco";
    enum { MANY = 37 };
    assert_int_equal(system(KILN_BINARY_DIR "/test/compile_program_test " KILN_BINARY_DIR
                                            "/test/comgr_many_test.hsaco"),
                     0);
    amd_comgr_data_t data;
    amd_comgr_metadata_node_t metadata, kernels, kernel;
    read_metadata(output, &data, &metadata);
    OK(amd_comgr_metadata_lookup(metadata, "amdhsa.kernels", &kernels));
    size_t count;
    OK(amd_comgr_get_metadata_list_size(kernels, &count));
    assert_int_equal(count, MANY);
    for (int i = 0; i < MANY; i++) {
        char text[64], wanted[64];
        OK(amd_comgr_index_list_metadata(kernels, (size_t)i, &kernel));
        text_of(kernel, ".symbol", text, sizeof text);
        snprintf(wanted, sizeof wanted, "%s.%d.kd", i == MANY - 1 ? "count" : "rows", i);
        assert_string_equal(text, wanted);
        text_of(kernel, ".group_segment_fixed_size", text, sizeof text);
        assert_string_equal(text, i == MANY - 1 ? "0" : "16");
        OK(amd_comgr_destroy_metadata(kernel));
    }
    OK(amd_comgr_destroy_metadata(kernels));
    OK(amd_comgr_destroy_metadata(metadata));
    OK(amd_comgr_release_data(data));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(comgr_reads_kernel_and_arguments),
                                       cmocka_unit_test(comgr_reads_many_kernels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
