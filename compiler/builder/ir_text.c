// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts MLIR's strings to C strings.
#include "builder/ir_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/string.h"

void kiln_ir_append(MlirStringRef piece, void *string)
{
    kiln_string_append_bytes(string, piece.data, piece.length);
}

char *kiln_ir_copy(MlirStringRef text)
{
    char *copy = malloc(text.length + 1);
    if (!copy)
        return NULL;
    if (text.length)
        memcpy(copy, text.data, text.length);
    copy[text.length] = '\0';
    return copy;
}
