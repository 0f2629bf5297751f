# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""KILN_TUNE_RECORD=FILE: appends what Triton launches to a file that `kiln tune --from FILE` reads, in the format of autotune/record.c.

A problem is a kernel's TTIR, in which the constants are folded, with the values of the scalars, the sizes and types of buffers, and the grid. Options that the
launch sets (num_warps=8) are settings of the problem; Triton's defaults are not, so that they vary.

Launches by a JITFunction are recorded with the options that the call sets. Others, such as those of TorchInductor and of kernels made by triton.compile, call a
compiled kernel's launcher themselves; there the options are unknown, so they vary.

Note that triton.autotune and Inductor launch configurations only to time them; these launches are not recorded.
"""
import functools
import inspect
import json
import math
import os
import sys
import threading
import warnings

from ._library import Stage
from ._options import CompileOptions

VERSION = 1  # RECORD_VERSION of autotune/record.c
_OPTIONS = {name for name, *_ in CompileOptions._fields_}


class Unrecordable(Exception):
    pass


def _bytes_from(value):
    """The bytes from an argument's address to the end of its memory."""
    if not value.data_ptr():  # without elements there is no memory
        return 0
    if hasattr(value, "untyped_storage"):
        storage = value.untyped_storage()
        return storage.data_ptr() + storage.nbytes() - value.data_ptr()
    if hasattr(value, "array"):
        from .sim import _storage  # of a NumPy array
        return _storage(value.array)[1] - value.data_ptr()
    raise Unrecordable(f"the size of a {type(value).__name__} is unknown")


def _argument(name, value, type):
    if not isinstance(type, str) or type.startswith(("tensordesc", "nvTmaDesc")):
        raise Unrecordable(f"argument '{name}' is a {'tuple' if isinstance(type, (tuple, list)) else 'descriptor'}")
    if type.startswith("*"):
        from .backend import KilnBackend
        element = type[1:].removeprefix("k")  # *k: a pointer to constant memory
        return {"bytes": _bytes_from(value), "type": "*" + element, "divisibility": 0 if value.data_ptr() % 16 else 16, "below_2g": KilnBackend.is_within_2gb(value)}
    if type.startswith(("i", "u")):
        integer = int(value)
        if not -1 << 63 <= integer < 1 << 63:
            raise Unrecordable(f"argument '{name}' is larger than 2^63")
        return {"integer": integer, "type": None, "divisibility": 0 if integer % 16 else 16, "below_2g": False}
    if not math.isfinite(value):
        raise Unrecordable(f"argument '{name}' is {float(value)}, which JSON does not have")
    return {"real": float(value), "type": None, "divisibility": 0, "below_2g": False}


def _key(arguments, grid):
    """The text of kiln_arguments_tuning_key: "K=64,alpha=0.5 grid=4,2"."""
    while len(grid) > 1 and grid[-1] == 1:
        grid = grid[:-1]
    scalars = [f"{a['name']}={a['integer']}" if "integer" in a else f"{a['name']}={a['real']:.17g}"
               for a in sorted(arguments, key=lambda a: a["name"].encode()) if "bytes" not in a]
    return ",".join(scalars) + " grid=" + ",".join(map(str, grid))


def line(kernel, values, options, grid):
    """The record of a launch, with the end of its line. Raises Unrecordable."""
    ttir = kernel.asm.get("ttir")
    if not ttir:
        raise Unrecordable("its TTIR was not kept (TRITON_STORE_BINARY_ONLY, or Gluon)")
    arguments = [{"name": name, **_argument(name, values[name], type)} for name, type in kernel.src.signature.items() if type != "constexpr"]
    for number, argument in enumerate(arguments):
        if f'loc("{argument["name"]}"' not in ttir:  # TRITON_DISABLE_LINE_INFO
            argument["name"] = f"arg{number}"
    return json.dumps({
        "version": VERSION, "file": f"{kernel.metadata.name}.ttir", "stage": int(Stage.TT), "source": ttir, "kernel": None, "problem": "", "device": "",
        "tuning_arguments": _key(arguments, grid), "settings": {name: str(int(value)) for name, value in sorted(options.items())}, "arguments": arguments,
    }) + "\n"


def bind(function, args, kwargs, grid):
    """Of a call of a JITFunction: the values of all parameters, the options that it sets, and the extents of its grid."""
    bound = function.signature.bind(*args, **{name: value for name, value in kwargs.items() if name in function.arg_names})
    bound.apply_defaults()
    values = bound.arguments
    options = {name: value for name, value in kwargs.items() if name in _OPTIONS and name not in values and isinstance(value, int)}
    return values, options, tuple(map(int, grid(values) if callable(grid) else grid))


def is_timed_by_inductor():
    """Whether this is called from the method of Inductor that times a configuration."""
    heuristics = sys.modules.get("torch._inductor.runtime.triton_heuristics")
    bench = getattr(getattr(heuristics, "CachingAutotuner", None), "bench", None)
    code, frame = getattr(inspect.unwrap(bench), "__code__", None) if bench else None, sys._getframe()
    while code and frame and frame.f_code is not code:
        frame = frame.f_back
    return bool(code and frame)


