"""Counts, in an object's disassembly on stdin, the instructions that come a slot late for their window of 32 bytes: of runs of 8-byte instructions
other than v_mfma that begin 4 bytes off, each one in two windows but the first."""
import re
import sys

late = inside = 0
run = None  # where it began
for line in sys.stdin:
    found = re.match(r"\s+(\S+).*// ([0-9A-F]+): ([0-9A-F ]+?)\s*(<|$)", line)
    if not found:
        continue
    name, at, length = found[1], int(found[2], 16), 4 * len(found[3].split())
    if length != 8 or name.startswith("v_mfma"):
        run = None
        continue
    run, inside = (at, 0) if run is None else (run, inside)
    if at % 32 == 28:
        late += inside > 0
        inside += 1
print("late:", late)
