// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of bitcode that the user links: for another processor, with calls of the device
// libraries and with their own helpers. Its contents are part of the JIT's key: another file of the
// same name leads to other code.
// RUN: split-file %s %t && cd %t
// RUN: llvm-as-22 %S/Inputs/twice.ll -o lib.bc && sed 's/%x, %x/%x, 1.0/' %S/Inputs/twice.ll | llvm-as-22 -o other.bc \
// RUN:   && sed 's/amdgcn-amd-amdhsa/x86_64-linux-gnu/' %S/Inputs/twice.ll | llvm-as-22 -o host.bc
// RUN: %kiln compile good.ttir --link-bitcode=other.bc --emit=llvm --no-line-info -o - \
// RUN:   | FileCheck good.ttir --check-prefix=LLVM
// RUN: %kiln run --device=sim --check --cache-dir=cache good.ttir --link-bitcode=lib.bc 'x=f32[64]:fill:3' \
// RUN:   --print 'x[0]' | FileCheck good.ttir --check-prefix=LIB
// RUN: cp other.bc lib.bc && %kiln run --device=sim --check --cache-dir=cache good.ttir \
// RUN:   --link-bitcode=lib.bc 'x=f32[64]:fill:3' --print 'x[0]' | FileCheck good.ttir --check-prefix=OTHER
// RUN: sh -c '%kiln compile good.ttir -o x; test $? = 1' 2>&1 | FileCheck good.ttir --check-prefix=NONE
// RUN: sh -c '%kiln compile missing.ttir --link-bitcode=lib.bc -o x; test $? = 1' 2>&1 | FileCheck missing.ttir
// RUN: sh -c '%kiln compile types.ttir --link-bitcode=lib.bc -o x; test $? = 1' 2>&1 | FileCheck types.ttir
// RUN: sh -c '%kiln compile good.ttir --link-bitcode=host.bc -o x; test $? = 1' 2>&1 \
// RUN:   | FileCheck good.ttir --check-prefix=HOST
// RUN: sh -c '%kiln compile good.ttir --link-bitcode=good.ttir -o x; test $? = 1' 2>&1 \
// RUN:   | FileCheck good.ttir --check-prefix=TEXT
// RUN: sh -c '%kiln compile good.ttir --link-bitcode=nowhere.bc -o x; test $? != 0' 2>&1 \
// RUN:   | FileCheck good.ttir --check-prefix=NOWHERE

//--- good.ttir
// LLVM-NOT: not_wanted
// LLVM: call{{.*}} float @helper(float
// LLVM: define internal {{.*}}float @helper(
// LLVM-NOT: gfx90a
// LIB: {{^ *}}16{{$}}
// OTHER: {{^ *}}9{{$}}
// NONE: good.ttir:[[@LINE+10]]:10: error: no function 'user_exp2_twice' in ocml (__ocml_*), ockl (__ockl_*) or the linked bitcode
// HOST: error: 'host.bc' is bitcode for x86_64-linux-gnu, expected amdgcn
// TEXT: error: 'good.ttir' is not bitcode that LLVM 22.{{.*}} can read: {{.+}}
// NOWHERE: nowhere.bc
module {
  tt.func public @k(%x: !tt.ptr<f32> loc("x")) {
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %b = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %p = tt.addptr %b, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %v = tt.load %p : tensor<64x!tt.ptr<f32>>
    %w = tt.extern_elementwise %v {libname = "", libpath = "", pure = true, symbol = "user_exp2_twice"} : (tensor<64xf32>) -> tensor<64xf32>
    tt.store %p, %w : tensor<64x!tt.ptr<f32>>
    tt.return
  }
}

//--- missing.ttir
module {
  tt.func public @k(%x: !tt.ptr<f32>) {
    %v = tt.load %x : !tt.ptr<f32>
    // CHECK: missing.ttir:[[@LINE+1]]:10: error: no function 'user_sine' in the device libraries or the linked bitcode
    %w = tt.extern_elementwise %v {libname = "", libpath = "", pure = true, symbol = "user_sine"} : (f32) -> f32
    tt.store %x, %w : !tt.ptr<f32>
    tt.return
  }
}

//--- types.ttir
module {
  tt.func public @k(%x: !tt.ptr<f64>) {
    %v = tt.load %x : !tt.ptr<f64>
    // CHECK: types.ttir:[[@LINE+1]]:10: error: 'user_exp2_twice' of 'lib.bc' has type float (float), expected double (double)
    %w = tt.extern_elementwise %v {libname = "", libpath = "", pure = true, symbol = "user_exp2_twice"} : (f64) -> f64
    tt.store %x, %w : !tt.ptr<f64>
    tt.return
  }
}
