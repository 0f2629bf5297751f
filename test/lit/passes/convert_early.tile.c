// A value that one dot reads from LDS as it is loaded, and another one rearranged: the second reads
// the same buffer, in the layout from which the rearrangement makes that of the matrix instruction.
//
// RUN: %kiln compile %s -D COLUMNS=256 --num-stages=2 --arg 'in=*bf16:16' --emit=ttg --no-line-info -o - | FileCheck %s
// CHECK: scf.for
// CHECK: ttg.local_load {{.*}} -> tensor<256x32xbf16, #ttg.dot_op<{opIdx = 1
// CHECK: ttg.local_load {{.*}} -> tensor<32x256xbf16, #[[READ:linear[0-9]*]]>
// CHECK: tt.reshape {{.*}} : tensor<32x256xbf16, #[[READ]]>
// CHECK-NEXT: tt.trans
// CHECK-NEXT: tt.reshape {{.*}} -> tensor<32x256xbf16, #ttg.dot_op<{opIdx = 1
// CHECK: scf.yield
//
// Results are those of the interpreter, for any number of rows.
//
// RUN: for rows in 1 32 33 96 200; do %kiln run --device=interp %s x='bf16[64,256]:random:1' in="bf16[$rows,256]:random:2" \
// RUN:   'out=f32[64,256]' rows=$rows --grid 1 --save out=%t.$rows.npy || exit 1; \
// RUN:   for stages in 1 2 3; do %kiln run --device=sim --check --cache-mode=off --num-stages=$stages %s x='bf16[64,256]:random:1' \
// RUN:   in="bf16[$rows,256]:random:2" 'out=f32[64,256]' rows=$rows --grid 1 --expect out=%t.$rows.npy || exit 1; done; done
kernel void products(const bf16 *x, const bf16 *in, f32 *out, i32 rows, constexpr i32 COLUMNS = 256)
{
    i32 m[64] = range(64), n[32] = range(32), d[COLUMNS] = range(COLUMNS);
    bf16 a[64][COLUMNS] = load(x + m[:, None] * COLUMNS + d[None, :]);
    f32 sum[64][COLUMNS] = 0;
    for (i32 at = 0; at < rows; at += 32) {
        bf16 c[32][COLUMNS] = load(in + (at + n)[:, None] * COLUMNS + d[None, :], at + n[:, None] < rows, 0);
        f32 score[64][32] = dot(a, trans(c));
        sum = dot((bf16)score, reshape(trans(reshape(c, 32, COLUMNS / 64, 16, 4), 0, 1, 3, 2), 32, COLUMNS), sum);
    }
    store(out + m[:, None] * COLUMNS + (d & ~63 | (d & 15) << 2 | (d & 63) >> 4)[None, :], sum);
}
