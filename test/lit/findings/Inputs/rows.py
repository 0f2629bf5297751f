# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# rows.py findings.def findings.md: the page has the rows of the table, in order, and no others.
import re
import sys

text = re.compile(r'"((?:[^"\\]|\\.)*)"')
rows = []
for row in re.findall(r"^KILN_FINDING\((.*?)\)\n", open(sys.argv[1]).read(), re.M | re.S):
    name, what, why, advice = text.findall(row)
    side = "clock" if ", CLOCK," in row else "compiler"
    rows.append(f"| `{name}` | {side} | {what} | {why} | {advice} |")
page = [line for line in open(sys.argv[2]).read().splitlines() if line.startswith("| `") and line.count(" | ") == 4]
assert page == rows, "\n".join(["docs/findings.md should have:"] + rows)
