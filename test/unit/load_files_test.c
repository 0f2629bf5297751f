// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bundles, code objects and manifests, loaded from files and memory, and the errors if they are
// damaged or do not match.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bundle.h"
#include "base/file.h"
#include "base/hash.h"
#include "kiln/ahead.h"
#include "kiln/kiln.h"
#include "kiln/load.h"
#include "load_program.h"

static const char *write_file(const char *name, const void *bytes, size_t size)
{
    static char paths[4][96];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    ok(kiln_file_write(path, bytes, size, 0666, KILN_FILE_NO_SYNC));
    return path;
}

static void programs_are_loaded_from_files(void **state)
{
    (void)state;
    kiln_program_t *program;
    scale_call_t c;
    const char *const both[] = {
        write_file("a.hsaco", compiled[0].code_object, compiled[0].code_object_size),
        write_file("a.json", compiled[0].manifest, strlen(compiled[0].manifest)),
        write_file("all.kbundle", bundle, bundle_size)};
    for (int i = 0; i < 2; i++) { // by the name of either file
        ok(kiln_program_load(device, &both[i], 1, &program));
        assert_int_equal(kiln_program_variant_count(program), 1);
        assert_int_equal(run(program, scale(&c, x, 100), false), 1);
        kiln_program_release(program);
    }
    ok(kiln_program_load(device, &both[1], 2, &program)); // and several together
    assert_int_equal(kiln_program_variant_count(program), 1 + VARIANTS);
    ok(kiln_program_prepare(program));
    assert_int_equal(run(program, scale(&c, x, 48), false), 3);
    kiln_program_release(program);

    const char *missing = "/nowhere/x.kbundle";
    EXPECT(kiln_program_load(device, &missing, 1, &program), KILN_STATUS_NOT_FOUND,
           "/nowhere/x.kbundle");
    assert_null(program);
    const char *lonely =
        write_file("lonely.hsaco", compiled[0].code_object, compiled[0].code_object_size);
    EXPECT(kiln_program_load(device, &lonely, 1, &program), KILN_STATUS_NOT_FOUND, "lonely.json",
           "lonely.hsaco' is a code object, not a bundle, which is read together with its "
           "counterpart");
    lonely = write_file("only.json", compiled[0].manifest, strlen(compiled[0].manifest));
    EXPECT(kiln_program_load(device, &lonely, 1, &program), KILN_STATUS_NOT_FOUND, "only.hsaco",
           "only.json' is a manifest");
    const char *cut = write_file("cut.kbundle", bundle, bundle_size - 1);
    EXPECT(kiln_program_load(device, &cut, 1, &program), KILN_STATUS_INVALID_INPUT,
           "the bundle is truncated", "while reading the bundle", "cut.kbundle");
}

// jansson's parser would accept a zero byte as a blank, and a variant's manifest would end there.
static void zeros_in_manifests_are_refused(void **state)
{
    (void)state;
    char *manifest = strdup(compiled[0].manifest);
    const kiln_bundle_item_t item = {compiled[0].code_object, compiled[0].code_object_size,
                                     manifest, strlen(manifest)};
    kiln_program_t *program;
    void *bytes;
    size_t size;
    *strchr(manifest, '\n') = '\0';
    ok(kiln_bundle_write(&item, 1, &bytes, &size));
    EXPECT(load_bytes(bytes, size, NULL, &program), KILN_STATUS_INVALID_INPUT,
           "invalid JSON: expected a quoted key", "memory, kernel 0");
    free(bytes);
    free(manifest);
}

