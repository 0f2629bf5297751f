# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches with the options that `kiln tune --from` found for them (KILN_TUNE_RECORD): the number of warps and stages, and the like.

A call's problem is its record (record.py), so that the key is that of the command. Options that the call sets itself stay as they are. For the TTIR the kernel
is first compiled as the call wants it, once for each launch with other sizes; a known launch costs a look into a dictionary.

Compiled kernels that are launched without a JITFunction, such as TorchInductor's, are compiled once more with the options found. Inductor's timing of its own
configurations is left alone.

Without a store nothing is replaced, and launches cost what they cost in Triton.
"""
import contextlib
import ctypes
import functools
import os
import sys
import threading
import warnings
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_size_t, c_void_p

from . import _library
from .record import _OPTIONS, Launcher, Unrecordable, arguments_of, bind, is_timed_by_inductor, line, watch

EXACT, NEAR, DEFAULT = range(3)  # kiln_tune_use_t
HIP, SIM = 1, 2  # kiln_device_kind_t
NOT_FOUND = b"not found"


class _DeviceOptions(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("kind", c_int), ("hip_library", c_char_p), ("sim_library", c_char_p), ("arch", c_char_p), ("ordinal", c_int),
                ("trace", c_void_p), ("trace_user", c_void_p), ("sim_settings", c_void_p), ("sim_setting_count", c_size_t)]


class _Match(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("config", c_void_p), ("arguments", c_void_p), ("distance", c_double), ("store", c_char_p), ("found", c_int)]


class Failure(Exception):
    """A failed call; `is_absence` if it only means that nothing is stored."""

    def __init__(self, text, is_absence):
        super().__init__(text)
        self.is_absence = is_absence


@functools.lru_cache()
def _libraries():
    _library.load()  # the others need it
    runtime, tune = (ctypes.CDLL(os.path.join(_library.directory(), name), mode=os.RTLD_LOCAL | os.RTLD_NOW) for name in ("libkiln-rt.so", "libkiln-tune.so"))
    for library, name, arguments in (
        (runtime, "kiln_device_open", [POINTER(_DeviceOptions), POINTER(c_void_p)]),
        (tune, "kiln_tune_use_parse", [c_char_p, POINTER(c_int)]),
        (tune, "kiln_tune_store_open_existing", [c_char_p, POINTER(c_void_p)]),
        (tune, "kiln_tune_store_extend", [POINTER(c_void_p), c_char_p]),
        (tune, "kiln_tune_find_recorded", [c_char_p, c_size_t, c_void_p, c_void_p, c_void_p, c_int, POINTER(_Match)]),
    ):
        function = getattr(library, name)
        function.restype, function.argtypes = c_void_p, arguments
    runtime.kiln_device_options_initialize_sized.argtypes = [POINTER(_DeviceOptions), c_size_t]
    runtime.kiln_device_options_initialize_sized.restype = None
    for name, result in (("kiln_status_code", c_int), ("kiln_status_code_name", c_char_p), ("kiln_status_message", c_char_p), ("kiln_status_free", None)):
        function = getattr(runtime, name)
        function.restype, function.argtypes = result, [c_int if name == "kiln_status_code_name" else c_void_p]
    return runtime, tune


def _check(status):
    if status:
        runtime, _ = _libraries()
        text = runtime.kiln_status_message(status).decode(errors="replace")
        is_absence = runtime.kiln_status_code_name(runtime.kiln_status_code(status)) == NOT_FOUND
        runtime.kiln_status_free(status)
        raise Failure(text, is_absence)


def _take_text(pointer):
    """A string from malloc."""
    text = ctypes.string_at(pointer).decode() if pointer else ""
    ctypes.CDLL(None).free(c_void_p(pointer))
    return text


def _store_path():
    """tune.db in the command's cache directory; None if there is none."""
    if directory := os.environ.get("KILN_CACHE_DIR"):
        return os.path.join(directory, "tune.db")
    if directory := os.environ.get("XDG_CACHE_HOME"):
        return os.path.join(directory, "kiln", "tune.db")
    if directory := os.environ.get("HOME"):
        return os.path.join(directory, ".cache", "kiln", "tune.db")
    return None


