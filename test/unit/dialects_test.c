// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialects' C binding: conversion of encodings between text and structs, the table of
// operations, and what verifiers reject.
//
// The context owns the messages of errors, so the handler copies them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <mlir-c/BuiltinTypes.h>
#include <mlir-c/Diagnostics.h>

#include "kiln/dialects.h"

enum { MESSAGE_SIZE = 4096 };

typedef struct text {
    char bytes[MESSAGE_SIZE];
    size_t length;
} text_t;

static void append(MlirStringRef part, void *user)
{
    text_t *text = user;
    size_t room = sizeof text->bytes - 1 - text->length,
           count = part.length < room ? part.length : room;
    memcpy(text->bytes + text->length, part.data, count);
    text->length += count;
    text->bytes[text->length] = 0;
}

static MlirLogicalResult keep_message(MlirDiagnostic diagnostic, void *user)
{
    mlirDiagnosticPrint(diagnostic, append, user);
    return mlirLogicalResultSuccess();
}

static MlirContext make_context(text_t *messages)
{
    MlirContext context = mlirContextCreateWithThreading(false);
    kiln_context_load_dialects(context);
    *messages = (text_t){.length = 0};
    mlirContextAttachDiagnosticHandler(context, keep_message, messages, NULL);
    return context;
}

// Encodings ---------------------------------------------------------------------------------------

static MlirAttribute parse_encoding(MlirContext context, const char *source)
{
    return mlirAttributeParseGet(context, mlirStringRefCreateFromCString(source));
}

static void assert_text(MlirAttribute attribute, const char *expected)
{
    text_t printed = {.length = 0};
    mlirAttributePrint(attribute, append, &printed);
    assert_string_equal(printed.bytes, expected);
}

// Reads an encoding, converts it to its struct and back, and expects the same attribute.
static MlirAttribute through_struct(MlirContext context, MlirAttribute encoding)
{
    switch (kiln_encoding_kind(encoding)) {
    case KILN_ENCODING_BLOCKED: {
        kiln_blocked_t value = kiln_blocked_get(encoding);
        return kiln_blocked_attr(context, &value);
    }
    case KILN_ENCODING_SLICE:
        return kiln_slice_attr(kiln_slice_dim(encoding), kiln_slice_parent(encoding));
    case KILN_ENCODING_MFMA: {
        kiln_mfma_t value = kiln_mfma_get(encoding);
        return kiln_mfma_attr(context, &value);
    }
    case KILN_ENCODING_DOT_OPERAND:
        return kiln_dot_operand_attr(kiln_dot_operand_index(encoding),
                                     kiln_dot_operand_parent(encoding),
                                     kiln_dot_operand_k_width(encoding));
    case KILN_ENCODING_LINEAR: {
        kiln_linear_t value = kiln_linear_get(encoding);
        return kiln_linear_attr(context, &value);
    }
    case KILN_ENCODING_SWIZZLED_SHARED: {
        kiln_swizzled_shared_t value = kiln_swizzled_shared_get(encoding);
        return kiln_swizzled_shared_attr(context, &value);
    }
    case KILN_ENCODING_ROTATING_SHARED: {
        kiln_swizzled_shared_t value = kiln_swizzled_shared_get(encoding);
        return kiln_rotating_shared_attr(context, &value);
    }
    default:
        return encoding;
    }
}

#define BLOCKED                                                                                    \
    "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order " \
    "= [1, 0]}>"
#define MFMA                                                                                       \
    "#ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = "  \
    "true}>"

