# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the tile that Origami chooses for a GEMM on MI300X, as bench_tune.c's --origami asks for it:

    origami_choice.py TYPE OUT_TYPE TRANSPOSE_B M N K MxNxK...

TYPE and OUT_TYPE are names of origami.data_type_t. TRANSPOSE_B is N if B is read along K, T if it is
read along N; A is always read along K. Its matrix instruction is the one that Origami recommends.
Prints "- - -" if Origami takes none of the tiles, as for M = 1 in 8-bit floats.
"""
import sys

import origami

LDS, L2, CLOCK_KHZ, COMPUTE_UNITS = 64 << 10, 4 << 20, 2100000, 304


def main():
    kind, out, transpose_b, *size = sys.argv[1:7]
    hardware = origami.get_hardware_for_arch(
        origami.architecture_t.gfx942, COMPUTE_UNITS, LDS, L2, CLOCK_KHZ)
    kind, out = getattr(origami.data_type_t, kind), getattr(origami.data_type_t, out)
    problem = origami.problem_t()
    problem.size = origami.dim3_t(*map(int, size))
    problem.batch = 1
    problem.a_transpose = origami.transpose_t.T
    problem.b_transpose = getattr(origami.transpose_t, transpose_b)
    problem.a_dtype = problem.b_dtype = problem.mi_dtype = kind
    problem.c_dtype = problem.d_dtype = out
    configs = []
    for tile in sys.argv[7:]:
        config = origami.config_t()
        config.mt = origami.dim3_t(*map(int, tile.split("x")))
        config.mi = hardware.get_recommended_matrix_instruction(kind)
        config.occupancy = 1
        configs.append(config)
    try:
        tile = origami.select_config(problem, hardware, configs).config.mt
    except RuntimeError as error:
        if "No valid configs" not in str(error):
            raise
        print("- - -")
        return
    print(tile.m, tile.n, tile.k)


main()
