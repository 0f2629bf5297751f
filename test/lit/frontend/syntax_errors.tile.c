// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parser reports several errors in one run and continues at the next statement.
// RUN: not %kiln compile --from=tile --emit=tt %s -o - 2>&1 | FileCheck %s

// CHECK: :[[@LINE+3]]:19: error: expected ';' after the declaration
// CHECK-NEXT: {{^}}constexpr i32 A = 3{{$}}
// CHECK-NEXT: {{^}}                  ^{{$}}
constexpr i32 A = 3
constexpr i32 B = 4;

kernel void k(f32 *p, i32 n)
{
    // CHECK: :[[@LINE+1]]:13: error: expected ';' after the declaration
    i32 i = n
    i32 j = 2;
    // CHECK: :[[@LINE+1]]:12: error: expected an expression before ';'
    i = 3 +;
    // CHECK: :[[@LINE+1]]:13: error: expected ')' after the condition
    if (i < 3 { }
    // CHECK: :[[@LINE+1]]:9: error: expected a name in the declaration, got an integer
    i32 3 = 4;
    // CHECK: :[[@LINE+1]]:9: error: expected a name in the declaration, got a type
    i32 i1 = 4;
    // CHECK: :[[@LINE+1]]:9: error: expected a name in the declaration, got 'if'
    i32 if = 4;
    // CHECK: :[[@LINE+1]]:5: error: called expression is not a function name
    3(4);
    // CHECK: :[[@LINE+1]]:10: error: a pointer to a pointer is not supported
    f32 **q;
    // CHECK: :[[@LINE+1]]:9: error: 'None' is allowed only in subscripts, as in x[:, None]
    i = None;
    // CHECK: :[[@LINE+1]]:9: error: functions cannot be nested
    i32 f(i32 x);
    // CHECK: :[[@LINE+1]]:16: error: sizeof takes a type, as in sizeof(f16)
    i = sizeof(i);
    // CHECK: :[[@LINE+1]]:19: error: constant 'C' needs a value
    constexpr i32 C;
    // CHECK: :[[@LINE+1]]:19: error: attributes are allowed only on loops
    [[unroll(2)]] i = 3;
    // CHECK: :[[@LINE+1]]:15: error: 'constexpr type' is allowed only for parameters of functions
    constexpr type T = f16;
}
// CHECK: :[[@LINE+1]]:28: error: only a constexpr parameter can have a default
kernel void defaults(i32 n = 3) { }
// CHECK: :[[@LINE+1]]:19: error: a type parameter must be declared 'constexpr type'
kernel void typed(type T) { }
