// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The button for light, dark, or what the system prefers. It replaces Furo's script, which Debian ships as a module that no page can load.
"use strict";

document.documentElement.classList.remove("no-js");

window.addEventListener("DOMContentLoaded", () => {
  const themes = ["auto", "light", "dark"];
  for (const button of document.querySelectorAll(".theme-toggle"))
    button.addEventListener("click", () => {
      const theme = themes[(themes.indexOf(document.body.dataset.theme) + 1) % themes.length];
      document.body.dataset.theme = theme;
      localStorage.setItem("theme", theme);
    });
});
