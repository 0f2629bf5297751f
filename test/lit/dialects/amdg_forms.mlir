// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operations that Triton's AMD passes add to ttg text, in the forms of Triton 3.6; defaults and
// empty parts are not printed.
// RUN: %kiln compile %s --from=ttg --emit=ttg --no-line-info -o %t.mlir && FileCheck %s < %t.mlir
// RUN: %kiln compile %t.mlir --from=ttg --emit=ttg --no-line-info -o %t.again.mlir && diff %t.mlir %t.again.mlir
// RUN: split-file %S/Inputs/amdg_errors.txt %t.errors
// RUN: for f in %t.errors/*.ttgir; do sh -c "%kiln compile $f --from=ttg --emit=llvm -o -; test \$? = 1" 2>&1 \
// RUN:   | FileCheck $f || exit 1; done

// CHECK-DAG: #shared = #ttg.padded_shared<[64:+4, 512:+16] {order = [1, 0], shape = [64, 64]}>
// CHECK-DAG: #shared1 = #ttg.padded_shared<[64:+4] {offset = {{.*}}, block = []}>
// CHECK-DAG: #shared2 = #ttg.shared_linear<{offset = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]}, alignment = 16>
#blocked = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#across = #ttg.linear<{register = [[0, 1], [0, 32], [16, 0], [32, 0]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []}>
#shared = #ttg.padded_shared<[64:+4, 512:+16] {order = [1, 0], shape = [64, 64]}>
#shared1 = #ttg.padded_shared<[64:+4] {offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]}>
#shared2 = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], block = []}, alignment = 16>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @forms(%p: !tt.ptr<f32>, %q: !tt.ptr<i32>, %s: i32, %c: i1) {
    %m = arith.constant dense<true> : tensor<64x64xi1, #blocked>
    %o = arith.constant dense<3> : tensor<64x64xi32, #blocked>
    %v = arith.constant dense<1.0> : tensor<64x64xf32, #blocked>
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #blocked>
    // CHECK: amdg.buffer_load %arg0[%{{[a-z0-9_]*}}] : tensor<64x64xf32, #blocked>
    %0 = amdg.buffer_load %p[%o] {contiguity = 1 : i32} : tensor<64x64xf32, #blocked>
    // CHECK: amdg.buffer_load %arg0[%{{.*}}], %{{.*}}, %{{.*}} cacheModifier = cg stride = %arg2 {contiguity = 4 : i32} : tensor<64x64xf32, #blocked>
    %1 = amdg.buffer_load %p[%o], %m, %v cacheModifier = cg stride = %s {contiguity = 4 : i32} : tensor<64x64xf32, #blocked>
    // CHECK: amdg.buffer_store %{{.*}}, %arg0[%{{.*}}] : tensor<64x64xf32, #blocked>
    amdg.buffer_store %v, %p[%o] : tensor<64x64xf32, #blocked>
    // CHECK: amdg.buffer_store %{{.*}}, %arg0[%{{.*}}], %{{.*}} cacheModifier = wt stride = %arg2 : tensor<64x64xf32, #blocked>
    amdg.buffer_store %v, %p[%o], %m cacheModifier = wt stride = %s : tensor<64x64xf32, #blocked>
    // CHECK: amdg.buffer_atomic_rmw fadd, acq_rel, gpu, %{{.*}}, %arg0[%{{.*}}], %{{.*}} stride = %arg2 : tensor<64x64xf32, #blocked>
    %2 = amdg.buffer_atomic_rmw fadd, acq_rel, gpu, %v, %p[%o], %m stride = %s : tensor<64x64xf32, #blocked>
    // CHECK: amdg.buffer_atomic_cas relaxed, cta, %{{.*}}, %{{.*}}, %arg1[%{{.*}}] : tensor<64x64xi32, #blocked>
    %3 = amdg.buffer_atomic_cas relaxed, cta, %o, %o, %q[%o] : tensor<64x64xi32, #blocked>
    // CHECK: ttg.local_alloc {alignment = 32 : i32} : () -> !ttg.memdesc<64x64xf32, #shared, #smem, mutable>
    %4 = ttg.local_alloc {alignment = 32 : i32} : () -> !ttg.memdesc<64x64xf32, #shared, #smem, mutable>
    %5 = ttg.local_alloc %v : (tensor<64x64xf32, #blocked>) -> !ttg.memdesc<64x64xf32, #shared1, #smem>
    %6 = ttg.local_alloc : () -> !ttg.memdesc<64x64xf32, #shared2, #smem, mutable>
    // CHECK: amdg.buffer_load_to_local %arg0[%{{.*}}] into %{{.*}} {contiguity = 2 : i32} : <f32>[tensor<64x64xi32, #blocked>] -> <64x64xf32, #shared, #smem, mutable>
    %7 = amdg.buffer_load_to_local %p[%o] into %4 {contiguity = 2 : i32} : <f32>[tensor<64x64xi32, #blocked>] -> <64x64xf32, #shared, #smem, mutable>
    // CHECK: amdg.buffer_load_to_local %arg0[%{{.*}}] mask = %{{.*}} other = %{{.*}} stride = %arg2 cacheModifier = cg into %{{.*}} : <f32>[tensor<64x64xi32, #blocked>] tensor<64x64xf32, #blocked> -> <64x64xf32, #shared2, #smem, mutable>
    %8 = amdg.buffer_load_to_local %p[%o] mask = %m other = %v stride = %s cacheModifier = cg into %6 : <f32>[tensor<64x64xi32, #blocked>] tensor<64x64xf32, #blocked> -> <64x64xf32, #shared2, #smem, mutable>
    // CHECK: ttg.async_copy_global_to_local %{{.*}}, %{{.*}} mask %{{.*}} other %{{.*}} cacheModifier = ca evictionPolicy = evict_first {contiguity = 4 : i32} : tensor<64x64x!tt.ptr<f32>, #blocked> -> <64x64xf32, #shared, #smem, mutable>
    %9 = ttg.async_copy_global_to_local %ps, %4 mask %m other %v cacheModifier = ca evictionPolicy = evict_first {contiguity = 4 : i32} : tensor<64x64x!tt.ptr<f32>, #blocked> -> <64x64xf32, #shared, #smem, mutable>
    // CHECK: ttg.async_commit_group tokens %{{[0-9]+}}, %{{[0-9]+}}
    %10 = ttg.async_commit_group tokens %7, %8
    // CHECK: = ttg.async_commit_group{{$}}
    %11 = ttg.async_commit_group
    // CHECK: ttg.async_wait %{{[0-9]+}}, %{{[0-9]+}} {num = 1 : i32}
    %12 = ttg.async_wait %9, %10 {num = 1 : i32}
    // CHECK: amdg.async_wait {num_inst = 0 : i32}
    %13 = amdg.async_wait {num_inst = 0 : i32}
    // CHECK: ttg.local_load %{{[0-9]+}} token %{{[0-9]+}} : !ttg.memdesc<64x64xf32, #shared, #smem, mutable> -> tensor<64x64xf32, #blocked>
    %14 = ttg.local_load %4 token %12 : !ttg.memdesc<64x64xf32, #shared, #smem, mutable> -> tensor<64x64xf32, #blocked>
    // CHECK: ttg.memdesc_subslice %{{[0-9]+}}[0, 32] : !ttg.memdesc<64x64xf32, #shared2, #smem, mutable> -> !ttg.memdesc<64x32xf32, #shared2, #smem, mutable, 64x64>
    %15 = ttg.memdesc_subslice %6[0, 32] : !ttg.memdesc<64x64xf32, #shared2, #smem, mutable> -> !ttg.memdesc<64x32xf32, #shared2, #smem, mutable, 64x64>
    // CHECK: ttg.memdesc_reinterpret %{{[0-9]+}} : !ttg.memdesc<64x64xf32, #shared2, #smem, mutable> -> !ttg.memdesc<64x64xi32, #shared2, #smem, mutable>
    %16 = ttg.memdesc_reinterpret %6 : !ttg.memdesc<64x64xf32, #shared2, #smem, mutable> -> !ttg.memdesc<64x64xi32, #shared2, #smem, mutable>
    // CHECK: amdg.in_thread_transpose %{{[0-9]+}} : tensor<64x64xf32, #blocked> -> tensor<64x64xf32, #linear>
    %17 = amdg.in_thread_transpose %14 : tensor<64x64xf32, #blocked> -> tensor<64x64xf32, #across>
    // CHECK: amdg.extract_slice %{{[0-9]+}} [16, 32] : tensor<64x64xf32, #blocked> to tensor<16x32xf32, #blocked>
    %18 = amdg.extract_slice %14 [16, 32] : tensor<64x64xf32, #blocked> to tensor<16x32xf32, #blocked>
    // CHECK: amdg.concat %{{[0-9]+}}, %{{[0-9]+}} : tensor<16x32xf32, #blocked>, tensor<16x32xf32, #blocked> -> tensor<16x64xf32, #blocked>
    %19 = amdg.concat %18, %18 : tensor<16x32xf32, #blocked>, tensor<16x32xf32, #blocked> -> tensor<16x64xf32, #blocked>
    %codes = arith.constant dense<127> : tensor<16x2xi8, #blocked>
    // CHECK: amdg.upcast_mxfp %{{.*}}, %{{.*}} fp_type = e5m2 {fastMath = false} : tensor<16x64xf32, #blocked>, tensor<16x2xi8, #blocked> -> tensor<16x64xf32, #blocked>
    %upcast = amdg.upcast_mxfp %19, %codes fp_type = e5m2 {fastMath = false} : tensor<16x64xf32, #blocked>, tensor<16x2xi8, #blocked> -> tensor<16x64xf32, #blocked>
    // CHECK: amdg.cond_barrier %arg3
    amdg.cond_barrier %c
    // CHECK: amdg.memory_counter_wait load(3) store(2) ds(0)
    amdg.memory_counter_wait ds(0) load(3) store(2)
    // CHECK: amdg.instruction_sched_hint {variant = #amdg.SchedHintVariant<attention>}
    amdg.instruction_sched_hint {variant = #amdg.SchedHintVariant<attention>}
    // CHECK: rocdl.s.setprio 1
    rocdl.s.setprio 1
    // CHECK: rocdl.sched.barrier 0
    rocdl.sched.barrier 0
    // CHECK: rocdl.s.barrier
    rocdl.s.barrier
    // CHECK: rocdl.workitem.id.x : i32
    %20 = rocdl.workitem.id.x : i32
    // CHECK: ttg.warp_id
    %21 = ttg.warp_id
    // CHECK: ttg.local_barrier
    ttg.local_barrier
    // CHECK: ttg.global_scratch_alloc {alignment = 8 : i32, nbytes = 128 : i32} : !tt.ptr<i8>
    %22 = ttg.global_scratch_alloc {alignment = 8 : i32, nbytes = 128 : i32} : !tt.ptr<i8>
    tt.return
  }
}