static const struct encoding_row {
    kiln_encoding_kind_t kind;
    const char *source;
    const char *printed; // NULL: the same
} ENCODINGS[] = {
    {KILN_ENCODING_BLOCKED, BLOCKED, NULL},
    {KILN_ENCODING_BLOCKED,
     "#ttg.blocked<{order = [1, 0], sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA "
     "= [4, 1], "
     "CTAsPerCGA = [1, 1], CTASplitNum = [1, 1], CTAOrder = [1, 0]}>",
     BLOCKED},
    {KILN_ENCODING_SLICE, "#ttg.slice<{dim = 1, parent = " BLOCKED "}>", NULL},
    {KILN_ENCODING_SLICE, "#ttg.slice<{dim = 0, parent = " MFMA "}>", NULL},
    {KILN_ENCODING_MFMA, MFMA, NULL},
    {KILN_ENCODING_MFMA,
     "#ttg.amd_mfma<{version = 3, warpsPerCTA = [1, 2, 2], instrShape = [16, 16, 4], isTransposed "
     "= false, "
     "tilesPerWarp = [1, 2, 2], elementBitWidth = 64}>",
     NULL},
    {KILN_ENCODING_MFMA,
     "#ttg.amd_mfma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [32, "
     "32, 8], isTransposed "
     "= true}>",
     MFMA},
    {KILN_ENCODING_DOT_OPERAND, "#ttg.dot_op<{opIdx = 1, parent = " MFMA ", kWidth = 4}>", NULL},
    {KILN_ENCODING_DOT_OPERAND, "#ttg.dot_op<{opIdx = 0, parent = " BLOCKED "}>", NULL},
    {KILN_ENCODING_LINEAR,
     "#ttg.linear<{register = [[1, 0], [0, 1]], lane = [[0, 8], [0, 16], [0, 32], [0, 64], [2, 0], "
     "[4, 0]], warp = "
     "[[8, 0], [0, 0]], block = []}>",
     NULL},
    {KILN_ENCODING_SWIZZLED_SHARED,
     "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>", NULL},
    {KILN_ENCODING_ROTATING_SHARED,
     "#ttg.amd_rotating_shared<{vec = 4, perPhase = 2, maxPhase = 8, order = [0, 1]}>", NULL},
    {KILN_ENCODING_PADDED_SHARED,
     "#ttg.padded_shared<[512:+16] {order = [1, 0], shape = [128, 64]}>", NULL},
    {KILN_ENCODING_PADDED_SHARED,
     "#ttg.padded_shared<[64:+4, 512:+16] {offset = [[0, 1], [1, 0]], block = []}>", NULL},
    {KILN_ENCODING_SHARED_LINEAR,
     "#ttg.shared_linear<{offset = [[0, 1], [1, 0]], block = []}, alignment = 16>",
     "#ttg.shared_linear<{offset = [[0, 1], [1, 0]]}, alignment = 16>"},
};

static void test_encodings(void **state)
{
    (void)state;
    text_t messages;
    MlirContext context = make_context(&messages);
    for (size_t i = 0; i < sizeof ENCODINGS / sizeof ENCODINGS[0]; ++i) {
        const struct encoding_row *row = &ENCODINGS[i];
        MlirAttribute encoding = parse_encoding(context, row->source);
        assert_false(mlirAttributeIsNull(encoding));
        assert_int_equal(kiln_encoding_kind(encoding), row->kind);
        assert_text(encoding, row->printed ? row->printed : row->source);
        assert_true(mlirAttributeEqual(through_struct(context, encoding), encoding));
    }
    assert_int_equal(kiln_encoding_kind((MlirAttribute){NULL}), KILN_ENCODING_NONE);
    assert_int_equal(kiln_encoding_kind(kiln_shared_memory_attr(context)), KILN_ENCODING_NONE);
    mlirContextDestroy(context);
}

static const struct refusal {
    const char *source, *message;
} BAD_ENCODINGS[] = {
    {"#ttg.blocked<{sizePerThread = [3], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>",
     "powers of two"},
    {"#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [64], warpsPerCTA = [4], order = "
     "[0]}>",
     "one length"},
    {"#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [64, 1], warpsPerCTA = [4, 1], order "
     "= [0, 0]}>",
     "permutation"},
    {"#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4]}>", "'order'"},
    {"#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0], "
     "colour = 3}>",
     "'colour'"},
    {"#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0], "
     "CTAsPerCGA = [2]}>",
     "must use one workgroup"},
    {"#ttg.slice<{dim = 2, parent = " BLOCKED "}>", "slice"},
    {"#ttg.slice<{dim = 0, parent = #ttg.shared_memory}>", "distributed parent"},
    {"#ttg.dot_op<{opIdx = 2, parent = " MFMA ", kWidth = 4}>", "opIdx"},
    {"#ttg.dot_op<{opIdx = 0, parent = " MFMA "}>", "kWidth"},
    {"#ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 16, 8], isTransposed = "
     "true}>",
     "unsupported MFMA instruction shape"},
    {"#ttg.linear<{register = [[1, 0], [0]], lane = [], warp = [], block = []}>", "one length"},
    {"#ttg.swizzled_shared<{vec = 0, perPhase = 1, maxPhase = 8, order = [1, 0]}>",
     "powers of two"},
};

