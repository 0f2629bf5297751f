// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors of MLIR's parser and verifier come with file, line, column, the line itself and a caret,
// and exit code 1.
//
// RUN: split-file %s %t
// RUN: sh -c '%kiln compile %t/parse.ttir; test $? = 1' 2>&1 | FileCheck %s --check-prefix=PARSE --strict-whitespace
// RUN: sh -c '%kiln compile %t/verify.ttir; test $? = 1' 2>&1 | FileCheck %s --check-prefix=VERIFY --strict-whitespace
// RUN: sh -c '%kiln compile %t/garbage.ttir; test $? = 1' 2>&1 | FileCheck %s --check-prefix=GARBAGE

// PARSE: parse.ttir:3:25: error: use of undeclared SSA value name
// PARSE-NEXT:{{^}}    %b = arith.addi %a, %nothing : i32{{$}}
// PARSE-NEXT:{{^}}                        ^{{$}}
// PARSE-NOT: error

// VERIFY: verify.ttir:3:10: error: 'tt.trans' op
// VERIFY-NEXT:{{^}}    %t = tt.trans
// VERIFY-NEXT:{{^}}         ^{{$}}

// GARBAGE: garbage.ttir:1:1: error:

//--- parse.ttir
module {
  tt.func public @f(%a: i32) {
    %b = arith.addi %a, %nothing : i32
    tt.return
  }
}
//--- verify.ttir
module {
  tt.func public @f(%a: tensor<4x8xf32>) {
    %t = tt.trans %a {order = array<i32: 1, 0>} : tensor<4x8xf32> -> tensor<4x8xf32>
    tt.return
  }
}
//--- garbage.ttir
wood