def arguments_of(kernel, args):
    """{name: value} of a compiled kernel's launch, whose arguments are in the order of the signature, with or without those that are constants."""
    signature = kernel.src.signature
    names = [name for name, type in signature.items() if len(args) == len(signature) or type != "constexpr"]
    if len(args) != len(names):
        raise Unrecordable(f"it has {len(args)} arguments for {len(names)} parameters")
    return dict(zip(names, args))


class Launcher:
    """A compiled kernel's launcher, which is called as (x, y, z, stream, function, metadata, launch metadata, two hooks, arguments...): calls
    `launch(launcher, args, kwargs)`."""
    BEFORE_ARGUMENTS = 9

    def __init__(self, kernel, original, launch):
        self.kernel, self.original, self.launch = kernel, original, launch
        self.known = {}  # what `launch` keeps of launches

    def __call__(self, *args, **kwargs):
        return self.launch(self, args, kwargs)

    def __getattr__(self, name):
        return getattr(self.original, name)


def watch(initialize, launch):
    """Wraps the method of CompiledKernel that makes its launcher, which becomes a Launcher."""

    @functools.wraps(initialize)
    def watched(kernel):
        name = lambda: "_run" if "_run" in vars(kernel) else "run"  # that of Triton 3.3
        before = vars(kernel).get(name())
        try:
            return initialize(kernel)
        finally:
            original = vars(kernel).get(name())
            if original is not None and original is not before:
                setattr(kernel, name(), Launcher(kernel, original, launch))

    return watched


class Recorder:
    """Wraps JITFunction.run, what triton.autotune times, and the launchers of compiled kernels."""

    def __init__(self, path):
        self.path, self.file = path, os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        self.lock, self.launches, self.lines, self.warned, self.mine = threading.Lock(), set(), set(), set(), threading.local()

    def close(self):
        """Ends recording, also of kernels that keep their Launchers."""
        with self.lock:
            os.close(self.file)
            self.file = None  # its number may become another file's

    def _write(self, text):
        with self.lock:
            if self.file is None or text in self.lines:
                return
            self.lines.add(text)
            text = text.encode()
            if os.write(self.file, text) != len(text):  # one write, so that lines of several processes do not mix
                raise OSError(f"kiln_triton: cannot record to '{self.path}': the device is full")

    def _warn(self, kernel, why):
        if (kernel, str(why)) not in self.warned:
            self.warned.add((kernel, str(why)))
            warnings.warn(f"kiln_triton: a launch of '{kernel.metadata.name}' is not recorded: {why}", RuntimeWarning, stacklevel=4)

    def add(self, function, kernel, args, kwargs, grid):
        self._add(kernel, *bind(function, args, kwargs, grid))

    def launch(self, launcher, args, kwargs):
        """Launches a compiled kernel, and records it if that is not part of a JITFunction's call."""
        result = launcher.original(*args, **kwargs)
        if getattr(self.mine, "is_called", False) or getattr(self.mine, "is_timing", False) or is_timed_by_inductor():
            return result
        try:
            values = arguments_of(launcher.kernel, args[Launcher.BEFORE_ARGUMENTS:])
            self._add(launcher.kernel, values, {}, tuple(map(int, args[:3])))
        except Unrecordable as why:
            self._warn(launcher.kernel, why)
        return result

    def _add(self, kernel, values, options, grid):
        if getattr(kernel.metadata, "kiln", "").startswith("refused"):
            return  # Triton compiled it
        try:
            launch = kernel, grid, tuple(sorted(options.items())), tuple(
                (value.data_ptr() % 16, _bytes_from(value)) if hasattr(value, "data_ptr") else value for value in values.values())
            try:
                if launch in self.launches:
                    return
                self.launches.add(launch)
            except TypeError:  # an argument is not hashable
                pass
            self._write(line(kernel, values, options, grid))
        except Unrecordable as why:
            self._warn(kernel, why)

    def record(self, run):

        @functools.wraps(run)
        def recorded(function, *args, grid, warmup, **kwargs):
            outer, self.mine.is_called = getattr(self.mine, "is_called", False), True
            try:
                kernel = run(function, *args, grid=grid, warmup=warmup, **kwargs)
            finally:
                self.mine.is_called = outer
            if kernel is not None and not warmup and not getattr(self.mine, "is_timing", False):
                self.add(function, kernel, args, kwargs, grid)
            return kernel

        return recorded

    def ignore(self, bench):

        @functools.wraps(bench)
        def ignored(*args, **kwargs):
            self.mine.is_timing = True
            try:
                return bench(*args, **kwargs)
            finally:
                self.mine.is_timing = False

        return ignored


def install(replace, undo, path):
    """Records launches of this process to a file. `replace(holder, name, value)` sets an attribute and records the old value; `undo` lists actions that restore
    the previous state."""
    from triton.compiler import CompiledKernel
    from triton.runtime.autotuner import Autotuner
    from triton.runtime.jit import JITFunction
    recorder = Recorder(path)
    undo.append(recorder.close)
    replace(JITFunction, "run", recorder.record(JITFunction.run))
    replace(Autotuner, "_bench", recorder.ignore(Autotuner._bench))
    replace(CompiledKernel, "_init_handles", watch(CompiledKernel._init_handles, recorder.launch))
