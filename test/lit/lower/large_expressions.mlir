// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 2^20 elements of 64 bits in one wave are 128 KiB per lane, more than its scratch memory. They
// compile if they need not all be live at once: loaded elements are converted and added up before
// the next are loaded.
// RUN: kiln compile %s --from=tt --num-warps=1 -o %t.hsaco
// RUN: FileCheck %s < %t.json
// CHECK: "scratch_bytes_per_lane": {{[0-9]?[0-9]?[0-9]?[0-9]}},
tt.func public @k(%x: !tt.ptr<f64>, %o: !tt.ptr<f32>) {
  %range = tt.make_range {end = 1048576 : i32, start = 0 : i32} : tensor<1048576xi32>
  %base = tt.splat %x : !tt.ptr<f64> -> tensor<1048576x!tt.ptr<f64>>
  %places = tt.addptr %base, %range : tensor<1048576x!tt.ptr<f64>>, tensor<1048576xi32>
  %values = tt.load %places : tensor<1048576x!tt.ptr<f64>>
  %narrow = arith.truncf %values : tensor<1048576xf64> to tensor<1048576xf32>
  %sum = "tt.reduce"(%narrow) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<1048576xf32>) -> f32
  tt.store %o, %sum : !tt.ptr<f32>
  tt.return
}
