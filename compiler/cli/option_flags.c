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

enum { MAX_WORDS = 64 };
static const char *warnings[MAX_WORDS], *include_dirs[MAX_WORDS];
static size_t warning_count, include_dir_count;

bool kiln_warning_flag_take(int flag, const char *value)
{
    if ((flag != 'W' && flag != 'R' && flag != 'w') || warning_count == sizeof warnings / sizeof *warnings)
        return false;
    return (warnings[warning_count++] = kiln_string_print("-%c%s", flag, value ? value : "")) != NULL;
}

bool kiln_include_dir_take(const char *directory)
{
    if (include_dir_count == MAX_WORDS)
        return false;
    include_dirs[include_dir_count++] = directory;
    return true;
}

void kiln_source_flags_set(kiln_compile_options_t *options)
{
    options->warnings = warnings;
    options->warning_count = warning_count;
    options->include_dirs = include_dirs;
    options->include_dir_count = include_dir_count;
}
