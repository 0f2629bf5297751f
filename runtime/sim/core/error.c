// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats an error's text.
#include "sim/port/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

// Ends truncated text with "…" and never splits a character.
static void mark_cut(char *text, size_t size)
{
    static const char mark[] = "\xe2\x80\xa6";
    size_t end = size - sizeof mark;
    while (end && ((unsigned char)text[end] & 0xc0) == 0x80)
        end--;
    memcpy(text + end, mark, sizeof mark);
}

bool kiln_sim_fail(kiln_sim_error_t *error, int code, const char *format, ...)
{
    if (!error)
        return false;
    error->code = code;
    va_list args;
    va_start(args, format);
    const int wanted = kiln_vformat(error->text, sizeof error->text, format, args);
    va_end(args);
    if (wanted >= (int)sizeof error->text)
        mark_cut(error->text, sizeof error->text);
    return false;
}
