"""The launches of ConvAsmImplicitGemmGTCDynamic{Fwd,Bwd,Wrw}XdlopsNHWC for a row of the find-db.

A key's direction names the computed tensor, its first tensor is the solver's input: for B and W that is the output's gradient. Here as in the
kernels: c, hi, wi are of the convolution's input, k, ho, wo of its output, for every direction.
"""
import math
import re

from parts import fill, magic, shifts, transpose, up

SOLVER = re.compile("ConvAsmImplicitGemmGTCDynamic(Fwd|Bwd|Wrw)XdlopsNHWC$")
UNITS = 304
COMPUTED = {"F": "out", "B": "in", "W": "wei"}
SCALARS = "nxb nxe m n k wtm wtn wtk wsm wsn wrm wrn multihead vector_store split merge_e pass_through".split()


class Unsupported(Exception):
    pass


class Config:
    """A line of the perf-db: direction, layout, type, 17 numbers, four lists of four (of threads and clusters of both tensors)."""

    def __init__(self, text):
        fields = text.split(",")
        self.direction, self.type = fields[0], fields[2]
        numbers = [int(field.split("[")[0]) for field in fields[3:]]
        self.__dict__.update(zip(SCALARS, numbers))
        lists = [numbers[i:i + 4] for i in range(17, 33, 4)]
        self.a_threads, self.a_cluster, self.b_threads, _ = lists
        self.block = math.prod(self.a_cluster)
        a, a_cluster, b, b_cluster = ("x".join(map(str, four)) for four in lists)
        self.name = (f"igemm_{self.direction}_gtcx3_nhwc_{self.type}_bx{self.nxb}_ex{self.nxe}_bt{self.m}x{self.n}x{self.k}_wt{self.wtm}x{self.wtn}x{self.wtk}"
                     f"_ws{self.wsm}x{self.wsn}_wr{self.wrm}x{self.wrn}_ta{a}_{a_cluster}_tb{b}_{b_cluster}"
                     + "_pta" * (self.pass_through != 0) + "_mh" * (self.multihead != 0) + "_me" * (self.merge_e != 0)
                     + f"_vs{self.vector_store}" * (self.vector_store != 0) + "_gkgs" * (self.split != 0))


