# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Control flow, calls, per-element regions, library functions and inline assembly.
import sys

from tilecase import *

root = sys.argv[1]
x = integers("i32", 256, -50, 50)
f = floats("f32", 256, -4, 4)
T, F = "tensor<256xi32>", "tensor<256xf32>"


def run(name, body, expected, scalars=(), extra="", elem="i32", values=None, warps=(1, 4)):
    simple(root, name, body, [("x", elem, (256,), x if values is None else values)], [("y", elem, (256,), expected)],
           warps=warps, scalars=scalars, extra=extra)


# Loops that don't run, run once, run often; nested; over i64; carrying tensors and scalars.
for n in (0, 1, 5):
    acc, s = list(x), 1
    for i in range(n):
        acc, s = [wrap(a * 3 + s, 32) for a in acc], s + i
    run("for-%d" % n, """%%c0 = arith.constant 0 : i32
%%c1 = arith.constant 1 : i32
%%three = arith.constant dense<3> : %s
%%y, %%s = scf.for %%i = %%c0 to %%n step %%c1 iter_args(%%a = %%x, %%t = %%c1) -> (%s, i32)  : i32 {
  %%b = arith.muli %%a, %%three : %s
  %%u = tt.splat %%t : i32 -> %s
  %%c = arith.addi %%b, %%u : %s
  %%v = arith.addi %%t, %%i : i32
  scf.yield %%c, %%v : %s, i32
}""" % ((T,) * 6), acc, [("n", "i32", n)])
    w, acc = n, list(x)
    while w > 0:
        acc, w = [a + w for a in acc], w - 2
    run("while-%d" % n, """%%c0 = arith.constant 0 : i32
%%c2 = arith.constant 2 : i32
%%r:2 = scf.while (%%i = %%n, %%a = %%x) : (i32, %s) -> (i32, %s) {
  %%c = arith.cmpi sgt, %%i, %%c0 : i32
  scf.condition(%%c) %%i, %%a : i32, %s
} do {
^bb0(%%i: i32, %%a: %s):
  %%s = tt.splat %%i : i32 -> %s
  %%b = arith.addi %%a, %%s : %s
  %%j = arith.subi %%i, %%c2 : i32
  scf.yield %%j, %%b : i32, %s
}
%%y = arith.addi %%r#1, %%x : %s""" % ((T,) * 8), [a + b for a, b in zip(acc, x)], [("n", "i32", n)])
    run("for64-%d" % n, """%%c0 = arith.constant 0 : i64
%%c1 = arith.constant 1 : i64
%%m = arith.extsi %%n : i32 to i64
%%y = scf.for %%i = %%c0 to %%m step %%c1 iter_args(%%a = %%x) -> (%s)  : i64 {
  %%z = scf.for %%j = %%c0 to %%i step %%c1 iter_args(%%b = %%a) -> (%s)  : i64 {
    %%k = arith.trunci %%j : i64 to i32
    %%s = tt.splat %%k : i32 -> %s
    %%c = arith.addi %%b, %%s : %s
    scf.yield %%c : %s
  }
  scf.yield %%z : %s
}""" % ((T,) * 6), [a + sum(j for i in range(n) for j in range(i)) for a in x], [("n", "i32", n)])
    run("if-%d" % n, """%%c1 = arith.constant 1 : i32
%%c = arith.cmpi slt, %%n, %%c1 : i32
%%y = scf.if %%c -> (%s) {
  %%a = arith.addi %%x, %%x : %s
  scf.yield %%a : %s
} else {
  %%d = arith.cmpi eq, %%n, %%c1 : i32
  %%b = scf.if %%d -> (%s) {
    scf.yield %%x : %s
  } else {
    %%e = arith.muli %%x, %%x : %s
    scf.yield %%e : %s
  }
  scf.yield %%b : %s
}""" % ((T,) * 8), [2 * a if n == 0 else a if n == 1 else a * a for a in x], [("n", "i32", n)])
    # An early return leaves the output as it was.
    run("early-return-%d" % n, """%%c1 = arith.constant 1 : i32
%%two = arith.constant dense<2> : %s
%%c = arith.cmpi slt, %%n, %%c1 : i32
cf.cond_br %%c, ^bb1, ^bb2(%%n, %%x : i32, %s)
^bb1:
tt.return
^bb2(%%m: i32, %%z: %s):
%%d = arith.cmpi sgt, %%m, %%c1 : i32
%%e = arith.subi %%m, %%c1 : i32
%%w = arith.muli %%z, %%two : %s
cf.cond_br %%d, ^bb2(%%e, %%w : i32, %s), ^bb3
^bb3:
%%y = arith.addi %%w, %%x : %s""" % ((T,) * 6), [77] * 256 if n == 0 else [a * 2 ** n + a for a in x], [("n", "i32", n)])

