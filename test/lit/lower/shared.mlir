// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared memory and layout conversions: static LDS of the used size, wide accesses, barriers that
// order only LDS, a ring of buffers by a uniform offset. Conversions that only rename registers
// emit nothing.
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info --kernel=ring -o - \
// RUN:   | FileCheck %s --check-prefix=RING
// RUN: kiln compile %s --from=ttg --emit=asm --passes= --no-line-info --kernel=ring -o - \
// RUN:   | FileCheck %s --check-prefix=ASM
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info --kernel=through_lds -o - \
// RUN:   | FileCheck %s --check-prefix=LDS
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info --kernel=renamed -o - \
// RUN:   | FileCheck %s --check-prefix=RENAMED
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info --kernel=swapped_lanes -o - \
// RUN:   | FileCheck %s --check-prefix=LANES

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [16, 16, 16], isTransposed = true}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#smem = #ttg.shared_memory
#row = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#col = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [64, 1], warpsPerCTA = [1, 4], order = [1, 0]}>
#two = #ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#too = #ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [0, 1]}>
#lin = #ttg.linear<{register = [[1, 0], [0, 1]], lane = [[0, 2], [0, 4], [0, 8], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [32, 0]], block = []}>
#lin2 = #ttg.linear<{register = [[1, 0], [0, 1]], lane = [[0, 4], [0, 2], [0, 8], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [32, 0]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // RING: @lds = internal addrspace(3) global [8192 x i8] poison, align 16
  // RING-LABEL: define {{.*}}@ring(
  // RING: %[[OFFSET:.*]] = mul i32 %{{.*}}, 4096
  // RING: store <8 x half> {{.*}}, align 16
  // RING: fence syncscope("workgroup") release, !mmra ![[LOCAL:.*]]
  // RING-NEXT: call void @llvm.amdgcn.s.waitcnt(
  // RING-NEXT: call void @llvm.amdgcn.s.barrier()
  // RING-NEXT: fence syncscope("workgroup") acquire, !mmra ![[LOCAL]]
  // RING: load <4 x half>, ptr addrspace(3)
  // RING: ![[LOCAL]] = !{!"amdgpu-synchronize-as", !"local"}
  // ASM-LABEL: ring:
  // ASM: ds_write_b128
  // ASM: s_barrier
  // ASM: ds_read{{.*}}_b64
  tt.func public @ring(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32}, %n: i32) {
    %i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %e = tt.expand_dims %i {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x32xi32, #blocked>
    %b = tt.broadcast %e : tensor<1x32xi32, #blocked> -> tensor<64x32xi32, #blocked>
    %xs = tt.splat %x : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #blocked>
    %p = tt.addptr %xs, %b : tensor<64x32x!tt.ptr<f16>, #blocked>, tensor<64x32xi32, #blocked>
    %v = tt.load %p : tensor<64x32x!tt.ptr<f16>, #blocked>
    %r = ttg.local_alloc : () -> !ttg.memdesc<2x64x32xf16, #shared, #smem, mutable>
    %s = ttg.memdesc_index %r[%n] : !ttg.memdesc<2x64x32xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x32xf16, #shared, #smem, mutable>
    ttg.local_store %v, %s : tensor<64x32xf16, #blocked> -> !ttg.memdesc<64x32xf16, #shared, #smem, mutable>
    %l = ttg.local_load %s : !ttg.memdesc<64x32xf16, #shared, #smem, mutable> -> tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
    %c = ttg.convert_layout %l : tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> -> tensor<64x32xf16, #blocked>
    tt.store %p, %c : tensor<64x32x!tt.ptr<f16>, #blocked>
    tt.return
  }
  // LDS-LABEL: define {{.*}}@through_lds(
  // LDS: store {{.*}} addrspace(3)
  // LDS: call void @llvm.amdgcn.s.barrier()
  // LDS: load {{.*}} addrspace(3)
  tt.func public @through_lds(%x: !tt.ptr<i32> {tt.pointer_range = 32 : i32}) {
    %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #row}>>
    %e = tt.expand_dims %i {axis = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #row}>> -> tensor<1x16xi32, #row>
    %b = tt.broadcast %e : tensor<1x16xi32, #row> -> tensor<64x16xi32, #row>
    %c = ttg.convert_layout %b : tensor<64x16xi32, #row> -> tensor<64x16xi32, #col>
    tt.return
  }
  // RENAMED-NOT: addrspace(3)
  // RENAMED-LABEL: define {{.*}}@renamed(
  // RENAMED-NOT: bpermute
  // RENAMED: ret void
  tt.func public @renamed(%x: !tt.ptr<i32> {tt.pointer_range = 32 : i32}) {
    %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #two}>>
    %e = tt.expand_dims %i {axis = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #two}>> -> tensor<1x16xi32, #two>
    %b = tt.broadcast %e : tensor<1x16xi32, #two> -> tensor<64x16xi32, #two>
    %c = ttg.convert_layout %b : tensor<64x16xi32, #two> -> tensor<64x16xi32, #lin>
    tt.return
  }
  // LANES-LABEL: define {{.*}}@swapped_lanes(
  // LANES-NOT: addrspace(3)
  // LANES: call i32 @llvm.amdgcn.ds.bpermute(
  // LANES: ret void
  tt.func public @swapped_lanes(%x: !tt.ptr<i32> {tt.pointer_range = 32 : i32}) {
    %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #lin}>>
    %e = tt.expand_dims %i {axis = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #lin}>> -> tensor<1x16xi32, #lin>
    %b = tt.broadcast %e : tensor<1x16xi32, #lin> -> tensor<64x16xi32, #lin>
    %c = ttg.convert_layout %b : tensor<64x16xi32, #lin> -> tensor<64x16xi32, #lin2>
    tt.return
  }
}
