# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TorchInductor on the simulator: its Triton kernels for CPU tensors, compiled by Kiln for gfx942.

Inductor generates Triton kernels for the CPU, too, if torch._inductor.config.cpu_backend is "triton" and Triton has a back end named "cpu". Here this is Kiln
with the simulator, and the CPU reports the properties that Inductor uses: 64 lanes in a wave, 304 compute units. The patches below correct code in which Inductor
treats the CPU differently from a GPU in a way that its templates do not support, or measures the host's time.

None of this is needed on a real GPU: Inductor calls triton.compile for HIP tensors, so kiln_triton.enable() is sufficient.
"""
import contextlib
import functools
import inspect
import os
import subprocess
import tempfile
import threading
import types

import torch
import torch._dynamo.device_interface
import torch._inductor.codecache
import torch._inductor.codegen.common as codegen
import torch._inductor.config
import torch._inductor.kernel.conv as conv
import torch._inductor.runtime.benchmarking as benchmarking
import torch._inductor.runtime.triton_heuristics as heuristics
import triton.backends
from triton.backends.compiler import GPUTarget

from . import _library
from . import sim
from .backend import KilnBackend

TARGET = GPUTarget("hip", "gfx942", 64)
# Those of an MI300X, as returned by torch.cuda.get_device_properties.
PROPERTIES = types.SimpleNamespace(major=9, minor=4, warp_size=64, multi_processor_count=304, regs_per_multiprocessor=65536,
                                   max_threads_per_multi_processor=2048, max_threads_per_block=1024)


class CpuBackend(KilnBackend):

    @staticmethod
    def supports_target(target):
        return target.backend == "cpu"

    def __init__(self, target):
        self.supports_target = KilnBackend.supports_target  # it is called with the target that represents the CPU
        super().__init__(TARGET)


_timed = threading.local()


class _Device(contextlib.AbstractContextManager):
    """The only device, in whose context Inductor runs and times kernels."""

    def __init__(self, device=None):
        pass

    def __enter__(self):
        _timed.depth = getattr(_timed, "depth", 0) + 1

    def __exit__(self, *error):
        _timed.depth -= 1


class Interface(torch._dynamo.device_interface.CpuInterface):
    """The CPU's device interface, which reports the properties of the simulated GPU."""

    class Worker(torch._dynamo.device_interface.CpuInterface.Worker):

        @staticmethod
        def get_device_properties(device=None):
            return PROPERTIES

    get_device_properties = Worker.get_device_properties

    device = _Device

    @staticmethod
    def get_compute_capability(device=None):
        return TARGET.arch

    @staticmethod
    def device_count():
        return 1

    @staticmethod
    def set_device(device):
        pass

    @staticmethod
    def exchange_device(device):
        return 0

    @staticmethod
    def maybe_exchange_device(device):
        return 0


# ---- code of Inductor that is specific to GPUs


def _benchmark_cpu(measure):
    """Wraps the method of Inductor's Benchmarker: functions that launch kernels are timed by the simulator's prediction, others by the host's clock. In
    Interface.device the latter count as 0, as Inductor measures copies of arguments only to subtract them."""

    @functools.wraps(measure)
    def benchmark_cpu(self, _callable, *args, **kwargs):
        before = sim.launches()
        time = sim.do_bench(_callable)
        if sim.launches() > before:
            return time
        return 0.0 if getattr(_timed, "depth", 0) else measure(self, _callable, *args, **kwargs)

    return benchmark_cpu


def _peel_bias(convolution):
    """Wraps the lowering of aten.convolution: converts to a convolution without bias and an addition, as for GPUs. Triton's templates do not support a bias."""

    @functools.wraps(convolution)
    def peeled(x, weight, bias, *args, **kwargs):
        result = convolution(x, weight, None, *args, **kwargs)
        if bias is None:
            return result
        channels = len(weight.get_size()) - 2
        return conv.L[torch.ops.aten.add](result, conv.L[torch.ops.aten.view](bias, [*bias.get_size(), *[1] * channels]))

    return peeled


