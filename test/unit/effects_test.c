// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of effects (effects.def), for an instance of every operation: MLIR's own passes must
// see the same effects, and no pass may remove an operation with an effect, in particular in the
// loop of a pipelined dot.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis_module.h"
#include "base/string.h"
#include "builder/op_facts.h"
#include "kiln/kiln.h"

typedef struct sample {
    kiln_op_t kind;
    const char *text;
} sample_t;

static const sample_t samples[] = {
#define SAMPLE(id, text) {KILN_OP_##id, text},
#include "op_samples.def"
#undef SAMPLE
    {KILN_OP_UNKNOWN, "rocdl.s.sleep 1"},
    {KILN_OP_UNKNOWN, "tt.atomic_store relaxed, gpu, %q, %i : !tt.ptr<i32>"},
    {KILN_OP_TT_LOAD, "%s = tt.load %qp {isVolatile = true} : !pi"},
    {KILN_OP_TT_ELEMENTWISE_INLINE_ASM,
     "%s = tt.elementwise_inline_asm \"v_mov_b32 $0, $1\" {constraints = \"=v,v\", "
     "packed_element = 1 : i32, pure = true} %xi : !xi -> !xi"},
    {KILN_OP_TT_EXTERN_ELEMENTWISE, "%s = tt.extern_elementwise %xf {libname = \"\", libpath = "
                                    "\"\", pure = false, symbol = \"f\"} : (!xf) -> !xf"},
    {KILN_OP_TTG_LOCAL_ALLOC, "%s = ttg.local_alloc : () -> !mem"},
};

// Does not compile unless every operation has a sample.
enum {
    SAMPLE_OF_UNKNOWN,
#define SAMPLE(id, text) SAMPLE_OF_##id,
#include "op_samples.def"
#undef SAMPLE
};
#define KILN_OP(id, name)                                                                          \
    _Static_assert((int)SAMPLE_OF_##id == (int)KILN_OP_##id, "op_samples.def: " name);
#include "ops.def"
#undef KILN_OP

// Values that samples use, created before the loop if a sample needs them.
static const struct {
    const char *name, *text;
} values[] = {
    {"%c64", "%c64 = arith.constant 64 : i64"},
    {"%t", "%t = arith.cmpi slt, %n, %c1 : i32"},
    {"%xf", "%xf = arith.sitofp %xi : !xi to !xf"},
    {"%m", "%m = arith.cmpi slt, %xi, %xi : !xi"},
    {"%qp", "%qs = tt.splat %q : !tt.ptr<i32> -> !pi\n    %qp = tt.addptr %qs, %xi : !pi, !xi"},
    {"%desc",
     "%desc = tt.make_tensor_descriptor %p, [%n, %n], [%one64, %one64] : <f16>, <32x32xf16>"},
    {"%rows",
     "%rows = tt.make_tensor_descriptor %p, [%n, %n], [%one64, %one64] : <f16>, <1x32xf16>"},
    {"%few", "%few = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>"},
    {"%bp", "%bp = tt.make_tensor_ptr %p, [%one64, %one64], [%one64, %one64], [%n, %n] {order = "
            "array<i32: 1, 0>} : "
            "<tensor<32x32xf16>>"},
    {"%buf", "%buf = ttg.local_alloc : () -> !mem"},
    {"%bufs", "%bufs = ttg.local_alloc : () -> !ttg.memdesc<2x32x32xf16, #s, #smem, mutable>"},
};

static bool mentions(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = strstr(text, name); at; at = strstr(at + 1, name))
        if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789", at[length]) || !at[length])
            return true;
    return false;
}

// Loops with a dot whose operand is loaded in the loop. SAMPLE is replaced by the sample; %acc is
// the result.
static const char DOT_LOOP[] =
    "    %acc = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (!xf) : i32 {\n"
    "      %x = tt.load %pp : !ph\n"
    "      %d = tt.dot %x, %x, %a : !xh * !xh -> !xf\n"
    "SAMPLE\n"
    "      scf.yield %d : !xf\n"
    "    }";

// The inner loop of a nest that is flattened; samples are placed before and after it.
#define INNER                                                                                      \
    "      %d = scf.for %j = %c0 to %n step %c1 iter_args(%b = %a) -> (!xf) : i32 {\n"             \
    "        %y = tt.load %pp : !ph\n"                                                             \
    "        %e0 = tt.dot %y, %y, %b : !xh * !xh -> !xf\n"                                         \
    "        scf.yield %e0 : !xf\n"                                                                \
    "      }\n"
