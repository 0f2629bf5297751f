# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# page.py PAGE.html LINE [compiled|profiled]: the page is complete in itself and has all parts; where Chromium is installed, its script runs without
# errors, in light and dark, at 400 and 1400 pixels, and the address PAGE.html#LINE chooses that line in source and instructions.
import json
import re
import shutil
import subprocess
import sys
import tempfile

path, line, how = sys.argv[1], int(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else "launched"
launched, has_stages = how != "compiled", how != "profiled"
text = open(path).read()
assert not re.search(r"(src|href)\s*=\s*[\"']?(https?:)?//|@import|url\(", text.split('<script id="data"')[0]), "fetches something"
data = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', text, re.S)[1])
assert data["source"]["text"].splitlines()[line - 1] 
if launched:
    assert data["lines"] and data["prediction"]["microseconds"] > 0
else:
    assert "prediction" not in data and "lines" not in data
kinds = [stage["kind"] for stage in data["stages"]]
assert not has_stages or kinds.count("mlir") > 3 and kinds.count("llvm") >= 1 and kinds.count("asm") == 1, kinds
assert all(a["text"] != b["text"] for a, b in zip(data["stages"], data["stages"][1:]))

browser = shutil.which("chromium")
for width, dark in ((1400, False), (400, False), (1400, True), (400, True)) if browser else ():
    with tempfile.TemporaryDirectory() as profile:
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}", f"--window-size={width},900",
                   "--virtual-time-budget=5000", "--enable-logging=stderr", "--dump-dom", f"file://{path.replace('#', '%23')}#{line}"]
        if dark:
            command.insert(1, "--blink-settings=preferredColorScheme=0")
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert "CONSOLE" not in done.stderr, done.stderr
    page = done.stdout
    assert 'data-ready="yes"' in page, "the script did not end"
    assert page.count("<article") == len(data["findings"])
    panels = page.split('<section class="panel">')[1:]
    assert len(panels) == (4 if has_stages else 2) and [len(re.findall('class="row[^"]*chosen', panel)) for panel in panels][0] == 1
    assert re.search('class="row[^"]*chosen', panels[1]), "no instruction or operation of the line is chosen"
    assert launched or "compiled, not launched" in page and re.search('class="row[^"]*chosen', panels[3]), "no assembly of the line is chosen"
    assert ('class="alive peak"' in panels[0]) == has_stages, "registers by line"
    buffers = [l for l in data.get("lds", []) if l.startswith("buffer ")]
    assert page.split('<script id="data"')[0].count('class="buffer"') == len(buffers)
    assert ('class="placed"' in page) == any("loop.fences" in stage["text"] or "tt.scheduled_max_stage" in stage["text"] for stage in data["stages"])
    assert "NaN" not in page.split('<script id="data"')[0], "a number is missing"
