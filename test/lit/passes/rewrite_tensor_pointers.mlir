// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Block pointers and descriptors become base, sizes, strides and offsets (or padding), also where
// control flow and functions carry them; their accesses become tensors of pointers with masks.
// RUN: kiln compile %s --from=tt --emit=tt --passes=rewrite_tensor_pointers --no-line-info -o - | FileCheck %s
// RUN: kiln compile %s --from=tt --emit=tt --passes=rewrite_tensor_pointers,canonicalize,cse --no-line-info -o - \
// RUN:   | FileCheck %s --check-prefix=CLEAN

// CHECK-NOT: tensordesc
// CHECK-NOT: ptr<tensor
// CHECK-NOT: tt.advance
module {
  // CHECK-LABEL: @k(
  // A loop carries base, sizes, strides and offsets; what doesn't change is hoisted afterwards.
  // CHECK: scf.for {{.*}} -> (!tt.ptr<f16>, i64, i64, i64, i64, i64, i64, tensor<64x32xf16>)
  // CLEAN: scf.for {{.*}} -> (i64, tensor<64x32xf16>)
  // Only the second dimension is checked, and elements outside read as NaN.
  // CHECK-COUNT-2: arith.cmpi
  // CHECK-NOT: arith.cmpi
  // CHECK: %[[MASK:.*]] = tt.broadcast {{.*}} : tensor<1x32xi1> -> tensor<64x32xi1>
  // CLEAN: tt.load %{{.*}}, %{{.*}}, %[[NAN:cst.*]] : tensor<64x32x!tt.ptr<f16>>
  // CHECK: tt.load %{{.*}}, %[[MASK]], %{{.*}} : tensor<64x32x!tt.ptr<f16>>
  // CHECK: scf.if {{.*}} -> (!tt.ptr<f16>, i64, i64, i64, i64, i64, i64)
  // CHECK: tt.store %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x32x!tt.ptr<f16>>
  // CHECK: cf.cond_br %{{.*}}, ^bb1({{.*}} : !tt.ptr<f16>, i64, i64, i64, i64, i64, i64), ^bb2(%arg2 : i32)
  // CHECK: tt.store %{{[0-9]+}}, %{{[0-9#]+}} : tensor<64x32x!tt.ptr<f16>>
  tt.func public @k(%p: !tt.ptr<f16>, %o: !tt.ptr<f16>, %m: i32, %n: i32) {
    %c64 = arith.constant 64 : i64
    %c1 = arith.constant 1 : i64
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %c1i = arith.constant 1 : i32
    %m64 = arith.extsi %m : i32 to i64
    %n64 = arith.extsi %n : i32 to i64
    %bp = tt.make_tensor_ptr %p, [%m64, %n64], [%n64, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16>>
    %acc0 = arith.constant dense<0.0> : tensor<64x32xf16>
    %r:2 = scf.for %i = %c0 to %n step %c32 iter_args(%q = %bp, %acc = %acc0) -> (!tt.ptr<tensor<64x32xf16>>, tensor<64x32xf16>)  : i32 {
      %x = tt.load %q {boundaryCheck = array<i32: 1>, padding = 2 : i32} : !tt.ptr<tensor<64x32xf16>>
      %y = arith.addf %acc, %x : tensor<64x32xf16>
      %q2 = tt.advance %q, [%c0, %c32] : <tensor<64x32xf16>>
      scf.yield %q2, %y : !tt.ptr<tensor<64x32xf16>>, tensor<64x32xf16>
    }
    %cond = arith.cmpi slt, %m, %n : i32
    %bo = tt.make_tensor_ptr %o, [%m64, %n64], [%n64, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<64x32xf16>>
    %w = scf.if %cond -> (!tt.ptr<tensor<64x32xf16>>) {
      %bo2 = tt.advance %bo, [%c32, %c0] : <tensor<64x32xf16>>
      scf.yield %bo2 : !tt.ptr<tensor<64x32xf16>>
    } else {
      scf.yield %bo : !tt.ptr<tensor<64x32xf16>>
    }
    tt.store %w, %r#1 {boundaryCheck = array<i32: 0, 1>} : !tt.ptr<tensor<64x32xf16>>
    cf.cond_br %cond, ^a(%w : !tt.ptr<tensor<64x32xf16>>), ^b(%m : i32)
  ^a(%z: !tt.ptr<tensor<64x32xf16>>):
    tt.store %z, %r#1 : !tt.ptr<tensor<64x32xf16>>
    tt.return
  ^b(%u: i32):
    tt.return
  }
  // A descriptor from the host: pointer, sizes, strides, padding. Its last stride is 1 by contract.
  // CHECK-LABEL: @d(
  // CHECK-SAME: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64 {tt.divisibility = 4 : i32}, %{{.*}}: i64, %{{.*}}: i1, %{{.*}}: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %{{.*}}: i32, %{{.*}}: i32
  // CHECK: %[[ROW:.*]] = tt.load {{.*}} : tensor<1x64x!tt.ptr<f32>>
  // CHECK: tt.reshape %[[ROW]] : tensor<1x64xf32> -> tensor<64xf32>
  // CHECK: tt.load {{.*}} : tensor<32x64x!tt.ptr<f32>>
  // CHECK: tt.store {{.*}} : tensor<32x64x!tt.ptr<f32>>
  // CHECK: tt.atomic_rmw fadd, acq_rel, gpu, {{.*}} : (tensor<1x64x!tt.ptr<f32>>, tensor<1x64xf32>, tensor<1x64xi1>)
  // CHECK: tt.call @pick({{.*}}) : (!tt.ptr<f32>, i64, i64, i64, i64, i1, !tt.ptr<f32>, i64, i64, i64, i64, i1, i32) -> (!tt.ptr<f32>, i64, i64, i64, i64, i1)
  // CHECK: tt.store {{.*}} : tensor<1x64x!tt.ptr<f32>>
  tt.func public @d(%desc: !tt.tensordesc<tensor<1x64xf32>>, %p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %i: i32, %j: i32) {
    %x = tt.descriptor_load %desc[%i, %j] : !tt.tensordesc<tensor<1x64xf32>> -> tensor<64xf32>
    %offs = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %g = tt.descriptor_gather %desc[%offs, %j] : (!tt.tensordesc<tensor<1x64xf32>>, tensor<32xi32>, i32) -> tensor<32x64xf32>
    tt.descriptor_scatter %desc[%offs, %j], %g : !tt.tensordesc<tensor<1x64xf32>>, tensor<32xi32>, i32, tensor<32x64xf32>
    tt.descriptor_reduce add, %desc[%i, %j], %x : !tt.tensordesc<tensor<1x64xf32>>, tensor<64xf32>
    %c1 = arith.constant 1 : i64
    %n64 = arith.extsi %i : i32 to i64
    %d2 = tt.make_tensor_descriptor %p, [%i, %j], [%n64, %c1] {padding = 2 : i32} : <f32>, <1x64xf32>
    %r = tt.call @pick(%desc, %d2, %i) : (!tt.tensordesc<tensor<1x64xf32>>, !tt.tensordesc<tensor<1x64xf32>>, i32) -> !tt.tensordesc<tensor<1x64xf32>>
    tt.descriptor_store %r[%i, %j], %x : !tt.tensordesc<tensor<1x64xf32>>, tensor<64xf32>
    tt.return
  }
  // CHECK-LABEL: tt.func private @pick(
  // CHECK-COUNT-6: arith.select
  // CHECK: tt.return {{.*}} : !tt.ptr<f32>, i64, i64, i64, i64, i1
  tt.func private @pick(%a: !tt.tensordesc<tensor<1x64xf32>>, %b: !tt.tensordesc<tensor<1x64xf32>>, %i: i32) -> !tt.tensordesc<tensor<1x64xf32>> attributes {noinline = true} {
    %c0 = arith.constant 0 : i32
    %c = arith.cmpi eq, %i, %c0 : i32
    %s = arith.select %c, %a, %b : !tt.tensordesc<tensor<1x64xf32>>
    tt.return %s : !tt.tensordesc<tensor<1x64xf32>>
  }
}
