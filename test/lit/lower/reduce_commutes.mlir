// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions that commute are reduced by the cheapest moves between lanes; others select which value comes first.
// RUN: for k in abs_max or_nan greater argmax argmax_nan last_max last_nan mixed_signs difference right; do \
// RUN:   kiln compile %s --kernel=$k --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info -o - || exit 1; done \
// RUN:   | FileCheck %s

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // CHECK-LABEL: define {{.*}}@abs_max(
  // CHECK: readlane
  // CHECK: ret void
  tt.func public @abs_max(%out: !tt.ptr<f32>, %f: f32) {
    %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #line>
    %v = arith.sitofp %range : tensor<64xi32, #line> to tensor<64xf32, #line>
    %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %x = math.absf %a : f32
      %y = math.absf %b : f32
      %r = arith.maxnumf %y, %x : f32
      tt.reduce.return %r : f32
    }) : (tensor<64xf32, #line>) -> f32
    tt.store %out, %s : !tt.ptr<f32>
    tt.return
  }
  // CHECK-LABEL: define {{.*}}@or_nan(
  // CHECK: readlane
  // CHECK: ret void
  tt.func public @or_nan(%out: !tt.ptr<f32>, %f: f32) {
    %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #line>
    %v = arith.sitofp %range : tensor<64xi32, #line> to tensor<64xf32, #line>
    %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %g = arith.cmpf ogt, %a, %b : f32
      %n = arith.cmpf une, %a, %a : f32
      %c = arith.ori %g, %n : i1
      %r = arith.select %c, %a, %b : f32
      tt.reduce.return %r : f32
    }) : (tensor<64xf32, #line>) -> f32
    tt.store %out, %s : !tt.ptr<f32>
    tt.return
  }
  // CHECK-LABEL: define {{.*}}@greater(
  // CHECK: readlane
  // CHECK: ret void
  tt.func public @greater(%out: !tt.ptr<f32>, %f: f32) {
    %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #line>
    %v = arith.sitofp %range : tensor<64xi32, #line> to tensor<64xf32, #line>
    %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.cmpf ogt, %a, %b : f32
      %r = arith.select %c, %a, %b : f32
      tt.reduce.return %r : f32
    }) : (tensor<64xf32, #line>) -> f32
    tt.store %out, %s : !tt.ptr<f32>
    tt.return
  }
  // CHECK-LABEL: define {{.*}}@argmax(
  // CHECK: readlane
  // CHECK: ret void
  tt.func public @argmax(%out: !tt.ptr<f32>, %f: f32) {
    %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #line>
    %v = arith.sitofp %range : tensor<64xi32, #line> to tensor<64xf32, #line>
    %s:2 = "tt.reduce"(%v, %range) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
      %e = arith.cmpf oeq, %a, %b : f32
      %l = arith.cmpi slt, %i, %j : i32
      %t = arith.andi %e, %l : i1
      %g = arith.cmpf ogt, %a, %b : f32
      %c = arith.ori %g, %t : i1
      %r = arith.select %c, %a, %b : f32
      %k = arith.select %c, %i, %j : i32
      tt.reduce.return %r, %k : f32, i32
    }) : (tensor<64xf32, #line>, tensor<64xi32, #line>) -> (f32, i32)
    %w = arith.sitofp %s#1 : i32 to f32
    %z = arith.addf %s#0, %w : f32
    tt.store %out, %z : !tt.ptr<f32>
    tt.return
  }
  // CHECK-LABEL: define {{.*}}@argmax_nan(
  // CHECK: readlane
  // CHECK: ret void
  tt.func public @argmax_nan(%out: !tt.ptr<f32>, %f: f32) {
    %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #line>
    %v = arith.sitofp %range : tensor<64xi32, #line> to tensor<64xf32, #line>
    %s:2 = "tt.reduce"(%v, %range) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
      %x = arith.cmpf uno, %a, %a : f32
      %y = arith.cmpf uno, %b, %b : f32
      %true = arith.constant true
      %z = arith.xori %y, %true : i1
      %n = arith.andi %x, %z : i1
      %m = arith.andi %x, %y : i1
      %p = arith.cmpf oeq, %a, %b : f32
      %e = arith.ori %p, %m : i1
      %l = arith.cmpi slt, %i, %j : i32
      %t = arith.andi %e, %l : i1
      %g = arith.cmpf ogt, %a, %b : f32
      %h = arith.ori %g, %n : i1
      %c = arith.ori %h, %t : i1
      %r = arith.select %c, %a, %b : f32
      %k = arith.select %c, %i, %j : i32
      tt.reduce.return %r, %k : f32, i32
    }) : (tensor<64xf32, #line>, tensor<64xi32, #line>) -> (f32, i32)
    %w = arith.sitofp %s#1 : i32 to f32
    %z = arith.addf %s#0, %w : f32
    tt.store %out, %z : !tt.ptr<f32>
    tt.return
  }
  // CHECK-LABEL: define {{.*}}@last_max(
  // CHECK: and i32 %{{.*}}, 32
  // CHECK-NOT: readlane
  // CHECK: ret void
  tt.func public @last_max(%out: !tt.ptr<f32>, %f: f32) {
    %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #line>
    %v = arith.sitofp %range : tensor<64xi32, #line> to tensor<64xf32, #line>
    %s:2 = "tt.reduce"(%v, %range) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
      %c = arith.cmpf ogt, %a, %b : f32
      %r = arith.select %c, %a, %b : f32
      %k = arith.select %c, %i, %j : i32
      tt.reduce.return %r, %k : f32, i32
    }) : (tensor<64xf32, #line>, tensor<64xi32, #line>) -> (f32, i32)
    %w = arith.sitofp %s#1 : i32 to f32
    %z = arith.addf %s#0, %w : f32
    tt.store %out, %z : !tt.ptr<f32>
    tt.return
  }
  // CHECK-LABEL: define {{.*}}@last_nan(
  // CHECK: and i32 %{{.*}}, 32
  // CHECK-NOT: readlane
  // CHECK: ret void
  tt.func public @last_nan(%out: !tt.ptr<f32>, %f: f32) {
    %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #line>
    %v = arith.sitofp %range : tensor<64xi32, #line> to tensor<64xf32, #line>
    %s:2 = "tt.reduce"(%v, %range) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
      %x = arith.cmpf uno, %a, %a : f32
      %y = arith.cmpf ord, %b, %b : f32
      %n = arith.andi %x, %y : i1
      %p = arith.cmpf oeq, %a, %b : f32
      %l = arith.cmpi slt, %i, %j : i32
      %t = arith.andi %p, %l : i1
      %g = arith.cmpf ogt, %a, %b : f32
      %h = arith.ori %g, %n : i1
      %c = arith.ori %h, %t : i1
      %r = arith.select %c, %a, %b : f32
      %k = arith.select %c, %i, %j : i32
      tt.reduce.return %r, %k : f32, i32
    }) : (tensor<64xf32, #line>, tensor<64xi32, #line>) -> (f32, i32)
    %w = arith.sitofp %s#1 : i32 to f32
    %z = arith.addf %s#0, %w : f32
    tt.store %out, %z : !tt.ptr<f32>
    tt.return
  }
  // CHECK-LABEL: define {{.*}}@mixed_signs(
  // CHECK: and i32 %{{.*}}, 32
  // CHECK-NOT: readlane
  // CHECK: ret void
  tt.func public @mixed_signs(%out: !tt.ptr<f32>, %f: f32) {
    %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #line>
    %v = arith.sitofp %range : tensor<64xi32, #line> to tensor<64xf32, #line>
    %s:2 = "tt.reduce"(%v, %range) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
      %l = arith.cmpi slt, %i, %j : i32
      %u = arith.cmpi ugt, %i, %j : i32
      %e = arith.cmpf oeq, %a, %b : f32
      %n = arith.cmpf une, %a, %b : f32
      %s = arith.andi %l, %e : i1
      %t = arith.andi %u, %n : i1
      %c = arith.ori %s, %t : i1
      %k = arith.select %c, %i, %j : i32
      %r = arith.addf %a, %b : f32
      tt.reduce.return %r, %k : f32, i32
    }) : (tensor<64xf32, #line>, tensor<64xi32, #line>) -> (f32, i32)
    %w = arith.sitofp %s#1 : i32 to f32
    %z = arith.addf %s#0, %w : f32
    tt.store %out, %z : !tt.ptr<f32>
    tt.return
  }
  // CHECK-LABEL: define {{.*}}@difference(
  // CHECK: and i32 %{{.*}}, 32
  // CHECK-NOT: readlane
  // CHECK: ret void
  tt.func public @difference(%out: !tt.ptr<f32>, %f: f32) {
    %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #line>
    %v = arith.sitofp %range : tensor<64xi32, #line> to tensor<64xf32, #line>
    %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %r = arith.subf %a, %b : f32
      tt.reduce.return %r : f32
    }) : (tensor<64xf32, #line>) -> f32
    tt.store %out, %s : !tt.ptr<f32>
    tt.return
  }
  // CHECK-LABEL: define {{.*}}@right(
  // CHECK: and i32 %{{.*}}, 32
  // CHECK-NOT: readlane
  // CHECK: ret void
  tt.func public @right(%out: !tt.ptr<f32>, %f: f32) {
    %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #line>
    %v = arith.sitofp %range : tensor<64xi32, #line> to tensor<64xf32, #line>
    %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      tt.reduce.return %b : f32
    }) : (tensor<64xf32, #line>) -> f32
    tt.store %out, %s : !tt.ptr<f32>
    tt.return
  }
}
