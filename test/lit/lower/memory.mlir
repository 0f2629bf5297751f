// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores: 16 bytes at once if axis information allows it; through a buffer resource if
// the pointer's range is below 2 GiB, so that masks need no branch (resources.mlir has others);
// else predicated by branches; copies are stored once.
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info --kernel=masked -o - \
// RUN:   | FileCheck %s --check-prefix=MASKED
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info --kernel=branches -o - \
// RUN:   | FileCheck %s --check-prefix=BRANCHES
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info --kernel=copies -o - \
// RUN:   | FileCheck %s --check-prefix=COPIES
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info --kernel=modifiers -o - \
// RUN:   | FileCheck %s --check-prefix=MODIFIERS
// RUN: kiln compile %s --from=ttg --emit=asm --passes= --no-line-info --kernel=masked -o - \
// RUN:   | FileCheck %s --check-prefix=ASM

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
#scalar = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // MASKED-LABEL: define {{.*}}@masked(
  // MASKED-NOT: br i1
  // MASKED: call <4 x i32> @llvm.amdgcn.raw.ptr.buffer.load.v4i32(
  // MASKED: select i1 {{.*}}, <4 x i32> {{.*}}, <4 x i32> splat (i32 1077936128)
  // MASKED-NOT: br i1
  // MASKED: call void @llvm.amdgcn.raw.ptr.buffer.store.v4i32(
  // ASM-LABEL: masked:
  // ASM: buffer_load_dwordx4
  // ASM-NOT: s_cbranch
  // ASM: buffer_store_dwordx4
  tt.func public @masked(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
    %other = arith.constant dense<3.0> : tensor<1024xf32, #blocked>
    %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #blocked>
    %ns = tt.splat %n : i32 -> tensor<1024xi32, #blocked>
    %m = arith.cmpi slt, %i, %ns : tensor<1024xi32, #blocked>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #blocked>
    %p = tt.addptr %xs, %i : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
    %v = tt.load %p, %m, %other : tensor<1024x!tt.ptr<f32>, #blocked>
    tt.store %p, %v, %m : tensor<1024x!tt.ptr<f32>, #blocked>
    tt.return
  }
  // Nothing is known of the buffer's size, nor of the offsets: 64-bit addresses, a branch around
  // the access, zero where it is not taken.
  // BRANCHES-LABEL: define {{.*}}@branches(
  // BRANCHES-NOT: raw.ptr.buffer
  // BRANCHES: br i1 %{{.*}}, label %[[LOAD:load.*]], label %[[LOADED:loaded.*]]
  // BRANCHES: [[LOAD]]:
  // BRANCHES: load <4 x i32>, ptr addrspace(1) %{{.*}}, align 16
  // BRANCHES: [[LOADED]]:
  // BRANCHES: phi <4 x i32> [ %{{.*}}, %[[LOAD]] ], [ zeroinitializer,
  // BRANCHES: br i1
  // BRANCHES: store <4 x i32> %{{.*}}, align 16
  tt.func public @branches(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
    %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #blocked>
    %ns = tt.splat %n : i32 -> tensor<1024xi32, #blocked>
    %m = arith.cmpi slt, %i, %ns : tensor<1024xi32, #blocked>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #blocked>
    %o = arith.remsi %i, %ns : tensor<1024xi32, #blocked>
    %p = tt.addptr %xs, %o : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
    %v = tt.load %p, %m : tensor<1024x!tt.ptr<f32>, #blocked>
    tt.store %p, %v, %m : tensor<1024x!tt.ptr<f32>, #blocked>
    tt.return
  }
  // 64 elements in 256 threads: every warp loads, the first one stores. A scalar is stored by one
  // thread.
  // COPIES-LABEL: define {{.*}}@copies(
  // COPIES: %[[WAVE:.*]] = and i32 %wave, 3
  // COPIES: %[[FIRST:.*]] = icmp eq i32 %[[WAVE]], 0
  // COPIES: call i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(
  // COPIES: %[[OFFSET:.*]] = select i1 %[[FIRST]], i32 %{{.*}}, i32 -2147483648
  // COPIES: call void @llvm.amdgcn.raw.ptr.buffer.store.i32(i32 %{{.*}}, ptr addrspace(8) %{{.*}}, i32 %[[OFFSET]],
  // COPIES: %[[LANE:.*]] = icmp eq i32 %lane, 0
  // COPIES: %[[WAVE0:.*]] = icmp eq i32 %wave, 0
  // COPIES: %[[ONE:.*]] = and i1 %[[LANE]], %[[WAVE0]]
  // COPIES: br i1 %[[ONE]]
  // COPIES: store i32 7
  tt.func public @copies(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32}) {
    %c7 = arith.constant 7 : i32
    %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #scalar>
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #scalar>
    %p = tt.addptr %xs, %i : tensor<64x!tt.ptr<i32>, #scalar>, tensor<64xi32, #scalar>
    %v = tt.load %p : tensor<64x!tt.ptr<i32>, #scalar>
    tt.store %p, %v : tensor<64x!tt.ptr<i32>, #scalar>
    tt.store %x, %c7 : !tt.ptr<i32>
    tt.return
  }
  // MODIFIERS-LABEL: define {{.*}}@modifiers(
  // MODIFIERS: @llvm.amdgcn.raw.ptr.buffer.load.v4i32({{.*}}, i32 3)
  // MODIFIERS: load volatile <4 x i32>
  // MODIFIERS: @llvm.amdgcn.raw.ptr.buffer.store.v4i32({{.*}}, i32 3)
  tt.func public @modifiers(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32}) {
    %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #blocked>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #blocked>
    %p = tt.addptr %xs, %i : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
    %v = tt.load %p cacheModifier = cg : tensor<1024x!tt.ptr<f32>, #blocked>
    %w = tt.load %p {isVolatile = true} : tensor<1024x!tt.ptr<f32>, #blocked>
    %s = arith.addf %v, %w : tensor<1024xf32, #blocked>
    tt.store %p, %s cacheModifier = cs : tensor<1024x!tt.ptr<f32>, #blocked>
    tt.return
  }
}
