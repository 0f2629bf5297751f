// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structs where only scalars and tiles are allowed.
// RUN: not %kiln compile --from=tile --emit=tt %s -o - 2>&1 | FileCheck %s

struct pair { f32 value; i32 index; };
typedef struct { f32 x[64]; f32 *p; } holder;
typedef f32 row[64];
enum color { RED, GREEN };

void takes(struct pair p) { }

// CHECK: :[[@LINE+1]]:27: error: a kernel's parameters must be scalars and pointers; pass the members of struct pair separately
kernel void k(struct pair input, f32 *p, i32 n)
{
    struct pair s = {1};
    const struct pair fixed = s;
    f32 x[64] = 0;
    // CHECK: :[[@LINE+1]]:21: error: cannot initialise the variable: got i32, expected struct pair
    struct pair d = n;
    // CHECK: :[[@LINE+1]]:24: error: member 'p' needs a value: it is a pointer
    holder h = (holder){.x = 1};
    // CHECK: :[[@LINE+1]]:11: error: '+' cannot be applied to struct pair and i32
    n = s + 1;
    // CHECK: :[[@LINE+1]]:7: error: cannot assign this: got struct pair, expected i32
    n = s;
    // CHECK: :[[@LINE+1]]:9: error: cannot convert struct pair to i32
    n = (i32)s;
    // CHECK: :[[@LINE+1]]:9: error: a value of type struct pair cannot be converted to bool
    if (s) { }
    // CHECK: :[[@LINE+1]]:9: error: struct pair has members, not elements
    n = s[0];
    // CHECK: :[[@LINE+1]]:9: error: struct pair has members, not elements
    x = s[:, None];
    // CHECK: :[[@LINE+1]]:13: error: abs cannot be applied to struct pair
    n = abs(s);
    // CHECK: :[[@LINE+1]]:7: error: i32 has no members; only structs do
    n.x = 3;
    // CHECK: :[[@LINE+1]]:5: error: cannot assign to constant 'fixed'
    fixed.value = 1;
    // CHECK: :[[@LINE+1]]:18: error: expression is not assignable; expected a variable or a dereferenced pointer
    (s, s).value = 1;
    // CHECK: :[[@LINE+1]]:9: error: struct pair has no size: structs are values, not memory
    n = sizeof(struct pair);
    // CHECK: :[[@LINE+1]]:15: error: where on a tile of conditions selects between tiles, not structs; select each member separately
    s = x > 0 ? s : fixed;
    // CHECK: :[[@LINE+1]]:17: error: f32[64] cannot be initialized by a list; all elements of a tile are initialized by one expression
    f32 y[64] = { 1, 2, 3, 4 };
    // CHECK: :[[@LINE+1]]:10: error: 'row' is f32[64]; expected an element type
    x = (row)n;
    // CHECK: :[[@LINE+1]]:5: error: cannot assign to constant 'GREEN'
    GREEN = 3;
    // CHECK: :[[@LINE+1]]:11: error: cannot pass this: got i32, expected struct pair
    takes(3);
}
