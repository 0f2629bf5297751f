"""Prints, of the loop with the most matrix instructions in assembly on stdin, how many there are, and the share of vector
instructions that are among the eight after one: the others have no matrix instruction to run beside."""
import re
import sys

lines = sys.stdin.read().split("\n")
labels, loops = {}, []
for number, line in enumerate(lines):
    if label := re.match(r"(\.LBB\w+):", line):
        labels[label[1]] = number
    jump = re.search(r"s_c?branch\w* (\.LBB\w+)", line)
    if jump and jump[1] in labels:
        loops.append((labels[jump[1]], number))


def matrices(loop):
    return sum("v_mfma" in line for line in lines[loop[0]:loop[1]])


inner = [a for a in loops if not any(b != a and a[0] <= b[0] and b[1] <= a[1] for b in loops)]
begin, end = max(inner, key=matrices)
BESIDE = 8
total = beside = gap = 0
for line in lines[begin:end]:
    name = (re.match(r"\s+([a-z]\w+)", line) or [None, ""])[1]
    if name.startswith("v_mfma"):
        gap = 0
    elif name.startswith("v_"):
        gap += 1
        total += 1
        beside += gap <= BESIDE
print(f"matrix: {matrices((begin, end))} beside: {100 * beside // total} %")
