# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TorchInductor on the simulator: its Triton kernels for CPU tensors, compiled by Kiln for gfx942.

Inductor writes Triton for the CPU too where it is told so (torch._inductor.config.cpu_backend = "triton") and Triton has a back end named "cpu". Here that is
Kiln's with the simulator; and the CPU says of itself what Inductor goes by: 64 lanes in a wave, 304 compute units.

What is easily got wrong: on a real GPU nothing of this is needed. Inductor calls triton.compile for HIP tensors, and kiln_triton.enable() is all.
"""
import functools
import os
import subprocess
import tempfile
import types

import torch
import torch._dynamo.device_interface
import torch._inductor.codecache
import torch._inductor.config
import torch._inductor.runtime.triton_heuristics as heuristics
import triton.backends
from triton.backends.compiler import GPUTarget

from . import _library
from .backend import KilnBackend

TARGET = GPUTarget("hip", "gfx942", 64)
# Of an MI300X, as torch.cuda.get_device_properties tells them.
PROPERTIES = types.SimpleNamespace(major=9, minor=4, warp_size=64, multi_processor_count=304, regs_per_multiprocessor=65536,
                                   max_threads_per_multi_processor=2048, max_threads_per_block=1024)


class CpuBackend(KilnBackend):

    @staticmethod
    def supports_target(target):
        return target.backend == "cpu"

    def __init__(self, target):
        self.supports_target = KilnBackend.supports_target  # which is asked about the target that stands for the CPU
        super().__init__(TARGET)


class Interface(torch._dynamo.device_interface.CpuInterface):
    """What the CPU says of itself: that it is the simulated GPU."""

    class Worker(torch._dynamo.device_interface.CpuInterface.Worker):

        @staticmethod
        def get_device_properties(device=None):
            return PROPERTIES

    get_device_properties = Worker.get_device_properties

    @staticmethod
    def get_compute_capability(device=None):
        return TARGET.arch


# ---- ahead of time: AOTInductor's packages

# A kernel of a package: aoti_launcher.c reads the struct. PyTorch's program tells a grid only where Inductor's kernel is a template; else the kernel's own numbers do.
KERNEL = """
#include <algorithm>
#include <cstdint>
__asm__(".section .rodata\\n.balign 4096\\n.hidden kiln_code\\n.globl kiln_code\\nkiln_code:\\n.incbin \\"{path}\\"\\n.byte 0\\n.previous\\n");
extern "C" const char kiln_code[] __attribute__((visibility("hidden")));
static void find_grid(void *const *arguments, uint32_t *grid)
{{
    const uint32_t _grid_0 = grid[0], _grid_1 = grid[1], _grid_2 = grid[2];
    (void)_grid_0, (void)_grid_1, (void)_grid_2;
{numbers}
    const uint32_t found[3] = {{(uint32_t)({x}), (uint32_t)({y}), (uint32_t)({z})}};
    std::copy(found, found + 3, grid);
}}
extern "C" const struct {{ const char *name, *arguments; uint32_t block, lds; const void *code; void (*find_grid)(void *const *, uint32_t *); }}
    {name} = {{"{name}", "{arguments}", {block}, {lds}, kiln_code, find_grid}};
"""


def _letter(kind):
    return "c" if kind == "constexpr" else "p" if kind.startswith("*") else "s"


def _numbers(source, signature):
    """The integers that a grid may be made of, as the program hands them over or as the kernel was specialised for them."""
    constants = {source.fn.arg_names[index[0]] if isinstance(index, tuple) else index: value for index, value in source.constants.items()}
    for i, (name, kind) in enumerate(signature.items()):
        if kind.startswith(("i", "u")):
            yield f"    const int64_t {name} = *(const int64_t *)arguments[{i}];"
        elif kind == "constexpr" and type(constants.get(name)) is int:
            yield f"    const int64_t {name} = {constants[name]};"


def _library_of(compiled, signature, grid):
    """A shared library with the code object and what a launch has to know, as bytes."""
    metadata = compiled.metadata
    with tempfile.TemporaryDirectory() as folder:
        code, text, out = (os.path.join(folder, name) for name in ("kernel.hsaco", "kernel.cpp", "kernel.so"))
        with open(code, "wb") as file:
            file.write(compiled.asm["hsaco"])
        with open(text, "w") as file:
            file.write(KERNEL.format(path=code, name=metadata.name, block=metadata.num_warps * TARGET.warp_size, lds=metadata.shared,
                                     arguments="".join(_letter(kind) for kind in signature.values()),
                                     numbers="\n".join([*_numbers(compiled.src, signature), *grid.prefix]), x=grid.x_grid, y=grid.y_grid, z=grid.z_grid))
        subprocess.run([os.environ.get("CXX", "g++"), "-shared", "-fPIC", "-w", "-o", out, text], check=True)
        with open(out, "rb") as file:
            return file.read()


@functools.lru_cache()
def _launcher():
    with open(os.path.join(_library.directory(), "libkiln-aoti.so"), "rb") as file:
        return file.read()


def _save_kernel(self, launcher):
    """Of Inductor's CachingAutotuner: what the package has of a kernel."""
    compiled = launcher.bin
    # The package's program does not know what a configuration sets (XBLOCK).
    signature = {name: kind for name, kind in compiled.src.signature.items() if name not in launcher.config.kwargs}
    grid = heuristics.GridExpr.from_meta(self.inductor_meta, launcher.config, mode="cpp")
    torch._inductor.codecache.CpuTritonKernelCache.set(self.inductor_meta["kernel_name"], kernel_bytes=_library_of(compiled, signature, grid),
                                                       launcher_bytes=_launcher(), kernel_symbol=compiled.metadata.name, signature=signature)
    self.cpu_kernel_saved = True


def install(replace, undo, driver):
    """Lets Inductor take CPU tensors to the simulator; `driver` is the simulator's."""
    triton.backends.backends["cpu"] = triton.backends.Backend(compiler=CpuBackend, driver=driver)
    undo.append(lambda: triton.backends.backends.pop("cpu", None))
    replace(torch._inductor.config, "cpu_backend", "triton")
    interfaces = torch._dynamo.device_interface
    old = interfaces.get_interface_for_device("cpu")
    interfaces.register_interface_for_device("cpu", Interface)
    undo.append(lambda: interfaces.register_interface_for_device("cpu", old))
    replace(heuristics.CachingAutotuner, "save_cpu_kernel", _save_kernel)
