# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kiln as Triton's compiler for gfx942, and Kiln's simulator as Triton's GPU.

    import kiln_triton
    kiln_triton.enable()                # or KILN_TRITON=1 in the environment
    kiln_triton.enable(device="sim")    # or KILN_TRITON_DEVICE=sim: no GPU; kernels take CPU tensors and NumPy arrays

Installing the package changes nothing: only the lines above replace Triton's own back end. enable() sets both variables, so that child processes use Kiln,
too.
"""
import functools
import os

from ._library import Refused, build_id, version

__all__ = ["FallbackWarning", "Refused", "SimulatorError", "build_id", "disable", "enable", "is_enabled", "register", "version"]

_undo = []  # actions that undo enable(), to be run in reverse order


class FallbackWarning(UserWarning):
    """Kiln did not compile a kernel and Triton did; the message says why."""


class SimulatorError(RuntimeError):
    """A check of the simulator has findings in a launch; `findings` contains one text for each location."""

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
    """Replaces Triton's HIP back end by Kiln, in this process and its child processes. `device` is "hip" (the GPU, with Triton's driver) or "sim" (Kiln's
    simulator); the default is KILN_TRITON_DEVICE, else "hip". With the simulator, inductor=True lets TorchInductor generate Triton kernels for CPU tensors; for
    tensors on a GPU it does so without the option. With KILN_TUNE_RECORD=FILE in the environment launches are recorded for `kiln tune --from FILE`;
    what it finds is used by later processes."""
    device = device or os.environ.get("KILN_TRITON_DEVICE") or "hip"
    if device not in ("hip", "sim"):
        raise ValueError(f"kiln_triton: unknown device '{device}'; expected 'hip' or 'sim'")
    if inductor and device != "sim":
        raise ValueError("kiln_triton: inductor=True requires device='sim'; on a GPU Inductor works without it")
    disable()
    import triton.backends
    import triton.backends.amd.compiler
    from .backend import KilnBackend

    backends = triton.backends.backends
    driver = backends["amd"].driver
    from . import tuned
    tuned.install(_replace, _undo, device)
    if os.environ.get("KILN_TUNE_RECORD"):
        from . import record
        record.install(_replace, _undo, os.environ["KILN_TUNE_RECORD"])
    if device == "sim":
        from . import sim
        driver = sim.install(_replace, _undo)
    _replace_backend(backends, triton.backends.Backend(compiler=KilnBackend, driver=driver))
    # Code that creates a HIPBackend by name (jax-triton) gets Kiln's, which also passes isinstance checks (TransformerEngine).
    _replace(triton.backends.amd.compiler, "HIPBackend", KilnBackend)
    if inductor:
        from . import inductor as host
        host.install(_replace, _undo, driver)
    os.environ["KILN_TRITON"] = "1"
    os.environ["KILN_TRITON_DEVICE"] = device


def disable():
    """Undoes enable(). Kernels that have been compiled are unchanged."""
    while _undo:
        _undo.pop()()
    for name in ("KILN_TRITON", "KILN_TRITON_DEVICE"):
        os.environ.pop(name, None)


def register(*values):
    """Lets kernels on the simulator access tensors or arrays that are not arguments but whose addresses they read from memory. The memory stays registered,
    and alive, until close() of the returned object."""
    from .sim import Registered
    return Registered(values)
