// Stores to LDS at a constant distance are joined, although each lane stores the halves of 16 bytes
// to addresses that differ by an exclusive or.
// RUN: %kiln compile %s --num-warps=4 --arg 'a=*f16:16:2g' --arg 'b=*f16:16:2g' --arg K=i32:16 --emit=asm -o - \
// RUN:   | FileCheck %s
// CHECK: s_cbranch
// CHECK-COUNT-8: ds_write2st64_b64
// CHECK-NOT: ds_write_b64
// CHECK: s_cbranch
kernel void product(const f16 *a, const f16 *b, f32 *c, i32 K)
{
    i32 r[128] = range(128), k[64] = range(64);
    f32 acc[128][128] = 0;
    for (i32 i = 0; i < K; i += 64)
        acc = dot(load(a + r[:, None] * K + (i + k)[None, :]), load(b + (i + k)[:, None] + r[None, :] * K), acc);
    store(c + r[:, None] * 128 + r[None, :], acc);
}
