#!/usr/bin/env python3
"""Executes every kernel of kernels.cl on Kiln's simulator, on two cubes or a few elements, and compares it with numpy.

    verify.py      # needs numpy. One line per kernel; exit code 1 if one differs
"""
import os
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import build  # noqa: E402
from device import Device  # noqa: E402

CUBES, COUNT = 2, 5000


def windows(x, out, apart, around):
    """[cube, 27, out, out, out]: each result's window, the last index fastest."""
    x = np.pad(x, [(0, 0)] + [(1, 3 * apart)] * 3, constant_values=around)
    parts = [x[:, z:z + 2 * out:2, y:y + 2 * out:2, w:w + 2 * out:2] for z in range(0, 3 * apart, apart) for y in range(0, 3 * apart, apart)
             for w in range(0, 3 * apart, apart)]
    return np.stack(parts, axis=1)


def main():
    device, bad, random = Device(), 0, np.random.default_rng(1)
    cubes = random.standard_normal((CUBES,) + (build.SIDE,) * 3).astype(np.float32)
    flat = random.standard_normal(COUNT).astype(np.float32)
    means = windows(cubes.astype(np.float64), build.AVERAGE, 1, 0).sum(axis=1) / 27
    most = windows(cubes, build.MOST, 3, -np.inf).max(axis=1)
    cases = [("scale", flat, [-(-COUNT // 1024), 1, 1], [256, 1, 1], [{"f32": 3.14}, {"i64": COUNT}], flat * 3.14),
             ("average_pool", cubes, [1, build.AVERAGE // 8, build.AVERAGE * CUBES], [32, 8, 1], [], means),
             ("most_pool", cubes, [1, -(-build.MOST // 8), build.MOST * CUBES], [32, 8, 1], [], most)]
    with tempfile.TemporaryDirectory() as root:
        build.compile_kernels("clang-22", os.path.join(root, "kernels.hsaco"))
        for kernel, data, grid, block, numbers, want in cases:
            buffers = {"in": device.buffer(data.tobytes()), "out": device.buffer(4 * want.size), "places": device.buffer(8 * want.size)}
            names = ["out", "places", "in"] if kernel == "most_pool" else ["out", "in"]
            device.run({"object": "kernels.hsaco", "kernel": kernel, "grid": grid, "block": block,
                        "args": [{"buffer": name} for name in names] + numbers}, buffers, root)
            got = np.frombuffer(buffers["out"].read(), np.float32).reshape(want.shape)
            good = np.allclose(got, want, rtol=1e-5, atol=1e-6)
            if kernel == "most_pool":
                places = np.frombuffer(buffers["places"].read(), np.int64).reshape(CUBES, -1)
                good = good and all(np.array_equal(cubes[c].ravel()[places[c]], want[c].ravel()) for c in range(CUBES))
            for buffer in buffers.values():
                buffer.free()
            bad += not good
            print("ok  " if good else "FAIL", kernel)
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