FUNCTIONS = """  tt.func private @scale(%%x: %s, %%n: i32) -> (%s, i32) attributes {noinline = %s} {
    %%s = tt.splat %%n : i32 -> %s
    %%y = arith.muli %%x, %%s : %s
    %%c1 = arith.constant 1 : i32
    %%m = arith.addi %%n, %%c1 : i32
    tt.return %%y, %%m : %s, i32
  }
"""
for noinline in ("false", "true"):
    run("call-" + noinline, "%%a, %%m = tt.call @scale(%%x, %%n) : (%s, i32) -> (%s, i32)\n%%y, %%k = tt.call @scale(%%a, %%m) : (%s, i32) -> (%s, i32)" % ((T,) * 4),
        [a * 5 * 6 for a in x], [("n", "i32", 5)], extra=FUNCTIONS % (T, T, noinline, T, T, T))
# A function that reduces across waves, called twice: its scratch in LDS must not meet the caller's.
run("call-reduce", """%%a = tt.call @total(%%x) : (%s) -> i32
%%b = tt.splat %%a : i32 -> %s
%%c = arith.subi %%x, %%b : %s
%%d = tt.call @total(%%c) : (%s) -> i32
%%y = tt.splat %%d : i32 -> %s""" % ((T,) * 5), [wrap(sum(x) - 256 * sum(x), 32)] * 256, extra="""  tt.func private @total(%%x: %s) -> i32 attributes {noinline = true} {
    %%s = "tt.reduce"(%%x) <{axis = 0 : i32}> ({
    ^bb0(%%a: i32, %%b: i32):
      %%c = arith.addi %%a, %%b : i32
      tt.reduce.return %%c : i32
    }) : (%s) -> i32
    tt.return %%s : i32
  }
""" % (T, T), warps=(1, 4, 8))
run("map-elementwise", """%%y = "tt.map_elementwise"(%%x) <{pack = 1 : i32}> ({
^bb0(%%a: i32):
  %%c0 = arith.constant 0 : i32
  %%c1 = arith.constant 1 : i32
  %%p = arith.cmpi sgt, %%a, %%c0 : i32
  %%n = arith.select %%p, %%a, %%c0 : i32
  %%s = scf.for %%i = %%c0 to %%n step %%c1 iter_args(%%t = %%a) -> (i32)  : i32 {
    %%u = arith.addi %%t, %%i : i32
    scf.yield %%u : i32
  }
  tt.map_elementwise.return %%s : i32
}) : (%s) -> %s""" % (T, T), [a + sum(range(max(a, 0))) for a in x])
# Functions of several blocks called for each element: returns from within branches, where paths of different lengths
# meet, and a loop of branches in a function that such a one calls.
BLOCKS = """  tt.func private @larger(%%a: i32, %%b: i32) -> i32 attributes {noinline = %s} {
    %%c10 = arith.constant 10 : i32
    %%p = arith.cmpi sgt, %%a, %%b : i32
    cf.cond_br %%p, ^first, ^join(%%b : i32)
  ^first:
    %%q = arith.cmpi sgt, %%a, %%c10 : i32
    cf.cond_br %%q, ^early, ^join(%%a : i32)
  ^early:
    %%r = tt.call @thrice(%%a) : (i32) -> i32
    %%c3 = arith.constant 3 : i32
    %%s = arith.divsi %%r, %%c3 : i32
    tt.return %%s : i32
  ^never:
    cf.br ^join(%%a : i32)
  ^join(%%c: i32):
    tt.return %%c : i32
  }
  tt.func private @thrice(%%a: i32) -> i32 {
    %%c0 = arith.constant 0 : i32
    %%c1 = arith.constant 1 : i32
    %%c3 = arith.constant 3 : i32
    cf.br ^loop(%%c0, %%c0 : i32, i32)
  ^loop(%%i: i32, %%t: i32):
    %%m = arith.cmpi slt, %%i, %%c3 : i32
    cf.cond_br %%m, ^again, ^done
  ^again:
    %%j = arith.addi %%i, %%c1 : i32
    %%u = arith.addi %%t, %%a : i32
    cf.br ^loop(%%j, %%u : i32, i32)
  ^done:
    tt.return %%t : i32
  }
"""
capped = [max(-45, min(45, a)) for a in x]
for noinline in ("false", "true"):
    run("call-elements-" + noinline, """%%low = arith.constant dense<-45> : %s
%%high = arith.constant dense<45> : %s
%%l = arith.maxsi %%x, %%low : %s
%%v = arith.minsi %%l, %%high : %s
%%s = "tt.scan"(%%v) <{axis = 0 : i32, reverse = false}> ({
^bb0(%%a: i32, %%b: i32):
  %%c = tt.call @larger(%%a, %%b) : (i32, i32) -> i32
  tt.scan.return %%c : i32
}) : (%s) -> %s
%%y = "tt.map_elementwise"(%%s) <{pack = 1 : i32}> ({
^bb0(%%a: i32):
  %%c = tt.call @thrice(%%a) : (i32) -> i32
  tt.map_elementwise.return %%c : i32
}) : (%s) -> %s""" % ((T,) * 8), [3 * max(capped[:i + 1]) for i in range(256)], extra=BLOCKS % noinline)
# Packs, also larger than what a thread holds, and a body of several blocks.
for pack, n in ((2, 256), (4, 2048), (8, 256)):
    v = integers("i32", n, -50, 50)
    names = ["%%%%a%d" % i for i in range(pack)]
    simple(root, "map-pack-%d-%d" % (pack, n), ("%%y = \"tt.map_elementwise\"(%%x) <{pack = %d : i32}> ({\n^bb0(%s):\n%s\n  tt.map_elementwise.return %s : %s\n}) : (tensor<%dxi32>) -> tensor<%dxi32>" % (
        pack, ", ".join(a + ": i32" for a in names), "\n".join("  %%%%b%d = arith.muli %s, %s : i32" % (i, a, a) for i, a in enumerate(names)),
        ", ".join("%%%%b%d" % i for i in range(pack)), ", ".join(["i32"] * pack), n, n)).replace("%%", "%"),
        [("x", "i32", (n,), v)], [("y", "i32", (n,), [a * a for a in v])])
