// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts of MLIR types: every encoding reaches its constructor, and types without a layout are
// rejected with the reason.
//
// Counts of warps and lanes are checked where encodings meet a program, not in the constructors.
#include "analysis_module.h"

#include "layout/layout.h"
#include "layout/operand.h"

static MlirContext new_context(void)
{
    MlirContext context = mlirContextCreateWithThreading(false);
    kiln_context_load_dialects(context);
    return context;
}

static MlirType parse_type(MlirContext context, const char *text)
{
    MlirType type = mlirTypeParseGet(context, mlirStringRefCreateFromCString(text));
    assert_false(mlirTypeIsNull(type));
    return type;
}

static kiln_layout_t layout_of(MlirContext context, const char *text)
{
    kiln_layout_t layout;
    assert_null(kiln_layout_of_type(parse_type(context, text), 4, &layout));
    return layout;
}

#define BLOCKED                                                                                    \
    "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order "  \
    "= [1, 0]}>"
#define MFMA                                                                                       \
    "#ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = "  \
    "true}>"

static void encodings_reach_their_constructors(void **state)
{
    (void)state;
    MlirContext context = new_context();
    int64_t shape[] = {128, 64}, sliced[] = {128, 1};
    kiln_blocked_t blocked = {2, {1, 8}, {8, 8}, {4, 1}, {1, 0}};
    kiln_mfma_t mfma = {3, 2, {2, 2}, {1, 1}, {32, 32, 8}, true, 32};
    kiln_layout_t wanted, found;

    assert_true(kiln_layout_blocked(&blocked, shape, &wanted));
    found = layout_of(context, "tensor<128x64xf16, " BLOCKED ">");
    assert_true(kiln_layout_equal(&found, &wanted));
    assert_true(kiln_layout_mfma(&mfma, shape, &wanted));
    found = layout_of(context, "tensor<128x64xf32, " MFMA ">");
    assert_true(kiln_layout_equal(&found, &wanted));
    assert_true(kiln_layout_dot_operand_mfma(&mfma, 1, 4, shape, &wanted));
    found = layout_of(context, "tensor<128x64xf16, #ttg.dot_op<{opIdx = 1, parent = " MFMA
                               ", kWidth = 4}>>");
    assert_true(kiln_layout_equal(&found, &wanted));
    assert_true(kiln_layout_dot_operand_blocked(&blocked, 0, shape, &wanted));
    found =
        layout_of(context, "tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = " BLOCKED "}>>");
    assert_true(kiln_layout_equal(&found, &wanted));
    assert_true(kiln_layout_blocked(&blocked, sliced, &wanted));
    wanted = kiln_layout_slice(&wanted, 1);
    found = layout_of(context, "tensor<128xf16, #ttg.slice<{dim = 1, parent = " BLOCKED "}>>");
    assert_true(kiln_layout_equal(&found, &wanted));
    mlirContextDestroy(context);
}

static void buffers_are_laid_out_like_their_allocation(void **state)
{
    (void)state;
    MlirContext context = new_context();
    kiln_swizzled_shared_t shared = {2, 8, 1, 8, {1, 0}};
    int64_t shape[] = {128, 64};
    kiln_layout_t wanted, found;
#define SHARED                                                                                     \
    "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>, "                \
    "#ttg.shared_memory, mutable"
    assert_true(kiln_layout_shared(&shared, KILN_SWIZZLE_XOR, shape, &wanted));
    found = layout_of(context, "!ttg.memdesc<128x64xf16, " SHARED ">");
    assert_true(kiln_layout_equal(&found, &wanted));
    found = layout_of(context, "!ttg.memdesc<64x32xf16, " SHARED ", 128x64>");
    assert_true(kiln_layout_equal(&found, &wanted));
    found = layout_of(context, "!ttg.memdesc<128x64xf16, " SHARED ", 3x128x64>");
    assert_true(kiln_layout_equal(&found, &wanted));
    assert_true(kiln_layout_shared(&shared, KILN_SWIZZLE_ROTATING, shape, &wanted));
    found = layout_of(
        context,
        "!ttg.memdesc<128x64xf16, #ttg.amd_rotating_shared<{vec = 8, perPhase = 1, maxPhase = "
        "8, order = [1, 0]}>, #ttg.shared_memory, mutable>");
    assert_true(kiln_layout_equal(&found, &wanted));
    mlirContextDestroy(context);
}

