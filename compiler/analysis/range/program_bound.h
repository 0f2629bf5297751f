// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds the number of programs that a kernel can be launched with, from the memory that it
// accesses.
//
//   %start = arith.muli %pid, 1024           2^21 programs or more would access x[−2^31]; but if x has
//   %i = %start + range(1024)                tt.pointer_range = 32, its memory is smaller than 2 GiB. So such a launch
//   tt.load (%x + %i), (%i < 5000)           is undefined, and %start does not wrap in any other.
//
// If the mask is %i < %n, an argument decides: with %n = −2^31 nothing is accessed, however many
// programs there are. So that bounds the programs only if another mask implies more about %n: that
// one of its elements, in any program, is less than %n. Then the program for which the product
// wraps, to −2^31, has such an element, too.
//
// The program for which the product wraps must be certain to execute the access, including its
// mask, for all arguments. An access that the mask would disable proves nothing.
#ifndef KILN_PROGRAM_BOUND_H
#define KILN_PROGRAM_BOUND_H

#include <stdbool.h>
#include <stdint.h>

#include <mlir-c/IR.h>

// Whether the next operation of the block is certain to follow: the operation terminates, and does
// not branch elsewhere.
bool kiln_op_always_continues(MlirOperation op);

// Whether every program executes the function. In a module with calls, a called function is not a
// whole program.
bool kiln_is_whole_program(MlirOperation function);

// Whether the value is an argument of the kernel with tt.pointer_range = 32: its memory is smaller
// than 2 GiB.
bool kiln_argument_lies_below_2_gib(MlirOperation function, MlirValue value);

// The largest program id in x that a launch of this kernel, a tt.func, can have; `max` if no
// smaller bound is proved.
int64_t kiln_program_bound(MlirOperation function, int64_t max);

// The same for programs, and places in them, where more is known about arguments: `is_more` returns
// whether a scalar computed only from arguments is greater than `min`, as signed. It may be NULL.
typedef bool (*kiln_is_more_t)(void *user, MlirValue scalar, int64_t min);
int64_t kiln_program_bound_where(MlirOperation function, int64_t max, kiln_is_more_t is_more,
                                 void *user);

#endif
