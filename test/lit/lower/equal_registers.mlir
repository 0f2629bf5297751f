// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers of one group of equal elements share their computation: of four consecutive indices,
// compared with a multiple of four, one is computed.
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info --kernel=together -o - \
// RUN:   | FileCheck %s --check-prefix=TOGETHER
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info --kernel=apart -o - \
// RUN:   | FileCheck %s --check-prefix=APART
// Lanes and warps are one number, the thread's.
// RUN: kiln compile %s --from=ttg --emit=asm --passes= --no-line-info --kernel=together -o - \
// RUN:   | FileCheck %s --check-prefix=THREAD

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {

  // TOGETHER-LABEL: define {{.*}}@together(
  // TOGETHER-COUNT-1: icmp slt
  // TOGETHER-NOT: icmp
  // TOGETHER: ret void
  // THREAD-LABEL: together:
  // THREAD-NOT: v_readfirstlane
  // THREAD: v_lshlrev_b32_e32 v{{.*}}, 2, v0
  // THREAD-NOT: v_readfirstlane
  // THREAD: s_endpgm
  tt.func public @together(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
    %zero = arith.constant dense<0> : tensor<1024xi32, #b>
    %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<1024xi32, #b>
    %m = arith.cmpi slt, %i, %ns : tensor<1024xi32, #b>
    %v = arith.select %m, %i, %zero : tensor<1024xi1, #b>, tensor<1024xi32, #b>
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>, #b>
    %p = tt.addptr %xs, %i : tensor<1024x!tt.ptr<i32>, #b>, tensor<1024xi32, #b>
    tt.store %p, %v : tensor<1024x!tt.ptr<i32>, #b>
    tt.return
  }
  // APART-LABEL: define {{.*}}@apart(
  // APART-COUNT-4: icmp slt
  // APART-NOT: icmp
  // APART: ret void
  tt.func public @apart(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %n: i32) {
    %zero = arith.constant dense<0> : tensor<1024xi32, #b>
    %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<1024xi32, #b>
    %m = arith.cmpi slt, %i, %ns : tensor<1024xi32, #b>
    %v = arith.select %m, %i, %zero : tensor<1024xi1, #b>, tensor<1024xi32, #b>
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>, #b>
    %p = tt.addptr %xs, %i : tensor<1024x!tt.ptr<i32>, #b>, tensor<1024xi32, #b>
    tt.store %p, %v : tensor<1024x!tt.ptr<i32>, #b>
    tt.return
  }
}
