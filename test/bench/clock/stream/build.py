#!/usr/bin/env python3
"""Points of streaming loops: kernels.cl of this folder, with times of RRZE-HPC/gpu-benches on MI300X or MI300A.

    build.py --rrze CHECKOUT --out DIR [--device mi300a]    # writes DIR/points.jsonl and the objects next to it

CHECKOUT is a checkout of that repository at COMMIT; of it only the tables gpu-stream/DEVICE.txt and gpu-l2-stream/DEVICE.txt are read. Neither the
tables nor anything else of it is part of Kiln, and its programs are neither built nor used: kernels.cl computes the same loops. README.md says how
the times were measured. Note that a rate counts every array named in the loop, so triad moves four streams, a stencil two.
"""
import argparse
import json
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
COMMIT = "1038c5d0d0f48cfe9912930d34eb2d8a31b72b9b"
# Device -> set, prefix of names, peaks of HBM and L2 in GB/s (higher rates do not measure that memory), every how many rows and sizes are taken.
DEVICES = {"mi300x": ("stream", "rrze", 5300.0, 34400.0, 3, 1), "mi300a": ("stream-mi300a", "rrze-mi300a", 5300.0, 25800.0, 6, 2)}

# Loop -> arrays it touches, the streams its rate counts.
LOOPS = {"init": ("a", 1), "read": ("ab", 1), "scale": ("ab", 2), "triad": ("abcd", 4), "stencil3": ("ab", 2), "stencil5": ("ab", 2)}
MEMORY_COLUMNS = ["init", "read", "scale", "triad", "stencil3", "stencil5"]
MEMORY_COUNT = (256 << 20) + 2  # elements of each array
CACHE_COLUMNS = ["read", "scale", "triad", "init"]
CACHE_COUNT = (1 << 30) + 2  # work-items, which share `length` elements
CACHE_KILOBYTES = [383, 1279, 3071, 6015, 10495, 21375]  # of two arrays: the rows taken
CACHE_GROUPS = [(64, 2), (256, 2), (1024, 2)]            # work-items of a group, groups a CU: the rows taken


def cache_length(kilobytes):
    """Elements of an array, from the column that holds two arrays' KB, rounded down: lengths there are odd multiples of 32, and one."""
    return kilobytes * 64 + 33


def reserved_lds(groups):
    """Bytes of LDS that a group requests, in steps of 256, so that `groups` of them fit into a CU's 64 KB and one more does not: this is how the benchmark
    sets the occupancy."""
    return (65536 // (groups + 1) // 256 + 1) * 256


def point(device, name, family, source, loop, count, length, block, groups, rate, how):
    arrays, streams = LOOPS[loop]
    size = 8 * length
    buffers = {array: {"bytes": size, "fill": "zeros"} for array in arrays}
    return {
        "name": f"{DEVICES[device][1]}-{name}", "family": family, "set": DEVICES[device][0],
        "source": f"RRZE-HPC/gpu-benches {COMMIT[:8]} {source}/{device}.txt", "device": device,
        "time_us": 8e-3 * streams * count / rate, "timer": "events", "cache": "warm", "infinity_cache": "unknown", "clock_mhz": None, "data": "constant", "how": how,
        "flops": 0, "bytes": len(arrays) * size, "buffers": buffers,
        "steps": [{"object": ("memory" if length == count else f"length{length}") + ".hsaco", "kernel": loop,
                   "grid": [count // block + 1, 1, 1], "block": [block, 1, 1], "dynamic_lds": reserved_lds(groups),
                   "args": [{"buffer": array} for array in arrays] + [{"i64": count}]}],
    }


def memory_points(root, device, step):
    """Rows: block, groups per CU, threads, occupancy, then one rate per loop."""
    how = "events around each of 31 launches after one to warm up, the median; arrays of 2 GB"
    with open(os.path.join(root, "gpu-stream", device + ".txt")) as file:
        rows = [line.replace("|", " ").replace("GB/s:", " ").split() for line in file if "GB/s:" in line]
    for row in rows[::step]:
        block, groups = int(row[0]), int(row[2])
        for loop, rate in zip(MEMORY_COLUMNS, map(float, row[4:])):
            name = f"{loop}-{block}x{groups}"
            yield rate, DEVICES[device][2], point(device, name, "stream", "gpu-stream", loop, MEMORY_COUNT, MEMORY_COUNT, block, groups, rate, how)


def cache_points(root, device, step):
    """Rows: block, groups per CU, threads, KB of two arrays, occupancy, then for each loop the rate of the fastest, median and slowest launch."""
    how = "events around each of 11 launches after one to warm up, the median; 2^30 work-items over arrays that fit a cache"
    with open(os.path.join(root, "gpu-l2-stream", device + ".txt")) as file:
        rows = [line.replace("|", " ").replace("GB/s:", " ").split() for line in file if "GB/s:" in line]
    for row in rows:
        block, groups, kilobytes = int(row[0]), int(row[1]), int(row[3])
        if kilobytes not in CACHE_KILOBYTES[::step] or (block, groups) not in CACHE_GROUPS:
            continue
        for loop, rate in zip(CACHE_COLUMNS, map(float, row[6::3])):
            name = f"l2-{loop}-{kilobytes}k-{block}x{groups}"
            yield rate, DEVICES[device][3], point(device, name, "cache", "gpu-l2-stream", loop, CACHE_COUNT, cache_length(kilobytes), block, groups, rate, how)


def compile_kernels(options, out, length):
    subprocess.run([options.clang, "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx942", "-nogpulib", "-O3",
                    "-mcode-object-version=5", os.path.join(HERE, "kernels.cl"), "-o", os.path.join(options.out, out)]
                   + ([f"-DLENGTH={length}"] if length else []), check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rrze", required=True, help="checkout of RRZE-HPC/gpu-benches")
    parser.add_argument("--out", required=True, help="folder for points.jsonl and the objects")
    parser.add_argument("--clang", default="clang-22")
    parser.add_argument("--device", choices=DEVICES, default="mi300x")
    parser.add_argument("--memory-step", type=int, help="every how many rows of the table of memory to take")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    *_, memory_step, cache_step = DEVICES[options.device]
    lengths = [cache_length(kilobytes) for kilobytes in CACHE_KILOBYTES]
    compile_kernels(options, "memory.hsaco", None)
    for length in lengths:
        compile_kernels(options, f"length{length}.hsaco", length)
    candidates = list(memory_points(options.rrze, options.device, options.memory_step or memory_step))
    candidates += cache_points(options.rrze, options.device, cache_step)
    count = 0
    with open(os.path.join(options.out, "points.jsonl"), "w") as file:
        for rate, peak, made in candidates:
            if rate > peak:
                print(f"left out, {rate:.0f} GB/s are above the peak of {peak:.0f}: {made['name']}")
                continue
            file.write(json.dumps(made) + "\n")
            count += 1
    print(f"{count} points in {options.out}/points.jsonl")


if __name__ == "__main__":
    main()