static void test_bad_encodings(void **state)
{
    (void)state;
    text_t messages;
    MlirContext context = make_context(&messages);
    for (size_t i = 0; i < sizeof BAD_ENCODINGS / sizeof BAD_ENCODINGS[0]; ++i) {
        messages = (text_t){.length = 0};
        assert_true(mlirAttributeIsNull(parse_encoding(context, BAD_ENCODINGS[i].source)));
        if (!strstr(messages.bytes, BAD_ENCODINGS[i].message))
            fail_msg("'%s' does not say '%s' about %s", messages.bytes, BAD_ENCODINGS[i].message,
                     BAD_ENCODINGS[i].source);
    }
    mlirContextDestroy(context);
}

// Types -------------------------------------------------------------------------------------------

static MlirType parse_type(MlirContext context, const char *source)
{
    return mlirTypeParseGet(context, mlirStringRefCreateFromCString(source));
}

static void test_types(void **state)
{
    (void)state;
    text_t messages;
    MlirContext context = make_context(&messages);
    MlirType ptr = parse_type(context, "!tt.ptr<f16, 3>");
    assert_true(kiln_type_is_ptr(ptr));
    assert_int_equal(kiln_ptr_address_space(ptr), 3);
    assert_true(mlirTypeIsAF16(kiln_ptr_pointee(ptr)));
    assert_true(mlirTypeEqual(kiln_ptr_type(kiln_ptr_pointee(ptr), 3), ptr));
    assert_true(
        mlirTypeEqual(parse_type(context, "!tt.ptr<f16, 1>"), parse_type(context, "!tt.ptr<f16>")));

    MlirType desc = parse_type(context, "!tt.tensordesc<128x64xsi8>");
    assert_true(kiln_type_is_tensordesc(desc));
    assert_true(mlirTypeEqual(desc, parse_type(context, "!tt.tensordesc<tensor<128x64xsi8>>")));
    assert_int_equal(mlirShapedTypeGetDimSize(kiln_tensordesc_block_type(desc), 1), 64);

    MlirType memory = parse_type(
        context, "!ttg.memdesc<2x128x64xf16, #ttg.swizzled_shared<{vec = 8, perPhase = 1, "
                 "maxPhase = 8, order = [1, 0]}>, #ttg.shared_memory, mutable, 4x128x64>");
    assert_true(kiln_type_is_memdesc(memory));
    assert_true(kiln_memdesc_is_mutable(memory));
    assert_int_equal(kiln_memdesc_rank(memory), 3);
    assert_int_equal(kiln_memdesc_alloc_rank(memory), 3);
    int64_t shape[] = {2, 128, 64}, allocation[] = {4, 128, 64};
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(kiln_memdesc_dim(memory, i), shape[i]);
        assert_int_equal(kiln_memdesc_alloc_dim(memory, i), allocation[i]);
    }
    assert_true(mlirTypeEqual(kiln_memdesc_type(3, shape, kiln_memdesc_element(memory),
                                                kiln_memdesc_encoding(memory),
                                                kiln_shared_memory_attr(context), true, allocation),
                              memory));
    mlirContextDestroy(context);
}

// Operations --------------------------------------------------------------------------------------

