// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conditions, loops and exits that cannot be.
// RUN: not %kiln compile --from=tile --emit=tt %s -o - 2>&1 | FileCheck %s

kernel void k(f32 *p, i32 n, constexpr i32 B = 32)
{
    i32 r[B] = range(B);
    // CHECK: :[[@LINE+1]]:9: error: the condition of 'if' is a tile, bool[32]; choose element by element by where(condition, a, b), or reduce it by any(…, axis)
    if (r < n) n = 1;
    // CHECK: :[[@LINE+1]]:12: error: the condition of 'while' is a tile, i32[32]
    while (r) n = 1;
    // CHECK: :[[@LINE+1]]:5: error: 'break' stands in no loop
    break;
    // CHECK: :[[@LINE+1]]:16: error: 'continue' stands in no loop
    if (n > 3) continue;
    // CHECK: :[[@LINE+1]]:5: error: this loop never ends
    while (true) n++;
    // CHECK: :[[@LINE+1]]:19: error: the condition of 'if constexpr' is not known when compiling
    if constexpr (n > 3) n = 4;
    // CHECK: :[[@LINE+1]]:31: error: the condition of a loop over a constant must be constant
    for (constexpr i32 i = 0; i < n; i++) n++;
    // CHECK: :[[@LINE+1]]:38: error: the step of a loop over a constant changes its counter by constants
    for (constexpr i32 i = 0; i < 4; n++) n++;
    // CHECK: :[[@LINE+1]]:7: error: a loop has no attribute 'speed'; it has num_stages and unroll
    [[speed(3)]] for (i32 i = 0; i < n; i++) n++;
    // CHECK: :[[@LINE+1]]:14: error: attribute 'unroll' is between 1 and 1024
    [[unroll(0)]] for (i32 i = 0; i < n; i++) *p += i;
    // CHECK: :[[@LINE+1]]:12: error: 'k' returns nothing
    return 3;
}
