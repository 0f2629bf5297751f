// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums and differences of small integers are computed in floating point if they are converted, and
// integers up to 256 become bf16 without rounding; larger ones, sums that wrap, sums with other
// uses, and to f16 sums with a constant or of integers that are no bytes stay. Results are the same
// with and without the pass.
// RUN: kiln compile %s --from=tt --emit=ttg --passes=narrow_arithmetic,canonicalize,cse --no-line-info -o - | FileCheck %s
// RUN: kiln compile %s --from=tt --kernel=weights --emit=asm --num-warps=1 --no-line-info -o - | FileCheck %s --check-prefix=ASM
// RUN: kiln compile %s --from=tt --kernel=symmetric --emit=asm --num-warps=1 --no-line-info -o - | FileCheck %s --check-prefix=PAIRS
// RUN: for k in halves=f16 bfloats=bf16 bytes=f16 floats=bf16; do for d in "" --disable-pass=narrow_arithmetic; do \
// RUN:   kiln compile %s --from=tt --kernel=${k%%=*} $d --emit=ttg --num-warps=4 -o %t$d.ttgir && \
// RUN:   kiln run --device=sim %t$d.ttgir "y=${k#*=}[131072]" --save y=%t$d.bin || exit 1; done; \
// RUN:   cmp %t.bin %t--disable-pass=narrow_arithmetic.bin || exit 1; done

