# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Loads and stores through block pointers, descriptors and masks; atomics of every operation.
import sys

from tilecase import *

root = sys.argv[1]

# Block pointers: a window of 16×32 at (row, column) of a matrix of 20×50, which reaches over its edge.
rows, columns, shape = 20, 50, (16, 32)
for elem in ("i8", "i32", "i64"):
    for r, c in ((0, 0), (10, 30), (-3, 5), (16, -8)):
        x = integers(elem, rows * columns)
        window = [x[i * columns + j] if 0 <= i < rows and 0 <= j < columns else 0
                  for i in range(r, r + shape[0]) for j in range(c, c + shape[1])]
        body = """%%c1 = arith.constant 1 : i64
%%rows = arith.constant %d : i64
%%columns = arith.constant %d : i64
%%zero = arith.constant 0 : i32
%%start = tt.make_tensor_ptr %%x_p, [%%rows, %%columns], [%%columns, %%c1], [%%zero, %%zero] {order = array<i32: 1, 0>} : <%s>
%%there = tt.advance %%start, [%%r, %%c] : <%s>
%%y = tt.load %%there {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<%s>""" % (
            rows, columns, tensor(shape, elem), tensor(shape, elem), tensor(shape, elem))
        text = program([("x", elem, (rows * columns,), "ptr"), ("y", elem, shape, "out")], body, [("r", "i32"), ("c", "i32")])
        for w in (1, 4):
            write(root, "block-load-%s-%d-%d" % (elem, r, c), text,
                  [Buffer("x", elem, x), Buffer("y", elem, [77] * count(shape), window)], [("r", "i32", r), ("c", "i32", c)],
                  num_warps=w)
        out = [77] * (rows * columns)
        v = integers(elem, count(shape))
        for i in range(shape[0]):
            for j in range(shape[1]):
                if 0 <= i + r < rows and 0 <= j + c < columns:
                    out[(i + r) * columns + j + c] = v[i * shape[1] + j]
        body = """%%c1 = arith.constant 1 : i64
%%rows = arith.constant %d : i32
%%columns = arith.constant %d : i32
%%stride = arith.extsi %%columns : i32 to i64
%%d = tt.make_tensor_descriptor %%o_p, [%%rows, %%columns], [%%stride, %%c1] : <%s>, <%s>
tt.descriptor_store %%d[%%r, %%c], %%x : !tt.tensordesc<%s>, %s""" % (
            rows, columns, elem, tensor(shape, elem), tensor(shape, elem), tensor(shape, elem))
        text = program([("x", elem, shape, "in"), ("o", elem, (rows * columns,), "ptr")], body, [("r", "i32"), ("c", "i32")])
        write(root, "descriptor-store-%s-%d-%d" % (elem, r, c), text,
              [Buffer("x", elem, v), Buffer("o", elem, [77] * (rows * columns), out)], [("r", "i32", r), ("c", "i32", c)])

# Descriptors: padding by NaN, gathered rows, a block without its leading 1, a reduction into memory.
x = floats("f32", rows * columns)
r, c = 12, 40
window = [x[i * columns + j] if i < rows and j < columns else math.nan
          for i in range(r, r + shape[0]) for j in range(c, c + shape[1])]
make = """%%c1 = arith.constant 1 : i64
%%rows = arith.constant %d : i32
%%columns = arith.constant %d : i32
%%stride = arith.extsi %%columns : i32 to i64
%%d = tt.make_tensor_descriptor %%x_p, [%%rows, %%columns], [%%stride, %%c1] %s : <f32>, <%s>
"""
text = program([("x", "f32", (rows * columns,), "ptr"), ("y", "f32", shape, "out")],
               make % (rows, columns, "{padding = 2 : i32}", tensor(shape, "f32")) +
               "%%y = tt.descriptor_load %%d[%%r, %%c] : !tt.tensordesc<%s> -> %s" % ((tensor(shape, "f32"),) * 2),
               [("r", "i32"), ("c", "i32")])
