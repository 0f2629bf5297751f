# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Conversions between numbers, and element-wise arithmetic where languages differ: rounding, signs, shifts, comparisons
# with NaN.
import sys

from tilecase import *

root = sys.argv[1]

# 8-bit floats: exponent and mantissa bits, bias, and which codes are not finite.
FORMATS = {"f8E4M3FN": (4, 3, 7), "f8E5M2": (5, 2, 15), "f8E4M3FNUZ": (4, 3, 8), "f8E5M2FNUZ": (5, 2, 16)}


def decode(format, code):
    exponent_bits, mantissa_bits, bias = FORMATS[format]
    exponent, mantissa = code >> mantissa_bits & (1 << exponent_bits) - 1, code & (1 << mantissa_bits) - 1
    if format.endswith("FNUZ"):
        if code == 0x80:
            return math.nan
    elif format == "f8E5M2":
        if exponent == 31:
            return math.nan if mantissa else math.copysign(math.inf, -1 if code >> 7 else 1)
    elif code & 0x7F == 0x7F:
        return math.nan
    value = math.ldexp(mantissa if exponent == 0 else mantissa + (1 << mantissa_bits), max(exponent, 1) - bias - mantissa_bits)
    return -value if code >> 7 else value


def finite_codes(format):
    return [c for c in range(256) if math.isfinite(decode(format, c))]


def encode(format, value):
    """To nearest, ties to even, for values inside of the range."""
    codes = [c for c in finite_codes(format) if (c >> 7) == (math.copysign(1, value) < 0) or decode(format, c) == 0]
    best = min(codes, key=lambda c: (abs(decode(format, c) - value), c & 1))
    if value == 0 or decode(format, best) == 0:
        negative = math.copysign(1, value) < 0 and not format.endswith("FNUZ")
        return 0x80 if negative else 0
    return best


for format in FORMATS:
    all_codes = list(range(256))
    for wide in ("f16", "bf16", "f32"):
        values = [decode(format, c) for c in all_codes]
        if wide == "f16" and format == "f8E5M2FNUZ":  # 2^-17 is a subnormal of f16; all fit
            assert all(math.isnan(v) or rounded("f16", v) == v for v in values)
        simple(root, "widen-%s-%s" % (format, wide), "%%y = tt.fp_to_fp %%x : tensor<256x%s> -> tensor<256x%s>" % (format, wide),
               [("x", format, (256,), all_codes)], [("y", wide, (256,), values)])
        top = max(decode(format, c) for c in finite_codes(format))
        least = min(decode(format, c) for c in finite_codes(format) if decode(format, c) > 0)
        sources = [rounded(wide, rng.choice((-1, 1)) * min(top, 2.0 ** rng.uniform(math.log2(least) - 1, math.log2(top)))) for _ in range(200)]
        steps = sorted(set(abs(decode(format, c)) for c in finite_codes(format)))
        ties = [(a + b) / 2 for a, b in zip(steps, steps[1:])]
        sources += [t for t in ties if rounded(wide, t) == t and (wide != "f16" or abs(t) >= 2 ** -24)][:312]
        sources += [0.0] * (512 - len(sources))
        simple(root, "narrow-%s-%s" % (wide, format),
               "%%y = tt.fp_to_fp %%x, rounding = rtne : tensor<512x%s> -> tensor<512x%s>" % (wide, format),
               [("x", wide, (512,), sources)], [("y", format, (512,), [encode(format, v) for v in sources])])

    # Beyond the largest, up to infinity.
    limit = encode(format, top)
    beyond = [min(2 * top, 65504.0), math.inf]
    for wide in ("f16", "bf16", "f32"):
        simple(root, "beyond-%s-%s" % (wide, format),
               "%%y = tt.fp_to_fp %%x, rounding = rtne : tensor<4x%s> -> tensor<4x%s>" % (wide, format),
               [("x", wide, (4,), beyond + [-v for v in beyond])],
               [("y", format, (4,), [limit] * 2 + [128 | limit] * 2)])

    # From f64, next to the middle of two codes, where rounding to f32 first would go wrong.
    nudged = [t * (1 + n * 2.0 ** -40) for t in ties[:100] for n in (-1, 0, 1)]
    sources = nudged + [-v for v in nudged[:512 - len(nudged)]]
    sources += [0.0] * (512 - len(sources))
    below = lambda v: max((c for c in finite_codes(format) if c < 128 and decode(format, c) <= abs(v)), key=lambda c: decode(format, c))
    signed = lambda c, v: 0 if c == 0 and format.endswith("FNUZ") else c | (128 if math.copysign(1, v) < 0 else 0)
    simple(root, "narrow-f64-%s" % format,
           "%%y = tt.fp_to_fp %%x, rounding = rtne : tensor<512xf64> -> tensor<512x%s>\n%%z = tt.fp_to_fp %%x, rounding = rtz : tensor<512xf64> -> tensor<512x%s>" % (format, format),
           [("x", "f64", (512,), sources)],
           [("y", format, (512,), [encode(format, v) for v in sources]), ("z", format, (512,), [signed(below(v), v) for v in sources])])

    # Arithmetic of 8-bit floats: exact values, rounded to the type once; what is too large saturates. All that is exact
    # here takes few bits, so Python's doubles don't round.
    a, b = [[rng.choice(finite_codes(format)) for _ in range(512)] for _ in range(2)]
    x, y = [decode(format, c) for c in a], [decode(format, c) for c in b]
    code = lambda v: encode(format, max(-top, min(top, v)))
    top = max(decode(format, c) for c in finite_codes(format))
    T = "tensor<512x%s>" % format
    simple(root, "compute-" + format, "\n".join(
        ["%%y0 = math.absf %%a : %s" % T, "%%y1 = arith.negf %%a : %s" % T] +
        ["%%y%d = arith.%s %%a, %%b : %s" % (i + 2, op, T) for i, op in enumerate(("addf", "mulf", "cmpf ole,", "maxnumf"))] +
        ["%%y6 = arith.fptosi %%a : %s to tensor<512xi32>" % T]),
           [("a", format, (512,), a), ("b", format, (512,), b)],
           [("y0", format, (512,), [code(abs(v)) for v in x]), ("y1", format, (512,), [code(-v) for v in x]),
            ("y2", format, (512,), [code(v + w) for v, w in zip(x, y)]), ("y3", format, (512,), [code(v * w) for v, w in zip(x, y)]),
            ("y4", "i1", (512,), [int(v <= w) for v, w in zip(x, y)]), ("y5", format, (512,), [code(max(v, w)) for v, w in zip(x, y)]),
            ("y6", "i32", (512,), [int(v) for v in x])])

