#!/usr/bin/env python3
"""Points of memory-bound and of small Triton kernels: kernels.py of this folder, with the MI300X times that AMD's GEAK-eval keeps as its baseline.

    build.py --geak CHECKOUT --out DIR    # needs triton (3.6.0 was used); writes DIR/points.jsonl and the objects next to it

CHECKOUT is one of AMD-AIG-AIMA/GEAK-eval at COMMIT, of which only the tables geak_eval/data/ROCm/data/performance/golden_results/*.json are read. Neither
they nor the kernels that were measured are part of Kiln. README.md says how the times were measured and which are left out.
Note that kernels.py only approximates the measured kernels. A point's error includes the difference of the two kernels.
"""
import argparse
import json
import os

import kernels
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

COMMIT = "5761d2124f63a1e284adb36600b3035e962ee549"
TABLES = os.path.join("geak_eval", "data", "ROCm", "data", "performance", "golden_results")
HOW = "triton.testing.do_bench: a buffer of 256 MB is zeroed before each launch, events around it; the median"
PEAK_GBPS = 5300.0
STEADY = 1.15  # most that the fifth slowest of a hundred launches may take of the fifth fastest's time
FLOOR = 1.05   # times a table's minimum; below it a time is dominated by the launch
CUS = 304

ELEMENTS = {"fp16": "fp16", "float16": "fp16", "bf16": "bf16", "bfloat16": "bf16", "fp32": "fp32", "float32": "fp32"}
BYTES = {"fp16": 2, "bf16": 2, "fp32": 4, "i32": 4, "i64": 8}
TUNED = [4, 8, 16]  # warps that its tuner tries where a kernel has one; with each it tries limits of registers, which these kernels do not reach


class Built:
    """A kernel's launch. Buffers are (name, element, count), numbers (name, Triton's type, value); all pointers start 16-byte aligned."""

    def __init__(self, kernel, buffers, numbers, constants, programs, warps=(4,), stages=2):
        self.kernel, self.buffers, self.numbers, self.constants = kernel, buffers, numbers, constants
        self.programs, self.warps, self.stages = programs, warps, stages


