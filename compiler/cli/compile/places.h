// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// IR in which each operation's place in the source is a comment, `// FILE:LINE`, in place of
// `loc(#loc12)` and a list of aliases. The text still parses, without locations.
#ifndef KILN_CLI_COMPILE_PLACES_H
#define KILN_CLI_COMPILE_PLACES_H

// From malloc; NULL if out of memory.
char *kiln_places_text(const char *text);

#endif
