// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts in a terminal's colours: of a tile by warp, as in the pictures, of LDS shaded by bank.
#ifndef KILN_CLI_LAYOUT_COLOUR_H
#define KILN_CLI_LAYOUT_COLOUR_H

#include <stdbool.h>

#include "base/string.h"

// Whether stdout shows colours: it is a terminal other than "dumb", and NO_COLOR is not set
// (no-color.org). `when` is "always", "never", or "auto" (or NULL).
bool kiln_layout_is_coloured(const char *when);

// Appends a text of kiln_layout_write in colours. Of a buffer in LDS, `lds_bits` are those of an
// element; 0: it is a tile.
void kiln_layout_colour(const char *text, unsigned lds_bits, kiln_string_t *out);

#endif
