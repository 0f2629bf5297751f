#!/usr/bin/env python3
"""Executes a workgroup of every point on Kiln's simulator, which makes the first tile of the product, and compares it with numpy.

    verify.py --points DIR      # DIR as build.py made it; needs numpy. One line per point; exit code 1 if one differs
"""
import argparse
import json
import math
import os
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from device import Device  # noqa: E402


def rounded(random, shape):
    """Random numbers in bf16: their bits, and their values."""
    bits = (random.standard_normal(shape).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return bits, (bits.astype(np.uint32) << 16).view(np.float32)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", required=True, help="folder that build.py wrote")
    options = parser.parse_args()
    device, bad, random = Device(lds="160k"), 0, np.random.default_rng(1)
    with open(os.path.join(options.points, "points.jsonl")) as file:
        points = [json.loads(line) for line in file]
    for point in points:
        size = int(point["name"].rsplit("-", 1)[1])
        tile = size // math.isqrt(point["steps"][0]["grid"][0])
        (a_bits, a), (b_bits, b) = (rounded(random, (tile, size)) for _ in range(2))
        buffers = {"a": device.buffer(a_bits.tobytes()), "b": device.buffer(b_bits.tobytes()), "c": device.buffer(2 * tile * size)}
        device.run(point["steps"][0] | {"grid": [1, 1, 1]}, buffers, options.points)
        got = (np.frombuffer(buffers["c"].read(), np.uint16).reshape(tile, size)[:, :tile].astype(np.uint32) << 16).view(np.float32)
        want = a @ b.T
        error = np.linalg.norm(got - want) / np.linalg.norm(want)
        for buffer in buffers.values():
            buffer.free()
        bad += not error < 5e-3
        print("ok  " if error < 5e-3 else "FAIL", point["name"], f"error {error:.1e}", flush=True)
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
