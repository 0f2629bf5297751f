// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Legalize passes that are switched off still run for programs that have no lowering without them,
// and only for those.
// RUN: kiln compile %s --from=tt --kernel=views --disable-pass=rewrite_tensor_pointers --emit=llvm -o - \
// RUN:   | FileCheck %s --check-prefix=VIEWS
// RUN: kiln compile %s --from=tt --kernel=scaled --disable-pass=decompose_dots --emit=llvm -o - \
// RUN:   | FileCheck %s --check-prefix=SCALED
// RUN: kiln compile %S/convert_to_ttg.mlir --from=tt --disable-pass=decompose_dots --dump-passes --emit=ttg \
// RUN:   -o %t 2>&1 | FileCheck %s --check-prefix=OFF

// VIEWS: define {{.*}}amdgpu_kernel void @views
// SCALED: call {{.*}} @llvm.amdgcn.mfma
// OFF-NOT: DecomposeDots
// OFF-NOT: decompose_dots

module {
  tt.func public @views(%p: !tt.ptr<f32>, %n: i64) {
    %one = arith.constant 1 : i64
    %zero = arith.constant 0 : i32
    %b = tt.make_tensor_ptr %p, [%n], [%one], [%zero] {order = array<i32: 0>} : <tensor<64xf32>>
    %x = tt.load %b {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<64xf32>>
    tt.store %b, %x {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<64xf32>>
    tt.return
  }

  tt.func public @scaled(%p: !tt.ptr<i8>, %s: !tt.ptr<i8>, %q: !tt.ptr<bf16>, %o: !tt.ptr<f32>) {
    %c = arith.constant dense<0.0> : tensor<32x32xf32>
    %pp = tt.splat %p : !tt.ptr<i8> -> tensor<32x32x!tt.ptr<i8>>
    %a = tt.load %pp : tensor<32x32x!tt.ptr<i8>>
    %ss = tt.splat %s : !tt.ptr<i8> -> tensor<32x2x!tt.ptr<i8>>
    %sa = tt.load %ss : tensor<32x2x!tt.ptr<i8>>
    %qq = tt.splat %q : !tt.ptr<bf16> -> tensor<64x32x!tt.ptr<bf16>>
    %b = tt.load %qq : tensor<64x32x!tt.ptr<bf16>>
    %d = tt.dot_scaled %a scale %sa, %b, %c lhs = e2m1 rhs = bf16 {fastMath = false} : tensor<32x32xi8>, tensor<32x2xi8> * tensor<64x32xbf16> -> tensor<32x32xf32>
    %oo = tt.splat %o : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
    tt.store %oo, %d : tensor<32x32x!tt.ptr<f32>>
    tt.return
  }
}
