// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names: undeclared, declared twice, constant, out of scope. An unknown name is reported where it first stands.
// RUN: not %kiln compile --from=tile --emit=tt %s -o - 2>&1 | FileCheck %s

constexpr i32 LIMIT = 3;
kernel void k(f32 *p, i32 n)
{
    // CHECK: :[[@LINE+2]]:9: error: 'missing' is not declared
    // CHECK-NEXT: n = missing + missing;
    n = missing + missing;
    // CHECK-NEXT: {{^ +\^~+$}}
    // CHECK-NEXT: :[[@LINE+1]]:5: error: 'LIMIT' is constant and cannot be assigned to
    LIMIT = 4;
    // CHECK: :[[@LINE-9]]:15: note: 'LIMIT' is declared here
    const i32 fixed = n;
    // CHECK: :[[@LINE+1]]:5: error: 'fixed' is constant and cannot be assigned to
    fixed++;
    // CHECK: :[[@LINE+2]]:9: error: 'fixed' is declared twice in this scope
    // CHECK: :[[@LINE-4]]:15: note: the first declaration is here
    i32 fixed = 3;
    { i32 inner = n; n += inner; }
    // CHECK: :[[@LINE+1]]:9: error: 'inner' is not declared
    n = inner;
    // CHECK: :[[@LINE+1]]:7: error: only variables and what pointers point to can be assigned to
    3 = n;
    // CHECK: :[[@LINE+1]]:9: error: this is a type, and a value is needed
    n = f32;
    // CHECK: :[[@LINE+1]]:9: error: a string is only for messages, formats and assembly
    n = "three";
    // CHECK: :[[@LINE+1]]:10: error: 'auto later' takes its whole type from an initial value
    auto later;
    // CHECK: :[[@LINE+1]]:5: error: a variable cannot be void
    void nothing;
    // CHECK: :[[@LINE+1]]:16: error: this has no value
    i32 none = store(p, 1);
}
