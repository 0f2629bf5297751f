// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles mutated MLIR bytecode, some of it to LLVM IR. Any bytes must lead to an error or a
// kernel, without a crash or a leak.
//
// Seeds are text: the first mutation of an input that is not bytecode encodes it as bytecode. Later
// mutations change single bytes, sometimes in a way that preserves the framing of sections (a byte
// within a section is replaced).
//
// A session keeps every type and attribute it has seen, so it is recreated from time to time.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mlir-c/IR.h>

#include "base/string.h"
#include "builder/ir_text.h"
#include "driver/session.h"
#include "kiln/dialects.h"
#include "kiln/kiln.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size); // libFuzzer's own

static unsigned errors; // of the current compilation

static void take(const kiln_diagnostic_t *diagnostic, void *user)
{
    (void)user;
    errors += diagnostic->severity == KILN_SEVERITY_ERROR;
}

static bool is_bytecode(const uint8_t *data, size_t size)
{
    return size >= 4 && memcmp(data, "ML\xefR", 4) == 0;
}

static bool contains(const uint8_t *data, size_t size, const char *what)
{
    return memmem(data, size, what, strlen(what)) != NULL;
}

static kiln_session_t *session_now(void)
{
    static kiln_session_t *session;
    static unsigned uses;
    if (uses++ % 256 == 0) {
        kiln_session_release(session);
        if (kiln_session_create(&session))
            abort();
        kiln_session_set_diagnostic_handler(session, take, NULL);
    }
    return session;
}

// Mutation ----------------------------------------------------------------------------------------

// Encodes text as bytecode, in place, sometimes in an older version of the format; 0 if it does not
// parse or fit.
static size_t encode(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    kiln_string_t text = {0}, bytes = {0};
    kiln_string_append_bytes(&text, data, size);
    MlirOperation module =
        kiln_parse_module(session_now()->mlir, mlirStringRefCreate(text.data, text.length),
                          mlirStringRefCreateFromCString("seed"));
    if (!mlirOperationIsNull(module)) {
        MlirBytecodeWriterConfig config = mlirBytecodeWriterConfigCreate();
        if (seed % 4 == 0)
            mlirBytecodeWriterConfigDesiredEmitVersion(config, (int64_t)(seed / 4 % 7));
        (void)mlirOperationWriteBytecodeWithConfig(module, config, kiln_ir_append, &bytes);
        mlirBytecodeWriterConfigDestroy(config);
        mlirOperationDestroy(module);
    }
    const size_t length = bytes.length <= room ? bytes.length : 0;
    if (length)
        memcpy(data, bytes.data, length);
    kiln_string_free(&text);
    kiln_string_free(&bytes);
    return length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t encoded[1 << 16];
    if (!is_bytecode(data,
                     size)) { // a seed must reach what its bytecode reaches, otherwise it is
                              // dropped
        if (size > sizeof encoded)
            return 0;
        memcpy(encoded, data, size);
        size = encode(encoded, size, sizeof encoded, 0);
        data = encoded;
        if (!size)
            return 0;
    }
    const kiln_source_t source = {.stage = contains(data, size, "ttg.num-warps") ? KILN_STAGE_TTG
                                                                                 : KILN_STAGE_TT,
                                  .name = "fuzz.mlirbc",
                                  .text = (const char *)data,
                                  .length = size};
    kiln_compile_options_t options;
    kiln_compile_options_initialize(&options);
    options.last_stage =
        size % 16 ? KILN_STAGE_TT : KILN_STAGE_LLVM; // reading is the subject of this test and
                                                     // takes a hundredth of the time
    kiln_kernel_t *kernel;
    errors = 0;
    kiln_status_t status = kiln_compile(session_now(), &source, &options, &kernel);
    const char *finding = !status                                            ? NULL
                          : kiln_status_code(status) == KILN_STATUS_INTERNAL ? "an internal error"
                          : !errors ? "an error without a diagnostic"
                                    : NULL;
    if (finding) {
        char *message = kiln_status_format(status);
        fprintf(stderr, "%s: %s\n", finding, message);
        abort();
    }
    kiln_status_free(status);
    kiln_kernel_release(kernel);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    if (!is_bytecode(data, size)) {
        const size_t length = encode(data, size, max_size, seed);
        return length ? length : size;
    }
    if (seed % 2 == 0 && size > 8) { // replaces a byte by another or a nearby one, which preserves
                                     // lengths
        const size_t at = 4 + seed / 2 % (size - 4);
        data[at] = (uint8_t)(seed / 2 % 3 ? data[at] + 2 * (seed % 3) - 2 : seed >> 8);
        return size;
    }
    const size_t changed = LLVMFuzzerMutate(data + 4, size - 4, max_size - 4);
    return changed + 4;
}
