// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The finding narrow-access: accesses that would be wider with promises about arguments, and only the promises
// that each access needs. Of masks that change once, only the group in which they do is accessed narrowly.
// RUN: %kiln compile %s -o %t.hsaco -Rnarrow-access 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=remark:
// RUN: %kiln compile %s -o %t.hsaco -Rkiln --arg 'x=*f32:16' --arg n=i32:16 --arg stride=i32:16 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LESS --implicit-check-not=remark:
// RUN: %kiln compile %s -o %t.hsaco 2>&1 | count 0
// RUN: %kiln compile %s --emit=tt -o %t.ttir
// RUN: %kiln compile %t.ttir -o %t.hsaco -Rnarrow-access 2>&1 | FileCheck %s --check-prefix=TTIR

kernel void rows(const f32 *x, f16 *y, f32 *few, i32 n, i32 m, i32 stride)
{
    i32 i[1024] = range(1024);
    // CHECK: :[[@LINE+8]]:21: remark: this load accesses 4 bytes at a time;
    // CHECK-SAME: {{^}} if 'n' is a multiple of 16 it would access 16 [-Rnarrow-access]
    // CHECK-NEXT: {{^}}    f32 row[1024] = load(
    // CHECK: note: why: a narrow access takes
    // CHECK-NEXT: note: advice: pass a multiple of 16, for example by padding rows,
    // CHECK-SAME: {{^}} and when compiling ahead promise it by --arg 'n=i32:16'{{$}}
    // TTIR: :[[@LINE+2]]:21: remark: this load {{.*}} [-Rnarrow-access]
    // TTIR: note: advice: promise it by tt.divisibility = 16 on the argument{{s?$}}
    f32 row[1024] = load(x + program_id(0) * stride + i, i < n || i >= 1016, 0);
    // CHECK: :[[@LINE+4]]:5: remark: this store accesses 2 bytes at a time;
    // CHECK-SAME: {{^}} if 'm' is a multiple of 16 it would access 8 [-Rnarrow-access]
    // LESS: :[[@LINE+2]]:5: remark: this store accesses 2 bytes at a time;
    // LESS-SAME: {{^}} if 'm' is a multiple of 16 it would access 8 [-Rnarrow-access]
    store(y + i, row, i < m || i >= 1016);
    // No remark: each lane has one element of the first, and promises cannot be made about loaded values.
    i32 j[256] = range(256);
    store(few + j, 1);
    store(y + load((const i32 *)x + i * 3), row);
}
