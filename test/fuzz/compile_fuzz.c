// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles mutated TTIR and TTGIR to code objects. Any text must lead to an error with a location
// or to a code object, without a crash or a leak.
//
// A first line "// OPTIONS num_warps num_stages waves_per_eu matrix_instr_nonkdim kpack" sets the
// compile options, so that an input defines how it is compiled; mutations change it, too.
//
// A session keeps every type and attribute it has seen, so it is recreated from time to time.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kiln/kiln.h"
#include "text_mutate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                                 uint8_t *out, size_t max_size, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size); // libFuzzer's own

static unsigned errors, placed; // of the current compilation, and those with a location

static void take(const kiln_diagnostic_t *diagnostic, void *user)
{
    (void)user;
    errors += diagnostic->severity == KILN_SEVERITY_ERROR;
    placed += diagnostic->severity == KILN_SEVERITY_ERROR && diagnostic->file && diagnostic->line;
}

static bool contains(const char *text, size_t size, const char *what)
{
    return memmem(text, size, what, strlen(what)) != NULL;
}

static void read_options(const char *text, size_t size, kiln_compile_options_t *options)
{
    char line[128];
    snprintf(line, sizeof line, "%.*s", (int)(size < sizeof line ? size : sizeof line - 1), text);
    kiln_compile_options_initialize(options);
    sscanf(line, "// OPTIONS %9d %9d %9d %9d %9d", &options->num_warps, &options->num_stages,
           &options->waves_per_eu, &options->matrix_instr_nonkdim, &options->kpack);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static kiln_session_t *session;
    static unsigned uses;
    if (uses++ % 256 == 0) {
        kiln_session_release(session);
        if (kiln_session_create(&session))
            return 0;
        kiln_session_set_diagnostic_handler(session, take, NULL);
    }
    const char *text = (const char *)data;
    const kiln_source_t source = {.stage = contains(text, size, "ttg.num-warps") ? KILN_STAGE_TTG
                                                                                 : KILN_STAGE_TT,
                                  .name = "fuzz.ttir",
                                  .text = text,
                                  .length = size};
    kiln_compile_options_t options;
    read_options(text, size, &options);
    kiln_kernel_t *kernel;
    errors = placed = 0;
    kiln_status_t status = kiln_compile(session, &source, &options, &kernel);
    kiln_status_code_t code = kiln_status_code(status);
    const char *finding =
        !status                        ? NULL
        : code == KILN_STATUS_INTERNAL ? "an internal error"
        : !errors                      ? "an error without a diagnostic"
        : !placed && (code == KILN_STATUS_INVALID_INPUT || code == KILN_STATUS_UNSUPPORTED)
            ? "an error without a place"
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

// Mutation ----------------------------------------------------------------------------------------

static const char *const groups[] = {
    "f16 bf16 f32 f64 i1 i8 i16 i32 i64 f8E4M3FN f8E4M3FNUZ f8E5M2 f8E5M2FNUZ f8E4M3B11FNUZ "
    "f4E2M1FN index i128 i3",
    "arith.addf arith.subf arith.mulf arith.divf arith.maxnumf arith.minnumf arith.maximumf "
    "arith.minimumf arith.remf",
    "arith.addi arith.subi arith.muli arith.divsi arith.divui arith.remsi arith.remui arith.andi "
    "arith.ori arith.xori "
    "arith.shli arith.shrsi arith.shrui arith.maxsi arith.minsi arith.maxui arith.minui "
    "arith.ceildivsi "
    "arith.floordivsi "
    "tt.mulhiui",
    "arith.extf arith.truncf arith.sitofp arith.uitofp arith.fptosi arith.fptoui arith.extsi "
    "arith.extui arith.trunci "
    "arith.bitcast tt.bitcast tt.fp_to_fp tt.int_to_ptr tt.ptr_to_int arith.index_cast",
    "math.exp math.exp2 math.log math.log2 math.sqrt math.rsqrt math.sin math.cos math.erf "
    "math.tanh math.absf "
    "math.absi "
    "math.floor math.ceil math.ctlz math.cttz math.ctpop math.log1p math.expm1 math.trunc "
    "math.roundeven arith.negf "
    "tt.precise_sqrt",
    "slt sle sgt sge ult ule ugt uge eq ne oeq one olt ole ogt oge ord uno ueq une",
    "and or xor add fadd max umax min umin exch",
    "relaxed acquire release acq_rel",
    "gpu cta sys",
    "ca cg wb cs wt cv none",
    "evict_normal evict_first evict_last",
    "tf32 tf32x3 ieee bf16x3 bf16x6",
    "e4m3 e5m2 e2m1 e2m3 e3m2 bf16 fp16",
    "rtz rtne",
    "x y z",
    "true false",
    "public private nested",
    "sizePerThread threadsPerWarp warpsPerCTA CTAsPerCGA CTASplitNum CTAOrder order register lane "
    "warp block offset",
    "opIdx kWidth vec perPhase maxPhase version instrShape isTransposed dim parent",
    "axis operandSegmentSizes resultSegmentSizes tt.divisibility tt.contiguity tt.constancy "
    "tt.pointer_range "
    "tt.num_stages tt.disallow_acc_multi_buffer tt.flatten tt.warp_specialize "
    "tt.loop_unroll_factor start end reverse",
    "tt.splat tt.broadcast tt.expand_dims tt.reshape tt.trans ttg.convert_layout tt.unsplat tt.cat "
    "tt.join tt.split",
    "tt.reduce tt.scan tt.map_elementwise",
    "tt.load tt.store tt.atomic_rmw tt.atomic_cas tt.addptr",
    "ttg.local_alloc ttg.local_load ttg.local_store ttg.local_dealloc ttg.memdesc_index "
    "ttg.memdesc_subslice "
    "ttg.memdesc_trans ttg.memdesc_reshape ttg.memdesc_reinterpret ttg.async_copy_global_to_local "
    "ttg.async_wait "
    "ttg.async_commit_group ttg.barrier gpu.barrier",
    "tt.dot tt.dot_scaled",
    "scf.for scf.while scf.if scf.yield scf.condition scf.execute_region",
    "cf.br cf.cond_br tt.return ub.unreachable",
    "#ttg.blocked #ttg.slice #ttg.linear #ttg.amd_mfma #ttg.dot_op #ttg.swizzled_shared "
    "#ttg.shared_memory "
    "#ttg.padded_shared #ttg.amd_rotating_shared",
    NULL};

// Replaces the options line, or adds one.
static size_t change_options(char *text, size_t size, size_t room, unsigned seed)
{
    static const int warps[] = {1, 2, 4, 8, 16, 4, 3}, stages[] = {1, 2, 3, 4, 7},
                     waves[] = {0, 1, 2, 4, 8}, nonkdims[] = {0, 16, 32, 4}, kpacks[] = {1, 2};
    char line[128];
    size_t length = (size_t)snprintf(line, sizeof line, "// OPTIONS %d %d %d %d %d\n",
                                     warps[seed % 7], stages[seed / 7 % 5], waves[seed / 35 % 5],
                                     nonkdims[seed / 175 % 4], kpacks[seed / 700 % 2]);
    const char *end =
        size > 10 && memcmp(text, "// OPTIONS", 10) == 0 ? memchr(text, '\n', size) : NULL;
    size_t old = end ? (size_t)(end + 1 - text) : 0;
    if (size - old + length > room)
        return 0;
    memmove(text + length, text + old, size - old);
    memcpy(text, line, length);
    return size - old + length;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    size_t changed = seed % 16 == 0 ? 0
                     : seed % 16 == 1
                         ? change_options((char *)data, size, max_size, seed / 16)
                         : text_mutate((char *)data, size, max_size, seed / 16, groups);
    return changed ? changed : LLVMFuzzerMutate(data, size, max_size);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                                 uint8_t *out, size_t max_size, unsigned seed)
{
    if (a_size > max_size)
        return 0;
    memcpy(out, a, a_size);
    size_t changed = text_splice((char *)out, a_size, max_size, (const char *)b, b_size, seed);
    return changed ? changed : a_size;
}
