// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dots that feed each other, such as attention's two: the result of one, the head, is the first
// operand of another, the tail.
//
// Only dots of one block form a chain; a value that a loop carries to its next iteration does not,
// nor does a result that is transposed, because its rows are not those of the tail.
#ifndef KILN_ANALYSIS_DOT_CHAIN_H
#define KILN_ANALYSIS_DOT_CHAIN_H

#include <stdbool.h>
#include <stddef.h>

#include <mlir-c/IR.h>

// Whether the operation is or contains a dot, or a tt.dot_scaled.
bool kiln_has_dot(MlirOperation op);

// All dots of a module in program order, including tt.dot_scaled. The caller frees `ops`.
typedef struct kiln_dots {
    MlirOperation *ops;
    size_t count, capacity;
    bool out_of_memory; // the list is incomplete
} kiln_dots_t;
kiln_dots_t kiln_dots_of_module(MlirModule module);

// Whether the dot is the head or the tail of a chain, or both.
bool kiln_dot_is_chained(const kiln_dots_t *dots, MlirOperation dot);

bool kiln_dot_is_chain_tail(MlirOperation dot);

#endif