write(root, "descriptor-nan", text, [Buffer("x", "f32", x), Buffer("y", "f32", [7.0] * count(shape), window)],
      [("r", "i32", r), ("c", "i32", c)])
index = [rng.randrange(24) for _ in range(8)]
gathered = [x[i * columns + j] if i < rows and j < columns else 0.0 for i in index for j in range(32, 64)]
text = program([("x", "f32", (rows * columns,), "ptr"), ("i", "i32", (8,), "in"), ("y", "f32", (8, 32), "out")],
               make % (rows, columns, "", "1x32xf32") +
               "%at = arith.constant 32 : i32\n%y = tt.descriptor_gather %d[%i, %at] : (!tt.tensordesc<1x32xf32>, tensor<8xi32>, i32) -> tensor<8x32xf32>")
write(root, "descriptor-gather", text, [Buffer("x", "f32", x), Buffer("i", "i32", index), Buffer("y", "f32", [7.0] * 256, gathered)])
text = program([("x", "f32", (rows * columns,), "ptr"), ("y", "f32", (32,), "out")],
               make % (rows, columns, "", "1x32xf32") +
               "%two = arith.constant 2 : i32\n%y = tt.descriptor_load %d[%two, %two] : !tt.tensordesc<1x32xf32> -> tensor<32xf32>")
write(root, "descriptor-row", text, [Buffer("x", "f32", x), Buffer("y", "f32", [7.0] * 32, x[2 * columns + 2:2 * columns + 34])])
v = integers("i32", count(shape), -1000, 1000)
base = integers("i32", rows * columns, -1000, 1000)
up = lambda a, b: 0 if unsigned(a, 32) >= unsigned(b, 32) else a + 1
down = lambda a, b: b if a == 0 or unsigned(a, 32) > unsigned(b, 32) else a - 1
for kind, function, elem in (("add", lambda a, b: a + b, "i32"), ("min", min, "i32"), ("max", max, "i32"), ("and", lambda a, b: a & b, "i32"), ("or", lambda a, b: a | b, "i32"), ("xor", lambda a, b: a ^ b, "i32"),
                             ("inc", up, "i32"), ("dec", down, "i32"), ("min", min, "f32"), ("max", max, "f16"), ("add", lambda a, b: a + b, "f32")):
    out = list(base)
    for i in range(shape[0]):
        for j in range(shape[1]):
            if i + r < rows and j + c < columns:
                at = (i + r) * columns + j + c
                out[at] = function(out[at], v[i * shape[1] + j])
    text = program([("v", elem, shape, "in"), ("x", elem, (rows * columns,), "ptr")],
                   (make % (rows, columns, "", tensor(shape, elem))).replace("<f32>", "<%s>" % elem) +
                   "tt.descriptor_reduce %s, %%d[%%r, %%c], %%v : !tt.tensordesc<%s>, %s" % (kind, tensor(shape, elem), tensor(shape, elem)),
                   [("r", "i32"), ("c", "i32")])
    write(root, "descriptor-reduce-%s-%s" % (kind, elem), text, [Buffer("v", elem, v), Buffer("x", elem, base, out)], [("r", "i32", r), ("c", "i32", c)])

