"""The launch of ConvDirectNaiveConv{Fwd,Bwd,Wrw} for a row of the find-db: loops over all products of a result, in f64; groups of 256, one for each
image and channel that is computed, by weights for each channel of the output."""
import re

from igemm import Unsupported

SOLVER = re.compile("ConvDirectNaiveConv(Fwd|Bwd|Wrw)$")


def launches(p):
    if p.layout != "NCHW":
        raise Unsupported("another layout")
    size, name = (4, "float") if p.type == "FP32" else (2, "half")
    buffers = {"in": size * p.n * p.c * p.hi * p.wi, "wei": size * p.k * (p.c // p.group) * p.y * p.x, "out": size * p.n * p.k * p.ho * p.wo}
    strides = [{"u64": 0}] * 15  # used only for tensors with gaps
    numbers = (p.hi, p.wi, p.n, p.k // p.group, p.c // p.group, p.ho, p.wo, p.sh, p.sw, p.dh, p.dw, p.ph, p.pw, p.y, p.x, p.group)
    direction, groups = {"F": ("fwd", p.n * p.k), "B": ("bwd", p.n * p.c), "W": ("wrw", p.k)}[p.direction]
    return buffers, [{"object": "direct.co", "kernel": f"naive_conv_packed_{direction}_nchw_{name}_double_{name}", "grid": [groups, 1, 1],
                      "block": [256, 1, 1], "args": [{"buffer": buffer} for buffer in ("in", "wei", "out")] + strides + [{"i32": n} for n in numbers]}]
