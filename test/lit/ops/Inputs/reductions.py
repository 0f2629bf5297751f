# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# tt.reduce and tt.scan: axes, directions, types, several operands, combinations that are not commutative.
import itertools
import sys

from tilecase import *

root = sys.argv[1]


def lines_along(shape, axis):
    """Flat indices of each line along an axis."""
    step, outer = count(shape[axis + 1:]), count(shape[:axis])
    for o in range(outer):
        for i in range(step):
            yield [o * shape[axis] * step + k * step + i for k in range(shape[axis])]


def region(kind, arguments, lines, returned):
    types = [t for _, t in arguments]
    header = ", ".join("%%%s: %s" % a for a in arguments)
    n = len(arguments) // 2
    return "({\n^bb0(%s):\n  %s\n  tt.%s.return %s : %s\n})" % (
        header, "\n  ".join(lines), kind, ", ".join("%" + r for r in returned), ", ".join(types[:n]))


OPS = {"add": ("arith.addi", lambda a, b: a + b), "max": ("arith.maxsi", max), "min": ("arith.minui", None),
       "xor": ("arith.xori", lambda a, b: a ^ b), "and": ("arith.andi", lambda a, b: a & b)}

for elem in ("i1", "i8", "i16", "i32", "i64"):
    bits = 1 if elem == "i1" else INTEGERS[elem]
    for op in ("add", "max", "xor", "and"):
        if elem == "i1" and op in ("add", "max"):
            continue
        name, function = OPS[op]
        for shape, axis in (((256,), 0), ((16, 32), 0), ((16, 32), 1), ((4, 8, 16), 1), ((128, 2), 1), ((2, 512), 1)):
            v = [rng.randrange(2) for _ in range(count(shape))] if elem == "i1" else integers(elem, count(shape))
            out = []
            for line in lines_along(shape, axis):
                acc = v[line[0]]
                for i in line[1:]:
                    acc = wrap(function(acc, v[i]), bits) if elem != "i1" else function(acc, v[i])
                out.append(acc)
            result = shape[:axis] + shape[axis + 1:]
            code = region("reduce", [("a", elem), ("b", elem)], ["%%c = %s %%a, %%b : %s" % (name, elem)], ["c"])
            if elem == "i1":  # loaded and stored as i8
                load = "%%one = arith.constant dense<1> : %s\n%%v = arith.cmpi eq, %%x, %%one : %s\n" % (
                    (tensor(shape, "i8"),) * 2)
                body = load + '%%r = "tt.reduce"(%%v) <{axis = %d : i32}> %s : (%s) -> %s\n%%s = %s' % (
                    axis, code, tensor(shape, elem), tensor(result, elem) if result else elem,
                    "arith.extui %%r : %s to %s" % (tensor(result, elem) if result else elem,
                                                   tensor(result, "i8") if result else "i8"))
                inputs = [("x", "i8", shape, v)]
                stored = "i8"
            else:
                body = '%%s = "tt.reduce"(%%x) <{axis = %d : i32}> %s : (%s) -> %s' % (
                    axis, code, tensor(shape, elem), tensor(result, elem) if result else elem)
                inputs = [("x", elem, shape, v)]
                stored = elem
            if result:
                body = body.replace("%s =", "%y =")
            else:
                body += "\n%%y = tt.splat %%s : %s -> tensor<1x%s>" % (stored, stored)
            simple(root, "reduce-%s-%s-%s-%d" % (op, elem, "x".join(map(str, shape)), axis), body, inputs,
                   [("y", stored, result or (1,), out)], warps=(1, 4) if len(shape) == 2 else (2,))