class Stores:
    """The stores of KILN_CACHE_DIR and KILN_TUNE_STORES, in the mode of KILN_TUNED, for the process's device."""

    def __init__(self, use, store, device):
        self.use, self.store, self.device = use, store, device

    @classmethod
    def open(cls, device):
        """None if there is nothing to find."""
        mode, path, further = os.environ.get("KILN_TUNED") or "exact", _store_path(), os.environ.get("KILN_TUNE_STORES")
        if mode == "default" or os.environ.get("KILN_CACHE_MODE") == "off" or not (further or path and os.path.exists(path)):
            return None
        runtime, tune = _libraries()
        use, store, handle, options = c_int(), c_void_p(), c_void_p(), _DeviceOptions()
        _check(tune.kiln_tune_use_parse(mode.encode(), byref(use)))
        if path:
            _check(tune.kiln_tune_store_open_existing(path.encode(), byref(store)))
        if further:
            _check(tune.kiln_tune_store_extend(byref(store), further.encode()))
        if not store:
            return None
        runtime.kiln_device_options_initialize_sized(byref(options), ctypes.sizeof(options))
        options.kind = SIM if device == "sim" else HIP
        options.sim_library = os.path.join(_library.directory(), "hip", "libamdhip64.so").encode()
        _check(runtime.kiln_device_open(byref(options), byref(handle)))
        return cls(use.value, store, handle)

    def find(self, record):
        """({option: value}, how it was found) for a line of record.py."""
        _, tune = _libraries()
        text, match = record.rstrip("\n").encode(), _Match(struct_size=ctypes.sizeof(_Match))
        _check(tune.kiln_tune_find_recorded(text, len(text), self.device, None, self.store, self.use, byref(match)))
        config, arguments = _take_text(match.config), _take_text(match.arguments)
        how = f"tuned settings of the nearest problem, {arguments}: {config}" if match.distance > 0 else f"tuned settings: {config}"
        if match.store:
            how += f", of '{match.store.decode(errors='replace')}'"
        return {name: int(value) for name, value in (setting.split("=", 1) for setting in config.split())}, how


def _properties(value):
    """What an argument's specialization and the tuner's key depend on."""
    from .backend import KilnBackend
    if hasattr(value, "data_ptr"):
        return value.data_ptr() % 16 == 0, str(value.dtype), KilnBackend.is_within_2gb(value)
    return type(value), "nan" if isinstance(value, float) and value != value else value  # NaN would be another launch each time


def _continue_untuned(what, why, stacklevel):
    if os.environ.get("KILN_CACHE_MODE") == "require":
        raise RuntimeError(f"kiln_triton: {why}") from why
    warnings.warn(f"kiln_triton: {what} not use tuned settings: {why}", RuntimeWarning, stacklevel=stacklevel)


