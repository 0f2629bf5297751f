#!/usr/bin/env python3
"""Points and pairs of navatala's HIP kernels, with the times on MI300X that its repository keeps.

    build.py --navatala CHECKOUT --out DIR   # writes DIR/points.jsonl, DIR/pairs.jsonl, the objects and the contents of buffers

CHECKOUT is a git checkout of navatala-systems/navatala_gpu with its history up to COMMIT. Of it, kernels (kernels/hip/*/*.hip, compiled by clang with
../include for ROCm's headers) and reports (benchmarks/fixtures/**/rocm_vendor_benchmark*.json) are read. Neither is part of Kiln.

A point is a version of a kernel at a shape; versions of the text that clang compiles to the same object are one. Which version a report measured is not
recorded. It is known if the report was committed when the kernel was the same before and after; other reports of that kernel are not used.
"""
import argparse
import collections
import hashlib
import json
import os
import re
import statistics
import struct
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from hip import compile_hip  # noqa: E402

COMMIT = "f9e2671e745736769c8defc1511b0ec7c644a3db"
HOW = "events around 30 or 50 launches in a row (10 in two reports) after 8 or 10 to warm up, the mean; the median of {} reports"
FEWEST_LAUNCHES = 10   # fewer are runs under a profiler or smoke tests
FEWEST_REPORTS = 2
STEADY = 1.15          # most that the upper quartile of reports may exceed the lower
SUBMIT_US = 3.5        # what the host needs to submit a launch, by the reports' own diagnostics: 2.3 to 3.5
FOLDERS = {"axpy": "sparse", "spmv": "graph"}
FAMILIES = {"axpy": "memory", "spmv": "sparse"}

# Changes that the author made as kernels of their own: name, kernel before, kernel after.
CHANGES = [
    ("operands staged in LDS", "gemm_f16_mfma_cta64_direct", "gemm_f16_mfma_cta64_shared"),
    ("four waves of 64x64 instead of one of 32x32", "gemm_f16_mfma_k_loop", "gemm_f16_mfma_cta64_shared"),
    ("the second barrier before the multiplication", "gemm_f16_mfma_cta64_shared", "gemm_f16_mfma_cta64_shared_early_barrier"),
    ("rows of LDS padded", "gemm_f16_mfma_cta64_shared", "gemm_f16_mfma_cta64_shared_padded"),
    ("two slots of LDS", "gemm_f16_mfma_cta64_shared", "gemm_f16_mfma_cta64_pipelined"),
    ("tiles of 128x128x32 instead of 64x64x8", "gemm_f16_mfma_cta64_shared", "gemm_f16_mfma_cta128"),
    ("bounds, strides and scales as arguments", "gemm_f16_mfma_cta64_shared", "gemm_f16_mfma_cta64_shared_edge"),
    ("bounds, strides and scales as arguments", "gemm_f16_mfma_cta128", "gemm_f16_mfma_cta128_edge"),
    ("tiles of 128x128x32 instead of 64x64x8", "gemm_f16_mfma_cta64_shared_edge", "gemm_f16_mfma_cta128_edge"),
    ("no transposes and scales", "gemm_f16_mfma_cta64_shared_edge", "gemm_f16_mfma_cta64_shared_edge_nn"),
    ("f16 operands instead of f32", "gemm_f32", "gemm_f16_f32_out"),
    ("matrix instructions instead of multiply-adds", "gemm_f16_f32_out", "gemm_f16_mfma_cta64_shared"),
]


def git(root, *arguments):
    return subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True, check=True).stdout


class History:
    """Kernels' texts at commits, and their objects."""

    def __init__(self, options):
        self.root, self.options, self.texts, self.versions, self.objects = options.navatala, options, {}, {}, {}

    def text(self, commit, name):
        if (commit, name) not in self.texts:
            path = f"kernels/hip/{folder_of(name)}/{name}.hip"
            found = subprocess.run(["git", "-C", self.root, "show", f"{commit}:{path}"], capture_output=True, text=True)
            self.texts[commit, name] = found.stdout if found.returncode == 0 else None
        return self.texts[commit, name]

    def version(self, text, name):
        """Part of the hash of the first text with the same object, which is written to NAME-VERSION.co."""
        if text not in self.versions:
            path = os.path.join(self.options.out, "new.co")
            compile_hip(text, path, self.options.clang)
            with open(path, "rb") as file:
                self.versions[text] = self.objects.setdefault(file.read(), hashlib.sha256(text.encode()).hexdigest()[:6])
            os.replace(path, os.path.join(self.options.out, object_of(name, self.versions[text])))
        return self.versions[text]


def object_of(name, version):
    return f"{name}-{version}.co"


def kind_of(name):
    return next(kind for kind in ("axpy", "spmv", "gemm") if kind in name)


def folder_of(name):
    return FOLDERS.get(kind_of(name), "transformer")


