// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C's own names of types and statements: the error says what to write. Each statement is checked separately.
// RUN: not %kiln compile --from=tile --emit=tt %s -o - 2>&1 | FileCheck %s

// A typedef may give a type one of them.
typedef f16 half;
half twice(half x) { return x + x; }
// CHECK-NOT: half
// CHECK: :[[@LINE+1]]:1: error: 'union' is not supported in Tile C; use bitcast(type, x) to reinterpret bits
union word { i32 i; };
kernel void k(f32 *p, i32 n)
{
    // CHECK: :[[@LINE+1]]:5: error: 'int' is not supported in Tile C; write i32
    int x = 3;
    // CHECK: :[[@LINE+1]]:5: error: 'float' is not supported in Tile C; write f32
    float *q = p;
    // CHECK: :[[@LINE+1]]:5: error: 'unsigned' is not supported in Tile C; write u8, u16, u32 or u64
    unsigned long y;
    // CHECK: :[[@LINE+1]]:5: error: 'switch' is not supported in Tile C; use if and else
    switch (n) { case 1: n = 2; }
    // CHECK: :[[@LINE+1]]:5: error: 'goto' is not supported in Tile C; use loops, break and continue
    goto end;
    // CHECK: :[[@LINE+1]]:10: error: 'double' is not supported in Tile C; write f64
    for (double d = 0; d < 3; d++) { }
}
// CHECK: :[[@LINE+1]]:19: error: 'size_t' is not supported in Tile C; write u64
kernel void other(size_t n) { }
