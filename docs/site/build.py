#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""build.py --source=DIR --out=DIR [--linkcheck]: makes the site of all pages and public headers in DIR, or follows its links to other sites. Warnings, such as
dead links, are errors. `./dev docs` installs Doxygen, Sphinx and what they need, and runs this; docs/site.md describes the site.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys

import stage

FOLDER = os.path.dirname(os.path.abspath(__file__))


def doxygen(source, work):
    """The public headers as XML."""
    xml = os.path.join(work, "xml")
    shutil.rmtree(xml, ignore_errors=True)
    with open(os.path.join(FOLDER, "Doxyfile"), encoding="utf-8") as file:
        settings = file.read()
    folders = [folder for folder in (os.path.join(source, folder) for folder in stage.HEADERS) if os.path.isdir(folder)]
    for setting, values in (("INPUT", folders), ("INCLUDE_PATH", [os.path.dirname(folder) for folder in folders])):
        settings += f"{setting} = " + " ".join(f'"{value}"' for value in values) + "\n"
    settings += f'OUTPUT_DIRECTORY = "{work}"\nINPUT_FILTER = "\\"{sys.executable}\\" \\"{FOLDER}/comments.py\\""\n'
    if subprocess.run(["doxygen", "-"], input=settings, text=True, check=False).returncode:
        sys.exit(1)
    return xml


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--linkcheck", action="store_true")
    words = parser.parse_args()
    for tool in ("doxygen", "sphinx-build"):
        if not shutil.which(tool):
            sys.exit(f"build.py: {tool} is not installed; ./dev docs installs it")
    source, out = os.path.abspath(words.source), os.path.abspath(words.out)
    work = out + "-work"
    os.makedirs(work, exist_ok=True)
    xml = doxygen(source, work)
    pages = os.path.join(work, "pages")
    stage.Stage(source, pages, xml).run()
    with open(os.path.join(source, "CMakeLists.txt"), encoding="utf-8") as file:
        version = re.search(r"project\(\w+ VERSION ([\d.]+)", file.read())
    builder, place = ("linkcheck", os.path.join(work, "links")) if words.linkcheck else ("html", out)
    command = ["sphinx-build", "-q", "-W", "--keep-going", "-j", "auto", "-b", builder, "-c", FOLDER, "-d", os.path.join(work, "trees"), "-D", f"breathe_projects.kiln={xml}"]
    command += ["-D", f"version={version.group(1)}"] if version else []
    if subprocess.run(command + [pages, place], check=False).returncode:
        sys.exit(1)
    print(f"{place}/" + ("output.txt" if words.linkcheck else "index.html"))


if __name__ == "__main__":
    main()
