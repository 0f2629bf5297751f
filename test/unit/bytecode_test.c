// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytecode of tt and ttg in every version of the format: it must mean the same as its text. With
// any byte replaced, or cut off anywhere, it must lead to an error or a module without a crash.
//
// Undetected damage is not a failure of this kind. Most single bytes are counts and indices, so the
// checks that run before MLIR's reader must reject most damage; the test counts how much.
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <mlir-c/IR.h>

#include "base/file.h"
#include "base/string.h"
#include "builder/ir_text.h"
#include "driver/compile_internal.h"
#include "driver/session.h"
#include "kiln/kiln.h"

#define TEXTS KILN_SOURCE_DIR "/test/lit/triton/3.6"
#define REGRESS KILN_SOURCE_DIR "/test/fuzz/regress/bytecode"

// The bytecode of a text; empty if it does not parse.
static kiln_string_t encode(kiln_session_t *session, const char *text, int64_t version)
{
    kiln_string_t bytes = {0};
    MlirModule module = mlirModuleCreateParse(session->mlir, mlirStringRefCreateFromCString(text));
    if (mlirModuleIsNull(module))
        return bytes;
    MlirBytecodeWriterConfig config = mlirBytecodeWriterConfigCreate();
    mlirBytecodeWriterConfigDesiredEmitVersion(config, version);
    assert_false(mlirLogicalResultIsFailure(mlirOperationWriteBytecodeWithConfig(
        mlirModuleGetOperation(module), config, kiln_ir_append, &bytes)));
    mlirBytecodeWriterConfigDestroy(config);
    mlirModuleDestroy(module);
    return bytes;
}

static kiln_status_t check(kiln_session_t *session, const char *bytes, size_t length)
{
    const kiln_source_t source = {
        .stage = KILN_STAGE_TT, .name = "t.mlirbc", .text = bytes, .length = length};
    return kiln_compile_check_bytecode(session->mlir, &source);
}

static kiln_session_t *new_session(void)
{
    kiln_session_t *session;
    assert_null(kiln_session_create(&session));
    return session;
}

static char *read_text(const char *folder, const char *name, size_t *out_length)
{
    char *path = kiln_string_print("%s/%s", folder, name), *text = NULL;
    assert_non_null(path);
    assert_null(kiln_file_read(path, &text, out_length));
    free(path);
    return text;
}

static void every_version_is_let_pass(void **state)
{
    (void)state;
    kiln_session_t *session = new_session();
    DIR *folder = opendir(TEXTS);
    assert_non_null(folder);
    unsigned count = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (!kiln_string_ends_with(entry->d_name, ".ttir") &&
            !kiln_string_ends_with(entry->d_name, ".ttgir"))
            continue;
        size_t length;
        char *text = read_text(TEXTS, entry->d_name, &length);
        for (int64_t version = 0; version <= 6; version++) {
            kiln_string_t bytes = encode(session, text, version);
            kiln_status_t status =
                bytes.length ? check(session, bytes.data, bytes.length) : KILN_OK;
            bool is_llvms = status && strstr(kiln_status_message(status),
                                             "dialect 'llvm' has a custom encoding");
            if (status && !is_llvms)
                fail_msg("%s, version %d: %s", entry->d_name, (int)version,
                         kiln_status_message(status));
            kiln_status_free(status);
            count += bytes.length > 0;
            kiln_string_free(&bytes);
        }
        free(text);
    }
    closedir(folder);
    kiln_session_release(session);
    assert_true(count > 100);
}

static kiln_status_t compile(kiln_session_t *session, const char *bytes, size_t length)
{
    const kiln_source_t source = {
        .stage = KILN_STAGE_TT, .name = "t.mlirbc", .text = bytes, .length = length};
    kiln_compile_options_t options;
    kiln_compile_options_initialize(&options);
    options.last_stage = KILN_STAGE_TT;
    kiln_kernel_t *kernel;
    kiln_status_t status = kiln_compile(session, &source, &options, &kernel);
    if (!status)
        kiln_kernel_release(kernel);
    return status;
}