# Atomics: 512 elements on 16 addresses. Results that don't depend on the order; old values where addresses differ.
n, bins = 512, 16
for elem in ("i32", "i64"):
    bits = INTEGERS[elem]
    for op, function in (("add", lambda a, b: a + b), ("max", max), ("min", min), ("and", lambda a, b: a & b),
                         ("or", lambda a, b: a | b), ("xor", lambda a, b: a ^ b),
                         ("umax", lambda a, b: max(a, b, key=lambda t: unsigned(t, bits))),
                         ("umin", lambda a, b: min(a, b, key=lambda t: unsigned(t, bits)))):
        v, start = integers(elem, n), integers(elem, bins)
        index = [rng.randrange(bins) for _ in range(n)]
        mask = [rng.randrange(4) > 0 for _ in range(n)]
        out = list(start)
        for i in range(n):
            if mask[i]:
                out[index[i]] = wrap(function(out[index[i]], v[i]), bits)
        body = """%%one = arith.constant dense<1> : tensor<512xi32>
%%mask = arith.cmpi eq, %%m, %%one : tensor<512xi32>
%%s = tt.splat %%o_p : !tt.ptr<%s> -> tensor<512x!tt.ptr<%s>>
%%ps = tt.addptr %%s, %%i : tensor<512x!tt.ptr<%s>>, tensor<512xi32>
%%old = tt.atomic_rmw %s, acq_rel, gpu, %%ps, %%v, %%mask : (tensor<512x!tt.ptr<%s>>, tensor<512x%s>, tensor<512xi1>) -> tensor<512x%s>""" % (
            elem, elem, elem, op, elem, elem, elem)
        text = program([("v", elem, (n,), "in"), ("i", "i32", (n,), "in"), ("m", "i32", (n,), "in"), ("o", elem, (bins,), "ptr")], body)
        for w in (1, 4, 16):  # 16 warps: more threads than elements
            write(root, "atomic-%s-%s" % (op, elem), text,
                  [Buffer("v", elem, v), Buffer("i", "i32", index), Buffer("m", "i32", mask), Buffer("o", elem, start, out)], num_warps=w)
for elem in ("f32", "f16", "bf16", "f64"):
    v, start = [float(rng.randint(-3, 3)) for _ in range(n)], [float(rng.randint(-8, 8)) for _ in range(bins)]
    index = [rng.randrange(bins) for _ in range(n)]
    out = list(start)
    for i in range(n):
        out[index[i]] += v[i]
    body = """%%s = tt.splat %%o_p : !tt.ptr<%s> -> tensor<512x!tt.ptr<%s>>
%%ps = tt.addptr %%s, %%i : tensor<512x!tt.ptr<%s>>, tensor<512xi32>
%%old = tt.atomic_rmw fadd, relaxed, sys, %%ps, %%v : (tensor<512x!tt.ptr<%s>>, tensor<512x%s>) -> tensor<512x%s>""" % ((elem,) * 6)
    text = program([("v", elem, (n,), "in"), ("i", "i32", (n,), "in"), ("o", elem, (bins,), "ptr")], body)
    for w in (1, 4, 16):
        write(root, "atomic-fadd-" + elem, text, [Buffer("v", elem, v), Buffer("i", "i32", index), Buffer("o", elem, start, out)], num_warps=w)
for elem in ("i32", "f32", "i64"):
    v = integers(elem, n) if elem[0] == "i" else floats(elem, n)
    start = integers(elem, n) if elem[0] == "i" else floats(elem, n)
    body = "%%old = tt.atomic_rmw exch, acquire, gpu, %%o_ps, %%v : (%s, %s) -> %s" % (
        tensor((n,), "!tt.ptr<%s>" % elem), tensor((n,), elem), tensor((n,), elem))
    body = "\n".join(pointers("o_ps", "o_p", elem, (n,))) + "\n" + body
    text = program([("v", elem, (n,), "in"), ("o", elem, (n,), "ptr"), ("old", elem, (n,), "out")], body)
    for w in (1, 16):
        write(root, "atomic-exch-" + elem, text, [Buffer("v", elem, v), Buffer("o", elem, start, v), Buffer("old", elem, [7] * n, start)], num_warps=w)
for elem in ("i32", "i64"):
    start = integers(elem, n, 0, 3)
    cmp, v = integers(elem, n, 0, 3), integers(elem, n)
    body = "\n".join(pointers("o_ps", "o_p", elem, (n,))) + "\n%%old = tt.atomic_cas acq_rel, gpu, %%o_ps, %%cmp, %%v : (%s, %s, %s) -> %s" % (
        tensor((n,), "!tt.ptr<%s>" % elem), tensor((n,), elem), tensor((n,), elem), tensor((n,), elem))
    text = program([("cmp", elem, (n,), "in"), ("v", elem, (n,), "in"), ("o", elem, (n,), "ptr"), ("old", elem, (n,), "out")], body)
    out = [b if s == a else s for s, a, b in zip(start, cmp, v)]
    for w in (1, 16):
        write(root, "atomic-cas-" + elem, text, [Buffer("cmp", elem, cmp), Buffer("v", elem, v), Buffer("o", elem, start, out), Buffer("old", elem, [7] * n, start)], num_warps=w)
