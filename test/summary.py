#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts what a `ctest -V` log ran, test by test, and closes with "N passed, N failed".

A cmocka program says how many of its tests passed and failed, lit counts its files, and any other ctest program is one test. Exit code 1 where anything
failed or a program ended without telling.
"""
import re
import sys


def count(log):
    passed = failed = 0
    problems = []
    programs = {}  # ctest number -> lines of output
    for line in log.splitlines():
        match = re.match(r"^\s*(\d+): (.*)$", line)
        if match:
            programs.setdefault(int(match.group(1)), []).append(match.group(2))
    results = re.findall(r"^\s*\d+/\d+ Test\s+#(\d+): (\S+) [.*]*\s*(\S.*?)\s+[\d.]+ sec", log, re.MULTILINE)
    for number, name, result in results:
        good = bad = 0
        for line in programs.get(int(number), []):
            cmocka = re.match(r"^\[  (PASSED|FAILED)  \] .*?(\d+) test\(s\)", line)
            lit = re.match(r"^\s*(Passed|Failed|Unresolved|Timed Out|Unexpectedly Passed)\s*:\s*(\d+)", line)
            if cmocka:
                good, bad = (good + int(cmocka.group(2)), bad) if cmocka.group(1) == "PASSED" else (good, bad + int(cmocka.group(2)))
            elif lit:
                good, bad = (good + int(lit.group(2)), bad) if lit.group(1) == "Passed" else (good, bad + int(lit.group(2)))
        if result == "Passed" and bad == 0:
            passed += good or 1
        else:
            passed += good
            failed += bad or 1
            problems.append((name, result, programs.get(int(number), [])))
    return passed, failed, problems


def main():
    with open(sys.argv[1], encoding="utf-8", errors="replace") as file:
        log = file.read()
    passed, failed, problems = count(log)
    for name, result, output in problems:
        print(f"--- {name}: {result}")
        print("\n".join(output[-200:]))
    if passed + failed == 0:
        print(log[-4000:])
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
