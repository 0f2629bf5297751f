#!/usr/bin/env python3
"""Points of AITER's prebuilt assembly kernels: the measured code objects themselves, from a checkout of ROCm/aiter, and its tuning tables' times.

    git clone https://github.com/ROCm/aiter && git -C aiter checkout e4048607a535ace3a2b51ded31b1c8c2d45c0879
    build.py --aiter aiter --out DIR            # needs numpy; writes DIR/points.jsonl, and objects and lists next to it

Only objects (hsa/gfx942) and tables of that checkout are read, and nothing in it is compiled or kept here. gemm.py, moe.py and attention.py select the rows. Objects
of backward.py, mla.py and paged.py, which have no times, are copied for verify.py. Note that times of kernels that add into their output atomically include a preceding fill of it.
"""
import argparse
import json
import os
import shutil

import attention
import backward
import gemm
import launch
import mla
import moe
import paged
import paged_split


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--aiter", required=True, help="checkout of ROCm/aiter")
    parser.add_argument("--out", required=True, help="folder for points.jsonl and the objects")
    parser.add_argument("--clang", default="clang-22")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    for name in sorted(launch.STAND_INS):
        launch.compile_stand_in(options.clang, name, options.out)
    made = [point for family in (gemm, moe, attention) for point in family.points(options.aiter, options.out)]
    points = [point for point in made if launch.is_plausible(point)]
    print("".join(f"left out, above the device's peak: {point['name']}\n" for point in made if point not in points), end="")
    unmeasured = backward.objects(options.aiter) | paged.objects(options.aiter) | paged_split.objects(options.aiter) | mla.objects()
    for path in gemm.objects(points) | moe.objects(points, options.aiter) | attention.objects(points) | unmeasured:
        shutil.copyfile(os.path.join(options.aiter, "hsa", "gfx942", path), os.path.join(options.out, os.path.basename(path)))
    names = set()
    with open(os.path.join(options.out, "points.jsonl"), "w") as file:
        for point in points:
            if point["name"] in names:
                raise SystemExit(f"two points are named {point['name']}")
            names.add(point["name"])
            file.write(json.dumps(point) + "\n")
    print(f"{len(points)} points in {options.out}/points.jsonl")


if __name__ == "__main__":
    main()