def forward(p, c):
    """(numbers of the kernel's arguments, grid, whether it adds into zeros)"""
    y, x, channels = p.y, p.x, p.c // p.group
    tiles_m, tiles_n = up(p.n * p.ho * p.wo, c.m), up(p.k // p.group, c.n)
    magics = [magic(tiles_n), magic(p.ho * p.wo), magic(p.wo), magic(tiles_m * tiles_n)]
    of_x, of_c, more = magic(1), magic(1), 0
    arg_c, arg_y, arg_x = channels, y, x
    if c.merge_e:
        of_x, of_c = magic(x * channels), magic(channels)
        more = shifts(of_x, of_c)
        arg_y |= c.k // (x * channels) % y << 24
        arg_x |= c.k // channels % x << 24
        arg_c |= c.k % channels << 24
    numbers = [p.hi, p.wi, p.n, p.k // p.group, arg_c, p.ho, p.wo, p.sh, p.sw, p.dh, p.dw, p.ph, p.pw, arg_y, arg_x, p.group]
    numbers += [m[0] for m in magics] + [of_x[0], of_c[0], shifts(*magics), more, c.split, 0]
    return numbers, [p.group * tiles_m * tiles_n << c.split, 1, 1], c.split > 0


def strides(p):
    return (p.sh if p.hi > 1 else 1, p.sw if p.wi > 1 else 1, p.dh if p.y > 1 else 1, p.dw if p.x > 1 else 1)


def backward(p, c):
    """With a stride there are several GEMMs: one for each class of the input's pixels that use the same taps."""
    sh, sw, dh, dw = strides(p)
    taps_y, taps_x = sh // math.gcd(sh, dh), sw // math.gcd(sw, dw)
    high, wide = p.ho + (dh * (p.y - 1) + sh - 1) // sh, p.wo + (dw * (p.x - 1) + sw - 1) // sw
    top, left = max(0, p.ph - dh * (taps_y - 1)) // sh, max(0, p.pw - dw * (taps_x - 1)) // sw
    rows = min(high, (p.ph + p.hi + sh - 2) // sh + 1) - top
    columns = min(wide, (p.pw + p.wi + sw - 2) // sw + 1) - left
    gemms = taps_y * taps_x
    tiles_m, tiles_n = up(p.n * rows * columns, c.m), up(p.c // p.group, c.n)
    if gemms > 1 and not c.multihead:
        raise Unsupported("a launch for each of several GEMMs")
    magics = [magic(tiles_n), magic(tiles_n * tiles_m), magic(columns if c.nxe else p.wi), magic(rows * columns)]
    if gemms > 1:
        tile_y, tile_x = magic(taps_x)
        slice_y, slice_x = magic(taps_y)
        tile_h, tile_w = magic(p.group * tiles_n * tiles_m)
    else:
        tile_y, tile_x, slice_y, slice_x, tile_h, tile_w = 0, 0, p.y, p.x, high, wide
    numbers = [p.hi, p.wi, p.n, p.k // p.group, p.c // p.group, p.ho, p.wo, sh, sw, dh, dw, p.ph, p.pw, p.y, p.x]
    numbers += [tile_y, tile_x, dh // math.gcd(sh, dh), dw // math.gcd(sw, dw), taps_y, taps_x, tile_h, tile_w, slice_y, slice_x]
    numbers += [rows, columns, top, left, p.group] + [m[0] for m in magics] + [shifts(*magics), c.split]
    zeroed = c.split > 0 or p.y < sh or p.x < sw or (dh, dw) != (1, 1)
    return numbers, [(p.group * tiles_m * tiles_n << c.split) * gemms, 1, 1], zeroed


def weights(p, c):
    """Its `split` is the number of workgroups per compute unit, which share the pixels."""
    vector = c.b_threads[3]
    grid = p.group * up(p.k // p.group, c.m) * up(up(p.c // p.group, vector) * vector * p.y * p.x, c.n)
    parts = (UNITS * c.split // grid if c.split else 1) or 1
    least, step = (c.a_threads[1], c.a_cluster[1]) if c.nxe == 1 else (1, c.k)
    pixels = up(p.n, least) * p.ho * p.wo
    each = up(up(pixels, parts), step) * step
    parts = up(pixels, each)
    sh, sw, dh, dw = strides(p)
    numbers = [p.hi, p.wi, p.n, p.k // p.group, p.c // p.group, p.ho, p.wo, sh, sw, dh, dw, p.ph, p.pw, p.y, p.x, parts, p.group, each]
    return numbers, [grid, 1, parts], True


def launches(p, c):
    """({buffer: bytes}, steps) of a problem with that configuration."""
    numbers_are_cast = c.vector_store == 1 or (p.direction == "W" and c.b_threads[3] == 1)
    if p.type == "FP16" and numbers_are_cast and (c.split or p.direction == "W"):
        raise Unsupported("sums in f32 that are cast")
    size = 4 if p.type == "FP32" else 2
    shapes = {"in": (p.n, p.c, p.hi * p.wi), "wei": (p.k, p.c // p.group, p.y * p.x), "out": (p.n, p.k, p.ho * p.wo)}
    buffers = {name: size * math.prod(shape) for name, shape in shapes.items()}
    uses, before, after = {}, [], []
    for name in ("in", "wei", "out") if p.direction == "F" else ("in", "out", "wei") if p.direction == "W" else ("out", "wei", "in"):
        batch, channels, pixels = shapes[name]
        uses[name] = name
        made = None
        if p.layout == "NCHW" and name == COMPUTED[p.direction]:
            made = transpose(name, name + "_nhwc", batch, pixels, channels, size)
            after += [made] if made else []
        elif p.layout == "NCHW":
            made = transpose(name + "_nhwc", name, batch, channels, pixels, size)
            before += [made] if made else []
        if made:
            uses[name] = name + "_nhwc"
            buffers[uses[name]] = buffers[name]
    numbers, grid, zeroed = {"F": forward, "B": backward, "W": weights}[p.direction](p, c)
    if zeroed:
        target = uses[COMPUTED[p.direction]]
        before.insert(0, fill(target, buffers[target] // size, size))
    kernel = {"object": c.name + ".co", "kernel": c.name, "grid": grid, "block": [c.block, 1, 1],
              "args": [{"buffer": uses[name]} for name in ("in", "wei", "out")] + [{"u32": number} for number in numbers]}
    return buffers, before + [kernel] + after
