// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flags made from the table of options. What is easily got wrong: the same name is spelled with '-' here.
#include "option_flags.h"

#include <string.h>

#include "base/string.h"
#include "frontend/warnings.h"

enum { MAX_OPTIONS = 32, MAX_NAME = 32 };

static const char *flag_name(size_t index)
{
    static char names[MAX_OPTIONS][MAX_NAME];
    snprintf(names[index], MAX_NAME, "%s", kiln_compile_option(index)->name);
    for (char *c = names[index]; (c = strchr(c, '_'));)
        *c = '-';
    return names[index];
}

size_t kiln_option_flags(struct option *out_rows)
{
    size_t count = 0;
    for (const kiln_option_t *option; count < MAX_OPTIONS && (option = kiln_compile_option(count)); count++)
        out_rows[count] = (struct option){flag_name(count), option->is_flag ? optional_argument : required_argument,
                                          NULL, KILN_FLAG_FIRST_OPTION + (int)count};
    return count;
}

const kiln_option_t *kiln_option_of_flag(int flag, const char **io_value)
{
    if (flag < KILN_FLAG_FIRST_OPTION || flag >= KILN_FLAG_FIRST_OPTION + MAX_OPTIONS)
        return NULL;
    const kiln_option_t *option = kiln_compile_option((size_t)(flag - KILN_FLAG_FIRST_OPTION));
    if (!*io_value)
        *io_value = "1";
    return option;
}

static const char *warnings[64];
static size_t warning_count;

bool kiln_warning_flag_take(int flag, const char *value)
{
    if ((flag != 'W' && flag != 'R' && flag != 'w') || warning_count == sizeof warnings / sizeof *warnings)
        return false;
    return (warnings[warning_count++] = kiln_string_print("-%c%s", flag, value ? value : "")) != NULL;
}

const char *const *kiln_warning_flags(size_t *out_count)
{
    *out_count = warning_count;
    return warnings;
}

void kiln_option_flags_print(FILE *stream, const char *values, int column)
{
    const kiln_option_t *option;
    for (size_t i = 0; i < MAX_OPTIONS && (option = kiln_compile_option(i)); i++) {
        char left[64];
        snprintf(left, sizeof left, option->is_flag ? "--%s[=0|1]" : "--%s=%s", flag_name(i), values);
        fprintf(stream, "  %-*s %s: %s (%d)\n", column - 3, left, option->what, option->values, option->initial);
    }
    kiln_warnings_print(stream, column);
}
