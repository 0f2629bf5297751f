// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytecode instead of text: written by a tool that does not know tt, it leads to the same code object as the text. (Attributes are outside
// of <{…}>: a reader that knows the operation cannot read such a tool's properties.)
// RUN: mlir-opt --allow-unregistered-dialect --emit-bytecode %s -o %t.mlirbc
// RUN: %kiln compile %t.mlirbc --no-line-info -o %t.hsaco && %kiln compile %s --no-line-info -o %t.text.hsaco \
// RUN:   && cmp %t.hsaco %t.text.hsaco
// RUN: %kiln compile %t.mlirbc --emit=tt --no-line-info -o - | FileCheck %s
// RUN: %kiln run %t.mlirbc arg0=i32[64]:iota arg1=i32[64] --print arg1[0:3] --device=interp \
// RUN:   | FileCheck %s --check-prefix=LAUNCH
// RUN: %python -c "import sys; open(sys.argv[2], 'wb').write(open(sys.argv[1], 'rb').read()[:300])" %t.mlirbc \
// RUN:   %t.cut.mlirbc
// RUN: not %kiln compile %t.cut.mlirbc -o %t.hsaco 2>&1 | FileCheck %s --check-prefix=CUT
// RUN: mlir-opt --allow-unregistered-dialect --emit-bytecode %S/Inputs/bytecode_unknown.mlir -o %t.unknown.mlirbc
// RUN: not %kiln compile %t.unknown.mlirbc -o %t.hsaco 2>&1 | FileCheck %s --check-prefix=UNKNOWN
//
// CHECK: tt.load %{{.*}} cacheModifier = cg evictionPolicy = evict_first : tensor<64x!tt.ptr<i32>>
// LAUNCH: {{^ *}}0 3 6{{$}}
// CUT: error: {{.+}}
// UNKNOWN: bytecode_unknown.mlir:6:5: error: {{.*}}tt.unknown
module {
  "tt.func"() ({
  ^bb0(%x: !tt.ptr<i32, "constant">, %y: !tt.ptr<i32>):
    %r = "tt.make_range"() {end = 64 : i32, start = 0 : i32} : () -> tensor<64xi32>
    %three = "arith.constant"() {value = dense<3> : tensor<64xi32>} : () -> tensor<64xi32>
    %xs = "tt.splat"(%x) : (!tt.ptr<i32, "constant">) -> tensor<64x!tt.ptr<i32, "constant">>
    %xp = "tt.addptr"(%xs, %r) : (tensor<64x!tt.ptr<i32, "constant">>, tensor<64xi32>) -> tensor<64x!tt.ptr<i32, "constant">>
    %v = "tt.load"(%xp) {operandSegmentSizes = array<i32: 1, 0, 0>, cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_first>} : (tensor<64x!tt.ptr<i32, "constant">>) -> tensor<64xi32>
    %w = "arith.muli"(%v, %three) : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi32>
    %ys = "tt.splat"(%y) : (!tt.ptr<i32>) -> tensor<64x!tt.ptr<i32>>
    %yp = "tt.addptr"(%ys, %r) : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>) -> tensor<64x!tt.ptr<i32>>
    "tt.store"(%yp, %w) : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>) -> ()
    "tt.return"() : () -> ()
  }) {function_type = (!tt.ptr<i32, "constant">, !tt.ptr<i32>) -> (), noinline = false, sym_name = "triple", sym_visibility = "public"} : () -> ()
}