run("map-blocks", """%%y = "tt.map_elementwise"(%%x) <{pack = 1 : i32}> ({
^bb0(%%a: i32):
  %%c0 = arith.constant 0 : i32
  %%c3 = arith.constant 3 : i32
  %%p = arith.cmpi sgt, %%a, %%c0 : i32
  cf.cond_br %%p, ^bb1(%%a : i32), ^bb2
^bb1(%%k: i32):
  %%n = arith.subi %%k, %%c3 : i32
  %%q = arith.cmpi sgt, %%n, %%c3 : i32
  cf.cond_br %%q, ^bb1(%%n : i32), ^bb3(%%n : i32)
^bb2:
  tt.map_elementwise.return %%c0 : i32
^bb3(%%z: i32):
  %%r = arith.muli %%z, %%a : i32
  tt.map_elementwise.return %%r : i32
}) : (%s) -> %s""" % (T, T), [0 if a <= 0 else a * (a - 3 if a <= 6 else (a - 1) % 3 + 1) for a in x])
run("assume", "%c0 = arith.constant 0 : i32\n%c = arith.cmpi sge, %n, %c0 : i32\nllvm.intr.assume %c : i1\n%s = tt.splat %n : i32 -> tensor<256xi32>\n%y = arith.divsi %x, %s : tensor<256xi32>",
    [int(a / 7) for a in x], [("n", "i32", 7)])