def block_of(row, element):
    """64 KB, or the next power of two of a row's length."""
    return min(65536 // BYTES[element], triton.next_power_of_2(row["N"]))


def add(row, element):
    size, block = row["SIZE"], row["BLOCK_SIZE_RUNTIME"]
    return f"{size}", Built(kernels.add, [(name, element, size) for name in ("x", "y", "out")], [("count", "i32", size)], {"BLOCK": block},
                            triton.cdiv(size, block))


def copy_half(row, element):
    size, block = row["N"], row["BLOCK_SIZE"]
    return f"{size}", Built(kernels.copy_half, [("x", element, size), ("out", element, size)], [("count", "i32", size)], {"BLOCK": block},
                            triton.cdiv(size, block))


def largest(row, element):
    rows, columns = row["M_dim"], row["N_dim"]
    return f"{rows}x{columns}", Built(kernels.largest, [("x", element, rows * columns), ("out", element, rows)], [],
                                      {"ROWS": rows, "COLUMNS": columns}, 1)


def random(row, whole):
    size = row["N_elements"]
    return f"{size}", Built(kernels.random, [("out", "i32" if whole else "fp32", size)], [("count", "i32", size), ("seed", "i32", row["seed"])],
                            {"BLOCK": 1024, "WHOLE": whole}, triton.cdiv(size, 1024))


def by_rows(kernel, row, element, block, warps, extra=()):
    rows, columns = row["M"], row["N"]
    return f"{rows}x{columns}", Built(kernel, [("x", element, rows * columns), ("y", element, rows * columns)] + list(extra),
                                      [("columns", "i32", columns)], {"BLOCK": block}, rows, warps)


def softmax_two(row, element):
    return by_rows(kernels.softmax_two, row, element, block_of(row, element), TUNED)


def softmax_three(row, element):
    return by_rows(kernels.softmax_three, row, element, 256, (4,))


def layer_norm(row, element):
    sums = [("weight", element, row["N"]), ("bias", element, row["N"]), ("mean", "fp32", row["M"]), ("scale", "fp32", row["M"])]
    shape, made = by_rows(kernels.layer_norm, row, element, block_of(row, element), TUNED, sums)
    made.numbers.append(("eps", "fp32", 1e-5))
    return shape, made


def rms_norm(row, element):
    programs = min(row["M"], CUS)
    kernel = kernels.rms_norm_long if row["N"] > block_of(row, element) else kernels.rms_norm
    shape, made = by_rows(kernel, row, element, block_of(row, element), TUNED, [("weight", element, row["N"]), ("scale", "fp32", row["M"])])
    made.numbers += [("rows", "i32", row["M"]), ("eps", "fp32", 1e-5)]
    made.constants["PROGRAMS"] = made.programs = programs
    return shape, made


# Name of the points, table, family, maker. If rows differ only in ways that change no launch
# (seeds, paddings, weights with one added), the first is taken.
KERNELS = [
    ("add", "add_kernel_perf", "memory", add),
    ("copy", "block_copy_triton_perf", "memory", copy_half),
    ("largest", "load_reduce_triton_perf", "small", largest),
    ("rand", "triton_rand_perf", "small", lambda row, element: random(row, False)),
    ("randint", "triton_randint_perf", "small", lambda row, element: random(row, True)),
    ("softmax", "softmax_triton_perf", "memory", softmax_two),
    ("softmax3", "naive_softmax_triton_perf", "memory", softmax_three),
    ("layernorm", "layernorm_triton_fwd_perf", "memory", layer_norm),
    ("rmsnorm", "rmsnorm_fwd_triton_perf", "memory", rms_norm),
]


def compiled(made, warps):
    """Triton's object for the launch. As at a launch, it is specialized for arguments divisible by 16, buffers below 2 GB, and the constant 1."""
    buffers = {name: f"*{element}" for name, element, _ in made.buffers}
    ones = {name: 1 for name, kind, value in made.numbers if kind == "i32" and value == 1}
    constants = made.constants | ones
    signature = buffers | {name: kind for name, kind, _ in made.numbers} | {name: "constexpr" for name in constants}
    divisible = set(buffers) | {name for name, kind, value in made.numbers if kind == "i32" and value % 16 == 0}
    names = made.kernel.arg_names
    attributes = {(i,): [["tt.divisibility", 16]] + [["tt.pointer_range", 32]] * (name in buffers) for i, name in enumerate(names) if name in divisible}
    source = ASTSource(made.kernel, {name: signature[name] for name in names}, {(names.index(name),): value for name, value in constants.items()},
                       attributes)
    options = {"num_warps": warps, "num_stages": made.stages}
    return triton.compile(source, target=GPUTarget("hip", "gfx942", 64), options=options)


def arguments(made):
    """The arguments of the launch: no constants, and at the end two pointers that Triton's launcher adds, which are null here."""
    passed = {name: {"buffer": name} for name, _, _ in made.buffers}
    passed |= {name: {"f32" if kind == "fp32" else kind: value} for name, kind, value in made.numbers if not (kind == "i32" and value == 1)}
    return [passed[name] for name in made.kernel.arg_names if name in passed] + [{"i64": 0}, {"i64": 0}]


def step(made, warps, name, out):
    binary = compiled(made, warps)
    with open(os.path.join(out, name), "wb") as file:
        file.write(binary.asm["hsaco"])
    return {"object": name, "kernel": binary.metadata.name, "grid": [made.programs, 1, 1], "block": [64 * warps, 1, 1],
            "dynamic_lds": binary.metadata.shared, "args": arguments(made)}


def rows_of(path):
    with open(path) as file:
        return [row for row in json.load(file) if "ms" in row]


def is_at_floor(row, rows):
    return row["ms"] <= FLOOR * min(other["ms"] for other in rows)


def points(kind, table, family, maker, root, out):
    rows, seen, floors = rows_of(os.path.join(root, TABLES, table + ".json")), set(), {}
    for row in rows:
        params = row["params"]
        element = ELEMENTS.get(params.get("dtype_str") or params.get("src_dtype_str"))
        if element is None and "N_elements" not in params:
            continue  # integers move as floats of their size do
        if "int64" in (params.get("offset_dtype"), params.get("output_dtype_str")):
            continue  # Triton's generator used another method for 64-bit counters than it does now
        shape, made = maker(params, element)
        name = f"geak-{kind}-{shape}" + (f"-{element}" if element else "")
        if name in seen:
            continue
        seen.add(name)
        # min_ms is the time of the 80th of a hundred launches there, max_ms that of the 20th.
        if row["min_ms"] > STEADY * row["max_ms"]:
            print(f"left out, its launches differ ({1e3 * row['max_ms']:.1f} to {1e3 * row['min_ms']:.1f} us): {name}")
            continue
        made_point = {
            "name": name, "family": family, "set": "geak", "source": f"AMD-AIG-AIMA/GEAK-eval {COMMIT[:8]} {table}.json", "device": "mi300x",
            "time_us": 1e3 * row["ms"], "timer": "events", "cache": "cold", "flushed_bytes": 256 << 20, "clock_mhz": None, "data": "random", "how": HOW,
            "buffers": {buffer: {"bytes": BYTES[kind] * count} for buffer, kind, count in made.buffers},
        }
        # A buffer is accessed at least once, except for half of a copy's input.
        least = sum(BYTES[kind] * count for _, kind, count in made.buffers) / (2 if kind == "copy" else 1)
        if least * 1e-3 / made_point["time_us"] > PEAK_GBPS:
            print(f"left out, above the peak of the memory: {name}")
            continue
        made_point["candidates"] = [[step(made, warps, f"{name}-w{warps}.hsaco", out)] for warps in made.warps]
        if is_at_floor(row, rows):
            # Of the points dominated by the launch, the one of each element type with the most
            # work.
            floors[element] = made_point
        else:
            yield made_point
    yield from floors.values()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--geak", required=True, help="checkout of AMD-AIG-AIMA/GEAK-eval")
    parser.add_argument("--out", required=True, help="folder for points.jsonl and the objects")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    count = 0
    with open(os.path.join(options.out, "points.jsonl"), "w") as file:
        for kernel in KERNELS:
            for made in points(*kernel, options.geak, options.out):
                file.write(json.dumps(made) + "\n")
                count += 1
    print(f"{count} points in {options.out}/points.jsonl")


if __name__ == "__main__":
    main()
