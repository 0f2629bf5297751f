"""AITER's latent attention (MLA) in assembly for one new token per sequence, bf16: how it is launched (csrc/py_itfs_cu/asm_mla.cu, aiter/mla.py).

Nobody published times of these, so there are no points: only `../../bench_kernels.c` compares them.
"""
import array
import random

import launch
from launch import null, pointer, word

FOLDER = "mla"
KERNEL = "_ZN5aiter41mla_dec_stage1_bf16_a16w16_subQ128_mqa128E"
HEADS, LATENT, ROTATED = 128, 512, 64  # all heads share one key, whose latent part is the value as well
WIDTH = LATENT + ROTATED
SPLITS = (1, 2, 3, 4, 8, 16)
COMPUTE_UNITS = 304
REDUCED = 128  # numbers of a head that a workgroup of reduce.cl combines


class Latent:
    """q is [sequence][head][576] in bf16, the cache [token][576], out [sequence][head][512]. `table` lists the tokens of all sequences, in pages of one.
    With several parts per sequence, these are in f32, [sequence][part][head][512], and reduce.cl stands for AITER's own reduction."""

    def __init__(self, lengths, splits):
        sequences, tokens = len(lengths), sum(lengths)
        self.lengths, self.tokens = lengths, tokens

        def words(values):
            return array.array("i", values)

        first = [sum(lengths[:i]) for i in range(sequences + 1)]
        self.lists_of = f"latent-{sequences}-{tokens}-{splits}"
        self.lists = {"table": words(random.Random(1).sample(range(tokens), tokens)), "first_tokens": words(first), "last_page": words([1] * sequences),
                      "queries": words(range(sequences + 1)), "part_first": words(range(0, (sequences + 1) * splits, splits)),
                      "part_rows": words(range(sequences * splits))}
        parts = sequences * splits * HEADS
        self.buffers = {"q": {"bytes": 2 * sequences * HEADS * WIDTH}, "cache": {"bytes": 2 * tokens * WIDTH}, "out": {"bytes": 2 * sequences * HEADS * LATENT},
                        "parts": {"bytes": 4 * parts * LATENT if splits > 1 else 4}, "part_sums": {"bytes": 4 * parts}}
        self.buffers.update({name: {"bytes": 4 * len(values)} for name, values in self.lists.items()})
        arguments = [pointer(name) for name in ("parts" if splits > 1 else "out", "part_sums", "q", "cache", "first_tokens", "table", "last_page")]
        arguments += [word((128 + ROTATED) ** -0.5, "f32")]
        arguments += [word(value) for value in (HEADS, splits, 2 * HEADS * WIDTH, 2 * WIDTH, 0)] + [pointer("queries"), pointer("part_first")]
        arguments += [null(), null(), null(), word(int(splits == 1)), null(), null(), word(1), word(0)]
        self.steps = [launch.step(KERNEL, arguments, [1, sequences, splits])]
        if splits > 1:
            names = ("parts", "part_sums", "out", "part_first", "part_rows")
            self.steps.append({"object": "reduce.hsaco", "kernel": "reduce", "grid": [sequences, HEADS, LATENT // REDUCED], "block": [REDUCED, 1, 1],
                               "dynamic_lds": 0, "args": [{"buffer": name} for name in names] + [{"i32": HEADS}]})


def launches(_aiter, sequences, length):
    for splits in SPLITS:
        if sequences * splits <= 4 * COMPUTE_UNITS:
            yield Latent([length] * sequences, splits)


def objects():
    """All of its kernels' objects, in hsa/gfx942."""
    return {f"{FOLDER}/{launch.plain_name(KERNEL)}.co"}
