#!/usr/bin/env python3
"""Points of Triton kernels: kernels.py of this folder, compiled by Triton's own wheel, with published MI300X times.

    build.py [--attn CHECKOUT] --out DIR    # needs triton (3.6.0 was used); writes DIR/points.jsonl and the objects next to it

published.csv holds times from discussion threads, a row each, with the thread. CHECKOUT is one of midiareshadi/attn-dsl-bench at COMMIT, of which only the
table results/raw/sweep_v1.csv is read; it is not part of Kiln, and neither are the kernels that it measured. README.md says how all were measured.
Note that kernels.py only approximates the measured kernels. A point's error includes the difference of the two kernels.
"""
import argparse
import csv
import json
import math
import os

import kernels
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

COMMIT = "94ea7f31a300d1e3998b95b3e3f574ac7b8ba6ec"
PEAK_TFLOPS, PEAK_GBPS = 1307.4, 5300.0  # 16-bit matrix work and HBM at 2.1 GHz
CUS, XCDS, BAND = 304, 8, 4

HOW = {
    "gemm": "events around each launch after seconds of warming up, the median; caches as the launch before left them",
    "rms_norm": "triton.testing.do_bench: a buffer of 256 MB is zeroed before each launch",
    "rope": "a graph of launches one after the other, the best; caches as the launch before left them",
    "attention": "events around each of 30 launches after 50 to warm up, the median; caches as the launch before left them",
}