# f32 to 16 bits, to nearest and towards zero.
values = [rounded("f32", rng.choice((-1, 1)) * 2.0 ** rng.uniform(-26, 15)) for _ in range(500)] + [0.0, -0.0, 1.0, 65504.0, 65519.0, math.inf, -math.inf, math.nan, 2.0 ** -24, 2.0 ** -25, 2.0 ** -149, 1 + 2.0 ** -11]


def toward_zero(elem, v):
    if not math.isfinite(v):
        return v
    if elem == "bf16":
        return struct.unpack("<f", struct.pack("<I", struct.unpack("<I", struct.pack("<f", v))[0] & 0xFFFF0000))[0]
    near = rounded("f16", v) if abs(v) < 65520 else math.copysign(math.inf, v)
    if abs(near) <= abs(v):
        return near
    bits = struct.unpack("<H", struct.pack("<e", near))[0] - 1
    return struct.unpack("<e", struct.pack("<H", bits))[0]


for elem in ("f16", "bf16"):
    simple(root, "truncf-" + elem, "%%y = arith.truncf %%x : tensor<512xf32> to tensor<512x%s>\n%%i = tt.bitcast %%y : tensor<512x%s> -> tensor<512xi16>\n%%z = tt.bitcast %%i : tensor<512xi16> -> tensor<512x%s>" % ((elem,) * 3),
           [("x", "f32", (512,), values)], [("z", elem, (512,), [rounded(elem, v) for v in values])])
    simple(root, "rtz-" + elem, "%%y = tt.fp_to_fp %%x, rounding = rtz : tensor<512xf32> -> tensor<512x%s>" % elem,
           [("x", "f32", (512,), values)], [("y", elem, (512,), [toward_zero(elem, v) for v in values])])
    simple(root, "truncf-rtz-" + elem, "%%y = arith.truncf %%x toward_zero : tensor<512xf32> to tensor<512x%s>" % elem,
           [("x", "f32", (512,), values)], [("y", elem, (512,), [toward_zero(elem, v) for v in values])])

