# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The examples' kernels as a user of Triton would write them: the same programs, statement by statement, with the same names. Run by a
# Python with Triton 3.6.0, this file writes the output of Triton's front end for each call of calls.json to KERNEL.ttir next to it;
# the kernels are in the files of their families.
import json
import os
import sys

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

import attention
import elementwise
import gemm
import rows

FAMILIES = (elementwise, rows, gemm, attention)
POINTERS = {"f16": "*fp16", "bf16": "*bf16", "f32": "*fp32", "f64": "*fp64", "f8e4m3fnuz": "*fp8e4b8", "i8": "*i8", "u8": "*u8", "i32": "*i32"}
OPTIONS = ("num_warps", "num_stages", "waves_per_eu", "matrix_instr_nonkdim", "kpack")
WIDE = {"a_stack", "b_stack", "c_stack", "seed"}  # i64 parameters


def source_of(call):
    function = next(getattr(family, call["kernel"]) for family in FAMILIES if hasattr(family, call["kernel"]))
    constants = {name: value for name, value in call["settings"].items() if name not in OPTIONS}
    values, types, attributes = {"cdiv": lambda a, b: -(-a // b)}, {}, {}
    for word in call["words"]:
        name, text = word.split("=", 1)
        if "[" in text:
            types[name] = POINTERS[text.split("[")[0]]
        elif "." in text or "e" in text:
            types[name] = "fp32"
        else:
            values[name] = eval(text.replace("/", "//"), values)
            types[name] = "i64" if name in WIDE else "i32"
    signature = {}
    for index, parameter in enumerate(function.arg_names):
        name = parameter.rstrip("_")
        signature[parameter] = "constexpr" if parameter in constants else types[name]
        if signature[parameter][0] == "*" or (signature[parameter][0] == "i" and values[name] % 16 == 0):
            attributes[(index,)] = [["tt.divisibility", 16]]
    constexprs = {(index,): constants[name] for index, name in enumerate(function.arg_names) if name in constants}
    return ASTSource(function, signature, constexprs, attributes)


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    for call in json.load(open(os.path.join(here, "calls.json"))):
        if len(sys.argv) > 1 and call["kernel"] not in sys.argv[1:]:
            continue
        options = {name: call["settings"][name] for name in OPTIONS if name in call["settings"]}
        compiled = triton.compile(source_of(call), target=GPUTarget("hip", "gfx942", 64), options=options)
        text = compiled.asm["ttir"].replace(here, "test/bench/kernels").replace(os.path.dirname(triton.__file__), "triton")
        text = text.replace("%in_", "%in").replace('"in_"', '"in"')
        with open(os.path.join(here, call["kernel"] + ".ttir"), "w") as out:
            out.write(text)
        print(call["kernel"], len(text))


if __name__ == "__main__":
    main()
