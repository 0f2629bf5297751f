// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Halves of a workgroup of eight waves take turns at the matrix units: the dot is cut into slices,
// each preceded by its reads, two barriers separate reads from stores, and place_barriers adds
// none. This holds with masks, with two buffers, and with 8-bit operands. The slices are as many as
// are predicted to be fastest: four where the operands of two halves would be spilled, two
// otherwise, and none where barriers cost more than turns gain (128x128x64 and 256x128x32 by eight
// waves). Not if there are two dots, or if the stored value comes from the dot. Workgroups of four
// waves take turns by priorities, if two of them are co-resident, neither one (128x128x128) nor
// three (128x128x32), and if they gain enough (not 128x64x64). A load in a branch, as that of a
// remainder which may be negative, counts as a load. Of a kernel in two versions, whose buffers share
// LDS, both loops take turns. The results are the same, with all checks on.
// RUN: kiln compile %s --disable-pass=version_strides \
// RUN:   --kernel=gemm -D BM=256 -D BN=256 -D BK=64 --num-warps=8 --matrix-instr-nonkdim=16 \
// RUN:   --disable-pass=linear_remainders --emit=ttg --no-line-info -o - | FileCheck %s
// RUN: kiln compile %s --disable-pass=version_strides \
// RUN:   --kernel=gemm -D BM=256 -D BN=128 -D BK=64 --num-warps=8 --emit=ttg --no-line-info -o - \
// RUN:   | FileCheck %s --check-prefix=TWO
// RUN: kiln compile %s --disable-pass=version_strides \
// RUN:   --kernel=gemm -D BM=256 -D BN=256 -D BK=32 --num-warps=8 --num-stages=3 --emit=ttg \
// RUN:   --no-line-info -o - | FileCheck %s --check-prefix=TWO
// RUN: kiln compile %s --disable-pass=version_strides \
// RUN:   --kernel=bytes -D BM=256 -D BN=256 -D BK=64 --num-warps=8 --emit=ttg --no-line-info -o - \
// RUN:   | FileCheck %s --check-prefix=TWO
// RUN: kiln compile %s --disable-pass=version_strides \
// RUN:   --kernel=gemm -D BM=128 -D BN=128 -D BK=64 --num-warps=4 --disable-pass=linear_remainders \
// RUN:   --emit=ttg --no-line-info -o - | FileCheck %s --check-prefix=FOUR
// RUN: kiln compile %s --kernel=gemm -D BM=256 -D BN=256 -D BK=64 --num-warps=8 --emit=ttg \
// RUN:   --no-line-info -o - | FileCheck %s --check-prefix=VERSIONS
// RUN: kiln compile %s --kernel=gemm -D BM=128 -D BN=128 -D BK=64 --num-warps=4 --emit=ttg \
// RUN:   --no-line-info -o - | FileCheck %s --check-prefix=VERSIONS4
// RUN: kiln compile %s --disable-pass=version_strides \
// RUN:   --kernel=gemm -D BM=128 -D BN=128 -D BK=32 --num-warps=4 --emit=ttg -o - \
// RUN:   | FileCheck %s --check-prefix=PLAIN
// RUN: kiln compile %s --disable-pass=version_strides \
// RUN:   --kernel=gemm -D BM=128 -D BN=128 -D BK=128 --num-warps=4 --emit=ttg -o - \
// RUN:   | FileCheck %s --check-prefix=PLAIN
// RUN: kiln compile %s --disable-pass=version_strides \
// RUN:   --kernel=gemm -D BM=64 -D BN=64 -D BK=64 --num-warps=4 --emit=ttg -o - \
// RUN:   | FileCheck %s --check-prefix=PLAIN
// RUN: kiln compile %s --disable-pass=version_strides \
// RUN:   --kernel=gemm -D BM=128 -D BN=128 -D BK=64 --num-warps=8 --emit=ttg -o - \
// RUN:   | FileCheck %s --check-prefix=PLAIN
// RUN: kiln compile %s --disable-pass=version_strides \
// RUN:   --kernel=gemm -D BM=256 -D BN=128 -D BK=32 --num-warps=8 --matrix-instr-nonkdim=16 --emit=ttg -o - \
// RUN:   | FileCheck %s --check-prefix=PLAIN
// RUN: kiln compile %s --disable-pass=version_strides \
// RUN:   --kernel=gemm -D BM=128 -D BN=64 -D BK=64 --num-warps=4 --emit=ttg -o - \
// RUN:   | FileCheck %s --check-prefix=PLAIN
// RUN: awk '/^ *acc = dot.load.pa, rk/ { print "i32 o = k;"; for (i = 0; i < 40; i++) print "o = o * o;"; \
// RUN:   sub("load.pa,", "load(pa + o,") } { print }' \
// RUN:   %s > %t.c && timeout $((60 * %patience)) kiln compile %t.c --from=tile --kernel=gemm -D BM=256 -D BN=256 \
// RUN:   -D BK=64 --num-warps=8 --emit=ttg -o - | FileCheck %s --check-prefix=SHARED
// RUN: kiln compile %s --disable-pass=version_strides \
// RUN:   --kernel=chained -D BM=128 -D BN=128 -D BK=128 --num-warps=8 --emit=ttg -o - \
// RUN:   | FileCheck %s --check-prefix=PLAIN
// RUN: kiln compile %s --disable-pass=version_strides \
// RUN:   --kernel=gemm -D BM=256 -D BN=256 -D BK=64 --num-warps=8 \
// RUN:   --disable-pass=schedule_steps --emit=ttg -o - | FileCheck %s --check-prefix=PLAIN
// RUN: for d in "" --disable-pass=schedule_steps; do kiln compile %s --disable-pass=version_strides \
// RUN:   --kernel=gemm -D BM=256 -D BN=256 -D BK=64 \
// RUN:   --num-warps=8 $d --emit=ttg -o %t$d.ttgir && KILN_SIM_CHECK=all kiln run \
// RUN:   --device=sim %t$d.ttgir M=300 N=520 K=200 lda=K ldb=N ldc=N 'a=f16[M,K]:random:1' 'b=f16[K,N]:random:2' \
// RUN:   'c=f16[M,N]' --grid 6 --save c=%t$d.bin || exit 1; done; cmp %t.bin %t--disable-pass=schedule_steps.bin
// RUN: for d in "" --disable-pass=schedule_steps; do kiln compile %s --disable-pass=version_strides \
// RUN:   --kernel=gemm -D BM=128 -D BN=128 -D BK=64 \
// RUN:   --num-warps=4 $d --emit=ttg -o %t$d.ttgir && KILN_SIM_CHECK=all kiln run \
// RUN:   --device=sim %t$d.ttgir M=200 N=260 K=200 lda=K ldb=N ldc=N 'a=f16[M,K]:random:1' 'b=f16[K,N]:random:2' \
// RUN:   'c=f16[M,N]' --grid 6 --save c=%t$d.bin || exit 1; done; cmp %t.bin %t--disable-pass=schedule_steps.bin
// RUN: for d in "" --disable-pass=schedule_steps; do kiln compile %s --disable-pass=version_strides \
// RUN:   --kernel=bytes -D BM=256 -D BN=256 -D BK=64 \
// RUN:   --num-warps=8 $d --emit=ttg -o %t$d.ttgir && KILN_SIM_CHECK=all kiln run \
// RUN:   --device=sim %t$d.ttgir M=256 N=256 K=320 'a=i8[M,K]:random:1' 'b=i8[K,N]:random:2' 'c=i32[M,N]' --grid 1 \
// RUN:   --save c=%t$d.bin || exit 1; done; cmp %t.bin %t--disable-pass=schedule_steps.bin
// RUN: kiln compile %s --disable-pass=version_strides \
// RUN:   --kernel=wrapped -D BM=256 -D BN=256 -D BK=64 --num-warps=8 --arg 'a=*f16:16' \
// RUN:   --arg 'b=*f16:16' --arg 'c=*f16:16' --arg first=i32 --arg N=i32:16 --arg K=i32:16 --emit=ttg -o %t.ttgir \
// RUN:   && FileCheck %s --check-prefix=BRANCH <%t.ttgir
// RUN: kiln compile %s --disable-pass=version_strides \
// RUN:   --kernel=wrapped -D BM=128 -D BN=128 -D BK=64 --num-warps=4 --arg 'a=*f16:16' \
// RUN:   --arg 'b=*f16:16' --arg 'c=*f16:16' --arg first=i32 --arg N=i32:16 --arg K=i32:16 --emit=ttg -o %t.4.ttgir \
// RUN:   && FileCheck %s --check-prefix=BRANCHES <%t.4.ttgir
// RUN: kiln compile %s --disable-pass=version_strides \
// RUN:   --kernel=wrapped -D BM=256 -D BN=256 -D BK=64 --num-warps=8 --arg 'a=*f16:16' \
// RUN:   --arg 'b=*f16:16' --arg 'c=*f16:16' --arg first=i32 --arg N=i32:16 --arg K=i32:16 \
// RUN:   --disable-pass=schedule_steps --emit=ttg -o %t.plain.ttgir && kiln compile %s --disable-pass=version_strides \
// RUN:   --kernel=wrapped -D BM=128 -D BN=128 -D BK=64 --num-warps=4 \
// RUN:   --arg 'a=*f16:16' --arg 'b=*f16:16' --arg 'c=*f16:16' --arg first=i32 --arg N=i32:16 --arg K=i32:16 \
// RUN:   --disable-pass=schedule_steps --emit=ttg -o %t.4.plain.ttgir
// RUN: for first in -2 -1 0 1; do for p in "" .4 .plain .4.plain; \
// RUN:   do KILN_SIM_CHECK=all kiln run --device=sim %t$p.ttgir N=192 K=256 --grid 1 first=$first \
// RUN:   'a=f16[256,K]:random:1' 'b=f16[K+1,N]:random:2' 'c=f16[256,256]' --save c=%t$p.bin || exit 1; done; \
// RUN:   cmp %t.bin %t.plain.bin && cmp %t.4.bin %t.4.plain.bin || exit 1; done

