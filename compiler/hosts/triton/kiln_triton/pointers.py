# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the memory of an argument that Triton accepts as a pointer, as it has data_ptr(), but that is not a tensor.

Wrappers of tensors (triton_kernels' Tensor) contain a tensor, whose storage determines the extent of the memory. Others
(FlagGems' TypedPtr) contain only an address; then the whole mapping that contains it, from /proc/self/maps, is
accessible. This misses some out-of-bounds accesses but never rejects a valid one.

Note that a wrapper may also contain other tensors, so only a storage that contains the address is the argument's.
"""
import collections
import gc
import types

SEARCH_LIMIT = 512  # limit of objects searched in an argument
_NOT_INSIDE = (type, types.ModuleType, types.FrameType, str, bytes, int, float, complex, bool, type(None))


def _members(value):
    """The objects that an object refers to; for a function only its captures and defaults, as its globals belong to the module."""
    if isinstance(value, types.FunctionType):
        return [value.__closure__, value.__defaults__, value.__kwdefaults__]
    return gc.get_referents(value)


def inside(value):
    """The objects reachable from an argument, in breadth-first order."""
    seen, queue = {id(value)}, collections.deque([value])
    for _ in range(SEARCH_LIMIT):
        if not queue:
            return
        at = queue.popleft()
        for member in _members(at):
            if id(member) not in seen and not isinstance(member, _NOT_INSIDE):
                seen.add(id(member))
                queue.append(member)
                yield member


def mapping(address):
    """The readable memory around an address that was mapped in the same way: (begin, end, whether it is read-only). None if nothing is mapped."""
    found, kind = None, None
    with open("/proc/self/maps") as maps:
        for line in maps:
            # 7f00-7f80 rw-p offset device inode path; the system splits a mapping if advice (huge pages) differs.
            span, permissions, _, device, inode, *path = line.split(maxsplit=5)
            begin, end = (int(number, 16) for number in span.split("-"))
            this = permissions, device, inode, path
            if found and found[1] == begin and kind == this:
                found = found[0], end
            elif found and found[0] <= address < found[1]:
                break
            else:
                found, kind = (begin, end), this
    return (*found, "w" not in kind[0]) if found and found[0] <= address < found[1] and kind[0].startswith("r") else None
