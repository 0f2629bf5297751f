#!/usr/bin/env python3
"""Points of AITER's prebuilt assembly GEMMs: the very code objects that were measured, from a checkout of ROCm/aiter, and its tuning tables' times.

    git clone https://github.com/ROCm/aiter && git -C aiter checkout e4048607a535ace3a2b51ded31b1c8c2d45c0879
    build.py --aiter aiter --out DIR            # writes DIR/points.jsonl and the objects beside it

Only hsa/gfx942 and aiter/configs of that checkout are read, and nothing in it is compiled or kept here. What a reader gets wrong: with split_k above
1 and an 8-bit GEMM the time holds a fill of the output, too, which runs before.
"""
import argparse
import csv
import glob
import json
import os
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
COMMIT = "e4048607a535ace3a2b51ded31b1c8c2d45c0879"

# What the tuner (aiter/test_common.py, aiter/utility/mp_tuner.py) does for a row: 101 launches over as many copies of all tensors, the mean of the
# kernels' times without outliers. A tensor comes round again after 101 others: nothing of it is left in L2, and in the Infinity Cache only where
# 101 copies fit into it.
COPIES, INFINITY_CACHE = 101, 256 << 20
HOW = "torch profiler, mean of about 100 launches without outliers by quartiles; inputs rotate over 101 copies"


# The tables tell a device by its compute units.
DEVICES = {"304": "mi300x", "80": "mi308x"}
# Of the rows of one table, which differ little from their neighbours, every third is taken.
LONG_TABLE = "model_configs/a8w8_blockscale_bpreshuffle_tuned_gemm_dsv3.csv"


def gemm_rows(aiter):
    """The rows to take: all of gfx942 in the checkout's tables whose kernel is an assembly GEMM; `table` and `device` are added to each."""
    rows = []
    for table in sorted(glob.glob("**/*.csv", root_dir=os.path.join(aiter, "aiter", "configs"), recursive=True)):
        with open(os.path.join(aiter, "aiter", "configs", table), newline="") as file:
            found = [dict(row, table=table, device=DEVICES[row["cu_num"]]) for row in csv.DictReader(file)
                     if row.get("gfx") == "gfx942" and row.get("libtype") == "asm"]
        rows += found[::3] if table == LONG_TABLE else found
    return rows


def tile(kernel):
    """Rows and columns of a workgroup's tile, which the kernel's name ends or nearly ends with."""
    for word in kernel.split("_"):
        rows, x, columns = word.rstrip("E").partition("x")
        if x and rows.isdigit() and columns.isdigit():
            return int(rows), int(columns)
    raise ValueError(f"no tile in {kernel}")


def plain_name(kernel):
    """The name in _ZN5aiter<length><name>E, which is the file's, too."""
    return kernel.removeprefix("_ZN5aiter").lstrip("0123456789").removesuffix("E")


# AITER's kernels take every argument in a slot of 16 bytes.
def pointer(name):
    return [{"buffer": name}, {"i64": 0}]


def null():
    return [{"i64": 0}, {"i64": 0}]


def word(value, kind="i32"):
    return [{kind: value}, {"i32": 0}, {"i32": 0}, {"i32": 0}]


