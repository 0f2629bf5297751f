// Declared values must be of the constant's type, or combinations would be left out without a word.
// RUN: not %kiln compile --from=tile --emit=tt --kernel=k %s -o - 2>&1 | FileCheck %s
// RUN: not %kiln tune --kernel=k %s x=f32[1] n=1 --device=sim --store %t.db 2>&1 | FileCheck %s
// RUN: not %kiln compile --from=tile --emit=tt --kernel=named %s -o - 2>&1 | FileCheck %s --check-prefix=ENUM
// RUN: %kiln compile --from=tile --emit=tt --kernel=right %s -o %t.ttir

constexpr i32 WIDTH = 64;
enum count { FEW, MANY };

// CHECK: :[[@LINE+1]]:20: error: 'f32(1)' is not a value of type i32, as 'BLOCK' is
[[tune(BLOCK = 64, f32(1), 1.0)]]
// CHECK: :[[@LINE+1]]:26: error: '1.5' is not a value of type i32, as 'WIDTH' is
[[tune(WIDTH = MANY, 16, 1.5, 2*16)]]
// CHECK: :[[@LINE-1]]:31: error: '2*16' is not a value of type i32, as 'WIDTH' is
// CHECK: :[[@LINE+1]]:23: error: 'f33' is not a type, as 'T' is
[[tune(T = f32, fp16, f33)]]
// CHECK: :[[@LINE+1]]:20: error: '128' is not a value of type i8, as 'SMALL' is
[[tune(SMALL = -1, 126..128, 1)]]
// CHECK: :[[@LINE+1]]:25: error: 'x' is not a value of type f32, as 'BY' is
[[tune(BY = 1, 2.5, -1, x)]]
kernel void k(f32 *x, i32 n, constexpr i32 BLOCK = 64, constexpr type T = f32, constexpr i8 SMALL = 1, constexpr f32 BY = 1)
{
}

// ENUM: :[[@LINE+1]]:25: error: 'SOME' is not a value of type i32, as 'HOW' is
[[tune(HOW = FEW, MANY, SOME)]]
kernel void named(f32 *x, constexpr enum count HOW = FEW)
{
}

[[tune(BLOCK = 64, 0x80, 256..512*2), tune(T = f32, fp16, bf16), tune(BY = -1, 2.5, 1e3), tune(HOW = FEW, MANY, 1)]]
[[tune(FLAG = true, false), tune(WIDTH = MANY, 16)]]
kernel void right(f32 *x, constexpr i32 BLOCK = 64, constexpr type T = f32, constexpr f32 BY = 1, constexpr enum count HOW = FEW,
                  constexpr bool FLAG = true)
{
}
