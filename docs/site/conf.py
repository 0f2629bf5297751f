# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sphinx's configuration of the site; build.py says where the pages and Doxygen's XML are."""
import os
import re
import sys

import furo

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

project = "Kiln"
html_title = "Kiln"
extensions = ["myst_parser", "breathe", "kiln_site"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 6  # the anchors that GitHub makes
breathe_default_project = "kiln"
breathe_domain_by_extension = {"h": "c"}
highlight_language = "none"
html_theme = "furo"
html_js_files = ["theme.js"]
html_static_path = ["static"]
html_css_files = ["kiln.css"]
html_show_copyright = False
html_copy_source = False
pygments_style = "friendly"
pygments_dark_style = "monokai"
linkcheck_timeout = 20

# Debian's build of Furo has lost the rule for systems that prefer dark. Variables of the theme's options have it: hand Furo's own colors over as such.
with open(os.path.join(os.path.dirname(furo.__file__), "theme", "furo", "static", "styles", "furo.css"), encoding="utf-8") as file:
    dark = re.search(r"body\[data-theme=\"?dark\"?\]\s*{([^}]*)}", file.read())
html_theme_options = {"dark_css_variables": dict(re.findall(r"--([\w-]+):\s*([^;]+)", dark.group(1)) if dark else ())}
