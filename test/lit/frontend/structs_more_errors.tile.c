// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structs where only scalars and tiles can stand.
// RUN: not %kiln compile --from=tile --emit=tt %s -o - 2>&1 | FileCheck %s

struct pair { f32 value; i32 index; };
typedef struct { f32 x[64]; f32 *p; } holder;
typedef f32 row[64];
enum color { RED, GREEN };

void takes(struct pair p) { }

// CHECK: :[[@LINE+1]]:27: error: a kernel's parameters are scalars and pointers; take the members of struct pair one by one
kernel void k(struct pair input, f32 *p, i32 n)
{
    struct pair s = {1};
    const struct pair fixed = s;
    f32 x[64] = 0;
    // CHECK: :[[@LINE+1]]:21: error: cannot initialise the variable: it is i32, and struct pair is needed
    struct pair d = n;
    // CHECK: :[[@LINE+1]]:24: error: member 'p' needs a value: it is a pointer
    holder h = (holder){.x = 1};
    // CHECK: :[[@LINE+1]]:11: error: '+' cannot be applied to struct pair and i32
    n = s + 1;
    // CHECK: :[[@LINE+1]]:7: error: cannot assign this: it is struct pair, and i32 is needed
    n = s;
    // CHECK: :[[@LINE+1]]:9: error: cannot convert struct pair to i32
    n = (i32)s;
    // CHECK: :[[@LINE+1]]:9: error: a value of type struct pair is neither true nor false
    if (s) { }
    // CHECK: :[[@LINE+1]]:9: error: struct pair has members, not elements
    n = s[0];
    // CHECK: :[[@LINE+1]]:9: error: struct pair has members, not elements
    x = s[:, None];
    // CHECK: :[[@LINE+1]]:13: error: abs cannot be applied to struct pair
    n = abs(s);
    // CHECK: :[[@LINE+1]]:7: error: i32 has no members; structs have
    n.x = 3;
    // CHECK: :[[@LINE+1]]:5: error: 'fixed' is constant and cannot be assigned to
    fixed.value = 1;
    // CHECK: :[[@LINE+1]]:18: error: only variables and what pointers point to can be assigned to
    (s, s).value = 1;
    // CHECK: :[[@LINE+1]]:9: error: struct pair has no size: structs are values and never in memory
    n = sizeof(struct pair);
    // CHECK: :[[@LINE+1]]:15: error: a tile of conditions chooses between tiles, not between structs; choose each member by itself
    s = x > 0 ? s : fixed;
    // CHECK: :[[@LINE+1]]:17: error: f32[64] has no list of initial values; every element of a tile gets the same expression
    f32 y[64] = { 1, 2, 3, 4 };
    // CHECK: :[[@LINE+1]]:10: error: 'row' is f32[64], and the type of an element is needed
    x = (row)n;
    // CHECK: :[[@LINE+1]]:5: error: 'GREEN' is constant and cannot be assigned to
    GREEN = 3;
    // CHECK: :[[@LINE+1]]:11: error: cannot pass this: it is i32, and struct pair is needed
    takes(3);
}
