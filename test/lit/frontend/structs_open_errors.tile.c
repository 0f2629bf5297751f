// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structs whose members take their types from values.
// RUN: not %kiln compile --from=tile --emit=tt %s -o - 2>&1 | FileCheck %s

struct pair { f32 value; i32 index; };
struct open { f32 x[]; auto y; };

struct pair none(void)
// CHECK: :[[@LINE+1]]:3: error: 'none' does not return a value on all paths
{ }
struct open open_none(void)
// CHECK: :[[@LINE+1]]:3: error: 'open_none' does not return a value on all paths
{ }
// CHECK: :[[@LINE+1]]:37: error: cannot return this: got struct pair, expected struct open
struct open not_open(void) { return (struct pair){}; }
// CHECK: :[[@LINE+1]]:30: error: 'no_value' returns a value
struct open no_value(void) { return; }
struct open two(bool c, f32 a[], f32 b[])
{
    if (c)
        return (struct open){a, 1};
    // CHECK: :[[@LINE+1]]:12: error: cannot return this: got struct open {f32[32] x, i32 y}, expected struct open {f32[64] x, i32 y}
    return (struct open){b, 1};
}
auto pick(constexpr type T, f32 x) { return (T)x; }

kernel void k(f32 *p, i32 n)
{
    f32 x[64] = 0, y[32] = 0;
    none();
    open_none();
    not_open();
    no_value();
    two(n > 1, x, y);
    // CHECK: :[[@LINE+1]]:17: error: 'a' needs an initial value, which determines the types of 'auto' members of struct open
    struct open a;
    // CHECK: :[[@LINE+1]]:21: error: member 'y' needs a value: its type is 'auto'
    struct open b = {.x = x};
    // CHECK: :[[@LINE+1]]:22: error: the size of dimension 0 of member 'x' is not known
    struct open c = {1, 2};
    // CHECK: :[[@LINE+1]]:25: error: member 'auto y' needs a typed value, as in (struct pair){…}
    struct open d = {x, {1}};
    // CHECK: :[[@LINE+1]]:10: error: parameter 'T' must be an element type, not a struct
    pick(struct pair, 1);
    struct open e = {x, 1}, f = {y, 1};
    // CHECK: :[[@LINE+1]]:7: error: cannot assign this: got struct open {f32[32] x, i32 y}, expected struct open {f32[64] x, i32 y}
    e = f;
}
