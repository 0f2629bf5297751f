#!/usr/bin/env python3
"""Executes every kernel of the points on Kiln's simulator at a small size and compares it with numpy, which checks arguments, grids and layouts.

    verify.py --aiter aiter --points DIR [WORD]    # both as for build.py; needs numpy. One line per kernel whose name has WORD; exit code 1 if one differs
"""
import argparse
import itertools
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import check_attention  # noqa: E402
import check_backward  # noqa: E402
import check_gemm  # noqa: E402
import check_mla  # noqa: E402
import check_moe  # noqa: E402
import check_paged  # noqa: E402
from device import Device  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--aiter", required=True, help="checkout of ROCm/aiter")
    parser.add_argument("--points", required=True, help="folder that build.py wrote")
    parser.add_argument("word", nargs="?", default="")
    options = parser.parse_args()
    device, bad = Device(order="time"), 0  # some kernels are right only if their waves run in step, as on the machine (docs/simulator.md)
    families = (check_gemm, check_moe, check_attention, check_backward, check_paged, check_mla)
    for name, check, allowed in itertools.chain.from_iterable(family.cases(options.aiter) for family in families):
        if options.word not in name:
            continue
        try:
            error = check(device, options.points)
            text = f"error {error:.2e}"
        except RuntimeError as reason:
            error, text = 1, str(reason)
        good = error < allowed
        bad += not good
        print("ok  " if good else "FAIL", f"{name}:", text, flush=True)
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
