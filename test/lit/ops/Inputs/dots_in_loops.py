# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Dots in unusual loops: a while loop, and a for loop that multiplies only in some iterations.
#
# Note that LLVM's hazard recognizer forgets wait states there
# (compiler/codegen/machine/matrix_wait_shim.cpp), which only the simulator's checks detect.
import sys

from tilecase import *

root = sys.argv[1]
m, n, k, depth = 32, 16, 16, 29

COMMON = """%zero = arith.constant 0 : i32
%one = arith.constant 1 : i32
%step = arith.constant 16 : i32
%none = arith.constant dense<0.0> : tensor<32x16xf32>
%za = arith.constant dense<0.0> : tensor<32x16xf16>
%zb = arith.constant dense<0.0> : tensor<16x16xf16>
%rm = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
%rk = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
%rows = tt.expand_dims %rm {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
%columns = tt.expand_dims %rk {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
%deep = tt.expand_dims %rk {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
%k32 = tt.splat %depth : i32 -> tensor<32x1xi32>
%c16 = arith.constant dense<16> : tensor<16x1xi32>
%row_start = arith.muli %rows, %k32 : tensor<32x1xi32>
%row_starts = tt.broadcast %row_start : tensor<32x1xi32> -> tensor<32x16xi32>
%columns_a = tt.broadcast %columns : tensor<1x16xi32> -> tensor<32x16xi32>
%columns_b = tt.broadcast %columns : tensor<1x16xi32> -> tensor<16x16xi32>
%pa = tt.splat %a_p : !tt.ptr<f16> -> tensor<32x16x!tt.ptr<f16>>
%pb = tt.splat %b_p : !tt.ptr<f16> -> tensor<16x16x!tt.ptr<f16>>
"""

# From the offset %at along K and the sum %sum: %next.
STEP = """%left = arith.subi %depth, %at : i32
%left_t = tt.splat %left : i32 -> tensor<16xi32>
%in = arith.cmpi slt, %rk, %left_t : tensor<16xi32>
%in_a0 = tt.expand_dims %in {axis = 0 : i32} : tensor<16xi1> -> tensor<1x16xi1>
%in_a = tt.broadcast %in_a0 : tensor<1x16xi1> -> tensor<32x16xi1>
%in_b0 = tt.expand_dims %in {axis = 1 : i32} : tensor<16xi1> -> tensor<16x1xi1>
%in_b = tt.broadcast %in_b0 : tensor<16x1xi1> -> tensor<16x16xi1>
%at_a = tt.splat %at : i32 -> tensor<32x16xi32>
%at_b = tt.splat %at : i32 -> tensor<16x1xi32>
%oa0 = arith.addi %row_starts, %columns_a : tensor<32x16xi32>
%oa = arith.addi %oa0, %at_a : tensor<32x16xi32>
%ob0 = arith.addi %deep, %at_b : tensor<16x1xi32>
%ob1 = arith.muli %ob0, %c16 : tensor<16x1xi32>
%ob2 = tt.broadcast %ob1 : tensor<16x1xi32> -> tensor<16x16xi32>
%ob = arith.addi %ob2, %columns_b : tensor<16x16xi32>
%qa = tt.addptr %pa, %oa : tensor<32x16x!tt.ptr<f16>>, tensor<32x16xi32>
%qb = tt.addptr %pb, %ob : tensor<16x16x!tt.ptr<f16>>, tensor<16x16xi32>
%x = tt.load %qa, %in_a, %za : tensor<32x16x!tt.ptr<f16>>
%w = tt.load %qb, %in_b, %zb : tensor<16x16x!tt.ptr<f16>>
"""

WHILE = """%y, %end = scf.while (%s0 = %none, %i0 = %zero) : (tensor<32x16xf32>, i32) -> (tensor<32x16xf32>, i32) {
  %more = arith.cmpi slt, %i0, %depth : i32
  scf.condition(%more) %s0, %i0 : tensor<32x16xf32>, i32
} do {
^bb0(%sum: tensor<32x16xf32>, %at: i32):
""" + STEP + """  %next = tt.dot %x, %w, %sum : tensor<32x16xf16> * tensor<16x16xf16> -> tensor<32x16xf32>
  %then = arith.addi %at, %step : i32
  scf.yield %next, %then : tensor<32x16xf32>, i32
}"""

SOMETIMES = """%y = scf.for %at = %zero to %depth step %step iter_args(%sum = %none) -> (tensor<32x16xf32>)  : i32 {
""" + STEP + """  %bit = arith.andi %at, %step : i32
  %odd = arith.cmpi ne, %bit, %zero : i32
  %next = scf.if %odd -> (tensor<32x16xf32>) {
    %product = tt.dot %x, %w, %sum : tensor<32x16xf16> * tensor<16x16xf16> -> tensor<32x16xf32>
    scf.yield %product : tensor<32x16xf32>
  } else {
    %same = arith.addf %sum, %none : tensor<32x16xf32>
    scf.yield %same : tensor<32x16xf32>
  }
  scf.yield %next : tensor<32x16xf32>
}"""

a, b = [float(rng.randint(-4, 4)) for _ in range(m * depth)], [float(rng.randint(-4, 4)) for _ in range(depth * n)]
for name, body, steps in (("while", WHILE, range(depth)), ("sometimes", SOMETIMES, range(16, depth))):
    expected = [sum(a[i * depth + l] * b[l * n + j] for l in steps) for i in range(m) for j in range(n)]
    buffers = [("a", "f16", (m, depth), "ptr"), ("b", "f16", (depth, n), "ptr"), ("y", "f32", (m, n), "out")]
    text = program(buffers, COMMON + body, [("depth", "i32")])
    for num_warps in (1, 2, 4):
        write(root, name, text, [Buffer("a", "f16", a), Buffer("b", "f16", b), Buffer("y", "f32", [7.0] * (m * n), expected)],
              [("depth", "i32", depth)], num_warps=num_warps)
