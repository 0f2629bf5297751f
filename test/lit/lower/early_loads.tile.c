// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A scalar that the program loads first stays in flight during the load of a row: it is not moved
// behind the one-lane write of a wave's sum, where all waves would wait for it before the barrier.
// RUN: kiln compile %s --num-warps=16 --arg 'row=*f32:16' --emit=asm --no-line-info -o - | FileCheck %s
// RUN: kiln run --device=sim %s --num-warps=16 --check 'label=i64[1]:fill:5' 'row=f32[4096]:iota' 'out=f32[1]' --print out \
// RUN:   | FileCheck %s --check-prefix=OUT

// CHECK: s_load_dwordx2
// CHECK: s_and_saveexec_b64
// CHECK-NOT: s_load_dwordx2
// CHECK: s_barrier

// OUT: 8386565

kernel void label_minus_sum(const i64 *label, const f32 *row, f32 *out)
{
    i64 wanted = load(label);
    i32 n[4096] = range(4096);
    f32 x[4096] = load(row + n);
    store(out, sum(x) + (f32)wanted);
}
