# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# layout_page.py KILN PAGE.html TYPE...: the page is complete in itself. Where Chromium is installed, its script draws all
# entries without errors, fits 800 pixels, and says of each element of the types, one by one and by keyboard, where kiln
# layout --view=elements says that it is.
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

kiln, path, types = sys.argv[1], sys.argv[2], sys.argv[3:]
text = open(path).read()
assert not re.search(r"(src|href)\s*=\s*[\"']?(https?:)?//|@import|url\(", text.split('<script id="data"')[0]), "fetches something"
data = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', text, re.S)[1])
assert data["entries"] and all(("layout" in e) != ("svg" in e) for e in data["entries"])
SCRIPT = """<script>
const told = [];
for (const section of document.querySelectorAll("section")) {
  const canvas = section.querySelector("canvas"), note = section.querySelector(".note"), one = [];
  if (!canvas) { told.push(section.querySelector("svg rect") ? "picture" : "none"); continue; }
  canvas.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true}));
  for (let last = ""; note.textContent !== last;) {
    one.push(last = note.textContent);
    canvas.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true}));
  }
  const box = canvas.getBoundingClientRect();
  canvas.dispatchEvent(new MouseEvent("mousemove", {clientX: box.left + 1, clientY: box.top + 1, bubbles: true}));
  if (note.textContent !== one[0]) one.push("the mouse shows " + note.textContent);
  told.push(one);
}
document.body.dataset.width = document.documentElement.scrollWidth;
document.body.append(Object.assign(document.createElement("script"), {id: "told", type: "application/json", textContent: JSON.stringify(told)}));
</script></body>"""
browser = shutil.which("chromium")
if not browser:
    sys.exit()
for dark in (False, True):
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "page.html")
        open(page, "w").write(text.replace("</body>", SCRIPT))
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile", "--window-size=800,900",
                   "--virtual-time-budget=5000", "--enable-logging=stderr", "--dump-dom", f"file://{page}"]
        if dark:
            command.insert(1, "--blink-settings=preferredColorScheme=0")
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert "CONSOLE" not in done.stderr, done.stderr
    assert 'data-ready="yes"' in done.stdout, "the script did not end"
    assert int(re.search('data-width="([0-9]+)"', done.stdout)[1]) <= 800, "wider than the window"
    told = json.loads(re.search(r'<script id="told" type="application/json">(.*?)</script>', done.stdout, re.S)[1])
assert len(told) == len(data["entries"]) and "none" not in told, told
for entry, one in zip(data["entries"], told):
    type = entry["title"].split("  //")[0]
    if "layout" not in entry or (types and type not in types):
        continue
    printed = subprocess.run([kiln, "layout", "--view=elements", type], capture_output=True, text=True, check=True).stdout.splitlines()[1:]
    cells = [cell for row in printed for cell in row.split() if not row.lstrip().startswith("from")]
    assert len(cells) == len(one), (type, len(cells), len(one), one[-1])
    for cell, note in zip(cells, one):
        if entry["layout"]["lds"]:
            place = int(cell)
            assert note.endswith(f": offset {place}, bank {place * entry['layout']['bits'] // 32 % 32}"), (cell, note)
        else:
            holders = [f"thread {t} (warp {t // 64}, lane {t % 64}), register {r}" for t, r in (map(int, h[1:].split(":")) for h in re.split("[|]", cell))]
            assert note.split(": ", 1)[1].split("; and ")[0].split("; ") == holders[:4], (cell, note)
