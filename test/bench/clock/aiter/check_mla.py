"""Executes latent attention on Kiln's simulator at a small size and compares it with a plain one."""
import numpy as np

import mla
from mla import HEADS, LATENT, WIDTH
from numbers8 import from_bf16, to_bf16


def check(device, root, lengths, splits):
    made = mla.Latent(lengths, splits)
    random = np.random.default_rng(3)
    data = {"q": to_bf16(random.standard_normal((len(lengths), HEADS, WIDTH))).tobytes(), "cache": to_bf16(random.standard_normal((made.tokens, WIDTH))).tobytes()}
    data.update({name: values.tobytes() for name, values in made.lists.items()})
    buffers = {name: device.buffer(data[name] if name in data else buffer["bytes"]) for name, buffer in made.buffers.items()}
    for step in made.steps:
        device.run(step, buffers, root)
    q, cache = from_bf16(data["q"], (len(lengths), HEADS, WIDTH)), from_bf16(data["cache"], (made.tokens, WIDTH))
    want = np.zeros((len(lengths), HEADS, LATENT), np.float32)
    for i, first in enumerate(made.lists["first_tokens"][:-1]):
        mine = cache[np.array(made.lists["table"])[first:first + lengths[i]]]
        scores = q[i] @ mine.T * (128 + mla.ROTATED) ** -0.5
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        want[i] = weights / weights.sum(-1, keepdims=True) @ mine[:, :LATENT]
    got = from_bf16(buffers["out"].read(), want.shape)
    for buffer in buffers.values():
        buffer.free()
    return np.linalg.norm(got - want) / np.linalg.norm(want)


def cases(_aiter):
    """(name, the check, allowed error)."""
    for lengths, splits in (([200, 1, 77], 1), ([200, 300], 3)):
        yield f"mla {splits} x {len(lengths)}", lambda device, root, n=lengths, s=splits: check(device, root, n, s), 2e-2
