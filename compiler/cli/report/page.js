// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the scripts of all pages that Kiln writes begin with: the data, and makers of elements.
const report = JSON.parse(document.getElementById("data").textContent);
const element = (name, properties, ...inside) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...inside);
  return made;
};
const byId = id => document.getElementById(id);
const NS = "http://www.w3.org/2000/svg";
const shape = (name, attributes, text) => {
  const made = document.createElementNS(NS, name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  if (text !== undefined) made.textContent = text;
  return made;
};
function picture(width, height, label, left = 0) {
  return shape("svg", {viewBox: `${left} 0 ${width - left} ${height}`, role: "img", "aria-label": label});
}
const percent = x => (100 * x).toFixed(100 * x < 10 ? 1 : 0) + " %";

// A card for each finding, with its gain as a bar; `place` makes what leads to a finding's line.
function showFindings(hasLaunch, place) {
  for (const f of report.findings) {
    const card = element("article", {className: "card"}, element("h3", {textContent: f.title}), element("p", {textContent: f.seen}));
    if (f.gain && f.gain.of) {
      const bar = element("div", {className: "gain"}, element("i"));
      bar.firstChild.style.width = 100 * f.gain.microseconds / f.gain.of + "%";
      card.append(bar, element("p", {textContent: `gain: ${f.gain.bound ? f.gain.bound + " " : ""}${f.gain.microseconds.toFixed(1)} of ${f.gain.of.toFixed(1)} µs ` +
        `(${percent(f.gain.microseconds / f.gain.of)}) ${f.gain.without}`}));
    } else if (hasLaunch) {
      card.append(element("p", {textContent: "gain: unknown: " + f.gain.unknown}));
    }
    card.append(element("p", {className: "faint", textContent: f.why}), element("p", {textContent: "Advice: " + f.advice}));
    if (f.line) card.append(element("p", {}, place(f)));
    card.append(element("p", {className: "faint", textContent: "-R" + f.id}));
    byId("findings").append(card);
  }
  if (!report.findings.length) byId("findings").append(element("p", {textContent: "none"}));
}
