// The zeros that a loop's sums begin with are made once, two registers at a time, for the loop and for what stands behind it where the loop isn't
// entered.
//
// RUN: %kiln compile %s --num-warps=4 --emit=asm --no-line-info -o - | FileCheck %s
// CHECK-LABEL: {{^}}product:
// CHECK-COUNT-8: v_mov_b64_e32 v[{{.*}}], 0
// CHECK-NOT: v_mov_b64_e32 v[{{.*}}], 0
// CHECK-NOT: kiln zeros
// CHECK: s_cbranch_scc1
// CHECK: v_mfma_f32_32x32x8_f16 v[[SUM:.*]], v[{{.*}}], v[{{.*}}], v[[SUM]]
// CHECK: s_cbranch_scc
// CHECK: v_mfma_f32_32x32x8_f16 v[[SUM]], v[{{.*}}], v[{{.*}}], v[[SUM]]
// CHECK: s_endpgm
kernel void product(const f16 *a, const f16 *b, f32 *c, i32 K)
{
    i32 r[64] = range(64), k[32] = range(32);
    const f16 *pa[64][32] = a + r[:, None] * 4096 + k[None, :], *pb[32][64] = b + k[:, None] * 4096 + r[None, :];
    f32 sum[64][64] = 0;
    for (i32 i = 0; i < K; i += 32) {
        sum = dot(load(pa), load(pb), sum);
        pa += 32;
        pb += 32 * 4096;
    }
    store(c + r[:, None] * 64 + r[None, :], sum);
}
