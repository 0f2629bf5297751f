// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the source of machine code (lines_source.h).
#include "lines_source.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"

char *kiln_lines_source(const kiln_sim_line_t *lines, size_t count)
{
    size_t most = 0, length_of_best = 0;
    const char *best = NULL;
    for (size_t i = 0; i < count; i++) {
        const char *colon = strrchr(lines[i].source, ':');
        const size_t length = colon ? (size_t)(colon - lines[i].source) + 1 : 0;
        size_t same = 0;
        if (!length ||
            (best && length == length_of_best && memcmp(lines[i].source, best, length) == 0))
            continue;
        for (size_t k = i; k < count; k++)
            same += strncmp(lines[k].source, lines[i].source, length) == 0;
        if (same > most) {
            most = same;
            best = lines[i].source;
            length_of_best = length;
        }
    }
    return best ? strndup(best, length_of_best - 1) : NULL;
}

char *kiln_lines_source_text(const char *name)
{
    char *text = NULL;
    size_t size;
    kiln_status_free(name ? kiln_file_read(name, &text, &size) : KILN_OK);
    return text;
}