// BRANCH: amdg.cond_barrier
// BRANCH: scf.for
// BRANCH: scf.if %{{.*}} -> (tensor<64x256xf16
// BRANCH: tt.dot
// BRANCH: amdg.cond_barrier

// BRANCHES: scf.for
// BRANCHES: scf.if %{{.*}} -> (tensor<64x128xf16
// BRANCHES: ttg.local_load
// BRANCHES-NEXT: rocdl.s.setprio 1
// BRANCHES: ttg.local_load
// BRANCHES-NEXT: rocdl.s.setprio 0
// BRANCHES-NEXT: tt.load
// BRANCHES: tt.dot

// CHECK: %[[ID:.*]] = rocdl.workitem.id.x
// CHECK: arith.cmpi sge, %[[ID]]
// CHECK: amdg.cond_barrier
// CHECK: scf.for
// CHECK-NOT: kiln.rounds
// CHECK: tt.load
// CHECK-NOT: tt.load
// CHECK: ttg.local_load {{.*}}, 256x64> -> tensor<256x16xf16
// CHECK: ttg.local_load {{.*}}, 64x256> -> tensor<16x256xf16
// CHECK-NEXT: ttg.barrier local
// CHECK-NEXT: rocdl.s.setprio 1
// CHECK-NEXT: rocdl.sched.barrier 0
// CHECK-NEXT: tt.dot
// CHECK-NEXT: rocdl.s.setprio 0
// CHECK-NEXT: ttg.barrier local
// CHECK-NEXT: rocdl.sched.barrier 0
// CHECK-NEXT: tt.load
// CHECK: tt.dot
// CHECK-NOT: tt.load
// CHECK: ttg.memdesc_subslice %{{.*}}[0, 32]
// CHECK: ttg.memdesc_subslice %{{.*}}[0, 48]
// CHECK: tt.dot
// CHECK-NEXT: rocdl.s.setprio 0
// CHECK-NEXT: ttg.barrier local
// CHECK-NEXT: rocdl.sched.barrier 0
// CHECK-NEXT: ttg.local_store
// CHECK-NEXT: ttg.local_store
// CHECK-NEXT: ttg.barrier local
// CHECK: tt.dot
// CHECK-NEXT: rocdl.s.setprio 0
// CHECK-NEXT: ttg.barrier local
// CHECK-NEXT: rocdl.sched.barrier 0
// CHECK-NEXT: scf.yield
// CHECK: amdg.cond_barrier

