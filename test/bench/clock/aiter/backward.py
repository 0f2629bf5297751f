"""AITER's backward attention in assembly, bf16 with heads of 128: how it is launched (csrc/cpp_itfs/mha_bwd.cu).

Four launches: delta of each query (`odo`), zeros for dq in f32, the gradients, which add to dq atomically, and dq rounded to bf16. Nobody published times
of these, so there are no points: only `../../bench_kernels.c` compares them.
"""
import csv
import os

import launch
from launch import ceiling, null, pointer, word

FOLDER = "fmha_v3_bwd"
HEAD = 128
# Of the three ways to round to bf16 the one that AITER's wrapper takes by default: to nearest away from zero.
ROUNDING = "1"
NO_MASK, TOP_LEFT, BOTTOM_RIGHT = "0", "1", "2"


def table(aiter, name):
    with open(os.path.join(aiter, "hsa", "gfx942", FOLDER, name), newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["dtype"] == "bf16" and row["hdim_q"] == row["hdim_v"] == str(HEAD) and row["mode"] == "0" and row["bf16_cvt"] in ("3", ROUNDING):
                yield row


def kernels(aiter, sequence, causal):
    """Rows of the kernels of gradients that sum dq in f32. With as many keys as queries the masks aligned to either corner are the same; `pssk` are for
    sequences that are no multiple of the tile, and right for all."""
    for row in table(aiter, "fmha_bwd_dqdkdv.csv"):
        fits = row["pssk"] == "1" or sequence % int(row["ts"]) == 0
        if row["atomic32"] == "1" and row["mask"] in ((TOP_LEFT, BOTTOM_RIGHT) if causal else (NO_MASK,)) and fits:
            yield row


class Backward:
    """Tensors are [batch][head][sequence][128], as of the example; with [batch][sequence][head][128] the predicted times are the same. `row` is one of
    `kernels`."""

    def __init__(self, aiter, batch, heads, sequence, causal, row):
        self.batch, self.heads, self.sequence, self.causal = batch, heads, sequence, causal
        (before,), (after,) = table(aiter, "fmha_bwd_odo.csv"), table(aiter, "fmha_bwd_dq_convert.csv")
        count = batch * heads * sequence
        self.buffers = {name: {"bytes": 2 * count * HEAD} for name in ("q", "k", "v", "o", "do", "dq", "dk", "dv")}
        self.buffers.update({name: {"bytes": 4 * count} for name in ("lse", "delta")}, dq_sums={"bytes": 4 * count * HEAD})
        # Of a head, a batch, and a token.
        strides = [2 * HEAD * sequence, 2 * HEAD * sequence * heads, 2 * HEAD]
        sums = [4 * HEAD * sequence, 4 * HEAD * sequence * heads if batch > 1 else 0, 4 * HEAD]
        of_rows = [4 * sequence, 4 * sequence * heads]
        head, whole, token = strides
        odo = [pointer(name) for name in ("o", "do", "delta")]
        odo += [word(value) for value in (*strides, *strides, *of_rows, 4, sequence, HEAD)] + [null(), null()]
        tile = int(row["ts"])
        main = [pointer(name) for name in ("dq_sums", "dk", "dv", "q", "k", "v", "do", "lse", "delta")]
        main += [word(HEAD ** -0.5, "f32"), word(1.4426950408889634, "f32")]
        main += [word(value) for value in (sequence, tile * token, *strides, 1, *strides, token, sequence, HEAD, HEAD, heads, *strides, *strides,
                                           head, whole, head, whole, token, of_rows[0])]
        main += [null()] * 4 + [word(sequence), word(0), word(0)]
        convert = [pointer("dq_sums"), pointer("dq")]
        convert += [word(value) for value in (*sums, *strides, sequence, HEAD)] + [null(), null()]
        tiles = ceiling(sequence, tile)
        self.steps = [
            launch.step(before["knl_name"], odo, [ceiling(sequence, int(before["ts"])), heads, batch], before["co_name"]),
            launch.fill_step("dq_sums", 4 * count * HEAD),
            launch.step(row["knl_name"], main, [ceiling(tiles, 2) if causal else tiles, heads, batch], row["co_name"]),
            launch.step(after["knl_name"], convert, [ceiling(sequence, int(after["ts"])), heads, batch], after["co_name"]),
        ]


def launches(aiter, batch, heads, sequence, causal):
    for row in kernels(aiter, sequence, causal):
        yield Backward(aiter, batch, heads, sequence, causal, row)


def objects(aiter):
    """All of its kernels' objects, in hsa/gfx942."""
    return {os.path.join(FOLDER, row["co_name"]) for name in ("odo", "dqdkdv", "dq_convert") for row in table(aiter, f"fmha_bwd_{name}.csv")}
