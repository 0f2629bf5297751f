# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""json_members.py PAGE VERB=FILE...: the page's table of a verb names each member of the JSON, at every depth, and each name that begins a row is there."""
import json
import re
import sys

DATA = {"settings", "counts", "environment", "cycles", "constants", "options"}  # objects whose members are data, not names


def names(value):
    if isinstance(value, list):
        return set().union(*map(names, value)) if value else set()
    if not isinstance(value, dict):
        return set()
    return set(value).union(*(names(inner) for key, inner in value.items() if key not in DATA or not isinstance(inner, dict)), set())


page = open(sys.argv[1], encoding="utf-8").read()
for word in sys.argv[2:]:
    verb, path = word.split("=")
    found = names(json.load(open(path, encoding="utf-8")))
    part = page.split(f"## kiln {verb}\n")[1].split("\n## ")[0]
    documented = {name for span in re.findall(r"`([^`]+)`", part) for name in span.split(".")}
    if found - documented:
        sys.exit(f"{sys.argv[1]}: {verb} has members that the page does not name: {', '.join(sorted(found - documented))}")
    rows = {name for row in re.findall(r"^\| ([^|]*) \|", part, re.M) for span in re.findall(r"`([^`]+)`", row) for name in span.split(".")}
    if rows - found:
        sys.exit(f"{sys.argv[1]}: {verb} has no member {', '.join(sorted(rows - found))}")
