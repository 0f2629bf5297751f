// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flags made from the table of options. What is easily got wrong: the same name is spelled with '-' here.
#include "option_flags.h"

#include <string.h>

#include "base/string.h"

enum { MAX_OPTIONS = 32, MAX_NAME = 32 };

const char *kiln_option_flag_name(size_t index)
{
    static char names[MAX_OPTIONS][MAX_NAME];
    const kiln_option_t *option = index < MAX_OPTIONS ? kiln_compile_option(index) : NULL;
    if (!option)
        return NULL;
    snprintf(names[index], MAX_NAME, "%s", option->name);
    for (char *c = names[index]; (c = strchr(c, '_'));)
        *c = '-';
    return names[index];
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
