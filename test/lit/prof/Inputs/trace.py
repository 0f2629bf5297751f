# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""trace.py FILE: checks a trace of client.c by what Perfetto requires, and prints what is on its tracks."""
import collections
import json
import sys

with open(sys.argv[1]) as file:
    events = json.load(file)["traceEvents"]
names = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
assert len(names) == len([e for e in events if e["name"] == "thread_name"]), "a track is named twice"
assert len([e for e in events if e["name"] == "process_name"]) == 1
bars = [e for e in events if e["ph"] == "X"]
assert all((e["pid"], e["tid"]) in names and e["dur"] >= 0 for e in bars)

# Bars of a track are one after another, or inside each other.
tracks = collections.defaultdict(list)
for e in bars:
    tracks[e["pid"], e["tid"]].append(e)
for track in tracks.values():
    open_until = []
    for e in sorted(track, key=lambda e: (e["ts"], -e["dur"])):
        while open_until and open_until[-1] <= e["ts"] + 1e-6:
            open_until.pop()
        assert not open_until or e["ts"] + e["dur"] <= open_until[-1] + 1e-6, e
        open_until.append(e["ts"] + e["dur"])

# Each arrow has two ends, in a bar each, the second not before the first.
begins = {e["id"]: e for e in events if e["ph"] == "s"}
ends = {e["id"]: e for e in events if e["ph"] == "f"}
assert begins.keys() == ends.keys()
assert all(ends[i]["ts"] >= begins[i]["ts"] for i in ends)
assert all(any(b["ts"] <= e["ts"] <= b["ts"] + b["dur"] and b["tid"] == e["tid"] for b in bars) for e in [*begins.values(), *ends.values()])

# The host's bars are its calls.
print("calls:", *sorted({e["name"] for e in bars if e["cat"] == "host"}))
assert [e["args"] for e in bars if e["name"] == "hipModuleLaunchKernel"] == 10 * [{"enqueues": "vec_add"}]
assert len([e for e in bars if e["name"] == "hipGraphLaunch"]) == 3

# Kernels of two streams run at the same time.
kernels = collections.defaultdict(list)
for e in bars:
    if e["cat"] == "kernel":
        kernels[e["tid"]].append(e)
one, two = kernels.values()
print("overlap:", any(a["ts"] < b["ts"] + b["dur"] and b["ts"] < a["ts"] + a["dur"] for a in one for b in two))
for track, name in sorted(names.items(), key=lambda item: item[1]):
    print(name.split(" thread")[0] + ":", dict(collections.Counter(e["cat"] for e in tracks[track])))
