#!/usr/bin/env python3
"""Points of HipKittens' GEMM of bf16 on MI325X, with the times that its authors keep.

    build.py --hipkittens CHECKOUT --out DIR   # writes DIR/points.jsonl and the objects

CHECKOUT is a git checkout of HazyResearch/HipKittens with its history. Of it, kernels and times (analysis/bf16_gemm/mi325x at COMMIT) and the library's
headers (include/ at HEADERS, the first commit of its branch for this machine) are read. Neither is part of Kiln. The kernels are compiled by clang with
include/ of this folder and ../include for ROCm's headers.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from hip import compile_hip  # noqa: E402

COMMIT, HEADERS = "f09e9685c4c6aaa41fb3ebd4fe4ca664938589e1", "67dd3f3a"
FOLDER = "analysis/bf16_gemm/mi325x"
TABLES = ["mi325x_bf16_gemm.json", "data_to_log.json"]
STEADY = 1.15     # most that the two tables may differ by
THREADS, LDS = 512, 65536
HOW = "events around each of 100 launches after 500 to warm up, the host waiting before each; the mean of two tables' means"


def git(root, *arguments):
    return subprocess.run(["git", "-C", root, *arguments], capture_output=True, check=True).stdout


def compile_kernel(options, headers, size):
    """Compiles the kernel alone (the file ends with its bindings for Python) and returns its tile's side."""
    text = git(options.hipkittens, "show", f"{COMMIT}:{FOLDER}/kernel_{size}.cpp").decode()
    text = text[:text.index("void dispatch_micro")].replace('#include "pyutils/pyutils.cuh"', "")
    include = os.path.join(HERE, "include")
    compile_hip(text, os.path.join(options.out, f"gemm{size}.co"), options.clang,
                ["-std=c++20", "-DKITTENS_CDNA3", "-I", include, "-I", headers, "-include", os.path.join(include, "hip.h")])
    return int(re.search(r"BLOCK_SIZE += (\d+);", text).group(1))


def layout(buffer, rows, columns):
    """The library's descriptor of a matrix: the address, four lengths and an empty member, padded to eight bytes."""
    return [{"buffer": buffer}, *({"i64": length} for length in (1, 1, rows, columns)), {"i64": 0}]


def point(size, tile, time):
    matrix = {"bytes": 2 * size * size}
    return {
        "name": f"hipkittens-gemm-bf16-{size}", "set": "hipkittens", "family": "gemm", "source": f"HazyResearch/HipKittens {COMMIT[:8]} {FOLDER}",
        "kernel_source": "HIP", "device": "mi325x", "time_us": time, "timer": "events", "host_waits": True, "cache": "warm", "infinity_cache": "unknown", "clock_mhz": None,
        "data": "random", "rocm": "unknown", "date": "2025-10", "how": HOW, "buffers": {name: matrix for name in "abc"},
        "steps": [{"object": f"gemm{size}.co", "kernel": "_Z8micro_tk13micro_globals", "grid": [(size // tile) ** 2, 1, 1], "block": [THREADS, 1, 1],
                   "dynamic_lds": LDS, "args": [argument for name in "abc" for argument in layout(name, size, size)] + [{"i64": 0}]}],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hipkittens", required=True, help="git checkout of HazyResearch/HipKittens, with its history")
    parser.add_argument("--out", required=True, help="folder for points.jsonl and the objects")
    parser.add_argument("--clang", default="clang-22")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    tables = [json.loads(git(options.hipkittens, "show", f"{COMMIT}:{FOLDER}/{table}")) for table in TABLES]
    count = 0
    with tempfile.TemporaryDirectory() as folder, open(os.path.join(options.out, "points.jsonl"), "w") as file:
        archive = git(options.hipkittens, "archive", HEADERS, "include")
        subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
        for size in tables[0]:
            times = [1e3 * table[size]["avg_time"] for table in tables]
            if max(times) > STEADY * min(times):
                print(f"left out, the tables differ ({min(times):.1f} and {max(times):.1f} us): {size}")
                continue
            tile = compile_kernel(options, os.path.join(folder, "include"), size)
            file.write(json.dumps(point(int(size), tile, sum(times) / len(times))) + "\n")
            count += 1
    print(f"{count} points in {options.out}")


if __name__ == "__main__":
    main()
