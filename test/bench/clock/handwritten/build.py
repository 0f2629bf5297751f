#!/usr/bin/env python3
"""Points of hand-written HIP kernels of two repositories, with the times on MI300X that these keep: reads with more and more loads under way, and
compression of vectors to 3 and 4 bits a number.

    build.py --fleet CHECKOUT --turboquant CHECKOUT --out DIR   # needs numpy; writes DIR/points.jsonl, DIR/pairs.jsonl, objects and contents of buffers

The checkouts are of cklxx/fleet-mi300x at FLEET and of Bobliuuu/amd-experiments at TURBOQUANT. Of them, kernels and times are read; neither is part of
Kiln. The kernels are compiled by clang with ../include for ROCm's headers. README.md says how they were measured.
"""
import argparse
import json
import os
import re
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from hip import compile_hip  # noqa: E402

FLEET, TURBOQUANT = "093e8ce6aa8ce7d2780e6085e01054af0da68a33", "29d32dde110cfc98641922ce0160674c6f32b3f8"
DEPTHS = [1, 2, 4, 8, 12, 16]   # loads under way, in the order of the rates
STREAMED = 2 << 30              # bytes that a launch reads
GROUPS, BLOCK = 304, 256
VECTORS, LENGTH = 65536, 128
PLANES = {"tq3": 48, "tq4": 64}  # bytes of a compressed vector, after its norm in f32
HOW_FLEET = "events around 5 launches in a row after one, the mean"
HOW_TURBOQUANT = "events around each of 50 launches after 50 to warm up, after each of which the host waits; the mean"


def read(root, *path):
    with open(os.path.join(root, *path)) as file:
        return file.read()


def symbol(path, part):
    """The name of the kernel whose name contains `part`."""
    with open(path, "rb") as file:
        return re.search(rb"(_Z\w*" + part.encode() + rb"\w*)\.kd", file.read()).group(1).decode()


def point(name, family, source, time, timer, how, rocm, buffers, step):
    return {"name": f"handwritten-{name}", "set": "handwritten", "family": family, "source": source, "kernel_source": "HIP", "device": "mi300x",
            "time_us": time, "timer": timer, "cache": "warm", "infinity_cache": "unknown", "clock_mhz": None, "rocm": rocm, "date": "2026", "how": how,
            "host_waits": how == HOW_TURBOQUANT, "buffers": buffers, "steps": [step]}


