// A relaxed atomic operation whose result is unused is ordered only with accesses to its own buffer:
// loads of other buffers run ahead of it.
//
// RUN: %kiln compile %s --kernel=updates --num-warps=4 --emit=ttg --no-line-info -Rkiln -o - 2>&1 | FileCheck %s
// CHECK-NOT: is not pipelined
// CHECK-LABEL: @updates
// CHECK: tt.load {{.*}} : tensor<64x32x!tt.ptr<f16>
// CHECK: scf.for
// CHECK: tt.load {{.*}} : tensor<64x32x!tt.ptr<f16>
// CHECK: tt.atomic_rmw fadd, relaxed, gpu
// CHECK: ttg.local_store
// CHECK: scf.yield

// A load of the same buffer stays behind the update of the iteration before, while the loads of
// others still run ahead.
// RUN: %kiln compile %s --kernel=meets --num-warps=4 --emit=ttg --no-line-info -o - | FileCheck %s --check-prefix=MEETS
// MEETS-LABEL: @meets
// MEETS-NOT: tt.load {{.*}} : tensor<32x64x!tt.ptr<f32>
// MEETS: tt.load {{.*}} : tensor<64x32x!tt.ptr<f16>
// MEETS-NOT: tt.load {{.*}} : tensor<32x64x!tt.ptr<f32>
// MEETS: scf.for
// MEETS: tt.load {{.*}} : tensor<64x32x!tt.ptr<f16>
// MEETS: tt.load {{.*}} : tensor<32x64x!tt.ptr<f32>
// MEETS: tt.atomic_rmw fadd, relaxed, gpu
// MEETS: ttg.local_store
// MEETS-NOT: tt.load {{.*}} : tensor<32x64x!tt.ptr<f32>
// MEETS: scf.yield

// Other atomic operations keep their place among all accesses: those that order others, and those
// whose old value is used. So does one through a pointer of unknown origin, which any load may meet.
// RUN: for kernel in orders returns; do %kiln compile %s --kernel=$kernel --num-warps=4 --emit=ttg --no-line-info -Rkiln -o - 2>&1 \
// RUN:   | FileCheck %s --check-prefix=STAYS; done
// STAYS: the loop around this 'tt.atomic_rmw' is not pipelined
// STAYS: scf.for
// STAYS-NOT: ttg.local_store
// STAYS: tt.atomic_rmw
// RUN: %kiln compile %s --kernel=anywhere --num-warps=4 --emit=ttg --no-line-info -o - | FileCheck %s --check-prefix=ANYWHERE
// ANYWHERE-LABEL: @anywhere
// ANYWHERE-NOT: tt.load {{.*}} : tensor<64x32x!tt.ptr<f16>
// ANYWHERE: scf.for
// ANYWHERE: tt.load {{.*}} : tensor<64x32x!tt.ptr<f16>
// ANYWHERE: tt.atomic_rmw

// A matrix instruction's result goes to memory from where it is, neighbouring lanes to neighbouring
// columns.
// RUN: %kiln compile %s --kernel=updates --num-warps=4 --emit=ttg --no-line-info -o - | FileCheck %s --check-prefix=DIRECT
// DIRECT: #[[MMA:.*]] = #ttg.amd_mfma<{{.*}}isTransposed = false}>
// DIRECT: tt.atomic_rmw fadd, relaxed, gpu, {{.*}} -> tensor<64x64xf32, #[[MMA]]>

// The results are the same with each number of stages, and of iterations.
// RUN: for K in 0 32 64 100 160; do %kiln run %s --device=interp --cache-mode=off --kernel=updates K=$K 'a=f16[64,160]:random:1' \
// RUN:   'b=f16[160,64]:random:2' 'c=f32[192,64]' --grid=1 --save c=%t.npy || exit 1; for stages in 1 2 3; do %kiln run %s --device=sim \
// RUN:   --cache-mode=off --kernel=updates K=$K 'a=f16[64,160]:random:1' 'b=f16[160,64]:random:2' 'c=f32[192,64]' --grid=1 \
// RUN:   --num-stages=$stages --check=all --expect c=%t.npy || exit 1; done; done

kernel void updates(const f16 *a, const f16 *b, f32 *c, i32 K)
{
    i32 r[64] = range(64), rk[32] = range(32);
    for (i32 k = 0; k < K; k += 32) {
        i32 n[32] = k + rk;
        f16 x[64][32] = load(a + r[:, None] * 160 + n [None, :], n [None, :] < K, 0),
            y[32][64] = load(b + n[:, None] * 64 + r [None, :], n[:, None] < K, 0);
        atomic_add(c + (k + r)[:, None] * 64 + r[None, :], dot(x, y), r[:, None] < 50, .order = relaxed);
    }
}

kernel void meets(const f16 *a, f32 *b, i32 K)
{
    i32 r[64] = range(64), rk[32] = range(32);
    for (i32 k = 0; k < K; k += 32) {
        f16 x[64][32] = load(a + r[:, None] * K + (k + rk)[None, :]);
        f32 y[32][64] = load(b + (k + rk)[:, None] * 64 + r[None, :]);
        atomic_add(b + (k + 32 + r)[:, None] * 64 + r[None, :], dot(x, (f16)y), .order = relaxed);
    }
}

kernel void orders(const f16 *a, const f16 *b, f32 *c, i32 K)
{
    i32 r[64] = range(64), rk[32] = range(32);
    for (i32 k = 0; k < K; k += 32) {
        f16 x[64][32] = load(a + r[:, None] * K + (k + rk)[None, :]), y[32][64] = load(b + (k + rk)[:, None] * 64 + r[None, :]);
        atomic_add(c + r[:, None] * 64 + r[None, :], dot(x, y), .order = acquire);
    }
}

kernel void returns(const f16 *a, const f16 *b, f32 *c, f32 *d, i32 K)
{
    i32 r[64] = range(64), rk[32] = range(32);
    f32 sum[64][64] = 0;
    for (i32 k = 0; k < K; k += 32) {
        f16 x[64][32] = load(a + r[:, None] * K + (k + rk)[None, :]), y[32][64] = load(b + (k + rk)[:, None] * 64 + r[None, :]);
        sum += atomic_add(c + r[:, None] * 64 + r[None, :], dot(x, y), .order = relaxed);
    }
    store(d + r[:, None] * 64 + r[None, :], sum);
}

kernel void anywhere(const f16 *a, const f16 *b, f32 *c, f32 *d, i32 K)
{
    i32 r[64] = range(64), rk[32] = range(32);
    f32 *to = K > 99 ? c : d;
    for (i32 k = 0; k < K; k += 32) {
        f16 x[64][32] = load(a + r[:, None] * K + (k + rk)[None, :]), y[32][64] = load(b + (k + rk)[:, None] * 64 + r[None, :]);
        atomic_add(to + r[:, None] * 64 + r[None, :], dot(x, y), .order = relaxed);
    }
}
