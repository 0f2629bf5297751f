// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// multiple_of holds for the value that it gives: through assignments, for variables that loops
// carry and branches set, and in the branch where it stands, not in the other one.
// RUN: %kiln compile %s --kernel=assigned --arg 'a=*f16:16' --emit=llvm --no-llvm-passes -o - \
// RUN:   | FileCheck %s --check-prefix=WIDE
// RUN: %kiln compile %s --kernel=carried --arg 'a=*f16:16' --emit=llvm --no-llvm-passes -o - \
// RUN:   | FileCheck %s --check-prefix=WIDE
// RUN: %kiln compile %s --kernel=chosen --arg 'a=*f16:16' --emit=llvm --no-llvm-passes -o - \
// RUN:   | FileCheck %s --check-prefix=WIDE
// RUN: %kiln compile %s --kernel=moved --emit=llvm --no-llvm-passes -o - | FileCheck %s --check-prefix=WIDE
// RUN: %kiln compile %s --kernel=version --arg 'a=*f16:16' --emit=llvm --no-llvm-passes -o - \
// RUN:   | FileCheck %s --check-prefix=BOTH
// RUN: %kiln run --device=sim --cache-mode=off --check %s --kernel=version 'a=f16[1040]:iota' 's=3' 'y=f32[256]' \
// RUN:   --print 'y[0:4]' | FileCheck %s --check-prefix=THREE
// RUN: %kiln run --device=sim --cache-mode=off --check %s --kernel=version 'a=f16[1040]:iota' 's=16' 'y=f32[256]' \
// RUN:   --print 'y[0:4]' | FileCheck %s --check-prefix=SIXTEEN
// WIDE-NOT: align 2
// WIDE: load <{{[24]}} x i32>, ptr addrspace(1) %{{.*}}, align {{8|16}}
// WIDE-NOT: align 2
// BOTH-DAG: load <{{[24]}} x i32>, ptr addrspace(1) %{{.*}}, align {{8|16}}
// BOTH-DAG: load <{{[24]}} x i32>, ptr addrspace(1) %{{.*}}, align 2
// THREE: 3 4 5 6
// SIXTEEN: 16 17 18 19

kernel void assigned(const f16 *a, f32 *y, i32 s)
{
    i32 i[1024] = range(1024);
    s = multiple_of(s * 3 + 1, 16);
    i32 t = s;
    t += 32;
    store(y + i, load(a + t + i));
}

kernel void carried(const f16 *a, f32 *y, i32 n, i32 s)
{
    i32 i[1024] = range(1024);
    i32 off = s;
    f32 acc[1024] = 0;
    for (i32 k = 0; k < n; k++) {
        off = multiple_of(off, 16);
        acc += load(a + off + i);
        off += s;
    }
    store(y + i, acc);
}

kernel void chosen(const f16 *a, f32 *y, i32 n, i32 s)
{
    i32 i[1024] = range(1024);
    i32 off = s;
    if (n > 3)
        off = load((const i32 *)y);
    off = multiple_of(off, 16);
    store(y + i, load(a + off + i));
}

kernel void moved(const f16 *a, f32 *y, i32 n, i32 s)
{
    i32 i[1024] = range(1024);
    f32 acc[1024] = 0;
    const f16 *p = a;
    for (i32 k = 0; k < n; k++) {
        p = multiple_of(p, 16);
        acc += load(p + i);
        p += s;
    }
    store(y + i, acc);
}

kernel void version(const f16 *a, f32 *y, i32 s)
{
    i32 i[1024] = range(1024);
    f32 acc[1024];
    if (s % 16 == 0)
        acc = load(a + multiple_of(s, 16) + i);
    else
        acc = load(a + s + i);
    store(y + i, acc, i < 256);
}