def reports(root):
    """Each report's commit and contents."""
    commit = None
    for line in git(root, "log", "--reverse", "--diff-filter=A", "--name-only", "--format=C %H", COMMIT, "--", "benchmarks/fixtures").splitlines():
        if line.startswith("C "):
            commit = line[2:]
        elif re.search(r"rocm_vendor_benchmark.*\.json$", line):
            report = json.loads(git(root, "show", f"{COMMIT}:{line}"))
            # The sample is none; the report of 2026-06-19 does not say its version of ROCm.
            measured = "rocminfo" in report and "sample" not in line
            if measured and not report["quickMode"] and report["iterations"] >= FEWEST_LAUNCHES:
                yield commit, report


def measurements(options):
    """(kernel, version, shape) -> text of the kernel and the reports' microseconds; and the number of rows with an unknown version."""
    history, rows, unknown = History(options), collections.defaultdict(lambda: (None, [])), 0
    for commit, report in reports(options.navatala):
        parent = git(options.navatala, "rev-parse", commit + "^").strip()
        for row in report["results"]:
            kernel = re.search(r"kernel navatala_(?:sparse|graph|transformer)_(\w+)$", row["navatalaPath"])
            if not kernel or not row["correctness"]:
                continue
            name = kernel.group(1)
            text = history.text(commit, name)
            before = history.text(parent, name)
            if not before or history.version(before, name) != history.version(text, name):  # the older one first
                unknown += 1
                continue
            key = name, history.version(text, name), row["shape"]
            rows[key] = text, rows[key][1] + [1e3 * row["generatedMeanMs"]]
    return rows, unknown


def spread(times):
    if len(times) < 4:
        return max(times) / min(times)
    lower, _, upper = statistics.quantiles(times, n=4)
    return upper / lower


def numbers(shape):
    return {key: value for key, value in (part.split("=") for part in shape.split(","))}


def csr(rows, length):
    """The benchmark's matrix: row r has elements r + 17 j modulo the number of columns."""
    import numpy as np
    offsets = np.arange(rows + 1, dtype=np.uint32) * length
    columns = (np.arange(rows)[:, None] + 17 * np.arange(length)[None, :]) % rows
    return offsets, columns.astype(np.uint32)


