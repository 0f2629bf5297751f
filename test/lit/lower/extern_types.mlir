// A library function that LLVM knows, called with wrong types: the error names the library's type. (Found by the fuzzer.)
//
// RUN: sh -c '%kiln compile %s --from=tt -o %t; test $? = 1' 2>&1 | FileCheck %s
module {
  tt.func public @k(%p: !tt.ptr<f64>) {
    %v = tt.load %p : !tt.ptr<f64>
    // CHECK: lower/extern_types.mlir:[[#@LINE+2]]:10: error: device function '__ocml_exp_f32' has type float (float), expected double (double)
    // CHECK-NEXT: %w = tt.extern_elementwise
    %w = tt.extern_elementwise %v {libname = "", libpath = "", pure = true, symbol = "__ocml_exp_f32"} : (f64) -> f64
    tt.store %p, %w : !tt.ptr<f64>
    tt.return
  }
}
