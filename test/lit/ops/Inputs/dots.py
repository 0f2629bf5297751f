# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# tt.dot and tt.dot_scaled: types, shapes from 1×1×1 up, batches, precisions.
#
# Note that products are exact if possible (small integers as floats), so that a misplaced element is
# detected in every type and not hidden by rounding.
import sys

from tilecase import *

root = sys.argv[1]


def product(a, b, c, m, n, k, batch=1):
    out = []
    for s in range(batch):
        for i in range(m):
            for j in range(n):
                total = c[(s * m + i) * n + j]
                for l in range(k):
                    total += a[(s * m + i) * k + l] * b[(s * k + l) * n + j]
                out.append(total)
    return out


def small(elem, n):
    return [rng.randint(-4, 4) for _ in range(n)] if elem == "i8" else [float(rng.randint(-4, 4)) for _ in range(n)]


def dot(name, a, b, c, m, n, k, batch=0, precision="", warps=(1, 4), values=small, **options):
    lead = (batch,) if batch else ()
    sa, sb, sc = lead + (m, k), lead + (k, n), lead + (m, n)
    x, y, z = values(a, count(sa)), values(b, count(sb)), values(c if c != "i32" else "i8", count(sc))
    body = "%%y = tt.dot %%a, %%b, %%c%s : %s * %s -> %s" % (precision, tensor(sa, a), tensor(sb, b), tensor(sc, c))
    simple(root, name, body, [("a", a, sa, x), ("b", b, sb, y), ("c", c, sc, z)],
           [("y", c, sc, product(x, y, z, m, n, k, batch or 1))], warps=warps, **options)


for a, c in (("f16", "f32"), ("bf16", "f32"), ("f32", "f32"), ("f64", "f64"), ("i8", "i32"), ("f16", "f16")):
    for m, n, k in ((64, 64, 32), (16, 16, 32), (1, 1, 1), (4, 8, 2), (128, 16, 16), (2, 64, 8), (32, 32, 4), (16, 128, 64)):
        dot("dot-%s-%s-%d-%d-%d" % (a, c, m, n, k), a, a, c, m, n, k)
    dot("batch-%s-%s" % (a, c), a, a, c, 16, 16, 16, batch=4)
    dot("batch32-%s-%s" % (a, c), a, a, c, 32, 32, 16, batch=2, warps=(4,))
# Few rows or columns: 4×64 and 64×4.
for a, c in (("f16", "f32"), ("bf16", "f32"), ("f32", "f32"), ("i8", "i32"), ("f16", "f16")):
    for m, n, k in ((4, 64, 64), (64, 4, 64), (8, 128, 128), (128, 8, 64), (1, 64, 64)):
        dot("narrow-%s-%s-%d-%d" % (a, c, m, n), a, a, c, m, n, k, warps=(1, 4) if m == 4 else (2,), kpack=2 if k == 128 else 1)
    dot("narrow-batch-%s-%s" % (a, c), a, a, c, 4, 64, 64, batch=2, warps=(2,))
for side in (16, 32):
    for kpack in (1, 2):
        dot("side-%d-%d" % (side, kpack), "f16", "f16", "f32", 64, 64, 64, matrix_instr_nonkdim=side, kpack=kpack)
for precision in ("tf32", "tf32x3", "bf16x3", "bf16x6", "ieee"):
    dot("precision-" + precision, "f32", "f32", "f32", 32, 32, 16, precision=", inputPrecision = " + precision)
for precision in ("bf16x6", "ieee"):  # as good as f32
    dot("random-" + precision, "f32", "f32", "f32", 32, 32, 32, precision=", inputPrecision = " + precision,
        values=lambda e, n: floats(e, n))

# Results that are not the accumulator: rounded once at the end (a sum in f16 would lose the ones), cut, or wider; and
# operands of two types of one width.
for a, b, c in (("f16", "f16", "bf16"), ("bf16", "bf16", "f16"), ("f64", "f64", "f16"), ("f16", "f16", "f64"),
                ("f16", "bf16", "f32"), ("i8", "i8", "i8"), ("i8", "i8", "i64"), ("i64", "i64", "i8"), ("i16", "i16", "i32")):
    for m, n, k in ((32, 32, 32), (2, 8, 4), (64, 4, 64)):
        sa, sb, sc = (m, k), (k, n), (m, n)
        if c[0] == "i":
            x, y, z = integers(a, m * k), integers(b, k * n), integers(c, m * n)
            d = [wrap(v, int(c[1:])) for v in product(x, y, z, m, n, k)]
        else:
            x, y, z = [1.0] * (m * k), [1.0] * (k * n), [2048.0] * (m * n)
            d = [rounded(c, 2048.0 + k)] * (m * n)
        body = "%%y = tt.dot %%a, %%b, %%c : %s * %s -> %s" % (tensor(sa, a), tensor(sb, b), tensor(sc, c))
        simple(root, "result-%s-%s-%s-%d" % (a, b, c, n), body, [("a", a, sa, x), ("b", b, sb, y), ("c", c, sc, z)],
               [("y", c, sc, d)], warps=(2,))

