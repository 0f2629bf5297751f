// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Encodings, memory descriptors and operations of ttg, as Triton 3.6 prints them.
// RUN: kiln compile %s --from=ttg --emit=ttg --passes=cse --no-line-info -o %t.mlir && FileCheck %s < %t.mlir
// RUN: kiln compile %t.mlir --from=ttg --emit=ttg --passes=cse --no-line-info -o %t.again.mlir \
// RUN:   && diff %t.mlir %t.again.mlir

// CHECK-DAG: #blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: #linear = #ttg.linear<{register = {{\[\[}}1, 0], [0, 1], [0, 2], [0, 4]], lane = {{\[\[}}0, 8], [0, 16], [0, 32], [0, 64], [2, 0], [4, 0]], warp = {{\[\[}}8, 0], [16, 0]], block = []}>
// CHECK-DAG: #mma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [16, 16, 16], isTransposed = true}>
// CHECK-DAG: #shared = #ttg.swizzled_shared<{vec = 4, perPhase = 2, maxPhase = 8, order = [1, 0]}>
// CHECK-DAG: #shared1 = #ttg.amd_rotating_shared<{vec = 4, perPhase = 2, maxPhase = 8, order = [0, 1]}>
// CHECK-DAG: #smem = #ttg.shared_memory
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#linear = #ttg.linear<{register = [[1, 0], [0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [0, 64], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}>
#mma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [16, 16, 16], isTransposed = true}>
#shared = #ttg.swizzled_shared<{vec = 4, perPhase = 2, maxPhase = 8, order = [1, 0]}>
#shared1 = #ttg.amd_rotating_shared<{vec = 4, perPhase = 2, maxPhase = 8, order = [0, 1]}>
#smem = #ttg.shared_memory

// CHECK: module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @k(%p: !tt.ptr<f16>, %i: i32) {
    // CHECK: ttg.local_alloc : () -> !ttg.memdesc<2x128x32xf16, #shared, #smem, mutable>
    %buffers = ttg.local_alloc : () -> !ttg.memdesc<2x128x32xf16, #shared, #smem, mutable>
    // CHECK: ttg.memdesc_index %{{[a-z0-9]+}}[%{{[a-z0-9]+}}] : !ttg.memdesc<2x128x32xf16, #shared, #smem, mutable> -> !ttg.memdesc<128x32xf16, #shared, #smem, mutable>
    %one = ttg.memdesc_index %buffers[%i] : !ttg.memdesc<2x128x32xf16, #shared, #smem, mutable> -> !ttg.memdesc<128x32xf16, #shared, #smem, mutable>
    %x = arith.constant dense<1.0> : tensor<128x32xf16, #blocked>
    // CHECK: ttg.local_store %{{.*}}, %{{.*}} : tensor<128x32xf16, #blocked> -> !ttg.memdesc<128x32xf16, #shared, #smem, mutable>
    ttg.local_store %x, %one : tensor<128x32xf16, #blocked> -> <128x32xf16, #shared, #smem, mutable>
    // CHECK: ttg.memdesc_subslice %{{.*}}[0, 16] : !ttg.memdesc<128x32xf16, #shared, #smem, mutable> -> !ttg.memdesc<128x16xf16, #shared, #smem, mutable, 128x32>
    %half = ttg.memdesc_subslice %one[0, 16] : !ttg.memdesc<128x32xf16, #shared, #smem, mutable> -> !ttg.memdesc<128x16xf16, #shared, #smem, mutable, 128x32>
    // CHECK: ttg.local_load %{{.*}} : !ttg.memdesc<128x16xf16, #shared, #smem, mutable, 128x32> -> tensor<128x16xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
    %part = ttg.local_load %half : !ttg.memdesc<128x16xf16, #shared, #smem, mutable, 128x32> -> tensor<128x16xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
    // CHECK: ttg.memdesc_trans %{{.*}} {order = array<i32: 1, 0>} : !ttg.memdesc<128x32xf16, #shared, #smem, mutable> -> !ttg.memdesc<32x128xf16, #shared1, #smem, mutable>
    %t = ttg.memdesc_trans %one {order = array<i32: 1, 0>} : !ttg.memdesc<128x32xf16, #shared, #smem, mutable> -> !ttg.memdesc<32x128xf16, #shared1, #smem, mutable>
    // CHECK: ttg.barrier local
    ttg.barrier local
    // CHECK: ttg.local_load %{{.*}} : {{.*}} -> tensor<32x128xf16, #linear>
    %y = ttg.local_load %t : !ttg.memdesc<32x128xf16, #shared1, #smem, mutable> -> tensor<32x128xf16, #linear>
    // CHECK: ttg.convert_layout %{{.*}} : tensor<32x128xf16, #linear> -> tensor<32x128xf16, #blocked>
    %z = ttg.convert_layout %y : tensor<32x128xf16, #linear> -> tensor<32x128xf16, #blocked>
    %ps = tt.splat %p : !tt.ptr<f16> -> tensor<32x128x!tt.ptr<f16>, #blocked>
    tt.store %ps, %z : tensor<32x128x!tt.ptr<f16>, #blocked>
    %ps2 = tt.splat %p : !tt.ptr<f16> -> tensor<128x16x!tt.ptr<f16>, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
    tt.store %ps2, %part : tensor<128x16x!tt.ptr<f16>, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
    // CHECK: ttg.local_dealloc %{{.*}} : !ttg.memdesc<2x128x32xf16, #shared, #smem, mutable>
    ttg.local_dealloc %buffers : !ttg.memdesc<2x128x32xf16, #shared, #smem, mutable>
    // CHECK: ttg.barrier global_read|global_write
    ttg.barrier global_read|global_write
    // CHECK: ttg.barrier all
    ttg.barrier all
    tt.return
  }
}
