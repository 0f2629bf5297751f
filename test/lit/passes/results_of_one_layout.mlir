// Both results of an extended product keep one layout, although their stores require different
// ones.
// RUN: %kiln compile --from=tt --emit=ttg %s -o - | FileCheck %s
// RUN: %kiln compile --from=tt %s -o %t.hsaco
module {
  tt.func public @k(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %z: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %row = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %rows = tt.broadcast %row : tensor<64x1xi32> -> tensor<64x64xi32>
    %column = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %columns = tt.broadcast %column : tensor<1x64xi32> -> tensor<64x64xi32>
    %c64 = arith.constant dense<64> : tensor<64x64xi32>
    %a = arith.muli %rows, %c64 : tensor<64x64xi32>
    %by_row = arith.addi %a, %columns : tensor<64x64xi32>
    %b = arith.muli %columns, %c64 : tensor<64x64xi32>
    %by_column = arith.addi %b, %rows : tensor<64x64xi32>
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<64x64x!tt.ptr<i32>>
    %ys = tt.splat %y : !tt.ptr<i32> -> tensor<64x64x!tt.ptr<i32>>
    %zs = tt.splat %z : !tt.ptr<i32> -> tensor<64x64x!tt.ptr<i32>>
    %xp = tt.addptr %xs, %by_row : tensor<64x64x!tt.ptr<i32>>, tensor<64x64xi32>
    %yp = tt.addptr %ys, %by_row : tensor<64x64x!tt.ptr<i32>>, tensor<64x64xi32>
    %zp = tt.addptr %zs, %by_column : tensor<64x64x!tt.ptr<i32>>, tensor<64x64xi32>
    // CHECK: arith.mulsi_extended
    %low, %high = arith.mulsi_extended %by_row, %by_column : tensor<64x64xi32>
    tt.store %yp, %low : tensor<64x64x!tt.ptr<i32>>
    tt.store %zp, %high : tensor<64x64x!tt.ptr<i32>>
    tt.return
  }
}
