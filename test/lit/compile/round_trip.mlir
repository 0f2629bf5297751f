// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The printed form of a stage is accepted again at that stage and printed the same.
//
// RUN: %kiln compile %s --from=tt --emit=tt -o %t.1.ttir
// RUN: %kiln compile %t.1.ttir --emit=tt -o %t.2.ttir && cmp %t.1.ttir %t.2.ttir
// RUN: FileCheck %s --check-prefix=TT < %t.1.ttir
// RUN: %kiln compile %t.1.ttir --emit=ttg -o %t.1.ttgir
// RUN: %kiln compile %t.1.ttgir --emit=ttg -o %t.2.ttgir && cmp %t.1.ttgir %t.2.ttgir
// RUN: FileCheck %s --check-prefix=TTG < %t.1.ttgir

// Stopping at ttg and continuing from there leads to the same code.
// RUN: %kiln compile %t.1.ttir --no-line-info -o %t.a.hsaco
// RUN: %kiln compile %t.1.ttgir --no-line-info -o %t.b.hsaco && cmp %t.a.hsaco %t.b.hsaco

// TT-LABEL: tt.func public @double(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc("x"
// TT: %[[V:.*]] = tt.load %{{.*}} : tensor<256x!tt.ptr<f32>>
// TT: arith.addf %[[V]], %[[V]] : tensor<256xf32>

// TTG: #ttg.blocked
// TTG: module attributes {{.*}}"ttg.num-warps" = 4
// TTG-LABEL: tt.func public @double
// TTG: tt.load %{{.*}} : tensor<256x!tt.ptr<f32>, #
module {
  tt.func public @double(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc("x")) {
    %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
    %p = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
    %q = tt.addptr %p, %r : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
    %v = tt.load %q : tensor<256x!tt.ptr<f32>>
    %d = arith.addf %v, %v : tensor<256xf32>
    tt.store %q, %d : tensor<256x!tt.ptr<f32>>
    tt.return
  }
}