#define NEST(before, after)                                                                        \
    "    %acc = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (!xf) : i32 {\n"          \
    "      %x = tt.load %pp : !ph\n" before INNER after "      scf.yield %d : !xf\n"               \
    "    }"

static char *program(const char *sample, const char *loop, const char *attributes)
{
    kiln_string_t text = {0};
    kiln_string_append(
        &text,
        "!xi = tensor<32x32xi32>\n!xf = tensor<32x32xf32>\n!xh = tensor<32x32xf16>\n"
        "!xb = tensor<32x32xi1>\n!pi = tensor<32x32x!tt.ptr<i32>>\n"
        "!ph = tensor<32x32x!tt.ptr<f16>>\n"
        "#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>\n"
        "#t = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>\n"
        "#u = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>\n"
        "#smem = #ttg.shared_memory\n"
        "!mem = !ttg.memdesc<32x32xf16, #s, #smem, mutable>\n"
        "module {\n"
        "  tt.func private @helper(%q: !tt.ptr<i32>) attributes {noinline = true} {\n"
        "    %c0 = arith.constant 0 : i32\n"
        "    tt.store %q, %c0 : !tt.ptr<i32>\n"
        "    tt.return\n"
        "  }\n"
        "  tt.func public @k(%p: !tt.ptr<f16>, %q: !tt.ptr<i32>, %o: !tt.ptr<f32>, %n: i32) {\n"
        "    %c0 = arith.constant 0 : i32\n"
        "    %c1 = arith.constant 1 : i32\n"
        "    %one64 = arith.constant 1 : i64\n"
        "    %zero = arith.constant dense<0.0> : !xf\n"
        "    %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>\n"
        "    %xi = tt.reshape %r : tensor<1024xi32> -> !xi\n"
        "    %ps = tt.splat %p : !tt.ptr<f16> -> !ph\n"
        "    %pp = tt.addptr %ps, %xi : !ph, !xi\n");
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (mentions(sample, values[i].name))
            kiln_string_appendf(&text, "    %s\n", values[i].text);
    const char *place = strstr(loop, "SAMPLE");
    kiln_string_appendf(&text, "%.*s%s%s %s\n", (int)(place - loop), loop, sample,
                        place + strlen("SAMPLE"), attributes);
    kiln_string_append(&text, "    %os = tt.splat %o : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>\n"
                              "    %op = tt.addptr %os, %xi : tensor<32x32x!tt.ptr<f32>>, !xi\n"
                              "    tt.store %op, %acc : tensor<32x32x!tt.ptr<f32>>\n"
                              "    tt.return\n"
                              "  }\n"
                              "}\n");
    return text.data;
}

// Finds the last operation of the kind, which is the sample's.
typedef struct search {
    kiln_op_t kind;
    MlirOperation found;
} search_t;

static MlirWalkResult match_kind(MlirOperation op, void *user)
{
    search_t *search = user;
    if (kiln_op_kind(op) == search->kind)
        search->found = op;
    return MlirWalkResultAdvance;
}

// Finds the sample's operation: after the dot or, for samples that contain the loop, anywhere.
static MlirOperation sample_in(const test_module_t *test, const sample_t *sample)
{
    search_t search = {sample->kind, {NULL}}, dot = {KILN_OP_TT_DOT, {NULL}};
    MlirOperation module = mlirModuleGetOperation(test->module);
    if (!sample->text[0]) {
        kiln_walk(module, MlirWalkPreOrder, match_kind, &search);
        return search.found;
    }
    kiln_walk(module, MlirWalkPreOrder, match_kind, &dot);
    MlirBlock body = mlirOperationGetBlock(dot.found);
    MlirOperation first = mlirBlockGetFirstOperation(body),
                  second = mlirOperationGetNextInBlock(first);
    for (MlirOperation op = mlirOperationGetNextInBlock(second);
         !mlirOperationEqual(op, kiln_block_terminator(body)); op = mlirOperationGetNextInBlock(op))
        kiln_walk(op, MlirWalkPreOrder, match_kind, &search);
    return search.found;
}

static const char *name_of(const sample_t *sample)
{
    return sample->kind ? kiln_op_name(sample->kind) : sample->text;
}

