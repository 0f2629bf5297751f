"""Shared by all of AITER's launches: files of its checkout, its kernels' argument layout, its tuner's method of measurement.

Note that nothing of AITER is kept here. Tables and objects are read from the checkout when points are made.
"""
import csv
import glob
import os
import subprocess

COMMIT = "e4048607a535ace3a2b51ded31b1c8c2d45c0879"

# The tuner (aiter/test_common.py, aiter/utility/mp_tuner.py) measures a row by 101 launches over
# copies of all tensors and takes the mean of the kernels' times without outliers. It makes as many
# copies as fit into 32 GB, 101 at most. A tensor is used again after all others: none of it is left
# in L2, and in the Infinity Cache only if all copies fit into it.
COPIES, COPIED_BYTES, INFINITY_CACHE = 101, 32 << 30, 256 << 20
HOW = "torch profiler, mean of about 100 launches without outliers by quartiles; inputs rotate over {} copies"

# The tables identify a device by its number of compute units.
DEVICES = {"304": "mi300x", "80": "mi308x"}
COMPUTE_UNITS = {"mi300x": 304, "mi325x": 304, "mi308x": 80}
# Times that would need more than the device's peak are not measurements. Bytes per second of HBM;
# 8-bit operations per second of a compute unit.
HBM = {"mi300x": 5.3e12, "mi325x": 6.0e12, "mi308x": 5.3e12}
OPERATIONS = 4096 * 2.1e9


# Objects of kernels that stand for others.
STAND_INS = {"fill.hsaco", "reduce.hsaco"}


def compile_stand_in(clang, name, out):
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), name.replace(".hsaco", ".cl"))
    subprocess.run([clang, "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx942", "-nogpulib", "-O3", "-mcode-object-version=5",
                    source, "-o", os.path.join(out, name)], check=True)


def tables(aiter, pattern):
    """Rows of the checkout's tables, as dicts with `table` added, in the order of the tables' names."""
    root = os.path.join(aiter, "aiter", "configs")
    for table in sorted(glob.glob("**/" + pattern, root_dir=root, recursive=True)):
        with open(os.path.join(root, table), newline="") as file:
            for row in csv.DictReader(file):
                yield dict(row, table=table)


def plain_name(kernel):
    """The name in _ZN5aiter<length><name>E, which is also the file's name."""
    return kernel.removeprefix("_ZN5aiter").lstrip("0123456789").removesuffix("E")


def tile(kernel):
    """Rows and columns of a workgroup's tile, which are at or near the end of the kernel's name."""
    for word in kernel.split("_"):
        rows, x, columns = word.rstrip("E").partition("x")
        if x and rows.isdigit() and columns.isdigit():
            return int(rows), int(columns)
    raise ValueError(f"no tile in {kernel}")


def ceiling(a, b):
    return -(-a // b)


# AITER's kernels take every argument in a slot of 16 bytes.
def pointer(name):
    return [{"buffer": name}, {"i64": 0}]


def null():
    return [{"i64": 0}, {"i64": 0}]


def word(value, kind="i32"):
    return [{kind: value}, {"i32": 0}, {"i32": 0}, {"i32": 0}]


def step(kernel, arguments, grid, name=None):
    """name: the object's name if it isn't the kernel's."""
    return {"object": name or f"{plain_name(kernel)}.co", "kernel": kernel, "grid": grid, "block": [256, 1, 1], "dynamic_lds": 0,
            "args": [part for argument in arguments for part in argument]}


def fill_step(buffer, size):
    """Zeroes a buffer first: fill.cl represents the runtime's own kernel, which the measured time includes."""
    count = ceiling(size, 16)
    return {"object": "fill.hsaco", "kernel": "fill", "grid": [ceiling(count, 256), 1, 1], "block": [256, 1, 1], "dynamic_lds": 0,
            "args": [{"buffer": buffer}, {"i32": count}]}


def point(name, family, row, time, made):
    """A line of points.jsonl. made: has steps, buffers, flops, and the minimum of bytes to be moved."""
    copied = sum(buffer["bytes"] for buffer in made.buffers.values())
    copies = min(COPIES, COPIED_BYTES // copied + 1)
    how = HOW.format(copies)
    if len(made.steps) > 1:
        how += "; the sum of the fill of the output, for which fill.cl stands, and the kernel"
    return {
        "name": name, "family": family, "set": "aiter", "source": f"ROCm/aiter {COMMIT[:8]} aiter/configs/{row['table']}", "device": row["device"],
        "time_us": time, "cache": "cold", "infinity_cache": "warm" if copies * copied < INFINITY_CACHE else "cold", "clock_mhz": None, "data": "random",
        "how": how, "flops": made.flops, "bytes": made.bytes, "steps": made.steps, "buffers": made.buffers,
    }


def is_plausible(made):
    seconds, device = made["time_us"] * 1e-6, made["device"]
    return made["flops"] / seconds < OPERATIONS * COMPUTE_UNITS[device] and (made["infinity_cache"] == "warm" or made["bytes"] / seconds < HBM[device])
