// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomics: scopes and orders as in tt; a scalar's operation is executed by one thread, ordered for
// all, and its result shared through LDS. A relaxed one whose result is unused goes through a buffer
// resource where a store would, so that a mask needs no branch.
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info --kernel=relaxed -o - \
// RUN:   | FileCheck %s --check-prefix=RELAXED
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info --kernel=lock -o - \
// RUN:   | FileCheck %s --check-prefix=LOCK
// RUN: kiln compile %s --from=ttg --emit=asm --passes= --no-line-info --kernel=relaxed -o - \
// RUN:   | FileCheck %s --check-prefix=ASM
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info --kernel=near -o - \
// RUN:   | FileCheck %s --check-prefix=NEAR
// RUN: kiln compile %s --from=ttg --emit=asm --passes= --no-line-info --kernel=near -o - \
// RUN:   | FileCheck %s --check-prefix=NEAR-ASM

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // RELAXED-LABEL: define {{.*}}@relaxed(
  // RELAXED-NOT: fence
  // RELAXED: atomicrmw fadd ptr addrspace(1) %{{.*}}, float 1.000000e+00 syncscope("agent") monotonic, {{.*}}!amdgpu.no.fine.grained.memory
  // RELAXED-NOT: fence
  // RELAXED: ret void
  // ASM: global_atomic_add_f32
  // ASM-NOT: cmpswap
  tt.func public @relaxed(%x: !tt.ptr<f32>) {
    %v = arith.constant dense<1.0> : tensor<256xf32, #blocked>
    %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #blocked>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #blocked>
    %p = tt.addptr %xs, %i : tensor<256x!tt.ptr<f32>, #blocked>, tensor<256xi32, #blocked>
    %old = tt.atomic_rmw fadd, relaxed, gpu, %p, %v : (tensor<256x!tt.ptr<f32>, #blocked>, tensor<256xf32, #blocked>) -> tensor<256xf32, #blocked>
    tt.return
  }
  // The second one orders other accesses, the third one's result is used, the fourth one is seen by
  // other devices.
  // NEAR-LABEL: define {{.*}}@near(
  // NEAR-NOT: br i1
  // NEAR: call float @llvm.amdgcn.raw.ptr.buffer.atomic.fadd.f32(float 1.000000e+00, ptr addrspace(8)
  // NEAR-NOT: buffer.atomic
  // NEAR: atomicrmw fadd
  // NEAR: atomicrmw fadd
  // NEAR: atomicrmw fadd {{.*}}, float 1.000000e+00 monotonic
  // NEAR: ret void
  // NEAR-ASM: v_cndmask
  // NEAR-ASM: buffer_atomic_add_f32
  tt.func public @near(%x: !tt.ptr<f32> {tt.pointer_range = 32 : i32}, %n: i32) {
    %v = arith.constant dense<1.0> : tensor<256xf32, #blocked>
    %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #blocked>
    %ns = tt.splat %n : i32 -> tensor<256xi32, #blocked>
    %m = arith.cmpi slt, %i, %ns : tensor<256xi32, #blocked>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #blocked>
    %p = tt.addptr %xs, %i : tensor<256x!tt.ptr<f32>, #blocked>, tensor<256xi32, #blocked>
    %a = tt.atomic_rmw fadd, relaxed, gpu, %p, %v, %m : (tensor<256x!tt.ptr<f32>, #blocked>, tensor<256xf32, #blocked>, tensor<256xi1, #blocked>) -> tensor<256xf32, #blocked>
    %b = tt.atomic_rmw fadd, acquire, gpu, %p, %v : (tensor<256x!tt.ptr<f32>, #blocked>, tensor<256xf32, #blocked>) -> tensor<256xf32, #blocked>
    %c = tt.atomic_rmw fadd, relaxed, gpu, %p, %v : (tensor<256x!tt.ptr<f32>, #blocked>, tensor<256xf32, #blocked>) -> tensor<256xf32, #blocked>
    tt.store %p, %c : tensor<256x!tt.ptr<f32>, #blocked>
    %d = tt.atomic_rmw fadd, relaxed, sys, %p, %v : (tensor<256x!tt.ptr<f32>, #blocked>, tensor<256xf32, #blocked>) -> tensor<256xf32, #blocked>
    tt.return
  }
  // LOCK-LABEL: define {{.*}}@lock(
  // LOCK: fence syncscope("agent") release
  // LOCK-NEXT: call void @llvm.amdgcn.s.waitcnt(
  // LOCK-NEXT: call void @llvm.amdgcn.s.barrier()
  // LOCK: br i1
  // LOCK: cmpxchg ptr addrspace(1) %{{.*}}, i32 0, i32 1 syncscope("agent") monotonic monotonic
  // LOCK: store i32 %{{.*}}, ptr addrspace(3)
  // LOCK: call void @llvm.amdgcn.s.barrier()
  // LOCK: load i32, ptr addrspace(3)
  // LOCK: call i32 @llvm.amdgcn.readfirstlane
  // LOCK: fence syncscope("agent") acquire
  tt.func public @lock(%x: !tt.ptr<i32> {tt.pointer_range = 32 : i32}, %y: !tt.ptr<i32>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %old = tt.atomic_cas acq_rel, gpu, %x, %c0, %c1 : (!tt.ptr<i32>, i32, i32) -> i32
    tt.store %y, %old : !tt.ptr<i32>
    tt.return
  }
}
