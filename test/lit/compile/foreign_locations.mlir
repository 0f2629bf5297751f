// An error whose location names another file, as Triton's do, is also shown in the input.
//
// RUN: not kiln compile %s --from=tt -o %t.hsaco 2>&1 | FileCheck %s
//
// CHECK: /there/kernels.py:63:22: error: 'tt.make_range' op from 0 to 32 must have one dimension of 32 elements, not 'tensor<64xi32>'
// CHECK: foreign_locations.mlir:[[#@LINE+7]]:10: note: the corresponding line of the compiled program
// CHECK-NEXT: %r = tt.make_range
// CHECK-NEXT: {{^ +}}^
#loc = loc("/there/kernels.py":60:0)
#loc1 = loc("/there/kernels.py":63:22)
module {
  tt.func public @k(%o: !tt.ptr<i32> loc("o, (or so)"(#loc))) {
    %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<64xi32> loc(#loc1)
    tt.return loc(#loc)
  } loc(#loc)
} loc(#loc)