def fleet_points(options):
    """Streams of 2 GiB through the registers of one group a compute unit."""
    kernel = re.search(r"template <int DEPTH>\n__global__ .*? void gemv_stream\(.*?\n}\n", read(options.fleet, "bench", "microbench.hip"), re.S).group(0)
    for depth, rate in zip(DEPTHS, json.loads(read(options.fleet, "results", "microbench.json"))["gemv_tbs"]):
        path = os.path.join(options.out, f"stream-{depth}.co")
        compile_hip(f"#include <hip/hip_runtime.h>\nstatic constexpr int kBlock = {BLOCK};\n" + kernel
                    + f"template __global__ void gemv_stream<{depth}>(const float4 *, const float *, float *, long long);\n", path, options.clang)
        yield point(f"stream-{depth}", "memory", f"cklxx/fleet-mi300x {FLEET[:8]} bench/microbench.hip, results/microbench.json", 1e-6 * STREAMED / rate,
                    "kernel", HOW_FLEET, "unknown", {"w": {"bytes": STREAMED}, "x": {"bytes": 16384}, "y": {"bytes": 4 * GROUPS}},
                    {"object": os.path.basename(path), "kernel": symbol(path, "gemv_stream"), "grid": [GROUPS, 1, 1], "block": [BLOCK, 1, 1],
                     "args": [{"buffer": "w"}, {"buffer": "x"}, {"buffer": "y"}, {"i64": STREAMED // 16}]})


def codebooks(header):
    """Bits -> numbers in the header, as C's text."""
    return {int(bits): numbers for bits, numbers in re.findall(r"TQ(\d)_CODEBOOK_MI300X\[\d+\] = \{(.*?)\}", header, re.S)}


def compressed(kind, random):
    """Vectors as the kernels store them: a norm and random bits."""
    packed = np.zeros(VECTORS, np.dtype([("norm", "<f4"), ("planes", "u1", PLANES[kind])]))
    packed["norm"] = 1
    packed["planes"] = random.integers(0, 256, packed["planes"].shape, np.uint8)
    return packed


def compile_turboquant(options):
    folder = os.path.join(options.turboquant, "kernels", "hip")
    header, text = read(folder, "turboquant_mi300x.h"), read(folder, "turboquant_mi300x.hip.cpp")
    # The host's functions are left out; what they would put into constant memory is there from the start.
    kernels = text[text.index("__constant__"):text.index("// Host Functions")]
    for bits, numbers in codebooks(header).items():
        kernels = re.sub(rf"(__constant__ float d_cb{bits}\[\d+\])", lambda found, numbers=numbers: f"{found.group(1)} = {{{numbers}}}", kernels)
    path = os.path.join(options.out, "turboquant.co")
    # Types alone: the header declares functions of the host, too.
    types = header[header.index("#define TQ_HEAD_DIM"):header.index("// Lloyd-Max codebooks")]
    compile_hip("#include <hip/hip_runtime.h>\n" + types + "\n" + kernels, path, options.clang, ["-nostdinc++", "-std=c++17", "-ffast-math"])
    return path


def turboquant_points(options):
    path, random = compile_turboquant(options), np.random.default_rng(1)
    files = {"vectors.bin": random.standard_normal((VECTORS, LENGTH)).astype(np.float32), "tq3.bin": compressed("tq3", random),
             "tq4.bin": compressed("tq4", random)}
    for name, data in files.items():
        data.tofile(os.path.join(options.out, name))
    output = json.loads(read(options.turboquant, "results", "bench_kernels.json"))["standalone_binary"]["raw_output"]
    numbers, rotation = {"bytes": 4 * VECTORS * LENGTH}, {"bytes": 4 * LENGTH * LENGTH}
    for label, time in re.findall(r"\n +(TQ\d [^|(]+?) \(.*?avg=([\d.]+) ms", output):
        kind, what = label.lower().split(" ", 1)
        packed = {"bytes": VECTORS * (4 + PLANES[kind])}
        if what == "quantize":
            buffers, args = {"in": numbers | {"file": "vectors.bin"}, "rotation": rotation, "out": packed}, [{"i32": VECTORS}]
        elif what == "dequantize":
            buffers, args = {"in": packed | {"file": kind + ".bin"}, "rotation": rotation, "out": numbers}, [{"i32": VECTORS}]
        else:
            buffers = {"query": {"bytes": 4 * LENGTH}, "in": packed | {"file": kind + ".bin"}, "out": {"bytes": 4 * VECTORS}}
            args = [{"i32": 1}, {"i32": VECTORS}]
        yield point(f"{kind}-{what.replace(' ', '-')}", "vector", f"Bobliuuu/amd-experiments {TURBOQUANT[:8]} kernels/hip, results/bench_kernels.json",
                    1e3 * float(time), "events", HOW_TURBOQUANT, "7.2", buffers,
                    {"object": os.path.basename(path), "kernel": symbol(path, f"{what.replace(' ', '_')}_kernel_{kind}"), "grid": [VECTORS, 1, 1],
                     "block": [LENGTH, 1, 1], "args": [{"buffer": buffer} for buffer in buffers] + args})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fleet", required=True, help="checkout of cklxx/fleet-mi300x")
    parser.add_argument("--turboquant", required=True, help="checkout of Bobliuuu/amd-experiments")
    parser.add_argument("--out", required=True, help="folder for points.jsonl, pairs.jsonl, objects and contents of buffers")
    parser.add_argument("--clang", default="clang-22")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    streams = list(fleet_points(options))
    points = streams + list(turboquant_points(options))
    with open(os.path.join(options.out, "points.jsonl"), "w") as file:
        file.writelines(json.dumps(made) + "\n" for made in points)
    pairs = [{"set": "handwritten", "change": f"{new} loads under way instead of {old}", "before": before["name"], "after": after["name"],
              "ratio": round(after["time_us"] / before["time_us"], 4)}
             for old, new, before, after in zip(DEPTHS, DEPTHS[1:], streams, streams[1:])]
    with open(os.path.join(options.out, "pairs.jsonl"), "w") as file:
        file.writelines(json.dumps(pair) + "\n" for pair in pairs)
    print(f"{len(points)} points and {len(pairs)} pairs in {options.out}")


if __name__ == "__main__":
    main()
