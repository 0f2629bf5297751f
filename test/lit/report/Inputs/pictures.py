# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# pictures.py PAGE.html DATA.json GOLDEN.txt: where Chromium is installed, draws the pictures of a report with fixed data, in light and dark, and
# compares screenshots of them with the golden ones.
#
# Fonts differ between machines, so text is invisible and each picture has a place of fixed size; what is left are shapes, positions and colours.
# A screenshot is compared by cells of 14 x 14 pixels. The golden file has their average colours, 16 levels a channel, and whether there is anything
# but background. Two cells in a hundred may differ, in a colour by more than two levels or in the latter: browsers smooth edges differently.
# KILN_UPDATE=1 writes the golden file.
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

path, data_path, golden_path = sys.argv[1:]
CELL, WIDTH, HEIGHT, INK = 14, 420, 280, 32
PICTURES = ["roofline", "memory", "stalls", "lds", "waves", "layout of a tile", "layout of a buffer", "gain"]
STYLE = """<style>
* { color: transparent !important; }
svg text { visibility: hidden; }
.shot { position: absolute; left: 0; width: WIDTHpx; height: HEIGHTpx; overflow: hidden; background: var(--back); }
.shot svg, .shot canvas { width: WIDTHpx; height: HEIGHTpx; max-width: none; }
.shot .bar { height: 20px; grid-template-columns: 100px 250px 50px; }
.shot .bar > span { overflow: hidden; white-space: nowrap; height: 10px; }
</style>
""".replace("WIDTH", str(WIDTH)).replace("HEIGHT", str(HEIGHT))
ISOLATE = """<script>
const layoutOf = name => {
  const panel = panels.find(p => p.name === "Stage");
  panel.at = panel.lines.findIndex(l => l.text.trim().startsWith(name)) - 1;
  panel.body.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowDown", bubbles: true, cancelable: true}));
  const canvas = byId("layout").querySelector("canvas"), copy = element("canvas", {width: canvas.width, height: canvas.height});
  copy.getContext("2d").drawImage(canvas, 0, 0);
  return copy;
};
const shots = [...["roofline", "memory", "stalls", "lds", "waves"].map(id => byId(id).querySelector("svg") || byId(id)), layoutOf("%tile"), layoutOf("%buffer"),
  document.querySelector("#findings .gain")];
document.body.replaceChildren(...shots.map((shot, i) => {
  const box = element("div", {className: "shot"}, shot);
  box.style.top = i * HEIGHT + "px";
  return box;
}));
document.body.style.margin = document.body.style.padding = 0;
</script>""".replace("HEIGHT", str(HEIGHT))


def pixels(png):
    """The rows of a PNG file without interlacing, 8 bits a channel: lists of (red, green, blue)."""
    at, idat = 8, b""
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at:at + 8])
        body = png[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", body)
        idat += body if kind == b"IDAT" else b""
        at += 12 + length
    assert depth == 8 and colour in (2, 6) and not interlaced
    step = 4 if colour == 6 else 3
    raw, before, rows = zlib.decompress(idat), bytearray(width * step), []
    for y in range(height):
        kind, line = raw[y * (width * step + 1)], bytearray(raw[y * (width * step + 1) + 1:(y + 1) * (width * step + 1)])
        for x in range(width * step):
            left, up, corner = line[x - step] if x >= step else 0, before[x], before[x - step] if x >= step else 0
            if kind == 1:
                line[x] = line[x] + left & 255
            elif kind == 2:
                line[x] = line[x] + up & 255
            elif kind == 3:
                line[x] = line[x] + (left + up) // 2 & 255
            elif kind == 4:
                p = left + up - corner
                line[x] = line[x] + min((abs(p - left), 0, left), (abs(p - up), 1, up), (abs(p - corner), 2, corner))[2] & 255
        rows.append([tuple(line[x:x + 3]) for x in range(0, width * step, step)])
        before = line
    return rows


def shoot(browser, dark, folder):
    page, shot = os.path.join(folder, "page.html"), os.path.join(folder, "shot.png")
    text = open(path).read()
    place = re.search(r'(<script id="data" type="application/json">)(.*?)(</script>)', text, re.S)
    data = open(data_path).read().replace("<", "\\u003c")
    open(page, "w").write((text[:place.start(2)] + data + text[place.end(2):])
                          .replace("</head>", STYLE + "</head>", 1).replace("</body>", ISOLATE + "</body>"))
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-device-scale-factor=1", "--force-color-profile=srgb",
               f"--user-data-dir={folder}/profile", f"--window-size={max(WIDTH, 500)},{HEIGHT * len(PICTURES)}", "--virtual-time-budget=5000",
               "--enable-logging=stderr", f"--screenshot={shot}", f"file://{page}"]
    if dark:
        command.insert(1, "--blink-settings=preferredColorScheme=0")
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert "CONSOLE" not in done.stderr, done.stderr
    return pixels(open(shot, "rb").read())


def cells(rows, index):
    """Of each cell of a picture, the average colour as three hexadecimal digits, and "-" or "i" for ink: a pixel that is not background."""
    made, back = [], rows[(index + 1) * HEIGHT - 1][WIDTH - 1]
    for y in range(index * HEIGHT, (index + 1) * HEIGHT, CELL):
        line = ""
        for x in range(0, WIDTH, CELL):
            block = [rows[y + j][x + i] for j in range(CELL) for i in range(CELL)]
            line += "".join(f"{round(sum(p[c] for p in block) / len(block) / 17):x}" for c in range(3))
            line += "i" if any(max(abs(p[c] - back[c]) for c in range(3)) > INK for p in block) else "-"
        made.append(line)
    return made


def differs(a, b):
    return a[3] != b[3] or max(abs(int(x, 16) - int(y, 16)) for x, y in zip(a[:3], b[:3])) > 2


def split(line):
    return [line[i:i + 4] for i in range(0, len(line), 4)]


browser = shutil.which("chromium")
drawn = {}
for mode in ("light", "dark") if browser else ():
    with tempfile.TemporaryDirectory() as folder:
        rows = shoot(browser, mode == "dark", folder)
    for i, name in enumerate(PICTURES):
        drawn[f"{name}, {mode}"] = cells(rows, i)
if browser and os.environ.get("KILN_UPDATE"):
    open(golden_path, "w").write("".join(f"# {name}\n" + "\n".join(lines) + "\n" for name, lines in drawn.items()))
golden, name = {}, None
for line in open(golden_path).read().splitlines():
    if line.startswith("#"):
        name = line[2:]
        golden[name] = []
    else:
        golden[name].append(line)
assert [f"{n}, {m}" for m in ("light", "dark") for n in PICTURES] == list(golden)
wrong = []
for name, lines in drawn.items():
    differing = [[differs(*pair) for pair in zip(split(a), split(b))] for a, b in zip(lines, golden[name])]
    count = sum(sum(row) for row in differing)
    if count > 2 * (WIDTH // CELL) * (HEIGHT // CELL) // 100:
        wrong.append(name)
        print(f"{name}: {count} cells differ")
        print("\n".join("".join("#" if cell else "." for cell in row) for row in differing))
    assert any("i" in line for line in lines), name + " is empty"
print(len(drawn), "pictures,", len(wrong), "with other shapes or colours")
sys.exit(bool(wrong))
