// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of a program as findings name them: "'acc' (f32[128][64])".
#ifndef KILN_VALUE_TEXT_H
#define KILN_VALUE_TEXT_H

#include <mlir-c/IR.h>

#include "base/string.h"

// Whether the source names the value: whether it is that of a variable, not of an operand of
// another type in the statement that assigns it.
bool kiln_value_text_named(MlirValue value);
// "'acc' (f32[128][64])", or "a value at 12:44 (f32[128][64])" without a name.
void kiln_append_value(kiln_string_t *text, MlirValue value);
// The buffer that a memory descriptor is a part of: "'x' (f16[2][64][32])".
void kiln_append_buffer(kiln_string_t *text, MlirValue memdesc);
// " at line 12", if the operation has one.
void kiln_append_line(kiln_string_t *text, MlirOperation op);

#endif