static void test_operations(void **state)
{
    (void)state;
    text_t messages;
    MlirContext context = make_context(&messages);
    MlirModule late = mlirModuleCreateParse(
        context, mlirStringRefCreateFromCString("module { rocdl.s.setprio 1 }"));
    assert_int_equal(kiln_op_kind(mlirBlockGetFirstOperation(mlirModuleGetBody(late))),
                     KILN_OP_ROCDL_S_SETPRIO);
    mlirModuleDestroy(late);
    for (kiln_op_t kind = 1; kind < KILN_OP_COUNT; ++kind)
        if (!mlirContextIsRegisteredOperation(context,
                                              mlirStringRefCreateFromCString(kiln_op_name(kind))))
            fail_msg("ops.def names '%s', which no dialect has", kiln_op_name(kind));
    const char *source =
        "module { tt.func @f(%x: i32) { %y = arith.addi %x, %x : i32 tt.return } }";
    MlirModule module = mlirModuleCreateParse(context, mlirStringRefCreateFromCString(source));
    MlirOperation func = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
    MlirOperation add =
        mlirBlockGetFirstOperation(mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0)));
    assert_int_equal(kiln_op_kind(mlirModuleGetOperation(module)), KILN_OP_BUILTIN_MODULE);
    assert_int_equal(kiln_op_kind(func), KILN_OP_TT_FUNC);
    assert_int_equal(kiln_op_kind(add), KILN_OP_ARITH_ADDI);
    assert_int_equal(kiln_op_kind(mlirOperationGetNextInBlock(add)), KILN_OP_TT_RETURN);
    mlirModuleDestroy(module);
    mlirContextDestroy(context);
}

// Each body is put in a function with these arguments.
#define ARGUMENTS                                                                                  \
    "%p: !tt.ptr<f32>, %n: i32, %x: tensor<8xf32>, %y: tensor<8x16xf32>, %i: tensor<8xi32>, %ps: " \
    "tensor<8x!tt.ptr<f32>>, %h: tensor<16x8xf16>, %m: tensor<8xi1>"

#define REDUCES(body)                                                                              \
    "%r = \"tt.reduce\"(%x) <{axis = 0 : i32}> ({ ^bb0(%a: f32, %b: f32): " body                   \
    " tt.reduce.return %a : f32 }) : (tensor<8xf32>) -> f32"
#define SCANS(body)                                                                                \
    "%r = \"tt.scan\"(%x) <{axis = 0 : i32, reverse = false}> ({ ^bb0(%a: f32, %b: f32): " body    \
    " tt.scan.return %a : f32 }) : (tensor<8xf32>) -> tensor<8xf32>"
#define MAPS(body)                                                                                 \
    "%r = \"tt.map_elementwise\"(%x) <{pack = 1 : i32}> ({ ^bb0(%a: f32): " body                   \
    " tt.map_elementwise.return %a : f32 }) : (tensor<8xf32>) -> tensor<8xf32>"

