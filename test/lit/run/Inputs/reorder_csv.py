# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: reorder_csv.py FROM TO [COLUMN=CELL]
#
# Writes a table with its columns in the opposite order, quoted only where necessary, with CRLF line ends; the cell is
# written into the last line.
import csv
import sys

with open(sys.argv[1], newline="") as source:
    rows = list(csv.reader(source))
for argument in sys.argv[3:]:
    column, cell = argument.split("=")
    rows[-1][rows[0].index(column)] = cell
with open(sys.argv[2], "w", newline="") as target:
    csv.writer(target).writerows(row[::-1] for row in rows)