// Checks that MLIR's passes do nothing to an operation that the table forbids, and see all effects
// in the table.
static void compare(const sample_t *sample, MlirOperation op)
{
    const int effects = kiln_op_effects(op);
    const bool is_terminator = kiln_op_has(sample->kind, KILN_TERMINATOR);
    const kiln_mlir_effects_t mlir = kiln_op_mlir_effects(op);
    // MLIR treats a buffer that is never written again as a value; in Kiln its allocation writes
    // LDS.
    const bool is_value = sample->kind == KILN_OP_TTG_LOCAL_ALLOC;
    if (mlir.may_be_dropped && !kiln_op_may_be_erased(op) && !is_value)
        fail_msg("MLIR drops an unused %s, and effects.def says that it does something",
                 name_of(sample));
    if (!is_terminator && !mlir.may_be_dropped && kiln_op_may_be_erased(op) &&
        !(effects & KILN_CLAIMS) && mlir.is_known)
        fail_msg("effects.def lets an unused %s go, and MLIR does not", name_of(sample));
    if (mlir.may_be_hoisted && !is_terminator && effects) // MLIR may know that a loop terminates
        fail_msg("MLIR hoists %s out of loops, and effects.def says that it does something",
                 name_of(sample));
    const bool writes =
        effects & (KILN_WRITES_GLOBAL | KILN_WRITES_LDS | KILN_ORDERED | KILN_ASYNC | KILN_CLAIMS);
    if (writes && mlir.is_known && !mlir.writes && !is_value)
        fail_msg("%s does something that MLIR is not told", name_of(sample));
    if ((effects & (KILN_READS_GLOBAL | KILN_READS_LDS)) && mlir.is_known && !mlir.reads &&
        !mlir.writes)
        fail_msg("%s reads what MLIR is not told", name_of(sample));
    if (effects == 0 && (!mlir.is_known || mlir.reads || mlir.writes))
        fail_msg("MLIR is told that %s does something, effects.def that it does not",
                 name_of(sample));
}

static test_module_t parse(const sample_t *sample)
{
    char *text = program(sample->text, DOT_LOOP, "");
    test_module_t test = {.context = mlirContextCreateWithThreading(false)};
    kiln_context_load_dialects(test.context);
    test.module = mlirModuleCreateParse(test.context, mlirStringRefCreateFromCString(text));
    if (mlirModuleIsNull(test.module))
        fail_msg("the sample of %s does not parse in\n%s", name_of(sample), text);
    free(text);
    return test;
}

static void test_mlir_agrees(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        test_module_t test = parse(&samples[i]);
        MlirOperation op = sample_in(&test, &samples[i]);
        if (mlirOperationIsNull(op))
            fail_msg("the sample of %s has none", name_of(&samples[i]));
        compare(&samples[i], op);
        free_module(&test);
    }
}

// No effect is lost -------------------------------------------------------------------------------

typedef struct tally {
    int of[KILN_OP_COUNT];
    int all;
} tally_t;

static MlirWalkResult count(MlirOperation op, void *user)
{
    enum { HARMLESS = KILN_READS_GLOBAL | KILN_READS_LDS | KILN_CLAIMS };
    tally_t *tally = user;
    kiln_op_t kind = kiln_op_kind(op);
    if (kind == KILN_OP_TT_FUNC || kind == KILN_OP_BUILTIN_MODULE ||
        !(kiln_op_own_effects(op) & ~HARMLESS))
        return MlirWalkResultAdvance;
    tally->of[kind]++;
    tally->all++;
    return MlirWalkResultAdvance;
}

static tally_t count_effects(const char *text)
{
    tally_t tally = {.all = 0};
    test_module_t test = parse_module(text);
    kiln_walk(mlirModuleGetOperation(test.module), MlirWalkPreOrder, count, &tally);
    free_module(&test);
    return tally;
}

// The ttg text after the passes; NULL if the program is rejected.
static char *compile(const char *text, int num_stages)
{
    kiln_source_t source = {
        .stage = KILN_STAGE_TT, .name = "k.ttir", .text = text, .length = strlen(text)};
    kiln_session_t *session;
    kiln_kernel_t *kernel;
    kiln_compile_options_t options;
    kiln_compile_options_initialize(&options);
    options.num_warps = 4;
    options.num_stages = num_stages;
    options.last_stage = KILN_STAGE_TTG;
    assert_null(kiln_session_create(&session));
    kiln_status_t status = kiln_compile(session, &source, &options, &kernel);
    char *out = status ? NULL : strdup(kiln_kernel_text(kernel, KILN_STAGE_TTG));
    if (!status)
        kiln_kernel_release(kernel);
    kiln_status_free(status);
    kiln_session_release(session);
    return out;
}

