// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statuses keep their history and tolerate permitted misuse: annotating success, freeing it,
// indices beyond the end.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "kiln/status.h"

static void success_is_null_and_stays_so(void **state)
{
    (void)state;
    assert_null(KILN_OK);
    assert_null(kiln_status_annotate(KILN_OK, "while testing"));
    assert_null(kiln_status_at(KILN_OK, "f", 1, 1));
    assert_int_equal(kiln_status_code(KILN_OK), KILN_STATUS_OK);
    assert_string_equal(kiln_status_message(KILN_OK), "");
    assert_int_equal(kiln_status_note_count(KILN_OK), 0);
    kiln_status_free(KILN_OK);
}

static kiln_status_t inner(void)
{
    return kiln_status_at(kiln_status_make(KILN_STATUS_INVALID_INPUT, "no tile '%s'", "acc"),
                          "gemm.tile.c", 14, 23);
}

static kiln_status_t middle(int depth)
{
    KILN_TRY_NOTE(inner(), "at depth %d", depth);
    return KILN_OK;
}

static kiln_status_t outer(void)
{
    KILN_TRY(middle(2));
    return KILN_OK;
}

static void a_failure_carries_its_history(void **state)
{
    (void)state;
    kiln_status_t status = kiln_status_annotate(outer(), "while compiling '%s'", "gemm");
    assert_int_equal(kiln_status_code(status), KILN_STATUS_INVALID_INPUT);
    assert_string_equal(kiln_status_message(status), "no tile 'acc'");
    assert_string_equal(kiln_status_file(status), "gemm.tile.c");
    assert_int_equal(kiln_status_line(status), 14);
    assert_int_equal(kiln_status_column(status), 23);
    assert_int_equal(kiln_status_note_count(status), 2);
    assert_string_equal(kiln_status_note(status, 0), "at depth 2");
    assert_string_equal(kiln_status_note(status, 1), "while compiling 'gemm'");
    assert_null(kiln_status_note(status, 2));
    char *text = kiln_status_format(status);
    assert_string_equal(
        text, "gemm.tile.c:14:23: no tile 'acc'\nnote: at depth 2\nnote: while compiling 'gemm'\n");
    free(text);
    kiln_status_free(status);
}

static void unknown_places_are_left_out(void **state)
{
    (void)state;
    kiln_status_t status = kiln_status_make(KILN_STATUS_IO, "disk full");
    char *text = kiln_status_format(status);
    assert_string_equal(text, "disk full\n");
    free(text);
    status = kiln_status_at(status, "a.c", 3, 0);
    text = kiln_status_format(status);
    assert_string_equal(text, "a.c:3: disk full\n");
    free(text);
    kiln_status_free(status);
}

static void a_failure_is_never_ok(void **state)
{
    (void)state;
    kiln_status_t status = kiln_status_make(KILN_STATUS_OK, "confused caller");
    assert_non_null(status);
    assert_int_equal(kiln_status_code(status), KILN_STATUS_INTERNAL);
    kiln_status_free(status);
}

static void out_of_memory_names_the_resource(void **state)
{
    (void)state;
    kiln_status_t status = kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES, "too much");
    assert_int_equal(kiln_status_resource(status), KILN_RESOURCE_NONE);
    assert_ptr_equal(kiln_status_exceeds(status, KILN_RESOURCE_LDS, UINT64_C(1) << 33, 65536),
                     status);
    assert_string_equal(kiln_resource_name(kiln_status_resource(status)), "LDS");
    assert_true(kiln_status_required(status) == UINT64_C(1) << 33);
    assert_int_equal(kiln_status_limit(status), 65536);
    kiln_status_free(status);
    status = kiln_status_exceeds(kiln_status_out_of_memory(), KILN_RESOURCE_THREADS, 2, 1);
    assert_int_equal(kiln_status_resource(status), KILN_RESOURCE_NONE); // the status is shared
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(success_is_null_and_stays_so),
        cmocka_unit_test(a_failure_carries_its_history),
        cmocka_unit_test(unknown_places_are_left_out),
        cmocka_unit_test(a_failure_is_never_ok),
        cmocka_unit_test(out_of_memory_names_the_resource),
    };
    return cmocka_run_group_tests_name("status", tests, NULL, NULL);
}
