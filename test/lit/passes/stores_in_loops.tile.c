// A store keeps its place in a loop with a dot, and loads of other buffers run ahead of it.
//
// RUN: %kiln compile %s --kernel=states --num-warps=4 --emit=ttg --no-line-info -Rkiln -o - 2>&1 | FileCheck %s
// CHECK-NOT: is not pipelined
// CHECK-LABEL: @states
// CHECK: tt.load {{.*}} : tensor<64x32x!tt.ptr<f16>
// CHECK: scf.for
// CHECK: tt.load {{.*}} : tensor<64x32x!tt.ptr<f16>
// CHECK: tt.store
// CHECK: tt.dot
// CHECK: ttg.local_store
// CHECK: scf.yield

// A load of the buffer that is stored to stays behind the store of the iteration before.
// RUN: %kiln compile %s --kernel=meets --num-warps=4 --emit=ttg --no-line-info -o - | FileCheck %s --check-prefix=MEETS
// MEETS-LABEL: @meets
// MEETS-NOT: tt.load {{.*}} : tensor<32x64x!tt.ptr<f16>
// MEETS: tt.load {{.*}} : tensor<64x32x!tt.ptr<f16>
// MEETS-NOT: tt.load {{.*}} : tensor<32x64x!tt.ptr<f16>
// MEETS: scf.for
// MEETS: tt.load {{.*}} : tensor<32x64x!tt.ptr<f16>
// MEETS: tt.store
// MEETS: scf.yield

// The results are the same with each number of stages, and of iterations.
// RUN: for K in 0 32 64 100 160; do for kernel in states meets; do %kiln run %s --device=interp --cache-mode=off --kernel=$kernel K=$K \
// RUN:   'a=f16[64,160]:random:1' 'b=f16[160,64]:random:2' 'c=f16[384,64]:random:3' --grid=1 --save c=%t.npy || exit 1; \
// RUN:   for stages in 1 2 3; do %kiln run %s --device=sim --cache-mode=off --kernel=$kernel K=$K 'a=f16[64,160]:random:1' \
// RUN:   'b=f16[160,64]:random:2' 'c=f16[384,64]:random:3' --grid=1 --num-stages=$stages --check=all --expect c=%t.npy \
// RUN:   || exit 1; done; done; done

// The sum before each step, as linear attention keeps it for the backward pass.
kernel void states(const f16 *a, const f16 *b, f16 *c, i32 K)
{
    i32 r[64] = range(64), rk[32] = range(32);
    f32 acc[64][64] = 0;
    for (i32 k = 0; k < K; k += 32) {
        i32 n[32] = k + rk;
        store(c + (k * 2 + r)[:, None] * 64 + r [None, :], (f16)acc);
        f16 x[64][32] = load(a + r[:, None] * 160 + n [None, :], n [None, :] < K, 0);
        f16 y[32][64] = load(b + n[:, None] * 64 + r [None, :], n[:, None] < K, 0);
        acc = dot(x, y, acc);
    }
    store(c + (320 + r)[:, None] * 64 + r [None, :], (f16)acc);
}

// Rows of c are read 64 rows behind where they are written.
kernel void meets(const f16 *a, const f16 *b, f16 *c, i32 K)
{
    i32 r[64] = range(64), rk[32] = range(32);
    f32 acc[64][64] = 0;
    for (i32 k = 0; k < K; k += 32) {
        i32 n[32] = k + rk;
        f16 x[64][32] = load(a + r[:, None] * 160 + n [None, :], n [None, :] < K, 0);
        f16 y[32][64] = load(c + (k * 2 + rk)[:, None] * 64 + r [None, :]);
        acc = dot(x, y, acc * 0.25);
        store(c + (64 + k * 2 + r)[:, None] * 64 + r [None, :], (f16)acc);
    }
}