run("select", "%c0 = arith.constant dense<0> : tensor<256xi32>\n%c = arith.cmpi slt, %x, %c0 : tensor<256xi32>\n%n = arith.subi %c0, %x : tensor<256xi32>\n%y = arith.select %c, %n, %x : tensor<256xi1>, tensor<256xi32>", [abs(a) for a in x])
run("inline-asm", """%%y = tt.elementwise_inline_asm "v_add_u32 $0, $1, $2" {constraints = "=v,v,v", packed_element = 1 : i32, pure = true} %%x, %%x : %s, %s -> %s""" % (T, T, T), [2 * a for a in x])
half = floats("f16", 256)
run("inline-asm-packed", """%y = tt.elementwise_inline_asm "v_pk_add_f16 $0, $1, $1" {constraints = "=v,v", packed_element = 2 : i32, pure = true} %x : tensor<256xf16> -> tensor<256xf16>""",
    [rounded("f16", 2 * v) for v in half], elem="f16", values=half, warps=(1, 2))
# Bytes that don't fill a register.
small = integers("i8", 256)
for pack_size in (1, 2, 4):
    run("inline-asm-bytes-%d" % pack_size, """%%y = tt.elementwise_inline_asm "v_not_b32 $0, $1" {constraints = "=v,v", packed_element = %d : i32, pure = true} %%x : tensor<256xi8> -> tensor<256xi8>""" % pack_size,
        [~v for v in small], elem="i8", values=small)
for symbol, function in (("__ocml_tanh_f32", math.tanh), ("__ocml_erf_f32", math.erf), ("__ocml_exp_f32", math.exp), ("__ocml_floor_f32", math.floor), ("__ocml_atan_f32", math.atan), ("__ocml_cosh_f32", math.cosh)):
    run(symbol, '%%y = tt.extern_elementwise %%x {libname = "", libpath = "", pure = true, symbol = "%s"} : (%s) -> %s' % (symbol, F, F), [function(v) for v in f], elem="f32", values=f)
for name, function, scale in (("asin", math.asin, 4), ("acosh", lambda v: math.acosh(abs(v) + 1), 1), ("erfc", math.erfc, 1), ("sinh", math.sinh, 1)):
    v = [a / scale for a in f]
    text = "%%%%y = math.%s %%%%x : %s" % (name, F) if name != "acosh" else "%%%%c1 = arith.constant dense<1.0> : %s\n%%%%a = math.absf %%%%x : %s\n%%%%b = arith.addf %%%%a, %%%%c1 : %s\n%%%%y = math.acosh %%%%b : %s" % (F, F, F, F)
    run("math-" + name, text.replace("%%", "%"), [function(a) for a in v], elem="f32", values=v)