// TWO: amdg.cond_barrier
// TWO: scf.for
// TWO-COUNT-2: rocdl.s.setprio 1
// TWO-NOT: rocdl.s.setprio 1
// TWO: amdg.cond_barrier

// A shared operand is visited once: forty products in a row, each of the previous one with itself,
// must not take 2^40 steps.
// SHARED-COUNT-40: arith.muli
// SHARED: tt.dot

// VERSIONS-COUNT-4: amdg.cond_barrier
// VERSIONS-NOT: amdg.cond_barrier

// VERSIONS4-COUNT-4: rocdl.s.setprio 1
// VERSIONS4-NOT: rocdl.s.setprio 1

// FOUR-NOT: cond_barrier
// FOUR: scf.for
// FOUR: ttg.local_load
// FOUR-NEXT: rocdl.s.setprio 1
// FOUR-NEXT: tt.load
// FOUR-NEXT: rocdl.sched.barrier 0
// FOUR-NEXT: ttg.local_load
// FOUR-NEXT: rocdl.s.setprio 0
// FOUR-NEXT: tt.load
// FOUR-NEXT: rocdl.s.setprio 1
// FOUR-NEXT: rocdl.sched.barrier 1
// FOUR-NEXT: tt.dot
// FOUR-NEXT: rocdl.s.setprio 0
// FOUR-NEXT: rocdl.sched.barrier 0
// FOUR-NEXT: ttg.barrier local
// FOUR-NEXT: ttg.local_store

