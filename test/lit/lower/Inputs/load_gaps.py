# Reads assembly; in the block with the most matrix instructions, prints the number of wide loads and
# how many of them follow another one directly, without a matrix instruction between.
import re, sys

blocks, block = [], []
for line in sys.stdin:
    if re.match(r"\.?\w+:|\s+s_c?branch", line):
        blocks.append(block)
        block = []
    elif found := re.match(r"\s+(v_mfma|buffer_load_dwordx4|global_load_dwordx4)", line):
        block.append(found[1] == "v_mfma")
block = max(blocks, key=sum)
adjacent = sum(not a and not b for a, b in zip(block, block[1:]))
print(f"loads: {block.count(False)} adjacent: {adjacent}")
