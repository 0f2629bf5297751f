# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Tiles of up to 2^20 elements, most of them larger than the register file. The inputs are small integers, so that sums are exact in f32.
import sys

from tilecase import Buffer, rng, write

root = sys.argv[1]
POINTERS = "%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}"


def load(n):
    return f"""
    %r = tt.make_range {{end = {n} : i32, start = 0 : i32}} : tensor<{n}xi32>
    %s = tt.splat %x : !tt.ptr<f32> -> tensor<{n}x!tt.ptr<f32>>
    %p = tt.addptr %s, %r : tensor<{n}x!tt.ptr<f32>>, tensor<{n}xi32>
    %v = tt.load %p : tensor<{n}x!tt.ptr<f32>>"""


def store(n, value):
    return f"""
    %range = tt.make_range {{end = {n} : i32, start = 0 : i32}} : tensor<{n}xi32>
    %out = tt.splat %o : !tt.ptr<f32> -> tensor<{n}x!tt.ptr<f32>>
    %outs = tt.addptr %out, %range : tensor<{n}x!tt.ptr<f32>>, tensor<{n}xi32>
    tt.store %outs, {value} : tensor<{n}x!tt.ptr<f32>>"""


def combine(op, operand, types, attributes):
    return f"""
    %w = "tt.{op}"({operand}) <{{{attributes}}}> ({{
    ^bb0(%a: f32, %b: f32):
      %sum = arith.addf %a, %b : f32
      tt.{op}.return %sum : f32
    }}) : {types}"""


def case(name, n, body, expected, num_warps):
    text = f"module {{\n  tt.func public @k({POINTERS}) {{{load(n)}{body}\n    tt.return\n  }}\n}}\n"
    write(root, name, text, [Buffer("x", "f32", data[:n]), Buffer("o", "f32", [0.0] * len(expected), expected)], num_warps=num_warps)


data = [float(rng.randint(-4, 4)) for _ in range(1 << 20)]
for bits, num_warps in ((17, 4), (20, 16)):
    n = 1 << bits
    case(f"negate{bits}", n, f"\n    %w = arith.negf %v : tensor<{n}xf32>" + store(n, "%w"), [-x for x in data[:n]], num_warps)
for bits, num_warps in ((17, 1), (20, 4)):
    n = 1 << bits
    case(f"sum{bits}", n, combine("reduce", "%v", f"(tensor<{n}xf32>) -> f32", "axis = 0 : i32") + "\n    tt.store %o, %w : !tt.ptr<f32>",
         [sum(data[:n])], num_warps)

n, rows = 1 << 18, 512
columns = n // rows
matrix = f"\n    %m = tt.reshape %v : tensor<{n}xf32> -> tensor<{rows}x{columns}xf32>"
case("transpose18", n,
     matrix + f"""
    %t = tt.trans %m {{order = array<i32: 1, 0>}} : tensor<{rows}x{columns}xf32> -> tensor<{columns}x{rows}xf32>
    %w = tt.reshape %t : tensor<{columns}x{rows}xf32> -> tensor<{n}xf32>""" + store(n, "%w"),
     [data[i * columns + j] for j in range(columns) for i in range(rows)], 8)
case("columns18", n,
     matrix + combine("reduce", "%m", f"(tensor<{rows}x{columns}xf32>) -> tensor<{columns}xf32>", "axis = 0 : i32") + store(columns, "%w"),
     [sum(data[j:n:columns]) for j in range(columns)], 8)

n = 1 << 17
sums, total = [], 0.0
for x in data[:n]:
    total += x
    sums.append(total)
case("scan17", n, combine("scan", "%v", f"(tensor<{n}xf32>) -> tensor<{n}xf32>", "axis = 0 : i32, reverse = false") + store(n, "%w"), sums, 8)

# One wave: 1024 values a lane. Two tiles that change places in a loop, and a transpose without a common register bit.
n, side = 1 << 16, 256
case("fibonacci16", n, f"""
    %lower = arith.constant 0 : i32
    %upper = arith.constant 3 : i32
    %step = arith.constant 1 : i32
    %twice = arith.addf %v, %v : tensor<{n}xf32>
    %pair:2 = scf.for %i = %lower to %upper step %step iter_args(%a = %v, %b = %twice) -> (tensor<{n}xf32>, tensor<{n}xf32>) : i32 {{
      %next = arith.addf %a, %b : tensor<{n}xf32>
      scf.yield %b, %next : tensor<{n}xf32>, tensor<{n}xf32>
    }}
    %tens = arith.constant dense<10.0> : tensor<{n}xf32>
    %scaled = arith.mulf %pair#0, %tens : tensor<{n}xf32>
    %w = arith.addf %scaled, %pair#1 : tensor<{n}xf32>""" + store(n, "%w"), [58 * x for x in data[:n]], 1)
for num_warps in (1, 16):
    case("transpose16", n, f"""
    %m = tt.reshape %v : tensor<{n}xf32> -> tensor<{side}x{side}xf32>
    %t = tt.trans %m {{order = array<i32: 1, 0>}} : tensor<{side}x{side}xf32> -> tensor<{side}x{side}xf32>
    %w = tt.reshape %t : tensor<{side}x{side}xf32> -> tensor<{n}xf32>""" + store(n, "%w"),
         [data[i * side + j] for j in range(side) for i in range(side)], num_warps)

