"""AITER's assembly GEMMs: the selected rows of its tables, and how each is launched."""
import os

import launch
from launch import ceiling, null, plain_name, pointer, tile, word

# Every third row of a table is selected, since rows differ little from their neighbours.
LONG_TABLE = "model_configs/a8w8_blockscale_bpreshuffle_tuned_gemm_dsv3.csv"
FOLDERS = {"I8gemm": "i8gemm", "fp8gemm": "fp8gemm_blockscale", "bf16gemm": "bf16gemm"}


def rows(aiter):
    """All rows of gfx942 whose kernel is an assembly GEMM; `device` is added to each."""
    found = [dict(row, device=launch.DEVICES[row["cu_num"]]) for row in launch.tables(aiter, "*.csv")
             if row.get("gfx") == "gfx942" and row.get("libtype") == "asm"]
    left_out = {id(row) for i, row in enumerate([row for row in found if row["table"] == LONG_TABLE]) if i % 3}
    return [row for row in found if id(row) not in left_out]


class Gemm:
    """A row's launch: steps and buffers. bytes: the minimum that a GEMM must move."""

    def __init__(self, m, n, k, split_k, kernel, element):
        self.m, self.n, self.k, self.split_k, self.kernel = m, n, k, split_k, kernel
        tile_rows, columns = tile(kernel)
        assert n % columns == 0, (kernel, n)
        self.tiles_m, self.tiles_n = ceiling(m, tile_rows), n // columns
        self.bytes = (m * k + n * k) * element + m * n * 2
        self.flops = 2.0 * m * n * k


class Gemm8(Gemm):
    """i8 with a scale per row and column, or fp8 (e4m3fnuz) with scales per 1x128 of A and 128x128 of B; out is bf16.
    B is shuffled: 16 rows by 32 bytes at a time, in that order (row, k16 of 2) -> (k16, row). fp8: A's scales are column-major."""

    def __init__(self, m, n, k, split_k, kernel):
        super().__init__(m, n, k, split_k, kernel, 1)
        self.blockscale = "blockscale" in kernel
        # The tuner pads the rows of A for i8 by 128.
        lda = k if self.blockscale else k + 128
        groups = ceiling(k, 128)
        self.buffers = {
            "A": {"bytes": m * lda, "fill": "randf16"},
            "B": {"bytes": n * k, "fill": "randf16"},
            "C": {"bytes": m * n * 2, "fill": "zeros"},
            "scale_a": {"bytes": 4 * m * (groups if self.blockscale else 1), "fill": "randf32"},
            "scale_b": {"bytes": 4 * (ceiling(n, 128) * groups if self.blockscale else n), "fill": "randf32"},
            "bias": {"bytes": 4 * n, "fill": "zeros"},
        }
        arguments = [pointer(name) for name in ("C", "A", "B", "scale_a", "scale_b", "bias")]
        arguments += [word(value) for value in (m, n, k, lda, k, 2 * n, split_k)]
        if self.blockscale:
            arguments += [word(value) for value in (m, ceiling(n, 128), groups)]
        self.steps = [launch.fill_step("C", self.m * self.n * 2)] if split_k > 1 else []
        self.steps.append(launch.step(kernel, arguments, [self.tiles_n * split_k, self.tiles_m, 1]))


class GemmBf16(Gemm):
    """bf16, out bf16, no shuffle; K is split by the grid's z, and the last workgroup of a tile, known by a semaphore per tile, adds up."""

    def __init__(self, m, n, k, split_k, kernel):
        super().__init__(m, n, k, split_k, kernel, 2)
        self.buffers = {
            "A": {"bytes": m * k * 2, "fill": "randbf16"},
            "B": {"bytes": n * k * 2, "fill": "randbf16"},
            "D": {"bytes": m * n * 2, "fill": "zeros"},
            "semaphores": {"bytes": 4 * 1024, "fill": "zeros"},
        }
        arguments = [pointer("D"), null(), pointer("A"), pointer("B"), word(1.0, "f32"), word(0.0, "f32")]
        arguments += [word(value) for value in (2 * n, 0, 2 * n, 0, 2 * k, 0, 2 * k, 0, m, n, k, split_k, 1)]
        arguments += [null(), word(0), pointer("semaphores")]
        self.steps = [launch.step(kernel, arguments, [self.tiles_n, self.tiles_m, split_k])]


def gemm(m, n, k, split_k, kernel):
    return (GemmBf16 if "bf16gemm_fp32bf16" in kernel else Gemm8)(m, n, k, split_k, kernel)


def points(aiter, _out):
    for row in rows(aiter):
        m, n, k, split_k = (int(row[name]) for name in ("M", "N", "K", "splitK"))
        name = f"aiter-{row['device']}-{plain_name(row['kernelName'])}-{m}x{n}x{k}-s{split_k}"
        yield launch.point(name, "gemm", row, float(row["us"]), gemm(m, n, k, split_k, row["kernelName"]))


def objects(points):
    """Their objects, in hsa/gfx942."""
    names = {step["object"] for point in points if point["family"] == "gemm" for step in point["steps"]} - {"fill.hsaco"}
    return {os.path.join(FOLDERS[name.split("_")[0]], name) for name in names}
