// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A buffer's size below 2 GiB is a promise about the accessed bytes. If a moved pointer is used
// other than as an address (as a number, an argument, one of several roots), it is computed in 64
// bits: four bytes before the buffer are not 4 GiB after that. Otherwise the offsets keep 32 bits.
// RUN: kiln compile %s --from=tt --emit=llvm --no-line-info --kernel=number -o - | FileCheck %s --check-prefix=NUMBER
// RUN: kiln compile %s --from=tt --emit=llvm --no-line-info --kernel=carried -o - | FileCheck %s --check-prefix=CARRIED
// RUN: kiln compile %s --from=tt --emit=llvm --no-line-info --kernel=pair -o - | FileCheck %s --check-prefix=PAIR
// RUN: kiln compile %s --from=tt --emit=llvm --no-line-info --kernel=blocks -o - | FileCheck %s --check-prefix=BLOCKS
// RUN: cp %s %t.ttir
// RUN: kiln run %t.ttir --device=sim --check --cache-mode=off --kernel=before "arg0=i32[4]:iota" \
// RUN:   "arg1=i32[64]:fill:7" arg2=-2 --print "arg1[0:2]" | FileCheck %s --check-prefix=BEFORE

module {
  // NUMBER: getelementptr {{.*}}, i64 {{-4|%}}
  // NUMBER-NOT: zext i32
  // NUMBER: ptrtoint
  tt.func public @number(%x: !tt.ptr<i32> {tt.pointer_range = 32 : i32}, %y: !tt.ptr<i64>, %n: i32) {
    %p = tt.addptr %x, %n : !tt.ptr<i32>, i32
    %i = tt.ptr_to_int %p : !tt.ptr<i32> -> i64
    tt.store %y, %i : !tt.ptr<i64>
    tt.return
  }

  // A pointer that only moves, also through branches and a selection, keeps its root and 32 bits.
  // CARRIED: raw.ptr.buffer.load
  tt.func public @carried(%x: !tt.ptr<i32> {tt.pointer_range = 32 : i32}, %y: !tt.ptr<i32> {tt.pointer_range = 32 : i32}, %n: i32) {
    %c0 = arith.constant 0 : i32
    %far = arith.cmpi sgt, %n, %c0 : i32
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    %a = tt.addptr %xs, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    %ns = tt.splat %n : i32 -> tensor<64xi32>
    %b = scf.if %far -> (tensor<64x!tt.ptr<i32>>) {
      %t = tt.addptr %a, %ns : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
      scf.yield %t : tensor<64x!tt.ptr<i32>>
    } else {
      scf.yield %a : tensor<64x!tt.ptr<i32>>
    }
    %m = arith.cmpi slt, %r, %ns : tensor<64xi32>
    %c = arith.select %m, %b, %a : tensor<64xi1>, tensor<64x!tt.ptr<i32>>
    %v = tt.load %c : tensor<64x!tt.ptr<i32>>
    %ys = tt.splat %y : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    %q = tt.addptr %ys, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    tt.store %q, %v : tensor<64x!tt.ptr<i32>>
    tt.return
  }

  // Pointers of two roots side by side.
  // PAIR: define {{.*}}@pair(
  // PAIR: load i32
  // PAIR: store i32
  tt.func public @pair(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    %a = tt.addptr %xs, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    %ys = tt.splat %y : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    %b = tt.addptr %ys, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    %both = tt.join %a, %b : tensor<64x!tt.ptr<i32>> -> tensor<64x2x!tt.ptr<i32>>
    %v = tt.load %both : tensor<64x2x!tt.ptr<i32>>
    %w = arith.addi %v, %v : tensor<64x2xi32>
    tt.store %both, %w : tensor<64x2x!tt.ptr<i32>>
    tt.return
  }

  // Two elements before x, seen from another root, and back again.
  // BEFORE: 0 7
  tt.func public @before(%x: !tt.ptr<i32> {tt.pointer_range = 32 : i32}, %y: !tt.ptr<i32> {tt.pointer_range = 32 : i32}, %n: i32) {
    %c0 = arith.constant 0 : i32
    %back = arith.subi %c0, %n : i32
    %far = arith.cmpi slt, %n, %c0 : i32
    %p = tt.addptr %x, %n : !tt.ptr<i32>, i32
    %q = arith.select %far, %p, %y : !tt.ptr<i32>
    %r = tt.addptr %q, %back : !tt.ptr<i32>, i32
    %v = tt.load %r : !tt.ptr<i32>
    tt.store %y, %v : !tt.ptr<i32>
    tt.return
  }

  // A root other than an argument: pointers are passed whole between blocks, also into the loop
  // after them.
  // BLOCKS: phi ptr addrspace(1)
  tt.func public @blocks(%at: i64, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ones = arith.constant dense<1> : tensor<64xi32>
    %x = tt.int_to_ptr %at : i64 -> !tt.ptr<i32>
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    %a = tt.addptr %xs, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    %far = arith.cmpi sgt, %n, %c0 : i32
    cf.cond_br %far, ^go(%a, %x : tensor<64x!tt.ptr<i32>>, !tt.ptr<i32>), ^other
  ^other:
    %y = tt.addptr %x, %n : !tt.ptr<i32>, i32
    cf.br ^go(%xs, %y : tensor<64x!tt.ptr<i32>>, !tt.ptr<i32>)
  ^go(%p: tensor<64x!tt.ptr<i32>>, %s: !tt.ptr<i32>):
    %q:2 = scf.for %i = %c0 to %n step %c1 iter_args(%t = %p, %u = %s) -> (tensor<64x!tt.ptr<i32>>, !tt.ptr<i32>) : i32 {
      tt.store %t, %r : tensor<64x!tt.ptr<i32>>
      %rs = arith.muli %r, %r : tensor<64xi32>
      %v = tt.addptr %t, %rs : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
      %w = tt.addptr %u, %i : !tt.ptr<i32>, i32
      scf.yield %v, %w : tensor<64x!tt.ptr<i32>>, !tt.ptr<i32>
    }
    tt.store %q#1, %n : !tt.ptr<i32>
    tt.store %q#0, %r : tensor<64x!tt.ptr<i32>>
    tt.return
  }
}
