#!/usr/bin/env python3
"""Executes every kernel of build.py on Kiln's simulator at a small size and compares it with numpy.

    verify.py --turboquant CHECKOUT --points DIR   # DIR as build.py made it; needs numpy. One line per kernel; exit code 1 if one differs
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

GROUPS, VECTORS = 4, 50
SOUGHT = np.float32(1234.5678)  # a lane whose sum is this writes it, plus a number, for its group


def run(device, point, data, grid, numbers, folder):
    """The buffers after a launch of the point with these contents and numbers."""
    buffers = {name: device.buffer(content.tobytes()) for name, content in data.items()}
    step = point["steps"][0]
    device.run(step | {"grid": grid, "args": [argument for argument in step["args"] if "buffer" in argument] + numbers}, buffers, folder)
    after = {name: buffer.read() for name, buffer in buffers.items()}
    for buffer in buffers.values():
        buffer.free()
    return after


def stream(device, point, folder):
    """The sought number at one place, in the loop and behind it, and zeros elsewhere."""
    stride, depth = GROUPS * build.BLOCK, int(point["name"].rsplit("-", 1)[1])
    count, good = 2 * depth * stride + 300, True
    for place in (depth * stride + 700, 2 * depth * stride + 299):
        w, y = np.zeros((count, 4), np.float32), np.zeros(GROUPS, np.float32)
        w[place, 2] = SOUGHT
        after = run(device, point, {"w": w, "x": np.full(1, 0.5, np.float32), "y": y}, [GROUPS, 1, 1], [{"i64": count}], folder)
        want = np.zeros(GROUPS, np.float32)
        want[place % stride // build.BLOCK] = SOUGHT + np.float32(0.5)
        good = good and np.array_equal(np.frombuffer(after["y"], np.float32), want)
    return 0.0 if good else 1.0


def planes_of(indices, bits):
    """Bit planes of a vector's indices: 64 bits of the first half, 64 of the second."""
    return np.packbits(np.stack([(indices >> bit & 1).astype(np.uint8) for bit in range(bits)], 1), axis=2, bitorder="little").reshape(len(indices), -1)


def turboquant(device, point, folder, books):
    kind, what = point["name"].removeprefix("handwritten-").split("-", 1)
    bits, random = int(kind[2]), np.random.default_rng(1)
    book = np.array([float(number.strip().rstrip("f")) for number in books[bits].split(",") if number.strip()])
    rotation = np.linalg.qr(random.standard_normal((build.LENGTH, build.LENGTH)))[0].astype(np.float32)
    layout, count = np.dtype([("norm", "<f4"), ("planes", "u1", build.PLANES[kind])]), [{"i32": VECTORS}]
    if what == "quantize":
        x = random.standard_normal((VECTORS, build.LENGTH)).astype(np.float32)
        after = run(device, point, {"in": x, "rotation": rotation, "out": np.zeros(VECTORS, layout)}, [VECTORS, 1, 1], count, folder)
        got = np.frombuffer(after["out"], layout)
        norms = np.linalg.norm(x, axis=1)
        indices = np.abs((x / norms[:, None] @ rotation.T)[:, :, None] - book).argmin(2)
        # A number in the middle between two may go to either.
        return max(np.abs(got["norm"] / norms - 1).max(), 1e-3 * np.unpackbits(got["planes"] ^ planes_of(indices, bits)).sum())
    indices = random.integers(0, 1 << bits, (VECTORS, build.LENGTH))
    packed = np.zeros(VECTORS, layout)
    packed["norm"], packed["planes"] = random.uniform(1, 2, VECTORS), planes_of(indices, bits)
    if what == "dequantize":
        data, grid = {"in": packed, "rotation": rotation, "out": np.zeros((VECTORS, build.LENGTH), np.float32)}, [VECTORS, 1, 1]
        want = book[indices] @ rotation * packed["norm"][:, None]
    else:
        query = random.standard_normal(build.LENGTH).astype(np.float32)
        data, grid = {"query": query, "in": packed, "out": np.zeros(VECTORS, np.float32)}, [VECTORS, 1, 1]
        want, count = book[indices] @ query * packed["norm"], [{"i32": 1}, {"i32": VECTORS}]
    got = np.frombuffer(run(device, point, data, grid, count, folder)["out"], np.float32).reshape(want.shape)
    return np.linalg.norm(got - want) / np.linalg.norm(want)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turboquant", required=True, help="checkout of Bobliuuu/amd-experiments")
    parser.add_argument("--points", required=True, help="folder that build.py wrote")
    options = parser.parse_args()
    books = build.codebooks(build.read(options.turboquant, "kernels", "hip", "turboquant_mi300x.h"))
    device, bad = Device(), 0
    with open(os.path.join(options.points, "points.jsonl")) as file:
        points = [json.loads(line) for line in file]
    for point in points:
        is_stream = "stream" in point["name"]
        error = stream(device, point, options.points) if is_stream else turboquant(device, point, options.points, books)
        bad += not error < 1e-2
        print("ok  " if error < 1e-2 else "FAIL", point["name"], f"error {error:.1e}", flush=True)
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
