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
