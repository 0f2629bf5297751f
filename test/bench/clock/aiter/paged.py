"""AITER's paged attention in assembly for one new token per sequence, heads of 128: how it is launched (csrc/py_itfs_cu/asm_pa.cu).

Nobody published times of these, so there are no points: only `../../bench_kernels.c` compares them.
"""
import array
import csv
import os
import random

import launch
from launch import ceiling, null, pointer, word

FOLDER = "pa"
HEAD = 128
SIZE = {"bf16": 2, "fp8": 1, "int8": 1}


def table(aiter):
    with open(os.path.join(aiter, "hsa", "gfx942", FOLDER, "pa_asm.csv"), newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def kernels(aiter, element, shared):
    """Rows of the kernels for bf16 queries, one token per sequence, and a workgroup for each sequence and head of keys; `shared` queries use one."""
    for row in table(aiter):
        if row["qType"] == "bf16" and row["kvType"] == element and row["ps"] == "0" and row["Mtp"] == "0" and int(row["Gqa"]) == ceiling(shared, 8) * 8:
            yield row


class Paged:
    """q and out are [sequence][head][128] in bf16. The cache is [page][head of keys]; of keys 128/x by tokens by x, of values tokens/x by 128 by x, where x
    elements are 16 bytes. 8-bit elements have scales in f32, [page][head of keys][token] of keys and of values. `table` lists the pages of each sequence."""

    def __init__(self, sequences, heads, key_heads, lengths, row):
        element, tokens = row["kvType"], int(row["blkSz"])
        self.heads, self.key_heads, self.tokens = heads, key_heads, tokens
        lengths = [lengths] * sequences if isinstance(lengths, int) else lengths
        columns = ceiling(max(lengths), tokens)
        self.pages, self.columns = sequences * columns, columns
        self.lists_of = f"pages-{sequences}-{columns}-{tokens}"
        # Pages of a sequence lie anywhere in the cache.
        self.lists = {"table": array.array("i", random.Random(1).sample(range(self.pages), self.pages)), "lengths": array.array("i", lengths)}
        cache = self.pages * key_heads * tokens * HEAD * SIZE[element]
        self.buffers = {"q": {"bytes": 2 * sequences * heads * HEAD}, "out": {"bytes": 2 * sequences * heads * HEAD},
                        "k": {"bytes": cache}, "v": {"bytes": cache}, "table": {"bytes": 4 * self.pages}, "lengths": {"bytes": 4 * sequences}}
        scales = [null(), null()]
        if element != "bf16":
            self.buffers.update({name: {"bytes": 4 * self.pages * key_heads * tokens} for name in ("k_scale", "v_scale")})
            scales = [pointer("k_scale"), pointer("v_scale")]
        of_head = tokens * HEAD * SIZE[element]
        arguments = [pointer(name) for name in ("out", "q", "k", "v", "table", "lengths")] + scales
        arguments += [word(1.4426950408889634 * HEAD ** -0.5, "f32")]
        arguments += [word(value) for value in (columns, key_heads, 2 * heads * HEAD, key_heads * of_head, of_head, 0, heads // key_heads)] + [null()]
        self.steps = [launch.step(row["knl_name"], arguments, [key_heads, sequences, 1], row["co_name"])]


def launches(aiter, element, sequences, heads, key_heads, length):
    for row in kernels(aiter, element, heads // key_heads):
        yield Paged(sequences, heads, key_heads, length, row)


def objects(aiter):
    """All of its kernels' objects, in hsa/gfx942."""
    return {os.path.join(FOLDER, row["co_name"]) for element in SIZE for shared in (8, 16) for row in kernels(aiter, element, shared)}
