// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A scan over lanes with a costly region emits it once for each of a lane's runs, in a loop over
// the distances, instead of up to three times per distance.
// RUN: %kiln compile %s --from=tt --emit=llvm --no-llvm-passes --no-line-info --num-warps=1 --kernel=costly -o - \
// RUN:   | FileCheck %s --check-prefix=COSTLY
// RUN: %kiln compile %s --from=tt --emit=llvm --no-llvm-passes --no-line-info --num-warps=1 --kernel=backwards -o - \
// RUN:   | FileCheck %s --check-prefix=BACKWARDS
// RUN: %kiln compile %s --from=tt --emit=llvm --no-llvm-passes --no-line-info --num-warps=1 --kernel=cheap -o - \
// RUN:   | FileCheck %s --check-prefix=CHEAP
module {
  // COSTLY-LABEL: define {{.*}}@costly(
  // COSTLY-NOT: call float @llvm.maximum
  // COSTLY: br label %scan.lanes
  // COSTLY: scan.lanes:
  // COSTLY-NEXT: %bit = phi i32 [ 1, %{{.*}} ]
  // COSTLY: @llvm.amdgcn.ds.bpermute
  // COSTLY: call {{.*}}float @llvm.maximum
  // COSTLY: br i1 %{{.*}}, label %scan.lanes, label %scanned.lanes
  // COSTLY-NOT: call {{.*}}float @llvm.maximum
  // COSTLY: ret void
  tt.func public @costly(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %p = tt.addptr %xs, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %a = tt.load %p : tensor<64x!tt.ptr<f32>>
    %s = "tt.scan"(%a) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%u: f32, %v: f32):
      %m = arith.maximumf %u, %v : f32
      %n = arith.minimumf %u, %v : f32
      %d = arith.subf %n, %m : f32
      %e = math.exp %d : f32
      %one = arith.constant 1.0 : f32
      %f = arith.addf %e, %one : f32
      %g = math.log %f : f32
      %t = arith.addf %m, %g : f32
      tt.scan.return %t : f32
    }) : (tensor<64xf32>) -> tensor<64xf32>
    tt.store %p, %s : tensor<64x!tt.ptr<f32>>
    tt.return
  }

  // BACKWARDS-LABEL: define {{.*}}@backwards(
  // BACKWARDS: xor i32 %{{.*}}, 63
  // BACKWARDS: scan.lanes:
  // BACKWARDS: ret void
  tt.func public @backwards(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %p = tt.addptr %xs, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %a = tt.load %p : tensor<64x!tt.ptr<f32>>
    %s = "tt.scan"(%a) <{axis = 0 : i32, reverse = true}> ({
    ^bb0(%u: f32, %v: f32):
      %m = arith.maximumf %u, %v : f32
      %n = arith.minimumf %u, %v : f32
      %d = arith.subf %n, %m : f32
      %e = math.exp %d : f32
      %one = arith.constant 1.0 : f32
      %f = arith.addf %e, %one : f32
      %g = math.log %f : f32
      %t = arith.addf %m, %g : f32
      tt.scan.return %t : f32
    }) : (tensor<64xf32>) -> tensor<64xf32>
    tt.store %p, %s : tensor<64x!tt.ptr<f32>>
    tt.return
  }

  // CHEAP-LABEL: define {{.*}}@cheap(
  // CHEAP-NOT: scan.lanes
  // CHEAP: ret void
  tt.func public @cheap(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %p = tt.addptr %xs, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %a = tt.load %p : tensor<64x!tt.ptr<f32>>
    %s = "tt.scan"(%a) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%u: f32, %v: f32):
      %t = arith.maxnumf %u, %v : f32
      tt.scan.return %t : f32
    }) : (tensor<64xf32>) -> tensor<64xf32>
    tt.store %p, %s : tensor<64x!tt.ptr<f32>>
    tt.return
  }
}
