// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 32-bit offsets that are added to 64-bit pointers: extended once for all registers if no part can
// carry into another, one by one if the sum may wrap.
// RUN: kiln compile %s --from=ttg --kernel=blocks --passes= --emit=llvm --no-llvm-passes -o - \
// RUN:   | FileCheck %s --check-prefix=BLOCKS
// RUN: kiln compile %s --from=ttg --kernel=wraps --passes= --emit=llvm --no-llvm-passes -o - \
// RUN:   | FileCheck %s --check-prefix=WRAPS

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32} {
  // BLOCKS-LABEL: define {{.*}}@blocks(
  // BLOCKS-COUNT-2: sext i32
  // BLOCKS-NOT: sext
  // BLOCKS: ret void
  tt.func public @blocks(%p: !tt.ptr<i8>) {
    %size = arith.constant 1024 : i32
    %one = arith.constant dense<1> : tensor<1024xi8, #blocked>
    %pid = tt.get_program_id x : i32
    %first = arith.muli %pid, %size : i32
    %firsts = tt.splat %first : i32 -> tensor<1024xi32, #blocked>
    %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #blocked>
    %offsets = arith.addi %firsts, %range : tensor<1024xi32, #blocked>
    %base = tt.splat %p : !tt.ptr<i8> -> tensor<1024x!tt.ptr<i8>, #blocked>
    %places = tt.addptr %base, %offsets : tensor<1024x!tt.ptr<i8>, #blocked>, tensor<1024xi32, #blocked>
    tt.store %places, %one : tensor<1024x!tt.ptr<i8>, #blocked>
    tt.return
  }

  // A block of 1000 is not a power of two: its number times 1000 may lie just below 2^31.
  // WRAPS-LABEL: define {{.*}}@wraps(
  // WRAPS-COUNT-4: sext i32
  // WRAPS: ret void
  tt.func public @wraps(%p: !tt.ptr<i8>) {
    %size = arith.constant 1000 : i32
    %one = arith.constant dense<1> : tensor<1024xi8, #blocked>
    %pid = tt.get_program_id x : i32
    %first = arith.muli %pid, %size : i32
    %firsts = tt.splat %first : i32 -> tensor<1024xi32, #blocked>
    %range = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #blocked>
    %offsets = arith.addi %firsts, %range : tensor<1024xi32, #blocked>
    %base = tt.splat %p : !tt.ptr<i8> -> tensor<1024x!tt.ptr<i8>, #blocked>
    %places = tt.addptr %base, %offsets : tensor<1024x!tt.ptr<i8>, #blocked>, tensor<1024xi32, #blocked>
    tt.store %places, %one : tensor<1024x!tt.ptr<i8>, #blocked>
    tt.return
  }
}
