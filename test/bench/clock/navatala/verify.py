#!/usr/bin/env python3
"""Executes every object of build.py on Kiln's simulator at a small size and compares it with numpy.

    verify.py --navatala CHECKOUT --points DIR   # DIR as build.py made it; needs numpy. One line per object; exit code 1 if one differs
"""
import argparse
import json
import os
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import build  # noqa: E402
from device import Device  # noqa: E402

SHAPES = {"axpy": "n=1000", "spmv": "rows=300,rowNnz=70"}


def shape_of(name, at):
    kind = build.kind_of(name)
    if kind != "gemm":
        return SHAPES[kind]
    # Kernels without bounds need whole tiles; the others get tails.
    sizes = "m=131,n=66,k=77" if "edge" in name else "m=128,n=256,k=64"
    flags = [f"{key}={at[key]}" for key in ("transA", "transB", "alpha", "beta") if key in at]
    return ",".join([sizes, *flags])


def stored(matrix, transposed):
    return np.ascontiguousarray(matrix.T if transposed else matrix)


def given_and_wanted(name, launch, random):
    """Contents of the buffers, and of the one that the kernel writes."""
    if "axpy" in name:
        x, y = (random.standard_normal(launch.values["n"]).astype(np.float32) for _ in range(2))
        return {"x": x, "y": y}, ("y", y + launch.values["alpha"] * x)
    if "spmv" in name:
        offsets, indices = launch.contents["offsets"], launch.contents["indices"]
        rows = launch.values["numVertices"]
        weights, x = random.standard_normal(indices.shape).astype(np.float32), random.standard_normal(rows).astype(np.float32)
        return {"offsets": offsets, "indices": indices, "weights": weights, "x": x}, ("y", (weights * x[indices]).sum(axis=1))
    m, n, k = (launch.values[key] for key in "mnk")
    kind = np.float32 if name.endswith("gemm_f32") else np.float16
    a, b, c = random.standard_normal((m, k)).astype(kind), random.standard_normal((k, n)).astype(kind), random.standard_normal((m, n)).astype(np.float32)
    want = launch.values["alpha"] * (a.astype(float) @ b.astype(float)) + launch.values["beta"] * c
    return {"a": stored(a, launch.values["transA"]), "b": stored(b, launch.values["transB"]), "c": c}, ("c", want)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--navatala", required=True, help="git checkout of navatala-systems/navatala_gpu, with its history")
    parser.add_argument("--points", required=True, help="folder that build.py wrote")
    options = parser.parse_args()
    options.out, options.clang = options.points, "clang-22"
    with open(os.path.join(options.points, "points.jsonl")) as file:
        made = {(point["steps"][0]["object"], point["name"].endswith("scaled")): point for point in map(json.loads, file)}
    kernels = {(build.object_of(name, version), build.short_shape(shape).endswith("scaled")): (name, shape, text)
               for (name, version, shape), (text, _) in build.measurements(options)[0].items()}
    device, bad, random = Device(), 0, np.random.default_rng(1)
    for key, point in made.items():
        name, shape, text = kernels[key]
        small = shape_of(name, build.numbers(shape))
        launch = build.Launch(name, small)
        args = launch.arguments(text)
        given, (output, want) = given_and_wanted(name, launch, random)
        data = {buffer: bytes(content) for buffer, content in launch.contents.items()} | {buffer: array.tobytes() for buffer, array in given.items()}
        buffers = {buffer: device.buffer(data.get(buffer, size)) for buffer, size in launch.sizes.items()}
        device.run(point["steps"][0] | {"grid": launch.grid, "args": args}, buffers, options.points)
        got = np.frombuffer(buffers[output].read(), np.float32).reshape(want.shape)
        error = np.linalg.norm(got - want) / np.linalg.norm(want)
        for buffer in buffers.values():
            buffer.free()
        bad += not error < 1e-5
        print("ok  " if error < 1e-5 else "FAIL", key[0], small, f"error {error:.1e}", flush=True)
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
