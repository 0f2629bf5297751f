// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of weights that lanes load as a matrix instruction wants them, neighbouring lanes neighbouring
// rows, are loaded by neighbouring lanes, which exchange what they have loaded where it is used
// (compiler/codegen/ir/share_lines.c). 16 rows of 64 bytes take one exchange of 4 words for each
// access of 16 bytes. The exchange comes where the loop uses the weights, an iteration after the load.
// RUN: kiln compile %s --kernel=rows --num-warps=4 --arg 'x=*f16:16:2g' --arg 'w=*i8:16:2g' --arg 's=*f16:16:2g' \
// RUN:   --arg K=i32:16 --emit=llvm --no-line-info -o - | FileCheck %s
// CHECK-LABEL: @rows(
// CHECK: {{^}}loop:
// CHECK: [[WEIGHTS:%.*]] = phi <4 x i32>
// CHECK: [[WORD:%.*]] = extractelement <4 x i32> [[WEIGHTS]], i32 0
// CHECK: call i32 @llvm.amdgcn.ds.bpermute(i32 {{%.*}}, i32 [[WORD]])
// CHECK: {{^}}after.loop

// Results are those of the program, for both shapes of matrix instructions, pipelined or not.
// RUN: kiln run --device=interp --cache-mode=off %s --kernel=rows K=512 'x=f16[16,K]:integers:3' 'w=i8[64,K]:random:4' \
// RUN:   's=f16[64,4]:integers:5' 'y=f32[16,64]' --save y=%t.interp
// RUN: for f in '' --num-stages=1 --num-stages=3 --matrix-instr-nonkdim=32 --kpack=2 --num-warps=2; do \
// RUN:   kiln run --device=sim --check --cache-mode=off %s --kernel=rows --num-warps=4 $f K=512 'x=f16[16,K]:integers:3' \
// RUN:   'w=i8[64,K]:random:4' 's=f16[64,4]:integers:5' 'y=f32[16,64]' --save y=%t.sim || exit 1; \
// RUN:   cmp %t.sim %t.interp || exit 1; done
kernel void rows(const f16 *x, const i8 *w, const f16 *s, f32 *y, i32 K, constexpr i32 BLOCK_K = 128)
{
    i32 m[16] = range(16), n[64] = range(64), r[BLOCK_K] = range(BLOCK_K);
    const f16 *px[16][BLOCK_K] = x + m[:, None] * K + r[None, :];
    const i8 *pw[BLOCK_K][64] = w + r[:, None] + n[None, :] * K;
    const f16 *ps[64] = s + n * (K / BLOCK_K);
    f32 sum[16][64] = 0;
    for (i32 k = 0; k < K / BLOCK_K; k++) {
        sum += dot(load(px), (f16)load(pw) * load(ps)[None, :]);
        px += BLOCK_K;
        pw += BLOCK_K;
        ps += 1;
    }
    store(y + m[:, None] * 64 + n[None, :], sum);
}

// Rows that the compiler knows to use different RAMs of tags stay as they are, and so do loads in
// functions in which lanes take different ways: an exchange needs all of them.
// RUN: for k in apart ways; do kiln compile %s --kernel=$k --num-warps=4 --arg 'x=*f16:16:2g' --arg 'w=*i8:16:2g' \
// RUN:   --arg 's=*f16:16:2g' --arg K=i32:16 --emit=llvm --no-line-info -o - | FileCheck %s --check-prefix=STAYS; done
// STAYS: load.v4i32
// STAYS-NOT: bpermute
// STAYS: attributes
kernel void apart(const f16 *x, const i8 *w, const f16 *s, f32 *y, i32 K, constexpr i32 BLOCK_K = 128)
{
    i32 m[16] = range(16), n[64] = range(64), r[BLOCK_K] = range(BLOCK_K);
    const f16 *px[16][BLOCK_K] = x + m[:, None] * K + r[None, :];
    const i8 *pw[BLOCK_K][64] = w + r[:, None] + n[None, :] * 4224;
    const f16 *ps[64] = s + n * (K / BLOCK_K);
    f32 sum[16][64] = 0;
    for (i32 k = 0; k < K / BLOCK_K; k++) {
        sum += dot(load(px), (f16)load(pw) * load(ps)[None, :]);
        px += BLOCK_K;
        pw += BLOCK_K;
        ps += 1;
    }
    store(y + m[:, None] * 64 + n[None, :], sum);
}

kernel void ways(const f16 *x, const i8 *w, const f16 *s, f32 *y, i32 *counts, i32 K, constexpr i32 BLOCK_K = 128)
{
    i32 m[16] = range(16), n[64] = range(64), r[BLOCK_K] = range(BLOCK_K);
    const f16 *px[16][BLOCK_K] = x + m[:, None] * K + r[None, :];
    const i8 *pw[BLOCK_K][64] = w + r[:, None] + n[None, :] * K;
    const f16 *ps[64] = s + n * (K / BLOCK_K);
    f32 sum[16][64] = 0;
    for (i32 k = 0; k < K / BLOCK_K; k++) {
        sum += dot(load(px), (f16)load(pw) * load(ps)[None, :]);
        px += BLOCK_K;
        pw += BLOCK_K;
        ps += 1;
    }
    store(y + m[:, None] * 64 + n[None, :], sum);
    atomic_add(counts + n, 1, n % 3 == 0);
}
