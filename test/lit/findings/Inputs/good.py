# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# good.py FOLDER KILN...: benches the launches of good.txt and compares the findings with the expected ones there.
import json
import os
import shlex
import subprocess
import sys

folder, kiln = sys.argv[1], sys.argv[2:]
wrong = count = 0
for text in open(os.path.join(os.path.dirname(__file__), "good.txt")):
    if text.startswith("#") or not text.strip():
        continue
    expected, words = (part.strip() for part in text.split("|", 1))
    name, *words = shlex.split(words)
    done = subprocess.run([*kiln, os.path.join(folder, name + ".tile.c"), *words, "--json"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = sorted(f["id"] for f in json.loads(done.stdout)["findings"])
    if found != sorted(expected.split()):
        wrong += 1
        print(f"{name} {' '.join(words)}\n  expected: {expected}\n  found:    {' '.join(found)}")
    count += 1
print(count, "launches,", wrong, "with other findings than expected")
sys.exit(wrong > 0)
