# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""forge.py FILE COMMAND...: for each contradiction that a recorded problem can have, changes the first line of FILE and runs COMMAND --from on it."""
import json
import subprocess
import sys

path, command = sys.argv[1], sys.argv[2:]
first = open(path).read().split("\n")[0]
CHANGES = [  # of arguments by name, or of the problem (None)
    ("n", {"divisibility": 0}),
    ("n", {"divisibility": 8}),
    ("n", {"integer": 1000}),
    ("n", {"below_2g": True}),
    ("n", {"below_2g": 1}),
    ("n", {"bytes": 4}),
    ("n", {"integer": "1024"}),
    ("x", {"divisibility": 4}),
    ("x", {"bytes": 1 << 33}),
    ("x", {"bytes": -4}),
    ("x", {"bytes": 4095}),
    ("x", {"below_2g": None}),
    (None, {"settings": ["MODE"]}),
    (None, {"kernel": 3}),
]
for name, change in CHANGES:
    problem = json.loads(first)
    for target in [problem] if name is None else [a for a in problem["arguments"] if a["name"] == name]:
        target.update(change)
    with open(path + ".forged", "w") as out:
        out.write(json.dumps(problem) + "\n")
    run = subprocess.run(command + ["--from", path + ".forged"], capture_output=True, text=True)
    print(name, json.dumps(change), "code", run.returncode, run.stderr.split("\n")[0])
