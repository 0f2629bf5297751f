# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# included.py PAGE.html NAME LINE TEXT: the page of a source that includes a file has that file, too: where Chromium is installed, the address of
# the line of the file chooses it in all panels, and no other line with its number.
import json
import re
import shutil
import subprocess
import sys
import tempfile

path, name, line, text = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
data = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', open(path).read(), re.S)[1])
assert [f["name"].rsplit("/")[-1] for f in data["files"]] == [name], data["files"]
assert text in data["files"][0]["text"].splitlines()[line - 1]
browser = shutil.which("chromium")
if browser:
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}", "--virtual-time-budget=5000",
                               "--enable-logging=stderr", "--dump-dom", f"file://{path}#{1000000 + line}"], capture_output=True, text=True, timeout=120)
    assert "CONSOLE" not in done.stderr, done.stderr
    panels = done.stdout.split('<section class="panel">')[1:]
    assert len(panels) == 4, len(panels)
    for panel in panels:
        chosen = re.findall(r'<div class="row[^"]*chosen.*?</div>', panel, re.S)
        assert chosen and (panel is not panels[0] or len(chosen) == 1 and text in chosen[0]), chosen
