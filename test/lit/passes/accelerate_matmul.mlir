// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The matrix instruction for each type; 32 by 32 if the dot is large enough, 16 by 16 if it isn't
// or if requested; multiply-adds (the blocked layout stays) if none fits.
// RUN: kiln compile %s --from=ttg --emit=ttg --passes=accelerate_matmul --no-line-info -o - | FileCheck %s
// RUN: kiln compile %s --from=ttg --emit=ttg --passes=accelerate_matmul --matrix-instr-nonkdim=16 --kpack=2 \
// RUN:   --no-line-info -o - | FileCheck %s --check-prefix=SIDE16

// CHECK-DAG: #[[F16:.*]] = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>
// CHECK-DAG: #[[BF16:.*]] = #ttg.amd_mfma<{version = 3, warpsPerCTA = [1, 4], instrShape = [16, 16, 16], isTransposed = true}>
// CHECK-DAG: #[[XF32:.*]] = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 4], isTransposed = true}>
// CHECK-DAG: #[[F32:.*]] = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 2], isTransposed = true}>
// CHECK-DAG: #[[I8:.*]] = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 16], isTransposed = true}>
// CHECK-DAG: #[[CHAIN:.*]] = #ttg.amd_mfma<{version = 3, warpsPerCTA = [4, 1], instrShape = [32, 32, 8], isTransposed = true}>
// SIDE16: instrShape = [16, 16, 16]
// SIDE16-NOT: instrShape = [32
#blocked = #ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // CHECK-LABEL: @f16(
  tt.func private @f16(%a: tensor<128x32xf16, #a>, %b: tensor<32x128xf16, #b>, %c: tensor<128x128xf32, #blocked>) -> tensor<128x128xf32, #blocked> {
    // CHECK: tt.dot {{.*}} : tensor<128x32xf16, #ttg.dot_op<{opIdx = 0, parent = #[[F16]], kWidth = 4}>> * tensor<32x128xf16, #ttg.dot_op<{opIdx = 1, parent = #[[F16]], kWidth = 4}>> -> tensor<128x128xf32, #[[F16]]>
    // SIDE16: tt.dot {{.*}}kWidth = 8}>> * {{.*}}kWidth = 8}>>
    %d = tt.dot %a, %b, %c : tensor<128x32xf16, #a> * tensor<32x128xf16, #b> -> tensor<128x128xf32, #blocked>
    tt.return %d : tensor<128x128xf32, #blocked>
  }
  // CHECK-LABEL: @small(
  tt.func private @small(%a: tensor<16x64xbf16, #a>, %b: tensor<64x64xbf16, #b>, %c: tensor<16x64xf32, #blocked>) -> tensor<16x64xf32, #blocked> {
    // CHECK: tt.dot {{.*}} -> tensor<16x64xf32, #[[BF16]]>
    %d = tt.dot %a, %b, %c : tensor<16x64xbf16, #a> * tensor<64x64xbf16, #b> -> tensor<16x64xf32, #blocked>
    tt.return %d : tensor<16x64xf32, #blocked>
  }
  // CHECK-LABEL: @tiny(
  tt.func private @tiny(%a: tensor<8x32xf16, #a>, %b: tensor<32x8xf16, #b>, %c: tensor<8x8xf32, #blocked>) -> tensor<8x8xf32, #blocked> {
    // CHECK: tt.dot {{.*}} -> tensor<8x8xf32, #blocked>
    %d = tt.dot %a, %b, %c : tensor<8x32xf16, #a> * tensor<32x8xf16, #b> -> tensor<8x8xf32, #blocked>
    tt.return %d : tensor<8x8xf32, #blocked>
  }
  // CHECK-LABEL: @deep(
  tt.func private @deep(%a: tensor<2x128xf16, #a>, %b: tensor<128x8xf16, #b>, %c: tensor<2x8xf32, #blocked>) -> tensor<2x8xf32, #blocked> {
    // No thread could hold all of such a K: lanes compute the same rows instead.
    // CHECK: tt.dot {{.*}}kWidth = 4}>> -> tensor<2x8xf32, #{{mma[0-9]*}}>
    %d = tt.dot %a, %b, %c : tensor<2x128xf16, #a> * tensor<128x8xf16, #b> -> tensor<2x8xf32, #blocked>
    tt.return %d : tensor<2x8xf32, #blocked>
  }
  // CHECK-LABEL: @wide_result(
  tt.func private @wide_result(%a: tensor<64x32xf16, #a>, %b: tensor<32x64xbf16, #b>, %c: tensor<64x64xf64, #blocked>) -> tensor<64x64xf64, #blocked> {
    // CHECK-DAG: arith.extf {{.*}} tensor<64x32xf16, {{.*}} to tensor<64x32xf64
    // CHECK-DAG: arith.extf {{.*}} tensor<32x64xbf16, {{.*}} to tensor<32x64xf64
    // CHECK: tt.dot {{.*}}kWidth = 1}>> -> tensor<64x64xf64, #{{mma[0-9]*}}>
    %d = tt.dot %a, %b, %c : tensor<64x32xf16, #a> * tensor<32x64xbf16, #b> -> tensor<64x64xf64, #blocked>
    tt.return %d : tensor<64x64xf64, #blocked>
  }
  // CHECK-LABEL: @xf32(
  tt.func private @xf32(%a: tensor<64x32xf32, #a>, %b: tensor<32x64xf32, #b>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    // CHECK: tt.dot {{.*}}, inputPrecision = tf32 : {{.*}}kWidth = 2}>> -> tensor<64x64xf32, #[[XF32]]>
    %d = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<64x32xf32, #a> * tensor<32x64xf32, #b> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }
  // CHECK-LABEL: @f32(
  tt.func private @f32(%a: tensor<64x32xf32, #a>, %b: tensor<32x64xf32, #b>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    // CHECK: tt.dot {{.*}}kWidth = 1}>> -> tensor<64x64xf32, #[[F32]]>
    %d = tt.dot %a, %b, %c : tensor<64x32xf32, #a> * tensor<32x64xf32, #b> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }
  // CHECK-LABEL: @i8(
  tt.func private @i8(%a: tensor<64x64xi8, #a>, %b: tensor<64x64xi8, #b>, %c: tensor<64x64xi32, #blocked>) -> tensor<64x64xi32, #blocked> {
    // CHECK: tt.dot {{.*}}kWidth = 8}>> -> tensor<64x64xi32, #[[I8]]>
    %d = tt.dot %a, %b, %c : tensor<64x64xi8, #a> * tensor<64x64xi8, #b> -> tensor<64x64xi32, #blocked>
    tt.return %d : tensor<64x64xi32, #blocked>
  }
  // CHECK-LABEL: @fp8(
  tt.func private @fp8(%a: tensor<64x64xf8E4M3FN, #a>, %b: tensor<64x64xf8E5M2, #b>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    // gfx942 has no instruction for the OCP formats; f16 holds their values exactly.
    // CHECK: tt.fp_to_fp {{.*}} -> tensor<64x64xf16
    // CHECK: tt.fp_to_fp {{.*}} -> tensor<64x64xf16
    // CHECK: tt.dot {{.*}} -> tensor<64x64xf32, #[[F16]]>
    %d = tt.dot %a, %b, %c : tensor<64x64xf8E4M3FN, #a> * tensor<64x64xf8E5M2, #b> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }
  // CHECK-LABEL: @half_sum(
  tt.func private @half_sum(%a: tensor<64x64xf16, #a>, %b: tensor<64x64xf16, #b>, %c: tensor<64x64xf16, #blocked>) -> tensor<64x64xf16, #blocked> {
    // The sum is kept in f32 and rounded once.
    // CHECK: arith.extf
    // CHECK: tt.dot {{.*}} -> tensor<64x64xf32, #[[F16]]>
    // CHECK: arith.truncf {{.*}} to tensor<64x64xf16, #[[F16]]>
    %d = tt.dot %a, %b, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf16, #blocked>
    tt.return %d : tensor<64x64xf16, #blocked>
  }
  // CHECK-LABEL: @chain(
  tt.func private @chain(%q: tensor<128x64xf16, #a>, %k: tensor<64x64xf16, #b>, %v: tensor<64x64xf16, #b>, %c: tensor<128x64xf32, #blocked>) -> tensor<128x64xf32, #blocked> {
    // Warps along rows only, and four elements of K for each lane: so the first result is where the
    // second dot wants it.
    // CHECK: tt.dot {{.*}} -> tensor<128x64xf32, #[[CHAIN]]>
    // CHECK: tt.dot {{.*}}kWidth = 4}>> * {{.*}}kWidth = 4}>> -> tensor<128x64xf32, #[[CHAIN]]>
    // SIDE16-LABEL: @chain
    // SIDE16: tt.dot {{.*}}kWidth = 8}>> * 
    // SIDE16: tt.dot {{.*}}kWidth = 4}>> * 
    %s = tt.dot %q, %k, %c : tensor<128x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<128x64xf32, #blocked>
    %h = arith.truncf %s : tensor<128x64xf32, #blocked> to tensor<128x64xf16, #blocked>
    %p = ttg.convert_layout %h : tensor<128x64xf16, #blocked> -> tensor<128x64xf16, #a>
    %d = tt.dot %p, %v, %c : tensor<128x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<128x64xf32, #blocked>
    tt.return %d : tensor<128x64xf32, #blocked>
  }
}
