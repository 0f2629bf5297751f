"""The launch of ConvBinWinogradRxS{f2x3g1,f3x2} for a row of the find-db: groups of 512 that iterate over all tiles. The perf-db gives their number;
the default is one per compute unit."""
import re

from igemm import Unsupported

SOLVER = re.compile("ConvBinWinogradRxS(f2x3g1|f3x2)$")
UNITS = 304
REVERSE_TAPS, SWAP_FILTER = 1 | 2, 4
STORES_CHECKED = 1 << 9 | 1 << 10 | 1 << 14


def launches(p, groups, transform):
    if p.layout != "NCHW" or p.group != 1 or p.sh != p.sw or (p.dh, p.dw) != (1, 1) or p.sh > (2 if p.direction == "F" else 1) or p.direction == "W":
        raise Unsupported("not one launch of stride 1 or 2")
    size, taps = 4 if p.type == "FP32" else 2, p.y * p.x
    if p.direction == "F":
        c, h, w, k, oh, ow = p.c, p.hi, p.wi, p.k, p.ho, p.wo
        flags, pads, filters = 0, (p.ph, p.pw), (c * taps, taps)
    else:
        c, h, w, k, oh, ow = p.k, p.ho, p.wo, p.c, p.hi, p.wi
        flags, pads, filters = REVERSE_TAPS | SWAP_FILTER, (p.y - 1 - p.ph, p.x - 1 - p.pw), (taps, k * taps)
    kind = f"{transform.removesuffix('g1')}_stride{p.sh}"
    buffers = {"data": size * p.n * c * h * w, "filter": size * k * c * taps, "out": size * p.n * k * oh * ow}
    args = [{"i32": number} for number in (p.n, c, h, w, k, groups, flags | STORES_CHECKED, 0)]
    args += [{"buffer": name} for name in ("data", "filter", "out")] + [{"ptr": 0}]
    args += [{"i32": number} for number in (p.y, p.x, *pads, oh, ow)] + [{"ptr": 0}, {"i32": 0}, {"i32": 0}] + [{"u64": 0}] * 4
    strides = (c * h * w, h * w, w, 1, *filters, p.x, 1, k * oh * ow, oh * ow, ow, 1, 1, c * h * w, k * c * taps, k * oh * ow)
    args += [{"i32": number} for number in strides] + [{"u8": 0}]
    short = "fp32" if p.type == "FP32" else "fp16_dot2"
    return buffers, [{"object": f"{short}_{kind}.co", "kernel": f"miopenSp3AsmConv_v30_3_1_gfx9_{short}{'' if size == 4 else '_edc'}_{kind}",
                      "grid": [groups, 1, 1], "block": [512, 1, 1], "args": args}]
