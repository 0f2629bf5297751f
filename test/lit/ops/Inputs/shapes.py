# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Operations that move elements: trans, reshape, join, split, gather, histogram, broadcast, cat, unsplat.
import itertools
import sys

from tilecase import *

root = sys.argv[1]


def strides(shape):
    return [count(shape[i + 1:]) for i in range(len(shape))]


def transposed(values, shape, order):
    result = [shape[d] for d in order]
    out = []
    for index in itertools.product(*[range(s) for s in result]):
        source = [0] * len(shape)
        for i, d in enumerate(order):
            source[d] = index[i]
        out.append(values[sum(a * b for a, b in zip(source, strides(shape)))])
    return out


for elem in ("i8", "f16", "i32", "i64"):
    for shape, order in (((16, 64), (1, 0)), ((4, 8, 16), (2, 0, 1)), ((2, 8, 4, 8), (3, 1, 0, 2)), ((1, 4), (1, 0))):
        x = integers(elem, count(shape)) if elem[0] == "i" else floats(elem, count(shape))
        result = tuple(shape[d] for d in order)
        body = "%%y = tt.trans %%x {order = array<i32: %s>} : %s -> %s" % (
            ", ".join(map(str, order)), tensor(shape, elem), tensor(result, elem))
        simple(root, "trans-%s-%dd-%d" % (elem, len(shape), shape[0]), body, [("x", elem, shape, x)],
               [("y", elem, result, transposed(x, shape, order))], warps=(1, 8))

x, y = integers("i32", 512), integers("i32", 512)
simple(root, "join", "%z = tt.join %x, %y : tensor<16x32xi32> -> tensor<16x32x2xi32>",
       [("x", "i32", (16, 32), x), ("y", "i32", (16, 32), y)],
       [("z", "i32", (16, 32, 2), [v for pair in zip(x, y) for v in pair])])
simple(root, "split", "%y, %z = tt.split %x : tensor<16x16x2xi32> -> tensor<16x16xi32>",
       [("x", "i32", (16, 16, 2), x)], [("y", "i32", (16, 16), x[::2]), ("z", "i32", (16, 16), x[1::2])])
simple(root, "reshape", "%a = tt.trans %x {order = array<i32: 1, 0>} : tensor<16x32xi32> -> tensor<32x16xi32>\n"
       "%y = tt.reshape %a : tensor<32x16xi32> -> tensor<4x128xi32>",
       [("x", "i32", (16, 32), x)], [("y", "i32", (4, 128), transposed(x, (16, 32), (1, 0)))])
# cat may order its elements as it likes; their sum does not depend on it.
simple(root, "cat", """%c = tt.cat %x, %y : tensor<512xi32> -> tensor<1024xi32>
%s = "tt.reduce"(%c) <{axis = 0 : i32}> ({
^bb0(%a: i32, %b: i32):
  %t = arith.addi %a, %b : i32
  tt.reduce.return %t : i32
}) : (tensor<1024xi32>) -> i32
%z = tt.splat %s : i32 -> tensor<4xi32>""",
       [("x", "i32", (512,), x), ("y", "i32", (512,), y)], [("z", "i32", (4,), [wrap(sum(x) + sum(y), 32)] * 4)])

for axis, shape, indices in ((0, (256,), (256,)), (0, (256,), (64,)), (0, (16, 32), (64, 32)), (1, (16, 32), (16, 8)),
                             (1, (4, 16, 8), (4, 64, 8)), (1, (2, 4), (2, 512))):
    for elem in ("i8", "f32", "i64"):
        v = integers(elem, count(shape)) if elem[0] == "i" else floats(elem, count(shape))
        i = [rng.randrange(shape[axis]) for _ in range(count(indices))]
        out = []
        for flat, index in enumerate(itertools.product(*[range(s) for s in indices])):
            source = list(index)
            source[axis] = i[flat]
            out.append(v[sum(a * b for a, b in zip(source, strides(shape)))])
        simple(root, "gather-%s-%s-%d" % (elem, "x".join(map(str, shape + indices)), axis),
               "%%y = tt.gather %%x[%%i] {axis = %d : i32} : (%s, %s) -> %s" % (
                   axis, tensor(shape, elem), tensor(indices, "i32"), tensor(indices, elem)),
               [("x", elem, shape, v), ("i", "i32", indices, i)], [("y", elem, indices, out)])

for n, bins in ((512, 16), (64, 256), (1024, 2)):
    v = [rng.randrange(bins) for _ in range(n)]
    m = [rng.randrange(2) for _ in range(n)]
    simple(root, "histogram-%d-%d" % (n, bins),
           "%%y = tt.histogram %%x : tensor<%dxi32> -> tensor<%dxi32>\n%%z = arith.constant dense<1> : tensor<%dxi32>\n"
           "%%b = arith.cmpi eq, %%m, %%z : tensor<%dxi32>\n"
           "%%w = tt.histogram %%x, %%b : tensor<%dxi32> -> tensor<%dxi32>" % (n, bins, n, n, n, bins),
           [("x", "i32", (n,), v), ("m", "i32", (n,), m)],
           [("y", "i32", (bins,), [v.count(i) for i in range(bins)]),
            ("w", "i32", (bins,), [sum(a == i and b for a, b in zip(v, m)) for i in range(bins)])])

simple(root, "broadcast", """%e = tt.expand_dims %x {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
%f = tt.expand_dims %e {axis = 0 : i32} : tensor<32x1xi32> -> tensor<1x32x1xi32>
%y = tt.broadcast %f : tensor<1x32x1xi32> -> tensor<4x32x8xi32>""",
       [("x", "i32", (32,), x[:32])], [("y", "i32", (4, 32, 8), [v for _ in range(4) for v in x[:32] for _ in range(8)])])
simple(root, "unsplat", """%s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
^bb0(%a: i32, %b: i32):
  %t = arith.maxsi %a, %b : i32
  tt.reduce.return %t : i32
}) : (tensor<1x64xi32>) -> tensor<1xi32>
%u = tt.unsplat %s : tensor<1xi32>
%y = tt.splat %u : i32 -> tensor<8xi32>""", [("x", "i32", (1, 64), x[:64])], [("y", "i32", (8,), [max(x[:64])] * 8)])
