#!/usr/bin/env python3
"""Points of MIOpen's convolutions: its assembly kernels, with the times of its find-db for gfx942 with 304 compute units.

    build.py --miopen CHECKOUT --out DIR     # writes DIR/points.jsonl and the objects next to it

CHECKOUT is a checkout of ROCm/MIOpen; of it the find-db, the perf-db and sources of kernels are read, none of which is part of Kiln. Rows are selected in
the order of a hash of their names, independent of their times. Note that a time includes all kernels that the solver launches.
"""
import argparse
import bz2
import hashlib
import json
import math
import os
import re
import sqlite3
import subprocess
import tempfile

import direct
import igemm
import winograd
from igemm import Unsupported

HERE = os.path.dirname(os.path.abspath(__file__))
KEY = re.compile(r"(\d+)-(\d+)-(\d+)-(\d+)x(\d+)-(\d+)-(\d+)-(\d+)-(\d+)-(\d+)x(\d+)-(\d+)x(\d+)-(\d+)x(\d+)-0-(NCHW|NHWC-NHWC-NHWC)-(FP16|FP32)-([FBW])"
                 r"(?:_g(\d+))?$")
LARGEST, MOST_PRODUCTS = 1 << 28, 2e10  # bytes of a tensor, products: predicted within seconds
LONGEST = 300.0                         # us, of Winograd's and direct ones
PAGE = 4096                             # granularity of buffers; some kernels read a few bytes past the weights