# So many totals of waves that they go through LDS in rounds, as reduction and as scan along an inner axis.
n, shape = 1 << 15, "8x64x8x8"
outer, axis, inner = 8, 64, 64
for op, attributes in (("reduce", "axis = 1 : i32"), ("scan", "axis = 1 : i32, reverse = true")):
    count = n if op == "scan" else outer * inner
    kept = shape if op == "scan" else "8x8x8"
    expected = [sum(data[(o * axis + a) * inner + i:(o + 1) * axis * inner:inner]) for o in range(outer)
                for a in range(axis if op == "scan" else 1) for i in range(inner)]
    case(f"totals_{op}15", n, f"\n    %m = tt.reshape %v : tensor<{n}xf32> -> tensor<{shape}xf32>" +
         combine(op, "%m", f"(tensor<{shape}xf32>) -> tensor<{kept}xf32>", attributes) +
         f"\n    %flat = tt.reshape %w : tensor<{kept}xf32> -> tensor<{count}xf32>" + store(count, "%flat"), expected, 8)

# A tile of one number for all, counted as uniform parts of sums, goes to the scan's own layout and back.
rows, columns, n = 512, 32, 1 << 14
text = f"""module {{
  tt.func public @k(%x: !tt.ptr<i32> {{tt.divisibility = 16 : i32}}, %o: !tt.ptr<i32> {{tt.divisibility = 16 : i32}}) {{
    %one = tt.load %x : !tt.ptr<i32>
    %v = tt.splat %one : i32 -> tensor<{rows}x{columns}xi32>{
    combine("scan", "%v", f"(tensor<{rows}x{columns}xi32>) -> tensor<{rows}x{columns}xi32>", "axis = 0 : i32, reverse = false").replace("addf", "addi")}
    %flat = tt.reshape %w : tensor<{rows}x{columns}xi32> -> tensor<{n}xi32>{store(n, "%flat")}
    tt.return
  }}
}}
""".replace("f32", "i32")
write(root, "scan_splat14", text, [Buffer("x", "i32", [3]), Buffer("o", "i32", [0] * n, [3 * (i // columns + 1) for i in range(n)])], num_warps=2)

# More elements a lane than a branch each would do for; negative ones are in no bin.
n = 1 << 14
case("histogram14", n, f"""
    %keys = arith.fptosi %v : tensor<{n}xf32> to tensor<{n}xi32>
    %counts = tt.histogram %keys : tensor<{n}xi32> -> tensor<4xi32>
    %w = arith.sitofp %counts : tensor<4xi32> to tensor<4xf32>""" + store(4, "%w"), [float(data[:n].count(b)) for b in range(4)], 4)

# More bins than LDS holds, in rounds that follow one another and as a loop; a mask leaves elements out.
for bits, bins, num_warps in ((9, 1 << 15, 4), (12, 1 << 16, 2)):
    n = 1 << bits
    keys = [rng.randrange(bins) for _ in range(n)]
    expected = [0] * bins
    for key in keys:
        expected[key] += key % 3 != 0
    text = f"""module {{
  tt.func public @k(%x: !tt.ptr<i32> {{tt.divisibility = 16 : i32}}, %o: !tt.ptr<i32> {{tt.divisibility = 16 : i32}}) {{{load(n)}
    %three = arith.constant dense<3> : tensor<{n}xi32>
    %zero = arith.constant dense<0> : tensor<{n}xi32>
    %rest = arith.remui %v, %three : tensor<{n}xi32>
    %mask = arith.cmpi ne, %rest, %zero : tensor<{n}xi32>
    %w = tt.histogram %v, %mask : tensor<{n}xi32> -> tensor<{bins}xi32>{store(bins, "%w")}
    tt.return
  }}
}}
""".replace("f32", "i32")
    write(root, f"histogram{bits}-{bins}", text, [Buffer("x", "i32", keys), Buffer("o", "i32", [7] * bins, expected)], num_warps=num_warps)

# A source larger than LDS, gathered along an outer axis with indices that differ in every element.
n, rows, columns = 1 << 15, 128, 256
case("gather15", n, f"""
    %m = tt.reshape %v : tensor<{n}xf32> -> tensor<{rows}x{columns}xf32>
    %seven = arith.constant dense<7> : tensor<{n}xi32>
    %mask = arith.constant dense<{rows - 1}> : tensor<{n}xi32>
    %products = arith.muli %r, %seven : tensor<{n}xi32>
    %wrapped = arith.andi %products, %mask : tensor<{n}xi32>
    %indices = tt.reshape %wrapped : tensor<{n}xi32> -> tensor<{rows}x{columns}xi32>
    %g = tt.gather %m[%indices] {{axis = 0 : i32}} : (tensor<{rows}x{columns}xf32>, tensor<{rows}x{columns}xi32>) -> tensor<{rows}x{columns}xf32>
    %w = tt.reshape %g : tensor<{rows}x{columns}xf32> -> tensor<{n}xf32>""" + store(n, "%w"),
     [data[(at * 7 & (rows - 1)) * columns + at % columns] for at in range(n)], 4)