# 8-bit floats by their codes: 1, 2, 0.5, −1.5 and 0 of each format.
CODES = {"f8E4M3FN": (0x38, 0x40, 0x30, 0xBC, 0), "f8E5M2": (0x3C, 0x40, 0x38, 0xBE, 0),
         "f8E4M3FNUZ": (0x40, 0x48, 0x38, 0xC4, 0), "f8E5M2FNUZ": (0x40, 0x44, 0x3C, 0xC2, 0)}
VALUES = (1.0, 2.0, 0.5, -1.5, 0.0)
for fa, fb in (("f8E4M3FNUZ", "f8E4M3FNUZ"), ("f8E5M2FNUZ", "f8E4M3FNUZ"), ("f8E4M3FNUZ", "f8E5M2FNUZ"),
               ("f8E5M2FNUZ", "f8E5M2FNUZ"), ("f8E4M3FN", "f8E4M3FN"), ("f8E5M2", "f8E4M3FN"), ("f8E5M2", "f8E5M2")):
    for m, n, k in ((32, 32, 32), (16, 16, 64), (4, 4, 8)):
        i, j = [rng.randrange(5) for _ in range(m * k)], [rng.randrange(5) for _ in range(k * n)]
        body = """%%c = arith.constant dense<0.0> : %s
%%y = tt.dot %%a, %%b, %%c : %s * %s -> %s""" % (tensor((m, n), "f32"), tensor((m, k), fa), tensor((k, n), fb),
                                                tensor((m, n), "f32"))
        expected = product([VALUES[v] for v in i], [VALUES[v] for v in j], [0.0] * (m * n), m, n, k)
        simple(root, "dot-%s-%s-%d" % (fa, fb, m), body,
               [("a", fa, (m, k), [CODES[fa][v] for v in i]), ("b", fb, (k, n), [CODES[fb][v] for v in j])],
               [("y", "f32", (m, n), expected)])
# Sums that are 8-bit floats: 16 and the ones of a row, of which a sum in 8 bits would lose each; rounded once at the end.
SIXTEEN = {"f8E4M3FN": 0x58, "f8E5M2": 0x4C, "f8E4M3FNUZ": 0x60, "f8E5M2FNUZ": 0x50}
TWENTY = {"f8E4M3FN": 0x5A, "f8E5M2": 0x4D, "f8E4M3FNUZ": 0x62, "f8E5M2FNUZ": 0x51}
FORTY_EIGHT = {"f8E4M3FN": 0x64, "f8E5M2": 0x52, "f8E4M3FNUZ": 0x6C, "f8E5M2FNUZ": 0x56}
EIGHTY = {"f8E4M3FN": 0x6A, "f8E5M2": 0x55, "f8E4M3FNUZ": 0x72, "f8E5M2FNUZ": 0x59}
for c in CODES:
    for a in ("f16", "f64", c):
        for m, n, k, d in ((32, 32, 32, FORTY_EIGHT), (2, 8, 4, TWENTY), (64, 4, 64, EIGHTY)):
            one = CODES[a][0] if a in CODES else 1.0
            body = "%%y = tt.dot %%a, %%b, %%c : %s * %s -> %s" % (tensor((m, k), a), tensor((k, n), a), tensor((m, n), c))
            simple(root, "result-%s-%s-%d" % (a, c, n), body,
                   [("a", a, (m, k), [one] * (m * k)), ("b", a, (k, n), [one] * (k * n)), ("c", c, (m, n), [SIXTEEN[c]] * (m * n))],
                   [("y", c, (m, n), [d[c]] * (m * n))], warps=(2,))