static bool matters(const sample_t *sample)
{
    test_module_t test = parse(sample);
    bool has_effect = sample->text[0] && !kiln_op_may_be_erased(sample_in(&test, sample));
    free_module(&test);
    return has_effect;
}

// Expects that after the passes `text` has at least as many effects of each kind as `plain`.
static void expect_no_loss(const sample_t *sample, const char *what, const char *plain,
                           const char *text)
{
    if (!plain != !text)
        fail_msg("%s, %s: %s, %s without", name_of(sample), what, text ? "compiled" : "refused",
                 plain ? "compiled" : "refused");
    if (!plain)
        return;
    tally_t one = count_effects(plain), more = count_effects(text);
    for (kiln_op_t kind = 0; kind < KILN_OP_COUNT; kind++)
        if (more.of[kind] < one.of[kind])
            fail_msg("%s, %s: %d of '%s' are left, %d without", name_of(sample), what,
                     more.of[kind], kiln_op_name(kind), one.of[kind]);
}

static void test_loops_of_dots_lose_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        if (!matters(&samples[i]))
            continue;
        char *text = program(samples[i].text, DOT_LOOP, ""), *plain = compile(text, 1);
        if (plain && count_effects(plain).all < count_effects(text).all)
            fail_msg("%s in the loop of a dot: not all is left with num_stages 1",
                     name_of(&samples[i]));
        for (int stages = 2; stages <= 3; stages++) {
            char *pipelined = compile(text, stages);
            expect_no_loss(&samples[i], "in the loop of a dot with more than one stage", plain,
                           pipelined);
            free(pipelined);
        }
        free(plain);
        free(text);
    }
}

static void test_other_loops_lose_nothing(void **state)
{
    static const struct {
        const char *what, *loop, *attributes;
    } shapes[] = {
        {"in an unrolled loop", DOT_LOOP, "{tt.loop_unroll_factor = 2 : i32}"},
        {"before the loop of a flattened nest", NEST("SAMPLE\n", ""), "{tt.flatten}"},
        {"behind the loop of a flattened nest", NEST("", "SAMPLE\n"), "{tt.flatten}"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes && matters(&samples[i]); s++) {
            char *without = program(samples[i].text, shapes[s].loop, ""),
                 *with = program(samples[i].text, shapes[s].loop, shapes[s].attributes),
                 *plain = compile(without, 2), *made = compile(with, 2);
            expect_no_loss(&samples[i], shapes[s].what, plain, made);
            free(without);
            free(with);
            free(plain);
            free(made);
        }
}

// Other tables ------------------------------------------------------------------------------------

static void expect_traits(kiln_op_t kind, unsigned any_of, const char *table)
{
    if (!(kiln_op_facts(kind)->traits & any_of))
        fail_msg("%s takes %s for what effects.def does not", table, kiln_op_name(kind));
}

// The interpreter and the lowering must have the same element-wise operations and terminators.
static void test_other_tables_agree(void **state)
{
    (void)state;
#define KILN_INTERP(kind, handler, attribute, otherwise)
#define KILN_INTERP_EACH(kind, handler, attribute, otherwise)                                      \
    expect_traits(KILN_OP_##kind, KILN_ELEMENTWISE | KILN_LEAF, "interp/handlers.def");
#define KILN_INTERP_END(kind) expect_traits(KILN_OP_##kind, KILN_TERMINATOR, "interp/handlers.def");
#include "interp/handlers.def"
#undef KILN_INTERP
#undef KILN_INTERP_EACH
#undef KILN_INTERP_END
#define KILN_ELEMENTWISE(kind, ...) KILN_OP_##kind,
    static const kiln_op_t lowered[] = {
#include "lower/elementwise.def"
    };
#undef KILN_ELEMENTWISE
    for (size_t i = 0; i < sizeof lowered / sizeof *lowered; i++)
        expect_traits(lowered[i], KILN_ELEMENTWISE, "lower/elementwise.def");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mlir_agrees),
        cmocka_unit_test(test_other_tables_agree),
        cmocka_unit_test(test_loops_of_dots_lose_nothing),
        cmocka_unit_test(test_other_loops_lose_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
