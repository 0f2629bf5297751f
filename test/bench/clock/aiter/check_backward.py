"""Executes backward attention on Kiln's simulator at a small size and compares it with a plain one."""
import os

import numpy as np

import backward
from numbers8 import from_bf16, to_bf16


def gradients(q, k, v, do, causal):
    """dq, dk, dv, out and the logarithms of the sums, all by heads."""
    scale = backward.HEAD ** -0.5
    scores = q @ k.transpose(0, 1, 3, 2) * scale
    if causal:
        scores = np.where(np.tri(scores.shape[-1], dtype=bool), scores, -np.inf)
    top = scores.max(-1, keepdims=True)
    weights = np.exp(scores - top)
    total = weights.sum(-1, keepdims=True)
    p = weights / total
    out = p @ v
    ds = p * (do @ v.transpose(0, 1, 3, 2) - (do * out).sum(-1, keepdims=True))
    return {"dq": ds @ k * scale, "dk": ds.transpose(0, 1, 3, 2) @ q * scale, "dv": p.transpose(0, 1, 3, 2) @ do}, out, (top + np.log(total))[..., 0]


def check(device, root, aiter, sequence, causal, row):
    made = backward.Backward(aiter, 2, 3, sequence, causal, row)
    random = np.random.default_rng(1)

    def load(data):
        return from_bf16(data, (made.batch, made.heads, sequence, backward.HEAD))

    given = {name: random.standard_normal((made.batch, made.heads, sequence, backward.HEAD)).astype(np.float32) for name in ("q", "k", "v", "do")}
    data = {name: to_bf16(values).tobytes() for name, values in given.items()}
    q, k, v, do = (load(data[name]) for name in ("q", "k", "v", "do"))
    want, out, sums = gradients(q, k, v, do, causal)
    data.update(o=to_bf16(out).tobytes(), lse=sums.astype(np.float32).tobytes())
    buffers = {name: device.buffer(data[name] if name in data else buffer["bytes"]) for name, buffer in made.buffers.items()}
    for step in made.steps:
        device.run(step, buffers, root)
    got = {name: load(buffers[name].read()) for name in want}
    for buffer in buffers.values():
        buffer.free()
    return max(np.linalg.norm(got[name] - want[name]) / np.linalg.norm(want[name]) for name in want)


def cases(aiter):
    """(name, the check, allowed error): p and ds are rounded to bf16 before they are multiplied."""
    for causal in (False, True):
        for sequence in (384, 456):
            for row in backward.kernels(aiter, sequence, causal):
                yield (f"backward {row['knl_name']} {sequence}",
                       lambda device, root, s=sequence, c=causal, r=row: check(device, root, aiter, s, c, r), 2e-2)
