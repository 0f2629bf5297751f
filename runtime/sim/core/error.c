// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats an error's text.
#include "core/error.h"

#include <stdarg.h>
#include <stdio.h>

bool kiln_sim_fail(kiln_sim_error_t *error, int code, const char *format, ...)
{
    if (!error)
        return false;
    error->code = code;
    va_list args;
    va_start(args, format);
    vsnprintf(error->text, sizeof error->text, format, args);
    va_end(args);
    return false;
}
