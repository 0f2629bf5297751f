// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that must be known at compile time: sizes, axes, bounds, assertions.
// RUN: not %kiln compile --from=tile --emit=tt %s -o - 2>&1 | FileCheck %s

constexpr i32 SIZE = 48;
// CHECK: :[[@LINE+1]]:15: error: static assertion failed: SIZE is small
static_assert(SIZE > 64, "SIZE is small");

kernel void k(f32 *p, i32 n, constexpr i32 B = 32)
{
    // CHECK: :[[@LINE+1]]:11: error: the sizes of a tile must be powers of two; dimension 0 is 48
    f32 x[SIZE];
    // CHECK: :[[@LINE+2]]:11: error: a tile's size must be an integer constant; make it 'constexpr'
    // CHECK: :[[@LINE-5]]:27: note: 'n' is declared here as i32
    f32 y[n];
    // CHECK: :[[@LINE+1]]:11: error: a tile has at most 1048576 elements
    f32 z[1024][2048];
    // CHECK: :[[@LINE+1]]:5: error: the size of dimension 0 is not known
    f32 w[];
    // CHECK: :[[@LINE+1]]:23: error: the value of constant 'c' is not known at compile time
    constexpr i32 c = 3 + n;
    // CHECK: :[[@LINE+1]]:15: error: range's bounds must be integer constants; for a variable start write start + range(count)
    n = range(n, n + 32);
    // CHECK: :[[@LINE+1]]:9: error: range(4, 4) is empty or exceeds i32
    n = range(4, 4);
    // CHECK: :[[@LINE+1]]:20: error: the axis of a grid must be 0, 1 or 2
    n = program_id(3);
    // CHECK: :[[@LINE+1]]:19: error: the condition of static_assert is not known at compile time
    static_assert(n > 3);
    // CHECK: :[[@LINE+1]]:32: error: axis 1 is out of range: the tile has 1 dimension
    f32 s = sum(zeros(f32, B), 1);
    // CHECK: :[[@LINE+1]]:5: error: a tile has at most 8 dimensions
    f32 many[1][1][1][1][1][1][1][1][1];
}