module {
  // All differences of bytes.
  // CHECK-LABEL: @halves
  // CHECK-NOT: arith.subi
  // CHECK: arith.subf %{{.*}} : tensor<65536xf16>
  // CHECK: tt.return
  tt.func public @halves(%y: !tt.ptr<f16> loc("y")) {
    %eight = arith.constant dense<8> : tensor<65536xi32>
    %i = tt.make_range {end = 65536 : i32, start = 0 : i32} : tensor<65536xi32>
    %byte = arith.trunci %i : tensor<65536xi32> to tensor<65536xi8>
    %a = arith.extui %byte : tensor<65536xi8> to tensor<65536xi32>
    %b = arith.shrui %i, %eight : tensor<65536xi32>
    %d = arith.subi %a, %b : tensor<65536xi32>
    %f = arith.sitofp %d : tensor<65536xi32> to tensor<65536xf16>
    %ys = tt.splat %y : !tt.ptr<f16> -> tensor<65536x!tt.ptr<f16>>
    %p = tt.addptr %ys, %i : tensor<65536x!tt.ptr<f16>>, tensor<65536xi32>
    tt.store %p, %f : tensor<65536x!tt.ptr<f16>>
    tt.return
  }

  // Nothing is rounded: sums up to 256, the difference of sums, and an integer that is no sum. A
  // sum of 257 is rounded.
  // CHECK-LABEL: @bfloats
  // CHECK: arith.addf %{{.*}} : tensor<65536xf32>
  // CHECK: arith.truncf %{{.*}} toward_zero : tensor<65536xf32> to tensor<65536xbf16>
  // CHECK: arith.addi %{{.*}} : tensor<65536xi32>
  // CHECK: arith.sitofp %{{.*}} : tensor<65536xi32> to tensor<65536xbf16>
  // CHECK: tt.return
  tt.func public @bfloats(%y: !tt.ptr<bf16> loc("y")) {
    %bit = arith.constant dense<128> : tensor<65536xi32>
    %bits = arith.constant dense<129> : tensor<65536xi32>
    %eight = arith.constant dense<8> : tensor<65536xi32>
    %i = tt.make_range {end = 65536 : i32, start = 0 : i32} : tensor<65536xi32>
    %high = arith.shrui %i, %eight : tensor<65536xi32>
    %a = arith.andi %i, %bit : tensor<65536xi32>
    %b = arith.andi %high, %bit : tensor<65536xi32>
    %s = arith.addi %a, %b : tensor<65536xi32>
    %f = arith.sitofp %s : tensor<65536xi32> to tensor<65536xbf16>
    %ys = tt.splat %y : !tt.ptr<bf16> -> tensor<65536x!tt.ptr<bf16>>
    %p = tt.addptr %ys, %i : tensor<65536x!tt.ptr<bf16>>, tensor<65536xi32>
    tt.store %p, %f : tensor<65536x!tt.ptr<bf16>>
    %c = arith.andi %high, %bits : tensor<65536xi32>
    %t = arith.addi %a, %c : tensor<65536xi32>
    %g = arith.sitofp %t : tensor<65536xi32> to tensor<65536xbf16>
    %all = arith.constant dense<65536> : tensor<65536xi32>
    %q = tt.addptr %p, %all : tensor<65536x!tt.ptr<bf16>>, tensor<65536xi32>
    tt.store %q, %g : tensor<65536x!tt.ptr<bf16>>
    tt.return
  }

  // Two numbers of four bits fit in i8, of seven bits not.
  // CHECK-LABEL: @bytes
  // CHECK: arith.subf %{{.*}} : tensor<65536xf16>
  // CHECK: arith.addi %{{.*}} : tensor<65536xi8>
  // CHECK: tt.return
  tt.func public @bytes(%y: !tt.ptr<f16> loc("y")) {
    %four = arith.constant dense<15> : tensor<65536xi8>
    %seven = arith.constant dense<127> : tensor<65536xi8>
    %eight = arith.constant dense<8> : tensor<65536xi32>
    %i = tt.make_range {end = 65536 : i32, start = 0 : i32} : tensor<65536xi32>
    %high = arith.shrui %i, %eight : tensor<65536xi32>
    %l = arith.trunci %i : tensor<65536xi32> to tensor<65536xi8>
    %h = arith.trunci %high : tensor<65536xi32> to tensor<65536xi8>
    %a = arith.andi %l, %four : tensor<65536xi8>
    %b = arith.andi %h, %four : tensor<65536xi8>
    %d = arith.subi %a, %b : tensor<65536xi8>
    %f = arith.sitofp %d : tensor<65536xi8> to tensor<65536xf16>
    %ys = tt.splat %y : !tt.ptr<f16> -> tensor<65536x!tt.ptr<f16>>
    %p = tt.addptr %ys, %i : tensor<65536x!tt.ptr<f16>>, tensor<65536xi32>
    tt.store %p, %f : tensor<65536x!tt.ptr<f16>>
    %c = arith.andi %l, %seven : tensor<65536xi8>
    %e = arith.andi %h, %seven : tensor<65536xi8>
    %s = arith.addi %c, %e : tensor<65536xi8>
    %g = arith.sitofp %s : tensor<65536xi8> to tensor<65536xf16>
    %all = arith.constant dense<65536> : tensor<65536xi32>
    %q = tt.addptr %p, %all : tensor<65536x!tt.ptr<f16>>, tensor<65536xi32>
    tt.store %q, %g : tensor<65536x!tt.ptr<f16>>
    tt.return
  }

  // Arithmetic in f32: a product of up to 225 is not rounded, one of up to 480 is.
  // CHECK-LABEL: @floats
  // CHECK: arith.truncf %{{.*}} toward_zero
  // CHECK: arith.truncf %{{[0-9]+}} : tensor<65536xf32>
  // CHECK: tt.return
  tt.func public @floats(%y: !tt.ptr<bf16> loc("y")) {
    %four = arith.constant dense<15> : tensor<65536xi32>
    %less = arith.constant dense<32> : tensor<65536xi32>
    %eight = arith.constant dense<8> : tensor<65536xi32>
    %i = tt.make_range {end = 65536 : i32, start = 0 : i32} : tensor<65536xi32>
    %high = arith.shrui %i, %eight : tensor<65536xi32>
    %a = arith.andi %i, %four : tensor<65536xi32>
    %b = arith.andi %high, %four : tensor<65536xi32>
    %c = arith.subi %b, %less : tensor<65536xi32>
    %af = arith.sitofp %a : tensor<65536xi32> to tensor<65536xf32>
    %bf = arith.sitofp %b : tensor<65536xi32> to tensor<65536xf32>
    %cf = arith.sitofp %c : tensor<65536xi32> to tensor<65536xf32>
    %m = arith.mulf %af, %bf : tensor<65536xf32>
    %f = arith.truncf %m : tensor<65536xf32> to tensor<65536xbf16>
    %ys = tt.splat %y : !tt.ptr<bf16> -> tensor<65536x!tt.ptr<bf16>>
    %p = tt.addptr %ys, %i : tensor<65536x!tt.ptr<bf16>>, tensor<65536xi32>
    tt.store %p, %f : tensor<65536x!tt.ptr<bf16>>
    %n = arith.mulf %af, %cf : tensor<65536xf32>
    %g = arith.truncf %n : tensor<65536xf32> to tensor<65536xbf16>
    %all = arith.constant dense<65536> : tensor<65536xi32>
    %q = tt.addptr %p, %all : tensor<65536x!tt.ptr<bf16>>, tensor<65536xi32>
    tt.store %q, %g : tensor<65536x!tt.ptr<bf16>>
    tt.return
  }

  // An integer is no NaN: its upper half is all that is stored.
  // CHECK-LABEL: @weights
  // CHECK: arith.truncf %{{.*}} toward_zero : tensor<256xf32> to tensor<256xbf16>
  // ASM-LABEL: weights:
  // ASM-NOT: v_cmp
  // ASM-NOT: v_add3_u32
  // ASM: v_perm_b32
  // ASM-NOT: v_cmp
  // ASM-NOT: v_add3_u32
  // ASM: s_endpgm
  tt.func public @weights(%q: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %y: !tt.ptr<bf16> {tt.divisibility = 16 : i32}) {
    %four = arith.constant dense<15> : tensor<256xi8>
    %seven = arith.constant dense<7> : tensor<256xi32>
    %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
    %qs = tt.splat %q : !tt.ptr<i8> -> tensor<256x!tt.ptr<i8>>
    %p = tt.addptr %qs, %i : tensor<256x!tt.ptr<i8>>, tensor<256xi32>
    %x = tt.load %p : tensor<256x!tt.ptr<i8>>
    %low = arith.andi %x, %four : tensor<256xi8>
    %wide = arith.extui %low : tensor<256xi8> to tensor<256xi32>
    %d = arith.subi %wide, %seven : tensor<256xi32>
    %f = arith.sitofp %d : tensor<256xi32> to tensor<256xbf16>
    %ys = tt.splat %y : !tt.ptr<bf16> -> tensor<256x!tt.ptr<bf16>>
    %o = tt.addptr %ys, %i : tensor<256x!tt.ptr<bf16>>, tensor<256xi32>
    tt.store %o, %f : tensor<256x!tt.ptr<bf16>>
    tt.return
  }

  // Less a constant: bytes become f16 in pairs.
  // CHECK-LABEL: @symmetric
  // CHECK: arith.subi
  // CHECK: tt.return
  // PAIRS-LABEL: symmetric:
  // PAIRS-NOT: v_cvt_f16
  // PAIRS: v_pk_add_f16
  // PAIRS-NOT: v_cvt_f16
  // PAIRS: s_endpgm
  tt.func public @symmetric(%q: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
    %four = arith.constant dense<15> : tensor<256xi8>
    %half = arith.constant dense<8> : tensor<256xi32>
    %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
    %qs = tt.splat %q : !tt.ptr<i8> -> tensor<256x!tt.ptr<i8>>
    %p = tt.addptr %qs, %i : tensor<256x!tt.ptr<i8>>, tensor<256xi32>
    %x = tt.load %p : tensor<256x!tt.ptr<i8>>
    %low = arith.andi %x, %four : tensor<256xi8>
    %wide = arith.extui %low : tensor<256xi8> to tensor<256xi32>
    %d = arith.subi %wide, %half : tensor<256xi32>
    %f = arith.sitofp %d : tensor<256xi32> to tensor<256xf16>
    %ys = tt.splat %y : !tt.ptr<f16> -> tensor<256x!tt.ptr<f16>>
    %o = tt.addptr %ys, %i : tensor<256x!tt.ptr<f16>>, tensor<256xi32>
    tt.store %o, %f : tensor<256x!tt.ptr<f16>>
    tt.return
  }

  // A sum with another use.
  // CHECK-LABEL: @used
  // CHECK: arith.subi
  // CHECK: arith.sitofp %{{.*}} : i32 to f16
  // CHECK: tt.return
  tt.func public @used(%x: i32, %z: i32, %y: !tt.ptr<f16>, %w: !tt.ptr<i32>) {
    %mask = arith.constant 15 : i32
    %a = arith.andi %x, %mask : i32
    %b = arith.andi %z, %mask : i32
    %d = arith.subi %a, %b : i32
    %f = arith.sitofp %d : i32 to f16
    tt.store %y, %f : !tt.ptr<f16>
    tt.store %w, %d : !tt.ptr<i32>
    tt.return
  }
}
