// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names: undeclared, declared twice, constant, out of scope. An unknown name is reported at its first use.
// RUN: not %kiln compile --from=tile --emit=tt %s -o - 2>&1 | FileCheck %s

constexpr i32 LIMIT = 3;
kernel void k(f32 *p, i32 n)
{
    // CHECK: :[[@LINE+2]]:9: error: use of undeclared identifier 'missing'
    // CHECK-NEXT: n = missing + missing;
    n = missing + missing;
    // CHECK-NEXT: {{^ +\^~+$}}
    // CHECK-NEXT: :[[@LINE+1]]:5: error: cannot assign to constant 'LIMIT'
    LIMIT = 4;
    // CHECK: :[[@LINE-9]]:15: note: 'LIMIT' is declared here
    const i32 fixed = n;
    // CHECK: :[[@LINE+1]]:5: error: cannot assign to constant 'fixed'
    fixed++;
    // CHECK: :[[@LINE+2]]:9: error: redeclaration of 'fixed' in the same scope
    // CHECK: :[[@LINE-4]]:15: note: previous declaration is here
    i32 fixed = 3;
    { i32 inner = n; n += inner; }
    // CHECK: :[[@LINE+1]]:9: error: use of undeclared identifier 'inner'
    n = inner;
    // CHECK: :[[@LINE+1]]:7: error: expression is not assignable; expected a variable or a dereferenced pointer
    3 = n;
    // CHECK: :[[@LINE+1]]:9: error: expected a value, got a type
    n = f32;
    // CHECK: :[[@LINE+1]]:9: error: strings are allowed only as messages, formats and assembly
    n = "three";
    // CHECK: :[[@LINE+1]]:10: error: 'auto later' takes its type from an initial value
    auto later;
    // CHECK: :[[@LINE+1]]:5: error: a variable cannot be void
    void nothing;
    // CHECK: :[[@LINE+1]]:16: error: this has no value
    i32 none = store(p, 1);
}
