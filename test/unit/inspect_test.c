// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads untrusted code objects: MessagePack and ELF, complete, truncated and broken; and compares
// occupancy with llc's table.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "artifact/code_object.h"
#include "base/metadata.h"
#include "inspect/occupancy.h"

static void messagepack_values_become_json(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        const char *json; // NULL: broken
    } rows[] = {
        {"\x05", 1, "5"},
        {"\xff", 1, "-1"},
        {"\xcc\xff", 2, "255"},
        {"\xcd\x01\x00", 3, "256"},
        {"\xce\x00\x01\x00\x00", 5, "65536"},
        {"\xd0\x80", 2, "-128"},
        {"\xd1\xff\x00", 3, "-256"},
        {"\xcf\x00\x00\x00\x01\x00\x00\x00\x00", 9, "4294967296"},
        {"\xcf\xff\x00\x00\x01\x00\x00\x00\x00", 9, NULL}, // does not fit
        {"\xc0", 1, "null"},
        {"\xc2", 1, "false"},
        {"\xc3", 1, "true"},
        {"\xa2hi", 3, "\"hi\""},
        {"\xd9\x02hi", 4, "\"hi\""},
        {"\xda\x00\x02hi", 5, "\"hi\""},
        {"\x92\x01\xa1x", 4, "[1,\"x\"]"},
        {"\xdc\x00\x01\x07", 4, "[7]"},
        {"\x81\xa1k\x90", 4, "{\"k\":[]}"},
        {"\xde\x00\x01\xa1k\x01", 6, "{\"k\":1}"},
        {"\xcb\x3f\xf8\x00\x00\x00\x00\x00\x00", 9, "1.5"},
        {"\xca\x3f\xc0\x00\x00", 5, "1.5"},
        {"\x81\x01\x02", 3, NULL},         // a key that is not a string
        {"\xc4\x01x", 3, NULL},            // binary
        {"\xa5hi", 3, NULL},               // cut short
        {"\xdf\xff\xff\xff\xff", 5, NULL}, // four billion entries that do not exist
        {"\xa2\xff\xfe", 3, NULL},         // not UTF-8
        {"", 0, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_t *json = NULL;
        kiln_status_t status = kiln_metadata_read(rows[i].bytes, rows[i].size, &json);
        char *text = json ? json_dumps(json, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
        if (rows[i].json) {
            assert_null(status);
            assert_string_equal(text, rows[i].json);
        } else {
            assert_int_equal(kiln_status_code(status), KILN_STATUS_INVALID_INPUT);
        }
        free(text);
        json_decref(json);
        kiln_status_free(status);
    }
}

static void deep_nesting_is_refused(void **state)
{
    (void)state;
    char bytes[100];
    memset(bytes, 0x91, sizeof bytes);
    json_t *json;
    kiln_status_t status = kiln_metadata_read(bytes, sizeof bytes, &json);
    assert_non_null(status);
    kiln_status_free(status);
}

static char *compile_example(size_t *out_size)
{
    kiln_session_t *session;
    kiln_kernel_t *kernel;
    static const char text[] =
        "module { tt.func public @k(%p: !tt.ptr<i32>) { %v = tt.load %p : !tt.ptr<i32>\n "
        "tt.store %p, %v : !tt.ptr<i32>\n tt.return } }";
    kiln_source_t source = {
        .stage = KILN_STAGE_TT, .name = "k.ttir", .text = text, .length = sizeof text - 1};
    assert_null(kiln_session_create(&session));
    assert_null(kiln_compile(session, &source, NULL, &kernel));
    const void *code = kiln_kernel_code_object(kernel, out_size);
    char *copy = malloc(*out_size);
    memcpy(copy, code, *out_size);
    kiln_kernel_release(kernel);
    kiln_session_release(session);
    return copy;
}

static void broken_code_objects_are_refused_and_never_crash(void **state)
{
    (void)state;
    size_t size;
    char *code = compile_example(&size);
    kiln_code_object_t object;
    assert_null(kiln_code_object_read(code, size, &object));
    assert_int_equal(object.kernel_count, 1);
    kiln_code_object_free(&object);
    for (size_t cut = 0; cut < size;
         cut += 7) { // each in memory of exactly its size, for AddressSanitizer
        char *part = malloc(cut + 1);
        memcpy(part, code, cut);
        kiln_status_free(kiln_code_object_read(part, cut, &object));
        kiln_code_object_free(&object);
        free(part);
    }
    for (size_t at = 0; at < size; at++) {
        char original = code[at];
        code[at] = (char)~original;
        kiln_status_free(kiln_code_object_read(code, size, &object));
        kiln_code_object_free(&object);
        code[at] = original;
    }
    code[0] = 'x';
    kiln_status_t status = kiln_code_object_read(code, size, &object);
    assert_string_equal(kiln_status_message(status), "not an ELF file");
    kiln_status_free(status);
    free(code);
}

// docs/gfx942.md, 1.3.
static void occupancy_by_registers_is_llcs(void **state)
{
    (void)state;
    static const struct {
        unsigned vgprs, waves;
    } rows[] = {{1, 8},   {64, 8},  {65, 7},  {72, 7},  {80, 6},  {88, 5},  {96, 5}, {104, 4},
                {128, 4}, {129, 3}, {168, 3}, {176, 2}, {256, 2}, {264, 1}, {512, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned arch = rows[i].vgprs > 256 ? 256 : rows[i].vgprs;
        assert_int_equal(kiln_occupancy_by_registers(arch, rows[i].vgprs - arch, 0), rows[i].waves);
    }
    assert_int_equal(kiln_occupancy_by_registers(256, 264, 0), 0);
    assert_int_equal(kiln_occupancy_by_registers(64, 0, 100), 8);
    assert_int_equal(kiln_occupancy_by_registers(64, 0, 101), 7);
    assert_int_equal(kiln_occupancy_by_registers(64, 0, 128),
                     7); // hand-written kernels request that many
    assert_int_equal(kiln_occupancy_by_registers(128, 0, 102), 4);
}

static void occupancy_counts_lds_and_whole_workgroups(void **state)
{
    (void)state;
    assert_int_equal(kiln_occupancy(32, 0, 0, 0, 4), 8);
    assert_int_equal(kiln_occupancy(32, 0, 0, 16384, 4),
                     4); // four workgroups of four waves on four SIMDs
    assert_int_equal(kiln_occupancy(32, 0, 0, 16385, 4), 3);
    assert_int_equal(kiln_occupancy(32, 0, 0, 65536, 1), 1); // one wave alone
    assert_int_equal(kiln_occupancy(32, 0, 0, 65537, 4), 0);
    assert_int_equal(kiln_occupancy(256, 256, 0, 0, 16),
                     0); // sixteen waves of 512 registers fit no CU
    assert_int_equal(kiln_occupancy(256, 0, 0, 0, 8), 2);
    assert_int_equal(kiln_occupancy(256, 0, 0, 0, 16), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messagepack_values_become_json),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(broken_code_objects_are_refused_and_never_crash),
        cmocka_unit_test(occupancy_by_registers_is_llcs),
        cmocka_unit_test(occupancy_counts_lds_and_whole_workgroups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