def _device_operations(old):
    """The device operations in the generated benchmark code of a kernel. Before PyTorch 2.15, those for the CPU are not valid Python there."""

    class DeviceOperations(type(old)):

        def import_get_raw_stream_as(self, name):
            return f"{name} = lambda device: 0"

        def device_guard(self, device):
            return "__import__('contextlib').nullcontext()"

    return DeviceOperations()


def _replace_lowering(undo, operation, wrap):
    for overload in (operation, *(getattr(operation, name) for name in operation.overloads())):
        old = conv.L.get(overload)
        if old is not None:
            conv.L[overload] = wrap(old)
            undo.append(functools.partial(conv.L.__setitem__, overload, old))


# ---- ahead of time: AOTInductor's packages

# A kernel of a package: aoti_launcher.c reads the struct. PyTorch passes a grid only for templates of Inductor; others are computed from the kernel's arguments and constants.
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
    """The integers that a grid may depend on: arguments, or constants for which the kernel was specialized."""
    constants = {source.fn.arg_names[index[0]] if isinstance(index, tuple) else index: value for index, value in source.constants.items()}
    for i, (name, kind) in enumerate(signature.items()):
        if kind.startswith(("i", "u")):
            yield f"    const int64_t {name} = *(const int64_t *)arguments[{i}];"
        elif kind == "constexpr" and type(constants.get(name)) is int:
            yield f"    const int64_t {name} = {constants[name]};"


def _library_of(compiled, signature, grid):
    """A shared library with the code object and the data needed to launch it, as bytes."""
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
    """Replaces the method of Inductor's CachingAutotuner that stores a kernel in the package."""
    compiled = launcher.bin
    # The package's program does not pass the parameters set by a configuration (XBLOCK).
    signature = {name: kind for name, kind in compiled.src.signature.items() if name not in launcher.config.kwargs}
    grid = heuristics.GridExpr.from_meta(self.inductor_meta, launcher.config, mode="cpp")
    torch._inductor.codecache.CpuTritonKernelCache.set(self.inductor_meta["kernel_name"], kernel_bytes=_library_of(compiled, signature, grid),
                                                       launcher_bytes=_launcher(), kernel_symbol=compiled.metadata.name, signature=signature)
    self.cpu_kernel_saved = True


def install(replace, undo, driver):
    """Makes Inductor run kernels for CPU tensors on the simulator; `driver` is the simulator's."""
    triton.backends.backends["cpu"] = triton.backends.Backend(compiler=CpuBackend, driver=driver)
    undo.append(lambda: triton.backends.backends.pop("cpu", None))
    replace(torch._inductor.config, "cpu_backend", "triton")
    interfaces = torch._dynamo.device_interface
    old = interfaces.get_interface_for_device("cpu")
    interfaces.register_interface_for_device("cpu", Interface)
    undo.append(lambda: interfaces.register_interface_for_device("cpu", old))
    replace(benchmarking.Benchmarker, "benchmark_cpu", _benchmark_cpu(benchmarking.Benchmarker.benchmark_cpu))
    if "allow_tf32" in inspect.unwrap(conv.convolution).__code__.co_names:
        # Before 2.15 cuDNN's flag, which is on by default, applies to all devices; the CPU's convolutions are computed in f32.
        replace(torch.backends.cudnn, "allow_tf32", False)
    operations = codegen.get_device_op_overrides("cpu")
    if operations.device_guard(0) == "pass":
        codegen.register_device_op_overrides("cpu", _device_operations(operations))
        undo.append(lambda: codegen.register_device_op_overrides("cpu", operations))
    _replace_lowering(undo, torch.ops.aten.convolution, _peel_bias)
    if hasattr(heuristics.CachingAutotuner, "save_cpu_kernel"):  # packages with Triton kernels for the CPU exist since PyTorch 2.15
        replace(heuristics.CachingAutotuner, "save_cpu_kernel", _save_kernel)
