// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A result larger than a lane's registers is accumulated tile by tile: each product adds to the
// previous. All tiles in flight exceeded scratch memory.
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info -o - | FileCheck %s
// RUN: kiln compile %s --from=ttg --passes= -o %t.hsaco
// RUN: kiln inspect %t.hsaco | FileCheck %s --check-prefix=CODE
// CODE: v_mfma_f32_32x32x2

#mma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [1, 1], instrShape = [32, 32, 2], isTransposed = true}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // CHECK: %[[A:.*]] = call <16 x float> @llvm.amdgcn.mfma.f32.32x32x2f32(
  // CHECK: %[[B:.*]] = call <16 x float> @llvm.amdgcn.mfma.f32.32x32x2f32({{.*}}, <16 x float> %[[A]], i32 0, i32 0, i32 0)
  // CHECK: call <16 x float> @llvm.amdgcn.mfma.f32.32x32x2f32({{.*}}, <16 x float> %[[B]], i32 0, i32 0, i32 0)
  tt.func public @large(%p: !tt.ptr<f32>, %x: f32) {
    %a = tt.splat %x : f32 -> tensor<256x64xf32, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>>
    %b = tt.splat %x : f32 -> tensor<64x256xf32, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 1}>>
    %c = tt.splat %x : f32 -> tensor<256x256xf32, #mma>
    %d = tt.dot %a, %b, %c : tensor<256x64xf32, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>> * tensor<64x256xf32, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 1}>> -> tensor<256x256xf32, #mma>
    %q = tt.splat %p : !tt.ptr<f32> -> tensor<256x256x!tt.ptr<f32>, #mma>
    %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #ttg.slice<{dim = 0, parent = #mma}>>
    %j = tt.expand_dims %i {axis = 0 : i32} : tensor<256xi32, #ttg.slice<{dim = 0, parent = #mma}>> -> tensor<1x256xi32, #mma>
    %k = tt.broadcast %j : tensor<1x256xi32, #mma> -> tensor<256x256xi32, #mma>
    %r = tt.addptr %q, %k : tensor<256x256x!tt.ptr<f32>, #mma>, tensor<256x256xi32, #mma>
    tt.store %r, %d : tensor<256x256x!tt.ptr<f32>, #mma>
    tt.return
  }
}
