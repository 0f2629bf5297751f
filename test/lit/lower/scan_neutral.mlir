// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A scan whose region has a neutral element adds it if nothing precedes, without a select after the
// addition; for floats it is -0.
// RUN: %kiln compile %s --from=tt --emit=llvm --no-llvm-passes --no-line-info --kernel=sums -o - \
// RUN:   | FileCheck %s --check-prefix=SUMS
// RUN: %kiln compile %s --from=tt --emit=llvm --no-llvm-passes --no-line-info --kernel=least -o - \
// RUN:   | FileCheck %s --check-prefix=LEAST
// RUN: %kiln compile %s --from=tt --emit=llvm --no-llvm-passes --no-line-info --kernel=other -o - \
// RUN:   | FileCheck %s --check-prefix=OTHER
module {
  // SUMS-LABEL: define {{.*}}@sums(
  // SUMS: select i1 %{{.*}}, float %{{.*}}, float -0.000000e+00
  // SUMS: icmp eq i32 %{{.*}}, 3
  // SUMS-NEXT: select
  // SUMS-NEXT: fadd contract float
  // SUMS-NEXT: %[[CARRY:.*]] = fadd contract float
  // SUMS-NEXT: fadd contract float %[[CARRY]]
  // SUMS-NEXT: fadd contract float %[[CARRY]]
  // SUMS-NEXT: fadd contract float %[[CARRY]]
  // SUMS-NEXT: fadd contract float %[[CARRY]]
  // SUMS-NOT: select
  // SUMS: ret void
  tt.func public @sums(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %p = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %a = tt.load %p : tensor<1024x!tt.ptr<f32>>
    %s = "tt.scan"(%a) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%u: f32, %v: f32):
      %t = arith.addf %u, %v : f32
      tt.scan.return %t : f32
    }) : (tensor<1024xf32>) -> tensor<1024xf32>
    tt.store %p, %s : tensor<1024x!tt.ptr<f32>>
    tt.return
  }

  // LEAST-LABEL: define {{.*}}@least(
  // LEAST: select i1 %{{.*}}, i32 %{{.*}}, i32 2147483647
  // LEAST: ret void
  tt.func public @least(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
    %p = tt.addptr %xs, %r : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
    %a = tt.load %p : tensor<1024x!tt.ptr<i32>>
    %s = "tt.scan"(%a) <{axis = 0 : i32, reverse = true}> ({
    ^bb0(%u: i32, %v: i32):
      %t = arith.minsi %v, %u : i32
      tt.scan.return %t : i32
    }) : (tensor<1024xi32>) -> tensor<1024xi32>
    tt.store %p, %s : tensor<1024x!tt.ptr<i32>>
    tt.return
  }

  // A NaN is neither changed nor made a number where the region has no neutral element.
  // OTHER-LABEL: define {{.*}}@other(
  // OTHER-NOT: select i1 %{{.*}}, float %{{.*}}, float {{-?[0-9]}}
  // OTHER: ret void
  tt.func public @other(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
    %p = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    %a = tt.load %p : tensor<1024x!tt.ptr<f32>>
    %s = "tt.scan"(%a) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%u: f32, %v: f32):
      %t = arith.maxnumf %u, %v : f32
      tt.scan.return %t : f32
    }) : (tensor<1024xf32>) -> tensor<1024xf32>
    tt.store %p, %s : tensor<1024x!tt.ptr<f32>>
    tt.return
  }
}
