// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions: registers, then lanes by DPP, then waves through LDS, each thread reading what its result needs. Copies are not combined.
// RUN: kiln compile %s --from=ttg --emit=asm --passes= --no-line-info --kernel=whole -o - \
// RUN:   | FileCheck %s --check-prefix=WHOLE
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info --kernel=rows -o - \
// RUN:   | FileCheck %s --check-prefix=ROWS
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info --kernel=copies -o - \
// RUN:   | FileCheck %s --check-prefix=COPIES

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // WHOLE-LABEL: whole:
  // WHOLE: quad_perm:[1,0,3,2]
  // WHOLE: quad_perm:[2,3,0,1]
  // WHOLE: row_half_mirror
  // WHOLE: row_ror:8
  // WHOLE: v_add_f32_dpp {{.*}} row_bcast:15 row_mask:0xf
  // WHOLE: v_add_f32_dpp {{.*}} row_bcast:31 row_mask:0xf
  // WHOLE: v_readlane_b32 {{.*}}, 63
  // WHOLE: ds_write_b32
  // WHOLE: s_barrier
  // WHOLE: ds_read_b128
  // WHOLE-NOT: ds_bpermute
  tt.func public @whole(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32}) {
    %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #blocked>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #blocked>
    %p = tt.addptr %xs, %i : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
    %v = tt.load %p : tensor<1024x!tt.ptr<f32>, #blocked>
    %r = "tt.reduce"(%v) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tt.reduce.return %s : f32
    }) : (tensor<1024xf32, #blocked>) -> f32
    tt.store %x, %r : !tt.ptr<f32>
    tt.return
  }
  // Four lanes and two registers hold a row: no LDS at all, and the slice needs no conversion.
  // ROWS-LABEL: define {{.*}}@rows(
  // ROWS: add i32
  // ROWS: call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %{{.*}}, i32 177,
  // ROWS: add i32
  // ROWS: call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %{{.*}}, i32 78,
  // ROWS-NOT: addrspace(3)
  // ROWS: ret void
  tt.func public @rows(%x: !tt.ptr<i32> {tt.pointer_range = 32 : i32}) {
    %i = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32, #ttg.slice<{dim = 0, parent = #rows}>>
    %e = tt.expand_dims %i {axis = 0 : i32} : tensor<8xi32, #ttg.slice<{dim = 0, parent = #rows}>> -> tensor<1x8xi32, #rows>
    %v = tt.broadcast %e : tensor<1x8xi32, #rows> -> tensor<64x8xi32, #rows>
    %r = "tt.reduce"(%v) <{axis = 1 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %s = arith.addi %a, %b : i32
      tt.reduce.return %s : i32
    }) : (tensor<64x8xi32, #rows>) -> tensor<64xi32, #ttg.slice<{dim = 1, parent = #rows}>>
    %j = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #rows}>>
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #rows}>>
    %p = tt.addptr %xs, %j : tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #rows}>>, tensor<64xi32, #ttg.slice<{dim = 1, parent = #rows}>>
    tt.store %p, %r : tensor<64x!tt.ptr<i32>, #ttg.slice<{dim = 1, parent = #rows}>>
    tt.return
  }
  // 16 elements in 256 threads: four steps over lanes, none over waves.
  // COPIES-LABEL: define {{.*}}@copies(
  // COPIES-COUNT-4: call i32 @llvm.amdgcn.update.dpp
  // COPIES-NOT: update.dpp
  // COPIES-NOT: addrspace(3)
  // COPIES: ret void
  tt.func public @copies(%x: !tt.ptr<i32> {tt.pointer_range = 32 : i32}) {
    %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>>
    %r = "tt.reduce"(%i) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %s = arith.addi %a, %b : i32
      tt.reduce.return %s : i32
    }) : (tensor<16xi32, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>>) -> i32
    tt.store %x, %r : !tt.ptr<i32>
    tt.return
  }
}
