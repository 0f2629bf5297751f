// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Escapes strings for JSON (base/json_string.h).
#include "base/json_string.h"

void kiln_json_write_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fprintf(file, "\\%c", *text);
        else if ((unsigned char)*text < ' ')
            fprintf(file, "\\u%04x", (unsigned)*text);
        else
            fputc(*text, file);
    }
    fputc('"', file);
}
