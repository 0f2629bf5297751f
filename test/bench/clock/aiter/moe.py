"""AITER's fused mixtures of experts in assembly: the selected rows of its tables, and how each is launched.

A row is one launch: the first of two stages (gate and up projections, SiLU or GELU; `us1`), or both in one kernel, which adds each token's experts
atomically into an output that is zeroed before. Tokens are assigned to experts as by the tuner: each to its `topk` best by random scores, sorted by
expert, each expert's tokens padded to whole tiles.
"""
import csv
import glob
import os

import numpy as np

import launch
from launch import ceiling, null, plain_name, pointer, tile, word

# The authors of the 304 rows of these tables name MI325X (ROCm/aiter #3951, #3422); of the others
# only the compute units are known.
MI325X = ("model_configs/a8w8_blockscale_tuned_fmoe_ds_v3.csv", "model_configs/a8w8_blockscale_tuned_fmoe_glm5_1.csv")
# Retuned later (#4811) by a tuner that adds the time of the sort before the kernel: a tenth of these rows' times.
HOLDS_SORT = ("model_configs/a8w8_blockscale_tuned_fmoe_glm5_1.csv", "257", ("32", "64", "128", "256"))


def is_own_time(row):
    """Whether the row's time was measured with its own number of tokens: some rows copy another's time, and keep its TFLOP/s."""
    tokens, dim, inter, topk = (int(row[name]) for name in ("token", "model_dim", "inter_dim", "topk"))
    computed = 6 * tokens * dim * inter * topk / float(row["us"]) * 1e-6
    return abs(computed - float(row["tflops"])) <= 0.02 * computed + 0.01


def rows(aiter):
    """All rows of gfx942 whose (first) kernel is in assembly, except: scales per tensor, which other kernels expand within the time; bf16 that the
    kernel itself converts to fp8, whose times are not a tuner's; copies of other rows' times; times with the sort."""
    found, seen = [], set()
    for row in launch.tables(aiter, "*tuned_fmoe*.csv"):
        if "untuned" in row["table"] or row.get("gfx", "gfx942") != "gfx942" or row["cu_num"] not in launch.DEVICES or not row["kernelName1"].startswith("_ZN5aiter"):
            continue
        if row["q_type"] not in ("QuantType.per_Token", "QuantType.per_1x128") or row.get("xbf16", "0") == "1" or float(row["us1"]) <= 0:
            continue
        table, experts, tokens = HOLDS_SORT
        if not is_own_time(row) or (row["table"] == table and row["expert"] == experts and row["token"] in tokens):
            continue
        key = tuple(row[name] for name in ("cu_num", "token", "model_dim", "inter_dim", "expert", "topk", "act_type", "kernelName1"))
        if key not in seen:
            seen.add(key)
            device = "mi325x" if row["cu_num"] == "304" and row["table"] in MI325X else launch.DEVICES[row["cu_num"]]
            found.append(dict(row, device=device))
    return found


def manifest(aiter):
    """Facts about each kernel from AITER's tables of objects: the object's path in hsa/gfx942, whether the workgroups are persistent (`ps`)."""
    root, kernels = os.path.join(aiter, "hsa", "gfx942"), {}
    for path in glob.glob("fmoe*/**/*.csv", root_dir=root, recursive=True):
        with open(os.path.join(root, path), newline="") as file:
            for row in csv.DictReader(file):
                kernels[row["knl_name"]] = {"object": os.path.join(os.path.dirname(path), row["co_name"]), "stays": row.get("ps") == "1"}
    return kernels


