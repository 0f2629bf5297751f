"""AITER's persistent paged attention in assembly, which divides the tokens of a sequence among workgroups: how it is launched (csrc/py_itfs_cu/asm_pa.cu)
and how its wrapper divides the work (csrc/kernels/mla/metadata/v1_2_pa_device.cuh). Pages have 1024 tokens, the least that is divided.

The second launch adds the parts; reduce.cl stands for AITER's own kernel.
"""
import array
import os
import random

import launch
import paged
from launch import ceiling, pointer, word
from paged import HEAD

COMPUTE_UNITS = 304


def kernels(aiter, element, shared):
    """Rows of the kernels with scales per token for bf16 queries, the smallest tile that holds `shared` queries of a head of keys."""
    fitting = [row for row in paged.table(aiter) if row["qType"] == "bf16" and row["kvType"] == element and row["ps"] == "1" and row["quant_type"] == "2"
               and int(row["qTile"]) >= shared]
    return sorted(fitting, key=lambda row: int(row["qTile"]))[:1]


def divide(pages, key_heads, shared):
    """(work, works before each compute unit's, for each sequence the rows of its parts). A work is [sequence, row of the part or -1, first and last query,
    first and last page in the list, 0, heads]. Rows are the same for all heads of keys."""
    works, indptr, rows = [], [0], [[] for _ in pages]
    units_of_head = COMPUTE_UNITS // key_heads
    average, rest = divmod(sum(pages), units_of_head)
    starts = [sum(pages[:i]) for i in range(len(pages))]
    unit = 0
    for head in range(key_heads):
        sequence = done = part = 0
        heads = (head + 1) * shared << 16 | head * shared
        while unit < COMPUTE_UNITS and sequence < len(pages):
            room = average + (unit % units_of_head < rest)
            while sequence < len(pages) and room > 0:
                taken = min(room, pages[sequence] - done)
                whole = done == 0 and taken == pages[sequence]
                begin = starts[sequence] + done
                works.append([sequence, -1 if whole else part, sequence, sequence + 1, begin, begin + taken, 0, heads])
                if not whole:
                    if head == 0:
                        rows[sequence].append(part)
                    part += 1
                room, done = room - taken, done + taken
                if done == pages[sequence]:
                    sequence, done = sequence + 1, 0
            indptr.append(len(works))
            unit += 1
    return works, indptr + [len(works)] * (COMPUTE_UNITS + 1 - len(indptr)), rows


class PagedSplit:
    """Tensors as of paged.Paged, but the pages of all sequences are in one list."""

    def __init__(self, sequences, heads, key_heads, lengths, row):
        element, self.tokens = row["kvType"], int(row["blkSz"])
        self.heads, self.key_heads = heads, key_heads
        lengths = [lengths] * sequences if isinstance(lengths, int) else lengths
        used = [ceiling(length, self.tokens) for length in lengths]
        self.pages = sum(used)
        works, indptr, rows = divide(used, key_heads, heads // key_heads)
        parts = max([0] + [part + 1 for mine in rows for part in mine])

        def words(values):
            return array.array("i", values)

        self.lists_of = f"split-{sequences}-{self.pages}-{self.tokens}"
        self.lists = {"table": words(random.Random(1).sample(range(self.pages), self.pages)), "lengths": words(lengths), "queries": words(range(sequences + 1)),
                      "first_pages": words([sum(used[:i]) for i in range(sequences + 1)]), "work_first": words(indptr),
                      "work": words(value for work in works for value in work),
                      "part_first": words([sum(len(mine) for mine in rows[:i]) for i in range(sequences + 1)]),
                      "part_rows": words([part for mine in rows for part in mine] or [0])}
        of_head = self.tokens * HEAD * paged.SIZE[element]
        cache = self.pages * key_heads * of_head
        self.buffers = {"q": {"bytes": 2 * sequences * heads * HEAD}, "out": {"bytes": 2 * sequences * heads * HEAD}, "k": {"bytes": cache}, "v": {"bytes": cache},
                        "parts": {"bytes": 4 * max(parts, 1) * heads * HEAD}, "part_sums": {"bytes": 4 * max(parts, 1) * heads}}
        self.buffers.update({name: {"bytes": 4 * self.pages * key_heads * self.tokens} for name in ("k_scale", "v_scale")})
        self.buffers.update({name: {"bytes": 4 * len(values)} for name, values in self.lists.items()})
        arguments = [pointer(name) for name in ("out", "q", "k", "v", "table", "lengths", "k_scale", "v_scale")]
        arguments += [word(1.4426950408889634 * HEAD ** -0.5, "f32")]
        arguments += [word(value) for value in (key_heads, 2 * heads * HEAD, key_heads * of_head, of_head, 0, heads // key_heads)]
        arguments += [pointer(name) for name in ("queries", "first_pages", "work_first", "work", "parts", "part_sums")]
        arguments += [word(4 * self.tokens), word(4 * self.tokens * key_heads)]
        self.steps = [launch.step(row["knl_name"], arguments, [COMPUTE_UNITS, 1, 1], row["co_name"])]
        if parts:
            names = ("parts", "part_sums", "out", "part_first", "part_rows")
            self.steps.append({"object": "reduce.hsaco", "kernel": "reduce", "grid": [sequences, heads, 1], "block": [HEAD, 1, 1], "dynamic_lds": 0,
                               "args": [{"buffer": name} for name in names] + [{"i32": heads}]})


def launches(aiter, element, sequences, heads, key_heads, length):
    for row in kernels(aiter, element, heads // key_heads):
        yield PagedSplit(sequences, heads, key_heads, length, row)


def objects(aiter):
    """All of its kernels' objects, in hsa/gfx942."""
    return {os.path.join(paged.FOLDER, row["co_name"]) for element in paged.SIZE for shared in (8, 16) for row in kernels(aiter, element, shared)}
