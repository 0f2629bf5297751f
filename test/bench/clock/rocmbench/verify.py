#!/usr/bin/env python3
"""Executes a point of every kernel, kind of loop and type on Kiln's simulator and compares it with numpy.

    verify.py --points DIR      # DIR as build.py made it; needs numpy. One line per point; exit code 1 if one differs
"""
import argparse
import json
import os
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from device import Device  # noqa: E402

TOLERANCE = {2: 2e-3, 4: 1e-5}  # by bytes of an element of the result


def parts(point):
    """Kernel, M, N, K and the other parameters of the name."""
    _, kernel, shape, rest = point["name"].split("-", 3)
    return (kernel, *map(int, shape.split("x")), rest.split("-"))


def kind_of(point):
    kernel, _, _, _, rest = parts(point)
    return (kernel, *(word for word in rest if not word.isdigit()))


def product(random, m, n, k, kind):
    a, b = random.standard_normal((m, k)).astype(kind), random.standard_normal((k, n)).astype(kind)
    return [a, b], a.astype(float) @ b.astype(float)


def case(kernel, random, m, n, k, rest):
    """Contents of the buffers before the last one, and what the last one is to contain."""
    kind = np.float32 if "fp32" in rest else np.float16
    if kernel in ("iv_dependent_matmul", "triton_matmul_kernel"):
        return product(random, m, n, k, kind)
    if kernel == "batched_vecmat":
        a, b = random.standard_normal((m, k)).astype(kind), random.standard_normal((m, n, k)).astype(kind)
        return [a, b], np.einsum("mk,mnk->mn", a.astype(float), b.astype(float))
    a, b, c = (random.standard_normal((rows, k)).astype(kind) * kind(0.25) for rows in (m, n, n))
    inner = (a.astype(float) @ b.T.astype(float)).astype(np.float16).astype(float)
    return [a, b, c], inner @ c.astype(float)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", required=True, help="folder that build.py wrote")
    options = parser.parse_args()
    with open(os.path.join(options.points, "points.jsonl")) as file:
        points = [json.loads(line) for line in file]
    smallest = {}
    for point in sorted(points, key=lambda point: -np.prod(parts(point)[1:4])):
        smallest[kind_of(point)] = point
    device, bad, random = Device(lds="160k"), 0, np.random.default_rng(1)
    for point in smallest.values():
        kernel, m, n, k, rest = parts(point)
        given, want = case(kernel, random, m, n, k, rest)
        names = list(point["buffers"])
        buffers = {name: device.buffer(data.tobytes()) for name, data in zip(names, given)}
        size = point["buffers"][names[-1]]["bytes"]
        buffers[names[-1]] = device.buffer(size)
        device.run(point["steps"][0], buffers, options.points)
        width = size // want.size
        got = np.frombuffer(buffers[names[-1]].read(), np.float16 if width == 2 else np.float32).reshape(want.shape)
        error = np.linalg.norm(got - want) / np.linalg.norm(want)
        for buffer in buffers.values():
            buffer.free()
        # Sums in f16, which batched_vecmat makes, are off by more.
        limit = 1e-2 if kernel == "batched_vecmat" and width == 2 else TOLERANCE[width]
        bad += not error < limit
        print("ok  " if error < limit else "FAIL", point["name"], f"error {error:.1e}", flush=True)
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
