// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forms of Triton 3.9 that differ from 3.6's are parsed to the same operations, and printed in 3.6's form.
// RUN: %kiln compile %s --from=ttg --emit=ttg --no-line-info -o %t.mlir && FileCheck %s < %t.mlir
// RUN: %kiln compile %t.mlir --from=ttg --emit=ttg --no-line-info -o %t.again.mlir && diff %t.mlir %t.again.mlir
// RUN: split-file %S/Inputs/newer_errors.txt %t.errors
// RUN: for f in %t.errors/*.ttir; do sh -c "%kiln compile $f -o %t.hsaco; test \$? = 1" 2>&1 | FileCheck $f \
// RUN:   || exit 1; done

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
#wide = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#bytes = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
// K of up to 3.5's matrix instructions is each dot's own.
// CHECK: #mma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32], isTransposed = true}>
#mma = #ttg.amd_mfma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [32, 32], isTransposed = true}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // CHECK: tt.func @f(%arg0: !tt.ptr<f32>, %arg1: !tt.ptr<f32>, %arg2: !tt.ptr<f32>, %arg3: !tt.ptr<i32>, %arg4: i32, %arg5: !tt.ptr<f32, 3>)
  tt.func @f(%p: !tt.ptr<f32>, %c: !tt.ptr<f32, "constant">, %g: !tt.ptr<f32, "global">, %q: !tt.ptr<i32>, %s: i32, %l: !tt.ptr<f32, 3>) {
    %m = arith.constant dense<true> : tensor<64xi1, #blocked>
    %o = arith.constant dense<3> : tensor<64xi32, #blocked>
    %v = arith.constant dense<1.0> : tensor<64xf32, #blocked>
    %acc = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    // CHECK: tt.splat %arg1 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #blocked>
    %ps = tt.splat %c : !tt.ptr<f32, "constant"> -> tensor<64x!tt.ptr<f32, "constant">, #blocked>
    %qs = tt.splat %q : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #blocked>
    // CHECK: tt.load %{{[0-9]+}}, %{{.*}}, %{{.*}} cacheModifier = cg evictionPolicy = evict_first {isVolatile = true} : tensor<64x!tt.ptr<f32>, #blocked>
    %0 = tt.load %ps, %m, %v {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_first>, isVolatile = true} : tensor<64x!tt.ptr<f32, "constant">, #blocked>
    // CHECK: tt.load %arg1 evictionPolicy = evict_last : !tt.ptr<f32>
    %1 = tt.load %c {cachePolicy = #tt.cache_policy<cache_modifier = none, eviction_policy = evict_last>} : !tt.ptr<f32, "constant">
    // CHECK: tt.store %arg0, %{{[0-9]+}} cacheModifier = wt : !tt.ptr<f32>
    tt.store %p, %1 {cachePolicy = #tt.cache_policy<cache_modifier = wt, eviction_policy = evict_normal>} : !tt.ptr<f32>
    // CHECK: amdg.buffer_load %arg1[%{{.*}}], %{{.*}}, %{{.*}} cacheModifier = ca stride = %arg4 {contiguity = 4 : i32} : tensor<64xf32, #blocked>
    %2 = amdg.buffer_load %c[%o], %m, %v stride = %s {cachePolicy = #tt.cache_policy<cache_modifier = ca, eviction_policy = evict_first>, contiguity = 4 : i32} : !tt.ptr<f32, "constant"> -> tensor<64xf32, #blocked>
    // CHECK: amdg.buffer_store %{{[0-9]+}}, %arg0[%{{.*}}] cacheModifier = cs : tensor<64xf32, #blocked>
    amdg.buffer_store %2, %p[%o] {cachePolicy = #tt.cache_policy<cache_modifier = cs, eviction_policy = evict_normal>} : !tt.ptr<f32> -> tensor<64xf32, #blocked>
    // CHECK: amdg.buffer_atomic_rmw fadd, relaxed, gpu, %{{.*}}, %arg0[%{{.*}}], %{{.*}} : tensor<64xf32, #blocked>
    %3 = amdg.buffer_atomic_rmw fadd, relaxed, gpu, %v, %p[%o], %m : !tt.ptr<f32> -> tensor<64xf32, #blocked>
    // CHECK: amdg.buffer_atomic_cas acquire, sys, %{{.*}}, %{{.*}}, %arg3[%{{.*}}] : tensor<64xi32, #blocked>
    %4 = amdg.buffer_atomic_cas acquire, sys, %o, %o, %q[%o] : !tt.ptr<i32> -> tensor<64xi32, #blocked>
    // CHECK: tt.atomic_load acquire, gpu, %{{.*}}, %{{.*}} : (tensor<64x!tt.ptr<i32>, #blocked>, tensor<64xi1, #blocked>) -> tensor<64xi32, #blocked>
    %5 = tt.atomic_load acquire, gpu, %qs, %m : (tensor<64x!tt.ptr<i32>, #blocked>, tensor<64xi1, #blocked>) -> tensor<64xi32, #blocked>
    // CHECK: tt.atomic_load relaxed, sys, %arg3 : (!tt.ptr<i32>) -> i32
    %6 = tt.atomic_load relaxed, sys, %q : (!tt.ptr<i32>) -> i32
    // CHECK: tt.atomic_rmw exch, release, gpu, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<64x!tt.ptr<i32>, #blocked>, tensor<64xi32, #blocked>, tensor<64xi1, #blocked>) -> tensor<64xi32, #blocked>
    tt.atomic_store release, gpu, %qs, %5, %m : tensor<64x!tt.ptr<i32>, #blocked>
    // CHECK: tt.atomic_rmw exch, relaxed, cta, %arg3, %{{[0-9]+}} : (!tt.ptr<i32>, i32) -> i32
    tt.atomic_store relaxed, cta, %q, %6 : !tt.ptr<i32>
    %limit = arith.constant 1000 : i64
    // CHECK: tt.atomic_poll relaxed, cta, %{{.*}}, %{{.*}} timeout %{{.*}} : tensor<64x!tt.ptr<i32>, #blocked>, tensor<64xi32, #blocked> -> tensor<64xi1, #blocked>
    %7 = tt.atomic_poll relaxed, cta, %qs, %5 timeout %limit : tensor<64x!tt.ptr<i32>, #blocked>, tensor<64xi32, #blocked> -> tensor<64xi1, #blocked>
    %buffer = ttg.local_alloc : () -> !ttg.memdesc<64xf32, #shared, #ttg.shared_memory, mutable>
    // CHECK: ttg.async_copy_global_to_local %{{.*}}, %{{.*}} cacheModifier = cg evictionPolicy = evict_last : tensor<64x!tt.ptr<f32>, #blocked> ->
    %8 = ttg.async_copy_global_to_local %ps, %buffer {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_last>} : tensor<64x!tt.ptr<f32, "constant">, #blocked> -> <64xf32, #shared, #ttg.shared_memory, mutable>
    %e = arith.constant dense<1.0> : tensor<64x64xf8E5M2, #wide>
    %i = arith.constant dense<18> : tensor<64x32xi8, #bytes>
    %b = arith.constant dense<2.0> : tensor<64x64xbf16, #wide>
    // CHECK: amdg.scaled_upcast_fp8 %{{.*}} scale %{{.*}} : tensor<64x64xf8E5M2, #blocked1>, tensor<64x64xbf16, #blocked1> -> tensor<64x64xbf16, #blocked1>
    %9 = amdg.scaled_upcast_fp8 %e scale %b : tensor<64x64xf8E5M2, #wide>, tensor<64x64xbf16, #wide> -> tensor<64x64xbf16, #wide>
    // CHECK: amdg.scaled_upcast_fp4 %{{.*}} scale %{{.*}} {axis = 1 : i32} : tensor<64x32xi8, #blocked2>, tensor<64x64xbf16, #blocked1> -> tensor<64x64xf16, #blocked1>
    %10 = amdg.scaled_upcast_fp4 %i scale %b {axis = 1 : i32} : tensor<64x32xi8, #bytes>, tensor<64x64xbf16, #wide> -> tensor<64x64xf16, #wide>
    tt.return
  }
  // CHECK: tt.descriptor_load %{{.*}}[%{{.*}}] cacheModifier = cg evictionPolicy = evict_first : !tt.tensordesc<tensor<16xf32>> -> tensor<16xf32>
  tt.func @d(%d: !tt.tensordesc<16xf32>, %i: i32) -> tensor<16xf32> {
    %0 = tt.descriptor_load %d[%i] {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_first>} : !tt.tensordesc<16xf32> -> tensor<16xf32>
    tt.return %0 : tensor<16xf32>
  }
}
