# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Of the shortest loop with matrix instructions in an assembly text: how many of them have results in accumulation and in vector registers, how many
accumulation registers are copied, and how many accesses of scratch there are."""
import re
import sys

lines = sys.stdin.read().split("\n")
labels, loops = {}, []
for number, line in enumerate(lines):
    label = re.match(r"(\.LBB\w+):", line)
    branch = re.search(r"s_c?branch\w*\s+(\.LBB\w+)", line)
    if label:
        labels[label[1]] = number
    if branch and labels.get(branch[1], number) < number:
        body = lines[labels[branch[1]]:number]
        if any("v_mfma" in each for each in body):
            loops.append(body)
loop = min(loops, key=len)


def count(pattern):
    return sum(bool(re.search(pattern, each)) for each in loop)


print("accumulation:", count(r"v_mfma\S* a"), "vector:", count(r"v_mfma\S* v"), "moved:", count("v_accvgpr_mov"), "scratch:", count("scratch_"))