// PLAIN-NOT: setprio
// PLAIN-NOT: cond_barrier

kernel void gemm(const f16 *a, const f16 *b, f16 *c, i32 M, i32 N, i32 K, i32 lda, i32 ldb, i32 ldc, constexpr i32 BM, constexpr i32 BN, constexpr i32 BK)
{
    i32 rm[BM] = program_id(0) / cdiv(N, BN) * BM + range(BM), rn[BN] = program_id(0) % cdiv(N, BN) * BN + range(BN), rk[BK] = range(BK);
    const f16 *pa[BM][BK] = a + (rm % M)[:, None] * lda + rk[None, :];
    const f16 *pb[BK][BN] = b + rk[:, None] * ldb + (rn % N)[None, :];
    f32 acc[BM][BN] = 0;
    for (i32 k = 0; k < K; k += BK) {
        acc = dot(load(pa, rk[None, :] < K - k, 0), load(pb, rk[:, None] < K - k, 0), acc);
        pa += BK;
        pb += BK * ldb;
    }
    f16 *pc[BM][BN] = c + rm[:, None] * ldc + rn[None, :];
    store(pc, (f16)acc, rm[:, None] < M && rn[None, :] < N);
}

kernel void wrapped(const f16 *a, const f16 *b, f16 *c, i32 first, i32 N, i32 K, constexpr i32 BM, constexpr i32 BN, constexpr i32 BK)
{
    i32 rm[BM] = range(BM), rn[BN] = (first + program_id(0)) * BN + range(BN), rk[BK] = range(BK);
    const f16 *pa[BM][BK] = a + rm[:, None] * K + rk[None, :];
    const f16 *pb[BK][BN] = b + N + rk[:, None] * N + (rn % N)[None, :];
    f32 acc[BM][BN] = 0;
    for (i32 k = 0; k < K; k += BK) {
        acc = dot(load(pa), load(pb), acc);
        pa += BK;
        pb += BK * N;
    }
    f16 *pc[BM][BN] = c + rm[:, None] * BN + range(BN)[None, :];
    store(pc, (f16)acc);
}

kernel void bytes(const i8 *a, const i8 *b, i32 *c, i32 M, i32 N, i32 K, constexpr i32 BM, constexpr i32 BN, constexpr i32 BK)
{
    i32 rm[BM] = range(BM), rn[BN] = range(BN), rk[BK] = range(BK);
    const i8 *pa[BM][BK] = a + rm[:, None] * K + rk[None, :];
    const i8 *pb[BK][BN] = b + rk[:, None] * N + rn[None, :];
    i32 acc[BM][BN] = 0;
    for (i32 k = 0; k < K; k += BK) {
        acc = dot(load(pa), load(pb), acc);
        pa += BK;
        pb += BK * N;
    }
    i32 *pc[BM][BN] = c + rm[:, None] * N + rn[None, :];
    store(pc, acc);
}

kernel void chained(const f16 *a, const f16 *b, f16 *c, i32 K, constexpr i32 BM, constexpr i32 BN, constexpr i32 BK)
{
    i32 rm[BM] = range(BM), rn[BN] = range(BN), rk[BK] = range(BK);
    const f16 *pa[BM][BK] = a + rm[:, None] * K + rk[None, :];
    const f16 *pb[BK][BN] = b + rk[:, None] * BN + rn[None, :];
    f32 acc[BM][BN] = 0;
    for (i32 k = 0; k < K; k += BK) {
        f16 y[BK][BN] = load(pb);
        f32 first[BM][BN] = dot(load(pa), y, 0.0f);
        acc = dot((f16)first, y, acc);
        pa += BK;
    }
    f16 *pc[BM][BN] = c + rm[:, None] * BN + rn[None, :];
    store(pc, (f16)acc);
}
