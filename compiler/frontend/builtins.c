// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The built-in functions' table, made from builtins.def.
#include <string.h>

#include "tree.h"

static const kiln_builtin_t rows[KILN_BUILTIN_COUNT] = {
#define KILN_BUILTIN(id, name, least, most, check, emit, detail, usage)                                                \
    [KILN_BUILTIN_##id] = {KILN_BUILTIN_##id, name, usage, least, most, detail},
#include "builtins.def"
#undef KILN_BUILTIN
};

const kiln_builtin_t *kiln_builtin_row(kiln_builtin_id_t id)
{
    return &rows[id];
}

const kiln_builtin_t *kiln_builtin_find(const char *name)
{
    for (int i = 0; i < KILN_BUILTIN_COUNT; i++)
        if (!strcmp(rows[i].name, name))
            return &rows[i];
    return NULL;
}
