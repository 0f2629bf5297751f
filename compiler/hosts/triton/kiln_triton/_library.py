# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kiln's C API (kiln/kiln.h) by ctypes: text of a program in, a code object and the text of its stages out.

What is easily got wrong: a session belongs to one thread at a time, so each thread has its own; ctypes lets other threads run during a call.
"""
import ctypes
import json
import os
import threading
from ctypes import POINTER, byref, c_char_p, c_size_t, c_uint, c_void_p

from ._options import CompileOptions, Stage  # made from kiln/options.def and kiln/program.h by CMake

RESOURCES = {1: "threads", 2: "shared memory", 3: "registers"}  # kiln_resource_t in Triton's words


class Refused(Exception):
    """Kiln does not compile this program; the text says why, with place and notes. `exceeds` tells where that is for want of a resource: what is
    required, the limit, the name."""

    def __init__(self, why, exceeds=None):
        super().__init__(why)
        self.exceeds = exceeds


class _Source(ctypes.Structure):
    _fields_ = [("stage", ctypes.c_int), ("name", c_char_p), ("text", c_char_p), ("length", c_size_t)]


class _Header(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("text", c_char_p), ("length", c_size_t)]


def directory():
    return os.path.join(os.path.dirname(os.path.realpath(__file__)), "lib")


def load_needed():
    """What the libraries need and a wheel has inside, so that the loader finds it in the process."""
    needed = os.path.join(directory(), "needed")
    if os.path.isdir(needed):
        with open(os.path.join(needed, "ORDER")) as file:
            for name in file.read().split():
                ctypes.CDLL(os.path.join(needed, name), mode=os.RTLD_LOCAL | os.RTLD_NOW)


def _load():
    load_needed()
    library = ctypes.CDLL(os.path.join(directory(), "libkiln.so"), mode=os.RTLD_LOCAL | os.RTLD_NOW)
    signatures = {
        "kiln_version": (c_char_p, []),
        "kiln_build_id": (c_char_p, []),
        "kiln_session_create": (c_void_p, [POINTER(c_void_p)]),
        "kiln_session_release": (None, [c_void_p]),
        "kiln_compile_options_initialize_sized": (None, [POINTER(CompileOptions), c_size_t]),
        "kiln_compile": (c_void_p, [c_void_p, POINTER(_Source), POINTER(CompileOptions), POINTER(c_void_p)]),
        "kiln_kernel_release": (None, [c_void_p]),
        "kiln_kernel_name": (c_char_p, [c_void_p]),
        "kiln_kernel_code_object": (c_void_p, [c_void_p, POINTER(c_size_t)]),
        "kiln_kernel_text": (c_char_p, [c_void_p, ctypes.c_int]),
        "kiln_kernel_manifest": (c_char_p, [c_void_p]),
        "kiln_kernel_block_size": (c_uint, [c_void_p]),
        "kiln_status_message": (c_char_p, [c_void_p]),
        "kiln_status_file": (c_char_p, [c_void_p]),
        "kiln_status_line": (c_uint, [c_void_p]),
        "kiln_status_column": (c_uint, [c_void_p]),
        "kiln_status_note_count": (c_size_t, [c_void_p]),
        "kiln_status_note": (c_char_p, [c_void_p, c_size_t]),
        "kiln_status_resource": (ctypes.c_int, [c_void_p]),
        "kiln_status_required": (ctypes.c_uint64, [c_void_p]),
        "kiln_status_limit": (ctypes.c_uint64, [c_void_p]),
        "kiln_status_free": (None, [c_void_p]),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


_kiln = _load()
_mine = threading.local()


def version():
    return _kiln.kiln_version().decode()


def build_id():
    """Changes whenever Kiln may compile to other code: part of every key of a cache."""
    return _kiln.kiln_build_id().decode()


def _check(status):
    if not status:
        return
    text = _kiln.kiln_status_message(status).decode(errors="replace")
    file = _kiln.kiln_status_file(status)
    if file:
        text = f"{file.decode(errors='replace')}:{_kiln.kiln_status_line(status)}:{_kiln.kiln_status_column(status)}: {text}"
    notes = [_kiln.kiln_status_note(status, i).decode(errors="replace") for i in range(_kiln.kiln_status_note_count(status))]
    resource = RESOURCES.get(_kiln.kiln_status_resource(status))
    exceeds = (_kiln.kiln_status_required(status), _kiln.kiln_status_limit(status), resource) if resource else None
    _kiln.kiln_status_free(status)
    raise Refused("; ".join([text, *notes]), exceeds)


class _Session:

    def __init__(self):
        self.pid, self.handle = os.getpid(), c_void_p()
        _check(_kiln.kiln_session_create(byref(self.handle)))

    def __del__(self):
        if self.handle and self.pid == os.getpid() and _kiln:  # None while Python ends
            _kiln.kiln_session_release(self.handle)


def _session():
    session = getattr(_mine, "session", None)
    if session is None or session.pid != os.getpid():
        session = _mine.session = _Session()
    return session.handle


class Compiled:
    """A kernel: `name`, `code_object` (bytes), `ttg`, `llvm` and `asm` (text; "" where the stage was not passed), `manifest` (of its JSON)."""

    def __init__(self, handle):
        size = c_size_t()
        data = _kiln.kiln_kernel_code_object(handle, byref(size))
        text = lambda stage: (_kiln.kiln_kernel_text(handle, stage) or b"").decode(errors="replace")
        self.name = _kiln.kiln_kernel_name(handle).decode()
        self.code_object = ctypes.string_at(data, size.value)
        self.ttg, self.llvm, self.asm = text(Stage.TTG), text(Stage.LLVM), text(Stage.ASM)
        self.manifest = json.loads(_kiln.kiln_kernel_manifest(handle))
        self.block_size = _kiln.kiln_kernel_block_size(handle)


_Dump = ctypes.CFUNCTYPE(None, ctypes.c_int, c_char_p, POINTER(ctypes.c_char), c_size_t, c_void_p)  # kiln_dump_handler_t


def _dump_by_environment(options):
    """MLIR_ENABLE_DUMP (1, or a kernel's name) and LLVM_IR_ENABLE_DUMP, to stderr or MLIR_DUMP_PATH. The callback has to outlive the call."""
    yes, no = ("1", "y", "yes", "on", "true"), ("", "0", "n", "no", "off", "false")
    passes, llvm = os.environ.get("MLIR_ENABLE_DUMP", ""), os.environ.get("LLVM_IR_ENABLE_DUMP", "")
    options.dump_points = (0 if passes.lower() in no else 0b0011) | (0 if llvm.lower() in no else 0b0100)
    if not options.dump_points:
        return None
    if passes.lower() not in yes + no:
        options.dump_kernel = passes.encode()

    def write(point, name, text, length, user):
        head = ("IR Dump Before {}", "IR Dump After {}", "LLVM IR Dump")[point].format(name and name.decode())
        path = os.environ.get("MLIR_DUMP_PATH")
        with open(path, "a") if path else os.fdopen(os.dup(2), "w") as file:
            file.write(f"// -----// {head} //----- //\n{ctypes.string_at(text, length).decode(errors='replace')}\n")

    handler = _Dump(write)
    options.dump = ctypes.cast(handler, c_void_p)
    return handler


def compile(text, stage, name, options, bitcode=()):
    """Compiles `text`, which is at `stage`, by options of kiln/options.def; `bitcode` are paths of files to be linked. Raises Refused."""
    text = text.encode() if isinstance(text, str) else text
    filled = CompileOptions()
    _kiln.kiln_compile_options_initialize_sized(byref(filled), ctypes.sizeof(filled))
    for key, value in options.items():
        setattr(filled, key, value.encode() if isinstance(value, str) else value)
    handler = _dump_by_environment(filled)
    libraries = (_Header * len(bitcode))()
    for library, path in zip(libraries, bitcode):
        with open(path, "rb") as file:
            content = file.read()
        library.name, library.text, library.length = path.encode(), content, len(content)
    filled.bitcode, filled.bitcode_count = ctypes.cast(libraries, c_void_p), len(bitcode)
    source = _Source(stage, name.encode(), text, len(text))
    kernel = c_void_p()
    _check(_kiln.kiln_compile(_session(), byref(source), byref(filled), byref(kernel)))
    try:
        return Compiled(kernel)
    finally:
        _kiln.kiln_kernel_release(kernel)
        del handler
