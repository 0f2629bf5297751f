# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# rows.py findings.def findings.md TEST...: the page has the rows of the table, in order, and no others; and one of the tests sees each
# finding reported, by a line that FileCheck compares ([-RNAME]) or by gain.py.
import re
import sys

table, page, *tests = (open(path).read() for path in sys.argv[1:])
text = re.compile(r'"((?:[^"\\]|\\.)*)"')
rows, names = [], []
for row in re.findall(r"^KILN_FINDING\((.*?)\)\n", table, re.M | re.S):
    name, what, why, advice = text.findall(row)
    side = "clock" if ", CLOCK," in row else "compiler"
    names.append(name)
    rows.append(f"| `{name}` | {side} | {what} | {why} | {advice} |")
page = [line for line in page.splitlines() if line.startswith("| `") and line.count(" | ") == 4]
assert page == rows, "\n".join(["docs/findings.md should have:"] + rows)
seen = set()
for line in "\n".join(tests).splitlines():
    if re.match(r"RUN: %\{gain\} ", line):
        seen.add(line.split()[2])
    elif re.match(r"(?://\s*)?[A-Z0-9]+(-NEXT|-SAME)?:", line.strip()) and not line.startswith(("RUN:", "DEFINE:")):
        seen.update(re.findall(r"\[-R([a-z0-9-]+)\]", line))
unseen = [name for name in names if name not in seen]
assert not unseen, "no test sees these findings reported: " + " ".join(unseen)