def ceiling(a, b):
    return -(-a // b)


class Gemm:
    """A row's launch: steps and buffers. bytes: what a GEMM must move at least."""

    def __init__(self, m, n, k, split_k, kernel, element):
        self.m, self.n, self.k, self.split_k, self.kernel = m, n, k, split_k, kernel
        rows, columns = tile(kernel)
        assert n % columns == 0, (kernel, n)
        self.tiles_m, self.tiles_n = ceiling(m, rows), n // columns
        self.bytes = (m * k + n * k) * element + m * n * 2
        self.data = "random"

    def step(self, folder, arguments, grid):
        return {"object": f"{plain_name(self.kernel)}.co", "kernel": self.kernel, "grid": grid, "block": [256, 1, 1], "dynamic_lds": 0,
                "args": [part for argument in arguments for part in argument]}

    def fill_step(self):
        count = ceiling(self.m * self.n * 2, 16)
        return {"object": "fill.hsaco", "kernel": "fill", "grid": [ceiling(count, 256), 1, 1], "block": [256, 1, 1], "dynamic_lds": 0,
                "args": [{"buffer": "C"}, {"i32": count}]}


class Gemm8(Gemm):
    """i8 with a scale per row and column, or fp8 (e4m3fnuz) with scales per 1x128 of A and 128x128 of B; out is bf16.
    B is shuffled: 16 rows by 32 bytes at a time, in that order (row, k16 of 2) -> (k16, row). fp8: A's scales are column-major."""

    def __init__(self, m, n, k, split_k, kernel):
        super().__init__(m, n, k, split_k, kernel, 1)
        self.blockscale = "blockscale" in kernel
        # The tuner pads the rows of A for i8 by 128.
        lda = k if self.blockscale else k + 128
        groups = ceiling(k, 128)
        self.buffers = {
            "A": {"bytes": m * lda, "fill": "randf16"},
            "B": {"bytes": n * k, "fill": "randf16"},
            "C": {"bytes": m * n * 2, "fill": "zeros"},
            "scale_a": {"bytes": 4 * m * (groups if self.blockscale else 1), "fill": "randf32"},
            "scale_b": {"bytes": 4 * (ceiling(n, 128) * groups if self.blockscale else n), "fill": "randf32"},
            "bias": {"bytes": 4 * n, "fill": "zeros"},
        }
        arguments = [pointer(name) for name in ("C", "A", "B", "scale_a", "scale_b", "bias")]
        arguments += [word(value) for value in (m, n, k, lda, k, 2 * n, split_k)]
        if self.blockscale:
            arguments += [word(value) for value in (m, ceiling(n, 128), groups)]
        self.steps = [self.fill_step()] if split_k > 1 else []
        self.steps.append(self.step("", arguments, [self.tiles_n * split_k, self.tiles_m, 1]))


class GemmBf16(Gemm):
    """bf16, out bf16, no shuffle; K is split by the grid's z, and the workgroup that comes last to a tile adds up, told by a semaphore a tile."""

    def __init__(self, m, n, k, split_k, kernel):
        super().__init__(m, n, k, split_k, kernel, 2)
        self.buffers = {
            "A": {"bytes": m * k * 2, "fill": "randbf16"},
            "B": {"bytes": n * k * 2, "fill": "randbf16"},
            "D": {"bytes": m * n * 2, "fill": "zeros"},
            "semaphores": {"bytes": 4 * 1024, "fill": "zeros"},
        }
        arguments = [pointer("D"), null(), pointer("A"), pointer("B"), word(1.0, "f32"), word(0.0, "f32")]
        arguments += [word(value) for value in (2 * n, 0, 2 * n, 0, 2 * k, 0, 2 * k, 0, m, n, k, split_k, 1)]
        arguments += [null(), word(0), pointer("semaphores")]
        self.steps = [self.step("", arguments, [self.tiles_n, self.tiles_m, split_k])]


def gemm(m, n, k, split_k, kernel):
    return (GemmBf16 if "bf16gemm_fp32bf16" in kernel else Gemm8)(m, n, k, split_k, kernel)


FOLDERS = {"I8gemm": "i8gemm", "fp8gemm": "fp8gemm_blockscale", "bf16gemm": "bf16gemm"}


def gemm_point(row):
    m, n, k, split_k = (int(row[name]) for name in ("M", "N", "K", "splitK"))
    made = gemm(m, n, k, split_k, row["kernelName"])
    short = plain_name(row["kernelName"])
    rotation = COPIES * sum(buffer["bytes"] for name, buffer in made.buffers.items())
    mall = "warm" if rotation < INFINITY_CACHE else "cold"
    how = HOW + "; the sum of the fill of C, for which fill.cl stands, and the GEMM" if len(made.steps) > 1 else HOW
    return {
        "name": f"aiter-{row['device']}-{short}-{m}x{n}x{k}-s{split_k}", "family": "gemm", "set": "aiter",
        "source": f"ROCm/aiter {COMMIT[:8]} aiter/configs/{row['table']}", "device": row["device"], "time_us": float(row["us"]),
        "cache": "cold", "infinity_cache": mall, "clock_mhz": None, "data": "random", "how": how,
        "flops": 2.0 * m * n * k, "bytes": made.bytes, "steps": made.steps, "buffers": made.buffers,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--aiter", required=True, help="checkout of ROCm/aiter")
    parser.add_argument("--out", required=True, help="folder for points.jsonl and the objects")
    parser.add_argument("--clang", default="clang-22")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    subprocess.run([options.clang, "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx942", "-nogpulib", "-O3",
                    "-mcode-object-version=5", os.path.join(HERE, "fill.cl"), "-o", os.path.join(options.out, "fill.hsaco")], check=True)
    points = [gemm_point(row) for row in gemm_rows(options.aiter)]
    for name in sorted({step["object"] for point in points for step in point["steps"]} - {"fill.hsaco"}):
        folder = FOLDERS[name.split("_")[0]]
        shutil.copyfile(os.path.join(options.aiter, "hsa", "gfx942", folder, name), os.path.join(options.out, name))
    seen = {}
    with open(os.path.join(options.out, "points.jsonl"), "w") as file:
        for point in points:
            if seen.setdefault(point["name"], point) is not point:
                raise SystemExit(f"two points are named {point['name']}")
            file.write(json.dumps(point) + "\n")
    print(f"{len(points)} points in {options.out}/points.jsonl")


if __name__ == "__main__":
    main()
