// Floats of 8 bits are carried as bits; computing with them is refused, not handed to LLVM as integers. (Found by the fuzzer.)
//
// RUN: sh -c '%kiln compile %s --from=tt -o %t; test $? = 1' 2>&1 | FileCheck %s
module {
  tt.func public @k(%p: !tt.ptr<f8E5M2FNUZ>) {
    %v = tt.load %p : !tt.ptr<f8E5M2FNUZ>
    // CHECK: tiny_floats.mlir:[[#@LINE+1]]:10: error: arith.mulf: computing with floats of 8 bits or less (convert them to a wider type first) is not supported on gfx942
    %w = arith.mulf %v, %v : f8E5M2FNUZ
    tt.store %p, %w : !tt.ptr<f8E5M2FNUZ>
    tt.return
  }
}