# Value and index of the largest, the first of equals; floats.
for shape, axis in (((8, 128), 1), ((128, 8), 0), ((2, 64, 4), 1)):
    v = [rounded("f32", rng.randrange(40) / 4) for _ in range(count(shape))]
    values, indices = [], []
    for line in lines_along(shape, axis):
        best = max(range(len(line)), key=lambda k: (v[line[k]], -k))
        values.append(v[line[best]])
        indices.append(best)
    result = shape[:axis] + shape[axis + 1:]
    index = "%%r = tt.make_range {end = %d : i32, start = 0 : i32} : tensor<%dxi32>\n" % (shape[axis], shape[axis])
    dims, source = (shape[axis],), "r"
    for d in range(len(shape)):
        if d != axis:
            wide = dims[:d] + (1,) + dims[d:] if d < axis else dims + (1,)
            axis_now = d if d < axis else len(dims)
            index += "%%i%d = tt.expand_dims %%%s {axis = %d : i32} : %s -> %s\n" % (
                d, source, axis_now, tensor(dims, "i32"), tensor(wide, "i32"))
            dims, source = wide, "i%d" % d
    index += "%%idx = tt.broadcast %%%s : %s -> %s\n" % (source, tensor(dims, "i32"), tensor(shape, "i32"))
    code = region("reduce", [("a", "f32"), ("ai", "i32"), ("b", "f32"), ("bi", "i32")],
                  ["%gt = arith.cmpf ogt, %a, %b : f32", "%eq = arith.cmpf oeq, %a, %b : f32",
                   "%lt = arith.cmpi slt, %ai, %bi : i32", "%tie = arith.andi %eq, %lt : i1",
                   "%first = arith.ori %gt, %tie : i1", "%c = arith.select %first, %a, %b : f32",
                   "%ci = arith.select %first, %ai, %bi : i32"], ["c", "ci"])
    body = index + '%%y, %%z = "tt.reduce"(%%x, %%idx) <{axis = %d : i32}> %s : (%s, %s) -> (%s, %s)' % (
        axis, code, tensor(shape, "f32"), tensor(shape, "i32"), tensor(result, "f32"), tensor(result, "i32"))
    simple(root, "argmax-%s-%d" % ("x".join(map(str, shape)), axis), body, [("x", "f32", shape, v)],
           [("y", "f32", result, values), ("z", "i32", result, indices)], warps=(1, 4, 8))

# Scans: running sums and maxima, forward and backward, and a combination that depends on the order: composition of
# x ↦ m·x + c, kept small by working modulo 2^32.
for shape, axis in (((256,), 0), ((16, 64), 0), ((16, 64), 1), ((4, 16, 8), 1), ((1024,), 0), ((2, 2), 0)):
    for reverse in (False, True):
        sums, firsts, seconds = [0] * count(shape), [0] * count(shape), [0] * count(shape)
        v, m = integers("i32", count(shape)), [rng.randrange(1, 8) for _ in range(count(shape))]
        for line in lines_along(shape, axis):
            order = line[::-1] if reverse else line
            acc, am, ac = 0, 1, 0
            for i in order:
                acc = wrap(acc + v[i], 32)
                am, ac = wrap(am * m[i], 32), wrap(ac * m[i] + v[i], 32)
                sums[i], firsts[i], seconds[i] = acc, am, ac
        t = tensor(shape, "i32")
        flag = "true" if reverse else "false"
        body = '%%s = "tt.scan"(%%x) <{axis = %d : i32, reverse = %s}> %s : (%s) -> %s\n' % (
            axis, flag, region("scan", [("a", "i32"), ("b", "i32")], ["%c = arith.addi %a, %b : i32"], ["c"]), t, t)
        body += '%%f, %%g = "tt.scan"(%%m, %%x) <{axis = %d : i32, reverse = %s}> %s : (%s, %s) -> (%s, %s)' % (
            axis, flag, region("scan", [("am", "i32"), ("ac", "i32"), ("bm", "i32"), ("bc", "i32")],
                               ["%cm = arith.muli %am, %bm : i32", "%t = arith.muli %ac, %bm : i32",
                                "%cc = arith.addi %t, %bc : i32"], ["cm", "cc"]), t, t, t, t)
        simple(root, "scan-%s-%d-%s" % ("x".join(map(str, shape)), axis, flag), body,
               [("x", "i32", shape, v), ("m", "i32", shape, m)],
               [("s", "i32", shape, sums), ("f", "i32", shape, firsts), ("g", "i32", shape, seconds)], warps=(1, 4))
