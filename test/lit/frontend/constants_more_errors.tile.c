// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants and loops over constants; parameters without a value.
// RUN: not %kiln compile --from=tile --emit=tt %s -o - 2>&1 | FileCheck %s

// CHECK: :[[@LINE+1]]:11: error: a constant must be an integer, a float or a bool
constexpr f32 *POINTER = 0;

// CHECK: :[[@LINE+2]]:37: error: constexpr type 'T' of kernel 'k' has no value; set it with -D T=
// CHECK: :[[@LINE+1]]:40: error: a parameter cannot be void
kernel void k(i32 n, constexpr type T, void nothing)
{
    // CHECK: :[[@LINE+1]]:9: error: expected a value, got a type
    n = T;
    // CHECK: :[[@LINE+1]]:15: error: a constant must be an integer, a float or a bool
    constexpr f32 x[4] = 3;
    // CHECK: :[[@LINE+1]]:5: error: a constant loop needs a condition and a step
    for (constexpr i32 i = 0;;)
        n++;
    // CHECK: :[[@LINE+1]]:29: error: a constant loop must have exactly one counter
    for (constexpr i32 i = 0, j = 1; i < 3; i++)
        n++;
    // CHECK: :[[@LINE+1]]:5: error: break and continue are not allowed in a constant loop
    for (constexpr i32 i = 0; i < 3; i++)
        if (n > i)
            break;
    // CHECK: :[[@LINE+1]]:10: error: 'auto' is not allowed here
    n = (auto)n;
}
