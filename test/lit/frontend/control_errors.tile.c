// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Invalid conditions, loops and exits.
// RUN: not %kiln compile --from=tile --emit=tt %s -o - 2>&1 | FileCheck %s

kernel void k(f32 *p, i32 n, constexpr i32 B = 32)
{
    i32 r[B] = range(B);
    // CHECK: :[[@LINE+1]]:9: error: the condition of 'if' is a tile, bool[32]; select per element with where(condition, a, b), or reduce it with any(…, axis)
    if (r < n) n = 1;
    // CHECK: :[[@LINE+1]]:12: error: the condition of 'while' is a tile, i32[32]
    while (r) n = 1;
    // CHECK: :[[@LINE+1]]:5: error: 'break' outside of a loop
    break;
    // CHECK: :[[@LINE+1]]:16: error: 'continue' outside of a loop
    if (n > 3) continue;
    // CHECK: :[[@LINE+1]]:5: error: this loop never ends
    while (true) n++;
    // CHECK: :[[@LINE+1]]:19: error: the condition of 'if constexpr' is not known at compile time
    if constexpr (n > 3) n = 4;
    // CHECK: :[[@LINE+1]]:31: error: the condition of a constant loop must be constant
    for (constexpr i32 i = 0; i < n; i++) n++;
    // CHECK: :[[@LINE+1]]:38: error: the step of a constant loop must change its counter by a constant
    for (constexpr i32 i = 0; i < 4; n++) n++;
    // CHECK: :[[@LINE+1]]:7: error: unknown loop attribute 'speed'; expected num_stages or unroll
    [[speed(3)]] for (i32 i = 0; i < n; i++) n++;
    // CHECK: :[[@LINE+1]]:18: error: attribute 'num_stages' must be between 1 and 64
    [[num_stages(65)]] for (i32 i = 0; i < n; i++)
        n = 0;
    // CHECK: :[[@LINE+1]]:14: error: attribute 'unroll' must be between 1 and 1024
    [[unroll(0)]] for (i32 i = 0; i < n; i++) *p += i;
    // CHECK: :[[@LINE+1]]:12: error: 'k' returns nothing
    return 3;
}
