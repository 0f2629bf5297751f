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

STATUS_OUT_OF_RESOURCES = 6


class Refused(Exception):
    """Kiln does not compile this program; the text says why, with place and notes."""

    def __init__(self, why, code=0):
        super().__init__(why)
        self.code = code


class _Source(ctypes.Structure):
    _fields_ = [("stage", ctypes.c_int), ("name", c_char_p), ("text", c_char_p), ("length", c_size_t)]


def directory():
    return os.path.join(os.path.dirname(os.path.realpath(__file__)), "lib")


def _load():
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
        "kiln_status_code": (ctypes.c_int, [c_void_p]),
        "kiln_status_message": (c_char_p, [c_void_p]),
        "kiln_status_file": (c_char_p, [c_void_p]),
        "kiln_status_line": (c_uint, [c_void_p]),
        "kiln_status_column": (c_uint, [c_void_p]),
        "kiln_status_note_count": (c_size_t, [c_void_p]),
        "kiln_status_note": (c_char_p, [c_void_p, c_size_t]),
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
    code, text = _kiln.kiln_status_code(status), _kiln.kiln_status_message(status).decode(errors="replace")
    file = _kiln.kiln_status_file(status)
    if file:
        text = f"{file.decode(errors='replace')}:{_kiln.kiln_status_line(status)}:{_kiln.kiln_status_column(status)}: {text}"
    notes = [_kiln.kiln_status_note(status, i).decode(errors="replace") for i in range(_kiln.kiln_status_note_count(status))]
    _kiln.kiln_status_free(status)
    raise Refused("; ".join([text, *notes]), code)


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


def compile(text, stage, name, options):
    """Compiles `text`, which is at `stage`, by options of kiln/options.def. Raises Refused."""
    text = text.encode() if isinstance(text, str) else text
    filled = CompileOptions()
    _kiln.kiln_compile_options_initialize_sized(byref(filled), ctypes.sizeof(filled))
    filled.keep_stages = sum(1 << kept for kept in (Stage.TTG, Stage.LLVM, Stage.ASM))
    for key, value in options.items():
        setattr(filled, key, value.encode() if isinstance(value, str) else value)
    source = _Source(stage, name.encode(), text, len(text))
    kernel = c_void_p()
    _check(_kiln.kiln_compile(_session(), byref(source), byref(filled), byref(kernel)))
    try:
        return Compiled(kernel)
    finally:
        _kiln.kiln_kernel_release(kernel)