class Routing:
    """The assignment of tokens to experts, and the lists that the kernels read. ids: (slot of topk << 24 | token), tokens | topk << 24 if padded."""

    def __init__(self, tokens, experts, topk, block, seed=0):
        random = np.random.default_rng(seed)
        scores = random.standard_normal((tokens, experts), np.float32)
        self.chosen = np.argsort(-scores, axis=1)[:, :topk]
        weights = np.exp(np.take_along_axis(scores, self.chosen, 1))
        self.weights = (weights / weights.sum(1, keepdims=True)).astype(np.float32)
        room = tokens * topk + experts * block - topk
        self.blocks = ceiling(room, block)
        # The tuner makes the lists as long as the blocks need.
        self.ids = np.full(self.blocks * block, topk << 24 | tokens, np.uint32)
        self.sorted_weights = np.zeros(self.blocks * block, np.float32)
        self.experts = np.zeros(self.blocks, np.uint32)
        at, order = 0, np.argsort(self.chosen, axis=None, kind="stable")
        for expert, count in enumerate(np.bincount(self.chosen.ravel(), minlength=experts)):
            mine, order = order[:count], order[count:]
            self.ids[at:at + count] = (mine % topk) << 24 | mine // topk
            self.sorted_weights[at:at + count] = self.weights.ravel()[mine]
            self.experts[at // block:ceiling(at + count, block)] = expert
            at += ceiling(count, block) * block
        self.valid = np.array([at, tokens], np.uint32)
        self.active = len(np.unique(self.chosen))

    def lists(self):
        return {"ids": self.ids, "expert_ids": self.experts, "valid": self.valid, "weights": self.sorted_weights}


def lists_of(tokens, experts, topk, block):
    """The name of files with lists, without the list's."""
    return f"route-{tokens}-{experts}-{topk}-{block}"


def write_lists(out, tokens, experts, topk):
    """Writes the lists for tiles of Kiln's sizes to files."""
    for block in (16, 32, 64, 128):
        for name, values in Routing(tokens, experts, topk, block).lists().items():
            values.tofile(os.path.join(out, f"{lists_of(tokens, experts, topk, block)}.{name}"))


class Moe:
    """A row's launch. Weights are e4m3fnuz, shuffled as the GEMMs' B; scales are f32, per token and row of weights, or (blocks) per 1x128 of the
    tokens, column-major, and per 128x128 of the weights. The input is e4m3fnuz; out is bf16, but of a first stage with blocks e4m3fnuz and scales."""

    def __init__(self, shape, kernel, device, stays, gelu):
        self.tokens, self.dim, self.inter, self.experts, self.topk = tokens, dim, inter, experts, topk = shape
        self.kernel, self.gelu = kernel, gelu
        self.block, columns = tile(kernel)
        self.lists_of = lists_of(tokens, experts, topk, self.block)
        self.blockscale, self.stage1 = "blockscale" in kernel, "stage1" in kernel
        self.weighted = "doweight" in kernel
        self.routing = routing = Routing(tokens, experts, topk, self.block)
        self.lists = routing.lists()
        parts, chunks = ceiling(inter, columns), dim // 128
        scales_up = 2 * inter // 128 * chunks if self.blockscale else 2 * inter
        scales_down = chunks * (inter // 128) if self.blockscale else dim
        if self.stage1:
            self.out_bytes = tokens * topk * inter * (1 if self.blockscale else 2)
        else:
            self.out_bytes = tokens * dim * 2
        # Scales after a first stage's fp8.
        tail = ceiling(4 * tokens, 128) * topk * inter if self.stage1 and self.blockscale else 0
        self.buffers = {
            "out": {"bytes": self.out_bytes + tail},
            "x": {"bytes": tokens * dim},
            "up": {"bytes": experts * 2 * inter * dim},
            "x_scale": {"bytes": 4 * tokens * (chunks if self.blockscale else 1)},
            "up_scale": {"bytes": 4 * experts * scales_up},
        }
        if not self.stage1:
            self.buffers["down"] = {"bytes": experts * inter * dim}
            self.buffers["down_scale"] = {"bytes": 4 * experts * scales_down}
        self.buffers.update({name: {"bytes": values.nbytes} for name, values in self.lists.items()})
        if self.stage1:
            arguments = [pointer(name) for name in ("out", "x", "up", "valid", "x_scale", "up_scale")]
            arguments += [null(), pointer("ids"), pointer("expert_ids")]
            out_stride = topk * inter * (1 if self.blockscale else 2)
            arguments += [word(value) for value in (dim, inter, tokens, experts, dim, dim, out_stride, 2 * inter * dim, 4 * scales_up, 4 * inter,
                                                    topk, 0, 1 if gelu else 0)]
            arguments.append(pointer("weights") if self.weighted else null())
            grid = [parts, routing.blocks, 1]
        else:
            arguments = [pointer(name) for name in ("out", "x", "up", "valid", "down", "x_scale", "up_scale", "down_scale")]
            arguments += [null(), pointer("ids"), pointer("weights"), pointer("expert_ids")]
            resident = launch.COMPUTE_UNITS[device] if stays else 0
            arguments += [word(value) for value in (dim, inter, tokens, experts, dim, dim, inter, 2 * dim, 2 * inter * dim, dim * inter,
                                                    4 * scales_up, 4 * scales_down, 4 * inter, topk, resident // parts * parts, parts)]
            grid = [resident, 1, 1] if resident else [parts, routing.blocks, 1]
        self.steps = [] if self.stage1 else [launch.fill_step("out", self.out_bytes)]
        self.arguments, self.grid = arguments, grid
        self.flops = (4.0 if self.stage1 else 6.0) * tokens * topk * dim * inter
        self.bytes = routing.active * inter * dim * (2 if self.stage1 else 3) + tokens * dim + self.out_bytes


def make(row, kernels):
    shape = tuple(int(row[name]) for name in ("token", "model_dim", "inter_dim", "expert", "topk"))
    kernel = kernels[row["kernelName1"]]
    made = Moe(shape, row["kernelName1"], row["device"], kernel["stays"], row["act_type"].endswith("Gelu"))
    made.steps.append(launch.step(made.kernel, made.arguments, made.grid, os.path.basename(kernel["object"])))
    return made


# Tables of the kernels with SiLU, by number of stages in the launch and kind of scales.
KINDS = {
    (1, "token"): "fmoe_2stages/fmoe_stage1_bf16_pertokenFp8_g1u1.csv",
    (1, "blocks"): "fmoe_2stages/fmoe_stage1_bf16_pertokenFp8_blockscale_g1u1.csv",
    (2, "token"): "fmoe/silu/fmoe_bf16_pertokenFp8_g1u1_silu.csv",
    (2, "blocks"): "fmoe/silu/fmoe_bf16_blockscaleFp8_g1u1_silu.csv",
}


def launches(aiter, tokens, dim, inter, experts, topk, stages, scales):
    """fp8 with SiLU: the first stage, or both in one launch; scales per "token" or by "blocks". All kernels whose tile divides the problem."""
    kernels = manifest(aiter)
    with open(os.path.join(aiter, "hsa", "gfx942", KINDS[stages, scales]), newline="") as file:
        # "multix" expect tokens scaled for each expert.
        names = sorted(row["knl_name"] for row in csv.DictReader(file) if "multix" not in row["knl_name"])
    for name in names:
        if inter % tile(name)[1] == 0:
            made = Moe((tokens, dim, inter, experts, topk), name, "mi300x", kernels[name]["stays"], False)
            made.steps.append(launch.step(name, made.arguments, made.grid, os.path.basename(kernels[name]["object"])))
            yield made


def points(aiter, out):
    kernels = manifest(aiter)
    for row in rows(aiter):
        made = make(row, kernels)
        tokens, dim, inter, experts, topk = (row[name] for name in ("token", "model_dim", "inter_dim", "expert", "topk"))
        for name, values in made.lists.items():
            file = f"{made.lists_of}.{name}"
            values.tofile(os.path.join(out, file))
            made.buffers[name]["file"] = file
        act = "-gelu" if made.gelu else ""
        name = f"aiter-{row['device']}-{plain_name(row['kernelName1'])}-{tokens}x{dim}x{inter}-e{experts}k{topk}{act}"
        yield launch.point(name, "moe", row, float(row["us1"]), made)


def objects(points, aiter):
    """Their objects, in hsa/gfx942."""
    kernels = manifest(aiter)
    used = {step["kernel"] for point in points if point["family"] == "moe" for step in point["steps"]} - {"fill"}
    return {kernels[kernel]["object"] for kernel in used}
