// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops whose expansion would be too large: the error names the loop, the limit and what would fit.
// RUN: not %kiln compile %s --kernel=long_one -o %t 2>&1 | FileCheck %s --check-prefix=LONG --implicit-check-not=error:
// RUN: not %kiln compile %s --kernel=endless -o %t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ENDLESS --implicit-check-not=error:
// RUN: not %kiln compile %s --kernel=nested -o %t 2>&1 | FileCheck %s --check-prefix=NESTED --implicit-check-not=error:
// RUN: not %kiln compile %s --kernel=unrolled -o %t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=UNROLLED --implicit-check-not=error:
// RUN: %kiln compile %s --kernel=fits -o %t 2>&1 | count 0
// RUN: %kiln compile %s --kernel=heavy -o %t 2>&1 | FileCheck %s --check-prefix=HEAVY
// RUN: not %kiln compile %s --kernel=heavy -o %t -Werror=pass-failed 2>&1 | FileCheck %s --check-prefix=STRICT

kernel void long_one(f32 *p)
{
    f32 x[64] = 0;
    // LONG: :[[@LINE+1]]:5: error: this constant loop expands to more than 65536 operations in {{[0-9]+}} iterations; remove 'constexpr' or reduce its iterations
    for (constexpr i32 i = 0; i < 100000; i++)
        x = x * 1.5 + i;
    store(p + range(64), x);
}
kernel void endless(f32 *p)
{
    // ENDLESS: :[[@LINE+1]]:5: error: this constant loop expands to more than 65536 operations
    for (constexpr i32 i = 0; i < 10; i += 0)
        ;
    *p = 1;
}
kernel void nested(f32 *p)
{
    // NESTED: :[[@LINE+1]]:5: error: this constant loop expands to more than 65536 operations in {{[1-9][0-9]}} iterations
    for (constexpr i32 i = 0; i < 1000; i++)
        for (constexpr i32 j = 0; j < 100; j++)
            p[i * 100 + j] = i;
}
kernel void unrolled(f32 *p, i32 n)
{
    f32 x[64] = 0;
    // UNROLLED: :[[@LINE+1]]:22: error: {{.*}}unroll(1024){{.*}} of a body of {{[0-9]+}} operations exceeds the limit of 16384; at most {{[0-9]+}} copies fit
    [[unroll(1024)]] for (i32 i = 0; i < n; i++) {
        for (constexpr i32 j = 0; j < 100; j++)
            x = x * 1.5 + j;
    }
    store(p + range(64), x);
}
kernel void fits(f32 *p, i32 n)
{
    f32 x[64] = 0;
    [[unroll(16)]] for (i32 i = 0; i < n; i++) {
        for (constexpr i32 j = 0; j < 20; j++)
            x = x * 1.5 + j;
    }
    store(p + range(64), x);
}
// Of what the device libraries compute, each element counts.
kernel void heavy(f32 *p, i32 n)
{
    f32 x[64][256] = 0;
    // HEAVY: :[[@LINE+2]]:{{[0-9]+}}: warning: this loop is not unrolled: 8 copies of its body of about {{[0-9]+}} operations per lane exceed the limit of 16384 [-Wpass-failed]
    // STRICT: error: this loop is not unrolled: {{.*}} [-Werror,-Wpass-failed]
    [[unroll(8)]] for (i32 i = 0; i < n; i++)
        x = sin(x + i);
    store(p + range(64)[:, None] * 256 + range(256)[None, :], x);
}
