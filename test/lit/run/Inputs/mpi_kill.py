# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# mpi_kill.py STORE COMMAND...: kills rank 2 of a group when five candidates have been tried, and checks that the stores have all that was
# reported. A group that does not end within ten minutes is ended, and an error.
import glob
import os
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time

store, command = sys.argv[1], sys.argv[2:]


def environment(pid):
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return dict(pair.split(b"=", 1) for pair in file.read().split(b"\0") if b"=" in pair)
    except OSError:
        return {}


def parent(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return int(file.read().rsplit(")", 1)[1].split()[1])
    except (OSError, IndexError):
        return 0


def rank_process(root, rank):
    """The process of a rank among the children of mpirun."""
    for pid in (int(name) for name in os.listdir("/proc") if name.isdigit()):
        if parent(pid) == root and environment(pid).get(b"OMPI_COMM_WORLD_RANK") == str(rank).encode():
            return pid
    return 0


mpirun = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
watchdog = threading.Timer(600, mpirun.terminate)
watchdog.daemon = True
watchdog.start()
reported = set()
killed = 0
for line in mpirun.stderr:
    if match := re.match(r"^\[\d+/\d+\] ([^:]*): ok, ", line):
        reported.add(match.group(1))
    if len(reported) == 5 and not killed:
        killed = rank_process(mpirun.pid, 2)
        if not killed:
            sys.exit("mpi_kill.py: there is no rank 2")
        os.kill(killed, signal.SIGKILL)
code = mpirun.wait()
if not watchdog.is_alive():
    sys.exit("mpi_kill.py: the group did not end")
watchdog.cancel()
print(f"killed rank 2, mpirun ended with {code}")
time.sleep(0.2)  # the other ranks end
found = set()
for path in glob.glob(glob.escape(store) + "*"):
    if path != store and not re.fullmatch(re.escape(store) + r"\.rank\d+", path):
        continue
    base = sqlite3.connect(path, timeout=60)
    if base.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
        sys.exit(f"mpi_kill.py: {path} is damaged")
    if base.execute("SELECT count(*) FROM sqlite_master WHERE name = 'samples'").fetchone()[0]:
        found |= {config for (config,) in base.execute("SELECT config FROM samples")}
    base.close()
if reported - found:
    sys.exit(f"mpi_kill.py: lost {sorted(reported - found)}")
print(f"kept {len(reported)} reported samples of {len(found)}")