# Waiting with a limit of 2 microseconds: for what is there, and for what never comes.
text = """module {
  tt.func public @k(%flag: !tt.ptr<i32>, %o: !tt.ptr<i32>, %v: i32) {
    %limit = arith.constant 2000 : i64
    %seen = tt.atomic_poll acquire, gpu, %flag, %v timeout %limit : !tt.ptr<i32>, i32 -> i1
    %n = arith.extui %seen : i1 to i32
    %s = tt.splat %n : i32 -> tensor<256xi32>
    %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
    %p = tt.splat %o : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
    %q = tt.addptr %p, %r : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
    tt.store %q, %s : tensor<256x!tt.ptr<i32>>
    tt.return
  }
}
"""
for w in (1, 4):
    for value in (5, 6):
        write(root, "poll-limit-%d" % value, text, [Buffer("flag", "i32", [5]), Buffer("o", "i32", [7] * 256, [int(value == 5)] * 256)], [("v", "i32", value)], num_warps=w)
# Atomic loads and stores, with and without a mask; a wait for each element of a tile, for half of which it is in vain.
for elem in ("i8", "i16", "i32", "i64", "f16", "f32", "f64"):
    n = 128
    x = integers(elem, n) if elem[0] == "i" else floats(elem, n)
    other = integers(elem, n) if elem[0] == "i" else floats(elem, n)
    ptrs, tile = tensor((n,), "!tt.ptr<%s>" % elem), tensor((n,), elem)
    body = "\n".join(pointers("x_ps", "x_p", elem, (n,)) + pointers("o_ps", "o_p", elem, (n,))) + """
%%at = tt.make_range {end = %d : i32, start = 0 : i32} : tensor<%dxi32>
%%half = arith.constant dense<%d> : tensor<%dxi32>
%%m = arith.cmpi slt, %%at, %%half : tensor<%dxi32>
%%y = tt.atomic_load acquire, gpu, %%x_ps : (%s) -> %s
tt.atomic_store release, gpu, %%o_ps, %%y, %%m : %s
%%z = tt.atomic_load relaxed, cta, %%o_ps, %%m : (%s, tensor<%dxi1>) -> %s
tt.store %%z_ps, %%z, %%m : %s
%%one = tt.atomic_load relaxed, sys, %%x_p : (!tt.ptr<%s>) -> %s
%%c127 = arith.constant 127 : i32
%%last = tt.addptr %%z_p, %%c127 : !tt.ptr<%s>, i32
tt.atomic_store relaxed, sys, %%last, %%one : !tt.ptr<%s>""" % (
        n, n, n // 2, n, n, ptrs, tile, ptrs, ptrs, n, tile, ptrs, elem, elem, elem, elem)
    body = "\n".join(pointers("z_ps", "z_p", elem, (n,))) + "\n" + body
    text = program([("x", elem, (n,), "ptr"), ("o", elem, (n,), "ptr"), ("z", elem, (n,), "ptr"), ("y", elem, (n,), "out")], body)
    stored, seen = x[:n // 2] + other[n // 2:], x[:n // 2] + other[n // 2:]
    seen[n - 1] = x[0]
    for w in (1, 4):
        write(root, "atomic-access-" + elem, text,
              [Buffer("x", elem, x), Buffer("o", elem, other, stored), Buffer("z", elem, other, seen),
               Buffer("y", elem, [7] * n, x)], num_warps=w)
for n in (64, 512):
    flags = [i % 2 for i in range(n)]
    body = """%%limit = arith.constant 2000 : i64
%%wanted = arith.constant dense<1> : tensor<%dxi32>
%%b = tt.atomic_poll acquire, gpu, %%f_ps, %%wanted timeout %%limit : tensor<%dx!tt.ptr<i32>>, tensor<%dxi32> -> tensor<%dxi1>
%%y = arith.extui %%b : tensor<%dxi1> to tensor<%dxi32>""" % ((n,) * 6)
    text = program([("f", "i32", (n,), "ptr"), ("y", "i32", (n,), "out")], "\n".join(pointers("f_ps", "f_p", "i32", (n,))) + "\n" + body)
    for w in (1, 4):
        write(root, "poll-tile-%d" % n, text, [Buffer("f", "i32", flags), Buffer("y", "i32", [7] * n, flags)], num_warps=w)
# Atomics of 8 and 16 bits at the end of a buffer that isn't whole dwords, next to elements that stay as they are.
for elem, n in (("i8", 5), ("i16", 3), ("f16", 3), ("bf16", 1)):
    start, kinds = [3.0] * n if "f" in elem else [3] * n, ("fadd", "max", "exch") if "f" in elem else ("add", "xor", "umax", "exch")
    for i, kind in enumerate(kinds):
        final = start[:-1] + [{"fadd": 5.0, "add": 5, "xor": 1, "max": 3.0, "umax": 3, "exch": start[0] - 1}[kind]]
        value = "%s.0" % final[-1] if kind == "exch" and elem[0] == "i" else final[-1] if kind == "exch" else 2.0
        value = value if "f" in elem else str(value).split(".")[0]
        write(root, "atomic-end-%s-%s" % (elem, kind), """module {
  tt.func public @k(%%o: !tt.ptr<%s> {tt.divisibility = 16 : i32}, %%old: !tt.ptr<%s>) {
    %%last = arith.constant %d : i32
    %%v = arith.constant %s : %s
    %%c = arith.constant %s : %s
    %%p = tt.addptr %%o, %%last : !tt.ptr<%s>, i32
    %%r = tt.atomic_rmw %s, acq_rel, gpu, %%p, %%v : (!tt.ptr<%s>, %s) -> %s
    tt.store %%old, %%r : !tt.ptr<%s>
    %%q = tt.addptr %%old, %%last : !tt.ptr<%s>, i32
    %%s = tt.atomic_cas relaxed, gpu, %%q, %%c, %%v : (!tt.ptr<%s>, %s, %s) -> %s
    tt.return
  }
}
""" % (elem, elem, n - 1, value, elem, start[0], elem, elem, kind, elem, elem, elem, elem, elem, elem, elem, elem, elem),
              [Buffer("o", elem, start, final),
               Buffer("old", elem, start, start[:-1] + [float(value) if "f" in elem else int(value)])], num_warps=(1, 4)[i % 2])

# A spin lock over 32 programs: every one adds 3 to a counter without an atomic addition.
text = """module {
  tt.func public @k(%lock: !tt.ptr<i32>, %sum: !tt.ptr<i32>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : i32
    scf.while : () -> () {
      %old = tt.atomic_cas acq_rel, gpu, %lock, %c0, %c1 : (!tt.ptr<i32>, i32, i32) -> i32
      %busy = arith.cmpi eq, %old, %c1 : i32
      scf.condition(%busy)
    } do {
      scf.yield
    }
    %v = tt.load %sum : !tt.ptr<i32>
    %w = arith.addi %v, %c3 : i32
    tt.store %sum, %w : !tt.ptr<i32>
    gpu.barrier
    %o = tt.atomic_rmw exch, acq_rel, gpu, %lock, %c0 : (!tt.ptr<i32>, i32) -> i32
    tt.return
  }
}
"""
for w in (1, 4):
    write(root, "spin-lock", text, [Buffer("lock", "i32", [0], [0]), Buffer("sum", "i32", [5], [101])], grid=(32, 1, 1), num_warps=w)
