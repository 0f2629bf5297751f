# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tune_examples.py KILN SOURCE STORE BUDGET: tunes each kernel of compiler/verify/examples.def on its small sizes over the axes that it declares, without any
flag but its grid where it declares none; prints a line each. Combinations may not compile or fit, but all others must be right."""
import re
import subprocess
import sys

kiln, source, store, budget = sys.argv[1:]
GRIDS = {"attention": "cdiv(Q,BLOCK_M),H", "attention_keys": "cdiv(Q,BLOCK_N),H", "attention_queries": "cdiv(Q,BLOCK_M),H", "attention_gradients": "cdiv(Q,BLOCK_N),H", "fused_moe": "T*2/BLOCK_M*cdiv(1024,BLOCK_N)"}
table = open(source + "/compiler/verify/examples.def").read()
for row in re.findall(r"^EXAMPLE\((.*)\)$", table, re.M):
    file, kernel, rest = row.split(", ", 2)
    settings, small, _, grid, arguments = re.findall(r'"([^"]*)"', rest)
    text = open(f"{source}/examples/{file}.tile.c").read()
    before = text[: text.index(f"kernel void {kernel}(")].split("\n\n")[-1]
    axes = re.findall(r"\b(\w+) = [0-9]", " ".join(re.findall(r"tune\(.*", before)))
    fixed = dict(s.split("=") for s in settings.split())
    if kernel in GRIDS and "[[grid" not in before:
        grid = GRIDS[kernel]
    for name, value in (s.split("=") for s in small.split()):
        grid, arguments = (re.sub(rf"\b{name}\b(?!=)", value, t) for t in (grid, arguments))
    command = [kiln, "tune", f"{source}/examples/{file}.tile.c", "--kernel", kernel, "--device=sim", "--store", store, "--search=random", "--budget", budget, "--seed=1"]
    for name, value in fixed.items():
        if name not in axes and name != "num_warps":
            command += ["-D", f"{name}={value}"]
    if "[[grid" not in before:
        command += ["--grid", grid]
    run = subprocess.run(command + arguments.split(), capture_output=True, text=True)
    counts = re.search(r"(\d+) correct, (\d+) rejected or wrong", run.stdout)
    wrong = run.stderr.count(": wrong: ")
    if run.returncode or not axes or not counts or int(counts[1]) == 0 or wrong or "axes that the source declares" not in run.stderr:
        print("FAIL", kernel, run.stderr[-2000:])
    else:
        print("PASS", kernel)
