// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libFuzzer's entry to the front end: any bytes are a program, which must lead to a verified module
// or to errors.
//
// The first byte selects which of the caller's options are set, except '/', with which files begin.
// An internal error aborts the run like a crash, since this fuzzer looks for such errors.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/frontend.h"
#include "kiln/dialects.h"
#include "text_mutate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                                 uint8_t *out, size_t max_size, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size); // libFuzzer's own

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    bool is_file = data[0] == '/';
    unsigned choice = is_file ? 0 : data[0];
    const kiln_setting_t defines[] = {{"BLOCK", "32"}, {"T", "f16"}, {"B", "64"}};
    const kiln_arg_hint_t hints[] = {
        {.name = "x", .type = "*f32", .divisibility = 16, .pointer_range_32 = true},
        {.name = "n", .type = "i32"}};
    kiln_compile_options_t options = {.struct_size = sizeof options,
                                      .defines = defines,
                                      .define_count = choice & 3,
                                      .args = hints,
                                      .arg_count = choice >> 2 & 1,
                                      .no_include_files = true};
    kiln_source_t source = {KILN_STAGE_TILE, "fuzz.tile.c", (const char *)data + !is_file,
                            size - !is_file};
    // Loading the dialects takes longer than most inputs, so the context is reused. It keeps every
    // type and location it has seen, so it is recreated from time to time.
    static MlirContext context;
    static unsigned runs;
    if (runs++ % 500 == 0) {
        if (!mlirContextIsNull(context))
            mlirContextDestroy(context);
        context = mlirContextCreateWithThreading(false);
        kiln_context_load_dialects(context);
    }
    MlirModule module;
    kiln_status_t status =
        kiln_frontend_parse(context, &source, &options, NULL, NULL, NULL, NULL, &module);
    if (kiln_status_code(status) == KILN_STATUS_INTERNAL)
        abort();
    if (!status)
        mlirModuleDestroy(module);
    kiln_status_free(status);
    return 0;
}

// Mutation ----------------------------------------------------------------------------------------

static const char *const groups[] = {
    "i1 i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 f8e4m3fnuz f8e5m2fnuz f8e4m3fn f8e5m2 bool "
    "void",
    "if while for else return break continue",
    "const constexpr kernel",
    "struct enum typedef",
    "if ifdef ifndef elif else endif define undef include error warning pragma line",
    "__FILE__ __LINE__ __COUNTER__ __KILN__ __VA_ARGS__ defined BLOCK",
    "range zeros full broadcast reshape trans join gather bitcast load store program_id "
    "num_programs",
    "atomic_add atomic_max atomic_min atomic_and atomic_or atomic_xor atomic_xchg atomic_cas "
    "barrier",
    "dot sum max min prod xor_sum any all argmax argmin cumsum cumprod",
    "exp exp2 expm1 log log2 log10 log1p sin cos tanh erf sqrt rsqrt floor ceil trunc rint abs",
    "maximum minimum cdiv umulhi fma clamp where assume multiple_of max_contiguous max_constancy",
    NULL};

// The first byte is not part of the text.
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    size_t changed = seed % 8 == 0 || size < 2
                         ? 0
                         : text_mutate((char *)data + 1, size - 1, max_size - 1, seed / 8, groups);
    return changed ? changed + 1 : LLVMFuzzerMutate(data, size, max_size);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                                 uint8_t *out, size_t max_size, unsigned seed)
{
    if (a_size > max_size || a_size < 2 || b_size < 2)
        return 0;
    memcpy(out, a, a_size);
    size_t changed = text_splice((char *)out + 1, a_size - 1, max_size - 1, (const char *)b + 1,
                                 b_size - 1, seed);
    return changed ? changed + 1 : a_size;
}
