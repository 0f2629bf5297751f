# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kiln as Triton's compiler for gfx942, and Kiln's simulator as Triton's GPU.

    import kiln_triton
    kiln_triton.enable()                # or KILN_TRITON=1 in the environment
    kiln_triton.enable(device="sim")    # or KILN_TRITON_DEVICE=sim: no GPU; kernels take CPU tensors and NumPy arrays

What is easily got wrong: installing the package changes nothing. Triton's own back end is replaced only by one of the two lines above, and enable() sets
both variables, so that processes started from here on do as this one does.
"""
import functools
import os

from ._library import Refused, build_id, version

__all__ = ["FallbackWarning", "Refused", "SimulatorError", "build_id", "disable", "enable", "is_enabled", "register", "version"]

_undo = []  # what takes enable() back, last first


class FallbackWarning(UserWarning):
    """Kiln did not compile a kernel and Triton did; the message says why."""


class SimulatorError(RuntimeError):
    """A check of the simulator found something in a launch; `findings` has one text for each place."""

    def __init__(self, findings):
        super().__init__("\n".join(findings))
        self.findings = findings


def _replace(holder, name, value):
    _undo.append(functools.partial(setattr, holder, name, getattr(holder, name)))
    setattr(holder, name, value)


def _replace_backend(backends, backend):
    _undo.append(functools.partial(backends.__setitem__, "amd", backends["amd"]))
    backends["amd"] = backend


def is_enabled():
    return bool(_undo)


def enable(device=None, inductor=False):
    """Puts Kiln in the place of Triton's HIP back end, in this process and in those that it starts. `device` is "hip" (the GPU, by Triton's driver)
    or "sim" (Kiln's simulator); by default what KILN_TRITON_DEVICE says, else "hip". With the simulator, inductor=True has TorchInductor write Triton for CPU
    tensors; for tensors on a GPU it does so by itself."""
    device = device or os.environ.get("KILN_TRITON_DEVICE") or "hip"
    if device not in ("hip", "sim"):
        raise ValueError(f"kiln_triton: the device is '{device}'; it can be 'hip' or 'sim'")
    if inductor and device != "sim":
        raise ValueError("kiln_triton: inductor=True is for device='sim'; Inductor's kernels for a GPU need nothing more")
    disable()
    import triton.backends
    import triton.backends.amd.compiler
    from .backend import KilnBackend

    backends = triton.backends.backends
    driver = backends["amd"].driver
    if device == "sim":
        from . import sim
        driver = sim.install(_replace, _undo)
    _replace_backend(backends, triton.backends.Backend(compiler=KilnBackend, driver=driver))
    # Those that make a HIPBackend by its name (jax-triton) get Kiln's; it is a HIPBackend for those that ask (TransformerEngine).
    _replace(triton.backends.amd.compiler, "HIPBackend", KilnBackend)
    if inductor:
        from . import inductor as host
        host.install(_replace, _undo, driver)
    os.environ["KILN_TRITON"] = "1"
    os.environ["KILN_TRITON_DEVICE"] = device


def disable():
    """Takes enable() back. Kernels that are compiled stay as they are."""
    while _undo:
        _undo.pop()()
    for name in ("KILN_TRITON", "KILN_TRITON_DEVICE"):
        os.environ.pop(name, None)


def register(*values):
    """Lets kernels on the simulator reach tensors or arrays that they are not given themselves, but whose addresses they read from memory. Returns an
    object; the memory stays registered, and alive, until its close()."""
    from .sim import Registered
    return Registered(values)
