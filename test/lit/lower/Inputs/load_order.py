# Reads assembly; of the block with the most matrix instructions, prints the bytes that a lane loads, in order, a line
# for each part between barriers. "+" joins loads that follow one another and read the same cache line.
import re, sys

LINE = 128
BYTES = {"ubyte": 1, "ushort": 2, "dword": 4, "dwordx2": 8, "dwordx3": 12, "dwordx4": 16}

blocks, block = [], []
for line in sys.stdin:
    if re.match(r"\.?\w+:|\s+s_c?branch", line):
        blocks.append(block)
        block = []
    elif re.match(r"\s+v_mfma", line):
        block.append("matrix")
    elif re.match(r"\s+s_barrier", line):
        block.append("barrier")
    elif found := re.match(r"\s+buffer_load_(\w+) [^,]+, (v\d+, .*?) offen(?: offset:(\d+))?", line):
        block.append((BYTES[found[1]], found[2], int(found[3] or 0)))

text, last = "part:", None
for item in max(blocks, key=lambda b: b.count("matrix")):
    if item == "barrier":
        print(text)
        text, last = "part:", None
    elif item != "matrix":
        shares = last and item[:2] == last[:2] and abs(item[2] - last[2]) < LINE
        text += ("+" if shares else " ") + str(item[0])
        last = item
print(text)
