// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses a report (clicks.py) and leaves the number of checks, or the first that failed, in the page.
"use strict";
let checks = 0;
const expect = (is, what) => { checks++; if (!is) throw new Error(what); };
const key = (target, name) => target.dispatchEvent(new KeyboardEvent("keydown", {key: name, bubbles: true, cancelable: true}));
const click = target => target.dispatchEvent(new MouseEvent("click", {bubbles: true}));
const chosenIn = panel => panel.rows.filter(r => r.classList.contains("chosen"));
const isVisible = (row, body) => {
  const r = row.getBoundingClientRect(), b = body.getBoundingClientRect();
  return r.top >= b.top - 1 && r.bottom <= b.bottom + 1;
};
const lineNow = () => +document.body.dataset.line;
const luminance = colour => {
  const [r, g, b] = colour.match(/[\d.]+/g).map(x => x / 255).map(x => x <= .03928 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4);
  return .2126 * r + .7152 * g + .0722 * b;
};
const contrast = (a, b) => (Math.max(a, b) + .05) / (Math.min(a, b) + .05);

function linesOf(panel) {
  return [...new Set(panel.lines.map(l => l.line).filter(l => l > 0))];
}
function tests() {
  const source = panels[0];
  // Every panel that has code of a line leads to the source, and the source to it.
  for (const panel of panels.slice(1)) {
    const lines = linesOf(panel);
    expect(lines.length > 1, panel.name + " has no lines of the source");
    for (const line of [lines[0], lines[lines.length - 1]]) {
      const i = panel.lines.map(l => l.line).lastIndexOf(line);
      click(panel.rows[i]);
      expect(lineNow() === line && chosenIn(source).length === 1, "a click in " + panel.name);
      expect(chosenIn(source)[0] === source.rows[line - 1], "the line of " + panel.name);
      expect(isVisible(chosenIn(source)[0], source.body), "the source scrolls to the line of " + panel.name);
      expect(panel.rows[i].classList.contains("here"), "the row that was clicked");
      click(source.rows[line - 1]);
      expect(chosenIn(panel).length === panel.lines.filter(l => l.line === line).length, "all rows of a line in " + panel.name);
      expect(chosenIn(panel).some(r => isVisible(r, panel.body)), panel.name + " scrolls to the line");
    }
  }
  // Keys.
  click(source.rows[0]);
  key(source.body, "ArrowDown");
  expect(source.rows[1].classList.contains("here") && lineNow() === 2, "arrow down");
  key(source.body, "ArrowUp");
  key(source.body, "ArrowUp");
  expect(lineNow() === 1, "arrow up stays at the first line");
  key(source.body, "PageDown");
  expect(lineNow() === Math.min(21, source.lines.length), "page down");
  expect([...document.querySelectorAll(".code")].every(c => c.tabIndex === 0), "panels take the focus");
  // A line without code chooses nothing elsewhere.
  click(source.rows[0]);
  expect(panels.slice(1).every(p => !chosenIn(p).length), "a comment has no code");
  // Stages.
  const select = document.querySelector("select");
  if (select) {
    const panel = panels.find(p => p.name === "Stage"), line = linesOf(panel)[0];
    click(panel.rows[panel.lines.findIndex(l => l.line === line)]);
    for (let i = 0; i < select.options.length; i++) {
      select.value = i;
      select.dispatchEvent(new Event("change"));
      expect(panel.rows.length === stageLines(i).length, "stage " + i);
      expect(lineNow() === line && chosenIn(panel).length === panel.lines.filter(l => l.line === line).length, "the line stays chosen in stage " + i);
    }
  }
  // Rows of stages have the heat of their line.
  if (select && report.lines) {
    const panel = panels.find(p => p.name === "Stage"), hot = panel.lines.filter(l => l.ofLine >= .0005);
    expect(hot.length > 5 && hot.every(l => Math.abs(l.ofLine - source.lines[l.line - 1].share) < 1e-9), "the heat of stages");
    expect(panel.rows[panel.lines.indexOf(hot[0])].querySelector(".share").style.background !== "", "shaded rows");
  }
  // A value of ttg shows its layout, by mouse and by keyboard.
  const card = byId("layout");
  if (select) {
    select.value = stages.map(s => s.kind).lastIndexOf("mlir");
    select.dispatchEvent(new Event("change"));
    const panel = panels.find(p => p.name === "Stage"), spans = [...panel.body.querySelectorAll(".value")];
    expect(spans.length > 50, spans.length + " values have layouts");
    expect(card.hidden, "no layout at first");
    for (const lds of [false, true]) {
      const span = spans.find(s => panel.values[s.textContent].layout.lds === lds);
      if (!span) continue;
      const value = panel.values[span.textContent], l = value.layout;
      span.dispatchEvent(new MouseEvent("mouseenter"));
      expect(!card.hidden && card.querySelector("h3").textContent === span.textContent, "the layout of " + span.textContent);
      expect(card.textContent.includes(value.type) && card.textContent.includes(lds ? "offset (0" : "lane ("), card.textContent);
      const canvas = card.querySelector("canvas"), pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
      const colours = new Set();
      for (let i = 0; i < pixels.length; i += 4) colours.add(pixels[i] << 16 | pixels[i + 1] << 8 | pixels[i + 2]);
      expect(colours.size >= (lds ? 16 : 1 + l.warp.filter(x => x).length), colours.size + " colours");
      const box = card.getBoundingClientRect();
      expect(box.left >= 0 && box.right <= innerWidth && box.top >= 0, "the layout is in the window");
      span.dispatchEvent(new MouseEvent("mouseleave"));
      expect(card.hidden, "the layout goes");
    }
    panel.at = panel.lines.findIndex(l => /^\s*%\S+ = tt\.load/.test(l.text)) - 1;
    key(panel.body, "ArrowDown");
    expect(!card.hidden, "a row's layout by keyboard");
    key(document.body, "Escape");
    expect(card.hidden, "escape hides the layout");
  }
  // Findings lead to lines, and so do the pictures.
  const links = [...document.querySelectorAll("#findings a")];
  links.forEach(a => { click(a); expect("line " + lineNow() === a.textContent, "a finding's link"); });
  const buffer = document.querySelector("rect.buffer");
  if (buffer) {
    click(source.rows[0]);
    key(buffer, "Enter");
    expect(lineNow() > 1, "a buffer's line");
  }
  const runs = [...document.querySelectorAll("rect.run")], note = byId("waves-note");
  expect((runs.length > 0) === !!report.waves, "the timeline of waves");
  if (runs.length) {
    const chart = document.querySelector("#waves svg"), before = note.textContent;
    click(runs[runs.length >> 1]);
    expect(note.textContent !== before && /cycles \d+ to \d+: /.test(note.textContent), "a part of a wave: " + note.textContent);
    const at = note.textContent;
    key(chart, "ArrowLeft");
    expect(note.textContent !== at, "arrow left in the timeline");
    key(chart, "ArrowRight");
    expect(note.textContent === at, "arrow right in the timeline");
    for (let i = 0; i < 500; i++) key(chart, "ArrowLeft");
    const first = waves.findIndex(w => note.textContent.startsWith(w.name + ","));
    expect(note.textContent.includes(`cycles ${wavesTime.begin} to`), "the first part: " + note.textContent);
    key(chart, "ArrowDown");
    expect(note.textContent.startsWith(waves[Math.min(waves.length - 1, first + 1)].name), "arrow down in the timeline");
    expect(waves.every(w => w.parts === wavesTime.parts), "parts of the time");
  }
  // It fits the window, and can be read.
  expect(document.documentElement.scrollWidth <= innerWidth, `${document.documentElement.scrollWidth} pixels are wider than ${innerWidth}`);
  for (const text of document.querySelectorAll("svg text"))
    expect(text.closest("section").hidden || text.getBoundingClientRect().height >= 9, "text of a picture is too small: " + text.textContent);
  expect(matchMedia("(prefers-color-scheme: dark)").matches === DARK, "light or dark");
  const style = getComputedStyle(document.body), back = luminance(style.backgroundColor);
  expect(DARK ? back < .05 : back > .9, "the background is " + style.backgroundColor);
  expect(contrast(luminance(style.color), back) > 7, "text can be read");
  for (const faint of document.querySelectorAll(".faint"))
    expect(contrast(luminance(getComputedStyle(faint).color), back) > 4.5, "faint text can be read");
  click(source.rows[source.lines.length - 1]);
  const chosen = getComputedStyle(source.rows[source.lines.length - 1]);
  expect(contrast(luminance(chosen.color), luminance(chosen.backgroundColor)) > 4.5, "the chosen line can be read");
  for (const text of document.querySelectorAll("svg text"))
    expect(text.textContent.trim() === "" || contrast(luminance(getComputedStyle(text).fill), back) > 4.5, "text of a picture");
}
try {
  tests();
  document.body.dataset.test = checks + " checks";
} catch (error) {
  document.body.dataset.test = "failed: " + error.message;
}