// A kernel with a loop, a branch, block arguments, values with several uses in nontrivial order,
// constants of all kinds, and locations.
static const char kernel[] =
    "module {\n"
    "  tt.func public @k(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) attributes "
    "{noinline = false} {\n"
    "    %zero = arith.constant dense<0.0> : tensor<64xf32>\n"
    "    %mixed = arith.constant dense<[true, false]> : tensor<2xi1>\n"
    "    %lo = arith.constant -1 : i32\n"
    "    %one = arith.constant 1 : i32\n"
    "    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>\n"
    "    %b = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>\n"
    "    %p = tt.addptr %b, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>\n"
    "    %acc:2 = scf.for %i = %one to %n step %one iter_args(%a = %zero, %c = %lo) -> "
    "(tensor<64xf32>, i32) : i32 {\n"
    "      %v = tt.load %p : tensor<64x!tt.ptr<f32>> loc(\"k.py\":3:4)\n"
    "      %s = arith.addf %v, %a : tensor<64xf32>\n"
    "      %q = arith.addf %s, %v : tensor<64xf32>\n"
    "      scf.yield %q, %i : tensor<64xf32>, i32\n"
    "    }\n"
    "    %is = arith.cmpi slt, %acc#1, %n : i32\n"
    "    scf.if %is {\n"
    "      tt.store %p, %acc#0 : tensor<64x!tt.ptr<f32>>\n"
    "    }\n"
    "    tt.return\n"
    "  }\n"
    "}\n";

static void damage_is_refused_or_survived(void **state)
{
    (void)state;
    kiln_session_t *session = new_session();
    unsigned unknown = 0; // attributes with a type other than their own
    for (int64_t version = 0; version <= 6; version += 3) {
        const kiln_string_t whole = encode(session, kernel, version);
        assert_true(whole.length > 0);
        kiln_status_t status = compile(session, whole.data, whole.length);
        if (status)
            fail_msg("version %d: %s", (int)version, kiln_status_message(status));
        unsigned refused = 0, failed = 0;
        for (size_t at = 4; at < whole.length; at++) {
            static const int changes[] = {0, 0xff, 2, -2, 0x40};
            for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
                char *bytes = malloc(whole.length);
                memcpy(bytes, whole.data, whole.length);
                bytes[at] = (char)(i < 2 ? changes[i] : bytes[at] + changes[i]);
                status = compile(session, bytes, whole.length);
                failed += status != KILN_OK;
                refused +=
                    status && strstr(kiln_status_message(status), "malformed bytecode") != NULL;
                unknown += status && strstr(kiln_status_message(status),
                                            "has an attribute of the wrong type") != NULL;
                kiln_status_free(status);
                free(bytes);
            }
        }
        for (size_t length = 4; length < whole.length; length++) {
            char *bytes = malloc(length); // of exactly this size, for AddressSanitizer
            memcpy(bytes, whole.data, length);
            status = check(session, bytes, length);
            assert_non_null(status);
            kiln_status_free(status);
            free(bytes);
        }
        assert_true(refused * 2 > failed);
        kiln_string_free(&(kiln_string_t){whole.data, whole.length, whole.capacity, false});
    }
    assert_true(unknown > 0);
    kiln_session_release(session);
}

static const struct {
    const char *file, *error; // NULL: no error
} regressions[] = {
#define REGRESSION(file, error) {file, error},
#include "bytecode_regressions.def"
#undef REGRESSION
};

static void what_crashed_is_refused(void **state)
{
    (void)state;
    kiln_session_t *session = new_session();
    for (size_t i = 0; i < sizeof regressions / sizeof *regressions; i++) {
        size_t length;
        char *bytes = read_text(REGRESS, regressions[i].file, &length);
        kiln_status_t status = check(session, bytes, length);
        if (!status || !strstr(kiln_status_message(status), regressions[i].error))
            fail_msg("%s: %s", regressions[i].file,
                     status ? kiln_status_message(status) : "let pass");
        kiln_status_free(status);
        free(bytes);
    }
    kiln_session_release(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_version_is_let_pass),
        cmocka_unit_test(damage_is_refused_or_survived),
        cmocka_unit_test(what_crashed_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
