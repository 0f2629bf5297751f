#!/usr/bin/env python3
"""Executes every point of build.py on Kiln's simulator, whole, and compares it with numpy.

    verify.py --points DIR      # DIR as build.py made it; needs numpy. One line per point; exit code 1 if one differs
"""
import argparse
import json
import os
import re
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from device import Device  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", required=True, help="folder that build.py wrote")
    options = parser.parse_args()
    device, bad, random = Device(), 0, np.random.default_rng(1)
    with open(os.path.join(options.points, "points.jsonl")) as file:
        points = [json.loads(line) for line in file]
    for point in points:
        m, n = map(int, re.search(r"(\d+)x(\d+)$", point["name"]).groups())
        given = random.integers(0, 256, (m, n), np.uint8)
        buffers = {"in": device.buffer(given.tobytes()), "out": device.buffer(m * n)}
        device.run(point["steps"][0], buffers, options.points)
        good = np.array_equal(np.frombuffer(buffers["out"].read(), np.uint8).reshape(n, m), given.T)
        for buffer in buffers.values():
            buffer.free()
        bad += not good
        print("ok  " if good else "FAIL", point["name"], flush=True)
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