# A bool from a float that is one after cutting, not one.
for elem in ("f16", "bf16", "f32", "f64"):
    simple(root, "bool-" + elem, "%%y = arith.fptoui %%x : tensor<4x%s> to tensor<4xi1>\n%%m = arith.negf %%x : tensor<4x%s>\n%%z = arith.fptosi %%m : tensor<4x%s> to tensor<4xi1>" % ((elem,) * 3),
           [("x", elem, (4,), [0.0, 0.75, 1.0, 1.5])], [("y", "i1", (4,), [0, 0, 1, 1]), ("z", "i1", (4,), [0, 0, 1, 1])], warps=(1,))

bits = lambda v: struct.unpack("<I", struct.pack("<f", v))[0]
doubles = [v * (1 + rng.uniform(-1, 1) * 2.0 ** -30) for v in values[:500]] + values[500:]


def single_toward_zero(v):
    near = rounded("f32", v)
    return struct.unpack("<f", struct.pack("<I", bits(near) - 1))[0] if abs(near) > abs(v) else near


simple(root, "rtz-f64", "\n".join("%%y%d = tt.fp_to_fp %%x, rounding = rtz : tensor<512xf64> -> tensor<512x%s>" % (i, e) for i, e in enumerate(("f32", "bf16", "f16"))),
       [("x", "f64", (512,), doubles)],
       [("y0", "f32", (512,), [single_toward_zero(v) for v in doubles])] +
       [("y%d" % i, e, (512,), [toward_zero(e, single_toward_zero(v)) for v in doubles]) for i, e in ((1, "bf16"), (2, "f16"))])

# Integers ------------------------------------------------------------------------------------------------------------


def quotient(a, b):
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def each(elem, name, function, denominators=False, second=None):
    bits = INTEGERS[elem]
    x, y = integers(elem, 512), integers(elem, 512)
    x[:4], y[:4] = [-(1 << bits - 1), (1 << bits - 1) - 1, -1, 0], [1, -1, (1 << bits - 1) - 1, 5]
    if denominators:
        y = [v or 3 for v in y]
        x[1] = 7  # no overflow
    if second:
        y = [second() for _ in y]
    out = [wrap(function(a, b), bits) for a, b in zip(x, y)]
    simple(root, "%s-%s" % (name, elem), "%%z = %s %%x, %%y : tensor<512x%s>" % (name if "." in name else "arith." + name, elem),
           [("x", elem, (512,), x), ("y", elem, (512,), y)], [("z", elem, (512,), out)], warps=(4,))


