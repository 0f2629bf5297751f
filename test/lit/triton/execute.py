# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# execute.py KILN FILE DIR: executes one of this folder's texts on the simulator with all checks and compares every buffer with what the
# interpreter makes of the same program. The reference of a .ttgir is the .ttir of that name. Buffers hold 8192 small numbers; what a kernel needs
# beyond that is in the tables below.
import pathlib
import random
import re
import struct
import subprocess
import sys

ELEMENTS = 8192
SCALARS = {"n": 3, "m": 5, "rows": 20, "columns": 64, "stride": 1, "seed": 7, "s": 0.5}
KERNEL_SCALARS = {
    "gemm": {"n": 64},
    "hints": {"n": 50},
    "const_pointers": {"n": 64},
    "atomics": {"n": 64},
    "atomic_accesses": {"n": 64},
    "debug": {"n": 1000},
    "promises": {"n": 50},
    "arithmetic": {"n": 5},
}
# Contents of a buffer, by its number, that a kernel waits for or takes as promised.
CONTENTS = {
    ("spin_lock", 0): 0,
    ("atomic_poll", 0): 3,
    ("atomic_poll", 1): 7,
    ("atomic_poll_block", 0): 3,
}
SCALES = {("dot_scaled", 1), ("dot_scaled_twice", 1), ("dot_scaled_fp16", 1)}  # exponents, biased by 127
# Of a descriptor that the host passes: base, then shape, strides, padding, rounding, and shape and strides again where Triton repeats them.
DESCRIPTOR = [None, 64, 64, 64, 1, 0, 0, 64, 64, 64, 1]
# The interpreter has no meaning for machine instructions.
NOT_INTERPRETED = {"inline_assembly"}

FORMATS = {"i8": "b", "i16": "h", "i32": "i", "i64": "q", "f16": "e", "f32": "f", "f64": "d"}


def contents(element, kernel, number):
    """A buffer's bytes."""
    draw, fixed = random.Random(number), CONTENTS.get((kernel, number))
    if (kernel, number) in SCALES:
        return bytes(draw.randrange(120, 130) for _ in range(ELEMENTS))
    if element == "i1":
        return bytes(draw.randrange(2) for _ in range(ELEMENTS))
    if element.startswith("f8"):  # small, of both signs, no NaN
        return bytes(draw.randrange(1, 0x38) | draw.randrange(2) << 7 for _ in range(ELEMENTS))
    if element == "bf16":
        return b"".join(struct.pack("<f", draw.uniform(-1, 1))[2:] for _ in range(ELEMENTS))
    is_float = element[0] == "f"
    values = [fixed if fixed is not None else draw.uniform(-1, 1) if is_float else draw.randrange(-100, 100) for _ in range(ELEMENTS)]
    return struct.pack(f"<{ELEMENTS}{FORMATS[element]}", *values)


def parameters(text):
    """The public function's name and the types of its parameters."""
    start = re.search(r"tt\.func public @(\w+)\(", text)
    depth, at = 1, start.end()
    while depth:
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    found = re.findall(r"%[\w.$-]+: (!tt\.ptr<\w+[^>]*>|!tt\.tensordesc<[^>]*>+|\w+)", text[start.end() : at])
    return start.group(1), found


def names_of(kernel):
    """The parameters' names in kernels*.py, which the texts have lost."""
    source = "".join(path.read_text() for path in sorted(pathlib.Path(__file__).parent.glob("kernels*.py")))
    return [part.split(":")[0].strip() for part in re.search(rf"^def {kernel}\((.*)\):$", source, re.M).group(1).split(",")]


def arguments(kernel, found, folder):
    """Words of kiln run, and the names of the buffers."""
    names = names_of(kernel)
    words, buffers = [], []
    scalars = {**SCALARS, **KERNEL_SCALARS.get(kernel, {})}
    for number, kind in enumerate(found):
        name = f"arg{number}"
        pointer = re.match(r"!tt\.ptr<(\w+)", kind)
        if pointer:
            element, file = pointer.group(1), folder / f"{number}.in"
            file.write_bytes(contents(element, kernel, number))
            words.append(f"{name}={element}[{ELEMENTS}]@{file}")
            buffers.append(name)
        elif kernel == "descriptor_arguments" and number < len(found) - 1:
            words.append(f"{name}={DESCRIPTOR[number % (len(found) // 2)]}")
        else:
            value = scalars.get(names[number], 3) if number < len(names) else 3
            words.append(f"{name}={int(value) if kind[0] == 'i' else value}")
    return words, buffers


def run(kiln, words):
    done = subprocess.run([kiln, "run", "--cache-mode=off", "--grid=1", *words], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(words)}\n{done.stderr}")


def main():
    kiln, file, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    kernel, found = parameters(file.read_text())
    if any("tensordesc" in kind for kind in found):
        return  # what a host makes of such an argument is not kiln run's
    words, buffers = arguments(kernel, found, folder)
    compared = []
    reference = file.with_suffix(".ttir")
    if kernel not in NOT_INTERPRETED and reference.exists():
        _, of_reference = parameters(reference.read_text())
        reference_words, reference_buffers = arguments(kernel, of_reference, folder)
        saved = [f"--save={name}={folder / str(i)}.out" for i, name in enumerate(reference_buffers)]
        run(kiln, ["--device=interp", str(reference), *reference_words, *saved])
        compared = [f"--expect={name}={folder / str(i)}.out" for i, name in enumerate(buffers)]
    run(kiln, ["--device=sim", "--check", str(file), *words, *compared])


main()
