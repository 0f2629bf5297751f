// Constants that are selected by a comparison with them stay constants where NaNs are compared (workarounds.def: compared_constants).
// RUN: %kiln run --device=sim --cache-mode=off %s arg0=i32[256]:iota arg1=f32[256] arg2=f32[256] arg3=f64[256] --num-warps=1 --save arg1=%t.a --save arg2=%t.b --save arg3=%t.c --print arg1[0:3] | FileCheck %s
// RUN: %kiln run --device=interp %s arg0=i32[256]:iota arg1=f32[256] arg2=f32[256] arg3=f64[256] --save arg1=%t.x --save arg2=%t.y --save arg3=%t.z
// RUN: cmp %t.a %t.x && cmp %t.b %t.y && cmp %t.c %t.z
// CHECK: 3 3 7
tt.func public @k(%in: !tt.ptr<i32>, %a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %c: !tt.ptr<f64>) {
  %i = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %ins = tt.splat %in : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
  %pi = tt.addptr %ins, %i : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
  %v = tt.load %pi : tensor<256x!tt.ptr<i32>>
  // NaN, 3, then other numbers: 0x7fc00000 or 0x40400000 + the index.
  %nan = arith.constant dense<0x7fc00000> : tensor<256xi32>
  %three_bits = arith.constant dense<0x403fffff> : tensor<256xi32>
  %zero = arith.constant dense<0> : tensor<256xi32>
  %is_first = arith.cmpi eq, %v, %zero : tensor<256xi32>
  %later = arith.addi %v, %three_bits : tensor<256xi32>
  %bits = arith.select %is_first, %nan, %later : tensor<256xi1>, tensor<256xi32>
  %x = tt.bitcast %bits : tensor<256xi32> -> tensor<256xf32>
  %three = arith.constant dense<3.0> : tensor<256xf32>
  %seven = arith.constant dense<7.0> : tensor<256xf32>
  %one = arith.cmpf one, %x, %three : tensor<256xf32>
  %r = arith.select %one, %seven, %three : tensor<256xi1>, tensor<256xf32>
  %ueq = arith.cmpf ueq, %three, %x : tensor<256xf32>
  %s = arith.select %ueq, %three, %seven : tensor<256xi1>, tensor<256xf32>
  %d = arith.extf %x : tensor<256xf32> to tensor<256xf64>
  %three_d = arith.constant dense<3.0> : tensor<256xf64>
  %one_d = arith.cmpf one, %d, %three_d : tensor<256xf64>
  %q = arith.addf %d, %d : tensor<256xf64>
  %t = arith.select %one_d, %q, %three_d : tensor<256xi1>, tensor<256xf64>
  %as = tt.splat %a : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %pa = tt.addptr %as, %i : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %pa, %r : tensor<256x!tt.ptr<f32>>
  %bs = tt.splat %b : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %pb = tt.addptr %bs, %i : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %pb, %s : tensor<256x!tt.ptr<f32>>
  %cs = tt.splat %c : !tt.ptr<f64> -> tensor<256x!tt.ptr<f64>>
  %pc = tt.addptr %cs, %i : tensor<256x!tt.ptr<f64>>, tensor<256xi32>
  tt.store %pc, %t : tensor<256x!tt.ptr<f64>>
  tt.return
}
