#!/usr/bin/env python3
"""Points and pairs of ROCmBench's Triton kernels, compiled from a checkout of GEAK-eval, with the times on MI300X that it keeps.

    TRITON_HIP_LLD_PATH=/usr/lib/llvm-22/bin/lld build.py --geak CHECKOUT --out DIR    # needs triton 3.3.0; writes DIR/points.jsonl, DIR/pairs.jsonl and the objects

CHECKOUT is one of AMD-AIG-AIMA/GEAK-eval at COMMIT. Of it, kernels (geak_eval/data/ROCm/data/ROCm_v1/*.py) and times (…/performance/golden_results) are
read. Neither is part of Kiln: a kernel's text goes to DIR. The set `geak` takes other tables of the same source. README.md says how rows are selected.
"""
import argparse
import ast
import hashlib
import importlib.util
import json
import math
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "geak"))


def imported(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


geak = imported("geak_build", os.path.join(HERE, "..", "geak", "build.py"))
KERNELS = os.path.join("geak_eval", "data", "ROCm", "data", "ROCm_v1")
TRITON = "3.3.0"     # that the checkout's requirements.txt names
PRECISION = "ieee"   # of products of f32, by default; README.md says how that is known
LEAST_CHANGE = 1.05  # between the rows of a pair; medians of a hundred launches repeat better than that


class Table:
    """A table of times: its kernel, how a row becomes a launch, the parameters whose changes are pairs, and how many of those are taken of each."""

    def __init__(self, table, source, kernel, family, changes, count, singles, launch):
        self.table, self.source, self.kernel, self.family = table, source, kernel, family
        self.changes, self.count, self.singles, self.launch = changes, count, singles, launch


def cdiv(a, b):
    return -(-a // b)


def i32(**values):
    return [(name, "i32", value) for name, value in values.items()]


def dependent(kernel, p):
    m, n, k, kind = p["M"], p["N"], p["K"], p["input_dtype_str"]
    return geak.Built(kernel, [("a_ptr", kind, m * k), ("b_ptr", kind, k * n), ("c_ptr", "fp16", m * n)],
                      i32(M=m, N=n, K=k, stride_am=k, stride_ak=1, stride_bk=n, stride_bn=1, stride_cm=n, stride_cn=1),
                      {"BLOCK_SIZE_M": p["BLOCK_M"], "BLOCK_SIZE_N": p["BLOCK_N"], "BLOCK_SIZE_K": p["BLOCK_K"], "type": p["type"]},
                      cdiv(m, p["BLOCK_M"]) * cdiv(n, p["BLOCK_N"]), (p["num_warps"],), p["num_stages"])


def fusion(kernel, p):
    m, n, k = p["M"], p["N"], p["K"]
    strides = {f"stride_{name}": value for pair in (("am", "ak"), ("bn", "bk"), ("cn", "ck"), ("em", "ek")) for name, value in zip(pair, (k, 1))}
    return geak.Built(kernel, [(name, "fp16", size * k) for name, size in (("A", m), ("B", n), ("C", n), ("E", m))], i32(M=m, N=n, K=k, **strides),
                      {"BLOCK_M": p["block_m"], "BLOCK_N": p["block_n"], "BLOCK_K": p["block_k"]}, cdiv(m, p["block_m"]), (p["num_warps"],))


def chained(kernel, p):
    m, n, k = p["M"], p["N"], p["K"]
    return geak.Built(kernel, [(name, "fp16", size * k) for name, size in (("A", m), ("B", n), ("C", n), ("out", m))], i32(m=m, n=n),
                      {"k": k, "block_m": p["block_m"], "block_n": p["block_n"], "block_k": k}, cdiv(m, p["block_m"]))


def vecmat(kernel, p):
    m, n, k, kind = p["M"], p["N"], p["K"], p["dtype_str"]
    return geak.Built(kernel, [("A", kind, m * k), ("B", kind, m * n * k), ("output", kind, m * n)], i32(dim_m=m, dim_n=n, dim_k=k),
                      {"block_m": p["block_m"], "block_n": p["block_n"], "block_k": p["block_k"]}, [cdiv(m, p["block_m"]), cdiv(n, p["block_n"])])


def sums(kernel, p):
    m, n, k = p["M"], p["N"], p["K"]
    return geak.Built(kernel, [("a_ptr", "fp16", m * k), ("b_ptr", "fp16", k * n), ("c_ptr", "fp16", m * n)],
                      i32(M=m, N=n, K=k, stride_am=k, stride_ak=1, stride_bk=n, stride_bn=1, stride_cm=n, stride_cn=1, stride_bias=0),
                      {"bias_ptr": None, "BLOCK_SIZE_M": p["BLOCK_M"], "BLOCK_SIZE_N": p["BLOCK_N"], "BLOCK_SIZE_K": p["BLOCK_K_tile"], "USE_BIAS": False,
                       "USE_DOT": False, "EVEN_K": k % p["BLOCK_K_tile"] == 0},
                      cdiv(m, p["BLOCK_M"]) * cdiv(n, p["BLOCK_N"]), (p["num_warps"],), p["num_stages"])


TABLES = [
    Table("iv_dependent_matmul_perf", "test_iv_dependent_matmul.py", "iv_dependent_matmul", "gemm",
          ["type", "num_stages", "num_warps", "BLOCK_M", "BLOCK_N", "BLOCK_K", "input_dtype_str"], 5, 10, dependent),
    Table("gemm_fusion_triton_perf", "test_gemm_fusion.py", "gemm_fusion_kernel", "fusion", ["block_m", "block_n"], 6, 6, fusion),
    Table("chained_matmul_triton_perf", "test_chained_matmul.py", "chained_matmul_kernel", "fusion", ["block_m", "block_n"], 4, 4, chained),
    Table("batched_vecmat_triton_perf", "test_batched_vecmat.py", "batched_vecmat", "vector", ["block_m", "block_n", "block_k", "dtype_str"], 3, 4, vecmat),
    Table("triton_multreduce_matmul_perf", "triton_multreduce_matmul_kernel.py", "triton_matmul_kernel", "vector",
          ["BLOCK_M", "BLOCK_N", "BLOCK_K_tile"], 4, 4, sums),
]


def order(text):
    return hashlib.sha256(text.encode()).hexdigest()


def name_of(table, p):
    shape = f"{p['M']}x{p['N']}x{p['K']}"
    rest = [str(value) for key, value in p.items() if key not in ("M", "N", "K", "output_dtype_str", "use_bias", "USE_DOT")]
    return f"rocmbench-{table.kernel}-{shape}-{'-'.join(rest)}"


def kernel_of(table, root, out):
    """The kernel's text alone, in a module of its own: the file that has it needs more than Triton."""
    with open(os.path.join(root, KERNELS, table.source)) as file:
        text = file.read()
    function = next(node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef) and node.name == table.kernel)
    path = os.path.join(out, f"{table.kernel}.py")
    with open(path, "w") as file:
        file.write("import triton\nimport triton.language as tl\n\n\n@triton.jit\n" + ast.get_source_segment(text, function) + "\n")
    return getattr(imported(table.kernel, path), table.kernel)


def steady_rows(table, root):
    """Name -> row, without those that only show the launch or whose launches differ."""
    rows = geak.rows_of(os.path.join(root, geak.TABLES, table.table + ".json"))
    return {name_of(table, row["params"]): row for row in rows
            if not geak.is_at_floor(row, rows) and row["min_ms"] <= geak.STEADY * row["max_ms"]}


def changed(first, second):
    return [key for key in first if first[key] != second[key]]


def pairs_of(table, rows):
    """For each parameter, pairs of rows that differ in it alone, in the order of a hash."""
    found = {key: [] for key in table.changes}
    names = sorted(rows)
    for i, first in enumerate(names):
        for second in names[i + 1:]:
            a, b = rows[first], rows[second]
            keys = changed(a["params"], b["params"])
            if len(keys) == 1 and keys[0] in found and abs(math.log(b["ms"] / a["ms"])) >= math.log(LEAST_CHANGE):
                found[keys[0]].append((first, second))
    for key, pairs in found.items():
        used = set()
        for pair in sorted(pairs, key=lambda pair: order(pair[0] + pair[1])):
            # No row is in two pairs of one parameter.
            if len(used) < 2 * table.count and not used & set(pair):
                used.update(pair)
                yield key, *pair


def point(table, name, row, kernel, out):
    made = table.launch(kernel, row["params"])
    grid = made.programs if isinstance(made.programs, list) else [made.programs]
    made.programs = 1
    step = geak.step(made, made.warps[0], order(name)[:16] + ".hsaco", out)
    step["grid"] = grid + [1] * (3 - len(grid))
    return {
        "name": name, "set": "rocmbench", "family": table.family, "source": f"AMD-AIG-AIMA/GEAK-eval {geak.COMMIT[:8]} {table.table}.json",
        "kernel_source": "Triton", "device": "mi300x", "time_us": 1e3 * row["ms"], "timer": "events", "cache": "cold", "flushed_bytes": 256 << 20,
        "clock_mhz": None, "data": "random", "how": geak.HOW,
        "buffers": {buffer: {"bytes": geak.BYTES[kind] * count} for buffer, kind, count in made.buffers}, "steps": [step],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--geak", required=True, help="checkout of AMD-AIG-AIMA/GEAK-eval")
    parser.add_argument("--out", required=True, help="folder for points.jsonl, pairs.jsonl, the objects and the kernels' texts")
    options = parser.parse_args()
    if geak.triton.__version__ != TRITON:
        parser.error(f"the kernels were measured as Triton {TRITON} compiles them, this is {geak.triton.__version__}")
    os.environ["TRITON_F32_DEFAULT"] = PRECISION
    os.makedirs(options.out, exist_ok=True)
    count, changes = 0, 0
    with open(os.path.join(options.out, "points.jsonl"), "w") as points, open(os.path.join(options.out, "pairs.jsonl"), "w") as pairs:
        for table in TABLES:
            kernel, rows = kernel_of(table, options.geak, options.out), steady_rows(table, options.geak)
            wanted = sorted(rows, key=order)[:table.singles]
            for key, before, after in pairs_of(table, rows):
                first, second = rows[before], rows[after]
                pairs.write(json.dumps({"set": "rocmbench", "change": f"{key}: {first['params'][key]} to {second['params'][key]}", "before": before,
                                        "after": after, "ratio": round(second["ms"] / first["ms"], 4)}) + "\n")
                wanted += [before, after]
                changes += 1
            for name in dict.fromkeys(wanted):
                points.write(json.dumps(point(table, name, rows[name], kernel, options.out)) + "\n")
                count += 1
    print(f"{count} points and {changes} pairs in {options.out}")


if __name__ == "__main__":
    main()
