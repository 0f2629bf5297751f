// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers as text, always in the C locale. A host program may have set LC_NUMERIC to a locale whose
// decimal point is a comma, which strtod, printf and jansson follow.
//
// setlocale affects the whole process, so nothing here calls it; uselocale affects only the thread.
#ifndef KILN_BASE_NUMBER_H
#define KILN_BASE_NUMBER_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

// strtod. If the text does not begin with a number, *out_end is `text`; out_end may be NULL.
double kiln_real_parse(const char *text, char **out_end);

// The same, rounded to nearest, and on which side of it the number of the text is: 1 above, -1
// below, 0 if it is exact. A further rounding to fewer bits needs this to be correct.
double kiln_real_parse_with_rest(const char *text, char **out_end, int *out_rest);

// kiln_real_parse of a text that must be a number to its end.
bool kiln_real_parse_all(const char *text, double *out);

// strtoll and strtoull for a text that must be an integer to its end and in range, where strtoll
// and strtoull clamp. A negative number is not a valid unsigned one.
bool kiln_integer_parse_all(const char *text, int base, int64_t *out);
bool kiln_unsigned_parse_all(const char *text, int base, uint64_t *out);

// snprintf, vsnprintf and fprintf.
int kiln_format(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int kiln_vformat(char *text, size_t size, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));
int kiln_format_file(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Runs foreign printing code in the C locale: the thread is in it from enter to leave. leave takes
// the return value of enter.
void *kiln_c_locale_enter(void);
void kiln_c_locale_leave(void *before);

// ASCII letters and digits, independent of LC_CTYPE.
static inline bool kiln_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool kiln_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline bool kiln_is_alphanumeric(char c)
{
    return kiln_is_digit(c) || kiln_is_letter(c);
}

static inline bool kiln_is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline char kiln_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static inline char kiln_upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

// Whether two texts differ at most in the case of ASCII letters; strcasecmp depends on the locale.
static inline bool kiln_equal_in_any_case(const char *a, const char *b)
{
    while (*a && kiln_lower(*a) == kiln_lower(*b))
        a++, b++;
    return *a == *b;
}

#ifdef __cplusplus
}
#endif
#endif
