# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the library's symbols, Debian's HIP header, the tests and docs/hip-api.md against runtime/hip_sim/hip_api.def."""
import argparse
import os
import re
import subprocess
import sys

ROW = re.compile(r'^HIP_(DONE|UNSUPPORTED)\(([\d.]+), ([^,]*), (\w+), \((.*)\), "([^"]*)", "([^"]*)"\)$')
# The table has the newest prototype. These were declared otherwise in HIP 5.2; a program passes the same registers.
CHANGED = {
    "hipMemcpyHtoD": "the source became const",
    "hipMemcpyHtoDAsync": "the source became const",
    "hipCtxGetApiVersion": "the version became unsigned",
    "hipGraphKernelNodeGetAttribute": "types were renamed",
    "hipGraphKernelNodeSetAttribute": "types were renamed",
}
# In C, HIP 5.2 has these as tags only.
TAGS = """typedef struct hipResourceViewDesc hipResourceViewDesc; typedef enum hipLimit_t hipLimit_t;
typedef enum hipTextureAddressMode hipTextureAddressMode; typedef enum hipTextureFilterMode hipTextureFilterMode;
"""
MARK = "<!-- From here on the page is printed by test/lit/hip/Inputs/hip_api.py --write -->\n"


def read_table(path):
    rows = []
    for number, line in enumerate(open(path), 1):
        if line.startswith("HIP_"):
            match = ROW.match(line)
            if not match:
                sys.exit(f"{path}:{number}: this row is not understood")
            rows.append(match.groups())
    return rows


def exported(library):
    text = subprocess.run(["readelf", "-W", "--dyn-syms", library], capture_output=True, text=True, check=True).stdout
    found = {}
    for line in text.splitlines():
        fields = line.split()
        if len(fields) == 8 and fields[6] != "UND" and "@@hip_" in fields[7] and fields[3] == "FUNC":
            name, version = fields[7].split("@@hip_")
            found[name] = version
    return found


def declared(header_text):
    """Names of the functions that C sees."""
    text = re.sub(r"__attribute__\(\((?:[^()]|\([^()]*\))*\)\)", "", header_text)
    return set(re.findall(r"\b(_{0,2}hip\w+) ?\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\) ?;", re.sub(r"\s+", " ", text)))


def compare_header(rows, cc, complain):
    base = cc.split() + ["-x", "c", "-D__HIP_PLATFORM_AMD__", "-w"]
    include = "#include <hip/hip_runtime_api.h>\n"
    text = subprocess.run(base + ["-E", "-P", "-"], input=include, capture_output=True, text=True)
    if text.returncode:
        sys.exit("no hip/hip_runtime_api.h (Debian's libamdhip64-dev): " + text.stderr[:300])
    names = declared(text.stdout)
    by_name = {row[3]: row for row in rows}
    for name in sorted(names - set(by_name)):
        complain(f"{name}: declared by the header, and in no row")
    # A second declaration that differs is an error; on lines of their own, so that the error's line names the function.
    same = [by_name[name] for name in sorted(names & set(by_name)) if name not in CHANGED]
    source = include + TAGS + "".join(f"{result} {name}({parameters});\n" for _, _, result, name, parameters, _, _ in same)
    checked = subprocess.run(base + ["-fsyntax-only", "-"], input=source, capture_output=True, text=True)
    for line in checked.stderr.splitlines():
        match = re.match(r"<stdin>:(\d+):\d+: error: (.*)", line)
        if match:
            number = int(match.group(1)) - 2 - TAGS.count("\n")
            name = same[number][3] if 0 <= number < len(same) else "?"
            complain(f"{name}: the header declares another prototype ({match.group(2)})")
    return len(same)


def check_tests(rows, source, complain):
    texts = {}
    for state, _, _, name, _, _, test in rows:
        if state != "DONE" or test == "hip-tests":
            continue
        path = f"{source}/test/unit/{test}.c"
        if test not in texts:
            texts[test] = open(path).read() if os.path.exists(path) else ""
        if not re.search(rf"\b{name}\b", texts[test]):
            complain(f"{name}: test/unit/{test}.c does not call it")


def page(rows):
    groups = {}
    for row in rows:
        groups.setdefault(row[5], []).append(row)
    out = ["| group | implemented | not implemented |\n|---|---|---|\n"]
    for group, mine in groups.items():
        there = [f"`{row[3]}`" for row in mine if row[0] == "DONE"]
        reason = {row[6] for row in mine if row[0] == "UNSUPPORTED" and row[6]}
        lacks = [f"`{row[3]}`" for row in mine if row[0] == "UNSUPPORTED"]
        why = f" ({'; '.join(sorted(reason))})" if reason else ""
        out.append(f"| {group} | {', '.join(there)} | {', '.join(lacks)}{why if lacks else ''} |\n")
    done = sum(row[0] == "DONE" for row in rows)
    out.append(f"\n{len(rows)} entry points: {done} implemented, {len(rows) - done} return `hipErrorNotSupported`.\n")
    return "".join(out)


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", default=os.path.join(here, "../../../.."))
    parser.add_argument("--table")
    parser.add_argument("--library")
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    rows = read_table(args.table or f"{args.source}/runtime/hip_sim/hip_api.def")
    path = f"{args.source}/docs/hip-api.md"
    head, _, body = open(path).read().partition(MARK)
    if args.write:
        open(path, "w").write(head + MARK + page(rows))
        return 0
    wrong = []
    symbols = exported(args.library)
    for _, version, _, name, _, _, _ in rows:
        if name not in symbols:
            wrong.append(f"{name}: not exported")
        elif symbols[name] != version:
            wrong.append(f"{name}: the library has it under hip_{symbols[name]}, the table says hip_{version}")
    for name in sorted(set(symbols) - {row[3] for row in rows}):
        if not name.startswith("_Z"):
            wrong.append(f"{name}: exported, and in no row")
    compared = compare_header(rows, args.cc, wrong.append)
    check_tests(rows, args.source, wrong.append)
    if body != page(rows):
        wrong.append("docs/hip-api.md is not what the rows say")
    print("\n".join(wrong + [f"{len(rows)} rows, {sum(r[0] == 'DONE' for r in rows)} done; {compared} prototypes compared"]))
    return 1 if wrong else 0


sys.exit(main())
