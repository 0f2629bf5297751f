// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers over POSIX's per-thread locales. This is the only file that may call strtod and vsnprintf
// (test/unit/number_test.c).
#include "base/number.h"

#include <errno.h>
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static locale_t c_locale;

static void make_c_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C",
                         (locale_t)0); // predefined, so this cannot fail for lack of memory
    if (!c_locale)
        abort(); // continuing would read and write wrong numbers
}

static locale_t get_c_locale(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_c_locale);
    return c_locale;
}

void *kiln_c_locale_enter(void)
{
    return uselocale(get_c_locale());
}

void kiln_c_locale_leave(void *before)
{
    uselocale(before);
}

double kiln_real_parse(const char *text, char **out_end)
{
    return strtod_l(text, out_end, get_c_locale());
}

double kiln_real_parse_with_rest(const char *text, char **out_end, int *out_rest)
{
    const int mode = fegetround();
    fesetround(FE_DOWNWARD); // strtod rounds as the thread does
    const double below = strtod_l(text, NULL, get_c_locale());
    fesetround(FE_UPWARD);
    const double above = strtod_l(text, NULL, get_c_locale());
    fesetround(FE_TONEAREST);
    const double value = strtod_l(text, out_end, get_c_locale());
    fesetround(mode);
    *out_rest = below < above ? (value == below ? 1 : -1) : 0; // not for NaN
    return value;
}

bool kiln_real_parse_all(const char *text, double *out)
{
    char *end;
    *out = kiln_real_parse(text, &end);
    return end != text && !*end;
}

bool kiln_integer_parse_all(const char *text, int base, int64_t *out)
{
    char *end;
    errno = 0;
    *out = strtoll(text, &end, base);
    return end != text && !*end && errno != ERANGE;
}

bool kiln_unsigned_parse_all(const char *text, int base, uint64_t *out)
{
    char *end;
    errno = 0;
    *out = strtoull(text, &end, base);
    return end != text && !*end && errno != ERANGE && !strchr(text, '-');
}

int kiln_vformat(char *text, size_t size, const char *format, va_list args)
{
    void *before = kiln_c_locale_enter();
    int length = vsnprintf(text, size, format, args);
    kiln_c_locale_leave(before);
    return length;
}

int kiln_format(char *text, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = kiln_vformat(text, size, format, args);
    va_end(args);
    return length;
}

int kiln_format_file(FILE *file, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    void *before = kiln_c_locale_enter();
    int length = vfprintf(file, format, args);
    kiln_c_locale_leave(before);
    va_end(args);
    return length;
}
