// Different matrix instructions on one accumulator: LLVM 22 has no wait states between them
// (workarounds.def: matrix_chain).
// RUN: %kiln compile %s --num-warps=1 --emit=asm --no-line-info -o - | FileCheck %s
// RUN: %kiln run --device=sim --check --cache-mode=off %s --num-warps=1 'a=f16[256]:random:1' 'b=bf16[256]:random:2' \
// RUN:   'o=f32[1024]' n=4 --grid 1 --print 'o[0:4]'
// CHECK: s_nop {{[5-7]}}
// CHECK-NEXT: v_mfma_f32_32x32x8_f16
// CHECK: s_nop 6
// CHECK-NEXT: v_mfma_f32_32x32x8_bf16
kernel void k(const f16 *a, const bf16 *b, f32 *o, i32 n)
{
    auto at = range(32)[:, None] * 8 + range(8)[None, :];
    f16 x[32][8] = load(a + at);
    bf16 y[32][8] = load(b + at);
    auto to = range(32)[:, None] * 32 + range(32)[None, :];
    f32 s[32][32] = 0;
    for (i32 i = 0; i < n; i++) {
        s = dot(x, trans(x), s);
        s = dot(y, trans(y), s);
    }
    store(o + to, s);
}
