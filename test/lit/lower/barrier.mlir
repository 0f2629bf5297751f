// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A load from LDS before a barrier stays before it, even if only a branch after the barrier uses
// it: LLVM's MachineSink would move it. The assembly that keeps it there clobbers nothing, since
// LLVM compares clobbers with the names of all registers.
// RUN: kiln compile %s --from=ttg --emit=asm --passes= --no-line-info -o - | FileCheck %s
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes -o - \
// RUN:   | FileCheck %s --check-prefix=LLVM

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // LLVM: call void asm sideeffect "", ""()
  // CHECK-LABEL: f:
  // CHECK: ds_write_b32
  // CHECK: s_barrier
  // CHECK: ds_read_b32
  // CHECK: s_waitcnt lgkmcnt(0)
  // CHECK: s_barrier
  // CHECK: s_cbranch
  // CHECK-NOT: ds_read
  // CHECK: buffer_store_dword
  tt.func public @f(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32}, %c: i1) {
    %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #blocked>
    %one = arith.constant dense<1> : tensor<256xi32, #blocked>
    %b = ttg.local_alloc %i : (tensor<256xi32, #blocked>) -> !ttg.memdesc<256xi32, #shared, #smem, mutable>
    %v = ttg.local_load %b : !ttg.memdesc<256xi32, #shared, #smem, mutable> -> tensor<256xi32, #blocked>
    ttg.barrier local
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #blocked>
    %p = tt.addptr %xs, %i : tensor<256x!tt.ptr<i32>, #blocked>, tensor<256xi32, #blocked>
    scf.if %c {
      tt.store %p, %v : tensor<256x!tt.ptr<i32>, #blocked>
    }
    ttg.local_store %one, %b : tensor<256xi32, #blocked> -> !ttg.memdesc<256xi32, #shared, #smem, mutable>
    %w = ttg.local_load %b : !ttg.memdesc<256xi32, #shared, #smem, mutable> -> tensor<256xi32, #blocked>
    tt.store %p, %w : tensor<256x!tt.ptr<i32>, #blocked>
    tt.return
  }
}
