// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names that C and C++ take.
#ifndef KILN_AHEAD_IDENTIFIER_H
#define KILN_AHEAD_IDENTIFIER_H

#include <stdbool.h>

bool kiln_is_identifier(const char *name); // and no keyword; false for NULL

#endif
