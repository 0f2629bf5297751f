# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# layouts.py KILN PAGE.html LEAST: the layouts of the page's types, at least so many, are those that kiln layout prints; the page knows the layouts of
# all kinds of values of the last ttg that have any.
import json
import re
import subprocess
import sys

kiln, path, least = sys.argv[1], sys.argv[2], int(sys.argv[3])
data = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', open(path).read(), re.S)[1])
layouts = data["layouts"]
assert len(layouts) >= least, len(layouts)


def coordinates(layout, flat):
    at = []
    for bits in reversed(layout["shape"]):
        at.insert(0, flat & (1 << bits) - 1)
        flat >>= bits
    return "copy" if not any(at) else "(" + ",".join(map(str, at)) + ")"


for type, layout in layouts.items():
    printed = subprocess.run([kiln, "layout", type], capture_output=True, text=True, check=True).stdout.splitlines()[1:]
    rows = {"offset": layout["register"]} if layout["lds"] else {place: layout[place] for place in ("register", "lane", "warp")}
    expected = [" ".join([name] + [coordinates(layout, v) for v in vectors]) for name, vectors in rows.items()]
    assert [" ".join(line.split()) for line in printed] == expected, (type, printed, expected)
