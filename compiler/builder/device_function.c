// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks device functions up by name.
#include "builder/device_function.h"

#include <string.h>

static const struct {
    const char *name, *types;
    int arity;
} rows[] = {
#define KILN_OCKL(name, types, arity, function) {name, types, arity},
#include "builder/ockl.def"
#undef KILN_OCKL
};

static bool has_word(const char *words, const char *word, size_t length)
{
    for (const char *at = words; *at; at += strcspn(at, " "), at += *at == ' ')
        if (strcspn(at, " ") == length && memcmp(at, word, length) == 0)
            return true;
    return false;
}

static bool has_prefix(MlirStringRef symbol, const char *prefix)
{
    return symbol.length > strlen(prefix) && memcmp(symbol.data, prefix, strlen(prefix)) == 0;
}

int kiln_ockl_find(MlirStringRef symbol, int arity)
{
    static const char prefix[] = "__ockl_";
    size_t start = sizeof prefix - 1, end = symbol.length;
    if (!has_prefix(symbol, prefix))
        return -1;
    while (end > start && symbol.data[end - 1] != '_')
        end--;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].arity == arity && end - start == strlen(rows[i].name) + 1 &&
            memcmp(rows[i].name, symbol.data + start, end - start - 1) == 0 &&
            has_word(rows[i].types, symbol.data + end, symbol.length - end))
            return (int)i;
    return -1;
}

bool kiln_is_function_of_operands(MlirStringRef symbol, int arity)
{
    return has_prefix(symbol, "__ocml_") || kiln_ockl_find(symbol, arity) >= 0;
}
