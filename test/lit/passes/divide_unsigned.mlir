// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Divisions become unsigned if every access that uses them is masked by a lower bound of their own
// dividend: through widening, through quotients of quotients, through the same dimension. Not if
// the bound is another dimension's, if there is only an upper one, if a sum may have wrapped, or if
// the quotient is stored. Results are the same with and without.
// RUN: kiln compile %s --from=tt --emit=ttg --passes=divide_unsigned --no-line-info -o - | FileCheck %s
// RUN: for d in "" --disable-pass=divide_unsigned; do kiln compile %s --from=tt --kernel=pieces $d --emit=ttg \
// RUN:   --num-warps=4 -o %t$d.ttgir && kiln run --device=sim %t$d.ttgir --grid=1 'x=i32[16384]:iota' 'y=i32[16384]' \
// RUN:   --save y=%t$d.bin || exit 1; done; cmp %t.bin %t--disable-pass=divide_unsigned.bin
// RUN: kiln compile %s --from=tt --kernel=pieces --emit=asm --num-warps=4 -o - | FileCheck %s --check-prefix=ASM

// Four neighbours are side by side.
// ASM: global_load_dwordx4
module {
  // CHECK-LABEL: @pieces
  // CHECK: arith.divui %{{.*}}, %{{.*}} : tensor<1x128xi32>
  // CHECK: arith.remui %{{.*}}, %{{.*}} : tensor<1x128xi32>
  // CHECK: arith.remui %{{.*}}, %{{.*}} : tensor<1x128xi32>
  tt.func public @pieces(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32} loc("x"), %y: !tt.ptr<i32> {tt.divisibility = 16 : i32} loc("y")) {
    %minus = arith.constant dense<-192> : tensor<1x128xi32>
    %least = arith.constant dense<192> : tensor<1x128xi64>
    %c64 = arith.constant dense<64> : tensor<1x128xi32>
    %c3 = arith.constant dense<3> : tensor<1x128xi32>
    %c512 = arith.constant dense<512> : tensor<1x128xi32>
    %row = arith.constant dense<128> : tensor<32x1xi32>
    %c128 = arith.constant 128 : i32
    %pid = tt.get_program_id x : i32
    %offset = arith.muli %pid, %c128 : i32
    %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %i1 = tt.expand_dims %i {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
    %begin = tt.splat %offset : i32 -> tensor<1x128xi32>
    %col = arith.addi %begin, %i1 : tensor<1x128xi32>
    %j = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %j1 = tt.expand_dims %j {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %rows = arith.muli %j1, %row : tensor<32x1xi32>
    %rows2 = tt.broadcast %rows : tensor<32x1xi32> -> tensor<32x128xi32>
    %wide = arith.extsi %col : tensor<1x128xi32> to tensor<1x128xi64>
    %bound = arith.cmpi sge, %wide, %least : tensor<1x128xi64>
    %mask = tt.broadcast %bound : tensor<1x128xi1> -> tensor<32x128xi1>
    %v = arith.addi %col, %minus : tensor<1x128xi32>
    %q = arith.divsi %v, %c64 : tensor<1x128xi32>
    %q3 = arith.remsi %q, %c3 : tensor<1x128xi32>
    %q512 = arith.muli %q3, %c512 : tensor<1x128xi32>
    %r = arith.remsi %v, %c64 : tensor<1x128xi32>
    %at = arith.addi %q512, %r : tensor<1x128xi32>
    %at2 = tt.broadcast %at : tensor<1x128xi32> -> tensor<32x128xi32>
    %index = arith.addi %at2, %rows2 : tensor<32x128xi32>
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<32x128x!tt.ptr<i32>>
    %px = tt.addptr %xs, %index : tensor<32x128x!tt.ptr<i32>>, tensor<32x128xi32>
    %loaded = tt.load %px, %mask : tensor<32x128x!tt.ptr<i32>>
    %col2 = tt.broadcast %col : tensor<1x128xi32> -> tensor<32x128xi32>
    %to = arith.addi %col2, %rows2 : tensor<32x128xi32>
    %ys = tt.splat %y : !tt.ptr<i32> -> tensor<32x128x!tt.ptr<i32>>
    %py = tt.addptr %ys, %to : tensor<32x128x!tt.ptr<i32>>, tensor<32x128xi32>
    tt.store %py, %loaded, %mask : tensor<32x128x!tt.ptr<i32>>
    tt.return
  }

  // The mask's rows are the number's columns.
  // CHECK-LABEL: @other_dimension
  // CHECK: arith.divsi
  tt.func public @other_dimension(%x: !tt.ptr<i32>) {
    %minus = arith.constant dense<-8> : tensor<32xi32>
    %least = arith.constant dense<8> : tensor<32xi32>
    %c4 = arith.constant dense<4> : tensor<32xi32>
    %i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %bound = arith.cmpi sge, %i, %least : tensor<32xi32>
    %bound1 = tt.expand_dims %bound {axis = 1 : i32} : tensor<32xi1> -> tensor<32x1xi1>
    %mask = tt.broadcast %bound1 : tensor<32x1xi1> -> tensor<32x32xi1>
    %v = arith.addi %i, %minus : tensor<32xi32>
    %q = arith.divsi %v, %c4 : tensor<32xi32>
    %q1 = tt.expand_dims %q {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %q2 = tt.broadcast %q1 : tensor<1x32xi32> -> tensor<32x32xi32>
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<32x32x!tt.ptr<i32>>
    %px = tt.addptr %xs, %q2 : tensor<32x32x!tt.ptr<i32>>, tensor<32x32xi32>
    tt.store %px, %q2, %mask : tensor<32x32x!tt.ptr<i32>>
    tt.return
  }

  // CHECK-LABEL: @same_dimension
  // CHECK: arith.divui
  tt.func public @same_dimension(%x: !tt.ptr<i32>) {
    %minus = arith.constant dense<-8> : tensor<32xi32>
    %least = arith.constant dense<7> : tensor<32xi32>
    %c4 = arith.constant dense<4> : tensor<32xi32>
    %zero = arith.constant dense<0> : tensor<32x32xi32>
    %i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %bound = arith.cmpi sgt, %i, %least : tensor<32xi32>
    %bound1 = tt.expand_dims %bound {axis = 0 : i32} : tensor<32xi1> -> tensor<1x32xi1>
    %mask = tt.broadcast %bound1 : tensor<1x32xi1> -> tensor<32x32xi1>
    %v = arith.addi %i, %minus : tensor<32xi32>
    %q = arith.divsi %v, %c4 : tensor<32xi32>
    %q1 = tt.expand_dims %q {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %q2 = tt.broadcast %q1 : tensor<1x32xi32> -> tensor<32x32xi32>
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<32x32x!tt.ptr<i32>>
    %px = tt.addptr %xs, %q2 : tensor<32x32x!tt.ptr<i32>>, tensor<32x32xi32>
    tt.store %px, %zero, %mask : tensor<32x32x!tt.ptr<i32>>
    tt.return
  }

  // An upper bound; a bound that leaves -1; a sum that may wrap; an access without a mask; the
  // quotient itself.
  // CHECK-LABEL: @unbounded
  // CHECK-COUNT-5: arith.divsi
  tt.func public @unbounded(%x: !tt.ptr<i32>, %n: i32) {
    %minus = arith.constant dense<-8> : tensor<32xi32>
    %eight = arith.constant dense<8> : tensor<32xi32>
    %seven = arith.constant dense<7> : tensor<32xi32>
    %c4 = arith.constant dense<4> : tensor<32xi32>
    %c3 = arith.constant dense<3> : tensor<32xi32>
    %c5 = arith.constant dense<5> : tensor<32xi32>
    %c6 = arith.constant dense<6> : tensor<32xi32>
    %n1 = tt.splat %n : i32 -> tensor<32xi32>
    %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %i = arith.addi %r, %n1 : tensor<32xi32>
    %v = arith.addi %i, %minus : tensor<32xi32>
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
    %below = arith.cmpi slt, %i, %eight : tensor<32xi32>
    %q0 = arith.divsi %v, %c4 : tensor<32xi32>
    %p0 = tt.addptr %xs, %q0 : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
    tt.store %p0, %r, %below : tensor<32x!tt.ptr<i32>>
    %nearly = arith.cmpi sge, %i, %seven : tensor<32xi32>
    %q1 = arith.divsi %v, %c3 : tensor<32xi32>
    %p1 = tt.addptr %xs, %q1 : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
    tt.store %p1, %r, %nearly : tensor<32x!tt.ptr<i32>>
    %w = arith.addi %i, %eight : tensor<32xi32>
    %q2 = arith.divsi %w, %c4 : tensor<32xi32>
    %p2 = tt.addptr %xs, %q2 : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
    tt.store %p2, %r, %nearly : tensor<32x!tt.ptr<i32>>
    %above = arith.cmpi sge, %i, %eight : tensor<32xi32>
    %q3 = arith.divsi %v, %c5 : tensor<32xi32>
    %p3 = tt.addptr %xs, %q3 : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
    tt.store %p3, %r, %above : tensor<32x!tt.ptr<i32>>
    tt.store %p3, %r : tensor<32x!tt.ptr<i32>>
    %q4 = arith.divsi %v, %c6 : tensor<32xi32>
    %p4 = tt.addptr %xs, %r : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
    tt.store %p4, %q4, %above : tensor<32x!tt.ptr<i32>>
    tt.return
  }
}