class Tuned:

    def __init__(self, stores):
        self.stores, self.lock, self.mine = stores, threading.RLock(), threading.local()
        self.known = {}  # options of calls
        self.is_closed = False

    def close(self):
        """From now on, kernels that keep their Launchers are launched as they are."""
        self.is_closed = True

    def _find(self, kernel, name, values, options, grid):
        """The options found for a launch of a kernel."""

        def log(text):
            if os.environ.get("KILN_LOG"):
                print(f"kiln: {name}: {text}", file=sys.stderr, flush=True)

        if getattr(kernel.metadata, "kiln", "").startswith("refused"):
            return {}
        try:
            found, how = self.stores.find(line(kernel, values, options, grid))
        except Unrecordable as why:
            log(f"no tuned settings: {why}")
            return {}
        except Failure as why:
            if why.is_absence:
                log(f"no tuned settings: {why}")
            else:
                _continue_untuned(f"a launch of '{name}' does", why, 6)
            return {}
        unknown = [option for option in found if not hasattr(kernel.metadata, option)]
        if unknown:
            log(f"no tuned settings: Triton has no option {unknown[0]}")
            return {}
        kept = [option for option in found if option in options or option in values]  # values: a parameter that is called like an option
        log(how + (f"; the call itself sets {', '.join(kept)}" if kept else ""))
        return {option: value for option, value in found.items() if option not in kept}

    @contextlib.contextmanager
    def _as_it_is(self):
        """Compiled kernels are launched as they are."""
        outer, self.mine.is_called = getattr(self.mine, "is_called", False), True
        try:
            yield
        finally:
            self.mine.is_called = outer

    # Calls of JITFunctions

    def _find_of_call(self, run, function, args, kwargs, values, options, grid):
        """The options to add to a call that is not known yet."""
        kernel = run(function, *args, grid=grid, warmup=True, **kwargs)
        kernel = kernel.result() if hasattr(kernel, "result") else kernel
        return self._find(kernel, function.__name__, values, options, grid) if kernel is not None else {}

    def use(self, run):
        """Wraps JITFunction.run."""

        def call(function, *args, grid, warmup, **kwargs):
            if warmup or function.pre_run_hooks:  # hooks would be called twice
                return run(function, *args, grid=grid, warmup=warmup, **kwargs)
            try:
                values, options, extents = bind(function, args, kwargs, grid)
                launch = function, extents, tuple(sorted((name, value) for name, value in kwargs.items() if name in _OPTIONS)), tuple(map(_properties, values.values()))
                added = self.known.get(launch)
            except TypeError:  # missing arguments, or one that is not hashable and not recorded either
                return run(function, *args, grid=grid, warmup=warmup, **kwargs)
            if added is None:
                with self.lock:
                    added = self.known.get(launch)
                    if added is None:
                        added = self.known[launch] = self._find_of_call(run, function, args, kwargs, values, options, extents)
            return run(function, *args, grid=extents, warmup=warmup, **kwargs, **added)

        @functools.wraps(run)
        def tuned(*args, **kwargs):
            with self._as_it_is():
                return call(*args, **kwargs)

        return tuned

    # Launches of compiled kernels

    def _compile(self, kernel, grid, values):
        """The kernel with the options found for a launch, or itself."""
        from triton.compiler import compile
        name, options = kernel.metadata.name, kernel.metadata._asdict()
        found = self._find(kernel, name, values, {}, grid)
        if all(options[option] == value for option, value in found.items()):
            return kernel
        try:
            tuned = compile(kernel.src, target=kernel.metadata.target, options={**options, **found})
            tuned._init_handles()
        except Exception as why:  # of Triton, or of its front end: a kernel from Inductor's cache has no Python function
            _continue_untuned(f"a launch of '{name}' does", why, 5)
            return kernel
        return tuned

    def launch(self, launcher, args, kwargs):
        """Launches a compiled kernel, with the options found if that is not part of a JITFunction's call."""
        kernel = launcher.kernel
        if self.is_closed or getattr(self.mine, "is_called", False) or is_timed_by_inductor():
            return launcher.original(*args, **kwargs)
        with self._as_it_is():
            try:
                values, grid = arguments_of(kernel, args[Launcher.BEFORE_ARGUMENTS:]), tuple(map(int, args[:3]))
                launch = grid, tuple(map(_properties, values.values()))
                tuned = launcher.known.get(launch)
            except (Unrecordable, TypeError):  # an argument that is not hashable is not recorded either
                return launcher.original(*args, **kwargs)
            if tuned is None:
                with self.lock:
                    tuned = launcher.known.get(launch)
                    if tuned is None:
                        tuned = launcher.known[launch] = self._compile(kernel, grid, values)
            if tuned is kernel:
                return launcher.original(*args, **kwargs)
            return tuned.run(*args[:4], tuned.function, tuned.packed_metadata, *args[6:], **kwargs)


def install(replace, undo, device):
    """Lets launches of this process use what is stored, if there is a store. `replace` and `undo`: as in record.py."""
    try:
        stores = Stores.open(device)
    except (Failure, OSError) as why:
        _continue_untuned("launches do", why, 4)
        return
    if stores:
        from triton.compiler import CompiledKernel
        from triton.runtime.jit import JITFunction
        tuned = Tuned(stores)
        undo.append(tuned.close)
        replace(JITFunction, "run", tuned.use(JITFunction.run))
        replace(CompiledKernel, "_init_handles", watch(CompiledKernel._init_handles, tuned.launch))
