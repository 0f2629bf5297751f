// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A variable without a value may be assigned on both sides of an if, but not read before.
// RUN: not %kiln compile --from=tile --emit=tt %s -o - 2>&1 | FileCheck %s

kernel void k(i32 *p, i32 n)
{
    i32 fine, missing;
    if (n > 3)
        fine = 1;
    else
        fine = 2;
    // CHECK-NOT: 'fine'
    // CHECK: :[[@LINE+2]]:17: error: 'missing' is uninitialized when used here
    // CHECK: :[[@LINE-7]]:15: note: 'missing' is declared here
    *p = fine + missing;
}
