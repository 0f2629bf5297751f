# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton's HIP back end with Kiln after `ttir`: one call compiles everything, and each later stage returns its part.

    ttir (Triton's) -> ttgir -> llir -> amdgcn -> hsaco
                       compiles  text    text     code object

Note that a stage's input may be a file that overrides the output of the previous stage. Kiln then compiles ttgir again, and Triton compiles llir and amdgcn.
So each text carries its kernel, and a text without one is from another source.
"""
import functools
import os
import sys
import warnings

from triton._C.libtriton import llvm
from triton.backends.amd.compiler import HIPBackend as TritonBackend
from triton.runtime.errors import OutOfResources

from . import FallbackWarning
from . import _library as kiln
from ._object import lds_by_launch, text_lds_by_launch

POINTER_RANGE_LIMIT = 0x7fe00000  # bytes; KILN_POINTER_RANGE_LIMIT of kiln/program.h
SCRATCH = {"global_scratch_size": 0, "global_scratch_align": 1, "profile_scratch_size": 0, "profile_scratch_align": 1}


def _knob(variable):
    return os.environ.get(variable, "").lower() in ("1", "y", "yes", "on", "true")


class Text(str):
    """The text of a stage, with the kernel that it belongs to."""

    def __new__(cls, text, kernel):
        self = super().__new__(cls, text)
        self.kernel = kernel
        return self

    def create_location_snapshot(self, path):  # USE_IR_LOC=ttgir
        raise NotImplementedError("kiln_triton: USE_IR_LOC is supported only for 'ttir'")


def _unsupported(options):
    """The reason why Kiln does not support these options, or None."""
    for name in ("instrumentation_mode", "llvm_fn_attrs"):
        if getattr(options, name, None):
            return f"unsupported option {name}={getattr(options, name)!r}"
    if _knob("TRITON_ENABLE_ASAN"):
        return "TRITON_ENABLE_ASAN is not supported"
    return None


def _compile(module, stage, options):
    refusal = _unsupported(options)
    if refusal:
        raise kiln.Refused(refusal)
    # Printing the stages takes as long as compilation.
    needs_text = not _knob("TRITON_STORE_BINARY_ONLY") or _knob("TRITON_KERNEL_DUMP") or _knob("AMDGCN_ENABLE_DUMP")
    return kiln.compile(str(module), stage, "kernel." + ("ttir" if stage == kiln.Stage.TT else "ttgir"), {
        "arch": options.arch,
        "keep_stages": sum(1 << kept for kept in (kiln.Stage.TTG, kiln.Stage.LLVM, kiln.Stage.ASM)) if needs_text else 0,
        "num_warps": options.num_warps,
        "num_stages": options.num_stages,
        "waves_per_eu": 0 if options.waves_per_eu == type(options).waves_per_eu else options.waves_per_eu,  # up to 3.5 the default is 1
        "matrix_instr_nonkdim": options.matrix_instr_nonkdim,
        "kpack": options.kpack,
        "enable_fp_fusion": options.enable_fp_fusion,
        "allow_flush_denorm": options.allow_flush_denorm,
        "no_line_info": _knob("TRITON_DISABLE_LINE_INFO"),
        "debug_variables": _knob("LLVM_EXTRACT_DI_LOCAL_VARIABLES"),
    }, [path for name, path in options.extern_libs or () if name not in ("ocml", "ockl")])  # Kiln contains these two


def _take(module, stage, metadata, options):
    """The kernel, or None if Triton must compile it."""
    try:
        kernel = _compile(module, stage, options)
    except kiln.Refused as refused:
        if refused.exceeds:  # Triton's pipeline would fail, too, when the kernel is loaded
            raise OutOfResources(*refused.exceeds) from refused
        if os.environ.get("KILN_TRITON_FALLBACK") == "error":
            raise
        metadata["kiln"] = f"refused: {refused}"
        name = module.get_entry_func_name() if hasattr(module, "get_entry_func_name") else "a kernel"
        warnings.warn(f"Kiln does not support '{name}', which Triton compiles instead: {refused}", FallbackWarning, stacklevel=2)
        return None
    metadata["kiln"] = f"{kiln.version()} {kiln.build_id()}"
    metadata["name"] = kernel.name
    metadata["shared"] = kernel.manifest["resources"]["lds_bytes"]
    metadata["num_warps"] = kernel.block_size // options.warp_size
    metadata.update(SCRATCH)
    return kernel


def _is_triton_s(metadata):
    return metadata.get("kiln", "").startswith("refused")


class KilnBackend(TritonBackend):

    @staticmethod
    def make_ttgir(mod, metadata, options):
        kernel = _take(mod, kiln.Stage.TT, metadata, options)
        if kernel is None:
            return TritonBackend.make_ttgir(mod, metadata, options)
        if hasattr(mod, "get_tensordesc_metadata"):
            metadata["tensordesc_meta"] = mod.get_tensordesc_metadata()
        return Text(kernel.ttg, kernel)

    @staticmethod
    def make_llir(src, metadata, options):
        kernel = getattr(src, "kernel", None)
        if kernel is None and not _is_triton_s(metadata):  # a file that overrides Kiln's ttgir, or Gluon's ttgir
            kernel = _take(src, kiln.Stage.TTG, metadata, options)
        if kernel is None:
            return TritonBackend.make_llir(src, metadata, options)
        return Text(kernel.llvm, kernel)

    @staticmethod
    def make_amdgcn(src, metadata, options):
        kernel = getattr(src, "kernel", None)
        if kernel is None:
            llvm.init_targets()  # done by make_llir in Triton's pipeline
            return TritonBackend.make_amdgcn(src, metadata, options)
        text = text_lds_by_launch(kernel.asm)
        if _knob("AMDGCN_ENABLE_DUMP"):
            print("// -----// AMDGCN Dump //----- //")
            print(text)
        return Text(text, kernel)

    @staticmethod
    def make_hsaco(src, metadata, options):
        kernel = getattr(src, "kernel", None)
        if kernel is None:
            llvm.init_targets()
            return TritonBackend.make_hsaco(src, metadata, options)
        return lds_by_launch(kernel.code_object, kernel.name)

    @staticmethod
    def is_within_2gb(arg):
        # Checks the whole storage, as Kiln's offsets from a pointer into it are signed. They count from 2 GiB before the
        # pointer, where NumPy's arrays in a heap at low addresses have nothing.
        def is_low():
            return 0 < arg.data_ptr() < 1 << 31

        if hasattr(arg, "ptr_range"):
            return arg.ptr_range() <= POINTER_RANGE_LIMIT and not is_low()
        if "torch" not in sys.modules:
            return False  # cannot be a PyTorch tensor; Triton 3.6 would import PyTorch for the check
        return TritonBackend.is_within_2gb(arg) and arg.untyped_storage().nbytes() <= POINTER_RANGE_LIMIT and not is_low()

    @functools.lru_cache()
    def hash(self):
        return f"kiln-{kiln.build_id()}-{self.target}"