// A layout written as #ttg.linear is read back as itself.
static void linear_attributes_round_trip(void **state)
{
    (void)state;
    MlirContext context = new_context();
    static const char *const types[] = {
        "tensor<128x64xf16, " BLOCKED ">", "tensor<128x64xf32, " MFMA ">",
        "tensor<128x64xf16, #ttg.dot_op<{opIdx = 1, parent = " MFMA ", kWidth = 4}>>"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        kiln_layout_t layout = layout_of(context, types[i]), back;
        MlirAttribute linear = kiln_layout_to_linear_attr(context, &layout);
        assert_int_equal(kiln_encoding_kind(linear), KILN_ENCODING_LINEAR);
        int64_t shape[] = {128, 64};
        assert_null(kiln_layout_of_encoding(linear, 2, shape, 4, &back));
        assert_true(kiln_layout_equal(&layout, &back));
    }
    mlirContextDestroy(context);
}

static void expect_failure(kiln_status_t status, kiln_status_code_t code, const char *part)
{
    assert_non_null(status);
    assert_int_equal(kiln_status_code(status), code);
    assert_non_null(strstr(kiln_status_message(status), part));
    kiln_status_free(status);
}

static void what_has_no_layout_is_refused(void **state)
{
    (void)state;
    MlirContext context = new_context();
    kiln_layout_t layout;
    MlirType blocked = parse_type(context, "tensor<128x64xf16, " BLOCKED ">");
    expect_failure(kiln_layout_of_type(blocked, 8, &layout), KILN_STATUS_INVALID_INPUT, "4 warps");
    expect_failure(kiln_layout_of_type(parse_type(context, "tensor<128xf16>"), 4, &layout),
                   KILN_STATUS_UNSUPPORTED, "with a layout, got one without");
    expect_failure(kiln_layout_of_type(parse_type(context, "i32"), 4, &layout),
                   KILN_STATUS_UNSUPPORTED, "expected a tensor or a memdesc");
    MlirAttribute encoding = kiln_type_encoding(blocked);
    int64_t odd[] = {96, 64}, cube[] = {2, 2, 2};
    expect_failure(kiln_layout_of_encoding(encoding, 2, odd, 4, &layout), KILN_STATUS_INVALID_INPUT,
                   "96");
    expect_failure(kiln_layout_of_encoding(encoding, 3, cube, 4, &layout),
                   KILN_STATUS_INVALID_INPUT, "rank 2");
    mlirContextDestroy(context);
}

// The searched swizzle of a staged operand: reads are as wide as the dot's kWidth and have no
// conflicts.
static void staged_operands_are_read_wide_and_without_conflicts(void **state)
{
    (void)state;
    MlirContext context = new_context();
    static const char *const operands[][2] = {
        {"tensor<128x64xf16, " BLOCKED ">",
         "tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = " MFMA ", kWidth = 8}>>"},
        {"tensor<64x128xf16, #ttg.blocked<{sizePerThread = [4, 8], threadsPerWarp = [4, 16], "
         "warpsPerCTA = [4, 1], "
         "order = [1, 0]}>>",
         "tensor<64x128xf16, #ttg.dot_op<{opIdx = 1, parent = " MFMA ", kWidth = 4}>>"},
    };
    for (int i = 0; i < 2; i++) {
        MlirType stored = parse_type(context, operands[i][0]),
                 loaded = parse_type(context, operands[i][1]);
        MlirAttribute shared;
        assert_null(kiln_shared_encoding_for(stored, loaded, 4, i == 0 ? 1 : 0, &shared));
        int64_t shape[] = {kiln_type_dim(stored, 0), kiln_type_dim(stored, 1)};
        kiln_layout_t lds, from, to;
        assert_null(kiln_layout_of_encoding(shared, 2, shape, 4, &lds));
        assert_null(kiln_layout_of_type(stored, 4, &from));
        assert_null(kiln_layout_of_type(loaded, 4, &to));
        kiln_layout_t write = kiln_layout_to_lds(&from, &lds), read = kiln_layout_to_lds(&to, &lds);
        assert_int_equal(kiln_layout_lds_access(&read, 16).vector, i == 0 ? 8 : 4);
        assert_int_equal(kiln_layout_lds_access(&write, 16).vector, i == 0 ? 8 : 4);
        assert_int_equal(kiln_layout_bank_conflicts(&read, 16, KILN_LDS_READ), 0);
        assert_int_equal(kiln_layout_bank_conflicts(&write, 16, KILN_LDS_WRITE), 0);
    }
    mlirContextDestroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(encodings_reach_their_constructors),
        cmocka_unit_test(buffers_are_laid_out_like_their_allocation),
        cmocka_unit_test(linear_attributes_round_trip),
        cmocka_unit_test(what_has_no_layout_is_refused),
        cmocka_unit_test(staged_operands_are_read_wide_and_without_conflicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