run("math-fpowi", "%%n = arith.constant dense<3> : %s\n%%y = math.fpowi %%x, %%n : %s, %s" % (T, F, T), [a ** 3 for a in f], elem="f32", values=f)
# Functions that neither libm nor this hardware has by itself, and one that Debian's library has wrong (sin of f16).
for symbol, elem, function in (("__ocml_sin_f16", "f16", math.sin), ("__ocml_native_sin_f64", "f64", math.sin), ("__ocml_sinpi_f32", "f32", lambda v: math.sin(math.pi * v)),
                               ("__ocml_ncdf_f32", "f32", lambda v: math.erfc(-v / math.sqrt(2)) / 2), ("__ocml_i0_f64", "f64", lambda v: sum((v * v / 4) ** k / math.factorial(k) ** 2 for k in range(40))),
                               ("__ocml_rlen3_f32", "f32", lambda v: 1 / math.sqrt(3 * v * v))):
    v = floats(elem, 256, -4, 4)
    operands = 3 if "len3" in symbol else 1
    run(symbol, '%%y = tt.extern_elementwise %s {libname = "", libpath = "", pure = true, symbol = "%s"} : (%s) -> tensor<256x%s>' % (
        ", ".join(["%x"] * operands), symbol, ", ".join(["tensor<256x%s>" % elem] * operands), elem), [function(a) for a in v], elem=elem, values=v)
inside = [a / 4 for a in f]
run("__ocml_erfinv_f32", '%%z = tt.extern_elementwise %%x {libname = "", libpath = "", pure = true, symbol = "__ocml_erfinv_f32"} : (%s) -> %s\n%%y = math.erf %%z : %s' % (F, F, F), inside, elem="f32", values=inside)
run("__ocml_nextafter_f32", """%%c0 = arith.constant dense<0.0> : %s
%%z = tt.extern_elementwise %%c0, %%x {libname = "", libpath = "", pure = true, symbol = "__ocml_nextafter_f32"} : (%s, %s) -> %s
%%b = arith.bitcast %%z : %s to %s
%%y = arith.sitofp %%b : %s to %s""" % (F, F, F, F, F, T, T, F), [1.0 if a > 0 else -2.0 ** 31 for a in f], elem="f32", values=f)
wide = integers("i32", 256)
run("__ockl_add_sat_i32", '%%y = tt.extern_elementwise %%x, %%x {libname = "", libpath = "", pure = false, symbol = "__ockl_add_sat_i32"} : (%s, %s) -> %s' % (T, T, T), [max(-2 ** 31, min(2 ** 31 - 1, 2 * a)) for a in wide], values=wide)
# Triton's own names.
run("fast-tanh", '%%y = tt.extern_elementwise %%x {libname = "", libpath = "", pure = true, symbol = "__triton_hip_fast_tanhf"} : (%s) -> %s' % (F, F), [math.tanh(v) for v in f], elem="f32", values=f)
run("iabs", '%%y = tt.extern_elementwise %%x {libname = "", libpath = "", pure = true, symbol = "__triton_hip_iabs"} : (%s) -> %s' % (T, T), [abs(v) for v in x])
run("llrint", """%%h = arith.constant dense<0.5> : tensor<256xf32>
%%z = arith.sitofp %%x : %s to tensor<256xf32>
%%w = arith.mulf %%z, %%h : tensor<256xf32>
%%l = tt.extern_elementwise %%w {libname = "", libpath = "", pure = true, symbol = "__triton_hip_llrint"} : (tensor<256xf32>) -> tensor<256xi64>
%%y = arith.trunci %%l : tensor<256xi64> to %s""" % (T, T), [round(v / 2) for v in x])
run("__ocml_pow_f32", '%%a = math.absf %%x : %s\n%%y = tt.extern_elementwise %%a, %%x {libname = "", libpath = "", pure = true, symbol = "__ocml_pow_f32"} : (%s, %s) -> %s' % (F, F, F, F), [abs(v) ** v for v in f], elem="f32", values=f)

