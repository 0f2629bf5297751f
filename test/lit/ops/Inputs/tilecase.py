# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Writes cases for `kiln case`: a tt program, its inputs, and its expected results.
#
# Note that expected results are computed here from the operations' definitions, in Python's
# integers and doubles, never by any part of Kiln.
import json
import math
import os
import random
import struct

rng = random.Random(7)

INTEGERS = {"i1": 8, "i8": 8, "i16": 16, "i32": 32, "i64": 64}


def wrap(value, bits):
    """An integer as a two's complement number of so many bits."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def unsigned(value, bits):
    return value & ((1 << bits) - 1)


def bf16_bits(value):
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    if math.isnan(value):
        return (bits >> 16) | 0x40
    return (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16


def pack(elem, values):
    if elem in INTEGERS:
        size = INTEGERS[elem] // 8
        return b"".join(unsigned(int(v), 8 * size).to_bytes(size, "little") for v in values)
    if elem == "bf16":
        return b"".join(struct.pack("<H", bf16_bits(v)) for v in values)
    return struct.pack("<%d%s" % (len(values), {"f16": "e", "f32": "f", "f64": "d"}[elem]), *values)


def rounded(elem, value):
    """The value that a float type holds."""
    if elem == "bf16":
        return struct.unpack("<f", struct.pack("<I", bf16_bits(value) << 16))[0]
    return struct.unpack("<1%s" % {"f16": "e", "f32": "f", "f64": "d"}[elem], pack(elem, [value]))[0]


def floats(elem, count, low=-2.0, high=2.0):
    return [rounded(elem, rng.uniform(low, high)) for _ in range(count)]


def integers(elem, count, low=None, high=None):
    bits = INTEGERS[elem]
    return [rng.randint(-(1 << (bits - 1)) if low is None else low, (1 << (bits - 1)) - 1 if high is None else high)
            for _ in range(count)]


class Buffer:
    def __init__(self, name, elem, values, expected=None, type=None):
        self.name, self.elem, self.values, self.expected = name, elem, values, expected
        self.type = type or elem  # of the pointer's pointee in the program


def write(root, name, text, buffers, scalars=(), grid=(1, 1, 1), num_warps=4, options=None):
    directory = os.path.join(root, "%s-w%d" % (name, num_warps))
    os.makedirs(directory, exist_ok=True)
    args = []
    for b in buffers:
        arg = {"name": b.name, "type": "ptr", "elem": b.elem, "in": b.name + ".in.bin"}
        with open(os.path.join(directory, arg["in"]), "wb") as f:
            f.write(pack(b.elem, b.values))
        if b.expected is not None:
            arg["out"] = b.name + ".out.bin"
            with open(os.path.join(directory, arg["out"]), "wb") as f:
                f.write(pack(b.elem, b.expected))
        args.append(arg)
    for scalar, type, value in scalars:
        args.append({"name": scalar, "type": type, "value": value})
    case = {"name": name, "entry": "k", "grid": list(grid), "num_warps": num_warps, "num_stages": 2,
            "options": options or {}, "args": args}
    with open(os.path.join(directory, "case.json"), "w") as f:
        json.dump(case, f)
    with open(os.path.join(directory, "kernel.ttir"), "w") as f:
        f.write(text)


def tensor(shape, elem):
    return "tensor<%sx%s>" % ("x".join(str(s) for s in shape), elem)


def count(shape):
    return math.prod(shape)


def pointers(name, pointer, elem, shape):
    """Lines that make %<name>, a tensor of pointers to the elements of a dense row-major array at %<pointer>."""
    n, flat = count(shape), [count(shape)]
    lines = ["%%%s_r = tt.make_range {end = %d : i32, start = 0 : i32} : tensor<%dxi32>" % (name, n, n),
             "%%%s_s = tt.splat %%%s : !tt.ptr<%s> -> %s" % (name, pointer, elem, tensor(flat, "!tt.ptr<%s>" % elem)),
             "%%%s_f = tt.addptr %%%s_s, %%%s_r : %s, %s" % (name, name, name, tensor(flat, "!tt.ptr<%s>" % elem),
                                                           tensor(flat, "i32"))]
    source, target = tensor(flat, "!tt.ptr<%s>" % elem), tensor(shape, "!tt.ptr<%s>" % elem)
    lines.append("%%%s = tt.reshape %%%s_f : %s -> %s" % (name, name, source, target))
    return lines


def program(buffers, body, scalars=(), extra=""):
    """A kernel @k; `body` maps names of loaded tensors to lines.

    buffers: (name, elem, shape, "in" | "out" | "ptr"): %name is the loaded tensor, or for "out" the tensor to store, or
    for "ptr" nothing but the pointer %name_p; %name_ps are the pointers.
    """
    arguments = ["%%%s_p: !tt.ptr<%s> {tt.divisibility = 16 : i32}" % (name, elem) for name, elem, _, _ in buffers]
    arguments += ["%%%s: %s" % (name, type) for name, type in scalars]
    lines = []
    for name, elem, shape, role in buffers:
        if role != "ptr":
            lines += pointers(name + "_ps", name + "_p", elem, shape)
        if role == "in":
            lines.append("%%%s = tt.load %%%s_ps : %s" % (name, name, tensor(shape, "!tt.ptr<%s>" % elem)))
    lines += [line for line in body.strip().split("\n")]
    for name, elem, shape, role in buffers:
        if role == "out":
            lines.append("tt.store %%%s_ps, %%%s : %s" % (name, name, tensor(shape, "!tt.ptr<%s>" % elem)))
    lines.append("tt.return")
    return "module {\n  tt.func public @k(%s) {\n    %s\n  }\n%s}\n" % (", ".join(arguments), "\n    ".join(lines), extra)


POISON = {"f16": 7.0, "bf16": 7.0, "f32": 7.0, "f64": 7.0}


def simple(root, name, body, inputs, outputs, warps=(1, 4), scalars=(), extra="", **options):
    """inputs: (name, elem, shape, values); outputs: (name, elem, shape, expected). Scalars: (name, type, value)."""
    buffers = [(n, e, s, "in") for n, e, s, _ in inputs] + [(n, e, s, "out") for n, e, s, _ in outputs]
    text = program(buffers, body, [(n, t) for n, t, _ in scalars], extra)
    data = [Buffer(n, storage(e), v) for n, e, _, v in inputs]
    data += [Buffer(n, storage(e), [POISON.get(e, 77)] * len(v), v) for n, e, _, v in outputs]
    for num_warps in warps:
        write(root, name, text, data, scalars, num_warps=num_warps, options=options)


def storage(elem):
    """8-bit floats are kept as bytes."""
    return "i8" if elem.startswith("f8") else elem