def ceiling(a, b):
    return -(-a // b)


class Built:
    """A kernel's launch. Buffers are (name, bytes) in order; numbers are (name, Triton's type, value); all pointers start 16-byte aligned."""

    def __init__(self, kernel, element, buffers, numbers, constants, grid, flops, moved):
        self.kernel, self.element, self.buffers, self.numbers = kernel, element, buffers, numbers
        self.constants, self.grid, self.flops, self.bytes = constants, grid, flops, moved


def gemm(element, shape, tile):
    (m, n, k), (bm, bn, bk) = shape, tile
    constants = {"BM": bm, "BN": bn, "BK": bk, "BAND": BAND, "XCDS": XCDS, "EVEN_K": k % bk == 0}
    return Built(kernels.gemm, element, [("a", 2 * m * k), ("b", 2 * k * n), ("c", 2 * m * n)], [("m", "i32", m), ("n", "i32", n), ("k", "i32", k)],
                 constants, [ceiling(m, bm) * ceiling(n, bn), 1, 1], 2.0 * m * n * k, 2 * (m * k + k * n + m * n))


def rms_norm(element, shape, tile):
    rows, columns = shape
    programs = min(rows, CUS)
    return Built(kernels.rms_norm, element, [("x", 2 * rows * columns), ("y", 2 * rows * columns), ("weight", 2 * columns), ("scale", 4 * rows)],
                 [("rows", "i32", rows), ("columns", "i32", columns), ("eps", "fp32", 1e-5)], {"BLOCK": tile[0], "PROGRAMS": programs},
                 [programs, 1, 1], 0, 4 * rows * columns)


def rope(element, shape, tile):
    tokens, heads, dim = shape
    return Built(kernels.rope, element, [("x", 2 * tokens * heads * dim), ("turns", 4 * tokens * dim)], [("tokens", "i32", tokens)],
                 {"HEADS": heads, "DIM": dim, "BM": tile[0]}, [ceiling(tokens, tile[0]), heads, 1], 0, 4 * tokens * heads * dim)


def attention(element, shape, tile):
    batch_heads, length, dim = shape
    size = 2 * batch_heads * length * dim
    return Built(kernels.attention, element, [(name, size) for name in "qkvo"],
                 [("scale", "fp32", math.log2(math.e) / math.sqrt(dim)), ("length", "i32", length)], {"DIM": dim, "BM": tile[0], "BN": tile[1]},
                 [length // tile[0], batch_heads, 1], 2.0 * batch_heads * length * length * dim, 4 * size)


MAKERS = {"gemm": gemm, "rms_norm": rms_norm, "rope": rope, "attention": attention}
FAMILIES = {"gemm": "gemm", "rms_norm": "memory", "rope": "memory", "attention": "attention"}
SINGLE_PRECISION = {"scale", "turns"}  # buffers of f32; the others hold the row's element


def compiled(made, options):
    """Triton's object for the launch. As at a launch, it is specialized for arguments divisible by 16 and buffers below 2 GB."""
    buffers = {name: "*fp32" if name in SINGLE_PRECISION else f"*{made.element}" for name, _ in made.buffers}
    signature = buffers | {name: kind for name, kind, _ in made.numbers} | {name: "constexpr" for name in made.constants}
    divisible = set(buffers) | {name for name, kind, value in made.numbers if kind == "i32" and value % 16 == 0}
    small = {name for name, size in made.buffers if size < 1 << 31}
    attributes = {(i,): [["tt.divisibility", 16]] + [["tt.pointer_range", 32]] * (name in small)
                  for i, name in enumerate(made.kernel.arg_names) if name in divisible}
    constants = {(made.kernel.arg_names.index(name),): value for name, value in made.constants.items()}
    source = ASTSource(made.kernel, {name: signature[name] for name in made.kernel.arg_names}, constants, attributes)
    return triton.compile(source, target=GPUTarget("hip", "gfx942", 64), options=options)


def arguments(made):
    """The arguments of the launch: no constants, and at the end two pointers that Triton's launcher adds, which are null here."""
    numbers = {name: {"f32" if kind == "fp32" else kind: value} for name, kind, value in made.numbers}
    passed = {name: {"buffer": name} for name, _ in made.buffers} | numbers
    return [passed[name] for name in made.kernel.arg_names if name in passed] + [{"i64": 0}, {"i64": 0}]


def numbers_of(text):
    return [int(part) for part in text.split("x")]


def options_of(row):
    options = {"num_warps": int(row["warps"]), "num_stages": int(row["stages"]), "waves_per_eu": int(row["waves_per_eu"])}
    return options | ({"matrix_instr_nonkdim": 16} if row["kernel"] in ("gemm", "attention") else {})


def microseconds(row, made):
    """The time, or None if its rate exceeds the machine's peak."""
    value = float(row["value"])
    us = {"us": value, "TFLOP/s": made.flops / value * 1e-6, "GB/s": made.bytes / value * 1e-3}[row["unit"]]
    possible = made.flops / us * 1e-6 <= PEAK_TFLOPS and (row["unit"] != "GB/s" or value <= PEAK_GBPS)
    return us if possible else None


def point(row, out):
    made = MAKERS[row["kernel"]](row["element"], numbers_of(row["shape"]), numbers_of(row["tile"]))
    name = f"triton-{row['kernel']}-{row['element']}-{row['shape']}-{row['tile']}-w{row['warps']}-e{row['waves_per_eu']}"
    us = microseconds(row, made)
    if us is None:
        print(f"left out, {row['value']} {row['unit']} are above the machine's peak: {name}")
        return None
    binary = compiled(made, options_of(row))
    with open(os.path.join(out, name + ".hsaco"), "wb") as file:
        file.write(binary.asm["hsaco"])
    cold = "cold" if row["kernel"] == "rms_norm" else "warm"
    fills = {"bf16": "randbf16", "fp16": "randf16"}
    return {
        "name": name, "family": FAMILIES[row["kernel"]], "set": "triton", "source": row["source"], "device": "mi300x", "time_us": us, "timer": "kernel" if row["kernel"] == "rope" else "events",
        "cache": cold, "infinity_cache": cold, "clock_mhz": None, "data": "random", "how": HOW[row["kernel"]],
        "flops": made.flops, "bytes": made.bytes,
        "steps": [{"object": name + ".hsaco", "kernel": binary.metadata.name, "grid": made.grid, "block": [64 * binary.metadata.num_warps, 1, 1],
                   "dynamic_lds": binary.metadata.shared, "args": arguments(made)}],
        "buffers": {name: {"bytes": size, "fill": "randf32" if name in SINGLE_PRECISION else fills[row["element"]]} for name, size in made.buffers},
    }


def attention_rows(checkout):
    """The sweep's rows of Triton kernels; their tuner's choice of tiles is not published, so the tiles are ours."""
    with open(os.path.join(checkout, "results", "raw", "sweep_v1.csv"), newline="") as file:
        for row in csv.DictReader(file):
            if row["implementation"] == "triton":
                shape = f"{int(row['batch']) * int(row['num_heads'])}x{row['seq_len']}x{row['head_dim']}"
                yield {"kernel": "attention", "element": "bf16", "shape": shape, "tile": "128x64", "warps": "4", "stages": "2", "waves_per_eu": "2",
                       "value": str(1e3 * float(row["median_time_ms"])), "unit": "us", "source": f"midiareshadi/attn-dsl-bench {COMMIT[:8]}"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--attn", help="checkout of midiareshadi/attn-dsl-bench; without it there are no points of attention")
    parser.add_argument("--out", required=True, help="folder for points.jsonl and the objects")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "published.csv"), newline="") as file:
        rows = list(csv.DictReader(file))
    if options.attn:
        rows += attention_rows(options.attn)
    points = [made for made in (point(row, options.out) for row in rows) if made]
    assert len({made["name"] for made in points}) == len(points), "two points of one name"
    with open(os.path.join(options.out, "points.jsonl"), "w") as file:
        for made in points:
            file.write(json.dumps(made) + "\n")
    print(f"{len(points)} points in {options.out}/points.jsonl")


if __name__ == "__main__":
    main()
