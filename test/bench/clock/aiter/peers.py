#!/usr/bin/env python3
"""Points of AITER's assembly kernels for problems of `./dev bench kernels --aiter=CHECKOUT`.

    peers.py --aiter aiter --problems FILE.json --out DIR      # writes DIR/points.jsonl, and the objects next to it

A problem is an object with `name` and `theirs`, which has a `family` and the family's members: see the functions of FAMILIES. Where several of AITER's
kernels fit, or a kernel fits in several ways (splits of K, order of the tensors), each is one of the point's `candidates`, of which the fastest counts.
The times of these points are 0: nothing was measured.
"""
import argparse
import csv
import json
import os
import shutil

import attention
import backward
import gemm
import launch
import mla
import paged
import paged_split

HERE = os.path.dirname(os.path.abspath(__file__))
TABLES = {"i8": "i8gemm/i8gemm_bf16_perTokenI8.csv", "fp8": "fp8gemm_blockscale/fp8gemm_bf16_blockscale.csv", "bf16": "bf16gemm/bf16gemm_fp32bf16.csv"}
SPLITS = (1, 2, 4, 8)
# K of a workgroup's step.
STEP = {"i8": 128, "fp8": 128, "bf16": 64}


def attention_forward(_aiter, batch, heads, key_heads, sequence, causal):
    """bf16, heads of 128."""
    return [attention.Attention(batch, heads, key_heads, sequence, causal)]


def gemms(aiter, element, m, n, k):
    """i8 with a scale per row and column, fp8 with scales by blocks, or bf16; out is bf16, B is transposed."""
    with open(os.path.join(aiter, "hsa", "gfx942", TABLES[element]), newline="", encoding="utf-8") as file:
        kernels = [launch.plain_name(row["knl_name"]) for row in csv.DictReader(file)]
    for kernel in kernels:
        for split in SPLITS:
            # A kernel splits K only if its table says so; a split that leaves a part empty is none.
            if n % launch.tile(kernel)[1] == 0 and k % (split * STEP[element]) == 0 and (split == 1 or can_split(aiter, element, kernel)):
                yield gemm.gemm(m, n, k, split, kernel_symbol(kernel))


def can_split(aiter, element, kernel):
    with open(os.path.join(aiter, "hsa", "gfx942", TABLES[element]), newline="", encoding="utf-8") as file:
        row = next(row for row in csv.DictReader(file) if launch.plain_name(row["knl_name"]) == kernel)
    return row["splitK"] == "1"


def kernel_symbol(name):
    return f"_ZN5aiter{len(name)}{name}E"


def experts(aiter, out, **members):
    import moe  # which needs numpy

    moe.write_lists(out, *(members[name] for name in ("tokens", "experts", "topk")))
    return moe.launches(aiter, **members)


def paged_attention(aiter, **members):
    return [*paged.launches(aiter, **members), *paged_split.launches(aiter, **members)]


FAMILIES = {"attention": attention_forward, "backward": backward.launches, "gemm": gemms, "latent": mla.launches, "moe": experts, "paged": paged_attention}


def write_lists(made, out):
    """Writes the lists that a launch reads to files, and names its buffers by them: other launches have other lists of the same name."""
    names = {}
    for name, values in getattr(made, "lists", {}).items():
        names[name] = f"{made.lists_of}.{name}"
        with open(os.path.join(out, names[name]), "wb") as file:
            file.write(values.tobytes())
        made.buffers[names[name]] = dict(made.buffers.pop(name), file=names[name])
    for step in made.steps:
        step["args"] = [dict(part, buffer=names.get(part["buffer"], part["buffer"])) if "buffer" in part else part for part in step["args"]]


def point(aiter, problem, out):
    theirs = dict(problem["theirs"])
    family = theirs.pop("family")
    launches = list(FAMILIES[family](aiter, **theirs, **({"out": out} if family == "moe" else {})))
    if not launches:
        raise SystemExit(f"AITER has no kernel for {problem['name']}")
    for made in launches:
        write_lists(made, out)
    buffers = {}
    for made in launches:  # the launches of a problem share buffers by name
        for name, buffer in made.buffers.items():
            if buffers.setdefault(name, buffer)["bytes"] < buffer["bytes"]:
                buffers[name] = buffer
    return {"name": problem["name"], "family": family, "set": "aiter", "device": "mi300x", "time_us": 0, "cache": "warm", "clock_mhz": None,
            "source": f"ROCm/aiter {launch.COMMIT[:8]}", "candidates": [made.steps for made in launches], "buffers": buffers}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--aiter", required=True, help="checkout of ROCm/aiter")
    parser.add_argument("--problems", required=True)
    parser.add_argument("--out", required=True, help="folder for points.jsonl and the objects")
    parser.add_argument("--clang", default="clang-22")
    options = parser.parse_args()
    with open(options.problems, encoding="utf-8") as file:
        problems = json.load(file)
    os.makedirs(options.out, exist_ok=True)
    try:
        made = [point(options.aiter, problem, options.out) for problem in problems]
    except FileNotFoundError as error:
        raise SystemExit(f"{error.filename}: not found; --aiter expects a checkout of ROCm/aiter") from None
    steps = [step for point in made for candidate in point["candidates"] for step in candidate]
    objects = {os.path.basename(step["object"]) for step in steps}
    for name in objects & launch.STAND_INS:
        launch.compile_stand_in(options.clang, name, options.out)
    found = {name: os.path.join(folder, name) for folder, _, names in os.walk(os.path.join(options.aiter, "hsa", "gfx942")) if "MI308" not in folder
             for name in names}
    for name in objects - launch.STAND_INS:
        if name not in found:
            raise SystemExit(f"{options.aiter}/hsa/gfx942 has no {name}")
        shutil.copyfile(found[name], os.path.join(options.out, name))
    with open(os.path.join(options.out, "points.jsonl"), "w", encoding="utf-8") as file:
        for line in made:
            file.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
