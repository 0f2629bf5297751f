// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expects a call to succeed, or to fail in a certain way; the status is freed in either case.
// Include cmocka's headers before this one.
#ifndef TEST_EXPECT_STATUS_H
#define TEST_EXPECT_STATUS_H

#include <stdlib.h>
#include <string.h>

#include "kiln/status.h"

static inline void expect_ok(kiln_status_t status)
{
    if (!status)
        return;
    char *text = kiln_status_format(status);
    print_error("%s", text ? text : "out of memory");
    free(text);
    kiln_status_free(status);
    fail();
}

// Expects a failure whose text, including notes, contains `part`.
static inline void expect_failure(kiln_status_t status, kiln_status_code_t code, const char *part)
{
    char *text = kiln_status_format(status);
    if (kiln_status_code(status) != code || !strstr(text, part))
        print_error("wanted code %d with '%s', got code %d:\n%s", code, part,
                    kiln_status_code(status), text);
    assert_int_equal(kiln_status_code(status), code);
    assert_non_null(strstr(text, part));
    free(text);
    kiln_status_free(status);
}

#endif
