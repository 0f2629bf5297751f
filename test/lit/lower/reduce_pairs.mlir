// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that packed instructions can compute are summed in pairs of registers by packed
// instructions, and the two of the last pair at the end; of others, neighbours are combined first.
// Partial sums of waves are read from LDS in pairs.
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info --kernel=dot -o - \
// RUN:   | FileCheck %s
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info --kernel=exponentials -o - \
// RUN:   | FileCheck %s --check-prefix=EXP
// RUN: sed 's/num-warps" = 1/num-warps" = 4/; s/warpsPerCTA = \[1\]/warpsPerCTA = [4]/; s/512/2048/g' %s > %t.mlir
// RUN: kiln compile %t.mlir --from=ttg --emit=asm --no-line-info --kernel=exponentials -o - \
// RUN:   | FileCheck %s --check-prefix=WAVES

// WAVES: ds_read_b128
// WAVES-NOT: v_mov_b32_e32 v{{[0-9]+}}, v
// WAVES: v_pk_add_f32
// WAVES-NOT: v_mov_b32_e32 v{{[0-9]+}}, v
// WAVES: v_add_f32

#blocked = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [64], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // CHECK-LABEL: define {{.*}}@dot(
  // CHECK: %[[V0:.*]] = fmul contract float
  // CHECK: %[[V1:.*]] = fmul contract float
  // CHECK: %[[V2:.*]] = fmul contract float
  // CHECK: %[[V3:.*]] = fmul contract float
  // CHECK: insertelement <2 x float> poison, float %[[V0]], i32 0
  // CHECK-NEXT: %[[P0:.*]] = insertelement <2 x float> %{{.*}}, float %[[V1]], i32 1
  // CHECK-NEXT: insertelement <2 x float> poison, float %[[V2]], i32 0
  // CHECK-NEXT: %[[P1:.*]] = insertelement <2 x float> %{{.*}}, float %[[V3]], i32 1
  // CHECK: %[[A:.*]] = fadd contract <2 x float> %[[P0]], %[[P1]]
  // CHECK-NEXT: %[[B:.*]] = fadd contract <2 x float>
  // CHECK-NEXT: %[[C:.*]] = fadd contract <2 x float> %[[A]], %[[B]]
  // CHECK-NEXT: %[[X:.*]] = extractelement <2 x float> %[[C]], i32 1
  // CHECK-NEXT: %[[Y:.*]] = extractelement <2 x float> %[[C]], i32 0
  // CHECK-NEXT: fadd contract float %[[Y]], %[[X]]
  tt.func public @dot(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32}) {
    %i = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #blocked>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #blocked>
    %xp = tt.addptr %xs, %i : tensor<512x!tt.ptr<f32>, #blocked>, tensor<512xi32, #blocked>
    %a = tt.load %xp : tensor<512x!tt.ptr<f32>, #blocked>
    %ys = tt.splat %y : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #blocked>
    %yp = tt.addptr %ys, %i : tensor<512x!tt.ptr<f32>, #blocked>, tensor<512xi32, #blocked>
    %b = tt.load %yp : tensor<512x!tt.ptr<f32>, #blocked>
    %v = arith.mulf %a, %b : tensor<512xf32, #blocked>
    %r = "tt.reduce"(%v) <{axis = 0 : i32}> ({
    ^bb0(%c: f32, %d: f32):
      %s = arith.addf %c, %d : f32
      tt.reduce.return %s : f32
    }) : (tensor<512xf32, #blocked>) -> f32
    tt.store %x, %r : !tt.ptr<f32>
    tt.return
  }
  // EXP-LABEL: define {{.*}}@exponentials(
  // EXP: %[[E0:.*]] = call contract float @llvm{{.*}}exp2.f32(
  // EXP: %[[E1:.*]] = call contract float @llvm{{.*}}exp2.f32(
  // EXP: fadd contract float %[[E0]], %[[E1]]
  tt.func public @exponentials(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32}) {
    %i = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #blocked>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #blocked>
    %xp = tt.addptr %xs, %i : tensor<512x!tt.ptr<f32>, #blocked>, tensor<512xi32, #blocked>
    %a = tt.load %xp : tensor<512x!tt.ptr<f32>, #blocked>
    %v = math.exp2 %a : tensor<512xf32, #blocked>
    %r = "tt.reduce"(%v) <{axis = 0 : i32}> ({
    ^bb0(%c: f32, %d: f32):
      %s = arith.addf %c, %d : f32
      tt.reduce.return %s : f32
    }) : (tensor<512xf32, #blocked>) -> f32
    tt.store %x, %r : !tt.ptr<f32>
    tt.return
  }
}
