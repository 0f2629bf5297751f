// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants and loops over constants; parameters without a value.
// RUN: not %kiln compile --from=tile --emit=tt %s -o - 2>&1 | FileCheck %s

// CHECK: :[[@LINE+1]]:11: error: a constant is an integer, a float or a bool
constexpr f32 *POINTER = 0;

// CHECK: :[[@LINE+2]]:37: error: constexpr type 'T' of kernel 'k' has no value; give it one by -D T=
// CHECK: :[[@LINE+1]]:40: error: a parameter cannot be void
kernel void k(i32 n, constexpr type T, void nothing)
{
    // CHECK: :[[@LINE+1]]:9: error: this is a type, and a value is needed
    n = T;
    // CHECK: :[[@LINE+1]]:15: error: a constant is an integer, a float or a bool
    constexpr f32 x[4] = 3;
    // CHECK: :[[@LINE+1]]:5: error: a loop over a constant needs a condition and a step
    for (constexpr i32 i = 0;;)
        n++;
    // CHECK: :[[@LINE+1]]:29: error: a loop over a constant has one counter
    for (constexpr i32 i = 0, j = 1; i < 3; i++)
        n++;
    // CHECK: :[[@LINE+1]]:5: error: break and continue cannot leave a loop over a constant
    for (constexpr i32 i = 0; i < 3; i++)
        if (n > i)
            break;
    // CHECK: :[[@LINE+1]]:10: error: 'auto' cannot stand here
    n = (auto)n;
}
