// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every textual form of the tt dialect (reference: Triton 3.3 to 3.8; newer_forms.mlir has those of
// 3.9) is parsed and verified, and printed in the form of Triton 3.6. Older spellings: enums as
// integers, tt.reduce with its dictionary after the region, full types where the printer strips
// them.
// RUN: kiln compile %s --from=tt --emit=tt --no-line-info -o %t.mlir && FileCheck %s < %t.mlir
// The printed text is parsed and printed the same again.
// RUN: kiln compile %t.mlir --from=tt --emit=tt --no-line-info -o %t.again.mlir && diff %t.mlir %t.again.mlir

module {
  // CHECK: tt.func private @helper({{%[a-z0-9_#]+}}: f32) -> f32 attributes {noinline = true} {
  tt.func private @helper(%x: f32) -> f32 attributes {noinline = true} {
    // CHECK: tt.return {{%[a-z0-9_#]+}} : f32
    tt.return %x : f32
  }
  // CHECK: tt.func @k({{%[a-z0-9_#]+}}: !tt.ptr<f32>, {{%[a-z0-9_#]+}}: !tt.ptr<i32>, {{%[a-z0-9_#]+}}: i32, {{%[a-z0-9_#]+}}: !tt.ptr<f16>, {{%[a-z0-9_#]+}}: !tt.tensordesc<tensor<128x64xf16>>, {{%[a-z0-9_#]+}}: !tt.tensordesc<tensor<128x64xsi8>>, {{%[a-z0-9_#]+}}: !tt.ptr<i8, 0>) {
  tt.func @k(%p: !tt.ptr<f32>, %q: !tt.ptr<i32>, %n: i32, %h: !tt.ptr<f16>, %bd: !tt.tensordesc<128x64xf16>, %bd2: !tt.tensordesc<tensor<128x64xsi8>>, %zz: !tt.ptr<i8, 0>) {
    // CHECK: tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    // CHECK: tt.splat {{%[a-z0-9_#]+}} : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    %sp = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    // CHECK: tt.addptr {{%[a-z0-9_#]+}}, {{%[a-z0-9_#]+}} {tt.divisibility = dense<16> : tensor<1xi32>} : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %ptrs = tt.addptr %sp, %r {tt.divisibility = dense<16> : tensor<1xi32>} : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    %m = arith.constant dense<true> : tensor<128xi1>
    %f = arith.constant dense<0xFF800000> : tensor<128xf32>
    // CHECK: tt.load {{%[a-z0-9_#]+}} : tensor<128x!tt.ptr<f32>>
    %l = tt.load %ptrs : tensor<128x!tt.ptr<f32>>
    // CHECK: tt.load {{%[a-z0-9_#]+}}, {{%[a-z0-9_#]+}} cacheModifier = cg evictionPolicy = evict_last {isVolatile = true} : tensor<128x!tt.ptr<f32>>
    %l1 = tt.load %ptrs, %m cacheModifier = cg evictionPolicy = evict_last {isVolatile = true} : tensor<128x!tt.ptr<f32>>
    // CHECK: tt.load {{%[a-z0-9_#]+}}, {{%[a-z0-9_#]+}}, {{%[a-z0-9_#]+}} cacheModifier = cv evictionPolicy = evict_first : tensor<128x!tt.ptr<f32>>
    %l2 = tt.load %ptrs, %m, %f evictionPolicy = evict_first cacheModifier = cv : tensor<128x!tt.ptr<f32>>
    // CHECK: tt.load {{%[a-z0-9_#]+}}, {{%[a-z0-9_#]+}}, {{%[a-z0-9_#]+}} : tensor<128x!tt.ptr<f32>>
    %l3 = tt.load %ptrs, %m, %f {cache = 1 : i32, evict = 1 : i32, isVolatile = false} : tensor<128x!tt.ptr<f32>>
    // CHECK: tt.store {{%[a-z0-9_#]+}}, {{%[a-z0-9_#]+}}, {{%[a-z0-9_#]+}} cacheModifier = wt : tensor<128x!tt.ptr<f32>>
    tt.store %ptrs, %l3, %m cacheModifier = wt : tensor<128x!tt.ptr<f32>>
    // CHECK: tt.store {{%[a-z0-9_#]+}}, {{%[a-z0-9_#]+}} cacheModifier = cg : tensor<128x!tt.ptr<f32>>
    tt.store %ptrs, %l3 {cache = 3 : i32, evict = 1 : i32} : tensor<128x!tt.ptr<f32>>
    // CHECK: tt.atomic_rmw fadd, acq_rel, gpu, {{%[a-z0-9_#]+}}, {{%[a-z0-9_#]+}}, {{%[a-z0-9_#]+}} : (tensor<128x!tt.ptr<f32>>, tensor<128xf32>, tensor<128xi1>) -> tensor<128xf32>
    %a1 = tt.atomic_rmw fadd, acq_rel, gpu, %ptrs, %l, %m : (tensor<128x!tt.ptr<f32>>, tensor<128xf32>, tensor<128xi1>) -> tensor<128xf32>
    // CHECK: tt.atomic_cas acq_rel, gpu, {{%[a-z0-9_#]+}}, {{%[a-z0-9_#]+}}, {{%[a-z0-9_#]+}} : (!tt.ptr<i32>, i32, i32) -> i32
    %c = tt.atomic_cas acq_rel, gpu, %q, %n, %n : (!tt.ptr<i32>, i32, i32) -> i32
    // CHECK: tt.atomic_poll acquire, gpu, {{%[a-z0-9_#]+}}, {{%[a-z0-9_#]+}} : !tt.ptr<i32>, i32 -> i1
    %po = tt.atomic_poll acquire, gpu, %q, %n : !tt.ptr<i32>, i32 -> i1
    // CHECK: "tt.reduce"({{%[a-z0-9_#]+}}) <{axis = 0 : i32}> ({
    %s = "tt.reduce"(%l) <{axis = 0 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      // CHECK: tt.reduce.return {{%[a-z0-9_#]+}} : f32
      tt.reduce.return %z : f32
    }) : (tensor<128xf32>) -> f32
    // CHECK: "tt.reduce"({{%[a-z0-9_#]+}}) <{axis = 0 : i32}> ({
    %s2 = "tt.reduce"(%l) ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      // CHECK: tt.reduce.return {{%[a-z0-9_#]+}} : f32
      tt.reduce.return %z : f32
    }) {axis = 0 : i32} : (tensor<128xf32>) -> f32
    // CHECK: "tt.scan"({{%[a-z0-9_#]+}}) <{axis = 0 : i32, reverse = false}> ({
    %sc = "tt.scan"(%l) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      // CHECK: tt.scan.return {{%[a-z0-9_#]+}} : f32
      tt.scan.return %z : f32
    }) : (tensor<128xf32>) -> tensor<128xf32>
    // CHECK: "tt.map_elementwise"({{%[a-z0-9_#]+}}) <{pack = 1 : i32}> ({
    %me = "tt.map_elementwise"(%l) <{pack = 1 : i32}> ({
    ^bb0(%x: f32):
      // CHECK: tt.map_elementwise.return {{%[a-z0-9_#]+}} : f32
      tt.map_elementwise.return %x : f32
    }) : (tensor<128xf32>) -> tensor<128xf32>
    // CHECK: tt.clampf {{%[a-z0-9_#]+}}, {{%[a-z0-9_#]+}}, {{%[a-z0-9_#]+}}, propagateNan = none : tensor<128xf32>
    %cl = tt.clampf %l, %l, %l, propagateNan = none : tensor<128xf32>
    // CHECK: tt.fp_to_fp {{%[a-z0-9_#]+}}, rounding = rtne : tensor<128xf32> -> tensor<128xf8E4M3FNUZ>
    %f8 = tt.fp_to_fp %l, rounding = rtne : tensor<128xf32> -> tensor<128xf8E4M3FNUZ>
    // CHECK: tt.expand_dims {{%[a-z0-9_#]+}} {axis = 1 : i32} : tensor<128xf32> -> tensor<128x1xf32>
    %e = tt.expand_dims %l {axis = 1 : i32} : tensor<128xf32> -> tensor<128x1xf32>
    // CHECK: tt.broadcast {{%[a-z0-9_#]+}} : tensor<128x1xf32> -> tensor<128x64xf32>
    %b = tt.broadcast %e : tensor<128x1xf32> -> tensor<128x64xf32>
    // CHECK: tt.trans {{%[a-z0-9_#]+}} {order = array<i32: 1, 0>} : tensor<128x64xf32> -> tensor<64x128xf32>
    %t = tt.trans %b {order = array<i32: 1, 0>} : tensor<128x64xf32> -> tensor<64x128xf32>
    // CHECK: tt.reshape {{%[a-z0-9_#]+}} allow_reorder efficient_layout : tensor<128x64xf32> -> tensor<8192xf32>
    %rs = tt.reshape %b allow_reorder efficient_layout : tensor<128x64xf32> -> tensor<8192xf32>
    // CHECK: tt.join {{%[a-z0-9_#]+}}, {{%[a-z0-9_#]+}} : tensor<128xf32> -> tensor<128x2xf32>
    %j = tt.join %l, %l : tensor<128xf32> -> tensor<128x2xf32>
    // CHECK: tt.split {{%[a-z0-9_#]+}} : tensor<128x2xf32> -> tensor<128xf32>
    %lo, %hi = tt.split %j : tensor<128x2xf32> -> tensor<128xf32>
    // CHECK: tt.cat {{%[a-z0-9_#]+}}, {{%[a-z0-9_#]+}} : tensor<128xf32> -> tensor<256xf32>
    %ct = tt.cat %l, %l : tensor<128xf32> -> tensor<256xf32>
    // CHECK: tt.histogram {{%[a-z0-9_#]+}}, {{%[a-z0-9_#]+}} : tensor<128xi32> -> tensor<16xi32>
    %hg = tt.histogram %r, %m : tensor<128xi32> -> tensor<16xi32>
    // CHECK: tt.gather {{%[a-z0-9_#]+}}{{\[}}{{%[a-z0-9_#]+}}] {axis = 0 : i32} : (tensor<128xf32>, tensor<128xi32>) -> tensor<128xf32>
    %g = tt.gather %l[%r] {axis = 0 : i32} : (tensor<128xf32>, tensor<128xi32>) -> tensor<128xf32>
    // CHECK: tt.reshape {{%[a-z0-9_#]+}} : tensor<128x1xf32> -> tensor<1x128xf32>
    %one = tt.reshape %e : tensor<128x1xf32> -> tensor<1x128xf32>
    %acc = arith.constant dense<0.0> : tensor<128x128xf32>
    // CHECK: tt.dot {{%[a-z0-9_#]+}}, {{%[a-z0-9_#]+}}, {{%[a-z0-9_#]+}}, inputPrecision = tf32 {maxNumImpreciseAcc = 4 : i32} : tensor<128x64xf32> * tensor<64x128xf32> -> tensor<128x128xf32>
    %d = tt.dot %b, %t, %acc, inputPrecision = tf32 {maxNumImpreciseAcc = 4 : i32} : tensor<128x64xf32> * tensor<64x128xf32> -> tensor<128x128xf32>
    // CHECK: tt.dot {{%[a-z0-9_#]+}}, {{%[a-z0-9_#]+}}, {{%[a-z0-9_#]+}}, inputPrecision = tf32 : tensor<128x64xf32> * tensor<64x128xf32> -> tensor<128x128xf32>
    %d0 = tt.dot %b, %t, %acc {inputPrecision = 0 : i32, maxNumImpreciseAcc = 0 : i32} : tensor<128x64xf32> * tensor<64x128xf32> -> tensor<128x128xf32>
    %i8a = arith.constant dense<1> : tensor<128x32xi8>
    %i8b = arith.constant dense<1> : tensor<32x128xi8>
    %as = arith.constant dense<1> : tensor<128x2xi8>
    // CHECK: tt.dot_scaled {{%[a-z0-9_#]+}} scale {{%[a-z0-9_#]+}}, {{%[a-z0-9_#]+}} scale {{%[a-z0-9_#]+}}, {{%[a-z0-9_#]+}} lhs = e2m1 rhs = e2m1 {fastMath = false} : tensor<128x32xi8>, tensor<128x2xi8> * tensor<32x128xi8>, tensor<128x2xi8> -> tensor<128x128xf32>
    %ds = tt.dot_scaled %i8a scale %as, %i8b scale %as, %acc lhs = e2m1 rhs = e2m1 {fastMath = false} : tensor<128x32xi8>, tensor<128x2xi8> * tensor<32x128xi8>, tensor<128x2xi8> -> tensor<128x128xf32>
    // CHECK: tt.elementwise_inline_asm "v_mov" {constraints = "=v,v", packed_element = 4 : i32, pure = true} {{%[a-z0-9_#]+}}, {{%[a-z0-9_#]+}} : tensor<128xf32>, tensor<128xf32> -> tensor<128xf32>, tensor<128xf32>
    %x4:2 = tt.elementwise_inline_asm "v_mov" {constraints = "=v,v", packed_element = 4 : i32, pure = true} %l, %l : tensor<128xf32>, tensor<128xf32> -> tensor<128xf32>, tensor<128xf32>
    // CHECK: tt.print " prefix: " {hex = false, isSigned = array<i32: 1>} : {{%[a-z0-9_#]+}} : tensor<128xf32>
    tt.print " prefix: " {hex = false, isSigned = array<i32: 1>} : %l : tensor<128xf32>
    // CHECK: tt.print "none" {hex = false, isSigned = array<i32>}
    tt.print "none" {hex = false, isSigned = array<i32>}
    // CHECK: tt.assert {{%[a-z0-9_#]+}}, "message" : tensor<128xi1>
    tt.assert %m, "message" : tensor<128xi1>
    // CHECK: tt.call @helper({{%[a-z0-9_#]+}}) : (f32) -> f32
    %cc = tt.call @helper(%s) : (f32) -> f32
    %c64 = arith.constant 64 : i64
    %c32 = arith.constant 32 : i32
    // CHECK: tt.make_tensor_descriptor {{%[a-z0-9_#]+}}, {{\[}}{{%[a-z0-9_#]+}}, {{%[a-z0-9_#]+}}], {{\[}}{{%[a-z0-9_#]+}}, {{%[a-z0-9_#]+}}] : <f16>, <tensor<128x64xf16>>
    %td = tt.make_tensor_descriptor %h, [%c32, %c32], [%c64, %c64] : <f16>, <128x64xf16>
    // CHECK: tt.make_tensor_descriptor {{%[a-z0-9_#]+}}, {{\[}}{{%[a-z0-9_#]+}}, {{%[a-z0-9_#]+}}], {{\[}}{{%[a-z0-9_#]+}}, {{%[a-z0-9_#]+}}] {padding = 2 : i32} : <f16>, <tensor<128x64xf16>>
    %td2 = tt.make_tensor_descriptor %h, [%c32, %c32], [%c64, %c64] {padding = 2 : i32} : !tt.ptr<f16>, !tt.tensordesc<tensor<128x64xf16>>
    // CHECK: tt.descriptor_load {{%[a-z0-9_#]+}}{{\[}}{{%[a-z0-9_#]+}}, {{%[a-z0-9_#]+}}] cacheModifier = cg : !tt.tensordesc<tensor<128x64xf16>> -> tensor<128x64xf16>
    %dl = tt.descriptor_load %td[%c32, %c32] cacheModifier = cg : !tt.tensordesc<tensor<128x64xf16>> -> tensor<128x64xf16>
    // CHECK: tt.descriptor_store {{%[a-z0-9_#]+}}{{\[}}{{%[a-z0-9_#]+}}, {{%[a-z0-9_#]+}}], {{%[a-z0-9_#]+}} : !tt.tensordesc<tensor<128x64xf16>>, tensor<128x64xf16>
    tt.descriptor_store %td[%c32, %c32], %dl : !tt.tensordesc<tensor<128x64xf16>>, tensor<128x64xf16>
    // CHECK: tt.descriptor_reduce add, {{%[a-z0-9_#]+}}{{\[}}{{%[a-z0-9_#]+}}, {{%[a-z0-9_#]+}}], {{%[a-z0-9_#]+}} : !tt.tensordesc<tensor<128x64xf16>>, tensor<128x64xf16>
    tt.descriptor_reduce add, %td[%c32, %c32], %dl : !tt.tensordesc<128x64xf16>, tensor<128x64xf16>
    // CHECK: tt.make_tensor_ptr {{%[a-z0-9_#]+}}, {{\[}}{{%[a-z0-9_#]+}}, {{%[a-z0-9_#]+}}], {{\[}}{{%[a-z0-9_#]+}}, {{%[a-z0-9_#]+}}], {{\[}}{{%[a-z0-9_#]+}}, {{%[a-z0-9_#]+}}] {order = array<i32: 1, 0>} : <tensor<128x64xf16>>
    %bp = tt.make_tensor_ptr %h, [%c64, %c64], [%c64, %c64], [%c32, %c32] {order = array<i32: 1, 0>} : <tensor<128x64xf16>>
    // CHECK: tt.advance {{%[a-z0-9_#]+}}, {{\[}}{{%[a-z0-9_#]+}}, {{%[a-z0-9_#]+}}] : <tensor<128x64xf16>>
    %bp2 = tt.advance %bp, [%c32, %c32] : <tensor<128x64xf16>>
    // CHECK: tt.load {{%[a-z0-9_#]+}} {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<128x64xf16>>
    %bl = tt.load %bp2 {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<128x64xf16>>
    // CHECK: tt.store {{%[a-z0-9_#]+}}, {{%[a-z0-9_#]+}} {boundaryCheck = array<i32: 1>} : !tt.ptr<tensor<128x64xf16>>
    tt.store %bp2, %bl {boundaryCheck = array<i32: 1>} : !tt.ptr<tensor<128x64xf16>>
    // CHECK: gpu.barrier
    gpu.barrier
    // CHECK: ttg.barrier all
    ttg.barrier all
    // CHECK: ttg.barrier local
    ttg.barrier local
    // CHECK: ttg.barrier global_read|global_write
    ttg.barrier global_read|global_write
    %uu = arith.constant dense<1.0> : tensor<1x1xf32>
    // CHECK: tt.unsplat {{%[a-z0-9_#]+}} : tensor<1x1xf32>
    %us = tt.unsplat %uu : tensor<1x1xf32>
    // CHECK: tt.grid_dependency_wait
    tt.grid_dependency_wait
    // CHECK: tt.return
    tt.return
  }
}
