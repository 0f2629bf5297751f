// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A missing brace is reported once, with the brace that it should match, and the next kernel is still read.
// RUN: not %kiln compile --from=tile --emit=tt %s -o - 2>&1 | FileCheck %s

// CHECK: :[[@LINE+7]]:1: error: expected '}' at end of function
// CHECK: :[[@LINE+2]]:1: note: to match this '{'
kernel void first(f32 *p, i32 n)
{
    if (n > 3) {
        *p = 1;
}
kernel void second(f32 *p)
{
    // CHECK: :[[@LINE+1]]:10: error: expected ';' at the end of the statement
    *p = 2
}
// CHECK-NOT: error
