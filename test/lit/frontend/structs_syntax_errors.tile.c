// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Syntax errors in struct, enum and typedef.
// RUN: not %kiln compile --from=tile --emit=tt %s -o - 2>&1 | FileCheck %s

struct pair { f32 value; i32 index; };
// CHECK: :[[@LINE+1]]:20: error: a member cannot have an initial value; initialize variables of the struct
struct a { f32 x   = 1; };
// CHECK: :[[@LINE+1]]:16: error: expected ';' after the member
struct b { i32 x };
// CHECK: :[[@LINE+1]]:12: error: expected '}' after the constants
enum c { A B };
// CHECK: :[[@LINE+1]]:21: error: a variable at file scope must be constexpr and cannot be a struct
struct d { f32 x; } variable;
// CHECK: :[[@LINE+1]]:19: error: expected ';' after the definition
struct e { i32 x; }
// CHECK: :[[@LINE+1]]:13: error: expected a name as the new type's name
typedef f32 = 3;
// CHECK: :[[@LINE+1]]:8: error: a struct cannot be defined here; define it at file scope or in a block
void f(struct g { i32 x; } g) { }
typedef f32 row[64];

kernel void k(f32 *p, i32 n, f32 row)
{
    row = row + 1; // the parameter hides the type
    // CHECK: :[[@LINE+1]]:9: error: a list in braces is allowed only to initialize a struct, in a declaration or after its type: (struct pair){…}
    n = {1, 2};
    // CHECK: :[[@LINE+1]]:8: error: expected a name after '->'
    n->3;
    // CHECK: :[[@LINE+1]]:28: error: expected '=' after the member's name
    struct pair s = {.value.x = 3};
    // CHECK: :[[@LINE+1]]:11: error: expected a name after '.'
    n = s.if;
    {
        typedef i32 n; // here it is a type
        n m = 3;
    }
    n = n + 1; // and here the parameter
}