static void damaged_bundles_are_refused(void **state)
{
    (void)state;
    kiln_program_t *program = NULL;
    char *bytes = malloc(bundle_size + 1);
    memcpy(bytes, bundle, bundle_size);
    bytes[bundle_size] = 0;
    for (size_t size = 0; size < bundle_size; size += size < 512 ? 1 : 997) {
        kiln_status_t status = load_bytes(bytes, size, NULL, &program);
        assert_int_equal(kiln_status_code(status), KILN_STATUS_INVALID_INPUT);
        kiln_status_free(status);
    }
    for (size_t at = 0; at < bundle_size; at += at < 512 ? 1 : 499) {
        bytes[at] = (char)(bytes[at] ^ 0x10);
        kiln_status_t status = load_bytes(bytes, bundle_size, NULL, &program);
        if (!status)
            fail_msg("byte %zu may be anything", at);
        kiln_status_free(status);
        bytes[at] = (char)(bytes[at] ^ 0x10);
    }
    EXPECT(load_bytes(bytes, bundle_size + 1, NULL, &program), KILN_STATUS_INVALID_INPUT,
           "the bundle is too long");
    EXPECT(load_bytes("nothing", 7, NULL, &program), KILN_STATUS_INVALID_INPUT, "not a bundle");
    bytes[bundle_size - 9] ^= 1;
    EXPECT(load_bytes(bytes, bundle_size, NULL, &program), KILN_STATUS_INVALID_INPUT,
           "the bundle is corrupt: checksum mismatch");
    bytes[8] = 2; // the version
    EXPECT(load_bytes(bytes, bundle_size, NULL, &program), KILN_STATUS_UNSUPPORTED,
           "unsupported bundle version 2; this runtime supports version 1: use a newer runtime");
    bytes[8] = 0;
    EXPECT(load_bytes(bytes, bundle_size, NULL, &program), KILN_STATUS_UNSUPPORTED,
           "rebuild the bundle");
    free(bytes);
}

// A bundle with a correct checksum whose table points outside of the file.
static void bundles_that_lead_outside_are_refused(void **state)
{
    (void)state;
    static const uint64_t wrong[] = {UINT64_MAX, UINT64_MAX - 63, 1ull << 40, 0};
    for (size_t field = 0; field < 4; field++)
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
            unsigned char *bytes = malloc(bundle_size);
            memcpy(bytes, bundle, bundle_size);
            const uint64_t value = i == 3 ? bundle_size : wrong[i];
            memcpy(bytes + 64 + 32 + 8 * field, &value, 8);
            kiln_hasher_t *hasher = kiln_hasher_create();
            kiln_hasher_field(hasher, bytes, 24);
            kiln_hasher_field(hasher, bytes + 40, bundle_size - 40);
            const kiln_hash_t hash = kiln_hasher_finish(hasher);
            memcpy(bytes + 24, &hash.low, 8);
            memcpy(bytes + 32, &hash.high, 8);
            kiln_hasher_release(hasher);
            kiln_program_t *program;
            EXPECT(load_bytes(bytes, bundle_size, NULL, &program), KILN_STATUS_INVALID_INPUT,
                   "the bundle is corrupt: kernel 1 is out of bounds");
            free(bytes);
        }
}

static void expect_wrong(const void *code, size_t size, const char *from, const char *to,
                         kiln_status_code_t status, const char *part)
{
    kiln_program_t *program = NULL;
    char *manifest = with(compiled[0].manifest, from, to);
    EXPECT(load_bytes(code, size, manifest, &program), status, part);
    assert_null(program);
    free(manifest);
}

