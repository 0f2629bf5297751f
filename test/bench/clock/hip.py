"""Compiles HIP kernels for gfx942 by clang, with include/ of this folder in place of ROCm's headers."""
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))


def compile_hip(source, out, clang="clang-22", options=()):
    """The code object of a source text, at -O3 as hipcc would be asked for."""
    subprocess.run([clang, "-x", "hip", "--offload-arch=gfx942", "--cuda-device-only", "--no-gpu-bundle-output", "-nogpulib", "-nogpuinc", "-nostdinc++",
                    "-mcode-object-version=5", "-fdeclspec", "-std=c++17", "-O3", "-w", "-I", os.path.join(HERE, "include"), *options, "-", "-o", out],
                   input=source.encode(), check=True)