class Problem:
    def __init__(self, key):
        match = KEY.match(key)
        if not match:
            raise Unsupported("three dimensions, bias or another type")
        first, h, w, self.y, self.x, second, oh, ow, self.n, self.ph, self.pw, self.sh, self.sw, self.dh, self.dw = map(int, match.groups()[:15])
        self.layout, self.type, self.direction, self.group = match[16][:4], match[17], match[18], int(match[19] or 1)
        self.wanted = (self.layout, self.type, self.direction, first, h, w, self.y, self.x, second, self.n, self.ph, self.pw, self.sh, self.sw,
                       self.dh, self.dw, self.group)
        read, made = (first, h, w), (second, oh, ow)
        (self.c, self.hi, self.wi), (self.k, self.ho, self.wo) = (read, made) if self.direction == "F" else (made, read)
        tensors = self.n * max(self.c * self.hi * self.wi, self.k * self.ho * self.wo) * (4 if self.type == "FP32" else 2)
        products = math.prod((self.n, self.k, self.ho, self.wo, self.c // self.group, self.y, self.x))
        self.large = tensors > LARGEST or products > MOST_PRODUCTS


class PerfDb:
    COLUMNS = ("layout data_type direction in_channels in_h in_w fil_h fil_w out_channels batchsize pad_h pad_w conv_stride_h conv_stride_w dilation_h "
               "dilation_w group_count").split()

    def __init__(self, path, folder):
        copy = os.path.join(folder, "perf.db")
        with bz2.open(path) as packed, open(copy, "wb") as file:
            file.write(packed.read())
        self.base = sqlite3.connect(copy)

    def tuned(self, solver, problem):
        conditions = " and ".join(f"c.{column}=?" for column in self.COLUMNS)
        found = self.base.execute(f"select p.params from perf_db p join config c on p.config=c.id where p.solver=? and {conditions}",
                                  (solver, *problem.wanted)).fetchall()
        if len(found) != 1:
            raise Unsupported("not in the perf-db")
        return found[0][0]


def rows(kernels, wanted):
    """(solver, key, us) of the find-db's rows with a selected solver, ordered by a hash of both."""
    found = []
    with bz2.open(os.path.join(kernels, "gfx942130.HIP.fdb.txt.bz2"), "rt") as file:
        for line in file:
            key, solvers = line.strip().split("=", 1)
            for entry in solvers.split(";"):
                solver, values = entry.split(":", 1)
                if wanted.match(solver):
                    found.append((hashlib.sha1((solver + key).encode()).hexdigest(), solver, key, 1e3 * float(values.split(",")[0])))
    return [row[1:] for row in sorted(found)]


def assemble(options, source, out, symbols, target="gfx942"):
    if not os.path.exists(out):
        symbols = [f"-Wa,-defsym,{symbol}" for symbol in ["ROCM_METADATA_VERSION=5", *symbols]]
        subprocess.run([options.clang, "-x", "assembler", "-target", "amdgcn-amd-amdhsa", f"-mcpu={target}", "-mcode-object-version=5", *symbols,
                        "-I", os.path.dirname(source), "-o", out, source], check=True)


def compile_hip(options, kernels, source, out):
    """A source of the checkout without includes of ROCm's headers."""
    with open(os.path.join(kernels, source)) as file:
        source = re.sub(r'#include (<hip/.*>|"miopen_(cstdint|limits).hpp")', "", file.read())
    subprocess.run([options.clang, "-x", "hip", "--offload-arch=gfx942", "--cuda-device-only", "--no-gpu-bundle-output", "-nogpulib", "-nogpuinc",
                    "-mcode-object-version=5", "-nostdinc++", "-fdeclspec", "-std=c++17", "-O3", "-w", "-include", os.path.join(HERE, "hip.h"), "-I", kernels, "-",
                    "-o", out], input=source.encode(), check=True)


def compile_fill(options, kernels, name, out):
    bits, items = re.match(r"fill(\d+)_(\d+)", name).groups()
    at = "(uint)(__builtin_amdgcn_workgroup_id_x()*__builtin_amdgcn_workgroup_size_x()+__builtin_amdgcn_workitem_id_x())"
    if not os.path.exists(out):
        subprocess.run([options.clang, "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx942", "-mcode-object-version=5",
                        "-nogpulib", "-O3", "-w", f"-Dget_global_id(dimension)={at}", f"-DMIOPEN_USE_FP{bits}=1", f"-DWORK_LENGTH_0={items}",
                        "-DSUBTENSOR_OP_WITH_SCALAR=SUBTENSOR_OP_WITH_SCALAR_SET", "-I", kernels,
                        os.path.join(kernels, "MIOpenSubTensorOpWithScalarKernel.cl"), "-o", out], check=True)


def make_objects(options, kernels, problem, steps):
    for name in {step["object"] for step in steps}:
        out, stem = os.path.join(options.out, name), name[:-3]
        if name.startswith("igemm"):
            folder = os.path.join(kernels, "dynamic_igemm", "igemm_gtc_xdlops_nhwc_gfx940", f"{stem.split('_')[1]}_{problem.type.lower()}")
            assemble(options, os.path.join(folder, stem + ".s"), out, ["force_sc0_sc1=0", "atomic_add_using_cas=0"])
        elif name.startswith("fill"):
            compile_fill(options, kernels, stem, out)
        elif name not in ("transpose.co", "direct.co"):
            assemble(options, os.path.join(kernels, f"Conv_Winograd_v30_3_1_{stem}.s"), out, ["FORCE_CACHE_BYPASS_ON_STORE=0"], "gfx942:xnack-")


def points(options, kernels, base, wanted, count, launches):
    """The first `count` of the solver's rows that can be built, and how many before them could not, by reason."""
    made, left = [], {}
    for solver, key, us in rows(kernels, wanted):
        if len(made) == count:
            break
        try:
            problem = Problem(key)
            config, (buffers, steps) = launches(base, solver, problem, us)
        except Unsupported as reason:
            left[str(reason)] = left.get(str(reason), 0) + 1
            continue
        make_objects(options, kernels, problem, steps)
        made.append({
            "name": f"miopen-{solver}-{key}", "family": "convolution", "set": "miopen", "source": "ROCm/MIOpen find-db gfx942130", "device": "mi300x",
            "time_us": us, "timer": "kernel", "kernel_arguments": "host", "host_waits": True, "cache": "warm", "infinity_cache": "warm", "clock_mhz": None, "how": "Tuna",
            "config": config,
            "buffers": {name: {"bytes": (size + PAGE - 1) // PAGE * PAGE} for name, size in buffers.items()}, "steps": steps})
    print(f"{len(made)} of {wanted.pattern}; left out: {left}")
    return made


def of_igemm(base, solver, problem, _):
    if problem.large:
        raise Unsupported("large")
    config = base.tuned(solver, problem)
    return config, igemm.launches(problem, igemm.Config(config))


def of_winograd(base, solver, problem, us):
    if us > LONGEST:
        raise Unsupported("long")
    groups = winograd.UNITS if solver.endswith("g1") else int(base.tuned(solver, problem))
    return str(groups), winograd.launches(problem, groups, winograd.SOLVER.match(solver)[1])


def of_direct(_, solver, problem, us):
    if us > LONGEST or problem.large:
        raise Unsupported("long or large")
    return "", direct.launches(problem)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--miopen", required=True, help="checkout of ROCm/MIOpen")
    parser.add_argument("--out", required=True, help="folder for points.jsonl and the objects")
    parser.add_argument("--clang", default="clang-22")
    parser.add_argument("--igemm", type=int, default=84, help="how many rows of implicit GEMM")
    parser.add_argument("--winograd", type=int, default=72, help="how many rows of Winograd")
    parser.add_argument("--direct", type=int, default=24, help="how many rows of direct convolution")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    kernels = os.path.join(options.miopen, "src", "kernels")
    compile_hip(options, kernels, "gpu_batched_transpose_kernel/batched_transpose.cpp", os.path.join(options.out, "transpose.co"))
    compile_hip(options, kernels, "gpu_reference_kernel/naive_conv.cpp", os.path.join(options.out, "direct.co"))
    with tempfile.TemporaryDirectory() as folder:
        base = PerfDb(os.path.join(kernels, "gfx942130.db.bz2"), folder)
        made = points(options, kernels, base, igemm.SOLVER, options.igemm, of_igemm)
        made += points(options, kernels, base, winograd.SOLVER, options.winograd, of_winograd)
        made += points(options, kernels, base, direct.SOLVER, options.direct, of_direct)
    with open(os.path.join(options.out, "points.jsonl"), "w") as file:
        file.writelines(json.dumps(point) + "\n" for point in made)
    print(f"{len(made)} points in {options.out}/points.jsonl")


if __name__ == "__main__":
    main()
