# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sets the static LDS size in a code object, and in its assembly, to 0. Launchers of Triton's kernels request LDS dynamically (metadata.shared), as Triton's code
objects declare none, but Kiln's do. Without the declaration every launcher for Triton can launch both.

The size occurs twice, in the kernel's descriptor and in the metadata (MessagePack in a note), and must be replaced by a number of the same length.
"""
import re
import struct

KEY = b".group_segment_fixed_size"
WIDTHS = {0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8}  # MessagePack's unsigned integers


def _sections(elf):
    """Yields (type, address, offset, size, link) of each section."""
    offset, size, count = struct.unpack_from("<Q", elf, 40)[0], *struct.unpack_from("<HH", elf, 58)
    for at in range(offset, offset + size * count, size):
        _, kind, _, address, begin, length, link = struct.unpack_from("<IIQQQQI", elf, at)
        yield kind, address, begin, length, link


def _descriptor(elf, symbol):
    """The file offset of the kernel's descriptor."""
    sections = list(_sections(elf))
    for kind, _, begin, length, link in sections:
        if kind != 11:  # SHT_DYNSYM
            continue
        names = sections[link][2]
        for at in range(begin, begin + length, 24):
            name, _, _, index, value, _ = struct.unpack_from("<IBBHQQ", elf, at)
            if elf[names + name : elf.index(b"\0", names + name)] == symbol:
                return sections[index][2] + value - sections[index][1]
    raise RuntimeError(f"kiln_triton: the code object has no kernel descriptor '{symbol.decode()}'")


def lds_by_launch(code_object, kernel):
    elf = bytearray(code_object)
    struct.pack_into("<I", elf, _descriptor(elf, kernel.encode() + b".kd"), 0)
    notes = [(begin, length) for kind, _, begin, length, _ in _sections(elf) if kind == 7]  # SHT_NOTE
    for begin, length in notes:
        at = elf.find(KEY, begin, begin + length)
        if at >= 0:
            at += len(KEY)
            if elf[at] < 0x80:
                elf[at] = 0
            else:
                elf[at + 1 : at + 1 + WIDTHS[elf[at]]] = bytes(WIDTHS[elf[at]])
            return bytes(elf)
    raise RuntimeError("kiln_triton: the code object's metadata lacks .group_segment_fixed_size")


def text_lds_by_launch(assembly):
    return re.sub(r"(\.(?:amdhsa_)?group_segment_fixed_size:? +)\d+", r"\g<1>0", assembly)
