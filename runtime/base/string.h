// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A growing, always NUL-terminated string. A zeroed kiln_string_t is empty and ready for use.
//
// Appends do not report failure individually. A failed allocation marks the builder, later appends
// do nothing, and kiln_string_take returns NULL, so one check at the end suffices.
#ifndef KILN_BASE_STRING_H
#define KILN_BASE_STRING_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kiln_string {
    char *data; // NULL while empty
    size_t length, capacity;
    bool failed;
} kiln_string_t;

void kiln_string_append(kiln_string_t *string, const char *text);
void kiln_string_append_bytes(kiln_string_t *string, const void *bytes, size_t count);
void kiln_string_append_char(kiln_string_t *string, char c);
void kiln_string_appendf(kiln_string_t *string, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void kiln_string_appendv(kiln_string_t *string, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

// Transfers the text to the caller, who frees it with free(); the builder is empty afterwards. NULL
// if an allocation failed.
char *kiln_string_take(kiln_string_t *string);

void kiln_string_free(kiln_string_t *string);

// A formatted string that the caller frees; NULL if out of memory.
char *kiln_string_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *kiln_string_vprint(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

// Defined here for the simulator, which does not link string.c.
static inline bool kiln_string_starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

// Text of a file that is printed as a part of a line: whether it has no control characters, such as
// a newline with which it could pose as other output; and replaces them by '?'. Used by the
// simulator, too.
static inline bool kiln_string_is_control(char c)
{
    return (unsigned char)c < ' ' || c == 0x7F;
}

static inline bool kiln_string_is_line(const char *text)
{
    while (*text && !kiln_string_is_control(*text))
        text++;
    return !*text;
}

static inline void kiln_string_make_line(char *text)
{
    for (; *text; text++)
        *text = kiln_string_is_control(*text) ? '?' : *text;
}

bool kiln_string_ends_with(const char *text, const char *suffix);
bool kiln_string_is_utf8(const char *text,
                         size_t length); // well-formed, as JSON and MessagePack require

#ifdef __cplusplus
}
#endif
#endif
