"""AITER's forward attention in assembly, bf16 with heads of 128: the selected rows of its table, and how each is launched.

The table (op_tests/cpp/mha/README.md) gives TFLOP/s of an MI300X, and counts half of the operations if the mask is causal. It is from October 2025; the
objects were fixed twice since, for sequences without keys and for buffers of more than 4 GB.
"""
import os

import launch
from launch import ceiling, null, pointer, word

TABLE = os.path.join("op_tests", "cpp", "mha", "README.md")
HEAD, ROWS = 128, 256


def rows(aiter):
    """(batch, heads of queries, of keys, sequence, causal, TFLOP/s) of each row."""
    with open(os.path.join(aiter, TABLE), encoding="utf-8") as file:
        for line in file:
            cells = [cell.strip() for cell in line.split("|")[1:-1]]
            if len(cells) == 13 and cells[0].isdigit() and cells[3] == cells[4] and int(cells[5]) == HEAD:
                yield (*(int(cells[i]) for i in (0, 1, 2, 3)), cells[6] == "1", float(cells[7]))


class Attention:
    """Tensors are [batch][sequence][head][128]; a workgroup of 512 has 256 queries of a head, and if the mask is causal also the 256 at the same
    distance from the end."""

    def __init__(self, batch, heads, key_heads, sequence, causal):
        self.batch, self.heads, self.key_heads, self.sequence, self.causal = batch, heads, key_heads, sequence, causal
        self.object = f"fwd_hd128_bf16_{'causal_' if causal else ''}rtna.co"
        name = "fmha_" + self.object.removesuffix(".co")
        wide, narrow = 2 * batch * sequence * heads * HEAD, 2 * batch * sequence * key_heads * HEAD
        self.buffers = {"o": {"bytes": wide}, "q": {"bytes": wide}, "k": {"bytes": narrow}, "v": {"bytes": narrow}}
        row, key_row, head = 2 * heads * HEAD, 2 * key_heads * HEAD, 2 * HEAD
        arguments = [pointer(name) for name in ("o", "q", "k", "v")] + [null(), word(HEAD ** -0.5, "f32")]
        arguments += [word(value) for value in (sequence, row, ROWS * row, head, sequence * row, heads // key_heads, key_row, head, sequence * key_row)]
        # How a workgroup finds its head: 5, but 3 with causal masks if the heads are not 8n or the
        # queries exceed 16384.
        arguments += [word(3 if causal and (heads % 8 or sequence > 16384) else 5), word(0), word(sequence), word(HEAD), word(HEAD), word(heads)]
        arguments += [word(value) for value in (key_row, head, sequence * key_row, row, head, sequence * row)]
        arguments += [null(), null(), word(0)] + [null()] * 5 + [word(0)] * 6
        tiles = ceiling(sequence, ROWS)
        made = launch.step(f"_ZN5aiter{len(name)}{name}E", arguments, [ceiling(tiles, 2) if causal else tiles, heads, batch], self.object)
        self.steps = [dict(made, block=[512, 1, 1])]
        self.flops = (2.0 if causal else 4.0) * batch * heads * sequence * sequence * HEAD
        self.bytes = 2 * (wide + narrow)


def points(aiter, _out):
    for batch, heads, key_heads, sequence, causal, speed in rows(aiter):
        made = Attention(batch, heads, key_heads, sequence, causal)
        name = f"aiter-mi300x-{made.object.removesuffix('.co')}-b{batch}h{heads}k{key_heads}s{sequence}"
        point = launch.point(name, "attention", {"device": "mi300x", "table": ""}, made.flops / speed * 1e-6, made)
        how = "events around launches one after the other, the mean of 10 after 10"
        yield dict(point, source=f"ROCm/aiter {launch.COMMIT[:8]} {TABLE}", cache="warm", how=how)


def objects(points):
    """Their objects, in hsa/gfx942."""
    names = {step["object"] for point in points if point["family"] == "attention" for step in point["steps"]}
    return {os.path.join("fmha_v3_fwd", "MI300", name) for name in names}
