// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libFuzzer's door to the front end: any bytes are a program, which must give a verified module or errors.
//
// The first byte chooses what of the caller's options is set. An internal fault ends the run like a crash: it is what we look for.
#include <stdint.h>
#include <stdlib.h>

#include "frontend/frontend.h"
#include "kiln/dialects.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    const kiln_define_t defines[] = {{"BLOCK", "32"}, {"T", "f16"}, {"B", "64"}};
    const kiln_arg_hint_t hints[] = {{"x", "*f32", 16, true}, {"n", "i32", 0, false}};
    kiln_compile_options_t options = {.struct_size = sizeof options,
                                      .defines = defines,
                                      .define_count = data[0] & 3,
                                      .args = hints,
                                      .arg_count = data[0] >> 2 & 1};
    kiln_source_t source = {KILN_STAGE_TILE, "fuzz.tile.c", (const char *)data + 1, size - 1};
    // Loading the dialects takes longer than most inputs; a context keeps every type and place it has seen, so it is renewed now and then.
    static MlirContext context;
    static unsigned runs;
    if (runs++ % 500 == 0) {
        if (!mlirContextIsNull(context))
            mlirContextDestroy(context);
        context = mlirContextCreateWithThreading(false);
        kiln_context_load_dialects(context);
    }
    MlirModule module;
    kiln_status_t status = kiln_frontend_parse(context, &source, &options, NULL, NULL, &module);
    if (kiln_status_code(status) == KILN_STATUS_INTERNAL)
        abort();
    if (!status)
        mlirModuleDestroy(module);
    kiln_status_free(status);
    return 0;
}
