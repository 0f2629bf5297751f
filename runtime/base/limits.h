// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Limits common to all readers of input, so that no input overflows the stack.
#ifndef KILN_BASE_LIMITS_H
#define KILN_BASE_LIMITS_H

// Maximum nesting depth of brackets, regions, attributes, types, calls and macros.
#define KILN_DEPTH_LIMIT 500

// The number as text for messages.
#define KILN_LIMIT_TEXT_OF(number) #number
#define KILN_LIMIT_TEXT(number) KILN_LIMIT_TEXT_OF(number)

#endif
