# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The list of kernels that make.py compiles, with the types of their parameters."""
CASES = []
TTIR, TTGIR, SOURCE = ("ttir",), ("ttir", "ttgir"), ("source", "ttir")


class Case:
    def __init__(self, kernel, types, stages, since, until, options, constants):
        self.kernel, self.stages, self.since, self.until, self.options = kernel, stages, since, until, options
        self.signature = dict(zip(kernel.arg_names, types.split()))
        self.signature.update({name: "constexpr" for name in kernel.arg_names[len(self.signature):]})
        self.constants = {(kernel.arg_names.index(name),): value for name, value in constants.items()}


def case(types, stages=TTIR, since=(3, 3), until=(3, 9), options={}, **constants):
    """A kernel with parameters of these types and then constexpr ones with these values."""
    def note(kernel):
        CASES.append(Case(kernel, types, stages, since, until, options, constants))
        return kernel
    return note
