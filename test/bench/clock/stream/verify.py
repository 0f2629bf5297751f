#!/usr/bin/env python3
"""Executes every loop of kernels.cl on Kiln's simulator at a small size and compares it with numpy.

    verify.py --points DIR      # DIR as build.py made it; needs numpy. One line per kernel; exit code 1 if one differs
"""
import argparse
import glob
import os
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import build  # noqa: E402
from device import Device  # noqa: E402

COUNT, BLOCK = 5000, 192


def wanted(loop, a, b, c, d):
    """The contents of `a` afterwards."""
    a = a.copy()
    if loop == "init":
        a[:] = 0.23
    elif loop == "read":
        a[b == 123.0] = 1.0
    elif loop == "scale":
        a[:] = 1.2 * b
    elif loop == "triad":
        a[:] = b * d + c
    elif loop == "stencil3":
        a[1:-1] = 0.5 * (b[:-2] + b[2:]) - b[1:-1]
    else:
        a[2:-2] = 0.25 * (b[:-4] + b[1:-3]) + 0.5 * (b[3:-1] + b[4:]) - b[2:-2]
    return a


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", required=True, help="folder that build.py wrote")
    options = parser.parse_args()
    device, bad = Device(), 0
    # One of the objects with a folded index is enough, with as many work-items as wrap around once.
    cases = [("memory.hsaco", loop, COUNT) for loop in build.LOOPS]
    folded = sorted(os.path.basename(path) for path in glob.glob(os.path.join(options.points, "length*.hsaco")))[0]
    length = int(folded.removeprefix("length").removesuffix(".hsaco"))
    cases += [(folded, loop, length) for loop in build.CACHE_COLUMNS]
    for name, loop, count in cases:
        arrays, _ = build.LOOPS[loop]
        data = dict(zip("abcd", np.random.default_rng(1).standard_normal((4, count))))
        data["b"][7::100] = 123.0
        buffers = {array: device.buffer(data[array].tobytes()) for array in arrays}
        # A folded index: twice as many work-items, which write the same values again.
        groups = -(-count // BLOCK) * (1 if name == "memory.hsaco" else 2)
        device.run({"object": name, "kernel": loop, "grid": [groups, 1, 1], "block": [BLOCK, 1, 1], "dynamic_lds": build.reserved_lds(2),
                    "args": [{"buffer": array} for array in arrays] + [{"i64": count}]}, buffers, options.points)
        got = np.frombuffer(buffers["a"].read(), np.float64)
        good = np.allclose(got, wanted(loop, **data), rtol=1e-14, atol=1e-14)
        for buffer in buffers.values():
            buffer.free()
        bad += not good
        print("ok  " if good else "FAIL", name, loop)
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
