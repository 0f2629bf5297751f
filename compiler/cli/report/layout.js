// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pictures of layouts from their basis vectors: the element at a place is the XOR of the vectors of the place's bits.
const warpColours = ["#f6c66a", "#9bd3f2", "#7fcfb4", "#f4ec9a", "#8fb8dd", "#eda57c", "#e3aecb", "#cfcfcf"];
// Draws a layout into a canvas of at most this size. `places` has the holders of each element, in order: {t, r}.
function drawLayout(l, width = 540, height = 420) {
  const bits = l.shape.reduce((a, b) => a + b, 0), last = l.shape.length === 1 ? Math.min(6, l.shape[0]) : l.shape[l.shape.length - 1] || 0, columns = 1 << last, rows = 1 << (bits - last);
  const at = (vectors, n) => vectors.reduce((x, v, i) => n >> i & 1 ? x ^ v : x, 0), registers = 1 << l.register.length;
  const cells = new Array(rows * columns), places = Array.from(cells, () => []);
  for (let t = 0; t < 1 << (l.lane.length + l.warp.length); t++) {
    const base = at(l.lane, t & (1 << l.lane.length) - 1) ^ at(l.warp, t >> l.lane.length);
    for (let n = 0; n < registers; n++) {
      const i = base ^ at(l.register, n), r = l.gaps.reduce((offset, [interval, pad]) => offset + Math.floor(n / interval) * pad, n);
      if (!cells[i]) cells[i] = {t, r};
      places[i].push({t, r});
    }
  }
  const cell = Math.max(1, Math.min(width > 540 ? 26 : 18, Math.floor(width / columns), Math.floor(height / rows))), ratio = Math.min(3, devicePixelRatio || 1);
  const canvas = element("canvas", {width: columns * cell * ratio, height: rows * cell * ratio});
  canvas.style.width = columns * cell + "px";
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", "layout");
  const draw = canvas.getContext("2d"), runs = [];
  draw.scale(ratio, ratio);
  draw.font = "9px sans-serif";
  draw.textBaseline = "middle";
  const bank = c => Math.floor(c.r * Math.max(8, l.bits) / 32) % 32, group = c => l.lds ? bank(c) : c.t;
  for (let y = 0; y < rows; y++) for (let x = 0, end; x < columns; x = end) {
    const first = cells[y * columns + x];
    for (end = x + 1; first && end < columns && cells[y * columns + end] && group(cells[y * columns + end]) === group(first) &&
      cells[y * columns + end].r === first.r + end - x; end++);
    if (!first) continue;
    runs.push(end - x);
    draw.fillStyle = l.lds ? `hsl(210 30% ${92 - 2 * bank(first)}%)` : warpColours[(first.t >> l.lane.length) % 8];
    draw.fillRect(x * cell, y * cell, (end - x) * cell, cell);
    if (!l.lds && first.t === 0) { draw.fillStyle = "rgba(0,0,0,.55)"; draw.fillRect(x * cell, y * cell, (end - x) * cell, cell); }
    if (cell >= 4) { draw.strokeStyle = "rgba(0,0,0,.35)"; draw.strokeRect(x * cell + .5, y * cell + .5, (end - x) * cell - 1, cell - 1); }
    const label = l.lds ? String(first.r) : `T${first.t}:${first.r}`;
    draw.fillStyle = (l.lds ? bank(first) > 16 : first.t === 0) ? "#fff" : "#000";
    if (cell >= 10 && (end - x) * cell >= 6 * label.length) draw.fillText(label, x * cell + 2, y * cell + cell / 2, (end - x) * cell - 3);
  }
  return {canvas, run: runs.reduce((a, b) => Math.max(a, b), 1), registers, rows, columns, cell, places, bank};
}
// The basis vectors as text, as kiln layout prints them.
const vectorsOf = l => [[l.lds ? "offset" : "register", l.register], ["lane", l.lane], ["warp", l.warp]].filter(v => v[1].length)
  .map(([title, v]) => title + " " + v.map(x => x ? coordinates(l, x) : "copy").join(" "))
  .concat(l.gaps.map(([interval, pad]) => `gap ${pad} after each ${interval}`)).join("\n");
const holdingOf = (l, drawn) => l.lds ? "offsets in LDS; shades are banks" : `${1 << l.warp.length} warps, by colour; dark: thread 0; a thread holds ` +
  `${drawn.registers} elements, ` + (drawn.run > 1 ? `${drawn.run} next to each other` : "none of them next to each other");
const coordinates = (l, flat) => "(" + l.shape.map((b, d) => flat >> l.shape.slice(d + 1).reduce((x, y) => x + y, 0) & (1 << b) - 1).join(",") + ")";
