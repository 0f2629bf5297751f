// The operands of dot_scaled must have its element types. (Found by the fuzzer.)
//
// RUN: sh -c '%kiln compile %s --from=tt -o %t; test $? = 1' 2>&1 | FileCheck %s
module {
  tt.func @scaled(%a: tensor<32x32xbf16>, %as: tensor<32x2xi8>, %b: tensor<32x64xi8>, %bs: tensor<64x2xi8>, %c: tensor<32x64xbf16>) -> tensor<32x64xbf16> {
    // CHECK: dot_scaled_elements.mlir:[[#@LINE+1]]:10: error: 'tt.dot_scaled' op operand 'tensor<32x32xbf16>' does not contain e2m1 elements
    %d = tt.dot_scaled %a scale %as, %b scale %bs, %c lhs = e2m1 rhs = e2m1 {fastMath = false} : tensor<32x32xbf16>, tensor<32x2xi8> * tensor<32x64xi8>, tensor<64x2xi8> -> tensor<32x64xbf16>
    tt.return %d : tensor<32x64xbf16>
  }
}
