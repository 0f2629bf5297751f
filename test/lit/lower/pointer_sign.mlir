// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Offsets from a pointer with tt.pointer_range = 32 are signed. If ranges prove that nothing
// negative is added they count from the pointer itself, otherwise from a base that is lowered by
// 2^31 - 2^20 bytes.
// RUN: kiln compile %s --from=tt --emit=llvm --no-line-info --num-warps=1 --kernel=unknown -o - \
// RUN:   | FileCheck %s --check-prefix=UNKNOWN
// RUN: kiln compile %s --from=tt --emit=llvm --no-line-info --num-warps=1 --kernel=proved -o - \
// RUN:   | FileCheck %s --check-prefix=PROVED
// RUN: kiln compile %s --from=tt --emit=llvm --no-line-info --num-warps=1 --kernel=forward -o - \
// RUN:   | FileCheck %s --check-prefix=PROVED
// RUN: kiln compile %s --from=tt --emit=llvm --no-line-info --num-warps=1 --kernel=backward -o - \
// RUN:   | FileCheck %s --check-prefix=UNKNOWN
// RUN: kiln compile %s --from=tt --emit=llvm --no-line-info --num-warps=1 --kernel=back_again -o - \
// RUN:   | FileCheck %s --check-prefix=UNKNOWN
// RUN: kiln compile %s --from=tt --emit=llvm --no-line-info --num-warps=1 --kernel=scalar -o - \
// RUN:   | FileCheck %s --check-prefix=SCALAR

// UNKNOWN: getelementptr i8, ptr addrspace(1) %{{.*}}, i64 -2146435072
// PROVED-NOT: i64 -2146435072
// PROVED: raw.ptr.buffer.load
// PROVED-NOT: i64 -2146435072
// A scalar is sign-extended.
// SCALAR-NOT: i64 -2146435072
// SCALAR: sext i32

module {
  tt.func public @unknown(%x: !tt.ptr<i32> {tt.pointer_range = 32 : i32}, %i: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %is = tt.splat %i : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    %ip = tt.addptr %is, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    %at = tt.load %ip : tensor<64x!tt.ptr<i32>>
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    %xp = tt.addptr %xs, %at : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    %v = tt.load %xp : tensor<64x!tt.ptr<i32>>
    tt.store %ip, %v : tensor<64x!tt.ptr<i32>>
    tt.return
  }
  tt.func public @proved(%x: !tt.ptr<i32> {tt.pointer_range = 32 : i32}, %i: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %most = arith.constant dense<2147483647> : tensor<64xi32>
    %is = tt.splat %i : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    %ip = tt.addptr %is, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    %any = tt.load %ip : tensor<64x!tt.ptr<i32>>
    %at = arith.andi %any, %most : tensor<64xi32>
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    %xp = tt.addptr %xs, %at : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    %v = tt.load %xp : tensor<64x!tt.ptr<i32>>
    tt.store %ip, %v : tensor<64x!tt.ptr<i32>>
    tt.return
  }
  tt.func public @forward(%x: !tt.ptr<i32> {tt.pointer_range = 32 : i32}, %y: !tt.ptr<i32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0> : tensor<64xi32>
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    %xp = tt.addptr %xs, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    %sum, %end = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero, %p = %xp) -> (tensor<64xi32>, tensor<64x!tt.ptr<i32>>) : i32 {
      %v = tt.load %p : tensor<64x!tt.ptr<i32>>
      %s1 = arith.addi %s, %v : tensor<64xi32>
      %p1 = tt.addptr %p, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
      scf.yield %s1, %p1 : tensor<64xi32>, tensor<64x!tt.ptr<i32>>
    }
    %ys = tt.splat %y : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    %yp = tt.addptr %ys, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    tt.store %yp, %sum : tensor<64x!tt.ptr<i32>>
    tt.return
  }
  tt.func public @backward(%x: !tt.ptr<i32> {tt.pointer_range = 32 : i32}, %y: !tt.ptr<i32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0> : tensor<64xi32>
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %step = arith.subi %zero, %r : tensor<64xi32>
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    %xp = tt.addptr %xs, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    %sum, %end = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero, %p = %xp) -> (tensor<64xi32>, tensor<64x!tt.ptr<i32>>) : i32 {
      %v = tt.load %p : tensor<64x!tt.ptr<i32>>
      %s1 = arith.addi %s, %v : tensor<64xi32>
      %p1 = tt.addptr %p, %step : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
      scf.yield %s1, %p1 : tensor<64xi32>, tensor<64x!tt.ptr<i32>>
    }
    %ys = tt.splat %y : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    %yp = tt.addptr %ys, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    tt.store %yp, %sum : tensor<64x!tt.ptr<i32>>
    tt.return
  }
  // What comes after a negative offset may lie before the pointer still.
  tt.func public @back_again(%x: !tt.ptr<i32> {tt.pointer_range = 32 : i32}, %i: !tt.ptr<i32>) {
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %most = arith.constant dense<1023> : tensor<64xi32>
    %is = tt.splat %i : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    %ip = tt.addptr %is, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    %any = tt.load %ip : tensor<64x!tt.ptr<i32>>
    %at = arith.andi %any, %most : tensor<64xi32>
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    %xa = tt.addptr %xs, %any : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    %xp = tt.addptr %xa, %at : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    %v = tt.load %xp : tensor<64x!tt.ptr<i32>>
    tt.store %ip, %v : tensor<64x!tt.ptr<i32>>
    tt.return
  }
  tt.func public @scalar(%x: !tt.ptr<i32> {tt.pointer_range = 32 : i32}, %y: !tt.ptr<i32>, %n: i32) {
    %p = tt.addptr %x, %n : !tt.ptr<i32>, i32
    %v = tt.load %p : !tt.ptr<i32>
    tt.store %y, %v : !tt.ptr<i32>
    tt.return
  }
}
