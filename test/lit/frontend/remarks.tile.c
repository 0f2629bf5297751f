// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -Rkiln: accesses that promises would make wider, and just the promises that each needs.
// RUN: %kiln compile %s -o %t.hsaco -Rkiln 2>&1 | FileCheck %s --implicit-check-not=remark:
// RUN: %kiln compile %s -o %t.hsaco -Rkiln --arg 'x=*f32:16' --arg n=i32:16 --arg stride=i32:16 2>&1 | FileCheck %s --check-prefix=LESS --implicit-check-not=remark:
// RUN: %kiln compile %s -o %t.hsaco 2>&1 | count 0
// RUN: %kiln compile %s --emit=tt -o %t.ttir && %kiln compile %t.ttir -o %t.hsaco -Rkiln 2>&1 | FileCheck %s --check-prefix=TTIR

kernel void rows(const f32 *x, f16 *y, f32 *few, i32 n, i32 stride)
{
    i32 i[1024] = range(1024);
    // CHECK: :[[@LINE+3]]:21: remark: this load moves 4 bytes at a time; if 'x', 'n' and 'stride' are multiples of 16 it would move 16: promise it by --arg 'x=*f32:16' --arg 'n=i32:16' --arg 'stride=i32:16' [-Rkiln]
    // CHECK-NEXT: {{^}}    f32 row[1024] = load(
    // TTIR: :[[@LINE+1]]:21: remark: this load {{.*}}: promise it by tt.divisibility = 16 on the arguments [-Rkiln]
    f32 row[1024] = load(x + program_id(0) * stride + i, i < n, 0);
    // CHECK: :[[@LINE+2]]:5: remark: this store moves 2 bytes at a time; if 'y' is a multiple of 16 it would move 8: promise it by --arg 'y=*f16:16' [-Rkiln]
    // LESS: :[[@LINE+1]]:5: remark: this store moves 2 bytes at a time; if 'y' is a multiple of 16 it would move 8: promise it by --arg 'y=*f16:16' [-Rkiln]
    store(y + i, row);
    // Each lane has one of these, and a promise of what is loaded is nobody's to give.
    i32 j[256] = range(256);
    store(few + j, 1);
    store(y + load((const i32 *)x + i * 3), row);
}
