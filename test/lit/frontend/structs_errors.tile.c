// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors with structs, typedefs and enums.
// RUN: not %kiln compile --from=tile --emit=tt %s -o - 2>&1 | FileCheck %s

struct pair { f32 value; i32 index; };
typedef struct { f32 x[64]; f32 *p; } holder;
typedef f32 row[64];
// CHECK: :[[@LINE+1]]:38: error: struct twins has a duplicate member 'a'
struct twins { i32 a; f32 b; bool c, a; };
// CHECK: :[[@LINE+1]]:16: error: a member cannot be void
struct empty { void v; };
// CHECK: :[[@LINE+1]]:16: error: a member cannot be const; declare variables of the struct const
struct still { const i32 v; };
// CHECK: :[[@LINE+1]]:15: error: arrays of structs are not supported; use a struct of tiles
struct many { struct pair list[4]; };
// CHECK: :[[@LINE+1]]:20: error: the sizes of a tile must be powers of two; dimension 0 is 3
struct odd { f32 x[3]; };
// CHECK: :[[@LINE+1]]:9: error: the size of dimension 0 is not known
typedef f32 column[];
// CHECK: :[[@LINE+1]]:9: error: void cannot be named by typedef
typedef void nothing;
// CHECK: :[[@LINE+1]]:9: error: memory holds scalars, so a pointer to a tile is allowed only as a helper's parameter that receives '&variable'
typedef row *rows;
// CHECK: :[[@LINE+1]]:9: error: 'struct later' is not a type here
typedef struct later later;
// CHECK: :[[@LINE+1]]:12: error: 'BIG' is 2147483648, which does not fit in i32
enum big { BIG = 0x80000000 };

void takes(struct pair p) { }
struct pair returns(f32 x)
{
    // CHECK: :[[@LINE+1]]:12: error: cannot return this: got f32, expected struct pair
    return x;
}

kernel void k(f32 *p, i32 n)
{
    returns(1);
    // CHECK: :[[@LINE+1]]:26: error: struct pair has no member 'key'
    struct pair a = {1, .key = 2};
    // CHECK: :6:8: note: struct pair is defined here
    // CHECK: :[[@LINE+1]]:28: error: struct pair has only 2 members
    struct pair b = {1, 2, 3};
    // CHECK: :[[@LINE+2]]:26: error: duplicate value of member 'value'
    // CHECK: :[[@LINE+1]]:22: note: previous value is here
    struct pair c = {1, .value = 2};
}
