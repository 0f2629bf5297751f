#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs Triton's unit tests with Kiln on the simulator, one part after the other, and counts the outcomes:

    run_unit_tests.py --python=PYTHON --log=core.log --parts=40 TRITON/python/test/unit/language/test_core.py [--compiler=triton]

Each part is a process (kiln_simulator_plugin.py); if a test terminates it or times out, a new process continues after that test. A second run continues
where the first one stopped. PYTHON needs Triton, torch, pytest and pytest-timeout. `--count` only counts the outcomes in the log.
"""
import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys

here = pathlib.Path(__file__).resolve().parent


def results(path):
    """The outcome of each test in the log, and the reason of a failure."""
    ended = {}
    for line in open(path) if os.path.exists(path) else ():
        entry = json.loads(line)
        if ended.get(entry["test"], ("begun",))[0] != "failed":  # a failed test stays failed
            ended[entry["test"]] = entry["outcome"], entry.get("reason", "")
    return ended


def count(path):
    counts = collections.Counter(outcome for outcome, _ in results(path).values())
    counts["lost"] = counts.pop("begun", 0)  # timed out, or terminated its process
    return ", ".join(f"{number} {outcome}" for outcome, number in sorted(counts.items()))


def run(options, part, others):
    path = [options.build / "python", here, os.environ.get("PYTHONPATH", "")]
    tests = pathlib.Path(options.tests[0])
    top = next((folder for folder in tests.resolve().parents if folder.name == "test"), tests.parent)
    command = [options.python, "-m", "pytest", "-p", "kiln_simulator_plugin", "-q", "--no-header", "--tb=short", "-W", "ignore", f"--confcutdir={top.parent}", f"--rootdir={top}",
               f"--log={options.log}", f"--part={part}/{options.parts}", f"--timeout={options.timeout}", "--timeout-method=thread", *options.tests, *others]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(str(folder) for folder in path)}
    return subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode


def continues(options, part, others):
    """Runs the rest of a part. Returns whether there may be more, as a test terminated the process or timed out, for which pytest-timeout exits with the code of failed tests."""
    before = results(options.log)
    code = run(options, part, others)
    after = results(options.log)
    lost = [test for test, (outcome, _) in after.items() if outcome == "begun" and test not in before]
    return len(after) > len(before) and (code not in (0, 1, 5) or bool(lost))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--build", type=pathlib.Path, default=here / "../../../../build")
    parser.add_argument("--log", required=True)
    parser.add_argument("--parts", type=int, default=1)
    parser.add_argument("--until", type=int, help="last part to run (default: all)")
    parser.add_argument("--timeout", type=int, default=120, help="time limit of a test in seconds")
    parser.add_argument("--count", action="store_true")
    parser.add_argument("tests", nargs="*")
    options, others = parser.parse_known_args()
    if not options.count:
        for part in range(1, (options.until or options.parts) + 1):
            while continues(options, part, others):
                pass
            print(f"part {part}/{options.parts}: {count(options.log)}", flush=True)
    print(count(options.log))


main()
