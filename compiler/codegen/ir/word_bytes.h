// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes of 32-bit words, as loads of bytes leave them in registers.
//
// Note that a byte is found only where its word costs nothing: loaded bytes would cross blocks one
// by one.
#ifndef KILN_CODEGEN_WORD_BYTES_H
#define KILN_CODEGEN_WORD_BYTES_H

#include <stdbool.h>

#include <llvm-c/Core.h>

enum { KILN_BYTE_BITS = 8, KILN_BYTE_MAX = 0xff, KILN_WORD_BYTES = 4, KILN_WORD_BITS = 32 };

// (element `at` of a vector of bytes >> shift) & mask; then, if the vector is made of words, `at`
// counts their bytes.
typedef struct kiln_byte {
    LLVMValueRef vector;
    unsigned at, shift, mask;
} kiln_byte_t;

LLVMTypeRef kiln_llvm_element(LLVMTypeRef type); // of a vector; a scalar is its own element
bool kiln_llvm_is_integer(LLVMTypeRef type, unsigned bits);

// Follows element `at` of `value` (0 for a scalar), a byte or one that is extended to a word,
// through masks and shifts by constants to the words that hold it. False if there are none that a
// user in `block` gets for nothing.
bool kiln_find_byte(LLVMValueRef value, unsigned at, LLVMBasicBlockRef block, kiln_byte_t *out);

// The word that holds the byte, as an i32.
LLVMValueRef kiln_build_word(LLVMBuilderRef builder, const kiln_byte_t *byte);

#endif
