// The zeros that a loop's accumulators begin with are written once, two registers at a time, for
// the loop and for the code after it where the loop isn't entered.
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
//
// Sums of 128 registers of 256 stay in registers, with buffers of less than 2 GB, too.
// RUN: %kiln bench %examples/gemm.tile.c M=256 N=256 K=64 lda=64 ldb=256 ldc=256 'a=f16[16384]' 'b=f16[16384]' \
// RUN:   'c=f16[65536]' -D BLOCK_M=256 -D BLOCK_N=256 --num-warps=8 --grid 1 --device=sim --sim-clock=only \
// RUN:   --cache-dir=%t 2>&1 | FileCheck %s --check-prefix=LARGE --implicit-check-not=spills
// LARGE: predicted ns
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
