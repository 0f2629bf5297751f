#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Arithmetic on constants against the same on values from memory, bit by bit: every operator, conversion and foldable
# function of every pair of extreme values.
#
#     fold.py KILN DIRECTORY DEVICE TYPE…        on the simulator only what the machine computes exactly
import itertools
import subprocess
import sys

VALUES = {
    "i32": ["0", "1", "-1", "7", "-8", "2147483647", "(-2147483647 - 1)", "65536"],
    "u32": ["0u", "1u", "7u", "4294967295u", "2147483648u", "65535u"],
    "i64": ["0l", "1l", "-1l", "-7l", "9223372036854775807l", "(-9223372036854775807l - 1l)", "1152921573326323713l"],
    "u64": ["0ul", "1ul", "18446744073709551615ul", "9223372036854775808ul", "1152921573326323713ul"],
    "f32": ["0.0f", "-0.0f", "-1.5f", "0.1f", "3.4028235e38f", "1.17549435e-38f", "1e-45f", "(f32)INFINITY", "(f32)NAN", "2.5f"],
    "f64": ["0.0f64", "-0.0f64", "-1.5f64", "0.1f64", "1.7976931348623157e308f64", "5e-324f64", "(f64)-INFINITY", "(f64)NAN", "1.00048828125000022f64", "2.9802322387695319e-08f64"],
    "f16": ["(f16)0.0", "(f16)-0.0", "(f16)1.0", "(f16)0.1", "(f16)65504.0", "(f16)6e-8", "(f16)INFINITY", "(f16)NAN", "(f16)-2.5", "0.1f16", "6e-8f16"],
    "bf16": ["(bf16)0.0", "(bf16)-0.0", "(bf16)1.0", "(bf16)0.1", "(bf16)3e38", "(bf16)1e-40", "(bf16)INFINITY", "(bf16)NAN", "(bf16)-2.5", "0.1bf16", "1e-40bf16"],
}
EXACT = ["sqrt_rn", "abs", "floor", "ceil", "trunc", "rint"]
ROUNDED = ["sqrt", "rsqrt", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tanh", "erf"]
kiln, folder, device, types = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]


def number(text):
    return eval(text.rstrip("ul)") + (")" if text.startswith("(") else "")) if "(" not in text else -(2 ** (63 if "l" in text else 31))


def is_defined(kind, op, a, b):
    if kind[0] not in "iu":
        return op not in ("%", "<<", ">>", "&", "|", "^")
    x, y, bits = number(a), number(b), int(kind[1:])
    if op in "/%":
        return y != 0 and not (y == -1 and x == -(2 ** (bits - 1)))
    return op not in ("<<", ">>") or 0 <= y < bits


# Each as a text with {} for its operands, which operands, and whether the result is an integer.
def expressions(kind):
    values, is_integer = VALUES[kind], kind[0] in "iu"
    for a, b in itertools.product(range(len(values)), repeat=2):
        for op in ["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "<", ">", "<=", ">=", "==", "!="]:
            if is_defined(kind, op, values[a], values[b]):
                yield "({} %s {})" % op, (a, b), is_integer or op[0] in "<>=!"
        for name in ["maximum", "minimum"] + (["umulhi", "cdiv"] if is_integer else []):
            if name != "cdiv" or is_defined(kind, "/", values[a], values[b]):
                yield name + "({}, {})", (a, b), is_integer
        if not is_integer:
            yield "div_rn({}, {})", (a, b), False
            yield "clamp({}, {}, {})", (a, b, (a + b) % len(values)), False
            yield "fma({}, {}, {})", (a, b, (a + b) % len(values)), False
    for a in range(len(values)):
        yield "(- {})", (a,), is_integer
        yield "(!{})", (a,), True
        yield "abs({})", (a,), is_integer
        for to in ["f16", "bf16", "f32", "f64"] + (["i8", "u8", "i16", "u32", "i64", "bool"] if is_integer else []):
            yield "(%s){}" % to, (a,), "f" not in to
        if not is_integer:
            for name in EXACT + (ROUNDED if device == "interp" else []):
                yield name + "({})", (a,), False


def run(*words):
    result = subprocess.run([kiln, "run", *words, "--device=" + device, "--cache-mode=off", "-w"], capture_output=True, text=True)
    if result.returncode:
        sys.exit(result.stderr)


for kind in types:
    values, cases = VALUES[kind], list(expressions(kind))
    with open(folder + "/values.tile.c", "w") as file:
        file.write("kernel void values(%s *v)\n{\n" % kind)
        file.writelines("    store(v + %d, %s);\n" % pair for pair in enumerate(values))
        file.write("}\n")
    with open(folder + "/fold.tile.c", "w") as file:
        file.write("kernel void fold(const %s *v, i64 *folded, i64 *computed)\n{\n" % kind)
        file.writelines("    %s v%d = load(v + %d);\n" % (kind, i, i) for i in range(len(values)))
        for i, (text, operands, is_integer) in enumerate(cases):
            cast = "(i64)" if is_integer else "bitcast(i64, (f64)"
            for name, names in (("folded", [values[o] for o in operands]), ("computed", ["v%d" % o for o in operands])):
                file.write("    %s[%d] = %s%s%s;\n" % (name, i, cast, text.format(*names), "" if is_integer else ")"))
        file.write("}\n")
    buffer = "v=%s[%d]" % (kind, len(values))
    run(folder + "/values.tile.c", buffer, "--save", "v=" + folder + "/v.bin")
    run(folder + "/fold.tile.c", buffer + "@" + folder + "/v.bin", *("%s=i64[%d]" % (n, len(cases)) for n in ("folded", "computed")),
        "--save", "folded=" + folder + "/a.bin", "--save", "computed=" + folder + "/b.bin")
    a, b = (open("%s/%s.bin" % (folder, name), "rb").read() for name in "ab")
    wrong = 0
    for i, (text, operands, is_integer) in enumerate(cases):
        x, y = a[8 * i:8 * i + 8], b[8 * i:8 * i + 8]
        both_nan = not is_integer and all(int.from_bytes(z, "little") & ~(1 << 63) > 0x7FF << 52 for z in (x, y))
        if x != y and not both_nan:
            wrong += 1
            print("%s: %s is %s folded and %s computed" % (kind, text.format(*[values[o] for o in operands]), x[::-1].hex(), y[::-1].hex()))
    print("%s on %s: %d of %d differ" % (kind, device, wrong, len(cases)))
