"""Compiles HIP kernels for gfx942 by clang, with include/ of this folder in place of ROCm's headers."""
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))


def compile_hip(source, out, clang="clang-22", options=("-nostdinc++", "-std=c++17")):
    """The code object of a source text, at -O3 as hipcc would be asked for."""
    subprocess.run([clang, "-x", "hip", "--offload-arch=gfx942", "--cuda-device-only", "--no-gpu-bundle-output", "-nogpulib", "-nogpuinc",
                    "-fuse-cuid=none", "-mcode-object-version=5", "-fdeclspec", "-O3", "-w", *options, "-I", os.path.join(HERE, "include"), "-", "-o", out],
                   input=source.encode(), check=True)
