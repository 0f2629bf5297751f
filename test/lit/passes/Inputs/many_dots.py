# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a tt kernel with a chain of as many dots as the argument says."""
import sys

print("module {\n  tt.func public @k(%p: !tt.ptr<f32>) {")
print("    %a = arith.constant dense<1.0> : tensor<16x16xf16>\n    %d0 = arith.constant dense<0.0> : tensor<16x16xf32>")
count = int(sys.argv[1])
for i in range(count):
    print(f"    %d{i + 1} = tt.dot %a, %a, %d{i} : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>")
print("    %q = tt.splat %p : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>")
print(f"    tt.store %q, %d{count} : tensor<16x16x!tt.ptr<f32>>\n    tt.return\n  }}\n}}")
