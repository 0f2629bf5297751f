"""Checks a folder's files against the requirements of ROCprof Compute Viewer's reader, and reports what it would skip, warn of or draw wrongly.

    viewer.py FOLDER/

Written from reading ROCm/rocprof-compute-viewer at 0b29c3d6: src/data/json_emitter.cpp (filenames, occupancy, snapshots), src/code/codeload.cpp
(code.json) and src/data/wavemanager.cpp (a wave's file). Note that the viewer ignores most faults and shows less; here all are errors.
Prints how much it has checked; exit code 1 and the first fault of each file on stderr if there is one.
"""
import json
import os
import sys

KINDS, STATES = 16, 5  # of a token: an array of so many; of a wave: empty, idle, executes, waits, stalls
INT, SHORT = (1 << 31) - 1, (1 << 16) - 1


class Fault(Exception):
    pass


def demand(holds, what):
    if not holds:
        raise Fault(what)


def whole(value, most=(1 << 63) - 1, least=0):
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def number_of(key):
    demand(key.isascii() and key.isdigit(), f"'{key}' is no number")
    return int(key)


def load(folder, name):
    with open(os.path.join(folder, name)) as file:
        return json.load(file)


def code(folder, seen):
    """Numbers of the lines: what waves refer to."""
    data = load(folder, "code.json")
    demand(all(isinstance(name, str) for name in data["header"]), "header")
    lines = set()
    for row in data["code"]:
        demand(len(row) >= 10 and isinstance(row[0], str) and (row[3] is None or isinstance(row[3], str)), f"row {row}")
        demand(whole(row[2], INT) and row[2] not in lines, f"line number of {row}")
        demand(whole(row[6], INT) and all(whole(row[i]) for i in (4, 5, 7, 8, 9)), f"numbers of {row}")
        demand(row[8] <= row[7], f"stalls for longer than it takes: {row}")
        lines.add(row[2])
    seen["instructions of the code"] = len(lines)
    return lines


def waves(folder):
    """(name of its file, begin, end) of each."""
    data = load(folder, "filenames.json")
    demand(whole(data["gfxip"], INT) and isinstance(data["gfxv"], str), "gfxip, gfxv")
    demand(data["thread_trace"] is True and data["pc_sampling"] is False, "kind of trace")
    demand(all(isinstance(name, str) for name in data["counter_names"]), "counter_names")
    for engine, simds in data["wave_filenames"].items():
        for simd, places in simds.items():
            for place, found in places.items():
                for number, entry in found.items():
                    demand([number_of(key) <= INT for key in (engine, simd, place, number)] == [True] * 4, "key")
                    name, begin, end = entry
                    demand(isinstance(name, str) and whole(begin) and whole(end) and begin < end, f"{entry}")
                    # It looks for code.json beside the wave's file by cutting the path before its last "se".
                    demand(name.startswith("se") and name.rfind("se") == 0, f"code.json is not found from '{name}'")
                    yield name, begin, end


def wave(folder, name, begin, end, lines, seen):
    data = load(folder, name)["wave"]
    demand(whole(data["id"], INT) and data["begin"] == begin and data["end"] == end, "id, begin, end")
    demand(whole(data["cu"], INT) and whole(data["workgroup_id"], INT), "cu, workgroup_id")
    now = begin
    for clock, kind, stall, cycles, line in data["instructions"]:
        what = f"instruction at {clock}"
        demand(whole(clock) and clock >= now, f"{what} begins before the one before it is issued, or before the wave")
        demand(whole(kind, KINDS - 1, 1), f"{what}: no kind {kind}")
        demand(whole(stall, SHORT) and whole(cycles, INT) and stall <= cycles, f"{what}: stalls {stall} of {cycles}")
        demand(clock + cycles <= end, f"{what} ends after its wave")
        demand(line in lines, f"{what}: no line {line}")
        now = clock + cycles
        seen["instructions of waves"] += 1
    time = begin
    for state, cycles in data["timeline"]:
        demand(whole(state, STATES - 1) and whole(cycles, INT, 1), f"state {state} of {cycles} cycles")
        time += cycles
    demand(time <= end, "states last longer than the wave")
    for line, sources in data["waitcnt"]:
        demand(line in lines and all(source in lines and whole(count, INT) for source, count in sources), "waitcnt")
    demand(all(whole(value, INT) for value in data["info"].values()), "info")
    seen["waves"] += 1


def occupancy(folder, expected, seen):
    data = load(folder, "occupancy.json")
    names = {number_of(key): name for key, name in data["dispatches"].items()}
    demand(names and all(isinstance(name, str) and name for name in names.values()), "dispatches")
    starts, ends = [], []
    for key, rows in data.items():
        if key == "dispatches":
            continue
        number_of(key)
        for time, unit, simd, place, begins, kernel in rows:
            demand(whole(time) and all(whole(value, 255) for value in (unit, simd, place)), f"row at {time}")
            demand(begins in (0, 1) and kernel in names, f"row at {time}: begin or kernel")
            (starts if begins else ends).append(time)
    demand(sorted(starts) == sorted(begin for _, begin, _ in expected), "waves begin at other times than in filenames.json")
    demand(sorted(ends) == sorted(end for _, _, end in expected), "waves end at other times than in filenames.json")
    seen["changes of occupancy"] = len(starts) + len(ends)


def snapshots(node, folder):
    for value in node.values():
        demand(isinstance(value, (str, dict)), "neither a file nor a folder")
        if isinstance(value, str):
            demand(os.path.exists(os.path.join(folder, value)), f"no source {value}")
        else:
            snapshots(value, folder)


def main():
    folder, bad = sys.argv[1], False
    seen = {"waves": 0, "instructions of waves": 0}

    def part(name, look):
        nonlocal bad
        try:
            return look()
        except (Fault, OSError, KeyError, TypeError, ValueError, AttributeError) as fault:
            print(f"{name}: {fault!r}" if not isinstance(fault, Fault) else f"{name}: {fault}", file=sys.stderr)
            bad = True

    lines = part("code.json", lambda: code(folder, seen)) or set()
    expected = part("filenames.json", lambda: list(waves(folder))) or []
    for entry in expected:
        part(entry[0], lambda: wave(folder, *entry, lines, seen))
    part("occupancy.json", lambda: occupancy(folder, expected, seen))
    part("snapshots.json", lambda: snapshots(load(folder, "snapshots.json"), folder))
    known = {"code.json", "filenames.json", "occupancy.json", "snapshots.json"} | {name for name, _, _ in expected}
    part("folder", lambda: demand(set(os.listdir(folder)) <= known, f"nothing refers to {sorted(set(os.listdir(folder)) - known)}"))
    print(", ".join(f"{count} {what}" for what, count in seen.items()))
    return bad or not seen["waves"] or not seen["instructions of waves"]


if __name__ == "__main__":
    sys.exit(main())
