"""Executes forward attention on Kiln's simulator at a small size and compares it with a plain one."""
import numpy as np

import attention
from numbers8 import from_bf16, to_bf16


def check(device, root, causal):
    made = attention.Attention(2, 8, 2, 2 * attention.ROWS + 72, causal)
    random = np.random.default_rng(1)
    data = {name: to_bf16(random.standard_normal((made.batch, made.sequence, heads, attention.HEAD)))
            for name, heads in (("q", made.heads), ("k", made.key_heads), ("v", made.key_heads))}
    buffers = {name: device.buffer(data[name].tobytes() if name in data else buffer["bytes"]) for name, buffer in made.buffers.items()}
    for name, buffer in buffers.items():
        assert buffer.size == made.buffers[name]["bytes"], (name, buffer.size, made.buffers[name])
    for step in made.steps:
        device.run(step, buffers, root)
    q, k, v = (from_bf16(data[name].tobytes(), data[name].shape).transpose(0, 2, 1, 3) for name in "qkv")
    k, v = (part.repeat(made.heads // made.key_heads, 1) for part in (k, v))
    scores = q @ k.transpose(0, 1, 3, 2) * attention.HEAD ** -0.5
    if causal:
        scores = np.where(np.tri(made.sequence, dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    want = (weights / weights.sum(-1, keepdims=True) @ v).transpose(0, 2, 1, 3)
    got = from_bf16(buffers["o"].read(), want.shape)
    for buffer in buffers.values():
        buffer.free()
    return np.linalg.norm(got - want) / np.linalg.norm(want)


def cases(_aiter):
    """(name, the check, allowed error): weights are rounded to bf16 before they are multiplied by the values."""
    for causal in (False, True):
        yield f"attention{' causal' if causal else ''}", lambda device, root, c=causal: check(device, root, c), 1e-2