class Launch:
    """Buffers, numbers, grid and block of a kernel at a shape."""

    def __init__(self, name, shape):
        at = numbers(shape)
        self.contents = {}  # buffers that decide what is accessed
        if "axpy" in name:
            n = int(at["n"])
            self.sizes, self.values = {"x": 4 * n, "y": 4 * n}, {"n": n, "alpha": 1.75}
            self.grid, self.block = [-(-n // 256), 1, 1], [256, 1, 1]
        elif "spmv" in name:
            rows, length = int(at["rows"]), int(at["rowNnz"])
            self.sizes = {"offsets": 4 * rows + 4, "indices": 4 * rows * length, "weights": 4 * rows * length, "x": 4 * rows, "y": 4 * rows}
            self.contents = dict(zip(("offsets", "indices"), csr(rows, length)))
            self.values = {"numVertices": rows}
            self.grid, self.block = [-(-rows * (64 if "subgroup" in name else 1) // 256), 1, 1], [256, 1, 1]
        else:
            self.gemm(name, at)

    def gemm(self, name, at):
        m, n, k = (int(at[key]) for key in "mnk")
        width = 4 if name.endswith("gemm_f32") else 2
        tile, step = (128, 32) if "cta128" in name else (64, 8) if "cta64" in name else (32, 8) if "k_loop" in name else (16, 16)
        flags = {"transA": int(at.get("transA") == "T"), "transB": int(at.get("transB") == "T")}
        self.sizes = {"a": width * m * k, "b": width * k * n, "c": 4 * m * n}
        steps = -(-k // step)
        self.values = {"m": m, "n": n, "k": k, "mDim": m, "nDim": n, "kDim": k, "kTiles": steps, "kBlocks": steps, "kStride": k, "nStride": n,
                       "aStride": m if flags["transA"] else k, "bStride": k if flags["transB"] else n, "cStride": n,
                       "aBatchStride": m * k, "bBatchStride": k * n, "cBatchStride": m * n,
                       "alpha": float(at.get("alpha", 1)), "beta": float(at.get("beta", 0))} | flags
        self.grid = [-(-n // tile), -(-m // tile), 1]
        self.block = [16, 16, 1] if tile == 16 else [64, 1, 1] if tile == 32 else [256, 1, 1]

    def arguments(self, text):
        """In the order of the kernel's parameters. A number is passed by value or by a pointer, as the version has it."""
        args = []
        for parameter in re.search(r'extern "C"[^(]*(?:\(\d+\)[^(]*)?\(([^)]*)\)', text).group(1).split(","):
            name, pointer, kind = parameter.split()[-1].lstrip("*"), "*" in parameter, "f32" if "float" in parameter else "u32"
            if name in self.sizes:
                args.append({"buffer": name})
            elif pointer:
                self.sizes[name] = 4
                self.contents[name] = struct.pack("<f" if kind == "f32" else "<I", self.values[name])
                args.append({"buffer": name})
            else:
                args.append({kind: self.values[name]})
        return args


def write_contents(out, contents):
    """The file of each content, named by its hash."""
    names = {}
    for buffer, data in contents.items():
        data = bytes(data)
        names[buffer] = "data-" + hashlib.sha256(data).hexdigest()[:16] + ".bin"
        path = os.path.join(out, names[buffer])
        if not os.path.exists(path):
            with open(path, "wb") as file:
                file.write(data)
    return names


def short_shape(shape):
    at = numbers(shape)
    if "m" in at:
        flags = "".join(at.get(key, "N") for key in ("transA", "transB"))
        return f"{at['m']}x{at['n']}x{at['k']}" + (f"-{flags}" if flags != "NN" else "") + ("-scaled" if float(at.get("beta", 0)) else "")
    return at["n"] if "n" in at else f"{at['rows']}x{at['rowNnz']}"


def make(name, version, shape, text, times, options):
    launch = Launch(name, shape)
    args = launch.arguments(text)
    files = write_contents(options.out, launch.contents)
    symbol = re.search(r"\b(navatala_\w+)\(", text[text.index('extern "C"'):]).group(1)
    return {
        "name": f"navatala-{name.removeprefix('tiled_')}-{version}-{short_shape(shape)}", "set": "navatala", "family": FAMILIES.get(kind_of(name), "gemm"),
        "source": f"navatala-systems/navatala_gpu {COMMIT[:8]} benchmarks/fixtures, kernels/hip", "kernel_source": "HIP", "device": "mi300x",
        "time_us": statistics.median(times), "timer": "kernel", "cache": "warm", "infinity_cache": "unknown", "clock_mhz": None, "data": "a pattern",
        "rocm": "7.2.4", "date": "2026-06-22 to 2026-07-02", "how": HOW.format(len(times)),
        "buffers": {buffer: {"bytes": size} | ({"file": files[buffer]} if buffer in files else {}) for buffer, size in launch.sizes.items()},
        "steps": [{"object": object_of(name, version), "kernel": symbol, "grid": launch.grid, "block": launch.block, "args": args}],
    }


def pairs(points):
    """points: (kernel, version, short shape) -> point, versions of a kernel in the order of their commits."""
    made = []
    versions = collections.defaultdict(list)
    for name, version, _ in points:
        if version not in versions[name]:
            versions[name].append(version)
    changes = [(change, ("tiled_" + before, versions["tiled_" + before][-1:]), ("tiled_" + after, versions["tiled_" + after][-1:]))
               for change, before, after in CHANGES]
    changes += [("arguments by value, not by pointers", (name, [old]), (name, [new])) for name, all_ in versions.items() for old, new in zip(all_, all_[1:])]
    for change, (before, old), (after, new) in changes:
        for (name, version, shape), first in points.items():
            second = points.get((after, *new, shape)) if new else None
            if (name, [version]) == (before, old) and second:
                made.append({"set": "navatala", "change": change, "before": first["name"], "after": second["name"],
                             "ratio": round(second["time_us"] / first["time_us"], 4)})
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--navatala", required=True, help="git checkout of navatala-systems/navatala_gpu, with its history")
    parser.add_argument("--out", required=True, help="folder for points.jsonl, pairs.jsonl, objects and contents of buffers")
    parser.add_argument("--clang", default="clang-22")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    rows, unknown = measurements(options)
    points, left_out = {}, collections.Counter({"a kernel's version is unknown (rows of reports)": unknown})
    for (name, version, shape), (text, times) in rows.items():
        if len(times) < FEWEST_REPORTS:
            left_out["one report only"] += 1
        elif spread(times) > STEADY:
            left_out["reports differ"] += 1
            print(f"left out, reports differ by {spread(times):.2f}: {name} {version} {shape}")
        elif statistics.median(times) < SUBMIT_US:
            left_out["limited by the host"] += 1
        else:
            points[name, version, short_shape(shape)] = make(name, version, shape, text, times, options)
    with open(os.path.join(options.out, "points.jsonl"), "w") as file:
        file.writelines(json.dumps(point) + "\n" for point in points.values())
    found = pairs(points)
    with open(os.path.join(options.out, "pairs.jsonl"), "w") as file:
        file.writelines(json.dumps(pair) + "\n" for pair in found)
    print("left out:", ", ".join(f"{count} because {why}" for why, count in left_out.items()))
    print(f"{len(points)} points and {len(found)} pairs in {options.out}")


if __name__ == "__main__":
    main()
