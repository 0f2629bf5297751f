// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An operand that is widened before the dot is buffered before that: in LDS it is 8 bits wide as in
// memory, and it is widened for the dot.
// RUN: %kiln compile %s --arg a=*f16:16 --arg b=*f8e4m3fnuz:16 --arg lda=i32:16 --arg ldb=i32:16 --emit=ttg \
// RUN:   --no-line-info -o - | FileCheck %s
// RUN: %kiln run --device=sim --check %s K=128 lda=128 ldb=64 'a=f16[64,128]:random:1' \
// RUN:   'b=f8e4m3fnuz[128,64]:random:2' 'c=f32[64,64]' --save c=%t.npy
// RUN: %kiln run --device=interp %s K=128 lda=128 ldb=64 'a=f16[64,128]:random:1' 'b=f8e4m3fnuz[128,64]:random:2' \
// RUN:   'c=f32[64,64]' --expect c=%t.npy

// CHECK: scf.for
// CHECK: %[[B:.*]] = ttg.local_load {{.*}} -> tensor<32x64xf8E4M3FNUZ, #ttg.dot_op<{opIdx = 1,
// CHECK: tt.fp_to_fp %[[B]] {{.*}} -> tensor<32x64xf16, #ttg.dot_op<{opIdx = 1,
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.dot
kernel void k(const f16 *a, const f8e4m3fnuz *b, f32 *c, i32 K, i32 lda, i32 ldb)
{
    i32 m[64] = range(64), n[64] = range(64), k[32] = range(32);
    f32 acc[64][64] = 0;
    for (i32 i = 0; i < K; i += 32) {
        f16 x[64][32] = load(a + m[:, None] * lda + (i + k)[None, :]);
        f8e4m3fnuz y[32][64] = load(b + (i + k)[:, None] * ldb + n[None, :]);
        acc = dot(x, (f16)y, acc);
    }
    store(c + m[:, None] * 64 + n[None, :], acc);
}
