// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes are carried from one iteration to the next four to a register, and unpacked where they are
// used: an iteration does not wait for data that it loads for the next one.
// RUN: for k in ahead branch; do kiln compile %s --kernel=$k --from=ttg --emit=llvm --passes= --no-line-info -o - || exit 1; done | \
// RUN:   FileCheck %s --check-prefix=LLVM
// RUN: for k in ahead branch; do kiln compile %s --kernel=$k --from=ttg --emit=asm --passes= --no-line-info -o - || exit 1; done | \
// RUN:   FileCheck %s --check-prefix=ASM

#b = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [64], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // LLVM-LABEL: define {{.*}}@ahead(
  // LLVM-NOT: phi <8 x i8>
  // LLVM: phi <2 x i32>
  // LLVM-NOT: phi <8 x i8>
  // ASM-LABEL: ahead:
  // ASM-NOT: v_lshrrev_b32
  // ASM: v_cvt_f32_ubyte3
  // ASM-NOT: v_lshrrev_b32
  // ASM: s_endpgm
  tt.func public @ahead(%x: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %step = arith.constant dense<512> : tensor<512xi32, #b>
    %zero = arith.constant dense<0.0> : tensor<512xf32, #b>
    %i = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #b>
    %xs = tt.splat %x : !tt.ptr<i8> -> tensor<512x!tt.ptr<i8>, #b>
    %p = tt.addptr %xs, %i : tensor<512x!tt.ptr<i8>, #b>, tensor<512xi32, #b>
    %first = tt.load %p : tensor<512x!tt.ptr<i8>, #b>
    %r:3 = scf.for %k = %c0 to %n step %c1 iter_args(%q = %p, %v = %first, %sum = %zero) -> (tensor<512x!tt.ptr<i8>, #b>, tensor<512xi8, #b>, tensor<512xf32, #b>) : i32 {
      %next = tt.addptr %q, %step : tensor<512x!tt.ptr<i8>, #b>, tensor<512xi32, #b>
      %w = tt.load %next : tensor<512x!tt.ptr<i8>, #b>
      ttg.barrier local
      %f = arith.uitofp %v : tensor<512xi8, #b> to tensor<512xf32, #b>
      %s = arith.addf %sum, %f : tensor<512xf32, #b>
      scf.yield %next, %w, %s : tensor<512x!tt.ptr<i8>, #b>, tensor<512xi8, #b>, tensor<512xf32, #b>
    }
    %ys = tt.splat %y : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
    %to = tt.addptr %ys, %i : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
    tt.store %to, %r#2 : tensor<512x!tt.ptr<f32>, #b>
    tt.return
  }

  // Also across a branch between the load and the end of the iteration.
  // LLVM-LABEL: define {{.*}}@branch(
  // LLVM-NOT: load <8 x i8>
  // LLVM: load <2 x i32>, ptr addrspace(1) %{{.*}}, align 8
  // LLVM: phi <2 x i32>
  // ASM-LABEL: branch:
  // ASM-NOT: v_lshrrev_b{{16|32}}
  // ASM-NOT: v_or_b32
  // ASM: v_cvt_f32_ubyte3
  // ASM-NOT: v_or_b32
  // ASM: s_endpgm
  tt.func public @branch(%x: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %m: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %step = arith.constant dense<512> : tensor<512xi32, #b>
    %zero = arith.constant dense<0.0> : tensor<512xf32, #b>
    %i = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #b>
    %xs = tt.splat %x : !tt.ptr<i8> -> tensor<512x!tt.ptr<i8>, #b>
    %p = tt.addptr %xs, %i : tensor<512x!tt.ptr<i8>, #b>, tensor<512xi32, #b>
    %ys = tt.splat %y : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
    %to = tt.addptr %ys, %i : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
    %first = tt.load %p : tensor<512x!tt.ptr<i8>, #b>
    %r:3 = scf.for %k = %c0 to %n step %c1 iter_args(%q = %p, %v = %first, %sum = %zero) -> (tensor<512x!tt.ptr<i8>, #b>, tensor<512xi8, #b>, tensor<512xf32, #b>) : i32 {
      %next = tt.addptr %q, %step : tensor<512x!tt.ptr<i8>, #b>, tensor<512xi32, #b>
      %w = tt.load %next : tensor<512x!tt.ptr<i8>, #b>
      %f = arith.uitofp %v : tensor<512xi8, #b> to tensor<512xf32, #b>
      %s = arith.addf %sum, %f : tensor<512xf32, #b>
      %show = arith.cmpi slt, %k, %m : i32
      scf.if %show {
        tt.store %to, %s : tensor<512x!tt.ptr<f32>, #b>
      }
      scf.yield %next, %w, %s : tensor<512x!tt.ptr<i8>, #b>, tensor<512xi8, #b>, tensor<512xf32, #b>
    }
    tt.store %to, %r#2 : tensor<512x!tt.ptr<f32>, #b>
    tt.return
  }
}
