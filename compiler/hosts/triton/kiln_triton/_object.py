# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whoever launches Triton's kernels asks for their LDS (metadata.shared), because Triton's code objects ask for none; Kiln's do. This takes Kiln's demand out of a code
object, and out of its text, so that every launcher made for Triton launches both alike.

What is easily got wrong: the number stands twice, in the kernel's descriptor and in the metadata (MessagePack in a note), and nothing may change its size.
"""
import re
import struct

KEY = b".group_segment_fixed_size"
WIDTHS = {0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8}  # unsigned integers of MessagePack


def _sections(elf):
    """(type, address, offset, size, link) of each."""
    offset, size, count = struct.unpack_from("<Q", elf, 40)[0], *struct.unpack_from("<HH", elf, 58)
    for at in range(offset, offset + size * count, size):
        _, kind, _, address, begin, length, link = struct.unpack_from("<IIQQQQI", elf, at)
        yield kind, address, begin, length, link


def _descriptor(elf, symbol):
    """Where the kernel's descriptor is in the file."""
    sections = list(_sections(elf))
    for kind, _, begin, length, link in sections:
        if kind != 11:  # SHT_DYNSYM
            continue
        names = sections[link][2]
        for at in range(begin, begin + length, 24):
            name, _, _, index, value, _ = struct.unpack_from("<IBBHQQ", elf, at)
            if elf[names + name : elf.index(b"\0", names + name)] == symbol:
                return sections[index][2] + value - sections[index][1]
    raise RuntimeError(f"kiln_triton: the code object has no descriptor {symbol.decode()}")


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
    raise RuntimeError("kiln_triton: the code object's metadata does not tell its LDS")


def text_lds_by_launch(assembly):
    return re.sub(r"(\.(?:amdhsa_)?group_segment_fixed_size:? +)\d+", r"\g<1>0", assembly)
