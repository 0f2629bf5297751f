#!/usr/bin/env python3
"""Points of eager PyTorch on MI300X: kernels.cl of this folder, with the times of KernelBench's problems in RLsys-Foundation/TritonForge.

    build.py --tritonforge CHECKOUT --out DIR     # writes DIR/points.jsonl and the object next to it

CHECKOUT is a checkout of that repository at COMMIT, of which only one table of times is read. Neither it nor the measured kernels are part of Kiln.
README.md says how the times were measured, and which problems are used. Note that a time includes the host's time to launch.
"""
import argparse
import json
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
COMMIT = "b61331ad2c6fd0c6b315b4270621474ff7120d6b"
TABLE = os.path.join("KBenchEval", "results", "timing", "MI300X_rocm", "baseline_time_torch.json")
HOW = "events around each of 100 launches, after which the host waits; the mean"
ABOVE_FLOOR = 10  # times the table's smallest mean; below it too much of a time is the host's
CUBES, SIDE, AVERAGE, MOST = 16 * 32, 64, 32, 30
ELEMENTS = 16384 * 4096

# Problem -> kernel, buffers' bytes in the order of arguments, other arguments, grid and block of a launch.
PROBLEMS = {
    "5_Matrix_scalar_multiplication.py": ("scale", {"out": 4 * ELEMENTS, "in": 4 * ELEMENTS}, [{"f32": 3.14}, {"i64": ELEMENTS}],
                                          [ELEMENTS // 1024, 1, 1], [256, 1, 1]),
    "43_Max_Pooling_3D.py": ("most_pool", {"out": 4 * CUBES * MOST**3, "places": 8 * CUBES * MOST**3, "in": 4 * CUBES * SIDE**3}, [],
                             [1, -(-MOST // 8), MOST * CUBES], [32, 8, 1]),
    "46_Average_Pooling_3D.py": ("average_pool", {"out": 4 * CUBES * AVERAGE**3, "in": 4 * CUBES * SIDE**3}, [],
                                 [1, AVERAGE // 8, AVERAGE * CUBES], [32, 8, 1]),
}


def compile_kernels(clang, out):
    subprocess.run([clang, "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx942", "-nogpulib", "-O3", "-mcode-object-version=5",
                    os.path.join(HERE, "kernels.cl"), "-o", out], check=True)


def step(problem):
    kernel, buffers, numbers, grid, block = PROBLEMS[problem]
    return {"object": "kernels.hsaco", "kernel": kernel, "grid": grid, "block": block, "args": [{"buffer": name} for name in buffers] + numbers}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tritonforge", required=True, help="checkout of RLsys-Foundation/TritonForge")
    parser.add_argument("--out", required=True, help="folder for points.jsonl and the object")
    parser.add_argument("--clang", default="clang-22")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    compile_kernels(options.clang, os.path.join(options.out, "kernels.hsaco"))
    with open(os.path.join(options.tritonforge, TABLE)) as file:
        means = {name: 1e3 * row["mean"] for name, row in json.load(file)["level1"].items()}
    floor, count = min(means.values()), 0
    with open(os.path.join(options.out, "points.jsonl"), "w") as file:
        for problem in PROBLEMS:
            if means[problem] < ABOVE_FLOOR * floor:
                print(f"left out, {means[problem]:.1f} us are below {ABOVE_FLOOR} times {floor:.1f} us: {problem}")
                continue
            file.write(json.dumps({
                "name": f"pytorch-{problem.removesuffix('.py')}", "family": "memory", "set": "pytorch",
                "source": f"RLsys-Foundation/TritonForge {COMMIT[:8]} {TABLE}", "device": "mi300x", "time_us": means[problem], "timer": "events", "host_waits": True,
                "cache": "warm", "infinity_cache": "warm", "clock_mhz": None, "data": "random", "how": HOW,
                "buffers": {name: {"bytes": size} for name, size in PROBLEMS[problem][1].items()}, "steps": [step(problem)],
            }) + "\n")
            count += 1
    print(f"{count} points in {options.out}/points.jsonl")


if __name__ == "__main__":
    main()
