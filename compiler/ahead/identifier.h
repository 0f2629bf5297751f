// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names that are valid identifiers in C and C++.
#ifndef KILN_AHEAD_IDENTIFIER_H
#define KILN_AHEAD_IDENTIFIER_H

#include <stdbool.h>

bool kiln_is_identifier(const char *name); // and not a keyword; false for NULL

#endif
