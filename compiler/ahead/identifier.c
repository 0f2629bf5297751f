// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks and creates identifiers. Note that a kernel may have any UTF-8 name, including a C++
// keyword.
#include "identifier.h"

#include <stddef.h>
#include <string.h>

#include "base/number.h"
#include "base/string.h"
#include "kiln/ahead.h"

static const char keywords[] = " alignas alignof and and_eq asm auto bitand bitor bool break case "
                               "catch char char16_t char32_t char8_t class "
                               "co_await "
                               "co_return co_yield compl concept const const_cast consteval "
                               "constexpr constinit continue decltype default delete "
                               "do "
                               "double dynamic_cast else enum explicit export extern false float "
                               "for friend goto if inline int long mutable "
                               "namespace "
                               "new noexcept not not_eq nullptr operator or or_eq private "
                               "protected public register reinterpret_cast requires "
                               "restrict return short signed sizeof static static_assert "
                               "static_cast struct switch template this thread_local "
                               "throw "
                               "true try typedef typeid typename typeof union unsigned using "
                               "virtual void volatile wchar_t while xor xor_eq ";

static bool is_keyword(const char *name)
{
    size_t length = strlen(name);
    for (const char *at = strstr(keywords, name); at; at = strstr(at + 1, name))
        if (at[-1] == ' ' && at[length] == ' ')
            return true;
    return false;
}

static bool is_letter(char c)
{
    return kiln_is_letter(c) || c == '_';
}

bool kiln_is_identifier(const char *name)
{
    if (!name || !is_letter(*name))
        return false;
    for (const char *c = name; *c; c++)
        if (!is_letter(*c) && !kiln_is_digit(*c))
            return false;
    return !is_keyword(name);
}

char *kiln_symbol_of(const char *name)
{
    kiln_string_t text = {0};
    if (!name)
        return NULL;
    if (!is_letter(*name))
        kiln_string_append_char(&text, '_');
    for (; *name; name++)
        kiln_string_append_char(&text, is_letter(*name) || kiln_is_digit(*name) ? *name : '_');
    // kiln_module_load is a function of Kiln's own.
    if (!text.failed && (is_keyword(text.data) || strncmp(text.data, "kiln_", 5) == 0))
        kiln_string_append_char(&text, '_');
    return kiln_string_take(&text);
}