static void what_does_not_belong_together_is_refused(void **state)
{
    (void)state;
    const size_t size = compiled[0].code_object_size;
    unsigned char *code = malloc(size);
    memcpy(code, compiled[0].code_object, size);
    expect_wrong(code, size, "\"arch\": \"gfx942\"", "\"arch\": \"gfx90a\"",
                 KILN_STATUS_UNSUPPORTED,
                 "kernel 'scale' was compiled for gfx90a, but the device is gfx942");
    expect_wrong(code, size, "\"kernel\": \"scale\"", "\"kernel\": \"skale\"",
                 KILN_STATUS_NOT_FOUND,
                 "the code object has no kernel 'skale', which its manifest describes");
    expect_wrong(code, size, "\"schema\": 1", "\"schema\": 7", KILN_STATUS_UNSUPPORTED,
                 "unsupported manifest schema 7; this runtime supports 1: use a newer runtime");
    expect_wrong(code, size, "\"kernarg\"", "\"karnerg\"", KILN_STATUS_INVALID_INPUT, "'karnerg'");
    expect_wrong(code, size, "{", "[", KILN_STATUS_INVALID_INPUT, "invalid JSON");
    expect_wrong("text", 4, "{", "{", KILN_STATUS_INVALID_INPUT, "not a code object");
    expect_wrong(code, 100, "{", "{", KILN_STATUS_INVALID_INPUT, "the code object is truncated");
    expect_wrong(code, size - 1, "{", "{", KILN_STATUS_INVALID_INPUT, "bytes, got");
    code[48] = 0x3f; // e_flags
    expect_wrong(code, size, "{", "{", KILN_STATUS_UNSUPPORTED,
                 "the code object is for gfx90a, but its manifest is for gfx942");
    code[48] = 0x01;
    expect_wrong(code, size, "{", "{", KILN_STATUS_UNSUPPORTED, "a processor other than gfx942");
    code[18] = 62; // e_machine: x86-64
    expect_wrong(code, size, "{", "{", KILN_STATUS_INVALID_INPUT,
                 "an ELF file for a target other than AMD GPUs");
    free(code);
}

static void kernels_that_would_never_be_taken_are_refused(void **state)
{
    (void)state;
    const kiln_compiled_t twice[] = {compiled[1], compiled[0], compiled[1]};
    void *bytes;
    size_t size;
    EXPECT(kiln_bundle_make(twice, 3, &bytes, &size), KILN_STATUS_INVALID_INPUT,
           "kernels 0 and 2 of the bundle are both 'scale' with the same constants, types and "
           "requirements");
    assert_null(bytes);
    const kiln_compiled_t wrong = {compiled[0].code_object, compiled[0].code_object_size, "{}"};
    EXPECT(kiln_bundle_make(&wrong, 1, &bytes, &size), KILN_STATUS_INVALID_INPUT,
           "in kernel 0 of the bundle");
    const kiln_compiled_t text = {"text", 4, compiled[0].manifest};
    EXPECT(kiln_bundle_make(&text, 1, &bytes, &size), KILN_STATUS_INVALID_INPUT,
           "not a code object: not an ELF file");
    const kiln_compiled_t none = {NULL, 0, "{}"};
    EXPECT(kiln_bundle_make(&none, 1, &bytes, &size), KILN_STATUS_USAGE,
           "kernels[0].code_object is NULL");
}

static void shared_code_is_there_once(void **state)
{
    (void)state;
    char *other = with(compiled[0].manifest, "\"value\": \"1\"", "\"value\": \"9\"");
    const kiln_compiled_t two[] = {compiled[0],
                                   {compiled[0].code_object, compiled[0].code_object_size, other}};
    void *bytes;
    size_t size, count;
    ok(kiln_bundle_make(two, 2, &bytes, &size));
    kiln_bundle_item_t *items;
    ok(kiln_bundle_read(bytes, size, &items, &count));
    assert_int_equal(count, 2);
    assert_ptr_equal(items[0].code_object, items[1].code_object);
    kiln_program_t *program;
    scale_call_t c;
    const kiln_setting_t tag = {"TAG", "9"};
    ok(load_bytes(bytes, size, NULL, &program));
    scale(&c, x, 100)->constants = &tag;
    c.call.constant_count = 1;
    assert_int_equal(run(program, &c.call, false), 1); // the code of the first item
    kiln_program_release(program);
    free(items);
    free(bytes);
    free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_are_loaded_from_files),
        cmocka_unit_test(zeros_in_manifests_are_refused),
        cmocka_unit_test(damaged_bundles_are_refused),
        cmocka_unit_test(bundles_that_lead_outside_are_refused),
        cmocka_unit_test(what_does_not_belong_together_is_refused),
        cmocka_unit_test(kernels_that_would_never_be_taken_are_refused),
        cmocka_unit_test(shared_code_is_there_once),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