# Micro-scaled: e2m1 codes two to a byte, scales of powers of two.
E2M1 = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]
E2M1 += [-v for v in E2M1]
m, n, k = 32, 32, 64
for lhs_pack in (True, False):
    for rhs_pack in (True, False):
        a, b = [[rng.randrange(16) for _ in range(k)] for _ in range(m)], [[rng.randrange(16) for _ in range(n)] for _ in range(k)]
        sa, sb = [[rng.randint(125, 129) for _ in range(k // 32)] for _ in range(m)], [[rng.randint(125, 129) for _ in range(k // 32)] for _ in range(n)]
        if lhs_pack:
            pa, ta = [a[i][2 * l] | a[i][2 * l + 1] << 4 for i in range(m) for l in range(k // 2)], (m, k // 2)
        else:
            pa, ta = [a[2 * i][l] | a[2 * i + 1][l] << 4 for i in range(m // 2) for l in range(k)], (m // 2, k)
        if rhs_pack:
            pb, tb = [b[2 * l][j] | b[2 * l + 1][j] << 4 for l in range(k // 2) for j in range(n)], (k // 2, n)
        else:
            pb, tb = [b[l][2 * j] | b[l][2 * j + 1] << 4 for l in range(k) for j in range(n // 2)], (k, n // 2)
        expected = [sum(E2M1[a[i][l]] * 2.0 ** (sa[i][l // 32] - 127) * E2M1[b[l][j]] * 2.0 ** (sb[j][l // 32] - 127)
                        for l in range(k)) for i in range(m) for j in range(n)]
        packs = "{fastMath = false, lhs_k_pack = %s, rhs_k_pack = %s}" % (str(lhs_pack).lower(), str(rhs_pack).lower())
        body = """%%c = arith.constant dense<0.0> : tensor<32x32xf32>
%%y = tt.dot_scaled %%a scale %%sa, %%b scale %%sb, %%c lhs = e2m1 rhs = e2m1 %s : %s, %s * %s, %s -> tensor<32x32xf32>""" % (
            packs, tensor(ta, "i8"), tensor((m, k // 32), "i8"), tensor(tb, "i8"), tensor((n, k // 32), "i8"))
        simple(root, "scaled-e2m1-%d%d" % (lhs_pack, rhs_pack), body,
               [("a", "i8", ta, pa), ("sa", "i8", (m, k // 32), sum(sa, [])), ("b", "i8", tb, pb),
                ("sb", "i8", (n, k // 32), sum(sb, []))], [("y", "f32", (m, n), expected)])
a, b = [rng.randrange(5) for _ in range(m * k)], floats("bf16", k * n)
s = [rng.randint(120, 130) for _ in range(m * k // 32)]
expected = product([VALUES[a[i]] * 2.0 ** (s[i // 32] - 127) for i in range(m * k)], b, [1.0] * (m * n), m, n, k)
simple(root, "scaled-e4m3-bf16", """%c = arith.constant dense<1.0> : tensor<32x32xf32>
%y = tt.dot_scaled %a scale %s, %b, %c lhs = e4m3 rhs = bf16 {fastMath = true} : tensor<32x64xf8E4M3FN>, tensor<32x2xi8> * tensor<64x32xbf16> -> tensor<32x32xf32>""",
       [("a", "f8E4M3FN", (m, k), [CODES["f8E4M3FN"][v] for v in a]), ("s", "i8", (m, k // 32), s), ("b", "bf16", (k, n), b)],
       [("y", "f32", (m, n), expected)])
# A scale of 255 is NaN.
s[3] = 255
expected[(3 // 2) * n:(3 // 2 + 1) * n] = [math.nan] * n
simple(root, "scaled-nan", """%c = arith.constant dense<1.0> : tensor<32x32xf32>
%y = tt.dot_scaled %a scale %s, %b, %c lhs = e4m3 rhs = bf16 {fastMath = false} : tensor<32x64xf8E4M3FN>, tensor<32x2xi8> * tensor<64x32xbf16> -> tensor<32x32xf32>""",
       [("a", "f8E4M3FN", (m, k), [CODES["f8E4M3FN"][v] for v in a]), ("s", "i8", (m, k // 32), s), ("b", "bf16", (k, n), b)],
       [("y", "f32", (m, n), expected)])
# 6 bits in a byte: all codes of e2m3 (exponent bias 1) by those of e3m2 (3). The scale of a is 2.
def small_float(code, mantissa_bits, bias):
    exponent, mantissa = (code & 31) >> mantissa_bits, code & ((1 << mantissa_bits) - 1)
    value = mantissa * 2.0 ** (1 - bias - mantissa_bits)
    if exponent:
        value = (1 + mantissa * 2.0 ** -mantissa_bits) * 2.0 ** (exponent - bias)
    return -value if code & 32 else value


a, b = [rng.randrange(64) for _ in range(m * k)], [rng.randrange(64) for _ in range(k * n)]
simple(root, "scaled-6-bits", """%c = arith.constant dense<0.0> : tensor<32x32xf32>
%y = tt.dot_scaled %a scale %s, %b, %c lhs = e2m3 rhs = e3m2 {fastMath = false} : tensor<32x64xi8>, tensor<32x2xi8> * tensor<64x32xi8> -> tensor<32x32xf32>""",
       [("a", "i8", (m, k), a), ("s", "i8", (m, k // 32), [128] * (m * k // 32)), ("b", "i8", (k, n), b)],
       [("y", "f32", (m, n), product([2 * small_float(v, 3, 1) for v in a], [small_float(v, 2, 3) for v in b],
                                     [0.0] * (m * n), m, n, k))])
