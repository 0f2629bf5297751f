// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dots: matrix instructions with operands in the types that LLVM's intrinsics take, swapped for
// transposed layouts; multiply-adds for blocked layouts.
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info --kernel=f16 -o - \
// RUN:   | FileCheck %s --check-prefix=F16
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info --kernel=bf16 -o - \
// RUN:   | FileCheck %s --check-prefix=BF16
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info --kernel=mixed -o - \
// RUN:   | FileCheck %s --check-prefix=MIXED
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info --kernel=fma -o - \
// RUN:   | FileCheck %s --check-prefix=FMA

#mma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [16, 16, 16], isTransposed = true}>
#mma32 = #ttg.amd_mfma<{version = 3, warpsPerCTA = [4, 1], instrShape = [32, 32, 8], isTransposed = false}>
#mma8 = #ttg.amd_mfma<{version = 3, warpsPerCTA = [4, 1], instrShape = [16, 16, 32], isTransposed = true}>
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 8], warpsPerCTA = [2, 2], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // Two tiles along K: 1.0 comes from B, which is the first operand of a transposed product.
  // F16-LABEL: define {{.*}}@f16(
  // F16: %[[D:.*]] = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half> splat (half 0xH3C00), <4 x half> splat (half 0xH4000), <4 x float> zeroinitializer, i32 0, i32 0, i32 0)
  // F16: call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16({{.*}}, <4 x float> %[[D]], i32 0, i32 0, i32 0)
  // F16-NOT: mfma
  // F16: ret void
  tt.func public @f16(%x: !tt.ptr<f32>) {
    %a = arith.constant dense<2.0> : tensor<32x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
    %b = arith.constant dense<1.0> : tensor<32x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    %c = arith.constant dense<0.0> : tensor<32x32xf32, #mma>
    %d = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<32x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<32x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<32x32xf32, #mma>
    tt.return
  }
  // BF16-LABEL: define {{.*}}@bf16(
  // BF16: call <16 x float> @llvm.amdgcn.mfma.f32.32x32x8bf16.1k(<4 x i16> splat (i16 16384), <4 x i16> splat (i16 16256), <16 x float> zeroinitializer,
  tt.func public @bf16(%x: !tt.ptr<f32>) {
    %a = arith.constant dense<2.0> : tensor<128x8xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma32, kWidth = 4}>>
    %b = arith.constant dense<1.0> : tensor<8x32xbf16, #ttg.dot_op<{opIdx = 1, parent = #mma32, kWidth = 4}>>
    %c = arith.constant dense<0.0> : tensor<128x32xf32, #mma32>
    %d = tt.dot %a, %b, %c : tensor<128x8xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma32, kWidth = 4}>> * tensor<8x32xbf16, #ttg.dot_op<{opIdx = 1, parent = #mma32, kWidth = 4}>> -> tensor<128x32xf32, #mma32>
    tt.return
  }
  // The types change places with the operands.
  // MIXED-LABEL: define {{.*}}@mixed(
  // MIXED: call <4 x float> @llvm.amdgcn.mfma.f32.16x16x32.bf8.fp8(i64 {{.*}}, i64 {{.*}}, <4 x float> zeroinitializer,
  tt.func public @mixed(%x: !tt.ptr<f32>) {
    %a = arith.constant dense<2.0> : tensor<64x32xf8E4M3FNUZ, #ttg.dot_op<{opIdx = 0, parent = #mma8, kWidth = 8}>>
    %b = arith.constant dense<1.0> : tensor<32x16xf8E5M2FNUZ, #ttg.dot_op<{opIdx = 1, parent = #mma8, kWidth = 8}>>
    %c = arith.constant dense<0.0> : tensor<64x16xf32, #mma8>
    %d = tt.dot %a, %b, %c : tensor<64x32xf8E4M3FNUZ, #ttg.dot_op<{opIdx = 0, parent = #mma8, kWidth = 8}>> * tensor<32x16xf8E5M2FNUZ, #ttg.dot_op<{opIdx = 1, parent = #mma8, kWidth = 8}>> -> tensor<64x16xf32, #mma8>
    tt.return
  }
  // FMA-LABEL: define {{.*}}@fma(
  // FMA-COUNT-4: call float @llvm.fma.f32(float
  // FMA: ret void
  tt.func public @fma(%x: !tt.ptr<f32>) {
    %a = arith.constant dense<2.0> : tensor<16x4xf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>>
    %b = arith.constant dense<1.0> : tensor<4x16xf16, #ttg.dot_op<{opIdx = 1, parent = #blocked}>>
    %c = arith.constant dense<0.0> : tensor<16x16xf32, #blocked>
    %d = tt.dot %a, %b, %c : tensor<16x4xf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>> * tensor<4x16xf16, #ttg.dot_op<{opIdx = 1, parent = #blocked}>> -> tensor<16x16xf32, #blocked>
    tt.return
  }
}