for elem in INTEGERS:
    if elem == "i1":
        continue
    bits = INTEGERS[elem]
    u = lambda v, bits=bits: unsigned(v, bits)
    for name, function in (("addi", lambda a, b: a + b), ("subi", lambda a, b: a - b), ("muli", lambda a, b: a * b),
                           ("andi", lambda a, b: a & b), ("ori", lambda a, b: a | b), ("xori", lambda a, b: a ^ b),
                           ("maxsi", max), ("minsi", min), ("maxui", lambda a, b: max(u(a), u(b))), ("minui", lambda a, b: min(u(a), u(b))),
                           ("tt.mulhiui", lambda a, b: u(a) * u(b) >> bits)):
        if name != "tt.mulhiui" or bits >= 32:
            each(elem, name, function)
    for name, function in (("divsi", quotient), ("remsi", lambda a, b: a - quotient(a, b) * b), ("divui", lambda a, b: u(a) // u(b)),
                           ("remui", lambda a, b: u(a) % u(b)), ("floordivsi", lambda a, b: a // b), ("ceildivsi", lambda a, b: -(-a // b)),
                           ("ceildivui", lambda a, b: -(-u(a) // u(b)))):
        each(elem, name, function, denominators=True)
    for name, function in (("shli", lambda a, b: a << b), ("shrsi", lambda a, b: a >> b), ("shrui", lambda a, b: u(a) >> b)):
        each(elem, name, function, second=lambda bits=bits: rng.randrange(bits))
    for i, (name, function) in enumerate((("eq", lambda a, b: a == b), ("ne", lambda a, b: a != b), ("slt", lambda a, b: a < b),
                                          ("sle", lambda a, b: a <= b), ("sgt", lambda a, b: a > b), ("sge", lambda a, b: a >= b),
                                          ("ult", lambda a, b: u(a) < u(b)), ("ule", lambda a, b: u(a) <= u(b)),
                                          ("ugt", lambda a, b: u(a) > u(b)), ("uge", lambda a, b: u(a) >= u(b)))):
        x = integers(elem, 256)
        y = [v if rng.randrange(3) == 0 else w for v, w in zip(x, integers(elem, 256))]
        simple(root, "cmpi-%s-%s" % (name, elem), "%%c = arith.cmpi %s, %%x, %%y : tensor<256x%s>\n%%z = arith.extui %%c : tensor<256xi1> to tensor<256xi8>" % (name, elem),
               [("x", elem, (256,), x), ("y", elem, (256,), y)], [("z", "i8", (256,), [int(function(a, b)) for a, b in zip(x, y)])], warps=(2,))
    for other in ("i8", "i16", "i32", "i64"):
        x = integers(elem, 256)
        if INTEGERS[other] > bits:
            simple(root, "ext-%s-%s" % (elem, other), "%%y = arith.extsi %%x : tensor<256x%s> to tensor<256x%s>\n%%z = arith.extui %%x : tensor<256x%s> to tensor<256x%s>" % (elem, other, elem, other),
                   [("x", elem, (256,), x)], [("y", other, (256,), x), ("z", other, (256,), [u(v) for v in x])], warps=(2,))
        elif INTEGERS[other] < bits:
            simple(root, "trunci-%s-%s" % (elem, other), "%%y = arith.trunci %%x : tensor<256x%s> to tensor<256x%s>" % (elem, other),
                   [("x", elem, (256,), x)], [("y", other, (256,), [wrap(v, INTEGERS[other]) for v in x])], warps=(2,))
    for float_type in ("f16", "bf16", "f32", "f64"):
        limit = min((1 << bits - 1) - 1, 60000)
        x = integers(elem, 256, -limit, limit)
        simple(root, "itofp-%s-%s" % (elem, float_type), "%%y = arith.sitofp %%x : tensor<256x%s> to tensor<256x%s>\n%%z = arith.uitofp %%m : tensor<256x%s> to tensor<256x%s>" % (elem, float_type, elem, float_type),
               [("x", elem, (256,), x), ("m", elem, (256,), [abs(v) for v in x])],
               [("y", float_type, (256,), [float(v) for v in x]), ("z", float_type, (256,), [float(abs(v)) for v in x])], warps=(2,))
        f = floats(float_type, 256, -120, 120)
        simple(root, "fptoi-%s-%s" % (float_type, elem), "%%y = arith.fptosi %%x : tensor<256x%s> to tensor<256x%s>\n%%z = arith.fptoui %%m : tensor<256x%s> to tensor<256x%s>" % (float_type, elem, float_type, elem),
               [("x", float_type, (256,), f), ("m", float_type, (256,), [abs(v) for v in f])],
               [("y", elem, (256,), [int(v) for v in f]), ("z", elem, (256,), [int(abs(v)) for v in f])], warps=(2,))

# Floats: NaN, signed zeros, comparisons ----------------------------------------------------------------------------------

special = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 2.5]
x, y = [a for a in special for _ in special] * 4, [b for _ in special for b in special] * 4


def with_nan(function):  # NaN wins
    return lambda a, b: math.nan if math.isnan(a) or math.isnan(b) else function(a, b)


def without_nan(function):  # a number wins
    return lambda a, b: b if math.isnan(a) else a if math.isnan(b) else function(a, b)


for elem in ("f16", "bf16", "f32", "f64"):
    for name, function in (("maximumf", with_nan(max)), ("minimumf", with_nan(min)), ("maxnumf", without_nan(max)), ("minnumf", without_nan(min))):
        simple(root, "%s-%s" % (name, elem), "%%z = arith.%s %%x, %%y : tensor<256x%s>" % (name, elem),
               [("x", elem, (256,), x), ("y", elem, (256,), y)], [("z", elem, (256,), [function(a, b) for a, b in zip(x, y)])], warps=(2,))
    ordered = lambda a, b: not (math.isnan(a) or math.isnan(b))
    for name, function in (("oeq", lambda a, b: a == b), ("ogt", lambda a, b: a > b), ("oge", lambda a, b: a >= b), ("olt", lambda a, b: a < b),
                           ("ole", lambda a, b: a <= b), ("one", lambda a, b: ordered(a, b) and a != b), ("ord", ordered),
                           ("ueq", lambda a, b: not ordered(a, b) or a == b), ("une", lambda a, b: a != b),
                           ("ugt", lambda a, b: not a <= b), ("ult", lambda a, b: not a >= b), ("uno", lambda a, b: not ordered(a, b))):
        simple(root, "cmpf-%s-%s" % (name, elem), "%%c = arith.cmpf %s, %%x, %%y : tensor<256x%s>\n%%z = arith.extui %%c : tensor<256xi1> to tensor<256xi8>" % (name, elem),
               [("x", elem, (256,), x), ("y", elem, (256,), y)], [("z", "i8", (256,), [int(function(a, b)) for a, b in zip(x, y)])], warps=(2,))
    a, b, c = floats(elem, 512, 0.5, 9), floats(elem, 512, 0.5, 9), floats(elem, 512)
    for name, arity, function in (("arith.addf", 2, lambda p, q: p + q), ("arith.subf", 2, lambda p, q: p - q), ("arith.mulf", 2, lambda p, q: p * q),
                                  ("arith.divf", 2, lambda p, q: p / q), ("arith.remf", 2, math.fmod), ("arith.negf", 1, lambda p: -p),
                                  ("math.exp", 1, math.exp), ("math.exp2", 1, lambda p: 2.0 ** p), ("math.log", 1, math.log), ("math.log2", 1, math.log2),
                                  ("math.sin", 1, math.sin), ("math.cos", 1, math.cos), ("math.sqrt", 1, math.sqrt), ("math.rsqrt", 1, lambda p: 1 / math.sqrt(p)),
                                  ("math.erf", 1, math.erf), ("math.floor", 1, math.floor), ("math.ceil", 1, math.ceil), ("math.absf", 1, abs), ("math.tanh", 1, math.tanh),
                                  ("math.fma", 3, lambda p, q, r: p * q + r), ("tt.precise_sqrt", 1, math.sqrt), ("tt.precise_divf", 2, lambda p, q: p / q)):
        operands, data = ("%x", "%x, %w", "%x, %w, %v")[arity - 1], [("x", elem, (512,), a), ("w", elem, (512,), b), ("v", elem, (512,), c)]
        out = [rounded(elem, function(*t)) for t in zip(*(a, b, c)[:arity])]
        simple(root, "%s-%s" % (name, elem), "%%z = %s %s : tensor<512x%s>" % (name, operands, elem), data, [("z", elem, (512,), out)], warps=(4,))
for nan, function in (("none", lambda v: 0.25 if math.isnan(v) else min(max(v, 0.25), 1.5)), ("all", lambda v: v if math.isnan(v) else min(max(v, 0.25), 1.5))):
    for elem in ("f16", "f32"):
        if nan == "none":  # what a NaN becomes is then open
            f = [v for v in x if not math.isnan(v)] + [0.5] * sum(map(math.isnan, x))
        else:
            f = x
        simple(root, "clampf-%s-%s" % (nan, elem), "%%lo = arith.constant dense<0.25> : tensor<256x%s>\n%%hi = arith.constant dense<1.5> : tensor<256x%s>\n%%z = tt.clampf %%x, %%lo, %%hi, propagateNan = %s : tensor<256x%s>" % (elem, elem, nan, elem),
               [("x", elem, (256,), f)], [("z", elem, (256,), [function(v) for v in f])], warps=(2,))

# Constants other than splats -----------------------------------------------------------------------------------------------

for elem in ("f16", "bf16", "f32", "f64"):
    simple(root, "table-" + elem, "%%c = arith.constant dense<[1.0, -2.5, 0.0, 3.0]> : tensor<4x%s>\n%%y = arith.addf %%x, %%c : tensor<4x%s>" % (elem, elem),
           [("x", elem, (4,), [1.0, 1.0, 1.0, 1.0])], [("y", elem, (4,), [2.0, -1.5, 1.0, 4.0])], warps=(1,))
