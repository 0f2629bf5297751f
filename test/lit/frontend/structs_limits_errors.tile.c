// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The size limits of structs, and other invalid definitions.
// RUN: not %kiln compile --from=tile --emit=tt %s -o - 2>&1 | FileCheck %s

// CHECK: :[[@LINE+1]]:8: error: a struct must have at least one member
struct none { };
// CHECK: :[[@LINE+1]]:6: error: an enum must have at least one constant
enum nothing { };
struct four { f32 a[2]; i32 b, c, d; };
struct sixteen { struct four a, b, c, d; };
struct many { struct sixteen a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p; };
// CHECK: :[[@LINE+1]]:8: error: a struct has at most 256 members, including those of nested structs
struct more { struct many a; i32 b; };
struct filled { auto x; };
// CHECK: :[[@LINE+1]]:22: error: member 'auto p' takes its type from an initial value
struct wrong { auto *p; };
// CHECK: :[[@LINE+1]]:20: error: the value of an enum's constant must be an integer constant; make it 'constexpr'
enum real { HALF = 0.5 };
// CHECK: :[[@LINE+1]]:17: error: redeclaration of 'ONE' in the same scope
enum one { ONE, ONE };

kernel void k(f32 *p, i32 n)
{
    // CHECK: :[[@LINE+1]]:15: error: a constant must be an integer, a float or a bool
    constexpr struct four c = {1};
    struct many s = {};
    struct filled a = {s};
    // CHECK: :[[@LINE+1]]:40: error: a struct has at most 256 members, including those of nested structs
    struct pair { auto x; i32 y; } b = {s};
    // CHECK: :[[@LINE+1]]:10: error: 'auto l' takes its type from an initial value
    auto l = {1};
}
