// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dots that feed each other, as attention's two: the result of one, the head, is the first operand of another, the tail.
//
// The thing one gets wrong: only dots of one block make a chain; what a loop carries to its next iteration does not.
#ifndef KILN_ANALYSIS_DOT_CHAIN_H
#define KILN_ANALYSIS_DOT_CHAIN_H

#include <stdbool.h>
#include <stddef.h>

#include <mlir-c/IR.h>

// All dots of a module in its order, those of scaled operands (tt.dot_scaled) among them. `ops` is the caller's to free.
typedef struct kiln_dots {
    MlirOperation *ops;
    size_t count, capacity;
    bool out_of_memory; // then the list is not whole
} kiln_dots_t;
kiln_dots_t kiln_dots_of_module(MlirModule module);

// Whether the dot is the head or the tail of a chain, or both.
bool kiln_dot_is_chained(const kiln_dots_t *dots, MlirOperation dot);

bool kiln_dot_is_chain_tail(MlirOperation dot);

#endif