static const struct refusal BAD_BODIES[] = {
    {REDUCES("tt.store %p, %a : !tt.ptr<f32>"), "must not write memory, and tt.store may"},
    {REDUCES("rocdl.s.barrier"), "must not write memory, and rocdl.s.barrier may"},
    {SCANS("gpu.barrier"), "must not write memory, and gpu.barrier may"},
    {SCANS("%c = tt.load %p {isVolatile = true} : !tt.ptr<f32>"),
     "must not write memory, and tt.load may"},
    {MAPS("rocdl.s.barrier"), "must not write memory, and rocdl.s.barrier may"},
    {MAPS("rocdl.s.sleep 1"), "must not write memory, and rocdl.s.sleep may"},
    {"%r = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<8xi32>", "16 elements"},
    {"%r = tt.make_range {start = 0 : i32, end = 12 : i32} : tensor<12xi32>", "power of two"},
    {"%r = tt.make_range {start = 0 : i32, end = 2097152 : i32} : tensor<2097152xi32>",
     "more than 1048576"},
    {"%r = tt.expand_dims %x {axis = 2 : i32} : tensor<8xf32> -> tensor<8x1xf32>", "out of range"},
    {"%r = tt.expand_dims %x {axis = 0 : i32} : tensor<8xf32> -> tensor<8x1xf32>", "at axis 0"},
    {"%r = tt.broadcast %y : tensor<8x16xf32> -> tensor<8x32xf32>", "can't stretch"},
    {"%r = tt.splat %n : i32 -> tensor<8xf32>", "can't make"},
    {"%r = tt.reshape %y : tensor<8x16xf32> -> tensor<64xf32>", "number of elements"},
    {"%r = tt.trans %y {order = array<i32: 0, 0>} : tensor<8x16xf32> -> tensor<8x8xf32>",
     "permutation"},
    {"%r = tt.trans %y {order = array<i32: 1, 0>} : tensor<8x16xf32> -> tensor<8x16xf32>",
     "given order"},
    {"%r = tt.join %x, %x : tensor<8xf32> -> tensor<8x4xf32>", "last dimension of 2"},
    {"%a, %b = tt.split %y : tensor<8x16xf32> -> tensor<8xf32>", "last dimension of 2"},
    {"%r = tt.fp_to_fp %x : tensor<8xf32> -> tensor<8xf8E5M2>", "rounding"},
    {"%r = tt.bitcast %x : tensor<8xf32> -> tensor<8xi16>", "different width"},
    {"%r = tt.dot %y, %h, %y : tensor<8x16xf32> * tensor<16x8xf16> -> tensor<8x16xf32>",
     "equal width"},
    {"%r = tt.dot %y, %y, %y : tensor<8x16xf32> * tensor<8x16xf32> -> tensor<8x16xf32>",
     "inner dimensions"},
    {"%r = tt.gather %x[%i] {axis = 1 : i32} : (tensor<8xf32>, tensor<8xi32>) -> tensor<8xf32>",
     "axis"},
    {"%r = tt.atomic_rmw fadd, acq_rel, gpu, %q, %n : (!tt.ptr<i32>, i32) -> i32", "undeclared"},
    {"%r = \"tt.reduce\"(%x) <{axis = 1 : i32}> ({ ^bb0(%a: f32, %b: f32): tt.reduce.return %a : "
     "f32 }) : "
     "(tensor<8xf32>) -> f32",
     "out of range"},
    {"%r = \"tt.reduce\"(%x) <{axis = 0 : i32}> ({ ^bb0(%a: f32): tt.reduce.return %a : f32 }) : "
     "(tensor<8xf32>) -> "
     "f32",
     "2 arguments"},
    {"%r = \"tt.reduce\"(%x) <{axis = 0 : i32}> ({ ^bb0(%a: f32, %b: f32): tt.reduce.return %a : "
     "f32 }) : "
     "(tensor<8xf32>) -> tensor<8xf32>",
     "without dimension 0"},
    {"%r = \"tt.scan\"(%x) <{axis = 0 : i32, reverse = false}> ({ ^bb0(%a: f32, %b: f32): %c = "
     "arith.cmpf oeq, %a, %b "
     ": f32 tt.scan.return %c : i1 }) : (tensor<8xf32>) -> tensor<8xf32>",
     "must be of type 'f32'"},
    {"%r = tt.load %ps, %m, %i : tensor<8x!tt.ptr<f32>>", "different type than prior uses"},
    {"tt.store %ps, %i : tensor<8x!tt.ptr<f32>>", "different type than prior uses"},
    {"%r = tt.call @nobody(%n) : (i32) -> i32", "not a function"},
    {"%r = ttg.local_load %x : tensor<8xf32> -> tensor<8xf32>", "ttg.memdesc"},
    {"ttg.barrier everywhere", "unknown address space 'everywhere'"},
    {"%c = ttg.convert_layout %x : tensor<8xf32> -> tensor<8xf32, " BLOCKED ">",
     "is for 2 dimensions"},
};

static void test_verifiers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof BAD_BODIES / sizeof BAD_BODIES[0]; ++i) {
        text_t messages;
        MlirContext context = make_context(&messages);
        char source[2048];
        snprintf(source, sizeof source, "module { tt.func @f(%s) { %s\n tt.return } }", ARGUMENTS,
                 BAD_BODIES[i].source);
        MlirModule module = mlirModuleCreateParse(context, mlirStringRefCreateFromCString(source));
        if (!mlirModuleIsNull(module))
            fail_msg("not refused: %s", BAD_BODIES[i].source);
        if (!strstr(messages.bytes, BAD_BODIES[i].message))
            fail_msg("'%s' does not say '%s' about %s", messages.bytes, BAD_BODIES[i].message,
                     BAD_BODIES[i].source);
        mlirContextDestroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_encodings), cmocka_unit_test(test_bad_encodings),
        cmocka_unit_test(test_types),     cmocka_unit_test(test_operations),
        cmocka_unit_test(test_verifiers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
