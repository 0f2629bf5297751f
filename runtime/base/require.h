// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of arguments at the entry of API functions. The failure names the function and the
// argument, so an argument must have the same name here as in the header.
//
// Out parameters are cleared first, so that they are NULL after every failure.
#ifndef KILN_BASE_REQUIRE_H
#define KILN_BASE_REQUIRE_H

#include <string.h>

#include "base/versioned.h"
#include "kiln/status.h"

// "kiln_buffer_create: device is NULL"
#define KILN_REQUIRE(argument)                                                                     \
    do {                                                                                           \
        if (!(argument))                                                                           \
            return kiln_status_make(KILN_STATUS_USAGE, "%s: %s is NULL", __func__, #argument);     \
    } while (0)

// An array may be NULL only if it is empty.
#define KILN_REQUIRE_ARRAY(array, count)                                                           \
    do {                                                                                           \
        if ((count) && !(array))                                                                   \
            return kiln_status_make(KILN_STATUS_USAGE, "%s: %s is NULL and %s is %zu", __func__,   \
                                    #array, #count, (size_t)(count));                              \
    } while (0)

// An out parameter, which is set to NULL.
#define KILN_REQUIRE_OUT(out)                                                                      \
    do {                                                                                           \
        KILN_REQUIRE(out);                                                                         \
        memset((out), 0, sizeof *(out));                                                           \
    } while (0)

// Fails if a rule of the call is violated; the format describes the violation and follows the
// function's name.
#define KILN_REQUIRE_THAT(rule, format, ...)                                                       \
    do {                                                                                           \
        if (!(rule))                                                                               \
            return kiln_status_make(KILN_STATUS_USAGE, "%s: " format, __func__, ##__VA_ARGS__);    \
    } while (0)

// Copies the part of a struct that the caller's version has over *to, which holds the defaults:
// KILN_REQUIRE_STRUCT(kiln_launch_t, &taken, launch). The struct must not be NULL and must have its
// struct_size set.
#define KILN_REQUIRE_STRUCT(type, to, argument)                                                    \
    KILN_TRY(kiln_struct_take(__func__, #argument, #type, (to), sizeof *(to), (argument)))

// An out parameter with a struct_size.
#define KILN_REQUIRE_OUT_STRUCT(type, out) KILN_TRY(kiln_struct_check(__func__, #out, #type, (out)))

#endif
