# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# tune_kills.py KILN DIRECTORY KILLS [SEED]: kills searches, merges and lookups at random moments, until KILLS of them were still running. After each kill
# the store is intact, and has all that it had before and each sample that the killed search had reported: only the candidate in hand is lost. A killed merge
# has added all rows or none.
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

kiln, directory, kills = sys.argv[1], sys.argv[2], int(sys.argv[3])
seed = int(sys.argv[4]) if len(sys.argv) > 4 else random.randrange(1 << 30)
draw = random.Random(seed)
source = os.path.join(directory, "k.tile.c")
cache = os.path.join(directory, "cache")
store = os.path.join(cache, "tune.db")  # where lookups find it
STEPS = range(1, 41)
DONE = re.compile(r"^\[\d+/\d+\] (STEP=\d+): ok, ")


def fail(text):
    sys.exit(f"tune_kills.py: {text} (seed {seed})")


def tune(number, *more):
    return [kiln, "tune", source, "x=f32[64]:random:1", "--device=sim", "-D", f"N={number}",
            "--axis", "STEP=" + ",".join(map(str, STEPS)), "--jobs=1", *more]


def read(path):
    """All samples of a store, which must be intact, and which problems have a result."""
    if not os.path.exists(path):
        return set()
    base = sqlite3.connect(path, timeout=60)
    try:
        found = base.execute("PRAGMA integrity_check").fetchall()
        if found != [("ok",)]:
            fail(f"{path} is damaged: {found}")
        tables = {name for (name,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        rows = set()
        if "samples" in tables:
            rows |= {("sample", *row) for row in base.execute("SELECT fixed, config, verdict, cost FROM samples")}
        if "tuned" in tables:
            rows |= {("best", *row) for row in base.execute("SELECT fixed, '', 0, 0.0 FROM tuned")}
        return rows
    finally:
        base.close()


def kill_after(command, seconds, log):
    """Starts the command, kills it after that time, and returns whether it was still running."""
    with open(log, "w") as out:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=out)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            pass
        process.send_signal(signal.SIGKILL)
        return process.wait() == -signal.SIGKILL


def reported(log):
    with open(log) as file:
        return {match.group(1) for line in file if line.endswith("\n") and (match := DONE.match(line))}


def measure(command):
    begin = time.monotonic()
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode != 0:
        fail(f"{' '.join(command)}: {result.stdout}")
    return time.monotonic() - begin


def expect_kept(before, after, what):
    lost = before - after
    if lost:
        fail(f"{what} lost {sorted(lost)[:3]}")


log = os.path.join(directory, "log")
target = os.path.join(directory, "merged.db")
merge = [kiln, "tune", "merge", store, "--store", target]
lookup = [kiln, "run", source, "x=f32[64]", "--device=sim", "-D", "N=1", "--cache-dir", cache]
# Kills are drawn in the time that the command takes.
times = {"tune": measure(tune(1, "--cache-dir", cache)), "merge": measure(merge), "lookup": measure(lookup)}
counts = {"tune": 0, "merge": 0, "lookup": 0}
number, tries = 2, 0
while sum(counts.values()) < kills:
    tries += 1
    if tries > 10 * kills + 10:
        fail(f"only {sum(counts.values())} of {tries - 1} commands were running when they were killed")
    kind = draw.choice(["tune", "tune", "merge", "lookup"])
    moment = draw.uniform(0, times[kind])
    before = read(store)
    if kind == "tune":
        counts[kind] += kill_after(tune(number, "--cache-dir", cache), moment, log)
        after = read(store)
        expect_kept(before, after, "a killed search")
        known = {row[1:3] for row in after if row[0] == "sample"}
        missing = {config for config in reported(log) if (f"N={number}\n", config) not in known}
        if missing:
            fail(f"a killed search had reported {sorted(missing)[:3]}, which the store does not have")
        is_stored = any(row[:2] == ("best", f"N={number}\n") for row in after)
        if is_stored and sum(fixed == f"N={number}\n" for fixed, _ in known) == len(STEPS):
            number += 1  # this problem is complete
    elif kind == "merge":
        for end in ("", "-wal", "-shm"):
            if os.path.exists(target + end):
                os.remove(target + end)
        counts[kind] += kill_after(merge, moment, log)
        after = read(target)
        if after and after != before:
            fail(f"a killed merge has {len(after)} of {len(before)} rows")
        measure(merge)
        if read(target) != before:
            fail("a merge after a killed one has other rows")
    else:
        writer = subprocess.Popen(tune(number, "--cache-dir", cache), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        counts[kind] += kill_after(lookup, moment, log)
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        expect_kept(before, read(store), "a killed lookup next to a killed search")

# The rest of the last problem, and what a lookup says.
measure(tune(number, "--cache-dir", cache))
final = read(store)
for n in range(1, number + 1):
    if sum(row[0] == "sample" and row[1] == f"N={n}\n" for row in final) != len(STEPS):
        fail(f"problem {n} is incomplete")
    if ("best", f"N={n}\n", "", 0, 0.0) not in final:
        fail(f"problem {n} has no result")
shutil.rmtree(cache)
print(f"{sum(counts.values())} commands killed while they ran "
      f"({counts['tune']} searches, {counts['merge']} merges, {counts['lookup']} lookups): nothing lost")
