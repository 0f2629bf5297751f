# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# tune_page.py PAGE.html: the page of a search is complete in itself; where Chromium is installed, its script runs without errors, in light
# and dark, at 400 and 1400 pixels, and sorts, filters and draws what the address says and what keys choose.
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

path = sys.argv[1]
text = open(path).read()
assert not re.search(r"(src|href)\s*=\s*[\"']?(https?:)?//|@import|url\(", text.split('<script id="data"')[0]), "fetches something"
assert not re.search(r"@(STYLE|SCRIPT|DATA)@", text), "a place is left"
data = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', text, re.S)[1])
samples = data["samples"]
good = [s for s in samples if s["verdict"] == "ok"]
tried = [s for s in samples if s["verdict"] != "untried"]
assert data["command"].startswith("kiln tune ") and "'x=f32[n]:iota'" in data["command"], data["command"]
assert sorted(s["order"] for s in tried) == list(range(len(tried))), "the order of the samples"
assert all((s["cost"] is not None) == (s["verdict"] == "ok") for s in samples)
assert not good or min(s["cost"] for s in good) == next(s["cost"] for s in good if s["config"] == data["best"])
own = [s for s in good if not s["same_as"]]
assert [w["config"] for w in data["winners"]] == [s["config"] for s in sorted(own, key=lambda s: s["cost"])][: len(data["winners"])]
assert len(data["winners"]) == min(4, len(own)) and all(k["prediction"]["microseconds"] > 0 for w in data["winners"] for k in w["kernels"])
assert all(s["model"] is None or s["model"] > 0 for s in samples)
estimated = [s for s in good if s["model"]]


def draw(width, dark, state, page_path=path):
    browser = shutil.which("chromium")
    if not browser:
        return None
    with tempfile.TemporaryDirectory() as profile:
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}", f"--window-size={width},900",
                   "--virtual-time-budget=5000", "--enable-logging=stderr", "--dump-dom", f"file://{page_path}#{urllib.parse.urlencode(state)}"]
        if dark:
            command.insert(1, "--blink-settings=preferredColorScheme=0")
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert "CONSOLE" not in done.stderr, done.stderr
    page = done.stdout.split('<script id="data"')[0]
    assert 'data-ready="yes"' in done.stdout, "the script did not end"
    values = page.replace(os.path.dirname(path), "")  # a path may hold any word
    assert "NaN" not in values and "undefined" not in values, "a value is missing"
    body = re.search(r'<table id="samples">.*?<tbody>(.*?)</tbody>', page, re.S)[1]
    return page, [re.sub(r"<[^>]*>", "|", row) for row in body.split("</tr>")[:-1]]


for width, dark in ((1400, False), (400, True)):
    drawn = draw(width, dark, {})
    if not drawn:
        continue
    page, rows = drawn
    assert page.count("<article") == len(data["findings"]) and all(re.sub("[<>&'].*", "", f["seen"]) in html.unescape(page) for f in data["findings"])
    convergence = page.split('id="convergence"')[1].split("</section>")[0]
    assert len(rows) == len(samples) and convergence.count("<circle") == len(good)
    assert page.count("<option") == 2 * len(data["axes"]) + 5 + 3
    lines = page.split('id="parallel"')[1].split("</section>")[0]
    assert lines.count('class="shown"') == len(good) and 'class="hidden"' not in lines
    ticks = sum(len(axis["values"]) for axis in data["axes"])
    assert not good or (lines.count('tabindex="0"') == ticks and lines.count('role="button"') == ticks and 'aria-pressed="true"' not in lines)
    roofline = page.split('id="roofline"')[1].split("</section>")[0]
    worked = [k for w in data["winners"] for k in w["kernels"] if k["prediction"]["flops"] > 0 and k["prediction"]["hbm_bytes"] > 0]
    assert roofline.count("<circle") == len(worked) and roofline.count("of the roof") == len(worked)
    model = page.split('id="model"')[1].split("</section>")[0]
    assert model.count("<circle") == len(estimated) and ("no costs were estimated by a model" in model) == (not estimated)
    if good:
        assert page.count('<tr class="best">') == 1
    for s in samples:  # every reason is shown
        assert not s["reason"] or re.sub("[<>&].*", "", s["reason"]) in page
if shutil.which("chromium"):
    axis = data["axes"][-1]
    page, rows = draw(1000, False, {"sort": axis["name"], "descending": "1", "filter": axis["name"] + "=" + axis["values"][0], "across": 0})
    wanted = [s for s in samples if s["settings"][axis["name"]] == axis["values"][0]]
    assert len(rows) == len(wanted), (len(rows), len(wanted))
    assert f'aria-sort="descending"><button>{axis["name"]}<' in page
    assert f'{len(wanted)} of {len(samples)}' in page
    if good:
        lines = page.split('id="parallel"')[1].split("</section>")[0]
        assert lines.count('aria-pressed="true"') == 1 and lines.count('class="shown"') == len([s for s in wanted if s in good])
        # Enter on a value filters by it, and once more no longer.
        for times in 1, 2:
            with tempfile.NamedTemporaryFile("w", suffix=".html") as pressed:
                press = "document.querySelector('.tick').dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter'}));"
                pressed.write(text.replace("</body>", f"<script>{press * times}</script></body>"))
                pressed.flush()
                page, rows = draw(1000, False, {}, pressed.name)
                axis = data["axes"][0]
                same = [s for s in samples if s["settings"][axis["name"]] == axis["values"][0]]
                assert len(rows) == len(same if times == 1 else samples), (times, len(rows))
        page, rows = draw(1000, False, {"verdict": "ok", "level": "l2"})
        assert "operations per byte of L2" in page or "no " in page.split('id="roofline"')[1]
        costs = [int(re.sub(r"\D", "", row.split("|")[2])) for row in rows]
        assert costs == sorted(costs) and len(costs) == len(good), costs
