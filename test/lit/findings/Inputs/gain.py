# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# gain.py ID LINE BAD.json GOOD.json [lacks] [SHARE]: what `kiln bench --json` printed of a kernel before and after its finding's advice
# was followed. The first has the finding at this line, with the gain of the second to within a third. With `lacks`, the second
# does not have the finding any more. Gains of less than SHARE of the launch are taken as none.
import json
import sys

name, line, bad, good = sys.argv[1:5]
bad, good = (json.load(open(path)) for path in (bad, good))
found = [f for f in bad["findings"] if f["id"] == name and f.get("line") == int(line)]
assert len(found) == 1, (name, line, bad["findings"])
assert found[0]["file"] and found[0]["column"] and found[0]["seen"] and found[0]["why"] and found[0]["advice"]
got = (bad["value"] - good["value"]) * 1e-3
predicted = found[0]["gain"]["microseconds"]
assert abs(found[0]["gain"]["of"] - bad["value"] * 1e-3) < 1e-6
few = max([float(word) for word in sys.argv[5:] if word != "lacks"], default=0) * bad["value"] * 1e-3
assert got * 2 / 3 <= predicted <= got * 4 / 3 or (abs(got) <= few and predicted <= few), f"{name}: predicted {predicted:.1f} us, gained {got:.1f}"
if "lacks" in sys.argv:
    assert name not in [f["id"] for f in good["findings"]], good["findings"]