# Switches: between blocks of a loop, which are written in an order in which uses come before definitions, and of regions.
run("switch", """%%c0 = arith.constant -2 : i32
%%c1 = arith.constant 1 : i32
cf.br ^loop(%%c0, %%x : i32, %s)
^again:
cf.br ^loop(%%j, %%z : i32, %s)
^loop(%%i: i32, %%a: %s):
%%p = arith.cmpi slt, %%i, %%n : i32
%%j = arith.addi %%i, %%c1 : i32
cf.cond_br %%p, ^body, ^done(%%a : %s)
^body:
%%z = arith.addi %%a, %%x : %s
%%s = arith.trunci %%i : i32 to i8
cf.switch %%s : i8, [
  default: ^again,
  -1: ^loop(%%j, %%x : i32, %s),
  2: ^done(%%z : %s),
  1: ^loop(%%j, %%a : i32, %s)
]
^done(%%y: %s):""" % ((T,) * 9), [3 * a for a in x], [("n", "i32", 9)])
run("index-switch", """%%c0 = arith.constant -2 : index
%%c1 = arith.constant 1 : index
%%hi = arith.constant 5 : index
%%o:2 = scf.for %%i = %%c0 to %%hi step %%c1 iter_args(%%w = %%x, %%k = %%n) -> (%s, i32) {
  %%r:2 = scf.index_switch %%i -> %s, i32
  case -2 {
    %%z = arith.addi %%w, %%w : %s
    scf.yield %%z, %%k : %s, i32
  }
  case 3 {
    %%q = "tt.reduce"(%%w) <{axis = 0 : i32}> ({
    ^bb0(%%u: i32, %%l: i32):
      %%m = arith.addi %%u, %%l : i32
      tt.reduce.return %%m : i32
    }) : (%s) -> i32
    scf.yield %%w, %%q : %s, i32
  }
  default {
    %%z = arith.addi %%w, %%x : %s
    scf.yield %%z, %%k : %s, i32
  }
  scf.yield %%r#0, %%r#1 : %s, i32
}
%%s = tt.splat %%o#1 : i32 -> %s
%%y = arith.addi %%s, %%o#0 : %s""" % ((T,) * 11), [7 * a + sum(x) * 6 for a in x], [("n", "i32", 9)])
# A region of blocks with a loop and two ways out, in a loop.
run("region-of-blocks", """%%c0 = arith.constant 0 : i32
%%c1 = arith.constant 1 : i32
%%c2 = arith.constant 2 : i32
%%one = arith.constant dense<1> : %s
%%y = scf.for %%i = %%c0 to %%n step %%c1 iter_args(%%w = %%x) -> (%s)  : i32 {
  %%r = scf.execute_region -> %s {
    cf.br ^loop(%%c0, %%w : i32, %s)
  ^loop(%%j: i32, %%v: %s):
    %%p = arith.cmpi slt, %%j, %%i : i32
    cf.cond_br %%p, ^body, ^out
  ^body:
    %%z = arith.addi %%v, %%one : %s
    %%k = arith.addi %%j, %%c1 : i32
    %%q = arith.cmpi eq, %%k, %%c2 : i32
    cf.cond_br %%q, ^double, ^loop(%%k, %%z : i32, %s)
  ^double:
    %%d = arith.addi %%z, %%z : %s
    scf.yield %%d : %s
  ^out:
    scf.yield %%v : %s
  }
  scf.yield %%r : %s
}""" % ((T,) * 11), [(2 * (a + 3) + 2) * 2 for a in x], [("n", "i32", 4)])

# Program ids over three dimensions: each program writes its own place.
text = """module {
  tt.func public @k(%o: !tt.ptr<i32>) {
    %x = tt.get_program_id x : i32
    %y = tt.get_program_id y : i32
    %z = tt.get_program_id z : i32
    %nx = tt.get_num_programs x : i32
    %ny = tt.get_num_programs y : i32
    %nz = tt.get_num_programs z : i32
    %a = arith.muli %z, %ny : i32
    %b = arith.addi %a, %y : i32
    %c = arith.muli %b, %nx : i32
    %d = arith.addi %c, %x : i32
    %p = tt.addptr %o, %d : !tt.ptr<i32>, i32
    %e = arith.muli %nz, %d : i32
    tt.store %p, %e : !tt.ptr<i32>
    tt.return
  }
}
"""
write(root, "program-ids", text, [Buffer("o", "i32", [9] * 30, [5 * i for i in range(30)])], grid=(3, 2, 5))
