#!/usr/bin/env python3
"""Points of RadeonFlow's transposes of fp8, which won AMD's kernel competition of 2025, with the times that their authors noted beside them.

    build.py --radeonflow CHECKOUT --out DIR   # writes DIR/points.jsonl and the objects

CHECKOUT is one of RadeonFlow/RadeonFlow_Kernels at COMMIT. Of it, src/gemm/transpose_kernel.cpp is read: the kernel, its parameters for each shape and the
times. Neither is part of Kiln. The kernel is compiled by clang with ../include for ROCm's headers.
"""
import argparse
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from hip import compile_hip  # noqa: E402

COMMIT = "685749e5af9bc8a774f0f88e2d99c05b603f4c66"
SOURCE = os.path.join("src", "gemm", "transpose_kernel.cpp")
HOW = "the authors' tuner (tuner/template/trans_perf.cpp): events around 10 launches in a row after 3 to warm up, the mean"
FLOOR = 1.25       # times the least time of the table; below it the host limits
ROUNDING = 0.01    # most that a row's time and rate may disagree
# An element as ROCm's header has it: a byte in a class.
PRELUDE = "#include <hip/hip_runtime.h>\nstruct fp8 {\n    unsigned char bits;\n};\n"


def rows(text):
    """Rows, columns, side of a tile, work-items of a group, bytes of a work-item's access, microseconds, GB/s."""
    for line in re.findall(r"DISPATCH_TRANSPOSE\((.*?)\); // Optimized: ([\d.]+) µs \(([\d.]+) GB/s\)", text):
        yield (*(int(number) for number in line[0].split(",")), float(line[1]), float(line[2]))


def kernel_of(text):
    """The kernel's text: from its template's parameters to the brace that ends it."""
    return re.search(r"template <[^>]*>\n__launch_bounds__\(BLOCK_SIZE\)\n__global__ void transpose_kernel\(.*?\n}\n", text, re.S).group(0)


def make(options, text, m, n, tile, block, width, time):
    name = f"transpose-{m}x{n}-{tile}-{block}-{width}.co"
    source = PRELUDE + kernel_of(text) + f"template __global__ void transpose_kernel<fp8, {m}, {n}, {tile}, {block}, {width}>(fp8 *, const fp8 *);\n"
    path = os.path.join(options.out, name)
    compile_hip(source, path, options.clang)
    with open(path, "rb") as file:
        symbol = re.search(rb"(_Z\w+)\.kd", file.read()).group(1).decode()
    return {
        "name": f"radeonflow-transpose-{m}x{n}", "set": "radeonflow", "family": "transpose", "source": f"RadeonFlow/RadeonFlow_Kernels {COMMIT[:8]} {SOURCE}",
        "kernel_source": "HIP", "device": "mi300x", "time_us": time, "timer": "kernel", "cache": "warm", "infinity_cache": "unknown", "clock_mhz": None,
        "data": "zeros", "rocm": "6.3.1", "date": "2025", "how": HOW, "buffers": {"out": {"bytes": m * n}, "in": {"bytes": m * n}},
        "steps": [{"object": name, "kernel": symbol, "grid": [n // tile, m // tile, 1], "block": [tile // width, block * width // tile, 1],
                   "args": [{"buffer": "out"}, {"buffer": "in"}]}],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--radeonflow", required=True, help="checkout of RadeonFlow/RadeonFlow_Kernels")
    parser.add_argument("--out", required=True, help="folder for points.jsonl and the objects")
    parser.add_argument("--clang", default="clang-22")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    with open(os.path.join(options.radeonflow, SOURCE)) as file:
        text = file.read()
    table, count = list(rows(text)), 0
    least = min(row[5] for row in table)
    with open(os.path.join(options.out, "points.jsonl"), "w") as file:
        for m, n, tile, block, width, time, rate in table:
            if abs(2e-3 * m * n / time / rate - 1) > ROUNDING:
                print(f"left out, {time} us are not {rate} GB/s: {m}x{n}")
            elif time < FLOOR * least:
                print(f"left out, limited by the host: {m}x{n}, {time} us")
            else:
                file.write(json.dumps(make(options, text, m, n, tile, block, width, time)) + "\n")
                count += 1
    print(f"{count} points in {options.out}")


if __name__ == "__main__":
    main()
