// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Invalid tokens, and keywords of C that Tile C does not have.
// RUN: not %kiln compile --from=tile --emit=tt %s -o - 2>&1 | FileCheck %s

kernel void k(f32 *p)
{
    // CHECK: :[[@LINE+1]]:13: error: invalid number '1.5q'; suffixes of floats are f, f16, bf16, f32 and f64
    f32 x = 1.5q;
    // CHECK: :[[@LINE+1]]:13: error: invalid number '10z'; suffixes of integers are u, l and ul
    i32 n = 10z;
    // CHECK: :[[@LINE+1]]:13: error: '99999999999999999999' does not fit in 64 bits
    i64 m = 99999999999999999999;
    // CHECK-NOT: error: expected
    // CHECK: :[[@LINE+1]]:13: error: '1e400' does not fit in f64; write INFINITY for infinity
    f64 h = 1e400;
    // CHECK-NOT: error: expected
    // CHECK: :[[@LINE+1]]:15: error: stray '€' in the program
    f32 y = 1 € 2;
    // CHECK: :[[@LINE+1]]:13: error: stray '@' in the program
    f32 z = @;
    // CHECK: :[[@LINE+1]]:13: error: stray '#' in the program; a directive must begin its line
    i32 k = # 3;
    // CHECK: :[[@LINE+1]]:25: error: unterminated string
    static_assert(true, "half);
    // CHECK: :[[@LINE+1]]:5: error: unterminated comment
    /* no end
}
