# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# gain.py ID LINE BAD.json GOOD.json [lacks] [most|least] [SHARE]: what `kiln bench --json` printed of a kernel before and after its finding's advice
# was followed. The first has the finding at this line, with the gain of the second to within a third. With `lacks`, the second
# does not have the finding any more. Gains of less than SHARE of the launch are taken as none.
# With `most` or `least` the gain is a bound of this kind.
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
few = max([float(word) for word in sys.argv[5:] if word not in ("lacks", "most", "least")], default=0) * bad["value"] * 1e-3
least, most = (0 if "least" in sys.argv else 2 / 3), (float("inf") if "most" in sys.argv else 4 / 3)
for word in "most", "least":
    assert word not in sys.argv or found[0]["gain"]["bound"] == "at " + word, found[0]["gain"]
assert got * least <= predicted <= got * most or (abs(got) <= few and predicted <= few), f"{name}: predicted {predicted:.1f} us, gained {got:.1f}"
if "lacks" in sys.argv:
    assert name not in [f["id"] for f in good["findings"]], good["findings"]
